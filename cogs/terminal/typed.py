"""What a person types at the terminal, line by line, and what it asks for.

`parse` only reads; `act` calls the action and returns what to tell the person.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bot.actions import control, seats, speak, vote
from bot.actions.actor import Actor, Reply
from bot.actions.services import Services
from bot.messages.status import status_line
from bot.rules.format import Move
from bot.rules.match import Match, Stage

MOVES: dict[str, Move] = {
    "/argue": "argue",
    "/rebut": "rebut",
    "/question": "question",
    "/concede": "concede_point",
    "/answer": "answer",
}
SIDES = {"/pro": "pro", "/con": "con"}
DEEDS = ("/pass", "/pause", "/resume", "/leave", "/back", "/skip", "/cancel", "/time", "/help", "/done")


@dataclass(frozen=True, slots=True)
class Typed:
    """One line, understood."""

    kind: Literal["blank", "say", "vote", "deed", "unknown"]
    text: str = ""
    move: Move | None = None
    side: str = ""
    deed: str = ""


def parse(line: str) -> Typed:
    """Read one line. A line that does not begin with a slash is something said."""
    line = line.strip()
    if not line:
        return Typed("blank")
    if not line.startswith("/"):
        return Typed("say", text=line)
    word, _, rest = line.partition(" ")
    word = word.lower()
    if word in MOVES:
        return Typed("say", text=rest.strip(), move=MOVES[word])
    if word in SIDES:
        return Typed("vote", text=rest.strip(), side=SIDES[word])
    if word in DEEDS:
        return Typed("deed", text=rest.strip(), deed=word)
    return Typed("unknown", deed=word)


async def act(services: Services, actor: Actor, match_id: str, typed: Typed) -> str:
    """Do what was asked; returns what to tell the person ("" for nothing)."""
    say = services.words
    match = services.host.peek(match_id)
    if typed.kind == "blank" or match is None:
        return ""
    if typed.kind == "unknown":
        return say("terminal.unknown", command=typed.deed)
    if typed.kind == "vote":
        return (await vote.vote(services, actor, match_id, typed.side, typed.text)).text
    if typed.kind == "say":
        return await _say(services, actor, match, typed)
    return await _deed(services, actor, match, typed)


async def _say(services: Services, actor: Actor, match: Match, typed: Typed) -> str:
    seat = match.seat_of(actor.person)
    if seat is not None and seat.role == "judge":
        return services.words("terminal.vote_how")
    reply = await speak.speak(services, actor, match.id, typed.text, typed.move)
    # What was said appears as a post; only a refusal needs words.
    return "" if reply.ok else reply.text


async def _deed(services: Services, actor: Actor, match: Match, typed: Typed) -> str:
    say = services.words
    reply: Reply
    match typed.deed:
        case "/help":
            return say("terminal.help")
        case "/time":
            return status_line(say, match, services.host.now(match.id) or match.now)
        case "/pass":
            reply = await speak.withdraw(services, actor, match.id)
        case "/done":
            reply = await speak.done(services, actor, match.id)
        case "/pause":
            reply = await control.pause(services, actor, match.id, typed.text)
        case "/resume":
            reply = await control.resume(services, actor, match.id)
        case "/skip":
            reply = await control.skip(services, actor, match.id)
        case "/cancel":
            reply = await control.cancel(services, actor, match.id, typed.text)
        case "/leave":
            reply = await seats.leave(services, actor, match.id)
        case _:
            reply = await seats.reclaim(services, actor, match.id)
    return reply.text


def has_floor(match: Match, person: str) -> bool:
    """True while this person may speak."""
    slot = match.slot
    seat = match.seat_of(person)
    return slot is not None and seat is not None and slot.stage is Stage.OPEN and seat.id in slot.plan.seats
