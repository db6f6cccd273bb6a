"""The terminal: what is typed, and what is shown, in 80 columns, with and without colour."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from bot.messages.card import Author, Card, Fact, Table
from bot.messages.status import status_line
from bot.messages.words import words
from bot.rules.clock import VIRTUAL
from bot.venues.terminal.look import render
from bot.venues.terminal.venue import TerminalVenue
from cogs.terminal.typed import Typed, parse
from tests.fakes import Stage

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
HOSTILE = "[bold red]x[/] \x1b[31mred\x1b[0m [link=http://x]y[/link] :smile: \\[z] é 日本語 👩‍👩‍👧 \u202ertl"


def shown(card: Card, width: int = 80) -> str:
    out = io.StringIO()
    Console(file=out, width=width, no_color=True, force_terminal=False, highlight=False).print(
        render(card, lambda text: text)
    )
    return out.getvalue()


# ------------------------------------------------------------------------------------------------- typing


@pytest.mark.parametrize(
    ("line", "typed"),
    [
        ("", Typed("blank")),
        ("   ", Typed("blank")),
        ("Hello there.", Typed("say", text="Hello there.")),
        ("/rebut That is not so.", Typed("say", text="That is not so.", move="rebut")),
        ("/CONCEDE Fair enough.", Typed("say", text="Fair enough.", move="concede_point")),
        ("/argue", Typed("say", text="", move="argue")),
        ("/pro They answered more.", Typed("vote", text="They answered more.", side="pro")),
        ("/con", Typed("vote", side="con")),
        ("/pause tea", Typed("deed", text="tea", deed="/pause")),
        ("/help", Typed("deed", deed="/help")),
        ("/fly", Typed("unknown", deed="/fly")),
    ],
)
def test_a_line_is_understood(line: str, typed: Typed) -> None:
    assert parse(line) == typed


@given(st.text())
def test_any_line_can_be_typed(line: str) -> None:
    assert parse(line).kind in ("blank", "say", "vote", "deed", "unknown")


def test_the_help_names_every_deed_and_move() -> None:
    from cogs.terminal.typed import DEEDS, MOVES, SIDES

    text = words()("terminal.help")
    missing = [word for word in (*DEEDS, *MOVES, *SIDES) if word not in text and word not in ("/answer", "/done")]
    assert missing == ["/help"]


# ------------------------------------------------------------------------------------------------- showing


async def whole_match(width: int = 80) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, no_color=True, force_terminal=False, highlight=False)
    stage = Stage()
    stage.ports["venue"] = TerminalVenue(console, stage.store.names, stage.time, "somebody")
    host = await stage.up()
    await stage.open(speed=VIRTUAL, format="classic")
    await stage.begin()
    await host.finished("m1")
    return out.getvalue()


async def test_a_whole_match_fits_80_columns_and_has_no_control_codes() -> None:
    text = await whole_match()
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80
    assert CONTROL.search(text) is None
    assert text.count("votes Pro") + text.count("votes Con") >= 18
    assert "Fairness receipt" in text


@pytest.mark.parametrize(
    "kind", ["intro", "round", "speech", "prompt", "vote", "reveal", "verdict", "final", "fairness", "note"]
)
def test_what_anybody_writes_is_shown_as_text_whatever_the_card(kind: str) -> None:
    card = Card(
        kind=kind,
        title=HOSTILE,
        text=HOSTILE,
        label=HOSTILE,
        footer=HOSTILE,
        author=Author(name=HOSTILE, seat="P0", side="pro"),
        facts=(Fact(label=HOSTILE, value=HOSTILE),),
        table=Table(columns=("A", ">B"), rows=((HOSTILE, HOSTILE),)),
    )
    text = shown(card, 200)
    assert "[bold red]x[/]" in text
    assert "\x1b" not in text


@given(st.text(max_size=300))
def test_any_speech_can_be_shown(said: str) -> None:
    card = Card(kind="speech", tone="pro", text=said, author=Author(name="Ann", seat="P0", side="pro", ai=False))
    assert "Ann" in shown(card)


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_narrow_and_wide_terminals_show_every_word(width: int) -> None:
    said = "one two three four five six seven eight nine ten " * 5
    card = Card(kind="speech", tone="con", text=said, author=Author(name="Ann", seat="P0", side="con"))
    text = shown(card, width)
    assert text.split().count("seven") == 5
    assert max(len(line) for line in text.splitlines()) <= width


async def test_the_status_line_counts_down_and_names_who_is_next() -> None:
    stage = Stage()
    host = await stage.up()
    await stage.open()
    say = words()
    assert status_line(say, stage.match(), 0) == say("status.lobby")
    await stage.begin()
    await stage.time.advance(3.2)
    match = stage.match()
    line = status_line(say, match, host.now("m1") or 0)
    assert line.endswith("is next 7 s")
    await stage.time.advance(80)
    assert status_line(say, stage.match(), host.now("m1") or 0) == "Vote 1 of 3 3 s"
    await stage.time.advance(100)
    assert status_line(say, stage.match(), 0) == ""
