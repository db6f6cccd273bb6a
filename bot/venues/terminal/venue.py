"""The terminal as a venue: posts are printed, and seen at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from rich.console import Console

from bot.host.ports import BoardRow, Delivered, PostRow, Time
from bot.messages.card import Card, people_in, with_names
from bot.rules.match import Clip
from bot.venues.terminal.look import render

Names = Callable[[Sequence[str]], Awaitable[dict[str, str]]]


class TerminalVenue:
    """Prints a match's posts to a console, one after another."""

    hold_s: float = 0.0
    """What is typed is there at once."""
    clip_wait_s: float = 0.0
    board_every_s: float | None = None
    """What is printed cannot be edited; the status line does the work of boards here."""

    def __init__(self, console: Console, names: Names, time: Time, somebody: str) -> None:
        self._console = console
        self._names = names
        self._time = time
        self._somebody = somebody

    async def post(self, thread: str | None, post: PostRow, onto: str | None, clip: Clip | None = None) -> Delivered:
        await self.show_card(Card.model_validate_json(post.body))
        return Delivered(str(post.n), self._time.wall())

    async def attach(self, thread: str | None, message: str, match: str, clip: Clip) -> None:
        """The clip is a file beside the record; nothing is shown."""

    async def newest_ours(self, thread: str | None, after: str | None) -> Delivered | None:
        """A terminal that was closed took its text along: what was in doubt is printed again."""
        return None

    async def show(self, thread: str | None, board: BoardRow) -> str | None:
        """Never asked for."""
        return None

    async def show_card(self, card: Card) -> None:
        people = people_in(card)
        names = await self._names(sorted(people)) if people else {}
        self._console.print(render(card, lambda text: with_names(text, names, self._somebody)))
