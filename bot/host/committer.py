"""Group commit: many matches, one transaction (docs/architecture.md, "Commit").

Commands that arrive while a transaction is being written wait and share the next one. A command that a participant
has a say in, or that must not be handled twice, gets a savepoint of its own, so that a veto undoes it alone; the rest
is written in bulk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.host.ports import Change, Participant, Stale, Store, StoreError, Unit
from bot.rules.events import Event
from bot.rules.match import Match

LARGEST_GROUP = 256


class Repeated(Exception):
    """This delivery was handled before; `answer` is what was said then."""

    def __init__(self, answer: str) -> None:
        super().__init__(answer)
        self.answer = answer


@dataclass(slots=True, eq=False)
class Write:
    """What one command wants written. `before` and `after` are for the participants."""

    change: Change
    before: Match
    after: Match
    events: Sequence[Event] = ()
    done: asyncio.Future[None] = field(default_factory=asyncio.Future[None])

    @property
    def receipt(self) -> tuple[str, str] | None:
        first = next(iter(self.change.receipts), None)
        return (first.community, first.key) if first else None


class Committer:
    """The one writer of a database."""

    def __init__(self, store: Store, participants: Sequence[Participant] = ()) -> None:
        self._store = store
        self._participants = tuple(participants)
        self._queue: list[Write] = []
        self._wanted = asyncio.Event()
        self._closing = False
        self._task: asyncio.Task[None] | None = None
        self.groups = 0
        self.writes = 0

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="committer")

    async def close(self) -> None:
        """Write what is queued, then stop."""
        if self._task is not None:
            self._closing = True
            self._wanted.set()
            await self._task
            self._task = None

    async def commit(self, change: Change, before: Match, after: Match, events: Sequence[Event] = ()) -> None:
        """Return once the change is durable. Raises Veto, Repeated, Stale or StoreError; then nothing of it is
        written."""
        write = Write(change, before, after, events)
        self._queue.append(write)
        self._wanted.set()
        await asyncio.shield(write.done)

    async def _run(self) -> None:
        while True:
            await self._wanted.wait()
            group, self._queue = self._queue[:LARGEST_GROUP], self._queue[LARGEST_GROUP:]
            if not self._queue and not self._closing:
                self._wanted.clear()
            if not group:
                return
            try:
                await self._write(group)
            except Exception as error:
                for write in group:
                    _fail(write, error)

    async def _write(self, group: list[Write]) -> None:
        self.groups += 1
        self.writes += len(group)
        alone = [write for write in group if self._needs_savepoint(write)]
        bulk = [write for write in group if write not in alone]
        failures: dict[int, Exception] = {}
        async with self._store.transaction() as unit:
            if bulk:
                await self._write_bulk(unit, bulk, failures)
            for write in alone:
                await self._write_alone(unit, write, failures)
        for write in group:
            error = failures.get(id(write))
            if error is not None:
                _fail(write, error)
            elif not write.done.done():
                write.done.set_result(None)

    async def _write_bulk(self, unit: Unit, bulk: list[Write], failures: dict[int, Exception]) -> None:
        try:
            async with unit.savepoint():
                await unit.apply([write.change for write in bulk])
        except Stale:
            if len(bulk) == 1:
                failures[id(bulk[0])] = Stale()
                return
            # One of them lost its match to another process; find out which, and let the others through.
            for write in bulk:
                await self._write_alone(unit, write, failures)

    async def _write_alone(self, unit: Unit, write: Write, failures: dict[int, Exception]) -> None:
        try:
            async with unit.savepoint():
                if write.receipt is not None:
                    answer = await unit.receipt(*write.receipt)
                    if answer is not None:
                        raise Repeated(answer)
                await unit.apply([write.change])
                for participant in self._participants:
                    if participant.concerns(write.events):
                        await participant.join(unit, write.before, write.events, write.after)
        except StoreError:
            raise
        except Exception as error:
            failures[id(write)] = error

    def _needs_savepoint(self, write: Write) -> bool:
        return bool(write.change.receipts) or any(p.concerns(write.events) for p in self._participants)


def _fail(write: Write, error: Exception) -> None:
    if not write.done.done():
        write.done.set_exception(error)
