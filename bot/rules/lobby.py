"""Opening a match, taking and giving up seats, starting, and seats that change hands in play (docs/rules.md,
"Seats")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from bot.rules import commands as c
from bot.rules import events as e
from bot.rules import flow, market
from bot.rules.clock import is_speed
from bot.rules.format import Format
from bot.rules.match import Holder, Match, Outcome, Seat, Stage, Status
from bot.rules.motion import draw_motions, same_motion
from bot.rules.rejection import Rejection, reject
from bot.rules.scribe import Scribe
from bot.rules.seeding import Draw
from bot.rules.tempo import default_tempo

MOST_JUDGES = 15
MOST_EXTRA_TIME = 10.0
"""A seat's own multiplier is at most this."""


def open_match(scribe: Scribe, command: c.Open) -> Rejection | None:
    if scribe.match.seq:
        return reject("already_open")
    judges = command.format.judging.judges if command.judges is None else command.judges
    if not 1 <= judges <= MOST_JUDGES:
        return reject("bad_judges", most=MOST_JUDGES)
    if len({same_motion(motion) for motion in command.forced}) != len(command.forced):
        return reject("motion_twice")
    if len(command.forced) > motions_needed(command.format):
        return reject("too_many_motions", most=motions_needed(command.format), given=len(command.forced))
    if not is_speed(command.speed):
        return reject("bad_speed")
    seats = (*command.format.seats, *(f"J{number}" for number in range(judges)))
    for seat in command.reserved:
        if seat not in seats:
            return reject("no_such_seat", seat=seat)
    scribe.write(
        e.MatchOpened(
            at=command.at,
            match=command.match,
            community=command.community,
            host=command.host,
            format=command.format,
            tempo=command.tempo,
            seed=command.seed,
            sound=command.sound,
            judges=judges,
            forced=tuple(command.forced),
            category=command.category,
            lobby_until=command.lobby_until,
            reserved=tuple(seat for seat in seats if seat in command.reserved),
            market=command.market,
        )
    )
    scribe.write(e.ClockStarted(at=command.at, wall=command.wall, speed=command.speed))
    return None


def join(scribe: Scribe, command: c.Join) -> Rejection | None:
    match = scribe.match
    held = match.seat_of(command.person)
    if held is not None:
        return reject("already_seated", seat=held.id, role=held.role)
    if match.status is not Status.LOBBY:
        return reject("already_started")
    if command.seat is not None:
        seat = match.seats.get(command.seat)
        if seat is None:
            return reject("no_such_seat", seat=command.seat)
        if seat.holder is not None:
            return reject("seat_taken", seat=seat.id)
        if seat.id in match.reserved:
            return reject("seat_for_ai", seat=seat.id)
    else:
        free = (s for s in match.seats.values() if s.holder is None and s.id not in match.reserved)
        seat = next((s for s in free if s.role == command.role), None)
        if seat is None:
            return reject("no_free_seat", role=command.role)
    extra_time = min(max(1.0, command.extra_time), MOST_EXTRA_TIME)
    scribe.write(e.SeatTaken(at=command.at, seat=seat.id, person=command.person, extra_time=extra_time))
    return None


def leave(scribe: Scribe, command: c.Leave) -> Rejection | None:
    """Leaving frees a seat in the lobby and hands it to an AI in play. The host leaving hands the match to the earliest
    joiner."""
    match = scribe.match
    seat = match.seat_of(command.person)
    if seat is None and match.host != command.person:
        wanting = next((s for s in match.seats.values() if s.former == command.person), None)
        return reject("not_seated") if wanting is None else reject("seat_is_ai", seat=wanting.id)
    if seat is not None:
        if match.status is Status.LOBBY:
            scribe.write(e.SeatLeft(at=command.at, seat=seat.id, person=command.person))
        else:
            _hand_over(scribe, command.at, seat, "left")
    if match.host == command.person and not scribe.match.over:
        heir = _earliest_joiner(scribe.match, command.person)
        if heir is not None:
            scribe.write(e.HostChanged(at=command.at, person=heir))
            market.bar(scribe, max(command.at, scribe.match.now), heir, "host")
        elif seat is None:
            return reject("not_seated")
    return None


def change_host(scribe: Scribe, command: c.ChangeHost) -> Rejection | None:
    if scribe.match.host == command.person:
        return reject("already_host")
    scribe.write(e.HostChanged(at=command.at, person=command.person))
    market.bar(scribe, max(command.at, scribe.match.now), command.person, "host")
    return None


def start(scribe: Scribe, command: c.Start) -> Rejection | None:
    """Free seats go to AIs drawn by the seed, each persona once; the motions are drawn, enough for every tie-break.

    What is to wait in line must be able to start as well, so that it does not wait in vain.
    """
    match = scribe.match
    if match.status is not Status.LOBBY:
        return reject("already_started")
    if not match.clock.running:
        return reject("paused")
    free = [seat.id for seat in match.seats.values() if seat.holder is None]
    personas = {holder.persona: holder for holder in command.cast if holder.persona and not holder.is_person}
    cast = Draw(match.seed, "cast").shuffled([personas[persona] for persona in sorted(personas)])
    if len(cast) < len(match.seats):  # whoever leaves, there is always an AI to take over
        return reject("too_few_personas", needed=len(match.seats), there=len(cast))
    needed = motions_needed(match.rules)
    try:
        motions = draw_motions(match.seed, command.pool, needed, match.forced, match.category)
    except ValueError:
        return reject("too_few_motions", needed=needed)
    if command.queue_wall is not None:
        if match.queued is not None:
            return reject("already_queued")
        scribe.write(e.StartQueued(at=command.at, wall=command.queue_wall))
        return None
    person_debates = any(seat.holder is not None for seat in match.debaters)
    scribe.write(
        e.MatchStarted(
            at=command.at,
            tempo=match.tempo or default_tempo(person_debates=person_debates),
            filled={seat: _benched(seat, holder, command.bench) for seat, holder in zip(free, cast, strict=False)},
            spare=cast[len(free) :],
            motions=motions,
        )
    )
    flow.next_round(scribe, command.at)
    return None


def _benched(seat: str, holder: Holder, bench: Sequence[str]) -> Holder:
    """An AI judge is of the model that its place on the bench has, whoever is drawn for it."""
    if not bench or not seat.startswith("J"):
        return holder
    return replace(holder, model=bench[int(seat[1:]) % len(bench)])


def replace_seat(scribe: Scribe, command: c.Replace) -> Rejection | None:
    match = scribe.match
    seat = match.seats.get(command.seat)
    if seat is None:
        return reject("no_such_seat", seat=command.seat)
    if match.status is Status.LOBBY:
        return reject("not_started")
    if seat.holder is None or not seat.holder.is_person:
        return reject("seat_is_ai", seat=seat.id)
    if command.why == "moderator":
        market.moderated(scribe, max(command.at, scribe.match.now), command.by, "replace")
    _hand_over(scribe, command.at, seat, command.why)
    return None


def reclaim(scribe: Scribe, command: c.Reclaim) -> Rejection | None:
    match = scribe.match
    held = match.seat_of(command.person)
    if held is not None:
        return reject("already_seated", seat=held.id, role=held.role)
    seat = next((s for s in match.seats.values() if s.former == command.person), None)
    if seat is None:
        return reject("nothing_to_reclaim")
    if seat.returning:
        return reject("already_returning", seat=seat.id)
    scribe.write(e.SeatWanted(at=command.at, seat=seat.id, person=command.person))
    return None


def motions_needed(fmt: Format) -> int:
    """One a round, and one for every tie-break there may be."""
    return len(fmt.rounds) + (fmt.tiebreaks.most if fmt.tiebreaks else 0)


def _hand_over(scribe: Scribe, at: int, seat: Seat, why: Literal["left", "moderator"]) -> None:
    """An AI takes the seat. A turn the person has open ends first: withdrawn, or said if parts of it were."""
    at = max(at, scribe.match.now)
    slot = scribe.match.slot
    theirs = slot is not None and seat.id in slot.plan.seats
    open_now = theirs and slot is not None and slot.stage is Stage.OPEN and len(slot.plan.seats) == 1
    if open_now and slot is not None:
        outcome = Outcome.SAID if slot.parts else Outcome.WITHDRAWN
        at = flow.within(slot, at)
        flow.replace_by_ai(scribe, at, seat, why)
        flow.close_slot(scribe, at, outcome)
        return
    flow.replace_by_ai(scribe, at, seat, why)
    if theirs and slot is not None and slot.stage is Stage.CALLED:
        # The prompt was for the person; the AI's slot needs none.
        flow.schedule(scribe, slot.plan, at)
    judging = scribe.match.rounds[-1].judging if scribe.match.rounds else None
    if seat.role == "judge" and judging is not None and judging.stage is Stage.CALLED:
        flow.open_judging_if_all_ai(scribe, at)


def _earliest_joiner(match: Match, without: str) -> str | None:
    people = [seat for seat in match.seats.values() if seat.holder and seat.holder.person not in (None, without)]
    first = min(people, key=lambda seat: seat.joined, default=None)
    return first.holder.person if first and first.holder else None
