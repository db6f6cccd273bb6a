"""The play money of communities: a double-entry ledger (docs/architecture.md, "Money").

Coins are never made or lost on the way: each transfer takes from some accounts what it gives to others. A person's
coins are in their wallet; what they stake is in the escrow of the match until that is settled; the house has an
account, and the mint, the only one that goes below zero, says how many coins there are.

Wagers are events of a match. The ledger writes in the very transaction of the events, so that there is no wager without
its coins, nor coins without their wager, whenever a process dies; and it refuses a stake that the wallet does not hold.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

from bot.rules import events as e
from bot.rules.evolve import evolve
from bot.rules.match import Match
from bot.rules.pool import house_stakes
from bot.rules.rejection import Rejection, Veto, reject

log = logging.getLogger(__name__)

START = 1_000
"""What a wallet holds when it is first seen."""
ALLOWANCE = 100
"""What may be claimed once a day (by UTC)."""
FLOOR = 50
"""Who has less, with what is staked, is given the rest of it on claim."""
DAY_MS = 24 * 3600 * 1000

WALLET, ESCROW, HOUSE, MINT = "wallet", "escrow", "house", "mint"
_MONEY = (
    e.WagerPlaced | e.WagerChanged | e.WagerWithdrawn | e.WagerRefunded | e.MarketSettled | e.MarketVoided
)  # fmt: skip


def wallet(person: str) -> str:
    return f"{WALLET}:{person}"


def escrow(match: str) -> str:
    return f"{ESCROW}:{match}"


def house(community: str) -> str:
    return f"{HOUSE}:{community}"


def mint(community: str) -> str:
    return f"{MINT}:{community}"


@dataclass(frozen=True, slots=True)
class Transfer:
    """Coins on their way. Posted at most once, as its id says."""

    id: str
    community: str
    kind: str
    """What for: "start", "allowance", "floor", "wager", "change", "withdrawn", "refunded", "settled", "voided"."""
    wall: int
    lines: Mapping[str, int]
    """What each account gains; together nothing."""
    match: str | None = None

    def __post_init__(self) -> None:
        if sum(self.lines.values()):
            raise ValueError(f"transfer {self.id} does not balance: {dict(self.lines)}")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a statement."""

    kind: str
    match: str | None
    wall: int
    amount: int
    balance: int
    """After it."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What the ledger proves of itself."""

    accounts: int
    transfers: int
    entries: int
    coins: int
    """Coins in all wallets, escrows and with the houses."""
    problems: Sequence[str] = ()
    """In words; none: everything is accounted for."""


class Overdrawn(Exception):
    """An account does not hold what it is to give. What was written of the transfer must be undone."""

    def __init__(self, account: str, balance: int) -> None:
        super().__init__(f"{account} holds only {balance}")
        self.account = account
        self.balance = balance


class Books(Protocol):
    """The accounts, in an open transaction."""

    async def post(self, transfer: Transfer) -> bool:
        """Do a transfer, its accounts in the order of their ids. False: it was done before. Raises Overdrawn."""
        ...

    async def balance(self, account: str) -> int | None:
        """What an account holds, kept so until the transaction ends; None: there is no such account."""
        ...

    async def staked(self, account: str) -> int:
        """What of a wallet's coins is in escrow."""
        ...


class Unit(Protocol):
    """An open transaction."""

    @property
    def books(self) -> Books: ...
    def savepoint(self) -> AbstractAsyncContextManager[None]: ...


class LedgerStore(Protocol):
    """Where the ledger is kept."""

    def transaction(self) -> AbstractAsyncContextManager[Unit]: ...
    async def balance(self, account: str) -> int | None: ...
    async def statement(self, account: str, limit: int = 20) -> Sequence[Line]:
        """Newest first."""
        ...


# ------------------------------------------------------------------------------------------------- wagers


class Ledger:
    """The host's participant that moves the coins of wagers."""

    def __init__(self, wall: Callable[[], int]) -> None:
        self._wall = wall

    def concerns(self, events: Sequence[e.Event]) -> bool:
        return any(isinstance(event, _MONEY) for event in events)

    async def join(self, unit: Unit, before: Match, events: Sequence[e.Event], after: Match) -> None:
        state = before
        for event in events:
            following = evolve(state, event)
            if isinstance(event, _MONEY):
                await self._book(unit, state, event, following)
            state = following

    async def _book(self, unit: Unit, before: Match, event: e.Event, after: Match) -> None:
        lines = lines_of(before, event, after)
        if not lines:
            return
        wall, community, books = self._wall(), after.community, unit.books
        over = isinstance(event, e.MarketSettled | e.MarketVoided)
        # A match is settled once, whether it is paid or refunded.
        id = f"settle:{after.id}" if over else f"wager:{after.id}:{after.seq}"
        if isinstance(event, e.MarketSettled):
            lines = await _with_house(books, community, lines)
        transfer = Transfer(id, community, _KINDS[type(event)], wall, lines, after.id)
        if isinstance(event, e.WagerPlaced | e.WagerChanged | e.WagerWithdrawn):
            await books.post(opening(community, event.person, wall))
            try:
                await books.post(transfer)
            except Overdrawn as short:
                raise Veto(reject("not_enough_coins", balance=short.balance)) from short
            return
        try:
            async with unit.savepoint():
                posted = await books.post(transfer)
        except Overdrawn as short:
            # The match must not hang on it. What is wrong shows in the audit: an escrow that is not empty.
            log.critical("match %s cannot be paid: %s", after.id, short)
            return
        if not posted:
            log.error("%s was posted before, and is left at that", id)


_KINDS: dict[type[e.Event], str] = {
    e.WagerPlaced: "wager",
    e.WagerChanged: "change",
    e.WagerWithdrawn: "withdrawn",
    e.WagerRefunded: "refunded",
    e.MarketSettled: "settled",
    e.MarketVoided: "voided",
}


def lines_of(before: Match, event: e.Event, after: Match) -> dict[str, int]:
    """What an event of the market moves."""
    pot = escrow(after.id)
    match event:
        case e.WagerPlaced():
            lines = {wallet(event.person): -event.stake, pot: event.stake}
        case e.WagerChanged():
            more = event.stake - before.wagers[event.wager - 1].stake
            lines = {wallet(event.person): -more, pot: more}
        case e.WagerWithdrawn() | e.WagerRefunded():
            stake = before.wagers[event.wager - 1].stake
            lines = {wallet(event.person): stake, pot: -stake}
        case e.MarketSettled() | e.MarketVoided():
            ended = [wager for wager in before.wagers if wager.state == "open"]
            back: Counter[str] = Counter()
            for wager in ended:
                back[wallet(wager.person)] += after.wagers[wager.id - 1].payout
            lines = {**back, pot: -sum(wager.stake for wager in ended)}
            if isinstance(event, e.MarketSettled):
                lines[house(after.community)] = event.house - house_stakes(after.rules)
        case _:
            lines = {}
    return {account: amount for account, amount in lines.items() if amount}


async def _with_house(books: Books, community: str, lines: dict[str, int]) -> dict[str, int]:
    """What the house loses beyond what it has is minted."""
    loss = -lines.get(house(community), 0)
    if loss <= 0:
        return lines
    there = min(loss, await books.balance(house(community)) or 0)
    paid = {**lines, house(community): -there, mint(community): there - loss}
    return {account: amount for account, amount in paid.items() if amount}


# ------------------------------------------------------------------------------------------------- wallets


@dataclass(frozen=True, slots=True)
class Claimed:
    kind: str
    """ "allowance" or "floor"."""
    coins: int
    balance: int


@dataclass(frozen=True, slots=True)
class Wallets:
    """What people have."""

    store: LedgerStore
    wall: Callable[[], int] = field(repr=False)

    async def balance(self, community: str, person: str) -> int:
        """What is in a person's wallet, which is opened at first sight. Raises what the store raises."""
        known = await self.store.balance(wallet(person))
        if known is not None:
            return known
        async with self.store.transaction() as unit:
            await unit.books.post(opening(community, person, self.wall()))
            return await unit.books.balance(wallet(person)) or 0

    async def statement(self, person: str, limit: int = 20) -> Sequence[Line]:
        """The latest movements, newest first. Raises what the store raises."""
        return await self.store.statement(wallet(person), limit)

    async def claim(self, community: str, person: str) -> Claimed | Rejection:
        """The daily allowance; who had it already and is nearly out of coins gets enough to go on. Raises what the
        store raises."""
        wall, account = self.wall(), wallet(person)

        def minted(id: str, kind: str, coins: int) -> Transfer:
            return Transfer(id, community, kind, wall, {mint(community): -coins, account: coins})

        async with self.store.transaction() as unit:
            books = unit.books
            await books.post(opening(community, person, wall))
            if await books.post(minted(f"allowance:{person}:{wall // DAY_MS}", "allowance", ALLOWANCE)):
                return Claimed("allowance", ALLOWANCE, await books.balance(account) or 0)
            balance = await books.balance(account) or 0
            # What is staked still counts as theirs: else a stake and a claim in turn would make coins without end.
            missing = FLOOR - balance - await books.staked(account)
            if missing > 0 and await books.post(minted(f"floor:{person}:{wall}", "floor", missing)):
                return Claimed("floor", missing, balance + missing)
        return reject("claimed_already", balance=balance, floor=FLOOR, hours=-(-(DAY_MS - wall % DAY_MS) // 3_600_000))


def opening(community: str, person: str, wall: int) -> Transfer:
    return Transfer(f"start:{person}", community, "start", wall, {mint(community): -START, wallet(person): START})
