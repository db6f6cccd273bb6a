"""`python -m bot run`: the Discord bot as a service, from its token to its orderly end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from collections.abc import Iterator
from dataclasses import dataclass

import aiohttp
import discord

from bot.messages.words import words
from bot.settings import Settings
from cogs.discord import create_bot, needs

log = logging.getLogger(__name__)

# The bot never joins a voice channel, so what that would need is not missed.
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False


class RunError(Exception):
    """The bot cannot run; the text says why, for whoever starts it."""


async def run_discord(settings: Settings) -> None:
    """Run until SIGTERM or SIGINT. Raises RunError."""
    if settings.discord_token is None:
        raise RunError(words()("run.no_token"))
    token = settings.discord_token.get_secret_value()
    settings = chosen(settings, await look_up(token))
    log.info("intents: message content %s, members %s", settings.discord_message_content, settings.discord_members)
    with _explained():
        bot = create_bot(settings)
        loop = asyncio.get_running_loop()
        running = loop.create_task(bot.start(token), name="bot")
        for stop in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(stop, lambda: loop.create_task(bot.close(), name="stopping"))
        try:
            await running
        finally:
            await bot.close()


@dataclass(frozen=True, slots=True)
class Account:
    """What Discord says of the bot behind a token."""

    name: str
    invite: str
    """The link that adds the bot to a server, with no more permissions than debates need."""
    message_content: bool
    """The portal allows the intent."""
    members: bool


async def look_up(token: str) -> Account:
    """Ask Discord about the bot. Raises RunError."""
    with _explained():
        async with discord.Client(intents=discord.Intents(guilds=True)) as client:
            await client.login(token)
            flags = client.application_flags
            assert client.application_id is not None and client.user is not None
            return Account(
                client.user.name,
                discord.utils.oauth_url(client.application_id, permissions=needs.minimal()),
                flags.gateway_message_content or flags.gateway_message_content_limited,
                flags.gateway_guild_members or flags.gateway_guild_members_limited,
            )


def chosen(settings: Settings, account: Account) -> Settings:
    """The settings with every privileged intent decided: by the settings, else by what the portal allows."""
    content, members = settings.discord_message_content, settings.discord_members
    return settings.model_copy(
        update={
            "discord_message_content": account.message_content if content is None else content,
            "discord_members": account.members if members is None else members,
        }
    )


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    """Errors of the connection as a RunError in words."""
    say = words()
    try:
        yield
    except discord.LoginFailure as error:
        raise RunError(say("run.bad_token")) from error
    except discord.PrivilegedIntentsRequired as error:
        raise RunError(say("run.intents")) from error
    except (discord.HTTPException, discord.GatewayNotFound, aiohttp.ClientError, OSError) as error:
        raise RunError(say("run.unreachable", why=error)) from error
