"""The one place where everything is wired together."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace

import discord

from bot.actions.services import Services
from bot.actions.start import start_command
from bot.catalogue import Catalogue, load_catalogue
from bot.community.ledger import Ledger, Wallets
from bot.community.policy import Policies, masked
from bot.community.wordlist import NOTHING, WordList, read_words
from bot.export import export_texts
from bot.host.clocks import SystemTime
from bot.host.host import Host, Ports
from bot.host.ports import Minds, Sound, Time, Venue
from bot.messages.card import Card
from bot.messages.publish import MatchPublisher
from bot.messages.words import words
from bot.minds.house import HouseDebater, HouseJudge, warm
from bot.minds.models.budget import Charged, ChargedSound, Limit, Limits, SpeechMeter, Spending
from bot.minds.models.debater import ModelDebater
from bot.minds.models.endpoints import EndpointsError, Lineup, VoiceSpec, load_lineup
from bot.minds.models.judge import ModelJudge
from bot.minds.models.local import start_local
from bot.minds.models.openai_model import make_client
from bot.minds.models.roster import Roster
from bot.minds.moderated import Moderated
from bot.minds.service import MindService
from bot.rules.match import Clip, Holder, Match, Usage
from bot.settings import Settings
from bot.venues.discord.pace import PER_SECOND, Pace
from bot.venues.discord.venue import DiscordVenue, PeopleOf
from bot.voice.booth import Booth, open_booth
from bot.voice.model import VOICES, ModelSpeaker
from bot.voice.speaker import SpeakerError
from storage.database import open_store
from storage.store import SqlStore

log = logging.getLogger(__name__)

HOUSE = "house"
PAPERS = (("record.json", "json"), ("transcript.md", "markdown"))
"""What a match leaves behind, as files."""


@dataclass(frozen=True, slots=True)
class App:
    """A running Rostrum."""

    store: SqlStore
    host: Host
    services: Services
    catalogue: Catalogue
    policies: Policies
    roster: Roster | None = None
    """The models, if there are any."""
    speech: ModelSpeaker | None = None
    """The speech model, if there is one: `Booth.lead_with` lets it speak."""


class NoSound:
    """For matches without sound."""

    async def clip(self, match: Match, round: int, n: int, part: int) -> Clip | None:
        return None


@contextlib.asynccontextmanager
async def open_app(
    database_url: str,
    venue: Callable[[SqlStore, Time], Venue],
    sound: Sound | None = None,
    *,
    patience: int | None = None,
    time: Time | None = None,
    capacity: int | None = None,
    policed: bool = False,
    models: Lineup | None = None,
    blocked: WordList = NOTHING,
) -> AsyncIterator[App]:
    """Open the store and make a host, not yet started; both are closed at the end. Raises StoreError or CatalogueError.

    `patience` is how often the host tries again when the store has trouble (None: for ever), `capacity` how many
    matches run at a time (None: any number). `policed`: what communities allow is looked up and held to; in a terminal
    there is nobody to settle it. `models`: those that debate and judge; None: the house minds do.
    `blocked`: words that no community may read.
    """
    catalogue = load_catalogue()
    for motion in catalogue.bank_ids():  # a broken bank is said now, not in the middle of a match
        catalogue.bank(motion)
    warm(catalogue)
    store = await open_store(database_url)
    clock = time or SystemTime()
    cast = tuple(Holder(persona=persona.id, name=persona.name, model=HOUSE) for persona in catalogue.personas.values())

    policies = Policies(store, blocked)

    def seated(community: str, cast: Sequence[Holder]) -> Sequence[Holder]:
        """The AIs with the models they use in a community."""
        if roster is None:
            return cast
        uses = roster.assignment(community)
        return tuple(replace(holder, model=uses.seat(holder.persona or "")) for holder in cast)

    def bench(community: str) -> Sequence[str]:
        return roster.assignment(community).bench if roster is not None else ()

    def estimate(match: Match) -> Usage | None:
        return roster.estimate(match) if roster is not None else None

    def used_up(match: Match) -> str | None:
        return roster.spending.reached(match.community, match.id) if roster is not None else None

    roster = speech = None
    minds: Minds = MindService(HouseDebater(), HouseJudge())
    if models is not None:
        spending = Spending(models.limits, store)
        speech = speech_model(models.voice, spending) if models.voice is not None else None
        roster = Roster(models, spending, lambda community: policies.known(community).models)
        debater = ModelDebater(roster.debater, HouseDebater(), catalogue)
        minds = Charged(MindService(debater, ModelJudge(roster.judge, HouseJudge(), catalogue)))
    ports = Ports(
        store=store,
        venue=venue(store, clock),
        publisher=MatchPublisher(estimate=estimate, used_up=used_up),
        minds=Moderated(minds, lambda community, text: masked(policies.known(community), text)) if policed else minds,
        sound=ChargedSound(sound or NoSound()),
        starter=lambda match, at: start_command(services, match, at),
        time=clock,
        participants=(Ledger(clock.wall),),
    )
    host = Host(ports, patience=patience, capacity=capacity)
    services = Services(
        host,
        words(),
        catalogue.motions,
        cast,
        policies if policed else None,
        Wallets(store, clock.wall),
        seated=seated,
        bench=bench,
        models=models.allowed if models is not None else (),
        estimate=estimate,
    )
    try:
        yield App(store, host, services, catalogue, policies, roster, speech)
    finally:
        await host.close()
        if speech is not None:
            await speech.close()
        if roster is not None:
            await roster.close()
        await store.close()


def speech_model(spec: VoiceSpec, spending: Spending) -> ModelSpeaker:
    """The speech model, whose calls are held to the budgets."""
    return ModelSpeaker(
        make_client(spec.server),
        model=spec.model,
        voices=spec.voices or VOICES,
        timeout=spec.timeout_s,
        parallel=spec.most_parallel,
        meter=SpeechMeter(spending, spec.price),
        name=f"{spec.model} at {spec.server.endpoint}",
    )


@contextlib.asynccontextmanager
async def open_models(settings: Settings) -> AsyncIterator[Lineup | None]:
    """The models that are configured; one in a file is run meanwhile. None: there are none. Raises EndpointsError."""
    amounts = settings.budget_match, settings.budget_community_day, settings.budget_day
    limits = Limits(*(None if amount is None else Limit.model_validate(amount) for amount in amounts))
    if settings.local_model is None:
        lineup = load_lineup(settings.models, limits=limits)
        unknown = set(lineup.assignment.seats) - set(load_catalogue().personas) if lineup is not None else None
        if unknown:
            raise EndpointsError(f"{settings.models}: seats.{min(unknown)}: there is no such persona.")
        yield lineup
        return
    server = await start_local(settings.local_model, context=settings.local_context, threads=settings.local_threads)
    try:
        yield load_lineup(settings.models, limits=limits, local=server.spec)
    finally:
        server.close()


@dataclass(slots=True)
class DiscordApp:
    """A running Rostrum whose matches are shown on Discord."""

    services: Services
    store: SqlStore
    venue: DiscordVenue
    has_sound: bool


@contextlib.asynccontextmanager
async def open_on_discord(
    settings: Settings, client: discord.Client, people: PeopleOf, time: Time | None = None
) -> AsyncIterator[DiscordApp]:
    """`open_app` with sound and a Discord venue, as the settings want it. Raises what `open_app` raises."""
    async with contextlib.AsyncExitStack() as stack:
        booth = await _booth(settings)
        if booth is not None:
            stack.push_async_callback(booth.close)
        made: list[DiscordVenue] = []
        pace = Pace(PER_SECOND * max(1.0, settings.speed))

        def venue(_: SqlStore, clock: Time) -> DiscordVenue:
            made.append(
                DiscordVenue(
                    client,
                    people,
                    words(),
                    settings.data_dir,
                    _Countdown(clock, hosts),
                    papers,
                    pace,
                    settings.discord_avatars,
                )
            )
            return made[0]

        async def papers(match_id: str) -> dict[str, str]:
            match = await app.host.state(match_id)
            if match is None:
                return {}
            school = (await app.policies.get(match.community)).school
            texts = await export_texts(app.store, match, pseudonyms=school)
            return {f"{match_id}-{name}": texts[form] for name, form in PAPERS}

        hosts: list[Host] = []
        models = await stack.enter_async_context(open_models(settings))
        url = settings.database_url.get_secret_value()
        sound = booth.sound if booth is not None else None
        app = await stack.enter_async_context(
            open_app(
                url,
                venue,
                sound,
                time=time,
                capacity=settings.most_running,
                policed=True,
                models=models,
                blocked=read_words(settings.blocked_words) if settings.blocked_words else NOTHING,
            )
        )
        if booth is not None:
            booth.lead_with(app.speech)
        hosts.append(app.host)
        stack.push_async_callback(made[0].close)
        yield DiscordApp(app.services, app.store, made[0], booth is not None)


async def _booth(settings: Settings) -> Booth | None:
    """The built-in voice. Without it the debates are silent, and the log says why."""
    if not settings.sound:
        return None
    try:
        return await open_booth(settings.data_dir, load_catalogue())
    except SpeakerError as error:
        log.warning("speeches come without clips: %s", error)
        return None


@dataclass(frozen=True, slots=True)
class _Countdown:
    """The wall time at which a card's countdown ends: a person's counts from when it is sent."""

    clock: Time
    hosts: list[Host] = field(default_factory=list[Host])

    def __call__(self, match_id: str, card: Card) -> int | None:
        match = self.hosts[0].peek(match_id) if self.hosts else None
        if card.time_ms is not None:
            return self.clock.wall() + round(card.time_ms / (match.clock.speed if match is not None else 1.0))
        if card.deadline is None:
            return None
        wall = match.clock.wall_at(card.deadline) if match is not None else card.deadline
        return None if wall is None else round(wall)
