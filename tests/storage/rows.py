"""Rows to write, with everything a test does not care about filled in."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Row, text

from bot.host.ports import Change, EventRow, MatchRow, PostRow
from storage.store import SqlStore

WALL = 1_700_000_000_000  # more than 32 bits hold


def match(id: str = "m", **changed: object) -> MatchRow:
    fields: dict[str, object] = {
        "id": id,
        "community": "com_a",
        "status": "running",
        "format": "classic",
        "host": "per_host",
        "thread": None,
        "seq": 0,
        "wake_at": None,
        "opened_wall": WALL,
    }
    return MatchRow(**(fields | changed))  # pyright: ignore[reportArgumentType]


def event(seq: int, match: str = "m", payload: str = "{}") -> EventRow:
    return EventRow(match, seq, "turn_taken", 1, payload, WALL + seq)


def post(n: int, match: str = "m", body: str = "{}") -> PostRow:
    return PostRow(match, n, "turn", body)


def opened(id: str = "m", events: int = 1) -> Change:
    return Change(match=match(id, seq=events), events=[event(seq, id) for seq in range(1, events + 1)])


async def write(store: SqlStore, *changes: Change) -> None:
    async with store.transaction() as unit:
        await unit.apply(changes)


async def log(store: SqlStore, match: str = "m") -> list[int]:
    return [row.seq for row in await store.events(match)]


async def run_sql(store: SqlStore, statement: str, **values: object) -> Sequence[Row]:
    """Behind the store's back."""
    async with store._engines.writer.begin() as connection:
        result = await connection.execute(text(statement), values)
        return result.all() if result.returns_rows else []
