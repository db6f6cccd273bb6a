"""How a persona says things: its own leads and the shared remarks, filled in and never repeated in a round."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from bot.catalogue import Persona
from bot.minds.house.words import normal, sentences
from bot.rules.seeding import Draw

_SLOT = re.compile(r"\{(\w+)\}")
_PUNCTUATION = re.compile(r"[*_~`|<>@#\[\](){}\\/:;\"“”«»\x00-\x1f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+")


def safe_name(name: str | None, longest: int = 24) -> str:
    """A display name as it may be spoken: one line, no markup, no mention. "" when nothing is left."""
    plain = " ".join(_PUNCTUATION.sub(" ", name or "").split())
    if len(plain) > longest:
        plain = plain[:longest].rsplit(" ", 1)[0] if " " in plain[:longest] else plain[:longest]
    return plain.strip(" .,!?-'") if any(char.isalnum() for char in plain) else ""


@lru_cache(maxsize=4_096)
def skeleton(template: str) -> str:
    """The longest piece of a template outside its slots: what a listener would recognise if it came again."""
    return max((normal(piece) for piece in _SLOT.split(template)[::2]), key=len)


@lru_cache(maxsize=4_096)
def slots(template: str) -> frozenset[str]:
    return frozenset(_SLOT.findall(template))


def _fill(template: str, values: Mapping[str, str]) -> str:
    return _SLOT.sub(lambda match: values[match.group(1)], template)


class Voice:
    """Picks phrases for one turn of one persona."""

    def __init__(
        self,
        persona: Persona,
        phrases: Mapping[str, Any],
        seed: int,
        key: Sequence[object],
        turn: int,
        spoken: Sequence[str],
        said: set[str],
        grave: frozenset[str] = frozenset(),
        light: Sequence[str] = (),
    ) -> None:
        """`seed` and `key` fix the order of phrases for a seat in a round; `turn` counts its turns so far;
        `spoken` is the round. Before a `grave` topic no phrase is used that holds a `light` word."""
        self._seed = seed
        self._persona = persona
        self._phrases = phrases
        self._key = key
        self._turn = turn
        self._spoken = " | ".join(normal(text) for text in spoken)
        self._said = said
        self._used: set[str] = set()
        self._grave = grave
        self._light = light

    def lead(self, purpose: str, then: str = "", room: int = 0, **values: str) -> str:
        """One of the persona's own phrases to stand before `then`, in at most `room` characters if there is such a
        one; "" when none fits what is known."""
        options = self._fitting(self._persona.leads.get(purpose, ()), then, values)
        short = [option for option in options if room and len(_fill(option, values)) <= room]
        return self._pick(short or options, purpose, values)

    def remark(self, kind: str, then: str = "", **values: str) -> str:
        """One of the shared phrases in the persona's tone to stand before `then`, or "" when all were heard in this
        round."""
        return self._pick(self._fitting(self.of_tone(kind), then, values), kind, values, strict=True)

    def of_tone(self, kind: str) -> Sequence[str]:
        table = self._phrases[kind]
        return table.get(self._persona.tone) or table["any"]

    def _fitting(self, options: Sequence[str], then: str, values: Mapping[str, str]) -> Sequence[str]:
        """The phrases that suit what follows: no second colon in one sentence, no joke before a grave topic."""
        known = {name for name, value in values.items() if value}
        options = [option for option in options if slots(option) <= known]
        if any(":" in sentence for sentence in sentences(then)[:1]):
            options = [option for option in options if option[-1] != ":"] or options
        if values.get("topic") in self._grave:
            plain = [option for option in options if not any(word in option for word in self._light)]
            options = plain or options
        return options

    def choice(self, kind: str, variant: str, **values: str) -> str:
        """One of the phrases listed under a named variant ("verdict", "pro")."""
        return self._pick(self._phrases[kind][variant], f"{kind}.{variant}", values)

    def options(self, kind: str, variant: str) -> Sequence[str]:
        return self._phrases[kind][variant]

    def _pick(self, options: Sequence[str], label: str, values: Mapping[str, str], strict: bool = False) -> str:
        """The next phrase in this seat's own order whose words were not heard yet; "" (or, unless strict, a
        repeat) if all were."""
        known = {name for name, value in values.items() if value}
        usable = [option for option in options if slots(option) <= known]
        if not usable:
            return ""
        order = Draw(self._seed, *self._key, label).shuffled(usable)
        turned = order[self._turn % len(order) :] + order[: self._turn % len(order)]
        for option in turned:
            text = _fill(option, values)
            if skeleton(option) in self._used or self._heard(option, text):
                continue
            self._used.add(skeleton(option))
            self._used.update(normal(sentence) for sentence in sentences(text))
            return text
        return "" if strict else _fill(turned[0], values)

    def _heard(self, option: str, text: str) -> bool:
        bones = skeleton(option)
        if len(bones) >= 6 and bones in self._spoken:
            return True
        return any(normal(sentence) in self._said or normal(sentence) in self._used for sentence in sentences(text))
