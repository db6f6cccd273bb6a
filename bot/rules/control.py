"""Time and the moderators: ticks, the match clock, skip, void, cancel (docs/rules.md, "Seats";
docs/architecture.md, "Time")."""

from __future__ import annotations

from bot.rules import bench, flow, market
from bot.rules import commands as c
from bot.rules import events as e
from bot.rules.clock import is_speed
from bot.rules.format import VOID, Mode
from bot.rules.match import Outcome, Stage, Status
from bot.rules.rejection import Rejection, reject
from bot.rules.scribe import Scribe
from bot.rules.text import clean


def tick(scribe: Scribe, command: c.Tick) -> Rejection | None:
    """Do what is due. Early or late ticks are harmless: nothing happens before its time, and nothing twice."""
    match = scribe.match
    due = match.next_due
    if due is None or command.at < due or match.status is Status.LOBBY:
        # An expired lobby is started by the host, which knows the cast and the motions.
        return None
    entry = match.rounds[-1]
    slot = entry.slot
    if slot is not None and slot.stage is Stage.SCHEDULED:
        if match.is_held_by_person(slot.plan.seats):
            scribe.write(e.SlotCalled(at=command.at, round=entry.number, n=slot.plan.n))
        else:
            flow.open_slot(scribe, command.at)
    elif slot is not None:
        # What was sent of a speech in parts stands; letting one's prep run out is no miss.
        said = slot.parts or slot.plan.mode is Mode.PREP
        flow.close_slot(scribe, due, Outcome.SAID if said else Outcome.FORFEITED)
    elif entry.judging is not None and entry.judging.closed_at is None:
        flow.default_missing_ballots(scribe, due)
    else:
        bench.reveal_next(scribe, command.at)
    return None


def prompted(scribe: Scribe, command: c.Prompted) -> Rejection | None:
    """A person's time starts when the prompt is there."""
    match = scribe.match
    entry = match.rounds[-1]
    if command.round != entry.number:
        return reject("stale_slot")
    if command.n is None:
        if entry.judging is None or entry.judging.stage is not Stage.CALLED:
            return reject("stale_slot")
        flow.open_judging(scribe, max(command.at, match.now))
        return None
    if entry.slot is None or entry.slot.plan.n != command.n or entry.slot.stage is not Stage.CALLED:
        return reject("stale_slot")
    flow.open_slot(scribe, max(command.at, match.now))
    return None


def pause(scribe: Scribe, command: c.Pause) -> Rejection | None:
    if not scribe.match.clock.running:
        return reject("paused")
    at = max(command.at, scribe.match.now)
    scribe.write(e.ClockStopped(at=at, wall=command.wall, by=command.by, why=clean(command.why)))
    return None


def resume(scribe: Scribe, command: c.Resume) -> Rejection | None:
    match = scribe.match
    if match.clock.running:
        return reject("not_paused")
    speed = match.clock.speed if command.speed is None else command.speed
    if not is_speed(speed):
        return reject("bad_speed")
    scribe.write(e.ClockStarted(at=match.clock.match, wall=command.wall, speed=speed, recovered=command.recovered))
    return None


def skip(scribe: Scribe, command: c.Skip) -> Rejection | None:
    entry = scribe.match.rounds[-1]
    slot, judging = entry.slot, entry.judging
    at = max(command.at, scribe.match.now)
    market.moderated(scribe, at, command.by, "skip")
    if slot is not None:
        closed_at = flow.within(slot, at) if slot.stage is Stage.OPEN else at
        flow.close_slot(scribe, closed_at, Outcome.SAID if slot.parts else Outcome.SKIPPED)
        return None
    if judging is not None and judging.closed_at is None:
        if judging.stage is Stage.CALLED:
            flow.open_judging(scribe, at)
        flow.default_missing_ballots(scribe, at if judging.deadline is None else min(at, judging.deadline), "absent")
        return None
    return reject("nothing_to_skip")


def void(scribe: Scribe, command: c.Void) -> Rejection | None:
    """Void the round being played. What was said in it stays in the record."""
    entry = scribe.match.rounds[-1]
    if command.round is not None and command.round != entry.number:
        return reject("round_decided")
    at = max(command.at, scribe.match.now)
    market.moderated(scribe, at, command.by, "void")
    slot = entry.slot
    if slot is not None and slot.stage is Stage.OPEN:
        outcome = Outcome.SAID if slot.parts else Outcome.SKIPPED
        closed_at = flow.within(slot, at)
        scribe.write(e.SlotClosed(at=closed_at, round=entry.number, n=slot.plan.n, outcome=outcome))
    scribe.write(e.RoundVoided(at=at, round=entry.number, by=command.by))
    flow.finish_round(scribe, at, VOID)
    return None


def cancel(scribe: Scribe, command: c.Cancel) -> Rejection | None:
    at = max(command.at, scribe.match.now)
    market.void(scribe, at, "cancelled")
    scribe.write(e.MatchCancelled(at=at, by=command.by, reason=clean(command.reason)))
    return None


def attach_clip(scribe: Scribe, command: c.AttachClip) -> Rejection | None:
    match = scribe.match
    part = match.part(command.round, command.n, command.part)
    if part is None or part.clip is not None:
        return reject("no_such_turn")
    scribe.write(e.ClipAttached(at=match.now, round=command.round, n=command.n, part=command.part, clip=command.clip))
    return None
