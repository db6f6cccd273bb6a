"""Who may do what: the one table (docs/rules.md, "Seats")."""

from __future__ import annotations

from enum import Enum

from bot.actions.actor import Actor
from bot.rules.match import Match
from bot.rules.rejection import Rejection, reject


class Right(Enum):
    """What an action asks of its actor."""

    ANYONE = "anyone"
    """The rules themselves see to it (one's own seat, a free seat, an open vote)."""
    HOST = "host"
    """The host of the match, or a moderator."""
    MODERATOR = "moderator"


TABLE: dict[str, Right] = {
    "start": Right.ANYONE,
    "join": Right.ANYONE,
    "leave": Right.ANYONE,
    "reclaim": Right.ANYONE,
    "speak": Right.ANYONE,
    "done": Right.ANYONE,
    "pass": Right.ANYONE,
    "vote": Right.ANYONE,
    "begin": Right.HOST,
    "pause": Right.HOST,
    "resume": Right.HOST,
    "skip": Right.HOST,
    "cancel": Right.HOST,
    "replace": Right.HOST,
    "void": Right.MODERATOR,
}


def refusal(action: str, actor: Actor, match: Match) -> Rejection | None:
    """Why the actor may not do it, or None."""
    if match.community != actor.community:
        return reject("no_such_match")
    right = TABLE[action]
    if right is Right.ANYONE or actor.moderator:
        return None
    if right is Right.HOST and match.host == actor.person:
        return None
    return reject("not_allowed", who=right.value)
