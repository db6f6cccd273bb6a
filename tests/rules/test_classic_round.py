"""One round of `classic` from the start to the next round's first slot, with every moment worked out by hand."""

from __future__ import annotations

from bot.rules import commands as c
from bot.rules import events as e
from bot.rules.match import Outcome, Stage
from tests.rules.play import Game, started

# n, seat, side, phase, opens at (s since the start), deadline, closes at, outcome. The pace is 10 s.
SCRIPT = [
    (1, "P0", "pro", "opening", 10.0, 30.0, 13.5, "said"),
    (2, "P1", "con", "opening", 23.5, 43.5, 23.5, "said"),  # ready before its slot: said at the opening
    (3, "P2", "pro", "opening", 33.5, 53.5, 53.5, "forfeited"),
    (4, "P3", "con", "opening", 63.5, 83.5, 83.5, "said"),  # with the last tick of the clock
    (5, "P0", "pro", "free", 93.5, 108.5, 95.0, "said"),
    (6, "P1", "con", "free", 105.0, 120.0, 110.0, "said"),
    (7, "P2", "pro", "free", 120.0, 135.0, 135.0, "forfeited"),
    (8, "P3", "con", "free", 145.0, 160.0, 146.0, "said"),
    (9, "P0", "pro", "free", 156.0, 171.0, 157.0, "said"),
    (10, "P1", "con", "free", 167.0, 182.0, 170.0, "skipped"),
    (11, "P2", "pro", "free", 180.0, 195.0, 184.0, "said"),
    (12, "P3", "con", "closing", 194.0, 209.0, 200.0, "said"),
    (13, "P2", "pro", "closing", 210.0, 225.0, 211.0, "said"),
    (14, "P1", "con", "closing", 221.0, 236.0, 222.25, "said"),
    (15, "P0", "pro", "closing", 232.25, 247.25, 240.0, "said"),
]
MOVES = {5: "argue", 6: "rebut", 8: "question", 9: "concede_point", 11: "rebut"}


def play_the_script(game: Game) -> None:
    start = game.match.started_at
    assert start is not None
    for n, seat, side, phase, opens, deadline, closes, outcome in SCRIPT:
        slot = game.slot
        assert (slot.plan.n, slot.plan.seat, slot.plan.side, slot.plan.phase) == (n, seat, side, phase)
        assert slot.stage is Stage.SCHEDULED
        assert game.since_start(game.due) == opens
        assert game.do(c.Tick(at=game.due - 1)) == []  # a millisecond early nothing happens
        assert game.kinds(game.tick()) == ["slot_opened"]
        assert game.since_start(game.deadline) == deadline
        assert game.due == game.deadline
        at = start + round(closes * 1000)
        if outcome == "said":
            events = game.do(c.Speak(at=at, seat=seat, text=f"Turn {n}.", move=MOVES.get(n), source="house"))  # type: ignore[arg-type]
            assert game.kinds(events)[:2] == ["part_spoken", "slot_closed"]
        elif outcome == "skipped":
            game.do(c.Skip(at=at, by="moderator"))
        else:
            assert game.do(c.Tick(at=game.due - 1)) == []
            game.tick()
        turn = game.match.rounds[0].turns[-1]
        assert turn.plan.n == n
        assert turn.outcome is Outcome(outcome)
        assert (game.since_start(turn.opened_at), game.since_start(turn.closed_at)) == (opens, closes)
        assert game.since_start(turn.deadline) == deadline
        assert [part.text for part in turn.parts] == ([f"Turn {n}."] if outcome == "said" else [])
        assert [part.move for part in turn.parts] == ([MOVES.get(n, "statement")] if outcome == "said" else [])


def test_a_whole_round() -> None:
    game = started("classic")
    assert game.match.rounds[0].motion == game.match.motions[0]
    play_the_script(game)

    # The vote opens when the last turn closes, for 30 s.
    judging = game.match.rounds[0].judging
    assert judging is not None
    assert judging.stage is Stage.OPEN
    assert judging.deadline is not None
    assert game.since_start(judging.deadline) == 270.0
    start = game.match.started_at
    assert start is not None
    game.vote("J1", "con", at=start + 242_000)
    game.vote("J0", "pro", at=start + 243_000)
    assert game.since_start(game.due) == 270.0
    game.vote("J2", "pro", at=start + 250_000)

    # Reveals 6 s apart in the judges' order, the first 6 s after the last ballot.
    revealed: list[tuple[str, float]] = []
    events: list[e.Event] = []
    for _ in range(3):
        assert game.do(c.Tick(at=game.due - 1)) == []
        [event] = game.tick()
        assert isinstance(event, e.BallotRevealed)
        revealed.append((event.judge, game.since_start(event.at)))
        assert game.match.next_due is None  # nothing more until it is seen
        events = game.seen()
    assert revealed == [("J0", 256.0), ("J1", 262.0), ("J2", 268.0)]

    # The verdict comes with the last reveal; the next round's first slot opens 10 s later.
    assert game.kinds(events) == ["reveal_delivered", "round_decided", "round_started", "slot_scheduled"]
    first = game.match.rounds[0]
    assert (first.winner, first.points, first.void) == ("pro", {"P0": 1, "P2": 1}, False)
    assert game.since_start(first.decided_at) == 268.0
    assert game.match.rounds[1].motion == game.match.motions[1]
    assert (game.slot.plan.seat, game.since_start(game.due)) == ("P1", 278.0)


def test_defaults_at_the_deadline_then_six_seconds() -> None:
    game = started("classic")
    play_the_script(game)
    game.vote("J1", "con", at=game.now + 1_000)
    assert game.since_start(game.due) == 270.0
    assert game.do(c.Tick(at=game.due - 1)) == []
    events = game.tick()
    assert game.kinds(events) == ["ballot_cast", "ballot_cast", "judging_closed"]
    assert {game.since_start(event.at) for event in events} == {270.0}
    assert game.since_start(game.due) == 276.0
    game.to_round(2)
    judging = game.match.rounds[0].judging
    assert judging is not None
    ballots = judging.ballots
    assert [(ballot.judge, ballot.vote, ballot.defaulted) for ballot in ballots] == [
        ("J0", "pro", "timeout"), ("J1", "con", None), ("J2", "pro", "timeout"),
    ]  # fmt: skip
    assert [game.since_start(ballot.revealed_at) for ballot in ballots] == [276.0, 282.0, 288.0]
    assert game.match.rounds[0].winner == "pro"


def test_a_slow_reveal_moves_the_next_one() -> None:
    """The next reveal is due 6 s after this one was sent, or after its delivery if that took over a second."""
    game = started("classic")
    game.to_judging()
    for judge in ("J0", "J1", "J2"):
        game.vote(judge, "con")
    game.tick()
    sent = game.now
    game.seen(at=sent + 900)
    assert game.due == sent + 6_000
    game.tick()
    assert game.now == sent + 6_000
    game.seen(at=game.now + 4_000, slow=True)
    assert game.due == sent + 6_000 + 4_000 + 6_000
    game.tick()
    game.seen(at=game.now + 300)
    assert game.match.rounds[0].decided_at == sent + 16_000 + 300


def test_a_whole_match_replays_to_the_same_state() -> None:
    game = Game("classic")
    game.to_end(votes=lambda number: ["pro", "con", "pro" if number % 2 else "con"])
    assert game.match.seq == len(game.log)
    assert game.replayed() == game.match
    assert [entry.winner for entry in game.match.rounds[:6]] == ["pro", "con"] * 3
    assert not game.match.clock.running
    assert game.match.next_due is None


def test_late_ticks_close_at_the_deadline_and_open_when_they_come() -> None:
    game = started("classic")
    game.tick(after_ms=700)  # the host was late: the slot opens late, with all its time
    assert game.since_start(game.slot.opened_at) == 10.7
    assert game.since_start(game.deadline) == 30.7
    game.tick(after_ms=2_000)  # held open for late deliveries: it still closes at its deadline
    assert game.since_start(game.match.rounds[0].turns[0].closed_at) == 30.7
    assert game.since_start(game.due) == 40.7
