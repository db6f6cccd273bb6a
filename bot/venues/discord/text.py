"""Outgoing text: cards hold plain text, Discord reads Markdown. Escaping and cutting happen here and nowhere else.

A text is taken apart into atoms (a character with its escape, a mention) which are never divided, so what is cut ends
neither in half an emoji nor in a lone backslash.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from bot.messages.card import with_names
from bot.venues.discord.graphemes import graphemes, size

CUT = "…"
_TOKEN = re.compile("\x02[^\x03]*\x03")
# Controls, lone surrogates, and what turns the direction of a line around.
_UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
# The slash breaks addresses and invitations, so that none becomes a link or an embed that nobody chose. "<" begins
# mentions, timestamps, custom emoji and commands, "[" masked links.
_ALWAYS = re.compile(r"[\\*_~`|\[\]<>@/]")
_LINE_START = re.compile(r"^[^\S\n]*(?:\d+(?=[.)])|(?=[-+#]))(.)", re.MULTILINE)
_SHORTCODE = re.compile(r":(?=[\w~+-]{1,64}:)")
_LONGEST_NAME = 64


class Person(NamedTuple):
    """Somebody with an account: Discord's id of it, and the name we keep."""

    platform_id: str
    name: str


class People:
    """Who stands behind the tokens of a card; who is not there (erased, never known) is called `somebody`."""

    def __init__(self, known: Mapping[str, tuple[str, str]], somebody: str) -> None:
        self._known = {id: Person(*person) for id, person in known.items()}
        self._somebody = somebody

    def named(self, text: str) -> str:
        """The text with names in the place of tokens, in one line each, unescaped."""
        names = {id: " ".join(_shown(person.name).split()) for id, person in self._known.items()}
        short = {id: fit(graphemes(name), _LONGEST_NAME) or self._somebody for id, name in names.items()}
        return with_names(text, short, self._somebody)

    def mention(self, person: str) -> str | None:
        known = self._known.get(person)
        return f"<@{known.platform_id}>" if known and known.platform_id.isdecimal() else None

    def platform_ids(self, people: Iterable[str]) -> tuple[int, ...]:
        found = (self._known.get(person) for person in people)
        return tuple(dict.fromkeys(int(one.platform_id) for one in found if one and one.platform_id.isdecimal()))


def plain(text: str, people: People) -> list[str]:
    """Atoms for where Discord reads no Markdown: authors, footers, labels, names of threads. One line."""
    return graphemes(" ".join(_shown(people.named(text)).split()))


def titled(text: str, people: People) -> list[str]:
    """Atoms for titles and names of fields: Markdown works there, mentions do not. One line."""
    return _escaped(" ".join(_shown(people.named(text)).split()))


def worded(text: str, people: People) -> list[str]:
    """Atoms for an embed's texts, with people by name: a phone that does not know somebody yet shows a mention there as
    a number, for an embed brings no names along."""
    return _escaped(_shown(people.named(text)))


def rich(text: str, people: People) -> list[str]:
    """Atoms for what a message itself says, with people as mentions."""
    atoms: list[str] = []
    at = 0
    for token in _TOKEN.finditer(text):
        # A word before it keeps the rest of a line from being taken for the line's start.
        atoms += _escaped(_shown(text[at : token.start()]))
        atoms += _mention(token.group(), people)
        at = token.end()
    return atoms + _escaped(_shown(text[at:]))


def fit(atoms: Iterable[str], limit: int) -> str:
    """The text within the limit in code points and in UTF-16 units; what was cut ends in "…"."""
    kept: list[str] = []
    used = 0
    for atom in atoms:
        used += size(atom)
        kept.append(atom)
        if used > limit:
            while kept and used > limit - len(CUT):
                used -= size(kept.pop())
            while kept and kept[-1].isspace():
                kept.pop()
            return "".join(kept) + CUT if limit >= len(CUT) else ""
    return "".join(kept)


def escape(text: str) -> str:
    """A whole plain text for Discord, uncut; for what a cog says on its own."""
    return "".join(_escaped(_shown(text)))


def _mention(token: str, people: People) -> list[str]:
    mention = people.mention(token[1:-1])
    return [mention] if mention else _escaped(people.named(token))


def _shown(text: str) -> str:
    return _UNSAFE.sub("", text)


def _escaped(text: str) -> list[str]:
    marked = {found.start() for found in _ALWAYS.finditer(text)}
    marked |= {found.start(1) for found in _LINE_START.finditer(text)}
    marked |= {found.start() for found in _SHORTCODE.finditer(text)}
    if not marked:
        return graphemes(text)
    atoms: list[str] = []
    at = 0
    for piece in graphemes(text):
        atoms.append("".join("\\" + c if at + n in marked else c for n, c in enumerate(piece)))
        at += len(piece)
    return atoms
