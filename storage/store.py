"""The durable truth, as `bot.host.ports.Store` asks for it, in one database."""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import asdict, fields
from typing import Any, TypeVar

from sqlalchemy import Connection, Executable, Row, Select, Table, bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.community.ledger import Audit, Line
from bot.community.spend import SpendRow
from bot.host.ports import BoardRow, EventRow, JobRow, MatchRow, PostRow, RunRow, StoreError
from storage import ledger, tables
from storage.engines import Engines
from storage.errors import explained
from storage.statements import statements
from storage.tasks import Turn, to_the_end
from storage.types import clean
from storage.unit import RECEIPT, SqlUnit

_R = TypeVar("_R", MatchRow, EventRow, PostRow, BoardRow, JobRow, RunRow, SpendRow)


def _rows(row: type[_R], table: Table) -> Select[Any]:
    """Select a table's rows with the columns in the order of the row type's fields."""
    return select(*(table.c[field.name] for field in fields(row)))


_MATCHES = _rows(MatchRow, tables.matches)
_MATCH = _MATCHES.where(tables.matches.c.id == bindparam("id"))
_NEWEST = _MATCHES.order_by(tables.matches.c.opened_wall.desc(), tables.matches.c.id.desc()).limit(bindparam("limit"))
_NEWEST_OF_COMMUNITY = _NEWEST.where(tables.matches.c.community == bindparam("community"))
_DUE = (
    select(tables.matches.c.id)
    .where(tables.matches.c.wake_at <= bindparam("before"))
    .order_by(tables.matches.c.wake_at, tables.matches.c.id)
    .limit(bindparam("limit"))
)
_LIVE = select(tables.matches.c.id).where(tables.LIVE).order_by(tables.matches.c.opened_wall, tables.matches.c.id)
_LIVE_ROWS = _MATCHES.where(tables.LIVE).order_by(tables.matches.c.opened_wall, tables.matches.c.id)
_LIVE_ROWS_OF_VENUE = _LIVE_ROWS.where(
    tables.matches.c.community.in_(
        select(tables.communities.c.id).where(tables.communities.c.venue == bindparam("venue"))
    )
)
_EVENTS = (
    _rows(EventRow, tables.events)
    .where(tables.events.c.match == bindparam("match"), tables.events.c.seq > bindparam("after"))
    .order_by(tables.events.c.seq)
)
_POSTS = _rows(PostRow, tables.posts).where(tables.posts.c.match == bindparam("match")).order_by(tables.posts.c.n)
_POSTS_OPEN = _POSTS.where(tables.posts.c.state.not_in(("delivered", "dropped")))
_BOARDS = (
    _rows(BoardRow, tables.boards).where(tables.boards.c.match == bindparam("match")).order_by(tables.boards.c.key)
)
_JOBS = _rows(JobRow, tables.jobs).where(tables.jobs.c.match == bindparam("match")).order_by(tables.jobs.c.key)
_RUNS = _rows(RunRow, tables.runs).order_by(tables.runs.c.id)
_NAMES = select(tables.people.c.id, tables.people.c.name).where(
    tables.people.c.id.in_(bindparam("people", expanding=True)), tables.people.c.name.is_not(None)
)
_ACCOUNTS = select(tables.people.c.id, tables.people.c.platform_id, tables.people.c.name).where(
    tables.people.c.id.in_(bindparam("people", expanding=True)),
    tables.people.c.platform_id.is_not(None),
    tables.people.c.name.is_not(None),
)
_PERSON = select(tables.people.c.id, tables.people.c.name).where(
    tables.people.c.community == bindparam("community"), tables.people.c.platform_id == bindparam("platform_id")
)
_COMMUNITY = select(tables.communities.c.id, tables.communities.c.name).where(
    tables.communities.c.venue == bindparam("venue"), tables.communities.c.platform_id == bindparam("platform_id")
)
_SPEND = _rows(SpendRow, tables.spend).order_by(
    tables.spend.c.day.desc(), tables.spend.c.community, tables.spend.c.match
)
_BEAT = update(tables.runs).where(tables.runs.c.id == bindparam("run")).values(last_wall=bindparam("wall"))
_SETTINGS = select(tables.communities.c.settings).where(tables.communities.c.id == bindparam("community"))
_SET_SETTINGS = (
    update(tables.communities)
    .where(tables.communities.c.id == bindparam("its_id"))
    .values(settings=bindparam("new_settings"))
)


class SqlStore:
    """Implements `bot.host.ports.Store`. Made by `storage.database.open_store`."""

    def __init__(self, engines: Engines) -> None:
        self._engines = engines
        self._database = engines.database
        self._statements = statements(engines.writer.dialect.name)
        self._writing = Turn()
        self._run: int | None = None
        self._closed = False

    # --------------------------------------------------------------------------------------------- writing

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[SqlUnit]:
        """See the port. One at a time: others wait their turn."""
        async with self._write() as connection:
            unit = SqlUnit(connection, self._statements, self._database)
            yield unit
            unit.must_be_whole()

    @asynccontextmanager
    async def _write(self) -> AsyncIterator[AsyncConnection]:
        async with self._writing.mine():
            self._must_be_open()
            connection = self._engines.writer.connect()
            try:
                with explained(self._database):
                    await to_the_end(self._begin(connection))
                yield connection
                with explained(self._database):
                    await to_the_end(connection.run_sync(_commit))
            finally:
                await to_the_end(_let_go(connection))

    @staticmethod
    async def _begin(connection: AsyncConnection) -> None:
        await connection.start()
        await connection.begin()

    async def begin_run(self, wall: int, holds: str | None = None) -> list[RunRow]:
        values = {"started_wall": wall, "last_wall": wall, "holds": holds}
        async with self._write() as connection:
            earlier = await self._fetch(connection, _RUNS)
            with explained(self._database):
                run = await to_the_end(connection.execute(insert(tables.runs), values))
        assert run.inserted_primary_key is not None
        self._run = run.inserted_primary_key[0]
        return [RunRow(*row) for row in earlier]

    async def beat(self, wall: int) -> None:
        if self._run is None:
            raise RuntimeError("There is no run to beat for: begin_run comes first.")
        await self._update(_BEAT, {"run": self._run, "wall": wall})

    async def person(self, community: str, platform_id: str, name: str) -> str:
        key = {"community": community, "platform_id": platform_id}
        return await self._id("per", self._statements.person, _PERSON, key, name)

    async def community(self, venue: str, platform_id: str, name: str) -> str:
        key = {"venue": venue, "platform_id": platform_id}
        return await self._id("com", self._statements.community, _COMMUNITY, key, name)

    async def set_settings(self, community: str, settings: dict[str, Any]) -> None:
        if not await self._update(_SET_SETTINGS, {"its_id": community, "new_settings": json.dumps(settings)}):
            raise LookupError(f"There is no community {community}.")

    async def add_spend(self, rows: Sequence[SpendRow]) -> None:
        """Add to what models have cost. All rows or, with a StoreError, none."""
        if not rows:
            return
        async with self._write() as connection:
            with explained(self._database):
                await to_the_end(connection.execute(self._statements.spend, [asdict(row) for row in rows]))

    async def _update(self, statement: Executable, values: Mapping[str, Any]) -> int:
        """How many rows there were to update."""
        async with self._write() as connection:
            with explained(self._database):
                return (await to_the_end(connection.execute(statement, values))).rowcount

    async def _id(self, prefix: str, upsert: Executable, find: Executable, key: Mapping[str, str], name: str) -> str:
        """Seldom a write. Of several first sights at once, here or in other processes, all find the id of one."""
        name = clean(name)
        for row in await self._read(find, key):
            if row.name == name:
                return row.id
        async with self._write() as connection:
            with explained(self._database):
                await to_the_end(connection.execute(upsert, {"id": _opaque(prefix), "name": name, **key}))
            return (await self._fetch(connection, find, key))[0].id

    # --------------------------------------------------------------------------------------------- reading

    async def match(self, id: str) -> MatchRow | None:
        return _first(MatchRow, await self._read(_MATCH, {"id": id}))

    async def latest_match(self) -> MatchRow | None:
        return _first(MatchRow, await self._read(_NEWEST, {"limit": 1}))

    async def matches(self, community: str | None = None, *, limit: int = 50) -> list[MatchRow]:
        if community is None:
            rows = await self._read(_NEWEST, {"limit": limit})
        else:
            rows = await self._read(_NEWEST_OF_COMMUNITY, {"limit": limit, "community": community})
        return [MatchRow(*row) for row in rows]

    async def events(self, match: str, after: int = 0) -> list[EventRow]:
        return [EventRow(*row) for row in await self._read(_EVENTS, {"match": match, "after": after})]

    async def posts(self, match: str, *, open_only: bool = False) -> list[PostRow]:
        return [PostRow(*row) for row in await self._read(_POSTS_OPEN if open_only else _POSTS, {"match": match})]

    async def boards(self, match: str) -> list[BoardRow]:
        return [BoardRow(*row) for row in await self._read(_BOARDS, {"match": match})]

    async def jobs(self, match: str) -> list[JobRow]:
        return [JobRow(*row) for row in await self._read(_JOBS, {"match": match})]

    async def receipt(self, community: str, key: str) -> str | None:
        rows = await self._read(RECEIPT, {"community": community, "key": key})
        return rows[0].answer if rows else None

    async def due(self, before_wall: int, *, limit: int = 1000) -> list[str]:
        return [row.id for row in await self._read(_DUE, {"before": before_wall, "limit": limit})]

    async def live(self) -> list[str]:
        return [row.id for row in await self._read(_LIVE)]

    async def live_rows(self, venue: str | None = None) -> list[MatchRow]:
        """The matches that are neither finished nor cancelled, of one venue's communities or of all, oldest first."""
        if venue is None:
            rows = await self._read(_LIVE_ROWS)
        else:
            rows = await self._read(_LIVE_ROWS_OF_VENUE, {"venue": venue})
        return [MatchRow(*row) for row in rows]

    async def accounts(self, people: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Each person's id on the platform, and the name; who was erased is missing."""
        rows = await self._read(_ACCOUNTS, {"people": list(set(people))})
        return {row.id: (row.platform_id, row.name) for row in rows}

    async def names(self, people: Sequence[str]) -> dict[str, str]:
        return {row.id: row.name for row in await self._read(_NAMES, {"people": list(set(people))})}

    async def balance(self, account: str) -> int | None:
        rows = await self._read(ledger.BALANCE, {"account": account})
        return rows[0].balance if rows else None

    async def statement(self, account: str, limit: int = 20) -> list[Line]:
        rows = await self._read(ledger.STATEMENT, {"account": account, "limit": limit})
        return [Line(row.kind, row.match, row.wall, row.amount, int(row.balance)) for row in rows]

    async def audit(self) -> Audit:
        """Prove every balance of the play money."""
        return await ledger.audit(self._read)

    async def settings(self, community: str) -> dict[str, Any]:
        rows = await self._read(_SETTINGS, {"community": community})
        return json.loads(rows[0].settings) if rows else {}

    async def spend(
        self, *, day: str | None = None, community: str | None = None, match: str | None = None
    ) -> list[SpendRow]:
        """What models have cost on a day, in a community, in a match, or in all of these that are named."""
        wanted = {"day": day, "community": community, "match": match}
        statement = _SPEND
        for name, value in wanted.items():
            if value is not None:
                statement = statement.where(tables.spend.c[name] == value)
        return [SpendRow(*row) for row in await self._read(statement)]

    async def _read(self, statement: Executable, values: Mapping[str, Any] | None = None) -> Sequence[Row[Any]]:
        async with self._writing.mine() if self._engines.shared else nullcontext():
            self._must_be_open()
            with explained(self._database):
                return await to_the_end(self._read_now(statement, values))

    async def _read_now(self, statement: Executable, values: Mapping[str, Any] | None) -> Sequence[Row[Any]]:
        async with self._engines.reader.connect() as connection:
            return (await connection.execute(statement, values)).all()

    async def _fetch(
        self, connection: AsyncConnection, statement: Executable, values: Mapping[str, Any] | None = None
    ) -> Sequence[Row[Any]]:
        with explained(self._database):
            return (await to_the_end(connection.execute(statement, values))).all()

    # --------------------------------------------------------------------------------------------- the end

    async def close(self) -> None:
        """Waits for the transaction under way. Calling it again does nothing."""
        async with self._writing.mine():
            self._closed = True
            await to_the_end(self._engines.dispose())

    def _must_be_open(self) -> None:
        if self._closed:
            raise StoreError(f"{self._database} has been closed; Rostrum is shutting down.")


def _commit(connection: Connection) -> None:
    """To SQLAlchemy a transaction is over with its COMMIT, but SQLite stays inside one whose COMMIT it refused."""
    try:
        connection.commit()
    except BaseException:
        try:
            connection.connection.rollback()
        except Exception:
            connection.invalidate()
        raise


async def _let_go(connection: AsyncConnection) -> None:
    """Give the connection back, rolling back what was not committed. One that cannot even do that is thrown away."""
    with suppress(Exception):
        try:
            await connection.rollback()
        except Exception:
            await connection.invalidate()
    with suppress(Exception):
        await connection.close()


def _first(row: type[_R], found: Sequence[Row[Any]]) -> _R | None:
    return row(*found[0]) if found else None


def _opaque(prefix: str) -> str:
    """Says nothing about whom it stands for. 80 random bits, in letters and digits that fit URLs and button ids."""
    return f"{prefix}_{base64.b32encode(secrets.token_bytes(10)).decode().lower()}"
