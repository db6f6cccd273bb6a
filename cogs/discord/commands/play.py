"""`/debate start`, and what a debater or judge does by command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discord import Interaction, app_commands
from discord.app_commands import Choice, Range

from bot.actions import seats, speak
from bot.actions.actor import Actor
from bot.actions.start import LONGEST_MOTION, Wish
from bot.rules.format import Format
from bot.rules.formats import format_names, load_format
from bot.rules.tempo import Tempo
from cogs.discord import lobby
from cogs.discord.answers import Answer
from cogs.discord.commands.group import Debate, act, on_match, text

if TYPE_CHECKING:
    from cogs.discord.bot import Rostrum

FIRST = "duel"
"""What `/debate start` suggests first."""
_MOST_CHOICES = 25
_LONGEST_CHOICE = 100


def add_to(group: Debate, bot: Rostrum) -> None:
    formats = formats_to_choose()
    categories = list(dict.fromkeys(motion.category for motion in bot.motions))

    @group.command(name="start", description=text("start"))
    @app_commands.rename(ai_seats="ai-seats")
    @app_commands.describe(
        format=text("start_format"),
        motion=text("start_motion"),
        motion2=text("start_motion2"),
        motion3=text("start_motion3"),
        category=text("start_category"),
        tempo=text("start_tempo"),
        ai_seats=text("start_ai_seats"),
        judges=text("start_judges"),
        sound=text("start_sound"),
        market=text("start_market"),
        wait=text("start_wait"),
    )
    @app_commands.choices(
        format=[Choice(name=f"{fmt.title}: {fmt.summary}"[:_LONGEST_CHOICE], value=fmt.name) for fmt in formats],
        category=[Choice(name=category, value=category) for category in categories],
        tempo=[Choice(name=bot.say(f"command.tempo_{tempo.value}"), value=tempo.value) for tempo in Tempo],
    )
    async def start(
        interaction: Interaction[Any],
        format: str | None = None,
        motion: Range[str, 1, LONGEST_MOTION] | None = None,
        motion2: Range[str, 1, LONGEST_MOTION] | None = None,
        motion3: Range[str, 1, LONGEST_MOTION] | None = None,
        category: str | None = None,
        tempo: str | None = None,
        ai_seats: Range[str, 1, 100] | None = None,
        judges: Range[int, 1, 15] | None = None,
        sound: bool | None = None,
        market: bool | None = None,
        wait: Range[int, 0, 1440] | None = None,
    ) -> None:
        async def open_it(actor: Actor) -> Answer:
            policy = await bot.policy(actor.community)
            fmt = load_format(format or policy.default_format)
            # An admin's 0 means "until somebody starts", a starter's 0 "at once".
            minutes = (policy.lobby_minutes or None) if wait is None else wait
            reserved = seats_of(fmt, judges or policy.judges or fmt.judging.judges, ai_seats or "")
            wish = Wish(
                format=fmt,
                motions=[one for one in (motion, motion2, motion3) if one],
                category=category,
                tempo=Tempo(tempo) if tempo else None,
                judges=judges,
                speed=bot.speed,
                sound=sound is not False and bot.has_sound,
                lobby_s=None if minutes is None else minutes * 60.0,
                ai_seats=reserved,
                market=market is not False,
            )
            return await lobby.open_lobby(bot, interaction, actor, wish)

        await act(bot, interaction, open_it)

    @start.autocomplete("motion")
    @start.autocomplete("motion2")
    @start.autocomplete("motion3")
    async def motions(interaction: Interaction[Any], typed: str) -> list[Choice[str]]:
        return motions_like(bot, typed, getattr(interaction.namespace, "category", None))

    @start.autocomplete("ai_seats")
    async def seats_for_ais(interaction: Interaction[Any], typed: str) -> list[Choice[str]]:
        return ai_seats_like(bot, typed, getattr(interaction.namespace, "format", None) or FIRST)

    @group.command(name="leave", description=text("leave"))
    async def leave(interaction: Interaction[Any]) -> None:
        await on_match(bot, interaction, lambda actor, match: seats.leave(bot.services, actor, match))

    @group.command(name="back", description=text("back"))
    async def back(interaction: Interaction[Any]) -> None:
        await on_match(bot, interaction, lambda actor, match: seats.reclaim(bot.services, actor, match))

    @group.command(name="pass", description=text("pass"))
    async def pass_(interaction: Interaction[Any]) -> None:
        await on_match(bot, interaction, lambda actor, match: speak.withdraw(bot.services, actor, match))


def formats_to_choose() -> list[Format]:
    """The built-in formats, the quick one first."""
    return sorted((load_format(name) for name in format_names()), key=lambda fmt: (fmt.name != FIRST, fmt.name))


def seats_of(fmt: Format, judges: int, wanted: str) -> list[str]:
    """The seats for AIs that somebody named: seat ids, "debaters", "judges" or "all"."""
    debaters = list(fmt.seats)
    bench = [f"J{number}" for number in range(judges)]
    groups = {"all": debaters + bench, "debaters": debaters, "judges": bench}
    found: list[str] = []
    for word in wanted.replace(",", " ").split():
        found += groups.get(word.lower(), [word.upper()])
    return list(dict.fromkeys(found))


def motions_like(bot: Rostrum, typed: str, category: str | None) -> list[Choice[str]]:
    """Built-in motions of a category in which every typed word begins some word."""
    wanted = typed.lower().split()
    found: list[Choice[str]] = []
    for motion in bot.motions:
        heard = motion.text.lower().split()
        if category and motion.category != category:
            continue
        if motion.id and all(any(word.startswith(one) for word in heard) or one in motion.id for one in wanted):
            found.append(Choice(name=_short(motion.text), value=motion.id))
    return found[:_MOST_CHOICES]


def ai_seats_like(bot: Rostrum, typed: str, format: str) -> list[Choice[str]]:
    try:
        fmt = load_format(format)
    except Exception:
        return []
    offered = [
        ("all", bot.say("command.ai_all")),
        ("debaters", bot.say("command.ai_debaters")),
        ("judges", bot.say("command.ai_judges")),
        *((seat, seat) for seat in fmt.seats),
    ]
    return [Choice(name=name, value=value) for value, name in offered if typed.lower() in name.lower()][:_MOST_CHOICES]


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_CHOICE else text[: _LONGEST_CHOICE - 1] + "…"
