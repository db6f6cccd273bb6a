"""`/debate start`: the checks, the lobby's message, and the match behind it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import discord

from bot.actions import start
from bot.actions.actor import Actor, Reply
from bot.host.ports import VenueError
from bot.messages.publish import lobby_body
from bot.rules.match import Match
from bot.rules.rejection import Rejection
from bot.venues.discord.payload import Payload
from bot.venues.discord.place import Place, nonce
from cogs.discord import needs
from cogs.discord.answers import Answer

if TYPE_CHECKING:
    from cogs.discord.bot import Rostrum

log = logging.getLogger(__name__)


async def open_lobby(bot: Rostrum, interaction: discord.Interaction, actor: Actor, wish: start.Wish) -> Answer:
    """Post the lobby and open the match. Nothing is posted for a wish that cannot be granted, and if the match cannot
    be stored the message goes again."""
    say = bot.say
    school = (await bot.policy(actor.community)).school
    refusal = cannot_debate_here(bot, interaction, private=school)
    if refusal is not None:
        return refusal
    prepared = await start.prepare(bot.services, actor, wish)
    if isinstance(prepared, Rejection):
        return Reply(say.refusal(prepared), ok=False, code=prepared.code)
    command, preview = prepared
    assert interaction.channel_id is not None
    try:
        place = await post_lobby(bot, interaction.channel_id, preview, private=school)
        await bot.venue.admit(place, interaction.user.id)
    except VenueError as error:
        log.warning("no lobby in channel %s: %s", interaction.channel_id, error)
        return Reply(say("discord.no_lobby"), ok=False)
    bot.threads.add(command.match, place)
    reply = await start.open_match(bot.services, actor, command, str(place))
    if not reply.ok:
        bot.threads.drop(command.match)
        await bot.venue.withdraw_lobby(place)
        return reply
    link = f"https://discord.com/channels/{interaction.guild_id}/{place.channel}/{place.lobby}"
    return Payload(content=say("discord.started", link=link))


async def post_lobby(bot: Rostrum, channel: int, match: Match, *, private: bool = False) -> Place:
    """The lobby as a message of its own: an answer to the command could not be edited after 15 minutes. Raises
    VenueError."""
    payload = await bot.venue.lobby(match.id, match.seq, lobby_body(bot.say, match, bot.services.estimate(match)))
    name = bot.say("discord.private_thread", format=match.rules.title, match=match.id) if private else None
    return await bot.venue.send_lobby(channel, payload, nonce(match.id, 0, "lobby"), name)


def cannot_debate_here(bot: Rostrum, interaction: discord.Interaction, *, private: bool = False) -> Reply | None:
    """Why no debate can be held in this channel, as far as Discord tells: its kind, and what the bot may do in it."""
    say = bot.say
    channel = interaction.channel
    if isinstance(channel, discord.Thread):
        return Reply(say("discord.in_thread"), ok=False, code="wrong_channel")
    if channel is not None and channel.type not in (discord.ChannelType.text, discord.ChannelType.news):
        return Reply(say("discord.wrong_channel"), ok=False, code="wrong_channel")
    lacking = needs.missing(interaction.app_permissions, needs.SCHOOL if private else needs.DEBATE)
    if lacking:
        return Reply(say("discord.missing", permissions=needs.titles(lacking)), ok=False, code="missing_permissions")
    return None
