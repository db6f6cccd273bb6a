"""How cards look on Discord."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from bot.messages.card import Author, Button, Card, Fact, Table, person_token
from bot.venues.discord.graphemes import columns, graphemes
from bot.venues.discord.look import render, thread_name
from bot.venues.discord.sheet import COLOURS
from bot.venues.discord.table import WIDEST, block
from bot.venues.discord.text import People
from tests.venues_discord.strategies import assert_fits, cards, scene, tables, texts

ANN = person_token("ann")
QUILL = Author(name="Quill", seat="P1", side="pro", persona="quill")


@settings(max_examples=35, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(cards)
def test_every_card_keeps_every_limit(card: Card) -> None:
    payload = render(card, scene())
    assert_fits(payload)
    assert set(payload.allowed) == {11 + ("ann", "p1", "p2").index(one) for one in card.ping if one != "gone"}
    for embed in payload.embeds:
        text = (embed.description or "").partition("```")[0]
        assert "<@1234" not in text.replace("\\<", "") and "](http" not in text.replace("\\]", "")


@settings(max_examples=20, deadline=None)
@given(tables(), st.integers(60, 1_000))
def test_tables_line_up_and_cannot_be_broken_out_of(table: Table, limit: int) -> None:
    made = block(table, People({}, "somebody"), limit)
    assert len(made) <= limit and made.count("`") in (0, 6)
    if made:
        assert made.startswith("```\n") and made.endswith("\n```")


def test_a_table_is_narrow_and_aligned() -> None:
    table = Table(
        columns=(">#", "Seat", "Debater", ">Points", ">Performance"),
        rows=(
            ("1", "P1", "Quill", "3", "2.41"),
            ("2", "P2", "日本語の名前はとても長いです", "1.5", "0.10"),
            ("3", "P3", "`_*|```@everyone", "0", "-1.00"),
            ("4", "P4", "שלום", "0", "-2.00"),
        ),
    )
    lines = block(table, People({}, "somebody"), 1_000).splitlines()[1:-1]
    assert lines[0] == "# Seat Debater  Points Performance"
    assert lines[2] == "1 P1   Quill         3        2.41"
    assert lines[3].startswith("2 P2   日本語…")
    widths = {sum(map(columns, graphemes(line))) for line in lines if not line.startswith("─")}
    assert widths == {len(lines[0])} and len(lines[0]) == WIDEST


def test_a_speech_names_its_speaker_its_side_and_that_it_is_an_ai() -> None:
    card = Card(kind="speech", tone="pro", author=QUILL, label="Opening", text="We **should**.", turn=(1, 1, 0))
    payload = render(card, scene())
    (embed,) = payload.embeds
    assert embed.author.name == "P1 Quill (AI) · 🔷 Pro · Opening"
    assert embed.author.icon_url == "attachment://quill.png"
    assert embed.description == r"We \*\*should\*\*." and not payload.content
    assert [one.name for one in payload.uploads] == ["quill.png"]


def test_a_person_speaks_under_their_name_without_a_picture() -> None:
    author = Author(name=ANN, seat="P2", side="con", ai=False)
    payload = render(Card(kind="speech", tone="con", author=author, label="Closing", text="No."), scene())
    assert payload.embeds[0].author.name == "P2 Ann · 🔶 Con · Closing"
    assert not payload.uploads and not payload.allowed


def test_a_speech_longer_than_an_embed_comes_as_a_file_too() -> None:
    payload = render(Card(kind="speech", author=QUILL, text="word " * 2_000), scene())
    assert [one.name for one in payload.uploads] == ["quill.png", "speech.txt"]
    assert payload.uploads[1].data == ("word " * 2_000).encode()
    assert (payload.embeds[0].description or "").endswith("word…")


def test_a_prompt_pings_its_speaker_and_says_until_when() -> None:
    card = Card(
        kind="prompt", tone="pro", title=f"{ANN}, you have the floor", text="Opening for Pro.", ping=("ann", "gone"),
        time_ms=60_000, buttons=(Button(action="speak", arg="1.3", label="Speak", style="main"),),
    )  # fmt: skip
    payload = render(card, scene())
    assert payload.content == "<@11>" and payload.allowed == (11,)
    assert payload.embeds[0].title == "🔷 Ann, you have the floor"
    assert payload.embeds[0].description == "Opening for Pro.\n⏳ <t:1800000000:R>"
    assert [(one.custom_id, one.label) for one in payload.buttons] == [("speak:abcdefghjk:7:1.3", "Speak")]


def test_votes_build_up_in_one_message_newest_last_and_whole() -> None:
    stack = tuple(Fact(label=f"Judge {n} votes Pro", value="r" * 800, tone="pro") for n in range(14))
    card = Card(
        kind="reveal", tone="con", label="Vote 15 of 15", title="Quill votes Con", text="c" * 900,
        author=QUILL.model_copy(update={"side": None, "seat": "J3"}), stack=stack,
    )  # fmt: skip
    payload = render(card, scene())
    assert_fits(payload)
    assert len(payload.embeds) == 10
    assert payload.embeds[-1].title == "🔶 Quill votes Con" and payload.embeds[-1].description == "c" * 900
    assert payload.embeds[-1].author.name == "J3 Quill (AI) · Vote 15 of 15"
    assert (payload.embeds[0].description or "").startswith("**🔷 Judge 5 votes Pro**\nrrr")
    assert all(len(one.description or "") > 300 for one in payload.embeds)


def test_a_lobby_shows_seats_by_kind_and_which_are_free() -> None:
    card = Card(
        kind="lobby",
        title="Duel",
        text="Two people.",
        facts=(
            Fact(label="P1", value=ANN),
            Fact(label="P2", value="free", tone="quiet"),
            Fact(label="J1", value="kept for an AI", tone="quiet"),
        ),
        footer=f"Opened by {ANN}",
    )
    (embed,) = render(card, scene()).embeds
    assert [(field.name, field.value) for field in embed.fields] == [
        ("Debaters, 1 of 2", "**P1**\u2002Ann\n**P2**\u2002*free*"),
        ("Judges, 0 of 1", "**J1**\u2002*kept for an AI*"),
    ]
    assert embed.footer.text == "Opened by Ann"


@pytest.mark.parametrize("tone", COLOURS)
def test_no_side_is_told_by_colour_alone(tone: str) -> None:
    fact = Fact.model_validate({"label": "Pro: Ann", "value": "Yes", "tone": tone})
    (embed,) = render(Card(kind="round", title="Round 1", text="Motion", facts=(fact,)), scene()).embeds
    assert "Pro: Ann" in (embed.fields[0].name or "")


@settings(max_examples=40, deadline=None)
@given(texts(10))
def test_a_thread_has_a_name(title: str) -> None:
    name = thread_name(Card(kind="intro", title=title), People({}, "somebody"))
    assert 1 <= len(name) <= 100 and "\n" not in name
