"""What the house mind knows of a motion: the bank's arguments, or arguments made from schemes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from bot.catalogue import Bank, Catalogue
from bot.minds.brief import MotionText
from bot.minds.house.index import BankIndex
from bot.minds.house.schemes import scheme_bank


@dataclass(frozen=True, slots=True, eq=False)
class Knowledge:
    bank: Bank
    index: BankIndex
    reading: str = ""
    """For a motion whose grammar was not understood: one sentence that says what the house mind takes it to mean."""


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
    return Knowledge(bank, BankIndex(bank))


@lru_cache(maxsize=64)
def _from_schemes(catalogue: Catalogue, text: str, seed: int) -> Knowledge:
    bank, reading = scheme_bank(catalogue, text, seed)
    return Knowledge(bank, BankIndex(bank), reading)
