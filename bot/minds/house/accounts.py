"""What a judge writes down while hearing a round: points and their fate, and an account of each side."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.catalogue import Stance

WEAK = 0.4
"""How strong an attack is at most that gives no reason of its own."""


@dataclass(slots=True)
class Point:
    """One argument of one side and what became of it. Turn numbers are 0 for never."""

    side: str
    turn: int
    label: str
    about: frozenset[str]
    key: tuple[Stance, int] | None = None
    reason: bool = False
    example: bool = False
    answers: list[tuple[int, float]] = field(default_factory=list)
    """Turn and strength of every attack on it."""
    defences: list[int] = field(default_factory=list)
    firm: float = 0.0
    """How firmly its attacks were met, summed over the defences."""
    asked: int = 0
    replied: int = 0
    conceded: int = 0
    weighed: int = 0

    @property
    def last_answer(self) -> int:
        """The last turn that gave a reason against it."""
        return max((turn for turn, strength in self.answers if strength > WEAK), default=0)


@dataclass(slots=True)
class Account:
    """What one side did in a round."""

    side: str
    slots: int = 0
    spoken: int = 0
    """Turns in which something counted."""
    substance: float = 0.0
    reasoning: float = 0.0
    evidence: float = 0.0
    weighing: float = 0.0
    engaged: float = 0.0
    """Turns that met the other side, each up to 1."""
    points: list[Point] = field(default_factory=list)
    repeated: list[int] = field(default_factory=list)
    off: list[int] = field(default_factory=list)
    tricks: list[tuple[int, str]] = field(default_factory=list)
    speaking: list[tuple[int, bool]] = field(default_factory=list)
    """Every slot of this side: its number, and whether it was a closing."""

    def chances(self, after: int) -> int:
        """Turns this side had after turn `after`, closings aside."""
        return sum(1 for n, closing in self.speaking if n > after and not closing)


@dataclass(slots=True)
class Hearing:
    """A round as heard: the sides in the order in which they first spoke."""

    accounts: list[Account]

    def others(self, account: Account) -> list[Account]:
        return [rival for rival in self.accounts if rival is not account]
