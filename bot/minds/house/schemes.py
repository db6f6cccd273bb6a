"""Arguments for a motion that has no bank, made from the schemes in prompts/house/schemes.toml and the motion's own
words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from pydantic import BaseModel, ConfigDict

from bot.catalogue import Answer, Argument, Bank, Catalogue, Stance, parse
from bot.minds.house.compose import tidy
from bot.minds.house.index import SCHEMES
from bot.minds.house.motions import Reading, read_motion
from bot.minds.house.stances import other
from bot.minds.house.words import words
from bot.rules.seeding import Draw

PER_SIDE = 6
_SLOT = re.compile(r"\{(\w+)\}")
_AGREE = re.compile(r"\[(a|b|thing):([^/\]]+)/([^\]]+)\]")
_CLAIM, _REASON, _ILLUSTRATION = 150, 210, 200


class Scheme(BaseModel):
    """One scheme of argumentation with its critical questions, in the bank's shape, with several wordings."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    kinds: tuple[str, ...]
    stance: Literal["pro", "con"]
    topic: str
    claim: tuple[str, ...]
    reason: tuple[str, ...]
    illustration: tuple[str, ...]
    weigh: str
    question: str
    reply: str
    concede: str
    answers: tuple[Answer, ...]


class _SchemeFile(BaseModel):
    scheme: tuple[Scheme, ...]


@lru_cache(maxsize=4)
def schemes(catalogue: Catalogue) -> tuple[Scheme, ...]:
    return parse(_SchemeFile, catalogue.phrases("schemes"), "house/schemes.toml").scheme


@lru_cache(maxsize=4)
def common_words(catalogue: Catalogue) -> frozenset[str]:
    """Words that occur in lower case in our own texts: a motion that begins with one does not begin with a name."""
    found: set[str] = set(catalogue.phrases("common")["words"])
    for motion in catalogue.motions:
        found.update(word for word in motion.text.split()[1:] if word.islower())
    for scheme in schemes(catalogue):
        for text in (*scheme.claim, *scheme.reason, *scheme.illustration):
            found.update(word.strip(".,?!") for word in text.split()[1:] if word.islower())
    return frozenset(word for text in found for word in words(text))


def scheme_bank(catalogue: Catalogue, text: str, seed: int) -> tuple[Bank, str]:
    """Six arguments a side for any motion, and what it was taken to mean when its grammar did not say. A function of
    its arguments."""
    reading = read_motion(text, common_words(catalogue))
    draw = Draw(seed, "schemes", text)
    sides: dict[Stance, tuple[Argument, ...]] = {}
    for stance in ("pro", "con"):
        fitting = [scheme for scheme in schemes(catalogue) if scheme.stance == stance and reading.kind in scheme.kinds]
        chosen = draw.shuffled(fitting)[:PER_SIDE]
        sides[other(stance) if reading.swapped else stance] = tuple(_fill(scheme, reading, draw) for scheme in chosen)
    return Bank(motion=SCHEMES, pro=sides["pro"], con=sides["con"]), reading.plain


def _fill(scheme: Scheme, reading: Reading, draw: Draw) -> Argument:
    def say(text: str) -> str:
        return _render(text, reading)

    return Argument(
        id=scheme.id,
        topic=scheme.topic,
        claim=_wording(scheme.claim, reading, draw, _CLAIM),
        reason=_wording(scheme.reason, reading, draw, _REASON),
        illustration=_wording(scheme.illustration, reading, draw, _ILLUSTRATION),
        weigh=say(scheme.weigh),
        question=say(scheme.question),
        reply=say(scheme.reply),
        concede=say(scheme.concede),
        answers=tuple(Answer(text=say(answer.text), defence=say(answer.defence)) for answer in scheme.answers),
    )


def _wording(options: Sequence[str], reading: Reading, draw: Draw, longest: int) -> str:
    """One of the wordings, drawn among those that fit."""
    made = [_render(text, reading) for text in draw.shuffled(options)]
    return next((text for text in made if len(text) <= longest), min(made, key=len))


def _render(text: str, reading: Reading) -> str:
    text = _AGREE.sub(lambda match: match.group(2 if reading.plural.get(match.group(1)) else 3), text)
    return tidy(_SLOT.sub(lambda match: reading.slots.get(match.group(1), "it"), text))
