"""Where a match is right now, in one line: what a countdown shows. Pure."""

from __future__ import annotations

from bot.messages.publish import name_of
from bot.messages.words import Words
from bot.rules.match import Match, Stage, Status


def status_line(say: Words, match: Match, now: int) -> str:
    """What is going on at match time `now`, with the seconds that are left of it. Names of people are tokens."""
    if match.status is Status.LOBBY:
        return say("status.lobby") if match.queued is None else say("status.queued")
    if match.over:
        return ""
    if not match.clock.running:
        return say("status.paused")
    entry, slot = match.round, match.slot
    if entry is None:
        return ""
    due = match.next_due
    left = "" if due is None else say("status.left", n=max(0, -(-(due - now) // 1000)))
    if slot is not None:
        name = name_of(match, slot.plan.seat)
        phase = say.get(f"phase.{slot.plan.phase}", slot.plan.phase)
        key = {Stage.SCHEDULED: "next", Stage.CALLED: "called", Stage.OPEN: "floor"}[slot.stage]
        return say(f"status.{key}", phase=phase, name=name, left=left)
    judging = entry.judging
    if judging is None or judging.closed_at is None:
        return say("status.judging", left=left)
    shown = sum(ballot.revealed_at is not None for ballot in judging.ballots)
    return say("status.reveal", n=min(shown + 1, len(judging.ballots)), of=len(judging.ballots), left=left)
