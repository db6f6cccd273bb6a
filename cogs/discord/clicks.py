"""Buttons, selects and forms: from an id to an action. One table says what there is.

Ids outlive the process, so a click is read from its id alone, before a restart or after. An id that nobody knows any
more gets an answer too.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

import discord

from bot.actions import report, seats, speak, start, vote
from bot.actions.actor import Actor, Reply
from bot.actions.control import cancel
from bot.messages.card import person_token
from bot.rules.match import Match, Status
from bot.rules.rejection import reject
from bot.venues.discord import ids
from bot.venues.discord.ids import ButtonId
from cogs.discord import forms, reports
from cogs.discord.answers import Answer

if TYPE_CHECKING:
    from cogs.discord.bot import Rostrum

log = logging.getLogger(__name__)

WAKE_S = 1.0
"""How long a click waits for a sleeping match before its form is opened without it."""

Interaction = discord.Interaction[Any]


class Unreadable(Exception):
    """An id whose last part is none of ours."""


class Clicks:
    """What presses and sent forms do."""

    def __init__(self, bot: Rostrum) -> None:
        self._bot = bot
        self._presses: Mapping[str, Callable[[Interaction, ButtonId], Awaitable[None]]] = {
            "join": self._join,
            "seat": self._choose_seat,
            "pick": self._pick_seat,
            "leave": self._leave,
            "begin": self._begin,
            "cancel": self._cancel,
            "speak": self._open_speech,
            "pass": self._pass,
            "done": self._done,
            "vote": self._open_ballot,
            "report": self._open_report,
        }
        self._forms: Mapping[str, Callable[[Interaction, ButtonId, dict[str, str]], Awaitable[None]]] = {
            "say": self._say,
            "ballot": self._vote,
            "complain": self._report,
        }

    async def pressed(self, interaction: Interaction) -> None:
        """A button was pressed, or something chosen in a select."""
        await self._route(interaction, self._presses, lambda act, id: act(interaction, id))

    async def sent_in(self, interaction: Interaction) -> None:
        """A form was sent in, however long ago it was opened."""
        values = forms.values(interaction.data)
        await self._route(interaction, self._forms, lambda act, id: act(interaction, id, values))

    async def _route(self, interaction: Interaction, table: Mapping[str, Any], call: Callable[..., Any]) -> None:
        bot = self._bot
        if not bot.is_up:
            await bot.answers.give(interaction, bot.not_up())
            return
        try:
            id = ids.parse(str((interaction.data or {}).get("custom_id", "")))
        except ValueError:
            id = None
        act = table.get(id.action) if id is not None else None
        if act is None or interaction.guild_id is None:
            await bot.answers.give(interaction, self._expired())
            return
        try:
            await call(act, id)
        except Unreadable:
            await bot.answers.give(interaction, self._expired())
        except Exception:
            log.exception("interaction %s failed", interaction.id)
            await bot.answers.give(interaction, bot.failed(interaction))

    async def _expired(self) -> Reply:
        return Reply(self._bot.say("discord.expired"), ok=False)

    async def _do(self, interaction: Interaction, act: Callable[[Actor], Awaitable[Answer]]) -> None:
        async def work() -> Answer:
            return await act(await self._bot.people.of_interaction(interaction))

        await self._bot.answers.give(interaction, work())

    # --------------------------------------------------------------------------------------------- the lobby

    async def _join(self, interaction: Interaction, id: ButtonId) -> None:
        role = "judge" if id.arg == "judge" else "debater"
        await self._do(interaction, lambda actor: self._seated(interaction, actor, id.match, role=role))

    async def _seated(self, interaction: Interaction, actor: Actor, match: str, **where: Any) -> Reply:
        reply = await seats.join(self._bot.services, actor, match, **where)
        if reply.ok:
            await self._bot.lifecycle.seated(match, interaction.user)
        return reply

    async def _pick_seat(self, interaction: Interaction, id: ButtonId) -> None:
        """Offer the free seats; a match that sleeps is woken for it."""

        async def offer(actor: Actor) -> Answer:
            services = self._bot.services
            match = await services.host.state(id.match)
            if match is None or match.community != actor.community:
                return self._refused("no_such_match")
            if match.status is not Status.LOBBY:
                return self._refused("already_started")
            held = match.seat_of(actor.person)
            if held is not None:
                return self._refused("already_seated", seat=held.id, role=held.role)
            return forms.seat_picker(self._bot.say, match, id)

        await self._do(interaction, offer)

    async def _choose_seat(self, interaction: Interaction, id: ButtonId) -> None:
        chosen = ((interaction.data or {}).get("values") or [""])[0]
        await self._do(interaction, lambda actor: self._seated(interaction, actor, id.match, seat=str(chosen)))

    async def _leave(self, interaction: Interaction, id: ButtonId) -> None:
        await self._do(interaction, lambda actor: seats.leave(self._bot.services, actor, id.match))

    async def _begin(self, interaction: Interaction, id: ButtonId) -> None:
        await self._do(interaction, lambda actor: start.begin(self._bot.services, actor, id.match))

    async def _cancel(self, interaction: Interaction, id: ButtonId) -> None:
        await self._do(interaction, lambda actor: cancel(self._bot.services, actor, id.match))

    # --------------------------------------------------------------------------------------------- the floor

    async def _open_speech(self, interaction: Interaction, id: ButtonId) -> None:
        """The form to speak, at once and without the database; whether it counts is decided when it is sent in."""
        match = await self._awake(id.match)
        refusal = self._cannot_speak(interaction, match, id)
        if refusal is not None:
            await self._bot.answers.give(interaction, _ready(refusal))
            return
        await self._bot.answers.modal(interaction, forms.speech(self._bot.say, match, id))

    def _cannot_speak(self, interaction: Interaction, match: Match | None, id: ButtonId) -> Reply | None:
        """Why a form would be in vain, as far as that is known without asking the database."""
        if match is None:
            return None
        if match.over:
            return self._refused("match_over")
        slot, entry = match.slot, match.round
        if slot is None or entry is None or id.arg != f"{entry.number}.{slot.plan.n}":
            return Reply(self._bot.say("discord.turn_over"), ok=False, code="stale_slot")
        assert interaction.guild_id is not None
        person = self._bot.people.known(interaction.guild_id, interaction.user.id)
        seat = match.seat_of(person) if person is not None else None
        if person is not None and (seat is None or seat.id not in slot.plan.seats):
            holder = match.seats[slot.plan.seat].holder
            whose = person_token(holder.person) if holder is not None and holder.person else slot.plan.seat
            return Reply(self._bot.say("discord.not_yours", name=whose), ok=False, code="not_your_turn")
        return None

    async def _say(self, interaction: Interaction, id: ButtonId, values: dict[str, str]) -> None:
        round, n = _numbers(id.arg, 2)
        move: Any = values.get("move") or None
        await self._do(
            interaction,
            lambda actor: speak.speak(self._bot.services, actor, id.match, values.get("text", ""), move, (round, n)),
        )

    async def _pass(self, interaction: Interaction, id: ButtonId) -> None:
        await self._do(interaction, lambda actor: self._passed(actor, id))

    async def _passed(self, actor: Actor, id: ButtonId) -> Reply:
        match = await self._bot.services.host.state(id.match)
        if match is not None and match.slot is not None and match.round is not None:
            if id.arg != f"{match.round.number}.{match.slot.plan.n}":
                return Reply(self._bot.say("discord.turn_over"), ok=False, code="stale_slot")
        return await speak.withdraw(self._bot.services, actor, id.match)

    async def _done(self, interaction: Interaction, id: ButtonId) -> None:
        await self._do(interaction, lambda actor: speak.done(self._bot.services, actor, id.match))

    # --------------------------------------------------------------------------------------------- judging

    async def _open_ballot(self, interaction: Interaction, id: ButtonId) -> None:
        match = await self._awake(id.match)
        round, _, side = id.arg.partition(".")
        if match is not None:
            entry = match.round
            if match.over or entry is None or str(entry.number) != round or entry.judging is None:
                await self._bot.answers.give(interaction, _ready(self._refused("voting_closed")))
                return
        await self._bot.answers.modal(interaction, forms.ballot(self._bot.say, id, side))

    async def _vote(self, interaction: Interaction, id: ButtonId, values: dict[str, str]) -> None:
        before, _, side = id.arg.partition(".")
        (round,) = _numbers(before, 1)
        await self._do(
            interaction,
            lambda actor: vote.vote(self._bot.services, actor, id.match, side, values.get("reason", ""), round=round),
        )

    # --------------------------------------------------------------------------------------------- reports

    async def _open_report(self, interaction: Interaction, id: ButtonId) -> None:
        await self._bot.answers.modal(interaction, forms.complaint(self._bot.say, id))

    async def _report(self, interaction: Interaction, id: ButtonId, values: dict[str, str]) -> None:
        where = _numbers(id.arg, id.arg.count(".") + 1) if id.arg else None
        await self._do(interaction, lambda actor: self._reported(actor, id, where, values.get("why", "")))

    async def _reported(self, actor: Actor, id: ButtonId, where: tuple[int, ...] | None, why: str) -> Reply:
        what = "match" if where is None else "motion" if len(where) == 1 else "turn"
        reply, made = await report.report(self._bot.services, actor, id.match, what, where, why)
        if made is not None and not await reports.send(self._bot, actor.community, made):
            return report.undelivered(self._bot.services, made)
        return reply

    # --------------------------------------------------------------------------------------------- parts

    async def _awake(self, match_id: str) -> Match | None:
        """The state, without waiting for the database longer than a form can wait."""
        host = self._bot.services.host
        match = host.peek(match_id)
        if match is None:
            task = self._bot.home.spawn(host.state(match_id))
            await asyncio.wait({task}, timeout=WAKE_S)
            match = task.result() if task.done() and task.exception() is None else None
        return match

    def _refused(self, code: str, **details: Any) -> Reply:
        return Reply(self._bot.say.refusal(reject(code, **details)), ok=False, code=code)


async def _ready(reply: Reply) -> Reply:
    return reply


def _numbers(arg: str, many: int) -> tuple[int, ...]:
    """So many numbers with dots between them. Raises Unreadable."""
    parts = arg.split(".")
    if len(parts) != many or not all(part.isascii() and part.isdecimal() and len(part) < 10 for part in parts):
        raise Unreadable(arg)
    return tuple(map(int, parts))
