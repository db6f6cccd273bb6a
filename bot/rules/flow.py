"""What happens next: from slot to slot, to the bench, to the next round, to the end.

These are the only places that move a match forward; the families of commands call them.
"""

from __future__ import annotations

from typing import Literal

from bot.rules import events as e
from bot.rules import market
from bot.rules.format import VOID
from bot.rules.judging import verdict
from bot.rules.lineup import SlotPlan, lineup_of
from bot.rules.match import Match, Outcome, Round, Seat, Slot, Stage
from bot.rules.scoring import round_points, standings
from bot.rules.scribe import Scribe
from bot.rules.tempo import Tempo, timeout_ms
from bot.rules.tiebreak import tiebreak_lineup, top_seats

MISSES_BEFORE_REPLACED = 2


# ------------------------------------------------------------------------------------------------- slots


def schedule(scribe: Scribe, plan: SlotPlan, opens_at: int) -> None:
    scribe.write(
        e.SlotScheduled(at=scribe.match.now, round=scribe.match.rounds[-1].number, n=plan.n, opens_at=opens_at)
    )


def open_slot(scribe: Scribe, at: int) -> None:
    """Start the speaking time of the scheduled or called slot."""
    match = scribe.match
    slot = match.slot
    assert slot is not None
    market.lock_at_slot(scribe, at, slot.plan)
    extra = max(match.seats[seat].extra_time for seat in slot.plan.seats)
    timeout = timeout_ms(_tempo(match), slot.plan.timeout_s, extra)
    scribe.write(
        e.SlotOpened(at=at, round=match.rounds[-1].number, n=slot.plan.n, timeout_ms=timeout, deadline=at + timeout)
    )


def close_slot(scribe: Scribe, at: int, outcome: Outcome) -> None:
    """End the slot and go on: the next slot after the pace, or the bench after the last one."""
    match = scribe.match
    slot = match.slot
    assert slot is not None
    if slot.stage is not Stage.OPEN:
        open_slot(scribe, at)
    scribe.write(e.SlotClosed(at=at, round=match.rounds[-1].number, n=slot.plan.n, outcome=outcome))
    for seat in slot.plan.seats:
        _replace_if_missing(scribe, at, scribe.match.seats[seat])
    entry = scribe.match.rounds[-1]
    plan = entry.next_plan
    if plan is None:
        call_judges(scribe, at)
        return
    if plan.phase != slot.plan.phase:
        _seats_return(scribe, at)
    schedule(scribe, plan, at + _pace_ms(scribe.match))


def within(slot: Slot, at: int) -> int:
    """The moment as the record keeps it: never before the opening or what was said last, never after the deadline."""
    assert slot.opened_at is not None
    assert slot.deadline is not None
    earliest = slot.parts[-1].at if slot.parts else slot.opened_at
    return min(max(at, earliest), slot.deadline)


def replace_by_ai(scribe: Scribe, at: int, seat: Seat, why: Literal["missed", "left", "moderator"]) -> None:
    """Put the next waiting AI on a person's seat."""
    assert seat.holder is not None
    assert seat.holder.person is not None
    spare = scribe.match.spare
    assert spare, "the cast is at least as large as the number of seats, so one is always waiting"
    scribe.write(e.SeatReplaced(at=at, seat=seat.id, person=seat.holder.person, holder=spare[0], why=why))


def _replace_if_missing(scribe: Scribe, at: int, seat: Seat) -> None:
    if seat.missed >= MISSES_BEFORE_REPLACED and seat.holder is not None and seat.holder.is_person:
        replace_by_ai(scribe, at, seat, "missed")


def _seats_return(scribe: Scribe, at: int) -> None:
    """At a new phase those who asked for their seat back have it again."""
    for seat in tuple(scribe.match.seats.values()):
        if seat.returning and seat.former is not None:
            scribe.write(e.SeatReclaimed(at=at, seat=seat.id, person=seat.former))


# ------------------------------------------------------------------------------------------------- the bench


def call_judges(scribe: Scribe, at: int) -> None:
    """Open the vote; when people judge, only once the call has reached them."""
    _seats_return(scribe, at)
    market.lock_at_judging(scribe, at)
    scribe.write(e.JudgingCalled(at=at, round=scribe.match.rounds[-1].number))
    open_judging_if_all_ai(scribe, at)


def open_judging_if_all_ai(scribe: Scribe, at: int) -> None:
    match = scribe.match
    if not match.is_held_by_person(tuple(judge.id for judge in match.judges)):
        open_judging(scribe, at)


def open_judging(scribe: Scribe, at: int) -> None:
    match = scribe.match
    extra = max(judge.extra_time for judge in match.judges)
    deadline = at + timeout_ms(_tempo(match), match.rules.judging.timeout_s, extra)
    scribe.write(e.JudgingOpened(at=at, round=match.rounds[-1].number, deadline=deadline))


def close_judging_if_complete(scribe: Scribe, at: int) -> None:
    match = scribe.match
    judging = match.rounds[-1].judging
    assert judging is not None
    if len(judging.ballots) == len(match.judges):
        reveal = round(match.rules.judging.reveal_s * 1000)
        scribe.write(e.JudgingClosed(at=at, round=match.rounds[-1].number, reveal_due=at + reveal))


def default_missing_ballots(scribe: Scribe, at: int, why: Literal["timeout", "absent"] = "timeout") -> None:
    """A ballot that did not come, or cannot be read, counts as the format says, cast at the deadline. `absent`: a
    moderator ended the vote, which is nobody's miss."""
    match = scribe.match
    judging = match.rounds[-1].judging
    assert judging is not None
    voted = {ballot.judge for ballot in judging.ballots}
    for judge in match.judges:
        if judge.id in voted:
            continue
        scribe.write(
            e.BallotCast(
                at=at,
                round=match.rounds[-1].number,
                judge=judge.id,
                person=None,
                vote=match.rules.judging.missing,
                reason="",
                scores=None,
                defaulted="broken" if judge.id in judging.broken else why,
            )
        )
    close_judging_if_complete(scribe, at)
    for judge in match.judges:
        _replace_if_missing(scribe, at, scribe.match.seats[judge.id])


# ------------------------------------------------------------------------------------------------- rounds


def decide_round(scribe: Scribe, at: int) -> None:
    """The verdict, once the last ballot has been seen; then the next round, a tie-break, or the end."""
    match = scribe.match
    entry = match.rounds[-1]
    assert entry.judging is not None
    void = entry.void or _said_nothing(entry)
    finish_round(scribe, at, VOID if void else verdict(entry.judging.ballots, match.rules.sides))


def finish_round(scribe: Scribe, at: int, winner: str) -> None:
    """Write the verdict. A void round has no winner, no points and rates nobody."""
    entry = scribe.match.rounds[-1]
    points = round_points(entry.lineup, winner)
    scribe.write(e.RoundDecided(at=at, round=entry.number, winner=winner, points=points, void=winner == VOID))
    market.lock_at_verdict(scribe, at)
    next_round(scribe, at)


def next_round(scribe: Scribe, at: int) -> None:
    match = scribe.match
    fmt = match.rules
    number = len(match.rounds) + 1
    tiebreak = number > len(fmt.rounds)
    if tiebreak:
        played = number - 1 - len(fmt.rounds)
        lineup = tiebreak_lineup(fmt.tiebreaks, match.points(), played, match.seed) if fmt.tiebreaks else None
    else:
        lineup = lineup_of(fmt, number, match.seed)
    if lineup is None:
        _finish(scribe, at)
        return
    _seats_return(scribe, at)
    motion = match.motions[number - 1]
    scribe.write(e.RoundStarted(at=at, round=number, tiebreak=tiebreak, motion=motion, lineup=lineup))
    schedule(scribe, scribe.match.rounds[-1].plans[0], at + _pace_ms(match))


def _finish(scribe: Scribe, at: int) -> None:
    match = scribe.match
    points = match.points()
    if match.rules.winner == "team":
        placed = standings(points, match.rounds[-1].lineup.teams)
    else:
        placed = standings(points)
    winners = top_seats(points)
    market.settle(scribe, at, winners)
    scribe.write(e.MatchFinished(at=at, standings=placed, winners=winners))


def _said_nothing(entry: Round) -> bool:
    """True when a side said nothing at all, which makes the round void whatever the votes."""
    spoke = {entry.lineup.side_of(part.seat) for turn in entry.turns for part in turn.parts}
    return any(side not in spoke for side in entry.lineup.teams)


def _pace_ms(match: Match) -> int:
    return round(match.rules.pace_s * 1000)


def _tempo(match: Match) -> Tempo:
    return match.tempo or Tempo.BLITZ
