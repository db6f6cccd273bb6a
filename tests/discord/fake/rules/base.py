"""What the rules share: a place to put problems, and lengths as Discord counts them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Problem:
    rule: str
    at: str
    message: str
    rejected: bool = True
    code: int = 50035


@dataclass
class Problems:
    found: list[Problem] = field(default_factory=list)

    def bad(self, rule: str, at: str, message: str, *, code: int = 50035) -> None:
        """Discord would answer 400."""
        self.found.append(Problem(rule, at, message, True, code))

    def frowned(self, rule: str, at: str, message: str) -> None:
        """Discord would take it, we do not."""
        self.found.append(Problem(rule, at, message, False))

    def text(self, rule: str, at: str, value: Any, low: int, high: int, *, label: bool = False) -> None:
        """A text of so many code points; of a label clients may count UTF-16, so it must fit both ways."""
        if not isinstance(value, str):
            if low or value is not None:
                self.bad(rule, at, f"is {value!r}, not a text of {low}-{high} characters")
            return
        length = len(value.strip()) if low else len(value)
        if length < low or len(value) > high:
            self.bad(rule, at, f"has {length} characters, not {low}-{high}: {value[:60]!r}")
        elif label and utf16(value) > high:
            self.frowned(rule, at, f"has {utf16(value)} UTF-16 units, over {high}: {value[:60]!r}")


def utf16(value: str) -> int:
    return len(value.encode("utf-16-le", "surrogatepass")) // 2


def dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
