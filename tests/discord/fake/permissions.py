"""How roles and overwrites add up to what somebody may do in a channel."""

from __future__ import annotations

import time

from tests.discord.fake.bits import ALL, BITS, TIMED_OUT, bits
from tests.discord.fake.records import Channel, Guild, Overwrite
from tests.discord.fake.world import World


def in_guild(guild: Guild, user_id: int) -> int:
    """What the roles of a member add up to, before any channel has its say."""
    if user_id == guild.owner_id:
        return ALL
    member = guild.members.get(user_id)
    if member is None:
        return 0
    total = guild.roles[guild.id].permissions
    for role_id in member.roles:
        if role_id in guild.roles:
            total |= guild.roles[role_id].permissions
    return ALL if total & BITS["administrator"] else total


def in_channel(world: World, channel: Channel, user_id: int) -> int:
    """What somebody may do in a channel; a thread takes its parent's overwrites."""
    if channel.guild_id is None:
        return ALL if user_id in (channel.recipient_id, world.application.bot_id) else 0
    guild = world.guilds.get(channel.guild_id)
    member = guild.members.get(user_id) if guild else None
    if guild is None or member is None:
        return 0
    total = in_guild(guild, user_id)
    if total == ALL:
        return ALL
    parent = world.channels.get(channel.thread.parent_id) if channel.thread else channel
    if parent is None:
        return 0
    total = _apply(total, guild, member.roles, user_id, parent.overwrites)
    if channel.thread and channel.type == 12 and user_id not in channel.thread.members:
        total = total if total & BITS["manage_threads"] else 0
    if member.timed_out_until and member.timed_out_until > time.time():
        total &= TIMED_OUT
    return total if total & BITS["view_channel"] else 0


def _apply(total: int, guild: Guild, roles: list[int], user_id: int, overwrites: list[Overwrite]) -> int:
    by_id = {overwrite.id: overwrite for overwrite in overwrites}
    if everyone := by_id.get(guild.id):
        total = total & ~everyone.deny | everyone.allow
    allow = deny = 0
    for role_id in roles:
        if (overwrite := by_id.get(role_id)) and role_id != guild.id:
            allow, deny = allow | overwrite.allow, deny | overwrite.deny
    total = total & ~deny | allow
    if own := by_id.get(user_id):
        total = total & ~own.deny | own.allow
    return total


def may(world: World, channel: Channel, user_id: int, *wanted: str) -> bool:
    need = bits(*wanted)
    return in_channel(world, channel, user_id) & need == need


def sends_in(channel: Channel) -> str:
    """The permission that sending takes there."""
    return "send_messages_in_threads" if channel.thread else "send_messages"
