"""Which thread belongs to which match: how a message or a command finds its match."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import discord

from bot.host.ports import MatchRow
from bot.rules.events import Event
from bot.rules.match import Match
from bot.venues.discord.place import Place

_KEPT_AFTER = 1_000
"""So many finished matches are remembered, to say in their threads that they are over."""


class Threads:
    """Live matches by thread. Only ids are kept; Discord's own objects go stale."""

    def __init__(self) -> None:
        self._match_of: dict[int, str] = {}
        self._place_of: dict[str, Place] = {}
        self._over: dict[str, None] = {}

    def load(self, rows: Iterable[MatchRow]) -> None:
        for row in rows:
            if row.thread is not None:
                self.add(row.id, Place.parse(row.thread))

    def add(self, match: str, place: Place) -> None:
        self._match_of[place.thread] = self._match_of[place.lobby] = match
        self._place_of[match] = place

    def match(self, thread: int) -> str | None:
        """The match whose thread this is, or whose lobby's message has this id."""
        return self._match_of.get(thread)

    def place(self, match: str) -> Place | None:
        return self._place_of.get(match)

    def thread_of(self, match: str, guild: discord.Guild | None) -> discord.Thread | None:
        """The thread of a match as Discord last told of it, if it did."""
        place = self._place_of.get(match)
        return guild.get_thread(place.thread) if place is not None and guild is not None else None

    def is_over(self, match: str) -> bool:
        return match in self._over

    def live(self) -> list[tuple[str, Place]]:
        return [(match, place) for match, place in self._place_of.items() if match not in self._over]

    def in_channel(self, channel: int) -> list[str]:
        """The live matches whose lobbies stand in a channel, oldest first."""
        return [match for match, place in self.live() if place.channel == channel]

    def watch(self, match: Match, _: Sequence[Event]) -> None:
        """Told of every commit by the host."""
        if match.over and match.id in self._place_of and match.id not in self._over:
            self._over[match.id] = None
            while len(self._over) > _KEPT_AFTER:
                oldest = next(iter(self._over))
                self.drop(oldest)

    def drop(self, match: str) -> None:
        self._over.pop(match, None)
        place = self._place_of.pop(match, None)
        if place is not None:
            self._match_of.pop(place.thread, None)
            self._match_of.pop(place.lobby, None)
