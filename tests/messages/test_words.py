"""The catalogue: every text that code asks for is there, and every refusal can be put in words."""

from __future__ import annotations

import ast
import string
from functools import cache
from pathlib import Path

import pytest

import bot
from bot.messages.words import Words, words
from bot.rules.rejection import reject

SOURCES = [
    path
    for folder in ("rules", "host", "community", "actions", "messages")
    for path in (Path(bot.__file__).parent / folder).rglob("*.py")
]


@cache
def trees_of_sources() -> tuple[ast.Module, ...]:
    return tuple(ast.parse(path.read_text("utf-8")) for path in SOURCES)


@cache
def calls(name: str) -> list[ast.Call]:
    trees = trees_of_sources()
    found = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [call for call in found if isinstance(call.func, ast.Name) and call.func.id == name]


@cache
def rejections() -> dict[str, set[str]]:
    """Every rejection that the code can make, with its details."""
    made: dict[str, set[str]] = {}
    for call in calls("reject"):
        if call.args and isinstance(call.args[0], ast.Constant):
            made.setdefault(str(call.args[0].value), set()).update(str(keyword.arg) for keyword in call.keywords)
    return made


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def test_there_are_rejections_to_check() -> None:
    assert len(rejections()) > 40


@pytest.mark.parametrize("code", sorted(rejections()))
def test_every_rejection_has_words_that_its_details_can_fill(code: str) -> None:
    say = words()
    assert f"rejection.{code}" in say.keys, f"{code} has no words"
    assert fields(say.template(f"rejection.{code}")) <= rejections()[code]
    filled = say.refusal(reject(code, **dict.fromkeys(rejections()[code], "x")))
    assert "{" not in filled


def test_every_text_that_is_asked_for_by_name_is_there() -> None:
    say = words()
    asked = {
        str(call.args[0].value)
        for name in ("say", "words")
        for call in calls(name)
        if call.args and isinstance(call.args[0], ast.Constant)
    }
    assert len(asked) > 40
    assert asked <= say.keys


def test_no_rejection_has_words_that_nobody_uses() -> None:
    known = {key.removeprefix("rejection.") for key in words().keys if key.startswith("rejection.")} - {
        "time_left",
        "your_text",
    }
    assert known - set(rejections()) == set()


def test_a_missing_text_or_field_is_an_error_and_not_a_blank() -> None:
    say = Words({"greeting": {"hello": "Hello {name}"}})
    assert say("greeting.hello", name="Ann") == "Hello Ann"
    with pytest.raises(KeyError):
        say("greeting.hello")
    with pytest.raises(KeyError):
        say("greeting.bye")


def test_moves_in_a_refusal_are_words_too() -> None:
    text = words().refusal(reject("move_not_allowed", move="statement", moves=("argue", "concede_point")))
    assert "concede_point" not in text
    assert "Concedes a point" in text


def test_a_refusal_tells_the_time_left_and_hands_the_text_back() -> None:
    text = words().refusal(reject("too_long", chars=12, limit=10, over=2, left_ms=7_900, text="twelve chars"))
    assert text == "That is 12 characters, 2 too many: 10 fit. You have 7 s left. Your text, to keep: twelve chars"
    assert "left" not in words().refusal(reject("too_long", chars=12, limit=10, over=2, left_ms=None, text="x"))
