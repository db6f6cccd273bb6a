"""The Discord bot: one client, the application behind it, and what Discord tells it passed on to whoever handles it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Protocol

import discord
from discord import app_commands

from bot.actions.actor import Reply
from bot.actions.services import Services
from bot.catalogue import Persona, load_catalogue
from bot.community.policy import Policy
from bot.host.ports import MatchRow, PostRow
from bot.messages.card import people_named
from bot.messages.words import Words
from bot.rules.motion import Motion
from bot.venues.discord.text import People as Shown
from bot.venues.discord.venue import DiscordVenue
from cogs.discord import commands, sync
from cogs.discord.answers import Answers
from cogs.discord.clicks import Clicks
from cogs.discord.home import Home
from cogs.discord.intake import Intake
from cogs.discord.lifecycle import Lifecycle
from cogs.discord.people import VENUE, People, Register
from cogs.discord.threads import Threads
from cogs.discord.translator import CatalogueTranslator

log = logging.getLogger(__name__)


class Memory(Register, Protocol):
    """The store, as the bot needs it."""

    async def live_rows(self, venue: str | None = None) -> list[MatchRow]: ...
    async def posts(self, match: str, *, open_only: bool = False) -> list[PostRow]: ...


class Application(Protocol):
    """What is opened behind the bot (bot.app.App)."""

    @property
    def services(self) -> Services: ...
    @property
    def store(self) -> Memory: ...
    @property
    def venue(self) -> DiscordVenue: ...
    @property
    def has_sound(self) -> bool: ...


Opener = Callable[["Rostrum"], AbstractAsyncContextManager[Application]]


class Tree(app_commands.CommandTree["Rostrum"]):
    """The commands. Whatever goes wrong in one is answered in words."""

    async def interaction_check(self, interaction: discord.Interaction[Rostrum], /) -> bool:
        if self.client.is_up:
            return True
        if interaction.type is discord.InteractionType.application_command:
            await self.client.answers.give(interaction, self.client.not_up())
        return False

    async def on_error(self, interaction: discord.Interaction[Rostrum], error: app_commands.AppCommandError, /) -> None:
        if isinstance(error, app_commands.CommandNotFound | app_commands.CommandSignatureMismatch):
            log.warning("Discord has other commands than this process: %s", error)
        else:
            log.error("a command failed", exc_info=error)
        if interaction.type is discord.InteractionType.application_command:
            await self.client.answers.give(interaction, self.client.failed(interaction))


class Rostrum(discord.AutoShardedClient):
    """The bot. Made by `create_bot`; all starting happens in `setup_hook`."""

    def __init__(
        self,
        open_application: Opener,
        say: Words,
        *,
        state_dir: Path,
        message_content: bool = False,
        members: bool = False,
        speed: float = 1.0,
        **options: Any,
    ) -> None:
        intents = discord.Intents(guilds=True, guild_messages=True, message_content=message_content, members=members)
        options.setdefault("guild_ready_timeout", 2.0)
        super().__init__(
            intents=intents,
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
            chunk_guilds_at_startup=False,
            member_cache_flags=discord.MemberCacheFlags.none(),
            **options,
        )
        catalogue = load_catalogue()
        self.motions: Sequence[Motion] = catalogue.motions
        self.personas: Sequence[Persona] = tuple(catalogue.personas.values())
        self.home = Home()
        self.say = say
        self.speed = speed
        self.threads = Threads()
        self.answers = Answers(self.home, say, self._names)
        self.clicks = Clicks(self)
        self.intake = Intake(self)
        self.lifecycle = Lifecycle(self)
        self.tree = Tree(
            self,
            allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=False, private_channel=False),
            allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
        )
        commands.add_to(self)
        self._open_application = open_application
        self._state_dir = state_dir
        self._stack = contextlib.AsyncExitStack()
        self._behind: Application | None = None
        self._people: People | None = None
        self._closing = False

    # --------------------------------------------------------------------------------------------- parts

    @property
    def application_behind(self) -> Application:
        """The application behind the bot. Raises RuntimeError before `setup_hook` and after `close`."""
        if self._behind is None:
            raise RuntimeError("the bot is not up")
        return self._behind

    @property
    def services(self) -> Services:
        return self.application_behind.services

    @property
    def venue(self) -> DiscordVenue:
        return self.application_behind.venue

    @property
    def people(self) -> People:
        if self._people is None:
            raise RuntimeError("the bot is not up")
        return self._people

    @property
    def is_up(self) -> bool:
        return self._behind is not None and not self._closing

    @property
    def has_sound(self) -> bool:
        """Whether this process can make clips."""
        return self.application_behind.has_sound

    async def accounts(self, people: Sequence[str] | set[str]) -> Mapping[str, tuple[str, str]]:
        """By person id: Discord's id, and the name we keep."""
        return await self.people.accounts(sorted(people))

    async def policy(self, community: str) -> Policy:
        """The settings of a community."""
        policies = self.services.policies
        return await policies.get(community) if policies is not None else Policy()

    async def not_up(self) -> Reply:
        return Reply(self.say("discord.not_up"), ok=False)

    async def failed(self, interaction: discord.Interaction) -> Reply:
        return Reply(self.say("discord.failed", reference=interaction.id), ok=False)

    async def _names(self, reply: Reply) -> Shown:
        named = people_named(reply.text)
        return Shown(await self.accounts(named) if named else {}, self.say("person.erased"))

    # --------------------------------------------------------------------------------------------- life

    async def setup_hook(self) -> None:
        """Open everything, take up the matches, and let Discord know the commands if they changed."""
        await self.home.run(self._set_up())
        await self.tree.set_translator(CatalogueTranslator())
        await sync.if_changed(self.tree, self._state_dir)

    async def _set_up(self) -> None:
        application = await self._stack.enter_async_context(self._open_application(self))
        self._people = People(application.store)
        self._behind = application
        rows = await application.store.live_rows(VENUE)
        self.threads.load(rows)
        if application.services.policies is not None:
            await application.services.policies.load(row.community for row in rows)
        for row in rows:
            if row.thread is not None:
                application.venue.remember(row.thread, await application.store.posts(row.id))
        host = application.services.host
        host.watch(self.threads.watch)
        self.intake.cut_off("start")
        await host.start()

    async def close(self) -> None:
        """Let the matches go, then the connection. What was not finished is taken up at the next start."""
        if not self._closing:
            self._closing = True
            with contextlib.suppress(asyncio.CancelledError):
                await self.home.run(self._stack.aclose())
            await self.home.close()
        await super().close()

    # --------------------------------------------------------------------------------------------- events

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        if interaction.type is discord.InteractionType.component:
            await self.clicks.pressed(interaction)
        elif interaction.type is discord.InteractionType.modal_submit:
            await self.clicks.sent_in(interaction)

    async def on_message(self, message: discord.Message) -> None:
        if self.is_up:
            await self.intake.take(message)

    async def on_shard_disconnect(self, shard_id: int) -> None:
        self.intake.cut_off(shard_id)

    async def on_shard_ready(self, shard_id: int) -> None:
        await self.intake.reconnected(shard_id)

    async def on_shard_resumed(self, shard_id: int) -> None:
        await self.intake.reconnected(shard_id)

    async def on_ready(self) -> None:
        await self.intake.reconnected("start")

    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        await self.lifecycle.thread_gone(payload.thread_id)

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        await self.lifecycle.channel_gone(channel.id)

    async def on_raw_thread_update(self, payload: discord.RawThreadUpdateEvent) -> None:
        await self.lifecycle.thread_changed(payload.thread_id, payload.data)

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        await self.lifecycle.messages_gone({payload.message_id})

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        await self.lifecycle.messages_gone(payload.message_ids)

    async def on_raw_member_remove(self, payload: discord.RawMemberRemoveEvent) -> None:
        await self.lifecycle.member_gone(payload.guild_id, payload.user)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        await self.lifecycle.server_gone(guild)

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        log.error("handling %s failed", event_method, exc_info=sys.exc_info())
