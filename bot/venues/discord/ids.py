"""Button and modal ids: `action:match:version[:arg]`. They outlive the process, so all that a click needs is in them.

An id gives no rights, it only says what was meant: an old message can be clicked at any time, so whoever handles a
click compares `version` with the state and asks the table of permissions.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import quote, unquote

LONGEST = 100
"""Discord's limit for a custom_id."""
_ACTION = r"[a-z]+(?:_[a-z]+)*"
_MATCH = r"[A-Za-z0-9-]{1,40}"
_VERSION = r"0|[1-9][0-9]{0,8}"
_ARG = r"[A-Za-z0-9_.~%-]{1,80}"
"""Percent-encoded, because a format may give its sides any names."""
_WHOLE = re.compile(
    rf"(?P<action>{_ACTION}):(?P<match>{_MATCH}):(?P<version>{_VERSION})(?::(?P<arg>{_ARG}))?", re.ASCII
)


class ButtonId(NamedTuple):
    """What a click means: an action on a match, as it was at a version (a post's number or a board's version)."""

    action: str
    match: str
    version: int
    arg: str = ""


def make(action: str, match: str, version: int, arg: str = "") -> str:
    """The custom_id. Raises ValueError for parts that the grammar does not have."""
    text = f"{action}:{match}:{version}" + (f":{quote(arg, safe='')}" if arg else "")
    if parse(text) != (action, match, version, arg):
        raise ValueError(f"not a button id: {text!r}")
    return text


def parse(text: str) -> ButtonId:
    """The parts of a custom_id. Raises ValueError for anything that `make` does not make."""
    found = _WHOLE.fullmatch(text) if len(text) <= LONGEST else None
    if found is None:
        raise ValueError(f"not a button id: {text[:LONGEST]!r}")
    arg = unquote(found["arg"] or "")
    if quote(arg, safe="") != (found["arg"] or ""):
        raise ValueError(f"not a button id: {text!r}")
    return ButtonId(found["action"], found["match"], int(found["version"]), arg)


def template(*actions: str) -> str:
    """The pattern for a `discord.ui.DynamicItem` that answers these actions and no others.

    discord.py runs every item whose pattern matches, so patterns of different actions never overlap: an action holds no
    colon and stands literally at the start. Read a click by `parse(custom_id)`, which also decodes the argument.
    """
    if not actions or any(re.fullmatch(_ACTION, action) is None for action in actions):
        raise ValueError(f"not actions: {actions!r}")
    named = "|".join(actions)
    return rf"(?P<action>{named}):(?P<match>{_MATCH}):(?P<version>{_VERSION})(?::(?P<arg>{_ARG}))?"
