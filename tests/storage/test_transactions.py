"""A transaction is all or nothing, a savepoint undoes itself alone, and nobody gets in between."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import suppress

import aiosqlite
import pytest

from bot.host.ports import Change, EventRow, JobRow, MatchRow, ReceiptRow, Stale, StoreError
from storage.database import open_store
from storage.store import SqlStore
from storage.unit import SqlUnit
from tests.storage.conftest import NewUrl
from tests.storage.rows import WALL, event, log, match, opened, post, run_sql, write


class Boom(Exception):
    pass


async def in_savepoint(unit: SqlUnit, *changes: Change) -> None:
    async with unit.savepoint():
        await unit.apply(changes)


async def test_a_taken_seq_is_stale(store: SqlStore) -> None:
    await write(store, opened(events=2))
    with pytest.raises(Stale):
        await write(store, Change(match=match(seq=3), events=[event(2), event(3)]))
    assert await log(store) == [1, 2]
    assert (await store.match("m")) == match(seq=2)


async def test_a_seq_twice_in_one_batch_is_stale(store: SqlStore) -> None:
    await write(store, opened())
    with pytest.raises(Stale):
        await write(store, Change(events=[event(2)]), Change(events=[event(2)]))
    assert await log(store) == [1]


async def test_only_a_taken_seq_is_stale(store: SqlStore) -> None:
    await write(store, opened(), Change(posts=[post(1)]))
    with pytest.raises(StoreError):
        await write(store, Change(posts=[post(1)]))
    with pytest.raises(StoreError):
        await write(store, Change(events=[event(1, "no such match")]))


async def test_of_a_stale_change_the_savepoint_alone_is_undone(store: SqlStore) -> None:
    await write(store, opened("theirs"))
    async with store.transaction() as unit:
        await unit.apply([opened("before")])
        with pytest.raises(Stale):
            await in_savepoint(unit, Change(jobs=[JobRow("before", "j", "turn")]), opened("theirs", events=2))
        async with unit.savepoint():
            await unit.apply([opened("after")])
    assert [await log(store, id) for id in ("before", "theirs", "after")] == [[1], [1], [1]]
    assert await store.jobs("before") == []


async def test_savepoints_nest(store: SqlStore) -> None:
    async with store.transaction() as unit:
        async with unit.savepoint():
            await unit.apply([opened("outer")])
            with suppress(Boom):
                async with unit.savepoint():
                    await unit.apply([opened("inner")])
                    raise Boom
            async with unit.savepoint():
                await unit.apply([opened("second")])
        with suppress(Boom):
            async with unit.savepoint():
                async with unit.savepoint():
                    await unit.apply([opened("released, then undone")])
                raise Boom
    assert {row.id for row in await store.matches()} == {"outer", "second"}


async def test_a_released_savepoint_goes_with_its_transaction(store: SqlStore) -> None:
    """Python's sqlite3, left to itself, would have committed it: it begins no transaction before a SAVEPOINT."""
    with suppress(Boom):
        async with store.transaction() as unit:
            async with unit.savepoint():
                await unit.apply([opened()])
            raise Boom
    assert await store.matches() == []


async def test_a_batch_that_fails_leaves_nothing(store: SqlStore) -> None:
    await write(store, opened("old"), Change(receipts=[ReceiptRow("com_a", "k", '"first"', WALL)]))
    whole = Change(
        match=match("new", seq=1),
        events=[event(1, "new")],
        posts=[post(1, "new")],
        jobs=[JobRow("new", "j", "turn")],
        receipts=[ReceiptRow("com_a", "k", '"second"', WALL)],  # written last, and taken
    )
    with pytest.raises(StoreError):
        await write(store, Change(match=match("old", seq=2), events=[event(2, "old")]), whole)
    assert await store.match("new") is None
    assert await log(store, "new") == await store.posts("new") == await store.jobs("new") == []
    assert await log(store, "old") == [1]
    assert await store.receipt("com_a", "k") == '"first"'
    await write(store, opened("next"))  # and the store goes on


async def test_a_receipt_is_seen_inside_its_transaction(store: SqlStore) -> None:
    async with store.transaction() as unit:
        assert await unit.receipt("com_a", "k") is None
        await unit.apply([Change(receipts=[ReceiptRow("com_a", "k", '"yes"', WALL)])])
        assert await unit.receipt("com_a", "k") == '"yes"'
        assert await unit.receipt("com_b", "k") is None
    assert await store.receipt("com_a", "k") == '"yes"'
    assert await store.receipt("com_b", "k") is None


async def test_half_a_batch_cannot_be_committed(store: SqlStore) -> None:
    await write(store, opened())

    async def careless() -> None:
        async with store.transaction() as unit:
            with pytest.raises(Stale):
                await unit.apply([opened("new"), opened("m")])  # no savepoint: "new" is written now

    with pytest.raises(RuntimeError, match="undo it first"):
        await careless()
    assert await store.match("new") is None


@pytest.mark.parametrize("kind", ["file", "memory"], indirect=True)
async def test_a_commit_that_fails_is_rolled_back(store: SqlStore) -> None:
    """SQLite, unlike PostgreSQL, stays inside a transaction whose COMMIT it refused."""

    async def refused() -> None:
        async with store.transaction() as unit:
            await unit._connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
            await unit.apply([Change(events=[event(1, "no such match")])])

    with pytest.raises(StoreError, match="does not fit"):
        await refused()
    await write(store, opened())
    assert await log(store) == [1]
    assert await log(store, "no such match") == []


async def test_a_connection_that_cannot_roll_back_is_replaced(
    file_store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(self: aiosqlite.Connection) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    await write(file_store, opened("before"))
    with monkeypatch.context() as patched:
        patched.setattr(aiosqlite.Connection, "rollback", broken)
        with suppress(Boom):
            async with file_store.transaction() as unit:
                await unit.apply([opened("undone")])
                raise Boom
    await write(file_store, opened("after"))
    assert {row.id for row in await file_store.matches()} == {"before", "after"}


async def test_transactions_take_turns(store: SqlStore) -> None:
    await write(store, opened(events=0))
    written: list[int] = []

    async def append() -> None:
        async with store.transaction() as unit:
            seq = len(written) + 1
            await asyncio.sleep(0)  # time for another one to get in between
            await unit.apply([Change(match=match(seq=seq), events=[event(seq)])])
            written.append(seq)

    await asyncio.gather(*(append() for _ in range(50)))
    assert await log(store) == written == list(range(1, 51))


async def test_nobody_reads_what_is_rolled_back(store: SqlStore) -> None:
    reading: list[asyncio.Task[MatchRow | None]] = []
    with suppress(Boom):
        async with store.transaction() as unit:
            await unit.apply([opened()])
            reading.append(asyncio.create_task(store.match("m")))
            await asyncio.wait(reading, timeout=0.05)  # in memory it waits for the end of the transaction
            raise Boom
    assert await reading[0] is None


async def test_a_store_does_not_wait_for_itself(store: SqlStore) -> None:
    async with store.transaction():
        with pytest.raises(RuntimeError, match="use the unit"):
            await store.person("com_a", "1", "Ann")
    await store.person("com_a", "1", "Ann")


async def test_a_cancelled_transaction_is_whole_or_nothing(store: SqlStore) -> None:
    """And the store goes on. A cancelled statement must not cost a database in memory its only connection."""
    for moments in range(0, 60, 2):
        id = f"m{moments}"
        writing = asyncio.create_task(write(store, opened(id, events=20)))
        for _ in range(moments):
            await asyncio.sleep(0)
        writing.cancel()
        await asyncio.sleep(0)
        writing.cancel()
        await asyncio.wait([writing])
        whole = list(range(1, 21))
        assert await log(store, id) in ([whole] if not writing.cancelled() else [[], whole])
        await write(store, opened(f"after {id}"))
        assert await log(store, f"after {id}") == [1]
    assert len(await store.matches(limit=1000)) >= 30


async def test_a_cancelled_savepoint_is_undone(store: SqlStore) -> None:
    async with store.transaction() as unit:
        await unit.apply([opened("outside")])
        with suppress(asyncio.CancelledError):
            async with unit.savepoint():
                await unit.apply([opened("inside")])
                raise asyncio.CancelledError
    assert [row.id for row in await store.matches()] == ["outside"]


async def test_a_store_may_be_cancelled_while_it_opens(new_url: NewUrl) -> None:
    """Several at once and at any moment; the last one finds nothing in its way."""
    for moments in range(0, 200, 25):
        url = await new_url()
        opening = [asyncio.create_task(open_store(url)) for _ in range(3)]
        for _ in range(moments):
            await asyncio.sleep(0)
        for _ in range(2):
            for task in opening:
                task.cancel()
            await asyncio.sleep(0)
        done, pending = await asyncio.wait(opening, timeout=10)
        assert not pending
        for task in done:
            if not task.cancelled() and task.exception() is None:
                await task.result().close()
        store = await open_store(url)
        await write(store, opened())
        await store.close()


async def test_a_closed_store_says_so(store: SqlStore) -> None:
    await store.close()
    await store.close()
    with pytest.raises(StoreError, match="has been closed"):
        await store.matches()
    with pytest.raises(StoreError, match="has been closed"):
        await write(store, opened())


async def test_positions_order_the_whole_log_and_are_not_given_twice(store: SqlStore) -> None:
    await write(store, opened("a", events=2), opened("b", events=2))
    await write(store, Change(events=[event(3, "a")]))
    rows = await run_sql(store, "SELECT position, match_id, seq FROM events ORDER BY position")
    assert [tuple(row)[1:] for row in rows] == [("a", 1), ("a", 2), ("b", 1), ("b", 2), ("a", 3)]
    await run_sql(store, "DELETE FROM events WHERE match_id = 'a' AND seq = 3")
    await write(store, Change(events=[EventRow("a", 3, "turn_taken", 1, "{}", WALL)]))
    [(newest,)] = await run_sql(store, "SELECT max(position) FROM events")
    assert newest > rows[-1].position
