"""The accounts of play money in SQL, and the proof that they add up (`bot.community.ledger`)."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from sqlalchemy import Connection, Executable, bindparam, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.community.ledger import ESCROW, MINT, Audit, Overdrawn, Transfer
from storage import tables
from storage.statements import Statements

_accounts, _transfers, _entries, _matches = tables.accounts, tables.transfers, tables.entries, tables.matches

BALANCE = select(_accounts.c.balance).where(_accounts.c.id == bindparam("account"))
_KEPT = BALANCE.with_for_update()  # SQLite has one writer anyway, and leaves it out
_TAKE = (
    update(_accounts)
    .where(_accounts.c.id == bindparam("its_id"), _accounts.c.balance >= bindparam("needed"))
    .values(balance=_accounts.c.balance - bindparam("needed"))
)
_STAKED = (
    select(func.coalesce(-func.sum(_entries.c.amount), 0))
    .join(_transfers, _transfers.c.id == _entries.c.transfer)
    .join(_accounts, _accounts.c.id == f"{ESCROW}:" + _transfers.c.match)
    .where(_entries.c.account == bindparam("account"), _accounts.c.balance > 0)
)
_RUNNING = (
    select(
        _transfers.c.kind,
        _transfers.c.match,
        _transfers.c.wall,
        _entries.c.amount,
        func.sum(_entries.c.amount).over(order_by=_transfers.c.position).label("balance"),
        _transfers.c.position,
    )
    .join(_transfers, _transfers.c.id == _entries.c.transfer)
    .where(_entries.c.account == bindparam("account"))
    .subquery()
)
STATEMENT = (
    select(_RUNNING.c.kind, _RUNNING.c.match, _RUNNING.c.wall, _RUNNING.c.amount, _RUNNING.c.balance)
    .order_by(_RUNNING.c.position.desc())
    .limit(bindparam("limit"))
)
"""In the order of `bot.community.ledger.Line`."""


class SqlBooks:
    """Implements `bot.community.ledger.Books`. `do` runs what it is given in the unit, which then knows of failures."""

    def __init__(
        self,
        connection: AsyncConnection,
        statements: Statements,
        do: Callable[[Coroutine[Any, Any, Any]], Coroutine[Any, Any, Any]],
    ) -> None:
        self._connection = connection
        self._statements = statements
        self._do = do

    async def post(self, transfer: Transfer) -> bool:
        return await self._do(self._connection.run_sync(self._post, transfer))

    async def balance(self, account: str) -> int | None:
        return await self._do(self._connection.scalar(_KEPT, {"account": account}))

    async def staked(self, account: str) -> int:
        return int(await self._do(self._connection.scalar(_STAKED, {"account": account})))

    def _post(self, connection: Connection, transfer: Transfer) -> bool:
        header = {name: getattr(transfer, name) for name in ("id", "community", "kind", "match", "wall")}
        if connection.scalar(self._statements.transfer, header) is None:
            return False
        lines = sorted((account, amount) for account, amount in transfer.lines.items() if amount)
        for account, amount in lines:  # in the order of their ids, so that no two transfers wait for each other
            kind = account.partition(":")[0]
            if amount < 0 and kind != MINT:
                _take(connection, account, -amount)
            else:
                row = {"id": account, "community": transfer.community, "kind": kind, "balance": amount}
                connection.execute(self._statements.account, row)
        rows = [{"transfer": transfer.id, "account": account, "amount": amount} for account, amount in lines]
        if rows:
            connection.execute(self._statements.entry, rows)
        return True


def _take(connection: Connection, account: str, coins: int) -> None:
    if connection.execute(_TAKE, {"its_id": account, "needed": coins}).rowcount:
        return
    raise Overdrawn(account, connection.scalar(BALANCE, {"account": account}) or 0)


# ------------------------------------------------------------------------------------------------- the proof

# Each is one statement, and so sees the books as they are between two transactions, also while matches are played.
_COUNTS = select(
    select(func.count()).select_from(_accounts).scalar_subquery(),
    select(func.count()).select_from(_transfers).scalar_subquery(),
    select(func.count()).select_from(_entries).scalar_subquery(),
    select(func.coalesce(func.sum(_accounts.c.balance), 0)).where(_accounts.c.kind != MINT).scalar_subquery(),
    select(func.coalesce(func.sum(_accounts.c.balance), 0)).scalar_subquery(),
)
_TOTAL = func.coalesce(func.sum(_entries.c.amount), 0)
_UNPROVEN = (
    select(_accounts.c.id, _accounts.c.balance, _TOTAL)
    .outerjoin(_entries, _entries.c.account == _accounts.c.id)
    .group_by(_accounts.c.id, _accounts.c.balance)
    .having(_accounts.c.balance != _TOTAL)
    .order_by(_accounts.c.id)
)
_LOPSIDED = (
    select(_transfers.c.id, _TOTAL)
    .outerjoin(_entries, _entries.c.transfer == _transfers.c.id)
    .group_by(_transfers.c.id)
    .having(_TOTAL != 0)
    .order_by(_transfers.c.id)
)
_NEGATIVE = (
    select(_accounts.c.id, _accounts.c.balance)
    .where(_accounts.c.balance < 0, _accounts.c.kind != MINT)
    .order_by(_accounts.c.id)
)
_UNPAID = (
    select(_matches.c.id, _accounts.c.balance)
    .join(_accounts, _accounts.c.id == f"{ESCROW}:" + _matches.c.id)
    .where(_matches.c.status.in_(("finished", "cancelled")), _accounts.c.balance != 0)
    .order_by(_matches.c.id)
)

Fetch = Callable[[Executable], Coroutine[Any, Any, Sequence[Any]]]


async def audit(fetch: Fetch) -> Audit:
    """Prove every balance from the entries."""
    accounts, transfers, entries, coins, total = (await fetch(_COUNTS))[0]
    problems = [
        f"{id} holds {balance}, but its entries add up to {proven}" for id, balance, proven in await fetch(_UNPROVEN)
    ]
    problems += [f"transfer {id} is off by {off}" for id, off in await fetch(_LOPSIDED)]
    problems += [f"{id} is below zero: {balance}" for id, balance in await fetch(_NEGATIVE)]
    problems += [
        f"match {id} is over, but {balance} coins are still in its escrow" for id, balance in await fetch(_UNPAID)
    ]
    if total:
        problems.append(f"all accounts together hold {total} instead of 0")
    return Audit(accounts, transfers, entries, int(coins), problems)
