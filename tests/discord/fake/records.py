"""The records a World is made of."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

EPOCH_MS = 1_420_070_400_000
TEXT, DM, PUBLIC_THREAD, PRIVATE_THREAD = 0, 1, 11, 12

Json = dict[str, Any]


class Record(BaseModel):
    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64", extra="forbid")


class User(Record):
    id: int
    name: str
    display: str | None = None
    bot: bool = False
    locale: str = "en-US"
    dms_closed: bool = False
    dm_channel_id: int | None = None

    @property
    def mention(self) -> str:
        return f"<@{self.id}>"


class Role(Record):
    id: int
    name: str
    permissions: int = 0
    position: int = 1
    color: int = 0
    mentionable: bool = False
    managed: bool = False


class Member(Record):
    user_id: int
    nick: str | None = None
    roles: list[int] = Field(default_factory=list)
    joined_at: float = Field(default_factory=time.time)
    timed_out_until: float | None = None


class Guild(Record):
    id: int
    name: str
    owner_id: int
    locale: str = "en-US"
    roles: dict[int, Role] = Field(default_factory=dict)
    members: dict[int, Member] = Field(default_factory=dict)


class Overwrite(Record):
    """What a channel allows and denies one role (kind 0) or one member (kind 1)."""

    id: int
    kind: int
    allow: int = 0
    deny: int = 0


class Thread(Record):
    """What a channel has only if it is a thread."""

    parent_id: int
    owner_id: int
    archived: bool = False
    locked: bool = False
    invitable: bool = True
    auto_archive_duration: int = 4320
    archive_timestamp: float = Field(default_factory=time.time)
    members: dict[int, float] = Field(default_factory=dict)
    sent: int = 0


class Channel(Record):
    id: int
    type: int
    name: str = ""
    guild_id: int | None = None
    topic: str | None = None
    position: int = 0
    slowmode: int = 0
    overwrites: list[Overwrite] = Field(default_factory=list)
    thread: Thread | None = None
    recipient_id: int | None = None
    last_message_id: int | None = None


class Attachment(Record):
    id: int
    filename: str
    data: bytes
    content_type: str
    description: str | None = None
    in_embed: bool = False  # shown by an embed, so absent from the message's list
    extra: Json = Field(default_factory=dict)


class Pings(Record):
    """Whom a message notifies, after allowed_mentions had its say."""

    users: list[int] = Field(default_factory=list)
    roles: list[int] = Field(default_factory=list)
    everyone: bool = False

    def __bool__(self) -> bool:
        return bool(self.users or self.roles or self.everyone)


class Edit(Record):
    """What a message was before an edit."""

    at: float
    content: str
    embeds: list[Json]
    components: list[Json]
    attachments: list[int]


class Message(Record):
    id: int
    channel_id: int
    author_id: int
    type: int = 0
    content: str = ""
    embeds: list[Json] = Field(default_factory=list)
    components: list[Json] = Field(default_factory=list)
    attachments: list[Attachment] = Field(default_factory=list)
    poll: Json | None = None
    flags: int = 0
    nonce: str | None = None
    tts: bool = False
    pinned: bool = False
    edited_at: float | None = None
    deleted_at: float | None = None
    webhook_id: int | None = None
    shown_name: str | None = None  # the name a webhook spoke under
    avatar_url: str | None = None
    reference: Json | None = None
    interaction_id: int | None = None
    ephemeral_to: int | None = None
    pings: Pings = Field(default_factory=Pings)
    reactions: dict[str, list[int]] = Field(default_factory=dict)
    edits: list[Edit] = Field(default_factory=list)

    @property
    def created_at(self) -> float:
        return timestamp(self.id)

    @property
    def loading(self) -> bool:
        """Whether this is still "… is thinking"."""
        return bool(self.flags & 128)

    @property
    def text(self) -> str:
        """Every word a reader sees: content, embeds and text of components, in this order."""
        return "\n".join(part for part in self._texts() if part)

    def _texts(self) -> Iterator[str]:
        yield self.content
        for embed in self.embeds:
            yield (embed.get("author") or {}).get("name") or ""
            yield embed.get("title") or ""
            yield embed.get("description") or ""
            for field in embed.get("fields") or []:
                yield f"{field.get('name', '')}: {field.get('value', '')}"
            yield (embed.get("footer") or {}).get("text") or ""
        for component in walk(self.components):
            if component.get("type") == 10:
                yield component.get("content") or ""
        if self.poll:
            yield (self.poll.get("question") or {}).get("text") or ""

    @property
    def controls(self) -> list[Json]:
        """Buttons and selects, wherever they are nested."""
        return [component for component in walk(self.components) if component.get("type") in (2, 3, 5, 6, 7, 8)]

    @property
    def labels(self) -> list[str]:
        return [control.get("label") or control.get("placeholder") or "" for control in self.controls]


class Webhook(Record):
    id: int
    token: str
    channel_id: int
    guild_id: int
    name: str
    creator_id: int
    avatar: str | None = None


class Interaction(Record):
    id: int
    token: str
    type: int
    user_id: int
    channel_id: int
    guild_id: int | None = None
    data: Json = Field(default_factory=dict)
    message_id: int | None = None  # the message whose component was used
    created_at: float = Field(default_factory=time.time)
    answered_at: float | None = None
    answer: int | None = None
    original_id: int | None = None  # the message that @original stands for
    modal: Json | None = None
    choices: list[Json] | None = None
    followups: list[int] = Field(default_factory=list)
    refused: str | None = None  # why an answer of the bot was turned down

    @property
    def from_component(self) -> bool:
        return self.message_id is not None

    @property
    def took(self) -> float | None:
        """Seconds until the first answer."""
        return None if self.answered_at is None else self.answered_at - self.created_at


class Session(Record):
    """A gateway session: what was dispatched, so that a RESUME can replay it."""

    id: str
    shard: int
    shards: int
    intents: int
    seq: int = 0
    resumable: bool = True
    detached_at: float | None = None
    replay: list[Json] = Field(default_factory=list)


class Application(Record):
    id: int
    bot_id: int
    name: str
    token: str
    owner_id: int
    #: Privileged intents switched on in the portal: "members", "presences", "message_content".
    privileged: list[str] = Field(default_factory=lambda: ["members", "message_content"])


def timestamp(snowflake: int) -> float:
    """Seconds since 1970 at which an id was made."""
    return ((snowflake >> 22) + EPOCH_MS) / 1000


def walk(components: list[Json]) -> Iterator[Json]:
    """Each component of a message or modal, parents before children."""
    for component in components:
        yield component
        yield from walk([one for one in component.get("components") or [] if isinstance(one, dict)])
        for key in ("component", "accessory"):
            if isinstance(component.get(key), dict):
                yield from walk([component[key]])
