"""A stored match as text: its record, or the transcript made from it."""

from __future__ import annotations

from bot.messages.record import dumps, record
from bot.messages.record import pseudonyms as pseudonyms_of
from bot.messages.transcript import markdown
from bot.rules.events import decode_row
from bot.rules.evolve import fold
from bot.rules.match import Match
from storage.store import SqlStore


async def export_text(store: SqlStore, match_id: str, form: str, *, pseudonyms: bool = False) -> str:
    """The match as "json" or "markdown", on request with pseudonyms in place of people's names.

    Raises StoreError, or UnknownEvent for a log of a newer release."""
    rows = await store.events(match_id)
    match = fold(decode_row(row.name, row.version, row.payload) for row in rows)
    return (await export_texts(store, match, pseudonyms=pseudonyms))[form]


async def export_texts(store: SqlStore, match: Match, *, pseudonyms: bool = False) -> dict[str, str]:
    """A match whose state is at hand, as both "json" and "markdown"."""
    made = record(match, pseudonyms_of(match) if pseudonyms else await store.names(sorted(people_of(match))))
    return {"json": dumps(made), "markdown": markdown(made)}


def people_of(match: Match) -> set[str]:
    """The ids of all people who hold or have held a seat."""
    holders = [holder for seat in match.seats.values() for holder in (seat.first, seat.holder)]
    holders += [change.holder for seat in match.seats.values() for change in seat.replaced]
    return {holder.person for holder in holders if holder is not None and holder.person is not None}
