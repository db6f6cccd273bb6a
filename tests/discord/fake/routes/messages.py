"""Messages of channels and threads, sent, read, changed, deleted and pinned by the bot."""

from __future__ import annotations

import time

from tests.discord.fake import messages, threads
from tests.discord.fake.call import Call
from tests.discord.fake.errors import ApiError
from tests.discord.fake.events import announce, over_rest
from tests.discord.fake.payloads import iso
from tests.discord.fake.permissions import may
from tests.discord.fake.records import Channel, Json, Message
from tests.discord.fake.routing import route

MESSAGES = "/channels/{channel_id}/messages"
ONE = MESSAGES + "/{message_id}"


def message_of(call: Call, channel: Channel) -> Message:
    """The message of the path, as far as the bot may read it."""
    if not may(call.fake.world, channel, call.fake.world.application.bot_id, "read_message_history"):
        raise ApiError(50001)
    found = call.fake.world.message(channel.id, call.number("message_id"))
    if found is None:
        raise ApiError(10008)
    return found


@route("POST", MESSAGES)
async def send(call: Call) -> Json:
    fake, channel, body = call.fake, call.channel, call.json
    bot_id = fake.world.application.bot_id
    messages.check_may_send(fake, channel, bot_id, body, call.files)
    nonce = f"{bot_id}:{body['nonce']}" if body.get("nonce") is not None else None
    if nonce and body.get("enforce_nonce") and (earlier := _sent_under(call, nonce)):
        return over_rest(fake, channel, earlier)
    sent = messages.create(fake, channel, bot_id, body, call.files)
    if nonce:
        fake.world.nonces[nonce] = (sent.id, channel.id, time.time())
    return over_rest(fake, channel, sent)


def _sent_under(call: Call, nonce: str) -> Message | None:
    """The message that was sent under a nonce in the last minutes; a deleted one is an error, as at Discord."""
    message_id, channel_id, at = call.fake.world.nonces.get(nonce, (0, 0, 0.0))
    if not message_id or time.time() - at > call.fake.nonce_life:
        return None
    found = call.fake.world.message(channel_id, message_id)
    if found is None:
        raise ApiError(10008)
    call.fault = call.fault or "same nonce"
    return found


@route("GET", MESSAGES)
async def history(call: Call) -> list[Json]:
    """Newest first, as Discord lists them."""
    fake, channel = call.fake, call.channel
    if not may(fake.world, channel, fake.world.application.bot_id, "read_message_history"):
        return []
    limit = min(100, max(1, int(call.query.get("limit", 50))))
    found = fake.world.history(channel.id)
    if "around" in call.query:
        around = int(call.query["around"])
        older = [one for one in found if one.id < around][-(limit // 2) :] if limit > 1 else []
        found = older + [one for one in found if one.id >= around][: limit - limit // 2]
    elif "after" in call.query:
        found = [one for one in found if one.id > int(call.query["after"])][:limit]
    elif "before" in call.query:
        found = [one for one in found if one.id < int(call.query["before"])][-limit:]
    else:
        found = found[-limit:]
    return [over_rest(fake, channel, one) for one in reversed(found)]


@route("GET", ONE)
async def read(call: Call) -> Json:
    channel = call.channel
    return over_rest(call.fake, channel, message_of(call, channel))


@route("PATCH", ONE)
async def edit(call: Call) -> Json:
    fake, channel = call.fake, call.channel
    found = message_of(call, channel)
    bot_id = fake.world.application.bot_id
    if found.author_id != bot_id or found.shown_name is not None:
        only_flags = set(call.json) <= {"flags", "allowed_mentions"}
        if not only_flags or not may(fake.world, channel, bot_id, "manage_messages"):
            raise ApiError(50005)
    threads.check_open(fake, channel, bot_id, sending=False)
    if call.files and not may(fake.world, channel, bot_id, "attach_files"):
        raise ApiError(50013)
    if found.flags & messages.VOICE:
        raise ApiError(50161, "Cannot edit a voice message.")
    return over_rest(fake, channel, messages.edit(fake, channel, found, call.json, call.files))


@route("DELETE", ONE)
async def delete(call: Call) -> None:
    fake, channel = call.fake, call.channel
    found = message_of(call, channel)
    bot_id = fake.world.application.bot_id
    if found.author_id != bot_id and not may(fake.world, channel, bot_id, "manage_messages"):
        raise ApiError(50013)
    if found.type == threads.THREAD_STARTER:
        raise ApiError(50021)
    threads.check_open(fake, channel, bot_id)  # deleting is possible in an archived thread
    messages.delete(fake, channel, found)


@route("POST", MESSAGES + "/bulk-delete")
async def bulk_delete(call: Call) -> None:
    fake, channel = call.fake, call.channel
    if not may(fake.world, channel, fake.world.application.bot_id, "manage_messages"):
        raise ApiError(50013)
    for wanted in call.json["messages"]:
        if found := fake.world.message(channel.id, int(wanted)):
            messages.delete(fake, channel, found)


@route("GET", MESSAGES + "/pins")
async def pins(call: Call) -> Json:
    channel = call.channel
    pinned = [one for one in reversed(call.fake.world.history(channel.id)) if one.pinned]
    items = [{"pinned_at": iso(one.created_at), "message": over_rest(call.fake, channel, one)} for one in pinned]
    return {"items": items, "has_more": False}


@route("PUT", MESSAGES + "/pins/{message_id}")
async def pin(call: Call) -> None:
    _pin(call, True)


@route("DELETE", MESSAGES + "/pins/{message_id}")
async def unpin(call: Call) -> None:
    _pin(call, False)


def _pin(call: Call, pinned: bool) -> None:
    fake, channel = call.fake, call.channel
    found = message_of(call, channel)
    if not may(fake.world, channel, fake.world.application.bot_id, "pin_messages"):
        raise ApiError(50013)
    if found.pinned != pinned:
        found.pinned = pinned
        announce(fake, "MESSAGE_UPDATE", channel, found)
        if pinned:
            threads.system_message(fake, channel, fake.world.application.bot_id, 6, of=found)
