"""Reports, posted to the moderators' channel."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import discord

from bot.actions.report import Report
from bot.messages.card import people_named, person_token
from bot.venues.discord import errors
from bot.venues.discord.payload import allowed
from bot.venues.discord.text import People as Shown
from bot.venues.discord.text import fit, rich, titled

if TYPE_CHECKING:
    from cogs.discord.bot import Rostrum

log = logging.getLogger(__name__)


async def send(bot: Rostrum, community: str, report: Report) -> bool:
    """Post a report for the moderators of a community. False: it could not be delivered."""
    policy = await bot.policy(community)
    if not (policy.report_channel or "").isdecimal():
        return False
    say = bot.say
    reporter = person_token(report.by)
    named = people_named(f"{report.text}{report.name}{reporter}")
    people = Shown(await bot.accounts(named), say("person.erased"))
    embed = discord.Embed(title=fit(titled(say("discord.report_title"), people), 256))
    embed.description = fit(rich(report.text, people), 3_000)
    embed.add_field(name=say("discord.report_of"), value=fit(rich(report.name, people), 1_024) or "-")
    embed.add_field(name=say("discord.report_by"), value=fit(rich(reporter, people), 1_024))
    embed.add_field(name=say("discord.report_why"), value=fit(rich(report.reason, people), 1_024) or "-", inline=False)
    place = bot.threads.place(report.match)
    if place is not None:
        embed.add_field(name=say("discord.report_where"), value=f"<#{place.thread}>")
    try:
        channel = bot.get_partial_messageable(int(policy.report_channel or 0))
        await channel.send(embed=embed, allowed_mentions=allowed(()))
    except Exception as error:
        if errors.sorted_out(error) is None:
            raise
        log.warning("a report of community %s could not be delivered: %s", community, error)
        return False
    return True
