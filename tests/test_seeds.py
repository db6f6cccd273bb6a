"""Whole matches over many seeds, judged by a verifier that reads only their exported records.

Real rules, host, SQLite store, house minds; the clock is virtual. Twenty seeds here, two hundred in `make soak`.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from bench.match import nowhere, play
from bot.app import open_app
from bot.export import export_text
from tests.verifier import verify

FEW = tuple(range(1, 21))
MANY = tuple(range(1, 201))


@cache
def records(format: str, seeds: Sequence[int]) -> list[dict[str, Any]]:
    """The exported records of matches of a format, one a seed."""

    async def run() -> list[dict[str, Any]]:
        async with open_app("sqlite+aiosqlite:///:memory:", nowhere) as app:
            await app.host.start()
            ids = [await play(app, seed, format) for seed in seeds]
            return [json.loads(await export_text(app.store, id, "json")) for id in ids]

    return asyncio.run(run())


def check_rules(format: str, seeds: Sequence[int]) -> None:
    problems = {record["seed"]: verify(record, exact=True) for record in records(format, seeds)}
    assert {seed: found for seed, found in problems.items() if found} == {}


def check_fairness(seeds: Sequence[int]) -> dict[str, float]:
    """Over arena matches: what a side, the first and the last word, and each seat win. Returns the shares it
    checked."""
    rounds = [entry for record in records("arena", seeds) for entry in record["rounds"] if not entry["tiebreak"]]
    decided = [entry for entry in rounds if entry["winner"] in ("pro", "con")]
    n = len(decided)
    first = sum(entry["winner"] == entry["first_side"] for entry in decided)
    shares = {"pro": sum(entry["winner"] == "pro" for entry in decided) / n, "first word": first / n}
    wins: Counter[str] = Counter()
    for entry in decided:
        wins.update(entry[entry["winner"]])
    # A seat plays 4 of 6 rounds and wins half of them by chance.
    spread = math.sqrt(len(seeds) * 4 * 0.25)
    for number in range(6):
        seat = f"P{number}"
        shares[seat] = wins[seat] / (len(seeds) * 4)
        assert abs(wins[seat] - len(seeds) * 2) < 3.5 * spread, f"{seat} won {wins[seat]} of {len(seeds) * 4}"
    for name in ("pro", "first word"):
        margin = max(0.05, 3 * 0.5 / math.sqrt(n))
        assert abs(shares[name] - 0.5) <= margin, f"{name} won {shares[name]:.3f} of {n} rounds"
    return shares


@pytest.mark.parametrize("format", ["classic", "arena", "duel", "doubles"])
def test_twenty_seeds_keep_every_rule(format: str) -> None:
    check_rules(format, FEW)


def test_twenty_seeds_are_fair() -> None:
    check_fairness(FEW)


def test_the_matches_are_not_all_alike() -> None:
    """What the rules allow to happen does happen over these seeds: split votes, ties, tie-breaks, every kind of
    move."""
    made = records("arena", FEW)
    ballots = [tuple(ballot["vote"] for ballot in entry["ballots"]) for record in made for entry in record["rounds"]]
    assert any(len(set(votes)) == 2 for votes in ballots)
    assert any(record["rounds"][-1]["tiebreak"] for record in made)
    assert any(len({line["place"] for line in record["standings"]}) < 6 for record in made)
    moves = {turn["move"] for record in made for entry in record["rounds"] for turn in entry["turns"]}
    assert moves == {"statement", "argue", "rebut", "question", "concede_point"}
    assert len({entry["motion"]["id"] for record in made for entry in record["rounds"]}) >= 30


@pytest.mark.soak
@pytest.mark.parametrize("format", ["classic", "arena", "duel", "doubles"])
def test_two_hundred_seeds_keep_every_rule(format: str) -> None:
    check_rules(format, MANY)


@pytest.mark.soak
def test_two_hundred_seeds_are_fair(capsys: pytest.CaptureFixture[str]) -> None:
    shares = check_fairness(MANY)
    with capsys.disabled():
        print("\narena over 200 seeds:", ", ".join(f"{name} {share:.3f}" for name, share in shares.items()))  # noqa: T201
    assert 0.45 <= shares["pro"] <= 0.55
