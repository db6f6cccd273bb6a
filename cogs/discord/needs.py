"""What the bot may do in a channel, against what a debate there needs."""

from __future__ import annotations

from collections.abc import Iterable

import discord

from bot.community.policy import Policy

DEBATE = (
    "view_channel",
    "send_messages",
    "create_public_threads",
    "send_messages_in_threads",
    "embed_links",
    "attach_files",
    "read_message_history",
)
"""Without one of these there is no debate."""
REPORTS = ("view_channel", "send_messages", "embed_links")
SCHOOL = tuple("create_private_threads" if name == "create_public_threads" else name for name in DEBATE)
"""The same where threads are private."""


def wanted(policy: Policy) -> tuple[str, ...]:
    """What debates need where they are held by this policy."""
    more = {"react": ("add_reactions",), "remove": ("manage_messages",)}.get(policy.out_of_turn, ())
    return (*(SCHOOL if policy.school else DEBATE), *more)


def missing(permissions: discord.Permissions, needed: Iterable[str] = DEBATE) -> list[str]:
    """Which of the needed permissions are not there."""
    return [name for name in needed if not getattr(permissions, name)]


def titles(names: Iterable[str]) -> str:
    """The permissions as Discord's own settings call them."""
    return ", ".join(name.replace("_", " ").title() for name in names)


def minimal() -> discord.Permissions:
    """What an invite link asks for."""
    return discord.Permissions(**dict.fromkeys((*DEBATE, "add_reactions"), True))
