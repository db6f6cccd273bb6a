"""Rounds to test with: played once per process and shared."""

from __future__ import annotations

from functools import lru_cache

from bot.catalogue import Catalogue, load_catalogue
from bot.minds.brief import MotionText
from bot.minds.house.knowledge import Knowledge, knowledge
from bot.minds.house.rehearse import Rehearsal, motion_text, play
from bot.rules.motion import custom_motion

CATALOGUE: Catalogue = load_catalogue()
BANKED = CATALOGUE.bank_ids()
FREE = (
    "Cats are better than dogs",
    "Zoos should be closed",
    "Breakfast is overrated",
    "Video games do more harm than good",
    "Money cannot buy happiness",
    "This house would abolish private schools",
)


def motion_of(name: str) -> MotionText:
    """A built-in motion by id, anything else as somebody's own words."""
    return motion_text(CATALOGUE.motion(name) or custom_motion(name))


@lru_cache(maxsize=4_000)
def round_of(name: str, seed: int, order: str = "arena", first_side: str = "pro") -> Rehearsal:
    return play(CATALOGUE, motion_of(name), seed, order, first_side)


def known(name: str, seed: int) -> Knowledge:
    return knowledge(CATALOGUE, motion_of(name), seed)
