"""Evaluating: the statistics against examples worked out by hand, and the commands with the house minds."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.cli import app as bot
from bot.minds.models.statistics import alpha, cohen_kappa, correlation, mean_of, wilson


def test_figures_worked_out_by_hand():
    found = wilson(8, 10)
    assert (found.value, found.low, found.high) == pytest.approx((0.8, 0.4902, 0.9433), abs=1e-3)
    assert wilson(0, 0).value is None and wilson(0, 5).low == 0.0
    mean = mean_of([1, 2, 3])  # deviation 1, t 4.303, root of 3
    assert (mean.value, mean.low) == pytest.approx((2, 2 - 4.303 / 3**0.5))
    assert mean_of([4]).low is None and mean_of([]).value is None
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: agreement 0.7, by chance 0.5.
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert cohen_kappa(pairs) == pytest.approx(0.4)
    assert cohen_kappa([("y", "y")]) is None and cohen_kappa([]) is None
    assert correlation([(1, 2), (2, 4), (3, 6)]) == pytest.approx(1) and correlation([(1, 1), (2, 1), (3, 1)]) is None
    # Two items rated 1, 2 and 3, 3: observed 0.5, expected 22 / 12.
    assert alpha({"a": [1, 2], "b": [3, 3], "c": [5]}) == pytest.approx(1 - 0.5 / (22 / 12))


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "220")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    url = f"sqlite+aiosqlite:///{tmp_path}/e.db"
    runner = CliRunner()
    assert "no decided round" in runner.invoke(bot, ["evaluate", "judges", "--database", url]).output
    played = ["demo", "--format", "duel", "--speed", "max", "--seed", "1", "--no-sound", "--database", url]
    assert runner.invoke(bot, [*played, "--out", "out"]).exit_code == 0
    shown = runner.invoke(bot, ["evaluate", "judges", "--database", url, "--against", "house", "--swap"])
    assert shown.exit_code == 0 and "house:2" in shown.stdout and "100 [" in shown.stdout, shown.output
    assert 'no judge "gpt"' in runner.invoke(bot, ["evaluate", "judges", "--database", url, "--judge", "gpt"]).output

    assert runner.invoke(bot, ["evaluate", "sheets", "--database", url]).exit_code == 0
    with Path("sheet.csv").open(newline="") as file:
        header, *rows = list(csv.reader(file))
    assert "setup" not in header and len(rows) >= 8
    for rater, mark in (("ann", "4"), ("ben", "5")):
        with Path(f"{rater}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([header, *([*row[:5], mark, "3", "2"] for row in rows)])
    done = runner.invoke(bot, ["evaluate", "sheets", "--read", "sheet.key.csv", "ann.csv", "ben.csv"])
    assert done.exit_code == 0 and "4.50" in done.stdout and "house" in done.stdout, done.output
    Path("bad.csv").write_text("item,quality,factuality,faithfulness\n1,6,1,1\n1,1,1,1\n999,1,1,1\n1,2,2,2\n")
    bad = runner.invoke(bot, ["evaluate", "sheets", "--read", "sheet.key.csv", "bad.csv"])
    assert bad.exit_code == 1 and all(f"bad.csv, line {n}" in bad.output for n in (2, 4, 5)), bad.output


def test_a_set_up_against_itself_is_even(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = CliRunner().invoke(bot, ["evaluate", "debaters", "house", "house", "--motions", "3"])
    assert done.exit_code == 0 and "3 won, 3 lost, 0 even" in done.stdout and "50 % [50, 50]" in done.stdout
    bad = CliRunner().invoke(bot, ["evaluate", "debaters", "house", "gpt"])
    assert bad.exit_code == 1 and 'no debater "gpt"' in bad.output
