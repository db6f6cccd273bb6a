"""What the host needs of the world: a store, a venue, minds, a clock. Small protocols, implemented elsewhere and
faked in tests.

Rows are plain frozen data. All wall times are milliseconds since 1970, all `at` times are match milliseconds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from bot.rules.events import Event
from bot.rules.format import Move
from bot.rules.match import Clip, Match, Source, Usage
from bot.rules.rejection import Veto as Veto

# ------------------------------------------------------------------------------------------------- rows


@dataclass(frozen=True, slots=True)
class MatchRow:
    """The index entry of a match; everything else about it is in its events."""

    id: str
    community: str
    status: str
    format: str
    host: str
    thread: str | None
    """Where the venue shows it: an opaque id that only the venue understands. Not changed by an update with None."""
    seq: int
    """Events so far."""
    wake_at: int | None
    """Wall time at which the host must look at it again; None while it waits for a person or is over."""
    opened_wall: int


@dataclass(frozen=True, slots=True)
class EventRow:
    match: str
    seq: int
    """From 1, without gaps; unique per match."""
    name: str
    version: int
    payload: str
    """JSON."""
    wall: int


@dataclass(frozen=True, slots=True)
class PostRow:
    """A public message of a match, delivered strictly in order."""

    match: str
    n: int
    """From 1, without gaps; unique per match."""
    kind: str
    body: str
    """JSON of a neutral message (bot.messages)."""
    gate: str | None = None
    """What waits for its delivery: "slot:1:3", "vote:1", "reveal:1:J0". None: nothing does."""
    state: str = "pending"
    """pending, sending, delivered or dropped."""
    platform_id: str | None = None
    sent_wall: int | None = None
    delivered_wall: int | None = None
    mark: str | None = None
    """Names the message: "speech:1:3:0", "votes:1". Posts of one mark build up one message where a venue can edit."""


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A message that is kept up to date by edits. Only the latest version counts."""

    match: str
    key: str
    version: int
    body: str
    shown: int = 0
    """The version the venue last showed."""
    platform_id: str | None = None


@dataclass(frozen=True, slots=True)
class JobRow:
    """A slow thing to be done once: a mind's turn, a ballot, a clip."""

    match: str
    key: str
    """Such as "turn:1:3", "ballot:1:J0", "clip:1:3:0"; unique per match."""
    kind: str
    state: str = "pending"
    """pending, done or failed."""
    result: str | None = None
    """JSON, once done."""
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class ReceiptRow:
    """The answer already given to a platform delivery, so that a repeated one finds it."""

    community: str
    key: str
    answer: str
    """JSON."""
    wall: int


@dataclass(frozen=True, slots=True)
class RunRow:
    """One life of a process: between `last_wall` of one and `started_wall` of the next nothing held the matches."""

    id: int
    started_wall: int
    last_wall: int
    holds: str | None = None
    """The one match it held; None: all."""


@dataclass(frozen=True, slots=True)
class Change:
    """All that one command, delivery or job writes. Applied whole or not at all."""

    match: MatchRow | None = None
    """Inserted or updated."""
    events: Sequence[EventRow] = ()
    posts: Sequence[PostRow] = ()
    """New rows."""
    posts_changed: Sequence[PostRow] = ()
    """state, platform_id, sent_wall and delivered_wall are updated."""
    boards: Sequence[BoardRow] = ()
    """Inserted, or replaced when the version is not older."""
    jobs: Sequence[JobRow] = ()
    """New rows; a key that exists is left as it is."""
    jobs_changed: Sequence[JobRow] = ()
    """state, result and attempts are updated."""
    receipts: Sequence[ReceiptRow] = ()


# ------------------------------------------------------------------------------------------------- store


class StoreError(Exception):
    """The store cannot do its work now (busy, read-only, full, gone). The text says what and what to do."""


class Stale(Exception):
    """Somebody else has appended to this match: this process no longer holds it."""


class Unit(Protocol):
    """An open write transaction."""

    def savepoint(self) -> AbstractAsyncContextManager[None]:
        """What happens inside is undone alone if it raises."""
        ...

    async def apply(self, changes: Sequence[Change]) -> None:
        """Write the changes with as few statements as possible. Raises Stale when an event's (match, seq) is taken."""
        ...

    async def receipt(self, community: str, key: str) -> str | None:
        """The answer already given to that delivery."""
        ...

    @property
    def books(self) -> Any:
        """The accounts of play money, in this transaction. The host only hands them on: what they are is between the
        ledger (`bot.community.ledger.Books`) and the store."""
        ...


class Store(Protocol):
    """Durable truth. Reads see what is committed."""

    def transaction(self) -> AbstractAsyncContextManager[Unit]:
        """A write transaction, committed on leaving, rolled back on an exception. Raises StoreError."""
        ...

    async def match(self, id: str) -> MatchRow | None: ...
    async def latest_match(self) -> MatchRow | None:
        """The match opened last."""
        ...

    async def matches(self, community: str | None = None, *, limit: int = 50) -> list[MatchRow]:
        """Newest first."""
        ...

    async def events(self, match: str, after: int = 0) -> list[EventRow]: ...
    async def posts(self, match: str, *, open_only: bool = False) -> list[PostRow]:
        """In order; `open_only` leaves out what is delivered or dropped."""
        ...

    async def boards(self, match: str) -> list[BoardRow]: ...
    async def jobs(self, match: str) -> list[JobRow]: ...
    async def receipt(self, community: str, key: str) -> str | None: ...
    async def due(self, before_wall: int, *, limit: int = 1000) -> list[str]:
        """Matches whose `wake_at` is at or before that wall time, earliest first."""
        ...

    async def live(self) -> list[str]:
        """Matches that are neither finished nor cancelled."""
        ...

    async def begin_run(self, wall: int, holds: str | None = None) -> list[RunRow]:
        """Note that a process starts to hold the matches, or one match; returns the earlier runs, oldest first."""
        ...

    async def beat(self, wall: int) -> None:
        """Note that this run still holds them."""
        ...

    async def names(self, people: Sequence[str]) -> dict[str, str]:
        """Display names by person id; who was erased is missing."""
        ...

    async def person(self, community: str, platform_id: str, name: str) -> str:
        """The opaque id of a person in a community, made at first sight; the name is kept up to date."""
        ...

    async def community(self, venue: str, platform_id: str, name: str) -> str:
        """The opaque id of a community, made at first sight."""
        ...

    async def settings(self, community: str) -> dict[str, Any]: ...
    async def set_settings(self, community: str, settings: dict[str, Any]) -> None: ...
    async def close(self) -> None: ...


# ------------------------------------------------------------------------------------------------- venue


@dataclass(frozen=True, slots=True)
class Delivered:
    """A message is seen: the platform's id of it, and the wall time the platform stamped on it."""

    platform_id: str
    wall: int


class VenueError(Exception):
    """A message could not be delivered. `lasting`: trying again will not help (thread gone, no permission).
    `doubtful`: it may have arrived all the same, and sent again it would be there twice."""

    def __init__(
        self, text: str, *, lasting: bool = False, retry_after: float | None = None, doubtful: bool = False
    ) -> None:
        super().__init__(text)
        self.lasting = lasting
        self.retry_after = retry_after
        self.doubtful = doubtful


class Venue(Protocol):
    """Where a match is seen. Told what to show by the host's outbox, one post at a time per thread."""

    @property
    def hold_s(self) -> float:
        """How long an unanswered slot is held open for what people sent in time and the platform delivers late. Asked
        anew each time: more while the venue has to catch up. When it gets less, `Host.look_again` is called."""
        ...

    @property
    def board_every_s(self) -> float | None:
        """A board is edited at most this often. None: this venue has no boards."""
        ...

    @property
    def clip_wait_s(self) -> float:
        """How long an AI's speech waits for its sound, to be one message with it. 0: it is shown at once."""
        ...

    async def post(self, thread: str | None, post: PostRow, onto: str | None, clip: Clip | None = None) -> Delivered:
        """Show a post, with the sound of a speech if it is there. `onto` is the platform's id of the message that has
        its mark already: a venue may edit that.

        Raises VenueError, but never because of a clip. Must not retry by itself: the outbox does.
        """
        ...

    async def attach(self, thread: str | None, message: str, match: str, clip: Clip) -> None:
        """Add a clip's sound to a speech that was posted, unless it is there already. Raises VenueError."""
        ...

    async def newest_ours(self, thread: str | None, after: str | None) -> Delivered | None:
        """Our newest message beyond that id: after a crash, or when an error left it in doubt, it is the post that was
        being sent. None: it never arrived."""
        ...

    async def show(self, thread: str | None, board: BoardRow) -> str | None:
        """Create or edit a board; returns its platform id."""
        ...


# ------------------------------------------------------------------------------------------------- time


class Time(Protocol):
    """The wall and the monotonic clock. Faked in tests, so that nothing there ever sleeps."""

    def wall(self) -> int:
        """Milliseconds since 1970."""
        ...

    def monotonic(self) -> float:
        """Seconds, never going back."""
        ...

    async def sleep(self, seconds: float) -> None: ...
    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        """Return when the event is set or the time has passed."""
        ...


# ------------------------------------------------------------------------------------------------- minds and voice


@dataclass(frozen=True, slots=True)
class Said:
    """A turn a mind made, stored as its job's result before it is spoken."""

    move: Move
    text: str
    source: Source = "house"
    fallback: bool = False
    model: str | None = None
    why: str = ""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Voted:
    """A ballot a mind made."""

    vote: str
    reason: str
    scores: dict[str, dict[str, int]] | None = None
    flags: tuple[str, ...] = ()
    model: str | None = None
    usage: Usage | None = None


class Unreadable(Exception):
    """A judge's mind answered what is no ballot."""


class Minds(Protocol):
    """Who speaks and votes for the AIs. Both are told the whole state and take from it what their mind may know."""

    async def turn(self, match: Match, seat: str) -> Said:
        """The turn of an AI's seat in the current slot."""
        ...

    async def ballot(self, match: Match, judge: str) -> Voted:
        """The ballot of an AI judge on the current round. Raises Unreadable."""
        ...


class Sound(Protocol):
    async def clip(self, match: Match, round: int, n: int, part: int) -> Clip | None:
        """Make the sound of something an AI said. None when there is no sound to be had; never raises for a failing
        voice."""
        ...


# ------------------------------------------------------------------------------------------------- messages


class Drafted(Protocol):
    """A post before it has its number."""

    @property
    def kind(self) -> str: ...
    @property
    def body(self) -> str: ...
    @property
    def gate(self) -> str | None: ...
    @property
    def mark(self) -> str | None: ...


class Publisher(Protocol):
    """What people read of a match: pure functions of its state."""

    def posts(self, before: Match, event: Event, after: Match) -> Sequence[Drafted]:
        """The public messages an event calls for, in order."""
        ...

    def boards(self, events: Sequence[Event], match: Match) -> dict[str, str]:
        """The boards of a match that these events may have changed, by key, as JSON of neutral messages. `match`: the
        state after them."""
        ...


# ------------------------------------------------------------------------------------------------- participants


class Participant(Protocol):
    """Somebody who writes in the very transaction of the events (the ledger), and may veto them."""

    def concerns(self, events: Sequence[Event]) -> bool:
        """Whether it has anything to write for them."""
        ...

    async def join(self, unit: Unit, before: Match, events: Sequence[Event], after: Match) -> None:
        """Write. Raises Veto."""
        ...
