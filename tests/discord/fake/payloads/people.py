"""People and roles as JSON."""

from __future__ import annotations

import datetime

from tests.discord.fake.records import Guild, Json, Member, Role, User
from tests.discord.fake.world import World


def iso(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat()


class People:
    def __init__(self, world: World, url: str) -> None:
        self.world = world
        self.url = url

    def user(self, user: User) -> Json:
        return {
            "id": str(user.id),
            "username": user.name,
            "discriminator": "0000" if user.bot else "0",
            "global_name": user.display,
            "avatar": None,
            "bot": user.bot,
            "public_flags": 0,
            "flags": 0,
        }

    def member(self, guild: Guild, member: Member, *, with_user: bool = True) -> Json:
        until = member.timed_out_until
        shown: Json = {
            "nick": member.nick,
            "avatar": None,
            "roles": [str(role) for role in member.roles],
            "joined_at": iso(member.joined_at),
            "premium_since": None,
            "deaf": False,
            "mute": False,
            "pending": False,
            "flags": 0,
            "communication_disabled_until": iso(until) if until else None,
        }
        if with_user:
            shown["user"] = self.user(self.world.users[member.user_id])
        return shown

    def role(self, guild: Guild, role: Role) -> Json:
        shown: Json = {
            "id": str(role.id),
            "name": role.name,
            "color": role.color,
            "colors": {"primary_color": role.color, "secondary_color": None, "tertiary_color": None},
            "hoist": False,
            "position": role.position,
            "permissions": str(role.permissions),
            "managed": role.managed,
            "mentionable": role.mentionable,
            "flags": 0,
        }
        if role.managed:
            shown["tags"] = {"bot_id": str(self.world.application.bot_id)}
        return shown
