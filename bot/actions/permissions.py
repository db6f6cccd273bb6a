"""Who may do what: the one table (docs/rules.md, "Seats")."""

from __future__ import annotations

from enum import Enum

from bot.actions.actor import Actor
from bot.community.policy import Policy
from bot.rules.match import Match
from bot.rules.rejection import Rejection, reject


class Right(Enum):
    """What an action asks of its actor."""

    ANYONE = "anyone"
    """The rules themselves see to it (one's own seat, a free seat, an open vote)."""
    STARTER = "starter"
    """Who may start matches, by the community's settings."""
    HOST = "host"
    """The host of the match, or a moderator."""
    MODERATOR = "moderator"


TABLE: dict[str, Right] = {
    "start": Right.STARTER,
    "join": Right.ANYONE,
    "leave": Right.ANYONE,
    "reclaim": Right.ANYONE,
    "speak": Right.ANYONE,
    "done": Right.ANYONE,
    "pass": Right.ANYONE,
    "vote": Right.ANYONE,
    "report": Right.ANYONE,
    "wager": Right.ANYONE,
    "wager_change": Right.ANYONE,
    "withdraw": Right.ANYONE,
    "wallet": Right.ANYONE,
    "claim": Right.ANYONE,
    "statement": Right.ANYONE,
    "begin": Right.HOST,
    "pause": Right.HOST,
    "resume": Right.HOST,
    "skip": Right.HOST,
    "cancel": Right.HOST,
    "replace": Right.HOST,
    "void": Right.MODERATOR,
    "setup": Right.MODERATOR,
    "block": Right.MODERATOR,
    "words": Right.MODERATOR,
}

OPEN_TO_BLOCKED = frozenset({"leave", "pass", "done", "report", "withdraw", "wallet", "statement"})
"""What somebody who is blocked may still do."""


def refusal(action: str, actor: Actor, match: Match | None, policy: Policy | None = None) -> Rejection | None:
    """Why the actor may not do it, or None. `match` is None for what concerns no match, `policy` where communities have
    none (the terminal)."""
    if match is not None and match.community != actor.community:
        return reject("no_such_match")
    if policy is not None and actor.person in policy.blocked_people and action not in OPEN_TO_BLOCKED:
        if not actor.moderator:
            return reject("blocked")
    right = TABLE[action]
    if right is Right.ANYONE or actor.moderator:
        return None
    if right is Right.STARTER:
        return None if policy is None else _starter_refusal(actor, policy)
    if right is Right.HOST and match is not None and match.host == actor.person:
        return None
    return reject("not_allowed", who=right.value)


def _starter_refusal(actor: Actor, policy: Policy) -> Rejection | None:
    if policy.who_may_start == "everyone":
        return None
    if policy.who_may_start == "roles":
        return None if not actor.roles.isdisjoint(policy.starter_roles) else reject("starter_roles_only")
    return reject("not_allowed", who=Right.MODERATOR.value)
