"""The schema: migrations and tables say the same, an older database is brought up to date, a newer one refused."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, create_engine, text

from bot.host.ports import StoreError
from storage import migrate as migrations
from storage.database import open_store
from storage.migrate import MIGRATIONS, migrate
from storage.revise import revise
from storage.tables import metadata
from tests.storage.conftest import POSTGRESQL, NewUrl
from tests.storage.rows import log, opened, run_sql, write

HEAD, NEXT = "0002", "0003"
ROOT = Path(__file__).parents[2]
ON_DISK = pytest.mark.parametrize("kind", ["file", POSTGRESQL], indirect=True)


async def test_the_migrated_schema_is_that_of_the_tables(new_url: NewUrl) -> None:
    def differences(connection: Connection) -> list[object]:
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        return compare_metadata(context, metadata)

    store = await open_store(await new_url())
    try:
        async with store._engines.writer.connect() as connection:
            assert await connection.run_sync(differences) == []
    finally:
        await store.close()


def test_sqlite_is_told_the_very_same(file: Path, tmp_path: Path) -> None:
    """What alembic does not compare: names of keys, partial indexes, autoincrement."""

    def schema(path: Path) -> dict[str, list[str]]:
        engine = create_engine(f"sqlite:///{path}")
        with engine.connect() as connection:
            rows = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")).all()
        engine.dispose()
        return {name: sorted(line.strip(" \t,") for line in sql.split("\n")) for name, sql in rows}

    asyncio.run(migrate(f"sqlite+aiosqlite:///{file}"))
    engine = create_engine(f"sqlite:///{tmp_path / 'tables.db'}")
    metadata.create_all(engine)
    engine.dispose()
    migrated = schema(file)
    del migrated["alembic_version"]
    assert migrated == schema(tmp_path / "tables.db")


async def test_migrating_again_changes_nothing(new_url: NewUrl) -> None:
    store = await open_store(await new_url())
    await write(store, opened(events=3))
    await migrations.upgrade(store._engines)
    assert await log(store) == [1, 2, 3]
    await store.close()


async def test_several_processes_may_start_at_once(new_url: NewUrl, kind: str) -> None:
    url = await new_url()
    stores = await asyncio.gather(*(open_store(url) for _ in range(6)))
    for store in stores:
        if kind != "memory":
            assert [tuple(row) for row in await run_sql(store, "SELECT version_num FROM alembic_version")] == [(HEAD,)]
        await store.close()


@ON_DISK
@pytest.mark.parametrize("bring_up_to_date", [True, False])
async def test_a_database_of_a_newer_release_is_refused(new_url: NewUrl, bring_up_to_date: bool) -> None:
    url = await new_url()
    store = await open_store(url)
    await run_sql(store, "UPDATE alembic_version SET version_num = '9999'")
    await store.close()
    with pytest.raises(StoreError, match=r"was written by a newer release of Rostrum \(schema 9999\); install that"):
        await open_store(url, migrate=bring_up_to_date)


async def test_without_migrating_the_schema_must_be_there(new_url: NewUrl, kind: str) -> None:
    url = await new_url()
    with pytest.raises(StoreError, match="is not at the schema of this release; start Rostrum on it once"):
        await open_store(url, migrate=False)
    if kind != "memory":
        await migrate(url)
        store = await open_store(url, migrate=False)
        await write(store, opened())
        await store.close()


@ON_DISK
async def test_tables_of_something_else_are_left_alone(new_url: NewUrl) -> None:
    url = await new_url()
    store = await open_store(url)
    await run_sql(store, "DROP TABLE alembic_version")
    await store.close()
    with pytest.raises(StoreError, match="has tables that are not Rostrum's"):
        await open_store(url)


@ON_DISK
async def test_a_migration_that_fails_changes_nothing(
    new_url: NewUrl, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, folder)
    (folder / "versions" / f"{NEXT}_broken.py").write_text(
        f'from alembic import op\nrevision, down_revision = "{NEXT}", "{HEAD}"\n'
        'def upgrade():\n    op.drop_table("cursors")\n    op.execute("NONSENSE")\n'
    )
    url = await new_url()
    with monkeypatch.context() as patched:
        patched.setattr(migrations.config, "__defaults__", (folder,))
        with pytest.raises(StoreError, match="syntax error"):
            await open_store(url)
    store = await open_store(url, migrate=True)  # from nothing, as the first one was undone as well
    assert await run_sql(store, "SELECT * FROM cursors") == []
    await store.close()


async def test_a_sqlite_migration_may_make_a_table_anew(
    file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With foreign keys on, dropping the old `matches` would fail while events point to it."""
    store = await open_store(f"sqlite+aiosqlite:///{file}")
    await write(store, opened(events=3))
    await store.close()
    folder = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, folder)
    (folder / "versions" / f"{NEXT}_host_may_be_missing.py").write_text(
        f'from alembic import op\nrevision, down_revision = "{NEXT}", "{HEAD}"\n'
        'def upgrade():\n    with op.batch_alter_table("matches") as table:\n'
        '        table.alter_column("host", nullable=True)\n'
    )
    monkeypatch.setattr(migrations.config, "__defaults__", (folder,))
    store = await open_store(f"sqlite+aiosqlite:///{file}")
    assert await log(store) == [1, 2, 3]
    assert [row[3] for row in await run_sql(store, "PRAGMA table_info(matches)") if row[1] == "host"] == [0]
    assert await run_sql(store, "PRAGMA foreign_keys") == [(1,)]
    await store.close()


async def test_a_draft_of_the_next_migration(tmp_path: Path) -> None:
    folder = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, folder)
    await revise("adds nothing", folder)
    [draft] = (folder / "versions").glob(f"{NEXT}_*.py")
    said = draft.read_text(encoding="utf-8")
    assert said.startswith('"""adds nothing."""')
    made: dict[str, Any] = {}
    exec(compile(said, draft.name, "exec"), made)
    assert (made["revision"], made["down_revision"]) == (NEXT, HEAD)
    assert "op." not in said  # the tables are as the migrations leave them


def test_an_installed_wheel_brings_the_migrations(tmp_path: Path, file: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(site)
    program = (
        "import asyncio, storage.migrate as m\n"
        f"assert m.__file__.startswith({str(site)!r}), m.__file__\n"
        f"asyncio.run(m.migrate({f'sqlite+aiosqlite:///{file}'!r}))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(site)}
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, env=environment)
    engine = create_engine(f"sqlite:///{file}")
    with engine.connect() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).all() == [(HEAD,)]
    engine.dispose()
