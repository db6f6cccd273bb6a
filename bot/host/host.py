"""Runs matches: wakes them when they are due or spoken to, lets them sleep, takes them up again after a crash
(docs/architecture.md, "Host")."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from bot.host.admission import Admission
from bot.host.clocks import SystemTime
from bot.host.committer import Committer, Repeated
from bot.host.crew import Crew, Hands
from bot.host.keeper import FRUITLESS_S, Keeper, Letter, Outcome, Receipt, Tools
from bot.host.outbox import Outbox
from bot.host.ports import Minds, Participant, Publisher, RunRow, Sound, Stale, Store, StoreError, Time, Venue
from bot.rules import commands as c
from bot.rules import events as e
from bot.rules.evolve import fold
from bot.rules.match import Match
from bot.rules.rejection import Rejection, reject

log = logging.getLogger(__name__)

BEAT_S = 1.0
"""How often the host notes that it still holds its matches; what a crash can cost a match of its standing time."""
POLL_S = 1.0
WAKE_AHEAD_MS = 2_000
MOST_FAILURES = 3
"""A match that failed so often (a log of a newer release, a fault of ours) is not taken up again by this process."""
SLEEP_AFTER_MS = 10 * 60 * 1000
"""A match with nothing due for so long is dropped from memory; a row keeps its wake time."""

Watcher = Callable[[Match, Sequence[e.Event]], None]


@dataclass(slots=True)
class Ports:
    """Everything the host needs from outside."""

    store: Store
    venue: Venue
    publisher: Publisher
    minds: Minds
    sound: Sound
    starter: Callable[[Match, int], c.Start]
    time: Time = field(default_factory=SystemTime)
    participants: Sequence[Participant] = ()


class Host:
    """All matches of one process."""

    def __init__(self, ports: Ports, *, patience: int | None = None, capacity: int | None = None) -> None:
        """`capacity`: at most so many matches run at a time; lobbies that are to start wait in line for a place."""
        self._ports = ports
        self._admission = Admission(capacity)
        self._committer = Committer(ports.store, ports.participants)
        self._hands = Hands(ports.minds, ports.sound)
        self._watchers: list[Watcher] = []
        self._tools = Tools(
            self._committer,
            ports.publisher,
            ports.time,
            ports.store.receipt,
            ports.starter,
            lambda: ports.venue.hold_s,
            self._admission,
            self._watch,
        )
        self._keepers: dict[str, Keeper] = {}
        self._runs: dict[str, asyncio.Task[None]] = {}
        self._loading: dict[str, asyncio.Task[Keeper | None]] = {}
        self._earlier: list[RunRow] = []
        self._began = 0
        self._failures: Counter[str] = Counter()
        self._clockwork: list[asyncio.Task[None]] = []
        self._patience = patience
        self._started = False

    @property
    def committer(self) -> Committer:
        return self._committer

    @property
    def time(self) -> Time:
        return self._ports.time

    def watch(self, watcher: Watcher) -> None:
        """Be told of every commit: the match after it, and its events."""
        self._watchers.append(watcher)

    # --------------------------------------------------------------------------------------------- life

    async def start(self, *, only: str | None = None) -> None:
        """Begin to hold the matches of the store, and take up those that need attention now; or hold `only` that
        one."""
        now = self._ports.time.wall()
        self._earlier = await self._ports.store.begin_run(now, holds=only)
        self._began = now
        self._committer.start()
        self._started = True
        if only is None and self._admission.limited:
            await self._count_places()
        ids = [only] if only is not None else await self._ports.store.due(now + WAKE_AHEAD_MS, limit=1_000_000)
        for id in ids:
            await self.wake(id)
        self._clockwork.append(asyncio.create_task(self._every(BEAT_S, self._beat), name="heartbeat"))
        if only is None:
            self._clockwork.append(asyncio.create_task(self._every(POLL_S, self._poll), name="poller"))
        if self._admission.limited:
            self._clockwork.append(asyncio.create_task(self._usher(), name="usher"))

    async def close(self) -> None:
        """Stop holding the matches. What is being written is finished; everything else is taken up at the next
        start."""
        if not self._started:
            return
        for task in self._clockwork:
            task.cancel()
        await asyncio.gather(*self._clockwork, return_exceptions=True)
        for keeper in list(self._keepers.values()):
            keeper.stop()
        await asyncio.gather(*self._runs.values(), return_exceptions=True)
        await self._committer.close()
        try:
            await self._ports.store.beat(self._ports.time.wall())
        except StoreError as error:
            log.warning("could not note the end of this run: %s", error)

    # --------------------------------------------------------------------------------------------- matches

    async def open(self, command: c.Open, thread: str | None = None, receipt: Receipt | None = None) -> Outcome:
        """Open a new match. Raises Repeated or StoreError."""
        keeper = self._keep(Keeper(self._tools, Match(), None, (), (), Crew(self._hands), self._deliver))
        keeper.thread = thread
        self._begin(command.match, keeper)
        try:
            return await keeper.ask(Letter(command, exact=True, receipt=receipt))
        finally:
            if keeper.match.seq == 0:
                keeper.stop()

    async def tell(
        self, id: str, command: c.Command, *, wall: int | None = None, receipt: Receipt | None = None
    ) -> Outcome:
        """Send a command to a match, waking it if it sleeps. `wall` is the platform's time stamp of what a person did.

        Raises Repeated when `receipt` names a delivery that was handled before, StoreError when nothing could be
        written.
        """
        keeper = await self.wake(id)
        if keeper is None:
            return reject("no_such_match")
        return await keeper.ask(Letter(command, wall=wall, receipt=receipt))

    def number_in_line(self, id: str) -> int | None:
        """Which number a lobby has among those that wait for a free place, from 1. None: it does not wait."""
        return self._admission.number(id)

    def peek(self, id: str) -> Match | None:
        """The state of an awake match, without I/O."""
        keeper = self._keepers.get(id)
        return keeper.match if keeper else None

    def now(self, id: str) -> int | None:
        """The match time of an awake match."""
        keeper = self._keepers.get(id)
        return keeper.now() if keeper else None

    async def state(self, id: str) -> Match | None:
        """The state of any match, awake or not."""
        return self.peek(id) or await self._read(id)

    async def wake(self, id: str) -> Keeper | None:
        """The keeper of a match, loaded if need be. None: there is no such match, or it is over."""
        keeper = self._keepers.get(id)
        if keeper is not None and not keeper.stopping:
            return keeper
        if id in self._runs:  # it is just being let go
            await asyncio.gather(self._runs[id], return_exceptions=True)
        if self._failures[id] >= MOST_FAILURES:
            return None
        if id not in self._loading:
            self._loading[id] = asyncio.create_task(self._load(id), name=f"load {id}")
        return await asyncio.shield(self._loading[id])

    async def finished(self, id: str) -> None:
        """Wait until the match is over and everything of it is delivered. Raises what made its keeper give up."""
        keeper = await self.wake(id)
        if keeper is None:
            return
        await asyncio.shield(self._runs[id])
        if keeper.lost is not None:
            raise keeper.lost

    def look_again(self) -> None:
        """The venue holds slots open for less long than it did: what is due by now happens at once."""
        for keeper in self._keepers.values():
            keeper.nudge()

    @property
    def awake(self) -> int:
        return len(self._keepers)

    # --------------------------------------------------------------------------------------------- inside

    async def _count_places(self) -> None:
        """Which matches run, and which lobbies wait in line, after a start."""
        for id in await self._ports.store.live():
            try:
                match = await self._read(id)
            except StoreError:
                raise
            except Exception:
                continue  # said when it is taken up, which fails
            if match is not None:
                self._admission.note(match)

    async def _usher(self) -> None:
        """Let the next in line start when there is a place."""
        while True:
            await self._admission.changed.wait()
            self._admission.changed.clear()
            while (id := self._admission.next()) is not None:
                try:
                    await self._let_in(id)
                except (StoreError, Stale) as error:
                    log.warning("match %s waits in line: %s", id, error)
                    await self._ports.time.sleep(FRUITLESS_S)
                except Exception:
                    log.exception("match %s cannot be let in", id)
                    self._admission.pass_over(id)

    async def _let_in(self, id: str) -> None:
        keeper = await self.wake(id)
        if keeper is None:
            self._admission.forget(id)
            return
        seq = keeper.match.seq
        outcome = await keeper.ask(Letter(self._ports.starter(keeper.match, 0)))
        if isinstance(outcome, Rejection) and outcome.code != "stopping" and keeper.match.seq == seq:
            log.info("match %s is passed over in line: %s", id, outcome.code)
            self._admission.pass_over(id)

    def _watch(self, match: Match, events: Sequence[e.Event]) -> None:
        self._admission.note(match)
        for watcher in self._watchers:
            watcher(match, events)

    def _keep(self, keeper: Keeper) -> Keeper:
        keeper.crew.serve(keeper)
        if self._patience is not None:
            keeper.patience = self._patience
        return keeper

    def _deliver(self, keeper: Keeper) -> Outbox:
        return Outbox(keeper, self._ports.venue, self._ports.time, ())

    def _begin(self, id: str, keeper: Keeper) -> None:
        self._keepers[id] = keeper
        self._runs[id] = asyncio.create_task(self._run(id, keeper), name=f"match {id}")

    async def _run(self, id: str, keeper: Keeper) -> None:
        try:
            await keeper.run()
        except Repeated:
            pass
        except Exception as error:
            self._failed(id, error)
            keeper.lost = error
        finally:
            keeper.stop()
            if isinstance(keeper.lost, Stale):
                self._admission.forget(id)
            await keeper.crew.cancel()
            await keeper.outbox.cancel()
            self._keepers.pop(id, None)
            self._runs.pop(id, None)

    async def _read(self, id: str) -> Match | None:
        rows = await self._ports.store.events(id)
        return fold(e.decode_row(row.name, row.version, row.payload) for row in rows) if rows else None

    def _failed(self, id: str, error: Exception) -> None:
        """A match that fails again and again is left alone, and the others go on."""
        self._failures[id] += 1
        last = self._failures[id] >= MOST_FAILURES
        if last:
            self._admission.forget(id)
        what = "left alone until a restart" if last else "tried again"
        log.error("match %s failed; it is %s", id, what, exc_info=error)

    async def _load(self, id: str) -> Keeper | None:
        try:
            return await self._take_up(id)
        except (StoreError, Stale):
            raise
        except Exception as error:
            self._failed(id, error)
            return None
        finally:
            self._loading.pop(id, None)

    async def _take_up(self, id: str) -> Keeper | None:
        store = self._ports.store
        row = await store.match(id)
        match = await self._read(id) if row else None
        if row is None or match is None:
            return None
        posts, boards, jobs = await store.posts(id), await store.boards(id), await store.jobs(id)
        unfinished = any(post.state in ("pending", "sending") for post in posts)
        if match.over and not unfinished and all(job.state != "pending" for job in jobs):
            return None
        keeper = Keeper(
            self._tools, match, row, posts, boards, Crew(self._hands, jobs),
            lambda keeper: Outbox(keeper, self._ports.venue, self._ports.time, posts),
        )  # fmt: skip
        self._keep(keeper)
        self._admission.note(match)
        await keeper.recover(_gaps(self._earlier, id, self._began))
        keeper.crew.resume()
        keeper.outbox.resume()
        self._begin(id, keeper)
        return keeper

    async def _beat(self) -> None:
        await self._ports.store.beat(self._ports.time.wall())

    async def _poll(self) -> None:
        now = self._ports.time.wall()
        for id in await self._ports.store.due(now + WAKE_AHEAD_MS):
            await self.wake(id)
        for keeper in list(self._keepers.values()):
            if _may_sleep(keeper, now):
                keeper.stop()

    async def _every(self, seconds: float, act: Callable[[], Awaitable[None]]) -> None:
        while True:
            await self._ports.time.sleep(seconds)
            try:
                await act()
            except (StoreError, Stale) as error:
                log.warning("%s", error)
            except Exception:
                log.exception("the host's clockwork stumbled")


def _gaps(runs: Sequence[RunRow], match: str, now: int) -> list[tuple[int, int]]:
    """The stretches of wall time in which no process held the match."""
    held = [run for run in runs if run.holds in (None, match)]
    ends = [run.last_wall for run in held]
    starts = [*(run.started_wall for run in held[1:]), now][: len(held)]
    return list(zip(ends, starts, strict=True))


def _may_sleep(keeper: Keeper, now: int) -> bool:
    match = keeper.match
    if match.seq == 0 or match.over or not (keeper.idle and keeper.crew.done and keeper.outbox.done):
        return False
    if not match.clock.running:
        return True
    due = match.next_due
    wall = match.clock.wall_at(due) if due is not None else None
    return wall is not None and wall - now > SLEEP_AFTER_MS
