"""Who may run now, and who waits in line for a free place (docs/architecture.md, "Admission")."""

from __future__ import annotations

import asyncio

from bot.rules.match import Match, Status


class Admission:
    """The places of a process. A match takes one when it starts and keeps it, paused or not, until it is over."""

    def __init__(self, capacity: int | None) -> None:
        self._capacity = capacity
        self._running: set[str] = set()
        self._line: dict[str, int] = {}
        """The lobbies that wait, and since which wall time."""
        self._passed_over: set[str] = set()
        self._latest = 0
        self.changed = asyncio.Event()
        """Set when there may be somebody to let in."""

    @property
    def limited(self) -> bool:
        return self._capacity is not None

    def ask(self, match: Match, wall: int) -> int | None:
        """For a lobby that is to start. None: it may, and a place is kept for it. Else the wall time as of which it
        stands in line. `note` says what came of it."""
        if self._capacity is None or match.status is not Status.LOBBY or match.id in self._running:
            return None
        before = [id for id in self._order() if id not in self._passed_over]
        if self._free and (not before or before[0] == match.id):
            self._running.add(match.id)
            return None
        if match.id not in self._line:
            self._latest = max(self._latest + 1, wall)  # no two come at once
            self._line[match.id] = self._latest
        return self._line[match.id]

    def note(self, match: Match) -> None:
        """What a match is now. To be told after every commit, and when nothing came of an `ask`."""
        if self._capacity is None or match.seq == 0:
            return
        known = (match.id in self._running, self._line.get(match.id), match.id in self._passed_over)
        self._running.discard(match.id)
        self._line.pop(match.id, None)
        self._passed_over.discard(match.id)
        if match.status is Status.RUNNING:
            self._running.add(match.id)
        elif match.status is Status.LOBBY and match.queued is not None:
            self._line[match.id] = match.queued
            self._latest = max(self._latest, match.queued)
        if known != (match.id in self._running, self._line.get(match.id), False):
            self.changed.set()

    def forget(self, id: str) -> None:
        """This process does not hold that match any more."""
        self._running.discard(id)
        self._line.pop(id, None)
        self._passed_over.discard(id)
        self.changed.set()

    def pass_over(self, id: str) -> None:
        """It cannot start as it is (it is paused, say). It keeps its place in line, and others go before it until
        something happens to it."""
        self._passed_over.add(id)

    def next(self) -> str | None:
        """Whose turn it is to start."""
        if not self._free:
            return None
        return next((id for id in self._order() if id not in self._passed_over), None)

    def number(self, id: str) -> int | None:
        """The number in line, from 1. None: it is not in line."""
        return self._order().index(id) + 1 if id in self._line else None

    @property
    def _free(self) -> bool:
        return self._capacity is None or len(self._running) < self._capacity

    def _order(self) -> list[str]:
        return sorted(self._line, key=lambda id: (self._line[id], id))
