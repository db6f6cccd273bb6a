"""What happens to messages, told to the bot's sessions and to everybody who waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.discord.fake import intents
from tests.discord.fake.permissions import may
from tests.discord.fake.records import Channel, Json, Message, Session

if TYPE_CHECKING:
    from tests.discord.fake.server import FakeDiscord


def announce(fake: FakeDiscord, event: str, channel: Channel, message: Message) -> None:
    """MESSAGE_CREATE or MESSAGE_UPDATE. Ephemeral ones come as if they were direct messages (api-docs #4557)."""
    payloads = fake.payloads
    if message.ephemeral_to is not None:
        data = payloads.message(message)
        fake.gateway.dispatch(event, data, guild_id=channel.guild_id, intent=intents.DIRECT_MESSAGES)
    elif bot_sees(fake, channel):

        def build(session: Session) -> Json:
            full = bool(session.intents & intents.MESSAGE_CONTENT) or readable_anyway(fake, channel, message)
            return payloads.message(message, full=full, gateway=True)

        fake.gateway.dispatch(event, build, guild_id=channel.guild_id, intent=intents.of_messages(channel.guild_id))
    fake.changed(channel.id)


def announce_deletion(fake: FakeDiscord, channel: Channel, message: Message) -> None:
    if message.ephemeral_to is None and bot_sees(fake, channel):
        data = {"id": str(message.id), "channel_id": str(channel.id)}
        if channel.guild_id:
            data["guild_id"] = str(channel.guild_id)
        intent = intents.of_messages(channel.guild_id)
        fake.gateway.dispatch("MESSAGE_DELETE", data, guild_id=channel.guild_id, intent=intent)
    fake.changed(channel.id)


def announce_channel(fake: FakeDiscord, event: str, channel: Channel, *, newly_created: bool = False) -> None:
    """CHANNEL_* and THREAD_* events."""
    if bot_sees(fake, channel):
        data = fake.payloads.channel(channel)
        if newly_created:
            data["newly_created"] = True
        fake.gateway.dispatch(event, data, guild_id=channel.guild_id)
    fake.changed(channel.id)


def over_rest(fake: FakeDiscord, channel: Channel, message: Message) -> Json:
    """A message as the bot gets it by HTTP, where the portal's switch decides and not the session's intents."""
    full = "message_content" in fake.world.application.privileged or readable_anyway(fake, channel, message)
    return fake.payloads.message(message, full=full)


def readable_anyway(fake: FakeDiscord, channel: Channel, message: Message) -> bool:
    """Own messages, direct messages, and those that mention the bot come with their content to every bot. Whether
    those of an own webhook do, Discord does not say."""
    bot_id = fake.world.application.bot_id
    own = message.author_id == bot_id and message.shown_name is None
    return own or channel.guild_id is None or bot_id in message.pings.users


def bot_sees(fake: FakeDiscord, channel: Channel) -> bool:
    return may(fake.world, channel, fake.world.application.bot_id, "view_channel")
