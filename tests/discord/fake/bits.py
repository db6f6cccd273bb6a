"""Discord's permission bits."""

from __future__ import annotations

BITS = {
    "kick_members": 1 << 1,
    "administrator": 1 << 3,
    "manage_channels": 1 << 4,
    "manage_guild": 1 << 5,
    "add_reactions": 1 << 6,
    "view_channel": 1 << 10,
    "send_messages": 1 << 11,
    "manage_messages": 1 << 13,
    "embed_links": 1 << 14,
    "attach_files": 1 << 15,
    "read_message_history": 1 << 16,
    "mention_everyone": 1 << 17,
    "use_external_emojis": 1 << 18,
    "manage_nicknames": 1 << 27,
    "manage_roles": 1 << 28,
    "manage_webhooks": 1 << 29,
    "use_application_commands": 1 << 31,
    "manage_threads": 1 << 34,
    "create_public_threads": 1 << 35,
    "create_private_threads": 1 << 36,
    "send_messages_in_threads": 1 << 38,
    "moderate_members": 1 << 40,
    "send_voice_messages": 1 << 46,
    "send_polls": 1 << 49,
    "pin_messages": 1 << 51,
}
ALL = (1 << 53) - 1


def bits(*names: str) -> int:
    total = 0
    for name in names:
        total |= BITS[name]
    return total


#: What a fresh server gives everyone.
EVERYONE = bits(
    "add_reactions",
    "view_channel",
    "send_messages",
    "embed_links",
    "attach_files",
    "read_message_history",
    "use_external_emojis",
    "use_application_commands",
    "create_public_threads",
    "create_private_threads",
    "send_messages_in_threads",
    "send_voice_messages",
    "send_polls",
)
#: What docs ask an admin to grant the bot, beyond what everyone has.
ROSTRUM = bits(
    "view_channel",
    "send_messages",
    "send_messages_in_threads",
    "create_public_threads",
    "embed_links",
    "attach_files",
    "read_message_history",
)
TIMED_OUT = bits("view_channel", "read_message_history")


def names(value: int) -> list[str]:
    return [name for name, bit in BITS.items() if value & bit]
