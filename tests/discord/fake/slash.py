"""From what a user types after the slash to what Discord sends, refusing what a client would not let through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.discord.fake.bits import BITS
from tests.discord.fake.permissions import in_channel
from tests.discord.fake.records import Channel, Guild, Json, Message, Role, User
from tests.discord.fake.world import World

if TYPE_CHECKING:
    from tests.discord.fake.payloads import Payloads

SUBCOMMAND, GROUP = 1, 2
ON_MESSAGE = 3
STRING, INTEGER, BOOLEAN, USER, CHANNEL, ROLE, MENTIONABLE, NUMBER = 3, 4, 5, 6, 7, 8, 9, 10


class CannotDo(AssertionError):
    """A Discord client would not have let the user do this."""


def find(world: World, channel: Channel, user_id: int, path: str) -> tuple[Json, list[Json], list[Json]]:
    """The command of a path like "debate start": (the command, its subcommands on the way, the last one's options)."""
    name, *rest = path.split()
    scopes = [*world.commands.get(channel.guild_id or -1, []), *world.commands.get(0, [])]
    command = next((one for one in scopes if one["name"] == name and one["type"] == 1), None)
    if command is None:
        known = ", ".join(sorted(one["name"] for one in scopes)) or "none"
        raise CannotDo(f"there is no command /{name}; known: {known}")
    contexts = command.get("contexts")
    context = 0 if channel.guild_id else 1
    if contexts is not None and context not in contexts:
        raise CannotDo(f"/{name} is not offered here (contexts {contexts})")
    may = in_channel(world, channel, user_id)
    if not may & BITS["use_application_commands"]:
        raise CannotDo(f"commands may not be used in #{channel.name}")
    need = command.get("default_member_permissions")
    if need is not None and (int(need) == 0 or may & int(need) != int(need)) and not may & BITS["administrator"]:
        raise CannotDo(f"/{name} is shown only to members with permissions {need}")
    way: list[Json] = []
    options = command.get("options") or []
    for part in rest:
        nested = next((one for one in options if one["name"] == part and one["type"] in (SUBCOMMAND, GROUP)), None)
        if nested is None:
            raise CannotDo(f"/{name} has no subcommand {part!r}; known: {', '.join(one['name'] for one in options)}")
        way.append(nested)
        options = nested.get("options") or []
    if any(one["type"] in (SUBCOMMAND, GROUP) for one in options):
        raise CannotDo(f"/{path} needs a subcommand: {', '.join(one['name'] for one in options)}")
    return command, way, options


def data(
    world: World,
    payloads: Payloads,
    channel: Channel,
    user_id: int,
    path: str,
    given: dict[str, Any],
    *,
    focused: str | None = None,
) -> Json:
    """The data of a command interaction, or of an autocomplete one if an option is `focused`."""
    command, way, known = find(world, channel, user_id, path)
    by_name = {one["name"]: one for one in known}
    unknown = given.keys() - by_name.keys()
    if unknown:
        raise CannotDo(f"/{path} has no option {', '.join(sorted(unknown))}; known: {', '.join(by_name)}")
    missing = [one["name"] for one in known if one.get("required") and one["name"] not in given]
    if missing and focused is None:
        raise CannotDo(f"/{path} needs {', '.join(missing)}")
    resolved: Json = {}
    options: list[Json] = []
    for name, value in given.items():
        filled = _fill(world, payloads, channel, by_name[name], value, resolved, partial=name == focused)
        options.append(filled | ({"focused": True} if name == focused else {}))
    for nested in reversed(way):
        options = [{"name": nested["name"], "type": nested["type"], "options": options}]
    shown: Json = {"id": command["id"], "name": command["name"], "type": 1, "options": options}
    if resolved:
        shown["resolved"] = resolved
    if "guild_id" in command:
        shown["guild_id"] = command["guild_id"]
    return shown


def on_message(world: World, payloads: Payloads, channel: Channel, name: str, message: Message) -> Json:
    """The data of a command of the menu of a message."""
    scopes = [*world.commands.get(channel.guild_id or -1, []), *world.commands.get(0, [])]
    command = next((one for one in scopes if one["name"] == name and one["type"] == ON_MESSAGE), None)
    if command is None:
        raise CannotDo(f"a message's menu has no {name!r}")
    resolved = {"messages": {str(message.id): payloads.message(message)}}
    return {"id": command["id"], "name": name, "type": ON_MESSAGE, "target_id": str(message.id), "resolved": resolved}


def _fill(
    world: World, payloads: Payloads, channel: Channel, option: Json, value: Any, resolved: Json, *, partial: bool
) -> Json:
    kind, name = option["type"], option["name"]
    filled = {"name": name, "type": kind}
    if kind in (USER, CHANNEL, ROLE, MENTIONABLE):
        resolve(world, payloads, channel, value, resolved)
        return filled | {"value": str(value.id)}
    if partial:
        return filled | {"value": str(value)}
    wanted = {STRING: str, INTEGER: int, BOOLEAN: bool, NUMBER: (int, float)}.get(kind, object)
    if not isinstance(value, wanted) or (kind in (INTEGER, NUMBER) and isinstance(value, bool)):
        raise CannotDo(f"option {name} takes no {type(value).__name__}")
    choices = option.get("choices") or []
    if choices and value not in [one["value"] for one in choices]:
        matching = [one["value"] for one in choices if one["name"] == value]
        if not matching:
            raise CannotDo(f"option {name} offers {[one['name'] for one in choices]}, not {value!r}")
        value = matching[0]
    if isinstance(value, str):
        low, high = option.get("min_length") or 0, option.get("max_length") or 6000
        if not low <= len(value) <= high:
            raise CannotDo(f"option {name} takes {low} to {high} characters, not {len(value)}")
    elif kind in (INTEGER, NUMBER):
        low, high = option.get("min_value"), option.get("max_value")
        if (low is not None and value < low) or (high is not None and value > high):
            raise CannotDo(f"option {name} takes {low} to {high}, not {value}")
    return filled | {"value": value}


def resolve(world: World, payloads: Payloads, channel: Channel, value: Any, resolved: Json) -> None:
    """Put a user, role or channel that was named into what an interaction resolves."""
    guild: Guild | None = world.guilds.get(channel.guild_id or 0)
    if isinstance(value, User):
        resolved.setdefault("users", {})[str(value.id)] = payloads.user(value)
        if guild and (member := guild.members.get(value.id)):
            shown = payloads.member(guild, member, with_user=False)
            shown["permissions"] = str(in_channel(world, channel, value.id))
            resolved.setdefault("members", {})[str(value.id)] = shown
    elif isinstance(value, Role) and guild:
        resolved.setdefault("roles", {})[str(value.id)] = payloads.role(guild, value)
    elif isinstance(value, Channel):
        shown = payloads.channel(value) | {"permissions": "0"}
        resolved.setdefault("channels", {})[str(value.id)] = shown
    else:
        raise CannotDo(f"{value!r} is no user, role or channel")
