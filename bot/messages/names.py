"""How those who take part are called in cards."""

from __future__ import annotations

from bot.messages.card import person_token
from bot.rules.match import Holder, Match


def name_of(match: Match, seat: str) -> str:
    """The name of who holds a seat: an AI's name, or a person's token."""
    holder = match.seats[seat].holder
    return holder_name(holder) if holder is not None else seat


def holder_name(holder: Holder) -> str:
    return person_token(holder.person) if holder.person is not None else holder.name or ""
