"""The match record as a page of Markdown: a view of the same record, for reading."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined, Template

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")
_LIST_MARK = re.compile(r"^(\d*)([-+.)])(?=\s)")
_BLANK_LINES = re.compile(r"\n{3,}")


def markdown(record: Mapping[str, Any]) -> str:
    """The record as Markdown. What people wrote is escaped, so that it reads as they wrote it."""
    names = {seat["seat"]: f"{escaped(seat['name'] or '')} ({seat['seat']})" for seat in record["seats"]}

    def seats(ids: Sequence[str]) -> str:
        return ", ".join(names.get(id, id) for id in ids)

    status = record["status"] + (f": {escaped(record['reason'])}" if record["reason"] else "")
    text = _template().render(record=record, status=status, seats=seats)
    return _BLANK_LINES.sub("\n\n", text).strip() + "\n"


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return _LIST_MARK.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", " ".join(text.split())))


def quoted(text: str) -> str:
    """A speech as a block quotation, line by line."""
    return "\n".join(f"> {escaped(line)}".rstrip() for line in text.split("\n"))


@cache
def _template() -> Template:
    # Markdown, not HTML: everything foreign goes through `escaped` or `quoted`.
    environment = Environment(autoescape=False, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"md": escaped, "quote": quoted}
    source = files("bot.messages.templates").joinpath("transcript.md.j2").read_text("utf-8")
    return environment.from_string(source)
