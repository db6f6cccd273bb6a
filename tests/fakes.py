"""The host's ports, faked: a clock that never sleeps, a store in memory, a venue that keeps what it is told, minds
that recite."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import itertools
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Any

from bot.catalogue import load_catalogue
from bot.community.ledger import Line, Overdrawn, Transfer
from bot.host.host import Host, Ports
from bot.host.ports import (
    BoardRow,
    Change,
    Delivered,
    EventRow,
    JobRow,
    MatchRow,
    PostRow,
    RunRow,
    Said,
    Stale,
    StoreError,
    Unreadable,
    VenueError,
    Voted,
)
from bot.messages.publish import MatchPublisher
from bot.rules import commands as c
from bot.rules.clock import VIRTUAL, VIRTUAL_EPOCH_MS
from bot.rules.events import decode_row
from bot.rules.evolve import fold
from bot.rules.formats import load_format
from bot.rules.match import Clip, Holder, Match
from bot.rules.seeding import Draw

CAST = tuple(Holder(persona=f"persona-{n:02d}", name=f"Persona {n}", model="house") for n in range(14))
START_WALL = 1_700_000_000_000


async def settle() -> None:
    """Let everything run that can run without time passing."""
    ready: Any = getattr(asyncio.get_running_loop(), "_ready")  # noqa: B009 # the loop's own queue; nothing public tells
    await asyncio.sleep(0)
    while ready:  # noqa: ASYNC110 # there is no event for an idle loop
        await asyncio.sleep(0)


class FakeTime:
    """Wall and monotonic time that move only when a test says so."""

    def __init__(self, wall: int = START_WALL) -> None:
        self._wall = float(wall)
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = itertools.count()

    def wall(self) -> int:
        return round(self._wall)

    def monotonic(self) -> float:
        return self._wall / 1000

    async def sleep(self, seconds: float) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._wall + max(0.0, seconds) * 1000, next(self._count), future))
        await future

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        waiter, sleeper = asyncio.ensure_future(event.wait()), asyncio.ensure_future(self.sleep(seconds))
        try:
            await asyncio.wait((waiter, sleeper), return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiter.cancel()
            sleeper.cancel()

    async def advance(self, seconds: float) -> None:
        """Move on, stopping at every moment somebody waits for."""
        until = self._wall + seconds * 1000
        await settle()
        while True:
            while self._sleepers and self._sleepers[0][2].done():
                heapq.heappop(self._sleepers)
            if not self._sleepers or self._sleepers[0][0] > until:
                break
            due, _, future = heapq.heappop(self._sleepers)
            self._wall = max(self._wall, due)
            future.set_result(None)
            await settle()
        self._wall = until
        await settle()

    def jump(self, seconds: float) -> None:
        """Time passes while nobody is there to see it."""
        self._wall += seconds * 1000


class MemoryStore:
    """The `Store` in memory, with real savepoints, and a switch that kills it."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[Any, Any]] = {
            name: {}
            for name in ("matches", "events", "posts", "boards", "jobs", "receipts", "marks", "accounts", "transfers")
        }
        self.runs: list[RunRow] = []
        self.commits = 0
        self.die_after: int | None = None
        """After so many commits nothing is written any more: the process is as good as killed."""
        self.dead = asyncio.Event()
        self.trouble: StoreError | None = None
        """Raised by every transaction while set."""

    @contextlib.asynccontextmanager
    async def transaction(self) -> AsyncIterator[MemoryUnit]:
        if self.trouble is not None:
            raise self.trouble
        if self.die_after is not None and self.commits >= self.die_after:
            self.dead.set()
            await asyncio.Event().wait()
        before = self._copy()
        try:
            yield MemoryUnit(self)
        except BaseException:
            self.tables = before
            raise
        self.commits += 1
        await asyncio.sleep(0)

    def _copy(self) -> dict[str, dict[Any, Any]]:
        return {name: dict(table) for name, table in self.tables.items()}

    async def match(self, id: str) -> MatchRow | None:
        return self.tables["matches"].get(id)

    async def latest_match(self) -> MatchRow | None:
        return max(self.tables["matches"].values(), key=lambda row: row.opened_wall, default=None)

    async def matches(self, community: str | None = None, *, limit: int = 50) -> list[MatchRow]:
        return list(self.tables["matches"].values())[:limit]

    async def events(self, match: str, after: int = 0) -> list[EventRow]:
        return [row for (id, seq), row in sorted(self.tables["events"].items()) if id == match and seq > after]

    async def posts(self, match: str, *, open_only: bool = False) -> list[PostRow]:
        rows = [row for (id, _), row in sorted(self.tables["posts"].items()) if id == match]
        return [row for row in rows if row.state in ("pending", "sending")] if open_only else rows

    async def boards(self, match: str) -> list[BoardRow]:
        return [row for (id, _), row in sorted(self.tables["boards"].items()) if id == match]

    async def jobs(self, match: str) -> list[JobRow]:
        return [row for (id, _), row in sorted(self.tables["jobs"].items()) if id == match]

    async def receipt(self, community: str, key: str) -> str | None:
        row = self.tables["receipts"].get((community, key))
        return row.answer if row else None

    async def due(self, before_wall: int, *, limit: int = 1000) -> list[str]:
        rows = [r for r in self.tables["matches"].values() if r.wake_at is not None and r.wake_at <= before_wall]
        return [row.id for row in sorted(rows, key=lambda row: row.wake_at)][:limit]

    async def live(self) -> list[str]:
        return [row.id for row in self.tables["matches"].values() if row.status in ("lobby", "running")]

    async def begin_run(self, wall: int, holds: str | None = None) -> list[RunRow]:
        earlier = list(self.runs)
        self.runs.append(RunRow(len(self.runs) + 1, wall, wall, holds))
        return earlier

    async def beat(self, wall: int) -> None:
        self.runs[-1] = replace(self.runs[-1], last_wall=wall)

    async def names(self, people: Sequence[str]) -> dict[str, str]:
        return {person: person.title() for person in people}

    async def person(self, community: str, platform_id: str, name: str) -> str:
        return platform_id

    async def community(self, venue: str, platform_id: str, name: str) -> str:
        return platform_id

    async def settings(self, community: str) -> dict[str, Any]:
        return {}

    async def set_settings(self, community: str, settings: dict[str, Any]) -> None: ...

    async def balance(self, account: str) -> int | None:
        return self.tables["accounts"].get(account)

    async def statement(self, account: str, limit: int = 20) -> list[Line]:
        lines: list[Line] = []
        balance = 0
        for transfer in self.tables["transfers"].values():
            amount = transfer.lines.get(account, 0)
            if amount:
                balance += amount
                lines.append(Line(transfer.kind, transfer.match, transfer.wall, amount, balance))
        return lines[::-1][:limit]

    async def close(self) -> None: ...

    def state(self, match: str) -> Match:
        """The match as its log tells it."""
        rows = [row for (id, _), row in sorted(self.tables["events"].items()) if id == match]
        return fold(decode_row(row.name, row.version, row.payload) for row in rows)


class MemoryBooks:
    """The accounts in memory."""

    def __init__(self, store: MemoryStore) -> None:
        self.store = store

    async def post(self, transfer: Transfer) -> bool:
        accounts, transfers = self.store.tables["accounts"], self.store.tables["transfers"]
        if transfer.id in transfers:
            return False
        transfers[transfer.id] = transfer
        for account, amount in sorted(transfer.lines.items()):
            balance = accounts.get(account, 0)
            if balance + amount < 0 and not account.startswith("mint:"):
                raise Overdrawn(account, balance)
            accounts[account] = balance + amount
        return True

    async def balance(self, account: str) -> int | None:
        return await self.store.balance(account)

    async def staked(self, account: str) -> int:
        accounts = self.store.tables["accounts"]
        moved = [t for t in self.store.tables["transfers"].values() if t.match and accounts.get(f"escrow:{t.match}")]
        return -sum(transfer.lines.get(account, 0) for transfer in moved)


class MemoryUnit:
    def __init__(self, store: MemoryStore) -> None:
        self.store = store

    @property
    def books(self) -> MemoryBooks:
        return MemoryBooks(self.store)

    @contextlib.asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        before = self.store._copy()
        try:
            yield
        except BaseException:
            self.store.tables = before
            raise

    async def receipt(self, community: str, key: str) -> str | None:
        return await self.store.receipt(community, key)

    async def apply(self, changes: Sequence[Change]) -> None:
        tables = self.store.tables
        for change in changes:
            if change.match is not None:
                known = tables["matches"].get(change.match.id)
                thread = change.match.thread or (known.thread if known else None)
                tables["matches"][change.match.id] = replace(change.match, thread=thread)
            for event in change.events:
                if (event.match, event.seq) in tables["events"]:
                    raise Stale
                tables["events"][event.match, event.seq] = event
            for post in (*change.posts, *change.posts_changed):
                tables["posts"][post.match, post.n] = post
            for board in change.boards:
                known_board = tables["boards"].get((board.match, board.key))
                if known_board is None or known_board.version <= board.version:
                    tables["boards"][board.match, board.key] = board
            for job in change.jobs:
                tables["jobs"].setdefault((job.match, job.key), job)
            for job in change.jobs_changed:
                tables["jobs"][job.match, job.key] = job
            for receipt in change.receipts:
                tables["receipts"][receipt.community, receipt.key] = receipt


class FakeVenue:
    """A thread that keeps what was posted, and fails when told to."""

    board_every_s: float | None = None
    hold_s: float = 2.0
    clip_wait_s: float = 0.0

    def __init__(self, time: FakeTime) -> None:
        self.time = time
        self.posted: list[PostRow] = []
        self.boards: list[BoardRow] = []
        self.sounds: dict[str, str] = {}
        """The clip of each message that has one."""
        self.attached: list[tuple[str, str]] = []
        """Those that were added to a message after it."""
        self.asked_to_attach = 0
        self.fail: Callable[[PostRow], Exception | None] = lambda post: None
        self.takes_s: Callable[[PostRow], float] = lambda post: 0.0

    async def post(self, thread: str | None, post: PostRow, onto: str | None, clip: Clip | None = None) -> Delivered:
        error = self.fail(post)
        if error is not None:
            raise error
        takes = self.takes_s(post)
        if takes:
            await self.time.sleep(takes)
        self.posted.append(post)
        message = str(len(self.posted))
        if clip is not None:
            self.sounds[message] = clip.file
        return Delivered(message, self.time.wall())

    async def attach(self, thread: str | None, message: str, match: str, clip: Clip) -> None:
        self.asked_to_attach += 1
        if message not in self.sounds:
            self.sounds[message] = clip.file
            self.attached.append((message, clip.file))

    async def newest_ours(self, thread: str | None, after: str | None) -> Delivered | None:
        seen = int(after or 0)
        return Delivered(str(len(self.posted)), self.time.wall()) if len(self.posted) > seen else None

    async def show(self, thread: str | None, board: BoardRow) -> str | None:
        self.boards.append(board)
        return f"board-{board.key}"

    def kinds(self) -> list[str]:
        return [post.kind for post in self.posted]


class Reciters:
    """Minds that say their slot, and judges that draw their vote from the seed."""

    def __init__(self) -> None:
        self.turns: list[tuple[int, int, str]] = []
        self.votes: list[tuple[int, str]] = []
        self.fail_turn: Callable[[int, int], Exception | None] = lambda round, n: None
        self.fail_ballot: Callable[[str], Exception | None] = lambda judge: None
        self.takes: Callable[[], Any] | None = None

    async def turn(self, match: Match, seat: str) -> Said:
        entry, slot = match.round, match.slot
        assert entry is not None and slot is not None
        error = self.fail_turn(entry.number, slot.plan.n)
        if error is not None:
            raise error
        self.turns.append((entry.number, slot.plan.n, seat))
        text = f"Round {entry.number}, slot {slot.plan.n}: {seat} after {len(entry.turns)} turns."
        if self.takes is not None:
            await self.takes()
        return Said(move=slot.plan.moves[0], text=text, why="because")

    async def ballot(self, match: Match, judge: str) -> Voted:
        entry = match.round
        assert entry is not None
        error = self.fail_ballot(judge)
        if error is not None:
            raise error
        self.votes.append((entry.number, judge))
        side = Draw(match.seed, entry.number, judge).pick(("pro", "con"))
        return Voted(vote=side, reason=f"{side} was clearer.")


class Beeps:
    """Sound that is there at once, or never."""

    def __init__(self, *, silent: bool = True) -> None:
        self.silent = silent
        self.takes: Callable[[int], Any] | None = None
        """What is waited for while the clip of slot n is made."""

    async def clip(self, match: Match, round: int, n: int, part: int) -> Clip | None:
        if self.takes is not None:
            await self.takes(n)
        return None if self.silent else Clip(f"clips/r{round}-t{n:02d}.ogg", 2.0, "ogg/opus")


class Stage:
    """A host with all its ports faked, which can be killed and started again on the same store and venue."""

    def __init__(self, **ports: Any) -> None:
        self.time = FakeTime()
        self.store = MemoryStore()
        self.venue = FakeVenue(self.time)
        self.minds = Reciters()
        self.ports = ports
        self.capacity: int | None = None
        self.host: Host | None = None

    async def up(self) -> Host:
        pool = load_catalogue().motions
        ports: dict[str, Any] = {
            "store": self.store,
            "venue": self.venue,
            "publisher": MatchPublisher(),
            "minds": self.minds,
            "sound": Beeps(),
            "starter": lambda match, at: c.Start(at=at, cast=CAST, pool=pool),
            "time": self.time,
            **self.ports,
        }
        self.host = Host(Ports(**ports), capacity=self.capacity)
        await self.host.start()
        return self.host

    async def kill(self) -> None:
        """Everything the process was doing ends here and now; nothing is put in order."""
        mine = asyncio.current_task()
        for task in asyncio.all_tasks():
            if task is not mine:
                task.cancel()
        await settle()
        self.host = None
        self.store.die_after = None
        self.store.dead.clear()

    async def open(self, id: str = "m1", *, speed: float = 1.0, format: str = "duel", **more: Any) -> None:
        assert self.host is not None
        wall = self.time.wall()
        command = c.Open(
            at=VIRTUAL_EPOCH_MS if speed == VIRTUAL else wall,
            match=id,
            community="club",
            host="ann",
            format=load_format(format),
            seed=more.pop("seed", 7),
            wall=wall,
            speed=speed,
            **more,
        )
        await self.host.open(command, thread="thread")

    async def begin(self, id: str = "m1") -> None:
        assert self.host is not None
        await self.host.tell(id, c.Start(at=0, cast=CAST, pool=load_catalogue().motions))

    def match(self, id: str = "m1") -> Match:
        return self.store.state(id)


__all__ = [
    "CAST",
    "Beeps",
    "FakeTime",
    "FakeVenue",
    "MemoryStore",
    "Reciters",
    "Stage",
    "Unreadable",
    "VenueError",
    "settle",
]
