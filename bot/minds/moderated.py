"""Minds whose words are held to what a community allows, as people's are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bot.host.ports import Minds, Said, Voted
from bot.rules.match import Match
from bot.rules.text import count


class Moderated:
    """Hides what a community does not want to read in turns and in reasons for votes."""

    def __init__(self, minds: Minds, hide: Callable[[str, str], str]) -> None:
        """`hide`: from a community and a text to the text that may be shown."""
        self._minds = minds
        self._hide = hide

    async def turn(self, match: Match, seat: str) -> Said:
        said = await self._minds.turn(match, seat)
        text = self._hide(match.community, said.text)
        limit = match.slot.plan.limit if match.slot is not None else count(text)
        return replace(said, text=text[:limit])

    async def ballot(self, match: Match, judge: str) -> Voted:
        voted = await self._minds.ballot(match, judge)
        return replace(voted, reason=self._hide(match.community, voted.reason))
