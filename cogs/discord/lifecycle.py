"""What happens to threads, channels, members and servers, and what it means for their matches."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import discord

from bot.actions import seats
from bot.actions.actor import Actor
from bot.host.ports import StoreError
from bot.rules import commands as c
from bot.rules.match import Status

if TYPE_CHECKING:
    from cogs.discord.bot import Rostrum

log = logging.getLogger(__name__)

LOCKED = "locked"
"""Why a match whose thread a moderator locked stands still. After a day of it the host cancels it."""


class Lifecycle:
    """Turns what Discord tells of its own world into commands to matches."""

    def __init__(self, bot: Rostrum) -> None:
        self._bot = bot

    async def thread_gone(self, thread: int) -> None:
        match = self._bot.threads.match(thread)
        if match is not None:
            await self._cancel([match])

    async def channel_gone(self, channel: int) -> None:
        await self._cancel(self._bot.threads.in_channel(channel))

    async def messages_gone(self, messages: Iterable[int]) -> None:
        """A lobby whose message was deleted cannot be joined. A match under way has its thread, and goes on."""
        for message in messages:
            match_id = self._bot.threads.match(message)
            match = await self._state(match_id) if match_id is not None else None
            if match is not None and match.status is Status.LOBBY:
                await self._cancel([match.id])

    async def thread_changed(self, thread: int, data: Mapping[str, Any]) -> None:
        """A locked thread stops its match; unlocked, it goes on. An archived one opens with the next message."""
        match_id = self._bot.threads.match(thread)
        locked = bool((data.get("thread_metadata") or {}).get("locked"))
        match = await self._state(match_id) if match_id is not None and self._bot.is_up else None
        if match is None or match.over:
            return
        host = self._bot.services.host
        wall = host.time.wall()
        if locked and match.clock.running:
            await self._tell(match.id, c.Pause(at=0, wall=wall, by=c.SYSTEM, why=LOCKED))
        elif not locked and not match.clock.running and match.pauses and match.pauses[-1].why == LOCKED:
            place = self._bot.threads.place(match.id)
            if place is not None:
                self._bot.venue.forget(str(place))
            await self._tell(match.id, c.Resume(at=0, wall=wall, by=c.SYSTEM))

    async def member_gone(self, guild: int, user: discord.abc.User) -> None:
        """Whoever leaves the server gives up their seat, and what they host to somebody else who is in it."""
        person = self._bot.people.known(guild, user.id) if self._bot.is_up else None
        if person is None:
            return
        for match_id, _ in self._bot.threads.live():
            match = self._bot.services.host.peek(match_id)
            if match is not None and (match.seat_of(person) is not None or match.host == person):
                actor = Actor(community=match.community, person=person)
                await self._bot.home.run(seats.leave(self._bot.services, actor, match_id))

    async def server_gone(self, guild: discord.Guild) -> None:
        """The bot was removed from a server: its matches end, with refunds."""
        if not self._bot.is_up:
            return
        community = await self._bot.home.run(self._bot.people.community(guild.id, guild.name or ""))
        gone = []
        for match_id, _ in self._bot.threads.live():
            match = await self._state(match_id)
            if match is not None and match.community == community:
                gone.append(match_id)
        await self._cancel(gone)

    async def seated(self, match_id: str, user: discord.abc.User) -> None:
        """Somebody took a seat, so they may read along even where the thread is private."""
        place = self._bot.threads.place(match_id)
        if place is not None:
            await self._bot.venue.admit(place, user.id)

    async def _cancel(self, matches: Iterable[str]) -> None:
        for match in matches:
            await self._tell(match, c.Cancel(at=0, by=c.SYSTEM, reason="thread_lost"))

    async def _tell(self, match: str, command: c.Command) -> None:
        try:
            await self._bot.home.run(self._bot.services.host.tell(match, command))
        except StoreError as error:
            log.error("match %s was not told of %s: %s", match, type(command).__name__, error)

    async def _state(self, match_id: str) -> Any:
        return await self._bot.home.run(self._bot.services.host.state(match_id))
