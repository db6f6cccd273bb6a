"""Who plays on when the top is shared, and how the match then ends (docs/rules.md, "classic" and "arena")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.rules import commands as c
from bot.rules.format import Tiebreaks
from bot.rules.match import Match
from bot.rules.tiebreak import tiebreak_lineup, top_seats
from tests.rules.play import CON, PRO, Game, winners_of
from tests.rules.profiles import MODEST

CLASSIC = Tiebreaks(most=3)
ARENA = Tiebreaks(most=3, choose="draw", side_a="alternate")


def points(text: str) -> dict[str, float]:
    """Points of P0, P1 ...: "3 3 2 2 1 1"."""
    return {f"P{n}": float(value) for n, value in enumerate(text.split())}


def teams(rules: Tiebreaks, text: str, played: int = 0, seed: int = 1) -> tuple[str, str]:
    lineup = tiebreak_lineup(rules, points(text), played, seed)
    assert lineup is not None
    return " ".join(lineup.teams[PRO]), " ".join(lineup.teams[CON])


class TestWhoPlays:
    @pytest.mark.parametrize("rules", [CLASSIC, ARENA])
    def test_nobody_when_one_leads(self, rules: Tiebreaks) -> None:
        assert tiebreak_lineup(rules, points("3 2 2 2 2 1"), 0, 1) is None

    @pytest.mark.parametrize("rules", [CLASSIC, ARENA])
    @pytest.mark.parametrize(
        ("standing", "pro", "con"),
        [
            ("3 1 1 3 2 2", "P0", "P3"),  # two: 1 v 1, pro a
            ("1 1 3 1 3 3", "P2 P0", "P4 P5"),  # three: a + filler v b + c; the filler is the earlier of equals
            ("3 3 1 3 2 1", "P0 P4", "P1 P3"),  # ... and the next-highest scorer
            ("3 3 3 0 0 0", "P0 P3", "P1 P2"),
            ("3 0 3 3 0 3", "P0 P5", "P2 P3"),  # four: a + d v b + c
        ],
    )
    def test_two_three_and_four(self, rules: Tiebreaks, standing: str, pro: str, con: str) -> None:
        assert teams(rules, standing) == (pro, con)

    @pytest.mark.parametrize("standing", ["2 2 2 2 2 0", "2 2 2 2 2 2"])
    def test_more_than_four_in_classic_are_the_first_four_by_seat(self, standing: str) -> None:
        assert teams(CLASSIC, standing) == ("P0 P3", "P1 P2")
        assert teams(CLASSIC, "0 2 2 2 2 2") == ("P1 P4", "P2 P3")

    def test_more_than_four_in_arena_are_drawn(self) -> None:
        drawn: Counter[str] = Counter()
        for seed in range(600):
            pro, con = teams(ARENA, "2 2 2 2 2 2", seed=seed)
            a, d = pro.split()
            b, c = con.split()
            assert [a, b, c, d] == sorted([a, b, c, d])
            drawn.update((a, b, c, d))
        assert all(340 < drawn[f"P{n}"] < 460 for n in range(6))
        assert all("P0" not in " ".join(teams(ARENA, "0 2 2 2 2 2", seed=seed)) for seed in range(50))

    def test_arena_draws_anew_for_each_tiebreak(self) -> None:
        seats = [
            {frozenset(" ".join(teams(ARENA, "2 2 2 2 2 2", n, seed)).split()) for n in range(3)} for seed in range(40)
        ]
        assert any(len(drawn) > 1 for drawn in seats)

    @pytest.mark.parametrize("rules", [CLASSIC, ARENA])
    def test_sides_swap_at_each_further_one(self, rules: Tiebreaks) -> None:
        assert teams(rules, "3 3 3 3 0 0", 0) == ("P0 P3", "P1 P2")
        assert teams(rules, "3 3 3 3 0 0", 1) == ("P1 P2", "P0 P3")
        assert teams(rules, "3 3 3 3 0 0", 2) == ("P0 P3", "P1 P2")
        assert teams(rules, "3 3 0 0 0 0", 1) == ("P1", "P0")

    def test_side_a_is_pro_in_classic_and_alternates_in_arena(self) -> None:
        for rules, expected in ((CLASSIC, [PRO, PRO, PRO]), (ARENA, [PRO, CON, PRO])):
            lineups = [tiebreak_lineup(rules, points("3 3 3 3 0 0"), played, 1) for played in range(3)]
            assert [lineup and lineup.first_side for lineup in lineups] == expected

    @pytest.mark.parametrize("rules", [CLASSIC, ARENA])
    def test_no_fourth(self, rules: Tiebreaks) -> None:
        assert tiebreak_lineup(rules, points("3 3 0 0 0 0"), 3, 1) is None

    def test_only_the_tied_can_score(self) -> None:
        three = tiebreak_lineup(CLASSIC, points("1 1 3 1 3 3"), 0, 1)
        assert three is not None
        assert three.scoring == ("P2", "P4", "P5")
        assert three.bench == ("P1", "P3")
        six = tiebreak_lineup(CLASSIC, points("2 2 2 2 2 2"), 0, 1)
        assert six is not None
        assert six.scoring == ("P0", "P1", "P2", "P3")
        assert six.bench == ("P4", "P5")

    @MODEST
    @given(
        st.lists(st.sampled_from([0, 0.5, 1, 2, 3]), min_size=4, max_size=9), st.integers(0, 2), st.integers(),
        st.sampled_from([CLASSIC, ARENA]),
    )  # fmt: skip
    def test_always_two_even_teams_of_the_tied_with_at_most_one_filler(
        self, values: list[float], played: int, seed: int, rules: Tiebreaks
    ) -> None:
        score = {f"P{n}": value for n, value in enumerate(values)}
        tied = top_seats(score)
        lineup = tiebreak_lineup(rules, score, played, seed)
        assert (lineup is None) == (len(tied) < 2)
        if lineup is None:
            return
        pro, con = lineup.teams[PRO], lineup.teams[CON]
        playing = {*pro, *con}
        assert len(pro) == len(con) == (1 if len(tied) == 2 else 2)
        assert len(playing) == 2 * len(pro)
        assert len(playing - set(tied)) == (1 if len(tied) == 3 else 0)
        assert set(lineup.scoring or ()) == playing & set(tied)
        assert playing | set(lineup.bench) == set(score)
        assert not playing & set(lineup.bench)
        assert {side: set(seats) for side, seats in lineup.speaking.items()} == {PRO: set(pro), CON: set(con)}


def order(match: Match, number: int, phase: str) -> list[str]:
    return [plan.seat for plan in match.rounds[number - 1].plans if plan.phase == phase]


TWO_TIED = {1: PRO, 2: PRO, 3: PRO, 4: CON, 5: CON, 6: PRO}
"""P0: R1, R5 = 2; P1: R2, R4, R6 = 3; P2: R1, R4 = 2; P3: R3, R5, R6 = 3; P4: R2 = 1; P5: R3 = 1."""
THREE_TIED = {1: CON, 2: PRO, 3: CON, 4: PRO, 5: CON, 6: PRO}
"""P0 2, P1 3, P2 1, P3 3, P4 3, P5 0: P0 fills in."""
ALL_TIED = dict.fromkeys(range(1, 7), PRO)
"""Everyone is pro twice, so when pro always wins everyone has 2."""


def totals(match: Match, rounds: int | None = None) -> Mapping[str, float]:
    sums = dict.fromkeys(match.rules.seats, 0.0)
    for entry in match.rounds[:rounds]:
        for seat, value in entry.points.items():
            sums[seat] += value
    return sums


class TestInPlay:
    def test_two_tied_play_one_against_one_alone(self) -> None:
        match = Game("classic").to_end(votes=winners_of(TWO_TIED | {7: CON}))
        assert totals(match, 6) == {"P0": 2, "P1": 3, "P2": 2, "P3": 3, "P4": 1, "P5": 1}
        final = match.rounds[6]
        assert final.tiebreak
        assert final.lineup.teams == {PRO: ("P1",), CON: ("P3",)}
        assert order(match, 7, "opening") == ["P1", "P3"]
        assert order(match, 7, "free") == ["P1", "P3", "P1", "P3", "P1", "P3", "P1"]
        assert order(match, 7, "closing") == ["P3", "P1"]
        assert len(match.rounds) == 7
        assert match.winners == ("P3",)
        assert match.standings[0] == ("P3", 4.0, 1, 1.0)
        assert match.standings[1] == ("P1", 3.0, 2, 0.85)

    def test_arenas_duel_ends_with_side_b(self) -> None:
        match = Game("arena").to_end(votes=winners_of(TWO_TIED | {7: CON}))
        assert order(match, 7, "opening") == ["P1", "P3"]
        assert order(match, 7, "free") == ["P3", "P1"] * 4
        assert order(match, 7, "closing") == ["P1", "P3"]

    def test_the_tie_is_looked_at_anew_after_each(self) -> None:
        """Six tied; four play; the two winners tie again and play one against one, sides swapped."""
        match = Game("classic").to_end(votes=winners_of(ALL_TIED | {7: CON, 8: PRO}))
        assert match.rounds[6].lineup.teams == {PRO: ("P0", "P3"), CON: ("P1", "P2")}
        assert match.rounds[7].lineup.teams == {PRO: ("P2",), CON: ("P1",)}
        assert len(match.rounds) == 8
        assert match.winners == ("P2",)
        assert totals(match) == {"P0": 2, "P1": 3, "P2": 4, "P3": 2, "P4": 2, "P5": 2}

    def test_three_tied_and_the_filler_gets_nothing(self) -> None:
        match = Game("classic").to_end(votes=winners_of(THREE_TIED | {7: PRO}))
        assert totals(match, 6) == {"P0": 2, "P1": 3, "P2": 1, "P3": 3, "P4": 3, "P5": 0}
        assert match.rounds[6].lineup.teams == {PRO: ("P1", "P0"), CON: ("P3", "P4")}
        assert match.rounds[6].lineup.bench == ("P2", "P5")
        assert match.rounds[6].points == {"P1": 1}
        assert match.winners == ("P1",)

    def test_when_the_fillers_partner_loses_two_play_on(self) -> None:
        match = Game("classic").to_end(votes=winners_of(THREE_TIED | {7: CON, 8: CON}))
        assert match.rounds[6].points == {"P3": 1, "P4": 1}
        assert match.rounds[7].lineup.teams == {PRO: ("P4",), CON: ("P3",)}
        assert match.winners == ("P3",)

    def test_still_tied_after_three_all_share_the_win(self) -> None:
        """In arena, where a tie-break may be drawn."""
        match = Game("arena").to_end(votes=winners_of(TWO_TIED | {7: "draw", 8: "draw", 9: "draw"}))
        assert len(match.rounds) == 9
        assert match.winners == ("P1", "P3")
        assert [entry.points for entry in match.rounds[6:]] == [{"P1": 0.5, "P3": 0.5}] * 3
        assert [(s.seat, s.place, s.performance) for s in match.standings[:2]] == [("P1", 1, 0.925), ("P3", 1, 0.925)]
        assert [entry.lineup.teams[PRO] for entry in match.rounds[6:]] == [("P1",), ("P3",), ("P1",)]
        assert [entry.lineup.first_side for entry in match.rounds[6:]] == [PRO, CON, PRO]

    def test_still_tied_after_three_in_classic(self) -> None:
        """Where nobody abstains only void rounds keep the tie; each uses one tie-break up."""
        game = Game("classic")
        game.to_round(7, votes=winners_of(TWO_TIED))
        for number in (7, 8, 9):
            game.to_round(number)
            game.do(c.Void(at=game.now, by="moderator", round=number))
        assert game.match.over
        assert game.match.winners == ("P1", "P3")

    def test_fresh_motions(self) -> None:
        match = Game("arena").to_end(votes=winners_of(TWO_TIED | {7: "draw", 8: "draw", 9: "draw"}))
        assert len({entry.motion.id for entry in match.rounds}) == 9
        assert [entry.motion for entry in match.rounds] == list(match.motions)

    def test_drawn_tiebreak_of_three_gives_the_tied_half_and_the_filler_nothing(self) -> None:
        match = Game("arena").to_end(votes=winners_of(THREE_TIED | {7: "draw", 8: CON}))
        assert match.rounds[6].points == {"P1": 0.5, "P3": 0.5, "P4": 0.5}
        assert match.rounds[7].lineup.teams == {PRO: ("P3", "P4"), CON: ("P1", "P0")}
        assert match.winners == ("P1",)

    def test_one_round_formats_have_none(self) -> None:
        match = Game("duel").to_end(votes=winners_of({1: "draw"}))
        assert len(match.rounds) == 1
        assert match.winners == ("P0", "P1")
        assert {(s.points, s.place, s.performance) for s in match.standings} == {(0.5, 1, 0.625)}
