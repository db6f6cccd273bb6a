"""A message for Discord as plain data, and its way into discord.py's calls."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import discord
from discord import ui

STYLES = {
    "plain": discord.ButtonStyle.secondary,
    "main": discord.ButtonStyle.primary,
    "good": discord.ButtonStyle.success,
    "danger": discord.ButtonStyle.danger,
}


@dataclass(frozen=True, slots=True)
class Press:
    """A button."""

    custom_id: str
    label: str
    style: str = "plain"


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that goes with a message."""

    name: str
    data: bytes

    def file(self) -> discord.File:
        return discord.File(io.BytesIO(self.data), filename=self.name)


@dataclass(frozen=True, slots=True)
class Choice:
    """A menu of which one is chosen: (value, label) each."""

    custom_id: str
    options: tuple[tuple[str, str], ...]
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Payload:
    """Everything a message consists of. `allowed` are the only accounts it may notify."""

    content: str = ""
    embeds: tuple[discord.Embed, ...] = ()
    buttons: tuple[Press, ...] = ()
    uploads: tuple[Upload, ...] = ()
    allowed: tuple[int, ...] = ()
    choice: Choice | None = None

    def plus(self, upload: Upload) -> Payload:
        """With that file, once."""
        others = tuple(other for other in self.uploads if other.name != upload.name)
        return replace(self, uploads=(*others, upload))


def for_send(payload: Payload) -> dict[str, Any]:
    """Keyword arguments of `send`, `followup.send` and `response.send_message`."""
    arguments: dict[str, Any] = {"allowed_mentions": allowed(payload.allowed), "embeds": list(payload.embeds)}
    if payload.content:
        arguments["content"] = payload.content
    if payload.buttons or payload.choice:
        arguments["view"] = view(payload.buttons, payload.choice)
    if payload.uploads:
        arguments["files"] = [upload.file() for upload in payload.uploads]
    return arguments


def for_edit(payload: Payload) -> dict[str, Any]:
    """Keyword arguments of `edit`, which replace all of the message."""
    return {
        "content": payload.content or None,
        "embeds": list(payload.embeds),
        "view": view(payload.buttons, payload.choice) if payload.buttons or payload.choice else None,
        "attachments": [upload.file() for upload in payload.uploads],
        "allowed_mentions": allowed(payload.allowed),
    }


def allowed(ids: Sequence[int]) -> discord.AllowedMentions:
    """Exactly these people. An edit needs it as much: without it Discord parses all mentions again."""
    return discord.AllowedMentions(
        everyone=False, roles=False, replied_user=False, users=[discord.Object(id) for id in ids]
    )


def view(buttons: Sequence[Press], choice: Choice | None = None) -> ui.View:
    """The buttons for discord.py, stopped so that it keeps no record of them: a click is answered by its id."""
    made = ui.View(timeout=None)
    for press in buttons:
        made.add_item(ui.Button(custom_id=press.custom_id, label=press.label, style=STYLES[press.style]))
    if choice is not None:
        options = [discord.SelectOption(label=label, value=value) for value, label in choice.options]
        made.add_item(ui.Select(custom_id=choice.custom_id, options=options, placeholder=choice.hint or None))
    made.stop()
    return made
