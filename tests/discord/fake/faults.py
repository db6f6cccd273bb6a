"""Trouble on order: the next requests of a kind fail, hang, vanish, or succeed without saying so."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tests.discord.fake.call import Call

#: A status to answer with or the connection cut, with nothing done; or one of the two after all is done.
Outcome = int | Literal["drop", "500-after-success", "drop-after-success"]


@dataclass
class Fault:
    method: str
    pattern: str
    outcome: Outcome | None = None
    times: int | None = 1  # None: until stop()
    delay: float = 0.0  # seconds before the request is looked at; alone it only slows
    code: int | None = None  # Discord's error code; a usual one otherwise
    retry_after: float = 0.3  # for 429
    is_global: bool = False
    via: bool = True  # without Via, discord.py takes a 429 for a ban by Cloudflare and does not retry
    when: Callable[[Call], bool] | None = None
    hits: int = 0

    def __post_init__(self) -> None:
        parts = re.split(r"\{[^}]*\}|\*", self.pattern)
        self._path = re.compile("[^/]+".join(re.escape(part) for part in parts))

    def stop(self) -> None:
        self.times = 0

    def strikes(self, call: Call) -> bool:
        if self.times == 0 or self.method not in ("*", call.method) or not self._path.fullmatch(call.path):
            return False
        if self.when is not None and not self.when(call):
            return False
        if self.times is not None:
            self.times -= 1
        self.hits += 1
        return True
