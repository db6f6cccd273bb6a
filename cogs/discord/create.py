"""Putting the bot together with the application behind it."""

from __future__ import annotations

from typing import Any

from bot.app import open_on_discord
from bot.host.ports import Time
from bot.messages.words import words
from bot.settings import Settings
from cogs.discord.bot import Rostrum


def create_bot(settings: Settings, *, time: Time | None = None, **options: Any) -> Rostrum:
    """The bot for these settings: `await bot.start(token)` does the rest. `time` and further options of discord.py's
    client are for tests."""
    return Rostrum(
        lambda bot: open_on_discord(settings, bot, bot.accounts, time),
        words(),
        state_dir=settings.data_dir,
        message_content=bool(settings.discord_message_content),
        members=bool(settings.discord_members),
        speed=settings.speed,
        **options,
    )
