"""The match clock: how a match's own time maps to wall time (docs/architecture.md, "Time").

A match's clock stands still while the match is paused or no process holds it. `ClockStarted` and `ClockStopped` in the
log are the whole truth about it; pause, downtime and `--speed` are this one mechanism.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

VIRTUAL_EPOCH_MS = 946_684_800_000
"""2000-01-01T00:00:00Z: where the clock of a `--speed max` match starts."""
VIRTUAL = 0.0
"""The speed that stands for `--speed max`: the clock jumps to the next due moment once all work at hand is done."""


def is_speed(speed: float) -> bool:
    """Whether a clock can run at this speed: real seconds times it are match seconds."""
    return 0 <= speed < inf


@dataclass(frozen=True, slots=True)
class Clock:
    """Match time `match` (ms) was wall time `wall` (ms since 1970) when the clock last started or stopped."""

    running: bool = False
    wall: int = 0
    match: int = 0
    speed: float = 1.0

    @property
    def virtual(self) -> bool:
        return self.speed == VIRTUAL

    def match_at(self, wall: float) -> int:
        """Match time at a wall time. Never before the moment the clock started; constant while it stands still."""
        if not self.running or self.virtual:
            return self.match
        return self.match + round(max(0.0, wall - self.wall) * self.speed)

    def wall_at(self, match: int) -> float | None:
        """Wall time at which the clock will show `match`, or None while it stands still or is virtual."""
        if not self.running or self.virtual:
            return None
        return self.wall + (match - self.match) / self.speed
