"""Starting a match: the lobby, and its end."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from difflib import get_close_matches

from bot.actions.actor import Actor, Reply
from bot.actions.permissions import refusal
from bot.actions.services import Services, deliver, receipt, refused, send, store_trouble
from bot.community.policy import Policy, cast_for, pool_for, word_refusal
from bot.host.ports import StoreError
from bot.rules import commands as c
from bot.rules.clock import VIRTUAL, VIRTUAL_EPOCH_MS
from bot.rules.decide import decide
from bot.rules.evolve import fold
from bot.rules.format import Format
from bot.rules.match import Match, Status
from bot.rules.motion import Motion, custom_motion
from bot.rules.rejection import Rejection, reject
from bot.rules.seeding import seed_of
from bot.rules.tempo import Tempo
from bot.rules.text import clean, count, is_blank

log = logging.getLogger(__name__)

LONGEST_MOTION = 200
_ID_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
_ID_LENGTH = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What somebody asks of `/debate start`. A tempo or number of judges left open is as the community has it."""

    format: Format
    id: str | None = None
    """The match's id; None: a new one."""
    motions: Sequence[str] = ()
    """Ids or texts of built-in motions, or motions in one's own words; played first, in this order."""
    category: str | None = None
    """Draw the other motions from this category first."""
    tempo: Tempo | None = None
    judges: int | None = None
    seed: int | None = None
    speed: float = 1.0
    sound: bool = True
    lobby_s: float | None = None
    """How long the lobby waits before AIs fill it; None: until somebody starts the match, whatever the community's
    policy: the venue reads that."""
    thread: str | None = None
    ai_seats: Sequence[str] = ()
    """Seats that only AIs may take."""
    market: bool = False
    """Whether the community may bet on the outcome."""


async def start(services: Services, actor: Actor, wish: Wish) -> Reply:
    """Open a lobby with the actor as host. The reply's match has the new id."""
    prepared = await prepare(services, actor, wish)
    if isinstance(prepared, Rejection):
        return refused(services, prepared)
    command, _ = prepared
    return await open_match(services, actor, command, wish.thread)


async def prepare(services: Services, actor: Actor, wish: Wish) -> tuple[c.Open, Match] | Rejection:
    """Everything that can refuse a wish, before anything is shown: the command that opens the match, and the match as
    it will be."""
    try:
        policy = await services.policy(actor.community)
        denial = refusal("start", actor, None, policy) or await _limit(services, actor)
    except StoreError as error:
        log.error("the store has trouble: %s", error)
        return reject("store_trouble")
    if denial is None and policy is not None and policy.channels and actor.channel not in policy.channels:
        denial = reject("wrong_channel")
    if denial is not None:
        return denial
    forced: list[Motion] = []
    for text in wish.motions:
        motion = find_motion(services.motions, text)
        if isinstance(motion, Rejection):
            return motion
        unwanted = word_refusal(policy, motion.text) if policy is not None else None
        if unwanted is not None:
            return unwanted
        forced.append(motion)
    match_id = wish.id or new_match_id()
    wall = services.host.time.wall()
    at = VIRTUAL_EPOCH_MS if wish.speed == VIRTUAL else wall
    command = c.Open(
        at=at,
        match=match_id,
        community=actor.community,
        host=actor.person,
        format=wish.format,
        seed=seed_of(match_id) if wish.seed is None else wish.seed,
        wall=wall,
        speed=wish.speed,
        tempo=wish.tempo or (policy.default_tempo if policy is not None else None),
        judges=_judges(wish, policy),
        sound=wish.sound and (policy is None or policy.sound),
        forced=forced,
        category=wish.category,
        lobby_until=None if wish.lobby_s is None else at + round(wish.lobby_s * 1000),
        reserved=wish.ai_seats,
        market=wish.market and (policy is None or policy.market),
    )
    events = decide(Match(), command)
    if isinstance(events, Rejection):
        return events
    match = fold(events)
    there = len({holder.persona for holder in cast_for(policy, services.cast)})
    if there < len(match.seats):  # such a lobby could never begin, and would stand there until somebody cancels it
        return reject("too_few_personas", needed=len(match.seats), there=there)
    return command, match


async def open_match(services: Services, actor: Actor, command: c.Open, thread: str | None) -> Reply:
    """Open what was prepared; `thread` is where the venue shows it."""

    def say(_: object, match: Match) -> str:
        return services.words("reply.started", match=match.id)

    async with services.policies.starting(actor.community) if services.policies is not None else nullcontext():
        try:
            denial = await _limit(services, actor)
        except StoreError as error:
            return store_trouble(services, error)
        if denial is not None:
            return refused(services, denial)
        return await deliver(services, lambda: services.host.open(command, thread, receipt(actor, say)), say)


async def begin(services: Services, actor: Actor, match_id: str) -> Reply:
    """Start now, or as soon as there is a place: AIs take the free seats."""
    return await send(
        services,
        actor,
        match_id,
        "begin",
        lambda match: start_command(services, match, match.now),
        lambda _, match: _begun(services, match),
    )


def start_command(services: Services, match: Match, at: int) -> c.Start:
    """What starts a match, by hand or when its lobby's time is up: who may be seated and what may be drawn in its
    community."""
    policy = services.known_policy(match.community)
    return c.Start(
        at=at,
        cast=services.seated(match.community, cast_for(policy, services.cast)),
        bench=services.bench(match.community),
        pool=pool_for(policy, services.motions),
    )


def _begun(services: Services, match: Match) -> str:
    if match.status is Status.LOBBY:  # the house is full
        return services.words("reply.queued", n=services.host.number_in_line(match.id) or 1)
    return services.words("reply.begun")


async def _limit(services: Services, actor: Actor) -> Rejection | None:
    """Why there can be no further match now, or None. What was handled before is let through, to get its answer again.
    Raises StoreError."""
    policies = services.policies
    if policies is None:
        return None
    policy = await policies.get(actor.community)
    live = await policies.live(actor.community)
    theirs = [row for row in live if row.host == actor.person]
    if len(theirs) < policy.most_per_person and len(live) < policy.most_live:
        return None
    if actor.key is not None and await policies.store.receipt(actor.community, actor.key) is not None:
        return None
    if len(theirs) >= policy.most_per_person:
        return reject("you_host_enough", most=policy.most_per_person)
    return reject("community_is_full", most=policy.most_live)


def _judges(wish: Wish, policy: Policy | None) -> int | None:
    return wish.judges if wish.judges is not None or policy is None else policy.judges


def find_motion(pool: Sequence[Motion], text: str) -> Motion | Rejection:
    """A built-in motion by id or text, or a motion in the person's own words. One word that is no id is refused,
    with a guess."""
    wanted = " ".join(clean(text).split())
    if is_blank(wanted):
        return reject("motion_blank")
    for motion in pool:
        if wanted.lower().rstrip(".") in (motion.id, motion.text.lower()):
            return motion
    if " " not in wanted:
        close = get_close_matches(wanted.lower(), [motion.id or "" for motion in pool], n=1)
        return reject("motion_near", motion=wanted, near=close[0]) if close else reject("motion_unknown", motion=wanted)
    if count(wanted) > LONGEST_MOTION:
        return reject("motion_long", chars=count(wanted), limit=LONGEST_MOTION)
    return custom_motion(wanted)


def new_match_id() -> str:
    """A short id that can be read aloud and typed; 30 letters of 10 places make a clash as good as impossible."""
    return "".join(secrets.choice(_ID_LETTERS) for _ in range(_ID_LENGTH))
