"""Lines from the person at the keyboard.

On a terminal prompt-toolkit keeps the line being typed apart from what is printed above it and shows the countdown
and the count of characters beneath; from a pipe lines are read as they come.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator

from prompt_toolkit import PromptSession
from prompt_toolkit.patch_stdout import patch_stdout

REFRESH_S = 0.25


class Keyboard:
    """Standard input, line by line."""

    def __init__(self, toolbar: Callable[[str], str]) -> None:
        self._toolbar = toolbar
        self.interactive = sys.stdin.isatty() and sys.stdout.isatty()

    @contextlib.contextmanager
    def screen(self) -> Iterator[None]:
        """While the keyboard is in use, prints go above the line being typed."""
        if not self.interactive:
            yield
            return
        with patch_stdout(raw=True):
            yield

    async def lines(self) -> AsyncIterator[str]:
        """Each line typed; ends with the input (Ctrl-D, the end of a pipe). Ctrl-C raises KeyboardInterrupt."""
        if not self.interactive:
            async for line in _piped():
                yield line
            return
        session: PromptSession[str] = PromptSession("> ")
        while True:
            try:
                yield await session.prompt_async(
                    bottom_toolbar=lambda: self._toolbar(session.default_buffer.text), refresh_interval=REFRESH_S
                )
            except EOFError:
                return


async def _piped() -> AsyncIterator[str]:
    """Lines of a pipe, read by a thread that does not keep the program alive."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[str | None] = asyncio.Queue()

    def read() -> None:
        with contextlib.suppress(RuntimeError, ValueError, OSError):  # the loop or the stream was closed
            for line in sys.stdin:
                loop.call_soon_threadsafe(queue.put_nowait, line)
            loop.call_soon_threadsafe(queue.put_nowait, None)

    threading.Thread(target=read, name="stdin", daemon=True).start()
    while (line := await queue.get()) is not None:
        yield line
