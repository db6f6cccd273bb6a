"""Betting play money on a match, and one's wallet (docs/rules.md, "Wagers")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

from bot.actions.actor import Actor, Reply
from bot.actions.permissions import refusal
from bot.actions.services import Services, refused, send, store_trouble
from bot.community.ledger import Wallets
from bot.community.policy import Policy
from bot.host.ports import StoreError
from bot.messages.market import outcome_name
from bot.rules import commands as c
from bot.rules.events import Event, WagerChanged, WagerPlaced
from bot.rules.market import MOST_COINS, open_wagers, outcomes, stakes
from bot.rules.match import Match, Wager
from bot.rules.rejection import Rejection, reject
from bot.rules.text import clean, shorten

Share = Literal["10%", "50%", "all"]
"""What a button stakes, of what is in the wallet."""
SHARES: dict[str, int] = {"10%": 10, "50%": 50, "all": 100}

_AMOUNT = re.compile("[0-9]{1,10}")  # not \d, which takes the digits of every script
_LONGEST_ECHO = 40
STATEMENT_LINES = 15


def parse_amount(text: str) -> int | Rejection:
    """Whole coins, typed in the digits 0 to 9 and nothing else: no sign, point, unit or exponent."""
    typed = text.strip()
    if not _AMOUNT.fullmatch(typed):
        return reject("bad_amount", amount=shorten(clean(typed), _LONGEST_ECHO), most=MOST_COINS)
    return int(typed)


# ------------------------------------------------------------------------------------------------- wagers


async def place(
    services: Services,
    actor: Actor,
    match_id: str,
    outcome: str,
    amount: str | None = None,
    share: Share | None = None,
) -> Reply:
    """Bet on an outcome: an amount as typed, or by a button a share of what one has."""
    coins = await _coins(services, actor, amount, share)
    if isinstance(coins, Reply):
        return coins

    def make(match: Match) -> c.Command | Rejection:
        limits = _limits(services.known_policy(actor.community))
        stake = coins if share is None else _shared(coins, share, limits, _staked(open_wagers(match, actor.person)))
        chosen = _outcome(match, outcome)
        return c.Wager(at=match.now, person=actor.person, outcome=chosen, stake=stake, least=limits[0], most=limits[1])

    def say(events: Sequence[Event], match: Match) -> str:
        placed = next(event for event in events if isinstance(event, WagerPlaced))
        return _told(services, "reply.wagered", match, match.wagers[placed.wager - 1])

    return await send(services, actor, match_id, "wager", make, say)


async def change(
    services: Services,
    actor: Actor,
    match_id: str,
    wager: int | None = None,
    outcome: str | None = None,
    amount: str | None = None,
    share: Share | None = None,
) -> Reply:
    """Put a wager on another outcome, or change its stake. Without a number: the only one there is. A share is of what
    is in the wallet together with the stake."""
    coins: int | None = None
    if amount is not None or share is not None:
        found = await _coins(services, actor, amount, share)
        if isinstance(found, Reply):
            return found
        coins = found

    def make(match: Match) -> c.Command | Rejection:
        theirs = _which(match, actor.person, wager)
        if isinstance(theirs, Rejection):
            return theirs
        limits = _limits(services.known_policy(actor.community))
        stake = coins
        if coins is not None and share is not None:
            others = _staked(open_wagers(match, actor.person)) - theirs.stake
            stake = _shared(coins + theirs.stake, share, limits, others)
        return c.WagerChange(
            at=match.now,
            person=actor.person,
            wager=theirs.id,
            outcome=None if outcome is None else _outcome(match, outcome),
            stake=stake,
            least=limits[0],
            most=limits[1],
        )

    def say(events: Sequence[Event], match: Match) -> str:
        changed = next(event for event in events if isinstance(event, WagerChanged))
        return _told(services, "reply.wager_changed", match, match.wagers[changed.wager - 1])

    return await send(services, actor, match_id, "wager_change", make, say)


async def withdraw(services: Services, actor: Actor, match_id: str, wager: int | None = None) -> Reply:
    """Take a wager back. Without a number: the only one there is."""

    def make(match: Match) -> c.Command | Rejection:
        theirs = _which(match, actor.person, wager)
        if isinstance(theirs, Rejection):
            return theirs
        return c.Withdraw(at=match.now, person=actor.person, wager=theirs.id)

    return await send(
        services, actor, match_id, "withdraw", make, lambda _, match: services.words("reply.wager_withdrawn")
    )


def _which(match: Match, person: str, number: int | None) -> Wager | Rejection:
    theirs = open_wagers(match, person)
    if number is None and len(theirs) > 1:
        return reject("which_wager", wagers=", ".join(str(wager.id) for wager in theirs))
    found = next((wager for wager in theirs if number in (None, wager.id)), None)
    return reject("no_such_wager") if found is None else found


def _outcome(match: Match, typed: str) -> str:
    """The outcome that is meant; what is none is left for the rules to refuse."""
    wanted = typed.strip().casefold()
    return next((outcome for outcome in outcomes(match) if outcome.casefold() == wanted), clean(typed)[:_LONGEST_ECHO])


def _limits(policy: Policy | None) -> tuple[int, int | None]:
    return (1, None) if policy is None else (policy.wager_least, policy.wager_most)


def _staked(wagers: Sequence[Wager]) -> int:
    return sum(wager.stake for wager in wagers)


def _shared(coins: int, share: Share, limits: tuple[int, int | None], others: int) -> int:
    """A button's stake: at least the least and at most what is allowed, so that it does what it can."""
    least, most = limits
    left = (MOST_COINS if most is None else most) - others
    return min(max(coins * SHARES[share] // 100, least), max(left, least))


async def _coins(services: Services, actor: Actor, amount: str | None, share: Share | None) -> int | Reply:
    """The amount that was typed, or for a share what is in the wallet."""
    if share is None:
        parsed = parse_amount(amount or "")
        return refused(services, parsed) if isinstance(parsed, Rejection) else parsed
    if services.wallets is None:
        return refused(services, reject("no_wagers_here"))
    try:
        return await services.wallets.balance(actor.community, actor.person)
    except StoreError as error:
        return store_trouble(services, error)


def _told(services: Services, key: str, match: Match, wager: Wager) -> str:
    on = stakes(match)
    return services.words(
        key,
        n=wager.id,
        stake=wager.stake,
        outcome=outcome_name(services.words, match, wager.outcome),
        brings=wager.stake * sum(on.values()) // on[wager.outcome],
    )


# ------------------------------------------------------------------------------------------------- the wallet


async def wallet(services: Services, actor: Actor) -> Reply:
    """What one has."""
    wallets = await _wallets(services, actor, "wallet")
    if isinstance(wallets, Reply):
        return wallets
    try:
        balance = await wallets.balance(actor.community, actor.person)
    except StoreError as error:
        return store_trouble(services, error)
    return Reply(services.words("reply.wallet", balance=balance))


async def claim(services: Services, actor: Actor) -> Reply:
    """Take the daily allowance, or what is missing to the floor."""
    wallets = await _wallets(services, actor, "claim")
    if isinstance(wallets, Reply):
        return wallets
    try:
        claimed = await wallets.claim(actor.community, actor.person)
    except StoreError as error:
        return store_trouble(services, error)
    if isinstance(claimed, Rejection):
        return refused(services, claimed)
    return Reply(services.words(f"reply.claimed_{claimed.kind}", coins=claimed.coins, balance=claimed.balance))


async def statement(services: Services, actor: Actor, limit: int = STATEMENT_LINES) -> Reply:
    """Where one's coins came from and went, newest first."""
    wallets = await _wallets(services, actor, "statement")
    if isinstance(wallets, Reply):
        return wallets
    try:
        balance = await wallets.balance(actor.community, actor.person)
        lines = await wallets.statement(actor.person, limit)
    except StoreError as error:
        return store_trouble(services, error)
    say = services.words
    shown = [
        say(
            "statement.line",
            when=f"{datetime.fromtimestamp(line.wall / 1000, UTC):%Y-%m-%d %H:%M}",
            what=say(f"statement.{line.kind}", match=line.match or ""),
            amount=f"{line.amount:+}",
            balance=line.balance,
        )
        for line in lines
    ]
    return Reply("\n".join((say("reply.wallet", balance=balance), *shown)))


async def _wallets(services: Services, actor: Actor, action: str) -> Wallets | Reply:
    """The wallets, for who may look into theirs."""
    try:
        policy = await services.policy(actor.community)
    except StoreError as error:
        return store_trouble(services, error)
    denial = refusal(action, actor, None, policy)
    if denial is not None:
        return refused(services, denial)
    if services.wallets is None or (policy is not None and not policy.market):
        return refused(services, reject("no_wagers_here"))
    return services.wallets
