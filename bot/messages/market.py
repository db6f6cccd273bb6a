"""The market of a match, in cards: the board beside the match with odds and pool, and what was paid at the end."""

from __future__ import annotations

from collections import Counter

from bot.messages.card import Button, Card, Fact, Table, person_token
from bot.messages.names import name_of
from bot.messages.words import Words
from bot.rules.format import DRAW
from bot.rules.market import is_open, locking_round, odds, outcomes, rounds_to_lock, stakes, standing
from bot.rules.match import Match

MOST_ROWS = 20
"""People named in a settlement; the others are counted."""


def outcome_name(say: Words, match: Match, outcome: str) -> str:
    """ "P0 Ada", "Pro", "Draw"."""
    if outcome in match.seats:
        return say("market.seat", seat=outcome, name=name_of(match, outcome))
    return say.get(f"side.{outcome}", outcome)


def odds_text(hundredths: int) -> str:
    """What a coin would bring: "2.40"."""
    return f"{hundredths // 100}.{hundredths % 100:02}"


def market_card(say: Words, match: Match) -> Card:
    """The board: odds, what is on each outcome, and how long wagers are taken."""
    on, bring = stakes(match), odds(match)
    takes_wagers = is_open(match)
    facts = tuple(
        Fact(
            label=outcome_name(say, match, outcome),
            value=say("market.odds", odds=odds_text(bring[outcome]), coins=on[outcome]),
        )
        for outcome in outcomes(match)
    )
    people = len({wager.person for wager in standing(match)})
    buttons = tuple(
        Button(action="wager", arg=outcome, label=say("market.back", outcome=say.get(f"side.{outcome}", outcome)))
        for outcome in outcomes(match)
    )
    return Card(
        kind="market",
        title=say("market.title"),
        text=_state(say, match) + " " + _counted(say, "market.pool", people, pool=sum(on.values())),
        facts=facts,
        footer=say("market.play_money"),
        buttons=buttons if takes_wagers else (),
    )


def market_body(say: Words, match: Match) -> str:
    """The board as it is kept and shown."""
    return market_card(say, match).model_dump_json(exclude_defaults=True)


def _state(say: Words, match: Match) -> str:
    if match.settlement is not None:
        return _ended(say, match)
    if not is_open(match):
        return say("market.locked")
    if len(match.rules.rounds) == 1:
        return say("market.locks_at_closing")
    return _counted(say, "market.locks_in", rounds_to_lock(match), round=locking_round(match.rules))


def _ended(say: Words, match: Match) -> str:
    ended = match.settlement
    assert ended is not None
    if ended.outcome is None:
        return say(f"market.void_{ended.reason}")
    if ended.outcome == DRAW:
        return say("market.paid_draw")
    return say("market.paid", outcome=outcome_name(say, match, ended.outcome))


def settlement_card(say: Words, match: Match) -> Card | None:
    """Who won what. None: nobody had bet."""
    if match.settlement is None or not match.wagers:
        return None
    text = _ended(say, match)
    if match.settlement.outcome is None:
        return Card(kind="settlement", tone="quiet", title=say("market.title_void"), text=text)
    staked: Counter[str] = Counter()
    got: Counter[str] = Counter()
    for wager in standing(match):
        staked[wager.person] += wager.stake
        got[wager.person] += wager.payout
    people = sorted(staked, key=lambda person: staked[person] - got[person])
    rows = tuple(
        (person_token(person), str(staked[person]), str(got[person]), f"{got[person] - staked[person]:+}")
        for person in people[:MOST_ROWS]
    )
    columns = ("column_name", "column_staked", "column_got", "column_gain")
    rest = len(people) - len(rows)
    return Card(
        kind="settlement",
        tone="win",
        title=say("market.title_paid"),
        text=text + " " + say("market.house", coins=match.settlement.house, pool=sum(stakes(match).values())),
        table=Table(columns=tuple(say(f"market.{column}") for column in columns), rows=rows),
        footer=say("market.more", n=rest) if rest else "",
    )


def locked_card(say: Words, match: Match) -> Card | None:
    """Said when wagers are closed, if there are any."""
    if not standing(match):
        return None
    on = stakes(match)
    first = max(on, key=lambda outcome: on[outcome])
    text = say("market.closed", outcome=outcome_name(say, match, first), odds=odds_text(odds(match)[first]))
    return Card(kind="note", tone="quiet", text=text)


def _counted(say: Words, key: str, n: int, **values: object) -> str:
    return say(f"{key}_one", **values) if n == 1 else say(f"{key}_many", n=n, **values)
