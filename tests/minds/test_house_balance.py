"""Fairness over many rounds: neither side of a motion, nor the first nor the last word, is worth more than chance."""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache

import pytest

from bot.minds.house.judge import decide
from bot.minds.house.rehearse import play
from tests.minds.house_rounds import BANKED, CATALOGUE, FREE, motion_of


@lru_cache(maxsize=4)
def results(names: tuple[str, ...], seeds: int) -> Counter[str]:
    """Rounds of every motion under many seeds, each played twice: once with pro as side A, once with con."""
    found: Counter[str] = Counter()
    for name in names:
        motion = motion_of(name)
        for seed in range(seeds):
            for first in ("pro", "con"):
                played = play(CATALOGUE, motion, seed, "arena", first)
                votes = Counter(decide(played.transcript(at), CATALOGUE).vote for at in range(3))
                winner = "pro" if votes["pro"] >= 2 else "con"
                found["rounds"] += 1
                found["pro"] += winner == "pro"
                found["first"] += winner == first
                found["split"] += len(votes) > 1
                found[f"pro {name}"] += winner == "pro"
    return found


def within_noise(share: float, rounds: int) -> bool:
    """Whether a share could be that of a fair coin (three standard errors; soak measures it finely)."""
    return abs(share - 0.5) <= 3 * math.sqrt(0.25 / rounds)


def test_pro_first_and_last_word_win_about_half():
    found = results(BANKED, 6)
    assert found["rounds"] >= 400
    assert 0.45 <= found["pro"] / found["rounds"] <= 0.55, found["pro"] / found["rounds"]
    assert within_noise(found["first"] / found["rounds"], found["rounds"]), found["first"] / found["rounds"]


def test_votes_are_split_in_a_fifth_of_the_rounds():
    found = results(BANKED, 6)
    assert found["split"] >= 0.18 * found["rounds"], found["split"] / found["rounds"]


def test_schemes_are_balanced_too():
    found = results(FREE, 12)
    assert within_noise(found["pro"] / found["rounds"], found["rounds"])
    assert within_noise(found["first"] / found["rounds"], found["rounds"])


@pytest.mark.soak
@pytest.mark.timeout(3_600)
def test_no_advantage_over_many_seeds():
    found = results(BANKED, 100)
    for what in ("pro", "first"):
        assert 0.47 <= found[what] / found["rounds"] <= 0.53, (what, found[what] / found["rounds"])
    assert found["split"] >= 0.2 * found["rounds"]


@pytest.mark.soak
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("name", BANKED)
def test_both_sides_of_a_motion_are_equally_arguable(name: str):
    found = results((name,), 200)
    assert 0.42 <= found["pro"] / found["rounds"] <= 0.58, found["pro"] / found["rounds"]
