"""A small bot for the tests of the fake. Also a program, to be killed; it takes its token from TINY_TOKEN."""

from __future__ import annotations

import asyncio
import io
import logging
import os
import re
from typing import Any

import discord
from discord import app_commands, ui

from tests.discord.fake import point_discord_at_environment

SAFE = discord.AllowedMentions.none()


class Join(ui.DynamicItem[ui.Button[Any]], template=r"join:(?P<game>\d+)"):
    def __init__(self, game: int) -> None:
        super().__init__(ui.Button(label="Join", custom_id=f"join:{game}", style=discord.ButtonStyle.primary))
        self.game = game

    @classmethod
    async def from_custom_id(cls, interaction: discord.Interaction, item: ui.Item[Any], match: re.Match[str]) -> Join:
        return cls(int(match["game"]))

    async def callback(self, interaction: discord.Interaction) -> None:
        await interaction.response.send_message(f"{interaction.user.name} plays game {self.game}.", ephemeral=True)


class Speak(ui.Modal, title="Your turn"):
    move = ui.Label(
        text="Move",
        component=ui.Select(
            custom_id="move", options=[discord.SelectOption(label=one) for one in ("Argument", "Rebuttal")]
        ),
    )
    words = ui.Label(
        text="Speech",
        description="At most 400 characters",
        component=ui.TextInput(custom_id="words", style=discord.TextStyle.paragraph, max_length=400),
    )

    def __init__(self) -> None:
        super().__init__(custom_id="speak:7")

    async def on_submit(self, interaction: discord.Interaction) -> None:
        assert isinstance(self.words.component, ui.TextInput) and isinstance(self.move.component, ui.Select)
        said = f"{self.move.component.values[0]}: {self.words.component.value}"
        await interaction.response.send_message(said, allowed_mentions=SAFE)


class Tiny(discord.AutoShardedClient):
    """`seen` holds the messages it got, `readies` counts READYs, `late` slows its answers."""

    def __init__(self, *, message_content: bool = True, heartbeat_timeout: float = 10.0) -> None:
        intents = discord.Intents(guilds=True, guild_messages=True, message_content=message_content)
        super().__init__(
            intents=intents, allowed_mentions=SAFE, guild_ready_timeout=0.05, heartbeat_timeout=heartbeat_timeout
        )
        self.tree = app_commands.CommandTree(
            self,
            allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=False, private_channel=False),
            allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
        )
        self.seen: list[discord.Message] = []
        self.readies = 0
        self.resumes = 0
        self.late = 0.0
        self._add_commands()

    async def setup_hook(self) -> None:
        self.add_dynamic_items(Join)
        await self.tree.sync()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Without the five seconds that Discord wants between logins."""

    async def on_ready(self) -> None:
        self.readies += 1

    async def on_shard_resumed(self, shard_id: int) -> None:
        self.resumes += 1

    async def on_message(self, message: discord.Message) -> None:
        self.seen.append(message)

    def _add_commands(self) -> None:
        group = app_commands.Group(name="game", description="Play")
        self.tree.add_command(group)

        @group.command(name="start", description="Start a game")
        @app_commands.describe(topic="What about")
        async def start(
            interaction: discord.Interaction, topic: str, number: app_commands.Range[int, 1, 9] = 1
        ) -> None:
            view = ui.View(timeout=None)
            view.add_item(Join(number))
            embed = discord.Embed(title="A game", description=topic)
            await interaction.response.send_message(embed=embed, view=view)
            card = await interaction.original_response()
            assert isinstance(interaction.channel, discord.TextChannel)
            thread = await interaction.channel.get_partial_message(card.id).create_thread(name=f"Game {number}")
            await thread.send("Ready?", nonce=f"m{number}:1:prompt")

        @start.autocomplete("topic")
        async def topics(interaction: discord.Interaction, typed: str) -> list[app_commands.Choice[str]]:
            known = ("Homework", "Holidays", "School uniforms")
            return [app_commands.Choice(name=one, value=one) for one in known if one.lower().startswith(typed.lower())]

        @group.command(name="speak", description="Speak")
        async def speak(interaction: discord.Interaction) -> None:
            await interaction.response.send_modal(Speak())

        @group.command(name="think", description="Answer late")
        async def think(interaction: discord.Interaction) -> None:
            await asyncio.sleep(self.late)
            await interaction.response.defer(ephemeral=True)
            await asyncio.sleep(0.05)
            await interaction.followup.send("Done.", ephemeral=True)


def clip(name: str = "clip.ogg") -> discord.File:
    return discord.File(io.BytesIO(b"OggS" + b"\0" * 100), filename=name)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    point_discord_at_environment()
    Tiny().run(os.environ["TINY_TOKEN"], log_handler=None)
