"""How far judges agree: the figures against what is known of them, and the command that shows them."""

from __future__ import annotations

from typing import Any

import pytest
from typer.testing import CliRunner

from bot.cli import app
from bot.minds.models.agreement import Vote, by_model, figures_of, fleiss_kappa, votes_in
from bot.rules.seeding import Draw


def test_kappa_of_a_worked_example():
    # Ten subjects, fourteen raters, five categories: the usual example, whose kappa is 0.210.
    table = (
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    )  # fmt: skip
    rounds = [[str(at) for at, count in enumerate(row) for _ in range(count)] for row in table]
    assert fleiss_kappa(rounds) == pytest.approx(0.210, abs=0.001)


def test_kappa_at_its_ends():
    assert fleiss_kappa([["pro"] * 3, ["con"] * 3]) == pytest.approx(1.0)
    assert fleiss_kappa([["pro", "con"], ["con", "pro"]]) == pytest.approx(-1.0)
    assert fleiss_kappa([["pro"] * 3, ["pro"] * 3]) is None
    assert fleiss_kappa([["pro"], ["con"]]) is None
    assert fleiss_kappa([]) is None


def test_votes_by_lot_have_no_kappa_to_speak_of():
    draw = Draw(2, "votes")
    votes = [Vote(f"m/{n}", "a", draw.pick(("pro", "con")), "pro", "con") for n in range(400) for _ in range(3)]
    found = figures_of(votes, samples=200)
    assert found.kappa.low is not None and found.kappa.high is not None and found.kappa.value is not None
    assert found.kappa.low < 0 < found.kappa.high or abs(found.kappa.value) < 0.06
    assert found.kappa.low <= found.kappa.value <= found.kappa.high
    assert found.pro.low is not None and found.pro.high is not None and found.pro.low < 0.5 < found.pro.high
    assert figures_of(votes, samples=200) == found


def test_second_looks_and_last_words_are_counted():
    votes = [
        Vote("m/1", "a", "pro", "pro", "con", ("look:held",)),
        Vote("m/1", "b", "con", "pro", "con", ("bribe", "look:turned")),
        Vote("m/2", "a", "con", "con", "con", ("look:once",)),
        Vote("m/3", "a", "con", "con", ""),
    ]
    found = figures_of(votes, samples=10)
    assert (found.rounds, found.ballots, found.looked_again) == (3, 4, 2)
    assert found.held.value == 0.5 and found.pro.value == 0.25 and found.last_word.value == pytest.approx(2 / 3)
    assert list(by_model(votes)) == ["a", "b"]
    assert figures_of([]).pro.value is None


def test_only_votes_that_a_judge_cast_count():
    def ballot(judge: str, vote: str, defaulted: str | None = None) -> dict[str, Any]:
        return {"judge": judge, "vote": vote, "defaulted": defaulted, "flags": []}

    turns = [{"side": "pro", "text": "Yes."}, {"side": "con", "text": "No."}, {"side": "pro", "text": ""}]
    entry = {"round": 1, "void": False, "first_side": "pro", "turns": turns}
    ballots = [ballot("J0", "pro"), ballot("J1", "pro", "timeout"), ballot("J2", "abstain"), ballot("J3", "con")]
    record = {
        "match": "m1",
        "seats": [
            {"seat": "J0", "kind": "ai", "model": "mini"},
            {"seat": "J3", "kind": "human", "model": None},
        ],
        "rounds": [{**entry, "ballots": ballots}, {**entry, "void": True, "ballots": ballots}],
    }
    assert votes_in(record) == [
        Vote("m1/1", "mini", "pro", "pro", "con"),
        Vote("m1/1", "person", "con", "pro", "con"),
    ]


def test_the_command_shows_what_is_stored(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    url = f"sqlite+aiosqlite:///{tmp_path}/judges.db"
    runner = CliRunner()
    empty = runner.invoke(app, ["judges", "--database", url])
    assert empty.exit_code == 0 and "No judge has voted" in empty.stdout
    played = runner.invoke(
        app,
        ["demo", "--format", "arena", "--speed", "max", "--seed", "1", "--no-sound", "--database", url, "--out", "out"],
    )
    assert played.exit_code == 0, played.output
    shown = runner.invoke(app, ["judges", "--database", url])
    assert shown.exit_code == 0 and "all" in shown.stdout and "house" in shown.stdout
    assert "18" in shown.stdout
