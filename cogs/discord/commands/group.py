"""The `/debate` group, and what its commands share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from discord import Interaction, app_commands
from discord.app_commands import locale_str

from bot.actions.actor import Actor, Reply
from bot.messages.words import words
from cogs.discord.answers import Answer
from cogs.discord.people import moderates_everywhere

if TYPE_CHECKING:
    from cogs.discord.bot import Rostrum


def text(key: str) -> locale_str:
    """A text of the catalogue that Discord shows in each reader's language, where there is one."""
    return locale_str(words()(f"command.{key}"), key=f"command.{key}")


class Debate(app_commands.Group):
    """`/debate`."""

    def __init__(self) -> None:
        super().__init__(name="debate", description=text("debate"))


async def act(
    bot: Rostrum, interaction: Interaction[Any], do: Callable[[Actor], Awaitable[Answer]], *, everywhere: bool = False
) -> None:
    """Answer a command with what an action says. `everywhere`: it is about the whole server, so moderating the channel
    it was typed in is not enough."""

    async def work() -> Answer:
        actor = await bot.people.of_interaction(interaction)
        if everywhere:
            actor = replace(actor, moderator=moderates_everywhere(interaction))
        return await do(actor)

    await bot.answers.give(interaction, work())


async def on_match(bot: Rostrum, interaction: Interaction[Any], do: Callable[[Actor, str], Awaitable[Answer]]) -> None:
    """The same for a command about the match of the thread it was typed in, or of the channel's only debate."""

    async def there(actor: Actor) -> Answer:
        match, why = find_match(bot, interaction)
        return why if match is None else await do(actor, match)

    await act(bot, interaction, there)


def find_match(bot: Rostrum, interaction: Interaction[Any]) -> tuple[str | None, Reply]:
    """The match that a command means, or why there is none."""
    channel = interaction.channel_id or 0
    match = bot.threads.match(channel)
    if match is not None:
        return match, Reply("")
    here = bot.threads.in_channel(channel)
    if len(here) == 1:
        return here[0], Reply("")
    key = "discord.which_match" if here else "discord.no_match_here"
    return None, Reply(bot.say(key), ok=False, code="no_such_match")
