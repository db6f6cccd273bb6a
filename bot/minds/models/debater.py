"""A debater that is a model: told only what the turn needs, checked before it is heard, never late.

It has two tries within the slot's time; after that the house mind speaks and the turn says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

from bot.catalogue import Catalogue, load_catalogue
from bot.minds.brief import Brief, Draft, Move, TurnView, Usage
from bot.minds.house.debater import HouseDebater
from bot.minds.house.words import normal
from bot.minds.models.asking import Answer, Ask, Model, ModelError, Trouble
from bot.minds.models.chart import chart
from bot.minds.models.conduct import fault_in, is_refusal
from bot.minds.models.fit import fit, neat, parts_of, without_repeats
from bot.minds.models.prompts import prompts_of, quoted
from bot.minds.models.stance import (
    changes_sides,
    gives_in,
    is_copy,
    side_of,
    stance_text,
    without_cut,
    without_echoes,
    without_marks,
)
from bot.minds.models.within import ask_within
from bot.rules.seeding import Draw
from bot.rules.text import clean, count, shorten

MOST_TRIES = 2
HEDGE_AT = 0.6
"""After this share of the time without an answer a shorter one is asked for as well."""
LEAST_S = 1.0
"""With less time than this (and less than a fifth of all) there is no second try."""
LATEST_TURNS = 2
"""How many opposing turns are told word for word."""
_CHARS_A_WORD = 6.6
_TEMPERATURE = 0.8
_LONGEST_WHY = 200
_MOST_WHY = 60


@dataclass(frozen=True, slots=True)
class _Miss:
    """Why a try cannot be spoken."""

    complaint: str
    """What the next try is told."""
    short: bool = False
    """The next try has to be shorter."""
    final: bool = False
    """There is no point in another try."""
    what: str = ""


class ModelDebater:
    """A `DebaterMind`. `models` finds the model of a persona; None: the house mind plays that one."""

    def __init__(
        self, models: Callable[[str], Model | None], house: HouseDebater, catalogue: Catalogue | None = None
    ) -> None:
        self._models = models
        self._house = house
        self._catalogue = catalogue or load_catalogue()

    async def speak(self, brief: Brief) -> Draft:
        model = self._models(brief.persona)
        if model is None:
            return await self._house.speak(brief)
        ends = monotonic() + brief.budget_s
        first, used, tries = await self._first(model, brief, ends)
        outcome = first
        if isinstance(outcome, _Miss) and tries < MOST_TRIES and not outcome.final:
            left = ends - monotonic()
            if left >= min(LEAST_S, brief.budget_s / 5):
                outcome, more = await self._again(model, brief, outcome, left)
                used += more
        if isinstance(outcome, Draft):
            return replace(outcome, usage=used)
        spoken = await self._house.speak(brief)
        return replace(spoken, fallback=True, why=f"{outcome.what}; the house mind: {spoken.why}", usage=used)

    async def _first(self, model: Model, brief: Brief, ends: float) -> tuple[Draft | _Miss, Usage, int]:
        """The first try; while it may still come, or when it brought no answer, a second and shorter one."""
        tries = 1

        def shorter(_: Ask) -> Ask:
            nonlocal tries
            tries += 1
            return ask_for(brief, self._catalogue, "late", short=True)

        ask = ask_for(brief, self._catalogue)
        left = ends - monotonic()
        try:
            # A model that answers one question at a time would begin with the second after the first.
            hedge_after = left if getattr(model, "one_at_a_time", False) else left * HEDGE_AT
            answer = await ask_within(model, ask, left, hedge_after, shorter=shorter)
        except ModelError as error:
            return _miss_of(error.trouble), error.usage, tries
        return _draft(brief, self._catalogue, answer), answer.usage, tries

    async def _again(self, model: Model, brief: Brief, missed: _Miss, left: float) -> tuple[Draft | _Miss, Usage]:
        """The second try, told what was wrong with the first."""
        ask = replace(ask_for(brief, self._catalogue, missed.complaint, missed.short), deadline_s=left)
        try:
            async with asyncio.timeout(left):
                answer = await model.ask(ask)
        except TimeoutError:
            return _miss_of("timeout"), Usage(calls=1)
        except ModelError as error:
            return _miss_of(error.trouble), error.usage
        return _draft(brief, self._catalogue, answer), answer.usage


def ask_for(brief: Brief, catalogue: Catalogue, complaint: str = "", short: bool = False) -> Ask:
    """The question for one turn. What anybody else wrote stands only in the brief, as JSON."""
    prompts = prompts_of(catalogue)
    persona = catalogue.persona(brief.persona)
    words = max(6, round(brief.limit / _CHARS_A_WORD * (0.5 if short else 0.9)))
    return Ask(
        system=prompts.render("debater-system", name=persona.name, manner=persona.manner, belief=persona.belief),
        user=prompts.render(
            "debater-turn",
            brief=quoted(data_for(brief, catalogue)),
            words=words,
            opening=brief.phase == "opening",
            closing=brief.phase == "closing",
            supports=side_of(brief) == "pro",
            stance=quoted(stance_text(brief)),
            complaint=prompts.complaint(complaint) if complaint else "",
        ),
        schema=schema_of(brief.moves, brief.limit),
        name="turn",
        last="why",
        most_tokens=round(brief.limit / 2.2) + 120,
        temperature=_TEMPERATURE,
        seed=Draw(brief.seed, "model", brief.round, brief.n, brief.seat, complaint).below(2**31),
        deadline_s=brief.budget_s,
        charge=brief.charge,
    )


def data_for(brief: Brief, catalogue: Catalogue) -> dict[str, Any]:
    """What a debater is told: first what is the same all match, then the flow, then the latest opposing turns."""
    latest = _latest(brief)
    ours, theirs = chart(brief, catalogue, latest)
    partners = [brief.names.get(seat, seat) for seat in brief.partners]
    data: dict[str, Any] = {
        "motion": brief.motion.text,
        "partners": partners,
        "your side so far": ours,
        "their side so far": theirs,
        "their latest": {f"{turn.n} {brief.names.get(turn.seat) or turn.name}": turn.text for turn in latest},
    }
    return {key: value for key, value in data.items() if value}


def schema_of(moves: tuple[Move, ...], limit: int) -> dict[str, Any]:
    """The longest lengths are for servers that hold to them: small models do not end by themselves."""
    return {
        "type": "object",
        "properties": {
            "why": {"type": "string", "maxLength": _MOST_WHY},
            "move": {"type": "string", "enum": list(moves)},
            "text": {"type": "string", "maxLength": _most_text(limit)},
        },
        "required": ["why", "move", "text"],
        "additionalProperties": False,
    }


def _most_text(limit: int) -> int:
    return round(limit * 0.8)


def _latest(brief: Brief) -> tuple[TurnView, ...]:
    """What the other side said since our side last spoke; if nothing, its last turn."""
    opposing = [turn for turn in brief.turns if turn.side != brief.side and turn.text.strip()]
    ours = max((turn.n for turn in brief.turns if turn.side == brief.side and turn.text.strip()), default=0)
    return tuple([turn for turn in opposing if turn.n > ours][-LATEST_TURNS:] or opposing[-1:])


def _draft(brief: Brief, catalogue: Catalogue, answer: Answer) -> Draft | _Miss:
    """The answer as a turn, or what is wrong with it."""
    text, move = answer.data.get("text"), answer.data.get("move")
    if not isinstance(text, str) or move not in brief.moves:
        return _Miss("unreadable", what="the model's answer was no turn")
    if is_refusal(text):
        return _Miss("refused", what="the model declined")
    marked = fault_in(text, " ".join((brief.motion.text, *brief.motion.sides.values(), *_spoken(brief))))
    if marked is not None:
        return _Miss(f"forbidden:{marked}", what=f"the model's speech could not be used ({marked})")
    said = {normal(sentence) for turn in brief.turns for sentence in parts_of(turn.text) if turn.side == brief.side}
    if answer.cut:
        text = without_cut(text, _most_text(brief.limit))
    whole = without_echoes(without_marks(neat(text, catalogue.persona(brief.persona).name)))
    whole = without_repeats(whole, said)
    # Large models do not copy turns; asking again costs money, and a price was promised.
    if answer.cut and is_copy(whole, brief.turns):
        return _Miss("copied", what="the model said an earlier turn again")
    if changes_sides(whole, brief) or (move != "concede_point" and gives_in(whole, brief)):
        return _Miss("stance", what="the model spoke for the other side")
    spoken = fit(whole, brief.limit)
    if not spoken or count(spoken) > brief.limit:
        return _Miss("too_long", short=True, what="the model's speech was too long")
    why = shorten(" ".join(clean(str(answer.data.get("why") or "")).split()), _LONGEST_WHY)
    return Draft(move=move, text=spoken, source="model", model=answer.model, why=why)


def _spoken(brief: Brief) -> list[str]:
    return [turn.text for turn in brief.turns]


def _miss_of(trouble: Trouble) -> _Miss:
    match trouble:
        case "refused":
            return _Miss("refused", what="the model declined")
        case "unreadable":
            return _Miss("unreadable", short=True, what="the model's answer was no turn")
        case "timeout":
            return _Miss("late", short=True, what="the model was late")
        case "limited" | "unavailable":
            return _Miss("late", short=True, what=f"the model was {trouble}")
        case "budget":
            return _Miss("", final=True, what="the budget is used up")
