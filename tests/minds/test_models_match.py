"""Whole matches of models at a stub: who is said to have spoken, what it cost, and what happens at a limit."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import SecretStr

from bench.match import nowhere, play
from bot.app import App, open_app
from bot.export import export_text
from bot.messages.card import Card
from bot.messages.publish import MatchPublisher
from bot.messages.words import words
from bot.minds.models.budget import Limit, Limits, Price
from bot.minds.models.endpoints import Assignment, Lineup, ModelSpec
from bot.rules import events as e
from bot.rules.match import Match
from tests.minds.stub import Stub, serving
from tests.verifier import verify

PRICE = Price(prompt=1.0, cached=0.1, completion=10.0)
ONE = (400 * 1.0 + 600 * 0.1 + 100 * 10.0) / 1e6


@pytest.fixture
async def stub() -> AsyncIterator[Stub]:
    async with serving(Stub(shapes=True)) as stub:
        yield stub


def lineup(stub: Stub, limits: Limits | None = None, price: Price | None = PRICE) -> Lineup:
    specs = {
        name: ModelSpec(name, name, name, "stub", stub.url, SecretStr("sk-secret"), price) for name in ("a", "b", "c")
    }
    return Lineup(specs, Assignment({}, "a", ("b", "c")), ("a", "b", "c"), limits or Limits())


async def played(app: App) -> dict[str, Any]:
    await app.host.start()
    id = await play(app, 1, "duel")
    await app.roster.spending.flush() if app.roster else None
    return json.loads(await export_text(app.store, id, "json"))


async def cards(app: App, kind: str) -> list[dict[str, Any]]:
    [row] = await app.store.matches()
    return [json.loads(post.body) for post in await app.store.posts(row.id) if post.kind == kind]


async def test_a_match_of_models(stub: Stub) -> None:
    async with open_app("sqlite+aiosqlite:///:memory:", nowhere, models=lineup(stub)) as app:
        record = await played(app)
        assert verify(record, exact=True) == []
        holders = {seat["seat"]: seat for seat in record["seats"]}
        assert {id: seat["model"] for id, seat in holders.items()} == {
            "P0": "a",
            "P1": "a",
            "J0": "b",
            "J1": "c",
            "J2": "b",
        }
        assert record["usage"]["calls"] == stub.calls
        assert record["usage"]["usd"] == pytest.approx(stub.calls * ONE)
        [kept] = await app.store.spend()
        assert (kept.calls, kept.tokens, kept.unpriced) == (stub.calls, stub.calls * 1100, 0)
        assert kept.usd == pytest.approx(stub.calls * ONE)
        [final] = await cards(app, "final")
        assert final["footer"] == f"Models: {stub.calls} calls, {stub.calls * 1100:,} tokens, ${stub.calls * ONE:.2f}."
        assert {request["model"] for request in stub.requests} == {"a", "b", "c"}


async def test_at_a_limit_the_house_minds_take_over(stub: Stub) -> None:
    limits = Limits(match=Limit.model_validate("5000 tokens"))
    async with open_app("sqlite+aiosqlite:///:memory:", nowhere, models=lineup(stub, limits)) as app:
        record = await played(app)
        assert 0 < stub.calls < 9
        assert record["usage"]["prompt_tokens"] + record["usage"]["completion_tokens"] <= 5000
        turns = [turn for entry in record["rounds"] for turn in entry["turns"]]
        assert {turn["source"] for turn in turns} == {"model", "house"}
        assert all(turn["fallback"] for turn in turns if turn["source"] == "house")
        notes = [card["text"] for card in await cards(app, "note")]
        assert [note for note in notes if "budget" in note] == [words()("budget.match")]


async def test_what_nobody_knows_the_price_of_is_not_said_to_be_free(stub: Stub) -> None:
    async with open_app("sqlite+aiosqlite:///:memory:", nowhere, models=lineup(stub, price=None)) as app:
        await played(app)
        [final] = await cards(app, "final")
        assert final["footer"].endswith("the price of some is not known here.")
        assert "$" not in final["footer"]


def test_a_note_of_the_budget_is_there_once_however_often_it_is_published() -> None:
    publisher = MatchPublisher(used_up=lambda match: "day")
    spoken = e.PartSpoken(
        at=1, round=1, n=1, seat="P0", person=None, move="statement", text="x", source="house", fallback=True
    )
    card = Card(kind="note", tone="alert", text=words()("budget.day"))
    told = [publisher._budget(spoken, Match(id="m", seq=seq)) for seq in (7, 7, 8)]
    assert told == [[(card, None)], [(card, None)], []]
    assert publisher._budget(spoken.model_copy(update={"fallback": False}), Match(id="n", seq=7)) == []


async def test_the_estimate_stands_on_the_lobby(stub: Stub) -> None:
    async with open_app("sqlite+aiosqlite:///:memory:", nowhere, models=lineup(stub)) as app:
        record = await played(app)
        [row] = await app.store.matches()
        match = await app.host.state(row.id)
        assert match is not None
        likely = app.services.estimate(match)
        assert likely is not None
        assert likely.calls == record["usage"]["calls"]


async def test_a_model_that_never_answers_leaves_the_match_to_the_house(stub: Stub) -> None:
    stub.always = "bad_key"
    async with open_app("sqlite+aiosqlite:///:memory:", nowhere, models=lineup(stub)) as app:
        record = await played(app)
        turns = [turn for entry in record["rounds"] for turn in entry["turns"]]
        assert {turn["source"] for turn in turns} == {"house"}
        assert record["status"] == "finished"
        assert await cards(app, "final")
