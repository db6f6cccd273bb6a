"""The built-in formats are docs/rules.md to the letter, and a broken format file is told what is wrong and where."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from bot.rules.format import Format, FormatError, Mode, parse_format
from bot.rules.formats import format_names, load_format
from bot.rules.lineup import SlotPlan, lineup_of, plan_round
from bot.rules.scoring import fairness
from tests.rules.play import FOUR_TEAMS, POLICY, SPRINT, Game, winners_of

FREE_MOVES = ("argue", "rebut", "concede_point", "question")
CLASSIC_LINEUPS = {  # round: (pro, con, bench)
    1: ("P0 P2", "P1 P3", "P4 P5"),
    2: ("P1 P4", "P0 P5", "P2 P3"),
    3: ("P3 P5", "P2 P4", "P0 P1"),
    4: ("P0 P4", "P1 P2", "P3 P5"),
    5: ("P2 P5", "P0 P3", "P1 P4"),
    6: ("P1 P3", "P4 P5", "P0 P2"),
}
ARENA_WORDS = {  # round: (side A, first word, last word)
    1: ("pro", "P0", "P1"),
    2: ("pro", "P1", "P0"),
    3: ("pro", "P5", "P2"),
    4: ("con", "P2", "P4"),
    5: ("con", "P3", "P5"),
    6: ("con", "P4", "P3"),
}


def plans(fmt: Format, number: int, seed: int = 1) -> tuple[SlotPlan, ...]:
    return plan_round(fmt, lineup_of(fmt, number, seed))


def order(fmt: Format, number: int, phase: str, seed: int = 1) -> list[str]:
    return [plan.seat for plan in plans(fmt, number, seed) if plan.phase == phase]


def test_there_are_four() -> None:
    assert format_names() == ("arena", "classic", "doubles", "duel")


def test_an_unknown_format_is_told_which_there_are() -> None:
    with pytest.raises(FormatError, match=r"no format 'chess'.*arena, classic, doubles, duel"):
        load_format("chess")


@pytest.mark.parametrize("name", ["classic", "arena"])
class TestTheFullMatch:
    def test_lineups(self, name: str) -> None:
        fmt = load_format(name)
        assert fmt.seats == ("P0", "P1", "P2", "P3", "P4", "P5")
        assert len(fmt.rounds) == 6
        for number, (pro, con, bench) in CLASSIC_LINEUPS.items():
            lineup = lineup_of(fmt, number, seed=1)
            assert lineup.teams == {"pro": tuple(pro.split()), "con": tuple(con.split())}
            assert lineup.bench == tuple(bench.split())
            assert lineup.scoring is None

    def test_everyone_plays_four_of_six_twice_on_each_side(self, name: str) -> None:
        rounds = load_format(name).rounds
        for seat in load_format(name).seats:
            assert sum(seat in entry.pro for entry in rounds) == 2
            assert sum(seat in entry.con for entry in rounds) == 2

    def test_eleven_partnerships_and_only_1_3_meets_twice(self, name: str) -> None:
        partners = Counter(team for entry in load_format(name).rounds for team in (entry.pro, entry.con))
        assert len(partners) == 11
        assert [team for team, times in partners.items() if times > 1] == [("P1", "P3")]
        assert partners["P1", "P3"] == 2

    def test_everyone_meets_everyone(self, name: str) -> None:
        met = {frozenset((pro, con)) for entry in load_format(name).rounds for pro in entry.pro for con in entry.con}
        met |= {frozenset(team) for entry in load_format(name).rounds for team in (entry.pro, entry.con)}
        assert len(met) == len(list(combinations(range(6), 2)))

    def test_three_judges_thirty_seconds_reveals_six_seconds_apart_pace_ten(self, name: str) -> None:
        fmt = load_format(name)
        assert (fmt.judging.judges, fmt.judging.timeout_s, fmt.judging.reveal_s, fmt.pace_s) == (3, 30, 6, 10)

    def test_seats_win(self, name: str) -> None:
        assert load_format(name).winner == "seat"

    def test_up_to_three_tiebreaks(self, name: str) -> None:
        rules = load_format(name).tiebreaks
        assert rules is not None
        assert rules.most == 3


@pytest.mark.parametrize("name", ["classic", "arena", "duel", "doubles"])
def test_limits_timeouts_and_moves(name: str) -> None:
    expected = {
        "opening": (500, 20, ("statement",), Mode.SPEECH),
        "free": (400, 15, FREE_MOVES, Mode.EXCHANGE),
        "closing": (500, 15, ("statement",), Mode.SPEECH),
    }
    found = {(plan.phase, plan.limit, plan.timeout_s, plan.moves, plan.mode) for plan in plans(load_format(name), 1)}
    assert found == {(phase, *rules) for phase, rules in expected.items()}
    assert all(plan.parts == 1 and len(plan.seats) == 1 for plan in plans(load_format(name), 1))
    assert [plan.n for plan in plans(load_format(name), 1)] == list(range(1, len(plans(load_format(name), 1)) + 1))


class TestClassic:
    def test_orders(self) -> None:
        classic = load_format("classic")
        for number, (pro, con, _) in CLASSIC_LINEUPS.items():
            (pro1, pro2), (con1, con2) = pro.split(), con.split()
            assert order(classic, number, "opening") == [pro1, con1, pro2, con2]
            assert order(classic, number, "free") == [pro1, con1, pro2, con2, pro1, con1, pro2]
            assert order(classic, number, "closing") == [con2, pro2, con1, pro1]
            assert len(plans(classic, number)) == 15

    def test_sides_alternate_from_pro_in_free_debate(self) -> None:
        sides = [plan.side for plan in plans(load_format("classic"), 1) if plan.phase == "free"]
        assert sides == ["pro", "con", "pro", "con", "pro", "con", "pro"]

    def test_a_missing_ballot_is_a_pro_vote(self) -> None:
        assert load_format("classic").judging.missing == "pro"

    def test_tiebreaks_take_the_first_by_seat_and_pro_speaks_first(self) -> None:
        rules = load_format("classic").tiebreaks
        assert rules is not None
        assert (rules.choose, rules.side_a) == ("seats", "pro")


class TestArena:
    def test_first_and_last_words(self) -> None:
        arena = load_format("arena")
        for number, (side_a, first, last) in ARENA_WORDS.items():
            lineup = lineup_of(arena, number, seed=1)
            assert lineup.first_side == side_a
            assert plans(arena, number)[0].seat == first
            assert plans(arena, number)[-1].seat == last

    def test_each_seat_has_each_word_once(self) -> None:
        assert sorted(first for _, first, _ in ARENA_WORDS.values()) == list(load_format("arena").seats)
        assert sorted(last for *_, last in ARENA_WORDS.values()) == list(load_format("arena").seats)

    def test_orders(self) -> None:
        arena = load_format("arena")
        for number, (pro, con, _) in CLASSIC_LINEUPS.items():
            side_a, a1, b2 = ARENA_WORDS[number]
            side_a_seats, side_b_seats = (pro.split(), con.split()) if side_a == "pro" else (con.split(), pro.split())
            a2 = next(seat for seat in side_a_seats if seat != a1)
            b1 = next(seat for seat in side_b_seats if seat != b2)
            assert order(arena, number, "opening") == [a1, b1, a2, b2]
            assert order(arena, number, "free") == [b1, a1, b2, a2, b1, a1, b2, a2]
            assert order(arena, number, "closing") == [a2, b1, a1, b2]

    def test_every_seat_is_offered_eight_free_turns(self) -> None:
        offered = Counter(seat for number in range(1, 7) for seat in order(load_format("arena"), number, "free"))
        assert offered == dict.fromkeys(load_format("arena").seats, 8)

    def test_a_missing_ballot_abstains(self) -> None:
        assert load_format("arena").judging.missing == "abstain"

    def test_tiebreaks_draw_the_four_and_side_a_alternates(self) -> None:
        rules = load_format("arena").tiebreaks
        assert rules is not None
        assert (rules.choose, rules.side_a) == ("draw", "alternate")


class TestSmallFormats:
    def test_duel(self) -> None:
        duel = load_format("duel")
        assert duel.seats == ("P0", "P1")
        lineup = lineup_of(duel, 1, seed=1)
        assert lineup.teams == {"pro": ("P0",), "con": ("P1",)}
        [a], [b] = lineup.speaking.values()
        assert order(duel, 1, "opening") == [a, b]
        assert order(duel, 1, "free") == [b, a, b, a]
        assert order(duel, 1, "closing") == [a, b]

    def test_doubles(self) -> None:
        doubles = load_format("doubles")
        assert doubles.seats == ("P0", "P1", "P2", "P3")
        lineup = lineup_of(doubles, 1, seed=1)
        assert lineup.teams == {"pro": ("P0", "P2"), "con": ("P1", "P3")}
        (a1, a2), (b1, b2) = lineup.speaking.values()
        assert order(doubles, 1, "opening") == [a1, b1, a2, b2]
        assert order(doubles, 1, "free") == [b1, a1, b2, a2, b1, a1, b2, a2]
        assert order(doubles, 1, "closing") == [a2, b1, a1, b2]

    @pytest.mark.parametrize("name", ["duel", "doubles"])
    def test_one_round_three_judges_the_team_wins_no_tiebreaks(self, name: str) -> None:
        fmt = load_format(name)
        assert (len(fmt.rounds), fmt.judging.judges, fmt.winner, fmt.tiebreaks) == (1, 3, "team", None)
        assert fmt.judging.missing == "abstain"
        assert (fmt.judging.timeout_s, fmt.judging.reveal_s, fmt.pace_s) == (30, 6, 10)

    @pytest.mark.parametrize("name", ["duel", "doubles"])
    def test_the_seed_draws_side_a(self, name: str) -> None:
        drawn = [lineup_of(load_format(name), 1, seed).first_side for seed in range(200)]
        assert 70 < drawn.count("pro") < 130
        assert drawn == [lineup_of(load_format(name), 1, seed).first_side for seed in range(200)]


class TestFairnessReceipt:
    def test_arena_gives_everyone_the_same(self) -> None:
        match = Game("arena").to_end(votes=winners_of({1: "con", 2: "pro", 3: "con"}))
        receipt = fairness(match.rules.seats, match.rounds)
        regular = {line._replace(tiebreaks=0) for line in receipt.values()}
        assert regular == {(2, 2, 1, 1, 8, 0)}

    def test_classic_does_not(self) -> None:
        match = Game("classic").to_end()
        receipt = fairness(match.rules.seats, match.rounds)
        assert {seat: (line.first_words, line.last_words, line.free_turns) for seat, line in receipt.items()} == {
            "P0": (2, 2, 8), "P1": (2, 2, 8), "P2": (1, 1, 7), "P3": (1, 1, 6), "P4": (0, 0, 7), "P5": (0, 0, 6),
        }  # fmt: skip
        assert all((line.pro, line.con) == (2, 2) for line in receipt.values())

    def test_tiebreaks_are_counted_apart(self) -> None:
        # Pro always wins, so all six have 2 points; four play on, then two.
        match = Game("classic").to_end(votes=winners_of({7: "pro", 8: "con"}))
        receipt = fairness(match.rules.seats, match.rounds)
        assert all(line.pro + line.con == 4 for line in receipt.values())
        played = {seat: line.tiebreaks for seat, line in receipt.items()}
        assert played == {seat: sum(seat in entry.lineup.teams["pro"] + entry.lineup.teams["con"]
                                    for entry in match.rounds[6:]) for seat in match.rules.seats}  # fmt: skip
        assert sum(played.values()) > 0


# ------------------------------------------------------------------------------------------------- broken files

CLASSIC = """
name = "mine"
title = "Mine"
summary = "A format of ours"
winner = "seat"
pace_s = 10
[judging]
judges = 3
timeout_s = 30
reveal_s = 6
[tiebreaks]
most = 3
[[rounds]]
pro = "P0 P2"
con = "P1 P3"
side_a = "pro"
[[phases]]
name = "opening"
order = "a1 b1 a2 b2"
solo = "a1 b1"
limit = 500
timeout_s = 20
"""

BROKEN = {
    "unknown key": ("pace_s = 10", "pace_s = 10\npacing = 3", ["pacing"]),
    "unknown key in a table": ("reveal_s = 6", "reveal_s = 6\nsecret = true", ["judging.secret"]),
    "unknown key in a phase": ("limit = 500", "limit = 500\nlimits = 3", ["phases.1.limits"]),
    "key left out": ('title = "Mine"\n', "", ["title"]),
    "table left out": ("[judging]\njudges = 3\ntimeout_s = 30\nreveal_s = 6\n", "", ["judging"]),
    "text for a number": ("judges = 3", 'judges = "three"', ["judging.judges"]),
    "number as text": ("limit = 500", 'limit = "500"', ["phases.1.limit"]),
    "true for a number": ("judges = 3", "judges = true", ["judging.judges"]),
    "true for seconds": ("pace_s = 10", "pace_s = true", ["pace_s"]),
    "half a judge": ("judges = 3", "judges = 2.5", ["judging.judges"]),
    "number for a text": ('title = "Mine"', "title = 5", ["title"]),
    "no judges": ("judges = 3", "judges = 0", ["judging.judges"]),
    "too many judges": ("judges = 3", "judges = 16", ["judging.judges"]),
    "no time": ("timeout_s = 20", "timeout_s = 0", ["phases.1.timeout_s"]),
    "endless time": ("timeout_s = 20", "timeout_s = inf", ["phases.1.timeout_s"]),
    "time that is no number": ("timeout_s = 20", "timeout_s = nan", ["phases.1.timeout_s"]),
    "negative pace": ("pace_s = 10", "pace_s = -1", ["pace_s"]),
    "a limit of nothing": ("limit = 500", "limit = 0", ["phases.1.limit"]),
    "a name with capitals": ('name = "mine"', 'name = "Mine!"', ["name"]),
    "unknown winner": ('winner = "seat"', 'winner = "audience"', ["winner"]),
    "missing ballots for con": ("reveal_s = 6", 'reveal_s = 6\nmissing = "con"', ["judging.missing"]),
    "empty rounds": (CLASSIC[CLASSIC.index("[[rounds]]") : CLASSIC.index("[[phases]]")], "", ["rounds"]),
    "rounds is an empty list": (
        CLASSIC[CLASSIC.index("[[rounds]]") : CLASSIC.index("[[phases]]")],
        "",
        ["rounds", "at least 1"],
        ("pace_s = 10", "pace_s = 10\nrounds = []"),
    ),
    "empty phases": (CLASSIC[CLASSIC.index("[[phases]]") :], "", ["phases"]),
    "nobody on a side": ('pro = "P0 P2"', 'pro = ""', ["rounds.1.pro"]),
    "seat that is no seat": ('pro = "P0 P2"', 'pro = "P0 Anna"', ["rounds.1.pro", "'Anna'"]),
    "seat with another letter": ('pro = "P0 P2"', 'pro = "P0 Q2"', ["rounds.1.pro", "'Q2'"]),
    "seat with a leading zero": ('pro = "P0 P2"', 'pro = "P0 P02"', ["rounds.1.pro", "'P02'"]),
    "seats with a hole": ('pro = "P0 P2"', 'pro = "P0 P4"', ["rounds", "P4"]),
    "seat twice in a team": ('pro = "P0 P2"', 'pro = "P0 P2 P2"', ["rounds.1", "twice"]),
    "seat on both sides": ('con = "P1 P3"', 'con = "P1 P2"', ["rounds.1", "twice"]),
    "uneven teams": ('pro = "P0 P2"', 'pro = "P0 P2 P4"', ["rounds.1", "one size"]),
    "side A unknown": ('side_a = "pro"', 'side_a = "left"', ["rounds.1.side_a", "'left'"]),
    "first word on side B": ('side_a = "pro"', 'side_a = "pro"\nfirst = "P1"', ["rounds.1.first", "'P1'"]),
    "last word on side A": ('side_a = "pro"', 'side_a = "pro"\nlast = "P0"', ["rounds.1.last", "'P0'"]),
    "first word from the bench": ('side_a = "pro"', 'side_a = "pro"\nfirst = "P9"', ["rounds.1.first", "'P9'"]),
    "first word without side A": ('side_a = "pro"', 'first = "P0"', ["rounds.1.side_a"]),
    "bad place": ('order = "a1 b1 a2 b2"', 'order = "a1 bx"', ["phases.1", "order", "'bx'"]),
    "place of a third side": ('order = "a1 b1 a2 b2"', 'order = "a1 b1 c1"', ["phases.1.order", "c1"]),
    "place of a third speaker": ('order = "a1 b1 a2 b2"', 'order = "a1 b1 a3 b3"', ["phases.1.order", "a3"]),
    "place of a third side, alone": ('solo = "a1 b1"', 'solo = "a1 c1"', ["phases.1.solo", "c1"]),
    "bad place, alone": ('solo = "a1 b1"', 'solo = "a1 5"', ["phases.1", "'5'"]),
    "nobody alone": ('solo = "a1 b1"', 'solo = ""', ["phases.1.solo"]),
    "a side that never speaks": ('order = "a1 b1 a2 b2"', 'order = "a1 a2"', ["phases", "a b"]),
    "no order": ('order = "a1 b1 a2 b2"', 'order = ""', ["phases.1.order"]),
    "shared place in a speech": ('order = "a1 b1 a2 b2"', 'order = "a1+b1"', ["phases.1", "exchange"]),
    "unknown mode": ("limit = 500", 'limit = 500\nmode = "song"', ["phases.1.mode"]),
    "offers as a phase": ("limit = 500", 'limit = 500\nmode = "offer"', ["phases.1", "mode"]),
    "prep with parts": ("limit = 500", 'limit = 500\nmode = "prep"', ["phases.1", "parts"]),
    "nothing but prep": ("limit = 500", 'limit = 500\nmode = "prep"\nparts = 0', ["phases"]),
    "unknown move": ("limit = 500", 'limit = 500\nmoves = ["sing"]', ["phases.1.moves"]),
    "no move": ("limit = 500", "limit = 500\nmoves = []", ["phases.1.moves"]),
    "tie-breaks where teams win": ('winner = "seat"', 'winner = "team"', ["tiebreaks"]),
    "no tie-break at most": ("most = 3", "most = 0", ["tiebreaks.most"]),
    "unknown choice of the four": ("most = 3", 'most = 3\nchoose = "age"', ["tiebreaks.choose"]),
    "others that are pro": ('side_a = "pro"', 'others = { pro = "P4 P5" }', ["rounds.1.others", "'pro'"]),
    "others named like an outcome": ('side_a = "pro"', 'others = { draw = "P4 P5" }', ["rounds.1.others", "'draw'"]),
    "not TOML": ("pace_s = 10", "pace_s = = 10", ["not valid TOML", "line 6"]),
}  # fmt: skip


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_file_is_told_the_file_and_the_key(fault: str) -> None:
    old, new, expected, *more = BROKEN[fault]
    source = CLASSIC
    for before, after in ((old, new), *more):
        assert before in source
        source = source.replace(before, after, 1)
    with pytest.raises(FormatError) as error:
        parse_format(source, "mine.toml")
    lines = str(error.value).splitlines()
    assert all(line.startswith("mine.toml: ") for line in lines)
    assert any(all(word in line for word in expected) for line in lines), lines


def test_every_fault_is_named_at_once() -> None:
    source = CLASSIC.replace("judges = 3", "judges = 0").replace("limit = 500", "limit = 5")
    with pytest.raises(FormatError) as error:
        parse_format(source, "mine.toml")
    assert [line.split(": ")[1] for line in str(error.value).splitlines()] == ["judging.judges", "phases.1.limit"]


def test_faults_in_later_rounds_are_counted_from_one() -> None:
    two = CLASSIC.replace("[[phases]]", '[[rounds]]\npro = "P0 P1"\ncon = "P2 P2"\n[[phases]]')
    with pytest.raises(FormatError, match=r"mine.toml: rounds\.2: a seat is named twice"):
        parse_format(two, "mine.toml")
    two = CLASSIC.replace("[[phases]]", '[[rounds]]\npro = "P0 P1"\n[[phases]]')
    with pytest.raises(FormatError, match=r"mine.toml: rounds\.2\.con: "):
        parse_format(two, "mine.toml")


def test_rounds_need_the_same_sides() -> None:
    two = CLASSIC.replace("[[phases]]", '[[rounds]]\npro = "P0"\ncon = "P1"\nothers = { cg = "P2" }\n[[phases]]')
    with pytest.raises(FormatError, match=r"rounds\.2: every round needs the same sides"):
        parse_format(two)


def test_teams_that_win_stay_together() -> None:
    def rounds(*teams: str) -> str:
        text = POLICY[: POLICY.index("[[rounds]]")]
        for pro_con in teams:
            pro, con = pro_con.split(" v ")
            text += f'[[rounds]]\npro = "{pro}"\ncon = "{con}"\n'
        return text + POLICY[POLICY.index("[[phases]]") :]

    assert len(parse_format(rounds("P0 P1 v P2 P3", "P3 P2 v P0 P1")).rounds) == 2
    with pytest.raises(FormatError, match="its members stay together"):
        parse_format(rounds("P0 P1 v P2 P3", "P0 P2 v P1 P3"))


def test_three_seats_have_no_tiebreaks_for_want_of_a_filler() -> None:
    three = (
        CLASSIC.replace('pro = "P0 P2"\ncon = "P1 P3"', 'pro = "P0"\ncon = "P1"')
        .replace("a1 b1 a2 b2", "a1 b1")
        .replace("[[phases]]", '[[rounds]]\npro = "P1"\ncon = "P2"\n[[rounds]]\npro = "P2"\ncon = "P0"\n[[phases]]')
    )
    with pytest.raises(FormatError, match="tiebreaks: three tied need a fourth seat"):
        parse_format(three)
    assert len(parse_format(three.replace("[tiebreaks]\nmost = 3\n", "")).rounds) == 3


def test_at_most_four_sides() -> None:
    five = FOUR_TEAMS.replace('co = "P6 P7"', 'co = "P6 P7", fifth = "P8 P9"')
    with pytest.raises(FormatError, match="at most 4 sides"):
        parse_format(five)


@pytest.mark.parametrize("source", [CLASSIC, FOUR_TEAMS, POLICY, SPRINT])
def test_what_the_tests_build_on_is_right(source: str) -> None:
    fmt = parse_format(source)
    assert Format.model_validate_json(fmt.model_dump_json()) == fmt
    assert Format.model_validate_json(fmt.model_dump_json(exclude_defaults=True)) == fmt


def test_orders_may_be_lists() -> None:
    listed = CLASSIC.replace('order = "a1 b1 a2 b2"', 'order = ["a1", "b1", "a2", "b2"]')
    assert parse_format(listed) == parse_format(CLASSIC)
