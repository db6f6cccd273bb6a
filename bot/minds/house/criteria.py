"""From what was heard to the four criteria, and the judges who weigh them differently."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bot.minds.house.accounts import Account, Hearing, Point


@dataclass(frozen=True, slots=True)
class Profile:
    """How one kind of judge weighs the criteria. The weights add up to 1."""

    name: str
    argument: float
    evidence: float
    rebuttal: float
    persuasion: float

    def weight(self, criterion: str) -> float:
        return getattr(self, criterion)


PROFILES = (
    Profile("substance", argument=0.42, evidence=0.26, rebuttal=0.18, persuasion=0.14),
    Profile("clash", argument=0.20, evidence=0.12, rebuttal=0.52, persuasion=0.16),
    Profile("listener", argument=0.18, evidence=0.24, rebuttal=0.16, persuasion=0.42),
)


def profile_of(judge_index: int) -> Profile:
    return PROFILES[judge_index % len(PROFILES)]


def measure(hearing: Hearing, account: Account) -> dict[str, float]:
    """One side's four criteria, each from 0 to 1."""
    if not account.spoken:
        return {"argument": 0.0, "evidence": 0.0, "rebuttal": 0.0, "persuasion": 0.0}
    fault = 0.05 * min(3, len(account.tricks)) + 0.04 * min(3, len(account.repeated)) + 0.04 * min(3, len(account.off))
    values = {
        "argument": _argument(hearing, account),
        "evidence": _saturate(account.evidence / account.slots, 2.0),
        "rebuttal": _rebuttal(hearing, account),
        "persuasion": _persuasion(hearing, account) - fault,
    }
    return {criterion: min(1.0, max(0.0, value)) for criterion, value in values.items()}


def fate(point: Point, owner: Account, rivals: list[Account]) -> str:
    """What became of a point: "conceded", "dropped" (never met although there was time), "held", "answered", "late"."""
    if point.conceded:
        return "conceded"
    if point.answers and not point.last_answer:
        return "contested"
    if point.answers:
        met = len(point.defences) >= len(point.answers) or any(turn > point.last_answer for turn in point.defences)
        if met:
            return "held"
        silent = owner.chances(point.last_answer) and point.replied < point.last_answer
        return "answered" if silent else "contested"
    if point.asked and not point.replied and owner.chances(point.asked):
        return "dodged"
    if point.asked:
        return "held"
    return "dropped" if sum(rival.chances(point.turn) for rival in rivals) else "late"


_FATE = {"conceded": 1.25, "dropped": 1.1, "held": 1.0, "late": 0.85, "contested": 0.8, "dodged": 0.65, "answered": 0.6}


def _argument(hearing: Hearing, account: Account) -> float:
    quality = (0.5 * account.substance + 0.5 * account.reasoning) / account.slots
    rivals = hearing.others(account)
    total = 0.0
    for point in account.points:
        support = 0.5 + (0.3 if point.reason else 0.0) + (0.2 if point.example else 0.0)
        total += support * _FATE[fate(point, account, rivals)]
    return 0.45 * min(1.0, quality / 0.75) + 0.55 * _saturate(total, 0.42)


_DEFENCE, _REPLY = 0.9, 1.0
"""What a defence and an answered question are worth beside an attack. Measured: with less, the side that speaks first
in the free debate gains from being able to attack while the other has to answer."""


def _rebuttal(hearing: Hearing, account: Account) -> float:
    tasks = done = 0.0
    for rival in hearing.others(account):
        for point in rival.points:
            strength = max((strength for _, strength in point.answers), default=0.0)
            if account.chances(point.turn) or strength:
                tasks += 1.0
                done += min(1.0, strength + (0.15 if len(point.answers) > 1 else 0.0))
            if point.asked and not point.replied and rival.chances(point.asked):
                done += 0.25  # a question that found no answer is pressure well put
    for point in account.points:
        attacks = [
            strength
            for turn, strength in point.answers
            if account.chances(turn) or any(d > turn for d in point.defences)
        ]
        tasks += _DEFENCE * sum(attacks)
        done += _DEFENCE * min(sum(attacks), point.firm)
        if point.asked and (point.replied or account.chances(point.asked)):
            tasks += _REPLY
            done += _REPLY if point.replied else 0.0
    return 0.6 * (done + 0.5) / (tasks + 1.0) + 0.4 * _saturate(done, 0.4)


def _persuasion(hearing: Hearing, account: Account) -> float:
    rivals = hearing.others(account)
    alive = [p for p in account.points if fate(p, account, rivals) in ("conceded", "dropped", "held", "late")]
    standing = len(alive) / len(account.points) if account.points else 0.0
    weighed = sum(1 for point in alive if point.weighed) + 0.5 * account.weighing
    asked = sum(1 for rival in rivals for point in rival.points if point.asked)
    replied = sum(1 for point in account.points if point.replied)
    granted = sum(1 for rival in rivals for point in rival.points if point.conceded)
    presence = account.spoken / account.slots
    return (
        0.32 * presence
        + 0.26 * _saturate(weighed, 0.6)
        + 0.2 * standing
        + 0.16 * _saturate(0.4 * asked + 0.8 * replied, 0.8)
        + (0.03 if granted == 1 else 0.0)
    )


def _saturate(value: float, rate: float) -> float:
    """0 for nothing, nearing 1 with more, each bit adding less than the one before."""
    return 1.0 - math.exp(-rate * max(0.0, value))
