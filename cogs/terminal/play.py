"""Playing and watching a match at the terminal."""

from __future__ import annotations

import asyncio
import contextlib

from rich.console import Console
from rich.text import Text

from bot.actions.actor import Actor
from bot.actions.control import resume
from bot.actions.seats import leave
from bot.actions.services import Services
from bot.messages.card import with_names
from bot.messages.status import status_line
from bot.rules.text import clean, count
from bot.venues.terminal.screen import status_line as live_status
from cogs.terminal.keyboard import Keyboard
from cogs.terminal.typed import act, has_floor, parse


class Table:
    """One match at one terminal, with at most one person playing."""

    def __init__(
        self, services: Services, match_id: str, console: Console, actor: Actor | None, names: dict[str, str]
    ) -> None:
        """`actor` is the person who plays, if anybody does; `names` are people's names by id."""
        self._services = services
        self._match_id = match_id
        self._console = console
        self._actor = actor
        self._names = names
        self._keyboard = Keyboard(self._toolbar)

    async def run(self) -> None:
        """Until the match is over and everything of it is shown. Raises what made the match stop."""
        finished = asyncio.create_task(self._services.host.finished(self._match_id), name="finished")
        try:
            if self._actor is None:
                async with live_status(self._console, self._status):
                    await finished
                return
            with self._keyboard.screen():
                typing = asyncio.create_task(self._type(self._actor), name="typing")
                try:
                    await asyncio.wait((finished, typing), return_when=asyncio.FIRST_COMPLETED)
                    if typing.done():
                        typing.result()  # Ctrl-C at the prompt ends the demo
                    await finished
                finally:
                    typing.cancel()
                    with contextlib.suppress(asyncio.CancelledError, KeyboardInterrupt):
                        await typing
        finally:
            finished.cancel()

    async def _type(self, actor: Actor) -> None:
        async for line in self._keyboard.lines():
            answer = await act(self._services, actor, self._match_id, parse(line))
            if answer:
                self._say(answer)
        # The input has ended: nobody is there to speak any more, or to let a paused match go on.
        match = self._services.host.peek(self._match_id)
        if match is not None and not match.over and match.seat_of(actor.person) is not None:
            self._say(self._services.words("terminal.input_ended"))
            await leave(self._services, actor, self._match_id)
        match = self._services.host.peek(self._match_id)
        if match is not None and not match.over and not match.clock.running:
            await resume(self._services, actor, self._match_id)

    def _say(self, text: str) -> None:
        self._console.print(Text(self._named(text), style="yellow"))

    def _status(self) -> str:
        match = self._services.host.peek(self._match_id)
        now = self._services.host.now(self._match_id)
        return (
            self._named(status_line(self._services.words, match, now)) if match is not None and now is not None else ""
        )

    def _toolbar(self, typed: str) -> str:
        """What stands beneath the line being typed: where the match is, and how much of the limit is used."""
        match = self._services.host.peek(self._match_id)
        if match is None or self._actor is None or match.slot is None or not has_floor(match, self._actor.person):
            return f" {self._status()}"
        parsed = parse(typed)
        used = self._services.words("terminal.board", n=count(clean(parsed.text)), limit=match.slot.plan.limit)
        return f" {self._status()} | {used}"

    def _named(self, text: str) -> str:
        return with_names(text, self._names, self._services.words("person.erased"))
