"""The slot modes, speeches in parts and n teams that policy debate and others will need (docs/architecture.md,
"Slots")."""

from __future__ import annotations

import pytest

from bot.rules import commands as c
from bot.rules.floor import LONGEST_OFFER
from bot.rules.format import Mode, parse_format
from bot.rules.lineup import lineup_of, plan_round
from bot.rules.match import Outcome, Stage, Status
from bot.rules.tempo import Tempo
from tests.rules.play import POLICY, T0, Game, four_teams, policy, started

AC, CX, PREP, NC = 1, 2, 3, 4
"""Slots of the small policy format: 1AC by P0, cross-examination P3 asks P0, prep of P2, 1NC by P2."""


def at(n: int, **people: str) -> Game:
    game = started(policy(), people, tempo=Tempo.BLITZ)
    game.to_slot(n)
    return game


class TestPlans:
    def test_what_a_slot_is(self) -> None:
        ac, cx, prep, nc = plan_round(policy(), lineup_of(policy(), 1, 1))
        assert [plan.mode for plan in (ac, cx, prep, nc)] == [Mode.SPEECH, Mode.EXCHANGE, Mode.PREP, Mode.SPEECH]
        assert (ac.seats, ac.side, ac.parts, ac.offers) == (("P0",), "pro", 0, 2)
        assert (cx.seats, cx.side, cx.questions, cx.moves) == (("P3", "P0"), "con", 3, ("question", "answer"))
        assert (prep.seats, nc.seats, nc.parts) == (("P2",), ("P2",), 3)

    def test_everyone_may_share_an_exchange(self) -> None:
        grand = parse_format(POLICY.replace('order = "b2+a1"', 'order = "a1+b1+a2+b2"'))
        assert plan_round(grand, lineup_of(grand, 1, 1))[1].seats == ("P0", "P2", "P1", "P3")

    def test_who_is_alone_speaks_for_both(self) -> None:
        alone = parse_format(
            POLICY.replace("P0 P1", "P0").replace("P2 P3", "P1").replace("b2+a1", "b1+a1").replace('"a1"', '"a1 a1"')
        )
        assert [plan.seats for plan in plan_round(alone, lineup_of(alone, 1, 1))[:3]] == [
            ("P0",),
            ("P0",),
            ("P1", "P0"),
        ]


class TestSpeechInParts:
    def test_stays_open_until_done(self) -> None:
        game = at(AC)
        game.say("First.", after=1)
        game.say("Second.", after=50)
        assert game.slot.stage is Stage.OPEN
        game.do(c.Done(at=game.now + 2_000, seat="P0"))
        turn = game.match.rounds[0].turns[0]
        assert (turn.outcome, [part.text for part in turn.parts]) == (Outcome.SAID, ["First.", "Second."])
        assert turn.closed_at == turn.opened_at + 52_000

    def test_what_was_sent_stands_on_the_deadline(self) -> None:
        game = at(AC)
        game.say("First.")
        game.tick()
        turn = game.match.rounds[0].turns[0]
        assert (turn.outcome, len(turn.parts), turn.closed_at) == (Outcome.SAID, 1, turn.deadline)

    def test_nothing_sent_is_a_forfeit(self) -> None:
        game = at(AC)
        assert game.code(c.Done(at=game.now, seat="P0")) == "nothing_said_yet"
        game.tick()
        assert game.match.rounds[0].turns[0].outcome is Outcome.FORFEITED

    def test_parts_are_counted_together_with_the_blank_lines_between(self) -> None:
        game = at(AC)  # 1,000 characters
        game.say("a" * 400)
        refusal = game.refused(game.speak("b" * 599))
        assert (refusal.code, refusal.details["limit"], refusal.details["over"]) == ("too_long", 598, 1)
        game.say("b" * 300)
        game.say("c" * 296)
        assert game.slot.chars == 996
        assert len("\n\n".join(part.text for part in game.slot.parts)) == 1_000
        refusal = game.refused(game.speak("d"))
        assert (refusal.details["limit"], refusal.details["over"]) == (0, 1)

    def test_a_number_of_parts_closes_by_itself(self) -> None:
        game = at(NC)
        game.say("One.")
        game.say("Two.")
        assert game.slot.plan.n == NC
        game.say("Three.")
        assert game.match.rounds[0].turns[3].outcome is Outcome.SAID
        assert game.match.rounds[0].judging is not None

    def test_passing_after_a_part_keeps_it(self) -> None:
        game = at(AC, P0="ann")
        game.say("First.")
        game.do(c.Pass(at=game.now, person="ann"))
        assert game.match.rounds[0].turns[0].outcome is Outcome.SAID

    def test_parts_that_arrive_in_the_wrong_order_do_not_turn_time_back(self) -> None:
        game = at(AC, P0="ann")
        game.say("Second, but first to arrive.", after=9)
        game.say("First.", after=5)
        first, second = game.slot.parts
        assert first.at <= second.at
        game.do(c.Done(at=game.slot.opened_at or 0, seat="P0", person="ann"))
        assert game.match.rounds[0].turns[0].closed_at >= second.at

    def test_grace_is_for_parts_too(self) -> None:
        game = at(AC, P0="ann")
        game.say("First.")
        game.say("Second.", at=game.deadline + 500)
        assert game.code(game.speak("Third.", at=game.deadline + 501)) == "too_late"


class TestExchange:
    def test_both_may_speak_each_part_a_turn_of_its_own(self) -> None:
        game = at(CX, P3="ann", P0="bob")
        game.say("What of costs?", move="question")
        game.say("They fall.", seat="P0", person="bob", move="answer")
        game.say("When?", move="question", after=30)
        assert [(part.seat, part.move) for part in game.slot.parts] == [
            ("P3", "question"),
            ("P0", "answer"),
            ("P3", "question"),
        ]
        game.tick()
        assert game.match.rounds[0].turns[1].outcome is Outcome.SAID

    def test_a_shared_deadline_and_limit_without_blank_lines(self) -> None:
        game = at(CX, P3="ann", P0="bob")  # 300 characters
        game.say("q" * 200, move="question")
        assert game.refused(game.speak("a" * 101, seat="P0", person="bob")).details["limit"] == 100
        game.say("a" * 100, seat="P0", person="bob", move="answer")

    def test_nobody_else(self) -> None:
        game = at(CX, P1="eve")
        assert game.code(game.speak(seat="P1", person="eve")) == "not_your_turn"

    def test_called_if_any_of_them_is_a_person_and_all_wait_for_the_longest_time(self) -> None:
        game = Game(policy(), tempo=Tempo.BLITZ)
        game.join("ann", "P3", extra_time=2)
        game.start()
        game.to_slot(CX, Stage.CALLED)
        game.prompt()
        assert game.slot.timeout_ms == 120_000

    def test_a_silent_one_is_missed_by_all_in_it(self) -> None:
        game = at(CX, P3="ann", P0="bob")
        game.tick()
        assert game.match.rounds[0].turns[1].outcome is Outcome.FORFEITED
        assert (game.match.seats["P3"].missed, game.match.seats["P0"].missed) == (1, 1)

    def test_one_of_them_leaves_and_the_exchange_goes_on(self) -> None:
        game = at(CX, P3="ann", P0="bob")
        game.say("What of costs?", move="question")
        game.leave("ann")
        assert game.slot.stage is Stage.OPEN
        game.say("They fall.", seat="P0", person="bob", move="answer")
        game.say("Do they?", seat="P3", person=None, move="question")


class TestPrep:
    def test_ends_when_its_seat_is_ready(self) -> None:
        game = at(PREP, P2="ann")
        game.do(c.Done(at=game.now + 30_000, seat="P2", person="ann"))
        turn = game.match.rounds[0].turns[2]
        assert (turn.outcome, turn.closed_at - turn.opened_at) == (Outcome.SAID, 30_000)

    def test_is_silent(self) -> None:
        assert at(PREP).code(c.Speak(at=0, seat="P2", text="Aside.")) == "prep_is_silent"

    def test_letting_it_run_out_is_no_miss(self) -> None:
        game = at(PREP, P2="ann")
        game.tick()
        assert game.match.rounds[0].turns[2].outcome is Outcome.SAID
        assert game.match.seats["P2"].missed == 0


class TestOffers:
    """Points of information: from the other side, in the middle of a speech, one at a time."""

    def offer(self, game: Game, after: float = 60, **more: object) -> c.OfferPoint:
        opened = game.slot.opened_at
        assert opened is not None
        given: dict[str, object] = {"at": opened + round(after * 1000), "seat": "P2", "text": "On that point!"}
        return c.OfferPoint(**(given | more))  # type: ignore[arg-type]

    def test_taken_or_waved_down(self) -> None:
        game = at(AC)
        game.do(self.offer(game))
        assert game.code(self.offer(game, seat="P3")) == "offer_pending"
        game.do(c.AnswerOffer(at=game.now + 1_000, seat="P0", taken=False))
        game.do(self.offer(game, 70, seat="P3"))
        game.do(c.AnswerOffer(at=game.now, seat="P0", taken=True))
        game.say("Thank you.")
        game.do(c.Done(at=game.now, seat="P0"))
        turn = game.match.rounds[0].turns[0]
        assert [(offer.seat, offer.taken) for offer in turn.offers] == [("P2", False), ("P3", True)]
        assert game.replayed() == game.match

    def test_so_many_and_no_more(self) -> None:
        game = at(AC)
        for _ in range(2):
            game.do(self.offer(game))
            game.do(c.AnswerOffer(at=game.now, seat="P0", taken=False))
        assert game.refused(self.offer(game)).details == {"most": 2}

    @pytest.mark.parametrize(
        ("after", "fine"), [(0, False), (29.999, False), (30, True), (90, True), (90.001, False), (120, False)]
    )
    def test_not_in_the_first_and_last_part(self, after: float, fine: bool) -> None:
        game = at(AC)
        if fine:
            game.do(self.offer(game, after))
        else:
            assert game.code(self.offer(game, after)) == "offer_protected_time"

    def test_the_protected_part_grows_with_the_tempo(self) -> None:
        game = started(policy(), tempo=Tempo.STANDARD)
        game.to_slot(AC)
        assert game.code(self.offer(game, 119)) == "offer_protected_time"
        game.do(self.offer(game, 121))

    def test_from_the_other_side_only(self) -> None:
        game = at(AC, P2="ann")
        assert game.code(self.offer(game, seat="P1")) == "offer_from_own_side"
        assert game.code(self.offer(game, seat="J0")) == "offer_from_own_side"
        assert game.code(self.offer(game, person="bob")) == "not_your_seat"
        game.do(self.offer(game, person="ann"))

    def test_only_where_the_format_has_them_and_a_speech_is_open(self) -> None:
        assert started(policy()).code(c.OfferPoint(at=0, seat="P2", text="Hm?")) == "no_slot_open"
        assert at(NC).code(c.OfferPoint(at=0, seat="P0", text="Hm?")) == "no_offers_here"

    def test_short_and_not_blank(self) -> None:
        game = at(AC)
        assert game.code(self.offer(game, text="\u200b ")) == "blank"
        assert game.refused(self.offer(game, text="x" * (LONGEST_OFFER + 3))).details == {
            "chars": LONGEST_OFFER + 3, "limit": LONGEST_OFFER, "over": 3, "left_ms": 60_000,
        }  # fmt: skip

    def test_answered_by_the_speaker_only(self) -> None:
        game = at(AC)
        assert game.code(c.AnswerOffer(at=game.now, seat="P0", taken=True)) == "no_offer_pending"
        game.do(self.offer(game))
        assert game.code(c.AnswerOffer(at=game.now, seat="P1", taken=True)) == "not_your_turn"


class TestFourTeams:
    def test_the_order_is_two_benches_then_two(self) -> None:
        plans = plan_round(four_teams(), lineup_of(four_teams(), 1, 1))
        assert [plan.seat for plan in plans] == ["P0", "P2", "P1", "P3", "P4", "P6", "P5", "P7"]
        assert [plan.side for plan in plans] == ["pro", "con", "pro", "con", "cg", "co", "cg", "co"]

    def test_played_to_the_verdict(self) -> None:
        game = Game(four_teams())
        assert len(game.match.debaters) == 8
        match = game.to_end(votes=lambda number: ["cg", "co", "cg"])
        assert match.status is Status.FINISHED
        assert match.rounds[0].winner == "cg"
        assert match.winners == ("P4", "P5")
        assert {s.seat: (s.place, s.performance) for s in match.standings} == {
            "P4": (1, 1.0), "P5": (1, 1.0), **{f"P{n}": (2, 0.5) for n in (0, 1, 2, 3, 6, 7)},
        }  # fmt: skip
        assert game.replayed() == match

    def test_a_tie_between_two_of_them_is_a_draw(self) -> None:
        match = Game(four_teams(), judges=2).to_end(votes=lambda number: ["cg", "co"])
        assert match.rounds[0].winner == "draw"
        assert len(match.winners) == 8

    def test_votes_only_for_a_team(self) -> None:
        game = Game(four_teams())
        game.to_judging()
        assert game.refused(game.ballot("J0", "og")).details["sides"] == ("pro", "con", "cg", "co")

    def test_a_team_that_says_nothing_makes_the_round_void(self) -> None:
        game = Game(four_teams())
        match = game.to_end(silent=["P6", "P7"], votes=lambda number: ["cg"] * 3)
        assert match.rounds[0].void
        assert match.rounds[0].winner == "void"

    def test_offers_come_from_other_teams(self) -> None:
        game = started(four_teams())
        game.to_slot(1)
        opened = game.now
        assert game.code(c.OfferPoint(at=opened + 60_000, seat="P1", text="Sir!")) == "offer_from_own_side"
        game.do(c.OfferPoint(at=opened + 60_000, seat="P7", text="Sir!"))


def test_the_whole_small_policy_round() -> None:
    game = Game(policy())
    match = game.to_end(votes=lambda number: ["con"])
    assert [turn.outcome for turn in match.rounds[0].turns] == [Outcome.SAID] * 4
    assert match.winners == ("P2", "P3")
    assert game.replayed() == match
    assert match.rounds[0].turns[0].opened_at == T0 + 5_000
