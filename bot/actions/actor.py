"""Who acts, and what they are told."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.rules.match import Match


@dataclass(frozen=True, slots=True)
class Actor:
    """A person doing something in a community."""

    community: str
    person: str
    """The opaque id from the people table."""
    moderator: bool = False
    """May moderate in this community, by the platform's own permissions."""
    platform_time: int | None = None
    """The platform's own time stamp of what they did (wall ms); None: now."""
    key: str | None = None
    """The platform's id of this delivery. A repeated delivery gets the first one's answer."""
    roles: frozenset[str] = frozenset()
    """The platform's ids of their roles."""
    channel: str | None = None
    """The platform's id of the channel they are in (of a thread, the one it belongs to)."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer for the person alone."""

    text: str
    ok: bool = True
    code: str = "done"
    """What happened, for programs: "done", or a rejection's code."""
    match: Match | None = field(default=None, compare=False, repr=False)
    """The match after the action, when it was accepted."""
