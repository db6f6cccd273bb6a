"""What asyncio leaves to us: work that a cancellation must not cut in half, and a lock that knows its holder."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

T = TypeVar("T")


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Await the work; if the caller is cancelled meanwhile, finish it first and be cancelled then.

    When a cancellation hits a statement under way, SQLAlchemy throws the connection away: a database in memory would be
    gone, and a commit half acknowledged.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError:
                continue  # asked again; the answer is the same
        if not task.cancelled():
            task.exception()  # seen: the cancellation is what the caller hears of
        raise


class Turn:
    """A fair lock. Waiting for it while holding it would last for ever; here that is an error at once."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._holder: asyncio.Task[Any] | None = None

    @asynccontextmanager
    async def mine(self) -> AsyncIterator[None]:
        if self._holder is not None and self._holder is asyncio.current_task():
            raise RuntimeError(
                "Inside a transaction, use the unit it gave: the store waits until the transaction is over."
            )
        async with self._lock:
            self._holder = asyncio.current_task()
            try:
                yield
            finally:
                self._holder = None
