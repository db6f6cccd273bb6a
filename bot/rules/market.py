"""Betting on the outcome of a match while it runs (docs/rules.md, "Wagers"): who may, until when, and what becomes of
the stakes. Where the coins are is the ledger's business; the arithmetic is in `pool`.

A market opens with the match. It locks when half of the rounds are decided, or, where there is only one round, when the
first closing opens. The lock is an event, so what counts is what came before it in the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from bot.rules import commands as c
from bot.rules import events as e
from bot.rules.format import Format
from bot.rules.lineup import SlotPlan
from bot.rules.match import Match, Wager
from bot.rules.pool import Backed, odds_of, outcome_of_seat, outcome_of_winners, outcomes_of, pay_out, stakes_on
from bot.rules.rejection import Rejection, reject
from bot.rules.scribe import Scribe

CLOSING = "closing"
MOST_COINS = 1_000_000_000
"""What one person may have on one match, whatever a community allows."""
MOST_OPEN = 25
"""Wagers one person may have open in a match."""


# ------------------------------------------------------------------------------------------------- what it looks like


def outcomes(match: Match) -> tuple[str, ...]:
    return outcomes_of(match.rules)


def standing(match: Match) -> tuple[Wager, ...]:
    """The wagers that take part in the pool: open ones, and after the end those that were settled."""
    return tuple(wager for wager in match.wagers if wager.state in ("open", "settled"))


def stakes(match: Match) -> dict[str, int]:
    """What is on each outcome, with the house."""
    return stakes_on(outcomes(match), _backed(standing(match)))


def odds(match: Match) -> dict[str, int]:
    """What 100 coins on each outcome would bring if it came so now."""
    return odds_of(stakes(match))


def open_wagers(match: Match, person: str) -> tuple[Wager, ...]:
    return tuple(wager for wager in match.wagers if wager.person == person and wager.state == "open")


def is_open(match: Match) -> bool:
    """Whether wagers are taken."""
    return match.market and match.started_at is not None and match.locked_at is None and not match.over


def locking_round(fmt: Format) -> int:
    """The round whose verdict locks the market; where it is the only one, its closing does so before."""
    return (len(fmt.rounds) + 1) // 2


def rounds_to_lock(match: Match) -> int:
    """How many rounds are still to be decided until the market locks, with the one being played; 0 once it has."""
    if match.locked_at is not None:
        return 0
    decided = sum(entry.decided_at is not None for entry in match.rounds)
    return max(1, locking_round(match.rules) - decided)


def may_not_bet(match: Match, person: str) -> Rejection | None:
    """Why somebody may back nothing at all in this match, or None."""
    if any(person in _holders(match, seat.id) for seat in match.judges):
        return reject("judges_do_not_bet")
    if person == match.host:
        return reject("host_does_not_bet")
    if person in match.moderators:
        return reject("moderators_do_not_bet")
    return None


def own_outcome(match: Match, person: str) -> str | None:
    """The one outcome that who debates, or has debated, may back; None for everybody else."""
    seat = next((seat.id for seat in match.debaters if person in _holders(match, seat.id)), None)
    return None if seat is None else outcome_of_seat(match.rules, seat)


def _holders(match: Match, seat: str) -> set[str]:
    """The people who hold a seat or have held it in play. In play a person's seat goes to an AI, and back."""
    held = match.seats[seat]
    people = {holder.person for holder in (held.first, held.holder) if holder is not None} | {held.former}
    return {person for person in people if person is not None}


def _backed(wagers: Sequence[Wager]) -> list[Backed]:
    return [Backed(wager.id, wager.outcome, wager.stake) for wager in wagers]


# ------------------------------------------------------------------------------------------------- wagers


def place(scribe: Scribe, command: c.Wager) -> Rejection | None:
    match = scribe.match
    refusal = (
        _closed(match)
        or may_not_bet(match, command.person)
        or _not_to_back(match, command.person, command.outcome)
        or _bad_stake(match, command.person, command.stake, command.least, command.most)
    )
    if refusal is not None:
        return refusal
    if len(open_wagers(match, command.person)) >= MOST_OPEN:
        return reject("too_many_wagers", most=MOST_OPEN)
    scribe.write(
        e.WagerPlaced(
            at=max(command.at, match.now),
            wager=len(match.wagers) + 1,
            person=command.person,
            outcome=command.outcome,
            stake=command.stake,
        )
    )
    return None


def change(scribe: Scribe, command: c.WagerChange) -> Rejection | None:
    match = scribe.match
    wager = _theirs(match, command.person, command.wager)
    refusal = _closed(match) or (wager if isinstance(wager, Rejection) else None)
    if refusal is not None or isinstance(wager, Rejection):
        return refusal
    outcome = wager.outcome if command.outcome is None else command.outcome
    stake = wager.stake if command.stake is None else command.stake
    if (outcome, stake) == (wager.outcome, wager.stake):
        return reject("wager_unchanged")
    refusal = _not_to_back(match, command.person, outcome)
    if refusal is None and stake != wager.stake:
        refusal = _bad_stake(match, command.person, stake, command.least, command.most, instead_of=wager.stake)
    if refusal is not None:
        return refusal
    at = max(command.at, match.now)
    scribe.write(e.WagerChanged(at=at, wager=wager.id, person=wager.person, outcome=outcome, stake=stake))
    return None


def withdraw(scribe: Scribe, command: c.Withdraw) -> Rejection | None:
    match = scribe.match
    wager = _theirs(match, command.person, command.wager)
    refusal = _closed(match) or (wager if isinstance(wager, Rejection) else None)
    if refusal is not None or isinstance(wager, Rejection):
        return refusal
    scribe.write(e.WagerWithdrawn(at=max(command.at, match.now), wager=wager.id, person=wager.person))
    return None


def _closed(match: Match) -> Rejection | None:
    if not match.market:
        return reject("no_market")
    if match.started_at is None:
        return reject("market_not_open")
    return None if match.locked_at is None else reject("market_locked")


def _theirs(match: Match, person: str, number: int) -> Wager | Rejection:
    wager = next((wager for wager in open_wagers(match, person) if wager.id == number), None)
    return reject("no_such_wager") if wager is None else wager


def _not_to_back(match: Match, person: str, outcome: str) -> Rejection | None:
    if outcome not in outcomes(match):
        return reject("no_such_outcome", outcome=outcome, outcomes=outcomes(match))
    own = own_outcome(match, person)
    return None if own in (None, outcome) else reject("back_yourself", outcome=own)


def _bad_stake(
    match: Match, person: str, stake: int, least: int, most: int | None, instead_of: int = 0
) -> Rejection | None:
    least = max(1, least)
    if stake < least:
        return reject("stake_too_small", least=least)
    most = MOST_COINS if most is None else min(most, MOST_COINS)
    others = sum(wager.stake for wager in open_wagers(match, person)) - instead_of
    if others + stake > most:
        return reject("stakes_too_high", most=most, left=max(0, most - others))
    return None


# ------------------------------------------------------------------------------------------------- who may not any more


def bar(scribe: Scribe, at: int, person: str, why: Literal["host", "moderator"]) -> None:
    """Give the stakes back of who may not bet any more, locked or not."""
    for wager in open_wagers(scribe.match, person):
        scribe.write(e.WagerRefunded(at=at, wager=wager.id, person=person, why=why))


def moderated(scribe: Scribe, at: int, by: str, what: Literal["skip", "replace", "void"]) -> None:
    """Note that somebody steers the match. To be called before what they do, which may end it."""
    match = scribe.match
    if match.market and by != c.SYSTEM and by not in match.moderators:
        scribe.write(e.Moderated(at=at, by=by, what=what))
        bar(scribe, at, by, "moderator")


# ------------------------------------------------------------------------------------------------- the lock and the end


def lock_at_slot(scribe: Scribe, at: int, plan: SlotPlan) -> None:
    """A slot opens: the first closing of a match of one round locks."""
    if len(scribe.match.rules.rounds) == 1 and plan.phase == CLOSING:
        _lock(scribe, at)


def lock_at_judging(scribe: Scribe, at: int) -> None:
    """The bench is called: a match of one round without a closing locks now."""
    if len(scribe.match.rules.rounds) == 1:
        _lock(scribe, at)


def lock_at_verdict(scribe: Scribe, at: int) -> None:
    """A round is decided."""
    if len(scribe.match.rounds) >= locking_round(scribe.match.rules):
        _lock(scribe, at)


def settle(scribe: Scribe, at: int, winners: Sequence[str]) -> None:
    """The match ends with these winners: pay, or give everything back when there is nothing to pay."""
    match = scribe.match
    if not match.market:
        return
    wagers = standing(match)
    winning = outcome_of_winners(match.rules, winners)
    if len({wager.person for wager in wagers}) < 2:
        void(scribe, at, "too_few")
    elif all(wager.outcome != winning for wager in wagers):
        void(scribe, at, "nobody_won")
    else:
        paid = pay_out(outcomes(match), _backed(wagers), winning)
        scribe.write(e.MarketSettled(at=at, outcome=winning, payouts=paid.wagers, house=paid.house))


def void(scribe: Scribe, at: int, reason: Literal["cancelled", "too_few", "nobody_won"]) -> None:
    """Give everything back."""
    if scribe.match.market:
        scribe.write(e.MarketVoided(at=at, reason=reason))


def _lock(scribe: Scribe, at: int) -> None:
    if scribe.match.market and scribe.match.locked_at is None:
        scribe.write(e.MarketLocked(at=at))
