"""Where a match is shown: the thread made from the message its lobby is."""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

_EPOCH_MS = 1_420_070_400_000
_ID = r"([1-9][0-9]{0,19})"
_TEXT = re.compile(rf"{_ID}/{_ID}(?:/{_ID})?")


class Place(NamedTuple):
    """The channel, the lobby's message in it, and the thread if it is a private one. A thread made from a message is
    public and has the message's id."""

    channel: int
    lobby: int
    private: int | None = None

    @property
    def thread(self) -> int:
        return self.private or self.lobby

    def __str__(self) -> str:
        """What the host keeps as a match's thread."""
        return f"{self.channel}/{self.lobby}" + (f"/{self.private}" if self.private else "")

    @classmethod
    def parse(cls, text: str) -> Place:
        """Raises ValueError."""
        found = _TEXT.fullmatch(text)
        if found is None:
            raise ValueError(f"not a thread on Discord: {text!r}")
        return cls(int(found[1]), int(found[2]), int(found[3]) if found[3] else None)


def wall_of(snowflake: int) -> int:
    """When Discord made this id, in milliseconds since 1970."""
    return (snowflake >> 22) + _EPOCH_MS


def nonce(match: str, n: int, kind: str, again: int = 0) -> str:
    """The same for the same post, so that Discord answers a repeated sending with the first message: 20 characters."""
    text = f"{match}\0{n}\0{kind}" + (f"\0{again}" if again else "")
    return hashlib.blake2b(text.encode(), digest_size=10).hexdigest()
