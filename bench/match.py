"""Whole matches: how many a second on one core with SQLite on disk, events a second, memory a live match.

`python -m bench.match [MATCHES]`. House minds, no sound, a venue that shows nothing, `--speed max`; the clock of each
match jumps as soon as it is idle, so this is all work and no waiting.
"""

from __future__ import annotations

import asyncio
import gc
import resource
import sys
import tempfile
import time
from pathlib import Path

from bench.machine import describe
from bot.actions.actor import Actor
from bot.actions.start import Wish, begin, start
from bot.app import App, open_app
from bot.host.ports import BoardRow, Delivered, PostRow, Time
from bot.rules.clock import VIRTUAL
from bot.rules.formats import load_format
from bot.rules.match import Clip
from storage.store import SqlStore

AT_ONCE = 16
LIVE = 200


class Nowhere:
    """A venue that shows nothing, at once."""

    board_every_s: float | None = None
    hold_s: float = 2.0
    clip_wait_s: float = 0.0

    def __init__(self, time: Time) -> None:
        self._time = time

    async def post(self, thread: str | None, post: PostRow, onto: str | None, clip: Clip | None = None) -> Delivered:
        return Delivered(str(post.n), self._time.wall())

    async def attach(self, thread: str | None, message: str, match: str, clip: Clip) -> None: ...

    async def newest_ours(self, thread: str | None, after: str | None) -> Delivered | None:
        return None

    async def show(self, thread: str | None, board: BoardRow) -> str | None:
        return None


def nowhere(_: SqlStore, time: Time) -> Nowhere:
    return Nowhere(time)


async def play(app: App, seed: int, format: str, speed: float = VIRTUAL, *, wait: bool = True) -> str:
    actor = Actor(community="bench", person="bench", moderator=True)
    reply = await start(app.services, actor, Wish(format=load_format(format), seed=seed, speed=speed, sound=False))
    assert reply.match is not None, reply.text
    await begin(app.services, actor, reply.match.id)
    if wait:
        await app.host.finished(reply.match.id)
    return reply.match.id


async def throughput(count: int) -> None:
    """`count` classic matches, a few at a time."""
    with tempfile.TemporaryDirectory() as folder:
        async with open_app(f"sqlite+aiosqlite:///{folder}/bench.db", nowhere) as app:
            await app.host.start()
            await play(app, 0, "classic")  # catalogue, indexes and statements are made once
            gate = asyncio.Semaphore(AT_ONCE)

            async def one(seed: int) -> str:
                async with gate:
                    return await play(app, seed, "classic")

            wall, cpu = time.perf_counter(), time.process_time()
            ids = await asyncio.gather(*(one(seed) for seed in range(1, count + 1)))
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            events = sum([row.seq for id in ids if (row := await app.store.match(id)) is not None])
            commits = app.host.committer
            size = (Path(folder) / "bench.db").stat().st_size
        print(f"{count} classic matches, {AT_ONCE} at a time, SQLite on disk (WAL)")
        print(f"  {count / cpu:6.2f} matches per CPU second   {count / wall:6.2f} per wall second")
        print(f"  {events / cpu:6.0f} events per CPU second   {events / count:6.0f} events a match")
        grouped, kib = commits.writes / commits.groups, size / count / 1024
        print(f"  {grouped:6.1f} writes a transaction     {kib:6.0f} KiB a match on disk")


async def memory() -> None:
    """Live matches in the middle of their first round."""
    with tempfile.TemporaryDirectory() as folder:
        async with open_app(f"sqlite+aiosqlite:///{folder}/bench.db", nowhere) as app:
            await app.host.start()
            await play(app, 0, "classic")
            gc.collect()
            before = _resident()
            await asyncio.gather(*(play(app, seed, "classic", 1.0, wait=False) for seed in range(LIVE)))
            await asyncio.sleep(12)
            gc.collect()
            each = (_resident() - before) / LIVE
            print(f"{LIVE} live classic matches: {each:6.0f} KiB each; {before / 1024:.0f} MiB before")


def _resident() -> float:
    """KiB of memory this process holds now; where the system does not tell, the most it ever held."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return pages * resource.getpagesize() / 1024


if __name__ == "__main__":
    print(describe())
    asyncio.run(throughput(int(sys.argv[1]) if len(sys.argv) > 1 else 48))
    asyncio.run(memory())
