"""The statements that write, built once per dialect: both have `ON CONFLICT`, but each in a module of its own."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Table, bindparam, func, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import Insert, ReturningInsert, Update

from storage import tables

_INSERT = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


@dataclass(frozen=True, slots=True)
class Statements:
    match: Insert
    event: Insert
    post: Insert
    post_changed: Update
    board: Insert
    job: Insert
    job_changed: Update
    receipt: Insert
    community: Insert
    person: Insert
    account: Insert
    transfer: ReturningInsert[tuple[str]]
    entry: Insert
    spend: Insert


def statements(dialect: str) -> Statements:
    insert = _INSERT[dialect]

    match = insert(tables.matches)
    match = match.on_conflict_do_update(
        index_elements=["id"],
        set_={  # what was settled when the match opened does not change
            "status": match.excluded.status,
            "host": match.excluded.host,
            "thread": func.coalesce(match.excluded.thread, tables.matches.c.thread),
            "seq": match.excluded.seq,
            "wake_at": match.excluded.wake_at,
        },
    )
    board = insert(tables.boards)
    board = board.on_conflict_do_update(
        index_elements=[tables.boards.c.match, tables.boards.c.key],
        set_={name: board.excluded[name] for name in ("version", "body", "shown", "platform_id")},
        where=board.excluded.version >= tables.boards.c.version,
    )
    job = insert(tables.jobs).on_conflict_do_nothing(index_elements=[tables.jobs.c.match, tables.jobs.c.key])
    community = insert(tables.communities)
    community = community.on_conflict_do_update(
        index_elements=["venue", "platform_id"], set_={"name": community.excluded.name}
    )
    person = insert(tables.people)
    person = person.on_conflict_do_update(
        index_elements=["community", "platform_id"], set_={"name": person.excluded.name}
    )
    spend = insert(tables.spend)
    sums = ("calls", "prompt_tokens", "completion_tokens", "nano_usd", "unpriced")
    spend = spend.on_conflict_do_update(
        index_elements=[tables.spend.c.day, tables.spend.c.community, tables.spend.c.match],
        set_={name: tables.spend.c[name] + spend.excluded[name] for name in sums},
    )
    account = insert(tables.accounts)
    account = account.on_conflict_do_update(
        index_elements=["id"], set_={"balance": tables.accounts.c.balance + account.excluded.balance}
    )
    transfer = insert(tables.transfers).on_conflict_do_nothing(index_elements=["id"])
    return Statements(
        account=account,
        transfer=transfer.returning(tables.transfers.c.id),  # nothing when it is there already
        entry=insert(tables.entries),
        match=match,
        event=insert(tables.events),
        post=insert(tables.posts),
        post_changed=_changed(tables.posts, "n", ("state", "platform_id", "sent_wall", "delivered_wall")),
        board=board,
        job=job,
        job_changed=_changed(tables.jobs, "key", ("state", "result", "attempts")),
        receipt=insert(tables.receipts),
        community=community,
        person=person,
        spend=spend,
    )


def _changed(table: Table, key: str, columns: tuple[str, ...]) -> Update:
    """An update of one row of a match. SQLAlchemy keeps plain column names for itself here, hence `new_` and `its_`."""
    return (
        update(table)
        .where(table.c.match == bindparam("its_match"), table.c[key] == bindparam(f"its_{key}"))
        .values({column: bindparam(f"new_{column}") for column in columns})
    )
