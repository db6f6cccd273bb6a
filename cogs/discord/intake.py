"""What people type in the threads of debates, live and after a gap in the connection.

A typed message is a turn when its author has the floor. Everything else is handled as the community wants it. What was
sent while we were cut off is read from the thread afterwards; until then no unanswered slot is closed.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from typing import TYPE_CHECKING

import discord

from bot.actions import speak
from bot.actions.actor import Reply
from bot.messages.card import people_named
from bot.rules.match import Match, Stage
from bot.venues.discord import errors
from bot.venues.discord.incoming import as_read
from bot.venues.discord.payload import allowed
from bot.venues.discord.place import Place
from bot.venues.discord.text import People as Shown
from bot.venues.discord.text import fit, rich

if TYPE_CHECKING:
    from cogs.discord.bot import Rostrum

log = logging.getLogger(__name__)

CUT_OFF_HOLD_S = 600.0
"""A slot waits so long for what its speaker may have sent while we were cut off."""
NOTICE_FOR_S = 30.0
"""A notice to the author of a message is taken back after so long."""
_PATIENCE, _A_MOMENT_S = 40, 0.05
_MISSED = 200
_READ_AT_ONCE = 8
_REMEMBERED = 5_000
OUT_OF_TURN = "\N{SPEAKER WITH CANCELLATION STROKE}"
_TYPED = (discord.MessageType.default, discord.MessageType.reply)


class Intake:
    """Takes messages in, each once."""

    def __init__(self, bot: Rostrum) -> None:
        self._bot = bot
        self._cut: set[int | str] = set()
        self._seen: OrderedDict[int, int] = OrderedDict()
        self._taken: OrderedDict[int, None] = OrderedDict()
        self._told: OrderedDict[tuple[int, int], None] = OrderedDict()
        self._catching: asyncio.Task[None] | None = None

    # --------------------------------------------------------------------------------------------- live

    async def take(self, message: discord.Message) -> None:
        """A message arrived. Most are not for us, and are let go without any work."""
        match_id = self._bot.threads.match(message.channel.id)
        if match_id is None or not _typed_by_a_person(message):
            return
        if self._is_new(message):
            await self._bot.home.run(self._guarded(message, match_id))

    async def _guarded(self, message: discord.Message, match_id: str) -> None:
        try:
            await self._heard(message, match_id)
        except Exception:
            log.exception("message %d could not be taken in", message.id)

    async def _heard(self, message: discord.Message, match_id: str) -> None:
        bot = self._bot
        if bot.threads.is_over(match_id):
            return
        if message.guild is None:
            return
        actor = await bot.people.of_message(message)
        match = await self._settled(match_id, actor.person)
        if match is None:
            return
        if not _has_floor(match, actor.person):
            await self._out_of_turn(message, match, actor.person)
            return
        text = as_read(
            message.content,
            {user.id: user.display_name for user in message.mentions},
            {role.id: role.name for role in message.role_mentions},
            {channel.id: getattr(channel, "name", "") for channel in message.channel_mentions},
        )
        if not message.content:
            if bot.intents.message_content:
                await self._notify(message, Reply(bot.say("discord.no_text")))
            else:  # Discord keeps what was written from us
                await self._tell_once(message, bot.say("discord.use_the_button"))
            return
        reply = await speak.speak(bot.services, actor, match_id, text)
        if reply.code == "word_blocked":  # everybody reads the notice: neither the word nor the text belongs in it
            reply = Reply(bot.say("discord.unwanted"), ok=False, code=reply.code)
        if not reply.ok:
            await self._notify(message, reply)

    async def _settled(self, match_id: str, person: str) -> Match | None:
        """The state. Whoever answers a prompt before its delivery has reached us is about to get the floor."""
        host = self._bot.services.host
        for _ in range(_PATIENCE):
            match = await host.state(match_id)
            if match is None or not _is_called(match, person):
                return match
            await host.time.sleep(_A_MOMENT_S)
        return await host.state(match_id)

    async def _out_of_turn(self, message: discord.Message, match: Match, person: str) -> None:
        policy = await self._bot.policy(match.community)
        if policy.out_of_turn == "remove":
            await self._quietly(message.delete())
        elif policy.out_of_turn == "react" and match.seat_of(person) is not None:
            await self._quietly(message.add_reaction(OUT_OF_TURN))

    async def _notify(self, message: discord.Message, reply: Reply) -> None:
        """Say to an author why a message was no turn: a reply, taken back after a while, that notifies nobody."""
        people = Shown(await self._bot.accounts(people_named(reply.text)), self._bot.say("person.erased"))
        text = fit(rich(reply.text, people), 1_900)
        await self._quietly(
            message.reply(text, allowed_mentions=allowed(()), mention_author=False, delete_after=NOTICE_FOR_S)
        )

    async def _tell_once(self, message: discord.Message, text: str) -> None:
        key = (message.channel.id, message.author.id)
        if key not in self._told:
            self._told[key] = None
            while len(self._told) > _REMEMBERED:
                self._told.popitem(last=False)
            await self._notify(message, Reply(text))

    @staticmethod
    async def _quietly(call: object) -> None:
        """A courtesy: that it fails (no permission, the message is gone) changes nothing."""
        try:
            await call  # type: ignore[misc] # a coroutine of discord.py
        except Exception as error:
            if errors.sorted_out(error) is None:
                raise
            log.info("a courtesy failed: %s", error)

    # --------------------------------------------------------------------------------------------- gaps

    def cut_off(self, what: int | str) -> None:
        """The connection is down (or not up yet): hold slots open."""
        self._cut.add(what)
        if self._bot.is_up:
            self._bot.venue.hold_s = CUT_OFF_HOLD_S

    async def reconnected(self, what: int | str) -> None:
        """The connection is there again: read what was missed, then close what is due."""
        if not self._bot.is_up or what not in self._cut:
            return
        self._cut.discard(what)
        if not self._cut:
            self._catching = self._bot.home.spawn(self._catch_up(), name="catching up")
            await asyncio.shield(self._catching)

    async def _catch_up(self) -> None:
        bot = self._bot
        try:
            at_once = asyncio.Semaphore(_READ_AT_ONCE)

            async def read(match_id: str, place: Place) -> None:
                async with at_once:
                    match = await self._called(match_id)
                    if match is not None and match.slot is not None and match.slot.stage is Stage.OPEN:
                        await self._read_missed(match, place)

            await asyncio.gather(*(read(*one) for one in bot.threads.live()))
        finally:
            if not self._cut:
                bot.venue.hold_s = bot.venue.usual_hold_s
                bot.services.host.look_again()

    async def _called(self, match_id: str) -> Match | None:
        """The state, once it is known whether the call to a speaker that was being sent had arrived."""
        host = self._bot.services.host
        for _ in range(_PATIENCE):
            match = host.peek(match_id) or await host.state(match_id)  # one that sleeps has a day for its turns
            if match is None or match.slot is None or match.slot.stage is not Stage.CALLED or not match.clock.running:
                return match
            await host.time.sleep(_A_MOMENT_S)
        return host.peek(match_id)

    async def _read_missed(self, match: Match, place: Place) -> None:
        """Messages of a thread that came while we were away. Those that were taken in before find their receipts."""
        match_id, thread = match.id, place.thread
        after = max(self._seen.get(thread, 0), await self._call(match))
        parent = self._bot.get_channel(place.channel)
        guild = parent.guild.id if isinstance(parent, discord.abc.GuildChannel) else None
        try:
            channel = self._bot.get_partial_messageable(thread, guild_id=guild)  # else its messages name no server
            async for message in channel.history(
                limit=_MISSED, after=discord.Object(after) if after else None, oldest_first=True
            ):
                if _typed_by_a_person(message):
                    if self._is_new(message):
                        await self._guarded(message, match_id)
        except Exception as error:
            if errors.sorted_out(error) is None:
                raise
            log.warning("what was missed in thread %d cannot be read: %s", thread, error)

    async def _call(self, match: Match) -> int:
        """The message that calls the speaker: whatever answers it comes after it. Other posts may have come since."""
        assert match.round is not None and match.slot is not None
        gate = f"slot:{match.round.number}:{match.slot.plan.n}"
        posts = await self._bot.application_behind.store.posts(match.id)
        calls = [post.n for post in posts if post.gate == gate]
        last = calls[-1] if calls else max((post.n for post in posts), default=0)
        return max((int(post.platform_id) for post in posts if post.platform_id and post.n <= last), default=0)

    def _is_new(self, message: discord.Message) -> bool:
        """Note a message. One that is delivered again, or read again, must not be taken for one out of turn."""
        if message.id in self._taken:
            return False
        self._taken[message.id] = None
        while len(self._taken) > _REMEMBERED:
            self._taken.popitem(last=False)
        thread = message.channel.id
        self._seen[thread] = max(message.id, self._seen.get(thread, 0))
        self._seen.move_to_end(thread)
        while len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)
        return True


def _typed_by_a_person(message: discord.Message) -> bool:
    return not message.author.bot and message.webhook_id is None and message.type in _TYPED


def _has_floor(match: Match, person: str) -> bool:
    return _is_at(match, person, Stage.OPEN)


def _is_called(match: Match, person: str) -> bool:
    return _is_at(match, person, Stage.CALLED)


def _is_at(match: Match, person: str, stage: Stage) -> bool:
    slot, seat = match.slot, match.seat_of(person)
    return slot is not None and seat is not None and slot.stage is stage and seat.id in slot.plan.seats
