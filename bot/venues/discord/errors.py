"""What went wrong at Discord, in the host's terms: will trying again help, and when?"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

import aiohttp
import discord

from bot.host.ports import VenueError

UNKNOWN_MESSAGE, ARCHIVED, THREAD_EXISTS, LOCKED = 10008, 50083, 160004, 160005
UNKNOWN_CHANNEL, UNKNOWN_WEBHOOK, BAD_WEBHOOK_TOKEN = 10003, 10015, 50027
PASSING = (aiohttp.ClientError, asyncio.TimeoutError, OSError)
"""What discord.py lets through of a network that fails; it has retried 500, 502, 504, 524 and 429 by itself."""
_BANNED_FOR_S = 30.0
"""Wait at least so long when not Discord but the network before it says that we ask too often."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """An error, sorted."""

    text: str
    lasting: bool = False
    retry_after: float | None = None
    unknown: bool = False
    """What was asked for may have been done."""

    def error(self, *, repeatable: bool = True) -> VenueError:
        """As the host's. Not `repeatable`: what is done twice is there twice."""
        doubtful = self.unknown and not repeatable
        return VenueError(self.text, lasting=self.lasting, retry_after=self.retry_after, doubtful=doubtful)


def sorted_out(error: BaseException) -> Trouble | None:
    """What an exception of a call to Discord means; None for what is none of Discord's doing."""
    if isinstance(error, discord.RateLimited):
        return Trouble(f"rate limited for {error.retry_after:.1f} s", retry_after=error.retry_after)
    if isinstance(error, discord.HTTPException):
        return _answered(error)
    if isinstance(error, PASSING):
        return Trouble(f"no answer: {type(error).__name__} {error}".strip(), unknown=True)
    if isinstance(error, (discord.GatewayNotFound, discord.ConnectionClosed)) or _is_closing(error):
        return Trouble(f"not connected: {error}", unknown=True)
    return None


def _answered(error: discord.HTTPException) -> Trouble:
    text = f"Discord answered {error.status}, code {error.code}: {error.text}".strip()
    if error.status == 429:
        after = retry_after(getattr(error.response, "headers", {}))
        return Trouble(text, retry_after=after if error.code else max(after or 0.0, _BANNED_FOR_S))
    if error.status >= 500:
        return Trouble(text, unknown=True)
    # A token that was reset and a block before Discord (403 without a code) end when somebody mends them.
    if error.status == 401 or (error.status == 403 and not error.code):
        return Trouble(text, retry_after=_BANNED_FOR_S)
    return Trouble(text, lasting=True)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """How many seconds Discord says to wait."""
    value = headers.get("X-RateLimit-Reset-After") or headers.get("Retry-After")
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        return None  # a date, which only a proxy would send


def _is_closing(error: BaseException) -> bool:
    """discord.py and aiohttp say so in plain RuntimeErrors when the bot is being shut down."""
    return isinstance(error, RuntimeError) and "closed" in str(error).lower()
