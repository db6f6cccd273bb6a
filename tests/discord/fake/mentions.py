"""Whom a text pings, given allowed_mentions."""

from __future__ import annotations

import re

from tests.discord.fake import permissions
from tests.discord.fake.records import Channel, Json, Message, Pings, walk
from tests.discord.fake.world import World

USER = re.compile(r"<@!?(\d{15,20})>")
ROLE = re.compile(r"<@&(\d{15,20})>")
EVERYONE = re.compile(r"@(everyone|here)")
CODE = re.compile(r"```.*?```|``.*?``|`[^`\n]*`", re.DOTALL)


def spoken(content: str, components: list[Json]) -> str:
    """The words whose mentions count: content and text displays, never embeds, and nothing inside code."""
    parts = [content, *(one.get("content") or "" for one in walk(components) if one.get("type") == 10)]
    return CODE.sub("", "\n".join(parts))


def pings(
    world: World,
    channel: Channel,
    author_id: int,
    text: str,
    allowed: Json | None,
    replied_to: Message | None = None,
) -> Pings:
    users = {int(one) for one in USER.findall(text)} & world.users.keys()
    guild = world.guilds.get(channel.guild_id) if channel.guild_id else None
    roles = {int(one) for one in ROLE.findall(text)} & (guild.roles.keys() if guild else set())
    everyone = bool(EVERYONE.search(text))
    reply = True
    if allowed is not None:
        parse = set(allowed.get("parse") or ())
        named = {int(one) for one in allowed.get("users") or ()}
        users = users if "users" in parse else users & named
        named_roles = {int(one) for one in allowed.get("roles") or ()}
        roles = roles if "roles" in parse else roles & named_roles
        everyone = everyone and "everyone" in parse
        reply = bool(allowed.get("replied_user"))
    may_ping_all = permissions.may(world, channel, author_id, "mention_everyone")
    if guild:
        roles = {one for one in roles if may_ping_all or guild.roles[one].mentionable}
    if replied_to is not None and reply and replied_to.author_id in world.users:
        users.add(replied_to.author_id)
    return Pings(users=sorted(users), roles=sorted(roles), everyone=everyone and may_ping_all)
