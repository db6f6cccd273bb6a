"""Delivery of what people read: posts strictly in order, boards as their latest state (docs/architecture.md,
"Delivery").

A post is committed as `sending`, sent, and committed as `delivered` with the platform's id; nothing else posts in a
match's thread. So at most one post is in doubt, after a crash or an error that does not tell, and our newest message
beyond the last delivered one, if there is one, is it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.host import work
from bot.host.ports import BoardRow, Change, Delivered, PostRow, Stale, StoreError, Time, Venue, VenueError
from bot.rules.match import Clip

if TYPE_CHECKING:
    from bot.host.keeper import Keeper

log = logging.getLogger(__name__)

BACKOFF_S = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
UNDELIVERED_FOR_S = 60.0
"""A post that gates play and cannot be delivered for so long stops the clock."""
SLOW_DELIVERY_MS = 1_000


class Outbox:
    """The deliveries of one match."""

    def __init__(self, keeper: Keeper, venue: Venue, time: Time, posts: Sequence[PostRow]) -> None:
        self._keeper = keeper
        self._venue = venue
        self._time = time
        self._pending = deque(post for post in posts if post.state in ("pending", "sending"))
        self._doubtful = {post.n for post in posts if post.state == "sending"}
        delivered = [post for post in posts if post.state == "delivered"]
        # Of posts that were edited into one message, the first made it.
        self._last_id = next(reversed(dict.fromkeys(post.platform_id for post in delivered)), None)
        self._added = {post.n: time.monotonic() for post in self._pending}
        self._news = asyncio.Event()
        self._sounding: set[str] = set()
        """Marks of the speeches that were posted together with their sound."""
        self._marks = {post.mark: post.platform_id for post in delivered if post.mark and post.platform_id}
        self._arrived = asyncio.Event()
        self._dirty: dict[str, BoardRow] = {}
        self._posting: asyncio.Task[None] | None = None
        self._showing: asyncio.Task[None] | None = None
        self.blocked = False
        """True while the match stands still because a post cannot be delivered."""

    @property
    def idle(self) -> bool:
        return not self._pending

    @property
    def done(self) -> bool:
        return not self._pending and not self._dirty

    def resume(self) -> None:
        """Take up what an earlier process left undelivered."""
        self.add(())
        self.refresh([board for board in self._keeper.boards.values() if board.shown < board.version])

    def add(self, posts: Sequence[PostRow]) -> None:
        self._pending.extend(posts)
        self._added.update({post.n: self._time.monotonic() for post in posts})
        self.look_again()
        if self._pending and (self._posting is None or self._posting.done()):
            self._posting = asyncio.create_task(self._post_all(), name=f"{self._keeper.match.id} posts")

    def refresh(self, boards: Sequence[BoardRow]) -> None:
        if self._venue.board_every_s is None:
            return
        self._dirty.update({board.key: board for board in boards})
        if self._dirty and (self._showing is None or self._showing.done()):
            self._showing = asyncio.create_task(self._show_all(), name=f"{self._keeper.match.id} boards")

    def look_again(self) -> None:
        """A clip may be ready, or be given up."""
        self._news.set()

    async def cancel(self) -> None:
        tasks = [task for task in (self._posting, self._showing) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --------------------------------------------------------------------------------------------- posts

    async def _post_all(self) -> None:
        try:
            while self._pending:
                post = self._pending[0]
                await self._wait_for_clip(post)
                if post.state == "pending":
                    post = self._pending[0] = await self._sending(post)
                delivered = await self._deliver(post)
                if delivered is None:
                    return
                await self._delivered(post, delivered)
        except Exception as error:
            if not isinstance(error, StoreError | Stale):
                log.exception("posts of match %s stop", self._keeper.match.id)
            self._keeper.fail(error)
        finally:
            self._keeper.nudge()

    async def _found(self, post: PostRow) -> Delivered | None:
        """The post in doubt, if it arrived. Where nobody can ever look, sending tells whether the thread is lost."""
        try:
            return await self._venue.newest_ours(self._keeper.thread, self._last_id)
        except VenueError as error:
            if not error.lasting:
                raise
            log.warning("could not look for post %d of match %s: %s", post.n, post.match, error)
            return None

    async def _sending(self, post: PostRow) -> PostRow:
        sending = replace(post, state="sending", sent_wall=self._time.wall())
        await self._keeper.write(Change(posts_changed=(sending,)))
        return sending

    async def _deliver(self, post: PostRow) -> Delivered | None:
        """Try until it arrives. None: it never will, and the match was told."""
        began = self._time.monotonic()
        # The same at every attempt: of one that arrived unnoticed, the venue may take the next for a repetition.
        clip = self._clip(post)
        attempt = 0
        in_doubt = post.n in self._doubtful
        while True:
            try:
                if in_doubt and (found := await self._found(post)) is not None:
                    return found
                in_doubt = False
                delivered = await self._venue.post(self._keeper.thread, post, self._marks.get(post.mark or ""), clip)
            except VenueError as error:
                if error.lasting:
                    await self._give_up(error)
                    return None
                if error.doubtful:
                    self._doubtful.add(post.n)
                    in_doubt = True
                wait = error.retry_after or BACKOFF_S[min(attempt, len(BACKOFF_S) - 1)]
                attempt += 1
                log.warning("post %d of match %s not delivered (%s); again in %.1f s", post.n, post.match, error, wait)
            else:
                # What may have been sent before without its clip is looked at again by `attach`.
                if clip is not None and post.mark is not None and post.n not in self._doubtful:
                    self._sounding.add(post.mark)
                return delivered
            if not self.blocked and self._gates_play() and self._time.monotonic() - began >= UNDELIVERED_FOR_S:
                self.blocked = True
                self._keeper.stand_still()
            await self._time.sleep(wait)

    async def _delivered(self, post: PostRow, delivered: Delivered) -> None:
        """Commit the delivery, and in the same transaction what waited for it and that the next post is being sent."""
        done = replace(post, state="delivered", platform_id=delivered.platform_id, delivered_wall=self._time.wall())
        changed = [done]
        if len(self._pending) > 1 and not self._clip_wait(self._pending[1]):
            self._pending[1] = replace(self._pending[1], state="sending", sent_wall=self._time.wall())
            changed.append(self._pending[1])
        if delivered.platform_id != self._marks.get(post.mark or ""):
            self._last_id = delivered.platform_id
        if post.mark is not None:
            self._marks[post.mark] = delivered.platform_id
            self._arrived.set()
        if self.blocked:
            self.blocked = False
            self._keeper.go_on()
        if post.gate is None:
            await self._keeper.write(Change(posts_changed=changed))
        else:
            assert done.sent_wall is not None and done.delivered_wall is not None
            slow = done.delivered_wall - done.sent_wall > SLOW_DELIVERY_MS
            await self._keeper.gate_passed(post.gate, delivered.wall, slow=slow, posts=changed)
        self._pending.popleft()
        self._added.pop(post.n, None)

    async def _wait_for_clip(self, post: PostRow) -> None:
        while (seconds := self._clip_wait(post)) > 0:
            self._news.clear()
            await self._time.wait(self._news, seconds)

    def _clip_wait(self, post: PostRow) -> float:
        """How long a speech is to be held for its sound; never while play waits for a post behind it."""
        gate_behind = any(later.gate is not None for later in self._pending if later.n > post.n)
        if post.state != "pending" or gate_behind or self._keeper.match.clock.virtual:
            return 0.0
        speech = _speech(post)
        if speech is None or self._clip(post) is not None or not self._keeper.crew.expects(work.clip_key(*speech)):
            return 0.0
        return max(0.0, self._added[post.n] + self._venue.clip_wait_s - self._time.monotonic())

    def _clip(self, post: PostRow) -> Clip | None:
        """The sound of what was said, if it is there and this venue wants it with the speech."""
        speech = _speech(post)
        part = self._keeper.match.part(*speech) if speech is not None and self._venue.clip_wait_s else None
        return part.clip if part is not None else None

    def _gates_play(self) -> bool:
        return any(post.gate is not None for post in self._pending)

    async def _give_up(self, error: VenueError) -> None:
        log.warning("the thread of match %s is lost: %s", self._keeper.match.id, error)
        dropped = [replace(post, state="dropped") for post in self._pending]
        await self._keeper.write(Change(posts_changed=dropped))
        self._pending.clear()
        self._arrived.set()
        self._keeper.thread_lost()

    async def attach(self, mark: str, clip: Clip) -> None:
        """Add a clip to the message of that mark, once it is delivered, unless it went with it. Given up when the
        venue will never take it."""
        while mark not in self._marks:
            if not self._pending:
                return  # dropped with its thread
            self._arrived.clear()
            await self._arrived.wait()
        if mark in self._sounding:
            return
        for wait in (*BACKOFF_S, None):
            try:
                await self._venue.attach(self._keeper.thread, self._marks[mark], self._keeper.match.id, clip)
                return
            except VenueError as error:
                log.warning("clip %s of match %s not attached: %s", clip.file, self._keeper.match.id, error)
                if error.lasting or wait is None:
                    return
                await self._time.sleep(error.retry_after or wait)

    # --------------------------------------------------------------------------------------------- boards

    async def _show_all(self) -> None:
        """Show what changed, and wait after each edit: what changes meanwhile is shown once, as it is then."""
        try:
            failures = 0
            while self._dirty:
                board = self._dirty.pop(next(iter(self._dirty)))
                if await self._show(board):
                    failures = 0
                elif failures < len(BACKOFF_S):
                    self._dirty.setdefault(board.key, board)
                    await self._time.sleep(BACKOFF_S[failures])
                    failures += 1
                if not self._keeper.match.over:
                    await self._time.sleep(self._venue.board_every_s or 0)
        except (StoreError, Stale) as error:
            log.warning("boards of match %s stop: %s", self._keeper.match.id, error)
        finally:
            self._keeper.nudge()

    async def _show(self, board: BoardRow) -> bool:
        """Show one board. False: it is worth another try."""
        known = self._keeper.boards.get(board.key, board)
        try:
            platform_id = await self._venue.show(self._keeper.thread, replace(board, platform_id=known.platform_id))
        except VenueError as error:
            log.warning("board %s of match %s not shown: %s", board.key, board.match, error)
            return error.lasting
        current = self._keeper.boards.get(board.key, board)
        self._keeper.boards[board.key] = replace(current, shown=board.version, platform_id=platform_id)
        await self._keeper.write(Change(boards=(self._keeper.boards[board.key],)))
        return True


def _speech(post: PostRow) -> tuple[int, int, int] | None:
    """Round, slot and part of what a post says, if it is a speech."""
    kind, *numbers = (post.mark or "").split(":")
    if kind != "speech":
        return None
    round, n, part = map(int, numbers)
    return round, n, part
