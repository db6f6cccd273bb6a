"""Ballots: casting, changing, missing, broken; and their reveal (docs/rules.md, "classic" and "arena")."""

from __future__ import annotations

import pytest

from bot.rules import commands as c
from bot.rules.bench import LONGEST_REASON
from bot.rules.match import Ballot, Judging, Stage
from bot.rules.tempo import Tempo
from tests.rules.play import BALLOT_SCORES, Game, scores, started


def judging(game: Game, number: int = 1) -> Judging:
    found = game.match.rounds[number - 1].judging
    assert found is not None
    return found


def ballots(game: Game, number: int = 1) -> dict[str, Ballot]:
    return {ballot.judge: ballot for ballot in judging(game, number).ballots}


def at_the_vote(fmt: str = "classic", people: dict[str, str] | None = None, **more: object) -> Game:
    game = started(fmt, people, **more)
    game.to_judging()
    return game


class TestCasting:
    def test_closes_with_the_last(self) -> None:
        game = at_the_vote()
        game.vote("J0", "pro")
        game.vote("J2", "con")
        assert judging(game).closed_at is None
        game.vote("J1", "con", at=game.now + 5_000)
        assert judging(game).closed_at == game.now
        assert game.due == game.now + 6_000

    def test_can_be_changed_until_then(self) -> None:
        game = at_the_vote()
        game.vote("J0", "pro", reason="At first.")
        game.vote("J0", "con", reason="On reflection.", scores=scores(4, 6))
        assert len(judging(game).ballots) == 1
        assert (ballots(game)["J0"].vote, ballots(game)["J0"].reason) == ("con", "On reflection.")
        game.vote("J1", "pro")
        game.vote("J2", "pro")
        assert game.code(game.ballot("J0", "pro")) == "voting_closed"
        assert ballots(game)["J0"].vote == "con"

    def test_not_before_the_vote(self) -> None:
        game = started("classic")
        assert game.code(game.ballot("J0", "pro")) == "voting_closed"
        assert game.code(game.ballot("J0", "pro", round=1)) == "voting_closed"

    def test_for_the_round_that_is_meant(self) -> None:
        game = at_the_vote()
        assert game.code(game.ballot("J0", "pro", round=2)) == "voting_closed"
        game.vote("J0", "pro", round=1)

    @pytest.mark.parametrize(("judge", "person"), [("P0", None), ("J3", None), ("J0", "ann"), ("J0", "stranger")])
    def test_only_by_its_judge(self, judge: str, person: str | None) -> None:
        game = at_the_vote(people={"P0": "ann"})
        assert game.code(c.Cast(at=game.now, judge=judge, vote="pro", person=person)) == "not_a_judge"

    def test_a_debater_cannot_judge(self) -> None:
        game = at_the_vote(people={"P0": "ann", "J0": "jo"})
        assert game.code(c.Cast(at=game.now, judge="P0", vote="pro", person="ann")) == "not_a_judge"
        assert game.code(c.Cast(at=game.now, judge="J0", vote="pro", person="ann")) == "not_a_judge"

    @pytest.mark.parametrize("vote", ["", "Pro", "draw", "void", "P0", "aff", "\ud800"])
    def test_for_a_side(self, vote: str) -> None:
        refusal = at_the_vote().refused(at_the_vote().ballot("J0", vote))
        assert refusal.code == "unknown_side"

    def test_nobody_abstains_in_classic_but_in_arena(self) -> None:
        game = at_the_vote("classic")
        assert game.code(game.ballot("J0", "abstain")) == "unknown_side"
        at_the_vote("arena").vote("J0", "abstain")

    def test_scores_are_whole_numbers_for_every_criterion_of_both_sides(self) -> None:
        game = at_the_vote()
        whole = scores(0, 10)
        faults: list[object] = [
            {"pro": whole["pro"]},
            whole | {"neutral": whole["pro"]},
            {**whole, "pro": {"argument": 5}},
            {**whole, "pro": whole["pro"] | {"charm": 5}},
            {**whole, "pro": whole["pro"] | {"evidence": 11}},
            {**whole, "pro": whole["pro"] | {"evidence": -1}},
            {**whole, "pro": whole["pro"] | {"evidence": 7.5}},
            {},
        ]
        for fault in faults:
            assert game.code(game.ballot("J0", "pro", scores=fault)) == "bad_scores"
        game.vote("J0", "pro", scores=whole)
        assert ballots(game)["J0"].scores == {
            "pro": dict.fromkeys(BALLOT_SCORES, 0),
            "con": dict.fromkeys(BALLOT_SCORES, 10),
        }

    def test_reasons_are_cleaned_and_not_endless(self) -> None:
        game = at_the_vote()
        game.vote("J0", "pro", reason=" Well\u200b argued.\ud800 ", flags=["instructs\u200b the judge\ud800"])
        assert (ballots(game)["J0"].reason, ballots(game)["J0"].flags) == ("Well argued.", ("instructs the judge",))
        game.vote("J0", "pro", reason="A sentence. " * 400)
        assert len(ballots(game)["J0"].reason) <= LONGEST_REASON
        assert ballots(game)["J0"].reason.endswith("sentence.")

    def test_a_late_one(self) -> None:
        game = at_the_vote(people={"J0": "jo"})
        deadline = judging(game).deadline
        assert deadline is not None
        assert game.code(game.ballot("J0", "con", at=deadline + 501)) == "too_late"
        assert game.code(game.ballot("J1", "con", at=deadline + 1)) == "too_late"  # an AI has no grace
        game.vote("J0", "con", at=deadline + 500)
        assert ballots(game)["J0"].cast_at == deadline


class TestMissing:
    @pytest.mark.parametrize(
        ("fmt", "vote"), [("classic", "pro"), ("arena", "abstain"), ("duel", "abstain"), ("doubles", "abstain")]
    )
    def test_counts_as_the_format_says_at_the_deadline(self, fmt: str, vote: str) -> None:
        game = at_the_vote(fmt)
        game.vote("J1", "con")
        deadline = judging(game).deadline
        game.tick()
        missing = ballots(game)["J0"]
        assert (missing.vote, missing.defaulted, missing.cast_at) == (vote, "timeout", deadline)
        assert (missing.reason, missing.scores) == ("", None)
        assert judging(game).closed_at == deadline

    @pytest.mark.parametrize(("fmt", "winner"), [("classic", "pro"), ("arena", "con")])
    def test_decides_the_round_that_way(self, fmt: str, winner: str) -> None:
        game = Game(fmt)
        game.to_round(2, votes=lambda number: ["con", None, None])
        assert game.match.rounds[0].winner == winner

    def test_all_missing(self) -> None:
        game = Game("classic")
        game.to_round(2, votes=lambda number: [None] * 3)
        assert game.match.rounds[0].winner == "pro"
        game = Game("arena")
        game.to_round(2, votes=lambda number: [None] * 3)
        assert game.match.rounds[0].winner == "draw"
        assert game.match.rounds[0].points == {"P0": 0.5, "P1": 0.5, "P2": 0.5, "P3": 0.5}


class TestBroken:
    def test_counts_as_missing_and_says_so(self) -> None:
        game = at_the_vote("arena")
        game.do(c.Break(at=game.now, judge="J1", round=1))
        assert judging(game).closed_at is None  # a good one may follow in time
        game.tick()
        assert {judge: ballot.defaulted for judge, ballot in ballots(game).items()} == {
            "J0": "timeout", "J1": "broken", "J2": "timeout",
        }  # fmt: skip
        assert ballots(game)["J1"].vote == "abstain"

    def test_a_good_one_in_time_mends_it(self) -> None:
        game = at_the_vote()
        game.do(c.Break(at=game.now, judge="J1", round=1))
        game.vote("J1", "con")
        game.tick()
        assert (ballots(game)["J1"].vote, ballots(game)["J1"].defaulted) == ("con", None)

    def test_not_what_was_cast_already(self) -> None:
        game = at_the_vote()
        game.vote("J1", "con")
        assert game.code(c.Break(at=game.now, judge="J1", round=1)) == "already_voted"

    def test_not_in_another_round_or_before(self) -> None:
        assert started("classic").code(c.Break(at=0, judge="J1", round=1)) == "voting_closed"
        assert at_the_vote().code(c.Break(at=0, judge="J1", round=2)) == "voting_closed"

    @pytest.mark.parametrize("judge", ["P0", "J7", "J0"])
    def test_only_an_ai_judges(self, judge: str) -> None:
        game = at_the_vote(people={"J0": "jo"})
        assert game.code(c.Break(at=game.now, judge=judge, round=1)) == "not_a_judge"


class TestPeopleJudge:
    def test_the_vote_opens_when_the_call_is_there(self) -> None:
        game = started("classic", {"J1": "jo"})
        game.to_judging(Stage.CALLED)
        assert game.match.next_due is None
        assert game.code(game.ballot("J0", "pro")) == "voting_closed"
        game.do(c.Prompted(at=game.now + 700, round=1, n=None))
        assert judging(game).stage is Stage.OPEN
        assert judging(game).deadline == game.now + 30_000
        assert game.match.awaits_person
        assert game.code(c.Prompted(at=game.now, round=1, n=None)) == "stale_slot"

    def test_a_judges_own_time(self) -> None:
        game = Game("classic", tempo=Tempo.STANDARD)
        game.join("jo", "J1", extra_time=2)
        game.start()
        game.to_judging()
        assert judging(game).deadline == game.now + 30_000 * 4 * 2

    def test_two_missed_ballots_running_and_an_ai_judges(self) -> None:
        game = started("classic", {"J1": "jo"})
        votes = lambda number: ["pro", None, "con"]  # noqa: E731
        game.to_judging(Stage.OPEN, round=2, votes=votes)
        assert game.match.seats["J1"].missed == 1
        events = game.tick()
        assert game.kinds(events)[-1] == "seat_replaced"
        holder = game.match.seats["J1"].holder
        assert holder is not None
        assert not holder.is_person
        game.to_judging(Stage.OPEN, round=3, votes=votes)  # nobody has to be called any more
        assert "judging_called" in game.kinds(game.log)

    def test_a_ballot_starts_the_count_anew(self) -> None:
        game = started("classic", {"J1": "jo"})
        silent = {1, 3}
        game.to_round(4, votes=lambda number: ["pro", None if number in silent else "con", "con"])
        holder = game.match.seats["J1"].holder
        assert holder is not None
        assert holder.person == "jo"

    def test_missed_turns_and_missed_ballots_do_not_add_up_across_people(self) -> None:
        game = started("classic", {"P0": "ann", "J1": "jo"})
        game.to_judging(silent=[], votes=lambda number: ["pro", None, "pro"])
        game.tick()
        assert game.match.seats["J1"].missed == 1
        assert game.match.seats["P0"].missed == 0

    def test_an_ai_takes_over_in_the_middle_of_the_vote(self) -> None:
        game = at_the_vote(people={"J1": "jo"})
        game.leave("jo")
        game.vote("J1", "con")
        assert ballots(game)["J1"].vote == "con"

    def test_a_ballot_cast_before_leaving_stays(self) -> None:
        game = at_the_vote(people={"J1": "jo"})
        game.vote("J1", "con")
        game.leave("jo")
        assert ballots(game)["J1"].vote == "con"


class TestReveals:
    @pytest.mark.parametrize("n", [1, 2, 4, 5])
    def test_one_at_a_time_in_seat_order_whatever_the_bench(self, n: int) -> None:
        game = started("arena", judges=n)
        game.to_judging()
        for judge in reversed(game.match.judges):
            game.vote(judge.id, "con")
        closed = game.now
        seen = []
        for _ in range(n):
            game.tick()
            seen.append([b.judge for b in judging(game).ballots if b.revealed_at is not None])
            assert game.now == closed + 6_000 * len(seen)
            game.seen()
        assert seen == [[f"J{k}" for k in range(i + 1)] for i in range(n)]
        assert game.match.rounds[0].winner == "con"
        assert game.match.rounds[0].decided_at == closed + 6_000 * n

    @pytest.mark.parametrize(
        ("n", "votes", "winner"),
        [
            (2, ["pro", "con"], "draw"),
            (4, ["pro", "con", "con", "pro"], "draw"),
            (4, ["pro", "con", "con", None], "con"),
            (5, ["pro", "con", "con", "pro", "pro"], "pro"),
            (2, [("pro", scores(5, 6)), ("con", scores(6, 6))], "con"),
            (1, [None], "draw"),
        ],
    )
    def test_even_and_small_benches(self, n: int, votes: list[str], winner: str) -> None:
        game = Game("arena", judges=n)
        game.to_round(2, votes=lambda number: votes)
        assert game.match.rounds[0].winner == winner

    def test_a_second_delivery_changes_nothing(self) -> None:
        game = at_the_vote()
        for judge in game.match.judges:
            game.vote(judge.id, "pro")
        assert game.code(c.RevealSeen(at=game.now, round=1, judge="J0")) == "nothing_revealed"
        game.tick()
        assert game.code(c.RevealSeen(at=game.now, round=1, judge="J1")) == "nothing_revealed"
        game.seen()
        assert game.code(c.RevealSeen(at=game.now, round=1, judge="J0")) == "nothing_revealed"
        assert game.code(c.RevealSeen(at=game.now, round=2, judge="J0")) == "nothing_revealed"

    def test_no_reveal_comes_early_by_ticking(self) -> None:
        game = at_the_vote()
        for judge in game.match.judges:
            game.vote(judge.id, "pro")
        game.tick()
        assert game.do(c.Tick(at=game.now + 10**7)) == []  # the first is not seen yet
