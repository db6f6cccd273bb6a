"""A format: the rules of a match as data.

The built-in formats are the TOML files in `formats/`; a community's own go through the same `parse_format`, which names
the key that is wrong. A match pins its whole format when it opens, so later changes to a file never touch a match in
progress.

Speaking orders are written in the speaking sides' letters: side A speaks first, `a1` is its first speaker, `b2` the
second speaker of side B (`c1`, `d2` in formats with four teams). `a1+b1` is an exchange both may speak in.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict, ValidationError, model_validator
from pydantic_core import ErrorDetails

Move = Literal["statement", "argue", "rebut", "concede_point", "question", "answer"]
PRO, CON, DRAW, ABSTAIN, VOID = "pro", "con", "draw", "abstain", "void"

_LETTERS = "abcd"
_PLACE = re.compile(r"[a-d][1-9]")
_SEAT = re.compile(r"P(0|[1-9][0-9]?)")
_SIDE = re.compile(r"[a-z][a-z0-9-]{0,15}")


class Mode(StrEnum):
    """How a slot is spoken in (docs/architecture.md, "Slots")."""

    SPEECH = "speech"
    """One seat, one or more parts."""
    EXCHANGE = "exchange"
    """One or more seats share a clock; every part is a turn of its own."""
    OFFER = "offer"
    """A point of information inside a speech: somebody offers, the speaker takes it or waves it down."""
    PREP = "prep"
    """Time taken from a side's pool; ends when its seat is ready or the pool is empty."""


def _words(value: object) -> object:
    return tuple(value.split()) if isinstance(value, str) else value


Words = Annotated[tuple[str, ...], BeforeValidator(_words), Field(min_length=1)]
Whole = Annotated[int, Strict()]
Seconds = Annotated[float, Strict()]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Phase(_Data):
    """A stretch of a round in which every slot has the same rules."""

    name: str = Field(min_length=1, max_length=40)
    mode: Mode = Mode.SPEECH
    order: Words
    solo: Words | None = None
    """The order when each side has one speaker. Without it the slots of missing speakers fall to the one there is."""
    moves: tuple[Move, ...] = Field(default=("statement",), min_length=1)
    limit: Whole = Field(ge=20, le=20_000)
    """Most characters of all parts together."""
    timeout_s: Seconds = Field(gt=0, le=86_400)
    parts: Whole = Field(default=1, ge=0, le=400)
    """How many parts close the slot; 0: it stays open until Done or the deadline."""
    questions: Whole = Field(default=0, ge=0)
    """The least number of questions a cross-examination should have."""
    offers: Whole = Field(default=0, ge=0)
    """How many points of information the speaker may be offered."""
    offers_protected_s: Seconds = Field(default=0, ge=0)
    """No offers in the first and last so many seconds (before tempo)."""

    @model_validator(mode="after")
    def _order_is_written_right(self) -> Self:
        for word in (*self.order, *(self.solo or ())):
            if not all(_PLACE.fullmatch(place) for place in word.split("+")):
                raise ValueError(f"order: {word!r} is not a place such as a1 or b2 (or a1+b2)")
            if "+" in word and self.mode is not Mode.EXCHANGE:
                raise ValueError(f'order: {word!r} needs mode = "exchange"')
        if self.mode is Mode.OFFER:
            raise ValueError("mode: an offer is made inside a speech; give the speech phase offers = 1 or more")
        if self.mode is Mode.PREP and self.parts:
            raise ValueError("parts: a prep phase has none, write parts = 0")
        return self


class RoundSeats(_Data):
    """Who sits where in one round. Seats are listed in the line-up's order; `first` and `last` name the first and the
    last word."""

    pro: Words
    con: Words
    others: dict[str, Words] = Field(default_factory=dict)
    """Further teams by name, for formats with more than two."""
    side_a: str | None = None
    """The side that speaks first; None: the seed draws it."""
    first: str | None = None
    last: str | None = None


class Judging(_Data):
    judges: Whole = Field(ge=1, le=15)
    timeout_s: Seconds = Field(gt=0, le=86_400)
    reveal_s: Seconds = Field(ge=0, le=60)
    missing: Literal["pro", "abstain"] = "abstain"
    """What a ballot counts as that did not come or cannot be read."""


class Tiebreaks(_Data):
    most: Whole = Field(ge=1, le=9)
    choose: Literal["seats", "draw"] = "seats"
    """Which four play when more than four are tied: the first by seat, or drawn by the seed."""
    side_a: Literal["pro", "alternate"] = "pro"


class Format(_Data):
    """The rules of a match."""

    name: str = Field(pattern=r"^[a-z][a-z0-9-]{0,31}$")
    title: str = Field(min_length=1, max_length=40)
    summary: str = Field(min_length=1, max_length=100)
    winner: Literal["seat", "team"]
    pace_s: Seconds = Field(ge=0, le=600)
    judging: Judging
    rounds: tuple[RoundSeats, ...] = Field(min_length=1, max_length=24)
    phases: tuple[Phase, ...] = Field(min_length=1, max_length=24)
    tiebreaks: Tiebreaks | None = None

    @property
    def seats(self) -> tuple[str, ...]:
        """The debaters' seats in order."""
        named = {seat for seats in self.rounds for team in teams_of(seats).values() for seat in team}
        return tuple(sorted(named, key=seat_number))

    @property
    def sides(self) -> tuple[str, ...]:
        return tuple(teams_of(self.rounds[0]))

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        for number, seats in enumerate(self.rounds, 1):
            _check_names(number, seats)
        expected = tuple(f"P{number}" for number in range(len(self.seats)))
        if self.seats != expected:
            raise ValueError(f"rounds: the seats must be {' '.join(expected)}, found {' '.join(self.seats)}")
        for number, seats in enumerate(self.rounds, 1):
            _check_teams(number, seats, self.sides)
            _check_words(number, seats)
        _check_orders(self.phases, len(self.sides), max(len(seats.pro) for seats in self.rounds))
        together = {frozenset(map(frozenset, teams_of(seats).values())) for seats in self.rounds}
        if self.winner == "team" and len(together) > 1:
            raise ValueError("rounds: where the team wins, its members stay together in every round")
        if self.tiebreaks and (self.winner != "seat" or len(self.sides) != 2):
            raise ValueError("tiebreaks: only a format of two sides in which seats win has them")
        if self.tiebreaks and len(self.seats) == 3:
            raise ValueError("tiebreaks: three tied need a fourth seat to fill in")
        if self.judging.missing not in (*self.sides, ABSTAIN):
            raise ValueError(f"judging.missing: {self.judging.missing!r} is not a side of this format")
        return self


def _check_names(number: int, seats: RoundSeats) -> None:
    for side, team in teams_of(seats).items():
        key = f"rounds.{number}." + ("" if side in (PRO, CON) else "others.") + side
        for seat in team:
            if not _SEAT.fullmatch(seat):
                raise ValueError(f"{key}: {seat!r} is not a seat such as P0")
    for side in seats.others:
        if side in (PRO, CON, DRAW, ABSTAIN, VOID) or not _SIDE.fullmatch(side):
            raise ValueError(f"rounds.{number}.others: {side!r} cannot be a side's name")


def _check_teams(number: int, seats: RoundSeats, sides: tuple[str, ...]) -> None:
    teams = teams_of(seats)
    members = [seat for team in teams.values() for seat in team]
    if tuple(teams) != sides:
        raise ValueError(f"rounds.{number}: every round needs the same sides")
    if len(teams) > len(_LETTERS):
        raise ValueError(f"rounds.{number}.others: a format has at most {len(_LETTERS)} sides")
    if len(set(members)) != len(members):
        raise ValueError(f"rounds.{number}: a seat is named twice")
    if len({len(team) for team in teams.values()}) != 1:
        raise ValueError(f"rounds.{number}: the teams must be of one size")
    if seats.side_a is not None and seats.side_a not in teams:
        raise ValueError(f"rounds.{number}.side_a: {seats.side_a!r} is not a side of this format")
    for key, word in (("first", seats.first), ("last", seats.last)):
        if word is not None and word not in members:
            raise ValueError(f"rounds.{number}.{key}: {word!r} does not play in this round")


def _check_words(number: int, seats: RoundSeats) -> None:
    """The first word belongs to side A and the last to another side, so both need a named side A."""
    if seats.first is None and seats.last is None:
        return
    if seats.side_a is None:
        raise ValueError(f"rounds.{number}.side_a: first and last words need a named side A")
    side_a = teams_of(seats)[seats.side_a]
    if seats.first is not None and seats.first not in side_a:
        raise ValueError(f"rounds.{number}.first: {seats.first!r} is not on side A")
    if seats.last is not None and seats.last in side_a:
        raise ValueError(f"rounds.{number}.last: {seats.last!r} is on side A, which speaks first")


def _check_orders(phases: Sequence[Phase], sides: int, members: int) -> None:
    """Every side speaks, and only speakers there are."""
    letters = set(_LETTERS[:sides])
    for number, phase in enumerate(phases, 1):
        for key, order in (("order", phase.order), ("solo", phase.solo or ())):
            for place in (place for word in order for place in word.split("+")):
                if place[0] not in letters or int(place[1]) > members:
                    raise ValueError(f"phases.{number}.{key}: this format has no speaker {place}")
    spoken = {
        place[0] for phase in phases if phase.mode is not Mode.PREP for word in phase.order for place in word.split("+")
    }
    if spoken != letters:
        raise ValueError(f"phases: the orders must use the sides {' '.join(sorted(letters))}")


class FormatError(ValueError):
    """A format that cannot be used. The text names the file and the key."""


def parse_format(source: str, name: str = "format") -> Format:
    """Read a format from TOML text. Raises FormatError naming `name` and the key at fault."""
    try:
        return Format.model_validate(tomllib.loads(source))
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{name}: not valid TOML: {error}") from error
    except ValidationError as error:
        lines = [f"{name}: {_key(problem['loc'])}{_plain(problem['msg'])}" for problem in _innermost(error.errors())]
        raise FormatError("\n".join(lines)) from error


def teams_of(seats: RoundSeats) -> dict[str, tuple[str, ...]]:
    return {PRO: seats.pro, CON: seats.con, **seats.others}


def seat_number(seat: str) -> int:
    """Seats sort by their number: P2 before P10. Raises ValueError for what is no seat."""
    return int(seat[1:])


def _innermost(problems: Sequence[ErrorDetails]) -> list[ErrorDetails]:
    """Without the echo of a fault inside a list: the list is then called too short as well."""
    return [
        problem
        for problem in problems
        if not any(other is not problem and other["loc"][: len(problem["loc"])] == problem["loc"] for other in problems)
    ]


def _key(loc: Sequence[str | int]) -> str:
    """Where the fault is. Rounds and phases are counted from 1, as people do."""
    return ".".join(str(part + 1) if isinstance(part, int) else part for part in loc) + ": " if loc else ""


def _plain(message: str) -> str:
    return message.removeprefix("Value error, ")
