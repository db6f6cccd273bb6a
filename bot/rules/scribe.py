"""A working copy of a match while one command is decided."""

from __future__ import annotations

from bot.rules.events import Event
from bot.rules.evolve import evolve
from bot.rules.match import Match


class Scribe:
    """Collects the events of one decision, each folded in at once so that the next step sees the state it makes."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.events: list[Event] = []

    def write(self, event: Event) -> None:
        self.match = evolve(self.match, event)
        self.events.append(event)
