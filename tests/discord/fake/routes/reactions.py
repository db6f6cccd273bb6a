"""Reactions."""

from __future__ import annotations

from tests.discord.fake import threads
from tests.discord.fake.call import Call
from tests.discord.fake.errors import ApiError
from tests.discord.fake.permissions import may
from tests.discord.fake.records import Channel, Json, Message
from tests.discord.fake.routes.messages import message_of
from tests.discord.fake.routing import route

REACTION = "/channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}"


@route("PUT", REACTION + "/@me")
async def add(call: Call) -> None:
    fake, channel = call.fake, call.channel
    found, emoji = message_of(call, channel), call.params["emoji_name"]
    bot_id = fake.world.application.bot_id
    if emoji not in found.reactions and not may(fake.world, channel, bot_id, "add_reactions"):
        raise ApiError(50013)
    if emoji.isascii() and ":" not in emoji:
        raise ApiError(10014)
    threads.check_open(fake, channel, bot_id, sending=False)
    fake.admin.react(channel, found, fake.world.bot, emoji)


@route("DELETE", REACTION + "/@me")
async def remove_own(call: Call) -> None:
    channel = call.channel
    found = message_of(call, channel)
    call.fake.admin.unreact(channel, found, call.fake.world.bot, call.params["emoji_name"])


@route("DELETE", REACTION + "/{user_id}")
async def remove(call: Call) -> None:
    channel = call.channel
    found = _moderated(call, channel)
    user = call.fake.world.users.get(call.number("user_id"))
    if user is None:
        raise ApiError(10013)
    call.fake.admin.unreact(channel, found, user, call.params["emoji_name"])


@route("DELETE", "/channels/{channel_id}/messages/{message_id}/reactions")
@route("DELETE", REACTION)
async def clear(call: Call) -> None:
    channel = call.channel
    found = _moderated(call, channel)
    only = call.params.get("emoji_name")
    for emoji, users in list(found.reactions.items()):
        for user_id in list(users) if only in (None, emoji) else []:
            call.fake.admin.unreact(channel, found, call.fake.world.users[user_id], emoji)


@route("GET", REACTION)
async def users(call: Call) -> list[Json]:
    found = message_of(call, call.channel)
    who = found.reactions.get(call.params["emoji_name"], [])
    return [call.fake.payloads.user(call.fake.world.users[one]) for one in who]


def _moderated(call: Call, channel: Channel) -> Message:
    if not may(call.fake.world, channel, call.fake.world.application.bot_id, "manage_messages"):
        raise ApiError(50013)
    return message_of(call, channel)
