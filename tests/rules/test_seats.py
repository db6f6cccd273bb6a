"""Taking seats, leaving them, and AIs that stand in (docs/rules.md, "Seats")."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bot.rules import commands as c
from bot.rules.match import Holder, Match, Outcome, Stage, Status
from bot.rules.motion import custom_motion
from bot.rules.tempo import Tempo
from tests.rules.play import CAST, MOTIONS, T0, Game, started


def holder(match: Match, seat: str) -> str | None:
    """Who holds a seat: the person, or the AI's persona."""
    held = match.seats[seat].holder
    return None if held is None else held.person or held.persona


def ai(match: Match, seat: str) -> bool:
    held = match.seats[seat].holder
    return held is not None and not held.is_person


class TestOpening:
    def test_the_seats_are_free(self) -> None:
        match = Game("classic").match
        assert list(match.seats) == ["P0", "P1", "P2", "P3", "P4", "P5", "J0", "J1", "J2"]
        assert all(seat.holder is None for seat in match.seats.values())
        assert (match.status, match.host) == (Status.LOBBY, "host")

    @pytest.mark.parametrize("judges", [1, 2, 5, 15])
    def test_as_many_judges_as_asked(self, judges: int) -> None:
        assert len(Game("duel", judges=judges).match.judges) == judges

    @pytest.mark.parametrize("judges", [0, -1, 16])
    def test_but_at_least_one_and_at_most_fifteen(self, judges: int) -> None:
        game = Game("duel")
        game.match = Match()
        assert game.code(open_with(game, judges=judges)) == "bad_judges"

    def test_forced_motions_must_differ_and_fit(self) -> None:
        game = Game("duel")
        game.match = Match()
        assert game.code(open_with(game, forced=[MOTIONS[0], custom_motion(MOTIONS[0].text.upper())])) == "motion_twice"
        refusal = game.refused(open_with(game, forced=MOTIONS[:2]))
        assert (refusal.code, refusal.details) == ("too_many_motions", {"most": 1, "given": 2})

    def test_seats_may_be_kept_for_ais(self) -> None:
        match = Game("classic", reserved=["J1", "P3", "P3"]).match
        assert match.reserved == ("P3", "J1")
        assert Game("classic").match.reserved == ()

    @pytest.mark.parametrize("seat", ["P2", "J3", "", "p0"])
    def test_but_only_seats_there_are(self, seat: str) -> None:
        game = Game("duel")
        game.match = Match()
        refusal = game.refused(open_with(game, reserved=["P0", seat]))
        assert (refusal.code, refusal.details) == ("no_such_seat", {"seat": seat})

    def test_whether_there_is_a_market_is_kept(self) -> None:
        assert Game("duel", market=True).match.market
        assert not Game("duel").match.market

    def test_once(self) -> None:
        game = Game("duel")
        assert game.code(open_with(game)) == "already_open"


def open_with(game: Game, **more: object) -> c.Open:
    given: dict[str, object] = {
        "at": T0, "match": "m", "community": "x", "host": "h", "format": game.format, "seed": 1, "wall": 0,
    }  # fmt: skip
    return c.Open(**(given | more))  # type: ignore[arg-type]


class TestJoining:
    def test_the_first_free_seat_of_the_role(self) -> None:
        game = Game("classic")
        game.join("ann")
        game.join("bob", role="judge")
        game.join("cy")
        assert (holder(game.match, "P0"), holder(game.match, "J0"), holder(game.match, "P1")) == ("ann", "bob", "cy")

    def test_or_the_one_that_is_named(self) -> None:
        game = Game("classic")
        game.join("ann", "P4")
        assert holder(game.match, "P4") == "ann"
        assert game.code(c.Join(at=game.now, person="bob", seat="P4")) == "seat_taken"
        assert game.code(c.Join(at=game.now, person="bob", seat="P6")) == "no_such_seat"

    @pytest.mark.parametrize("again", [{"role": "debater"}, {"role": "judge"}, {"seat": "P3"}, {"seat": "J0"}])
    def test_twice_is_one_seat_whatever_the_role(self, again: dict[str, str]) -> None:
        game = Game("classic")
        game.join("ann", "P2")
        refusal = game.refused(c.Join(at=game.now, person="ann", **again))  # type: ignore[arg-type]
        assert (refusal.code, refusal.details) == ("already_seated", {"seat": "P2", "role": "debater"})
        assert [seat.id for seat in game.match.seats.values() if seat.holder] == ["P2"]

    def test_a_seat_kept_for_an_ai_is_not_to_be_had(self) -> None:
        game = Game("duel", reserved=["P0", "J1"])
        refusal = game.refused(c.Join(at=game.now, person="ann", seat="P0"))
        assert (refusal.code, refusal.details) == ("seat_for_ai", {"seat": "P0"})
        game.join("ann")
        game.join("bob", role="judge")
        game.join("cy", role="judge")
        assert [holder(game.match, seat) for seat in ("P1", "J0", "J2")] == ["ann", "bob", "cy"]
        assert game.code(c.Join(at=game.now, person="dee")) == "no_free_seat"
        game.start()
        assert ai(game.match, "P0") and ai(game.match, "J1")

    def test_two_want_the_last_seat(self) -> None:
        game = Game("duel")
        game.join("ann")
        first = c.Join(at=game.now + 5, person="bob")
        second = c.Join(at=game.now + 3, person="cy")  # stamped earlier, came later: who comes first is served first
        game.do(first)
        assert game.refused(second).details == {"role": "debater"}
        assert game.code(second) == "no_free_seat"
        assert holder(game.match, "P1") == "bob"

    def test_a_stamp_from_the_past_does_not_turn_time_back(self) -> None:
        game = Game("duel")
        game.join("ann", at=T0 + 5_000)
        game.join("bob", at=T0 + 2_000)
        assert game.now == T0 + 5_000

    def test_not_once_it_has_started(self) -> None:
        game = started("duel")
        assert game.code(c.Join(at=game.now, person="ann")) == "already_started"

    @pytest.mark.parametrize(
        ("asked", "given"), [(0.5, 1), (1, 1), (3, 3), (50, 10), (float("inf"), 10), (float("nan"), 1)]
    )
    def test_extra_time_has_its_bounds(self, asked: float, given: float) -> None:
        game = Game("duel")
        game.join("ann", extra_time=asked)
        assert game.match.seats["P0"].extra_time == given


class TestLeavingTheLobby:
    def test_frees_the_seat(self) -> None:
        game = Game("duel")
        game.join("ann", extra_time=2)
        game.leave("ann")
        assert game.match.seats["P0"].holder is None
        assert game.match.seats["P0"].extra_time == 1
        game.join("bob")
        assert holder(game.match, "P0") == "bob"

    def test_who_has_no_seat(self) -> None:
        assert Game("duel").code(c.Leave(at=0, person="ann")) == "not_seated"

    def test_the_host_hands_over_to_the_earliest_joiner(self) -> None:
        game = Game("classic")
        game.join("bob", "P3")
        game.join("ann", "P0")
        game.join("host", "J0")
        game.leave("bob")
        game.join("bob", "P1")  # now later than Ann
        game.leave("host")
        assert game.match.host == "ann"

    def test_a_host_without_a_seat_can_leave_too(self) -> None:
        game = Game("classic")
        game.join("ann")
        game.leave("host")
        assert game.match.host == "ann"

    def test_a_host_who_leaves_alone_stays_host(self) -> None:
        game = Game("classic")
        assert game.code(c.Leave(at=0, person="host")) == "not_seated"
        game.join("host")
        game.leave("host")
        assert game.match.host == "host"
        assert game.match.seats["P0"].holder is None

    def test_the_host_can_be_changed(self) -> None:
        game = Game("duel")
        game.do(c.ChangeHost(at=game.now, person="ann"))
        assert game.match.host == "ann"
        assert game.code(c.ChangeHost(at=game.now, person="ann")) == "already_host"


class TestStarting:
    def test_ais_fill_what_is_free_each_persona_once(self) -> None:
        game = started("classic", {"P2": "ann", "J1": "bob"})
        held = [holder(game.match, seat) for seat in game.match.seats]
        assert len(set(held)) == 9
        assert (holder(game.match, "P2"), holder(game.match, "J1")) == ("ann", "bob")
        personas = {
            seat.holder.persona for seat in game.match.seats.values() if seat.holder and not seat.holder.is_person
        }
        spare = {ai.persona for ai in game.match.spare}
        assert len(personas) == 7
        assert not personas & spare
        assert personas | spare == {ai.persona for ai in CAST}

    def test_the_seed_decides_the_cast_whatever_its_order(self) -> None:
        def cast(seed: int, order: Sequence[Holder] = CAST) -> list[str | None]:
            game = Game("classic", seed=seed)
            game.start(cast=order)
            return [holder(game.match, seat) for seat in game.match.seats]

        assert cast(7) == cast(7, CAST[::-1])
        assert cast(7) != cast(8)

    def test_the_same_seed_gives_the_same_match(self) -> None:
        assert started("arena", seed=3).log == started("arena", seed=3).log
        assert started("arena", seed=3).match.motions != started("arena", seed=4).match.motions

    def test_too_few_personas(self) -> None:
        game = Game("classic")
        refusal = game.refused(c.Start(at=game.now, cast=CAST[:8], pool=MOTIONS))
        assert (refusal.code, refusal.details) == ("too_few_personas", {"needed": 9, "there": 8})
        game.start(cast=CAST[:9])

    def test_enough_personas_to_replace_everyone(self) -> None:
        game = Game("classic")
        game.join("ann")
        game.join("bob")
        assert game.refused(c.Start(at=game.now, cast=CAST[:8], pool=MOTIONS)).details == {"needed": 9, "there": 8}

    def test_a_persona_counts_once_and_people_are_no_personas(self) -> None:
        game = Game("classic")
        doubled = [*CAST[:8], *CAST[:8], Holder(person="ann"), Holder()]
        assert game.refused(c.Start(at=game.now, cast=doubled, pool=MOTIONS)).details["there"] == 8
        game.start(cast=[*doubled, CAST[8]])
        assert len({holder(game.match, seat) for seat in game.match.seats}) == 9

    def test_enough_motions_for_every_tiebreak(self) -> None:
        game = Game("classic")
        assert game.refused(c.Start(at=game.now, cast=CAST, pool=MOTIONS[:8])).details == {"needed": 9}
        game.start(pool=MOTIONS[:9])
        assert len(game.match.motions) == 9

    def test_forced_motions_are_played_first(self) -> None:
        forced = [custom_motion("Tea is better than coffee"), MOTIONS[30]]
        game = started("classic", forced=forced)
        assert list(game.match.motions[:2]) == forced
        assert game.match.rounds[0].motion == forced[0]

    def test_a_category(self) -> None:
        game = started("classic", category="Society")
        assert [motion.category for motion in game.match.motions[:7]] == ["Society"] * 7

    @pytest.mark.parametrize(
        ("people", "tempo"),
        [
            ({}, Tempo.BLITZ),
            ({"J0": "ann"}, Tempo.BLITZ),
            ({"P0": "ann"}, Tempo.RELAXED),
            ({"P0": "ann", "J0": "bob"}, Tempo.RELAXED),
        ],
    )
    def test_the_default_tempo_asks_who_debates(self, people: dict[str, str], tempo: Tempo) -> None:
        assert started("duel", people).match.tempo is tempo
        assert started("duel", people, tempo=Tempo.STANDARD).match.tempo is Tempo.STANDARD

    def test_once(self) -> None:
        game = started("duel")
        assert game.code(c.Start(at=game.now, cast=CAST, pool=MOTIONS)) == "already_started"

    def test_not_while_paused(self) -> None:
        game = Game("duel")
        game.do(c.Pause(at=game.now, wall=0, by="host"))
        assert game.code(c.Start(at=game.now, cast=CAST, pool=MOTIONS)) == "paused"

    def test_when_the_house_is_full_the_lobby_waits_in_line(self) -> None:
        game = Game("duel", lobby_until=T0 + 60_000)
        assert game.kinds(game.start(queue_wall=1_000)) == ["start_queued"]
        assert (game.match.status, game.match.queued, game.match.next_due) == (Status.LOBBY, 1_000, None)
        game.join("ann")
        game.join("bob")
        game.leave("ann")
        assert game.match.queued == 1_000
        game.start()
        assert (game.match.status, game.match.queued) == (Status.RUNNING, None)
        assert holder(game.match, "P1") == "bob" and ai(game.match, "P0")

    def test_in_line_it_can_be_cancelled_and_waits_once(self) -> None:
        game = Game("duel")
        game.start(queue_wall=1_000)
        again = c.Start(at=game.now, cast=CAST, pool=MOTIONS, queue_wall=2_000)
        assert game.code(again) == "already_queued"
        game.do(c.Cancel(at=game.now, by="host"))
        assert game.match.status is Status.CANCELLED

    def test_what_could_not_start_does_not_wait_in_vain(self) -> None:
        game = Game("duel")
        assert game.code(c.Start(at=game.now, cast=(), pool=MOTIONS, queue_wall=1)) == "too_few_personas"
        assert game.code(c.Start(at=game.now, cast=CAST, pool=(), queue_wall=1)) == "too_few_motions"

    def test_an_expired_lobby_waits_for_its_start(self) -> None:
        game = Game("duel", lobby_until=T0 + 60_000)
        assert game.due == T0 + 60_000
        assert game.do(c.Tick(at=T0 + 60_000)) == []  # the host knows cast and motions, and starts it
        game.start(at=T0 + 60_000)
        assert game.due == T0 + 70_000


def with_people(**more: object) -> Game:
    """Classic in blitz: Ann on P0 (slots 1, 5, 9, 15 of round 1), Bob on P1 (2, 6, 10, 14), Jo judges."""
    return started("classic", {"P0": "ann", "P1": "bob", "J0": "jo"}, **({"tempo": Tempo.BLITZ} | more))


class TestMissing:
    def test_two_turns_running_and_an_ai_takes_over_from_the_next_slot(self) -> None:
        game = with_people()
        game.to_slot(5, silent=["P0"])
        assert holder(game.match, "P0") == "ann"
        events = game.tick()
        assert game.kinds(events) == ["slot_closed", "seat_replaced", "slot_scheduled"]
        assert ai(game.match, "P0")
        assert game.match.seats["P0"].former == "ann"
        replaced = events[1]
        assert (replaced.person, replaced.why) == ("ann", "missed")  # type: ignore[attr-defined]
        game.to_slot(9)
        assert game.match.rounds[0].turns[4].outcome is Outcome.FORFEITED
        assert game.match.rounds[0].lineup.teams["pro"] == ("P0", "P2")

    def test_a_turn_said_in_between_starts_the_count_anew(self) -> None:
        game = with_people()
        game.to_slot(5, silent=["P0"])
        game.say()
        game.to_slot(15, silent=["P0"])
        assert holder(game.match, "P0") == "ann"  # missed 1, said 5, missed 9
        game.tick()
        assert ai(game.match, "P0")

    def test_so_does_a_pass(self) -> None:
        game = with_people()
        game.to_slot(5, silent=["P0"])
        game.do(c.Pass(at=game.now, person="ann"))
        game.to_slot(15, silent=["P0"])
        assert holder(game.match, "P0") == "ann"

    def test_a_skip_is_nobodys_miss(self) -> None:
        game = with_people()
        for n in (1, 5, 9):
            game.to_slot(n)
            game.do(c.Skip(at=game.now, by="moderator"))
        assert holder(game.match, "P0") == "ann"
        assert game.match.seats["P0"].missed == 0

    def test_an_ai_may_miss_all_its_turns(self) -> None:
        game = started("classic")
        game.to_round(2, silent=["P0"])
        assert "seat_replaced" not in game.kinds(game.log)
        outcomes = [turn.outcome for turn in game.match.rounds[0].turns if turn.plan.seat == "P0"]
        assert outcomes == [Outcome.FORFEITED] * 4

    def test_misses_count_across_rounds(self) -> None:
        game = with_people()
        game.to_slot(15, silent=[])
        game.tick()  # Ann misses her closing
        game.to_slot(2, round=2, silent=["P0"])
        assert game.slot.plan.seat == "P0"
        game.tick()
        assert ai(game.match, "P0")


class TestTakingBack:
    def replaced(self) -> Game:
        game = with_people()
        game.leave("ann")
        assert ai(game.match, "P0")
        return game

    def test_at_the_next_phase(self) -> None:
        game = self.replaced()
        game.to_slot(2, Stage.SCHEDULED)
        assert game.kinds(game.do(c.Reclaim(at=game.now, person="ann"))) == ["seat_wanted"]
        game.to_slot(4)
        assert ai(game.match, "P0")
        game.say()  # the last opening
        assert holder(game.match, "P0") == "ann"
        assert game.match.seats["P0"].former is None
        game.to_slot(5, Stage.CALLED)

    def test_the_ai_goes_back_to_wait(self) -> None:
        game = self.replaced()
        waiting = {ai.persona for ai in game.match.spare}
        stand_in = holder(game.match, "P0")
        assert stand_in not in waiting
        game.do(c.Reclaim(at=game.now, person="ann"))
        game.to_slot(5, Stage.CALLED)
        assert {ai.persona for ai in game.match.spare} == waiting | {stand_in}

    def test_twice_is_once(self) -> None:
        game = self.replaced()
        game.do(c.Reclaim(at=game.now, person="ann"))
        assert game.code(c.Reclaim(at=game.now, person="ann")) == "already_returning"

    def test_only_what_one_had(self) -> None:
        game = self.replaced()
        assert game.code(c.Reclaim(at=game.now, person="stranger")) == "nothing_to_reclaim"
        assert game.code(c.Reclaim(at=game.now, person="bob")) == "already_seated"

    def test_with_the_slate_clean(self) -> None:
        game = with_people()
        game.to_slot(6, Stage.SCHEDULED, silent=["P0"])
        assert ai(game.match, "P0")
        game.do(c.Reclaim(at=game.now, person="ann"))
        game.to_slot(15)  # closings are the next phase
        assert holder(game.match, "P0") == "ann"
        game.tick()
        assert holder(game.match, "P0") == "ann"  # one miss, not three

    def test_a_judge_at_the_next_phase_too(self) -> None:
        game = with_people()
        game.leave("jo")
        game.do(c.Reclaim(at=game.now, person="jo"))
        game.to_judging(Stage.CALLED)
        assert holder(game.match, "J0") == "jo"

    def test_the_vote_is_a_phase_too(self) -> None:
        game = with_people()
        game.leave("jo")
        game.to_slot(13)
        game.do(c.Reclaim(at=game.now, person="jo"))
        game.to_slot(15)
        assert ai(game.match, "J0")
        game.to_judging(Stage.CALLED)
        assert holder(game.match, "J0") == "jo"

    def test_in_a_later_round(self) -> None:
        game = self.replaced()
        game.to_judging(Stage.CALLED)
        game.do(c.Reclaim(at=game.now, person="ann"))
        game.to_round(2)
        assert holder(game.match, "P0") == "ann"


class TestLeavingInPlay:
    def test_in_the_middle_of_ones_turn(self) -> None:
        game = with_people()
        game.to_slot(1)
        opened = game.now
        events = game.leave("ann", after_ms=3_000)
        assert game.kinds(events) == ["seat_replaced", "slot_closed", "slot_scheduled"]
        turn = game.match.rounds[0].turns[0]
        assert (turn.outcome, turn.closed_at) == (Outcome.WITHDRAWN, opened + 3_000)
        assert game.due == opened + 13_000
        assert ai(game.match, "P0")
        assert game.match.seats["P0"].missed == 0

    def test_while_the_prompt_is_on_its_way(self) -> None:
        """The slot is not lost: the AI that takes over speaks in it."""
        game = with_people()
        game.to_slot(1, Stage.CALLED)
        game.leave("ann")
        assert game.slot.stage is Stage.SCHEDULED
        assert game.due == game.now
        assert game.kinds(game.tick()) == ["slot_opened"]
        game.say()
        assert game.match.rounds[0].turns[0].outcome is Outcome.SAID
        assert game.match.rounds[0].turns[0].parts[0].source == "house"

    def test_before_ones_turn(self) -> None:
        game = with_people()
        game.leave("ann")
        assert (game.slot.stage, game.due) == (Stage.SCHEDULED, game.now + 10_000)
        assert game.kinds(game.tick()) == ["slot_opened"]

    def test_a_stamp_from_before_the_slot_does_not_bend_the_record(self) -> None:
        game = with_people()
        game.to_slot(1)
        opened = game.now
        game.leave("ann", after_ms=-5_000)
        turn = game.match.rounds[0].turns[0]
        assert turn.opened_at == turn.closed_at == opened
        assert game.due == opened + 10_000

    def test_nor_does_one_from_before_the_call(self) -> None:
        game = with_people()
        game.to_slot(1, Stage.CALLED)
        called = game.now
        game.leave("ann", after_ms=-9_000)
        assert game.due == called
        game.tick()
        assert game.slot.opened_at == called

    def test_after_the_deadline_but_before_it_is_noticed(self) -> None:
        game = with_people()
        game.to_slot(1)
        deadline = game.deadline
        game.do(c.Leave(at=deadline + 1_500, person="ann"))
        assert game.match.rounds[0].turns[0].closed_at == deadline
        assert game.due == deadline + 10_000

    def test_is_said_if_some_of_it_was(self) -> None:
        from tests.rules.play import policy

        game = started(policy(), {"P0": "ann"}, tempo=Tempo.BLITZ)
        game.to_slot(1)
        game.say("First part.")
        game.leave("ann")
        turn = game.match.rounds[0].turns[0]
        assert (turn.outcome, [part.text for part in turn.parts]) == (Outcome.SAID, ["First part."])

    def test_twice(self) -> None:
        game = with_people()
        game.leave("ann")
        refusal = game.refused(c.Leave(at=game.now, person="ann"))
        assert (refusal.code, refusal.details["seat"]) == ("seat_is_ai", "P0")

    def test_the_host_hands_over_to_the_earliest_joiner_still_there(self) -> None:
        game = Game("classic", tempo=Tempo.BLITZ)
        for person, seat in (("ann", "P4"), ("host", "P1"), ("bob", "P0")):
            game.join(person, seat)
        game.start()
        game.leave("ann")
        assert game.match.host == "host"
        game.leave("host")
        assert game.match.host == "bob"
        game.leave("bob")
        assert game.match.host == "bob"  # nobody is left

    def test_a_judge_leaves_while_the_call_to_vote_is_on_its_way(self) -> None:
        game = with_people()
        game.to_judging(Stage.CALLED)
        game.leave("jo")
        judging = game.match.rounds[0].judging
        assert judging is not None
        assert judging.stage is Stage.OPEN

    def test_a_judge_leaves_while_another_is_still_called(self) -> None:
        game = started("classic", {"J0": "jo", "J1": "kit"})
        game.to_judging(Stage.CALLED)
        game.leave("jo")
        judging = game.match.rounds[0].judging
        assert judging is not None
        assert judging.stage is Stage.CALLED
        game.prompt()

    def test_while_the_clock_stands_still(self) -> None:
        game = with_people()
        game.to_slot(1)
        game.do(c.Pause(at=game.now + 4_000, wall=0, by="host"))
        paused = game.now
        game.leave("ann")
        assert game.match.rounds[0].turns[0].closed_at == paused
        game.do(c.Resume(at=paused, wall=99_000, by="host"))
        assert game.due == paused + 10_000


class TestReplacing:
    def test_by_a_moderator(self) -> None:
        game = with_people()
        events = game.do(c.Replace(at=game.now, seat="P1"))
        assert game.kinds(events) == ["seat_replaced"]
        assert events[0].why == "moderator"  # type: ignore[attr-defined]
        assert ai(game.match, "P1")

    def test_only_people_and_only_in_play(self) -> None:
        assert Game("duel").code(c.Replace(at=0, seat="P0")) == "not_started"
        game = with_people()
        assert game.code(c.Replace(at=game.now, seat="P2")) == "seat_is_ai"
        assert game.code(c.Replace(at=game.now, seat="P9")) == "no_such_seat"

    def test_everyone_by_turns_and_there_is_always_an_ai_left(self) -> None:
        game = Game("classic", tempo=Tempo.BLITZ)
        seats = list(game.match.seats)
        for seat in seats:
            game.join(f"person-{seat}", seat)
        game.start(cast=CAST[:9])
        for number in (1, 2, 3):
            game.to_round(number)
            for seat in seats:
                game.leave(f"person-{seat}")
            assert len({holder(game.match, seat) for seat in seats}) == 9
            for seat in seats:
                game.do(c.Reclaim(at=game.now, person=f"person-{seat}"))
            game.to_round(number + 1)
            assert [holder(game.match, seat) for seat in seats] == [f"person-{seat}" for seat in seats]

    def test_the_record_says_who_and_when(self) -> None:
        game = with_people()
        game.leave("ann", after_ms=700)
        left = game.now
        game.do(c.Reclaim(at=game.now, person="ann"))
        game.to_slot(5, Stage.CALLED)
        first, second = game.match.seats["P0"].replaced
        assert (first.at, first.holder.is_person) == (left, False)
        assert second.holder == Holder(person="ann")
        assert second.at > left
