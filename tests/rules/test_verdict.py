"""From ballots to a verdict, to points, places and performance scores (docs/rules.md, "classic" and "arena")."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.rules.format import ABSTAIN, CON, DRAW, PRO, VOID
from bot.rules.judging import CRITERIA, verdict
from bot.rules.lineup import Lineup
from bot.rules.scoring import performance_scores, round_points, standings
from tests.rules.play import scores
from tests.rules.profiles import MODEST

SIDES = (PRO, CON)


@dataclass(frozen=True)
class Ballot:
    vote: str
    scores: dict[str, dict[str, int]] | None = None


def judged(votes: str, *scored: tuple[int, int] | None) -> str:
    """The verdict on votes such as "p c a"; `scored` are the ballots' (pro, con) scores in each criterion."""
    words = {"p": PRO, "c": CON, "a": ABSTAIN}
    pairs = scored + (None,) * (len(votes.split()) - len(scored))
    ballots = [
        Ballot(words[vote], scores(*pair) if pair else None) for vote, pair in zip(votes.split(), pairs, strict=True)
    ]
    return verdict(ballots, SIDES)


class TestVerdict:
    def test_criteria(self) -> None:
        assert CRITERIA == ("argument", "evidence", "rebuttal", "persuasion")

    @pytest.mark.parametrize(
        ("votes", "winner"),
        [("p p p", PRO), ("p p c", PRO), ("c p c", CON), ("c", CON), ("p", PRO), ("c c c p p", CON), ("p p p c", PRO)],
    )
    def test_majority(self, votes: str, winner: str) -> None:
        assert judged(votes) == winner

    @pytest.mark.parametrize(("votes", "winner"), [("p a a", PRO), ("c a a", CON), ("c c a p a", CON)])
    def test_of_the_votes_cast(self, votes: str, winner: str) -> None:
        assert judged(votes) == winner

    def test_scores_do_not_outweigh_votes(self) -> None:
        assert judged("p p c", (0, 10), (0, 10), (0, 10)) == PRO

    def test_equal_votes_go_to_the_higher_sum_of_scores(self) -> None:
        assert judged("p c", (6, 5), (5, 5)) == PRO
        assert judged("p c", (5, 5), (5, 6)) == CON
        assert judged("p c a", (7, 6), (6, 7), (2, 3)) == CON  # also those of a judge who abstains
        assert judged("p c", None, (4, 5)) == CON  # all that have scores
        assert judged("a a", (7, 6)) == PRO  # nobody voted: equal

    def test_a_single_point_decides(self) -> None:
        near = scores(5, 5)
        near[CON]["evidence"] = 6
        assert verdict([Ballot(PRO, near), Ballot(CON, scores(5, 5))], SIDES) == CON

    @pytest.mark.parametrize("votes", ["p c", "a a a", "p c a", "a", "p p c c"])
    def test_equal_votes_without_scores_draw(self, votes: str) -> None:
        assert judged(votes) == DRAW

    def test_equal_votes_and_equal_scores_draw(self) -> None:
        assert judged("p c", (6, 5), (5, 6)) == DRAW

    def test_four_sides(self) -> None:
        four = ("og", "oo", "cg", "co")
        assert verdict([Ballot("cg"), Ballot("cg"), Ballot("oo")], four) == "cg"
        assert verdict([Ballot("cg"), Ballot("oo"), Ballot("og")], four) == DRAW
        both: dict[str, dict[str, int]] = {side: dict.fromkeys(list[str](CRITERIA), n) for n, side in enumerate(four)}
        assert verdict([Ballot("og", both), Ballot("cg", both)], four) == "cg"  # `co` scored more but had no vote

    @MODEST
    @given(
        st.lists(
            st.tuples(st.sampled_from("pca"), st.none() | st.tuples(st.integers(0, 10), st.integers(0, 10))),
            min_size=1,
            max_size=5,
        )
    )
    def test_the_labels_do_not_matter(self, ballots: list[tuple[str, tuple[int, int] | None]]) -> None:
        swap = {"p": "c", "c": "p", "a": "a"}
        swapped = [(swap[vote], (pair[1], pair[0]) if pair else None) for vote, pair in ballots]
        one = judged(" ".join(vote for vote, _ in ballots), *(pair for _, pair in ballots))
        other = judged(" ".join(vote for vote, _ in swapped), *(pair for _, pair in swapped))
        assert {PRO: CON, CON: PRO, DRAW: DRAW}[one] == other


def lineup(scoring: tuple[str, ...] | None = None) -> Lineup:
    teams = {PRO: ("P0", "P3"), CON: ("P1", "P2")}
    return Lineup(teams=teams, bench=("P4", "P5"), speaking=teams, scoring=scoring)


class TestPoints:
    def test_one_to_each_winner(self) -> None:
        assert round_points(lineup(), PRO) == {"P0": 1, "P3": 1}
        assert round_points(lineup(), CON) == {"P1": 1, "P2": 1}

    def test_half_to_everyone_in_a_drawn_round(self) -> None:
        assert round_points(lineup(), DRAW) == {"P0": 0.5, "P1": 0.5, "P2": 0.5, "P3": 0.5}

    def test_nothing_in_a_void_round(self) -> None:
        assert round_points(lineup(), VOID) == {}

    def test_nothing_to_the_filler(self) -> None:
        tiebreak = lineup(scoring=("P0", "P1", "P2"))
        assert round_points(tiebreak, PRO) == {"P0": 1}
        assert round_points(tiebreak, CON) == {"P1": 1, "P2": 1}
        assert round_points(tiebreak, DRAW) == {"P0": 0.5, "P1": 0.5, "P2": 0.5}


class TestPerformance:
    def test_by_placing(self) -> None:
        assert performance_scores(6) == (1.00, 0.85, 0.70, 0.55, 0.40, 0.25)

    def test_spaced_evenly_for_other_numbers(self) -> None:
        assert performance_scores(2) == (1.00, 0.25)
        assert performance_scores(4) == (1.00, 0.75, 0.50, 0.25)
        for n in range(2, 20):
            steps = {round(a - b, 6) for a, b in pairwise(performance_scores(n))}
            assert len(steps) == 1
            assert performance_scores(n)[0] == 1
            assert performance_scores(n)[-1] == 0.25

    def test_places_without_ties(self) -> None:
        placed = standings({"P0": 1, "P1": 4, "P2": 0, "P3": 3, "P4": 2, "P5": 5})
        assert [(s.seat, s.place, s.performance) for s in placed] == [
            ("P5", 1, 1.0), ("P1", 2, 0.85), ("P3", 3, 0.7), ("P4", 4, 0.55), ("P0", 5, 0.4), ("P2", 6, 0.25),
        ]  # fmt: skip

    def test_tied_places_share_the_mean(self) -> None:
        placed = standings({"P0": 3, "P1": 3, "P2": 2, "P3": 1, "P4": 1, "P5": 1})
        assert [(s.seat, s.place, s.performance) for s in placed] == [
            ("P0", 1, 0.925), ("P1", 1, 0.925), ("P2", 3, 0.7), ("P3", 4, 0.4), ("P4", 4, 0.4), ("P5", 4, 0.4),
        ]  # fmt: skip

    def test_all_tied(self) -> None:
        assert {(s.place, s.performance) for s in standings({f"P{n}": 2 for n in range(6)})} == {(1, 0.625)}

    @MODEST
    @given(st.lists(st.integers(0, 4), min_size=2, max_size=12))
    def test_the_sum_is_the_same_however_it_ends(self, points: list[int]) -> None:
        placed = standings({f"P{n}": value for n, value in enumerate(points)})
        assert sum(s.performance for s in placed) == pytest.approx(sum(performance_scores(len(points))), abs=0.01)
        assert [s.points for s in placed] == sorted(points, reverse=True)
        for s in placed:
            assert s.place == 1 + sum(other > s.points for other in points)

    def test_seats_sort_by_number(self) -> None:
        assert [s.seat for s in standings({"P10": 1, "P2": 1, "P1": 1})] == ["P1", "P2", "P10"]

    def test_partners_share_a_place_where_the_team_wins(self) -> None:
        points = {"P0": 0.0, "P1": 1.0, "P2": 0.0, "P3": 1.0}
        teams = {PRO: ("P0", "P2"), CON: ("P1", "P3")}
        assert [(s.seat, s.place, s.performance) for s in standings(points, teams)] == [
            ("P1", 1, 1.0), ("P3", 1, 1.0), ("P0", 2, 0.25), ("P2", 2, 0.25),
        ]  # fmt: skip

    def test_teams_that_draw_share_the_mean(self) -> None:
        placed = standings({"P0": 0.5, "P1": 0.5}, {PRO: ("P0",), CON: ("P1",)})
        assert {(s.place, s.performance) for s in placed} == {(1, 0.625)}

    def test_four_teams(self) -> None:
        teams = {"og": ("P0", "P1"), "oo": ("P2", "P3"), "cg": ("P4", "P5"), "co": ("P6", "P7")}
        points = {f"P{n}": 1.0 if n in (4, 5) else 0.0 for n in range(8)}
        placed = {s.seat: (s.place, s.performance) for s in standings(points, teams)}
        assert placed["P4"] == placed["P5"] == (1, 1.0)
        assert placed["P0"] == placed["P7"] == (2, 0.5)
