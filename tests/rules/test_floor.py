"""A person's turn: called, prompted, open; limits, grace, refusals, passing (docs/rules.md, "Text";
docs/architecture.md, "Time")."""

from __future__ import annotations

import pytest

from bot.rules import commands as c
from bot.rules.match import Outcome, Stage
from bot.rules.tempo import Tempo
from tests.rules.play import Game, started


def ann_speaks_first(**more: object) -> Game:
    """A classic match in blitz with Ann on P0, who has the first word; her slot is called."""
    game = started("classic", {"P0": "ann", "P1": "bob"}, **({"tempo": Tempo.BLITZ} | more))
    game.tick()
    return game


def ann_has_the_floor(**more: object) -> Game:
    game = ann_speaks_first(**more)
    game.prompt()
    return game


class TestCalledPromptedOpen:
    def test_a_persons_slot_is_called_when_due(self) -> None:
        game = started("classic", {"P0": "ann"}, tempo=Tempo.BLITZ)
        assert game.kinds(game.tick()) == ["slot_called"]
        assert game.slot.stage is Stage.CALLED
        assert game.slot.deadline is None

    def test_nothing_is_due_until_the_prompt_is_there(self) -> None:
        game = ann_speaks_first()
        assert game.match.next_due is None
        assert game.do(c.Tick(at=game.now + 10**9)) == []

    def test_the_prompts_own_stamp_opens_it(self) -> None:
        game = ann_speaks_first()
        called = game.now
        game.do(c.Prompted(at=called + 1_234, round=1, n=1))
        assert game.slot.stage is Stage.OPEN
        assert game.slot.opened_at == called + 1_234
        assert game.deadline == called + 1_234 + 20_000
        assert game.match.awaits_person

    def test_the_deadline_is_never_earlier_than_if_it_opened_when_called(self) -> None:
        """A platform's clock may be behind ours."""
        game = ann_speaks_first()
        called = game.now
        game.do(c.Prompted(at=called - 5_000, round=1, n=1))
        assert game.deadline == called + 20_000

    @pytest.mark.parametrize(("round", "n"), [(1, 2), (2, 1), (1, None), (0, 1)])
    def test_another_slots_prompt_opens_nothing(self, round: int, n: int | None) -> None:
        assert ann_speaks_first().code(c.Prompted(at=0, round=round, n=n)) == "stale_slot"

    def test_a_second_delivery_of_the_prompt_changes_nothing(self) -> None:
        game = ann_has_the_floor()
        assert game.code(c.Prompted(at=game.now + 500, round=1, n=1)) == "stale_slot"

    def test_an_ais_slot_opens_by_itself(self) -> None:
        game = ann_has_the_floor()
        game.say()
        game.to_slot(3, Stage.SCHEDULED)
        assert game.kinds(game.tick()) == ["slot_opened"]
        assert not game.match.awaits_person

    def test_the_pace_runs_from_the_close(self) -> None:
        game = ann_has_the_floor()
        game.say(after=7)
        assert game.due == game.now + 10_000

    def test_a_seats_own_time(self) -> None:
        game = Game("classic", tempo=Tempo.STANDARD)
        game.join("ann", "P0", extra_time=1.5)
        game.start()
        game.to_slot(1)
        assert game.slot.timeout_ms == 20_000 * 4 * 1.5
        game.to_slot(3)
        assert game.slot.timeout_ms == 20_000 * 4


class TestGrace:
    @pytest.mark.parametrize("late_ms", [0, 1, 499, 500])
    def test_half_a_second(self, late_ms: int) -> None:
        game = ann_has_the_floor()
        deadline = game.deadline
        game.do(game.speak("Just in time.", at=deadline + late_ms))
        turn = game.match.rounds[0].turns[0]
        assert turn.outcome is Outcome.SAID
        assert turn.closed_at == turn.parts[0].at == deadline  # as the record keeps it
        assert game.due == deadline + 10_000

    def test_and_no_more(self) -> None:
        game = ann_has_the_floor()
        refusal = game.refused(game.speak("What\u200b I wrote. ", at=game.deadline + 501))
        assert refusal.code == "too_late"
        assert refusal.details == {"late_ms": 501, "text": "What I wrote."}

    def test_an_ai_has_none(self) -> None:
        game = started("classic")
        game.to_slot(1)
        assert game.code(game.speak(at=game.deadline + 1)) == "too_late"
        game.do(game.speak(at=game.deadline))

    def test_what_comes_after_the_slot_is_closed_is_handed_back_too(self) -> None:
        game = ann_has_the_floor()
        late = game.speak("I was so close.", at=game.deadline + 400, slot=(1, 1))
        game.tick()
        refusal = game.refused(late)
        assert refusal.code == "no_slot_open"
        assert refusal.details["text"] == "I was so close."
        game.to_slot(2)
        refusal = game.refused(late)
        assert refusal.code == "stale_slot"
        assert refusal.details["text"] == "I was so close."

    def test_a_stamp_before_the_opening_counts_as_the_opening(self) -> None:
        game = ann_has_the_floor()
        opened = game.slot.opened_at
        game.do(game.speak(at=game.now - 60_000))
        assert game.match.rounds[0].turns[0].closed_at == opened


class TestLimits:
    def test_four_hundred_emoji_fit_and_one_more_does_not(self) -> None:
        game = started("classic", {"P0": "ann"}, tempo=Tempo.BLITZ)
        game.to_slot(5)
        assert game.slot.plan.limit == 400
        refusal = game.refused(game.speak("😀" * 401, after=3))
        assert refusal.code == "too_long"
        assert refusal.details == {
            "chars": 401, "limit": 400, "over": 1, "left_ms": 12_000, "text": "😀" * 401,
        }  # fmt: skip
        game.say("😀" * 400, after=4)  # and may try again until the deadline
        assert game.match.rounds[0].turns[4].parts[0].text == "😀" * 400

    def test_counted_after_cleaning(self) -> None:
        game = ann_has_the_floor()
        game.say("  " + "é\u200b" * 250 + "e\u0301" * 250 + "\r\n")
        assert game.match.rounds[0].turns[0].parts[0].text == "é" * 500

    def test_no_time_left_is_not_less_than_none(self) -> None:
        game = ann_has_the_floor()
        refusal = game.refused(game.speak("a" * 501, at=game.deadline + 300))
        assert refusal.details["left_ms"] == 0

    @pytest.mark.parametrize("text", ["", " \n ", "\u200b\u3164\u2800", "\ufe0f", "\u0301"])
    def test_blank_is_not_said(self, text: str) -> None:
        game = ann_has_the_floor()
        assert game.code(game.speak(text)) == "blank"
        game.tick()
        assert game.match.rounds[0].turns[0].outcome is Outcome.FORFEITED


class TestWhoAndWhat:
    def test_moves(self) -> None:
        game = ann_has_the_floor()
        refusal = game.refused(game.speak(move="rebut"))
        assert (refusal.code, refusal.details["moves"]) == ("move_not_allowed", ("statement",))
        game.say()
        game.to_slot(5)
        assert game.code(game.speak(move="statement")) == "move_not_allowed"
        game.say(move="concede_point")
        game.to_slot(6)
        game.say()  # without a move it is the first the phase allows
        assert [turn.parts[0].move for turn in game.match.rounds[0].turns[4:6]] == ["concede_point", "argue"]

    def test_nobody_speaks_in_a_pause_between_turns(self) -> None:
        game = started("classic", {"P0": "ann"})
        assert game.code(c.Speak(at=game.now, seat="P0", person="ann", text="Hi")) == "no_slot_open"
        game.tick()
        assert game.code(c.Speak(at=game.now, seat="P0", person="ann", text="Hi")) == "no_slot_open"

    def test_not_your_turn(self) -> None:
        game = ann_has_the_floor()
        refusal = game.refused(game.speak(seat="P1", person="bob"))
        assert (refusal.code, refusal.details["seat"]) == ("not_your_turn", "P0")

    @pytest.mark.parametrize("person", ["bob", "stranger", None])
    def test_not_your_seat(self, person: str | None) -> None:
        assert ann_has_the_floor().code(ann_has_the_floor().speak(person=person)) == "not_your_seat"

    def test_nobody_speaks_for_an_ai(self) -> None:
        game = started("classic", {"P1": "bob"})
        game.to_slot(1)
        assert game.code(game.speak(person="bob")) == "not_your_seat"

    def test_another_slot_was_meant(self) -> None:
        game = ann_has_the_floor()
        assert game.code(game.speak(slot=(1, 5))) == "stale_slot"
        assert game.code(game.speak(slot=(2, 1))) == "stale_slot"
        game.say(slot=(1, 1))

    def test_not_while_paused(self) -> None:
        game = ann_has_the_floor()
        game.do(c.Pause(at=game.now, wall=0, by="host"))
        assert game.code(game.speak()) == "paused"

    def test_once_said_it_is_said(self) -> None:
        game = ann_has_the_floor()
        game.say("First.")
        assert game.code(c.Speak(at=game.now, seat="P0", person="ann", text="Second.")) == "no_slot_open"
        assert [part.text for part in game.match.rounds[0].turns[0].parts] == ["First."]

    def test_what_a_model_sends_is_kept_with_it(self) -> None:
        game = started("classic")
        game.to_slot(1)
        game.say("I argue.", source="model", fallback=True, model="m-1", why="because\ud800")
        part = game.match.rounds[0].turns[0].parts[0]
        assert (part.source, part.fallback) == ("model", True)
        assert game.replayed() == game.match


class TestPassing:
    def test_withdraws_the_turn(self) -> None:
        game = ann_has_the_floor()
        game.do(c.Pass(at=game.now + 2_000, person="ann"))
        turn = game.match.rounds[0].turns[0]
        assert (turn.outcome, turn.parts) == (Outcome.WITHDRAWN, ())
        assert turn.closed_at == turn.opened_at + 2_000

    def test_only_ones_own(self) -> None:
        game = ann_has_the_floor()
        assert game.code(c.Pass(at=game.now, person="bob")) == "not_your_turn"
        assert game.code(c.Pass(at=game.now, person="stranger")) == "not_seated"

    def test_only_while_it_is_open(self) -> None:
        assert ann_speaks_first().code(c.Pass(at=0, person="ann")) == "no_slot_open"

    def test_a_turn_in_one_part_is_not_ended_before_it_is_said(self) -> None:
        game = ann_has_the_floor()
        assert game.code(c.Done(at=game.now, seat="P0", person="ann")) == "nothing_said_yet"
