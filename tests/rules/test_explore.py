"""Any sequence of commands, sane and insane, at any times: the rules never raise, and the match stays explainable.

The machine mixes three kinds of steps: what would happen anyway, what people do or nearly do, and nonsense. After each
the whole state is checked; at last the match is driven to its end.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from bot.rules import commands as c
from bot.rules import events as e
from bot.rules.decide import decide
from bot.rules.evolve import fold
from bot.rules.format import Mode
from bot.rules.market import may_not_bet, outcomes, own_outcome, rounds_to_lock
from bot.rules.match import Clip, Holder, Judging, Match, Outcome, Role, Slot, Stage, Status
from bot.rules.motion import custom_motion
from bot.rules.pool import house_stakes
from bot.rules.rejection import Rejection
from bot.rules.tempo import Tempo
from bot.rules.text import clean, count, is_blank
from tests.rules.play import CAST, MOTIONS, T0, WALL0, Game, Votes, four_teams, policy, scores, sprint
from tests.rules.profiles import EXPLORE, EXPLORE_LONG
from tests.rules.test_rejections import CODES

PEOPLE = ("ann", "bob", "cy", "host", "")
SEATS = ("P0", "P1", "P2", "P3", "P5", "J0", "J1", "X9", "")
TEXTS = (
    "So it is.",
    "x" * 80,
    "x" * 81,
    "x" * 1001,
    "😀" * 400,
    "",
    " \u200b",
    "\ud800",
    "\0\u202eok",
    "a\r\n\r\n\r\n\r\nb",
)
MOVES: tuple[Any, ...] = (None, None, "statement", "argue", "question", "answer", "sing")
VOTES = ("pro", "con", "abstain", "cg", "draw", "", "\ud800")
SCORES: tuple[Any, ...] = (None, None, scores(5, 6), scores(10, 0), {}, {"pro": {"argument": 99}}, scores(11, -1))
ROUNDS = (1, 1, 2, 3, -1, 0, 99)
NUMBERS = (0, 1, 1, 2, 3, 8, -1, 99)
VOTE = st.sampled_from(["pro", "con", None])
FLOATS = (1.0, 1.0, 2.5, 0.0, -1.0, math.inf, math.nan, 1e300)
POOLS = (MOTIONS, MOTIONS, MOTIONS, (), MOTIONS[:2], (*MOTIONS[:9], *MOTIONS[:9]))
CASTS = (CAST, CAST, CAST, (), CAST[:3], (*CAST[:5], *CAST[:5], Holder(), Holder(person="ann")))


def times(match: Match) -> st.SearchStrategy[int]:
    """Moments that matter now, and moments that make no sense."""
    due = match.next_due or match.now
    near = [match.now, match.now + 1, due - 1, due, due + 1, due + 499, due + 500, due + 501, due + 2_000]
    slot = match.slot
    if slot is not None and slot.opened_at is not None:
        near += [slot.opened_at, slot.opened_at - 1, slot.opened_at + slot.timeout_ms // 2]
    return st.sampled_from([*near, *near, 0, -(10**6), match.now - 3_600_000, match.now + 3_600_000, 10**15])


class AnySequence(RuleBasedStateMachine):
    """A match under any treatment."""

    def __init__(self) -> None:
        super().__init__()
        self.game: Game
        self.closed: Counter[tuple[int, int]] = Counter()

    @property
    def match(self) -> Match:
        return self.game.match

    @property
    def slot(self) -> Slot | None:
        return self.match.slot if self.match.status is Status.RUNNING else None

    @property
    def judging(self) -> Judging | None:
        return self.match.rounds[-1].judging if self.match.status is Status.RUNNING else None

    @property
    def plays(self) -> bool:
        return self.match.status is Status.RUNNING and self.match.clock.running

    def send(self, command: c.Command) -> None:
        before, log = self.match, len(self.game.log)
        outcome = self.game.send(command)
        if isinstance(outcome, Rejection):
            assert outcome.code in CODES, outcome
            assert self.match is before
            assert len(self.game.log) == log
            return
        assert self.match.seq == before.seq + len(outcome) == len(self.game.log)
        assert self.match.now >= before.now
        self.closed.update((event.round, event.n) for event in outcome if isinstance(event, e.SlotClosed))

    def person_on(self, seat: str) -> str | None:
        held = self.match.seats.get(seat)
        return held.holder.person if held and held.holder else None

    # --------------------------------------------------------------------------------------------- what goes on anyway

    @initialize(data=st.data())
    def opens(self, data: st.DataObject) -> None:
        draw = data.draw
        fmt = draw(st.sampled_from([sprint(), sprint(), policy(), policy(), four_teams(), "duel", "classic"]), "format")
        given: dict[str, object] = {
            "seed": draw(st.integers(0, 9), "seed"),
            "tempo": draw(st.sampled_from([None, *Tempo]), "tempo"),
            "speed": draw(st.sampled_from([1.0, 0.0, 20.0]), "speed"),
            "judges": draw(st.sampled_from([None, 1, 2, 3]), "judges"),
            "reserved": draw(st.sampled_from([(), (), ("P0",), ("P1", "J0")]), "reserved"),
            "market": draw(st.booleans(), "market"),
            "lobby_until": draw(st.sampled_from([None, T0 + 60_000, T0 - 1]), "lobby_until"),
        }
        self.game = Game(fmt, **given)
        for person in PEOPLE[: draw(st.sampled_from([3, 4, 2, 0]), "people")]:
            roles: list[Role] = ["debater", "debater", "debater", "judge"]
            role = draw(st.sampled_from(roles), "role")
            self.send(c.Join(at=self.game.now, person=person, role=role))
        if draw(st.sampled_from([True, True, True, False]), "started"):
            self.game.start()

    @precondition(lambda self: self.match.status is Status.LOBBY)
    @rule(
        join=st.booleans(),
        person=st.sampled_from(PEOPLE),
        seat=st.sampled_from([None, *SEATS]),
        queue_wall=st.sampled_from([None, None, None, WALL0]),
    )
    def begins(self, join: bool, person: str, seat: str | None, queue_wall: int | None) -> None:
        if join:
            self.send(c.Join(at=self.match.now, person=person, seat=seat))
        else:
            self.send(c.Start(at=self.match.now, cast=CAST, pool=MOTIONS, queue_wall=queue_wall))

    @precondition(lambda self: self.plays)
    @rule(
        steps=st.integers(1, 6),
        silent=st.sampled_from([(), ("P0", "P1"), ("P2",)]),
        votes=st.lists(VOTE, min_size=3, max_size=3),
    )
    def goes_on(self, steps: int, silent: tuple[str, ...], votes: list[str | None]) -> None:
        """Whatever would happen next, several times over."""
        for _ in range(steps):
            if not self.match.over:
                self.play_on(lambda _: votes, silent)

    def play_on(self, votes: Votes, silent: tuple[str, ...] = ()) -> None:
        before = len(self.game.log)
        assert self.game.step(votes, silent=silent)
        self.closed.update((x.round, x.n) for x in self.game.log[before:] if isinstance(x, e.SlotClosed))

    @precondition(lambda self: self.match.status is Status.RUNNING and not self.match.clock.running)
    @rule(wall=st.sampled_from([WALL0 + 9_000, 0]))
    def resumes(self, wall: int) -> None:
        self.send(c.Resume(at=self.match.now, wall=wall, by="host"))

    # --------------------------------------------------------------------------------------------- what people do

    @precondition(lambda self: self.slot is not None)
    @rule(data=st.data())
    def somebody_speaks(self, data: st.DataObject) -> None:
        draw = data.draw
        if self.plays and draw(st.sampled_from([True, True, True, False]), "open first"):
            while self.match.slot is not None and self.match.slot.stage is not Stage.OPEN:
                self.play_on(lambda _: ())
        slot = self.slot
        assert slot is not None
        seat = draw(st.sampled_from([*slot.plan.seats, *slot.plan.seats, *SEATS]), "seat")
        at = draw(times(self.match), "at")
        person = draw(st.sampled_from([self.person_on(seat)] * 4 + ["eve", None]), "person")
        what = draw(st.sampled_from(["speak", "speak", "speak", "done", "pass", "answer", "offer"]), "what")
        if what == "speak":
            text = draw(st.sampled_from(TEXTS), "text")
            moves: list[Any] = [None, *slot.plan.moves, *MOVES]
            move = draw(st.sampled_from(moves), "move")
            meant = draw(st.sampled_from([None, None, (len(self.match.rounds), slot.plan.n), (1, 1), (0, -1)]), "slot")
            self.send(c.Speak(at=at, seat=seat, person=person, text=text, move=move, slot=meant, why=text))
        elif what == "done":
            self.send(c.Done(at=at, seat=seat, person=person))
        elif what == "pass":
            self.send(c.Pass(at=at, person=person or ""))
        elif what == "answer":
            self.send(c.AnswerOffer(at=at, seat=seat, person=person, taken=draw(st.booleans(), "taken")))
        else:
            other = draw(st.sampled_from([*self.match.rules.seats, "J0"]), "from")
            text = draw(st.sampled_from(["Sir?", "Sir?", "Sir?", "", "x" * 201]), "text")
            self.send(c.OfferPoint(at=at, seat=other, person=self.person_on(other), text=text))

    @precondition(lambda self: self.judging is not None)
    @rule(data=st.data())
    def somebody_votes(self, data: st.DataObject) -> None:
        draw = data.draw
        judge = draw(st.sampled_from([*(judge.id for judge in self.match.judges), "P0", "J9"]), "judge")
        at = draw(times(self.match), "at")
        if draw(st.sampled_from([False, False, False, True]), "broken"):
            self.send(c.Break(at=at, judge=judge, round=len(self.match.rounds)))
            return
        person = draw(st.sampled_from([self.person_on(judge)] * 4 + ["eve", None]), "person")
        vote = draw(st.sampled_from(["pro", "con", *VOTES]), "vote")
        text = draw(st.sampled_from(TEXTS), "text")
        given = draw(st.sampled_from(SCORES), "scores")
        self.send(c.Cast(at=at, judge=judge, person=person, vote=vote, scores=given, reason=text, flags=(text,)))

    @precondition(lambda self: self.match.status is Status.RUNNING)
    @rule(data=st.data())
    def a_seat_changes_hands(self, data: st.DataObject) -> None:
        draw, match = data.draw, self.match
        held = [seat.holder.person for seat in match.seats.values() if seat.holder and seat.holder.person is not None]
        gone = [seat.former for seat in match.seats.values() if seat.former is not None]
        at = draw(times(match), "at")
        what = draw(st.sampled_from(["leave", "leave", "reclaim", "reclaim", "replace", "host"]), "what")
        if what == "leave":
            self.send(c.Leave(at=at, person=draw(st.sampled_from([*held, *held, *gone, "eve"]), "person")))
        elif what == "reclaim":
            self.send(c.Reclaim(at=at, person=draw(st.sampled_from([*gone, *gone, *held, "eve"]), "person")))
        elif what == "replace":
            seats = [match.seat_of(person) for person in held]
            taken = [seat.id for seat in seats if seat is not None]
            self.send(c.Replace(at=at, seat=draw(st.sampled_from([*taken, *taken, "P0", "X9"]), "seat")))
        else:
            self.send(c.ChangeHost(at=at, person=draw(st.sampled_from([match.host, "eve", "ann"]), "person")))

    @precondition(lambda self: self.plays and len(self.game.log) > 12)
    @rule(data=st.data(), what=st.integers(0, 9))
    def a_moderator_steps_in(self, data: st.DataObject, what: int) -> None:
        at = data.draw(times(self.match), "at")
        if what == 0 and len(self.game.log) > 120:
            self.send(c.Cancel(at=at, by="mod", reason="\ud800 enough"))
        elif what <= 3:
            self.send(c.Pause(at=at, wall=WALL0, by="mod", why=data.draw(st.sampled_from(TEXTS), "why")))
        elif what == 4:
            self.send(
                c.Void(at=at, by="mod", round=data.draw(st.sampled_from([None, len(self.match.rounds)]), "round"))
            )
        else:
            self.send(c.Skip(at=at, by="mod"))

    @precondition(lambda self: self.match.market)
    @rule(data=st.data())
    def somebody_bets(self, data: st.DataObject) -> None:
        draw, match = data.draw, self.match
        person = draw(st.sampled_from(["eve", "fay", "gus", *PEOPLE]), "person")
        at = draw(times(match), "at")
        outcome = draw(st.sampled_from([*outcomes(match), "X9"]), "outcome")
        stake = draw(st.sampled_from([1, 7, 10, 333, 0, -5, 10**12]), "stake")
        wager = draw(st.integers(0, len(match.wagers) + 1), "wager")
        most = draw(st.sampled_from([None, None, 400]), "most")
        what = draw(st.sampled_from(["place", "place", "place", "change", "withdraw"]), "what")
        if what == "place":
            self.send(c.Wager(at=at, person=person, outcome=outcome, stake=stake, most=most))
        elif what == "change":
            self.send(c.WagerChange(at=at, person=person, wager=wager, outcome=outcome, stake=stake, most=most))
        else:
            self.send(c.Withdraw(at=at, person=person, wager=wager))

    # --------------------------------------------------------------------------------------------- nonsense

    @rule(data=st.data())
    def anything(self, data: st.DataObject) -> None:
        """Any command with any arguments."""
        draw, match = data.draw, self.match

        def one(values: Any) -> Any:
            return draw(st.sampled_from(values))

        def command() -> tuple[type[Any], dict[str, Any]]:
            kind = one(
                [c.Open, c.Join, c.Leave, c.Start, c.Tick, c.Prompted, c.RevealSeen, c.Speak, c.Done, c.Pass,
                 c.OfferPoint, c.AnswerOffer, c.Cast, c.Break, c.Resume, c.Void, c.Replace, c.Reclaim, c.ChangeHost,
                 c.AttachClip]
            )  # fmt: skip
            match kind:
                case c.Open:
                    return kind, {
                        "match": "m",
                        "community": "x",
                        "host": "h",
                        "format": self.match.rules,
                        "seed": 1,
                        "wall": 0,
                    }
                case c.Join:
                    return kind, {"person": one(PEOPLE), "role": one(["debater", "judge"]), "seat": one((None, *SEATS)),
                                  "extra_time": one(FLOATS)}  # fmt: skip
                case c.Start:
                    return kind, {"cast": one(CASTS), "pool": one(POOLS)}
                case c.Tick:
                    return kind, {}
                case c.Prompted:
                    return kind, {"round": one(ROUNDS), "n": one((None, *NUMBERS))}
                case c.RevealSeen:
                    return kind, {"round": one(ROUNDS), "judge": one(SEATS), "slow": one((True, False))}
                case c.Speak:
                    return kind, {"seat": one(SEATS), "text": one(TEXTS), "person": one(PEOPLE), "move": one(MOVES)}
                case c.Done:
                    return kind, {"seat": one(SEATS), "person": one(PEOPLE)}
                case c.OfferPoint:
                    return kind, {"seat": one(SEATS), "text": one(TEXTS), "person": one(PEOPLE)}
                case c.AnswerOffer:
                    return kind, {"seat": one(SEATS), "taken": one((True, False)), "person": one(PEOPLE)}
                case c.Cast:
                    return kind, {"judge": one(SEATS), "vote": one(VOTES), "scores": one(SCORES), "person": one(PEOPLE)}
                case c.Break:
                    return kind, {"judge": one(SEATS), "round": one(ROUNDS)}
                case c.Resume:
                    return kind, {"wall": one((0, WALL0, -5)), "by": "x", "speed": one((None, *FLOATS))}
                case c.Void:
                    return kind, {"by": "x", "round": one((-1, 0, 99))}
                case c.Replace:
                    return kind, {"seat": one(SEATS)}
                case c.AttachClip:
                    return kind, {
                        "round": one(ROUNDS),
                        "n": one(NUMBERS),
                        "part": one(NUMBERS),
                        "clip": Clip("a", 1.0, "ogg"),
                    }
                case _:
                    return kind, {"person": one(PEOPLE)}

        kind, arguments = command()
        self.send(kind(at=draw(times(match), "at"), **arguments))

    # --------------------------------------------------------------------------------------------- what must be so

    @invariant()
    def no_slot_closes_twice(self) -> None:
        assert all(times == 1 for times in self.closed.values()), self.closed

    @invariant()
    def nobody_holds_two_seats(self) -> None:
        holders = [seat.holder for seat in self.match.seats.values() if seat.holder is not None]
        people = [holder.person for holder in holders if holder.person is not None]
        ais = [ai.persona for ai in (*holders, *self.match.spare) if ai.person is None]
        assert len(set(people)) == len(people)
        assert len(set(ais)) == len(ais)
        if self.match.started_at is not None:
            assert len(holders) == len(self.match.seats)
            assert len(self.match.spare) >= len(people), "somebody could not be replaced"

    @invariant()
    def turns_keep_their_bounds(self) -> None:
        for entry in self.match.rounds[-2:]:
            assert [turn.plan for turn in entry.turns] == list(entry.plans[: len(entry.turns)])
            for turn in entry.turns:
                moments = [turn.opened_at, *(part.at for part in turn.parts), turn.closed_at, turn.deadline]
                assert moments == sorted(moments)
                assert turn.deadline == turn.opened_at + turn.timeout_ms
                if turn.parts:
                    assert turn.outcome is Outcome.SAID
                elif turn.outcome is Outcome.SAID:
                    assert turn.plan.mode is Mode.PREP
                joined = "\n\n".join(part.text for part in turn.parts)
                assert turn.plan.mode is Mode.EXCHANGE or count(joined) <= turn.plan.limit
                assert sum(count(part.text) for part in turn.parts) <= turn.plan.limit
                for part in turn.parts:
                    assert part.seat in turn.plan.seats
                    assert part.move in turn.plan.moves
                    assert part.text == clean(part.text)
                    assert not is_blank(part.text)
            for earlier, later in zip(entry.turns, entry.turns[1:], strict=False):
                assert later.opened_at >= earlier.closed_at

    @invariant()
    def what_is_awaited_can_be_said(self) -> None:
        """A running match waits for a moment, or for something that is under way; never for nothing."""
        match = self.match
        if match.status is not Status.RUNNING or not match.clock.running or match.next_due is not None:
            return
        entry = match.rounds[-1]
        if entry.slot is not None:
            assert entry.slot.stage is Stage.CALLED
            assert match.is_held_by_person(entry.slot.plan.seats)
            return
        judging = entry.judging
        assert judging is not None
        if judging.stage is Stage.CALLED:
            assert match.is_held_by_person(tuple(judge.id for judge in match.judges))
        else:
            assert judging.closed_at is not None
            assert any(ballot.revealed_at is not None for ballot in judging.ballots)

    @invariant()
    def a_tick_when_due_changes_something(self) -> None:
        match = self.match
        due = match.next_due
        if due is None or match.status is not Status.RUNNING:
            return
        events = decide(match, c.Tick(at=due))
        assert not isinstance(events, Rejection)
        assert events
        after = fold(events, match)
        assert (after.next_due, len(after.rounds), after.slot, after.rounds[-1].judging) != (
            due, len(match.rounds), match.slot, match.rounds[-1].judging,
        )  # fmt: skip
        assert decide(match, c.Tick(at=due - 1)) == []

    @invariant()
    def a_finished_match_is_complete(self) -> None:
        match = self.match
        if match.status is not Status.FINISHED:
            return
        assert {s.seat for s in match.standings} == set(match.rules.seats)
        best = max(match.points().values())
        assert match.winners == tuple(seat for seat in match.rules.seats if match.points()[seat] == best)
        assert len({entry.motion.text for entry in match.rounds}) == len(match.rounds)
        for entry in match.rounds:
            assert entry.winner in (*match.rules.sides, "draw", "void")
            if entry.winner != "void":
                assert len(entry.turns) == len(entry.plans)
                assert entry.judging is not None
                assert [b.judge for b in entry.judging.ballots] == [judge.id for judge in match.judges]
                assert all(b.revealed_at is not None for b in entry.judging.ballots)
        assert match.next_due is None

    @invariant()
    def the_market_adds_up(self) -> None:
        """Nothing is open once the match is over, nobody bets who may not, and every coin staked came back."""
        match = self.match
        assert [wager.id for wager in match.wagers] == list(range(1, len(match.wagers) + 1))
        if not match.market:
            assert not match.wagers and match.settlement is None and match.locked_at is None
            return
        for wager in match.wagers:
            assert wager.stake >= 1
            if wager.state == "open":
                assert may_not_bet(match, wager.person) is None
                assert own_outcome(match, wager.person) in (None, wager.outcome)
        assert (match.settlement is not None) == match.over
        if match.settlement is None:
            assert (rounds_to_lock(match) == 0) == (match.locked_at is not None)
            return
        assert all(wager.state != "open" for wager in match.wagers)
        staked = sum(wager.stake for wager in match.wagers) + house_stakes(match.rules)
        assert sum(wager.payout for wager in match.wagers) + match.settlement.house == staked
        if match.status is Status.FINISHED:
            assert match.locked_at is not None
            bet = {wager.person for wager in match.wagers if wager.state == "settled"}
            assert (match.settlement.outcome is None) == (len(bet) < 2)

    def teardown(self) -> None:
        """From any state the match can be driven to its end, and its log tells the same story."""
        if not hasattr(self, "game"):
            return
        if not self.match.over and not self.match.clock.running:
            self.send(c.Resume(at=self.match.now, wall=WALL0, by="x", speed=1.0))
        for _ in range(1_500):
            if self.match.over:
                break
            self.play_on(lambda number: ["pro", "con", "pro"])
            self.turns_keep_their_bounds()
        assert self.match.over, "it does not come to an end"
        self.no_slot_closes_twice()
        self.a_finished_match_is_complete()
        assert self.game.replayed() == self.match
        assert self.match.seq == len(self.game.log)


class TestAnySequence(AnySequence.TestCase):
    settings = EXPLORE


@pytest.mark.soak
class TestAnySequenceForLong(AnySequence.TestCase):
    settings = EXPLORE_LONG


def test_custom_motions_do_not_disturb() -> None:
    """A forced motion in somebody's own words goes through the log like any other."""
    game = Game("duel", forced=[custom_motion("Tea\ud800 is better\nthan coffee")])
    assert game.to_end().rounds[0].motion.text == "Tea is better than coffee"
    assert game.replayed() == game.match
