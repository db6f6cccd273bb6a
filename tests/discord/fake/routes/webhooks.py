"""Webhooks of channels, and the same routes as interactions use them: followups and @original."""

from __future__ import annotations

import secrets
import time

from tests.discord.fake import messages, threads
from tests.discord.fake.bits import BITS
from tests.discord.fake.call import Call
from tests.discord.fake.errors import ApiError
from tests.discord.fake.permissions import in_guild, may
from tests.discord.fake.records import TEXT, Channel, Interaction, Json, Message, Webhook
from tests.discord.fake.routing import route

BY_TOKEN = "/webhooks/{webhook_id}/{webhook_token}"
MOST = 15


@route("POST", "/channels/{channel_id}/webhooks")
async def create(call: Call) -> Json:
    channel, world = _managed(call), call.fake.world
    if channel.type != TEXT or channel.guild_id is None:
        raise ApiError(50024)
    if sum(one.channel_id == channel.id for one in world.webhooks.values()) >= MOST:
        raise ApiError(30007)
    webhook = Webhook(
        id=world.new_id(),
        token=secrets.token_urlsafe(32),
        channel_id=channel.id,
        guild_id=channel.guild_id,
        name=call.json["name"],
        creator_id=world.application.bot_id,
        avatar="a" * 32 if call.json.get("avatar") else None,
    )
    world.webhooks[webhook.id] = webhook
    data = {"guild_id": str(channel.guild_id), "channel_id": str(channel.id)}
    call.fake.gateway.dispatch("WEBHOOKS_UPDATE", data, guild_id=channel.guild_id)
    return call.fake.payloads.webhook(webhook)


@route("GET", "/channels/{channel_id}/webhooks")
async def of_channel(call: Call) -> list[Json]:
    channel = _managed(call)
    found = [one for one in call.fake.world.webhooks.values() if one.channel_id == channel.id]
    return [call.fake.payloads.webhook(one) for one in found]


@route("GET", "/guilds/{guild_id}/webhooks")
async def of_guild(call: Call) -> list[Json]:
    guild = call.guild
    if not in_guild(guild, call.fake.world.application.bot_id) & BITS["manage_webhooks"]:
        raise ApiError(50013)
    found = [one for one in call.fake.world.webhooks.values() if one.guild_id == guild.id]
    return [call.fake.payloads.webhook(one) for one in found]


@route("GET", "/webhooks/{webhook_id}")
@route("GET", BY_TOKEN)
async def read(call: Call) -> Json:
    return call.fake.payloads.webhook(_webhook(call))


@route("DELETE", "/webhooks/{webhook_id}")
@route("DELETE", BY_TOKEN)
async def delete(call: Call) -> None:
    del call.fake.world.webhooks[_webhook(call).id]


@route("POST", BY_TOKEN)
async def execute(call: Call) -> Json | None:
    """A webhook's message; for an interaction's token, a followup, or what a deferred answer was waiting for."""
    fake = call.fake
    if (interaction := _interaction(call)) is not None:
        return fake.payloads.message(_follow_up(call, interaction))
    webhook = _webhook(call)
    channel = fake.world.channels.get(webhook.channel_id)
    if "thread_id" in call.query:
        wanted = fake.world.channels.get(int(call.query["thread_id"]))
        inside = wanted is not None and wanted.thread is not None and wanted.thread.parent_id == webhook.channel_id
        channel = wanted if inside else None
    if channel is None:
        raise ApiError(10003)
    threads.check_open(fake, channel, webhook.id)
    sent = messages.create(fake, channel, webhook.creator_id, call.json, call.files, webhook=webhook)
    return fake.payloads.message(sent) if call.query.get("wait") in ("1", "true") else None


def _follow_up(call: Call, interaction: Interaction) -> Message:
    fake, body = call.fake, call.json
    channel = _channel(call, interaction)
    original = fake.world.any_message(interaction.original_id) if interaction.original_id else None
    if original is not None and original.loading and original.deleted_at is None:
        return messages.edit(fake, channel, original, body, call.files)
    if channel.thread and channel.thread.archived:
        raise ApiError(50083)
    ephemeral = bool(int(body.get("flags") or 0) & messages.EPHEMERAL)
    bot_id = fake.world.application.bot_id
    sent = messages.create(fake, channel, bot_id, body, call.files, interaction=interaction, ephemeral=ephemeral)
    interaction.followups.append(sent.id)
    return sent


@route("GET", BY_TOKEN + "/messages/@original")
@route("GET", BY_TOKEN + "/messages/{message_id}")
async def read_message(call: Call) -> Json:
    return call.fake.payloads.message(_message(call)[1])


@route("PATCH", BY_TOKEN + "/messages/@original")
@route("PATCH", BY_TOKEN + "/messages/{message_id}")
async def edit_message(call: Call) -> Json:
    channel, found = _message(call)
    if channel.thread and channel.thread.archived and found.ephemeral_to is None:
        raise ApiError(50083)
    return call.fake.payloads.message(messages.edit(call.fake, channel, found, call.json, call.files))


@route("DELETE", BY_TOKEN + "/messages/@original")
@route("DELETE", BY_TOKEN + "/messages/{message_id}")
async def delete_message(call: Call) -> None:
    messages.delete(call.fake, *_message(call))


def _message(call: Call) -> tuple[Channel, Message]:
    """A message that the webhook or interaction of the path made, or may change."""
    world, interaction = call.fake.world, _interaction(call)
    wanted = None if call.route.endswith("/@original") else call.number("message_id")
    if interaction is not None:
        found = world.any_message(wanted or interaction.original_id or 0)
        own = found is not None and found.id in (interaction.original_id, *interaction.followups)
        channel = _channel(call, interaction)
    else:
        webhook = _webhook(call)
        found = world.any_message(wanted or 0)
        own = found is not None and found.webhook_id == webhook.id
        channel = world.channels.get(found.channel_id) if found else None
    if found is None or not own or found.deleted_at is not None:
        raise ApiError(10008)
    if channel is None:
        raise ApiError(10003)
    return channel, found


def _interaction(call: Call) -> Interaction | None:
    """The interaction whose token is in the path; None if the path names a webhook."""
    if call.number("webhook_id") != call.fake.world.application.id:
        return None
    interaction = call.fake.world.interaction(call.params["webhook_token"])
    if interaction is None or interaction.answered_at is None:
        raise ApiError(10015)
    if time.time() - interaction.created_at > call.fake.token_life:
        raise ApiError(50027)
    return interaction


def _channel(call: Call, interaction: Interaction) -> Channel:
    channel = call.fake.world.channels.get(interaction.channel_id)
    if channel is None:
        raise ApiError(10003)
    return channel


def _webhook(call: Call) -> Webhook:
    webhook = call.fake.world.webhooks.get(call.number("webhook_id"))
    if webhook is None:
        raise ApiError(10015)
    if call.params.get("webhook_token", webhook.token) != webhook.token:
        raise ApiError(50027)
    return webhook


def _managed(call: Call) -> Channel:
    channel = call.channel
    if not may(call.fake.world, channel, call.fake.world.application.bot_id, "manage_webhooks"):
        raise ApiError(50013)
    return channel
