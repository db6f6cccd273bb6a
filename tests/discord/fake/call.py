"""One REST request: what came in, what went out, and what was wrong with it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.discord.fake.errors import ApiError
from tests.discord.fake.records import Channel, Guild, Json

if TYPE_CHECKING:
    from tests.discord.fake.server import FakeDiscord

Handler = Callable[["Call"], Awaitable[Any]]


@dataclass(frozen=True)
class Upload:
    """A file of a multipart request; `number` is the n of its field files[n]."""

    number: int
    filename: str
    data: bytes


@dataclass(frozen=True)
class Violation:
    """A rule that a request broke. `rejected`: Discord itself would have answered 400."""

    rule: str
    at: str
    message: str
    rejected: bool
    method: str = ""
    path: str = ""
    body: Any = None

    def __str__(self) -> str:
        where = f" at {self.at}" if self.at else ""
        return f"{self.method} {self.path}: [{self.rule}]{where} {self.message}"


@dataclass
class Call:
    """A request as handlers see it; it stays in the log with its answer."""

    fake: FakeDiscord
    method: str
    path: str  # without /api/v10
    route: str = ""  # the path with {names}, as in the OpenAPI document
    params: dict[str, str] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)
    body: Any = None
    files: list[Upload] = field(default_factory=list)
    at: float = field(default_factory=time.time)
    status: int = 0
    answer: Any = None
    took: float = 0.0
    fault: str = ""
    violations: list[Violation] = field(default_factory=list)

    def __str__(self) -> str:
        trouble = f" ({self.fault})" if self.fault else ""
        return (
            f"{time.strftime('%H:%M:%S', time.localtime(self.at))} {self.method} {self.path} -> {self.status}{trouble}"
        )

    # --- shorthands for handlers ----------------------------------------------------------------------

    @property
    def json(self) -> Json:
        return self.body if isinstance(self.body, dict) else {}

    def number(self, name: str) -> int:
        try:
            return int(self.params[name])
        except ValueError:
            raise ApiError(50035, f'Value "{self.params[name]}" is not snowflake.', at=name) from None

    @property
    def channel(self) -> Channel:
        """The channel of the path, which the bot must exist in and see."""
        return self.fake.visible_channel(self.number("channel_id"))

    @property
    def guild(self) -> Guild:
        guild = self.fake.world.guilds.get(self.number("guild_id"))
        if guild is None:
            raise ApiError(10004)
        if self.fake.world.application.bot_id not in guild.members:
            raise ApiError(50001)
        return guild
