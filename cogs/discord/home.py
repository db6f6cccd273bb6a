"""Where the application's own tasks live, apart from discord.py's callbacks.

A callback only asks; the work itself belongs to the home and goes on when the callback is cancelled. Tasks start in the
context the home was made in, so that whoever simulates Discord's time around the callbacks does not simulate ours.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
log = logging.getLogger(__name__)


class Home:
    """A set of running tasks."""

    def __init__(self) -> None:
        self._context = contextvars.copy_context()
        self._tasks: set[asyncio.Task[Any]] = set()

    def spawn(self, work: Coroutine[Any, Any, T], name: str | None = None) -> asyncio.Task[T]:
        """Begin something that goes on by itself; what it raises is logged unless somebody awaits it."""
        task = self._context.copy().run(lambda: asyncio.get_running_loop().create_task(work, name=name))
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something here and wait for it. It goes on if the waiting is cancelled."""
        return await asyncio.shield(self.spawn(work))

    async def close(self) -> None:
        """Let what is under way come to its end, for a while, then stop it."""
        running = {task for task in self._tasks if task is not asyncio.current_task()}
        if running:
            _, late = await asyncio.wait(running, timeout=5.0)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.debug("%s ended with %r", task.get_name(), error)
