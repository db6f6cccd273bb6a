"""What a match is likely to cost, before it is played: a pure function of its format, its bench and its models."""

from __future__ import annotations

from collections.abc import Callable

from bot.minds.brief import Usage
from bot.minds.models.budget import Price, usage_of
from bot.minds.models.endpoints import HOUSE, Assignment
from bot.rules.format import Format
from bot.rules.lineup import lineup_of, plan_round

# Tokens of prompts, measured with the prompts there are; a turn's grows with what was said before it in the round.
_TURN_PROMPT = 650
_TURN_PROMPT_PER_TURN = 45
_BALLOT_PROMPT = 900
_BALLOT_TOKENS = 260
_WHY_TOKENS = 45
_CHARS_A_TOKEN = 4.5
_SECOND_LOOKS = 0.35
"""The share of ballots that are close, for which a judge looks twice."""
_RETRIES = 0.05


def estimate(
    fmt: Format,
    judges: int,
    assignment: Assignment,
    price_of: Callable[[str], Price | None],
    *,
    people: frozenset[str] = frozenset(),
    seed: int = 0,
) -> Usage:
    """Calls, tokens and money that AIs are likely to use: the rounds of the format, without tie-breaks. `people` are
    the seats held by persons, who cost nothing; who sits where else is not known yet, so a debater is taken to use the
    default model. With a model of unknown price, `unpriced` counts its calls."""
    used = Usage()
    for number in range(1, len(fmt.rounds) + 1):
        plans = plan_round(fmt, lineup_of(fmt, number, seed))
        said = 0.0
        for at, plan in enumerate(plans):
            speech = plan.limit / _CHARS_A_TOKEN * 0.85
            for seat in plan.seats[:1]:
                if seat not in people and assignment.default != HOUSE:
                    prompt = round(_TURN_PROMPT + _TURN_PROMPT_PER_TURN * at)
                    used += _with_retries(price_of(assignment.default), prompt, round(speech + _WHY_TOKENS))
            said += speech
        for judge in range(judges):
            model = assignment.judge(judge)
            if f"J{judge}" in people or model == HOUSE:
                continue
            looks = 1 + _SECOND_LOOKS
            ballot = _with_retries(price_of(model), round(_BALLOT_PROMPT + said * 1.2), _BALLOT_TOKENS)
            used += _times(ballot, looks)
    return Usage(round(used.calls), round(used.prompt_tokens), round(used.completion_tokens), used.usd, used.unpriced)


def _with_retries(price: Price | None, prompt: int, completion: int) -> Usage:
    return _times(usage_of(price, prompt, completion), 1 + _RETRIES)


def _times(usage: Usage, factor: float) -> Usage:
    """Calls stay whole numbers: those that come on top are in the tokens."""
    return Usage(
        usage.calls,
        round(usage.prompt_tokens * factor),
        round(usage.completion_tokens * factor),
        usage.usd * factor,
        usage.unpriced,
    )
