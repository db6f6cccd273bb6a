"""Two debater set-ups over the same motions, each motion once with either on pro."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bot.catalogue import Catalogue
from bot.evaluate import PATIENCE_S, EvaluateError, Kept, judge_named
from bot.minds.brief import DebaterMind, MotionText, NoBallot, Transcript, TurnView
from bot.minds.house.debater import HouseDebater
from bot.minds.house.rehearse import Staged
from bot.minds.models.debater import ModelDebater
from bot.minds.models.endpoints import HOUSE
from bot.minds.models.roster import Roster
from bot.minds.models.statistics import mean_of, wilson


@dataclass(slots=True)
class Contest:
    """How often the first set-up won."""

    wins: int = 0
    losses: int = 0
    even: int = 0
    unjudged: int = 0
    """Rounds without a single ballot, which count for nobody."""
    by_side: Counter[str] = field(default_factory=Counter[str])
    """Its wins as pro and as con."""
    by_motion: list[float] = field(default_factory=list[float])
    """Its share of each motion's two rounds: what a mean over motions is made of."""
    fallbacks: Counter[str] = field(default_factory=Counter[str])
    """Turns of each set-up that the house mind had to speak."""

    def lines(self, one: str, other: str) -> list[str]:
        won, share = wilson(self.wins, self.wins + self.losses), mean_of(self.by_motion)
        found = [
            f"{one} against {other}: {self.wins} won, {self.losses} lost, {self.even} even.",
            f"Rounds without a ballot, which count for nobody: {self.unjudged}.",
            f"Of the decided rounds it won {_share(won.value, won.low, won.high)}.",
            f"A motion, both sides together, it won {_share(share.value, share.low, share.high)}.",
            f"Its wins as pro: {self.by_side['pro']}; as con: {self.by_side['con']}.",
        ]
        found += [f"The house mind spoke {n} turns for {name}." for name, n in self.fallbacks.items()]
        return found


def debater_named(name: str, roster: Roster | None, catalogue: Catalogue) -> DebaterMind:
    """A model's name or "house". Raises EvaluateError."""
    if name == HOUSE:
        return HouseDebater(catalogue)
    model = roster.model(name) if roster is not None else None
    if model is None:
        raise EvaluateError(f'There is no debater "{name}": name house or a model (docs/models.md).')
    return ModelDebater(lambda _: model, HouseDebater(catalogue), catalogue)


async def contest(
    names: tuple[str, str],
    motions: Sequence[MotionText],
    seed: int,
    bench: Sequence[str],
    roster: Roster | None,
    catalogue: Catalogue,
    kept: Kept,
) -> Contest:
    """Every motion twice, with the sides of the set-ups exchanged. Raises EvaluateError."""
    minds = [debater_named(name, roster, catalogue) for name in names]
    judges = [(name, *judge_named(name, roster)) for name in bench]
    found = Contest()
    for at, motion in enumerate(motions):
        shares: list[float] = []
        for own, other in (("pro", "con"), ("con", "pro")):
            sides = {own: minds[0], other: minds[1]}
            turns = await _play(sides, motion, seed + at, catalogue, found, {own: names[0], other: names[1]})
            votes: Counter[str] = Counter()
            for place, (name, mind, index) in enumerate(judges):
                seats = {"pro": ("P0",), "con": ("P1",)}
                shown = Transcript(
                    seed + at, 1, f"J{place}", index, "quill", motion, ("pro", "con"), turns, seats, PATIENCE_S
                )
                try:
                    ballot = await kept.ballot(name, mind, shown)
                except NoBallot:
                    continue
                votes[ballot.vote] += 1
            if not votes:
                found.unjudged += 1
                continue
            lead = votes[own] - votes[other]
            found.wins += lead > 0
            found.losses += lead < 0
            found.even += lead == 0
            found.by_side[own] += lead > 0
            shares.append(0.5 if lead == 0 else float(lead > 0))
        if len(shares) == 2:
            found.by_motion.append(sum(shares) / 2)
        sys.stderr.write(f"\r{at + 1} of {len(motions)} motions" + ("\n" if at + 1 == len(motions) else ""))
    return found


async def _play(
    minds: dict[str, DebaterMind],
    motion: MotionText,
    seed: int,
    catalogue: Catalogue,
    found: Contest,
    setups: dict[str, str],
) -> tuple[TurnView, ...]:
    """A duel in which pro speaks first in even seeds and con in odd ones."""
    first = ("pro", "con")[seed % 2]
    staged = Staged(catalogue, motion, seed, "duel", first)
    while (slot := staged.slot) is not None:
        draft = await minds[slot.side].speak(replace(staged.brief(), budget_s=PATIENCE_S))
        if draft.fallback:
            found.fallbacks[setups[slot.side]] += 1
        staged.hear(draft.move, draft.text, draft.source)
    return tuple(staged.turns)


def _share(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return "-"
    return f"{100 * value:.0f} %" + ("" if low is None or high is None else f" [{100 * low:.0f}, {100 * high:.0f}]")
