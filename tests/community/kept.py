"""Where policies are kept, faked: settings in memory, matches and receipts of the host's fake store."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from bot.host.ports import MatchRow, StoreError
from tests.fakes import MemoryStore


class Kept:
    """A `PolicyStore`. What is written goes through JSON, as in the database."""

    def __init__(self, store: MemoryStore | None = None) -> None:
        self.texts: dict[str, str] = {}
        self.reads = 0
        self.trouble: StoreError | None = None
        self._store = store or MemoryStore()

    async def settings(self, community: str) -> dict[str, Any]:
        await asyncio.sleep(0)
        if self.trouble is not None:
            raise self.trouble
        self.reads += 1
        return json.loads(self.texts.get(community, "{}"))

    async def set_settings(self, community: str, settings: dict[str, Any]) -> None:
        await asyncio.sleep(0)
        if self.trouble is not None:
            raise self.trouble
        self.texts[community] = json.dumps(settings)

    async def matches(self, community: str | None = None, *, limit: int = 50) -> Sequence[MatchRow]:
        return await self._store.matches(community, limit=limit)

    async def receipt(self, community: str, key: str) -> str | None:
        return await self._store.receipt(community, key)
