"""Betting and wallets through the actions: what may be typed, what is answered, and what a card says of it."""

from __future__ import annotations

from typing import Any

import pytest

from bot.actions import control, seats, wager
from bot.actions.actor import Actor, Reply
from bot.actions.services import Services
from bot.actions.start import Wish, begin, start
from bot.catalogue import load_catalogue
from bot.community.ledger import ALLOWANCE, START, Ledger, Wallets, escrow
from bot.community.ledger import wallet as account
from bot.community.policy import Policies
from bot.host.ports import StoreError
from bot.messages.card import Card
from bot.messages.words import words
from bot.rules.formats import load_format
from bot.rules.match import Match
from tests.community.kept import Kept
from tests.fakes import CAST, Stage

HOST, ANN, EVE, FAY = (Actor(community="club", person=person) for person in ("host", "ann", "eve", "fay"))
MOD = Actor(community="club", person="mod", moderator=True)


async def served(fmt: str = "duel", **policy: Any) -> tuple[Stage, Services, str]:
    """A match that has just begun, in a community that lets people bet."""
    stage = Stage()
    stage.ports["participants"] = (Ledger(stage.time.wall),)
    stage.venue.board_every_s = 1.0
    host = await stage.up()
    policies = Policies(Kept(stage.store))
    await policies.change("club", wagers=True, **policy)
    wallets = Wallets(stage.store, stage.time.wall)
    services = Services(host, words(), load_catalogue().motions, CAST, policies, wallets)
    reply = await start(services, HOST, Wish(format=load_format(fmt), market=True))
    assert reply.match is not None, reply.text
    assert (await seats.join(services, ANN, reply.match.id)).ok
    assert (await begin(services, HOST, reply.match.id)).ok
    return stage, services, reply.match.id


def has(stage: Stage, who: Actor) -> int:
    return stage.store.tables["accounts"].get(account(who.person), START)


def board(stage: Stage, match: str) -> Card:
    return Card.model_validate_json(stage.store.tables["boards"][match, "market"].body)


def cards(stage: Stage, kind: str) -> list[Card]:
    rows = [row for _, row in sorted(stage.store.tables["posts"].items()) if row.kind == kind]
    return [Card.model_validate_json(row.body) for row in rows]


# ------------------------------------------------------------------------------------------------- amounts


@pytest.mark.parametrize(
    "typed",
    ["-5", "+5", "1e3", "５", "٥", "2.5", "2,5", "1,000", "1 000", "9e999", "NaN", "inf", "10k", "100x", "10%", "50%",
     "all", "0x10", "½", "", " ", "²", "99999999999", "1_0", "coins", "\u202e5", "5\n6"],
)  # fmt: skip
async def test_what_is_no_amount_is_refused_in_words_and_costs_nothing(typed: str) -> None:
    stage, services, match = await served()
    reply = await wager.place(services, EVE, match, "pro", typed)
    assert (reply.ok, reply.code) == (False, "bad_amount")
    assert "whole coins in digits" in reply.text
    assert has(stage, EVE) == START and not stage.match(match).wagers


@pytest.mark.parametrize(("typed", "coins"), [("5", 5), (" 25 ", 25), ("007", 7), ("1000", 1000)])
async def test_digits_are_an_amount(typed: str, coins: int) -> None:
    stage, services, match = await served()
    reply = await wager.place(services, EVE, match, " PRO ", typed)
    assert reply.ok and f"{coins} coins on Pro: wager 1" in reply.text
    assert has(stage, EVE) == START - coins
    assert stage.store.tables["accounts"][escrow(match)] == coins


async def test_nothing_and_too_much_are_refused() -> None:
    stage, services, match = await served()
    assert (await wager.place(services, EVE, match, "pro", "0")).code == "stake_too_small"
    short = await wager.place(services, EVE, match, "pro", "1001")
    assert short.code == "not_enough_coins" and "1000" in short.text
    assert has(stage, EVE) == START


@pytest.mark.parametrize(("share", "coins"), [("10%", 100), ("50%", 500), ("all", 1000)])
async def test_buttons_stake_a_share_of_what_is_there(share: wager.Share, coins: int) -> None:
    stage, services, match = await served()
    assert (await wager.place(services, EVE, match, "con", share=share)).ok
    assert has(stage, EVE) == START - coins


async def test_a_share_keeps_to_the_limits() -> None:
    stage, services, match = await served(wager_least=20, wager_most=300)
    assert (await wager.place(services, EVE, match, "con", share="all")).ok
    assert stage.match(match).wagers[0].stake == 300
    assert (await wager.place(services, FAY, match, "con", "10")).code == "stake_too_small"
    assert (await wager.place(services, FAY, match, "con", "301")).code == "stakes_too_high"
    assert (await wager.place(services, FAY, match, "con", "300")).ok
    assert (await wager.place(services, FAY, match, "con", share="10%")).code == "stakes_too_high"


async def test_a_share_of_nothing_is_refused() -> None:
    _, services, match = await served()
    assert (await wager.place(services, EVE, match, "con", share="all")).ok
    assert (await wager.place(services, EVE, match, "con", share="10%")).code == "not_enough_coins"


# ------------------------------------------------------------------------------------------------- wagers


async def test_a_delivery_that_comes_twice_is_one_wager() -> None:
    stage, services, match = await served()
    clicked = Actor(community="club", person="eve", key="interaction-1")
    first = await wager.place(services, clicked, match, "pro", "10")
    again = await wager.place(services, clicked, match, "pro", "10")
    assert again.text == first.text and again.code == "repeated"
    assert has(stage, EVE) == START - 10


async def test_who_may_not_bet_is_told_why() -> None:
    stage, services, match = await served()
    assert (await wager.place(services, HOST, match, "pro", "10")).code == "host_does_not_bet"
    side = stage.match(match).rounds[0].lineup.side_of("P0")
    other = "con" if side == "pro" else "pro"
    assert (await wager.place(services, ANN, match, other, "10")).code == "back_yourself"
    assert (await wager.place(services, EVE, match, "P7", "10")).code == "no_such_outcome"
    assert (await wager.place(services, EVE, "nonesuch", "pro", "10")).code == "no_such_match"
    foreign = Actor(community="elsewhere", person="eve")
    assert (await wager.place(services, foreign, match, "pro", "10")).code == "no_such_match"


async def test_a_moderator_who_replaces_somebody_is_refunded() -> None:
    stage, services, match = await served()
    assert (await wager.place(services, MOD, match, "pro", "10")).ok
    assert (await seats.replace(services, MOD, match, "P0")).ok
    assert has(stage, MOD) == START
    assert (await wager.place(services, MOD, match, "pro", "10")).code == "moderators_do_not_bet"


async def test_wagers_are_changed_and_withdrawn() -> None:
    stage, services, match = await served()
    assert (await wager.change(services, EVE, match, amount="5")).code == "no_such_wager"
    assert (await wager.withdraw(services, EVE, match)).code == "no_such_wager"
    await wager.place(services, EVE, match, "pro", "10")
    changed = await wager.change(services, EVE, match, outcome="draw", amount="40")
    assert "Wager 1 is 40 coins on Draw now" in changed.text and has(stage, EVE) == START - 40
    assert (await wager.change(services, EVE, match, amount="-40")).code == "bad_amount"
    assert (await wager.change(services, EVE, match, share="50%")).ok
    assert has(stage, EVE) == 500
    await wager.place(services, EVE, match, "con", "10")
    unclear = await wager.withdraw(services, EVE, match)
    assert unclear.code == "which_wager" and "1, 2" in unclear.text
    assert (await wager.withdraw(services, EVE, match, 1)).ok
    assert (await wager.withdraw(services, EVE, match)).ok
    assert has(stage, EVE) == START


async def test_who_is_blocked_takes_stakes_back_and_places_none() -> None:
    stage, services, match = await served()
    await wager.place(services, EVE, match, "pro", "10")
    assert services.policies is not None
    await services.policies.change("club", blocked_people=("eve",))
    assert (await wager.place(services, EVE, match, "pro", "10")).code == "blocked"
    assert (await wager.claim(services, EVE)).code == "blocked"
    assert (await wager.withdraw(services, EVE, match)).ok
    assert (await wager.wallet(services, EVE)).ok
    assert has(stage, EVE) == START


async def test_cancelling_gives_everything_back_and_says_so() -> None:
    stage, services, match = await served()
    await wager.place(services, EVE, match, "pro", "10")
    assert (await control.cancel(services, HOST, match)).ok
    assert has(stage, EVE) == START
    assert "All wagers go back" in cards(stage, "cancelled")[0].text
    assert "everybody has their stake back" in board(stage, match).text
    assert (await wager.place(services, EVE, match, "pro", "10")).code in ("match_over", "no_such_match")


async def test_a_whole_match_is_paid_and_told() -> None:
    stage, services, match = await served()
    await wager.place(services, EVE, match, "pro", "100")
    await wager.place(services, FAY, match, "con", "50")
    shown = board(stage, match)
    assert [button.arg for button in shown.buttons] == ["pro", "con", "draw"]
    assert [(fact.label, fact.value) for fact in shown.facts] == [
        ("Pro", "× 1.63 (110 coins on it)"),
        ("Con", "× 3.00 (60 coins on it)"),
        ("Draw", "× 18.00 (10 coins on it)"),
    ]
    assert "180 coins, of 2 people" in shown.text and "closing" in shown.text
    for _ in range(2_000):
        if stage.match(match).over:
            break
        await stage.time.advance(1)
    state = stage.match(match)
    assert state.settlement is not None
    [card] = cards(stage, "settlement")
    assert card.table is not None and len(card.table.rows) == 2
    assert sum(int(row[2]) for row in card.table.rows) + state.settlement.house == 180
    assert any("Wagers are closed" in note.text for note in cards(stage, "note"))
    assert board(stage, match).buttons == ()
    assert stage.store.tables["accounts"][escrow(match)] == 0
    assert sum(stage.store.tables["accounts"].values()) == 0
    assert (await wager.place(services, EVE, match, "pro", "10")).code in ("match_over", "no_such_match")


async def test_a_match_of_six_rounds_counts_down_and_names_its_seats() -> None:
    stage, _, match = await served("classic")
    shown = board(stage, match)
    assert "verdict of round 3, 3 rounds from now" in shown.text
    assert shown.facts[0].label.startswith("P0 ") and shown.facts[-1].label == "Draw"
    assert len(shown.buttons) == 7


async def test_a_match_without_a_market_shows_none() -> None:
    stage = Stage()
    await stage.up()
    await stage.open()
    await stage.begin()
    assert ("m1", "market") not in stage.store.tables["boards"]


# ------------------------------------------------------------------------------------------------- wallets


async def test_a_wallet_says_what_is_in_it_and_that_it_is_play_money() -> None:
    _, services, match = await served()
    await wager.place(services, EVE, match, "pro", "10")
    reply = await wager.wallet(services, EVE)
    assert "990 coins" in reply.text and "play money" in reply.text
    assert "1000" in (await wager.wallet(services, FAY)).text


async def test_the_allowance_is_claimed_once_a_day() -> None:
    stage, services, _ = await served()
    reply = await wager.claim(services, EVE)
    assert reply.ok and f"{START + ALLOWANCE}" in reply.text
    again = await wager.claim(services, EVE)
    assert (again.ok, again.code) == (False, "claimed_already")
    stage.time.jump(24 * 3600)
    assert (await wager.claim(services, EVE)).ok


async def test_a_statement_shows_every_movement() -> None:
    _, services, match = await served()
    await wager.place(services, EVE, match, "pro", "10")
    await wager.withdraw(services, EVE, match)
    await wager.claim(services, EVE)
    lines = (await wager.statement(services, EVE)).text.splitlines()
    assert len(lines) == 5
    assert "+100  Daily allowance  → 1100" in lines[1]
    assert f"-10  Staked on match {match}  → 990" in lines[3]


async def test_a_community_without_wagers_has_no_wallets() -> None:
    _, services, _ = await served()
    assert services.policies is not None
    await services.policies.change("club", wagers=False)
    replies: list[Reply] = [await act(services, EVE) for act in (wager.wallet, wager.claim, wager.statement)]
    assert {reply.code for reply in replies} == {"no_wagers_here"}
    bare = Services(services.host, words(), services.motions, CAST)
    assert (await wager.wallet(bare, EVE)).code == "no_wagers_here"


async def test_trouble_with_the_store_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    stage, services, match = await served()

    async def gone(*_: object) -> Match:
        raise StoreError("gone")

    monkeypatch.setattr(stage.store, "balance", gone)
    stage.store.trouble = StoreError("gone")
    replies: list[Reply] = [await act(services, EVE) for act in (wager.wallet, wager.claim, wager.statement)]
    replies += [
        await wager.place(services, EVE, match, "pro", None, "all"),
        await wager.place(services, EVE, match, "pro", "5", None),
    ]
    assert {reply.code for reply in replies} == {"store_trouble"}
