"""The state of a match: an immutable value, rebuilt by folding its events (`bot.rules.evolve`).

All times are milliseconds on the match clock (see `bot.rules.clock`). Nothing here knows a platform: people are opaque
ids.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from bot.rules.clock import Clock
from bot.rules.format import Format, Move
from bot.rules.lineup import Lineup, SlotPlan
from bot.rules.motion import Motion
from bot.rules.scoring import Standing
from bot.rules.tempo import Tempo

Role = Literal["debater", "judge"]
Source = Literal["house", "model", "person"]


class Status(StrEnum):
    LOBBY = "lobby"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class Outcome(StrEnum):
    """How a slot ended (docs/rules.md, "Seats")."""

    SAID = "said"
    FORFEITED = "forfeited"
    """The deadline passed."""
    SKIPPED = "skipped"
    """By a moderator."""
    WITHDRAWN = "withdrawn"
    """The speaker passed or left."""


class Stage(StrEnum):
    """Where the current slot or the judging is."""

    SCHEDULED = "scheduled"
    """Waiting out the pace; minds may already prepare."""
    CALLED = "called"
    """The prompt to a person is on its way; the clock starts when it is delivered."""
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a seat: a person (opaque id) or an AI (persona and mind)."""

    person: str | None = None
    persona: str | None = None
    name: str | None = None
    """The AI's display name. A person's name is in the people table, where it can be erased."""
    model: str | None = None

    @property
    def is_person(self) -> bool:
        return self.person is not None


@dataclass(frozen=True, slots=True)
class Replacement:
    at: int
    holder: Holder


@dataclass(frozen=True, slots=True)
class Seat:
    id: str
    role: Role
    holder: Holder | None = None
    first: Holder | None = None
    """Who held it when the match started; later changes are in `replaced`."""
    missed: int = 0
    """Turns or ballots missed running by the person who holds it."""
    former: str | None = None
    """The person whose seat an AI has taken over, who may take it back."""
    returning: bool = False
    """The former holder asked for the seat back; it changes hands at the next phase."""
    extra_time: float = 1.0
    joined: int = 0
    """The number of the event by which the person took it: who joined earlier."""
    replaced: tuple[Replacement, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """What model calls cost. Uses add up with `+`."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float = 0.0
    """Of the calls whose price is known."""
    unpriced: int = 0
    """Calls of models whose price nobody named: their money is unknown, not nothing."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.usd + other.usd,
            self.unpriced + other.unpriced,
        )


@dataclass(frozen=True, slots=True)
class Clip:
    """A turn's sound. `file` is relative to the match's folder."""

    file: str
    seconds: float
    format: str


@dataclass(frozen=True, slots=True)
class Part:
    """Something said. Frozen when sent; a speech may have several, in an exchange each is a turn."""

    at: int
    seat: str
    move: Move
    text: str
    source: Source
    fallback: bool = False
    usage: Usage | None = None
    clip: Clip | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """A point of information offered during a speech. `taken` is None until the speaker answers."""

    at: int
    seat: str
    text: str
    taken: bool | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """The slot being played."""

    plan: SlotPlan
    stage: Stage
    opens_at: int
    opened_at: int | None = None
    deadline: int | None = None
    timeout_ms: int = 0
    parts: tuple[Part, ...] = ()
    offers: tuple[Offer, ...] = ()

    @property
    def chars(self) -> int:
        """Characters said so far, without the blank lines that join the parts of a speech."""
        return sum(len(part.text) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Turn:
    """A slot that is over."""

    plan: SlotPlan
    opened_at: int
    deadline: int
    timeout_ms: int
    closed_at: int
    outcome: Outcome
    parts: tuple[Part, ...]
    offers: tuple[Offer, ...] = ()


@dataclass(frozen=True, slots=True)
class Ballot:
    judge: str
    vote: str
    reason: str
    scores: dict[str, dict[str, int]] | None
    flags: tuple[str, ...]
    defaulted: Literal["timeout", "broken", "absent"] | None
    cast_at: int
    usage: Usage | None = None
    revealed_at: int | None = None


@dataclass(frozen=True, slots=True)
class Judging:
    """The bench at work: voting, then reveals one at a time."""

    stage: Stage
    deadline: int | None = None
    ballots: tuple[Ballot, ...] = ()
    broken: frozenset[str] = frozenset()
    """Judges whose ballot came but could not be read."""
    closed_at: int | None = None
    reveal_due: int | None = None
    """When the next ballot is shown; None while the last one is being delivered."""


@dataclass(frozen=True, slots=True)
class Round:
    number: int
    tiebreak: bool
    motion: Motion
    lineup: Lineup
    plans: tuple[SlotPlan, ...]
    turns: tuple[Turn, ...] = ()
    slot: Slot | None = None
    judging: Judging | None = None
    winner: str | None = None
    points: dict[str, float] = field(default_factory=dict[str, float])
    decided_at: int | None = None
    void: bool = False

    @property
    def next_plan(self) -> SlotPlan | None:
        return self.plans[len(self.turns)] if len(self.turns) < len(self.plans) else None


@dataclass(frozen=True, slots=True)
class Pause:
    at: int
    by: str
    why: str
    wall_ms: int | None = None
    """How long it lasted in real time; None while it lasts."""


@dataclass(frozen=True, slots=True)
class Wager:
    """Somebody's stake on an outcome."""

    id: int
    """From 1, in the order they were placed."""
    person: str
    outcome: str
    stake: int
    at: int
    state: Literal["open", "withdrawn", "refunded", "settled"] = "open"
    payout: int = 0
    """What came back: the winnings, or the stake when it was withdrawn or refunded."""


@dataclass(frozen=True, slots=True)
class Settlement:
    """How the market ended: an outcome paid, or all stakes went back."""

    outcome: str | None
    reason: str | None
    """Why all stakes went back; None when an outcome paid."""
    house: int
    """What came back to the house."""


@dataclass(frozen=True, slots=True)
class Match:
    """One match. `seq` counts its events; 0 means it was never opened."""

    id: str = ""
    community: str = ""
    host: str = ""
    format: Format | None = None
    tempo: Tempo | None = None
    seed: int = 0
    sound: bool = True
    forced: tuple[Motion, ...] = ()
    category: str | None = None
    reserved: tuple[str, ...] = ()
    """Seats that only AIs may take."""
    market: bool = False
    """Whether the community may bet on the outcome."""
    wagers: tuple[Wager, ...] = ()
    locked_at: int | None = None
    """Since when wagers stand as they are."""
    settlement: Settlement | None = None
    moderators: frozenset[str] = frozenset()
    """People who skipped, replaced or voided something here; they may not bet. Kept only where there is a market."""
    status: Status = Status.LOBBY
    reason: str | None = None
    opened_at: int = 0
    lobby_until: int | None = None
    queued: int | None = None
    """The wall time since which the lobby waits in line for a place to run."""
    started_at: int | None = None
    finished_at: int | None = None
    seats: dict[str, Seat] = field(default_factory=dict[str, Seat])
    motions: tuple[Motion, ...] = ()
    spare: tuple[Holder, ...] = ()
    """AIs that wait to take over a seat."""
    rounds: tuple[Round, ...] = ()
    standings: tuple[Standing, ...] = ()
    winners: tuple[str, ...] = ()
    clock: Clock = field(default_factory=Clock)
    pauses: tuple[Pause, ...] = ()
    resumed: int = 0
    seq: int = 0
    now: int = 0
    """The match time of the latest event."""

    @property
    def rules(self) -> Format:
        if self.format is None:
            raise ValueError("the match was never opened")
        return self.format

    @property
    def over(self) -> bool:
        return self.status in (Status.FINISHED, Status.CANCELLED)

    @property
    def round(self) -> Round | None:
        """The current round, or the last one played."""
        return self.rounds[-1] if self.rounds else None

    @property
    def slot(self) -> Slot | None:
        return self.rounds[-1].slot if self.rounds else None

    @property
    def debaters(self) -> tuple[Seat, ...]:
        return tuple(seat for seat in self.seats.values() if seat.role == "debater")

    @property
    def judges(self) -> tuple[Seat, ...]:
        return tuple(seat for seat in self.seats.values() if seat.role == "judge")

    def seat_of(self, person: str) -> Seat | None:
        """The seat a person holds now."""
        return next((seat for seat in self.seats.values() if seat.holder and seat.holder.person == person), None)

    def points(self) -> dict[str, float]:
        """Points so far of every debater."""
        total = {seat.id: 0.0 for seat in self.debaters}
        for entry in self.rounds:
            for seat, value in entry.points.items():
                total[seat] += value
        return total

    def part(self, round: int, n: int, index: int) -> Part | None:
        """Something that was said: the part of a turn, or of the slot that is open."""
        if not 1 <= round <= len(self.rounds):
            return None
        entry = self.rounds[round - 1]
        if 1 <= n <= len(entry.turns):
            parts = entry.turns[n - 1].parts
        else:
            parts = entry.slot.parts if entry.slot is not None and entry.slot.plan.n == n else ()
        return parts[index] if 0 <= index < len(parts) else None

    def is_held_by_person(self, seats: tuple[str, ...]) -> bool:
        holders = [self.seats[seat].holder for seat in seats]
        return any(holder is not None and holder.is_person for holder in holders)

    @property
    def awaits_person(self) -> bool:
        """True while the next deadline is a person's: the host then holds it open a little for late delivery."""
        entry = self.round
        if entry is None:
            return False
        if entry.slot is not None:
            return entry.slot.stage is Stage.OPEN and self.is_held_by_person(entry.slot.plan.seats)
        judging = entry.judging
        return (
            judging is not None
            and judging.closed_at is None
            and self.is_held_by_person(tuple(j.id for j in self.judges))
        )

    @property
    def next_due(self) -> int | None:
        """The match time at which something must happen by itself (`Tick`); None while a person, a delivery or a resume
        is awaited."""
        if self.over or not self.clock.running:
            return None
        if self.status is Status.LOBBY:
            return self.lobby_until if self.queued is None else None
        entry = self.round
        if entry is None:
            return None
        if entry.slot is not None:
            slot = entry.slot
            return {Stage.SCHEDULED: slot.opens_at, Stage.CALLED: None, Stage.OPEN: slot.deadline}[slot.stage]
        if entry.judging is not None:
            return entry.judging.reveal_due if entry.judging.closed_at is not None else entry.judging.deadline
        return None
