"""The forms people fill in: to speak, to vote, to report; and what they sent in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import discord
from discord import ui

from bot.messages.words import Words
from bot.rules.format import Move
from bot.rules.match import Match
from bot.venues.discord import ids
from bot.venues.discord.graphemes import size
from bot.venues.discord.ids import ButtonId
from bot.venues.discord.payload import Choice, Payload
from bot.venues.discord.text import CUT, escape

TITLE, LABEL, LONGEST = 45, 45, 4_000
_REASON = 500


class Form(ui.Modal):
    """A modal that nobody waits for: what is sent in is read by its id."""

    def __init__(self, title: str, custom_id: str, *parts: ui.Item[Any]) -> None:
        super().__init__(title=_cut(title, TITLE), custom_id=custom_id, timeout=None)
        for part in parts:
            self.add_item(part)


def speech(say: Words, match: Match | None, id: ButtonId) -> Form:
    """To speak in the slot that the id names. A match that cannot be looked at now gets a form without its limits."""
    slot = match.slot if match is not None else None
    limit = min(LONGEST, slot.plan.limit) if slot is not None else LONGEST
    parts: list[ui.Item[Any]] = []
    if match is not None and match.round is not None:
        parts.append(ui.TextDisplay(say("form.motion", motion=escape(match.round.motion.text))))
    moves = slot.plan.moves if slot is not None else ()
    if len(moves) > 1:
        parts.append(_moves(say, moves))
    text = ui.TextInput[Any](
        custom_id="text", style=discord.TextStyle.paragraph, max_length=limit, required=True, min_length=1
    )
    parts.append(
        ui.Label(
            text=_cut(say("form.speech"), LABEL),
            description=_cut(say("form.limit", limit=limit), 100),
            component=text,
        )
    )
    title = say(f"phase.{slot.plan.phase}") if slot is not None and _known(say, slot.plan.phase) else say("form.turn")
    return Form(title, ids.make("say", id.match, id.version, id.arg), *parts)


def ballot(say: Words, id: ButtonId, side: str) -> Form:
    """The reason for a vote."""
    reason = ui.TextInput[Any](
        custom_id="reason", style=discord.TextStyle.paragraph, max_length=_REASON, required=False
    )
    title = say("form.vote", side=say.get(f"side.{side}", side))
    label = ui.Label(text=_cut(say("form.reason"), LABEL), description=_cut(say("form.secret"), 100), component=reason)
    return Form(title, ids.make("ballot", id.match, id.version, id.arg), label)


def complaint(say: Words, id: ButtonId) -> Form:
    """Why something is reported to the moderators."""
    why = ui.TextInput[Any](
        custom_id="why", style=discord.TextStyle.paragraph, max_length=_REASON, min_length=1, required=True
    )
    label = ui.Label(text=_cut(say("form.why"), LABEL), component=why)
    return Form(say("form.report"), ids.make("complain", id.match, id.version, id.arg), label)


def seat_picker(say: Words, match: Match, id: ButtonId) -> Payload:
    """The free seats to choose from, for one person."""
    free = [
        seat for seat in match.seats.values() if seat.holder is None and seat.id not in getattr(match, "reserved", ())
    ]
    if not free:
        return Payload(content=say("form.no_seat"))
    options = [(seat.id, say(f"form.seat_{seat.role}", seat=seat.id)) for seat in free[:25]]
    return Payload(
        content=say("form.pick_seat"),
        choice=Choice(ids.make("seat", id.match, id.version), tuple(options), say("form.pick_seat_hint")),
    )


def values(data: Any) -> dict[str, str]:
    """What was put into a form's fields, by their ids; of several values the first."""
    found: dict[str, str] = {}
    for field in _fields((data or {}).get("components", ())):
        key = field.get("custom_id")
        if key is None:
            continue
        value = field.get("value")
        many = field.get("values")
        found[key] = str(value) if value is not None else str(many[0]) if many else ""
    return found


def _fields(components: Any) -> Iterator[Mapping[str, Any]]:
    for component in components:
        if "component" in component:
            yield from _fields([component["component"]])
        elif "components" in component:
            yield from _fields(component["components"])
        else:
            yield component


def _moves(say: Words, moves: tuple[Move, ...] | list[Move]) -> ui.Item[Any]:
    options = [
        discord.SelectOption(label=say(f"form.move_{move}"), value=move, default=number == 0)
        for number, move in enumerate(moves)
    ]
    return ui.Label(text=_cut(say("prompt.moves"), LABEL), component=ui.Select[Any](custom_id="move", options=options))


def _known(say: Words, phase: str) -> bool:
    return f"phase.{phase}" in say.keys


def _cut(text: str, limit: int) -> str:
    while size(text) > limit:
        text = text.removesuffix(CUT)[:-1] + CUT
    return text
