"""Column types for text that comes from people, who can type (or paste) what a database cannot hold.

PostgreSQL refuses the NUL character in any text, and no database driver can encode half a surrogate pair.
"""

import re
from typing import Any

from sqlalchemy import Dialect, Text
from sqlalchemy.types import TypeDecorator

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def _storable(value: str) -> bool:
    return (value.isascii() and "\0" not in value) or _UNSTORABLE.search(value) is None


def clean(text: str) -> str:
    """The text with every character that cannot be stored as the replacement character."""
    return text if _storable(text) else _UNSTORABLE.sub("\ufffd", text)


class JsonText(TypeDecorator[str]):
    """JSON kept as its text. A character that cannot be stored becomes its JSON escape, which means the same.

    Not `jsonb`: that refuses NUL even as an escape, and does not keep the text byte by byte.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        if value is None or _storable(value):
            return value
        return _UNSTORABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", value)


class CleanText(TypeDecorator[str]):
    """Text to be shown, such as a name, cleaned."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else clean(value)
