"""What a command costs in the store: SQLite on disk, 3 events, 1 post and 1 job a command, in many matches at once.

`python -m bench.storage [COMMANDS]`. CPU is that of the whole process, the driver's thread included.
"""

import asyncio
import json
import platform
import sqlite3
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from bot.host.ports import Change, EventRow, JobRow, MatchRow, PostRow
from storage.database import open_store
from storage.store import SqlStore

MATCHES = 64
EVENTS = 3
ROWS = EVENTS + 3  # and the match, a post, a job
SPEECH = json.dumps({"at": 123_456, "slot": 7, "seat": "P0", "text": "It is said that the motion stands. " * 12})
CARD = json.dumps({"title": "Round 1, second speech", "body": "It is said that the motion stands. " * 12})

Write = Callable[[SqlStore, Sequence[Change]], Awaitable[None]]


async def together(store: SqlStore, changes: Sequence[Change]) -> None:
    async with store.transaction() as unit:
        await unit.apply(changes)


async def with_savepoints(store: SqlStore, changes: Sequence[Change]) -> None:
    async with store.transaction() as unit:
        for change in changes:
            async with unit.savepoint():
                await unit.apply([change])


def commands(count: int) -> list[Change]:
    made: list[Change] = []
    for number in range(count):
        n, match = number // MATCHES, f"match_{number % MATCHES:04}"
        first, wall = n * EVENTS + 1, 1_700_000_000_000 + number
        events = [EventRow(match, first + i, "turn_taken", 1, SPEECH, wall) for i in range(EVENTS)]
        row = MatchRow(
            match, "com_bench", "running", "classic", "per_bench", None, first + EVENTS - 1, wall + 6000, wall
        )
        post = PostRow(match, n + 1, "turn", CARD)
        made.append(Change(match=row, events=events, posts=[post], jobs=[JobRow(match, f"turn:1:{n}", "turn")]))
    return made


@asynccontextmanager
async def fresh_store() -> AsyncIterator[SqlStore]:
    with tempfile.TemporaryDirectory(dir=".", prefix=".bench-") as folder:  # not /tmp: that may be memory
        store = await open_store(f"sqlite+aiosqlite:///{Path(folder) / 'bench.db'}")
        try:
            yield store
        finally:
            await store.close()


async def measure(write: Write, count: int, group: int) -> tuple[float, float]:
    """CPU and wall seconds a command."""
    made = commands(count)
    async with fresh_store() as store:
        warm = MATCHES
        for start in range(0, warm, group):
            await write(store, made[start : min(start + group, warm)])
        cpu, wall = time.process_time(), time.perf_counter()
        for start in range(warm, count, group):
            await write(store, made[start : start + group])
        return (time.process_time() - cpu) / (count - warm), (time.perf_counter() - wall) / (count - warm)


async def measure_load(events: int, times: int) -> tuple[float, float]:
    """CPU and wall seconds to load a match."""
    row = MatchRow("m", "com_bench", "running", "classic", "per_bench", None, events, None, 0)
    log = [EventRow("m", seq, "turn_taken", 1, SPEECH, seq) for seq in range(1, events + 1)]
    async with fresh_store() as store:
        await together(store, [Change(match=row, events=log)])
        await store.events("m")
        cpu, wall = time.process_time(), time.perf_counter()
        for _ in range(times):
            assert len(await store.events("m")) == events
        return (time.process_time() - cpu) / times, (time.perf_counter() - wall) / times


async def main(count: int) -> None:
    print(f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {count} commands of {ROWS} rows each")
    print(f"{'':34} {'CPU ms':>8} {'wall ms':>8} {'rows/s':>8}   a command")
    cases: list[tuple[str, Write, int]] = [
        ("one command a transaction", together, 1),
        ("16 a transaction", together, 16),
        ("64 a transaction", together, 64),
        ("16 a transaction, each a savepoint", with_savepoints, 16),
        ("64 a transaction, each a savepoint", with_savepoints, 64),
    ]
    for name, write, group in cases:
        cpu, wall = await measure(write, count, group)
        print(f"{name:34} {cpu * 1000:8.3f} {wall * 1000:8.3f} {ROWS / wall:8.0f}")
    cpu, wall = await measure_load(600, 50)
    print(f"{'loading a match of 600 events':34} {cpu * 1000:8.3f} {wall * 1000:8.3f}")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 4096))
