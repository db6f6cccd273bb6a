"""What happened: the events a match is made of.

An event's `name` and `version` are stable; storage knows it by them, never by an import path. When a payload changes
shape, bump the version and add a step to `UPGRADES`, which turns an old payload (a plain dict) into the next version
before it is validated, so that every log ever written can still be read.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, field_serializer

from bot.rules.format import Format, Move
from bot.rules.lineup import Lineup
from bot.rules.match import Clip, Holder, Outcome, Source, Usage
from bot.rules.motion import Motion
from bot.rules.scoring import Standing
from bot.rules.tempo import Tempo


class Event(BaseModel):
    """Something that happened at `at` (match milliseconds)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    version: ClassVar[int] = 1
    at: int


# ------------------------------------------------------------------------------------------------ opening and the lobby


class MatchOpened(Event):
    """Pins everything the match will be played by."""

    name = "match_opened"
    match: str
    community: str
    host: str
    format: Format
    tempo: Tempo | None
    """None: decided at the start, by whether a person debates."""
    seed: int
    sound: bool
    judges: int
    forced: tuple[Motion, ...]
    category: str | None
    lobby_until: int | None
    reserved: tuple[str, ...] = ()
    """Seats that only AIs may take."""
    market: bool = False

    @field_serializer("format", mode="plain")
    def _whole(self, value: Format) -> dict[str, Any]:
        """With its defaults, so that a default that changes later changes no match that was opened before."""
        return value.model_dump(mode="json")


class SeatTaken(Event):
    name = "seat_taken"
    seat: str
    person: str
    extra_time: float = 1.0


class SeatLeft(Event):
    name = "seat_left"
    seat: str
    person: str


class HostChanged(Event):
    name = "host_changed"
    person: str


class StartQueued(Event):
    """The lobby was to start, but the house is full: it waits in line, and starts by itself when there is a place."""

    name = "start_queued"
    wall: int
    """Its place in line: who came earlier goes first."""


class MatchStarted(Event):
    """The AIs that fill the free seats, those that wait to take one over, and the motions in playing order."""

    name = "match_started"
    tempo: Tempo
    filled: dict[str, Holder]
    spare: tuple[Holder, ...]
    motions: tuple[Motion, ...]


# ------------------------------------------------------------------------------------------------- the clock


class ClockStarted(Event):
    name = "clock_started"
    wall: int
    speed: float
    recovered: bool = False
    """True when a process took the match up again after downtime."""


class ClockStopped(Event):
    name = "clock_stopped"
    wall: int
    by: str
    why: str


# ------------------------------------------------------------------------------------------------- speaking


class RoundStarted(Event):
    name = "round_started"
    round: int
    tiebreak: bool
    motion: Motion
    lineup: Lineup


class SlotScheduled(Event):
    """The next slot is known: minds may prepare. It opens at `opens_at`."""

    name = "slot_scheduled"
    round: int
    n: int
    opens_at: int


class SlotCalled(Event):
    """A person's slot is due: the prompt goes out, and the slot opens when it is delivered."""

    name = "slot_called"
    round: int
    n: int


class SlotOpened(Event):
    name = "slot_opened"
    round: int
    n: int
    timeout_ms: int
    deadline: int


class PartSpoken(Event):
    name = "part_spoken"
    round: int
    n: int
    seat: str
    person: str | None
    move: Move
    text: str
    source: Source
    fallback: bool = False
    model: str | None = None
    why: str = ""
    """A mind's private reason for the move; shown to nobody while the match runs."""
    usage: Usage | None = None


class OfferMade(Event):
    name = "offer_made"
    round: int
    n: int
    seat: str
    text: str


class OfferAnswered(Event):
    name = "offer_answered"
    round: int
    n: int
    taken: bool


class SlotClosed(Event):
    name = "slot_closed"
    round: int
    n: int
    outcome: Outcome


# ------------------------------------------------------------------------------------------------- seats during play


class SeatReplaced(Event):
    """An AI takes a person's seat over, visibly."""

    name = "seat_replaced"
    seat: str
    person: str
    holder: Holder
    why: Literal["missed", "left", "moderator"]


class SeatWanted(Event):
    """The person asked for the seat back; it changes hands at the next phase."""

    name = "seat_wanted"
    seat: str
    person: str


class SeatReclaimed(Event):
    name = "seat_reclaimed"
    seat: str
    person: str


# ------------------------------------------------------------------------------------------------- judging


class JudgingCalled(Event):
    """A person judges: voting opens when the call is delivered."""

    name = "judging_called"
    round: int


class JudgingOpened(Event):
    name = "judging_opened"
    round: int
    deadline: int


class BallotCast(Event):
    """A later ballot of the same judge replaces the earlier one while voting is open."""

    name = "ballot_cast"
    round: int
    judge: str
    person: str | None
    vote: str
    reason: str
    scores: dict[str, dict[str, int]] | None
    flags: tuple[str, ...] = ()
    defaulted: Literal["timeout", "broken", "absent"] | None = None
    model: str | None = None
    usage: Usage | None = None


class BallotBroken(Event):
    """A judge's mind answered what cannot be read; it counts as missing unless a good one follows in time."""

    name = "ballot_broken"
    round: int
    judge: str


class JudgingClosed(Event):
    name = "judging_closed"
    round: int
    reveal_due: int


class BallotRevealed(Event):
    name = "ballot_revealed"
    round: int
    judge: str


class RevealDelivered(Event):
    """The reveal is seen; `next_due` is when the next one, if any, is shown."""

    name = "reveal_delivered"
    round: int
    judge: str
    next_due: int | None


class RoundVoided(Event):
    """A moderator voids a round that is not decided yet."""

    name = "round_voided"
    round: int
    by: str


class RoundDecided(Event):
    name = "round_decided"
    round: int
    winner: str
    points: dict[str, float]
    void: bool
    """A side said nothing at all, or a moderator voided it: no winner, no points, no rating."""


# ------------------------------------------------------------------------------------------------- the market


class WagerPlaced(Event):
    name = "wager_placed"
    wager: int
    person: str
    outcome: str
    stake: int


class WagerChanged(Event):
    name = "wager_changed"
    wager: int
    person: str
    outcome: str
    stake: int


class WagerWithdrawn(Event):
    name = "wager_withdrawn"
    wager: int
    person: str


class WagerRefunded(Event):
    """The stake goes back, because its owner may not bet any more."""

    name = "wager_refunded"
    wager: int
    person: str
    why: Literal["host", "moderator"]


class Moderated(Event):
    """Somebody steered the match, and so may not bet on it. Written only where there is a market."""

    name = "moderated"
    by: str
    what: Literal["skip", "replace", "void"]


class MarketLocked(Event):
    """Wagers stand as they are. What comes after this in the log is too late, whatever it was stamped."""

    name = "market_locked"


class MarketSettled(Event):
    """What each winning wager gets, and the house; losing ones get nothing."""

    name = "market_settled"
    outcome: str
    payouts: dict[int, int]
    house: int


class MarketVoided(Event):
    """All stakes go back."""

    name = "market_voided"
    reason: Literal["cancelled", "too_few", "nobody_won"]


# ------------------------------------------------------------------------------------------------- the end


class MatchFinished(Event):
    name = "match_finished"
    standings: tuple[Standing, ...]
    winners: tuple[str, ...]


class MatchCancelled(Event):
    name = "match_cancelled"
    by: str
    reason: str


class ClipAttached(Event):
    """A turn's sound is ready. With erasure, the only thing that may touch a finished log."""

    name = "clip_attached"
    round: int
    n: int
    part: int
    clip: Clip


_EVENTS: tuple[type[Event], ...] = (
    MatchOpened, SeatTaken, SeatLeft, HostChanged, StartQueued, MatchStarted, ClockStarted, ClockStopped, RoundStarted,
    SlotScheduled, SlotCalled, SlotOpened, PartSpoken, OfferMade, OfferAnswered, SlotClosed, SeatReplaced, SeatWanted,
    SeatReclaimed, JudgingCalled, JudgingOpened, BallotCast, BallotBroken, JudgingClosed, BallotRevealed,
    RevealDelivered, RoundVoided, RoundDecided, WagerPlaced, WagerChanged, WagerWithdrawn, WagerRefunded, Moderated,
    MarketLocked, MarketSettled, MarketVoided, MatchFinished, MatchCancelled, ClipAttached,
)  # fmt: skip
BY_NAME: dict[str, type[Event]] = {event.name: event for event in _EVENTS}

UPGRADES: dict[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""(name, version) -> the payload as the next version has it."""


class UnknownEvent(ValueError):
    """The log holds an event this program does not know: it was written by a newer release."""


def encode(event: Event) -> tuple[str, int, str]:
    """Name, version and JSON payload, as storage keeps them."""
    return event.name, event.version, event.model_dump_json(exclude_defaults=True)


def decode_row(name: str, version: int, payload: str) -> Event:
    """The event of a stored row. Raises UnknownEvent."""
    kind = BY_NAME.get(name)
    if kind is not None and version == kind.version:
        return kind.model_validate_json(payload)
    return decode(name, version, json.loads(payload))


def decode(name: str, version: int, payload: dict[str, Any]) -> Event:
    """The event of a stored payload, upgraded first if it is of an older version. Raises UnknownEvent."""
    kind = BY_NAME.get(name)
    if kind is None or version > kind.version:
        raise UnknownEvent(f"event {name} version {version} is from a newer release")
    while version < kind.version:
        payload = UPGRADES[name, version](payload)
        version += 1
    return kind.model_validate(payload)
