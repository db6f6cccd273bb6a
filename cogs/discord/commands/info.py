"""What anybody may ask: where a debate is, which motions and AIs there are, how it all works."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import discord
from discord import Interaction, app_commands
from discord.app_commands import Choice

from bot.actions.actor import Actor, Reply
from bot.messages.card import people_named
from bot.messages.status import status_line
from bot.rules.match import Status
from bot.rules.rejection import reject
from bot.venues.discord.payload import Payload
from bot.venues.discord.text import People as Shown
from bot.venues.discord.text import escape, fit, rich
from cogs.discord.answers import Answer
from cogs.discord.commands.group import Debate, act, on_match, text

if TYPE_CHECKING:
    from cogs.discord.bot import Rostrum

_MOST = 25


def add_to(group: Debate, bot: Rostrum) -> None:
    categories = list(dict.fromkeys(motion.category for motion in bot.motions))

    @group.command(name="status", description=text("status"))
    async def status(interaction: Interaction[Any]) -> None:
        await on_match(bot, interaction, lambda _, match: _status(bot, match))

    @group.command(name="motions", description=text("motions"))
    @app_commands.describe(category=text("motions_category"))
    @app_commands.choices(category=[Choice(name=category, value=category) for category in categories])
    async def motions(interaction: Interaction[Any], category: str | None = None) -> None:
        async def listed(_: Actor) -> Answer:
            embed = discord.Embed(title=bot.say("discord.motions"))
            for name in [category] if category else categories:
                lines = [f"- {escape(motion.text)}" for motion in bot.motions if motion.category == name]
                embed.add_field(name=name, value=fit("\n".join(lines), 1_024), inline=False)
            return Payload(embeds=(embed,))

        await act(bot, interaction, listed)

    @group.command(name="personas", description=text("personas"))
    @app_commands.describe(persona=text("personas_persona"))
    async def personas(interaction: Interaction[Any], persona: str | None = None) -> None:
        async def shown(_: Actor) -> Answer:
            found = [one for one in bot.personas if persona in (None, one.id, one.name)]
            if not found:
                return Reply(bot.say("discord.no_persona", name=persona), ok=False)
            embed = discord.Embed(title=bot.say("discord.personas"))
            for one in found[:_MOST]:
                embed.add_field(
                    name=escape(one.name), value=fit(escape(f"{one.bio} {one.manner}"), 1_024), inline=persona is None
                )
            return Payload(embeds=(embed,))

        await act(bot, interaction, shown)

    @personas.autocomplete("persona")
    async def persona_names(_: Interaction[Any], typed: str) -> list[Choice[str]]:
        return personas_like(bot, typed)

    @group.command(name="help", description=text("help"))
    async def help_(interaction: Interaction[Any]) -> None:
        async def helped(_: Actor) -> Answer:
            return Payload(
                embeds=(discord.Embed(title=bot.say("discord.help_title"), description=bot.say("discord.help")),)
            )

        await act(bot, interaction, helped)


def personas_like(bot: Rostrum, typed: str) -> list[Choice[str]]:
    return [Choice(name=one.name, value=one.id) for one in bot.personas if typed.lower() in one.name.lower()][:_MOST]


async def _status(bot: Rostrum, match_id: str) -> Answer:
    host = bot.services.host
    match = await host.state(match_id)
    if match is None:
        return Reply(bot.say.refusal(reject("no_such_match")), ok=False)
    if match.over:
        return Reply(bot.say.refusal(reject("match_over")))
    line = status_line(bot.say, match, host.now(match_id) or match.now)
    people = Shown(await bot.accounts(people_named(line)), bot.say("person.erased"))
    parts = ["".join(rich(line, people))]
    if match.status is Status.RUNNING and match.clock.running and match.next_due is not None:
        wall = match.clock.wall_at(match.next_due)
        if wall is not None:
            parts.append(f"<t:{round(wall) // 1000}:R>")
    place = bot.threads.place(match_id)
    if place is not None:
        parts.append(f"<#{place.thread}>" if match.status is not Status.LOBBY else f"<#{place.channel}>")
    return Payload(content=" ".join(parts))
