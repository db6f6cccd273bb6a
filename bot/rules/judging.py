"""From ballots to a verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

from bot.rules.format import ABSTAIN, DRAW

CRITERIA = ("argument", "evidence", "rebuttal", "persuasion")
Scores = Mapping[str, Mapping[str, int]]


class Vote(Protocol):
    """What a verdict needs of a ballot."""

    @property
    def vote(self) -> str: ...
    @property
    def scores(self) -> Scores | None: ...


def verdict(ballots: Sequence[Vote], sides: Sequence[str]) -> str:
    """The side with the majority of the votes cast; equal votes: the higher sum of the criterion scores of all ballots
    that have scores; equal again, or no scores at all: a draw."""
    votes = Counter(ballot.vote for ballot in ballots if ballot.vote != ABSTAIN)
    tallies = sorted((votes[side] for side in sides), reverse=True)
    if tallies[0] > tallies[1]:
        return max(sides, key=lambda side: votes[side])
    scored = [ballot.scores for ballot in ballots if ballot.scores]
    leaders = [side for side in sides if votes[side] == tallies[0]]
    sums = {side: sum(sum(scores.get(side, {}).values()) for scores in scored) for side in leaders}
    best = max(sums.values())
    winners = [side for side, total in sums.items() if total == best]
    return winners[0] if len(winners) == 1 else DRAW
