"""`python -m bot run`: the Discord bot as a service, from its token to its orderly end."""

from __future__ import annotations

import asyncio
import logging
import signal

import aiohttp
import discord

from bot.messages.words import words
from bot.settings import Settings
from cogs.discord import create_bot

log = logging.getLogger(__name__)


class RunError(Exception):
    """The bot cannot run; the text says why, for whoever starts it."""


async def run_discord(settings: Settings) -> None:
    """Run until SIGTERM or SIGINT. Raises RunError."""
    say = words()
    if settings.discord_token is None:
        raise RunError(say("run.no_token"))
    token = settings.discord_token.get_secret_value()
    try:
        bot = create_bot(await with_intents(settings, token))
        loop = asyncio.get_running_loop()
        running = loop.create_task(bot.start(token), name="bot")
        for stop in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(stop, lambda: loop.create_task(bot.close(), name="stopping"))
        try:
            await running
        finally:
            await bot.close()
    except discord.LoginFailure as error:
        raise RunError(say("run.bad_token")) from error
    except discord.PrivilegedIntentsRequired as error:
        raise RunError(say("run.intents")) from error
    except (discord.HTTPException, discord.GatewayNotFound, aiohttp.ClientError, OSError) as error:
        raise RunError(say("run.unreachable", why=error)) from error


async def with_intents(settings: Settings, token: str) -> Settings:
    """The settings with every privileged intent decided: by the settings, else by what the portal allows this bot."""
    if settings.discord_message_content is not None and settings.discord_members is not None:
        return settings
    flags = await application_flags(token)
    content = flags.gateway_message_content or flags.gateway_message_content_limited
    members = flags.gateway_guild_members or flags.gateway_guild_members_limited
    chosen = {
        "discord_message_content": _first(settings.discord_message_content, content),
        "discord_members": _first(settings.discord_members, members),
    }
    log.info("intents: message content %s, members %s", *("on" if on else "off" for on in chosen.values()))
    return settings.model_copy(update=chosen)


async def application_flags(token: str) -> discord.ApplicationFlags:
    """What the portal allows the bot of this token. Raises LoginFailure and other errors of discord.py."""
    async with discord.Client(intents=discord.Intents.none()) as client:
        await client.login(token)
        return client.application_flags


def _first(wanted: bool | None, allowed: bool) -> bool:
    return allowed if wanted is None else wanted
