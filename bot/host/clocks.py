"""The real clocks."""

from __future__ import annotations

import asyncio
import contextlib
import time


class SystemTime:
    """The `Time` of production. Wall time follows the monotonic clock from its start, so that an adjusted system
    clock in the middle of a match moves no deadline."""

    def __init__(self) -> None:
        self._start_wall = time.time()
        self._start = time.monotonic()

    def wall(self) -> int:
        return round((self._start_wall + time.monotonic() - self._start) * 1000)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, seconds)):
                await event.wait()
