"""Fewer requests a second than Discord allows a bot, the urgent ones first.

Discord refuses everything of a bot that asks more than fifty times a second, and bans an address that is refused too
often. So requests line up here rather than there; what play waits for goes before what is merely tidied up.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from enum import IntEnum

PER_SECOND = 45.0
"""Discord's 50, less room for what goes past the line: discord.py's own retries, reactions, a start-up."""


class Urgency(IntEnum):
    """What goes first."""

    GATE = 0
    """Play waits for it: a person's prompt, a reveal."""
    POST = 1
    SOUND = 2
    BOARD = 3
    TIDY = 4


class Pace:
    """A line at a gate that opens `per_second` times a second, with a little credit after a quiet time."""

    def __init__(self, per_second: float = PER_SECOND) -> None:
        self.times = per_second / PER_SECOND
        """How many times faster than in real time everything goes."""
        self._every_s = 1.0 / per_second
        self._burst = max(1.0, per_second / 12)
        self._credit = self._burst
        self._counted_at = 0.0
        self._line: list[tuple[int, int, asyncio.Future[None]]] = []
        self._order = itertools.count()
        self._timer: asyncio.TimerHandle | None = None

    async def turn(self, urgency: Urgency) -> None:
        """Wait for one's turn to make one request."""
        self._count()
        if not self._line and self._credit >= 1.0:
            self._credit -= 1.0
            return
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._line, (urgency, next(self._order), mine))
        self._wake_later()
        await mine

    @property
    def waiting(self) -> int:
        return len(self._line)

    def _count(self) -> None:
        now = asyncio.get_running_loop().time()
        self._credit = min(self._burst, self._credit + (now - self._counted_at) / self._every_s)
        self._counted_at = now

    def _wake_later(self) -> None:
        if self._timer is None and self._line:
            wait = max(0.0, (1.0 - self._credit) * self._every_s)
            self._timer = asyncio.get_running_loop().call_later(wait, self._let_in)

    def _let_in(self) -> None:
        self._timer = None
        self._count()
        while self._line and self._credit >= 1.0:
            _, _, first = heapq.heappop(self._line)
            if not first.done():  # whoever gave up takes nothing
                first.set_result(None)
                self._credit -= 1.0
        self._wake_later()
