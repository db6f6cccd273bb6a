"""Any mix of wagers, changes, interventions, endings, vetoes and crashes: the ledger agrees with the log, and every
coin is accounted for (docs/architecture.md, "Money")."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.community.ledger import START, Ledger, escrow, wallet
from bot.messages.record import record
from bot.rules import commands as c
from bot.rules.decide import decide
from bot.rules.evolve import evolve, fold
from bot.rules.market import outcomes
from bot.rules.match import Match
from bot.rules.rejection import Rejection, Veto
from tests.fakes import MemoryStore
from tests.rules.play import Game, started, winners_of
from tests.rules.profiles import MODEST
from tests.verifier import findings

PEOPLE = ("ann", "bob", "eve", "fay", "mod")
MARKET_CHECKS = ("check_market", "check_wagers", "check_who_bets")


class Crash(Exception):
    """The process dies before the transaction is committed."""


class Betting:
    """Some matches of one community at once, and the ledger."""

    def __init__(self, formats: list[str]) -> None:
        self.store = MemoryStore()
        self.ledger = Ledger(lambda: 1)
        people = {"P0": "ann"}
        self.games = [started(fmt, people, market=True, match=f"m{n}") for n, fmt in enumerate(formats)]

    def send(self, game: Game, command: c.Command, *, crash: bool = False) -> Rejection | None:
        """Decide and commit as the host does: the events and their coins, or neither."""
        events = decide(game.match, command)
        if isinstance(events, Rejection):
            return events
        after = fold(events, game.match)
        if not self.ledger.concerns(events):
            game.match, game.log = after, [*game.log, *events]
            return None

        async def commit() -> None:
            async with self.store.transaction() as unit, unit.savepoint():
                await self.ledger.join(unit, game.match, events, after)
                if crash:
                    raise Crash

        try:
            asyncio.run(commit())
        except Veto as veto:
            return veto.rejection
        except Crash:
            return None
        game.match, game.log = after, [*game.log, *events]
        return None

    def play_on(self, game: Game, number: int, side: str) -> None:
        """Some steps of the match, each through the ledger."""
        for _ in range(number):
            if game.match.over:
                return
            step = Game.__new__(Game)
            step.match, step.log = game.match, []
            step.step(winners_of({}, side))
            asyncio.run(self._commit(game, step))
            game.match, game.log = step.match, game.log + step.log

    async def _commit(self, before: Game, after: Game) -> None:
        async with self.store.transaction() as unit:
            await self.ledger.join(unit, before.match, after.log, after.match)

    async def book_again(self, game: Game) -> None:
        match = Match()
        async with self.store.transaction() as unit:
            for event in game.log:
                after = evolve(match, event)
                await self.ledger.join(unit, match, [event], after)
                match = after

    def check(self) -> None:
        accounts: dict[str, int] = self.store.tables["accounts"]
        assert sum(accounts.values()) == 0
        assert all(balance >= 0 for account, balance in accounts.items() if not account.startswith("mint:"))
        total: Counter[str] = Counter()
        for transfer in self.store.tables["transfers"].values():
            assert sum(transfer.lines.values()) == 0
            total.update(transfer.lines)
        assert all(accounts[account] == total[account] for account in accounts)
        for game in self.games:
            at_stake = sum(wager.stake for wager in game.match.wagers if wager.state == "open")
            assert accounts.get(escrow(game.match.id), 0) == at_stake
        for person in PEOPLE:
            wagers = [wager for game in self.games for wager in game.match.wagers if wager.person == person]
            spent = sum(wager.stake - wager.payout for wager in wagers)
            assert accounts.get(wallet(person), START) == START - spent


STEPS = st.lists(
    st.fixed_dictionaries(
        {
            "game": st.integers(0, 1),
            "what": st.sampled_from(
                ["place"] * 6 + ["change", "withdraw", "skip", "host", "play", "play", "void", "cancel"]
            ),
            "person": st.sampled_from(PEOPLE),
            "outcome": st.integers(0, 6),
            "stake": st.sampled_from([1, 7, 10, 333, 600, 1000]),
            "wager": st.integers(1, 6),
            "crash": st.sampled_from([False, False, False, True]),
            "side": st.sampled_from(["pro", "con", "draw"]),
        }
    ),
    max_size=30,
)


@MODEST
@given(st.lists(st.sampled_from(["duel", "doubles"]), min_size=2, max_size=2), STEPS)
def test_every_coin_is_accounted_for(formats: list[str], steps: list[dict[str, Any]]) -> None:
    betting = Betting(formats)
    for step in steps:
        game = betting.games[step["game"]]
        match, person, now = game.match, step["person"], game.match.now
        outcome = outcomes(match)[step["outcome"] % len(outcomes(match))]
        if step["what"] == "play":
            betting.play_on(game, step["wager"] * 4, step["side"])
        else:
            command: c.Command = {
                "place": c.Wager(at=now, person=person, outcome=outcome, stake=step["stake"]),
                "change": c.WagerChange(
                    at=now, person=person, wager=step["wager"], outcome=outcome, stake=step["stake"]
                ),
                "withdraw": c.Withdraw(at=now, person=person, wager=step["wager"]),
                "skip": c.Skip(at=now, by=person),
                "host": c.ChangeHost(at=now, person=person),
                "void": c.Void(at=now, by="mod"),
                "cancel": c.Cancel(at=now, by="mod"),
            }[step["what"]]
            betting.send(game, command, crash=step["crash"])
        betting.check()
    for game in betting.games:
        betting.play_on(game, 500, "pro")
        betting.check()
        assert game.match.over
        # The log tells the same, and booking all of it again moves nothing.
        before = dict(betting.store.tables["accounts"])
        assert game.replayed() == game.match
        asyncio.run(betting.book_again(game))
        assert betting.store.tables["accounts"] == before
        found = [finding for finding in findings(record(game.match)) if finding.check.startswith(MARKET_CHECKS)]
        assert not found


@pytest.mark.parametrize("fmt", ["classic", "arena", "duel", "doubles"])
@pytest.mark.parametrize("result", ["pro", "con", "draw"])
def test_the_record_of_every_format_has_a_market_that_a_stranger_can_check(fmt: str, result: str) -> None:
    betting = Betting([fmt])
    [game] = betting.games
    for number, outcome in enumerate(outcomes(game.match)):
        assert betting.send(game, c.Wager(at=0, person="eve", outcome=outcome, stake=7 + number)) is None
        assert betting.send(game, c.Wager(at=0, person="fay", outcome=outcome, stake=11 * (number + 1))) is None
    betting.send(game, c.Withdraw(at=0, person="eve", wager=1))
    betting.play_on(game, 5_000, result)
    betting.check()
    made = record(game.match)
    assert made["market"]["status"] == "settled"
    assert [finding for finding in findings(made) if finding.check.startswith((*MARKET_CHECKS, "check_schema"))] == []


def test_a_running_match_and_one_without_a_market_have_their_records() -> None:
    game = started("duel", market=True)
    assert record(game.match)["market"]["status"] == "open"
    game.do(c.Wager(at=game.now, person="eve", outcome="pro", stake=5))
    game.to_judging()
    made = record(game.match)["market"]
    assert (made["status"], made["winning"], made["wagers"][0]["status"]) == ("locked", [], "open")
    assert record(started("duel").match)["market"] is None
