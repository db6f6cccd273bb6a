"""The slash commands: `/debate` and what lies below it. Each reads its options and calls an action."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogs.discord.commands import control, info, moderation, play, setup
from cogs.discord.commands.group import Debate

if TYPE_CHECKING:
    from cogs.discord.bot import Rostrum


def add_to(bot: Rostrum) -> None:
    """Give the bot its commands."""
    group = Debate()
    for module in (play, control, info, moderation, setup):
        module.add_to(group, bot)
    bot.tree.add_command(group)
    bot.tree.add_command(moderation.report_message(bot))
