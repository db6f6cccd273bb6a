"""The two engines of a store: one connection that writes, a few that read.

**SQLite.** One writer at a time is all it can do, and one connection for it is the cheapest way to queue. A write
transaction begins with BEGIN IMMEDIATE: it takes the write lock at once (waiting `busy_timeout` for another process),
because a transaction that reads first and is promoted later fails without waiting when somebody wrote in between.
Python's sqlite3 by itself begins no transaction before SAVEPOINT or DDL, so its own transaction control is switched off
and BEGIN is sent by SQLAlchemy's "begin" event (SQLAlchemy's documentation, "Transactions with SQLite and the sqlite3
driver").

WAL lets readers go on while the writer commits. With synchronous=NORMAL a commit is in the WAL file, that is in the
kernel's hands, before it is acknowledged: it survives the death of the process (kill -9). A power cut may undo the last
commits, newest first, but cannot damage the database.

**In memory.** There is only the one connection, so reads wait their turn with the writes.

**PostgreSQL.** The same shape: one connection writes, as the host groups its commits anyway.

Readers run single statements in autocommit: each sees what is committed, and holds nothing back.
"""

import asyncio
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, event
from sqlalchemy.engine import URL
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bot.host.ports import StoreError
from storage import driver
from storage.errors import explained, label, sqlite_name
from storage.tasks import to_the_end
from storage.url import in_memory, make_folder, parse

READERS = 4
BUSY_TIMEOUT = 5.0
CONNECT_TIMEOUT = 10.0
RETRY_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Engines:
    database: str
    """How messages name it."""
    writer: AsyncEngine
    reader: AsyncEngine
    """The writer itself for a database in memory."""

    @property
    def shared(self) -> bool:
        return self.reader is self.writer

    async def dispose(self) -> None:
        await self.reader.dispose()
        await self.writer.dispose()


async def open_engines(url: str, *, busy_timeout: float = BUSY_TIMEOUT) -> Engines:
    """Engines for a database that can be reached, or a StoreError. Makes a SQLite file and its folder if need be."""
    parsed = parse(url)
    make_folder(parsed)
    try:
        make = _sqlite if parsed.get_backend_name() == "sqlite" else _postgresql
        writer, reader = make(parsed, busy_timeout, {"hide_parameters": True})
    except ModuleNotFoundError as error:
        raise StoreError(
            f"{label(parsed)} needs the package {error.name}; install Rostrum with its [postgres] extra."
        ) from error
    engines = Engines(label(parsed), writer, reader)
    try:
        with explained(engines.database):
            await to_the_end(_connect(writer, busy_timeout))
    except (TypeError, ValueError) as error:  # what asyncpg makes of options it does not know
        await engines.dispose()
        raise StoreError(f"{engines.database} cannot be opened with the options in its URL ({error}).") from error
    except BaseException:
        await engines.dispose()
        raise
    return engines


def _sqlite(url: URL, busy_timeout: float, options: dict[str, Any]) -> tuple[AsyncEngine, AsyncEngine]:
    options["connect_args"] = {"timeout": busy_timeout, "async_creator_fn": driver.connect}
    if in_memory(url):
        writer = reader = create_async_engine(url, **options)
    else:
        # Every transaction here ends with a commit or a rollback of its own; one more by the pool is a wasted trip.
        options |= {"max_overflow": 0, "pool_reset_on_return": None}
        writer = create_async_engine(url, pool_size=1, **options)
        reader = create_async_engine(url, pool_size=READERS, isolation_level="AUTOCOMMIT", **options)
    event.listen(writer.sync_engine, "connect", _prepare_writer)
    event.listen(writer.sync_engine, "begin", _begin_immediate)
    return writer, reader


def _postgresql(url: URL, busy_timeout: float, options: dict[str, Any]) -> tuple[AsyncEngine, AsyncEngine]:
    settings = {"application_name": "rostrum", "lock_timeout": str(round(busy_timeout * 1000))}
    connect_args = {"server_settings": settings, "timeout": CONNECT_TIMEOUT}
    options |= {"connect_args": connect_args, "max_overflow": 0, "pool_pre_ping": True}
    writer = create_async_engine(url, pool_size=1, **options)
    reader = create_async_engine(url, pool_size=READERS, isolation_level="AUTOCOMMIT", **options)
    return writer, reader


def _prepare_writer(connection: DBAPIConnection, _record: object) -> None:
    try:
        connection.isolation_level = None  # sqlite3 begins nothing by itself any more
        cursor = connection.cursor()
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()
    except BaseException:
        connection.close()  # SQLAlchemy does not, here
        raise


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


async def _connect(writer: AsyncEngine, busy_timeout: float) -> None:
    """Make sure that the database can be opened.

    Turning a new SQLite file to WAL is the one step for which SQLite does not wait, whatever the busy timeout, while
    another process is at it; so we do.
    """
    loop = asyncio.get_running_loop()
    give_up = loop.time() + busy_timeout
    while True:
        try:
            async with writer.connect():
                return
        except OperationalError as error:
            if not (sqlite_name(error) or "").startswith("SQLITE_BUSY") or loop.time() > give_up:
                raise
        await asyncio.sleep(RETRY_SECONDS)
