"""Which jobs the events of a match call for (docs/architecture.md, "Jobs"). Pure.

A job is keyed by (match, slot, step). Its result is stored before it becomes a command, so a crash never pays for it
twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.host.ports import JobRow
from bot.rules import events as e
from bot.rules.match import Match

TURN, BALLOT, CLIP, ATTACH = "turn", "ballot", "clip", "attach"
_KEY = re.compile(r"turn:(\d+):(\d+):(P\d+)|ballot:(\d+):(J\d+)|clip:(\d+):(\d+):(\d+)|attach:(\d+):(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class TurnJob:
    round: int
    n: int
    seat: str


@dataclass(frozen=True, slots=True)
class BallotJob:
    round: int
    judge: str


@dataclass(frozen=True, slots=True)
class ClipJob:
    """Make the sound of something said."""

    round: int
    n: int
    part: int


@dataclass(frozen=True, slots=True)
class AttachJob:
    """Add the sound that was made to the message of what was said."""

    round: int
    n: int
    part: int


def clip_key(round: int, n: int, part: int) -> str:
    return f"{CLIP}:{round}:{n}:{part}"


def parse_key(key: str) -> TurnJob | BallotJob | ClipJob | AttachJob:
    """What a job's key stands for. Raises ValueError."""
    found = _KEY.fullmatch(key)
    if found is None:
        raise ValueError(f"not a job's key: {key}")
    turn_round, n, seat, ballot_round, judge, *clip = found.groups()
    if seat:
        return TurnJob(int(turn_round), int(n), seat)
    if judge:
        return BallotJob(int(ballot_round), judge)
    if clip[0]:
        return ClipJob(int(clip[0]), int(clip[1]), int(clip[2]))
    return AttachJob(int(clip[3]), int(clip[4]), int(clip[5]))


def jobs_for(events: Sequence[e.Event], after: Match) -> list[JobRow]:
    """The jobs to begin after these events."""
    jobs: list[JobRow] = []
    for event in events:
        match event:
            case e.SlotScheduled():
                plan = after.rounds[event.round - 1].plans[event.n - 1]
                jobs += [
                    JobRow(after.id, f"turn:{event.round}:{event.n}:{seat}", TURN)
                    for seat in plan.seats
                    if not after.is_held_by_person((seat,))
                ]
            case e.JudgingOpened():
                jobs += [
                    JobRow(after.id, f"ballot:{event.round}:{judge.id}", BALLOT)
                    for judge in after.judges
                    if not after.is_held_by_person((judge.id,))
                ]
            case e.SeatReplaced():
                jobs += _taken_over(event, after)
            case e.PartSpoken() if event.person is None and after.sound:
                part = _part_index(event, after)
                jobs.append(JobRow(after.id, clip_key(event.round, event.n, part), CLIP))
            case e.ClipAttached():
                jobs.append(JobRow(after.id, f"attach:{event.round}:{event.n}:{event.part}", ATTACH))
            case _:
                pass
    return list({job.key: job for job in jobs}.values())


def _taken_over(event: e.SeatReplaced, after: Match) -> list[JobRow]:
    """An AI that takes a seat over in the middle of a vote or an exchange has work at once."""
    entry = after.round
    if entry is None:
        return []
    judging = entry.judging
    if (
        judging is not None
        and judging.deadline is not None
        and judging.closed_at is None
        and event.seat.startswith("J")
    ):
        if all(ballot.judge != event.seat for ballot in judging.ballots):
            return [JobRow(after.id, f"ballot:{entry.number}:{event.seat}", BALLOT)]
    if entry.slot is not None and event.seat in entry.slot.plan.seats:
        return [JobRow(after.id, f"turn:{entry.number}:{entry.slot.plan.n}:{event.seat}", TURN)]
    return []


def _part_index(event: e.PartSpoken, after: Match) -> int:
    entry = after.rounds[event.round - 1]
    if event.n <= len(entry.turns):
        return len(entry.turns[event.n - 1].parts) - 1
    assert entry.slot is not None
    return len(entry.slot.parts) - 1
