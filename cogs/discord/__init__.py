"""Discord: what people call there. `create_bot(settings)` returns the bot, ready to start."""

from __future__ import annotations

from cogs.discord.create import create_bot

__all__ = ["create_bot"]
