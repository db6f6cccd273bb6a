"""Which events an intent asks for, and which intents need a switch in the portal."""

from __future__ import annotations

from collections.abc import Iterable

GUILDS = 1 << 0
GUILD_MEMBERS = 1 << 1
GUILD_PRESENCES = 1 << 8
GUILD_MESSAGES = 1 << 9
GUILD_REACTIONS = 1 << 10
GUILD_TYPING = 1 << 11
DIRECT_MESSAGES = 1 << 12
MESSAGE_CONTENT = 1 << 15
ALL = (1 << 26) - 1

PRIVILEGED = {"members": GUILD_MEMBERS, "presences": GUILD_PRESENCES, "message_content": MESSAGE_CONTENT}

#: An event not listed reaches everybody.
OF_EVENT = {
    **dict.fromkeys(
        ("GUILD_CREATE", "GUILD_UPDATE", "GUILD_DELETE", "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE"),
        GUILDS,
    ),
    **dict.fromkeys(("CHANNEL_CREATE", "CHANNEL_UPDATE", "CHANNEL_DELETE", "CHANNEL_PINS_UPDATE"), GUILDS),
    **dict.fromkeys(("THREAD_CREATE", "THREAD_UPDATE", "THREAD_DELETE", "THREAD_LIST_SYNC"), GUILDS),
    **dict.fromkeys(("GUILD_MEMBER_ADD", "GUILD_MEMBER_UPDATE", "GUILD_MEMBER_REMOVE"), GUILD_MEMBERS),
    **dict.fromkeys(("MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK"), GUILD_MESSAGES),
    **dict.fromkeys(("MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE"), GUILD_REACTIONS),
    "TYPING_START": GUILD_TYPING,
    "WEBHOOKS_UPDATE": 1 << 5,
}


def allowed(privileged: Iterable[str]) -> int:
    forbidden = sum(bit for name, bit in PRIVILEGED.items() if name not in set(privileged))
    return ALL & ~forbidden


def of_messages(guild_id: int | None) -> int:
    return GUILD_MESSAGES if guild_id else DIRECT_MESSAGES
