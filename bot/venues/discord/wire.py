"""Calls to Discord for one match's messages: what is repeated harmlessly, what is given up, and how errors come out."""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import discord

from bot.host.ports import Delivered, PostRow, VenueError
from bot.venues.discord import errors
from bot.venues.discord.pace import Pace, Urgency
from bot.venues.discord.payload import Payload, for_edit, for_send
from bot.venues.discord.place import Place, nonce, wall_of

ARCHIVE_AFTER_MIN = 1_440
TRY_FOR_S = 30.0
"""discord.py sleeps inside a call while a rate limit lasts. After so long the call is given up; its nonce makes trying
again harmless."""
_REMEMBERED = 1_000
COURTESY_EVERY_S = 2.5
"""So two of the five edits that Discord allows a thread in five seconds may be courtesies."""
_COURTESIES = (Urgency.SOUND, Urgency.TIDY)
T = TypeVar("T")


@dataclass(slots=True)
class _Courtesy:
    """The edits of a thread that play does not wait for."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    free_at: float = 0.0


class Wire:
    """A discord.py client, and the threads that take nothing any more."""

    def __init__(self, client: discord.Client, pace: Pace) -> None:
        self.client = client
        self._pace = pace
        self._courtesies: OrderedDict[int, _Courtesy] = OrderedDict()
        self._lost: OrderedDict[int, str] = OrderedDict()

    def thread(self, place: Place) -> discord.PartialMessageable:
        return self.client.get_partial_messageable(place.thread)

    def place(self, thread: str | None) -> Place:
        try:
            return Place.parse(thread or "")
        except ValueError as error:
            raise VenueError(str(error), lasting=True) from error

    def check_open(self, place: Place) -> None:
        why = self._lost.get(place.thread)
        if why is not None:
            raise VenueError(why, lasting=True)

    @contextlib.asynccontextmanager
    async def calling(
        self, place: Place, urgency: Urgency, *, gives_up: bool = True, repeatable: bool = True
    ) -> AsyncIterator[None]:
        """Wait for the turn of a request, turn what Discord answers into a VenueError, and give a thread up that takes
        nothing any more. Not `repeatable`: what is sent may have no nonce."""
        async with self._unhurried(place.thread) if urgency in _COURTESIES else contextlib.nullcontext():
            await self._pace.turn(urgency)
            try:
                async with asyncio.timeout(TRY_FOR_S):
                    yield
            except Exception as error:
                trouble = errors.sorted_out(error)
                if trouble is None:
                    raise
                if trouble.lasting and gives_up:
                    remember(self._lost, place.thread, trouble.text)
                raise trouble.error(repeatable=repeatable) from error

    @contextlib.asynccontextmanager
    async def _unhurried(self, thread: int) -> AsyncIterator[None]:
        """One courtesy after the other. In a crowd they all wait in line, and all at once they would use up the edits
        that Discord allows a thread, just when its votes are to be revealed."""
        courtesy = self._courtesies.pop(thread, None) or _Courtesy()
        remember(self._courtesies, thread, courtesy)
        async with courtesy.lock:
            clock = asyncio.get_running_loop().time
            await asyncio.sleep(courtesy.free_at - clock())
            try:
                yield
            finally:
                courtesy.free_at = clock() + COURTESY_EVERY_S / self._pace.times

    async def make_thread(self, place: Place, name: str) -> None:
        """Once per lobby message, whatever is repeated: Discord knows which message has its thread already."""
        if place.private or self.client.get_channel(place.thread) is not None:
            return
        try:
            await self.client.http.start_thread_with_message(
                place.channel,
                place.lobby,
                name=name,
                auto_archive_duration=ARCHIVE_AFTER_MIN,
                rate_limit_per_user=0,  # a channel's slow mode would keep a debater from speaking twice
            )
        except discord.HTTPException as error:
            if error.code != errors.THREAD_EXISTS:
                raise

    async def make_private_thread(self, channel: int, name: str) -> int:
        """A thread for those who are added to it. Nothing tells a repeated call from a second one, so it is made once,
        before anything depends on it."""
        made = await self.client.http.start_thread_without_message(
            channel,
            name=name,
            auto_archive_duration=ARCHIVE_AFTER_MIN,
            type=discord.ChannelType.private_thread.value,
            invitable=False,
            rate_limit_per_user=0,
        )
        return int(made["id"])

    async def send(self, place: Place, post: PostRow, payload: Payload) -> discord.Message:
        for again in (0, 1):
            try:
                return await self.thread(place).send(
                    nonce=nonce(post.match, post.n, post.kind, again), **for_send(payload)
                )
            except discord.NotFound as error:
                # Sent before and deleted since: Discord takes the nonce, but for nothing that is there.
                if error.code != errors.UNKNOWN_MESSAGE or again:
                    raise
        raise AssertionError("not reached")

    async def edit(self, place: Place, message: int, payload: Payload) -> Delivered | None:
        """Let a message become this. None when it was deleted: it is to be sent anew, for it says all that it said."""
        try:
            edited = await self.edit_open(place, message, **for_edit(payload))
        except discord.NotFound as error:
            if error.code != errors.UNKNOWN_MESSAGE:
                raise
            return None
        at = edited.edited_at
        return Delivered(str(message), round(at.timestamp() * 1000) if at else wall_of(message))

    async def edit_open(
        self, place: Place, message: int, by: discord.Webhook | None = None, **changes: Any
    ) -> discord.Message:
        """Edit, and open the thread first if it is archived: only a new message opens one by itself. `by` is the
        webhook that a message came by."""

        def edited() -> Awaitable[discord.Message]:
            if by is not None:
                return by.edit_message(message, thread=discord.Object(place.thread), **changes)
            return self.thread(place).get_partial_message(message).edit(**changes)

        try:
            return await edited()
        except discord.HTTPException as error:
            if error.code != errors.ARCHIVED:
                raise
        await self.client.http.edit_channel(place.thread, archived=False)
        for file in changes.get("attachments", ()):
            if isinstance(file, discord.File):
                file.reset()
        return await edited()

    def forget(self, place: Place) -> None:
        self._lost.pop(place.thread, None)


def remember(memory: OrderedDict[int, T], key: int, value: T) -> None:
    """Keep the newest of what only spares a request when it is known."""
    memory[key] = value
    while len(memory) > _REMEMBERED:
        memory.popitem(last=False)
