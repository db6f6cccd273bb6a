"""Chance, made repeatable.

Every draw a match makes (motions, personas, who is side A, which four of six tied debaters play on) comes from a `Draw`
keyed by the match's seed and a label. It is built on SHA-256 and integers only, so the same seed gives the same match
on every machine and Python version, and one draw never disturbs another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """A stream of pseudo-random integers for one purpose: `Draw(seed, "motions")`."""

    def __init__(self, seed: int, *labels: object) -> None:
        self._key = "\x1f".join([str(seed), *(str(label) for label in labels)]).encode()
        self._count = 0

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1. The bias of the modulo is below 2**-200 for any n used here."""
        if n < 1:
            raise ValueError("cannot draw from nothing")
        self._count += 1
        digest = hashlib.sha256(self._key + b"\x1f" + str(self._count).encode()).digest()
        return int.from_bytes(digest, "big") % n

    def shuffled(self, items: Sequence[T]) -> tuple[T, ...]:
        """The items in a drawn order (Fisher-Yates)."""
        pool = list(items)
        for last in range(len(pool) - 1, 0, -1):
            other = self.below(last + 1)
            pool[last], pool[other] = pool[other], pool[last]
        return tuple(pool)

    def pick(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]


def seed_of(match_id: str) -> int:
    """The seed of a match that was given none: a hash of its id, small enough to type."""
    return int.from_bytes(hashlib.sha256(match_id.encode()).digest()[:4], "big")
