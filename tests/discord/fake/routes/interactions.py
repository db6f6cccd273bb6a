"""First answers to interactions."""

from __future__ import annotations

import time

from tests.discord.fake import messages
from tests.discord.fake.call import Call
from tests.discord.fake.errors import ApiError
from tests.discord.fake.records import Channel, Interaction, Json, Message
from tests.discord.fake.routing import route

PONG, MESSAGE, DEFERRED_MESSAGE, DEFERRED_UPDATE, UPDATE, CHOICES, MODAL = 1, 4, 5, 6, 7, 8, 9
COMMAND, COMPONENT, AUTOCOMPLETE, SUBMIT = 2, 3, 4, 5


@route("POST", "/interactions/{interaction_id}/{interaction_token}/callback")
async def answer(call: Call) -> Json | None:
    interaction = _open(call)
    kind, data = int(call.json["type"]), call.json.get("data") or {}
    try:
        _check_kind(interaction, kind)
        channel = _channel(call, interaction)
        if channel.thread and kind in (MESSAGE, DEFERRED_MESSAGE, UPDATE):
            if channel.thread.archived:
                raise ApiError(50083)
        message = _do(call, interaction, channel, kind, data)
    except ApiError as error:
        interaction.refused = str(error)
        raise
    interaction.answered_at = time.time()
    interaction.answer = kind
    call.fake.changed(interaction.channel_id)
    return _told(call, interaction, kind, message) if call.query.get("with_response") in ("1", "true") else None


def _open(call: Call) -> Interaction:
    """The interaction of the path, unless it is unknown, too old, or answered."""
    interaction = call.fake.world.interactions.get(call.number("interaction_id"))
    if interaction is None or interaction.token != call.params["interaction_token"]:
        raise ApiError(10062)
    if interaction.answered_at is not None:
        raise ApiError(40060)
    if time.time() - interaction.created_at > call.fake.first_answer:
        interaction.refused = "too late"
        raise ApiError(10062)
    return interaction


def _check_kind(interaction: Interaction, kind: int) -> None:
    possible = {
        COMMAND: (MESSAGE, DEFERRED_MESSAGE, MODAL),
        COMPONENT: (MESSAGE, DEFERRED_MESSAGE, DEFERRED_UPDATE, UPDATE, MODAL),
        AUTOCOMPLETE: (CHOICES,),
        SUBMIT: (MESSAGE, DEFERRED_MESSAGE, DEFERRED_UPDATE, UPDATE),
    }[interaction.type]
    updates = kind in (DEFERRED_UPDATE, UPDATE)
    if kind not in possible or (updates and not interaction.from_component):
        raise ApiError(50035, f"Interaction response type {kind} is not possible here", at="type")


def _channel(call: Call, interaction: Interaction) -> Channel:
    channel = call.fake.world.channels.get(interaction.channel_id)
    if channel is None:
        raise ApiError(10003)
    return channel


def _do(call: Call, interaction: Interaction, channel: Channel, kind: int, data: Json) -> Message | None:
    fake = call.fake
    if kind in (MESSAGE, DEFERRED_MESSAGE):
        ephemeral = bool(int(data.get("flags") or 0) & messages.EPHEMERAL)
        body = data if kind == MESSAGE else {}
        style = messages.SLASH_REPLY if interaction.type == COMMAND else messages.REPLY
        if style == messages.REPLY and not interaction.from_component:
            style = 0
        made = messages.create(
            fake,
            channel,
            fake.world.application.bot_id,
            body,
            call.files,
            kind=style,
            interaction=interaction,
            ephemeral=ephemeral,
            loading=kind == DEFERRED_MESSAGE,
        )
        interaction.original_id = made.id
        return made
    if kind in (UPDATE, DEFERRED_UPDATE):
        source = fake.world.any_message(interaction.message_id or 0)
        if source is None or source.deleted_at is not None:
            raise ApiError(10008)
        interaction.original_id = source.id
        return messages.edit(fake, channel, source, data, call.files) if kind == UPDATE else None
    if kind == CHOICES:
        interaction.choices = data["choices"]
    elif kind == MODAL:
        interaction.modal = data | {"components": messages.numbered(data["components"])}
    return None


def _told(call: Call, interaction: Interaction, kind: int, message: Message | None) -> Json:
    shown: Json = {"id": str(interaction.id), "type": interaction.type}
    told: Json = {"interaction": shown, "resource": {"type": kind}}
    if message is not None:
        shown |= {
            "response_message_id": str(message.id),
            "response_message_loading": message.loading,
            "response_message_ephemeral": message.ephemeral_to is not None,
        }
        told["resource"]["message"] = call.fake.payloads.message(message)
    elif kind == DEFERRED_UPDATE:
        shown |= {"response_message_id": str(interaction.message_id)}
    return told
