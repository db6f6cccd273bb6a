"""Discord's rate limits: 50 requests a second for a bot, and a bucket per route and channel."""

from __future__ import annotations

import time
import zlib
from dataclasses import dataclass, field

#: (method, route) -> requests, seconds. Discord publishes none of these; they are what its headers were seen to say.
BUCKETS: dict[tuple[str, str], tuple[int, float]] = {
    ("POST", "/channels/{channel_id}/messages"): (5, 5.0),
    ("PATCH", "/channels/{channel_id}/messages/{message_id}"): (5, 5.0),
    ("DELETE", "/channels/{channel_id}/messages/{message_id}"): (5, 1.0),
    ("GET", "/channels/{channel_id}/messages"): (5, 1.0),
    ("GET", "/channels/{channel_id}/messages/{message_id}"): (30, 30.0),
    # Waits of almost 300 s were seen (NousResearch/hermes-agent #96101); the number is a guess.
    ("POST", "/channels/{channel_id}/messages/{message_id}/threads"): (50, 300.0),
    ("POST", "/channels/{channel_id}/threads"): (50, 300.0),
    ("POST", "/channels/{channel_id}/typing"): (5, 5.0),
    ("PATCH", "/channels/{channel_id}"): (5, 15.0),
    ("PUT", "/channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me"): (1, 0.25),
    ("DELETE", "/channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me"): (1, 0.25),
    ("POST", "/webhooks/{webhook_id}/{webhook_token}"): (5, 2.0),
    ("PATCH", "/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}"): (5, 5.0),
    ("PATCH", "/webhooks/{webhook_id}/{webhook_token}/messages/@original"): (5, 5.0),
}
OTHERS = (30, 10.0)
NAMES = (2, 600.0)  # renaming a channel or thread
MAJOR = ("channel_id", "guild_id", "webhook_id", "webhook_token")


@dataclass
class Window:
    limit: int
    seconds: float
    opened: float = float("-inf")
    used: int = 0

    def take(self, now: float) -> bool:
        if now >= self.opened + self.seconds:
            self.opened, self.used = now, 0
        self.used += 1
        return self.used <= self.limit

    def reset_after(self, now: float) -> float:
        return max(0.0, self.opened + self.seconds - now)


@dataclass(frozen=True)
class Verdict:
    """What the limits say about a request: headers for its answer, and how long to wait if it is refused."""

    headers: dict[str, str]
    retry_after: float | None = None
    is_global: bool = False


@dataclass
class Limits:
    """`speed` shortens every window, for matches played faster than life; `enabled` switches all of it off."""

    enabled: bool = True
    speed: float = 1.0
    per_second: int = 50
    buckets: dict[tuple[str, str], tuple[int, float]] = field(default_factory=lambda: dict(BUCKETS))
    _windows: dict[str, Window] = field(default_factory=dict)
    _all: Window | None = None

    def check(self, method: str, route: str, params: dict[str, str], *, renames: bool = False) -> Verdict:
        if not self.enabled or route.startswith("/interactions/"):
            return Verdict({})
        now = time.monotonic()
        interaction = route.startswith("/webhooks/")
        if not interaction and not self._window_for_all().take(now):
            wait = self._window_for_all().reset_after(now)
            return Verdict({"X-RateLimit-Global": "true", "X-RateLimit-Scope": "global"}, wait, is_global=True)
        if renames:
            renaming = self._window("names", NAMES, params)
            if not renaming.take(now):
                return Verdict({"X-RateLimit-Scope": "user"}, renaming.reset_after(now))
        count = self.buckets.get((method, route), OTHERS)
        key = f"{method} {route}" if (method, route) in self.buckets else "others"
        window = self._window(key, count, params)
        accepted = window.take(now)
        after = window.reset_after(now)
        headers = {
            "X-RateLimit-Limit": str(window.limit),
            "X-RateLimit-Remaining": str(max(0, window.limit - window.used)),
            "X-RateLimit-Reset": f"{time.time() + after:.3f}",
            "X-RateLimit-Reset-After": f"{after:.3f}",
            "X-RateLimit-Bucket": f"{zlib.crc32(key.encode()):08x}",
        }
        return Verdict(headers) if accepted else Verdict(headers | {"X-RateLimit-Scope": "user"}, after)

    def _window_for_all(self) -> Window:
        if self._all is None:
            self._all = Window(self.per_second, 1.0 / self.speed)
        return self._all

    def _window(self, key: str, count: tuple[int, float], params: dict[str, str]) -> Window:
        major = "+".join(params[name] for name in MAJOR if name in params)
        window = self._windows.get(f"{key}:{major}")
        if window is None:
            window = self._windows[f"{key}:{major}"] = Window(count[0], count[1] / self.speed)
        return window
