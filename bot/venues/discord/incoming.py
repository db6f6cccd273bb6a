"""Incoming text: what a reader sees of a message somebody typed. The rules' own `clean` comes after it.

Code stays as it is, as it does on the screen. Emphasis stays too: `2 * 3 * 4` and `**no**` are told apart only by
Discord's own parser.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

_CODE = re.compile(r"```.+?```|(?<!`)(`{1,2})(?!`)(?:.+?)(?<!`)\1(?!`)", re.DOTALL)
_EMPTY_SPOILER = re.compile(r"(?<!\|)\|\|\s*\|\|(?!\|)")
_MASKED = re.compile(
    r"\[(?P<label>(?:\\.|[^\[\]\\])+)\]\(\s*<?https?://[^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*>?(?:\s+\"[^\"]*\")?\s*\)"
)
_PIECE = re.compile(
    r"\\(?P<escaped>[^0-9A-Za-z\s])"
    r"|<@!?(?P<person>\d{1,20})>"
    r"|<@&(?P<role>\d{1,20})>"
    r"|<#(?P<channel>\d{1,20})>"
    r"|<a?:(?P<emoji>\w{2,32}):\d{1,20}>"
    r"|<t:(?P<time>-?\d{1,13})(?::[tTdDfFR])?>"
    r"|</(?P<command>[^\s:>][^:>]{0,98}):\d{1,20}>"
    r"|<id:(?P<place>[a-z-]+)(?::\d+)?>"
    r"|<(?P<address>https?://[^\s<>]+)>"
)
_HOLD = "\x00"


def as_read(content: str, names: Mapping[int, str], roles: Mapping[int, str], channels: Mapping[int, str]) -> str:
    """The text on the screen: "@Ann" for a mention, ":smile:" for a custom emoji, a link's label, nothing for `||||`.

    Give the names that came with the message; an id without one reads as Discord shows it, "@unknown-user".
    """
    content = content.replace(_HOLD, "")
    parts: list[str] = []
    at = 0
    for code in _CODE.finditer(content):
        parts += [_unwrapped(content[at : code.start()], names, roles, channels), code.group()]
        at = code.end()
    return "".join([*parts, _unwrapped(content[at:], names, roles, channels)])


def _unwrapped(text: str, names: Mapping[int, str], roles: Mapping[int, str], channels: Mapping[int, str]) -> str:
    def seen(found: re.Match[str]) -> str:
        kind = found.lastgroup or ""
        value = found[kind]
        match kind:
            case "person":
                return "@" + names.get(int(value), "unknown-user")
            case "role":
                return "@" + roles.get(int(value), "unknown-role")
            case "channel":
                return "#" + channels.get(int(value), "unknown")
            case "emoji":
                return f":{value}:"
            case "time":
                return _moment(int(value)) or found.group()
            case "command":
                return f"/{value}"
            case "place":
                return f"#{value}"
            case _:
                return value

    # An escaped character means itself, so it is put aside before links and spoilers are looked for.
    aside: list[str] = []

    def put_aside(found: re.Match[str]) -> str:
        aside.append(found.group())
        return f"{_HOLD}{len(aside) - 1}{_HOLD}"

    text = re.sub(r"\\[^0-9A-Za-z\s]", put_aside, text)
    text = _EMPTY_SPOILER.sub("", text)
    text = _MASKED.sub(lambda found: found["label"], text)
    text = re.sub(f"{_HOLD}(\\d+){_HOLD}", lambda found: aside[int(found[1])], text)
    return _PIECE.sub(seen, text)


def _moment(seconds: int) -> str | None:
    """A timestamp in words. Readers see it in their own zone, so the zone is said."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, ValueError, OSError):
        return None
