"""An answer within a hard time budget: a second try is begun while the first may still come, and the first to answer
is heard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from time import monotonic

from bot.minds.brief import Usage
from bot.minds.models.asking import Answer, Ask, Model, ModelError

_HOPELESS = ("refused", "budget")
"""What the same question asked again would not change."""


def shortened(ask: Ask) -> Ask:
    """The same question with two thirds of the words to answer it."""
    return replace(ask, most_tokens=max(64, ask.most_tokens * 2 // 3))


async def ask_within(
    model: Model,
    ask: Ask,
    budget_s: float,
    hedge_after: float,
    *,
    shorter: Callable[[Ask], Ask] = shortened,
) -> Answer:
    """Ask, and after `hedge_after` seconds without an answer, or at once when it failed, ask once more for a shorter
    one. Raises ModelError: "timeout" when the budget is over. The usage is that of both tries."""
    end = monotonic() + budget_s
    used = Usage()
    failed: ModelError | None = None
    tries: dict[asyncio.Task[Answer], Ask] = {}
    asked = 0

    def begin() -> None:
        nonlocal asked
        asked += 1
        question = replace(ask if asked == 1 else shorter(ask), deadline_s=max(0.0, end - monotonic()))
        tries[asyncio.create_task(model.ask(question), name=f"asking {model.name}")] = question

    try:
        if budget_s <= 0:
            raise ModelError("timeout", f"there is no time left to ask {model.name}")
        begin()
        while tries:
            wait = end - monotonic()
            if asked == 1:
                wait = min(wait, hedge_after - (monotonic() - (end - budget_s)))
            done, _ = await asyncio.wait(tries, timeout=max(0.0, wait), return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                del tries[task]
                try:
                    answer = task.result()
                except ModelError as error:
                    used += error.usage
                    if error.trouble in _HOPELESS:
                        raise ModelError(error.trouble, str(error), used + _lost(model, tries)) from None
                    failed = error
                else:
                    return replace(answer, usage=used + answer.usage + _lost(model, tries))
            if monotonic() >= end:
                raise ModelError("timeout", f"{model.name} did not answer in time", used + _lost(model, tries))
            if asked == 1 and (not tries or not done):
                begin()
        assert failed is not None
        raise ModelError(failed.trouble, str(failed), used)
    finally:
        for task in tries:
            task.cancel()
        if tries:
            await asyncio.gather(*tries, return_exceptions=True)


def _lost(model: Model, tries: dict[asyncio.Task[Answer], Ask]) -> Usage:
    """What those cost that are given up."""
    guess: Callable[[Ask], Usage] | None = getattr(model, "lost", None)
    used = Usage()
    for question in tries.values():
        used += guess(question) if guess is not None else Usage()
    return used
