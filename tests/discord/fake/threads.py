"""Threads: how they start, close, open again, and who is in them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tests.discord.fake.errors import ApiError
from tests.discord.fake.events import announce, announce_channel, bot_sees
from tests.discord.fake.permissions import may
from tests.discord.fake.records import PRIVATE_THREAD, PUBLIC_THREAD, Channel, Json, Message, Session, Thread

if TYPE_CHECKING:
    from tests.discord.fake.server import FakeDiscord

RECIPIENT_ADD, NAME_CHANGE, THREAD_CREATED, THREAD_STARTER = 1, 4, 18, 21


def start(
    fake: FakeDiscord,
    parent: Channel,
    owner_id: int,
    body: Json,
    *,
    source: Message | None = None,
    private: bool = False,
) -> Channel:
    """A thread: from a message, whose id it takes, or on its own."""
    world = fake.world
    assert parent.guild_id is not None
    channel = Channel(
        id=source.id if source else world.new_id(),
        type=PRIVATE_THREAD if private else PUBLIC_THREAD,
        name=str(body["name"]),
        guild_id=parent.guild_id,
        slowmode=int(body.get("rate_limit_per_user") or 0),
        thread=Thread(
            parent_id=parent.id,
            owner_id=owner_id,
            auto_archive_duration=int(body.get("auto_archive_duration") or 4320),
            invitable=body.get("invitable") is not False,
        ),
    )
    assert channel.thread is not None
    channel.thread.members[owner_id] = time.time()
    world.channels[channel.id] = channel
    announce_channel(fake, "THREAD_CREATE", channel, newly_created=True)
    if source is not None:
        source.flags |= 1 << 5
        system_message(fake, channel, source.author_id, THREAD_STARTER, of=source)
        announce(fake, "MESSAGE_UPDATE", parent, source)
    elif not private:
        system_message(fake, parent, owner_id, THREAD_CREATED, channel.name)
    return channel


def system_message(
    fake: FakeDiscord, channel: Channel, author_id: int, kind: int, content: str = "", *, of: Message | None = None
) -> None:
    """What Discord itself writes: that a thread began, was renamed, got a member."""
    reference = None
    if of is not None:
        reference = {
            "channel_id": str(of.channel_id),
            "message_id": str(of.id),
            "guild_id": str(channel.guild_id),
            "type": 0,
        }
    message = Message(
        id=fake.world.new_id(),
        channel_id=channel.id,
        author_id=author_id,
        type=kind,
        content=content,
        reference=reference,
    )
    fake.world.add_message(message)
    announce(fake, "MESSAGE_CREATE", channel, message)


def check_open(fake: FakeDiscord, channel: Channel, user_id: int, *, sending: bool = True) -> None:
    """Sending opens an archived thread again; nothing else does, and in a locked one only moderators do anything."""
    thread = channel.thread
    if thread is None:
        return
    if thread.archived and not sending:
        raise ApiError(50083)
    if thread.locked and not may(fake.world, channel, user_id, "manage_threads"):
        raise ApiError(160005)


def on_message(fake: FakeDiscord, channel: Channel, author_id: int, *, quiet: bool) -> None:
    """What a new message does to its thread: opens it, and takes its author in."""
    if channel.thread is None or quiet:
        return
    if channel.thread.archived:
        update(fake, channel, archived=False)
    if author_id in fake.world.users and author_id not in channel.thread.members:
        add_member(fake, channel, author_id)


def take_in(fake: FakeDiscord, channel: Channel, message: Message) -> None:
    """Who is pinged in a thread becomes a member of it."""
    guild = fake.world.guilds.get(channel.guild_id or 0)
    if channel.thread and guild and message.ephemeral_to is None:
        for user_id in message.pings.users:
            if user_id in guild.members:
                add_member(fake, channel, user_id)


def update(fake: FakeDiscord, channel: Channel, **changes: object) -> None:
    """Change a thread's archived, locked, name, slowmode ... and tell the bot."""
    assert channel.thread is not None
    if "archived" in changes and changes["archived"] != channel.thread.archived:
        channel.thread.archive_timestamp = time.time()
    for name, value in changes.items():
        setattr(channel if name in ("name", "slowmode") else channel.thread, name, value)
    announce_channel(fake, "THREAD_UPDATE", channel)


def add_member(fake: FakeDiscord, channel: Channel, user_id: int) -> None:
    assert channel.thread is not None
    if user_id in channel.thread.members:
        return
    channel.thread.members[user_id] = time.time()
    _members_changed(fake, channel, added=user_id)


def remove_member(fake: FakeDiscord, channel: Channel, user_id: int) -> None:
    assert channel.thread is not None
    if channel.thread.members.pop(user_id, None) is not None:
        _members_changed(fake, channel, removed=user_id)


def _members_changed(fake: FakeDiscord, channel: Channel, added: int | None = None, removed: int | None = None) -> None:
    thread, bot_id = channel.thread, fake.world.application.bot_id
    assert thread is not None
    data: Json = {
        "id": str(channel.id),
        "guild_id": str(channel.guild_id),
        "member_count": len(thread.members),
        "added_members": [] if added is None else [fake.payloads.thread_member(channel, thread, added)],
        "removed_member_ids": [] if removed is None else [str(removed)],
    }

    def build(session: Session) -> Json | None:
        own = bot_id in (added, removed)
        return data if own or session.intents & 1 << 1 else None

    fake.gateway.dispatch("THREAD_MEMBERS_UPDATE", build, guild_id=channel.guild_id)
    fake.changed(channel.id)


def delete(fake: FakeDiscord, channel: Channel) -> None:
    """Delete any channel; threads of a text channel go with it."""
    world = fake.world
    seen = bot_sees(fake, channel)
    for thread in world.threads_of(channel.guild_id or 0):
        if thread.thread and thread.thread.parent_id == channel.id:
            del world.channels[thread.id]
    del world.channels[channel.id]
    event = "THREAD_DELETE" if channel.thread else "CHANNEL_DELETE"
    data: Json = fake.payloads.channel(channel)
    if channel.thread:
        data = {key: data[key] for key in ("id", "guild_id", "parent_id", "type")}
    if seen:
        fake.gateway.dispatch(event, data, guild_id=channel.guild_id)
    fake.changed(channel.id)
