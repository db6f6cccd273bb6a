"""Cards as nasty as cards can be, and the limits that a message for Discord must keep."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st

from bot.messages.card import Author, Button, Card, Fact, Table, person_token
from bot.messages.words import words
from bot.rules.text import is_blank
from bot.venues.discord.graphemes import size
from bot.venues.discord.look import Scene
from bot.venues.discord.payload import Payload, for_send
from bot.venues.discord.text import People

HOSTILE = (
    *("@everyone", "<@123456789012345678>", "<@&1>", "<#2>", "<t:1700000000:R>", "</start:1>", "<a:blob:3>", ":tada:"),
    *("# Head", "-# sub", "> quote", ">>> all", "1. one", "- list", "* star", "||spoiler||", "```", "`", "**", "__"),
    *("[label](https://evil.example)", "https://example.com/x", "discord.gg/abc", "~~", "\\", "x" * 300, "🦞" * 200),
    *("👨\u200d👩\u200d👧\u200d👦", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "🇩🇪", "한국어"),
    *("日本語", "ﷺ", "שלום", "e\u0301", "Z" + "\u0335" * 40, "\u202eevil", "\u200b", "\u3164", "\n", "\r\n", "\t"),
    *("\ud83d", " ", person_token("ann"), person_token("gone"), "\x02", "\x03"),
)
_bits = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=12))


def texts(most: int = 10) -> st.SearchStrategy[str]:
    """Pieces of the above, sometimes repeated until any limit is passed."""
    short = st.lists(_bits, max_size=most).map("".join)
    return st.one_of(short, st.tuples(short, st.sampled_from((30, 1_000, 5_000))).map(_long))


def _long(both: tuple[str, int]) -> str:
    text, length = both
    return text * (length // max(1, len(text)) + 1)


tones = st.sampled_from(("plain", "pro", "con", "judge", "win", "quiet", "alert"))
KINDS = (
    *(
        "lobby",
        "intro",
        "round",
        "prompt",
        "vote",
        "speech",
        "note",
        "judging",
        "reveal",
        "verdict",
        "final",
        "fairness",
    ),
    *("cancelled", "new"),
)
kinds = st.sampled_from(KINDS)
facts = st.builds(Fact, label=texts(4), value=texts(), tone=tones)
authors = st.builds(
    Author, name=texts(4), seat=texts(3), side=st.one_of(st.none(), texts(3)), ai=st.booleans(),
    persona=st.one_of(st.none(), st.sampled_from(("quill", "zubin", "nobody-knows"))),
)  # fmt: skip
buttons = st.builds(
    Button, action=st.sampled_from(("speak", "pass", "vote")), label=texts(4),
    style=st.sampled_from(("plain", "main", "good", "danger")),
    arg=st.sampled_from(("", "1", "pro", "Opening Gov", "é")),
)  # fmt: skip


@st.composite
def tables(draw: st.DrawFn) -> Table:
    width = draw(st.integers(1, 7))
    columns = draw(st.lists(st.one_of(texts(2), texts(2).map(lambda t: ">" + t)), min_size=width, max_size=width))
    rows = draw(st.lists(st.lists(texts(3), min_size=width, max_size=width).map(tuple), max_size=12))
    return Table(columns=tuple(columns), rows=tuple(rows))


cards: st.SearchStrategy[Card] = st.builds(
    Card, kind=kinds, tone=tones, title=texts(4), text=texts(), author=st.one_of(st.none(), authors), label=texts(4),
    facts=st.lists(facts, max_size=28).map(tuple), table=st.one_of(st.none(), tables()), footer=texts(4),
    ping=st.lists(st.sampled_from(("ann", "gone", "p1", "p2")), max_size=4).map(tuple),
    buttons=st.lists(buttons, max_size=8).map(tuple), stack=st.lists(facts, max_size=16).map(tuple),
)  # fmt: skip

KNOWN = {"ann": ("11", "Ann"), "p1": ("12", "`_*@everyone ||"), "p2": ("13", "\u3164" * 40)}


def scene(**changes: Any) -> Scene:
    defaults: dict[str, Any] = {
        "match": "abcdefghjk",
        "version": 7,
        "people": People(KNOWN, "somebody"),
        "say": words(),
        "until": 1_800_000_000,
    }
    return Scene(**(defaults | changes))


def assert_fits(payload: Payload) -> None:
    """Every limit of Discord, in code points and in UTF-16 units alike."""

    def part(text: str | None, low: int, high: int) -> int:
        assert low <= size(text or "") <= high, text
        assert text is None or not low or not is_blank(text)
        (text or "").encode("utf-8")
        return size(text or "")

    part(payload.content, 0, 2_000)
    assert len(payload.embeds) <= 10 and (payload.embeds or payload.content)
    total = 0
    for embed in payload.embeds:
        total += part(embed.title, 0, 256) + part(embed.description, 0, 4_096)
        if embed.author.name is not None:
            total += part(embed.author.name, 1, 256)
        if embed.footer.text is not None:
            total += part(embed.footer.text, 1, 2_048)
        assert len(embed.fields) <= 25
        for field in embed.fields:
            total += part(field.name, 1, 256) + part(field.value, 1, 1_024)
        assert len(embed) > 0
        if embed.author.icon_url is not None:
            assert embed.author.icon_url.removeprefix("attachment://") in {one.name for one in payload.uploads}
    assert total <= 6_000
    assert len(payload.buttons) <= 25
    assert len({press.custom_id for press in payload.buttons}) == len(payload.buttons)
    for press in payload.buttons:
        part(press.label, 1, 80)
        part(press.custom_id, 1, 100)
    assert len(payload.allowed) <= 100
    without_view = Payload(payload.content, payload.embeds, (), payload.uploads, payload.allowed)
    assert for_send(without_view)["allowed_mentions"].to_dict()["parse"] == []
