"""A model that answers by a script: no server, no waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.minds.brief import CRITERIA, Usage
from bot.minds.models.asking import Answer, Ask, ModelError, Trouble

USED = Usage(1, 100, 20, 0.001)


@dataclass(frozen=True)
class Late:
    """An answer that takes so long."""

    seconds: float
    data: dict[str, Any] = field(default_factory=dict)


Step = dict[str, Any] | Trouble | Late


@dataclass
class Scripted:
    """Answers with the next step of its script; with the last one for ever."""

    steps: Sequence[Step]
    name: str = "scripted"
    family: str = "ours"
    asked: list[Ask] = field(default_factory=list)
    cut: bool = False
    one_at_a_time: bool = False

    async def ask(self, ask: Ask) -> Answer:
        step = self.steps[min(len(self.asked), len(self.steps) - 1)]
        self.asked.append(ask)
        if isinstance(step, str):
            raise ModelError(step, step, USED)
        if isinstance(step, Late):
            await asyncio.sleep(step.seconds)
            step = step.data
        return Answer(step, self.name, USED, cut=self.cut)


def turn(text: str, move: str = "argue", why: str = "to win") -> dict[str, Any]:
    return {"why": why, "move": move, "text": text}


def ballot(vote: str, gaps: int | Sequence[int] = 2, better: str | None = None, reason: str = "") -> dict[str, Any]:
    """A judge's answer that puts `better` (by default whom it votes for) ahead in every criterion."""
    each = [gaps] * len(CRITERIA) if isinstance(gaps, int) else list(gaps)
    marks = {c: {"better": better or vote, "score": 7, "gap": gap} for c, gap in zip(CRITERIA, each, strict=True)}
    return {"turns": [3, 4], "reason": reason or f"Turn 3 was never answered by side {vote}.", **marks, "vote": vote}
