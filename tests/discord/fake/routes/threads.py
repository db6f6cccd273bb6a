"""Starting threads, their members, and lists of them."""

from __future__ import annotations

from tests.discord.fake import threads
from tests.discord.fake.call import Call
from tests.discord.fake.errors import ApiError
from tests.discord.fake.permissions import may
from tests.discord.fake.records import PRIVATE_THREAD, TEXT, Channel, Json, Thread
from tests.discord.fake.routes.messages import message_of
from tests.discord.fake.routing import route

MEMBER = "/channels/{channel_id}/thread-members/{user_id}"


@route("POST", "/channels/{channel_id}/messages/{message_id}/threads")
async def from_message(call: Call) -> Json:
    channel = _parent(call)
    _need(call, channel, "create_public_threads")
    source = message_of(call, channel)
    if call.fake.world.thread_of(source.id):
        raise ApiError(160004)
    started = threads.start(call.fake, channel, call.fake.world.application.bot_id, call.json, source=source)
    return call.fake.payloads.channel(started)


@route("POST", "/channels/{channel_id}/threads")
async def without_message(call: Call) -> Json:
    channel = _parent(call)
    private = call.json.get("type") == PRIVATE_THREAD
    _need(call, channel, "create_private_threads" if private else "create_public_threads")
    started = threads.start(call.fake, channel, call.fake.world.application.bot_id, call.json, private=private)
    return call.fake.payloads.channel(started)


@route("GET", "/guilds/{guild_id}/threads/active")
async def active(call: Call) -> Json:
    world = call.fake.world
    bot_id = world.application.bot_id
    found = [
        one
        for one in world.threads_of(call.guild.id)
        if one.thread and not one.thread.archived and may(world, one, bot_id, "view_channel")
    ]
    return _listed(call, found)


@route("GET", "/channels/{channel_id}/threads/archived/public")
async def archived_public(call: Call) -> Json:
    return _archived(call, private=False)


@route("GET", "/channels/{channel_id}/threads/archived/private")
@route("GET", "/channels/{channel_id}/users/@me/threads/archived/private")
async def archived_private(call: Call) -> Json:
    return _archived(call, private=True)


@route("GET", "/channels/{channel_id}/thread-members")
async def members(call: Call) -> list[Json]:
    channel, thread = _thread(call)
    return [call.fake.payloads.thread_member(channel, thread, one) for one in thread.members]


@route("GET", MEMBER)
async def member(call: Call) -> Json:
    channel, thread = _thread(call)
    if call.number("user_id") not in thread.members:
        raise ApiError(10007)
    return call.fake.payloads.thread_member(channel, thread, call.number("user_id"))


@route("PUT", "/channels/{channel_id}/thread-members/@me")
async def join(call: Call) -> None:
    _add(call, call.fake.world.application.bot_id)


@route("PUT", MEMBER)
async def add(call: Call) -> None:
    channel, thread = _thread(call)
    wanted = call.number("user_id")
    guild = call.fake.world.guilds[channel.guild_id or 0]
    if wanted not in guild.members:
        raise ApiError(50001 if wanted in call.fake.world.users else 10013)
    new = wanted not in thread.members
    _add(call, wanted)
    if new:
        bot_id = call.fake.world.application.bot_id
        threads.system_message(call.fake, channel, bot_id, threads.RECIPIENT_ADD)


@route("DELETE", "/channels/{channel_id}/thread-members/@me")
async def leave(call: Call) -> None:
    channel, _ = _thread(call)
    threads.remove_member(call.fake, channel, call.fake.world.application.bot_id)


@route("DELETE", MEMBER)
async def remove(call: Call) -> None:
    channel, thread = _thread(call)
    bot_id = call.fake.world.application.bot_id
    own_private = channel.type == PRIVATE_THREAD and thread.owner_id == bot_id
    if not own_private:
        _need(call, channel, "manage_threads")
    threads.remove_member(call.fake, channel, call.number("user_id"))


def _add(call: Call, user_id: int) -> None:
    channel, thread = _thread(call)
    if thread.archived:
        raise ApiError(50083)
    _need(call, channel, "send_messages_in_threads")
    threads.add_member(call.fake, channel, user_id)


def _parent(call: Call) -> Channel:
    channel = call.channel
    if channel.type != TEXT:
        raise ApiError(50024)
    return channel


def _thread(call: Call) -> tuple[Channel, Thread]:
    channel = call.channel
    if channel.thread is None:
        raise ApiError(50024)
    return channel, channel.thread


def _archived(call: Call, *, private: bool) -> Json:
    channel = call.channel
    _need(call, channel, "read_message_history")
    found = [
        one
        for one in call.fake.world.threads_of(channel.guild_id or 0)
        if one.thread
        and one.thread.parent_id == channel.id
        and one.thread.archived
        and (one.type == PRIVATE_THREAD) is private
    ]
    found.sort(key=lambda one: one.thread.archive_timestamp if one.thread else 0.0, reverse=True)
    return _listed(call, found) | {"has_more": False}


def _listed(call: Call, found: list[Channel]) -> Json:
    bot_id = call.fake.world.application.bot_id
    payloads = call.fake.payloads
    own = [
        payloads.thread_member(one, one.thread, bot_id) for one in found if one.thread and bot_id in one.thread.members
    ]
    return {"threads": [payloads.channel(one) for one in found], "members": own}


def _need(call: Call, channel: Channel, name: str) -> None:
    if not may(call.fake.world, channel, call.fake.world.application.bot_id, name):
        raise ApiError(50013)
