"""The catalogue: every text people read, by key, one TOML file a language.

A text is a template with `{named}` fields. A missing key or field is a programming error and raises at once; a test
renders them all.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from bot.rules.rejection import Rejection

DEFAULT = "en"


class Words:
    """One language's texts."""

    def __init__(self, texts: Mapping[str, Any]) -> None:
        self._texts = _flat(texts)

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(self._texts)

    def __call__(self, key: str, **values: object) -> str:
        """The text of `key` ("round.title"), filled in. Raises KeyError."""
        return self._texts[key].format_map(values)

    def get(self, key: str, default: str) -> str:
        return self._texts.get(key, default)

    def template(self, key: str) -> str:
        return self._texts[key]

    def refusal(self, rejection: Rejection) -> str:
        """A rejection in words, with the time that is left and the text handed back where it has them."""
        details = {key: self._value(value) for key, value in rejection.details.items()}
        text = self(f"rejection.{rejection.code}", **details)
        left_ms = rejection.details.get("left_ms")
        if isinstance(left_ms, int):
            text += " " + self("rejection.time_left", n=max(0, left_ms) // 1000)
        if rejection.details.get("text"):
            text += " " + self("rejection.your_text", text=details["text"])
        return text

    def _value(self, value: object) -> object:
        if isinstance(value, tuple):
            return ", ".join(self.get(f"move.{item}", str(item)) for item in value)
        return value


@cache
def words(language: str = DEFAULT) -> Words:
    """The catalogue of a language. Raises FileNotFoundError."""
    source = files("bot.messages.catalogue").joinpath(f"{language}.toml").read_text("utf-8")
    return Words(tomllib.loads(source))


def _flat(texts: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for key, value in texts.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = str(value)
    return flat
