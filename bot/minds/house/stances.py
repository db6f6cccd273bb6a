"""Which way a side argues. Formats name their sides as they like; the bank knows only for and against."""

from __future__ import annotations

from collections.abc import Sequence

from bot.catalogue import Stance

_FOR = frozenset(["pro", "aff", "affirmative", "gov", "government", "proposition", "prop", "for", "yes", "og", "cg"])
_AGAINST = frozenset(["con", "neg", "negative", "opp", "opposition", "against", "no", "oo", "co"])


def stance_of(side: str, order: Sequence[str] = ()) -> Stance:
    """For ("pro") or against ("con"). A name nobody knows takes its stance from its place in `order`: for, against,
    for, ..."""
    plain = side.casefold().strip()
    if plain in _FOR:
        return "pro"
    if plain in _AGAINST:
        return "con"
    return "con" if side in order and list(order).index(side) % 2 == 1 else "pro"


def other(stance: Stance) -> Stance:
    return "con" if stance == "pro" else "pro"
