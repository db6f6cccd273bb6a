"""aiosqlite with fewer trips to its thread.

aiosqlite runs everything in the connection's own thread, and every trip there and back costs some 50 µs of CPU.
SQLAlchemy asks for a cursor, runs one statement and closes the cursor: three trips. Making and closing a cursor does no
I/O, so here that happens on the spot, and a statement that writes is one trip: a command costs half as much. A
connection is used by one statement at a time, so its thread is idle whenever we touch it.
"""

from __future__ import annotations

import asyncio
import sqlite3
from typing import Any

import aiosqlite

_ROWS_AT_ONCE = 64  # aiosqlite's own default


class _Cursor(aiosqlite.Cursor):
    async def close(self) -> None:
        self._cursor.close()


class _Connection(aiosqlite.Connection):
    _stopping: asyncio.Future[None] | None = None

    def cursor(self) -> Any:
        """Both what SQLAlchemy awaits entering and the cursor itself."""
        return _Cursor(self, self._conn.cursor())

    async def _connect(self) -> aiosqlite.Connection:
        """A file that cannot be opened leaves a thread that ends soon: wait for it, or it finds the loop closed."""
        try:
            return await super()._connect()
        except BaseException:
            if self._stopping is not None:
                await asyncio.wait([self._stopping])
            raise

    def stop(self) -> asyncio.Future[None] | None:
        """Cancelled at the wrong moment, SQLAlchemy closes a connection twice. aiosqlite would have the second one wait
        for ever for a thread that has ended."""
        if self._stopping is None:
            self._stopping = super().stop()
        return None if self._stopping is None else asyncio.shield(self._stopping)


def connect(database: str, **options: Any) -> aiosqlite.Connection:
    """For SQLAlchemy's `async_creator_fn`. Like aiosqlite.connect, but other threads may make and close cursors."""

    def connector() -> sqlite3.Connection:
        return sqlite3.connect(database, **{**options, "check_same_thread": False})

    connection = _Connection(connector, _ROWS_AT_ONCE)
    connection._thread.daemon = True  # as SQLAlchemy does: a connection nobody closed must not keep the process alive
    return connection
