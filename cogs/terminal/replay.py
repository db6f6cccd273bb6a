"""Watching a stored match again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from bot.messages.card import Card
from bot.messages.publish import MatchPublisher
from bot.rules.clock import VIRTUAL
from bot.rules.events import Event
from bot.rules.evolve import evolve
from bot.rules.match import Match
from bot.venues.terminal.venue import TerminalVenue


async def replay(venue: TerminalVenue, events: Sequence[Event], speed: float) -> None:
    """Show the posts of a match in their order, with the pauses it had, `speed` times as fast; at once for `max`."""
    publisher = MatchPublisher()
    match = Match()
    for event in events:
        if speed != VIRTUAL and match.seq:
            await asyncio.sleep(max(0, event.at - match.now) / 1000 / speed)
        after = evolve(match, event)
        for post in publisher.posts(match, event, after):
            await venue.show_card(Card.model_validate_json(post.body))
        match = after
