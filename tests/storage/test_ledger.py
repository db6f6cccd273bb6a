"""The ledger of play money in SQL: what is spent was there, what is paid is paid once, and all of it adds up."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from bot.actions.start import new_match_id
from bot.community.ledger import (
    ALLOWANCE,
    FLOOR,
    START,
    Claimed,
    Ledger,
    Overdrawn,
    Transfer,
    Wallets,
    escrow,
    house,
    mint,
    opening,
    wallet,
)
from bot.host.host import Host, Ports
from bot.host.keeper import Accepted
from bot.host.ports import StoreError
from bot.messages.publish import MatchPublisher
from bot.messages.record import record
from bot.rules import commands as c
from bot.rules.clock import VIRTUAL, VIRTUAL_EPOCH_MS
from bot.rules.events import decode_row
from bot.rules.evolve import fold
from bot.rules.formats import load_format
from bot.rules.match import Match
from bot.rules.motion import Motion
from bot.rules.rejection import Rejection
from storage.database import open_store
from storage.store import SqlStore
from tests.fakes import CAST, START_WALL, Beeps, FakeTime, FakeVenue, Reciters
from tests.storage.conftest import POSTGRESQL, NewUrl
from tests.storage.rows import run_sql
from tests.verifier import verify

CLUB = "com_club"
MOTIONS = tuple(Motion(id=f"m{n}", category="Fun", text=f"Motion {n}", pro="For", con="Against") for n in range(3))


class House:
    """A host on a real store, with a ledger; everything else is faked. Nobody's time passes by itself."""

    def __init__(self, store: SqlStore) -> None:
        self.store = store
        self.time = FakeTime()
        self.venue = FakeVenue(self.time)
        self.wallets = Wallets(store, self.time.wall)
        self.host = Host(
            Ports(
                store=store,
                venue=self.venue,
                publisher=MatchPublisher(),
                minds=Reciters(),
                sound=Beeps(),
                starter=lambda match, at: c.Start(at=at, cast=CAST, pool=MOTIONS),
                time=self.time,
                participants=(Ledger(self.time.wall),),
            )
        )

    async def running(self, *, speed: float = 1.0, **more: object) -> str:
        """A duel that has just begun."""
        id, wall = new_match_id(), self.time.wall()
        at = VIRTUAL_EPOCH_MS if speed == VIRTUAL else wall
        given = {"judges": 1, "market": True, "sound": False, **more}
        await self.host.open(
            c.Open(at=at, match=id, community=CLUB, host="host", format=load_format("duel"), seed=7, wall=wall,
                   speed=speed, **given),
            thread="thread",
        )  # fmt: skip
        if speed != VIRTUAL:
            await self.host.tell(id, c.Start(at=0, cast=CAST, pool=MOTIONS))
        return id

    async def bet(self, match: str, person: str, outcome: str = "pro", stake: int = 10) -> object:
        outcome_of_it = await self.host.tell(match, c.Wager(at=0, person=person, outcome=outcome, stake=stake))
        return outcome_of_it.code if isinstance(outcome_of_it, Rejection) else "taken"

    async def state(self, match: str) -> Match:
        return fold(decode_row(row.name, row.version, row.payload) for row in await self.store.events(match))

    async def has(self, person: str) -> int | None:
        return await self.store.balance(wallet(person))

    async def leave_with(self, person: str, coins: int) -> None:
        """Somebody has exactly so many coins left."""
        start = opening(CLUB, person, START_WALL)
        spent = START - coins
        async with self.store.transaction() as unit:
            await unit.books.post(start)
            await unit.books.post(
                Transfer(f"spent:{person}", CLUB, "start", START_WALL, {wallet(person): -spent, house(CLUB): spent})
            )

    async def proven(self) -> None:
        assert (await self.store.audit()).problems == []


@pytest.fixture
async def club(store: SqlStore) -> AsyncIterator[House]:
    made = House(store)
    await made.host.start()
    yield made
    await made.host.close()
    await made.proven()


# ------------------------------------------------------------------------------------------------- transfers


async def test_a_transfer_is_done_once(store: SqlStore) -> None:
    first = True
    for _ in range(2):
        async with store.transaction() as unit:
            first = await unit.books.post(opening(CLUB, "ann", 1))
    assert not first
    assert await store.balance(wallet("ann")) == START
    assert await store.balance(mint(CLUB)) == -START
    assert (await store.audit()).coins == START


def test_a_transfer_must_balance() -> None:
    with pytest.raises(ValueError, match="does not balance"):
        Transfer("x", CLUB, "start", 1, {wallet("ann"): 5, wallet("bob"): -4})


async def test_an_overdraft_leaves_nothing_behind(store: SqlStore) -> None:
    async with store.transaction() as unit:
        await unit.books.post(opening(CLUB, "zoe", 1))
    short = Transfer("t", CLUB, "wager", 1, {wallet("ann"): 1_001, wallet("zoe"): -1_001})
    async with store.transaction() as unit:
        with pytest.raises(Overdrawn) as overdrawn:
            async with unit.savepoint():
                await unit.books.post(short)
    assert (overdrawn.value.account, overdrawn.value.balance) == (wallet("zoe"), START)

    async def without_undoing() -> None:
        async with store.transaction() as unit:
            with suppress(Overdrawn):
                await unit.books.post(short)

    with pytest.raises(RuntimeError, match="undo it first"):
        await without_undoing()
    assert await store.balance(wallet("ann")) is None
    assert (await store.audit()).problems == []


async def test_the_database_itself_lets_no_wallet_below_zero(store: SqlStore) -> None:
    async with store.transaction() as unit:
        await unit.books.post(opening(CLUB, "ann", 1))
    with pytest.raises(Exception, match=r"(?i)check|not_overdrawn"):
        await run_sql(store, "UPDATE accounts SET balance = -1 WHERE id = :id", id=wallet("ann"))


@pytest.mark.parametrize("kind", ["file", POSTGRESQL], indirect=True)
async def test_two_processes_move_coins_to_and_fro_without_a_deadlock(new_url: NewUrl) -> None:
    url = await new_url()
    stores = [await open_store(url) for _ in range(2)]
    async with stores[0].transaction() as unit:
        for person in ("a", "b"):
            await unit.books.post(opening(CLUB, person, 1))

    async def move(store: SqlStore, name: str, source: str, target: str) -> None:
        for n in range(40):
            async with store.transaction() as unit:
                lines = {wallet(target): 1, wallet(source): -1}
                await unit.books.post(Transfer(f"{name}{n}", CLUB, "wager", 1, lines))

    async with asyncio.timeout(60):
        await asyncio.gather(move(stores[0], "there", "a", "b"), move(stores[1], "back", "b", "a"))
    assert [await stores[0].balance(wallet(person)) for person in ("a", "b")] == [START, START]
    assert (await stores[0].audit()).problems == []
    for made in stores:
        await made.close()


# ------------------------------------------------------------------------------------------------- wagers


async def test_of_fifty_wagers_at_once_those_that_can_be_paid_are_taken(club: House) -> None:
    match = await club.running()
    await club.leave_with("ann", 100)
    outcomes = await asyncio.gather(*(club.bet(match, "ann") for _ in range(50)))
    assert outcomes.count("taken") == 10
    assert outcomes.count("not_enough_coins") == 40
    assert await club.has("ann") == 0
    assert await club.store.balance(escrow(match)) == 100
    assert len((await club.state(match)).wagers) == 10


async def test_two_matches_cannot_have_the_same_coins(club: House) -> None:
    one, other = await club.running(), await club.running()
    outcomes = await asyncio.gather(club.bet(one, "ann", "pro", 600), club.bet(other, "ann", "pro", 600))
    assert sorted(map(str, outcomes)) == ["not_enough_coins", "taken"]
    assert await club.has("ann") == 400


async def test_two_hundred_wagers_of_twenty_people_never_overspend(club: House) -> None:
    matches = [await club.running() for _ in range(3)]
    people = [f"p{n}" for n in range(20)]
    asked = [club.bet(matches[n % 3], people[n % 20], ("pro", "con", "draw")[n % 3], 37 + n) for n in range(200)]
    outcomes = await asyncio.gather(*asked)
    assert set(outcomes) == {"taken", "not_enough_coins"}
    for person in people:
        wagers = [w for id in matches for w in (await club.state(id)).wagers if w.person == person]
        assert await club.has(person) == START - sum(wager.stake for wager in wagers) >= 0
    for id in matches:
        assert await club.store.balance(escrow(id)) == sum(w.stake for w in (await club.state(id)).wagers)


async def test_changes_and_withdrawals_move_the_difference(club: House) -> None:
    match = await club.running()
    assert await club.bet(match, "ann", "pro", 300) == "taken"
    told = await club.host.tell(match, c.WagerChange(at=0, person="ann", wager=1, stake=100))
    assert isinstance(told, Accepted) and await club.has("ann") == 900
    told = await club.host.tell(match, c.WagerChange(at=0, person="ann", wager=1, outcome="con"))
    assert isinstance(told, Accepted) and await club.has("ann") == 900
    told = await club.host.tell(match, c.WagerChange(at=0, person="ann", wager=1, stake=1_001))
    assert isinstance(told, Rejection) and told.code == "not_enough_coins" and told.details == {"balance": 900}
    assert (await club.state(match)).wagers[0].stake == 100
    told = await club.host.tell(match, c.Withdraw(at=0, person="ann", wager=1))
    assert isinstance(told, Accepted) and await club.has("ann") == START
    kinds = [(line.kind, line.amount, line.balance) for line in await club.wallets.statement("ann")]
    assert kinds == [("withdrawn", 100, 1000), ("change", 200, 900), ("wager", -300, 700), ("start", 1000, 1000)]


async def test_a_match_pays_what_was_staked_and_the_house_plays_along(club: House) -> None:
    match = await club.running(speed=VIRTUAL, lobby_until=None)
    # At full speed nothing waits for a wager: the start and the wagers are in the mailbox at once.
    asked = [club.host.tell(match, c.Start(at=0, cast=CAST, pool=MOTIONS))]
    asked += [
        club.host.tell(match, c.Wager(at=0, person=person, outcome=outcome, stake=stake))
        for person, outcome, stake in (("ann", "pro", 70), ("bob", "con", 71), ("cy", "draw", 5), ("ann", "con", 9))
    ]
    taken = await asyncio.gather(*asked)
    assert all(isinstance(told, Accepted) for told in taken), taken
    await club.host.finished(match)
    state = await club.state(match)
    assert state.settlement is not None and state.settlement.outcome is not None
    assert sum(wager.payout for wager in state.wagers) + state.settlement.house == 70 + 71 + 5 + 9 + 30
    assert verify(record(state), exact=True, judges=1) == []
    for person in ("ann", "bob", "cy"):
        gained = sum(wager.payout - wager.stake for wager in state.wagers if wager.person == person)
        assert await club.has(person) == START + gained
    assert await club.store.balance(escrow(match)) == 0
    assert (await club.store.balance(house(CLUB)) or 0) == max(0, state.settlement.house - 30)


async def test_cancelling_gives_everything_back(club: House) -> None:
    match = await club.running()
    for person, stake in (("ann", 1_000), ("bob", 3), ("bob", 4)):
        assert await club.bet(match, person, "pro", stake) == "taken"
    await club.host.tell(match, c.Cancel(at=0, by="mod"))
    assert [await club.has(person) for person in ("ann", "bob")] == [START, START]
    assert await club.store.balance(escrow(match)) == 0


async def test_who_is_barred_has_the_stake_back(club: House) -> None:
    match = await club.running()
    await club.bet(match, "mod", "pro", 250)
    await club.host.tell(match, c.Skip(at=0, by="mod"))
    assert await club.has("mod") == START


async def test_settling_and_cancelling_at_once_pays_once(club: House) -> None:
    match = await club.running()
    await club.bet(match, "ann", "pro", 500)
    await club.bet(match, "bob", "con", 500)
    void, cancel = c.Void(at=0, by="mod"), c.Cancel(at=0, by="mod")
    told = await asyncio.gather(*(club.host.tell(match, command) for command in (void, cancel, cancel)))
    assert sum(isinstance(outcome, Accepted) for outcome in told) == 1
    assert [await club.has(person) for person in ("ann", "bob")] == [START, START]
    settled = await run_sql(club.store, "SELECT id FROM transfers WHERE id LIKE 'settle:%'")
    assert [row[0] for row in settled] == [f"settle:{match}"]


async def test_a_settlement_that_was_posted_before_is_not_posted_again(club: House) -> None:
    """Whatever brought that about: it is the second of two that is wrong."""
    match = await club.running()
    await club.bet(match, "ann", "pro", 500)
    async with club.store.transaction() as unit:
        lines = {wallet("ann"): 500, escrow(match): -500}
        await unit.books.post(Transfer(f"settle:{match}", CLUB, "voided", 1, lines, match))
    told = await club.host.tell(match, c.Cancel(at=0, by="mod"))
    assert isinstance(told, Accepted)
    assert await club.has("ann") == START


async def test_a_match_whose_escrow_is_short_ends_all_the_same_and_the_audit_tells(store: SqlStore) -> None:
    club = House(store)
    await club.host.start()
    match = await club.running()
    await club.bet(match, "ann", "pro", 500)
    async with store.transaction() as unit:
        lines = {wallet("eve"): 400, escrow(match): -400}
        await unit.books.post(Transfer("theft", CLUB, "wager", 1, lines))
    assert isinstance(await club.host.tell(match, c.Cancel(at=0, by="mod")), Accepted)
    assert (await store.audit()).problems == [f"match {match} is over, but 100 coins are still in its escrow"]
    await club.host.close()


@pytest.mark.parametrize("kind", ["file", POSTGRESQL], indirect=True)
async def test_a_crash_between_leaves_a_wager_with_its_coins_or_neither(
    new_url: NewUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = await new_url()
    store = await open_store(url)
    club = House(store)
    await club.host.start()
    match = await club.running()
    await club.bet(match, "ann", "pro", 100)

    async def dies(*_: object) -> bool:
        raise StoreError("gone")

    with monkeypatch.context() as patched:
        patched.setattr("storage.ledger.SqlBooks.post", dies)
        with pytest.raises(StoreError):
            await club.bet(match, "ann", "pro", 100)
        with pytest.raises(StoreError):
            await club.host.tell(match, c.Cancel(at=0, by="mod"))
    await club.host.close()
    await store.close()

    store = await open_store(url)
    again = House(store)
    await again.host.start()
    state = await again.state(match)
    assert [wager.stake for wager in state.wagers] == [100] and not state.over
    assert await again.has("ann") == START - 100
    await again.host.tell(match, c.Cancel(at=0, by="mod"))
    assert await again.has("ann") == START
    await again.proven()
    await again.host.close()
    await store.close()


# ------------------------------------------------------------------------------------------------- wallets


async def test_a_wallet_is_opened_at_first_sight_once(club: House) -> None:
    seen = await asyncio.gather(*(club.wallets.balance(CLUB, "ann") for _ in range(10)))
    assert seen == [START] * 10
    assert await club.store.balance(mint(CLUB)) == -START


async def test_of_parallel_claims_one_is_credited(club: House) -> None:
    claims = await asyncio.gather(*(club.wallets.claim(CLUB, "ann") for _ in range(10)))
    assert [claim for claim in claims if isinstance(claim, Claimed)] == [
        Claimed("allowance", ALLOWANCE, START + ALLOWANCE)
    ]
    assert {claim.code for claim in claims if isinstance(claim, Rejection)} == {"claimed_already"}
    club.time.jump(24 * 3600)
    again = await club.wallets.claim(CLUB, "ann")
    assert isinstance(again, Claimed) and again.balance == START + 2 * ALLOWANCE


@pytest.mark.parametrize("kind", ["file", POSTGRESQL], indirect=True)
async def test_of_claims_through_two_processes_one_is_credited(new_url: NewUrl) -> None:
    url = await new_url()
    stores = [await open_store(url) for _ in range(2)]
    clubs = [Wallets(store, lambda: START_WALL) for store in stores]
    claims = await asyncio.gather(*(club.claim(CLUB, "ann") for club in clubs * 5))
    assert sum(isinstance(claim, Claimed) for claim in claims) == 1
    assert await stores[0].balance(wallet("ann")) == START + ALLOWANCE
    for made in stores:
        await made.close()


async def test_who_is_nearly_out_of_coins_is_topped_up_to_the_floor_once(club: House) -> None:
    await club.leave_with("ann", 0)
    assert await club.wallets.claim(CLUB, "ann") == Claimed("allowance", ALLOWANCE, ALLOWANCE)
    match = await club.running()
    await club.bet(match, "ann", "pro", 60)  # 40 left, 60 at stake
    refused = await club.wallets.claim(CLUB, "ann")
    assert isinstance(refused, Rejection) and refused.code == "claimed_already"
    await club.bet(match, "ann", "pro", 40)
    assert isinstance(await club.wallets.claim(CLUB, "ann"), Rejection), "what is staked is still theirs"
    await club.host.tell(match, c.Withdraw(at=0, person="ann", wager=2))
    async with club.store.transaction() as unit:  # the stake is lost
        lines = {house(CLUB): 60, escrow(match): -60}
        await unit.books.post(Transfer("lost", CLUB, "settled", 1, lines, match))
    claims = await asyncio.gather(*(club.wallets.claim(CLUB, "ann") for _ in range(5)))
    assert [claim for claim in claims if isinstance(claim, Claimed)] == [Claimed("floor", 10, FLOOR)]


# ------------------------------------------------------------------------------------------------- the proof


async def test_the_audit_names_what_does_not_add_up(store: SqlStore) -> None:
    assert (await store.audit()).problems == []
    async with store.transaction() as unit:
        for person in ("ann", "bob"):
            await unit.books.post(opening(CLUB, person, 1))
    audit = await store.audit()
    assert (audit.accounts, audit.transfers, audit.entries, audit.coins, audit.problems) == (3, 2, 4, 2_000, [])
    await run_sql(store, "UPDATE accounts SET balance = balance + 7 WHERE id = :id", id=wallet("ann"))
    assert (await store.audit()).problems == [
        "wallet:ann holds 1007, but its entries add up to 1000",
        "all accounts together hold 7 instead of 0",
    ]
    await run_sql(store, "UPDATE entries SET amount = 1007 WHERE account_id = :id", id=wallet("ann"))
    assert "transfer start:ann is off by 7" in (await store.audit()).problems


# ------------------------------------------------------------------------------------------------- kill -9

# Plays match after match to a settlement that pays, and says each time what it has done.
SETTLER = """
import asyncio, sys
from bot.rules import commands as c
from bot.rules.clock import VIRTUAL
from storage.database import open_store
from tests.fakes import CAST
from tests.storage.test_ledger import MOTIONS, House

async def main(url):
    club = House(await open_store(url))
    await club.host.start()
    print("open", flush=True)
    while True:
        match = await club.running(speed=VIRTUAL)
        print(match, flush=True)
        asked = [club.host.tell(match, c.Start(at=0, cast=CAST, pool=MOTIONS))]
        people, outcomes = ("ann", "bob"), ("pro", "con", "draw")
        asked += [club.bet(match, person, outcome, 1) for person in people for outcome in outcomes]
        await asyncio.gather(*asked)
        await club.host.finished(match)

asyncio.run(main(sys.argv[1]))
"""


def test_kill_9_in_the_middle_of_settling_pays_exactly_once(file: Path) -> None:
    url = f"sqlite+aiosqlite:///{file}"
    draw = random.Random(4)
    for _ in range(2):
        command = [sys.executable, "-c", SETTLER, url]
        with subprocess.Popen(command, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "open\n"
            for _ in range(draw.randint(2, 6)):
                child.stdout.readline()
            time.sleep(draw.random() / 10)
            child.kill()  # SIGKILL
    asyncio.run(all_is_paid_once(url))


async def all_is_paid_once(url: str) -> None:
    store = await open_store(url)
    assert (await store.audit()).problems == []  # before anything is taken up again
    club = House(store)
    await club.host.start()
    paid: Counter[str] = Counter()
    for row in await store.matches(limit=1_000):
        state = await club.state(row.id)
        if not state.over:
            if state.started_at is None:
                await club.host.tell(row.id, c.Cancel(at=0, by="mod"))
            else:
                await club.host.finished(row.id)
            state = await club.state(row.id)
        assert state.over and state.settlement is not None
        for wager in state.wagers:
            paid[wager.person] += wager.payout - wager.stake
        settled = await run_sql(store, "SELECT count(*) FROM transfers WHERE id = :id", id=f"settle:{row.id}")
        assert settled[0][0] == (1 if state.wagers else 0)
    for person, gained in paid.items():
        assert await club.has(person) == START + gained
    await club.proven()
    await club.host.close()
    await store.close()
