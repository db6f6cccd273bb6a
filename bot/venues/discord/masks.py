"""AI speeches under the name and picture of their persona: by a webhook of ours in the channel, where that is possible.

Where it is not (no permission, too many webhooks, a thread of another kind), the bot says the same itself. A webhook's
message has no nonce, so nothing here is ever sent twice: what the network makes doubtful is left to the host.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from typing import Any, cast
from urllib.parse import quote
from weakref import WeakValueDictionary

import aiohttp
import discord
from multidict import CIMultiDict

from bot.host.ports import VenueError
from bot.venues.discord import errors
from bot.venues.discord.look import Masked
from bot.venues.discord.payload import for_send
from bot.venues.discord.place import Place
from bot.venues.discord.wire import remember

log = logging.getLogger(__name__)

NAME = "Rostrum"
NONE_FOR_S = 600.0
"""A channel without a webhook to be had is not asked about again for so long."""
LOOK_FOR_S = 5.0
"""Looking for a webhook keeps a speech no longer than this."""
_GONE = (errors.UNKNOWN_WEBHOOK, errors.BAD_WEBHOOK_TOKEN)
_OF_THE_THREAD = (errors.ARCHIVED, errors.LOCKED)
_INCOMING = 1
_LEFT = "X-RateLimit-Remaining"


class Masks:
    """The webhooks of a client, one a channel. `pictures` is the address of a persona's picture, with {persona} in
    it; without one no speech is said through them, but what was is still looked after."""

    def __init__(self, client: discord.Client, pictures: str | None) -> None:
        self._client = client
        self._pictures = pictures
        self._hooks: OrderedDict[int, discord.Webhook] = OrderedDict()
        self._none_until: OrderedDict[int, float] = OrderedDict()
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._session: aiohttp.ClientSession | None = None

    @property
    def worn(self) -> bool:
        return self._pictures is not None

    async def say(self, place: Place, speech: Masked) -> discord.Message | None:
        """Say it under the persona's name. None: it was not said and cannot be, here or now.

        Any error other than a refusal passes through, and leaves in doubt whether it was said.
        """
        if self._pictures is None:
            return None
        hook = await self._hook(place.channel)
        for again in (False, True):
            if hook is None:
                return None
            try:
                return await hook.send(
                    username=speech.name,
                    avatar_url=self._pictures.replace("{persona}", quote(speech.persona, safe="")),
                    thread=discord.Object(place.thread),
                    wait=True,
                    **for_send(speech.payload),
                )
            except _Busy:
                return None
            except discord.HTTPException as error:
                log.info("webhook %d of channel %d: %s", hook.id, place.channel, error)
                if error.code in _GONE and not again:
                    hook = await self._hook(place.channel, but=hook)
                    continue
                if error.code == errors.UNKNOWN_CHANNEL:  # the thread is gone, or somebody moved the webhook
                    self._hooks.pop(place.channel, None)
                elif error.status in (401, 403, 404) and error.code not in _OF_THE_THREAD:
                    self._has_none(place.channel)
                return None
        raise AssertionError("not reached")

    async def of_message(self, place: Place, webhook: int) -> discord.Webhook:
        """The webhook that a message came by, which alone can edit it. Raises VenueError."""
        hook = self._hooks.get(place.channel)
        if hook is None or hook.id != webhook:
            found = next((one for one in await self._ours(place.channel) if int(one["id"]) == webhook), None)
            if found is None:
                raise VenueError(f"webhook {webhook} is gone, and its messages stay as they are", lasting=True)
            hook = self._made(found)
        return hook

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    # --------------------------------------------------------------------------------------------- webhooks

    async def _hook(self, channel: int, but: discord.Webhook | None = None) -> discord.Webhook | None:
        """A channel's webhook, found or made; not the one that is gone."""
        lock = self._locks.setdefault(channel, asyncio.Lock())
        async with lock:
            hook = self._hooks.get(channel)
            if hook is not None and (but is None or hook.id != but.id or hook.token != but.token):
                return hook
            self._hooks.pop(channel, None)
            if self._none_until.get(channel, 0.0) > asyncio.get_running_loop().time():
                return None
            try:
                async with asyncio.timeout(LOOK_FOR_S):
                    hook = await self._found_or_made(channel)
            except (discord.HTTPException, TimeoutError) as error:
                log.info("channel %d has no webhook, so the bot speaks there itself: %s", channel, error)
                self._has_none(channel)
                return None
            remember(self._hooks, channel, hook)
            return hook

    async def _found_or_made(self, channel: int) -> discord.Webhook:
        known = await self._ours(channel)
        return self._made(known[0] if known else await self._client.http.create_webhook(channel, name=NAME))

    async def _ours(self, channel: int) -> list[Mapping[str, Any]]:
        """The webhooks of this application in a channel, oldest first."""
        me = self._client.user
        listed = cast(list[Mapping[str, Any]], await self._client.http.channel_webhooks(channel))
        ours = [
            one
            for one in listed
            if one.get("type") == _INCOMING
            and one.get("token")
            and (
                one.get("application_id") == str(self._client.application_id)
                or (me is not None and one.get("user", {}).get("id") == str(me.id))
            )
        ]
        return sorted(ours, key=lambda one: int(one["id"]))

    def _made(self, data: Mapping[str, Any]) -> discord.Webhook:
        if self._session is None:
            self._session = aiohttp.ClientSession(headers={"User-Agent": self._client.http.user_agent})
        session = cast(aiohttp.ClientSession, _Once(self._session))
        return discord.Webhook.partial(int(data["id"]), data["token"], session=session, client=self._client)

    def _has_none(self, channel: int) -> None:
        self._hooks.pop(channel, None)
        remember(self._none_until, channel, asyncio.get_running_loop().time() + NONE_FOR_S)


class _Busy(aiohttp.ClientError):
    """The webhook's rate limit is used up: nothing was done."""


class _Once:
    """A session for discord.py's use of one webhook, whose requests are made once.

    Left to itself, the library repeats what was answered by a 5xx or ended by a reset, and so a message may be there
    twice; and it sleeps, everybody behind in line, when a rate limit is used up, where the bot could speak instead.
    """

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session
        self._free_at = 0.0

    @contextlib.asynccontextmanager
    async def request(self, method: str, url: str, **more: Any) -> AsyncIterator[aiohttp.ClientResponse]:
        clock = asyncio.get_running_loop().time
        if method == "POST" and clock() < self._free_at:
            raise _Busy(f"rate limited for {self._free_at - clock():.1f} s")
        try:
            async with self._session.request(method, url, **more) as response:
                headers = CIMultiDict(response.headers)
                if method == "POST" and (response.status == 429 or headers.get(_LEFT) == "0"):
                    self._free_at = clock() + (errors.retry_after(headers) or 1.0)
                if response.status >= 500:
                    raise aiohttp.ClientResponseError(
                        response.request_info, response.history, status=response.status, message="no certain answer"
                    )
                if response.status == 429:
                    raise _Busy("rate limited")
                headers.pop(_LEFT, None)
                yield cast(aiohttp.ClientResponse, _Answer(response, headers))
        except OSError as error:  # of which the library repeats some
            raise aiohttp.ClientConnectionError(f"{type(error).__name__} {error}".strip()) from error


class _Answer:
    """A response with other headers."""

    def __init__(self, response: aiohttp.ClientResponse, headers: CIMultiDict[str]) -> None:
        self._response = response
        self.headers = headers

    def __getattr__(self, name: str) -> Any:
        return getattr(self._response, name)
