"""Betting on a match (docs/rules.md, "Wagers"): who, on what, until when, and what is paid."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.rules import commands as c
from bot.rules import events as e
from bot.rules.format import Format
from bot.rules.formats import load_format
from bot.rules.market import MOST_COINS, is_open, may_not_bet, odds, own_outcome, rounds_to_lock, stakes
from bot.rules.match import Stage
from bot.rules.pool import HOUSE_STAKE, Backed, house_stakes, outcome_of_winners, outcomes_of, pay_out
from tests.rules.play import Game, four_teams, policy, sprint, started, winners_of
from tests.rules.profiles import MODEST


def market(fmt: str | Format = "duel", people: dict[str, str] | None = None, **more: object) -> Game:
    return started(fmt, people, **({"seed": 2, "market": True} | more))


def bet(game: Game, person: str, outcome: str, stake: int = 10, **more: object) -> list[e.Event]:
    return game.do(c.Wager(**({"at": game.now, "person": person, "outcome": outcome, "stake": stake} | more)))  # type: ignore[arg-type]


def code(game: Game, person: str, outcome: str, stake: int = 10, **more: object) -> str:
    return game.code(
        c.Wager(**({"at": game.now, "person": person, "outcome": outcome, "stake": stake} | more))  # type: ignore[arg-type]
    )


def states(game: Game) -> list[tuple[str, str, int]]:
    return [(wager.person, wager.state, wager.payout) for wager in game.match.wagers]


def locks(game: Game) -> int:
    return len(game.events(e.MarketLocked))


# ------------------------------------------------------------------------------------------------- outcomes and odds


@pytest.mark.parametrize(
    ("fmt", "outcomes"),
    [
        ("classic", ("P0", "P1", "P2", "P3", "P4", "P5", "draw")),
        ("arena", ("P0", "P1", "P2", "P3", "P4", "P5", "draw")),
        ("duel", ("pro", "con", "draw")),
        ("doubles", ("pro", "con", "draw")),
        (four_teams(), ("pro", "con", "cg", "co", "draw")),
    ],
)
def test_there_is_an_outcome_for_each_seat_or_side_and_one_for_a_draw(
    fmt: str | Format, outcomes: tuple[str, ...]
) -> None:
    made = load_format(fmt) if isinstance(fmt, str) else fmt
    assert outcomes_of(made) == outcomes
    assert house_stakes(made) == 10 * len(outcomes)


def test_draw_is_a_shared_win() -> None:
    classic, doubles = load_format("classic"), load_format("doubles")
    assert outcome_of_winners(classic, ["P3"]) == "P3"
    assert outcome_of_winners(classic, ["P1", "P3"]) == "draw"
    pro = doubles.rounds[0].pro
    assert outcome_of_winners(doubles, pro) == "pro"  # partners win together
    assert outcome_of_winners(doubles, doubles.seats) == "draw"


def test_odds_are_there_from_the_start_and_move() -> None:
    game = market()
    assert odds(game.match) == {"pro": 300, "con": 300, "draw": 300}
    bet(game, "eve", "pro", 50)
    assert stakes(game.match) == {"pro": 60, "con": 10, "draw": 10}
    assert odds(game.match) == {"pro": 133, "con": 800, "draw": 800}
    game.do(c.Withdraw(at=game.now, person="eve", wager=1))
    assert odds(game.match)["pro"] == 300


# ------------------------------------------------------------------------------------------------- who, on what


def test_who_debates_backs_themselves_alone_to_the_end() -> None:
    game = market("classic", {"P0": "ann", "J0": "jo"})
    assert own_outcome(game.match, "ann") == "P0"
    assert code(game, "ann", "P1") == code(game, "ann", "draw") == "back_yourself"
    bet(game, "ann", "P0")
    game.leave("ann")  # an AI has the seat now
    assert code(game, "ann", "P1") == "back_yourself"
    bet(game, "ann", "P0")
    assert game.code(c.WagerChange(at=game.now, person="ann", wager=1, outcome="P1")) == "back_yourself"
    game.do(c.Reclaim(at=game.now, person="ann"))
    game.to_round(2)
    assert code(game, "ann", "draw") == "back_yourself"


def test_a_debater_of_a_team_backs_its_side() -> None:
    game = market("doubles", {"P0": "ann"})
    side = game.match.rounds[0].lineup.side_of("P0")
    other = "con" if side == "pro" else "pro"
    assert own_outcome(game.match, "ann") == side
    assert code(game, "ann", other) == "back_yourself"


def test_who_left_the_lobby_again_has_held_no_seat() -> None:
    game = Game("duel", market=True)
    game.join("ann", "P0")
    game.leave("ann")
    game.start()
    bet(game, "ann", "con")


def test_judges_never_bet_not_even_after_leaving() -> None:
    game = market("duel", {"J1": "jo"})
    assert code(game, "jo", "pro") == "judges_do_not_bet"
    game.leave("jo")
    assert code(game, "jo", "pro") == "judges_do_not_bet"


def test_who_becomes_host_is_refunded() -> None:
    game = market("duel", {"P0": "host", "P1": "bob"})
    bet(game, "bob", "con", 30)
    bet(game, "eve", "pro")
    game.leave("host")
    assert game.match.host == "bob"
    assert states(game) == [("bob", "refunded", 30), ("eve", "open", 0)]
    assert code(game, "bob", "con") == "host_does_not_bet"
    game.do(c.ChangeHost(at=game.now, person="eve"))
    assert states(game)[1] == ("eve", "refunded", 10)
    bet(game, "bob", "con")  # not the host any more


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("what", ["skip", "replace", "void"])
def test_who_steers_the_match_is_refunded_even_after_the_lock(what: str, late: bool) -> None:
    game = market("classic", {"P0": "ann"})
    bet(game, "mod", "P1", 40)
    bet(game, "eve", "P1", 40)
    game.to_round(5 if late else 1)
    commands = {
        "skip": c.Skip(at=game.now, by="mod"),
        "replace": c.Replace(at=game.now, seat="P0", by="mod"),
        "void": c.Void(at=game.now, by="mod"),
    }
    game.do(commands[what])
    assert states(game) == [("mod", "refunded", 40), ("eve", "open", 0)]
    assert may_not_bet(game.match, "mod") is not None
    assert stakes(game.match)["P1"] == 50


def test_a_moderator_who_is_refused_may_still_bet() -> None:
    game = market()
    game.refused(c.Replace(at=game.now, seat="P0", by="mod"))  # an AI's
    bet(game, "mod", "pro")
    assert not game.match.moderators


def test_a_moderator_who_voids_the_only_round_is_not_paid() -> None:
    game = market()
    bet(game, "mod", "draw", 500)
    bet(game, "eve", "draw", 10)
    bet(game, "fay", "pro", 100)
    game.do(c.Void(at=game.now, by="mod"))
    assert game.match.over
    assert states(game)[0] == ("mod", "refunded", 500)


def test_what_the_host_does_by_itself_bars_nobody() -> None:
    game = market("duel", {"P0": "ann"})
    game.do(c.Replace(at=game.now, seat="P0", why="left"))
    game.do(c.Skip(at=game.now, by=c.SYSTEM))
    assert not game.match.moderators


def test_a_match_without_a_market_says_nothing_of_it() -> None:
    game = started("duel", seed=2)
    game.do(c.Skip(at=game.now, by="mod"))
    game.to_end()
    assert not {event.name for event in game.log} & {"moderated", "market_locked", "market_settled", "market_voided"}


# ------------------------------------------------------------------------------------------------- limits and changes


def test_limits_are_of_one_wager_and_of_all_a_person_has_open() -> None:
    game = market()
    limits: dict[str, Any] = {"least": 5, "most": 100}
    assert code(game, "eve", "pro", 4, **limits) == "stake_too_small"
    assert code(game, "eve", "pro", 0) == code(game, "eve", "pro", -5) == "stake_too_small"
    bet(game, "eve", "pro", 60, **limits)
    refused = game.refused(c.Wager(at=game.now, person="eve", outcome="con", stake=41, **limits))
    assert (refused.code, refused.details) == ("stakes_too_high", {"most": 100, "left": 40})
    bet(game, "fay", "pro", 100, **limits)
    game.do(c.WagerChange(at=game.now, person="eve", wager=1, stake=100, **limits))
    assert game.code(c.WagerChange(at=game.now, person="eve", wager=1, stake=101, **limits)) == "stakes_too_high"
    assert code(game, "gus", "pro", MOST_COINS + 1) == "stakes_too_high"


def test_a_lower_limit_that_came_later_does_not_stop_a_change_of_outcome() -> None:
    game = market()
    bet(game, "eve", "pro", 60)
    game.do(c.WagerChange(at=game.now, person="eve", wager=1, outcome="con", most=50))
    assert game.match.wagers[0].outcome == "con"


def test_a_wager_is_changed_and_withdrawn_until_the_lock() -> None:
    game = market()
    bet(game, "eve", "pro", 20)
    bet(game, "eve", "draw", 5)
    game.do(c.WagerChange(at=game.now, person="eve", wager=1, outcome="con", stake=30))
    assert stakes(game.match) == {"pro": 10, "con": 40, "draw": 15}
    game.do(c.Withdraw(at=game.now, person="eve", wager=2))
    assert game.code(c.Withdraw(at=game.now, person="eve", wager=2)) == "no_such_wager"
    assert game.code(c.WagerChange(at=game.now, person="fay", wager=1, stake=1)) == "no_such_wager"
    game.to_judging()
    assert game.code(c.WagerChange(at=game.now, person="eve", wager=1, stake=1)) == "market_locked"
    assert game.code(c.Withdraw(at=game.now, person="eve", wager=1)) == "market_locked"


def test_wagers_are_taken_while_the_match_is_paused() -> None:
    game = market()
    game.do(c.Pause(at=game.now, wall=0, by="mod"))
    bet(game, "eve", "pro")
    game.do(c.Withdraw(at=game.now, person="eve", wager=1))


# ------------------------------------------------------------------------------------------------- the lock


@pytest.mark.parametrize("fmt", ["classic", "arena"])
def test_six_rounds_lock_with_the_verdict_of_the_third(fmt: str) -> None:
    game = market(fmt)
    left: list[int] = []
    for number in range(1, 4):
        game.to_judging(round=number)
        left.append(rounds_to_lock(game.match))
        assert is_open(game.match)
        bet(game, "eve", "P0")
    assert left == [3, 2, 1]
    game.to_round(4)
    names = [event.name for event in game.log]
    at = names.index("market_locked")
    assert names[at - 1 : at + 2] == ["round_decided", "market_locked", "round_started"]
    assert rounds_to_lock(game.match) == 0 and not is_open(game.match)
    assert code(game, "eve", "P0") == "market_locked"
    game.to_end()
    assert locks(game) == 1


def test_a_void_round_counts_towards_the_lock() -> None:
    game = market(sprint())
    game.do(c.Void(at=game.now, by="mod"))
    assert game.match.locked_at is not None


@pytest.mark.parametrize("fmt", ["duel", "doubles"])
@pytest.mark.parametrize("person", [None, "ann"])
def test_one_round_locks_when_the_first_closing_opens(fmt: str, person: str | None) -> None:
    game = market(fmt)
    first = next(plan for plan in game.match.rounds[0].plans if plan.phase == "closing")
    if person is not None:
        game = market(fmt, {first.seat: person})
    game.to_slot(first.n, Stage.CALLED if person else Stage.SCHEDULED)
    bet(game, "eve", "pro")  # the prompt is not even there
    assert rounds_to_lock(game.match) == 1
    game.to_slot(first.n)
    assert game.match.locked_at == game.slot.opened_at
    late = c.Wager(at=game.now - 60_000, person="eve", outcome="pro", stake=10)
    assert game.code(late) == "market_locked"  # whatever it is stamped
    game.to_end()
    assert locks(game) == 1


def test_a_round_without_a_closing_locks_when_the_bench_is_called() -> None:
    game = market(policy())
    game.to_slot(4)
    bet(game, "eve", "pro")
    game.to_judging()
    assert game.match.locked_at is not None


# ------------------------------------------------------------------------------------------------- the end


def test_the_pool_is_paid_to_the_coin() -> None:
    game = market()
    bet(game, "eve", "pro", 7)
    bet(game, "fay", "pro", 7)
    bet(game, "gus", "con", 20)
    game.to_end(votes=winners_of({}))
    # 64 coins for 7 + 7 + 10 on pro: 18.67, 18.67, 26.67; two coins are left over, and the house comes last.
    assert states(game) == [("eve", "settled", 19), ("fay", "settled", 19), ("gus", "settled", 0)]
    settled = game.match.settlement
    assert settled is not None
    assert (settled.outcome, settled.reason, settled.house) == ("pro", None, 26)
    names = [event.name for event in game.log]
    assert names[-2:] == ["market_settled", "match_finished"]
    assert game.replayed() == game.match


def test_a_shared_win_pays_draw() -> None:
    game = market()
    bet(game, "eve", "draw", 10)
    bet(game, "fay", "pro", 30)
    game.to_end(votes=winners_of({1: "draw"}))
    assert states(game) == [("eve", "settled", 35), ("fay", "settled", 0)]


@pytest.mark.parametrize(
    ("wagers", "reason"),
    [
        ([], "too_few"),
        ([("eve", "pro")], "too_few"),
        ([("eve", "pro"), ("eve", "con")], "too_few"),
        ([("eve", "con"), ("fay", "draw")], "nobody_won"),
    ],
)
def test_stakes_go_back_when_there_is_nothing_to_win(wagers: list[tuple[str, str]], reason: str) -> None:
    game = market()
    for person, outcome in wagers:
        bet(game, person, outcome, 40)
    game.to_end(votes=winners_of({}))
    assert states(game) == [(person, "refunded", 40) for person, _ in wagers]
    settled = game.match.settlement
    assert settled is not None
    assert (settled.outcome, settled.reason, settled.house) == (None, reason, 30)


def test_who_withdrew_does_not_count_as_one_who_bet() -> None:
    game = market()
    bet(game, "eve", "pro")
    bet(game, "fay", "pro")
    game.do(c.Withdraw(at=game.now, person="fay", wager=2))
    game.to_end(votes=winners_of({}))
    assert game.match.settlement is not None and game.match.settlement.reason == "too_few"


@pytest.mark.parametrize("locked", [False, True])
def test_cancelling_refunds_everybody(locked: bool) -> None:
    game = market()
    bet(game, "eve", "pro")
    bet(game, "fay", "con", 30)
    if locked:
        game.to_judging()
    game.do(c.Cancel(at=game.now, by="mod"))
    assert states(game) == [("eve", "refunded", 10), ("fay", "refunded", 30)]
    assert [event.name for event in game.log[-2:]] == ["market_voided", "match_cancelled"]
    assert code(game, "eve", "pro") == "match_over"


# ------------------------------------------------------------------------------------------------- any pool

OUTCOMES = ("P0", "P1", "P2", "draw")
WAGERS = st.lists(
    st.tuples(st.sampled_from(OUTCOMES), st.integers(1, 50) | st.integers(1, MOST_COINS)), max_size=40
).map(lambda drawn: [Backed(number, *entry) for number, entry in enumerate(drawn, 1)])


@MODEST
@given(WAGERS, st.sampled_from(OUTCOMES))
def test_any_pool_is_paid_out_whole_and_fairly(wagers: list[Backed], winning: str) -> None:
    paid = pay_out(OUTCOMES, wagers, winning)
    pool = sum(wager.stake for wager in wagers) + HOUSE_STAKE * len(OUTCOMES)
    assert sum(paid.wagers.values()) + paid.house == pool
    winners = [wager for wager in wagers if wager.outcome == winning]
    assert set(paid.wagers) == {wager.id for wager in winners}
    total = sum(wager.stake for wager in winners) + HOUSE_STAKE
    exact = [(wager.stake, paid.wagers[wager.id]) for wager in winners] + [(HOUSE_STAKE, paid.house)]
    for stake, share in exact:
        assert stake * pool // total <= share <= stake * pool // total + 1
    # Nobody with a smaller remainder, or an equal one and a later wager, has a coin that another lacks.
    extra = [share - stake * pool // total for stake, share in exact]
    remainder = [stake * pool % total for stake, _ in exact]
    order = sorted(range(len(exact)), key=lambda at: (-remainder[at], at))
    assert [extra[at] for at in order] == sorted(extra, reverse=True)
    assert pay_out(OUTCOMES, wagers, winning) == paid
