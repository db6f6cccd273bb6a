"""Checks on everything the house mind speaks from: the bank, the schemes, the personas and the phrases.

    python -m bot.minds.house.check

prints what is wrong, file by file, and exits with 1 when anything is.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bot.catalogue import PURPOSES, Argument, Bank, Catalogue, CatalogueError, Persona, load_catalogue
from bot.minds.house.compose import whole
from bot.minds.house.index import pieces
from bot.minds.house.schemes import PER_SIDE, schemes
from bot.minds.house.tricks import tricks_in
from bot.minds.house.voice import slots
from bot.minds.house.words import normal, sentences

_IN_ORDER = "the bank, the schemes, the personas and the phrases are in order"
PER_BANK_SIDE = 5
LIMITS = {
    "topic": 40, "claim": 120, "reason": 170, "illustration": 170, "weigh": 130, "question": 150, "reply": 210,
    "concede": 170, "text": 230,
    "defence": 210,
}  # fmt: skip
_BANNED = re.compile(
    r"\b(the (?:pro|con) side|my partner|the judges|this round|as an? (?:pro|con)|my opponents?)\b", re.IGNORECASE
)
_MARKUP = re.compile(r"[*_#`|<>{}\[\]]")
_SLOTS_OF = {
    "opening": {"topic"},
    "argue": {"topic"},
    "rebut": {"name", "topic"},
    "defend": {"whose", "topic"},
    "question": {"name"},
    "answer": {"name", "topic"},
    "concede": {"name", "topic"},
    "closing": set[str](),
    "signoff": {"verdict"},
}
_ONLY_SLOT = re.compile(r"\W*\{\w+\}\W*")
_SLOTS = frozenset(("topic", "name", "whose", "quote", "verdict", "rival", "reading"))
_LEAD = 76
"""Most characters of a lead as it is written, slots included."""


def check_all(catalogue: Catalogue) -> list[str]:
    """Everything wrong under `prompts/`, each with its file and key."""
    found: list[str] = []
    for motion_id in catalogue.bank_ids():
        name = f"prompts/bank/{motion_id}.toml"
        try:
            bank = catalogue.bank(motion_id)
        except CatalogueError as error:
            found.append(str(error))
            continue
        if bank is None:
            found.append(f"{name}: motion: no motion has this id")
        else:
            found += [f"{name}: {problem}" for problem in check_bank(bank)]
    found += [f"prompts/house/schemes.toml: {problem}" for problem in check_schemes(catalogue)]
    found += [f"prompts/personas.toml: {problem}" for problem in check_personas(catalogue.personas.values())]
    found += [f"prompts/house/phrases.toml: {problem}" for problem in check_phrases(catalogue.phrases("phrases"))]
    return found


def check_bank(bank: Bank) -> list[str]:
    """What a bank file breaks of prompts/bank/README.md."""
    found: list[str] = []
    said: Counter[str] = Counter()
    for stance in ("pro", "con"):
        arguments = bank.of(stance)
        if len(arguments) != PER_BANK_SIDE:
            found.append(f"{stance}: has {len(arguments)} arguments, not {PER_BANK_SIDE}")
        for at, argument in enumerate(arguments):
            key = f"{stance}[{at}] ({argument.id})"
            found += [f"{key}.{problem}" for problem in _check_argument(argument)]
            said.update(normal(sentence) for _, text in pieces(stance, at, argument) for sentence in sentences(text))
    topics = Counter(normal(argument.topic) for argument in bank.pro + bank.con)
    found += [f"topic: {topic!r} occurs twice" for topic, times in topics.items() if times > 1]
    found += [f"text: the sentence {sentence!r} occurs {times} times" for sentence, times in said.items() if times > 1]
    return found


def _check_argument(argument: Argument) -> Iterator[str]:
    if len(argument.answers) < 2:
        yield f"answers: {len(argument.answers)}, at least 2 are needed"
    if argument.topic[-1] in ".,:;!?" or (
        argument.topic[:1].isupper() and argument.topic.split()[0].istitle() and argument.topic.split()[0] == "The"
    ):
        yield "topic: must be a noun phrase without a capital article or a stop"
    if not argument.question.endswith("?"):
        yield "question: must end with a question mark"
    texts = {name: getattr(argument, name) for name in LIMITS if name not in ("text", "defence")}
    for at, answer in enumerate(argument.answers):
        texts[f"answers[{at}].text"], texts[f"answers[{at}].defence"] = answer.text, answer.defence
    for name, text in texts.items():
        limit = LIMITS[name.split(".")[-1]]
        if len(text) > limit:
            yield f"{name}: {len(text)} characters, at most {limit}"
        if any(char.isdigit() for char in text):
            yield f"{name}: holds a digit"
        if name != "topic" and not whole(text):
            yield f"{name}: does not end at the end of a sentence"
        if name == "claim" and len(sentences(text)) != 1:
            yield "claim: must be one sentence"
        if _MARKUP.search(text):
            yield f"{name}: holds markup"
        if _BANNED.search(text):
            yield f"{name}: speaks of the debate itself ({_BANNED.search(text)})"
        if any(tricks_in(sentence) for sentence in sentences(text)):
            yield f"{name}: reads like an address to the judge"


def check_schemes(catalogue: Catalogue) -> list[str]:
    """Enough schemes for every kind of motion, and no sentence twice."""
    found: list[str] = []
    counts: Counter[tuple[str, str]] = Counter()
    said: Counter[str] = Counter()
    for scheme in schemes(catalogue):
        counts.update((kind, scheme.stance) for kind in scheme.kinds)
        texts = [
            *scheme.claim,
            *scheme.reason,
            *scheme.illustration,
            scheme.weigh,
            scheme.question,
            scheme.reply,
            scheme.concede,
        ]
        texts += [text for answer in scheme.answers for text in (answer.text, answer.defence)]
        said.update(normal(sentence) for text in texts for sentence in sentences(text))
        found += [f"scheme {scheme.id}: holds a digit" for text in texts if any(char.isdigit() for char in text)]
        if len(scheme.answers) < 2:
            found.append(f"scheme {scheme.id}: needs two answers")
    found += [f"scheme: only {n} of kind {kind} for {stance}" for (kind, stance), n in counts.items() if n < PER_SIDE]
    found += [f"scheme: the sentence {sentence!r} occurs {n} times" for sentence, n in said.items() if n > 1]
    return found


def check_personas(personas: Iterable[Persona]) -> list[str]:
    """Personas that differ in name, voice and words, with leads that fit before any sentence."""
    found: list[str] = []
    everyone = list(personas)
    leads: Counter[str] = Counter(
        lead for persona in everyone for options in persona.leads.values() for lead in options
    )
    found += [f"leads: {lead!r} occurs {n} times" for lead, n in leads.items() if n > 1]
    for what, values in (
        ("name", [persona.name for persona in everyone]),
        ("voice", [str(persona.voice) for persona in everyone]),
        ("avatar", [str(persona.avatar) for persona in everyone]),
    ):
        found += [f"{what}: {value} occurs {n} times" for value, n in Counter(values).items() if n > 1]
    for persona in everyone:
        for purpose in PURPOSES:
            for lead in persona.leads[purpose]:
                where = f"{persona.id}.leads.{purpose}: {lead!r}"
                if len(lead) > _LEAD:
                    found.append(f"{where} is {len(lead)} characters long")
                if not slots(lead) <= _SLOTS_OF[purpose]:
                    found.append(f"{where} uses a slot that is not filled there")
                if lead[-1] not in ".!?:":
                    found.append(f"{where} must end with a stop or a colon")
                if purpose in ("closing", "signoff") and lead[-1] == ":":
                    found.append(f"{where} must be a whole sentence")
                if any(tricks_in(sentence) for sentence in sentences(lead)):
                    found.append(f"{where} reads like an address to the judge")
    return found


def check_phrases(phrases: Mapping[str, Any]) -> list[str]:
    """Every phrase has known slots, ends well and does not stand on a slot alone (it would be said twice)."""
    found: list[str] = []
    for kind, table in phrases.items():
        for tone, options in table.items():
            for option in options:
                if not slots(option) <= _SLOTS:
                    found.append(f"{kind}.{tone}: {option!r} has an unknown slot")
                if kind != "verdict" and option[-1] not in ".!?:":
                    found.append(f"{kind}.{tone}: {option!r} must end with a stop or a colon")
                if any(_ONLY_SLOT.fullmatch(s) and "{quote}" not in s for s in sentences(option)):
                    found.append(f"{kind}.{tone}: {option!r} has a sentence that is only a slot")
    return found


def main() -> int:
    try:
        found = check_all(load_catalogue())
    except CatalogueError as error:
        found = [str(error)]
    found.append(f"{len(found)} problems" if found else _IN_ORDER)
    sys.stdout.write("\n".join(found) + "\n")
    return 0 if found == [_IN_ORDER] else 1


if __name__ == "__main__":
    sys.exit(main())
