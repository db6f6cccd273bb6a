"""What a mind is told and what it gives back: the only types shared by the host and every backend.

A debater mind gets a `Brief` and returns a `Draft`; a judge mind gets a `Transcript` and returns a `BallotDraft`.
Nothing here knows of databases, venues or model endpoints, so the same brief can be answered by a model or by the
house mind.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from bot.rules.format import Move
from bot.rules.judging import CRITERIA
from bot.rules.match import Source, Usage

__all__ = [
    "CRITERIA",
    "LOOKS",
    "BallotDraft",
    "Brief",
    "DebaterMind",
    "Draft",
    "JudgeMind",
    "MotionText",
    "Move",
    "NoBallot",
    "SlotView",
    "Source",
    "Transcript",
    "TurnView",
    "Usage",
]

LOOKS = ("look:held", "look:turned", "look:once")
"""Flags of a close ballot: the second look with the sides exchanged agreed, did not agree, or could not be had."""


@dataclass(frozen=True, slots=True)
class MotionText:
    """The motion as debaters and judges see it. `id` is None for a motion that somebody typed."""

    id: str | None
    category: str
    text: str
    sides: dict[str, str]
    """What each side stands for, by side name ("pro", "con")."""


@dataclass(frozen=True, slots=True)
class TurnView:
    """One finished turn of this round. `text` is "" unless something was said."""

    n: int
    phase: str
    seat: str
    side: str
    name: str
    move: Move | None
    text: str
    by: Source | None = None


@dataclass(frozen=True, slots=True)
class SlotView:
    """A slot of this round that is still to come (so that a closing knows it is the last word)."""

    phase: str
    seat: str
    side: str


@dataclass(frozen=True, slots=True)
class Brief:
    """Everything a debater may know when it prepares one turn."""

    seed: int
    """The match's seed. A house turn is a function of (seed, slot, state)."""
    round: int
    n: int
    """The slot's number in the round, from 1."""
    phase: str
    moves: tuple[Move, ...]
    """What the rules allow in this slot."""
    limit: int
    """Most characters (Unicode code points) the turn may have."""
    seat: str
    side: str
    persona: str
    """Persona id, see prompts/personas.toml."""
    motion: MotionText
    partners: tuple[str, ...] = ()
    """Seats on the same side in this round, in speaking order, without `seat`."""
    opponents: tuple[str, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    """Display name by seat."""
    turns: tuple[TurnView, ...] = ()
    """The finished turns of this round, oldest first."""
    ahead: tuple[SlotView, ...] = ()
    """The slots of this round after this one."""
    past_motions: tuple[str, ...] = ()
    budget_s: float = 15.0
    """Real seconds in which the turn must be ready."""
    charge: str = ""
    """On whose account a model's work goes: "community/match"."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A turn a mind proposes. `why` is private: kept in the log, never shown while the match runs."""

    move: Move
    text: str
    source: Source = "house"
    fallback: bool = False
    model: str | None = None
    why: str = ""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """What one judge is shown: the finished round, in the order it was spoken."""

    seed: int
    round: int
    judge: str
    judge_index: int
    """0 for the first judge, and so on: the bench's judges weigh the criteria differently."""
    persona: str
    motion: MotionText
    sides: tuple[str, ...]
    """Side names in the format's order, ("pro", "con")."""
    turns: tuple[TurnView, ...]
    seats: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The seats of each side, in speaking order."""
    budget_s: float = 30.0
    """Real seconds in which the ballot must be cast."""
    charge: str = ""
    """On whose account a model's work goes: "community/match"."""


@dataclass(frozen=True, slots=True)
class BallotDraft:
    """A judge's decision. `scores` holds whole numbers 0 to 10 per side and criterion."""

    vote: str
    reason: str
    scores: dict[str, dict[str, int]]
    flags: tuple[str, ...] = ()
    """What the judge noticed and set aside: "orders_to_judge", "bribe", ...; and how it looked: see LOOKS."""
    source: Source = "house"
    model: str | None = None
    usage: Usage | None = None


class NoBallot(Exception):
    """A judge could give no ballot: it came too late, or cannot be read."""


class DebaterMind(Protocol):
    async def speak(self, brief: Brief) -> Draft: ...


class JudgeMind(Protocol):
    async def judge(self, transcript: Transcript) -> BallotDraft:
        """Raises NoBallot."""
        ...
