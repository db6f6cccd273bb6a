"""Pointing discord.py at a fake, in this process or from a child's environment."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import discord.asset
import discord.gateway
import discord.http
import yarl

ASSET: Any = discord.asset.Asset  # typed as if its address could not change
URL_VARIABLE = "ROSTRUM_FAKE_DISCORD"


def point_discord_at(url: str) -> None:
    """REST, gateway and pictures of every client started from now on. Call before login."""
    discord.http.Route.BASE = f"{url}/api/v10"
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(url.replace("http", "ws", 1) + "/gateway")
    ASSET.BASE = f"{url}/cdn"


def point_discord_at_environment() -> bool:
    """The same in a child process, if FakeDiscord.environment() is in its environment."""
    url = os.environ.get(URL_VARIABLE)
    if url:
        point_discord_at(url)
    return bool(url)


@contextmanager
def patched(url: str) -> Iterator[None]:
    before = (
        discord.http.Route.BASE,
        discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY,
        ASSET.BASE,
    )
    point_discord_at(url)
    try:
        yield
    finally:
        discord.http.Route.BASE, discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY, ASSET.BASE = before
