"""Where a match is shown: the thread made from the message its lobby is."""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

_EPOCH_MS = 1_420_070_400_000
_TEXT = re.compile(r"([1-9][0-9]{0,19})/([1-9][0-9]{0,19})")


class Place(NamedTuple):
    """The channel, and the lobby's message in it. A thread made from a message has the message's id."""

    channel: int
    lobby: int

    @property
    def thread(self) -> int:
        return self.lobby

    def __str__(self) -> str:
        """What the host keeps as a match's thread."""
        return f"{self.channel}/{self.lobby}"

    @classmethod
    def parse(cls, text: str) -> Place:
        """Raises ValueError."""
        found = _TEXT.fullmatch(text)
        if found is None:
            raise ValueError(f"not a thread on Discord: {text!r}")
        return cls(int(found[1]), int(found[2]))


def wall_of(snowflake: int) -> int:
    """When Discord made this id, in milliseconds since 1970."""
    return (snowflake >> 22) + _EPOCH_MS


def nonce(match: str, n: int, kind: str, again: int = 0) -> str:
    """The same for the same post, so that Discord answers a repeated sending with the first message: 20 characters."""
    text = f"{match}\0{n}\0{kind}" + (f"\0{again}" if again else "")
    return hashlib.blake2b(text.encode(), digest_size=10).hexdigest()
