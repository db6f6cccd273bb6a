"""What a server's people do besides talking to the bot: permissions, moderation, coming and going."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from tests.discord.fake import messages, threads
from tests.discord.fake.bits import bits
from tests.discord.fake.events import announce_channel, bot_sees
from tests.discord.fake.payloads import emoji_json
from tests.discord.fake.records import Channel, Guild, Json, Member, Message, Overwrite, Role, Session, User, Webhook

if TYPE_CHECKING:
    from tests.discord.fake.server import FakeDiscord


class Admin:
    def __init__(self, fake: FakeDiscord) -> None:
        self._fake = fake

    # --- channels and threads -------------------------------------------------------------------------

    def archive(self, thread: Channel, *, locked: bool | None = None) -> None:
        threads.update(self._fake, thread, archived=True, **({} if locked is None else {"locked": locked}))

    def unarchive(self, thread: Channel) -> None:
        threads.update(self._fake, thread, archived=False)

    def lock(self, thread: Channel) -> None:
        threads.update(self._fake, thread, locked=True)

    def unlock(self, thread: Channel) -> None:
        threads.update(self._fake, thread, locked=False)

    def slowmode(self, channel: Channel, seconds: int) -> None:
        channel.slowmode = seconds
        announce_channel(self._fake, "THREAD_UPDATE" if channel.thread else "CHANNEL_UPDATE", channel)

    def delete_channel(self, channel: Channel) -> None:
        """A thread, or a channel with its threads."""
        threads.delete(self._fake, channel)

    def permit(self, channel: Channel, target: User | Role, *, allow: str = "", deny: str = "") -> None:
        """Set what a channel allows and denies somebody: names of permissions, separated by spaces."""
        kind = 0 if isinstance(target, Role) else 1
        channel.overwrites = [one for one in channel.overwrites if one.id != target.id]
        if allow or deny:
            allowed, denied = bits(*allow.split()), bits(*deny.split())
            channel.overwrites.append(Overwrite(id=target.id, kind=kind, allow=allowed, deny=denied))
        data = self._fake.payloads.channel(channel)
        self._fake.gateway.dispatch("CHANNEL_UPDATE", data, guild_id=channel.guild_id)

    def everyone(self, guild: Guild) -> Role:
        return guild.roles[guild.id]

    def change_role(self, guild: Guild, role: Role, permissions: int) -> None:
        role.permissions = permissions
        data = {"guild_id": str(guild.id), "role": self._fake.payloads.role(guild, role)}
        self._fake.gateway.dispatch("GUILD_ROLE_UPDATE", data, guild_id=guild.id)

    # --- people ---------------------------------------------------------------------------------------

    def join(self, guild: Guild, user: User) -> Member:
        member = self._fake.world.add_member(guild, user)
        data = self._fake.payloads.member(guild, member) | {"guild_id": str(guild.id)}
        self._fake.gateway.dispatch("GUILD_MEMBER_ADD", data, guild_id=guild.id)
        return member

    def leave(self, guild: Guild, user: User) -> None:
        """A member leaves; the bot, if it is the one, is told by GUILD_DELETE."""
        guild.members.pop(user.id, None)
        if user.id == self._fake.world.application.bot_id:
            self._fake.gateway.dispatch("GUILD_DELETE", {"id": str(guild.id)}, guild_id=guild.id)
            return
        for thread in self._fake.world.threads_of(guild.id):
            if thread.thread:
                thread.thread.members.pop(user.id, None)
        data = {"guild_id": str(guild.id), "user": self._fake.payloads.user(user)}
        self._fake.gateway.dispatch("GUILD_MEMBER_REMOVE", data, guild_id=guild.id)

    def rename(self, guild: Guild, user: User, nick: str | None) -> None:
        guild.members[user.id].nick = nick
        self.member_changed(guild, guild.members[user.id])

    def member_changed(self, guild: Guild, member: Member) -> None:
        """Announce a member's roles, nick or time-out; the bot hears of its own without any intent."""
        data = self._fake.payloads.member(guild, member) | {"guild_id": str(guild.id)}
        own = member.user_id == self._fake.world.application.bot_id

        def build(session: Session) -> Json | None:
            return data if own or session.intents & 1 << 1 else None

        self._fake.gateway.dispatch("GUILD_MEMBER_UPDATE", build, guild_id=guild.id, intent=0)

    # --- webhooks -------------------------------------------------------------------------------------

    def add_webhook(self, channel: Channel, user: User, name: str = "Somebody's") -> Webhook:
        """One that a person made."""
        assert channel.guild_id is not None
        made = Webhook(
            id=self._fake.world.new_id(),
            token=secrets.token_urlsafe(32),
            channel_id=channel.id,
            guild_id=channel.guild_id,
            name=name,
            creator_id=user.id,
        )
        self._fake.world.webhooks[made.id] = made
        return made

    def webhook_says(self, webhook: Webhook, channel: Channel, text: str) -> Message:
        return messages.create(self._fake, channel, webhook.creator_id, {"content": text}, webhook=webhook)

    def delete_webhook(self, webhook: Webhook) -> None:
        del self._fake.world.webhooks[webhook.id]
        data = {"guild_id": str(webhook.guild_id), "channel_id": str(webhook.channel_id)}
        self._fake.gateway.dispatch("WEBHOOKS_UPDATE", data, guild_id=webhook.guild_id)

    # --- messages -------------------------------------------------------------------------------------

    def delete_message(self, message: Message) -> None:
        messages.delete(self._fake, self._fake.world.channels[message.channel_id], message)

    def edit_message(self, message: Message, content: str) -> None:
        """The author of a message changes its text."""
        messages.edit(self._fake, self._fake.world.channels[message.channel_id], message, {"content": content})

    def react(self, channel: Channel, message: Message, user: User, emoji: str) -> None:
        users = message.reactions.setdefault(emoji, [])
        if user.id not in users:
            users.append(user.id)
            self._reaction("MESSAGE_REACTION_ADD", channel, message, user, emoji)

    def unreact(self, channel: Channel, message: Message, user: User, emoji: str) -> None:
        users = message.reactions.get(emoji, [])
        if user.id in users:
            users.remove(user.id)
            self._reaction("MESSAGE_REACTION_REMOVE", channel, message, user, emoji)

    def _reaction(self, event: str, channel: Channel, message: Message, user: User, emoji: str) -> None:
        data: Json = {
            "user_id": str(user.id),
            "channel_id": str(channel.id),
            "message_id": str(message.id),
            "emoji": emoji_json(emoji),
            "burst": False,
            "type": 0,
        }
        guild = self._fake.world.guilds.get(channel.guild_id or 0)
        if guild:
            data["guild_id"] = str(guild.id)
            if event.endswith("ADD") and user.id in guild.members:
                data["member"] = self._fake.payloads.member(guild, guild.members[user.id])
        if bot_sees(self._fake, channel):
            self._fake.gateway.dispatch(event, data, guild_id=channel.guild_id)
        self._fake.changed(channel.id)
