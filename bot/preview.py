"""`python -m bot preview`: the real bot in a page that looks like Discord, on this machine only and without a token.

simcord keeps a Discord in memory and shows one channel of it in the browser. What it lacks for trying the bot out is
here: its clock follows the real one, the page follows what happens, and people get from the channel to a thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import logging
import signal
import tempfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import discord
from discord import Interaction, app_commands
from discord.app_commands import Choice

from bot.messages.words import words
from bot.settings import Settings
from bot.venues.discord.look import face
from cogs.discord import create_bot
from cogs.discord.bot import Rostrum

if TYPE_CHECKING:
    from simcord import Env
    from simcord.actors import MemberActor
    from simcord.builders import ChannelHandle
    from simcord.preview import Preview

log = logging.getLogger(__name__)

PEOPLE = ("Ann", "Ben", "Cleo")
_FACES = "https://faces.invalid/"
TICK_S = 0.25
_CHANNEL = "debates"


class PreviewError(Exception):
    """The preview cannot be shown; the text says why."""


@dataclass(slots=True)
class World:
    """The Discord in memory, and the page on it."""

    env: Env
    bot: Rostrum
    channel: ChannelHandle
    people: list[MemberActor]
    page: Preview
    busy: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while somebody clicks or the clock moves: simcord does one thing at a time."""
    known: set[int] = field(default_factory=set[int])
    moves: list[tuple[int | None, ChannelHandle]] = field(default_factory=list)
    """Who (None: everybody in the channel) is to see which channel or thread next."""

    def rooms(self) -> dict[str, ChannelHandle]:
        """The channel and its threads, the newest first, by what they are called."""
        threads = sorted(self.channel.threads, key=lambda one: -one.id)
        return {f"#{_CHANNEL}": self.channel, **{one.name or str(one.id): one for one in threads}}


async def run_preview(settings: Settings, ready: Callable[[str], None], port: int = 0) -> None:
    """Show the preview until Ctrl-C or until the page ends it; `ready` is told the address. Raises PreviewError."""
    with tempfile.TemporaryDirectory(prefix="rostrum-preview-") as folder:
        async with open_world(in_folder(settings, Path(folder)), port) as world:
            stop = asyncio.Event()
            loop = asyncio.get_running_loop()
            for sign in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(sign, stop.set)
            ready(world.page.url)
            clock = loop.create_task(keep_going(world), name="preview clock")
            ends = [clock, *(loop.create_task(wait()) for wait in (stop.wait, world.page.wait_closed))]
            try:
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in ends:
                    task.cancel()
                await asyncio.gather(*ends, return_exceptions=True)
            if not clock.cancelled() and (error := clock.exception()) is not None:
                raise error


def in_folder(settings: Settings, folder: Path) -> Settings:
    """The settings for a Discord that is gone with the process: with a database that is gone, too."""
    database = type(settings).model_validate({"database_url": f"sqlite:///{folder / 'rostrum.db'}"}).database_url
    changes = {"database_url": database, "data_dir": folder, "discord_message_content": True, "discord_members": True}
    return settings.model_copy(update=changes)


@contextlib.asynccontextmanager
async def open_world(settings: Settings, port: int = 0, **look: Any) -> AsyncIterator[World]:
    """A server with three people and the bot, and a page on its channel. `look`: options of simcord's preview."""
    if any(importlib.util.find_spec(name) is None for name in ("simcord", "av", "markdown_it", "linkify_it")):
        raise PreviewError(words()("preview.missing"))
    import simcord  # only now: it comes with the extra
    from simcord.backend.errors import SetupError

    bot = create_bot(settings, shard_count=1)
    worlds: list[World] = []
    bot.tree.add_command(_go(worlds))
    async with simcord.run(bot, check_errors=False) as env:
        try:
            await env.advance_time((datetime.now(UTC) - env.now()).total_seconds())
            env.backend.bot_user.name = "Rostrum"
            guild = env.create_guild("Debating Society")
            channel = guild.create_text_channel(_CHANNEL, topic=words()("preview.topic"))
            admin = guild.create_role("Admin", permissions=discord.Permissions(manage_guild=True, manage_messages=True))
            people = [
                guild.add_member(env.create_user(name.lower(), global_name=name), roles=[admin] if not at else [])
                for at, name in enumerate(PEOPLE)
            ]
            faces = {f"{_FACES}{one.id}.png": (f"{one.id}.png", face(one.id).data) for one in bot.personas}
            page = env.preview(channel, viewers=people, port=port, assets=faces, **{"layout": "channel", **look})
            async with page:
                world = World(env, bot, channel, people, page)
                worlds.append(world)
                _in_turn(world)
                _with_faces(world)
                yield world
        except SetupError as error:
            raise PreviewError(words()("preview.failed", why=error)) from error
        finally:
            await bot.close()


async def keep_going(world: World) -> None:
    """Let simcord's clock run with ours, and the page follow."""
    loop = asyncio.get_running_loop()
    seen: object = None
    while True:
        await asyncio.sleep(TICK_S)
        async with world.busy:
            behind = (datetime.now(UTC) - world.env.now()).total_seconds()
            try:
                await world.env.advance_time(max(0.0, behind))
            except TimeoutError as error:  # something of simcord's takes long; the next tick goes on with it
                log.info("the preview's clock is late: %s", error)
                continue
            _follow(world)
            state = _state(world)
            if state != seen:
                seen = state
                began = loop.time()
                await world.page.refresh()
                log.debug("the page was drawn in %.3f s", loop.time() - began)


def _follow(world: World) -> None:
    """Go where the debate is: into a new thread all who look at the channel, and elsewhere who asked for it."""
    for thread in world.channel.threads:
        if thread.id not in world.known:
            world.known.add(thread.id)
            world.moves.append((None, thread))
    for who, room in world.moves:
        world.page.channel = room  # for pages that are opened from now on
        for page in world.page._pages.values():
            if page.viewer.id == who or (who is None and page.channel_id == world.channel.id):
                page.channel_id = room.id
                page.target_id = page.window_end_id = page.modal = page.modal_handle = None
                page.generation += 1
    world.moves.clear()


def _state(world: World) -> object:
    """Something that changes whenever there is anything new to be seen."""
    messages = world.env.backend.messages
    pages = tuple((page.id, page.channel_id) for page in world.page._pages.values())
    return len(world.env.http_requests), sum(len(one) for one in messages.values()), pages


def _in_turn(world: World) -> None:
    """Let what is clicked wait for the clock, which simcord would refuse it for."""
    act = world.page._action

    async def one_at_a_time(*arguments: Any, **options: Any) -> Any:
        async with world.busy:
            return await act(*arguments, **options)

    world.page._action = one_at_a_time


def _with_faces(world: World) -> None:
    """Show in an embed the picture that was sent along for it, and not once more as a file; Discord does so itself."""
    publish = world.page._publish

    def publish_with_faces(*arguments: Any, **options: Any) -> None:
        for messages in world.env.backend.messages.values():
            for message in messages.values():
                for author in [embed["author"] for embed in message.embeds if "author" in embed]:
                    scheme, _, name = str(author.get("icon_url") or "").partition("://")
                    if scheme == "attachment":
                        author["icon_url"] = _FACES + name
                        message.attachments = [one for one in message.attachments if one["filename"] != name]
        publish(*arguments, **options)

    world.page._publish = publish_with_faces


def _go(worlds: list[World]) -> app_commands.Command[Any, Any, Any]:
    """`/go`: Discord has a list of channels for it, the page has none."""

    async def go(interaction: Interaction[Any], place: str) -> None:
        room = worlds[0].rooms().get(place)
        if room is not None:
            worlds[0].moves.append((interaction.user.id, room))
        key = "preview.went" if room is not None else "preview.nowhere"
        await interaction.response.send_message(words()(key, place=place), ephemeral=True)

    async def places(_: Interaction[Any], typed: str) -> list[Choice[str]]:
        found = [name for name in worlds[0].rooms() if typed.lower() in name.lower()]
        return [Choice(name=name, value=name) for name in found[:25]]

    command: Any = app_commands.Command(name="go", description=words()("preview.go"), callback=go)
    command.autocomplete("place")(places)
    return command
