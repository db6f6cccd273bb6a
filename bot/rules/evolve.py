"""From events to the state: `evolve(match, event) -> match`, pure and total over every log `decide` can write.

One function an event, found by the event's type. Nothing is judged here; whether something may happen is `decide`'s
business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import reduce
from typing import Any

from bot.rules import events as e
from bot.rules.clock import Clock
from bot.rules.format import seat_number
from bot.rules.lineup import plan_round
from bot.rules.match import (
    Ballot,
    Holder,
    Judging,
    Match,
    Offer,
    Outcome,
    Part,
    Pause,
    Replacement,
    Round,
    Seat,
    Settlement,
    Slot,
    Stage,
    Status,
    Turn,
    Wager,
)
from bot.rules.pool import house_stakes

_Step = Callable[[Match, Any], Match]
_steps: dict[type[e.Event], _Step] = {}


def evolve(match: Match, event: e.Event) -> Match:
    """The match after the event."""
    after = _steps[type(event)](match, event)
    return replace(after, seq=match.seq + 1, now=max(match.now, event.at))


def fold(events: Iterable[e.Event], match: Match | None = None) -> Match:
    """The match after all the events, from nothing or from an earlier state."""
    return reduce(evolve, events, match or Match())


def _on(kind: type[e.Event]) -> Callable[[_Step], _Step]:
    def register(step: _Step) -> _Step:
        _steps[kind] = step
        return step

    return register


# ------------------------------------------------------------------------------------------------- helpers


def _with_round(match: Match, **changes: Any) -> Match:
    return replace(match, rounds=(*match.rounds[:-1], replace(match.rounds[-1], **changes)))


def _with_slot(match: Match, **changes: Any) -> Match:
    slot = match.rounds[-1].slot
    assert slot is not None
    return _with_round(match, slot=replace(slot, **changes))


def _with_judging(match: Match, **changes: Any) -> Match:
    judging = match.rounds[-1].judging
    assert judging is not None
    return _with_round(match, judging=replace(judging, **changes))


def _with_seat(match: Match, seat: str, **changes: Any) -> Match:
    return replace(match, seats={**match.seats, seat: replace(match.seats[seat], **changes)})


# ------------------------------------------------------------------------------------------------ opening and the lobby


@_on(e.MatchOpened)
def _(match: Match, event: e.MatchOpened) -> Match:
    debaters = {seat: Seat(seat, "debater") for seat in event.format.seats}
    judges = {f"J{number}": Seat(f"J{number}", "judge") for number in range(event.judges)}
    return replace(
        match,
        id=event.match,
        community=event.community,
        host=event.host,
        format=event.format,
        tempo=event.tempo,
        seed=event.seed,
        sound=event.sound,
        forced=event.forced,
        category=event.category,
        opened_at=event.at,
        lobby_until=event.lobby_until,
        reserved=event.reserved,
        market=event.market,
        seats=debaters | judges,
    )


@_on(e.SeatTaken)
def _(match: Match, event: e.SeatTaken) -> Match:
    holder = Holder(person=event.person)
    return _with_seat(match, event.seat, holder=holder, extra_time=event.extra_time, joined=match.seq + 1)


@_on(e.SeatLeft)
def _(match: Match, event: e.SeatLeft) -> Match:
    return _with_seat(match, event.seat, holder=None, extra_time=1.0)


@_on(e.HostChanged)
def _(match: Match, event: e.HostChanged) -> Match:
    return replace(match, host=event.person)


@_on(e.StartQueued)
def _(match: Match, event: e.StartQueued) -> Match:
    return replace(match, queued=event.wall)


@_on(e.MatchStarted)
def _(match: Match, event: e.MatchStarted) -> Match:
    holders = {id: event.filled.get(id, seat.holder) for id, seat in match.seats.items()}
    seats = {id: replace(seat, holder=holders[id], first=holders[id]) for id, seat in match.seats.items()}
    return replace(
        match,
        status=Status.RUNNING,
        queued=None,
        started_at=event.at,
        tempo=event.tempo,
        seats=seats,
        spare=event.spare,
        motions=event.motions,
    )


# ------------------------------------------------------------------------------------------------- the clock


@_on(e.ClockStarted)
def _(match: Match, event: e.ClockStarted) -> Match:
    pauses = match.pauses
    if pauses and pauses[-1].wall_ms is None:
        pauses = (*pauses[:-1], replace(pauses[-1], wall_ms=max(0, event.wall - match.clock.wall)))
    return replace(
        match,
        clock=Clock(running=True, wall=event.wall, match=event.at, speed=event.speed),
        pauses=pauses,
        resumed=match.resumed + event.recovered,
    )


@_on(e.ClockStopped)
def _(match: Match, event: e.ClockStopped) -> Match:
    stopped = replace(match.clock, running=False, wall=event.wall, match=event.at)
    return replace(match, clock=stopped, pauses=(*match.pauses, Pause(event.at, event.by, event.why)))


# ------------------------------------------------------------------------------------------------- speaking


@_on(e.RoundStarted)
def _(match: Match, event: e.RoundStarted) -> Match:
    entry = Round(
        number=event.round,
        tiebreak=event.tiebreak,
        motion=event.motion,
        lineup=event.lineup,
        plans=plan_round(match.rules, event.lineup),
    )
    return replace(match, rounds=(*match.rounds, entry))


@_on(e.SlotScheduled)
def _(match: Match, event: e.SlotScheduled) -> Match:
    plan = match.rounds[-1].plans[event.n - 1]
    return _with_round(match, slot=Slot(plan, Stage.SCHEDULED, event.opens_at))


@_on(e.SlotCalled)
def _(match: Match, event: e.SlotCalled) -> Match:
    return _with_slot(match, stage=Stage.CALLED)


@_on(e.SlotOpened)
def _(match: Match, event: e.SlotOpened) -> Match:
    return _with_slot(match, stage=Stage.OPEN, opened_at=event.at, deadline=event.deadline, timeout_ms=event.timeout_ms)


@_on(e.PartSpoken)
def _(match: Match, event: e.PartSpoken) -> Match:
    slot = match.rounds[-1].slot
    assert slot is not None
    part = Part(event.at, event.seat, event.move, event.text, event.source, event.fallback, event.usage)
    spoken = _with_slot(match, parts=(*slot.parts, part))
    return _with_seat(spoken, event.seat, missed=0) if event.person else spoken


@_on(e.OfferMade)
def _(match: Match, event: e.OfferMade) -> Match:
    slot = match.rounds[-1].slot
    assert slot is not None
    return _with_slot(match, offers=(*slot.offers, Offer(event.at, event.seat, event.text)))


@_on(e.OfferAnswered)
def _(match: Match, event: e.OfferAnswered) -> Match:
    slot = match.rounds[-1].slot
    assert slot is not None
    return _with_slot(match, offers=(*slot.offers[:-1], replace(slot.offers[-1], taken=event.taken)))


@_on(e.SlotClosed)
def _(match: Match, event: e.SlotClosed) -> Match:
    entry = match.rounds[-1]
    slot = entry.slot
    assert slot is not None
    assert slot.opened_at is not None
    assert slot.deadline is not None
    turn = Turn(
        plan=slot.plan,
        opened_at=slot.opened_at,
        deadline=slot.deadline,
        timeout_ms=slot.timeout_ms,
        closed_at=event.at,
        outcome=event.outcome,
        parts=slot.parts,
        offers=slot.offers,
    )
    closed = _with_round(match, turns=(*entry.turns, turn), slot=None)
    for seat in slot.plan.seats:
        if event.outcome is Outcome.FORFEITED:
            closed = _missed(closed, seat)
        elif event.outcome is Outcome.WITHDRAWN:  # who passes is there
            closed = _with_seat(closed, seat, missed=0)
    return closed


def _missed(match: Match, seat: str) -> Match:
    holder = match.seats[seat].holder
    if holder is None or not holder.is_person:
        return match
    return _with_seat(match, seat, missed=match.seats[seat].missed + 1)


# ------------------------------------------------------------------------------------------------- seats during play


@_on(e.SeatReplaced)
def _(match: Match, event: e.SeatReplaced) -> Match:
    seat = match.seats[event.seat]
    replaced = _with_seat(
        match,
        event.seat,
        holder=event.holder,
        missed=0,
        former=event.person,
        returning=False,
        replaced=(*seat.replaced, Replacement(event.at, event.holder)),
    )
    return replace(replaced, spare=tuple(spare for spare in match.spare if spare.persona != event.holder.persona))


@_on(e.SeatWanted)
def _(match: Match, event: e.SeatWanted) -> Match:
    return _with_seat(match, event.seat, returning=True)


@_on(e.SeatReclaimed)
def _(match: Match, event: e.SeatReclaimed) -> Match:
    seat = match.seats[event.seat]
    holder = Holder(person=event.person)
    reclaimed = _with_seat(
        match,
        event.seat,
        holder=holder,
        missed=0,
        former=None,
        returning=False,
        replaced=(*seat.replaced, Replacement(event.at, holder)),
    )
    return replace(reclaimed, spare=(*match.spare, seat.holder)) if seat.holder else reclaimed


# ------------------------------------------------------------------------------------------------- judging


@_on(e.JudgingCalled)
def _(match: Match, event: e.JudgingCalled) -> Match:
    return _with_round(match, judging=Judging(Stage.CALLED))


@_on(e.JudgingOpened)
def _(match: Match, event: e.JudgingOpened) -> Match:
    return _with_round(match, judging=Judging(Stage.OPEN, deadline=event.deadline))


@_on(e.BallotCast)
def _(match: Match, event: e.BallotCast) -> Match:
    judging = match.rounds[-1].judging
    assert judging is not None
    ballot = Ballot(
        judge=event.judge,
        vote=event.vote,
        reason=event.reason,
        scores=event.scores,
        flags=event.flags,
        defaulted=event.defaulted,
        cast_at=event.at,
        usage=event.usage,
    )
    ballots = (*(other for other in judging.ballots if other.judge != event.judge), ballot)
    voted = _with_judging(
        match, ballots=tuple(sorted(ballots, key=lambda b: seat_number(b.judge))), broken=judging.broken - {event.judge}
    )
    if event.defaulted == "timeout":
        return _missed(voted, event.judge)
    return _with_seat(voted, event.judge, missed=0) if event.person else voted


@_on(e.BallotBroken)
def _(match: Match, event: e.BallotBroken) -> Match:
    judging = match.rounds[-1].judging
    assert judging is not None
    return _with_judging(match, broken=judging.broken | {event.judge})


@_on(e.JudgingClosed)
def _(match: Match, event: e.JudgingClosed) -> Match:
    return _with_judging(match, closed_at=event.at, reveal_due=event.reveal_due)


@_on(e.BallotRevealed)
def _(match: Match, event: e.BallotRevealed) -> Match:
    judging = match.rounds[-1].judging
    assert judging is not None
    ballots = tuple(replace(b, revealed_at=event.at) if b.judge == event.judge else b for b in judging.ballots)
    return _with_judging(match, ballots=ballots, reveal_due=None)


@_on(e.RevealDelivered)
def _(match: Match, event: e.RevealDelivered) -> Match:
    return _with_judging(match, reveal_due=event.next_due)


@_on(e.RoundVoided)
def _(match: Match, event: e.RoundVoided) -> Match:
    return _with_round(match, void=True, slot=None, judging=None)


@_on(e.RoundDecided)
def _(match: Match, event: e.RoundDecided) -> Match:
    return _with_round(match, winner=event.winner, points=event.points, decided_at=event.at, void=event.void)


# ------------------------------------------------------------------------------------------------- the market


def _with_wager(match: Match, number: int, **changes: Any) -> Match:
    wagers = tuple(replace(wager, **changes) if wager.id == number else wager for wager in match.wagers)
    return replace(match, wagers=wagers)


def _given_back(wager: Wager) -> Wager:
    return replace(wager, state="refunded", payout=wager.stake) if wager.state == "open" else wager


@_on(e.WagerPlaced)
def _(match: Match, event: e.WagerPlaced) -> Match:
    wager = Wager(event.wager, event.person, event.outcome, event.stake, event.at)
    return replace(match, wagers=(*match.wagers, wager))


@_on(e.WagerChanged)
def _(match: Match, event: e.WagerChanged) -> Match:
    return _with_wager(match, event.wager, outcome=event.outcome, stake=event.stake)


@_on(e.WagerWithdrawn)
def _(match: Match, event: e.WagerWithdrawn) -> Match:
    stake = match.wagers[event.wager - 1].stake
    return _with_wager(match, event.wager, state="withdrawn", payout=stake)


@_on(e.WagerRefunded)
def _(match: Match, event: e.WagerRefunded) -> Match:
    return _with_wager(match, event.wager, state="refunded", payout=match.wagers[event.wager - 1].stake)


@_on(e.Moderated)
def _(match: Match, event: e.Moderated) -> Match:
    return replace(match, moderators=match.moderators | {event.by})


@_on(e.MarketLocked)
def _(match: Match, event: e.MarketLocked) -> Match:
    return replace(match, locked_at=event.at)


@_on(e.MarketSettled)
def _(match: Match, event: e.MarketSettled) -> Match:
    wagers = tuple(
        replace(wager, state="settled", payout=event.payouts.get(wager.id, 0)) if wager.state == "open" else wager
        for wager in match.wagers
    )
    return replace(match, wagers=wagers, settlement=Settlement(event.outcome, None, event.house))


@_on(e.MarketVoided)
def _(match: Match, event: e.MarketVoided) -> Match:
    wagers = tuple(_given_back(wager) for wager in match.wagers)
    return replace(match, wagers=wagers, settlement=Settlement(None, event.reason, house_stakes(match.rules)))


# ------------------------------------------------------------------------------------------------- the end


@_on(e.MatchFinished)
def _(match: Match, event: e.MatchFinished) -> Match:
    return replace(
        match,
        status=Status.FINISHED,
        finished_at=event.at,
        standings=event.standings,
        winners=event.winners,
        clock=replace(match.clock, running=False, match=event.at),
    )


@_on(e.MatchCancelled)
def _(match: Match, event: e.MatchCancelled) -> Match:
    return replace(
        match,
        status=Status.CANCELLED,
        finished_at=event.at,
        reason=event.reason,
        clock=replace(match.clock, running=False, match=event.at),
    )


@_on(e.ClipAttached)
def _(match: Match, event: e.ClipAttached) -> Match:
    rounds = list(match.rounds)
    entry = rounds[event.round - 1]

    def with_clip(parts: tuple[Part, ...]) -> tuple[Part, ...]:
        return tuple(replace(part, clip=event.clip) if at == event.part else part for at, part in enumerate(parts))

    if event.n <= len(entry.turns):
        turns = list(entry.turns)
        turns[event.n - 1] = replace(turns[event.n - 1], parts=with_clip(turns[event.n - 1].parts))
        entry = replace(entry, turns=tuple(turns))
    elif entry.slot is not None:
        entry = replace(entry, slot=replace(entry.slot, parts=with_clip(entry.slot.parts)))
    rounds[event.round - 1] = entry
    return replace(match, rounds=tuple(rounds))
