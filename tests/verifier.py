"""Checks an exported match record against the rules, and knows nothing of the program that wrote it.

`verify(record)` takes one record (the JSON of `export`, parsed) and returns what is wrong with it in plain words; an
empty list means that every rule that can be checked from a record holds. Formats: classic, arena, duel, doubles.
`exact=True` is for records of `--speed max`: times must be right to the millisecond. Otherwise times may be off by
`tolerance` seconds of the match clock (at `--speed N` work costs N times its time, so allow N times as much).

    python -m tests.verifier [--exact] [--tolerance 0.25] [--judges 3] record.json... (- reads standard input)

Two gates come first, because everything else leans on them: `check_schema` and `check_nothing_is_open`. After them
come small functions, one rule each, listed in CHECKS in the order in which they are written here.
"""

import argparse
import json
import math
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise, permutations, product
from pathlib import Path
from typing import Any, Final, NamedTuple

# --- the rules as data -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rules:
    debaters: int
    regular: int  # rounds before any tie-break
    free: int  # turns of a free debate
    fair: bool  # arena's order of speaking and its ballots, not the source's
    teams: bool  # a team wins, not a seat: one round, no tie-breaks, partners share a place


FORMATS: Final[Mapping[str, Rules]] = {
    "classic": Rules(debaters=6, regular=6, free=7, fair=False, teams=False),
    "arena": Rules(debaters=6, regular=6, free=8, fair=True, teams=False),
    "duel": Rules(debaters=2, regular=1, free=4, fair=True, teams=True),
    "doubles": Rules(debaters=4, regular=1, free=8, fair=True, teams=True),
}
LINE_UPS: Final = ("02-13", "14-05", "35-24", "04-12", "25-03", "13-45")  # classic and arena, pro first
ARENA: Final = (  # side A, first word, last word
    ("pro", "P0", "P1"),
    ("pro", "P1", "P0"),
    ("pro", "P5", "P2"),
    ("con", "P2", "P4"),
    ("con", "P3", "P5"),
    ("con", "P4", "P3"),
)
SIDES: Final = ("pro", "con")
LIMITS: Final = {"opening": 500, "free": 400, "closing": 500}
TIMEOUTS: Final = {"opening": 20, "free": 15, "closing": 15}
JUDGING: Final = 30
TEMPOS: Final[Mapping[str, int | None]] = {"blitz": 1, "standard": 4, "relaxed": 8, "correspondence": None}
DAY: Final = 24 * 60 * 60  # of correspondence, for a turn and for a ballot
MOVES: Final = {
    "opening": ("statement",),
    "free": ("argue", "rebut", "concede_point", "question"),
    "closing": ("statement",),
}
PACE: Final = 10_000
BEAT: Final = 6_000
GRACE: Final = 500  # a person's turn counts when stamped this late
HOLD: Final = 2_000  # and an unanswered slot of a person waits this long for late delivery
DELIVERY: Final = 60_000  # a person's prompt may take this long to arrive before the clock stops
PRINTED: Final = 1_000  # a printed deadline is in whole seconds and the real one is never earlier
TIEBREAKS: Final = 3
CRITERIA: Final = ("argument", "evidence", "rebuttal", "persuasion")
VIRTUAL_START: Final = "2000-01-01T00:00:00.000Z"
SPENT: Final = ("calls", "prompt_tokens", "completion_tokens", "usd")

# --- the schema: gate one --------------------------------------------------------------------------------------------

Kind = Callable[[object, str], Iterator[str]]


def _scalar(test: Callable[[Any], bool], words: str) -> Kind:
    def kind(value: object, at: str) -> Iterator[str]:
        if not test(value):
            yield f"{at} must be {words}, not {_shown(value)}"

    return kind


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return _is_int(value) or (isinstance(value, float) and math.isfinite(value))


_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")


def _is_time(value: object) -> bool:
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def nullable(kind: Kind) -> Kind:
    def null_or(value: object, at: str) -> Iterator[str]:
        if value is not None:
            yield from kind(value, at)

    return null_or


def one_of(*values: str) -> Kind:
    return _scalar(lambda value: isinstance(value, str) and value in values, "one of " + ", ".join(values))


def list_of(kind: Kind) -> Kind:
    def items(value: object, at: str) -> Iterator[str]:
        if not isinstance(value, list):
            yield f"{at} must be a list, not {_shown(value)}"
            return
        for number, item in enumerate(value):
            yield from kind(item, f"{at}[{number}]")

    return items


def map_of(kind: Kind) -> Kind:
    def entries(value: object, at: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f"{at} must be an object, not {_shown(value)}"
            return
        for key, item in value.items():
            yield from kind(item, f"{at}.{key}")

    return entries


def fields(kinds: Mapping[str, Kind]) -> Kind:
    """An object with at least these fields; what else it has is ignored."""

    def known(value: object, at: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f"{at} must be an object, not {_shown(value)}"
            return
        for name, kind in kinds.items():
            place = f"{at}.{name}" if at else name
            if name in value:
                yield from kind(value[name], place)
            else:
                yield f"{place} is missing"

    return known


TEXT: Final = _scalar(lambda value: isinstance(value, str), "text")
WORDS: Final = _scalar(lambda value: isinstance(value, str) and value.strip() != "", "text that is not blank")
COUNT: Final = _scalar(lambda value: _is_int(value) and value >= 0, "a whole number from 0")
ORDINAL: Final = _scalar(lambda value: _is_int(value) and value >= 1, "a whole number from 1")
WHOLE: Final = _scalar(_is_int, "a whole number")
NUMBER: Final = _scalar(_is_number, "a number")
AMOUNT: Final = _scalar(lambda value: _is_number(value) and value >= 0, "a number from 0")
FLAG: Final = _scalar(lambda value: isinstance(value, bool), "true or false")
TIME: Final = _scalar(_is_time, "a UTC time with milliseconds and Z")
SCORE: Final = _scalar(lambda value: _is_int(value) and 0 <= value <= 10, "a whole number from 0 to 10")
VERSION: Final = _scalar(lambda value: _is_int(value) and value == 1, "1")
ANY_LIST: Final = _scalar(lambda value: isinstance(value, list), "a list")
STRUCTURE: Final = _scalar(lambda value: isinstance(value, dict | list), "an object or a list")
SPAN: Final = _scalar(
    lambda value: isinstance(value, list) and len(value) == 2 and all(_is_int(item) for item in value),
    "two whole numbers",
)
SIDE: Final = one_of(*SIDES)
USAGE: Final = fields({"calls": COUNT, "prompt_tokens": COUNT, "completion_tokens": COUNT, "usd": AMOUNT})
SCORES: Final = fields({side: fields(dict.fromkeys(CRITERIA, SCORE)) for side in SIDES})

TURN: Final = fields(
    {
        "n": ORDINAL,
        "phase": one_of(*LIMITS),
        "seat": TEXT,
        "side": SIDE,
        "move": nullable(one_of("statement", "argue", "rebut", "concede_point", "question", "answer")),
        "limit_chars": ORDINAL,
        "timeout_s": ORDINAL,
        "prompted_at": TIME,
        "deadline": TIME,
        "closed_at": nullable(TIME),
        "outcome": nullable(one_of("said", "forfeited", "skipped", "withdrawn")),
        "text": TEXT,
        "parts": nullable(list_of(TEXT)),
        "chars": COUNT,
        "source": nullable(one_of("house", "model", "person")),
        "fallback": FLAG,
        "clip": nullable(fields({"file": WORDS, "seconds": AMOUNT, "format": WORDS})),
        "cards": list_of(fields({"id": TEXT, "tag": TEXT, "cite": TEXT, "quote": TEXT, "span": SPAN})),
        "usage": nullable(USAGE),
    }
)
BALLOT: Final = fields(
    {
        "judge": TEXT,
        "vote": one_of("pro", "con", "abstain"),
        "ranks": nullable(STRUCTURE),
        "defaulted": nullable(one_of("timeout", "broken", "absent")),
        "reason": nullable(TEXT),
        "flags": list_of(TEXT),
        "scores": nullable(SCORES),
        "speaker_points": nullable(STRUCTURE),
        "issues": nullable(STRUCTURE),
        "cast_at": TIME,
        "revealed_at": nullable(TIME),
    }
)
FLOW: Final = fields(
    {
        "id": TEXT,
        "seat": TEXT,
        "turn": ORDINAL,
        "claim": TEXT,
        "answered_by": ANY_LIST,
        "dropped": FLAG,
        "conceded": FLAG,
    }
)
AUDIENCE: Final = fields(
    {
        "before": map_of(COUNT),
        "after": map_of(COUNT),
        "both": COUNT,
        "swing": map_of(NUMBER),
        "peoples_choice": map_of(COUNT),
    }
)
ROUND: Final = fields(
    {
        "round": ORDINAL,
        "tiebreak": FLAG,
        "void": FLAG,
        "coin": nullable(STRUCTURE),
        "motion": fields(
            {"id": nullable(WORDS), "category": nullable(WORDS), "text": WORDS, "pro": WORDS, "con": WORDS}
        ),
        "pro": list_of(TEXT),
        "con": list_of(TEXT),
        "bench": list_of(TEXT),
        "first_side": SIDE,
        "turns": list_of(TURN),
        "prep": nullable(map_of(fields({"allowed_s": AMOUNT, "used_s": AMOUNT}))),
        "flow": nullable(list_of(FLOW)),
        "audience": nullable(AUDIENCE),
        "ballots": list_of(BALLOT),
        "decided_at": nullable(TIME),
        "winner": nullable(one_of("pro", "con", "draw", "void")),
        "points": nullable(map_of(AMOUNT)),
    }
)
WAGER: Final = fields(
    {
        "id": WHOLE,
        "by": TEXT,
        "outcome": TEXT,
        "stake": ORDINAL,
        "placed_at": TIME,
        "status": one_of("settled", "withdrawn", "refunded"),
        "payout": COUNT,
    }
)
MARKET: Final = fields(
    {
        "outcomes": list_of(TEXT),
        "locked_at": nullable(TIME),
        "status": one_of("settled", "void"),
        "reason": nullable(TEXT),
        "house": map_of(COUNT),
        "house_payout": COUNT,
        "wagers": list_of(WAGER),
        "winning": list_of(TEXT),
    }
)
RECORD: Final = fields(
    {
        "record": VERSION,
        "match": WORDS,
        "format": one_of(*FORMATS),
        "tempo": one_of(*TEMPOS),
        "seed": WHOLE,
        "status": one_of("finished", "cancelled"),
        "reason": nullable(WORDS),
        "opened_at": TIME,
        "started_at": nullable(TIME),
        "finished_at": nullable(TIME),
        "resumed": COUNT,
        "pauses": list_of(fields({"at": TIME, "wall_seconds": AMOUNT, "by": WORDS, "why": TEXT})),
        "teams": nullable(list_of(fields({"team": WORDS, "seats": list_of(TEXT)}))),
        "seats": list_of(
            fields(
                {
                    "seat": WORDS,
                    "role": one_of("debater", "judge"),
                    "kind": one_of("human", "ai"),
                    "person": nullable(WORDS),
                    "name": WORDS,
                    "model": nullable(WORDS),
                    "replaced": list_of(fields({"at": TIME, "kind": one_of("human", "ai"), "name": WORDS})),
                }
            )
        ),
        "rounds": list_of(ROUND),
        "standings": list_of(fields({"seat": TEXT, "points": AMOUNT, "place": ORDINAL, "performance": NUMBER})),
        "winners": list_of(TEXT),
        "market": nullable(MARKET),
        "fairness": nullable(
            map_of(
                fields(dict.fromkeys(("pro", "con", "first_words", "last_words", "free_turns"), COUNT)),
            )
        ),
        "usage": USAGE,
    }
)


def check_schema(record: object) -> Iterator[str]:
    """Every field of docs/match-record.md is there and of its type; fields it does not name are ignored."""
    yield from RECORD(record, "") if isinstance(record, dict) else ["the record must be an object"]


# --- what is still open: gate two ------------------------------------------------------------------------------------


def check_nothing_is_open(record: Mapping[str, Any]) -> Iterator[str]:
    """Null where something has not happened: only in a cancelled match, and there only where it broke off."""
    finished = record["status"] == "finished"
    rounds = record["rounds"]
    for name in ("started_at", "finished_at", "fairness"):
        if finished and record[name] is None:
            yield f"{name} must not be null in a finished match"
    if record["started_at"] is None and rounds:
        yield "started_at must not be null when there are rounds"
    for number, rnd in enumerate(rounds):
        at = f"rounds[{number}]"
        broken_off = _broken_off(record, number)
        if not broken_off:
            for name in ("decided_at", "winner", "points"):
                if rnd[name] is None:
                    yield f"{at}.{name} is null, but the match did not break off here"
        for index, turn in enumerate(rnd["turns"]):
            last = index == len(rnd["turns"]) - 1
            if (turn["closed_at"] is None) != (turn["outcome"] is None):
                yield f"{at}.turns[{index}] has only one of closed_at and outcome"
            elif turn["closed_at"] is None and not (broken_off and last):
                yield f"{at}.turns[{index}] was never closed"
            if turn["outcome"] == "said" and turn["source"] is None:
                yield f"{at}.turns[{index}] was said by nobody: source is null"
        for index, ballot in enumerate(rnd["ballots"]):
            if ballot["revealed_at"] is None and not broken_off and not rnd["void"]:
                yield f"{at}.ballots[{index}] was never revealed"
            if ballot["reason"] is None and ballot["defaulted"] is None:
                yield f"{at}.ballots[{index}] came but gives no reason"


def _broken_off(record: Mapping[str, Any], index: int) -> bool:
    last = index == len(record["rounds"]) - 1
    return record["status"] == "cancelled" and last and record["rounds"][index]["decided_at"] is None


# --- the record, parsed ----------------------------------------------------------------------------------------------

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def ms(time: str) -> int:
    return (datetime.fromisoformat(time) - EPOCH) // timedelta(milliseconds=1)


def _maybe_ms(time: str | None) -> int | None:
    return None if time is None else ms(time)


def _s(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.3f} s"


@dataclass(frozen=True)
class Seat:
    id: str
    role: str
    kind: str
    person: str | None
    name: str
    model: str | None
    replaced: tuple[tuple[int, str, str], ...]  # when, kind, name

    def kinds_at(self, time: int) -> frozenset[str]:
        """Who may hold the seat in a slot that opens then.

        An AI takes over from the next slot on. A person takes the seat back only at the next phase, and the record
        does not say whether `at` is when it was asked or when it took effect: until then it may be either.
        """
        kinds = {self.kind}
        for at, kind, _ in sorted(self.replaced):
            if at > time:
                break
            kinds = {*kinds, kind} if at == time or kind == "human" else {kind}
        return frozenset(kinds)


@dataclass(frozen=True)
class Turn:
    at: str
    data: Mapping[str, Any]
    phase: str
    seat: str
    side: str
    outcome: str
    text: str
    prompted: int
    deadline: int
    closed: int
    by_person: bool  # a person may have held the seat


@dataclass(frozen=True)
class Ballot:
    at: str
    data: Mapping[str, Any]
    judge: str
    vote: str
    defaulted: str | None
    cast: int
    revealed: int | None


@dataclass(frozen=True)
class Round:
    at: str
    data: Mapping[str, Any]
    number: int
    tiebreak: bool
    void: bool
    broken_off: bool
    teams: Mapping[str, tuple[str, ...]]  # pro and con
    first_side: str
    turns: tuple[Turn, ...]
    ballots: tuple[Ballot, ...]
    decided: int | None
    before: Mapping[str, float]  # points before this round

    @property
    def complete(self) -> bool:
        """Every slot must have been played. A moderator may have voided the round before its end."""
        return bool(self.ballots) or not (self.void or self.broken_off)

    @property
    def places(self) -> int:
        return len(self.teams["pro"]) + len(self.teams["con"])

    @property
    def last_close(self) -> int | None:
        return self.turns[-1].closed if self.turns else None

    def tied(self) -> list[str]:
        return leaders(self.before)


@dataclass(frozen=True)
class Match:
    record: Mapping[str, Any]
    rules: Rules
    seats: tuple[Seat, ...]
    rounds: tuple[Round, ...]
    points: Mapping[str, float]  # after all rounds, by the rounds' own account
    exact: bool
    tolerance: int
    panel: int | None

    @property
    def format(self) -> str:
        return self.record["format"]

    @property
    def finished(self) -> bool:
        return self.record["status"] == "finished"

    @property
    def debaters(self) -> list[str]:
        return [seat.id for seat in self.seats if seat.role == "debater"]

    @property
    def judges(self) -> list[Seat]:
        return [seat for seat in self.seats if seat.role == "judge"]

    @property
    def regular(self) -> list[Round]:
        return [rnd for rnd in self.rounds if not rnd.tiebreak]

    @property
    def tiebreaks(self) -> list[Round]:
        return [rnd for rnd in self.rounds if rnd.tiebreak]

    @property
    def voids_everything(self) -> bool:
        return all(rnd.void for rnd in self.rounds)

    def turns(self) -> Iterator[Turn]:
        for rnd in self.rounds:
            yield from rnd.turns

    def ballots(self) -> Iterator[tuple[Round, Ballot]]:
        for rnd in self.rounds:
            for ballot in rnd.ballots:
                yield rnd, ballot

    def seconds(self, base: int) -> int:
        factor = TEMPOS[self.record["tempo"]]
        return DAY if factor is None else base * factor

    @property
    def quiet_hours(self) -> bool:
        """A correspondence deadline may be later than the clock alone would have it."""
        return self.record["tempo"] == "correspondence"

    def same(self, one: int, other: int) -> bool:
        return abs(one - other) <= self.tolerance


def leaders(points: Mapping[str, float]) -> list[str]:
    top = max(points.values(), default=0)
    return sorted(seat for seat, have in points.items() if have == top)


def parse(record: Mapping[str, Any], exact: bool, tolerance: float, panel: int | None) -> Match:
    seats = tuple(
        Seat(
            id=seat["seat"],
            role=seat["role"],
            kind=seat["kind"],
            person=seat["person"],
            name=seat["name"],
            model=seat["model"],
            replaced=tuple((ms(entry["at"]), entry["kind"], entry["name"]) for entry in seat["replaced"]),
        )
        for seat in record["seats"]
    )
    persons = {seat.id: seat for seat in seats}
    points: dict[str, float] = {seat.id: 0 for seat in seats if seat.role == "debater"}
    rounds: list[Round] = []
    for index, data in enumerate(record["rounds"]):
        at = f"{'tie-break round' if data['tiebreak'] else 'round'} {data['round']}"
        turns = tuple(
            Turn(
                at=f"{at}, turn {turn['n']}",
                data=turn,
                phase=turn["phase"],
                seat=turn["seat"],
                side=turn["side"],
                outcome=turn["outcome"],
                text=turn["text"],
                prompted=ms(turn["prompted_at"]),
                deadline=ms(turn["deadline"]),
                closed=ms(turn["closed_at"]),
                by_person=turn["seat"] in persons
                and "human" in persons[turn["seat"]].kinds_at(ms(turn["prompted_at"])),
            )
            for turn in data["turns"]
            if turn["closed_at"] is not None  # the one in which a cancelled match broke off
        )
        ballots = tuple(
            Ballot(
                at=f"{at}, ballot of {ballot['judge']}",
                data=ballot,
                judge=ballot["judge"],
                vote=ballot["vote"],
                defaulted=ballot["defaulted"],
                cast=ms(ballot["cast_at"]),
                revealed=_maybe_ms(ballot["revealed_at"]),
            )
            for ballot in data["ballots"]
        )
        rounds.append(
            Round(
                at=at,
                data=data,
                number=data["round"],
                tiebreak=data["tiebreak"],
                void=data["void"],
                broken_off=_broken_off(record, index),
                teams={side: tuple(data[side]) for side in SIDES},
                first_side=data["first_side"],
                turns=turns,
                ballots=ballots,
                decided=_maybe_ms(data["decided_at"]),
                before=dict(points),
            )
        )
        for seat, gained in (data["points"] or {}).items():
            points[seat] = points.get(seat, 0) + gained
    rules = FORMATS[record["format"]]
    allowed = 0 if exact else round(tolerance * 1000)
    return Match(record, rules, seats, tuple(rounds), points, exact, allowed, panel)


# --- the checks ------------------------------------------------------------------------------------------------------

Check = Callable[[Match], Iterator[str]]
CHECKS: Final[list[Check]] = []


def check(function: Check) -> Check:
    CHECKS.append(function)
    return function


# Seats and people


@check
def check_seat_names(match: Match) -> Iterator[str]:
    """Debaters are P0, P1, ... as many as the format has; judges are J0, J1, ..."""
    debaters = [f"P{number}" for number in range(match.rules.debaters)]
    if sorted(match.debaters) != debaters:
        yield f"the debaters' seats are {_list(match.debaters)}, not {_list(debaters)}"
    judges = [seat.id for seat in match.judges]
    expected = [f"J{number}" for number in range(len(judges))]
    if sorted(judges) != sorted(expected):
        yield f"the judges' seats are {_list(judges)}, not {_list(expected)}"


@check
def check_number_of_judges(match: Match) -> Iterator[str]:
    """Three judges sit, or as many as the caller says."""
    count = len(match.judges)
    if match.panel is not None and count != match.panel:
        yield f"there are {count} judges, not {match.panel}"
    elif count == 0:
        yield "there are no judges"


@check
def check_kind_of_holder(match: Match) -> Iterator[str]:
    """A person's seat names the person and no model, an AI's seat a model and no person."""
    for seat in match.seats:
        if seat.kind == "human" and seat.person is None:
            yield f"{seat.id} is held by a person but names none"
        if seat.replaced:
            continue  # somebody else has held it too; the record does not say whose the two fields are then
        if seat.kind == "human" and seat.model is not None:
            yield f"{seat.id} is held by a person but has the model {seat.model}"
        if seat.kind == "ai" and seat.person is not None:
            yield f"{seat.id} is held by an AI but names a person"
        if seat.kind == "ai" and seat.model is None:
            yield f"{seat.id} is held by an AI but names no model"


@check
def check_ai_names_differ(match: Match) -> Iterator[str]:
    """No two seats have an AI of the same name, replacements included."""
    seats_of: dict[str, set[str]] = {}
    for seat in match.seats:
        names = [seat.name] if seat.kind == "ai" else []
        names += [name for _, kind, name in seat.replaced if kind == "ai"]
        for name in names:
            seats_of.setdefault(name.casefold(), set()).add(seat.id)
    for name, seats in seats_of.items():
        if len(seats) > 1:
            yield f"the AI {name} sits in more than one seat: {_list(sorted(seats))}"


@check
def check_person_has_one_seat(match: Match) -> Iterator[str]:
    """Nobody holds two seats of a match."""
    held = Counter(seat.person for seat in match.seats if seat.person is not None)
    for person, count in held.items():
        if count > 1:
            yield f"the person {person} holds {count} seats"


@check
def check_ids_are_opaque(match: Match) -> Iterator[str]:
    """What stands for a person is an id, never a name."""
    names = {seat.name.casefold() for seat in match.seats}
    names |= {name.casefold() for seat in match.seats for _, _, name in seat.replaced}
    ids = [(f"the person of {seat.id}", seat.person) for seat in match.seats]
    ids += [(f"by of pause {number}", pause["by"]) for number, pause in enumerate(match.record["pauses"], 1)]
    wagers = match.record["market"]["wagers"] if match.record["market"] else []
    ids += [(f"by of wager {wager['id']}", wager["by"]) for wager in wagers]
    for what, value in ids:
        if value is None:
            continue
        if value.casefold() in names:
            yield f"{what} is a name: {value}"
        elif not value or re.search(r"[\s@]", value):
            yield f"{what} is not an opaque id: {value!r}"


@check
def check_absent_people_are_replaced(match: Match) -> Iterator[str]:
    """Who misses two turns (or ballots) running is replaced by an AI from the next slot on."""
    for seat in match.seats:
        slots = [
            (turn.prompted, turn.closed, turn.outcome == "forfeited", turn.at)
            for turn in match.turns()
            if turn.seat == seat.id
        ]
        slots += [
            (rnd.last_close or ballot.cast, ballot.cast, ballot.defaulted in ("timeout", "absent"), ballot.at)
            for rnd, ballot in match.ballots()
            if ballot.judge == seat.id
        ]
        running, last = 0, 0
        for opened, closed, missed, at in slots:
            came = any(last - match.tolerance <= when <= opened for when, kind, _ in seat.replaced if kind == "ai")
            if running >= 2 and not came:
                yield f"{at}: {seat.id} missed two running before and was not replaced"
            by_person = seat.kinds_at(opened) == {"human"}
            running, last = (running + 1, closed) if missed and by_person else (0, closed)


# The match as a whole


@check
def check_status_and_reason(match: Match) -> Iterator[str]:
    """A cancelled match says why and has no winners; a finished one needs no reason."""
    reason, winners = match.record["reason"], match.record["winners"]
    if match.finished and reason is not None:
        yield f"the match is finished but has the reason {reason!r}"
    if not match.finished and reason is None:
        yield "the match is cancelled but says no reason"
    if not match.finished and winners:
        yield f"the match is cancelled but has winners: {_list(winners)}"


@check
def check_virtual_clock_starts_in_2000(match: Match) -> Iterator[str]:
    """The clock of --speed max starts at the turn of the millennium."""
    if match.exact and match.record["opened_at"] != VIRTUAL_START:
        yield f"the match opened at {match.record['opened_at']}, not at {VIRTUAL_START}"


@check
def check_times_go_forward(match: Match) -> Iterator[str]:
    """Nothing happens before what it follows."""
    moments: list[tuple[str, int | None]] = [
        ("the opening of the match", ms(match.record["opened_at"])),
        ("the start", _maybe_ms(match.record["started_at"])),
    ]
    for rnd in match.rounds:
        for turn in rnd.turns:
            moments += [(f"the prompt of {turn.at}", turn.prompted), (f"the end of {turn.at}", turn.closed)]
        moments += [(f"the reveal of {ballot.at}", ballot.revealed) for ballot in rnd.ballots]
        moments.append((f"the decision of {rnd.at}", rnd.decided))
    moments.append(("the end of the match", _maybe_ms(match.record["finished_at"])))
    known = [(what, time) for what, time in moments if time is not None]
    for (before, earlier), (after, later) in pairwise(known):
        if later < earlier - match.tolerance:
            yield f"{after} comes {_s(earlier - later)} before {before}"


@check
def check_events_are_within_the_match(match: Match) -> Iterator[str]:
    """Pauses and replacements lie between the opening and the end, in order."""
    lists = [("a pause", [ms(pause["at"]) for pause in match.record["pauses"]])]
    lists += [(f"a replacement in {seat.id}", [at for at, _, _ in seat.replaced]) for seat in match.seats]
    opened, finished = ms(match.record["opened_at"]), _maybe_ms(match.record["finished_at"])
    for what, times in lists:
        if times != sorted(times):
            yield f"{what} is listed before an earlier one"
        if any(time < opened or (finished is not None and time > finished) for time in times):
            yield f"{what} is outside the match"


@check
def check_usage_adds_up(match: Match) -> Iterator[str]:
    """The match's usage is the sum of its turns' usage; what judges that are models used comes on top of it."""
    used = [turn["usage"] for rnd in match.record["rounds"] for turn in rnd["turns"] if turn["usage"] is not None]
    judges = [seat for seat in match.record["seats"] if seat["role"] == "judge"]
    more = any(holder.get("model") not in (None, "house") for seat in judges for holder in (seat, *seat["replaced"]))
    for name in SPENT:
        total, stated = sum(usage[name] for usage in used), match.record["usage"][name]
        if total - stated > 1e-5 or (stated - total > 1e-5 and not more):
            yield f"the match used {stated} {name}, its turns {total}"


@check
def check_teams(match: Match) -> Iterator[str]:
    """Teams exist only where a team wins, and then they are the sides of the round."""
    teams = match.record["teams"]
    if teams is None:
        return
    if not match.rules.teams:
        yield f"a {match.format} match has no teams"
        return
    stated = sorted(sorted(team["seats"]) for team in teams)
    for rnd in match.rounds:
        if stated != sorted(sorted(rnd.teams[side]) for side in SIDES):
            yield f"{rnd.at}: the teams are not the sides"


@check
def check_fields_of_other_formats(match: Match) -> Iterator[str]:
    """Coin flips, prep time and rankings do not belong to these formats."""
    for rnd in match.rounds:
        for name in ("coin", "prep"):
            if rnd.data[name] is not None:
                yield f"{rnd.at}: {name} does not apply to {match.format} and must be null"
        for ballot in rnd.ballots:
            if ballot.data["ranks"] is not None:
                yield f"{ballot.at}: ranks do not apply to {match.format} and must be null"


# Rounds and line-ups


@check
def check_round_numbers(match: Match) -> Iterator[str]:
    """Rounds are numbered from 1, tie-breaks last."""
    numbers = [rnd.number for rnd in match.rounds]
    if numbers != list(range(1, len(numbers) + 1)):
        yield f"the rounds are numbered {_list(numbers)}"
    kinds = [rnd.tiebreak for rnd in match.rounds]
    if kinds != sorted(kinds):
        yield "a regular round comes after a tie-break"


@check
def check_number_of_rounds(match: Match) -> Iterator[str]:
    """A finished match has all its regular rounds, and none more."""
    count, due = len(match.regular), match.rules.regular
    if count > due or (count < due and (match.finished or match.tiebreaks)):
        yield f"there are {count} regular rounds, not {due}"


def _line_up(number: int) -> dict[str, list[str]]:
    pro, con = LINE_UPS[number - 1].split("-")
    return {"pro": [f"P{digit}" for digit in pro], "con": [f"P{digit}" for digit in con]}


def _same_team(match: Match, team: Sequence[str], due: Sequence[str]) -> bool:
    """In classic the order of a team counts, because it is the speaking order; in arena the table gives that."""
    return sorted(team) == sorted(due) if match.rules.fair else list(team) == list(due)


@check
def check_line_up(match: Match) -> Iterator[str]:
    """Each regular round has the format's line-up."""
    for rnd in match.regular:
        if match.rules.teams:
            size = match.rules.debaters // 2
            if [len(rnd.teams[side]) for side in SIDES] != [size, size]:
                yield f"{rnd.at}: a {match.format} is {size} against {size}"
            elif sorted(rnd.teams["pro"] + rnd.teams["con"]) != sorted(match.debaters):
                yield f"{rnd.at}: not every debater is on exactly one side"
        elif 1 <= rnd.number <= len(LINE_UPS):
            for side, due in _line_up(rnd.number).items():
                if not _same_team(match, rnd.teams[side], due):
                    yield f"{rnd.at}: {side} is {_list(rnd.teams[side])}, not {_list(due)}"


@check
def check_bench(match: Match) -> Iterator[str]:
    """Whoever is on no side of a round is on its bench."""
    for rnd in match.rounds:
        due = sorted(set(match.debaters) - set(rnd.teams["pro"]) - set(rnd.teams["con"]))
        if sorted(rnd.data["bench"]) != due:
            yield f"{rnd.at}: the bench is {_list(rnd.data['bench'])}, not {_list(due)}"


def _full_rotation(match: Match) -> bool:
    return match.finished and not match.rules.teams and len(match.regular) == match.rules.regular


@check
def check_rotation(match: Match) -> Iterator[str]:
    """Each debater plays 4 of the 6 rounds, twice pro and twice con."""
    if not _full_rotation(match):
        return
    for seat in match.debaters:
        pro, con = (sum(seat in rnd.teams[side] for rnd in match.regular) for side in SIDES)
        if (pro, con) != (2, 2):
            yield f"{seat} is pro {_times(pro)} and con {_times(con)}, not twice each"


@check
def check_partnerships(match: Match) -> Iterator[str]:
    """There are 11 different partnerships; only P1 and P3 meet twice."""
    if not _full_rotation(match):
        return
    met = Counter(frozenset(rnd.teams[side]) for rnd in match.regular for side in SIDES)
    twice = [" and ".join(sorted(pair)) for pair, times in met.items() if times > 1]
    if len(met) != 11 or twice != ["P1 and P3"]:
        yield f"there are {len(met)} different partnerships, and more than once: {_list(twice)}"


@check
def check_side_that_starts(match: Match) -> Iterator[str]:
    """Pro starts in classic, the table says in arena; in duel and doubles the seed does, so either is right."""
    for rnd in match.regular:
        if match.format == "classic":
            due = "pro"
        elif match.format == "arena" and 1 <= rnd.number <= len(ARENA):
            due = ARENA[rnd.number - 1][0]
        else:
            continue
        if rnd.first_side != due:
            yield f"{rnd.at}: {rnd.first_side} starts, not {due}"


@check
def check_first_and_last_words(match: Match) -> Iterator[str]:
    """In arena the table says who has the first and the last word of each round."""
    if match.format != "arena":
        return
    for rnd in match.regular:
        if not rnd.turns or not 1 <= rnd.number <= len(ARENA):
            continue
        _, first, last = ARENA[rnd.number - 1]
        if rnd.turns[0].seat != first:
            yield f"{rnd.at}: {rnd.turns[0].seat} has the first word, not {first}"
        if rnd.complete and rnd.turns[-1].seat != last:
            yield f"{rnd.at}: {rnd.turns[-1].seat} has the last word, not {last}"


@check
def check_motions_are_fresh(match: Match) -> Iterator[str]:
    """No motion is debated twice in a match."""
    for field in ("id", "text"):
        used = Counter(rnd.data["motion"][field] for rnd in match.rounds)
        for motion, times in used.items():
            if times > 1 and motion is not None:  # a motion in somebody's own words has no id
                yield f"the motion with the {field} {motion!r} is debated {_times(times)}"


# Slots and speaking order


class Slot(NamedTuple):
    phase: str
    side: str
    seat: str


def _orders(match: Match, rnd: Round) -> list[list[Slot]]:
    """The speaking orders that the rules allow between these sides: one in classic; in arena's order, one for each way
    to say who is a1 and b1 (the table of first and last words settles that for arena's regular rounds)."""
    sizes = {len(rnd.teams[side]) for side in SIDES}
    if sizes not in ({1}, {2}):
        return []  # another check says so
    if not match.rules.fair:
        return [_classic_order(rnd.teams["pro"], rnd.teams["con"], match.rules.free)]
    side_a, side_b = SIDES if rnd.first_side == "pro" else SIDES[::-1]
    return [
        _arena_order((side_a, team_a), (side_b, team_b), match.rules.free)
        for team_a, team_b in product(permutations(rnd.teams[side_a]), permutations(rnd.teams[side_b]))
    ]


def _classic_order(pro: Sequence[str], con: Sequence[str], free: int) -> list[Slot]:
    size = len(pro)
    slots: list[Slot] = []
    for member in range(size):
        slots += [Slot("opening", "pro", pro[member]), Slot("opening", "con", con[member])]
    for turn in range(free):
        member = turn // 2 % size
        slots.append(Slot("free", "con", con[member]) if turn % 2 else Slot("free", "pro", pro[member]))
    for member in reversed(range(size)):
        slots += [Slot("closing", "con", con[member]), Slot("closing", "pro", pro[member])]
    return slots


def _arena_order(a: tuple[str, Sequence[str]], b: tuple[str, Sequence[str]], free: int) -> list[Slot]:
    (side_a, team_a), (side_b, team_b) = a, b
    size = len(team_a)
    slots: list[Slot] = []
    for member in range(size):
        slots += [Slot("opening", side_a, team_a[member]), Slot("opening", side_b, team_b[member])]
    for turn in range(free):
        member = turn // 2 % size
        slots.append(Slot("free", side_a, team_a[member]) if turn % 2 else Slot("free", side_b, team_b[member]))
    for member in range(size):  # a2 b1 a1 b2
        slots += [Slot("closing", side_a, team_a[size - 1 - member]), Slot("closing", side_b, team_b[member])]
    return slots


def _likeliest_order(match: Match, rnd: Round) -> list[Slot]:
    def agreement(order: list[Slot]) -> int:
        pairs = zip(rnd.turns, order, strict=False)
        return sum((turn.side, turn.seat) == (slot.side, slot.seat) for turn, slot in pairs)

    return max(_orders(match, rnd), key=agreement, default=[])


def _slots(match: Match, rnd: Round) -> int:
    return 2 * rnd.places + match.rules.free


@check
def check_number_of_turns(match: Match) -> Iterator[str]:
    """A round has all its slots; one that a moderator voided or that broke off may have fewer."""
    for rnd in match.rounds:
        due, count = _slots(match, rnd), len(rnd.turns)
        if count > due or (count < due and rnd.complete):
            yield f"{rnd.at}: there are {count} turns, not {due}"


@check
def check_turn_numbers(match: Match) -> Iterator[str]:
    """Turns are numbered from 1 in each round."""
    for rnd in match.rounds:
        numbers = [turn.data["n"] for turn in rnd.turns]
        if numbers != list(range(1, len(numbers) + 1)):
            yield f"{rnd.at}: the turns are numbered {_list(numbers)}"


@check
def check_phases(match: Match) -> Iterator[str]:
    """An opening for everybody, the free debate, a closing for everybody."""
    for rnd in match.rounds:
        due = ["opening"] * rnd.places + ["free"] * match.rules.free + ["closing"] * rnd.places
        for turn, phase in zip(rnd.turns, due, strict=False):
            if turn.phase != phase:
                yield f"{turn.at}: the phase is {turn.phase}, not {phase}"


@check
def check_speaker_is_on_the_side(match: Match) -> Iterator[str]:
    """Whoever speaks for a side sits on it."""
    for rnd in match.rounds:
        for turn in rnd.turns:
            if turn.seat not in rnd.teams[turn.side]:
                yield f"{turn.at}: {turn.seat} speaks for {turn.side} and is not on that side"


def _out_of_order(match: Match, phase: str) -> Iterator[str]:
    for rnd in match.rounds:
        for turn, slot in zip(rnd.turns, _likeliest_order(match, rnd), strict=False):
            if slot.phase == phase and (turn.side, turn.seat) != (slot.side, slot.seat):
                yield f"{turn.at} ({phase}): {turn.seat} ({turn.side}) speaks, not {slot.seat} ({slot.side})"


@check
def check_opening_order(match: Match) -> Iterator[str]:
    """Openings: Pro1 Con1 Pro2 Con2 in classic, a1 b1 a2 b2 in arena; 1 v 1: pro con, a b."""
    yield from _out_of_order(match, "opening")


@check
def check_free_order(match: Match) -> Iterator[str]:
    """Free debate: alternating, members in turn; from pro in classic, from side B in arena."""
    yield from _out_of_order(match, "free")


@check
def check_closing_order(match: Match) -> Iterator[str]:
    """Closings: Con2 Pro2 Con1 Pro1 in classic, a2 b1 a1 b2 in arena; 1 v 1: con pro, a b."""
    yield from _out_of_order(match, "closing")


# Turns: what was said


@check
def check_nothing_said(match: Match) -> Iterator[str]:
    """Where nothing was said, text is "", chars 0, move null, and there is no clip and no part."""
    for turn in match.turns():
        if turn.outcome == "said":
            continue
        for name, empty in (("text", ""), ("chars", 0), ("move", None), ("clip", None)):
            if turn.data[name] != empty:
                yield f"{turn.at} is {turn.outcome}, but {name} is {_shown(turn.data[name])}"
        if turn.data["parts"]:
            yield f"{turn.at} is {turn.outcome}, but has parts"
        if turn.data["cards"]:
            yield f"{turn.at} is {turn.outcome}, but reads cards"


_UNSEEN: Final = frozenset("\u2800\u3164\u115f\u1160\uffa0") | {chr(code) for code in range(0xFE00, 0xFE10)}


def _is_unseen(char: str) -> bool:
    return char.isspace() or char in _UNSEEN or unicodedata.category(char) in ("Cc", "Cf", "Zs", "Zl", "Zp")


@check
def check_said_is_not_blank(match: Match) -> Iterator[str]:
    """Blank in any Unicode way is not said."""
    for turn in match.turns():
        if turn.outcome == "said" and all(_is_unseen(char) for char in turn.text):
            yield f"{turn.at} is said, but the text is blank"


@check
def check_characters_are_counted(match: Match) -> Iterator[str]:
    """chars is the number of code points of the text."""
    for turn in match.turns():
        if turn.data["chars"] != len(turn.text):
            yield f"{turn.at}: chars is {turn.data['chars']}, the text has {len(turn.text)}"


@check
def check_text_is_within_the_limit(match: Match) -> Iterator[str]:
    """No text is longer than the slot allowed."""
    for turn in match.turns():
        if len(turn.text) > turn.data["limit_chars"]:
            yield f"{turn.at}: {len(turn.text)} characters where {turn.data['limit_chars']} are allowed"


_CONTROL: Final = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_ZERO_WIDTH: Final = re.compile("[\u200b\u2060\ufeff]")
_STRAY_JOINER: Final = re.compile("(?:^|\\s)[\u200c\u200d]|[\u200c\u200d](?:\\s|$)")
_BLANK_LINES: Final = re.compile(r"\n(?:[^\S\n]*\n){3}")


def _stains(text: str) -> Iterator[str]:
    if not unicodedata.is_normalized("NFC", text):
        yield "is not in NFC"
    if text != text.strip():
        yield "is not trimmed"
    if _BLANK_LINES.search(text):
        yield "has more than two blank lines together"
    if _CONTROL.search(text):
        yield "has control characters (CR and tab are among them)"
    if _ZERO_WIDTH.search(text):
        yield "has zero-width characters"
    if _STRAY_JOINER.search(text):
        yield "has a joiner that joins nothing"


@check
def check_text_is_clean(match: Match) -> Iterator[str]:
    """Texts are as the cleaning leaves them: NFC, trimmed, LF only, no control or stray zero-width characters."""
    for turn in match.turns():
        for stain in _stains(turn.text):
            yield f"{turn.at}: the text {stain}"


@check
def check_parts_make_the_text(match: Match) -> Iterator[str]:
    """Parts joined by a blank line are the text."""
    for turn in match.turns():
        parts = turn.data["parts"]
        if parts and "\n\n".join(parts) != turn.text:
            yield f"{turn.at}: the parts joined by a blank line are not the text"


@check
def check_moves(match: Match) -> Iterator[str]:
    """Openings and closings are statements; in the free debate a turn argues, rebuts, concedes a point or asks."""
    for turn in match.turns():
        if turn.outcome == "said" and turn.data["move"] not in MOVES[turn.phase]:
            yield f"{turn.at}: the move {turn.data['move']} is not allowed in the {turn.phase} phase"


@check
def check_source_fits_the_holder(match: Match) -> Iterator[str]:
    """A person's turn comes from the person, an AI's from a mind."""
    holders = {seat.id: seat for seat in match.seats}
    for turn in match.turns():
        if turn.outcome != "said" or turn.seat not in holders:
            continue
        kinds = holders[turn.seat].kinds_at(turn.prompted)
        source = turn.data["source"]
        if ("human" if source == "person" else "ai") not in kinds:
            yield f"{turn.at}: the source is {source}, but {turn.seat} is then held by {_list(sorted(kinds))}"


@check
def check_fallback_is_told(match: Match) -> Iterator[str]:
    """When the house mind speaks for a model, the turn says so, and only then."""
    holders = {seat.id: seat for seat in match.seats}
    for turn in match.turns():
        source, fallback = turn.data["source"], turn.data["fallback"]
        if fallback and source != "house":
            yield f"{turn.at}: a fallback comes from the house, not from {source}"
        seat = holders.get(turn.seat)
        if turn.outcome != "said" or seat is None or seat.replaced or seat.kind != "ai":
            continue
        if seat.model == "house" and (fallback or source != "house"):
            yield f"{turn.at}: {turn.seat} is a house mind, so source must be house and fallback false"
        if seat.model != "house" and (source == "house") != fallback:
            told = "told" if fallback else "not told"
            yield f"{turn.at}: {turn.seat} is {seat.model}, the source is {source} and a fallback is {told}"


# Turns: limits and times


@check
def check_limits(match: Match) -> Iterator[str]:
    """500 characters for openings and closings, 400 in the free debate, at any tempo."""
    for turn in match.turns():
        if turn.data["limit_chars"] != LIMITS[turn.phase]:
            yield f"{turn.at}: the limit is {turn.data['limit_chars']} characters, not {LIMITS[turn.phase]}"


@check
def check_timeouts(match: Match) -> Iterator[str]:
    """20 s, 15 s and 15 s times the tempo. A person's seat may have a longer multiplier of its own."""
    for turn in match.turns():
        timeout, due = turn.data["timeout_s"], match.seconds(TIMEOUTS[turn.phase])
        if timeout < due or (timeout > due and not turn.by_person):
            yield f"{turn.at}: the timeout is {timeout} s, not {due} s"


@check
def check_deadlines(match: Match) -> Iterator[str]:
    """The deadline is the prompt plus the timeout. A person's printed one may be rounded up, quiet hours add to it."""
    for turn in match.turns():
        extra = turn.deadline - turn.prompted - 1000 * turn.data["timeout_s"]
        most = PRINTED + match.tolerance if turn.by_person and not match.exact else match.tolerance
        if extra < -match.tolerance or (extra > most and not match.quiet_hours):
            yield f"{turn.at}: the deadline is {_s(turn.deadline - turn.prompted)} after the prompt, not the timeout"


@check
def check_no_turn_after_its_deadline(match: Match) -> Iterator[str]:
    """Nothing is said (or skipped, or withdrawn) after the deadline. A person has half a second of grace."""
    for turn in match.turns():
        if turn.outcome == "forfeited":
            continue
        grace = 0
        if turn.by_person:
            grace = GRACE if match.exact else HOLD + match.tolerance
        elif turn.outcome != "said":
            grace = match.tolerance
        if turn.closed > turn.deadline + grace:
            yield f"{turn.at} is {turn.outcome} {_s(turn.closed - turn.deadline)} after the deadline"


@check
def check_forfeits_at_the_deadline(match: Match) -> Iterator[str]:
    """A forfeited turn closes at its deadline. For a person's late message it is held open a little."""
    for turn in match.turns():
        if turn.outcome != "forfeited":
            continue
        late = turn.closed - turn.deadline
        most = HOLD + match.tolerance if turn.by_person and not match.exact else match.tolerance
        if not -match.tolerance <= late <= most:
            yield f"{turn.at} is forfeited {_s(late)} after the deadline, not at it"


def _off_pace(match: Match, turn: Turn, since: int) -> bool:
    late = turn.prompted - since - PACE
    most = DELIVERY + match.tolerance if turn.by_person and not match.exact else match.tolerance
    return not -match.tolerance <= late <= most


@check
def check_pace_within_rounds(match: Match) -> Iterator[str]:
    """10 s from one turn's close to the next one's opening; a person's prompt may take longer to arrive."""
    for rnd in match.rounds:
        for before, turn in pairwise(rnd.turns):
            if _off_pace(match, turn, before.closed):
                yield f"{turn.at} opens {_s(turn.prompted - before.closed)} after the turn before, not 10 s"


@check
def check_pace_between_rounds(match: Match) -> Iterator[str]:
    """10 s from a round's decision to the next round's first turn."""
    for before, rnd in pairwise(match.rounds):
        if before.decided is not None and rnd.turns and _off_pace(match, rnd.turns[0], before.decided):
            yield f"{rnd.at} opens {_s(rnd.turns[0].prompted - before.decided)} after the decision before, not 10 s"


# Judging


@check
def check_every_judge_votes_once(match: Match) -> Iterator[str]:
    """One ballot of every judge, defaulted ones included; a void round or one that broke off may have fewer."""
    judges = [seat.id for seat in match.judges]
    for rnd in match.rounds:
        voted = Counter(ballot.judge for ballot in rnd.ballots)
        for judge, count in voted.items():
            if judge not in judges:
                yield f"{rnd.at}: {judge} votes and is no judge"
            elif count > 1:
                yield f"{rnd.at}: {judge} votes {_times(count)}"
        missing = [judge for judge in judges if judge not in voted]
        if missing and not rnd.void and not rnd.broken_off:
            yield f"{rnd.at}: no ballot of {_list(missing)}"


@check
def check_votes(match: Match) -> Iterator[str]:
    """A ballot that did not come or cannot be read is a pro vote in classic and an abstention elsewhere."""
    for _, ballot in match.ballots():
        if match.rules.fair:
            if ballot.defaulted and ballot.vote != "abstain":
                yield f"{ballot.at} defaulted ({ballot.defaulted}) and must abstain, not vote {ballot.vote}"
        elif ballot.defaulted and ballot.vote != "pro":
            yield f"{ballot.at} defaulted ({ballot.defaulted}) and must count as pro, not {ballot.vote}"
        elif ballot.vote == "abstain":
            yield f"{ballot.at}: nobody abstains in classic"


@check
def check_missing_ballot_has_no_scores(match: Match) -> Iterator[str]:
    """A ballot that never came has no scores."""
    for _, ballot in match.ballots():
        if ballot.defaulted in ("timeout", "absent") and ballot.data["scores"] is not None:
            yield f"{ballot.at} never came ({ballot.defaulted}) but has scores"


def _judging(match: Match, rnd: Round) -> tuple[int, int | None] | None:
    """From when to when ballots can come. The end is open if a person judges: their prompt takes time to arrive and
    their seat may have a multiplier of its own."""
    opened = rnd.last_close
    if opened is None:
        return None
    known = not match.quiet_hours and not any("human" in seat.kinds_at(opened) for seat in match.judges)
    return opened, opened + 1000 * match.seconds(JUDGING) if known else None


@check
def check_ballots_come_in_time(match: Match) -> Iterator[str]:
    """A ballot is cast after the last closing and within 30 s times the tempo."""
    for rnd in match.rounds:
        window = _judging(match, rnd)
        for ballot in rnd.ballots:
            if window is None or ballot.defaulted:
                continue
            opened, deadline = window
            if ballot.cast < opened - match.tolerance:
                yield f"{ballot.at} is cast {_s(opened - ballot.cast)} before the last turn closed"
            if deadline is not None and ballot.cast > deadline:
                yield f"{ballot.at} is cast {_s(ballot.cast - deadline)} after the deadline"


@check
def check_defaulted_ballots_at_the_deadline(match: Match) -> Iterator[str]:
    """A defaulted ballot is cast at the deadline."""
    for rnd in match.rounds:
        window = _judging(match, rnd)
        for ballot in rnd.ballots:
            if window is None or not ballot.defaulted:
                continue
            opened, deadline = window
            due = opened + 1000 * match.seconds(JUDGING)
            if ballot.cast < due - match.tolerance or (deadline is not None and not match.same(ballot.cast, deadline)):
                yield f"{ballot.at} defaulted {_s(ballot.cast - due)} after the deadline, not at it"


@check
def check_ballots_are_in_order_of_reveal(match: Match) -> Iterator[str]:
    """The ballots are listed as they were revealed."""
    for rnd in match.rounds:
        reveals = [ballot.revealed for ballot in rnd.ballots if ballot.revealed is not None]
        if reveals != sorted(reveals):
            yield f"{rnd.at}: the ballots are not in the order of their reveals"


@check
def check_first_reveal(match: Match) -> Iterator[str]:
    """The first vote is revealed 6 s after the last ballot is in or the time is up."""
    for rnd in match.rounds:
        reveals = [ballot.revealed for ballot in rnd.ballots if ballot.revealed is not None]
        if reveals:
            last = max(ballot.cast for ballot in rnd.ballots)
            if not match.same(min(reveals), last + BEAT):
                yield f"{rnd.at}: the first reveal is {_s(min(reveals) - last)} after the last ballot, not 6 s"


@check
def check_beat_of_reveals(match: Match) -> Iterator[str]:
    """Votes are revealed one at a time, 6 s apart, at any tempo."""
    for rnd in match.rounds:
        reveals = sorted(ballot.revealed for ballot in rnd.ballots if ballot.revealed is not None)
        for number, (before, after) in enumerate(pairwise(reveals), 2):
            if not match.same(after, before + BEAT):
                yield f"{rnd.at}: reveal {number} is {_s(after - before)} after the one before, not 6 s"


@check
def check_decided_after_reveals(match: Match) -> Iterator[str]:
    """A round is decided at or after its last reveal."""
    for rnd in match.rounds:
        reveals = [ballot.revealed for ballot in rnd.ballots if ballot.revealed is not None]
        if reveals and rnd.decided is not None and rnd.decided < max(reveals):
            yield f"{rnd.at} is decided {_s(max(reveals) - rnd.decided)} before the last reveal"


def _verdict(match: Match, rnd: Round) -> str | None:
    """Who wins by these ballots. None if the rules do not say (classic with an even bench of judges)."""
    votes = Counter(ballot.vote for ballot in rnd.ballots)
    lead = votes["pro"] - votes["con"]
    if lead == 0 and not match.rules.fair:
        return None
    if lead == 0:
        scores = [ballot.data["scores"] for ballot in rnd.ballots if ballot.data["scores"] is not None]
        lead = sum(score["pro"][name] - score["con"][name] for score in scores for name in CRITERIA)
    return "draw" if lead == 0 else "pro" if lead > 0 else "con"


@check
def check_winner(match: Match) -> Iterator[str]:
    """The majority wins; in arena of the votes cast, then the higher sum of scores, else the round is drawn."""
    for rnd in match.rounds:
        if rnd.broken_off and rnd.data["winner"] not in (None, "void"):
            yield f"{rnd.at} was never decided, but the winner is {rnd.data['winner']}"
        if rnd.void or rnd.broken_off:
            continue
        due = _verdict(match, rnd)
        if due is not None and rnd.data["winner"] != due:
            yield f"{rnd.at}: the winner is {rnd.data['winner']}, by the ballots it is {due}"


@check
def check_void_rounds(match: Match) -> Iterator[str]:
    """A round is void if a side said nothing at all; a void round, and only a void one, has the winner void."""
    for rnd in match.rounds:
        spoke = {turn.side for turn in rnd.turns if turn.outcome == "said"}
        for side in SIDES:
            if rnd.complete and side not in spoke and not rnd.void:
                yield f"{rnd.at}: {side} said nothing at all, but the round is not void"
        if not rnd.broken_off and rnd.void != (rnd.data["winner"] == "void"):
            yield f"{rnd.at}: void is {str(rnd.void).lower()}, but the winner is {rnd.data['winner']}"


def _points_due(rnd: Round) -> dict[str, float]:
    winner = rnd.data["winner"]
    if winner == "draw":
        earned = dict.fromkeys(rnd.teams["pro"] + rnd.teams["con"], 0.5)
    else:
        earned = dict.fromkeys(rnd.teams.get(winner, ()), 1.0)
    return {seat: gained for seat, gained in earned.items() if not rnd.tiebreak or seat in rnd.tied()}


@check
def check_points(match: Match) -> Iterator[str]:
    """1 point to each winner, half a point each if drawn, none if void; in a tie-break only to the tied."""
    for rnd in match.rounds:
        stated = {seat: gained for seat, gained in (rnd.data["points"] or {}).items() if gained}
        due = _points_due(rnd)
        if stated != due:
            yield f"{rnd.at} ({rnd.data['winner']}): the points are {stated}, not {due}"


# Tie-breaks


@check
def check_tiebreaks_are_due(match: Match) -> Iterator[str]:
    """A tie-break is played only while the top is shared, and never where a team wins."""
    for rnd in match.tiebreaks:
        if match.rules.teams:
            yield f"{rnd.at}: a {match.format} has no tie-breaks"
        elif len(rnd.tied()) < 2:
            yield f"{rnd.at}: a tie-break, though {rnd.tied()[0]} leads alone"


@check
def check_tiebreaks_are_played(match: Match) -> Iterator[str]:
    """While the top is shared there is another tie-break, up to three."""
    if match.finished and not match.rules.teams and len(match.tiebreaks) < TIEBREAKS:
        top = leaders(match.points)
        if len(top) > 1:
            yield f"{_list(top)} share the top after {len(match.tiebreaks)} tie-breaks, and no further one is played"


@check
def check_number_of_tiebreaks(match: Match) -> Iterator[str]:
    """There are at most three tie-breaks."""
    if len(match.tiebreaks) > TIEBREAKS:
        yield f"there are {len(match.tiebreaks)} tie-breaks, not at most {TIEBREAKS}"


def _players(match: Match, rnd: Round) -> list[str] | None:
    """a, b (, c, d) of a tie-break; None if the seed draws them and the record's draw is not a possible one."""
    tied = rnd.tied()
    if len(tied) <= 2:
        return tied
    if len(tied) == 3:
        others = sorted((seat for seat in rnd.before if seat not in tied), key=lambda seat: (-rnd.before[seat], seat))
        return tied + others[:1]
    if len(tied) == 4 or not match.rules.fair:
        return tied[:4]
    drawn = sorted(rnd.teams["pro"] + rnd.teams["con"])
    return drawn if len(set(drawn)) == 4 and set(drawn) <= set(tied) else None


@check
def check_tiebreak_players(match: Match) -> Iterator[str]:
    """Two tied play 1 v 1; three with the next-highest scorer; of more the first four, in arena four drawn."""
    for rnd in match.tiebreaks:
        players = _players(match, rnd)
        playing = sorted(rnd.teams["pro"] + rnd.teams["con"])
        if players is None:
            yield f"{rnd.at}: {_list(playing)} play, not four of the tied {_list(rnd.tied())}"
        elif playing != sorted(players):
            yield f"{rnd.at}: {_list(playing)} play, not {_list(sorted(players))}"


@check
def check_tiebreak_sides(match: Match) -> Iterator[str]:
    """Pro a against con b, or pro a+d against con b+c; the sides are swapped at each further tie-break."""
    for number, rnd in enumerate(match.tiebreaks):
        players = _players(match, rnd)
        if players is None or len(players) not in (2, 4):
            continue  # other checks say so
        first, second = (players[:1], players[1:]) if len(players) == 2 else (players[::3], players[1:3])
        due = dict(zip(SIDES, (second, first) if number % 2 else (first, second), strict=True))
        for side in SIDES:
            if not _same_team(match, rnd.teams[side], due[side]):
                yield f"{rnd.at}: {side} is {_list(rnd.teams[side])}, not {_list(due[side])}"


@check
def check_side_that_starts_tiebreaks(match: Match) -> Iterator[str]:
    """Pro starts every tie-break of classic; in arena side A alternates."""
    if not match.rules.fair:
        for rnd in match.tiebreaks:
            if rnd.first_side != "pro":
                yield f"{rnd.at}: {rnd.first_side} starts, not pro"
        return
    for before, rnd in pairwise(match.tiebreaks):
        if rnd.first_side == before.first_side:
            yield f"{rnd.at}: {rnd.first_side} starts again; side A alternates"


# Standings


@check
def check_standings_list_every_debater(match: Match) -> Iterator[str]:
    """Every debater stands in the standings once. A cancelled match may have none."""
    listed = [row["seat"] for row in match.record["standings"]]
    if sorted(listed) != sorted(match.debaters) and (match.finished or listed):
        yield f"the standings list {_list(listed)}, not every debater once"


@check
def check_standings_points(match: Match) -> Iterator[str]:
    """Points in the standings are the sums over all rounds."""
    for row in match.record["standings"]:
        due = match.points.get(row["seat"], 0)
        if row["points"] != due:
            yield f"{row['seat']} has {row['points']} points in the standings and {due:g} in the rounds"


def _ranking(match: Match) -> list[tuple[Mapping[str, Any], int, float]]:
    """Rows of the standings with the place and the performance due by their own points."""
    rows = match.record["standings"] if match.finished else []
    units: list[list[Mapping[str, Any]]] = [[row] for row in rows]
    if match.rules.teams and match.rounds:
        units = [[row for row in rows if row["seat"] in match.rounds[0].teams[side]] for side in SIDES]
        units = [unit for unit in units if unit]
    scores = [max(row["points"] for row in unit) for unit in units]
    spread = [1 - 0.75 * index / max(1, len(units) - 1) for index in range(len(units))]
    ranked: list[tuple[Mapping[str, Any], int, float]] = []
    for unit, score in zip(units, scores, strict=True):
        above, level = sum(other > score for other in scores), scores.count(score)
        performance = sum(spread[above : above + level]) / level
        ranked += [(row, above + 1, performance) for row in unit]
    return ranked


@check
def check_places(match: Match) -> Iterator[str]:
    """Equal points share a place and the next ones are skipped; where a team wins, partners share its place."""
    for row, place, _ in _ranking(match):
        if row["place"] != place:
            yield f"{row['seat']} has place {row['place']}, not {place}"


@check
def check_performance(match: Match) -> Iterator[str]:
    """1.00 to .25 evenly over the places; whoever shares a place gets the mean of the places shared."""
    for row, _, performance in _ranking(match):
        if abs(row["performance"] - performance) > 1e-6:
            yield f"{row['seat']} has a performance of {row['performance']}, not {performance:.4g}"


@check
def check_winners(match: Match) -> Iterator[str]:
    """All who share the top are the winners."""
    if not match.finished:
        return  # check_status_and_reason
    stated, due = sorted(match.record["winners"]), leaders(match.points)
    if stated != due and not (stated == [] and match.voids_everything):
        yield f"the winners are {_list(stated)}, by points {_list(due)}"


# The market

HOUSE: Final = 10


def _market_outcomes(match: Match) -> list[str]:
    return [*(SIDES if match.rules.teams else match.debaters), "draw"]


def _outcome_of(match: Match, seat: str) -> str:
    """What a debater's seat stands for: itself, or its side."""
    if not match.rules.teams or not match.rounds:
        return seat
    return next((side for side, seats in match.rounds[0].teams.items() if seat in seats), seat)


@check
def check_market_outcomes(match: Match) -> Iterator[str]:
    """Every seat (or side) and a draw can be bet on, and the house has its stake on each."""
    market = match.record["market"]
    if market is None:
        return
    due = _market_outcomes(match)
    if market["outcomes"] != due:
        yield f"the market's outcomes are {_list(market['outcomes'])}, not {_list(due)}"
    if market["house"] != dict.fromkeys(due, HOUSE):
        yield f"the house has {market['house']} instead of {HOUSE} on every outcome"


@check
def check_market_lock(match: Match) -> Iterator[str]:
    """The market locks with the verdict of half the rounds; with one round, when the first closing opens."""
    market = match.record["market"]
    if market is None:
        return
    locked = _maybe_ms(market["locked_at"])
    due: int | None = None
    if match.rules.regular > 1:
        half = next((rnd for rnd in match.rounds if rnd.number == (match.rules.regular + 1) // 2), None)
        due = half.decided if half is not None else None
    elif match.rounds:
        closings = [turn.prompted for turn in match.rounds[0].turns if turn.phase == "closing"]
        due = min(closings) if closings else match.rounds[0].decided
        if not closings and match.rounds[0].ballots:
            return  # it locked when the bench was called
    if due is None and locked is not None:
        # The closing that locked it may have been broken off before it was over.
        if match.finished or match.rules.regular > 1:
            yield "the market is locked before its time"
    elif due is not None and (locked is None or not match.same(locked, due)):
        yield f"the market is locked at {market['locked_at']}, not with what locks it"


@check
def check_wagers_are_placed_in_time(match: Match) -> Iterator[str]:
    """Wagers are numbered as they come, between the start and the lock, on an outcome there is."""
    market = match.record["market"]
    if market is None:
        return
    locked, earlier = _maybe_ms(market["locked_at"]), _maybe_ms(match.record["started_at"])
    for number, wager in enumerate(market["wagers"], 1):
        placed = ms(wager["placed_at"])
        if wager["id"] != number:
            yield f"wager {number} has the id {wager['id']}"
        if earlier is None or placed < earlier:
            yield f"wager {number} is placed before the start or an earlier one"
        if locked is not None and placed > locked:
            yield f"wager {number} is placed after the lock"
        if wager["outcome"] not in market["outcomes"]:
            yield f"wager {number} is on {wager['outcome']}, which is no outcome"
        earlier = placed


@check
def check_who_bets(match: Match) -> Iterator[str]:
    """Judges never bet, and who debates backs only that seat or side."""
    market = match.record["market"]
    if market is None:
        return
    judges = {seat.person for seat in match.judges if seat.person is not None}
    own = {seat.person: _outcome_of(match, seat.id) for seat in match.seats if seat.role == "debater" and seat.person}
    for wager in market["wagers"]:
        if wager["by"] in judges:
            yield f"wager {wager['id']} is a judge's"
        if own.get(wager["by"], wager["outcome"]) != wager["outcome"]:
            yield f"wager {wager['id']} is a debater's, and not on themselves"


@check
def check_market_is_settled(match: Match) -> Iterator[str]:
    """The winners' outcome pays, if two people had bet and one of them on it; else all stakes go back."""
    market = match.record["market"]
    if market is None:
        return
    running = [wager for wager in market["wagers"] if wager["status"] == "settled"]
    if market["status"] == "void":
        if market["winning"] or running:
            yield "the market is void but pays"
        if market["reason"] not in (("too_few", "nobody_won") if match.finished else ("cancelled",)):
            yield f"the market is void because of {market['reason']!r}"
        return
    won = {_outcome_of(match, seat) for seat in match.record["winners"]}
    due = next(iter(won)) if len(won) == 1 else "draw"
    if market["reason"] is not None:
        yield f"the market is settled but has the reason {market['reason']!r}"
    if not match.finished:
        yield "the market of a cancelled match is settled"
    elif market["winning"] != [due]:
        yield f"the market pays {_list(market['winning'])}, not {due}"
    if len({wager["by"] for wager in running}) < 2:
        yield "the market pays though fewer than two people had bet"
    if all(wager["outcome"] != due for wager in running):
        yield f"the market pays though nobody had backed {due}"


@check
def check_market_pays_to_the_coin(match: Match) -> Iterator[str]:
    """Pools are shared by largest remainder, the house last; other stakes come back whole."""
    market = match.record["market"]
    if market is None:
        return
    for wager in market["wagers"]:
        if wager["status"] != "settled" and wager["payout"] != wager["stake"]:
            yield f"wager {wager['id']} is {wager['status']}, and {wager['payout']} of {wager['stake']} come back"
    house = sum(market["house"].values())
    if market["status"] == "void":
        if market["house_payout"] != house:
            yield f"the house has {market['house_payout']} of its {house} back"
        return
    running = [wager for wager in market["wagers"] if wager["status"] == "settled"]
    pool = house + sum(wager["stake"] for wager in running)
    stakes = [wager["stake"] if wager["outcome"] in market["winning"] else 0 for wager in running]
    stakes.append(sum(market["house"].get(outcome, 0) for outcome in market["winning"]))
    total = sum(stakes)
    if not total:
        return  # check_market_is_settled
    due = [stake * pool // total for stake in stakes]
    order = sorted(range(len(stakes)), key=lambda at: (-(stakes[at] * pool % total), at))
    for at in order[: pool - sum(due)]:
        due[at] += 1
    for wager, share in zip(running, due, strict=False):
        if wager["payout"] != share:
            yield f"wager {wager['id']} is paid {wager['payout']}, not {share}"
    if market["house_payout"] != due[-1]:
        yield f"the house is paid {market['house_payout']}, not {due[-1]}"


# Fairness


@check
def check_fairness_receipt(match: Match) -> Iterator[str]:
    """The receipt is what the regular rounds of this record give."""
    if not match.finished:
        return
    stated = match.record["fairness"]
    if sorted(stated) != sorted(match.debaters):
        yield f"the fairness receipt is for {_list(sorted(stated))}, not for {_list(sorted(match.debaters))}"
        return
    for seat in match.debaters:
        due = {
            "pro": sum(seat in rnd.teams["pro"] for rnd in match.regular),
            "con": sum(seat in rnd.teams["con"] for rnd in match.regular),
            "first_words": sum(seat == rnd.turns[0].seat for rnd in match.regular if rnd.turns),
            "last_words": sum(seat == rnd.turns[-1].seat for rnd in match.regular if _has_ended(match, rnd)),
            "free_turns": sum(
                turn.seat == seat and turn.phase == "free" for rnd in match.regular for turn in rnd.turns
            ),
        }
        for name, count in due.items():
            if stated[seat][name] != count:
                yield f"the fairness receipt gives {seat} {name} {stated[seat][name]}, the rounds {count}"


def _has_ended(match: Match, rnd: Round) -> bool:
    return len(rnd.turns) == _slots(match, rnd) and rnd.places > 0


@check
def check_arena_is_fair(match: Match) -> Iterator[str]:
    """In arena every seat is pro and con twice, has one first word, one last word and eight free turns."""
    if match.format != "arena" or not match.finished or any(not rnd.complete for rnd in match.regular):
        return
    due = {"pro": 2, "con": 2, "first_words": 1, "last_words": 1, "free_turns": 8}
    for seat, receipt in match.record["fairness"].items():
        for name, count in due.items():
            if receipt[name] != count:
                yield f"{seat} has {name} {receipt[name]} in arena, not {count}"


# --- running them ----------------------------------------------------------------------------------------------------


def _list(items: Iterable[object]) -> str:
    return ", ".join(str(item) for item in items) or "none"


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


class Finding(NamedTuple):
    check: str
    problem: str


def findings(record: object, *, exact: bool = False, tolerance: float = 0.25, judges: int | None = 3) -> list[Finding]:
    """What is wrong, with the name of the check that found it. `judges=None` accepts a panel of any size."""
    found = [Finding("check_schema", problem) for problem in check_schema(record)]
    if found or not isinstance(record, dict):
        return found
    found = [Finding("check_nothing_is_open", problem) for problem in check_nothing_is_open(record)]
    if found:
        return found
    match = parse(record, exact, tolerance, judges)
    return [Finding(rule.__name__, problem) for rule in CHECKS for problem in rule(match)]


def verify(
    record: dict[str, Any], *, exact: bool = False, tolerance: float = 0.25, judges: int | None = 3
) -> list[str]:
    """What is wrong with a record, in plain words; [] if nothing is.

    `exact`: times to the millisecond, for records of `--speed max`. Otherwise they may be off by `tolerance` seconds.
    """
    return [problem for _, problem in findings(record, exact=exact, tolerance=tolerance, judges=judges)]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.verifier", description="Check exported match records.")
    parser.add_argument("records", nargs="+", metavar="record.json", help="a record, or - for standard input")
    parser.add_argument("--exact", action="store_true", help="times to the millisecond (--speed max)")
    parser.add_argument("--tolerance", type=float, default=0.25, metavar="S", help="seconds a time may be off (0.25)")
    parser.add_argument("--judges", type=int, default=3, metavar="N", help="judges in the match (3)")
    options = parser.parse_args(arguments)
    wrong = False
    for name in options.records:
        try:
            raw = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
            record = json.loads(raw)
        except (OSError, ValueError) as error:
            problems = [f"cannot be read: {error}"]
        else:
            problems = verify(record, exact=options.exact, tolerance=options.tolerance, judges=options.judges)
        wrong = wrong or bool(problems)
        for problem in problems or ["correct"]:
            sys.stdout.write(f"{name}: {problem}\n".encode("utf-8", "backslashreplace").decode("utf-8"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
