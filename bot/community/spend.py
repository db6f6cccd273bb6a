"""What models have cost, as it is kept: one row a day, community and match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

NANO = 1_000_000_000


@dataclass(frozen=True, slots=True)
class SpendRow:
    """Added to what is kept already, or the sum of it."""

    day: str
    """In UTC: "2026-01-31"."""
    community: str
    match: str
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    nano_usd: int = 0
    """Billionths of a dollar: whole numbers add up exactly, and a call may cost less than a millionth."""
    unpriced: int = 0
    """Calls whose price is not known."""

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    @property
    def usd(self) -> float:
        return self.nano_usd / NANO


class SpendStore(Protocol):
    """Where it is kept."""

    async def add_spend(self, rows: Sequence[SpendRow]) -> None: ...
    async def spend(
        self, *, day: str | None = None, community: str | None = None, match: str | None = None
    ) -> list[SpendRow]:
        """The rows of a day, a community, a match, or of all of these that are named; the newest day first."""
        ...
