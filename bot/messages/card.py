"""Neutral messages: what people read, before a venue gives it a look.

Every string in a card is plain text (no markdown, no mentions); a venue escapes it once, in one place. A person's
name stands in it as a token made by `person_token`, because names live in an erasable table and venues show people
differently (a mention, a name).
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

Tone = Literal["plain", "pro", "con", "judge", "win", "quiet", "alert"]

# Control characters: `clean` drops them from everything people and minds write, so a token cannot be forged.
_OPEN, _CLOSE = "\x02", "\x03"
_TOKEN = re.compile(f"{_OPEN}([^{_CLOSE}]*){_CLOSE}")


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Author(_Data):
    """Who speaks in a card."""

    name: str
    seat: str
    side: str | None = None
    ai: bool = True
    persona: str | None = None


class Fact(_Data):
    label: str
    value: str
    tone: Tone = "plain"


class Table(_Data):
    """A small table. Columns whose title starts with ">" are numbers, set to the right."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Button(_Data):
    """Something a reader can press: an action of the bot, with an argument where it needs one: the role to join as,
    the turn to take ("1.3": round and slot), the vote ("1.pro": round and side)."""

    action: str
    label: str
    style: Literal["plain", "main", "good", "danger"] = "plain"
    arg: str = ""


class Card(_Data):
    """One message. `kind` tells a venue which look it has; the rest is what it says."""

    kind: str
    tone: Tone = "plain"
    title: str = ""
    text: str = ""
    place: str = ""
    """What the thread is called that begins with this card; by default its title."""
    author: Author | None = None
    label: str = ""
    """What kind of turn it is: "Opening", "Rebuts"."""
    facts: tuple[Fact, ...] = ()
    table: Table | None = None
    footer: str = ""
    ping: tuple[str, ...] = ()
    """People whose turn it is: the only ones a message may notify."""
    deadline: int | None = None
    """Match time until which something may be done; venues turn it into their own kind of countdown."""
    time_ms: int | None = None
    """How long a person has once the message is delivered."""
    buttons: tuple[Button, ...] = ()
    stack: tuple[Fact, ...] = ()
    """What was shown before in the same place, oldest first: a venue that can edit lets the message build up."""
    turn: tuple[int, int, int] | None = None
    """(round, slot, part) of a speech, to which its sound will be attached."""


class Post(NamedTuple):
    """A card on its way to a thread, as JSON; `gate` names what waits for its delivery."""

    kind: str
    body: str
    gate: str | None = None
    mark: str | None = None
    """Names the message. Posts with the same mark build up one message where the venue can edit."""


def person_token(person: str) -> str:
    return f"{_OPEN}{person}{_CLOSE}"


def people_in(card: Card) -> set[str]:
    """The ids of all people the card names."""
    return set(_TOKEN.findall(card.model_dump_json().replace("\\u0002", _OPEN).replace("\\u0003", _CLOSE))) | set(
        card.ping
    )


def people_named(text: str) -> set[str]:
    """The ids of all people a text names."""
    return set(_TOKEN.findall(text))


def with_names(text: str, names: dict[str, str], fallback: str) -> str:
    """The text with each person's token replaced by a name (the venue's own form of it)."""
    return _TOKEN.sub(lambda found: names.get(found.group(1), fallback), text)
