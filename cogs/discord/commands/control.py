"""What the host of a debate and moderators do by command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discord import Interaction, Thread, app_commands
from discord.app_commands import Choice, Range

from bot.actions import control, seats, start
from bot.actions.actor import Actor, Reply
from bot.rules.match import Status
from cogs.discord.answers import Answer
from cogs.discord.commands.group import Debate, find_match, on_match, text

if TYPE_CHECKING:
    from cogs.discord.bot import Rostrum


def add_to(group: Debate, bot: Rostrum) -> None:
    @group.command(name="begin", description=text("begin"))
    async def begin(interaction: Interaction[Any]) -> None:
        await on_match(bot, interaction, lambda actor, match: start.begin(bot.services, actor, match))

    @group.command(name="pause", description=text("pause"))
    @app_commands.describe(reason=text("pause_reason"))
    async def pause(interaction: Interaction[Any], reason: Range[str, 1, 200] | None = None) -> None:
        await on_match(bot, interaction, lambda actor, match: control.pause(bot.services, actor, match, reason or ""))

    @group.command(name="resume", description=text("resume"))
    async def resume(interaction: Interaction[Any]) -> None:
        async def unless_locked(actor: Actor, match: str) -> Answer:
            thread = bot.threads.thread_of(match, interaction.guild) or interaction.channel
            if isinstance(thread, Thread) and thread.locked:  # the first post would be refused, and that ends a match
                return Reply(bot.say("discord.thread_locked"), ok=False, code="thread_locked")
            return await control.resume(bot.services, actor, match)

        await on_match(bot, interaction, unless_locked)

    @group.command(name="skip", description=text("skip"))
    async def skip(interaction: Interaction[Any]) -> None:
        await on_match(bot, interaction, lambda actor, match: control.skip(bot.services, actor, match))

    @group.command(name="cancel", description=text("cancel"))
    @app_commands.describe(reason=text("cancel_reason"))
    async def cancel(interaction: Interaction[Any], reason: Range[str, 1, 200] | None = None) -> None:
        await on_match(bot, interaction, lambda actor, match: control.cancel(bot.services, actor, match, reason or ""))

    @group.command(name="void", description=text("void"))
    async def void(interaction: Interaction[Any]) -> None:
        await on_match(bot, interaction, lambda actor, match: control.void(bot.services, actor, match))

    @group.command(name="replace", description=text("replace"))
    @app_commands.describe(seat=text("replace_seat"))
    async def replace(interaction: Interaction[Any], seat: Range[str, 1, 8]) -> None:
        await on_match(
            bot, interaction, lambda actor, match: seats.replace(bot.services, actor, match, seat.strip().upper())
        )

    @replace.autocomplete("seat")
    async def people_seats(interaction: Interaction[Any], typed: str) -> list[Choice[str]]:
        match_id, _ = find_match(bot, interaction) if bot.is_up else (None, None)
        match = bot.services.host.peek(match_id) if match_id is not None else None
        if match is None or match.status is Status.LOBBY:
            return []
        held = [seat.id for seat in match.seats.values() if seat.holder is not None and seat.holder.is_person]
        return [Choice(name=seat, value=seat) for seat in held if typed.lower() in seat.lower()][:25]
