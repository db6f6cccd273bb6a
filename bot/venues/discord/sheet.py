"""Embeds within Discord's limits, whatever is put into them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import discord

from bot.messages.card import Tone
from bot.rules.text import is_blank
from bot.venues.discord.graphemes import size
from bot.venues.discord.text import fit

MOST_TEXT = 6_000
"""Of all embeds of a message together."""
MOST_EMBEDS = 10
MOST_FIELDS = 25
TITLE = AUTHOR = NAME = 256
VALUE = 1_024
FOOTER = 2_048
DESCRIPTION = 4_096
NOTHING = "–"

# Blue and orange stay apart for the colour-blind; the sides' signs differ in shape, and words always say the same.
COLOURS: dict[Tone, int] = {
    "plain": 0x7A8699,
    "pro": 0x3D8BFD,
    "con": 0xF08A24,
    "judge": 0x8E6BD8,
    "win": 0xE3B341,
    "quiet": 0x4E5560,
    "alert": 0xD64545,
}
SIGNS: dict[Tone, str] = {"pro": "🔷", "con": "🔶", "judge": "⚖️", "win": "🏆", "alert": "⚠️"}


@dataclass(slots=True)
class Budget:
    """What is left of the text that a message's embeds may have."""

    left: int = MOST_TEXT

    def take(self, atoms: Sequence[str], limit: int) -> str:
        """As much as fits, paid for. "" where a reader would see nothing."""
        text = fit(atoms, max(0, min(limit, self.left))).strip()
        if is_blank(text):
            return ""
        self.left -= size(text)
        return text


@dataclass(slots=True)
class Sheet:
    """One embed in the making. Parts are paid for in the order in which they are put in."""

    budget: Budget
    embed: discord.Embed

    @classmethod
    def new(cls, budget: Budget, tone: Tone) -> Sheet:
        return cls(budget, discord.Embed(colour=COLOURS[tone]))

    def title(self, atoms: Sequence[str]) -> Sheet:
        self.embed.title = self.budget.take(atoms, TITLE) or None
        return self

    def author(self, atoms: Sequence[str], icon: str | None = None) -> Sheet:
        if name := self.budget.take(atoms, AUTHOR):
            self.embed.set_author(name=name, icon_url=icon)
        return self

    def footer(self, atoms: Sequence[str]) -> Sheet:
        if text := self.budget.take(atoms, FOOTER):
            self.embed.set_footer(text=text)
        return self

    def text(self, atoms: Sequence[str], limit: int = DESCRIPTION) -> Sheet:
        """Add to the description, as a paragraph of its own."""
        before = self.embed.description or ""
        room = min(limit, DESCRIPTION - size(before) - 1)
        self.budget.left -= 1
        if text := self.budget.take(atoms, room):
            self.embed.description = f"{before}\n{text}" if before else text
        return self

    def field(self, name: Sequence[str], value: Sequence[str], *, inline: bool = False) -> Sheet:
        """A field needs both its parts; with too little room left there is none."""
        if len(self.embed.fields) < MOST_FIELDS and self.budget.left > 2 * len(NOTHING):
            self.budget.left -= len(NOTHING)  # the value's, so that it never lacks one
            label = self.budget.take(name, NAME) or self._nothing()
            self.budget.left += len(NOTHING)
            self.embed.add_field(name=label, value=self.budget.take(value, VALUE) or self._nothing(), inline=inline)
        return self

    def done(self) -> discord.Embed:
        """The embed; one with nothing to read in it would be refused."""
        if not len(self.embed):
            self.embed.description = self._nothing()
        return self.embed

    def _nothing(self) -> str:
        self.budget.left -= len(NOTHING)
        return NOTHING
