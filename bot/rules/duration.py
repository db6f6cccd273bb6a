"""How long a match may be expected to take."""

from __future__ import annotations

from math import ceil

from bot.rules.lineup import lineup_of, plan_round
from bot.rules.match import Match
from bot.rules.tempo import default_tempo, timeout_ms


def expected_minutes(match: Match) -> tuple[int, int]:
    """The least and the most minutes the rounds of the format take, without tie-breaks: nobody, or every person, using
    all time."""
    fmt = match.rules
    tempo = match.tempo or default_tempo(person_debates=match.is_held_by_person(fmt.seats))
    least = most = 0.0
    for number in range(1, len(fmt.rounds) + 1):
        for plan in plan_round(fmt, lineup_of(fmt, number, match.seed)):
            least += fmt.pace_s
            most += fmt.pace_s
            if match.is_held_by_person(plan.seats):
                most += timeout_ms(tempo, plan.timeout_s) / 1000
        if match.is_held_by_person(tuple(judge.id for judge in match.judges)):
            most += timeout_ms(tempo, fmt.judging.timeout_s) / 1000
        beats = fmt.judging.reveal_s * len(match.judges)
        least, most = least + beats, most + beats
    return max(1, round(least / 60)), max(1, ceil(most / 60)) if most > least else max(1, round(least / 60))
