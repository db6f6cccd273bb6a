"""The verifier passes correct records of every format and reports every rule when it is broken.

The correct records come from `record_maker`, which knows neither the program nor the verifier. MUTATIONS has at least
one broken record for each check; a last test asserts that, so that no check is dead code.
"""

import json
import random
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests import verifier
from tests.record_maker import Cast, Json, broken_off, make_record
from tests.verifier import FORMATS, findings, verify

ROUND_ENDS = {"p": "pro", "c": "con", "d": "draw"}


def results(letters: str) -> list[str]:
    return [ROUND_ENDS[letter] for letter in letters]


# Correct records by name. The letters are who wins rounds 1, 2, ...
BASES: dict[str, Callable[[], Json]] = {
    "classic": lambda: make_record("classic", results=results("pcppcp")),  # P0 leads alone
    "classic, two tied": lambda: make_record("classic", results=results("ppppcpp")),  # P0 P3
    "classic, three tied": lambda: make_record("classic", results=results("ccppccp")),  # P0 P3 P5, filler P1
    "classic, three tied, then two": lambda: make_record("classic", results=results("ccppcccc")),
    "classic, four tied": lambda: make_record("classic", results=results("pccppcpc")),  # P0 P2 P4 P5
    "classic, five tied": lambda: make_record("classic", results=results("ppcpcpcc"), void={4}),  # not P5
    "classic, six tied": lambda: make_record("classic", results=results("pppppppp")),
    "classic, shared to the end": lambda: make_record("classic", results=results("ppppcp"), void={7, 8, 9}),
    "classic, ballots missing": lambda: make_record(
        "classic",
        results=results("pcppcp"),
        ballots={
            1: [Cast("pro", "timeout"), Cast("pro", "broken", lead=-3), Cast("con", lead=-1)],
            2: [Cast("con", lead=-1), Cast("con", lead=-1), Cast("pro", "absent")],
        },
    ),
    "classic, turns missing": lambda: make_record(
        "classic",
        results=results("pcppcp"),
        unsaid={
            (1, 2): "forfeited",
            (1, 6): "skipped",
            (2, 15): "withdrawn",
            (4, 1): "forfeited",
            (4, 15): "forfeited",
        },
    ),
    "classic, con silent in round 2": lambda: make_record(
        "classic", seed=5, unsaid={(2, turn): "forfeited" for turn in (2, 4, 6, 8, 10, 12, 14)}
    ),
    "classic, models": lambda: make_record(
        "classic", results=results("pcppcp"), models={"P0": "m-large", "P3": "m-small"}
    ),
    "classic, people": lambda: make_record(
        "classic",
        results=results("pcppcp"),
        tempo="relaxed",
        humans=["P0", "P4", "J1", "J2"],
        unsaid={(1, 5): "forfeited", (1, 9): "forfeited"},  # P0 is replaced before turn 15
        ballots={number: [Cast("pro", lead=4), Cast("pro", "timeout"), Cast("pro", lead=0)] for number in (1, 3)}
        | {number: [Cast("con", lead=-4), Cast("pro", "timeout"), Cast("con", lead=-1)] for number in (2,)},
    ),
    "arena": lambda: make_record("arena", results=results("pcppcp")),
    "arena, drawn rounds": lambda: make_record("arena", results=results("ppppcd")),  # P0 leads alone
    "arena, two tied": lambda: make_record("arena", results=results("ppppcpdp")),
    "arena, three tied": lambda: make_record("arena", results=results("ccppccddc")),
    "arena, four tied": lambda: make_record("arena", results=results("pccppcdcd")),
    "arena, five tied": lambda: make_record("arena", results=results("ppcpcpdcp"), void={4}),
    "arena, six tied": lambda: make_record("arena", results=results("ddddddppd")),
    "arena, shared to the end": lambda: make_record("arena", results=results("ppppcpddd")),
    "duel": lambda: make_record("duel", results=["con"]),
    "duel, drawn": lambda: make_record("duel", results=["draw"]),
    "duel, no ballot": lambda: make_record("duel", ballots={1: [Cast("abstain", "timeout")] * 3}),
    "duel, scores decide": lambda: make_record(
        "duel", ballots={1: [Cast("pro", lead=1), Cast("con", lead=-9), Cast("abstain", "broken", lead=2)]}
    ),
    "duel, silent": lambda: make_record("duel", unsaid={(1, turn): "forfeited" for turn in (1, 4, 6, 7)}),
    "duel, people": lambda: make_record("duel", results=["pro"], tempo="relaxed", humans=["P0", "J0"]),
    "duel, by letter": lambda: make_record("duel", results=["pro"], tempo="correspondence", humans=["P0", "P1"]),
    "doubles": lambda: make_record("doubles", results=["pro"]),
    "doubles, drawn": lambda: make_record("doubles", results=["draw"]),
}


def with_market(
    record: Json, locked_at: str, winning: str | None, wagers: list[tuple[str, str, int, str, int]]
) -> Json:
    """The record with a market. A wager is (by, outcome, stake, status, payout)."""
    seats = [seat["seat"] for seat in record["seats"] if seat["role"] == "debater"]
    names = [*(seats if len(record["rounds"]) > 1 else ["pro", "con"]), "draw"]
    back = 10 * len(names) if winning is None else record.pop("_house")
    record["market"] = {
        "outcomes": names,
        "locked_at": locked_at,
        "status": "void" if winning is None else "settled",
        "reason": "nobody_won" if winning is None else None,
        "house": dict.fromkeys(names, 10),
        "house_payout": back,
        "wagers": [
            {
                "id": number,
                "by": by,
                "outcome": outcome,
                "stake": stake,
                "placed_at": record["started_at"],
                "status": status,
                "payout": payout,
            }
            for number, (by, outcome, stake, status, payout) in enumerate(wagers, 1)
        ],
        "winning": [] if winning is None else [winning],
    }
    return record


def _classic_with_market() -> Json:
    """P0 leads alone. 7 seats of 10 and 7 + 7 + 20: 104 coins for 7 + 7 + 10 on P0: 30.33, 30.33, 43.33."""
    record: Json = make_record("classic", results=results("pcppcp")) | {"_house": 43}
    wagers = [
        ("u-1", "P0", 7, "settled", 31),
        ("u-2", "P0", 7, "settled", 30),
        ("u-3", "P4", 20, "settled", 0),
        ("u-3", "P5", 9, "withdrawn", 9),
        ("u-4", "draw", 50, "refunded", 50),
    ]
    return with_market(record, record["rounds"][2]["decided_at"], "P0", wagers)


def _duel_with_market() -> Json:
    """Con wins. 30 and 5 + 5: 40 coins for 5 + 10 on con: 13.33 and 26.67."""
    record: Json = make_record("duel", results=["con"]) | {"_house": 27}
    wagers = [("u-1", "con", 5, "settled", 13), ("u-2", "pro", 5, "settled", 0)]
    return with_market(record, record["rounds"][0]["turns"][6]["prompted_at"], "con", wagers)


def _duel_with_void_market() -> Json:
    record = make_record("duel", results=["pro"], tempo="relaxed", humans=["P0", "J0"])
    wagers = [("u-1", "con", 5, "refunded", 5), ("u-2", "con", 5, "refunded", 5)]
    return with_market(record, record["rounds"][0]["turns"][6]["prompted_at"], None, wagers)


BASES |= {
    "classic, market": _classic_with_market,
    "duel, market": _duel_with_market,
    "duel, void market": _duel_with_void_market,
}


@cache
def _base(name: str) -> str:
    return json.dumps(BASES[name]())


def base(name: str) -> Json:
    return json.loads(_base(name))


def turn(record: Json, number: int, n: int) -> Json:
    return record["rounds"][number - 1]["turns"][n - 1]


def move(thing: Json, name: str, milliseconds: int) -> None:
    thing[name] = moved(thing[name], milliseconds)


def moved(time: str, milliseconds: int) -> str:
    then = datetime.fromisoformat(time) + timedelta(milliseconds=milliseconds)
    return then.strftime("%Y-%m-%dT%H:%M:%S.") + f"{then.microsecond // 1000:03d}Z"


def delay(thing: Any, since: str, milliseconds: int) -> None:
    """Moves every time from that moment on, so that only the gap before it is wrong; a deadline with its prompt."""
    started = thing["prompted_at"] if isinstance(thing, dict) and "deadline" in thing else since
    for key, value in thing.items() if isinstance(thing, dict) else enumerate(thing):
        if key == "deadline" and started < since:
            continue
        if isinstance(value, dict | list):
            delay(value, since, milliseconds)
        elif isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]{12}Z", value) and value >= since:
            thing[key] = moved(value, milliseconds)


def say(thing: Json, text: str) -> None:
    thing |= {"text": text, "chars": len(text)}


def swap(one: Json, other: Json, *names: str) -> None:
    for name in names:
        one[name], other[name] = other[name], one[name]


# --- correct records -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize("tempo", ["blitz", "standard", "relaxed", "correspondence"])
def test_made_records_are_correct(fmt: str, tempo: str) -> None:
    for seed in range(6):
        record = make_record(fmt, seed=seed, tempo=tempo)
        assert findings(record, exact=True) == []
        assert findings(record) == []


@pytest.mark.parametrize("name", BASES)
def test_bases_are_correct(name: str) -> None:
    assert findings(base(name), exact=True) == []
    assert findings(base(name)) == []


@pytest.mark.parametrize(
    ("name", "tied", "tiebreaks", "winners"),
    [
        ("classic", 1, 0, ["P0"]),
        ("classic, two tied", 2, 1, ["P0"]),
        ("classic, three tied", 3, 1, ["P0"]),
        ("classic, three tied, then two", 3, 2, ["P3"]),
        ("classic, four tied", 4, 2, ["P0"]),
        ("classic, five tied", 5, 2, ["P1"]),
        ("classic, six tied", 6, 2, ["P3"]),
        ("classic, shared to the end", 2, 3, ["P0", "P3"]),
        ("arena, two tied", 2, 2, ["P3"]),
        ("arena, three tied", 3, 3, ["P3", "P5"]),
        ("arena, four tied", 4, 3, None),
        ("arena, five tied", 5, 3, None),
        ("arena, six tied", 6, 2, None),
        ("arena, shared to the end", 2, 3, ["P0", "P3"]),
    ],
)
def test_bases_are_what_they_are_called(name: str, tied: int, tiebreaks: int, winners: list[str] | None) -> None:
    record = base(name)
    match = verifier.parse(record, True, 0, 3)
    after_regular = match.tiebreaks[0].before if match.tiebreaks else match.points
    assert len(verifier.leaders(after_regular)) == tied
    assert len(match.tiebreaks) == tiebreaks
    assert winners is None or record["winners"] == winners


def test_performance_is_what_the_rules_print() -> None:
    rows = base("duel")["standings"]
    assert sorted(row["performance"] for row in rows) == [0.25, 1.0]
    rows = base("doubles, drawn")["standings"]
    assert [row["performance"] for row in rows] == [0.625] * 4
    assert [row["place"] for row in rows] == [1] * 4


def test_people_are_replaced_in_the_base() -> None:
    record = base("classic, people")
    assert [bool(seat["replaced"]) for seat in record["seats"]] == [True, *[False] * 6, True, False]
    assert turn(record, 1, 15)["source"] == "house"
    assert turn(record, 2, 3)["source"] == "person"


def test_a_cancelled_match_is_accepted_wherever_it_broke_off() -> None:
    for name in ("classic, two tied", "arena, six tied", "duel"):
        for number in range(1, len(base(name)["rounds"]) + 1):
            for turns in (0, 3, 7):
                assert findings(broken_off(base(name), number, turns), exact=True) == []


def test_a_match_cancelled_before_its_start_is_accepted() -> None:
    record = broken_off(base("classic"), 1, 0) | {"rounds": [], "started_at": None}
    assert findings(record, exact=True) == []
    assert findings(record | {"finished_at": None}, exact=True) == []


def test_a_match_cancelled_between_rounds_is_accepted() -> None:
    record = base("classic")
    standings = [row | {"points": 0} for row in record["standings"]]
    for rnd in record["rounds"][:2]:
        for row in standings:
            row["points"] += rnd["points"].get(row["seat"], 0)
    record |= {"status": "cancelled", "reason": "asked for", "rounds": record["rounds"][:2], "winners": []}
    assert findings(record | {"standings": standings, "fairness": {}}, exact=True) == []
    assert findings(record | {"standings": [], "fairness": None}, exact=True) == []


def test_a_match_cancelled_during_the_reveals_is_accepted() -> None:
    record = base("classic")
    last = record["rounds"][2]
    last |= {"decided_at": None, "winner": None, "points": None}
    last["ballots"][2]["revealed_at"] = None
    record |= {"status": "cancelled", "reason": "asked for", "rounds": record["rounds"][:3], "winners": []}
    assert findings(record | {"standings": [], "fairness": None}, exact=True) == []


def test_a_moderator_may_void_a_round_before_its_end() -> None:
    record = make_record("duel", void={1})
    rnd = record["rounds"][0]
    rnd |= {"turns": rnd["turns"][:5], "ballots": []}
    for receipt in record["fairness"].values():
        receipt["last_words"] = 0
    for each in rnd["turns"]:
        assert each["phase"] in ("opening", "free")
    for seat, receipt in record["fairness"].items():
        receipt["free_turns"] = sum(each["seat"] == seat and each["phase"] == "free" for each in rnd["turns"])
    assert findings(record, exact=True) == []
    assert findings(record | {"winners": []}, exact=True) == []


def test_what_the_record_does_not_name_is_ignored_also_in_a_market() -> None:
    record = base("classic, market")
    record["market"]["later"] = record["market"]["wagers"][0]["later"] = 1
    record["later"] = {"x": 1}
    turn(record, 1, 1)["later"] = None
    record["pauses"] = [
        {"at": record["rounds"][1]["decided_at"], "wall_seconds": 3.5, "by": "system", "why": "restart"}
    ]
    record["teams"] = None
    record["resumed"] = 1
    assert findings(record, exact=True) == []


def test_a_round_may_have_a_flow_an_audience_cards_and_parts() -> None:
    record = base("doubles")
    rnd = record["rounds"][0]
    rnd["flow"] = [
        {"id": "1", "seat": "P0", "turn": 1, "claim": "x", "answered_by": ["2"], "dropped": False, "conceded": False}
    ]
    rnd["audience"] = {
        "before": {"pro": 1, "con": 2, "undecided": 0},
        "after": {},
        "both": 0,
        "swing": {"pro": 0.0, "con": 0.0},
        "peoples_choice": {"pro": 0, "con": 0},
    }
    turn(record, 1, 1)["cards"] = [{"id": "c", "tag": "t", "cite": "x", "quote": "q", "span": [0, 120]}]
    say(turn(record, 1, 1), "One.\n\nTwo.")
    turn(record, 1, 1)["parts"] = ["One.", "Two."]
    record["teams"] = [{"team": "pro", "seats": rnd["pro"]}, {"team": "con", "seats": rnd["con"]}]
    assert findings(record, exact=True) == []


@pytest.mark.parametrize("text", ["🙂" * 400, "क्‍ष", "👩‍🚀", "a\n\n\nb", "می‌خواهم", "Ünï"])
def test_texts_that_the_rules_let_pass(text: str) -> None:
    record = base("classic")
    say(turn(record, 1, 5), text)
    assert findings(record, exact=True) == []


def test_a_panel_of_five_when_it_is_asked_for() -> None:
    record = make_record("arena", judges=5)
    assert findings(record, exact=True, judges=5) == []
    assert findings(record, exact=True, judges=None) == []
    assert {finding.check for finding in findings(record)} == {"check_number_of_judges"}


def test_classic_with_two_judges_may_end_either_way() -> None:
    record = make_record("classic", judges=2, ballots={1: [Cast("pro", lead=1), Cast("con", lead=-1)]})
    assert "check_winner" not in {finding.check for finding in findings(record, judges=2)}


def test_points_may_list_those_that_get_none() -> None:
    record = base("classic")
    record["rounds"][0]["points"] = {"P0": 0, "P1": 0, "P2": 0, "P3": 0} | record["rounds"][0]["points"]
    assert findings(record, exact=True) == []


def test_times_may_be_off_by_the_tolerance_unless_they_must_be_exact() -> None:
    record = base("arena")
    for number in (1, 2, 3):
        delay(record, turn(record, number, 4)["prompted_at"], 200)
        delay(record, record["rounds"][number - 1]["ballots"][1]["revealed_at"], -200)
    assert findings(record) == []
    assert findings(record, tolerance=0.1) != []
    assert findings(record, exact=True) != []


def test_a_moderator_may_void_a_round_of_arena_before_its_end() -> None:
    record = make_record("arena", results=results("ppppcd"), void={3})
    rnd = record["rounds"][2]
    record["fairness"][rnd["turns"][-1]["seat"]]["last_words"] -= 1
    for each in rnd["turns"][6:]:
        record["fairness"][each["seat"]]["free_turns"] -= each["phase"] == "free"
    rnd |= {"turns": rnd["turns"][:6], "ballots": []}
    assert findings(record, exact=True) == []


def test_a_moderator_may_void_a_round_during_its_reveals() -> None:
    record = make_record("classic", void={3})
    record["rounds"][2]["ballots"][2]["revealed_at"] = None
    assert findings(record, exact=True) == []


def test_the_last_millisecond_counts() -> None:
    record = base("classic")
    _close_after_deadline(record, turn(record, 1, 3), 0)
    _close_after_deadline(record, turn(record, 1, 4), -turn(record, 1, 4)["timeout_s"] * 1000)
    assert turn(record, 1, 4)["closed_at"] == turn(record, 1, 4)["prompted_at"]
    _cast_at(record, 1, 30)
    record["rounds"][0]["ballots"][0]["cast_at"] = turn(record, 1, 15)["closed_at"]
    assert findings(record, exact=True) == []


def test_lowest_and_highest_score() -> None:
    record = base("classic")
    scores = record["rounds"][0]["ballots"][0]["scores"]
    scores["pro"]["argument"], scores["con"]["argument"] = 10, 0
    assert findings(record, exact=True) == []


@pytest.mark.parametrize("source", ["person", "house"])
def test_in_the_slot_in_which_a_person_is_replaced_either_may_speak(source: str) -> None:
    record = base("classic, people")
    record["seats"][0]["replaced"][0]["at"] = turn(record, 1, 15)["prompted_at"]
    turn(record, 1, 15)["source"] = source
    assert findings(record, exact=True) == []


def test_a_person_may_take_the_seat_back() -> None:
    record = base("classic, people")
    seat, back = record["seats"][0], record["rounds"][0]["decided_at"]
    seat["replaced"].append({"at": back, "kind": "human", "name": seat["name"]})
    for rnd in record["rounds"][1:]:
        for each in rnd["turns"]:
            each["source"] = "person" if each["seat"] == "P0" else each["source"]
    assert findings(record, exact=True) == []


def test_a_replaced_seat_may_name_the_person_and_the_model() -> None:
    record = base("classic, people")
    record["seats"][0]["model"] = "house"
    assert findings(record, exact=True) == []


def _people_are_slower(record: Json) -> None:
    """What a platform does to a person's slots, all within the rules."""
    late = [each for rnd in record["rounds"] for each in rnd["turns"] if each["source"] == "person"]
    delay(record, late[0]["prompted_at"], 3_000)  # the prompt took 3 s to arrive
    move(late[0], "deadline", 800)  # the printed deadline was rounded up
    extra = 7 * late[1]["timeout_s"]
    late[1]["timeout_s"] += extra  # the seat has a multiplier of its own
    move(late[1], "deadline", 1000 * extra)
    late_by = 400 + (datetime.fromisoformat(late[2]["deadline"]) - datetime.fromisoformat(late[2]["closed_at"])) // (
        timedelta(milliseconds=1)
    )
    prompted = late[2]["prompted_at"]
    delay(record, moved(late[2]["closed_at"], 0), late_by)
    late[2]["prompted_at"] = prompted
    late[2]["deadline"] = moved(late[2]["closed_at"], -400)  # stamped 0.4 s past the deadline


def test_people_are_given_what_the_platform_costs_them() -> None:
    record = base("duel, people")
    _people_are_slower(record)
    assert findings(record) == []
    assert findings(record, exact=True) != []


def test_a_person_judges_as_long_as_their_prompt_gives_them() -> None:
    record = base("duel, people")
    ballots = record["rounds"][0]["ballots"]
    latest = max(ballot["cast_at"] for ballot in ballots)
    delay(record, latest, 240_000)
    assert findings(record, exact=True) == []


# --- broken records --------------------------------------------------------------------------------------------------


class Mutation(NamedTuple):
    rule: str
    base: str
    name: str
    change: Callable[[Json], Any]
    options: dict[str, Any]


MUTATIONS: list[Mutation] = []
EXACT = {"exact": True}


def breaks(rule: str, *bases: str, **options: Any) -> Callable[[Callable[[Json], Any]], Callable[[Json], Any]]:
    """Registers a change of a correct record that this check must report."""

    def register(change: Callable[[Json], Any]) -> Callable[[Json], Any]:
        for name in bases or ("classic",):
            MUTATIONS.append(Mutation(rule, name, change.__name__, change, EXACT | options))
        return change

    return register


# gates


@breaks("check_schema")
def a_record_of_another_version(record: Json) -> None:
    record["record"] = 2


@breaks("check_schema")
def an_unknown_format(record: Json) -> None:
    record["format"] = "quick"


@breaks("check_schema")
def a_time_without_milliseconds(record: Json) -> None:
    record["finished_at"] = "2000-01-01T02:00:00Z"


@breaks("check_schema")
def a_time_in_another_zone(record: Json) -> None:
    record["finished_at"] = "2000-01-01T02:00:00.000+01:00"


@breaks("check_schema")
def a_day_that_does_not_exist(record: Json) -> None:
    record["finished_at"] = "2000-02-30T02:00:00.000Z"


@breaks("check_schema")
def a_score_of_eleven(record: Json) -> None:
    record["rounds"][0]["ballots"][0]["scores"]["con"]["evidence"] = 11


@breaks("check_schema")
def a_score_that_is_not_whole(record: Json) -> None:
    record["rounds"][0]["ballots"][0]["scores"]["pro"]["argument"] = 6.5


@breaks("check_schema")
def a_count_that_is_a_truth_value(record: Json) -> None:
    record["resumed"] = False


@breaks("check_schema")
def a_phase_of_another_format(record: Json) -> None:
    turn(record, 1, 1)["phase"] = "crossfire"


@breaks("check_schema")
def a_performance_that_is_no_number(record: Json) -> None:
    record["standings"][0]["performance"] = float("nan")


@breaks("check_schema")
def a_market_that_is_half_there(record: Json) -> None:
    record["market"] = {"outcomes": []}


@breaks("check_nothing_is_open")
def a_finished_match_that_never_ended(record: Json) -> None:
    record["finished_at"] = None


@breaks("check_nothing_is_open")
def a_finished_match_without_a_receipt(record: Json) -> None:
    record["fairness"] = None


@breaks("check_nothing_is_open")
def rounds_of_a_match_that_never_started(record: Json) -> None:
    record |= {"started_at": None, "status": "cancelled", "reason": "x", "winners": []}


@breaks("check_nothing_is_open")
def a_round_that_was_never_decided(record: Json) -> None:
    record["rounds"][2] |= {"decided_at": None}


@breaks("check_nothing_is_open")
def a_last_round_that_was_never_decided(record: Json) -> None:
    record["rounds"][-1] |= {"decided_at": None, "winner": None, "points": None}


@breaks("check_nothing_is_open")
def an_earlier_round_of_a_cancelled_match_that_was_never_decided(record: Json) -> None:
    record |= broken_off(record, 3, 2)
    record["rounds"][1]["decided_at"] = None


@breaks("check_nothing_is_open")
def a_round_without_a_winner(record: Json) -> None:
    record["rounds"][2] |= {"winner": None}


@breaks("check_nothing_is_open")
def a_turn_that_was_never_closed(record: Json) -> None:
    turn(record, 2, 3).update(closed_at=None, outcome=None)


@breaks("check_nothing_is_open")
def a_turn_without_an_outcome(record: Json) -> None:
    turn(record, 2, 3)["outcome"] = None


@breaks("check_nothing_is_open")
def a_turn_said_by_nobody(record: Json) -> None:
    turn(record, 2, 3)["source"] = None


@breaks("check_nothing_is_open")
def a_ballot_that_was_never_revealed(record: Json) -> None:
    record["rounds"][2]["ballots"][1]["revealed_at"] = None


@breaks("check_nothing_is_open")
def a_ballot_without_a_reason(record: Json) -> None:
    record["rounds"][2]["ballots"][1]["reason"] = None


@breaks("check_nothing_is_open")
def an_open_turn_before_the_last_in_a_cancelled_match(record: Json) -> None:
    record |= broken_off(record, 2, 5)
    turn(record, 2, 3).update(closed_at=None, outcome=None)


# seats and people


@breaks("check_seat_names", "classic", "duel")
def a_debater_called_otherwise(record: Json) -> None:
    record["seats"][1]["seat"] = "P7"


@breaks("check_seat_names")
def a_judge_called_otherwise(record: Json) -> None:
    record["seats"][7]["seat"] = "Judge"


@breaks("check_seat_names", "classic", "arena", "duel", "doubles")
def one_debater_too_many(record: Json) -> None:
    record["seats"].append(record["seats"][0] | {"seat": "P6", "name": "Zoe"})


@breaks("check_seat_names")
def the_same_seat_twice(record: Json) -> None:
    record["seats"][1]["seat"] = "P0"


@breaks("check_number_of_judges", "classic", "duel")
def two_judges(record: Json) -> None:
    del record["seats"][-1]


@breaks("check_number_of_judges", judges=None)
def no_judges(record: Json) -> None:
    record["seats"] = record["seats"][:6]


@breaks("check_kind_of_holder", "duel, people")
def a_person_without_an_id(record: Json) -> None:
    record["seats"][0]["person"] = None


@breaks("check_kind_of_holder", "duel, people")
def a_person_with_a_model(record: Json) -> None:
    record["seats"][0]["model"] = "house"


@breaks("check_kind_of_holder")
def an_ai_with_a_person(record: Json) -> None:
    record["seats"][0]["person"] = "u-1"


@breaks("check_kind_of_holder")
def an_ai_without_a_model(record: Json) -> None:
    record["seats"][8]["model"] = None


@breaks("check_ai_names_differ")
def two_debaters_of_the_same_name(record: Json) -> None:
    record["seats"][4]["name"] = record["seats"][1]["name"]


@breaks("check_ai_names_differ")
def a_judge_with_a_debaters_name(record: Json) -> None:
    record["seats"][8]["name"] = record["seats"][1]["name"].upper()


@breaks("check_ai_names_differ", "classic, people")
def a_replacement_with_another_ais_name(record: Json) -> None:
    record["seats"][0]["replaced"][0]["name"] = record["seats"][1]["name"]


@breaks("check_person_has_one_seat", "duel, people", "classic, people")
def a_debater_who_judges(record: Json) -> None:
    people = [seat for seat in record["seats"] if seat["kind"] == "human"]
    people[-1]["person"] = people[0]["person"]


@breaks("check_ids_are_opaque", "duel, people")
def a_name_for_an_id(record: Json) -> None:
    record["seats"][0]["person"] = record["seats"][0]["name"].lower()


@breaks("check_ids_are_opaque", "duel, people")
def an_address_for_an_id(record: Json) -> None:
    record["seats"][0]["person"] = "ada@example.org"


@breaks("check_ids_are_opaque", "duel, people")
def a_pause_by_a_name(record: Json) -> None:
    name = record["seats"][0]["name"]
    record["pauses"] = [{"at": record["started_at"], "wall_seconds": 1, "by": name, "why": "tea"}]


@breaks("check_ids_are_opaque", "duel, people")
def a_wager_by_a_name(record: Json) -> None:
    name, at = record["seats"][0]["name"], record["started_at"]
    wager = {"id": 1, "by": name, "outcome": "pro", "stake": 1, "placed_at": at, "status": "refunded", "payout": 1}
    record["market"] = {
        "outcomes": ["pro", "con", "draw"],
        "locked_at": at,
        "status": "void",
        "reason": "x",
        "house": {},
        "house_payout": 0,
        "wagers": [wager],
        "winning": [],
    }


@breaks("check_absent_people_are_replaced", "classic, people")
def a_debater_who_misses_two_and_stays(record: Json) -> None:
    record["seats"][0]["replaced"] = []


@breaks("check_absent_people_are_replaced", "classic, people")
def a_judge_who_misses_two_and_stays(record: Json) -> None:
    record["seats"][7]["replaced"] = []


@breaks("check_absent_people_are_replaced", "classic, people")
def a_debater_who_is_replaced_too_late(record: Json) -> None:
    record["seats"][0]["replaced"][0]["at"] = record["rounds"][0]["decided_at"]


# the match as a whole


@breaks("check_status_and_reason")
def a_finished_match_with_a_reason(record: Json) -> None:
    record["reason"] = "because"


@breaks("check_status_and_reason")
def a_cancelled_match_without_a_reason(record: Json) -> None:
    record |= broken_off(record, 2, 3) | {"reason": None}


@breaks("check_status_and_reason")
def a_cancelled_match_with_winners(record: Json) -> None:
    record |= broken_off(record, 2, 3) | {"winners": ["P0"]}


@breaks("check_virtual_clock_starts_in_2000")
def a_virtual_clock_that_starts_later(record: Json) -> None:
    move(record, "opened_at", 1)


@breaks("check_times_go_forward")
def a_start_before_the_opening(record: Json) -> None:
    move(record, "started_at", -2000)


@breaks("check_times_go_forward")
def a_start_after_the_first_turn(record: Json) -> None:
    record["started_at"] = moved(turn(record, 1, 1)["prompted_at"], 1)


@breaks("check_times_go_forward")
def a_turn_that_closes_before_it_opens(record: Json) -> None:
    turn(record, 1, 5)["closed_at"] = moved(turn(record, 1, 5)["prompted_at"], -1)


@breaks("check_times_go_forward", "duel")
def a_match_that_ends_before_its_decision(record: Json) -> None:
    record["finished_at"] = moved(record["rounds"][-1]["decided_at"], -1)


@breaks("check_events_are_within_the_match")
def a_pause_after_the_end(record: Json) -> None:
    at = moved(record["finished_at"], 1)
    record["pauses"] = [{"at": at, "wall_seconds": 1, "by": "system", "why": "restart"}]


@breaks("check_events_are_within_the_match")
def pauses_out_of_order(record: Json) -> None:
    times = (record["finished_at"], record["started_at"])
    record["pauses"] = [{"at": at, "wall_seconds": 1, "by": "system", "why": "restart"} for at in times]


@breaks("check_events_are_within_the_match", "classic, people")
def a_replacement_before_the_opening(record: Json) -> None:
    record["seats"][0]["replaced"][0]["at"] = "1999-12-31T23:59:59.999Z"


@breaks("check_usage_adds_up", "classic", "classic, models")
def a_call_that_no_turn_made(record: Json) -> None:
    record["usage"]["calls"] += 1


@breaks("check_usage_adds_up", "classic, models")
def money_that_no_turn_cost(record: Json) -> None:
    record["usage"]["usd"] += 0.01


@breaks("check_teams")
def teams_where_seats_win(record: Json) -> None:
    record["teams"] = [{"team": "x", "seats": ["P0", "P1"]}]


@breaks("check_teams", "doubles")
def teams_that_are_not_the_sides(record: Json) -> None:
    record["teams"] = [{"team": "pro", "seats": ["P0", "P2"]}, {"team": "con", "seats": ["P1", "P3"]}]


@breaks("check_fields_of_other_formats", "classic", "duel")
def a_coin_flip(record: Json) -> None:
    record["rounds"][0]["coin"] = {"winner": "pro"}


@breaks("check_fields_of_other_formats")
def prep_time(record: Json) -> None:
    record["rounds"][0]["prep"] = {"pro": {"allowed_s": 480, "used_s": 0}}


@breaks("check_fields_of_other_formats")
def ranks(record: Json) -> None:
    record["rounds"][0]["ballots"][0]["ranks"] = ["pro", "con"]


# rounds and line-ups


@breaks("check_round_numbers")
def rounds_that_skip_a_number(record: Json) -> None:
    record["rounds"][3]["round"] = 5


@breaks("check_round_numbers", "classic, two tied")
def a_regular_round_after_a_tiebreak(record: Json) -> None:
    record["rounds"][5]["tiebreak"], record["rounds"][6]["tiebreak"] = True, False


@breaks("check_number_of_rounds", "classic", "arena")
def five_rounds(record: Json) -> None:
    del record["rounds"][-1]


@breaks("check_number_of_rounds", "duel", "doubles")
def two_rounds_where_one_is_played(record: Json) -> None:
    record["rounds"].append(json.loads(json.dumps(record["rounds"][0])) | {"round": 2})


@breaks("check_number_of_rounds", "classic, two tied")
def a_seventh_round_that_is_no_tiebreak(record: Json) -> None:
    record["rounds"][6]["tiebreak"] = False


@breaks("check_line_up", "classic", "arena")
def a_seat_that_plays_for_another(record: Json) -> None:
    record["rounds"][1]["con"] = ["P0", "P3"]
    record["rounds"][1]["bench"] = ["P2", "P5"]


@breaks("check_line_up", "classic", "arena")
def sides_the_wrong_way_round(record: Json) -> None:
    rnd = record["rounds"][2]
    rnd["pro"], rnd["con"] = rnd["con"], rnd["pro"]


@breaks("check_line_up")
def partners_in_the_wrong_order(record: Json) -> None:
    record["rounds"][0]["pro"].reverse()


@breaks("check_line_up", "duel", "doubles")
def a_side_with_nobody(record: Json) -> None:
    record["rounds"][0]["pro"] = []


@breaks("check_line_up", "doubles")
def one_against_three(record: Json) -> None:
    rnd = record["rounds"][0]
    rnd["con"].append(rnd["pro"].pop())


@breaks("check_line_up", "duel", "doubles")
def a_seat_on_both_sides(record: Json) -> None:
    record["rounds"][0]["pro"][0] = record["rounds"][0]["con"][0]


@breaks("check_bench", "classic", "arena")
def a_bench_with_somebody_missing(record: Json) -> None:
    record["rounds"][0]["bench"].pop()


@breaks("check_bench", "duel", "classic, two tied")
def somebody_who_plays_and_sits_on_the_bench(record: Json) -> None:
    record["rounds"][-1]["bench"].append(record["rounds"][-1]["pro"][0])


@breaks("check_rotation", "classic", "arena")
def a_seat_that_is_pro_three_times(record: Json) -> None:
    rnd = record["rounds"][1]
    rnd["pro"], rnd["con"] = rnd["con"], rnd["pro"]


@breaks("check_rotation", "classic", "arena")
def a_seat_that_plays_five_rounds(record: Json) -> None:
    record["rounds"][0]["pro"] = ["P0", "P4"]


@breaks("check_partnerships", "classic", "arena")
def partners_that_meet_again(record: Json) -> None:
    record["rounds"][3]["pro"], record["rounds"][3]["con"] = ["P0", "P2"], ["P1", "P4"]


@breaks("check_side_that_starts", "classic", "arena")
def the_other_side_starts(record: Json) -> None:
    record["rounds"][0]["first_side"] = "con"


@breaks("check_side_that_starts", "arena")
def pro_starts_in_round_four(record: Json) -> None:
    record["rounds"][3]["first_side"] = "pro"


@breaks("check_first_and_last_words", "arena")
def partners_that_swap_the_first_word(record: Json) -> None:
    _rename(record["rounds"][0]["turns"], {"P0": "P2", "P2": "P0"})


@breaks("check_first_and_last_words", "arena")
def partners_that_swap_the_last_word(record: Json) -> None:
    _rename(record["rounds"][0]["turns"], {"P1": "P3", "P3": "P1"})


def _rename(turns: list[Json], names: dict[str, str]) -> None:
    for each in turns:
        each["seat"] = names.get(each["seat"], each["seat"])


@breaks("check_motions_are_fresh", "classic", "arena")
def a_motion_debated_twice(record: Json) -> None:
    record["rounds"][4]["motion"] = record["rounds"][1]["motion"]


@breaks("check_motions_are_fresh", "classic, two tied")
def a_tiebreak_on_a_stale_motion(record: Json) -> None:
    record["rounds"][6]["motion"]["text"] = record["rounds"][1]["motion"]["text"]


# slots and speaking order


@breaks("check_number_of_turns", "classic", "arena", "duel", "doubles", "classic, two tied", "arena, two tied")
def a_turn_that_was_lost(record: Json) -> None:
    del record["rounds"][-1]["turns"][-1]


@breaks("check_number_of_turns", "classic", "arena", "duel", "doubles")
def a_turn_too_many(record: Json) -> None:
    record["rounds"][0]["turns"].append(record["rounds"][0]["turns"][-1])


@breaks("check_number_of_turns")
def more_turns_than_there_are_in_a_cancelled_match(record: Json) -> None:
    record |= broken_off(record, 1, 14)
    record["rounds"][0]["turns"] = [turn(record, 1, 1)] * 16


@breaks("check_turn_numbers")
def a_number_twice(record: Json) -> None:
    turn(record, 3, 7)["n"] = 6


@breaks("check_phases", "classic", "arena", "duel", "doubles", "arena, two tied")
def a_free_turn_called_opening(record: Json) -> None:
    rnd = record["rounds"][-1]
    next(each for each in rnd["turns"] if each["phase"] == "free")["phase"] = "opening"


@breaks("check_speaker_is_on_the_side", "classic", "duel")
def a_speaker_on_the_other_side(record: Json) -> None:
    record["rounds"][0]["turns"][2]["side"] = {"pro": "con", "con": "pro"}[record["rounds"][0]["turns"][2]["side"]]


@breaks("check_speaker_is_on_the_side", "classic", "arena")
def a_speaker_from_the_bench(record: Json) -> None:
    turn(record, 1, 6)["seat"] = "P4"


def _swap_speakers(record: Json, number: int, one: int, other: int) -> None:
    swap(turn(record, number, one), turn(record, number, other), "seat", "side")


@breaks("check_opening_order", "classic", "arena")
def con_opens(record: Json) -> None:
    _swap_speakers(record, 1, 1, 2)


@breaks("check_opening_order", "doubles", "arena, four tied")
def partners_that_open_one_after_the_other(record: Json) -> None:
    _swap_speakers(record, min(7, len(record["rounds"])), 2, 3)


@breaks("check_free_order", "classic", "arena", "doubles", "duel")
def free_turns_swapped(record: Json) -> None:
    _swap_speakers(record, 1, 5, 6)


@breaks("check_free_order", "classic", "arena", "doubles")
def a_partner_who_takes_both_free_turns(record: Json) -> None:
    turn(record, 1, 7)["seat"] = turn(record, 1, 5)["seat"]


@breaks("check_free_order", "duel", "arena, two tied")
def side_a_starts_the_free_debate(record: Json) -> None:
    turns = record["rounds"][-1]["turns"]
    for one, other in zip(turns[2:-2:2], turns[3:-2:2], strict=True):
        swap(one, other, "seat", "side")


@breaks("check_closing_order", "classic")
def pro_closes_first(record: Json) -> None:
    _swap_speakers(record, 1, 12, 13)


@breaks("check_closing_order", "arena", "doubles")
def the_second_closing_is_the_partners(record: Json) -> None:
    _swap_speakers(record, 1, 14, 16)


@breaks("check_closing_order", "arena", "doubles")
def the_first_closing_is_the_partners(record: Json) -> None:
    _swap_speakers(record, 1, 13, 15)


@breaks("check_closing_order", "duel", "classic, two tied", "arena, two tied")
def the_last_word_in_one_against_one(record: Json) -> None:
    number, last = len(record["rounds"]), len(record["rounds"][-1]["turns"])
    _swap_speakers(record, number, last - 1, last)


# what was said


@breaks("check_nothing_said", "classic, turns missing")
def a_forfeited_turn_with_text(record: Json) -> None:
    say(turn(record, 1, 2), "Too late.")


@breaks("check_nothing_said", "classic, turns missing")
def a_skipped_turn_with_a_move(record: Json) -> None:
    turn(record, 1, 6)["move"] = "argue"


@breaks("check_nothing_said", "classic, turns missing")
def a_withdrawn_turn_with_a_clip(record: Json) -> None:
    turn(record, 2, 15)["clip"] = {"file": "x.ogg", "seconds": 1.0, "format": "ogg/opus"}


@breaks("check_nothing_said", "classic, turns missing")
def a_forfeited_turn_with_parts(record: Json) -> None:
    turn(record, 1, 2)["parts"] = ["Too late."]


@breaks("check_nothing_said", "classic, turns missing")
def a_forfeited_turn_with_a_card(record: Json) -> None:
    turn(record, 1, 2)["cards"] = [{"id": "c", "tag": "t", "cite": "x", "quote": "q", "span": [0, 1]}]


@breaks("check_said_is_not_blank")
def an_empty_text(record: Json) -> None:
    say(turn(record, 1, 5), "")


@breaks("check_said_is_not_blank")
def a_text_of_braille_blanks(record: Json) -> None:
    say(turn(record, 1, 5), "\u2800\u3164\u200b")


@breaks("check_characters_are_counted")
def characters_counted_as_utf_16(record: Json) -> None:
    text = "🙂" * 10
    turn(record, 1, 5).update(text=text, chars=20)


@breaks("check_text_is_within_the_limit")
def one_over_the_limit(record: Json) -> None:
    say(turn(record, 1, 5), "🙂" * 401)


@breaks("check_text_is_within_the_limit", "duel")
def an_opening_over_the_limit(record: Json) -> None:
    say(turn(record, 1, 1), "x" * 501)


DIRTY = [
    "e\u0301",
    " x",
    "x\n",
    "a\tb",
    "a\r\nb",
    "a\x07b",
    "a\u200bb",
    "a\ufeffb",
    "a\u200d b",
    "a\n\n\n\nb",
    "a\n \n\n\nb",
]


def _dirty(text: str) -> Callable[[Json], None]:
    return lambda record: say(turn(record, 1, 5), text)


MUTATIONS += [Mutation("check_text_is_clean", "classic", f"the_text_{text!r}", _dirty(text), EXACT) for text in DIRTY]


@breaks("check_parts_make_the_text")
def parts_joined_by_a_space(record: Json) -> None:
    say(turn(record, 1, 5), "One. Two.")
    turn(record, 1, 5)["parts"] = ["One.", "Two."]


@breaks("check_moves", "classic", "duel")
def an_opening_that_rebuts(record: Json) -> None:
    turn(record, 1, 1)["move"] = "rebut"


@breaks("check_moves", "classic", "duel")
def a_free_turn_that_states(record: Json) -> None:
    turn(record, 1, 5)["move"] = "statement"


@breaks("check_moves")
def a_closing_that_asks(record: Json) -> None:
    turn(record, 1, 15)["move"] = "question"


@breaks("check_moves")
def a_free_turn_that_answers(record: Json) -> None:
    turn(record, 1, 5)["move"] = "answer"


@breaks("check_moves")
def a_turn_without_a_move(record: Json) -> None:
    turn(record, 1, 5)["move"] = None


@breaks("check_source_fits_the_holder")
def a_person_who_speaks_from_an_ais_seat(record: Json) -> None:
    turn(record, 1, 1)["source"] = "person"


@breaks("check_source_fits_the_holder", "duel, people")
def an_ai_that_speaks_from_a_persons_seat(record: Json) -> None:
    for each in record["rounds"][0]["turns"]:
        each["source"] = "house"


@breaks("check_source_fits_the_holder", "classic, people")
def a_person_who_speaks_after_being_replaced(record: Json) -> None:
    turn(record, 1, 15)["source"] = "person"


@breaks("check_fallback_is_told", "classic, models")
def a_house_turn_for_a_model_that_is_not_told(record: Json) -> None:
    next(each for each in record["rounds"][0]["turns"] if each["fallback"])["fallback"] = False


@breaks("check_fallback_is_told", "classic, models")
def a_fallback_by_a_model(record: Json) -> None:
    next(each for each in record["rounds"][0]["turns"] if each["source"] == "model")["fallback"] = True


@breaks("check_fallback_is_told", "duel, people")
def a_person_who_is_a_fallback(record: Json) -> None:
    next(each for each in record["rounds"][0]["turns"] if each["source"] == "person")["fallback"] = True


@breaks("check_fallback_is_told")
def a_house_mind_that_falls_back(record: Json) -> None:
    turn(record, 1, 1)["fallback"] = True


@breaks("check_fallback_is_told")
def a_house_mind_that_is_a_model(record: Json) -> None:
    turn(record, 1, 1)["source"] = "model"


# limits and times


@breaks("check_limits", "classic", "duel")
def an_opening_of_400(record: Json) -> None:
    turn(record, 1, 1)["limit_chars"] = 400


@breaks("check_limits")
def a_free_turn_of_500(record: Json) -> None:
    turn(record, 1, 5)["limit_chars"] = 500


@breaks("check_timeouts", "classic", "duel")
def a_second_more(record: Json) -> None:
    turn(record, 1, 1)["timeout_s"] += 1
    move(turn(record, 1, 1), "deadline", 1000)


@breaks("check_timeouts", "classic", "arena", "duel", "doubles")
def another_tempo(record: Json) -> None:
    record["tempo"] = "standard"


@breaks("check_timeouts", "duel, people")
def a_second_less_for_a_person(record: Json) -> None:
    late = next(each for each in record["rounds"][0]["turns"] if each["source"] == "person")
    late["timeout_s"] -= 1
    move(late, "deadline", -1000)


@breaks("check_deadlines", "classic", "arena", "duel", "doubles")
def a_deadline_off_by_a_millisecond(record: Json) -> None:
    move(turn(record, 1, 1), "deadline", 1)


@breaks("check_deadlines", "duel, people", exact=False)
def a_deadline_before_a_persons_time_is_up(record: Json) -> None:
    for each in record["rounds"][0]["turns"]:
        move(each, "deadline", -500)


@breaks("check_deadlines", "duel, by letter", exact=False)
def a_deadline_before_a_day_is_up(record: Json) -> None:
    move(turn(record, 1, 1), "deadline", -3_600_000)


def _close_after_deadline(record: Json, each: Json, milliseconds: int) -> None:
    closed, deadline, prompted = each["closed_at"], each["deadline"], each["prompted_at"]
    late = datetime.fromisoformat(deadline) - datetime.fromisoformat(closed)
    delay(record, closed, late // timedelta(milliseconds=1) + milliseconds)
    each |= {"deadline": deadline, "prompted_at": prompted}


@breaks("check_no_turn_after_its_deadline", "classic", "duel")
@breaks("check_no_turn_after_its_deadline", "classic", exact=False)
def a_turn_said_a_millisecond_late(record: Json) -> None:
    _close_after_deadline(record, turn(record, 1, 3), 1)


@breaks("check_no_turn_after_its_deadline", "duel, people")
def a_person_who_speaks_too_late(record: Json) -> None:
    late = next(each for each in record["rounds"][0]["turns"] if each["source"] == "person")
    _close_after_deadline(record, late, 501)


@breaks("check_no_turn_after_its_deadline", "classic, turns missing", exact=False)
def a_turn_skipped_after_the_deadline(record: Json) -> None:
    _close_after_deadline(record, turn(record, 1, 6), 300)


@breaks("check_forfeits_at_the_deadline", "classic, turns missing")
def a_turn_forfeited_a_millisecond_late(record: Json) -> None:
    _close_after_deadline(record, turn(record, 1, 2), 1)


@breaks("check_forfeits_at_the_deadline", "classic, turns missing", "classic, people", exact=False)
def a_turn_forfeited_before_the_deadline(record: Json) -> None:
    each = next(each for each in record["rounds"][0]["turns"] if each["outcome"] == "forfeited")
    move(each, "closed_at", -1000)


@breaks("check_forfeits_at_the_deadline", "classic, people", exact=False)
def a_persons_slot_held_open_for_too_long(record: Json) -> None:
    _close_after_deadline(record, turn(record, 1, 5), 2251)


@breaks("check_forfeits_at_the_deadline", "classic, people")
def a_persons_slot_held_open_on_an_exact_clock(record: Json) -> None:
    _close_after_deadline(record, turn(record, 1, 5), 1)


@breaks("check_no_turn_after_its_deadline", "duel, people", exact=False)
def a_person_who_speaks_after_the_slot_was_held_open(record: Json) -> None:
    late = next(each for each in record["rounds"][0]["turns"] if each["source"] == "person")
    _close_after_deadline(record, late, 2251)


@breaks("check_deadlines", "duel, people", exact=False)
def a_persons_deadline_more_than_rounded_up(record: Json) -> None:
    for each in record["rounds"][0]["turns"]:
        if each["source"] == "person":
            move(each, "deadline", 1251)


@breaks("check_pace_within_rounds", "classic", "arena", "duel", "doubles", "classic, two tied")
def a_turn_that_opens_a_millisecond_late(record: Json) -> None:
    delay(record, turn(record, len(record["rounds"]), 4)["prompted_at"], 1)


@breaks("check_pace_within_rounds", exact=False)
def a_turn_that_opens_after_nine_seconds(record: Json) -> None:
    delay(record, turn(record, 2, 4)["prompted_at"], -1000)


@breaks("check_pace_within_rounds", "duel, people", exact=False)
def a_person_who_is_prompted_after_nine_seconds(record: Json) -> None:
    late = [each for each in record["rounds"][0]["turns"][1:] if each["source"] == "person"]
    delay(record, late[0]["prompted_at"], -1000)


@breaks("check_pace_within_rounds", "duel, people", exact=False)
def a_person_who_is_prompted_a_minute_late(record: Json) -> None:
    late = [each for each in record["rounds"][0]["turns"][1:] if each["source"] == "person"]
    delay(record, late[0]["prompted_at"], 60_251)


@breaks("check_pace_within_rounds", "duel, people")
def a_person_who_is_prompted_late_on_an_exact_clock(record: Json) -> None:
    late = [each for each in record["rounds"][0]["turns"][1:] if each["source"] == "person"]
    delay(record, late[0]["prompted_at"], 1)


@breaks("check_pace_between_rounds", "classic", "arena", "classic, two tied")
def a_round_that_opens_a_millisecond_late(record: Json) -> None:
    delay(record, turn(record, len(record["rounds"]), 1)["prompted_at"], 1)


# judging


@breaks("check_every_judge_votes_once", "classic", "duel")
def a_ballot_that_was_lost(record: Json) -> None:
    record["rounds"][0]["ballots"].pop()


@breaks("check_every_judge_votes_once")
def a_judge_who_votes_twice(record: Json) -> None:
    record["rounds"][0]["ballots"][0]["judge"] = "J1"


@breaks("check_every_judge_votes_once", "classic", "duel")
def a_second_ballot(record: Json) -> None:
    record["rounds"][0]["ballots"].append(record["rounds"][0]["ballots"][0])


@breaks("check_every_judge_votes_once")
def a_ballot_of_a_debater_besides(record: Json) -> None:
    ballots = record["rounds"][0]["ballots"]
    ballots.append(ballots[0] | {"judge": "P4"})


@breaks("check_every_judge_votes_once")
def a_debater_who_votes(record: Json) -> None:
    record["rounds"][0]["ballots"][0]["judge"] = "P0"


@breaks("check_votes", "classic, ballots missing")
def a_missing_ballot_for_con(record: Json) -> None:
    record["rounds"][0]["ballots"][0]["vote"] = "con"


@breaks("check_votes", "classic", "classic, ballots missing")
def an_abstention_in_classic(record: Json) -> None:
    record["rounds"][0]["ballots"][0]["vote"] = "abstain"


@breaks("check_votes", "duel, no ballot", "duel, drawn")
def a_missing_ballot_for_pro(record: Json) -> None:
    record["rounds"][0]["ballots"][2]["vote"] = "pro"


@breaks("check_missing_ballot_has_no_scores", "classic, ballots missing")
def scores_of_a_ballot_that_never_came(record: Json) -> None:
    ballots = record["rounds"][0]["ballots"]
    ballots[0]["scores"] = ballots[2]["scores"]


@breaks("check_ballots_come_in_time", "classic", "duel, people")
def a_ballot_before_the_last_word(record: Json) -> None:
    rnd = record["rounds"][0]
    rnd["ballots"][0]["cast_at"] = moved(rnd["turns"][-1]["closed_at"], -1)


def _cast_at(record: Json, judge: int, seconds: float) -> None:
    """Casts a ballot of round 1 so long after the last word and moves what follows."""
    rnd = record["rounds"][0]
    ballot, last = rnd["ballots"][judge], max(ballot["cast_at"] for ballot in rnd["ballots"])
    at = moved(rnd["turns"][-1]["closed_at"], round(seconds * 1000))
    later = datetime.fromisoformat(at) - datetime.fromisoformat(last)
    delay(record, rnd["ballots"][0]["revealed_at"], later // timedelta(milliseconds=1))
    ballot["cast_at"] = at


@breaks("check_ballots_come_in_time", "classic", "arena", "duel", "doubles")
def a_ballot_a_millisecond_late(record: Json) -> None:
    _cast_at(record, 1, 30.001)


@breaks("check_defaulted_ballots_at_the_deadline", "classic, ballots missing", "duel, no ballot")
def a_defaulted_ballot_a_millisecond_early(record: Json) -> None:
    move(record["rounds"][0]["ballots"][0], "cast_at", -1)


@breaks("check_defaulted_ballots_at_the_deadline", "classic, ballots missing")
def a_defaulted_ballot_a_millisecond_late(record: Json) -> None:
    _cast_at(record, 1, 30.001)


@breaks("check_defaulted_ballots_at_the_deadline", "classic, people")
def a_ballot_of_a_person_that_defaults_early(record: Json) -> None:
    ballot = next(each for each in record["rounds"][0]["ballots"] if each["defaulted"])
    move(ballot, "cast_at", -1)


@breaks("check_ballots_are_in_order_of_reveal")
def ballots_out_of_order(record: Json) -> None:
    record["rounds"][0]["ballots"].reverse()


@breaks("check_first_reveal", "classic", "arena", "duel", "doubles", "classic, ballots missing")
def a_first_reveal_a_millisecond_late(record: Json) -> None:
    delay(record, record["rounds"][0]["ballots"][0]["revealed_at"], 1)


@breaks("check_first_reveal", exact=False)
def a_first_reveal_without_suspense(record: Json) -> None:
    delay(record, record["rounds"][0]["ballots"][0]["revealed_at"], -5000)


@breaks("check_beat_of_reveals", "classic", "arena", "duel", "doubles")
def a_second_reveal_a_millisecond_late(record: Json) -> None:
    delay(record, record["rounds"][0]["ballots"][1]["revealed_at"], 1)


@breaks("check_beat_of_reveals", exact=False)
def a_third_reveal_a_second_early(record: Json) -> None:
    delay(record, record["rounds"][0]["ballots"][2]["revealed_at"], -1000)


@breaks("check_decided_after_reveals", "classic", "duel")
def a_decision_before_the_last_reveal(record: Json) -> None:
    move(record["rounds"][0], "decided_at", -1)


def _win(record: Json, winner: str) -> None:
    record["rounds"][0]["winner"] = winner


@breaks("check_winner", "classic", "arena", "doubles")
def the_minority_wins(record: Json) -> None:
    _win(record, {"pro": "con", "con": "pro"}[record["rounds"][0]["winner"]])


@breaks("check_winner")
def a_drawn_round_of_classic(record: Json) -> None:
    _win(record, "draw")


@breaks("check_winner", "classic, ballots missing")
def a_missing_ballot_that_does_not_count(record: Json) -> None:
    _win(record, "con")


@breaks("check_winner", "duel, scores decide")
def scores_that_decide_nothing(record: Json) -> None:
    _win(record, "draw")


@breaks("check_winner", "duel, scores decide")
def scores_of_abstainers_left_out(record: Json) -> None:
    record["rounds"][0]["ballots"][2]["scores"]["pro"] = dict.fromkeys(verifier.CRITERIA, 10)  # pro is ahead then


@breaks("check_winner", "duel, drawn", "duel, no ballot")
def a_winner_of_a_drawn_round(record: Json) -> None:
    _win(record, "pro")


@breaks("check_winner")
def a_winner_of_a_round_that_broke_off(record: Json) -> None:
    record |= broken_off(record, 1, 3)
    _win(record, "pro")


@breaks("check_void_rounds", "classic, con silent in round 2")
def a_silent_side_that_loses(record: Json) -> None:
    record["rounds"][1] |= {"void": False, "winner": "pro"}


@breaks("check_void_rounds", "classic")
def a_void_round_with_a_winner(record: Json) -> None:
    record["rounds"][1]["void"] = True


@breaks("check_void_rounds", "classic")
def a_void_winner_of_a_round_that_is_not_void(record: Json) -> None:
    record["rounds"][1]["winner"] = "void"


@breaks("check_points", "classic", "arena", "duel", "doubles")
def a_winner_without_a_point(record: Json) -> None:
    record["rounds"][0]["points"].popitem()


@breaks("check_points", "classic", "duel")
def a_point_for_the_bench_or_a_judge(record: Json) -> None:
    record["rounds"][0]["points"]["J0"] = 1


@breaks("check_points", "duel, drawn", "doubles, drawn", "arena, drawn rounds")
def whole_points_for_a_draw(record: Json) -> None:
    points = record["rounds"][-1]["points"]
    points |= dict.fromkeys(points, 1)


@breaks("check_points", "classic, three tied, then two")
def a_tiebreak_point_for_the_filler(record: Json) -> None:
    record["rounds"][6] |= {"winner": "pro", "points": {"P0": 1, "P1": 1}}


@breaks("check_points", "arena, three tied")
def half_a_tiebreak_point_for_the_filler(record: Json) -> None:
    record["rounds"][6]["points"]["P1"] = 0.5


@breaks("check_points", "classic, con silent in round 2")
def a_point_of_a_void_round(record: Json) -> None:
    record["rounds"][1]["points"] = {"P1": 1, "P4": 1}


# tie-breaks


@breaks("check_tiebreaks_are_due", "classic, two tied", "arena, two tied")
def a_tiebreak_though_one_leads(record: Json) -> None:
    top = record["winners"][0]
    record["rounds"][0]["points"][top] = record["rounds"][0]["points"].get(top, 0) + 1


@breaks("check_tiebreaks_are_due", "doubles", "duel")
def a_tiebreak_of_teams(record: Json) -> None:
    record["rounds"].append(json.loads(json.dumps(record["rounds"][0])) | {"round": 2, "tiebreak": True})


@breaks("check_tiebreaks_are_played", "classic, two tied", "classic, six tied", "arena, shared to the end")
def a_tiebreak_that_is_not_played(record: Json) -> None:
    del record["rounds"][-1]


@breaks("check_number_of_tiebreaks", "classic, shared to the end", "arena, shared to the end")
def a_fourth_tiebreak(record: Json) -> None:
    record["rounds"].append(json.loads(json.dumps(record["rounds"][-1])) | {"round": 10})


def _players(record: Json, names: dict[str, str]) -> None:
    """Others play the last tie-break."""
    rnd = record["rounds"][-1]
    for part in ("pro", "con", "bench"):
        rnd[part] = [names.get(seat, seat) for seat in rnd[part]]
    _rename(rnd["turns"], names)


@breaks("check_tiebreak_players", "classic, three tied")
def a_filler_with_fewer_points(record: Json) -> None:
    rest = [row["seat"] for row in record["standings"] if row["seat"] not in ("P0", "P3", "P5")]
    filler = next(seat for seat in rest if seat in record["rounds"][-1]["pro"] + record["rounds"][-1]["con"])
    other = next(seat for seat in rest if seat != filler)
    _players(record, {filler: other, other: filler})


@breaks("check_tiebreak_players", "classic, two tied", "arena, two tied")
def a_tiebreak_of_somebody_who_is_not_tied(record: Json) -> None:
    _players(record, {"P0": "P1", "P1": "P0"})


@breaks("check_tiebreak_players", "classic, three tied")
def a_tiebreak_without_a_filler(record: Json) -> None:
    record["rounds"][-1]["pro"].pop()


@breaks("check_tiebreak_players", "classic, six tied", "classic, five tied")
def a_later_seat_of_many_tied(record: Json) -> None:
    del record["rounds"][7:]
    _players(record, {"P3": "P4", "P4": "P3"})


@breaks("check_tiebreak_players", "arena, five tied")
def a_seat_drawn_that_is_not_tied(record: Json) -> None:
    del record["rounds"][7:]
    seat = record["rounds"][6]["pro"][0]
    _players(record, {seat: "P5", "P5": seat})


@breaks("check_tiebreak_sides", "classic, two tied", "classic, four tied", "classic, six tied")
def the_other_side_of_a_tiebreak(record: Json) -> None:
    rnd = record["rounds"][6]
    rnd["pro"], rnd["con"] = rnd["con"], rnd["pro"]


@breaks("check_tiebreak_sides", "arena, two tied", "arena, four tied", "arena, three tied", "arena, six tied")
def sides_that_stay_in_the_second_tiebreak(record: Json) -> None:
    rnd = record["rounds"][7]
    rnd["pro"], rnd["con"] = rnd["con"], rnd["pro"]


@breaks("check_tiebreak_sides", "classic, four tied", "arena, four tied")
def other_partners_in_a_tiebreak(record: Json) -> None:
    rnd = record["rounds"][6]
    rnd["pro"][1], rnd["con"][1] = rnd["con"][1], rnd["pro"][1]


@breaks("check_tiebreak_sides", "classic, four tied")
def partners_in_the_wrong_order_in_a_tiebreak(record: Json) -> None:
    record["rounds"][6]["pro"].reverse()


@breaks("check_side_that_starts_tiebreaks", "classic, two tied", "arena, two tied")
def the_wrong_side_starts_a_tiebreak(record: Json) -> None:
    rnd = record["rounds"][-1]
    rnd["first_side"] = {"pro": "con", "con": "pro"}[rnd["first_side"]]


# standings


@breaks("check_standings_list_every_debater", "classic", "duel")
def a_debater_who_does_not_stand(record: Json) -> None:
    record["standings"].pop()


@breaks("check_standings_list_every_debater")
def a_judge_who_stands(record: Json) -> None:
    record["standings"].append({"seat": "J0", "points": 0, "place": 6, "performance": 0.5})


@breaks("check_standings_points", "classic", "arena", "duel")
def a_point_that_no_round_gave(record: Json) -> None:
    record["standings"][0]["points"] += 1


@breaks("check_places", "classic", "arena", "doubles, drawn")
def a_place_too_low(record: Json) -> None:
    record["standings"][-1]["place"] += 1


@breaks("check_places", "doubles")
def partners_on_different_places(record: Json) -> None:
    record["standings"][3]["place"] = 3


@breaks("check_places", "classic, shared to the end")
def places_without_a_gap(record: Json) -> None:
    numbers = sorted({row["place"] for row in record["standings"]})
    for row in record["standings"]:
        row["place"] = numbers.index(row["place"]) + 1


@breaks("check_performance", "classic", "duel", "doubles")
def a_performance_off_by_a_hundredth(record: Json) -> None:
    record["standings"][1]["performance"] -= 0.01


@breaks("check_performance", "duel, drawn", "doubles, drawn", "classic, shared to the end")
def the_full_performance_for_a_shared_win(record: Json) -> None:
    record["standings"][0]["performance"] = 1.0


@breaks("check_winners", "classic", "duel", "doubles")
def nobody_wins(record: Json) -> None:
    record["winners"] = []


@breaks("check_winners", "classic, shared to the end", "arena, shared to the end", "duel, drawn", "doubles")
def a_shared_win_for_one(record: Json) -> None:
    record["winners"].pop()


# the market


@breaks("check_market_outcomes", "classic, market", "duel, market")
def an_outcome_that_cannot_be_bet_on(record: Json) -> None:
    record["market"]["outcomes"].remove("draw")


@breaks("check_market_outcomes", "classic, market")
def a_house_that_stakes_less(record: Json) -> None:
    record["market"]["house"]["P3"] = 9


@breaks("check_market_lock", "classic, market", "duel, market", "duel, void market")
def a_lock_a_millisecond_late(record: Json) -> None:
    move(record["market"], "locked_at", 1)


@breaks("check_market_lock", "classic, market", "duel, market")
def a_market_that_never_locks(record: Json) -> None:
    record["market"]["locked_at"] = None


@breaks("check_wagers_are_placed_in_time", "classic, market")
def a_wager_after_the_lock(record: Json) -> None:
    record["market"]["wagers"][4]["placed_at"] = moved(record["market"]["locked_at"], 1)


@breaks("check_wagers_are_placed_in_time", "duel, market")
def a_wager_before_the_start(record: Json) -> None:
    move(record["market"]["wagers"][0], "placed_at", -1)


@breaks("check_wagers_are_placed_in_time", "duel, market")
def a_wager_that_is_left_out(record: Json) -> None:
    record["market"]["wagers"][0]["id"] = 3


@breaks("check_wagers_are_placed_in_time", "duel, market")
def a_wager_on_nothing(record: Json) -> None:
    record["market"]["wagers"][1]["outcome"] = "P0"


@breaks("check_who_bets", "duel, void market")
def a_judge_who_bets(record: Json) -> None:
    record["market"]["wagers"][0]["by"] = next(seat["person"] for seat in record["seats"] if seat["seat"] == "J0")


@breaks("check_who_bets", "duel, void market")
def a_debater_who_bets_against_themselves(record: Json) -> None:
    record["market"]["wagers"][0] |= {"by": record["seats"][0]["person"], "outcome": "draw"}


@breaks("check_market_is_settled", "duel, void market")
def a_void_market_that_pays(record: Json) -> None:
    record["market"]["winning"] = ["pro"]


@breaks("check_market_is_settled", "duel, void market")
def a_finished_match_whose_market_was_cancelled(record: Json) -> None:
    record["market"]["reason"] = "cancelled"


@breaks("check_market_is_settled", "duel, market")
def a_market_that_pays_the_loser(record: Json) -> None:
    record["market"]["winning"] = ["pro"]


@breaks("check_market_is_settled", "duel, market")
def a_market_of_one(record: Json) -> None:
    record["market"]["wagers"][1]["by"] = "u-1"


@breaks("check_market_is_settled", "duel, market")
def a_market_that_pays_the_house_alone(record: Json) -> None:
    record["market"]["wagers"][0]["outcome"] = "draw"


@breaks("check_market_is_settled", "duel, market")
def a_market_that_pays_and_says_why_not(record: Json) -> None:
    record["market"]["reason"] = "too_few"


@breaks("check_market_pays_to_the_coin", "classic, market")
def a_left_over_coin_for_the_later_wager(record: Json) -> None:
    swap(*record["market"]["wagers"][:2], "payout")


@breaks("check_market_pays_to_the_coin", "classic, market")
def a_coin_that_is_lost(record: Json) -> None:
    record["market"]["house_payout"] -= 1


@breaks("check_market_pays_to_the_coin", "classic, market")
def a_withdrawn_stake_that_is_kept(record: Json) -> None:
    record["market"]["wagers"][3]["payout"] = 0


@breaks("check_market_pays_to_the_coin", "duel, void market")
def a_void_market_that_keeps_what_is_the_house_s(record: Json) -> None:
    record["market"]["house_payout"] = 0


# fairness


@breaks("check_fairness_receipt", "classic", "duel")
def a_receipt_with_a_free_turn_too_many(record: Json) -> None:
    record["fairness"]["P0"]["free_turns"] += 1


@breaks("check_fairness_receipt", "classic, two tied", "arena, two tied")
def a_receipt_that_counts_the_tiebreak(record: Json) -> None:
    record["fairness"][record["rounds"][6]["pro"][0]]["pro"] += 1


@breaks("check_fairness_receipt", "doubles")
def a_receipt_that_forgets_a_seat(record: Json) -> None:
    del record["fairness"]["P3"]


@breaks("check_arena_is_fair", "arena")
def a_seat_with_two_last_words(record: Json) -> None:
    record["fairness"]["P0"]["last_words"] += 1


@breaks("check_arena_is_fair", "arena")
def a_seat_without_a_first_word(record: Json) -> None:
    record["fairness"]["P5"]["first_words"] = 0


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: f"{mutation.name}-{mutation.base}")
def test_a_broken_record_is_reported(mutation: Mutation) -> None:
    record = base(mutation.base)
    mutation.change(record)
    found = findings(record, **mutation.options)
    assert mutation.rule in {finding.check for finding in found}, found
    for finding in found:
        assert finding.problem == finding.problem.strip() != ""


def test_verify_gives_the_words_alone() -> None:
    record = base("duel")
    record["winners"] = []
    record["fairness"]["P0"]["pro"] += 1
    found = findings(record, exact=True)
    assert [finding.check for finding in found] == ["check_winners", "check_fairness_receipt"]
    assert verify(record, exact=True) == [finding.problem for finding in found]


def test_every_check_has_a_broken_record() -> None:
    gates = ["check_schema", "check_nothing_is_open"]
    defined = [name for name in vars(verifier) if name.startswith("check_")]
    assert sorted(defined) == sorted(gates + [rule.__name__ for rule in verifier.CHECKS])
    assert {mutation.rule for mutation in MUTATIONS} == set(defined)
    assert all(rule.__doc__ for rule in verifier.CHECKS)


# A timing error must be found by the check of that gap alone: the rest of the match is right, only later.
ALONE = {
    "a_turn_that_opens_a_millisecond_late",
    "a_turn_that_opens_after_nine_seconds",
    "a_round_that_opens_a_millisecond_late",
    "a_first_reveal_a_millisecond_late",
    "a_second_reveal_a_millisecond_late",
    "a_third_reveal_a_second_early",
    "a_ballot_a_millisecond_late",
    "a_turn_said_a_millisecond_late",
    "a_turn_forfeited_a_millisecond_late",
    "a_deadline_off_by_a_millisecond",
}


def test_timing_errors_are_told_apart() -> None:
    for mutation in MUTATIONS:
        if mutation.name in ALONE:
            record = base(mutation.base)
            mutation.change(record)
            found = {finding.check for finding in findings(record, **mutation.options)}
            assert found == {mutation.rule}, mutation.name


# --- every field -----------------------------------------------------------------------------------------------------


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any, Any, Any]]:
    """Path with [] for every index, container, key and value of everything in a record."""
    items = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    for key, item in items:
        place = f"{path}.{key}" if isinstance(value, dict) else f"{path}[]"
        yield place.lstrip("."), value, key, item
        if isinstance(item, dict | list):
            yield from _leaves(item, place)


def _first_of_each(record: Json) -> list[tuple[str, Any, Any, Any]]:
    seen: dict[str, tuple[str, Any, Any, Any]] = {}
    for leaf in _leaves(record):
        seen.setdefault(leaf[0], leaf)
    return list(seen.values())


def _full_record() -> Json:
    """A record in which every object of the schema occurs."""
    record = base("classic, models")
    del record["rounds"][1:]  # for the schema alone
    one = turn(record, 1, 1)
    one["cards"] = [{"id": "c", "tag": "t", "cite": "x", "quote": "q", "span": [0, 120]}]
    rnd = record["rounds"][0]
    rnd["flow"] = [
        {"id": "1", "seat": "P0", "turn": 1, "claim": "x", "answered_by": [], "dropped": False, "conceded": False}
    ]
    rnd["audience"] = {"before": {"pro": 1}, "after": {}, "both": 0, "swing": {"pro": 0.0}, "peoples_choice": {}}
    rnd["ballots"].sort(key=lambda ballot: ballot["scores"] is None)
    at = record["started_at"]
    wager = {"id": 1, "by": "u-1", "outcome": "P0", "stake": 1, "placed_at": at, "status": "settled", "payout": 1}
    record["market"] = {
        "outcomes": ["P0"],
        "locked_at": at,
        "status": "settled",
        "reason": None,
        "house": {"P0": 10},
        "house_payout": 0,
        "wagers": [wager],
        "winning": ["P0"],
    }
    record["pauses"] = [{"at": at, "wall_seconds": 1, "by": "system", "why": "restart"}]
    record["seats"][0]["replaced"] = [{"at": at, "kind": "ai", "name": "Zoe"}]
    return record


MAP_KEYS = re.compile(r".*\.(points|house|before|swing)\.\w+|fairness\.P\d")  # keys that are not fields


def test_every_field_must_be_there() -> None:
    record = _full_record()
    assert list(verifier.check_schema(record)) == []
    names = 0
    for path, container, key, value in _first_of_each(record):
        if isinstance(container, dict) and not MAP_KEYS.fullmatch(path):
            del container[key]
            assert any("is missing" in problem for problem in verifier.check_schema(record)), path
            container[key] = value
            names += 1
    assert names > 130


def test_every_field_must_be_of_its_type() -> None:
    record = _full_record()
    for path, container, key, value in _first_of_each(record):
        for wrong in ({"x": 1}, [None], "", "x y", 1.5, -1, True, 10**30):
            if type(wrong) is type(value) or path.endswith("answered_by[]"):
                continue  # it may be right
            if isinstance(wrong, int | float) and isinstance(value, int | float) and not isinstance(value, bool):
                continue
            if value is None and not isinstance(wrong, bool):
                continue
            container[key] = wrong
            assert list(verifier.check_schema(record)), f"{path} = {wrong!r}"
        container[key] = value
    assert list(verifier.check_schema(record)) == []


NULLABLE = {
    "reason",
    "started_at",
    "finished_at",
    "fairness",
    "market",
    "teams",
    "market.locked_at",
    "market.reason",
    "seats[].person",
    "seats[].model",
    *(f"rounds[].{name}" for name in ("coin", "prep", "flow", "audience", "decided_at", "winner", "points")),
    "rounds[].motion.id",
    "rounds[].motion.category",
    *(f"rounds[].turns[].{name}" for name in ("move", "closed_at", "outcome", "parts", "source", "clip", "usage")),
    *(f"rounds[].ballots[].{name}" for name in ("ranks", "defaulted", "reason", "scores", "speaker_points", "issues")),
    "rounds[].ballots[].revealed_at",
}


def test_null_only_where_the_schema_has_it() -> None:
    record = _full_record()
    for path, container, key, value in _first_of_each(record):
        if path.endswith("answered_by[]"):
            continue
        container[key] = None
        assert (not list(verifier.check_schema(record))) == (path in NULLABLE), path
        container[key] = value


# What may be anything of its type: no rule of the match says what it must be.
FREE = [
    r"match|seed|tempo",  # the tempo is nudged to a word that is none: see below
    r"resumed|started_at|finished_at",
    r"seats\[\]\.(name|person|model)",
    r"rounds\[\]\.motion\.(id|category|text|pro|con)",
    r"rounds\[\]\.turns\[\]\.(text|clip\.\w+)",
    r"rounds\[\]\.ballots\[\]\.(reason|scores\.\w+\.\w+|cast_at)",
]


def _nudge(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str) and re.fullmatch(r"\d{4}-.*Z", value):
        return moved(value, 1)
    return f"{value}x"


@pytest.mark.parametrize("name", ["classic, models", "arena, two tied", "duel", "doubles, drawn"])
def test_every_value_matters_or_is_known_to_be_free(name: str) -> None:
    record = base(name)
    rng = random.Random(name)
    leaves = [leaf for leaf in _leaves(record) if not isinstance(leaf[3], dict | list | None)]
    for path, container, key, value in rng.sample(leaves, min(len(leaves), 150)):
        container[key] = _nudge(value)
        found = findings(record, exact=True)
        container[key] = value
        last_close = key == "closed_at" and any(rnd["turns"][-1] is container for rnd in record["rounds"])
        free = last_close or any(re.fullmatch(pattern, path) for pattern in FREE)
        assert found or free, f"{path}: {value!r} -> {_nudge(value)!r} is not noticed"


def test_whatever_comes_is_answered_and_never_breaks_the_verifier() -> None:
    rng = random.Random(1)
    junk = [None, True, 0, -1, 10**12, 0.5, "", "P0", "x", "2000-01-01T00:00:00.000Z", [], {}, ["P0"], {"P0": 1}]
    names = list(BASES)
    for number in range(120):
        record = base(names[number % len(names)])
        leaves = list(_leaves(record))
        for path, container, key, value in rng.sample(leaves, rng.randint(1, 3)):
            action = rng.random()
            if isinstance(container, list) and key >= len(container):
                continue  # a part of what was taken away before
            if action < 0.3 and isinstance(container, list):
                del container[key]
            elif action < 0.4 and isinstance(container, list):
                container.append(value)
            elif action < 0.6:
                same = [leaf[3] for leaf in leaves if leaf[0] == path]
                container[key] = rng.choice(same)
            else:
                container[key] = rng.choice(junk)
        for exact in (True, False):
            assert all(isinstance(problem, str) and problem for problem in verify(record, exact=exact))


@pytest.mark.parametrize("record", [None, [], "x", 3, {}])
def test_what_is_no_record_is_reported(record: Any) -> None:
    assert verify(record)


# --- markets ---------------------------------------------------------------------------------------------------------


def test_a_cancelled_match_gives_all_stakes_back() -> None:
    record = broken_off(base("classic, market"), 2, 3)
    for wager in record["market"]["wagers"]:
        wager |= {"status": "refunded", "payout": wager["stake"]}
    cancelled = {"locked_at": None, "status": "void", "reason": "cancelled", "house_payout": 70, "winning": []}
    record["market"] |= cancelled
    assert findings(record, exact=True) == []


# --- the script ------------------------------------------------------------------------------------------------------


def test_the_script_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, torn = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "torn.json"
    good.write_text(json.dumps(base("duel")), encoding="utf-8")
    record = base("duel")
    record["winners"] = ["\ud800"]
    bad.write_text(json.dumps(record), encoding="utf-8")
    torn.write_text('{"record": 1', encoding="utf-8")
    assert verifier.main([str(good), "--exact"]) == 0
    assert capsys.readouterr().out == f"{good}: correct\n"
    assert verifier.main([str(good), str(bad)]) == 1
    assert f"{bad}: the winners are " in capsys.readouterr().out
    assert verifier.main([str(torn)]) == 1
    assert "cannot be read" in capsys.readouterr().out
    assert verifier.main([str(tmp_path / "none.json")]) == 1
    assert "cannot be read" in capsys.readouterr().out


def test_the_script_reads_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", StringIO(_base("arena")))
    assert verifier.main(["--exact", "-"]) == 0
    assert capsys.readouterr().out == "-: correct\n"
