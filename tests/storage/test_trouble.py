"""When the database cannot do its work, one plain sentence says why and what to do."""

from __future__ import annotations

import asyncio
import os
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import asyncpg
import pytest

from bot.host.ports import Change, StoreError
from storage.database import open_store
from storage.migrate import migrate
from storage.store import SqlStore
from tests.storage.conftest import Server
from tests.storage.rows import event, log, opened, run_sql, write

SQL = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE|PRAGMA|BEGIN|VALUES)\b")


@contextmanager
def told(part: str) -> Iterator[None]:
    """A StoreError with that in it, fit for a person: a sentence without SQL or a password."""
    with pytest.raises(StoreError) as caught:
        yield
    message = str(caught.value)
    assert part in message
    assert message.startswith("The ")
    assert message.endswith(".")
    assert "\n" not in message
    assert "; " in message or "(" in message  # what to do, or what exactly
    assert not SQL.search(message)
    assert "hunter2" not in message


def sqlite(file: Path | str, options: str = "") -> str:
    return f"sqlite+aiosqlite:///{file}{options}"


# ------------------------------------------------------------------------------------------------- SQLite


async def test_a_locked_file(file_store: SqlStore, file: Path) -> None:
    await write(file_store, opened())
    with closing(sqlite3.connect(file)) as other:
        other.execute("BEGIN IMMEDIATE")
        start = time.monotonic()
        with told(f"The database {file} is locked by another program; "):
            await write(file_store, opened("new"))
        assert 0.15 < time.monotonic() - start < 3
        assert await log(file_store) == [1]  # readers do not mind
        other.rollback()
    await write(file_store, opened("new"))


async def test_a_lock_that_goes_is_waited_for(file_store: SqlStore, file: Path) -> None:
    with closing(sqlite3.connect(file)) as other:
        other.execute("BEGIN IMMEDIATE")
        writing = asyncio.create_task(write(file_store, opened()))
        await asyncio.sleep(0.05)
        other.rollback()
    await writing
    assert await log(file_store) == [1]


async def test_a_file_locked_from_the_start(file: Path) -> None:
    with closing(sqlite3.connect(file)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with told("is locked by another program; "):
            await open_store(sqlite(file), busy_timeout=0.1)


async def test_a_read_only_file(file: Path) -> None:
    await migrate(sqlite(file))
    url = sqlite(f"file:{file}", "?mode=ro&uri=true")
    store = await open_store(url)  # nothing to migrate, so nothing to write
    assert await log(store) == []
    with told("is read-only; give Rostrum the right to write"):
        await write(store, opened())
    await store.close()


@pytest.fixture
def not_ours() -> Iterator[Path]:
    """A folder that we may look into but not write: somebody else's for root, who may write everywhere."""
    with tempfile.TemporaryDirectory() as name:  # not in pytest's folder, which only we may enter
        folder = Path(name)
        sqlite3.connect(folder / "theirs.db").execute("CREATE TABLE t (x)").connection.close()
        (folder / "theirs.db").chmod(0o444)
        folder.chmod(0o555)
        root = hasattr(os, "geteuid") and os.geteuid() == 0
        if root:
            os.seteuid(65534)
        try:
            yield folder
        finally:
            if root:
                os.seteuid(0)
            folder.chmod(0o755)


@pytest.mark.skipif(sys.platform == "win32", reason="other rights there")
async def test_without_the_right_to_write(not_ours: Path) -> None:
    with told("is read-only; give Rostrum the right to write the file and its folder"):
        await open_store(sqlite(not_ours / "theirs.db"))
    with told("cannot be opened; check that its path names a file in a folder where Rostrum may write"):
        await open_store(sqlite(not_ours / "new.db"))
    with told("for the database cannot be made (Permission denied); "):
        await open_store(sqlite(not_ours / "deeper" / "new.db"))


async def test_a_folder_in_place_of_the_file(tmp_path: Path) -> None:
    with told(f"The database {tmp_path} cannot be opened; check that its path names a file"):
        await open_store(sqlite(tmp_path))


async def test_a_file_in_place_of_the_folder(file: Path) -> None:
    file.touch()
    with told(f"The folder {file} for the database cannot be made ("):
        await open_store(sqlite(file / "deeper.db"))


async def test_missing_folders_are_made(tmp_path: Path) -> None:
    store = await open_store(sqlite(tmp_path / "a" / "b c" / "rostrum.db"))
    await store.close()
    assert (tmp_path / "a" / "b c" / "rostrum.db").is_file()


async def test_a_file_that_is_no_database(file: Path) -> None:
    file.write_bytes(b"Dear diary, " * 1000)
    with told("is not a SQLite database, or is damaged; "):
        await open_store(sqlite(file))
    assert file.read_bytes() == b"Dear diary, " * 1000


async def test_a_damaged_file(file: Path) -> None:
    store = await open_store(sqlite(file))
    await write(store, opened(events=2000))
    await store.close()
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 4] + b"\xa5" * (len(whole) // 2) + whole[-len(whole) // 4 :])

    with told("is damaged; put a backup in its place"):
        store = await open_store(sqlite(file))  # SQLite may notice here, or only when it comes to that page
        try:
            await store.events("m")
        finally:
            await store.close()


async def test_a_full_disk(file_store: SqlStore) -> None:
    await write(file_store, opened())
    [(pages,)] = await run_sql(file_store, "PRAGMA page_count")
    await run_sql(file_store, f"PRAGMA max_page_count = {pages}")  # SQLite's own way to pretend
    with told("cannot be written because the disk is full; free some space"):
        await write(file_store, Change(events=[event(2, payload='"' + "x" * 100_000 + '"')]))
    assert await log(file_store) == [1]


async def test_tables_that_went_missing(file_store: SqlStore) -> None:
    await run_sql(file_store, "DROP TABLE receipts")
    with told("does not have Rostrum's tables as this release needs them; "):
        await file_store.receipt("com_a", "k")


# ------------------------------------------------------------------------------------------------- PostgreSQL


@pytest.mark.postgres
async def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    with told("postgresql://rostrum:***@127.0.0.1:1/r cannot be reached ("):
        await open_store("postgresql+asyncpg://rostrum:hunter2@127.0.0.1:1/r")
    with told("cannot be reached ("):
        await open_store(f"postgresql+asyncpg://rostrum:hunter2@/r?host={tmp_path}&password=hunter2")


@pytest.mark.postgres
async def test_a_database_or_a_user_that_is_not_there(server: Server) -> None:
    with told("does not exist on the server; create it"):
        await open_store(server.url("nowhere"))
    with told("refused the user or the password; check both"):
        await open_store(server.url("postgres", user="nobody:hunter2"))


@pytest.mark.postgres
async def test_a_user_without_rights(server: Server) -> None:
    database = await server.new()
    await server.run("DROP ROLE IF EXISTS weak", "CREATE ROLE weak LOGIN")
    with told("does not give the user the rights Rostrum needs; grant them"):
        await open_store(server.url(database, user="weak"))


@pytest.mark.postgres
async def test_a_server_that_only_reads(server: Server) -> None:
    database = await server.new()
    store = await open_store(server.url(database))
    await write(store, opened())
    await store.close()
    await server.run(f"ALTER DATABASE {database} SET default_transaction_read_only = on")
    store = await open_store(server.url(database))  # nothing to migrate, so nothing to write
    assert await log(store) == [1]
    with told("is read-only; use the primary server"):
        await write(store, opened("new"))
    await store.close()


@pytest.mark.postgres
async def test_a_locked_table(server: Server) -> None:
    database = await server.emptied()
    store = await open_store(server.url(database), busy_timeout=0.2)
    other = await asyncpg.connect(user="postgres", host=server.folder, database=database)
    async with other.transaction():
        await other.execute("LOCK TABLE events IN EXCLUSIVE MODE")
        with told("is locked by another program; "):
            await write(store, opened())
    await other.close()
    await write(store, opened())
    await store.close()


@pytest.mark.postgres
async def test_a_lost_connection_is_made_again(server: Server) -> None:
    database = await server.emptied()
    store = await open_store(server.url(database))
    await write(store, opened("before"))
    everybody = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'"
    with told("; "):
        async with store.transaction() as unit:
            await unit.apply([opened("during")])
            await server.run(everybody)
            await unit.apply([Change(events=[event(2, "during")])])
    with told("; "):
        async with store.transaction() as unit:
            with suppress(KeyError):
                async with unit.savepoint():
                    await server.run(everybody)
                    raise KeyError  # undoing this fails, so nothing may be committed
    await write(store, opened("after"))
    await server.run(everybody)  # while idle: nobody notices
    assert {row.id for row in await store.matches()} == {"before", "after"}
    await write(store, opened("at the end"))
    await store.close()


# ------------------------------------------------------------------------------------------------- the URL


@pytest.mark.parametrize(
    ("url", "part"),
    [
        ("rostrum.db", "The database URL is not one; it looks like sqlite+aiosqlite:///rostrum.db"),
        ("postgresql+asyncpg://u:hunter2@host:port/x", "The database URL is not one; "),
        ("mysql://u:hunter2@host/x", "begins with mysql://; it must begin with sqlite+aiosqlite:// or postgresql+"),
        ("sqlite:///rostrum.db", "begins with sqlite://; it must begin with sqlite+aiosqlite://"),
        ("postgresql+asyncpg://u:hunter2@127.0.0.1:1/x?colour=red", "cannot be opened with the options in its URL ("),
        ("sqlite+aiosqlite://rostrum.db", "The database URL names a host; a SQLite file takes three slashes"),
        ("sqlite+aiosqlite://u:hunter2@host/x.db", "The database URL names a host; a SQLite file takes three slashes"),
    ],
)
async def test_a_url_that_cannot_be_used(url: str, part: str) -> None:
    with told(part):
        await open_store(url)


@pytest.mark.postgres
async def test_libpq_names_for_tls_are_understood(server: Server) -> None:
    store = await open_store(server.url(await server.emptied()) + "&sslmode=disable")
    await store.close()
