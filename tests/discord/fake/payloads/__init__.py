"""The world as Discord's JSON."""

from __future__ import annotations

from tests.discord.fake import permissions
from tests.discord.fake.payloads.messages import Messages, emoji_json
from tests.discord.fake.payloads.people import iso
from tests.discord.fake.payloads.pictures import one_pixel
from tests.discord.fake.records import Channel, Interaction, Json, Webhook

UPLOAD_LIMIT = 10 * 1024 * 1024


class Payloads(Messages):
    """Makes payloads; `url` is where this Discord answers, for attachments."""

    def webhook(self, webhook: Webhook) -> Json:
        """One that somebody else made keeps its token to itself."""
        ours = webhook.creator_id == self.world.application.bot_id
        return {
            "id": str(webhook.id),
            "type": 1,
            "guild_id": str(webhook.guild_id),
            "channel_id": str(webhook.channel_id),
            "name": webhook.name,
            "avatar": webhook.avatar,
            **({"token": webhook.token} if ours else {}),
            "application_id": str(self.world.application.id) if ours else None,
            "user": self.user(self.world.users[webhook.creator_id]),
        }

    def application_flags(self) -> int:
        limited = {"presences": 1 << 13, "members": 1 << 15, "message_content": 1 << 19}
        return sum(bit for name, bit in limited.items() if name in self.world.application.privileged)

    def application(self) -> Json:
        app = self.world.application
        return {
            "id": str(app.id),
            "name": app.name,
            "icon": None,
            "description": "",
            "summary": "",
            "bot_public": True,
            "bot_require_code_grant": False,
            "owner": self.user(self.world.users[app.owner_id]),
            "team": None,
            "verify_key": "0" * 64,
            "flags": self.application_flags(),
            "tags": [],
            "approximate_guild_count": len(self.world.guilds),
            "integration_types_config": {"0": {}},
        }

    def interaction(self, interaction: Interaction) -> Json:
        """What INTERACTION_CREATE carries."""
        world = self.world
        channel = world.channels[interaction.channel_id]
        user = world.users[interaction.user_id]
        shown: Json = {
            "id": str(interaction.id),
            "application_id": str(world.application.id),
            "type": interaction.type,
            "token": interaction.token,
            "version": 1,
            "data": interaction.data,
            "channel_id": str(channel.id),
            "channel": self.channel(channel) | {"permissions": self._may(channel, user.id)},
            "app_permissions": self._may(channel, world.application.bot_id),
            "locale": user.locale,
            "entitlements": [],
            "entitlement_sku_ids": [],
            "authorizing_integration_owners": self.owners(interaction),
            "context": 0 if interaction.guild_id else 1,
            "attachment_size_limit": UPLOAD_LIMIT,
        }
        if interaction.guild_id:
            guild = world.guilds[interaction.guild_id]
            member = self.member(guild, guild.members[user.id])
            shown |= {
                "guild_id": str(guild.id),
                "guild_locale": guild.locale,
                "guild": {"id": str(guild.id), "locale": guild.locale, "features": []},
                "member": member | {"permissions": self._may(channel, user.id)},
            }
        else:
            shown["user"] = self.user(user)
        if interaction.message_id is not None and (message := world.any_message(interaction.message_id)):
            shown["message"] = self.message(message)
        return shown

    def _may(self, channel: Channel, user_id: int) -> str:
        return str(permissions.in_channel(self.world, channel, user_id))


__all__ = ["UPLOAD_LIMIT", "Payloads", "emoji_json", "iso", "one_pixel"]
