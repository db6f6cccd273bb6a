"""The console and its status line.

On a terminal the last line counts down what is going on; piped to a file there is none, and no control code is
written at all.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Callable

from rich.console import Console
from rich.live import Live
from rich.text import Text

EVERY_S = 0.2
PIPED_WIDTH = 80


def make_console() -> Console:
    """A console for standard output: as wide as the terminal, or 80 columns and plain where it is piped."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")  # an ASCII locale shows a "?" rather than a traceback
    if sys.stdout.isatty():
        return Console(highlight=False)
    return Console(highlight=False, width=PIPED_WIDTH, no_color=True, force_terminal=False)


def error_console() -> Console:
    return Console(stderr=True, highlight=False)


@contextlib.asynccontextmanager
async def status_line(console: Console, text: Callable[[], str]) -> AsyncIterator[None]:
    """Keep `text()` as the last line while the block runs."""
    if not console.is_terminal:
        yield
        return
    with Live(Text(), console=console, transient=True, auto_refresh=False, redirect_stdout=False) as live:

        async def tick() -> None:
            while True:
                live.update(Text(text(), style="bright_black", no_wrap=True, overflow="ellipsis"), refresh=True)
                await asyncio.sleep(EVERY_S)

        task = asyncio.create_task(tick(), name="status line")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
