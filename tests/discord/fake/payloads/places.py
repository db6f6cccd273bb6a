"""Servers, channels and threads as JSON."""

from __future__ import annotations

from tests.discord.fake import permissions
from tests.discord.fake.payloads.people import People, iso
from tests.discord.fake.records import Channel, Guild, Json, Thread, timestamp


class Places(People):
    def guild(self, guild: Guild) -> Json:
        return {
            "id": str(guild.id),
            "name": guild.name,
            "owner_id": str(guild.owner_id),
            "icon": None,
            "banner": None,
            "splash": None,
            "discovery_splash": None,
            "description": None,
            "features": [],
            "emojis": [],
            "stickers": [],
            "roles": [self.role(guild, role) for role in guild.roles.values()],
            "verification_level": 0,
            "default_message_notifications": 1,
            "explicit_content_filter": 0,
            "mfa_level": 0,
            "nsfw_level": 0,
            "premium_tier": 0,
            "premium_subscription_count": 0,
            "afk_channel_id": None,
            "afk_timeout": 300,
            "application_id": None,
            "system_channel_id": None,
            "system_channel_flags": 0,
            "rules_channel_id": None,
            "public_updates_channel_id": None,
            "vanity_url_code": None,
            "preferred_locale": guild.locale,
            "approximate_member_count": len(guild.members),
            "approximate_presence_count": 1,
        }

    def guild_create(self, guild: Guild, *, all_members: bool) -> Json:
        """The server as the gateway announces it; without the members intent only the bot itself is in the list."""
        bot_id = self.world.application.bot_id
        listed = [one for one in guild.members.values() if all_members or one.user_id == bot_id]
        channels = [one for one in self.world.channels.values() if one.guild_id == guild.id]
        return self.guild(guild) | {
            "unavailable": False,
            "large": False,
            "joined_at": iso(guild.members[bot_id].joined_at),
            "member_count": len(guild.members),
            "members": [self.member(guild, one) for one in listed],
            "channels": [self.channel(one) for one in channels if not one.thread],
            "threads": [
                self.channel(one)
                for one in channels
                if one.thread and not one.thread.archived and permissions.in_channel(self.world, one, bot_id)
            ],
            "presences": [],
            "voice_states": [],
            "stage_instances": [],
            "guild_scheduled_events": [],
            "soundboard_sounds": [],
        }

    def channel(self, channel: Channel) -> Json:
        if channel.thread:
            return self._thread(channel, channel.thread)
        shown: Json = {
            "id": str(channel.id),
            "type": channel.type,
            "last_message_id": str(channel.last_message_id) if channel.last_message_id else None,
            "flags": 0,
        }
        if channel.recipient_id is not None:
            return shown | {"recipients": [self.user(self.world.users[channel.recipient_id])]}
        return shown | {
            "guild_id": str(channel.guild_id),
            "name": channel.name,
            "topic": channel.topic,
            "position": channel.position,
            "parent_id": None,
            "nsfw": False,
            "rate_limit_per_user": channel.slowmode,
            "default_auto_archive_duration": None,
            "permission_overwrites": [
                {"id": str(one.id), "type": one.kind, "allow": str(one.allow), "deny": str(one.deny)}
                for one in channel.overwrites
            ],
        }

    def _thread(self, channel: Channel, thread: Thread) -> Json:
        bot_id = self.world.application.bot_id
        shown: Json = {
            "id": str(channel.id),
            "type": channel.type,
            "guild_id": str(channel.guild_id),
            "parent_id": str(thread.parent_id),
            "owner_id": str(thread.owner_id),
            "name": channel.name,
            "last_message_id": str(channel.last_message_id) if channel.last_message_id else None,
            "rate_limit_per_user": channel.slowmode,
            "message_count": thread.sent,
            "total_message_sent": thread.sent,
            "member_count": min(len(thread.members), 50),
            "flags": 0,
            "thread_metadata": {
                "archived": thread.archived,
                "locked": thread.locked,
                "auto_archive_duration": thread.auto_archive_duration,
                "archive_timestamp": iso(thread.archive_timestamp),
                "create_timestamp": iso(timestamp(channel.id)),
                **({"invitable": thread.invitable} if channel.type == 12 else {}),
            },
        }
        if bot_id in thread.members:
            shown["member"] = self.thread_member(channel, thread, bot_id)
        return shown

    def thread_member(self, channel: Channel, thread: Thread, user_id: int) -> Json:
        return {
            "id": str(channel.id),
            "user_id": str(user_id),
            "join_timestamp": iso(thread.members[user_id]),
            "flags": 0,
        }
