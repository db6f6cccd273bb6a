"""The bot itself, its application, its gateway, and people."""

from __future__ import annotations

from tests.discord.fake.call import Call
from tests.discord.fake.errors import ApiError
from tests.discord.fake.records import DM, Channel, Json
from tests.discord.fake.routing import route


@route("GET", "/users/@me")
async def me(call: Call) -> Json:
    return call.fake.payloads.user(call.fake.world.bot) | {"verified": True, "mfa_enabled": False, "locale": "en-US"}


@route("GET", "/users/{user_id}")
async def user(call: Call) -> Json:
    found = call.fake.world.users.get(call.number("user_id"))
    if found is None:
        raise ApiError(10013)
    return call.fake.payloads.user(found)


@route("GET", "/oauth2/applications/@me")
@route("GET", "/applications/@me")
async def application(call: Call) -> Json:
    return call.fake.payloads.application()


@route("GET", "/applications/{application_id}/emojis")
async def emojis(call: Call) -> Json:
    return {"items": []}


@route("GET", "/gateway")
async def gateway(call: Call) -> Json:
    return {"url": call.fake.gateway_url}


@route("GET", "/gateway/bot")
async def gateway_bot(call: Call) -> Json:
    used = len(call.fake.gateway.identifies)
    limit = {"total": 1000, "remaining": max(0, 1000 - used), "reset_after": 86_400_000, "max_concurrency": 1}
    return {"url": call.fake.gateway_url, "shards": 1, "session_start_limit": limit}


@route("GET", "/users/@me/guilds")
async def guilds(call: Call) -> list[Json]:
    bot_id = call.fake.world.application.bot_id
    mine = [guild for guild in call.fake.world.guilds.values() if bot_id in guild.members]
    return [
        {"id": str(guild.id), "name": guild.name, "icon": None, "owner": False, "permissions": "0"} for guild in mine
    ]


@route("POST", "/users/@me/channels")
async def open_dm(call: Call) -> Json:
    world = call.fake.world
    recipient = world.users.get(int(call.json["recipient_id"]))
    if recipient is None:
        raise ApiError(10013)
    if recipient.dm_channel_id is None:
        channel = Channel(id=world.new_id(), type=DM, recipient_id=recipient.id)
        world.channels[channel.id] = channel
        recipient.dm_channel_id = channel.id
    return call.fake.payloads.channel(world.channels[recipient.dm_channel_id])
