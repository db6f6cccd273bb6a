"""The pool of a market: what can be bet on, what the house stakes, odds, and how a pool is paid out (docs/rules.md,
"Wagers"). Plain arithmetic on whole coins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bot.rules.format import DRAW, Format, teams_of

HOUSE_STAKE = 10
"""The house has this on every outcome, so that there are odds from the start. It takes part as the last wager."""


class Backed(NamedTuple):
    """A wager as far as the pool is concerned."""

    id: int
    outcome: str
    stake: int


class Payouts(NamedTuple):
    wagers: dict[int, int]
    """By wager, for those on the outcome that pays."""
    house: int


def outcomes_of(fmt: Format) -> tuple[str, ...]:
    """What can be bet on: each debater's seat, or each side where the team wins; and that the win is shared."""
    return (*(fmt.sides if fmt.winner == "team" else fmt.seats), DRAW)


def outcome_of_seat(fmt: Format, seat: str) -> str:
    """The outcome on which this seat wins: the seat, or its side. Where teams change sides between rounds, a team goes
    by its side in the first."""
    if fmt.winner == "seat":
        return seat
    return next(side for side, members in teams_of(fmt.rounds[0]).items() if seat in members)


def outcome_of_winners(fmt: Format, winners: Sequence[str]) -> str:
    """The outcome that pays when these seats win the match."""
    won = {outcome_of_seat(fmt, seat) for seat in winners}
    return won.pop() if len(won) == 1 else DRAW


def house_stakes(fmt: Format) -> int:
    """All that the house stakes in a match."""
    return HOUSE_STAKE * len(outcomes_of(fmt))


def stakes_on(outcomes: Sequence[str], wagers: Sequence[Backed]) -> dict[str, int]:
    """What is on each outcome, with the house."""
    total = dict.fromkeys(outcomes, HOUSE_STAKE)
    for wager in wagers:
        total[wager.outcome] += wager.stake
    return total


def odds_of(stakes: Mapping[str, int]) -> dict[str, int]:
    """What 100 coins on each outcome would bring if it came so now, rounded down."""
    pool = sum(stakes.values())
    return {outcome: pool * 100 // stake for outcome, stake in stakes.items()}


def pay_out(outcomes: Sequence[str], wagers: Sequence[Backed], winning: str) -> Payouts:
    """Share the whole pool among those who backed the winning outcome, by largest remainder: `wagers` in the order they
    were placed, the house last. What is paid is what was staked, to the coin."""
    pool = sum(stakes_on(outcomes, wagers).values())
    sharing = [(wager.id, wager.stake) for wager in wagers if wager.outcome == winning]
    stakes = [*(stake for _, stake in sharing), HOUSE_STAKE]
    total = sum(stakes)
    shares = [stake * pool // total for stake in stakes]
    remainders = [stake * pool % total for stake in stakes]
    first = sorted(range(len(stakes)), key=lambda at: (-remainders[at], at))
    for at in first[: pool - sum(shares)]:
        shares[at] += 1
    return Payouts({id: share for (id, _), share in zip(sharing, shares, strict=False)}, shares[-1])
