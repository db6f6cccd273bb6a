"""Application commands as they are registered."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any

from tests.discord.fake.records import Json
from tests.discord.fake.rules.base import Problems, dicts

CHAT_INPUT, USER, MESSAGE = 1, 2, 3
SUBCOMMAND, GROUP = 1, 2
MOST = {CHAT_INPUT: 100, USER: 15, MESSAGE: 15}


def check_commands(problems: Problems, commands: Any) -> None:
    listed = dicts(commands)
    seen: set[tuple[int, str]] = set()
    for number, command in enumerate(listed):
        check_command(problems, command, str(number))
        key = (command.get("type") or CHAT_INPUT, str(command.get("name")))
        if key in seen:
            problems.bad("command-twice", str(number), f"Application command names must be unique: {key[1]}")
        seen.add(key)
    for kind, most in MOST.items():
        count = sum((one.get("type") or CHAT_INPUT) == kind for one in listed)
        if count > most:
            problems.bad("command-count", "", f"{count} commands of type {kind}, at most {most}", code=30032)


def check_command(problems: Problems, command: Json, at: str) -> None:
    kind = command.get("type") or CHAT_INPUT
    if kind != CHAT_INPUT:
        problems.text("command-name", f"{at}.name", command.get("name"), 1, 32)
        if command.get("description"):
            problems.bad("command-description", f"{at}.description", "only chat commands have a description")
        return
    _check_named(problems, command, at)
    _check_options(problems, command, at, depth=0)
    total = sum(map(len, _words(command)))
    if total > 8000:
        problems.bad("command-size", at, f"names, descriptions and choices have {total} characters, at most 8000")
    if command.get("dm_permission") is False:  # what guild_only sends; discord.py itself always sends true
        problems.frowned("command-deprecated", f"{at}.dm_permission", "deprecated; use contexts")


def _check_named(problems: Problems, one: Json, at: str) -> None:
    for where, name in [("name", one.get("name")), *_localised(one, "name_localizations")]:
        if not is_command_name(name):
            problems.bad(
                "command-name", f"{at}.{where}", f"{name!r} is no lower-case name of 1-32 letters, digits, - _ '"
            )
    for where, text in [("description", one.get("description")), *_localised(one, "description_localizations")]:
        problems.text("command-description", f"{at}.{where}", text, 1, 100)


def _localised(one: Json, key: str) -> list[tuple[str, Any]]:
    return [(f"{key}.{locale}", text) for locale, text in (one.get(key) or {}).items()]


def is_command_name(name: Any) -> bool:
    """Discord's ^[-_'\\p{L}\\p{N}\\p{sc=Deva}\\p{sc=Thai}]{1,32}$, in lower case where there is one."""
    if not isinstance(name, str) or not 1 <= len(name) <= 32 or name != name.lower():
        return False
    return all(
        char in "-_'"
        or unicodedata.category(char)[0] in "LN"
        or "\u0900" <= char <= "\u097f"
        or "\u0e00" <= char <= "\u0e7f"
        for char in name
    )


def _check_options(problems: Problems, owner: Json, at: str, depth: int) -> None:
    options = dicts(owner.get("options"))
    if len(options) > 25:
        problems.bad("command-options", f"{at}.options", f"{len(options)} options, at most 25")
    names = [one.get("name") for one in options]
    if len(set(names)) < len(names):
        problems.bad("command-options", f"{at}.options", f"option names are not unique: {names}")
    kinds = {one.get("type") in (SUBCOMMAND, GROUP) for one in options}
    if len(kinds) > 1:
        problems.bad("command-options", f"{at}.options", "subcommands and plain options are mixed")
    optional_seen = False
    for number, option in enumerate(options):
        where = f"{at}.options.{number}"
        _check_named(problems, option, where)
        kind = option.get("type")
        if (kind == GROUP and depth > 0) or (kind == SUBCOMMAND and depth > 1):
            problems.bad("command-nesting", where, "groups are at the top, subcommands at the top or in a group")
        if kind in (SUBCOMMAND, GROUP):
            _check_options(problems, option, where, depth + 1 if kind == GROUP else 2)
            continue
        if option.get("required") and optional_seen:
            problems.bad("command-options", where, "Required options must be placed before non-required options")
        optional_seen = optional_seen or not option.get("required")
        _check_choices(problems, option, where)


def _check_choices(problems: Problems, option: Json, at: str) -> None:
    choices = option.get("choices")
    if choices and option.get("autocomplete"):
        problems.bad("command-choices", at, "choices and autocomplete exclude each other")
    check_choices(problems, choices, f"{at}.choices")


def check_choices(problems: Problems, choices: Any, at: str) -> None:
    listed = dicts(choices)
    if len(listed) > 25:
        problems.bad("choices", at, f"{len(listed)} choices, at most 25")
    for number, choice in enumerate(listed):
        problems.text("choices", f"{at}.{number}.name", choice.get("name"), 1, 100, label=True)
        for where, text in _localised(choice, "name_localizations"):
            problems.text("choices", f"{at}.{number}.{where}", text, 1, 100, label=True)
        if isinstance(choice.get("value"), str):
            problems.text("choices", f"{at}.{number}.value", choice["value"], 1, 100)


def _words(one: Json) -> Iterator[str]:
    yield str(one.get("name") or "")
    yield str(one.get("description") or "")
    for choice in dicts(one.get("choices")):
        yield str(choice.get("name") or "")
        yield str(choice.get("value") or "")
    for option in dicts(one.get("options")):
        yield from _words(option)
