"""`/debate setup`: what admins settle for their server. The settings themselves are the same on every platform."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import discord
from discord import Interaction, Permissions, Role, TextChannel, app_commands
from discord.app_commands import Choice, Range

from bot.actions import setup as settings
from bot.actions.actor import Actor, Reply
from bot.community.policy import Policy
from bot.messages.card import people_named
from bot.rules.rejection import reject
from bot.rules.tempo import Tempo
from bot.venues.discord.payload import Payload
from bot.venues.discord.text import People as Shown
from bot.venues.discord.text import escape, fit
from cogs.discord import needs
from cogs.discord.answers import Answer
from cogs.discord.commands.group import Debate, act, text
from cogs.discord.commands.info import personas_like
from cogs.discord.commands.play import formats_to_choose

if TYPE_CHECKING:
    from cogs.discord.bot import Rostrum

_MOST_CHANNELS = 25


def add_to(group: Debate, bot: Rostrum) -> None:
    setup = app_commands.Group(name="setup", description=text("setup"), parent=group)

    @setup.command(name="show", description=text("setup_show"))
    async def show(interaction: Interaction[Any]) -> None:
        await act(bot, interaction, lambda actor: _sheet(bot, interaction, actor), everywhere=True)

    @setup.command(name="check", description=text("setup_check"))
    async def check(interaction: Interaction[Any]) -> None:
        await act(bot, interaction, lambda actor: _check(bot, interaction, actor), everywhere=True)

    @setup.command(name="debates", description=text("setup_debates"))
    @app_commands.rename(out_of_turn="out-of-turn")
    @app_commands.describe(
        format=text("setup_format"),
        tempo=text("setup_tempo"),
        judges=text("setup_judges"),
        sound=text("setup_sound"),
        wait=text("setup_wait"),
        out_of_turn=text("setup_out_of_turn"),
        wagers=text("setup_wagers"),
    )
    @app_commands.choices(
        format=[Choice(name=fmt.title, value=fmt.name) for fmt in formats_to_choose()],
        tempo=[Choice(name=bot.say(f"command.tempo_{tempo.value}"), value=tempo.value) for tempo in Tempo],
        out_of_turn=[
            Choice(name=bot.say(f"command.out_of_turn_{one}"), value=one) for one in ("ignore", "react", "remove")
        ],
    )
    async def debates(
        interaction: Interaction[Any],
        format: str | None = None,
        tempo: str | None = None,
        judges: Range[int, 1, 15] | None = None,
        sound: bool | None = None,
        wait: Range[int, 0, 1440] | None = None,
        out_of_turn: str | None = None,
        wagers: bool | None = None,
    ) -> None:
        wanted = {
            "default_format": format,
            "default_tempo": tempo,
            "judges": judges,
            "sound": sound,
            "lobby_minutes": wait,
            "out_of_turn": out_of_turn,
            "wagers": wagers,
        }
        await _change(bot, interaction, wanted)

    @setup.command(name="people", description=text("setup_people"))
    @app_commands.rename(who="who-may-start", per_person="per-person", per_server="per-server")
    @app_commands.describe(
        who=text("setup_who"),
        role=text("setup_role"),
        per_person=text("setup_per_person"),
        per_server=text("setup_per_server"),
        school=text("setup_school"),
    )
    @app_commands.choices(
        who=[Choice(name=bot.say(f"command.who_{one}"), value=one) for one in ("everyone", "roles", "moderators")]
    )
    async def people(
        interaction: Interaction[Any],
        who: str | None = None,
        role: Role | None = None,
        per_person: Range[int, 1, 100] | None = None,
        per_server: Range[int, 1, 500] | None = None,
        school: bool | None = None,
    ) -> None:
        wanted: dict[str, Any] = {
            "who_may_start": "roles" if role is not None and who is None else who,
            "starter_roles": None if role is None else (str(role.id),),
            "most_per_person": per_person,
            "most_live": per_server,
            "school": school,
        }
        await _change(bot, interaction, wanted)

    @setup.command(name="channel", description=text("setup_channel"))
    @app_commands.describe(channel=text("setup_channel_channel"), allow=text("setup_channel_allow"))
    async def channel(interaction: Interaction[Any], channel: TextChannel, allow: bool = True) -> None:
        async def change(actor: Actor) -> Answer:
            return await settings.include(bot.services, actor, "channels", str(channel.id), allow, **shown(interaction))

        await act(bot, interaction, change, everywhere=True)

    @setup.command(name="reports", description=text("setup_reports"))
    @app_commands.describe(channel=text("setup_reports_channel"))
    async def reports(interaction: Interaction[Any], channel: TextChannel | None = None) -> None:
        async def change(actor: Actor) -> Answer:
            if channel is not None and interaction.guild is not None:
                lacking = needs.missing(channel.permissions_for(interaction.guild.me), needs.REPORTS)
                if lacking:
                    return Reply(bot.say("discord.missing_there", permissions=needs.titles(lacking)), ok=False)
            return await settings.change(
                bot.services,
                actor,
                **shown(interaction),
                report_channel=None if channel is None else str(channel.id),
            )

        await act(bot, interaction, change, everywhere=True)

    @setup.command(name="words", description=text("setup_words"))
    @app_commands.describe(add=text("setup_words_add"), remove=text("setup_words_remove"))
    async def words(
        interaction: Interaction[Any], add: Range[str, 1, 60] | None = None, remove: Range[str, 1, 60] | None = None
    ) -> None:
        async def change(actor: Actor) -> Answer:
            if add is not None:
                return await settings.words_add(bot.services, actor, add)
            if remove is not None:
                return await settings.words_remove(bot.services, actor, remove)
            return await settings.words_list(bot.services, actor)

        await act(bot, interaction, change, everywhere=True)

    @setup.command(name="persona", description=text("setup_persona"))
    @app_commands.describe(persona=text("setup_persona_persona"), allow=text("setup_persona_allow"))
    async def persona(interaction: Interaction[Any], persona: str, allow: bool = False) -> None:
        async def change(actor: Actor) -> Answer:
            wanted = persona.strip().lower()
            found = next((one.id for one in bot.personas if wanted in (one.id, one.name.lower())), None)
            if found is None:
                return Reply(bot.say("discord.no_persona", name=persona), ok=False)
            return await settings.include(bot.services, actor, "blocked_personas", found, not allow)

        await act(bot, interaction, change, everywhere=True)

    @persona.autocomplete("persona")
    async def persona_names(_: Interaction[Any], typed: str) -> list[Choice[str]]:
        return personas_like(bot, typed)


async def _sheet(bot: Rostrum, interaction: Interaction[Any], actor: Actor) -> Answer:
    """The settings line by line, what they are called in bold."""
    reply = await settings.show(bot.services, actor, **shown(interaction))
    if not reply.ok:
        return reply
    people = Shown(await bot.accounts(people_named(reply.text)), bot.say("person.erased"))
    lines = [line.partition(": ") for line in people.named(reply.text).splitlines()]
    text = "\n".join(f"**{escape(name)}**{colon}{escape(value)}" for name, colon, value in lines)
    return Payload(embeds=(discord.Embed(title=bot.say("command.setup"), description=fit(text, 4_000)),))


def shown(interaction: Interaction[Any]) -> dict[str, Callable[[str], str]]:
    """How ids of channels and roles are written: by their names here."""
    guild = interaction.guild

    def channel(id: str) -> str:
        found = guild.get_channel(int(id)) if guild is not None and id.isdecimal() else None
        return f"#{found.name}" if found is not None else id

    def role(id: str) -> str:
        found = guild.get_role(int(id)) if guild is not None and id.isdecimal() else None
        return f"@{found.name}" if found is not None else id

    return {"channel": channel, "role": role}


async def _change(bot: Rostrum, interaction: Interaction[Any], wanted: dict[str, Any]) -> None:
    given = {name: value for name, value in wanted.items() if value is not None}

    async def change(actor: Actor) -> Answer:
        if not given:
            return await _sheet(bot, interaction, actor)
        return await settings.change(bot.services, actor, **shown(interaction), **given)

    await act(bot, interaction, change, everywhere=True)


async def _check(bot: Rostrum, interaction: Interaction[Any], actor: Actor) -> Answer:
    """Channel by channel what the bot lacks, and which intents are in force."""
    say = bot.say
    if not actor.moderator:
        return Reply(say.refusal(reject("not_allowed", who="moderator")), ok=False)
    guild = interaction.guild
    policy: Policy = await bot.policy(actor.community)
    lines: list[str] = []
    channels = list(guild.text_channels) if guild is not None else []
    chosen = [one for one in channels if str(one.id) in policy.channels] if policy.channels else channels
    for one in chosen[:_MOST_CHANNELS]:
        held = one.permissions_for(guild.me) if guild is not None else Permissions.none()
        lacking = needs.missing(held, needs.wanted(policy))
        verdict = say("discord.check_lacks", permissions=needs.titles(lacking)) if lacking else say("discord.check_ok")
        lines.append(f"{'⚠️' if lacking else '✅'} <#{one.id}>: {escape(verdict)}")
    if len(chosen) > _MOST_CHANNELS:
        lines.append(say("discord.check_more", n=len(chosen) - _MOST_CHANNELS))
    if not chosen:
        lines.append(f"⚠️ {say('discord.check_no_channel')}")
    if policy.report_channel is not None and guild is not None:
        reports = guild.get_channel(int(policy.report_channel)) if policy.report_channel.isdecimal() else None
        if reports is None:
            lines.append(f"⚠️ {say('discord.check_reports_gone')}")
        elif lacking := needs.missing(reports.permissions_for(guild.me), needs.REPORTS):
            lines.append(f"⚠️ <#{reports.id}>: {escape(say('discord.check_lacks', permissions=needs.titles(lacking)))}")
    typed = "discord.check_typed" if bot.intents.message_content else "discord.check_untyped"
    members = "discord.check_members" if bot.intents.members else "discord.check_no_members"
    embed = discord.Embed(title=say("discord.check_title"), description=fit("\n".join(lines), 3_500) or "-")
    embed.add_field(name=say("discord.check_intents"), value=f"{say(typed)}\n{say(members)}", inline=False)
    return Payload(embeds=(embed,))
