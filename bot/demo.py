"""A match in the terminal from start to end: what `python -m bot demo` does."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from bot.actions.actor import Actor, Reply
from bot.actions.control import cancel
from bot.actions.seats import join
from bot.actions.start import Wish, begin, find_motion, new_match_id, start
from bot.app import App, open_app, open_models
from bot.catalogue import load_catalogue
from bot.export import export_text
from bot.files import write_whole
from bot.messages.words import words
from bot.rules.clock import VIRTUAL
from bot.rules.format import Format, FormatError, parse_format
from bot.rules.formats import load_format
from bot.rules.match import Match, Status
from bot.rules.rejection import Rejection
from bot.rules.tempo import Tempo
from bot.rules.text import clean, count, is_blank
from bot.settings import Settings
from bot.venues.terminal.venue import TerminalVenue
from bot.voice.booth import Booth, open_booth
from bot.voice.speaker import SpeakerError
from cogs.terminal.play import Table

PATIENCE = 4
"""How often the demo tries again when its database has trouble, before it says so and stops."""
VENUE, COMMUNITY = "terminal", "local"
LONGEST_NAME = 40


class DemoError(Exception):
    """The demo cannot do what was asked; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """What was asked on the command line."""

    format: str
    motions: tuple[str, ...]
    seed: int | None
    speed: float
    tempo: Tempo | None
    judges: int | None
    human: str | None
    name: str
    sound: bool
    out: Path
    database_url: str
    resume: bool
    settings: Settings
    """Which models there are."""


async def run_demo(wish: Demo, console: Console) -> int:
    """Play. Returns the exit code: 0, or 1 when the match is complete but some of its sound is not. Raises
    DemoError and others."""
    fmt = find_format(wish.format)
    _check(wish, fmt)
    booth = await _booth(wish)
    try:
        return await _play(wish, fmt, console, booth)
    finally:
        if booth is not None:
            await booth.close()


async def _booth(wish: Demo) -> Booth | None:
    if not wish.sound:
        return None
    try:
        return await open_booth(wish.out, load_catalogue())
    except SpeakerError as error:
        raise DemoError(words()("terminal.no_voice", why=error)) from error


async def _play(wish: Demo, fmt: Format, console: Console, booth: Booth | None) -> int:
    async with (
        open_models(wish.settings) as models,
        open_app(
            wish.database_url,
            lambda store, time: TerminalVenue(console, store.names, time, words()("person.erased")),
            booth.sound if booth else None,
            patience=PATIENCE,
            models=models,
        ) as app,
    ):
        if booth is not None:
            booth.lead_with(app.speech)
        going = await _unfinished(app) if wish.resume else None
        if wish.resume and going is None:
            console.print(Text(words()("terminal.none_to_resume")))
        match_id = going.id if going is not None else new_match_id()
        await app.host.start(only=match_id)
        actor = await _take_up(app, going, console) if going is not None else await _open(app, wish, fmt, match_id)
        state = await app.host.state(match_id)
        plays = state is not None and _plays(state, actor.person)
        names = await app.store.names([actor.person])
        await Table(app.services, match_id, console, actor if plays else None, names).run()
        return await _close(app, wish, console, booth, match_id)


def find_format(name: str) -> Format:
    """A built-in format by name, or one read from a TOML file. Raises FormatError."""
    path = Path(name)
    if path.suffix != ".toml":
        return load_format(name)
    try:
        return parse_format(path.read_text("utf-8"), path.name)
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _check(wish: Demo, fmt: Format) -> None:
    """Refuse what cannot work before anything is written."""
    say = words()
    judges = wish.judges or fmt.judging.judges
    seats = (*fmt.seats, *(f"J{number}" for number in range(judges)))
    if wish.human and wish.human not in seats:
        raise DemoError(say("terminal.no_such_seat", seat=wish.human, seats=", ".join(seats)))
    if wish.human and wish.speed == VIRTUAL:
        raise DemoError(say("terminal.no_human_at_max"))
    there = len(load_catalogue().personas)
    if len(seats) > there:
        raise DemoError(say("rejection.too_few_personas", needed=len(seats), there=there))
    if is_blank(wish.name) or count(clean(wish.name)) > LONGEST_NAME:
        raise DemoError(say("terminal.bad_name", limit=LONGEST_NAME))
    try:
        wish.out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=wish.out):
            pass
    except OSError as error:
        raise DemoError(say("doctor.data_broken", folder=wish.out, why=error.strerror or error)) from error
    for text in wish.motions:
        found = find_motion(load_catalogue().motions, text)
        if isinstance(found, Rejection):
            raise DemoError(say.refusal(found))


def _plays(match: Match, person: str) -> bool:
    """Whether the person needs the keyboard: for a seat, to take one back, or to let a paused match go on."""
    return (
        match.seat_of(person) is not None
        or any(seat.former == person for seat in match.seats.values())
        or (not match.over and not match.clock.running)
    )


async def _unfinished(app: App) -> Match | None:
    """The newest match that is not over, else the newest, whose clips or files may still be missing; None: there is
    none."""
    rows = await app.store.matches(limit=1000)
    going = [row for row in rows if row.status in (Status.LOBBY.value, Status.RUNNING.value)]
    return await app.host.state((going or rows)[0].id) if rows else None


async def _open(app: App, wish: Demo, fmt: Format, match_id: str) -> Actor:
    name = " ".join(clean(wish.name).split())
    community = await app.store.community(VENUE, COMMUNITY, COMMUNITY)
    # Who gives another name is another person, so that earlier records keep theirs.
    person = await app.store.person(community, name, name)
    actor = Actor(community=community, person=person, moderator=True)
    asked = Wish(
        id=match_id,
        format=fmt,
        motions=wish.motions,
        tempo=wish.tempo,
        judges=wish.judges,
        seed=wish.seed,
        speed=wish.speed,
        sound=wish.sound,
    )
    _must(await start(app.services, actor, asked))
    try:
        if wish.human:
            _must(await join(app.services, actor, match_id, seat=wish.human))
        _must(await begin(app.services, actor, match_id))
    except DemoError:
        await cancel(app.services, actor, match_id)
        raise
    return actor


async def _take_up(app: App, match: Match, console: Console) -> Actor:
    """Go on with a match that an earlier demo left, in whatever state it was."""
    console.print(Text(words()("terminal.resuming", match=match.id), style="bold"))
    actor = Actor(community=match.community, person=match.host, moderator=True)
    if match.status is Status.LOBBY:
        _must(await begin(app.services, actor, match.id))
    return actor


def _must(reply: Reply) -> None:
    if not reply.ok:
        raise DemoError(reply.text)


async def _close(app: App, wish: Demo, console: Console, booth: Booth | None, match_id: str) -> int:
    """Write the record and the transcript, and say where everything is."""
    say = words()
    folder = wish.out / match_id
    for name, form, key in (("record.json", "json", "saved"), ("transcript.md", "markdown", "transcript")):
        write_whole(folder / name, await export_text(app.store, match_id, form))
        console.print(Text(say(f"terminal.{key}", path=folder / name)), soft_wrap=True)
    state = await app.host.state(match_id)
    clips = 0
    if state is not None:
        clips = sum(part.clip is not None for entry in state.rounds for turn in entry.turns for part in turn.parts)
    if booth is None:
        console.print(Text(say("terminal.no_clips")))
    elif clips:
        console.print(Text(say("terminal.clips", n=clips, folder=folder / "clips")), soft_wrap=True)
    console.print(Text(say("terminal.match", match=match_id)))
    if booth is not None and booth.trouble:
        console.print(Text(say("terminal.clips_failed", why=booth.trouble), style="red"))
        return 1
    return 0
