"""An open write transaction."""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import fields
from typing import Any, TypeVar

from sqlalchemy import Connection, Executable, bindparam, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.host.ports import BoardRow, Change, EventRow, JobRow, MatchRow, PostRow, ReceiptRow, Stale, StoreError
from storage import tables
from storage.errors import explained, is_duplicate
from storage.ledger import SqlBooks
from storage.statements import Statements
from storage.tasks import to_the_end

T = TypeVar("T")

RECEIPT = select(tables.receipts.c.answer).where(
    tables.receipts.c.community == bindparam("community"), tables.receipts.c.key == bindparam("key")
)

_ROWS = (MatchRow, EventRow, PostRow, BoardRow, JobRow, ReceiptRow)
_FIELDS = {row: tuple(field.name for field in fields(row)) for row in _ROWS}


class SqlUnit:
    """Implements `bot.host.ports.Unit`."""

    def __init__(self, connection: AsyncConnection, statements: Statements, database: str) -> None:
        self._connection = connection
        self._statements = statements
        self._database = database
        self._spoiled: BaseException | None = None
        """What failed and was not undone by a savepoint: a commit would keep half of it."""
        self._depth = 0
        self.books = SqlBooks(connection, statements, self._do)

    def must_be_whole(self) -> None:
        """Refuse the commit of half a batch. (PostgreSQL would answer such a COMMIT by silently rolling back.)"""
        if isinstance(self._spoiled, StoreError):
            raise self._spoiled
        if self._spoiled is not None:
            raise RuntimeError("A write failed and was to be committed all the same; undo it first.") from self._spoiled

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        spoiled_before = self._spoiled
        self._depth += 1
        name = f"sp{self._depth}"  # few names, so that the statements stay prepared
        try:
            await self._do(self._connection.exec_driver_sql(f"SAVEPOINT {name}"))
            try:
                yield
            except BaseException:
                with suppress(StoreError):  # then the unit stays spoiled
                    await self._do(self._connection.exec_driver_sql(f"ROLLBACK TO SAVEPOINT {name}"))
                    await self._do(self._connection.exec_driver_sql(f"RELEASE SAVEPOINT {name}"))
                    self._spoiled = spoiled_before
                raise
            await self._do(self._connection.exec_driver_sql(f"RELEASE SAVEPOINT {name}"))
        finally:
            self._depth -= 1

    async def apply(self, changes: Sequence[Change]) -> None:
        await self._do(self._connection.run_sync(self._apply, changes))

    async def receipt(self, community: str, key: str) -> str | None:
        return await self._do(self._connection.scalar(RECEIPT, {"community": community, "key": key}))

    async def _do(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            with explained(self._database):
                return await to_the_end(work)
        except BaseException as error:
            self._spoiled = error
            raise

    def _apply(self, connection: Connection, changes: Sequence[Change]) -> None:
        """One statement per table for all changes together; the driver runs it once for each row."""
        does = self._statements
        _write(connection, does.match, [_values(change.match) for change in changes if change.match is not None])
        try:
            _write(connection, does.event, [_values(row) for change in changes for row in change.events])
        except IntegrityError as error:
            if is_duplicate(error):
                raise Stale("another process has continued this match") from error
            raise
        _write(connection, does.post, [_values(row) for change in changes for row in change.posts])
        _write(
            connection, does.post_changed, [_post_changed(row) for change in changes for row in change.posts_changed]
        )
        _write(connection, does.board, [_values(row) for change in changes for row in change.boards])
        _write(connection, does.job, [_values(row) for change in changes for row in change.jobs])
        _write(connection, does.job_changed, [_job_changed(row) for change in changes for row in change.jobs_changed])
        _write(connection, does.receipt, [_values(row) for change in changes for row in change.receipts])


def _write(connection: Connection, statement: Executable, rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        connection.execute(statement, rows)


def _values(row: MatchRow | EventRow | PostRow | BoardRow | JobRow | ReceiptRow) -> dict[str, Any]:
    return {name: getattr(row, name) for name in _FIELDS[type(row)]}


def _post_changed(row: PostRow) -> dict[str, Any]:
    return {
        "its_match": row.match,
        "its_n": row.n,
        "new_state": row.state,
        "new_platform_id": row.platform_id,
        "new_sent_wall": row.sent_wall,
        "new_delivered_wall": row.delivered_wall,
    }


def _job_changed(row: JobRow) -> dict[str, Any]:
    return {
        "its_match": row.match,
        "its_key": row.key,
        "new_state": row.state,
        "new_result": row.result,
        "new_attempts": row.attempts,
    }
