"""Outgoing text: nothing of it means anything to Discord, and cuts fall between characters."""

from __future__ import annotations

import re

import hypothesis.strategies as st
import pytest
from hypothesis import given

from bot.messages.card import person_token
from bot.venues.discord.graphemes import columns, graphemes, size
from bot.venues.discord.text import CUT, People, escape, fit, plain, rich, titled
from tests.venues_discord.strategies import texts

FAMILY = "👨\u200d👩\u200d👧\u200d👦"
ENGLAND = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
PEOPLE = People({"ann": ("11", "Ann_*"), "odd": ("x", "Odd")}, "somebody")


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("**b** _i_ ~~s~~ `c`", r"\*\*b\*\* \_i\_ \~\~s\~\~ \`c\`"),
        ("# a\n## b\n-# c", "\\# a\n\\## b\n\\-# c"),
        ("- a\n  + b\n1. c\n12) d\n* e", "\\- a\n  \\+ b\n1\\. c\n12\\) d\n\\* e"),
        ("> q\n>>> q", "\\> q\n\\>\\>\\> q"),
        ("||s||", r"\|\|s\|\|"),
        ("[a](https://x.y)", r"\[a\](https:\/\/x.y)"),
        ("discord.gg/abc", r"discord.gg\/abc"),
        ("<t:1:R> <@1> <:a:2> </c:3>", r"\<t\:1:R\> \<\@1\> \<\:a:2\> \<\/c:3\>"),
        ("@everyone :tada: a: b 12:30:15", r"\@everyone \:tada: a: b 12\:30:15"),
        ("¯\\_(ツ)_/¯", r"¯\\\_(ツ)\_\/¯"),
        ("3-4 is a range, 1.5 a number", "3-4 is a range, 1.5 a number"),
        ("\u202eevil\x00\ud83d", "evil"),
    ],
)
def test_markdown_is_escaped(typed: str, sent: str) -> None:
    assert escape(typed) == sent


def _as_shown(text: str) -> str:
    return re.sub(r"\\([^0-9A-Za-z\s])", r"\1", text)


@given(texts())
def test_a_reader_sees_what_was_said(text: str) -> None:
    text = re.sub("[\x02\x03]", "", text)
    assert _as_shown(escape(text)) == re.sub(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]", "", text
    )


@given(texts(), st.integers(0, 300))
def test_what_is_cut_fits_and_stays_whole(text: str, limit: int) -> None:
    for atoms, escaped in ((plain(text, PEOPLE), False), (titled(text, PEOPLE), True), (rich(text, PEOPLE), True)):
        cut = fit(atoms, limit)
        assert size(cut) <= limit
        whole = "".join(atoms)
        if cut != whole and cut:
            kept = cut.removesuffix(CUT)
            assert cut.endswith(CUT) and whole.startswith(kept)
            if escaped:
                assert (len(kept) - len(kept.rstrip("\\"))) % 2 == 0


@given(texts())
def test_graphemes_lose_nothing(text: str) -> None:
    assert "".join(graphemes(text)) == text
    assert all(columns(piece) >= 0 for piece in graphemes(text))


def test_graphemes_keep_together_what_is_one_to_a_reader() -> None:
    assert graphemes(f"a{FAMILY}{ENGLAND}🇩🇪🇫🇷e\u0301👍🏽한1\ufe0f\u20e3") == [
        "a", FAMILY, ENGLAND, "🇩🇪", "🇫🇷", "e\u0301", "👍🏽", "한", "1\ufe0f\u20e3",
    ]  # fmt: skip
    assert graphemes("\u1112\u1161\u11ab\u1100\u1161") == ["\u1112\u1161\u11ab", "\u1100\u1161"]
    assert fit(graphemes("x" + FAMILY), 8) == "x…" and fit(graphemes("x" + FAMILY), 12) == "x" + FAMILY
    assert fit(graphemes("🦞" * 80), 80) == "🦞" * 39 + CUT


def test_people_are_mentions_where_mentions_work_and_names_elsewhere() -> None:
    text = f"{person_token('ann')} and {person_token('gone')} and {person_token('odd')}"
    assert "".join(rich(text, PEOPLE)) == "<@11> and somebody and Odd"
    assert "".join(titled(text, PEOPLE)) == r"Ann\_\* and somebody and Odd"
    assert "".join(plain(text, PEOPLE)) == "Ann_* and somebody and Odd"
    assert PEOPLE.platform_ids(("ann", "gone", "odd", "ann")) == (11,)
    assert fit(rich(f"word {person_token('ann')}", PEOPLE), 8) == "word…"
