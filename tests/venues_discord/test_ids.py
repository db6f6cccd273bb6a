"""Ids of buttons."""

from __future__ import annotations

import contextlib
import re
from itertools import combinations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from bot.venues.discord import ids

ACTIONS = ("join", "leave", "begin", "cancel", "speak", "pass", "vote", "vote_why", "report")


def test_they_are_short_and_say_what_was_meant() -> None:
    text = ids.make("join", "abcdefghjk", 3, "debater")
    assert text == "join:abcdefghjk:3:debater"
    assert ids.parse(text) == ("join", "abcdefghjk", 3, "debater")
    assert ids.parse(ids.make("pass", "abcdefghjk", 0)) == ("pass", "abcdefghjk", 0, "")
    assert ids.parse(ids.make("vote", "m", 1, "Öpening: Gov")).arg == "Öpening: Gov"


@pytest.mark.parametrize(
    "text",
    ["", "join", "join:m", "join:m:", "join:m:x", "join:m:-1", "join:m:01", "join:m:1:", "Join:m:1", "join:m:1:a:b",
     "join::1", "join:m:1\n", "join:m:1:a b", "join:m:1:%", "join:m:1:%41", "join:m:٣", "join:" + "m" * 99 + ":1"],
)  # fmt: skip
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a button id"):
        ids.parse(text)


@pytest.mark.parametrize(
    ("action", "match", "version", "arg"),
    [("Join", "m", 1, ""), ("join", "a:b", 1, ""), ("join", "m", -1, ""), ("join", "m", 1, "é" * 40), ("", "m", 1, "")],
)
def test_what_cannot_be_read_back_is_not_made(action: str, match: str, version: int, arg: str) -> None:
    with pytest.raises(ValueError, match="not a button id"):
        ids.make(action, match, version, arg)


@given(st.text(max_size=110))
def test_parsing_is_total(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert ids.make(*ids.parse(text)) == text


@given(
    st.sampled_from(ACTIONS), st.from_regex(r"[a-z0-9]{1,12}", fullmatch=True), st.integers(0, 10**9 - 1),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
)  # fmt: skip
def test_each_id_has_exactly_one_template(action: str, match: str, version: int, arg: str) -> None:
    try:
        text = ids.make(action, match, version, arg)
    except ValueError:
        assert len(text_of(arg)) > 50
        return
    matching = [one for one in ACTIONS if re.compile(ids.template(one)).fullmatch(text)]
    assert matching == [action] and ids.parse(text) == (action, match, version, arg)


def text_of(arg: str) -> str:
    return "".join(f"%{byte:02X}" for byte in arg.encode())


def test_templates_of_different_actions_never_overlap() -> None:
    for one, other in combinations(ACTIONS, 2):
        for action in (one, other):
            text = ids.make(action, "m", 1, "x")
            assert sum(re.fullmatch(ids.template(this), text) is not None for this in (one, other)) == 1
    assert re.fullmatch(ids.template("join", "leave"), "leave:m:1")
    assert "(?P<match>" in ids.template("join")
    with pytest.raises(ValueError, match="not actions"):
        ids.template("join:.*")
    with pytest.raises(ValueError, match="not actions"):
        ids.template()
