"""The clock, and what moderators can do: pause, resume, skip, void, cancel (docs/rules.md, "Seats";
docs/architecture.md, "Time")."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.rules import commands as c
from bot.rules.match import Clip, Outcome, Stage, Status
from bot.rules.tempo import Tempo
from tests.rules.play import T0, WALL0, Game, policy, started


def pause(game: Game, *, after_ms: int = 0, wall: int = WALL0, **more: str) -> None:
    game.do(c.Pause(at=game.now + after_ms, wall=wall, by="mod", **more))


def resume(game: Game, *, wall: int, **more: object) -> None:
    game.do(c.Resume(at=game.now, wall=wall, by="mod", **more))  # type: ignore[arg-type]


class TestPause:
    def test_deadlines_move_by_exactly_the_pause(self) -> None:
        game = started("classic", {"P0": "ann"}, tempo=Tempo.BLITZ)
        game.to_slot(1)
        deadline = game.deadline
        wall_before = game.match.clock.wall_at(deadline)
        assert wall_before is not None
        pause(game, after_ms=5_000, wall=WALL0 + game.now - T0 + 5_000)
        assert game.match.next_due is None
        resume(game, wall=WALL0 + game.now - T0 + 3_600_000)
        assert game.deadline == deadline  # the match's own clock stood still
        assert game.match.clock.wall_at(deadline) == wall_before + 3_600_000
        assert game.do(c.Tick(at=deadline - 1)) == []
        game.tick()
        assert game.match.rounds[0].turns[0].closed_at == deadline

    def test_at_any_speed(self) -> None:
        game = started("duel", speed=20.0)
        due = game.due
        before = game.match.clock.wall_at(due)
        assert before is not None
        pause(game, after_ms=2_000, wall=WALL0 + 100)
        resume(game, wall=WALL0 + 100 + 7_000)
        assert game.match.clock.wall_at(due) == WALL0 + 7_100 + (due - T0 - 2_000) / 20

    def test_nothing_happens_by_itself_or_by_people(self) -> None:
        game = started("classic", {"P0": "ann"})
        game.to_slot(1)
        pause(game)
        for command in (
            c.Tick(at=game.now + 10**9),
            game.speak(),
            c.Pass(at=game.now, person="ann"),
            c.Done(at=game.now, seat="P0", person="ann"),
            c.Cast(at=game.now, judge="J0", vote="pro"),
            c.Skip(at=game.now, by="mod"),
            c.Void(at=game.now, by="mod"),
            c.Pause(at=game.now, wall=0, by="mod"),
        ):
            assert game.code(command) == "paused"

    def test_a_prompt_under_way_still_arrives(self) -> None:
        game = started("classic", {"P0": "ann"}, tempo=Tempo.BLITZ)
        game.to_slot(1, Stage.CALLED)
        pause(game)
        game.prompt()
        deadline = game.deadline
        assert deadline == game.now + 20_000
        assert game.match.next_due is None
        resume(game, wall=WALL0 + 10**7)
        assert game.due == deadline

    def test_a_reveal_under_way_still_arrives(self) -> None:
        game = started("classic")
        game.to_judging()
        for judge in game.match.judges:
            game.vote(judge.id, "pro")
        game.tick()
        shown = game.now
        pause(game)
        game.seen()
        assert game.match.next_due is None
        resume(game, wall=WALL0 + 10**7)
        assert game.due == shown + 6_000

    def test_even_the_last_reveal(self) -> None:
        game = started("duel")
        game.to_judging()
        for judge in game.match.judges:
            game.vote(judge.id, "pro")
        for _ in range(2):
            game.tick()
            game.seen()
        game.tick()
        pause(game)
        game.seen()
        assert game.match.status is Status.FINISHED

    def test_is_in_the_record(self) -> None:
        game = started("duel")
        pause(game, wall=WALL0 + 50_000, why=" coffee\u200b\ud800 ")
        [entry] = game.match.pauses
        assert (entry.at, entry.by, entry.why, entry.wall_ms) == (game.now, "mod", "coffee", None)
        resume(game, wall=WALL0 + 62_500)
        assert game.match.pauses[0].wall_ms == 12_500
        assert game.match.resumed == 0

    def test_a_restart_is_counted(self) -> None:
        game = started("duel")
        for n in (1, 2):
            pause(game, wall=WALL0 + n * 50_000, why="downtime")
            resume(game, wall=WALL0 + n * 50_000 + 1, recovered=True)
            assert game.match.resumed == n

    def test_wall_clocks_may_be_set_back(self) -> None:
        game = started("duel")
        pause(game, wall=WALL0 + 50_000)
        resume(game, wall=WALL0 + 40_000)
        assert game.match.pauses[0].wall_ms == 0

    def test_a_lobby_can_be_paused(self) -> None:
        game = Game("duel", lobby_until=T0 + 60_000)
        pause(game)
        assert game.match.next_due is None
        game.join("ann")
        resume(game, wall=WALL0 + 10**6)
        assert game.due == T0 + 60_000

    def test_only_what_runs_stops_and_what_stopped_runs(self) -> None:
        game = started("duel")
        assert game.code(c.Resume(at=game.now, wall=0, by="mod")) == "not_paused"
        pause(game)
        assert game.code(c.Pause(at=game.now, wall=0, by="mod")) == "paused"

    def test_the_speed_can_change_but_must_be_one(self) -> None:
        game = started("duel")
        pause(game)
        for speed in (-1.0, float("nan"), float("inf")):
            assert game.code(c.Resume(at=game.now, wall=0, by="mod", speed=speed)) == "bad_speed"
        resume(game, wall=WALL0, speed=60.0)
        assert game.match.clock.speed == 60
        pause(game)
        resume(game, wall=WALL0)
        assert game.match.clock.speed == 60

    def test_a_stamp_from_the_past_does_not_turn_the_clock_back(self) -> None:
        game = started("duel")
        game.to_slot(2)
        now = game.now
        game.do(c.Pause(at=now - 50_000, wall=WALL0, by="mod"))
        assert game.match.clock.match == now


class TestSkip:
    @pytest.mark.parametrize("stage", [Stage.SCHEDULED, Stage.CALLED, Stage.OPEN])
    def test_a_turn_wherever_it_is(self, stage: Stage) -> None:
        game = started("classic", {"P0": "ann"})
        game.to_slot(1, stage)
        at = game.now + 2_000
        game.do(c.Skip(at=at, by="mod"))
        turn = game.match.rounds[0].turns[0]
        assert (turn.outcome, turn.closed_at, turn.parts) == (Outcome.SKIPPED, at, ())
        assert game.slot.plan.n == 2
        assert game.due == at + 10_000

    def test_what_was_said_of_it_stands(self) -> None:
        game = started(policy())
        game.to_slot(1)
        game.say("A first part.")
        game.do(c.Skip(at=game.now, by="mod"))
        turn = game.match.rounds[0].turns[0]
        assert (turn.outcome, turn.parts[0].text) == (Outcome.SAID, "A first part.")

    def test_not_past_the_deadline_in_the_record(self) -> None:
        game = started("classic", {"P0": "ann"})
        game.to_slot(1)
        deadline = game.deadline
        game.do(c.Skip(at=deadline + 1_500, by="mod"))
        assert game.match.rounds[0].turns[0].closed_at == deadline

    def test_the_last_turn_leads_to_the_bench(self) -> None:
        game = started("duel")
        game.to_slot(8)
        game.do(c.Skip(at=game.now, by="mod"))
        assert game.match.slot is None
        assert game.match.rounds[0].judging is not None

    @pytest.mark.parametrize("stage", [Stage.CALLED, Stage.OPEN])
    def test_the_vote(self, stage: Stage) -> None:
        game = started("arena", {"J1": "jo"})
        game.to_judging(stage)
        if stage is Stage.OPEN:
            game.vote("J0", "con")
        game.do(c.Skip(at=game.now + 1_000, by="mod"))
        judging = game.match.rounds[0].judging
        assert judging is not None
        assert judging.closed_at == game.now
        assert game.due == game.now + 6_000
        assert {(b.vote, b.defaulted) for b in judging.ballots if b.judge != "J0"} == {("abstain", "absent")}
        assert game.match.seats["J1"].missed == 0

    def test_a_reveal_is_not_skipped(self) -> None:
        game = started("duel")
        game.to_judging()
        game.do(c.Skip(at=game.now, by="mod"))
        assert game.code(c.Skip(at=game.now, by="mod")) == "nothing_to_skip"
        game.tick()
        assert game.code(c.Skip(at=game.now, by="mod")) == "nothing_to_skip"

    def test_not_before_the_start(self) -> None:
        assert Game("duel").code(c.Skip(at=0, by="mod")) == "not_started"


class TestVoid:
    def test_nobody_scores_and_the_next_round_begins(self) -> None:
        game = started("classic")
        game.to_slot(6)
        said = game.match.rounds[0].turns
        game.do(c.Void(at=game.now + 3_000, by="mod"))
        first = game.match.rounds[0]
        assert (first.winner, first.points, first.void, first.decided_at) == ("void", {}, True, game.now)
        assert first.turns[:5] == said
        assert game.number == 2
        assert game.due == game.now + 10_000
        match = game.to_end()
        assert match.points()["P0"] == 1  # round 1 would have given one more

    def test_what_was_being_said_stays_in_the_record(self) -> None:
        game = started(policy())
        game.to_slot(1)
        game.say("A first part.")
        game.do(c.Void(at=game.now, by="mod"))
        [turn] = game.match.rounds[0].turns
        assert (turn.outcome, turn.parts[0].text) == (Outcome.SAID, "A first part.")
        game = started("classic")
        game.to_slot(2)
        game.do(c.Void(at=game.now, by="mod"))
        assert [turn.outcome for turn in game.match.rounds[0].turns] == [Outcome.SAID, Outcome.SKIPPED]

    @pytest.mark.parametrize("stage", [Stage.CALLED, Stage.OPEN])
    def test_during_the_vote(self, stage: Stage) -> None:
        game = started("classic", {"J0": "jo"})
        game.to_judging(stage)
        game.do(c.Void(at=game.now, by="mod"))
        assert game.match.rounds[0].winner == "void"
        assert game.number == 2

    def test_during_the_reveals(self) -> None:
        game = started("classic")
        game.to_judging()
        game.do(c.Skip(at=game.now, by="mod"))
        game.tick()
        game.do(c.Void(at=game.now, by="mod"))
        assert game.number == 2
        assert game.code(c.RevealSeen(at=game.now, round=1, judge="J0")) == "nothing_revealed"

    def test_the_last_round_ends_the_match(self) -> None:
        game = started("duel")
        game.do(c.Void(at=game.now, by="mod"))
        assert game.match.status is Status.FINISHED
        assert {s.points for s in game.match.standings} == {0}

    def test_a_round_that_is_decided_stays_so(self) -> None:
        """A moderator a moment too late must not void the next round by accident."""
        game = started("classic")
        game.to_round(2)
        assert game.code(c.Void(at=game.now, by="mod", round=1)) == "round_decided"
        game.do(c.Void(at=game.now, by="mod", round=2))

    def test_a_side_that_said_nothing_makes_the_round_void_whatever_the_votes(self) -> None:
        game = started("classic")
        game.to_round(2, silent=["P1", "P3"])
        first = game.match.rounds[0]
        assert (first.void, first.winner, first.points) == (True, "void", {})

    def test_one_word_of_one_partner_is_enough(self) -> None:
        game = started("classic")
        game.to_round(2, silent=["P1"])
        assert not game.match.rounds[0].void


def in_lobby(game: Game) -> None:
    pass


def paused_lobby(game: Game) -> None:
    pause(game)


def between_turns(game: Game) -> None:
    game.start()


def called(game: Game) -> None:
    game.to_slot(1, Stage.CALLED)


def speaking(game: Game) -> None:
    game.to_slot(1)


def paused(game: Game) -> None:
    game.to_slot(1)
    pause(game)


def voting_called(game: Game) -> None:
    game.to_judging(Stage.CALLED)


def voting(game: Game) -> None:
    game.to_judging()


def revealing(game: Game) -> None:
    game.to_judging()
    game.do(c.Skip(at=game.now, by="mod"))


def reveal_under_way(game: Game) -> None:
    revealing(game)
    game.tick()


MOMENTS: list[Callable[[Game], None]] = [
    in_lobby, paused_lobby, between_turns, called, speaking, paused, voting_called, voting, revealing, reveal_under_way,
]  # fmt: skip


@pytest.mark.parametrize("moment", MOMENTS)
class TestCancel:
    def game(self, moment: Callable[[Game], None]) -> Game:
        game = Game("classic", lobby_until=T0 + 60_000)
        game.join("ann", "P0")
        game.join("jo", "J0")
        moment(game)
        return game

    def test_in_every_state(self, moment: Callable[[Game], None]) -> None:
        game = self.game(moment)
        game.do(c.Cancel(at=game.now + 100, by="mod", reason="power cut\ud800"))
        match = game.match
        assert (match.status, match.over, match.reason) == (Status.CANCELLED, True, "power cut")
        assert match.finished_at == game.now
        assert match.next_due is None
        assert not match.clock.running
        assert (match.standings, match.winners) == ((), ())

    def test_then_nothing_more(self, moment: Callable[[Game], None]) -> None:
        game = self.game(moment)
        game.do(c.Cancel(at=game.now, by="mod"))
        later = game.now + 10**6
        for command in (
            c.Cancel(at=later, by="mod"), c.Tick(at=later), c.Join(at=later, person="x"),
            c.Leave(at=later, person="ann"),
            c.Resume(at=later, wall=0, by="mod"), c.Pause(at=later, wall=0, by="mod"), c.Skip(at=later, by="mod"),
            c.Cast(at=later, judge="J0", vote="pro", person="jo"), c.Prompted(at=later, round=1, n=1),
        ):  # fmt: skip
            assert game.code(command) == "match_over"
        assert game.code(open_again(game)) == "already_open"

    def test_replays(self, moment: Callable[[Game], None]) -> None:
        game = self.game(moment)
        game.do(c.Cancel(at=game.now, by="mod"))
        assert game.replayed() == game.match


def open_again(game: Game) -> c.Open:
    return c.Open(at=0, match="m", community="x", host="h", format=game.format, seed=1, wall=0)


class TestOpenSpeed:
    def test_must_be_one(self) -> None:
        from bot.rules.match import Match

        game = Game("duel")
        game.match = Match()
        for speed in (-1.0, float("nan"), float("inf")):
            command = c.Open(at=0, match="m", community="x", host="h", format=game.format, seed=1, wall=0, speed=speed)
            assert game.code(command) == "bad_speed"

    def test_no_match_no_commands(self) -> None:
        from bot.rules.match import Match

        game = Game("duel")
        game.match = Match()
        assert game.code(c.Tick(at=0)) == "no_such_match"


class TestClips:
    CLIP = Clip("round-1/turn-1.ogg", 12.5, "ogg/opus")

    def attach(self, game: Game, round: int = 1, n: int = 1, part: int = 0) -> c.AttachClip:
        return c.AttachClip(at=0, round=round, n=n, part=part, clip=self.CLIP)

    def test_to_a_turn_even_after_the_end(self) -> None:
        game = started("duel")
        game.to_end()
        now = game.now
        game.do(self.attach(game, n=3))
        assert game.match.rounds[0].turns[2].parts[0].clip == self.CLIP
        assert [turn.parts[0].clip for turn in game.match.rounds[0].turns].count(None) == 7
        assert (game.now, game.match.status) == (now, Status.FINISHED)

    def test_to_a_part_of_the_speech_being_made(self) -> None:
        game = started(policy())
        game.to_slot(1)
        game.say("First.")
        game.say("Second.")
        game.do(self.attach(game, part=1))
        assert [part.clip for part in game.slot.parts] == [None, self.CLIP]

    @pytest.mark.parametrize(
        ("round", "n", "part"),
        [(0, 1, 0), (2, 1, 0), (-1, 1, 0), (1, 0, 0), (1, -1, 0), (1, 9, 0), (1, 2, 0), (1, 1, 1), (1, 1, -1)],
    )  # fmt: skip
    def test_not_to_a_turn_that_is_not_there(self, round: int, n: int, part: int) -> None:
        game = started("duel")
        assert game.code(self.attach(game, n=0)) == "no_such_turn"
        game.to_slot(2)
        assert game.code(self.attach(game, round, n, part)) == "no_such_turn"

    def test_once(self) -> None:
        game = started("duel")
        game.to_slot(2)
        game.do(self.attach(game))
        assert game.code(self.attach(game)) == "no_such_turn"
