"""The house debater: argues from the argument bank and answers what was really said. No model, no network."""

from __future__ import annotations

from bot.catalogue import Catalogue, load_catalogue
from bot.minds.brief import Brief, Draft
from bot.minds.house.case import Case, Speech
from bot.minds.house.closing import closing_turn
from bot.minds.house.compose import Part, clip, tidy
from bot.minds.house.free import free_turn
from bot.minds.house.words import normal


class HouseDebater:
    """A `DebaterMind` that is a pure function of its brief and the catalogue."""

    def __init__(self, catalogue: Catalogue | None = None) -> None:
        self._catalogue = catalogue or load_catalogue()

    async def speak(self, brief: Brief) -> Draft:
        return compose_turn(brief, self._catalogue)


def compose_turn(brief: Brief, catalogue: Catalogue) -> Draft:
    """The turn for this brief: the same for the same (seed, slot, state), always within the limit and never empty."""
    case = Case(brief, catalogue)
    speech = _speech(case)
    draft = case.finish(speech) if speech is not None else None
    if draft is not None and draft.text:
        return draft
    return Draft(move=case.allowed("argue"), text=_short(case, speech), why="little room or little left to say")


def _speech(case: Case) -> Speech | None:
    if case.brief.phase == "opening":
        return _opening(case) or free_turn(case) or closing_turn(case)
    if case.brief.phase == "closing":
        return closing_turn(case) or free_turn(case) or _opening(case)
    return free_turn(case) or _opening(case) or closing_turn(case)


def _opening(case: Case) -> Speech | None:
    """This debater's own argument: claim, reason, illustration."""
    remaining = case.unclaimed()
    if not remaining:
        return None
    argument = remaining[0].argument
    parts: list[Part] = []
    if case.know.reading and normal(case.know.reading) not in " ".join(normal(turn.text) for turn in case.flow.turns):
        reading = case.know.reading
        parts.append(Part(reading if reading.endswith(".") else case.voice.remark("reading", reading=reading), 1))
    parts.append(Part(case.lead("opening", argument.claim, topic=argument.topic), 0))
    parts.append(Part(argument.reason, 2))
    parts.append(Part(argument.illustration, 3))
    return Speech("statement", tuple(parts), f"opens with {argument.id}")


def _short(case: Case, speech: Speech | None) -> str:
    """Something whole for a very small limit: a sentence of the speech, else a phrase, else as many letters as there
    is room for."""
    limit = case.brief.limit
    for part in sorted(speech.parts if speech is not None else (), key=lambda part: part.rank):
        text = clip(tidy(part.text), limit)
        if text and text.count(" ") >= 2:
            return text
    topics = [thread.argument.topic for thread in case.share()]
    for topic in topics[:2]:
        text = tidy(case.voice.choice("tiny", "any", topic=topic))
        if len(text) <= limit:
            return text
    for text in case.draw("bare").shuffled(case.voice.options("tiny", "bare")):
        if len(text) <= limit and text not in {turn.text for turn in case.brief.turns}:
            return text
    return "No."[: max(limit, 1)]
