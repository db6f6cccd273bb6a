"""Budgets: what was spent, limits that hold before a call, and what a match is likely to cost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from pydantic import ValidationError

from bot.community.spend import SpendRow
from bot.host.ports import StoreError
from bot.minds.brief import Usage
from bot.minds.models.asking import Answer, Ask, ModelError
from bot.minds.models.budget import (
    Limit,
    Limits,
    Metered,
    Price,
    Reached,
    Spending,
    charged,
    paying_community,
    usage_of,
)
from bot.minds.models.endpoints import HOUSE, Assignment
from bot.minds.models.estimate import estimate
from bot.rules.formats import load_format
from storage.database import open_store
from storage.store import SqlStore

PRICE = Price(prompt=1.0, completion=10.0)
ASK = Ask("s", "u", {}, "turn", 100, charge="com_a/m")
CALL = Usage(1, 1000, 100, 0.002)


class Fixed:
    """A model that always uses the same."""

    name = family = "fixed"

    def __init__(self, used: Usage = CALL, error: ModelError | None = None) -> None:
        self.used = used
        self.error = error
        self.calls = 0
        self.began = asyncio.Event()
        self.go = asyncio.Event()
        self.go.set()

    def most(self, ask: Ask) -> Usage:
        return self.used

    def lost(self, ask: Ask) -> Usage:
        return replace(self.used, completion_tokens=0)

    async def ask(self, ask: Ask) -> Answer:
        self.calls += 1
        self.began.set()
        await self.go.wait()
        if self.error is not None:
            raise self.error
        return Answer({}, self.name, self.used)


@pytest.fixture
async def store() -> AsyncIterator[SqlStore]:
    store = await open_store("sqlite+aiosqlite:///:memory:")
    yield store
    await store.close()


def usd(amount: float) -> Limit:
    return Limit.model_validate(f"{amount} usd")


@pytest.mark.parametrize(
    ("written", "shown"), [("0.05 usd", "0.05 usd"), ("200000 tokens", "200000 tokens"), (" 1USD ", "1 usd")]
)
def test_a_limit_is_written_as_money_or_tokens(written: str, shown: str) -> None:
    assert str(Limit.model_validate(written)) == shown


@pytest.mark.parametrize("written", ["", "5", "5 euro", "-1 usd", 5])
def test_what_is_no_limit(written: object) -> None:
    with pytest.raises(ValidationError, match="should be an amount"):
        Limit.model_validate(written)


def test_cached_tokens_cost_what_the_provider_says() -> None:
    assert Price(prompt=1, cached=0.1, completion=10).usd(1000, 600, 100) == pytest.approx(0.00146)
    assert PRICE.usd(1000, 600, 100) == pytest.approx(0.002)
    assert usage_of(None, 10, 5) == Usage(1, 10, 5, 0.0, unpriced=1)


@pytest.mark.parametrize(
    ("limits", "scope"),
    [
        (Limits(match=usd(0.005)), "match"),
        (Limits(community_day=usd(0.005)), "community_day"),
        (Limits(day=usd(0.005)), "day"),
        (Limits(match=Limit.model_validate("2500 tokens")), "match"),
    ],
)
async def test_a_call_that_may_pass_a_limit_is_not_made(limits: Limits, scope: str) -> None:
    told: list[Reached] = []
    model = Fixed()
    metered = Metered(model, Spending(limits, today=lambda: "2026-01-31", on_limit=told.append))
    await metered.ask(ASK)
    await metered.ask(ASK)
    for _ in range(3):
        with pytest.raises(ModelError) as caught:
            await metered.ask(ASK)
        assert caught.value.trouble == "budget"
        assert caught.value.usage == Usage()
    assert model.calls == 2
    assert [(reached.scope, reached.community, reached.match) for reached in told] == [(scope, "com_a", "m")]


async def test_other_matches_communities_and_days_have_budgets_of_their_own() -> None:
    day = ["2026-01-30"]
    spending = Spending(Limits(match=usd(0.002), community_day=usd(0.004)), today=lambda: day[0])
    metered = Metered(Fixed(), spending)
    await metered.ask(ASK)
    await metered.ask(replace(ASK, charge="com_a/n"))
    with pytest.raises(ModelError):
        await metered.ask(replace(ASK, charge="com_a/o"))
    await metered.ask(replace(ASK, charge="com_b/p"))
    day[0] = "2026-01-31"
    await metered.ask(replace(ASK, charge="com_a/o"))
    with pytest.raises(ModelError):  # a match goes on over midnight
        await metered.ask(ASK)


async def test_calls_at_once_do_not_pass_a_limit_together() -> None:
    model = Fixed()
    model.go.clear()
    metered = Metered(model, Spending(Limits(match=usd(0.005))))
    asked = [asyncio.create_task(metered.ask(ASK)) for _ in range(6)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    model.go.set()
    done = await asyncio.gather(*asked, return_exceptions=True)
    assert sum(isinstance(answer, Answer) for answer in done) == model.calls == 2


async def test_what_failed_or_was_given_up_is_paid_for_too(store: SqlStore) -> None:
    spending = Spending(store=store, today=lambda: "d")
    with pytest.raises(ModelError):
        await Metered(Fixed(error=ModelError("unreadable", "x", CALL)), spending).ask(ASK)
    slow = Fixed()
    slow.go.clear()
    task = asyncio.create_task(Metered(slow, spending).ask(ASK))
    await slow.began.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await spending.close()
    assert await store.spend() == [SpendRow("d", "com_a", "m", 2, 2000, 100, 4_000_000, 0)]
    assert spending.spent(match="m") == (pytest.approx(0.004), 2100)


async def test_spending_outlives_the_process(store: SqlStore) -> None:
    limits = Limits(match=usd(0.005))
    first = Spending(limits, store)
    await Metered(Fixed(), first).ask(ASK)
    await Metered(Fixed(), first).ask(ASK)
    await first.close()
    second = Spending(limits, store)
    with pytest.raises(ModelError) as caught:
        await Metered(Fixed(), second).ask(ASK)
    assert caught.value.trouble == "budget"
    assert second.spent(community="com_a") == second.spent() == second.spent(match="m") == (pytest.approx(0.004), 2200)


class Troubled:
    """A store that fails at first."""

    def __init__(self, store: SqlStore) -> None:
        self.store = store
        self.fails = True

    async def add_spend(self, rows: list[SpendRow]) -> None:
        if self.fails:
            raise StoreError("busy")
        await self.store.add_spend(rows)

    async def spend(self, **wanted: str | None) -> list[SpendRow]:
        if self.fails:
            raise StoreError("busy")
        return await self.store.spend(**wanted)


async def test_a_store_in_trouble_hinders_no_call_and_loses_nothing(store: SqlStore) -> None:
    troubled = Troubled(store)
    spending = Spending(store=troubled, today=lambda: "d")  # pyright: ignore[reportArgumentType]
    await Metered(Fixed(), spending).ask(ASK)
    await asyncio.sleep(0.01)
    troubled.fails = False
    await Metered(Fixed(), spending).ask(ASK)
    await spending.close()
    assert [row.calls for row in await store.spend()] == [2]


async def test_who_pays_is_known_where_nobody_says_it() -> None:
    spending = Spending()
    with charged("com_x", "n"):
        assert paying_community() == "com_x"
        await Metered(Fixed(), spending).ask(replace(ASK, charge=""))
    assert paying_community() == ""
    assert spending.spent(match="n") == (pytest.approx(0.002), 1100)


# ------------------------------------------------------------------------------------------------- the estimate


def test_the_estimate_of_a_duel() -> None:
    likely = estimate(load_format("duel"), 1, Assignment({}, "m", ("m",)), lambda _: PRICE)
    assert likely.calls == 9
    assert 4_000 < likely.prompt_tokens < 12_000
    assert likely.usd == pytest.approx(PRICE.usd(likely.prompt_tokens, 0, likely.completion_tokens), rel=0.01)


def test_the_estimate_of_a_classic_match_with_three_judges() -> None:
    assert estimate(load_format("classic"), 3, Assignment({}, "m", ("m",)), lambda _: PRICE).calls == 108


def test_people_and_house_minds_cost_nothing() -> None:
    duel = load_format("duel")
    whole = estimate(duel, 1, Assignment({}, "m", ("m",)), lambda _: PRICE)
    half = estimate(duel, 1, Assignment({}, "m", ("m",)), lambda _: PRICE, people=frozenset({"P0"}))
    assert half.calls == 5 < whole.calls
    assert estimate(duel, 1, Assignment({}, HOUSE, (HOUSE,)), lambda _: PRICE) == Usage()
    judged = estimate(duel, 2, Assignment({}, HOUSE, ("m", HOUSE)), lambda _: None)
    assert (judged.calls, judged.unpriced, judged.usd) == (1, 1, 0.0)
