"""The one writer of one match: its mailbox, its clock, its deadlines (docs/architecture.md, "Host").

Everything that happens to an awake match passes through its keeper's mailbox in order: what people do, what is due,
what jobs and deliveries bring back. Each command is decided on the current state and committed before the next is
looked at.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from bot.host import outbox, work
from bot.host.admission import Admission
from bot.host.committer import Committer, Repeated
from bot.host.crew import Crew
from bot.host.ports import (
    BoardRow,
    Change,
    EventRow,
    JobRow,
    MatchRow,
    PostRow,
    Publisher,
    ReceiptRow,
    Stale,
    StoreError,
    Time,
    Veto,
)
from bot.rules import commands as c
from bot.rules import events as e
from bot.rules.decide import decide
from bot.rules.evolve import fold
from bot.rules.match import Match, Stage, Status
from bot.rules.rejection import Rejection, reject

log = logging.getLogger(__name__)

PUNCTUAL_MS = 250
"""What is due happens at its due time in the record unless the host is later than this (wall time)."""
STOPPED_TOO_LONG_MS = 24 * 3600 * 1000
"""A match that stood still for so long is cancelled, with refunds."""
FRUITLESS_S = 1.0
"""The wait before something due is tried again that was refused."""
RETRY_STORE_S = (0.2, 1.0, 2.0, 5.0)
"""Waits before the host's own commands are tried again when the store has trouble; the last one repeats."""

_PASSED_BY = ("stale_slot", "nothing_revealed", "match_over", "not_started")
"""A delivery that play does not wait for any more."""
DOWNTIME = "downtime"
UNDELIVERED = "undelivered"


@dataclass(frozen=True, slots=True)
class Accepted:
    """The command's events, committed. `match` is the state after them."""

    events: tuple[e.Event, ...]
    match: Match


Outcome = Accepted | Rejection


@dataclass(frozen=True, slots=True)
class Receipt:
    """Makes a delivery answer once: the same `key` in a community finds the answer given the first time."""

    community: str
    key: str
    answer: Callable[[Sequence[e.Event], Match], str]
    """The answer to keep (JSON), from what the command brought about."""


@dataclass(slots=True, eq=False)
class Letter:
    """A command in the mailbox, with what else its transaction writes. `at` from a wall time is set when it is
    opened."""

    command: c.Command
    wall: int | None = None
    """The platform's own time stamp; None: now."""
    exact: bool = False
    """Keep the command's own `at`."""
    posts: Sequence[PostRow] = ()
    jobs: Sequence[JobRow] = ()
    receipt: Receipt | None = None
    answer: asyncio.Future[Outcome] | None = None


@dataclass(frozen=True, slots=True)
class Tools:
    """What every keeper works with."""

    committer: Committer
    publisher: Publisher
    time: Time
    seen: Callable[[str, str], Awaitable[str | None]]
    """The answer already given to (community, key)."""
    starter: Callable[[Match, int], c.Start]
    """Makes the command that starts an expired lobby."""
    hold_s: Callable[[], float]
    """How long (wall time) an unanswered slot of a person is held open for a late delivery, as it is now."""
    admission: Admission
    """Who may run."""
    watch: Callable[[Match, Sequence[e.Event]], None]
    """Told after each commit."""


class Keeper:
    """Runs one match until it is over, asleep, or taken over by another process."""

    def __init__(
        self, tools: Tools, match: Match, row: MatchRow | None, posts: Sequence[PostRow], boards: Sequence[BoardRow],
        crew: Crew, deliver: Callable[[Keeper], outbox.Outbox],
    ) -> None:  # fmt: skip
        self.match = match
        self.thread = row.thread if row else None
        self.opened_wall = row.opened_wall if row else tools.time.wall()
        self.boards = {board.key: board for board in boards}
        self.next_post = max((post.n for post in posts), default=0) + 1
        self.crew = crew
        self.outbox = deliver(self)
        self._tools = tools
        self._mail: deque[Letter] = deque()
        self._wanted = asyncio.Event()
        self._stopping = False
        self.lost: Exception | None = None
        """Why the keeper gave up, if it did."""

    # --------------------------------------------------------------------------------------------- from outside

    def send(self, letter: Letter) -> None:
        self._mail.append(letter)
        self._wanted.set()

    async def ask(self, letter: Letter) -> Outcome:
        """Send and wait for the outcome. Raises Repeated or StoreError."""
        letter.answer = asyncio.get_running_loop().create_future()
        if self._stopping:
            return reject("stopping")
        self.send(letter)
        return await letter.answer

    def nudge(self) -> None:
        """Something that the clock or a post waits for (a job, a delivery, the end of a hold) has come: look again."""
        self._wanted.set()
        self.outbox.look_again()

    def stop(self) -> None:
        self._stopping = True
        self._wanted.set()

    @property
    def stopping(self) -> bool:
        return self._stopping

    @property
    def idle(self) -> bool:
        """No work at hand: mailbox, jobs and deliveries are empty."""
        return not self._mail and self.crew.idle and self.outbox.idle

    def now(self) -> int:
        """The match time."""
        return max(self.match.now, self.match.clock.match_at(self._tools.time.wall()))

    # --------------------------------------------------------------------------------------------- the loop

    async def run(self) -> None:
        try:
            while not self._stopping:
                if self._mail:
                    await self._open(self._mail.popleft())
                    continue
                due = self._due()
                if due is not None and due <= 0:
                    seq = self.match.seq
                    await self._open(self._due_letter())
                    if self.match.seq == seq and not self._mail:
                        await self._wait(FRUITLESS_S)  # refused (a veto, say): tried again, but not in a storm
                    continue
                if self.match.over and self.idle and self.crew.done and self.outbox.done:
                    break
                await self._wait(due)
        except Stale as error:
            log.warning("match %s is held by another process; letting it go", self.match.id)
            self.lost = error
        except StoreError as error:
            self.lost = error
        finally:
            self._stopping = True
            for letter in self._mail:
                if letter.answer is not None and not letter.answer.done():
                    letter.answer.set_result(reject("stopping"))
            self._mail.clear()

    async def _wait(self, seconds: float | None) -> None:
        self._wanted.clear()
        if self._mail:
            return
        if seconds is None:
            await self._wanted.wait()
            return
        await self._tools.time.wait(self._wanted, seconds)

    def _due(self) -> float | None:
        """Seconds of wall time until the match must be looked at; 0 or less: now; None: not by itself."""
        match = self.match
        if match.over or match.seq == 0:
            return None
        if not match.clock.running:
            return (match.clock.wall + STOPPED_TOO_LONG_MS - self._tools.time.wall()) / 1000
        due = match.next_due
        if due is None:
            return None
        if match.clock.virtual:
            return 0.0 if self.idle else None
        wall = match.clock.wall_at(due)
        assert wall is not None
        hold = self._tools.hold_s() if match.awaits_person else 0.0
        return (wall - self._tools.time.wall()) / 1000 + hold

    def _due_letter(self) -> Letter:
        match = self.match
        if not match.clock.running:
            cancel = c.Cancel(at=match.now, by=c.SYSTEM, reason="stopped_too_long")
            return Letter(cancel, exact=True)
        due = match.next_due
        assert due is not None
        late_ms = 0.0 if match.clock.virtual else (self.now() - due) / match.clock.speed
        at = due if late_ms <= PUNCTUAL_MS or match.awaits_person else self.now()
        if match.status is Status.LOBBY:
            return Letter(self._tools.starter(match, at), exact=True)
        return Letter(c.Tick(at=at), exact=True)

    # --------------------------------------------------------------------------------------------- one command

    async def _open(self, letter: Letter) -> None:
        try:
            outcome = await (self._start(letter) if isinstance(letter.command, c.Start) else self._handle(letter))
        except (Repeated, StoreError, Stale) as error:
            if letter.answer is None or letter.answer.done():
                raise
            letter.answer.set_exception(error)
            if isinstance(error, Stale):
                raise
            return
        if letter.answer is not None and not letter.answer.done():
            letter.answer.set_result(outcome)

    async def _start(self, letter: Letter) -> Outcome:
        """Start the match if there is a place for it, else let it wait in line."""
        assert isinstance(letter.command, c.Start)
        since = self._tools.admission.ask(self.match, self._tools.time.wall())
        letter.command = replace(letter.command, queue_wall=since)
        try:
            return await self._handle(letter)
        finally:
            self._tools.admission.note(self.match)

    async def _handle(self, letter: Letter) -> Outcome:
        before = self.match
        command = letter.command if letter.exact else replace(letter.command, at=self._at(letter))
        decided = decide(before, command)
        refusal = decided if isinstance(decided, Rejection) else None
        if refusal is not None and letter.receipt is not None:
            # Refused because it was done already? Then it gets the answer it got then.
            answer = await self._tools.seen(letter.receipt.community, letter.receipt.key)
            if answer is not None:
                raise Repeated(answer)
        events: list[e.Event] = [] if isinstance(decided, Rejection) else decided
        after = fold(events, before)
        change = self._change(letter, before, events, after)
        if change is not None:
            try:
                await self._commit(letter, change, before, after, events)
            except Veto as veto:
                return veto.rejection
        if events:
            self.match = after
            self.next_post += len(change.posts) if change else 0
            for board in change.boards if change else ():
                self.boards[board.key] = board
            self._react(events, change)
        return refusal or Accepted(tuple(events), after)

    def _at(self, letter: Letter) -> int:
        """The match time a command counts for: that of the platform's stamp, or now."""
        if letter.wall is None:
            return self.now()
        # A platform whose clock is ahead of ours must not push the match into the future.
        return self.match.clock.match_at(min(letter.wall, self._tools.time.wall()))

    async def _commit(
        self, letter: Letter | None, change: Change, before: Match, after: Match, events: Sequence[e.Event]
    ) -> None:
        """Commit. The host's own commands are tried again while the store has trouble, for nothing must be lost of
        them."""
        for attempt in range(1_000_000):
            try:
                await self._tools.committer.commit(change, before, after, events)
                return
            except StoreError:
                if (letter and letter.answer) or self._stopping or attempt >= self.patience:
                    raise
                log.warning("match %s waits for the store", before.id)
                await self._tools.time.sleep(RETRY_STORE_S[min(attempt, len(RETRY_STORE_S) - 1)])

    patience = 1_000_000
    """How often the host's own commands are tried again. The demo sets it low, to fail with a clear message."""

    def _change(self, letter: Letter, before: Match, events: Sequence[e.Event], after: Match) -> Change | None:
        wall = self._tools.time.wall()
        rows = [
            EventRow(after.id, before.seq + number, *e.encode(event), wall) for number, event in enumerate(events, 1)
        ]
        if not rows:
            if not letter.posts and not letter.jobs:
                return None
            return Change(posts_changed=letter.posts, jobs_changed=letter.jobs)
        posts = self._posts(before, events)
        return Change(
            match=self._row(after),
            events=rows,
            posts=posts,
            posts_changed=letter.posts,
            boards=self._boards(events, after),
            jobs=work.jobs_for(events, after),
            jobs_changed=letter.jobs,
            receipts=(_receipt_row(letter.receipt, events, after, wall),) if letter.receipt else (),
        )

    def _posts(self, before: Match, events: Sequence[e.Event]) -> list[PostRow]:
        posts: list[PostRow] = []
        state = before
        for event in events:
            following = fold((event,), state)
            for draft in self._tools.publisher.posts(state, event, following):
                n = self.next_post + len(posts)
                posts.append(PostRow(following.id, n, draft.kind, draft.body, draft.gate, mark=draft.mark))
            state = following
        return posts

    def _boards(self, events: Sequence[e.Event], after: Match) -> list[BoardRow]:
        rows: list[BoardRow] = []
        for key, body in self._tools.publisher.boards(events, after).items():
            known = self.boards.get(key)
            if known is None:
                rows.append(BoardRow(after.id, key, after.seq, body))
            elif known.body != body:
                rows.append(replace(known, version=after.seq, body=body))
        return rows

    def _row(self, after: Match) -> MatchRow:
        return MatchRow(
            id=after.id,
            community=after.community,
            status=after.status.value,
            format=after.rules.name,
            host=after.host,
            thread=self.thread,
            seq=after.seq,
            wake_at=self._wake_at(after),
            opened_wall=self.opened_wall,
        )

    def _wake_at(self, after: Match) -> int | None:
        if after.over:
            return None
        if not after.clock.running:
            return after.clock.wall + STOPPED_TOO_LONG_MS
        due = after.next_due
        wall = after.clock.wall_at(due) if due is not None else None
        # A match that waits for a delivery, or whose clock is virtual, needs a process at once.
        return self._tools.time.wall() if wall is None else round(wall)

    # --------------------------------------------------------------------------------------------- afterwards

    def _react(self, events: Sequence[e.Event], change: Change | None) -> None:
        if change is not None:
            # Posts first: what people wait to read must not wait for a mind to think.
            self.outbox.add(change.posts)
            self.outbox.refresh(change.boards)
            self.crew.begin(change.jobs)
        for event in events:
            match event:
                case e.SlotOpened():
                    self.speak_for_ais()
                case e.JudgingOpened() | e.ClockStarted():
                    self.speak_for_ais()
                    self.vote_for_ais()
                case _:
                    pass
        self._tools.watch(self.match, events)

    def speak_for_ais(self) -> None:
        """Send in the turns that were prepared for the slot that is now open."""
        entry, slot = self.match.round, self.match.slot
        if entry is None or slot is None or slot.stage is not Stage.OPEN or slot.opened_at is None:
            return
        for seat in slot.plan.seats:
            said = self.crew.drafts.get((entry.number, slot.plan.n, seat))
            if said is None or any(part.seat == seat for part in slot.parts):
                continue
            speak = c.Speak(
                at=slot.opened_at,
                seat=seat,
                text=said.text,
                move=said.move,
                slot=(entry.number, slot.plan.n),
                source=said.source,
                fallback=said.fallback,
                model=said.model,
                why=said.why,
                usage=said.usage,
            )
            # A turn that was ready before its slot opened is spoken at the opening; a later one when it comes.
            self.send(Letter(speak, exact=self.match.now == slot.opened_at))

    def vote_for_ais(self) -> None:
        """Send in the ballots that are ready."""
        entry = self.match.round
        judging = entry.judging if entry else None
        if entry is None or judging is None or judging.deadline is None or judging.closed_at is not None:
            return
        for judge in self.match.judges:
            voted = self.crew.ballots.get((entry.number, judge.id))
            if voted is None or any(ballot.judge == judge.id for ballot in judging.ballots):
                continue
            cast = c.Cast(
                at=0,
                judge=judge.id,
                vote=voted.vote,
                reason=voted.reason,
                scores=voted.scores,
                flags=voted.flags,
                round=entry.number,
                model=voted.model,
                usage=voted.usage,
            )
            self.send(Letter(cast))

    async def recover(self, gaps: Sequence[tuple[int, int]]) -> None:
        """Take the match up again after downtime: its clock stood still in every gap in which no process held it."""
        for began, ended in gaps:
            clock = self.match.clock
            if self.match.over or not clock.running or ended <= clock.wall:
                continue
            at = max(self.match.now, clock.match_at(began))
            wall = max(clock.wall, began)
            await self._handle(Letter(c.Pause(at=at, wall=wall, by=c.SYSTEM, why=DOWNTIME), exact=True))
            await self._handle(Letter(c.Resume(at=at, wall=ended, by=c.SYSTEM, recovered=True), exact=True))
        last = self.match.pauses[-1] if self.match.pauses else None
        stopped = not self.match.over and not self.match.clock.running
        if stopped and last is not None and last.by == c.SYSTEM and last.why in (DOWNTIME, UNDELIVERED):
            wall = self._tools.time.wall()
            resume = c.Resume(at=self.match.now, wall=wall, by=c.SYSTEM, recovered=last.why == DOWNTIME)
            await self._handle(Letter(resume, exact=True))
        self.speak_for_ais()
        self.vote_for_ais()

    # --------------------------------------------------------------------------------------------- for crew and outbox

    async def write(self, change: Change) -> None:
        """Commit what needs no decision. Raises StoreError or Stale."""
        await self._commit(None, change, self.match, self.match, ())

    async def store_job(self, row: JobRow) -> None:
        await self.write(Change(jobs_changed=(row,)))

    def break_ballot(self, command: c.Break) -> None:
        self.send(Letter(command))

    async def attach(self, command: c.AttachClip, job: JobRow) -> None:
        await self.ask(Letter(command, exact=True, jobs=(job,)))

    async def gate_passed(self, gate: str, wall: int, *, slow: bool, posts: Sequence[PostRow]) -> None:
        """A post that play waits for is seen; `wall` is the platform's stamp on it."""
        kind, number, *rest = gate.split(":")
        command: c.Command
        if kind == "reveal":
            command = c.RevealSeen(at=0, round=int(number), judge=rest[0], slow=slow)
        else:
            command = c.Prompted(at=0, round=int(number), n=int(rest[0]) if kind == "slot" else None)
        failures = 0
        while True:
            try:
                outcome = await self.ask(Letter(command, wall=wall, posts=posts))
            except StoreError:
                # Play waits for this, so it is tried again like the host's own commands.
                if self._stopping or failures >= self.patience:
                    raise
                await self._tools.time.sleep(RETRY_STORE_S[min(failures, len(RETRY_STORE_S) - 1)])
                failures += 1
                continue
            if not isinstance(outcome, Rejection) or outcome.code in _PASSED_BY:
                return
            if outcome.code == "stopping":
                raise StoreError("the match was let go before its delivery was noted")
            # Vetoed: play waits for this, so it is tried again.
            await self._tools.time.sleep(FRUITLESS_S)

    def fail(self, error: Exception) -> None:
        """Deliveries cannot go on: let the match go, for whoever waits for it and for the next process to take it
        up."""
        if not self._stopping:
            self.lost = error
            self.stop()

    def stand_still(self) -> None:
        """A gating post cannot be delivered: stop the clock rather than let people run out of time unseen."""
        wall = self._tools.time.wall()
        self.send(Letter(c.Pause(at=0, wall=wall, by=c.SYSTEM, why=UNDELIVERED)))

    def go_on(self) -> None:
        self.send(Letter(c.Resume(at=0, wall=self._tools.time.wall(), by=c.SYSTEM)))

    def thread_lost(self) -> None:
        """Nothing can be shown any more: cancel, with refunds."""
        if not self.match.over:
            self.send(Letter(c.Cancel(at=0, by=c.SYSTEM, reason="thread_lost")))


def _receipt_row(receipt: Receipt, events: Sequence[e.Event], after: Match, wall: int) -> ReceiptRow:
    return ReceiptRow(receipt.community, receipt.key, receipt.answer(events, after), wall)
