"""A duel in real time: how punctual are turns, a person's deadline and the reveals? `python -m bench.realtime` takes
two minutes.

Everything is as in `demo`: SQLite on disk, house minds, sound on. A person holds one seat and never speaks, so that
real deadlines fire. Measured is when a post reached the venue, against when the match's record says it happened.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from bench.machine import describe
from bot.actions.actor import Actor
from bot.actions.seats import join
from bot.actions.start import Wish, begin, start
from bot.app import open_app
from bot.catalogue import load_catalogue
from bot.host.ports import BoardRow, Delivered, PostRow, Time
from bot.rules.formats import load_format
from bot.rules.match import Clip, Outcome
from bot.rules.tempo import Tempo
from bot.voice.booth import open_booth
from storage.store import SqlStore


class Stopwatch:
    """A venue that notes when each post arrives."""

    board_every_s: float | None = None
    hold_s: float = 2.0
    clip_wait_s: float = 0.0

    def __init__(self, clock: Time) -> None:
        self._clock = clock
        self.arrived: list[tuple[str, str | None, float]] = []

    async def post(self, thread: str | None, post: PostRow, onto: str | None, clip: Clip | None = None) -> Delivered:
        self.arrived.append((post.kind, post.gate, time.perf_counter()))
        return Delivered(str(post.n), self._clock.wall())

    async def attach(self, thread: str | None, message: str, match: str, clip: Clip) -> None: ...

    async def newest_ours(self, thread: str | None, after: str | None) -> Delivered | None:
        return None

    async def show(self, thread: str | None, board: BoardRow) -> str | None:
        return None


async def main() -> None:
    venues: list[Stopwatch] = []

    def watched(_: SqlStore, clock: Time) -> Stopwatch:
        venues.append(Stopwatch(clock))
        return venues[0]

    with tempfile.TemporaryDirectory() as folder:
        booth = await open_booth(Path(folder), load_catalogue())
        async with open_app(f"sqlite+aiosqlite:///{folder}/bench.db", watched, booth.sound) as app:
            await app.host.start()
            actor = Actor(community="bench", person="bench", moderator=True)
            reply = await start(app.services, actor, Wish(format=load_format("duel"), seed=1, tempo=Tempo.BLITZ))
            assert reply.match is not None, reply.text
            id = reply.match.id
            await join(app.services, actor, id, seat="P0")
            await begin(app.services, actor, id)
            began = time.perf_counter()
            match = app.host.peek(id)
            assert match is not None and match.started_at is not None
            await app.host.finished(id)
            match = await app.host.state(id)
        await booth.close()
    assert match is not None and match.started_at is not None

    def wall(at: int) -> float:
        """When a match time should have been, on the stopwatch."""
        return began + (at - (match.started_at or 0)) / 1000

    arrived = venues[0].arrived
    turns = match.rounds[0].turns
    spoken = [turn for turn in turns if turn.outcome is Outcome.SAID]
    speeches = [moment for kind, _, moment in arrived if kind == "speech"]
    late = [moment - wall(turn.opened_at) for moment, turn in zip(speeches, spoken, strict=True)]
    print(f"{len(late)} AI turns: late by {_range(late)}")
    silent = [turn for turn in turns if turn.outcome is Outcome.FORFEITED]
    notes = [moment for kind, _, moment in arrived if kind == "note"][: len(silent)]
    held = [moment - wall(turn.closed_at) - 2.0 for moment, turn in zip(notes, silent, strict=False)]
    print(f"{len(held)} deadlines of a person: fired late by {_range(held)} (after the 2 s they are held open)")
    reveals = [moment for _, gate, moment in arrived if gate and gate.startswith("reveal")]
    gaps = [later - earlier for earlier, later in pairwise(reveals)]
    print(f"{len(reveals)} reveals: {', '.join(f'{gap:.3f}' for gap in gaps)} s apart")


def _range(values: list[float]) -> str:
    return f"{min(values) * 1000:.0f} to {max(values) * 1000:.0f} ms" if values else "-"


if __name__ == "__main__":
    print(describe())
    asyncio.run(main())
