"""Joining sentences into one speech that fits its limit and ends where a sentence ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.minds.house.words import sentences

_SPACE = re.compile(r"\s+")
_START = re.compile(r"(^|[.!?] [“\"']?|^[“\"'])([a-z])")
_ENDS = re.compile(r"[.!?…][\"'”’)\]]*$")


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a speech. Pieces are taken by `rank` (lowest first) while they fit, and spoken in the order they
    are listed."""

    text: str
    rank: float


def attach(lead: str, sentence: str, decapitalise: Callable[[str], str]) -> str:
    """A lead and what follows it, with the right capital."""
    if not lead:
        return sentence
    if lead[-1] in ":,;":
        sentence = decapitalise(sentence)
    return f"{lead} {sentence}"


def fill(parts: Sequence[Part], limit: int) -> str:
    """The parts that fit, best rank first, in their listed order. "" when not even one fits."""
    room = limit
    taken: set[int] = set()
    for at in sorted(range(len(parts)), key=lambda at: parts[at].rank):
        cost = len(tidy(parts[at].text)) + (1 if taken else 0)
        if parts[at].text and cost <= room:
            taken.add(at)
            room -= cost
    return tidy(" ".join(part.text for at, part in enumerate(parts) if at in taken))


def tidy(text: str) -> str:
    """One line, single spaces, a capital at the start of every sentence."""
    text = _SPACE.sub(" ", text).strip()
    return _START.sub(lambda match: match.group(1) + match.group(2).upper(), text)


def whole(text: str) -> bool:
    """Whether a text ends at the end of a sentence."""
    return bool(_ENDS.search(text))


def clip(text: str, limit: int) -> str:
    """The first sentences of a text that fit, possibly none."""
    kept = ""
    for sentence in sentences(text):
        longer = f"{kept} {sentence}".strip()
        if len(longer) > limit:
            break
        kept = longer
    return kept
