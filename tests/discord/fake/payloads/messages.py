"""Messages as JSON, with what is in them."""

from __future__ import annotations

import copy

from tests.discord.fake.payloads.people import iso
from tests.discord.fake.payloads.pictures import png_size
from tests.discord.fake.payloads.places import Places
from tests.discord.fake.records import Attachment, Guild, Interaction, Json, Message


class Messages(Places):
    def message(self, message: Message, *, full: bool = True, gateway: bool = False) -> Json:
        """A message; not `full` is what an application without the message content intent gets."""
        channel = self.world.channels[message.channel_id]
        guild = self.world.guilds.get(channel.guild_id) if channel.guild_id else None
        shown: Json = {
            "id": str(message.id),
            "channel_id": str(message.channel_id),
            "type": message.type,
            "author": self.author(message),
            "content": message.content if full else "",
            "embeds": [self.embed(message, one) for one in message.embeds] if full else [],
            "components": [self.component(message, one) for one in message.components] if full else [],
            "attachments": [self.attachment(message, one) for one in message.attachments if not one.in_embed]
            if full
            else [],
            "timestamp": iso(message.created_at),
            "edited_timestamp": iso(message.edited_at) if message.edited_at else None,
            "flags": message.flags,
            "tts": message.tts,
            "pinned": message.pinned,
            "mention_everyone": message.pings.everyone,
            "mention_roles": [str(role) for role in message.pings.roles],
            "mentions": [self._mentioned(guild, one, gateway) for one in message.pings.users],
        }
        if message.nonce is not None:
            shown["nonce"] = message.nonce
        if message.poll and full:
            shown["poll"] = message.poll
        if message.reactions:
            shown["reactions"] = [self._reaction(emoji, users) for emoji, users in message.reactions.items() if users]
        if message.webhook_id is not None:
            shown["webhook_id"] = str(message.webhook_id)
            if message.author_id == self.world.application.bot_id:
                shown["application_id"] = str(self.world.application.id)
        if message.reference:
            shown["message_reference"] = message.reference
            referenced = self.world.message(int(message.reference["channel_id"]), int(message.reference["message_id"]))
            if message.type in (19, 21):
                shown["referenced_message"] = self.message(referenced, full=full) if referenced else None
        if message.interaction_id is not None:
            shown |= self._interaction_of(message, message.interaction_id)
        if thread := self.world.thread_of(message.id):
            shown["thread"] = self.channel(thread)
        if gateway and guild:
            shown["guild_id"] = str(guild.id)
            if message.webhook_id in (None, self.world.application.id) and (
                member := guild.members.get(message.author_id)
            ):
                shown["member"] = self.member(guild, member, with_user=False)
        return shown

    def author(self, message: Message) -> Json:
        if message.shown_name is None:
            return self.user(self.world.users[message.author_id])
        return {
            "id": str(message.webhook_id),
            "username": message.shown_name,
            "discriminator": "0000",
            "global_name": None,
            "avatar": None,
            "bot": True,
            "public_flags": 0,
            "flags": 0,
        }

    def _mentioned(self, guild: Guild | None, user_id: int, gateway: bool) -> Json:
        shown = self.user(self.world.users[user_id])
        if gateway and guild and (member := guild.members.get(user_id)):
            shown["member"] = self.member(guild, member, with_user=False)
        return shown

    def _reaction(self, emoji: str, users: list[int]) -> Json:
        return {
            "count": len(users),
            "count_details": {"burst": 0, "normal": len(users)},
            "me": self.world.application.bot_id in users,
            "me_burst": False,
            "emoji": emoji_json(emoji),
            "burst_colors": [],
        }

    def _interaction_of(self, message: Message, interaction_id: int) -> Json:
        interaction = self.world.interactions[interaction_id]
        user = self.user(self.world.users[interaction.user_id])
        metadata: Json = {
            "id": str(interaction.id),
            "type": interaction.type,
            "user": user,
            "authorizing_integration_owners": self.owners(interaction),
        }
        if interaction.message_id is not None and interaction.type == 3:
            metadata["interacted_message_id"] = str(interaction.message_id)
        if interaction.original_id is not None and interaction.original_id != message.id:
            metadata["original_response_message_id"] = str(interaction.original_id)
        shown: Json = {"interaction_metadata": metadata}
        if interaction.type == 2:
            name = interaction.data.get("name", "")
            shown["interaction"] = {"id": str(interaction.id), "type": 2, "name": name, "user": user}
        return shown

    def owners(self, interaction: Interaction) -> Json:
        return {"0": str(interaction.guild_id)} if interaction.guild_id else {"0": "0"}

    def attachment_url(self, message: Message, attachment: Attachment) -> str:
        return f"{self.url}/attachments/{message.channel_id}/{attachment.id}/{attachment.filename}"

    def attachment(self, message: Message, attachment: Attachment) -> Json:
        url = self.attachment_url(message, attachment)
        shown: Json = {
            "id": str(attachment.id),
            "filename": attachment.filename,
            "size": len(attachment.data),
            "url": url,
            "proxy_url": url,
            "content_type": attachment.content_type,
            "flags": 0,
            **attachment.extra,
        }
        if attachment.description is not None:
            shown["description"] = attachment.description
        if message.ephemeral_to is not None:
            shown["ephemeral"] = True
        if size := png_size(attachment.data):
            shown["width"], shown["height"] = size
        return shown

    def embed(self, message: Message, embed: Json) -> Json:
        """An embed with attachment:// replaced by where the file is."""
        shown: Json = copy.deepcopy(embed) | {"type": "rich"}
        for name in ("image", "thumbnail", "author", "footer"):
            part: Json = shown.get(name) or {}
            for key in ("url", "icon_url"):
                if str(part.get(key)).startswith("attachment://"):
                    part[key] = part["proxy_" + key] = self._resolve(message, part[key])
        return shown

    def component(self, message: Message, component: Json) -> Json:
        shown = dict(component)
        for key in ("components", "items"):
            if isinstance(shown.get(key), list):
                shown[key] = [self.component(message, one) for one in shown[key]]
        if isinstance(shown.get("accessory"), dict):
            shown["accessory"] = self.component(message, shown["accessory"])
        for key in ("media", "file"):
            if isinstance(shown.get(key), dict):
                url = self._resolve(message, str(shown[key].get("url", "")))
                shown[key] = {"url": url, "proxy_url": url, "width": 0, "height": 0, "loading_state": 2, "flags": 0}
                shown[key] |= {"content_type": "application/octet-stream", "placeholder": "", "placeholder_version": 1}
        if shown.get("type") == 13:
            named = component["file"]["url"].rpartition("/")[2]
            size = next((len(one.data) for one in message.attachments if one.filename == named), 0)
            shown |= {"name": named, "size": size}
        return shown

    def _resolve(self, message: Message, url: str) -> str:
        name = url.removeprefix("attachment://")
        for attachment in message.attachments:
            if url.startswith("attachment://") and attachment.filename == name:
                return self.attachment_url(message, attachment)
        return url


def emoji_json(emoji: str) -> Json:
    """An emoji of a URL, "👍" or "name:id", as JSON."""
    name, colon, number = emoji.rpartition(":")
    return {"id": number, "name": name} if colon else {"id": None, "name": emoji}
