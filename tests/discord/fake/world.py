"""Everything a Discord remembers, as plain data: it outlives the server, its port and any bot, and goes to JSON."""

from __future__ import annotations

import secrets
import time
from pathlib import Path

from pydantic import Field

from tests.discord.fake.bits import EVERYONE, ROSTRUM
from tests.discord.fake.records import (
    EPOCH_MS,
    TEXT,
    Application,
    Channel,
    Guild,
    Interaction,
    Json,
    Member,
    Message,
    Record,
    Role,
    Session,
    User,
    Webhook,
)


class World(Record):
    application: Application
    users: dict[int, User] = Field(default_factory=dict)
    guilds: dict[int, Guild] = Field(default_factory=dict)
    channels: dict[int, Channel] = Field(default_factory=dict)
    messages: dict[int, dict[int, Message]] = Field(default_factory=dict)
    webhooks: dict[int, Webhook] = Field(default_factory=dict)
    interactions: dict[int, Interaction] = Field(default_factory=dict)
    #: Registered commands, by server; those of every server under 0.
    commands: dict[int, list[Json]] = Field(default_factory=dict)
    command_creates: int = 0
    #: When which message was sent under a nonce: "author:nonce" -> (message id, channel id, time).
    nonces: dict[str, tuple[int, int, float]] = Field(default_factory=dict)
    sessions: dict[str, Session] = Field(default_factory=dict)
    last_id: int = 0

    @classmethod
    def new(cls, name: str = "Rostrum") -> World:
        """A Discord with one application and its bot, and nothing else."""
        placeholder = Application(id=0, bot_id=0, name=name, token="", owner_id=0)
        world = cls(application=placeholder)
        bot = world.add_user(name.lower(), bot=True)
        owner = world.add_user("developer")
        world.application = Application(
            id=bot.id, bot_id=bot.id, name=name, token=f"fake.{secrets.token_hex(12)}", owner_id=owner.id
        )
        return world

    def save(self, path: Path) -> None:
        part = path.with_name(path.name + ".part")
        part.write_text(self.model_dump_json())
        part.replace(path)

    @classmethod
    def load(cls, path: Path) -> World:
        return cls.model_validate_json(path.read_text())

    # --- building -----------------------------------------------------------------------------------

    def new_id(self) -> int:
        """A snowflake of now; unique and rising."""
        now = (int(time.time() * 1000) - EPOCH_MS) << 22
        self.last_id = max(now, self.last_id + 1)
        return self.last_id

    def add_user(self, name: str, *, display: str | None = None, bot: bool = False, locale: str = "en-US") -> User:
        user = User(id=self.new_id(), name=name, display=display, bot=bot, locale=locale)
        self.users[user.id] = user
        return user

    def add_guild(self, name: str = "Test server", *, bot_permissions: int = ROSTRUM) -> Guild:
        """A server with its owner, the bot in it and no channels. The bot gets a managed role of its own."""
        owner = self.add_user(f"{name.lower().replace(' ', '-')}-owner")
        guild = Guild(id=self.new_id(), name=name, owner_id=owner.id)
        guild.roles[guild.id] = Role(id=guild.id, name="@everyone", permissions=EVERYONE, position=0)
        self.guilds[guild.id] = guild
        self.add_member(guild, owner)
        role = self.add_role(guild, self.application.name, bot_permissions, managed=True)
        self.add_member(guild, self.users[self.application.bot_id], roles=[role.id])
        return guild

    def add_role(
        self, guild: Guild, name: str, permissions: int = 0, *, mentionable: bool = False, managed: bool = False
    ) -> Role:
        role = Role(
            id=self.new_id(),
            name=name,
            permissions=permissions,
            position=len(guild.roles),
            mentionable=mentionable,
            managed=managed,
        )
        guild.roles[role.id] = role
        return role

    def add_member(
        self, guild: Guild, user: User, *, roles: list[int] | None = None, nick: str | None = None
    ) -> Member:
        member = Member(user_id=user.id, roles=roles or [], nick=nick)
        guild.members[user.id] = member
        return member

    def add_channel(self, guild: Guild, name: str = "debates", *, topic: str | None = None) -> Channel:
        channel = Channel(
            id=self.new_id(), type=TEXT, name=name, guild_id=guild.id, topic=topic, position=len(self.channels)
        )
        self.channels[channel.id] = channel
        return channel

    def add_message(self, message: Message) -> Message:
        self.messages.setdefault(message.channel_id, {})[message.id] = message
        if message.ephemeral_to is None and (channel := self.channels.get(message.channel_id)):
            channel.last_message_id = message.id
            if channel.thread:
                channel.thread.sent += 1
        return message

    # --- looking ------------------------------------------------------------------------------------

    @property
    def bot(self) -> User:
        return self.users[self.application.bot_id]

    def message(self, channel_id: int, message_id: int) -> Message | None:
        """A message as the API knows it: deleted and ephemeral ones are none."""
        found = self.messages.get(channel_id, {}).get(message_id)
        return found if found and found.deleted_at is None and found.ephemeral_to is None else None

    def any_message(self, message_id: int) -> Message | None:
        """A message wherever it is, ephemeral and deleted ones too."""
        return next((found for messages in self.messages.values() if (found := messages.get(message_id))), None)

    def interaction(self, token: str) -> Interaction | None:
        """The interaction of a token, which starts with its id."""
        number = token.partition(".")[0]
        found = self.interactions.get(int(number)) if number.isdecimal() else None
        return found if found and found.token == token else None

    def history(self, channel_id: int) -> list[Message]:
        """What everybody sees in a channel, oldest first."""
        messages = self.messages.get(channel_id, {})
        return [one for one in messages.values() if one.deleted_at is None and one.ephemeral_to is None]

    def threads_of(self, guild_id: int) -> list[Channel]:
        return [one for one in self.channels.values() if one.thread and one.guild_id == guild_id]

    def thread_of(self, message_id: int) -> Channel | None:
        """The thread started from a message; it has the message's id."""
        found = self.channels.get(message_id)
        return found if found and found.thread else None
