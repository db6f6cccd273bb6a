"""The house judge: votes by the flow and says which turns decided.

Exactly label-neutral: sides are known only by the order in which they first spoke. Renaming them while keeping the
turns yields the mirrored ballot, and exact ties fall by a draw that flips with the names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from bot.catalogue import Catalogue, load_catalogue
from bot.minds.brief import CRITERIA, BallotDraft, Transcript, TurnView
from bot.minds.house.accounts import Hearing
from bot.minds.house.criteria import Profile, measure, profile_of
from bot.minds.house.hearing import hear
from bot.minds.house.knowledge import Knowledge, knowledge
from bot.minds.house.reasons import give_reason
from bot.rules.seeding import Draw

_EVEN = 1e-9


class HouseJudge:
    """A `JudgeMind` that is a pure function of its transcript and the catalogue."""

    def __init__(self, catalogue: Catalogue | None = None) -> None:
        self._catalogue = catalogue or load_catalogue()

    async def judge(self, transcript: Transcript) -> BallotDraft:
        return decide(transcript, self._catalogue)


def decide(transcript: Transcript, catalogue: Catalogue) -> BallotDraft:
    """One judge's ballot."""
    known = knowledge(catalogue, transcript.motion, transcript.seed)
    hearing = _heard(transcript.turns, transcript.sides, known, transcript.motion.text)
    profile = profile_of(transcript.judge_index)
    measures = [measure(hearing, account) for account in hearing.accounts]
    totals = [sum(profile.weight(c) * values[c] for c in CRITERIA) for values in measures]
    draw = Draw(transcript.seed, "ballot", transcript.judge, transcript.round)
    best = max(totals)
    level = [at for at, total in enumerate(totals) if best - total < _EVEN]
    winner = draw.pick(level)
    wanted = _stretched(measures, profile)
    nothing: dict[str, float] = dict.fromkeys(CRITERIA, 0.0)
    wanted = [v if account.spoken else nothing for v, account in zip(wanted, hearing.accounts, strict=True)]
    grid = _whole(wanted, winner, len(level) == 1)
    scores = {account.side: grid[at] for at, account in enumerate(hearing.accounts)}
    flags = tuple(sorted({trick for account in hearing.accounts for _, trick in account.tricks} | _faults(hearing)))
    reason = give_reason(catalogue.phrases("judge"), hearing, measures, winner, profile, draw, even=len(level) > 1)
    return BallotDraft(hearing.accounts[winner].side, reason, scores, flags)


@lru_cache(maxsize=32)
def _heard(turns: tuple[TurnView, ...], sides: tuple[str, ...], known: Knowledge, motion: str) -> Hearing:
    """The round's flow, shared by its judges."""
    return hear(turns, sides, known.index, motion)


def _faults(hearing: Hearing) -> set[str]:
    found: set[str] = set()
    for account in hearing.accounts:
        if account.repeated:
            found.add("repetition")
        if account.off:
            found.add("off_motion")
        if account.slots and not account.spoken:
            found.add("nothing_said")
    return found


def _stretched(measures: Sequence[Mapping[str, float]], profile: Profile) -> list[dict[str, float]]:
    """Scores as this judge sees them: differences count as much as the criterion weighs, so that their sum agrees
    with the vote."""
    even = 1.0 / len(CRITERIA)
    means = {c: sum(values[c] for values in measures) / len(measures) for c in CRITERIA}
    return [
        {c: 10 * (means[c] + (values[c] - means[c]) * profile.weight(c) / even) for c in CRITERIA}
        for values in measures
    ]


def _whole(wanted: Sequence[Mapping[str, float]], winner: int, clear: bool) -> list[dict[str, int]]:
    """Whole scores from 0 to 10; the winner of a vote that was not even has the highest sum."""
    grid = [{c: min(10, max(0, int(values[c] + 0.5))) for c in CRITERIA} for values in wanted]
    if not clear:
        return grid
    for at, scores in enumerate(grid):
        while at != winner and sum(scores.values()) >= sum(grid[winner].values()):
            if not _nudge(grid[winner], wanted[winner], 1):
                _nudge(scores, wanted[at], -1)
    return grid


def _nudge(scores: dict[str, int], wanted: Mapping[str, float], step: int) -> bool:
    """Move the score that rounding moved furthest the other way; False when none can move."""
    movable = [c for c in CRITERIA if 0 <= scores[c] + step <= 10]
    if not movable:
        return False
    best = max(movable, key=lambda c: (step * (wanted[c] - scores[c]), -CRITERIA.index(c)))
    scores[best] += step
    return True
