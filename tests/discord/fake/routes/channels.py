"""Channels and threads: read, changed, deleted; typing."""

from __future__ import annotations

import time

from tests.discord.fake import threads
from tests.discord.fake.call import Call
from tests.discord.fake.errors import ApiError
from tests.discord.fake.events import announce_channel
from tests.discord.fake.permissions import may, sends_in
from tests.discord.fake.records import Channel, Json
from tests.discord.fake.routing import route

THREAD_KEYS = ("name", "archived", "locked", "invitable", "auto_archive_duration", "rate_limit_per_user", "flags")


@route("GET", "/channels/{channel_id}")
async def read(call: Call) -> Json:
    return call.fake.payloads.channel(call.channel)


@route("PATCH", "/channels/{channel_id}")
async def change(call: Call) -> Json:
    channel = call.channel
    if channel.thread:
        _change_thread(call, channel)
    else:
        _need(call, channel, "manage_channels")
        channel.name = call.json.get("name") or channel.name
        channel.topic = call.json.get("topic", channel.topic)
        channel.slowmode = int(call.json.get("rate_limit_per_user", channel.slowmode) or 0)
        announce_channel(call.fake, "CHANNEL_UPDATE", channel)
    return call.fake.payloads.channel(channel)


def _change_thread(call: Call, channel: Channel) -> None:
    """A moderator may change everything; who started it, its name and whether it is open; anyone may open it."""
    world, bot_id, thread = call.fake.world, call.fake.world.application.bot_id, channel.thread
    assert thread is not None
    asked = {key: call.json[key] for key in THREAD_KEYS if call.json.get(key) is not None}
    if not may(world, channel, bot_id, "manage_threads"):
        own = thread.owner_id == bot_id
        opens = set(asked) <= {"archived", "auto_archive_duration"} and asked.get("archived") is False
        theirs = {"name", "archived", "auto_archive_duration"} if own else set()
        if thread.locked or not (set(asked) <= theirs or (opens and may(world, channel, bot_id, sends_in(channel)))):
            raise ApiError(50013)
    if thread.archived and asked.get("archived") is not False:
        raise ApiError(50083)
    changes = {"slowmode" if key == "rate_limit_per_user" else key: value for key, value in asked.items()}
    changes.pop("flags", None)
    renamed = "name" in changes and changes["name"] != channel.name
    threads.update(call.fake, channel, **changes)
    if renamed:
        threads.system_message(call.fake, channel, bot_id, threads.NAME_CHANGE, channel.name)


@route("DELETE", "/channels/{channel_id}")
async def delete(call: Call) -> Json:
    channel = call.channel
    if channel.guild_id is not None:
        _need(call, channel, "manage_threads" if channel.thread else "manage_channels")
    shown = call.fake.payloads.channel(channel)
    threads.delete(call.fake, channel)
    return shown


@route("POST", "/channels/{channel_id}/typing")
async def typing(call: Call) -> None:
    channel = call.channel
    if channel.guild_id is not None:
        _need(call, channel, sends_in(channel))
        data = {"channel_id": str(channel.id), "user_id": str(call.fake.world.application.bot_id)}
        data |= {"guild_id": str(channel.guild_id), "timestamp": int(time.time())}
        call.fake.gateway.dispatch("TYPING_START", data, guild_id=channel.guild_id)


def _need(call: Call, channel: Channel, name: str) -> None:
    if not may(call.fake.world, channel, call.fake.world.application.bot_id, name):
        raise ApiError(50013)
