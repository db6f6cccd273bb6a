"""Application commands: read and replaced, for every server or for one."""

from __future__ import annotations

from tests.discord.fake.call import Call
from tests.discord.fake.errors import ApiError
from tests.discord.fake.records import Json
from tests.discord.fake.routing import route

EVERYWHERE = "/applications/{application_id}/commands"
IN_GUILD = "/applications/{application_id}/guilds/{guild_id}/commands"
DEFAULTS: Json = {
    "type": 1,
    "description": "",
    "options": [],
    "default_member_permissions": None,
    "nsfw": False,
    "name_localizations": None,
    "description_localizations": None,
}


@route("GET", EVERYWHERE)
@route("GET", IN_GUILD)
async def listed(call: Call) -> list[Json]:
    return call.fake.world.commands.get(_scope(call), [])


@route("PUT", EVERYWHERE)
@route("PUT", IN_GUILD)
async def replace(call: Call) -> list[Json]:
    scope = _scope(call)
    before = {_key(one): one for one in call.fake.world.commands.get(scope, [])}
    call.fake.world.commands[scope] = [_made(call, one, before.get(_key(one))) for one in call.body]
    call.fake.changed()
    return call.fake.world.commands[scope]


@route("POST", EVERYWHERE)
@route("POST", IN_GUILD)
async def create(call: Call) -> Json:
    commands = call.fake.world.commands.setdefault(_scope(call), [])
    before = next((one for one in commands if _key(one) == _key(call.json)), None)
    made = _made(call, call.json, before)
    commands[:] = [one for one in commands if one is not before] + [made]
    return made


@route("GET", EVERYWHERE + "/{command_id}")
@route("GET", IN_GUILD + "/{command_id}")
async def one(call: Call) -> Json:
    for command in call.fake.world.commands.get(_scope(call), []):
        if command["id"] == call.params["command_id"]:
            return command
    raise ApiError(10063)


@route("DELETE", EVERYWHERE + "/{command_id}")
@route("DELETE", IN_GUILD + "/{command_id}")
async def delete(call: Call) -> None:
    found = await one(call)
    call.fake.world.commands[_scope(call)].remove(found)


def _scope(call: Call) -> int:
    """Where commands are kept: the server's id, or 0 for every server."""
    if call.number("application_id") != call.fake.world.application.id:
        raise ApiError(50001)
    return call.guild.id if "guild_id" in call.params else 0


def _key(command: Json) -> tuple[int, str]:
    return command.get("type") or 1, command["name"]


def _made(call: Call, body: Json, before: Json | None) -> Json:
    world = call.fake.world
    if before is None:
        world.command_creates += 1
    given = {key: value for key, value in body.items() if value is not None}
    made = DEFAULTS | {"contexts": None, "integration_types": [0, 1]} | given
    made |= {
        "id": before["id"] if before else str(world.new_id()),
        "application_id": str(world.application.id),
        "version": str(world.new_id()),
    }
    if made["default_member_permissions"] is not None:
        made["default_member_permissions"] = str(made["default_member_permissions"])
    if "guild_id" in call.params:
        made["guild_id"] = call.params["guild_id"]
    return made
