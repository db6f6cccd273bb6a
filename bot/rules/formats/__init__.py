"""The built-in formats, one TOML file each."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from bot.rules.format import Format, FormatError, parse_format


@cache
def format_names() -> tuple[str, ...]:
    return tuple(
        sorted(entry.name.removesuffix(".toml") for entry in files(__name__).iterdir() if entry.name.endswith(".toml"))
    )


@cache
def load_format(name: str) -> Format:
    """The built-in format of that name. Raises FormatError when there is none or its file is broken."""
    if name not in format_names():
        raise FormatError(f"There is no format {name!r}. There are: {', '.join(format_names())}.")
    return parse_format(files(__name__).joinpath(f"{name}.toml").read_text("utf-8"), f"{name}.toml")
