"""What the house mind knows of a motion: the bank's arguments, or arguments made from schemes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from bot.catalogue import Bank, Catalogue, CatalogueError
from bot.minds.brief import MotionText
from bot.minds.house.index import BankIndex, Spelling, count_case, pieces
from bot.minds.house.schemes import common_words, scheme_bank
from bot.minds.house.words import stem, stems


@dataclass(frozen=True, slots=True, eq=False)
class Knowledge:
    bank: Bank
    index: BankIndex
    reading: str = ""
    """For a motion whose grammar was not understood: one sentence that says what the house mind takes it to mean."""
    grave: frozenset[str] = frozenset()
    """Topics of arguments about death and cruelty, over which nobody jokes."""


def knowledge(catalogue: Catalogue, motion: MotionText, seed: int) -> Knowledge:
    """The arguments for both sides of a motion. Cached: parsing and indexing happen once per motion (and seed, for
    schemes)."""
    if catalogue.bank(motion.id) is not None:
        return _from_bank(catalogue, motion.id or "")
    return _from_schemes(catalogue, motion.text, seed)


@lru_cache(maxsize=64)
def _from_bank(catalogue: Catalogue, motion_id: str) -> Knowledge:
    bank = catalogue.bank(motion_id)
    assert bank is not None
    return Knowledge(bank, BankIndex(bank, spelling(catalogue)), grave=_grave(catalogue, bank))


@lru_cache(maxsize=64)
def _from_schemes(catalogue: Catalogue, text: str, seed: int) -> Knowledge:
    bank, reading = scheme_bank(catalogue, text, seed)
    return Knowledge(bank, BankIndex(bank, spelling(catalogue)), reading, _grave(catalogue, bank))


def warm(catalogue: Catalogue) -> None:
    """Read and count now (a sixth of a second) what the first turn of a process would read while a match waits."""
    for name in ("phrases", "judge"):
        catalogue.phrases(name)
    spelling(catalogue)


def _grave(catalogue: Catalogue, bank: Bank) -> frozenset[str]:
    sad = frozenset(stem(word) for word in catalogue.phrases("common")["grave"])
    return frozenset(
        argument.topic
        for argument in bank.pro + bank.con
        if sad & stems(f"{argument.topic} {argument.claim} {argument.reason} {argument.illustration}")
    )


@lru_cache(maxsize=4)
def spelling(catalogue: Catalogue) -> Spelling:
    """What begins with a capital only at the start of a sentence, and what always does, counted over the whole
    catalogue."""
    lower: Counter[str] = Counter()
    upper: Counter[str] = Counter()
    for motion_id in catalogue.bank_ids():
        try:
            bank = catalogue.bank(motion_id)
        except CatalogueError:  # said where that motion is debated
            continue
        if bank is not None:
            for stance in ("pro", "con"):
                for at, argument in enumerate(bank.of(stance)):
                    for _, text in pieces(stance, at, argument):
                        count_case(text, lower, upper)
    listed = catalogue.phrases("common")
    names = frozenset(listed["names"]) | (frozenset(upper) - frozenset(lower) - frozenset(listed["words"]))
    common = frozenset(stem(word) for word in (*lower, *common_words(catalogue)))
    return Spelling(common, names, frozenset(upper))
