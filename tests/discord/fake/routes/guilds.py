"""Servers, their channels, members and roles."""

from __future__ import annotations

import datetime

from tests.discord.fake.bits import ALL, BITS
from tests.discord.fake.call import Call
from tests.discord.fake.errors import ApiError
from tests.discord.fake.permissions import in_guild
from tests.discord.fake.records import Guild, Json, Member
from tests.discord.fake.routing import route


@route("GET", "/guilds/{guild_id}")
async def guild(call: Call) -> Json:
    return call.fake.payloads.guild(call.guild)


@route("GET", "/guilds/{guild_id}/channels")
async def channels(call: Call) -> list[Json]:
    wanted = call.guild.id
    shown = [one for one in call.fake.world.channels.values() if one.guild_id == wanted and not one.thread]
    return [call.fake.payloads.channel(one) for one in shown]


@route("GET", "/guilds/{guild_id}/roles")
async def roles(call: Call) -> list[Json]:
    return [call.fake.payloads.role(call.guild, one) for one in call.guild.roles.values()]


@route("GET", "/guilds/{guild_id}/members")
async def members(call: Call) -> list[Json]:
    if "members" not in call.fake.world.application.privileged:
        raise ApiError(50001)
    after, limit = int(call.query.get("after", 0)), int(call.query.get("limit", 1))
    found = sorted((one for one in call.guild.members.values() if one.user_id > after), key=lambda one: one.user_id)
    return [call.fake.payloads.member(call.guild, one) for one in found[:limit]]


@route("GET", "/guilds/{guild_id}/members/search")
async def search(call: Call) -> list[Json]:
    query, users = call.query.get("query", "").lower(), call.fake.world.users
    found = [
        one
        for one in call.guild.members.values()
        if users[one.user_id].name.lower().startswith(query) or (one.nick or "").lower().startswith(query)
    ]
    return [call.fake.payloads.member(call.guild, one) for one in found[: int(call.query.get("limit", 1))]]


@route("GET", "/guilds/{guild_id}/members/{user_id}")
async def member(call: Call) -> Json:
    return call.fake.payloads.member(call.guild, _member(call))


@route("PATCH", "/guilds/{guild_id}/members/@me")
async def change_me(call: Call) -> Json:
    own = call.guild.members[call.fake.world.application.bot_id]
    own.nick = call.json.get("nick", own.nick)
    return call.fake.payloads.member(call.guild, own)


@route("PATCH", "/guilds/{guild_id}/members/{user_id}")
async def change(call: Call) -> Json:
    found, body = _member(call), call.json
    if "communication_disabled_until" in body:
        _need(call, "moderate_members")
        until = body["communication_disabled_until"]
        found.timed_out_until = datetime.datetime.fromisoformat(until).timestamp() if until else None
    if "nick" in body:
        _need(call, "manage_nicknames")
        found.nick = body["nick"]
    if "roles" in body:
        _need(call, "manage_roles")
        found.roles = [int(one) for one in body["roles"]]
    call.fake.admin.member_changed(call.guild, found)
    return call.fake.payloads.member(call.guild, found)


@route("PUT", "/guilds/{guild_id}/members/{user_id}/roles/{role_id}")
async def add_role(call: Call) -> None:
    found, role = _member(call), _role(call)
    if role not in found.roles:
        found.roles.append(role)
    call.fake.admin.member_changed(call.guild, found)


@route("DELETE", "/guilds/{guild_id}/members/{user_id}/roles/{role_id}")
async def remove_role(call: Call) -> None:
    found, role = _member(call), _role(call)
    if role in found.roles:
        found.roles.remove(role)
    call.fake.admin.member_changed(call.guild, found)


def _member(call: Call) -> Member:
    found = call.guild.members.get(call.number("user_id"))
    if found is None:
        raise ApiError(10007 if call.number("user_id") in call.fake.world.users else 10013)
    return found


def _role(call: Call) -> int:
    """The role of the path, which must be below the bot's own."""
    _need(call, "manage_roles")
    guild = call.guild
    role = guild.roles.get(call.number("role_id"))
    if role is None:
        raise ApiError(10011)
    if role.position >= _highest(guild, call.fake.world.application.bot_id):
        raise ApiError(50013)
    return role.id


def _highest(guild: Guild, user_id: int) -> int:
    return max((guild.roles[one].position for one in guild.members[user_id].roles), default=0)


def _need(call: Call, name: str) -> None:
    held = in_guild(call.guild, call.fake.world.application.bot_id)
    if held != ALL and not held & BITS[name]:
        raise ApiError(50013)
