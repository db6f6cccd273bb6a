"""What moderators do about people, and what people report to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import discord
from discord import Interaction, Member, Message, User, app_commands
from discord.app_commands import ContextMenu

from bot.actions import setup as settings
from bot.actions.actor import Actor, Reply
from bot.venues.discord import ids
from cogs.discord import forms
from cogs.discord.answers import Answer
from cogs.discord.commands.group import Debate, act, find_match, text

if TYPE_CHECKING:
    from cogs.discord.bot import Rostrum


def add_to(group: Debate, bot: Rostrum) -> None:
    @group.command(name="block", description=text("block"))
    @app_commands.describe(user=text("block_user"))
    async def block(interaction: Interaction[Any], user: Member | User) -> None:
        await act(bot, interaction, lambda actor: _block(bot, interaction, actor, user, blocked=True), everywhere=True)

    @group.command(name="unblock", description=text("unblock"))
    @app_commands.describe(user=text("unblock_user"))
    async def unblock(interaction: Interaction[Any], user: Member | User) -> None:
        await act(bot, interaction, lambda actor: _block(bot, interaction, actor, user, blocked=False), everywhere=True)

    @group.command(name="report", description=text("report"))
    async def report(interaction: Interaction[Any]) -> None:
        await open_report(bot, interaction, "")


def report_message(bot: Rostrum) -> ContextMenu:
    """Apps > Report to the moderators, on a message of a debate."""

    async def report(interaction: Interaction[Any], message: Message) -> None:
        match = bot.threads.match(message.channel.id) or bot.threads.match(message.id)
        if match is None:  # not even the only debate of this channel is meant
            await bot.answers.give(interaction, _no_part_of_a_debate(bot))
            return
        await open_report(bot, interaction, await _turn_shown_in(bot, message), match)

    menu = ContextMenu(name=text("report_message"), callback=report)
    menu.allowed_contexts = app_commands.AppCommandContext(guild=True, dm_channel=False, private_channel=False)
    menu.allowed_installs = app_commands.AppInstallationType(guild=True, user=False)
    return menu


async def open_report(bot: Rostrum, interaction: Interaction[Any], where: str, about: str | None = None) -> None:
    """The form to say why, for a debate's whole or for one turn of it. `about`: the match; None: the one here."""
    match, why = (about, Reply("")) if about is not None else find_match(bot, interaction)
    if match is None:

        async def refused() -> Reply:
            return why

        await bot.answers.give(interaction, refused())
        return
    await bot.answers.modal(interaction, forms.complaint(bot.say, ids.ButtonId("report", match, 0, where)))


async def _no_part_of_a_debate(bot: Rostrum) -> Reply:
    return Reply(bot.say("discord.no_debates_message"), ok=False, code="no_such_match")


async def _turn_shown_in(bot: Rostrum, message: discord.Message) -> str:
    """Which turn a message shows, as "round.turn.part"; "" for any other message of the debate."""
    match = bot.threads.match(message.channel.id)
    if match is None:
        return ""
    posts = await bot.home.run(bot.application_behind.store.posts(match))
    marks = [post.mark for post in posts if post.platform_id == str(message.id) and post.mark]
    return marks[0].removeprefix("speech:").replace(":", ".") if marks and marks[0].startswith("speech:") else ""


async def _block(
    bot: Rostrum, interaction: Interaction[Any], actor: Actor, user: Member | User, *, blocked: bool
) -> Answer:
    assert interaction.guild_id is not None
    if user.bot:
        return Reply(bot.say("discord.is_a_bot"), ok=False)
    person = await bot.people.person(interaction.guild_id, interaction.guild.name if interaction.guild else "", user)
    change = settings.block if blocked else settings.unblock
    return await change(bot.services, actor, person)
