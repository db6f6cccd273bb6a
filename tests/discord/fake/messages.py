"""Messages made, changed and deleted, by whoever: checks, effects, events."""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tests.discord.fake import mentions, threads
from tests.discord.fake.call import Upload
from tests.discord.fake.errors import ApiError
from tests.discord.fake.events import announce, announce_deletion
from tests.discord.fake.mime import content_type
from tests.discord.fake.payloads import iso
from tests.discord.fake.permissions import may, sends_in
from tests.discord.fake.records import Attachment, Channel, Edit, Interaction, Json, Message, Webhook, walk

if TYPE_CHECKING:
    from tests.discord.fake.server import FakeDiscord

SUPPRESS_EMBEDS, HAS_THREAD, EPHEMERAL, LOADING = 1 << 2, 1 << 5, 1 << 6, 1 << 7
SILENT, VOICE, LAYOUT = 1 << 12, 1 << 13, 1 << 15
ACCEPTED = SUPPRESS_EMBEDS | EPHEMERAL | SILENT | VOICE | LAYOUT
REPLY, SLASH_REPLY = 19, 20


def check_may_send(fake: FakeDiscord, channel: Channel, user_id: int, body: Json, files: Sequence[Upload]) -> None:
    """Whether somebody may send this here; None or Discord's error."""
    world = fake.world
    if channel.recipient_id is not None:
        if user_id == world.application.bot_id and world.users[channel.recipient_id].dms_closed:
            raise ApiError(50007)
        return
    if not may(world, channel, user_id, "view_channel"):
        raise ApiError(50001)
    if not may(world, channel, user_id, sends_in(channel)):
        raise ApiError(50013)
    threads.check_open(fake, channel, user_id)
    if files and not may(world, channel, user_id, "attach_files"):
        raise ApiError(50013)
    if body.get("embeds") and not may(world, channel, user_id, "embed_links"):
        raise ApiError(50013)
    if body.get("message_reference") and not may(world, channel, user_id, "read_message_history"):
        raise ApiError(160002)
    if int(body.get("flags") or 0) & VOICE and not may(world, channel, user_id, "send_voice_messages"):
        raise ApiError(50173)
    if body.get("poll") and not may(world, channel, user_id, "send_polls"):
        raise ApiError(50013)


def create(
    fake: FakeDiscord,
    channel: Channel,
    author_id: int,
    body: Json,
    files: Sequence[Upload] = (),
    *,
    kind: int = 0,
    webhook: Webhook | None = None,
    interaction: Interaction | None = None,
    ephemeral: bool = False,
    loading: bool = False,
) -> Message:
    """A new message, once everything about it is known to be allowed."""
    world = fake.world
    message = Message(
        id=world.new_id(),
        channel_id=channel.id,
        author_id=author_id,
        type=kind,
        content=str(body.get("content") or "").strip(),
        poll=_poll(body),
        flags=_flags(body, ephemeral=ephemeral, loading=loading),
        tts=bool(body.get("tts")),
        nonce=str(body["nonce"]) if body.get("nonce") is not None else None,
    )
    replied_to = _reply(fake, channel, message, body.get("message_reference"))
    if webhook is not None:
        message.webhook_id = webhook.id
        message.shown_name = str(body.get("username") or webhook.name)
        message.avatar_url = body.get("avatar_url")
    if interaction is not None:
        message.webhook_id = world.application.id
        message.interaction_id = interaction.id
        message.ephemeral_to = interaction.user_id if ephemeral else None
    message.attachments = _uploads(fake, files, body.get("attachments"))
    _dress(fake, channel, message, body, replied_to)
    threads.on_message(fake, channel, author_id, quiet=ephemeral)
    world.add_message(message)
    announce(fake, "MESSAGE_CREATE", channel, message)
    threads.take_in(fake, channel, message)
    return message


def edit(fake: FakeDiscord, channel: Channel, message: Message, body: Json, files: Sequence[Upload] = ()) -> Message:
    """Change what a body names, and keep what was."""
    before = Edit(
        at=time.time(),
        content=message.content,
        embeds=message.embeds,
        components=message.components,
        attachments=[one.id for one in message.attachments],
    )
    if "content" in body:
        message.content = str(body["content"] or "").strip()
    if "poll" in body:
        message.poll = _poll(body)
    if "flags" in body and body["flags"] is not None:
        kept = message.flags & ~SUPPRESS_EMBEDS
        message.flags = kept | int(body["flags"]) & (SUPPRESS_EMBEDS | LAYOUT)
    embedded: set[int] = set()
    if body.get("attachments") is not None:
        wanted = {str(one.get("id")) for one in body["attachments"]}
        embedded = {one.id for one in message.attachments if one.in_embed and str(one.id) not in wanted}
        message.attachments = [one for one in message.attachments if one.id in embedded or str(one.id) in wanted]
    message.attachments += _uploads(fake, files, body.get("attachments"))
    _dress(fake, channel, message, body, None, mentions_too="content" in body or "components" in body)
    # A file that an embed showed stays while an embed shows it, though no list of attachments names it.
    message.attachments = [one for one in message.attachments if one.in_embed or one.id not in embedded]
    if message.flags & LOADING:
        message.flags &= ~LOADING
    else:
        message.edits.append(before)
        message.edited_at = time.time()
    announce(fake, "MESSAGE_UPDATE", channel, message)
    return message


def delete(fake: FakeDiscord, channel: Channel, message: Message) -> None:
    message.deleted_at = time.time()
    announce_deletion(fake, channel, message)


def _flags(body: Json, *, ephemeral: bool, loading: bool) -> int:
    flags = int(body.get("flags") or 0) & ACCEPTED & ~EPHEMERAL
    return flags | (EPHEMERAL if ephemeral else 0) | (LOADING if loading else 0)


def _poll(body: Json) -> Json | None:
    poll = body.get("poll")
    if not poll:
        return None
    answers = [{"answer_id": number} | one for number, one in enumerate(poll.get("answers") or [], 1)]
    ends = time.time() + 3600 * int(poll.get("duration") or 24)
    made = {key: value for key, value in poll.items() if key != "duration"}
    return {"allow_multiselect": False, "layout_type": 1} | made | {"answers": answers, "expiry": iso(ends)}


def _reply(fake: FakeDiscord, channel: Channel, message: Message, reference: Json | None) -> Message | None:
    if not reference:
        return None
    replied_to = fake.world.message(channel.id, int(reference["message_id"]))
    if replied_to is None:
        if reference.get("fail_if_not_exists", True):
            raise ApiError(50035, "Unknown message", at="message_reference")
        return None
    message.type = REPLY
    message.reference = {"type": 0, "channel_id": str(channel.id), "message_id": str(replied_to.id)}
    if channel.guild_id:
        message.reference["guild_id"] = str(channel.guild_id)
    return replied_to


def _uploads(fake: FakeDiscord, files: Sequence[Upload], described: Any) -> list[Attachment]:
    """Uploaded files, described by the entries of `attachments` whose id is the file's number."""
    about = {str(one.get("id")): one for one in described or []}
    made: list[Attachment] = []
    for upload in files:
        entry = about.get(str(upload.number), {})
        name = str(entry.get("filename") or upload.filename)
        extra = {key: entry[key] for key in ("duration_secs", "waveform", "title") if entry.get(key) is not None}
        made.append(
            Attachment(
                id=fake.world.new_id(),
                filename=name,
                data=upload.data,
                content_type=content_type(name),
                description=entry.get("description"),
                extra=extra,
            )
        )
    return made


def _dress(
    fake: FakeDiscord,
    channel: Channel,
    message: Message,
    body: Json,
    replied_to: Message | None,
    *,
    mentions_too: bool = True,
) -> None:
    """Embeds, components and pings of a message, from the body that made or changed it."""
    if body.get("embeds") is not None:
        message.embeds = copy.deepcopy(body["embeds"])
    if body.get("components") is not None:
        message.components = numbered(body["components"])
    links = {part[key] for embed in message.embeds for part, key in links_of(embed)}
    for attachment in message.attachments:
        attachment.in_embed = f"attachment://{attachment.filename}" in links
    message.attachments = [
        one
        for number, one in enumerate(message.attachments)
        if not one.in_embed or all(other.filename != one.filename for other in message.attachments[number + 1 :])
    ]
    if mentions_too:
        text = mentions.spoken(message.content, message.components)
        message.pings = mentions.pings(
            fake.world, channel, message.author_id, text, body.get("allowed_mentions"), replied_to
        )


def links_of(embed: Json) -> list[tuple[Json, str]]:
    """Where an embed has addresses of pictures: (part, key)."""
    parts = [embed[name] for name in ("image", "thumbnail", "author", "footer") if isinstance(embed.get(name), dict)]
    return [(part, key) for part in parts for key in ("url", "icon_url") if isinstance(part.get(key), str)]


def numbered(components: list[Json]) -> list[Json]:
    """Components with the ids that Discord gives to those that have none."""
    components = copy.deepcopy(components)
    taken = {one.get("id") for one in walk(components)}
    free = (number for number in range(1, 10_000) if number not in taken)
    for component in walk(components):
        if not component.get("id"):
            component["id"] = next(free)
    return components
