"""The prompts of model minds: templates in `prompts/models/`, and everything that others wrote as quoted JSON data."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from bot.catalogue import Catalogue


class Prompts:
    """The templates of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        def load(name: str) -> str:
            return catalogue.text(f"models/{name}.j2")

        # Plain text for a model, not HTML: what others wrote goes through `quoted`.
        self._environment = Environment(
            loader=FunctionLoader(load), autoescape=False, undefined=StrictUndefined, trim_blocks=True
        )
        self._complaints = catalogue.read("models/complaints.toml")

    def render(self, template: str, /, **values: object) -> str:
        return self._environment.get_template(template).render(**values).strip()

    def complaint(self, key: str) -> str:
        """What a model is told about its last attempt: "too_long", or "forbidden:source"."""
        kind, _, fault = key.partition(":")
        text: str = self._complaints[kind]
        return text.format(fault=self._complaints["fault"][fault]) if fault else text


@lru_cache(maxsize=4)
def prompts_of(catalogue: Catalogue) -> Prompts:
    return Prompts(catalogue)


def quoted(data: Any) -> str:
    """Data as JSON on one line. Nothing in a text can end its quotation."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # Breaks and invisible marks that some readers take for the end of a line.
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)
