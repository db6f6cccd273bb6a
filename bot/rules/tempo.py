"""How long people get (docs/rules.md, "Tempo").

A tempo stretches speaking and judging time; the pace between turns and the beat of the reveals stay as the format says.
"""

from __future__ import annotations

from enum import StrEnum

DAY_S = 24 * 60 * 60


class Tempo(StrEnum):
    BLITZ = "blitz"
    STANDARD = "standard"
    RELAXED = "relaxed"
    CORRESPONDENCE = "correspondence"


_FACTOR = {Tempo.BLITZ: 1, Tempo.STANDARD: 4, Tempo.RELAXED: 8}


def default_tempo(*, person_debates: bool) -> Tempo:
    """Blitz when every debater is an AI, relaxed when a person debates."""
    return Tempo.RELAXED if person_debates else Tempo.BLITZ


def timeout_ms(tempo: Tempo, base_s: float, extra: float = 1.0) -> int:
    """The time a slot gives, in match milliseconds. `extra` is the seat's own multiplier (accessibility), 1 or more."""
    seconds = DAY_S if tempo is Tempo.CORRESPONDENCE else base_s * _FACTOR[tempo]
    return round(seconds * max(1.0, extra) * 1000)
