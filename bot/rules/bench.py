"""Judging: ballots, and their reveal one at a time (docs/rules.md, "classic")."""

from __future__ import annotations

from bot.rules import commands as c
from bot.rules import events as e
from bot.rules import flow
from bot.rules.floor import GRACE_MS
from bot.rules.format import ABSTAIN
from bot.rules.judging import CRITERIA
from bot.rules.match import Judging, Match, Stage
from bot.rules.rejection import Rejection, reject
from bot.rules.scribe import Scribe
from bot.rules.text import clean, shorten

LONGEST_REASON = 1_500
BEST_SCORE = 10


def cast(scribe: Scribe, command: c.Cast) -> Rejection | None:
    match = scribe.match
    judging = match.rounds[-1].judging
    judge = match.seats.get(command.judge)
    if judge is None or judge.role != "judge" or judge.holder is None or judge.holder.person != command.person:
        return reject("not_a_judge")
    if judging is None or judging.stage is not Stage.OPEN or judging.closed_at is not None:
        return reject("voting_closed")
    if command.round is not None and command.round != match.rounds[-1].number:
        return reject("voting_closed")
    assert judging.deadline is not None
    if command.at > judging.deadline + (GRACE_MS if command.person else 0):
        return reject("too_late", late_ms=command.at - judging.deadline, text=command.reason)
    sides = match.rules.sides
    # Where a missing ballot counts for a side, as in classic, nobody abstains.
    votes = (*sides, ABSTAIN) if match.rules.judging.missing == ABSTAIN else sides
    if command.vote not in votes:
        return reject("unknown_side", vote=command.vote, sides=sides)
    if command.scores is not None and not _are_scores(command.scores, sides):
        return reject("bad_scores", best=BEST_SCORE)
    at = min(max(command.at, match.now), judging.deadline)
    scribe.write(
        e.BallotCast(
            at=at,
            round=match.rounds[-1].number,
            judge=judge.id,
            person=command.person,
            vote=command.vote,
            reason=shorten(clean(command.reason), LONGEST_REASON),
            scores=command.scores,
            flags=tuple(clean(flag) for flag in command.flags),
            model=command.model,
            usage=command.usage,
        )
    )
    flow.close_judging_if_complete(scribe, at)
    return None


def broken(scribe: Scribe, command: c.Break) -> Rejection | None:
    judging = _open_judging(scribe.match)
    judge = scribe.match.seats.get(command.judge)
    if judge is None or judge.role != "judge" or judge.holder is None or judge.holder.is_person:
        return reject("not_a_judge")
    if judging is None or command.round != scribe.match.rounds[-1].number:
        return reject("voting_closed")
    if any(ballot.judge == command.judge for ballot in judging.ballots):
        return reject("already_voted")
    scribe.write(e.BallotBroken(at=command.at, round=command.round, judge=command.judge))
    return None


def reveal_next(scribe: Scribe, at: int) -> None:
    """Show the next ballot in the order of the judges' seats."""
    entry = scribe.match.rounds[-1]
    assert entry.judging is not None
    hidden = next(ballot for ballot in entry.judging.ballots if ballot.revealed_at is None)
    scribe.write(e.BallotRevealed(at=at, round=entry.number, judge=hidden.judge))


def reveal_seen(scribe: Scribe, command: c.RevealSeen) -> Rejection | None:
    """A reveal is seen. The next is due one beat after this one was sent, or after its delivery if that was slow."""
    match = scribe.match
    entry = match.round
    judging = entry.judging if entry else None
    if entry is None or judging is None or entry.number != command.round or entry.decided_at is not None:
        return reject("nothing_revealed")
    last = next((b for b in reversed(judging.ballots) if b.revealed_at is not None), None)
    if last is None or last.judge != command.judge or judging.reveal_due is not None:
        return reject("nothing_revealed")
    assert last.revealed_at is not None
    at = max(command.at, match.now)
    beat = round(match.rules.judging.reveal_s * 1000)
    more = any(ballot.revealed_at is None for ballot in judging.ballots)
    due = (at if command.slow else last.revealed_at) + beat
    scribe.write(e.RevealDelivered(at=at, round=entry.number, judge=command.judge, next_due=due if more else None))
    if not more:
        flow.decide_round(scribe, at)
    return None


def _open_judging(match: Match) -> Judging | None:
    judging = match.rounds[-1].judging
    return judging if judging is not None and judging.stage is Stage.OPEN and judging.closed_at is None else None


def _are_scores(scores: dict[str, dict[str, int]], sides: tuple[str, ...]) -> bool:
    return set(scores) == set(sides) and all(
        set(given) == set(CRITERIA) and all(value in range(BEST_SCORE + 1) for value in given.values())
        for given in scores.values()
    )
