"""Bring a database to the schema of this release, at start-up and without a configuration file."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from bot.host.ports import StoreError
from storage.engines import Engines, open_engines
from storage.errors import explained
from storage.tasks import to_the_end

MIGRATIONS = Path(__file__).parent / "migrations"

_ALEMBIC = threading.Lock()
"""alembic keeps what it works on in module globals: one migration at a time in a process, whatever the database."""

_LOCK = 0x526F7374
"""PostgreSQL's advisory lock ("Rost") that lets one process migrate at a time. On SQLite the write lock does."""


async def migrate(url: str) -> None:
    """Bring the database to the schema of this release, or raise a StoreError."""
    engines = await open_engines(url)
    try:
        await upgrade(engines)
    finally:
        await engines.dispose()


async def upgrade(engines: Engines) -> None:
    """All migrations that are missing, in one transaction. Refuses a database that a newer release has written."""
    async with _alembic_for_us():
        await _run(engines, _upgrade)


async def check(engines: Engines) -> None:
    """Refuse a database that is not at the schema of this release; change nothing."""
    await _run(engines, _check)


async def _run(engines: Engines, step: Callable[[Connection, str], None]) -> None:
    with explained(engines.database):
        async with engines.writer.connect() as connection:
            await to_the_end(connection.run_sync(step, engines.database))


def config(connection: Connection, folder: Path = MIGRATIONS) -> Config:
    """Alembic's configuration."""
    made = Config()
    made.set_main_option("script_location", str(folder).replace("%", "%%"))
    made.set_main_option("path_separator", "os")
    made.attributes["connection"] = connection
    return made


def _upgrade(connection: Connection, database: str) -> None:
    with _foreign_keys_off(connection), connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        if not _up_to_date(connection, database):
            command.upgrade(config(connection), "head")
            if connection.dialect.name == "sqlite" and connection.exec_driver_sql("PRAGMA foreign_key_check").first():
                raise StoreError(
                    f"{database} has rows that belong to no match, so it was left as it is; put a backup in its place."
                )


def _check(connection: Connection, database: str) -> None:
    if not _up_to_date(connection, database):
        raise StoreError(
            f"{database} is not at the schema of this release; start Rostrum on it once, which brings it there."
        )


def _up_to_date(connection: Connection, database: str) -> bool:
    scripts = ScriptDirectory.from_config(config(connection))
    found = set(MigrationContext.configure(connection).get_current_heads())
    if unknown := found - {script.revision for script in scripts.walk_revisions()}:
        raise StoreError(
            f"{database} was written by a newer release of Rostrum (schema {', '.join(sorted(unknown))}); "
            "install that release, or choose another database."
        )
    return found == set(scripts.get_heads())


@asynccontextmanager
async def _alembic_for_us() -> AsyncIterator[None]:
    while not _ALEMBIC.acquire(blocking=False):  # noqa: ASYNC110 # asyncio's locks are for one loop
        await asyncio.sleep(0.01)
    try:
        yield
    finally:
        _ALEMBIC.release()


@contextmanager
def _foreign_keys_off(connection: Connection) -> Iterator[None]:
    """A migration that makes a SQLite table anew must be able to drop the old one while other tables point to it."""
    if connection.dialect.name != "sqlite":
        yield
        return
    _pragma(connection, "foreign_keys = OFF")
    try:
        yield
    finally:
        _pragma(connection, "foreign_keys = ON")


def _pragma(connection: Connection, pragma: str) -> None:
    """Outside a transaction, where SQLAlchemy would have begun one."""
    cursor = connection.connection.cursor()
    cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
