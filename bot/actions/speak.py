"""Having the floor."""

from __future__ import annotations

from bot.actions.actor import Actor, Reply
from bot.actions.services import Services, send
from bot.rules import commands as c
from bot.rules.format import Move
from bot.rules.match import Match
from bot.rules.rejection import Rejection, reject


async def speak(
    services: Services,
    actor: Actor,
    match_id: str,
    text: str,
    move: Move | None = None,
    slot: tuple[int, int] | None = None,
) -> Reply:
    """Say something in the open slot. `slot` is the (round, n) a form was opened for."""

    def make(match: Match) -> c.Command | Rejection:
        seat = match.seat_of(actor.person)
        if seat is None:
            return reject("not_seated")
        return c.Speak(at=match.now, seat=seat.id, person=actor.person, text=text, move=move, slot=slot)

    return await send(services, actor, match_id, "speak", make, lambda _, match: services.words("reply.spoken"), text)


async def done(services: Services, actor: Actor, match_id: str) -> Reply:
    """End a speech of several parts."""

    def make(match: Match) -> c.Command | Rejection:
        seat = match.seat_of(actor.person)
        return reject("not_seated") if seat is None else c.Done(at=match.now, seat=seat.id, person=actor.person)

    return await send(services, actor, match_id, "done", make, lambda _, match: services.words("reply.spoken"))


async def withdraw(services: Services, actor: Actor, match_id: str) -> Reply:
    """Pass the turn."""
    return await send(
        services,
        actor,
        match_id,
        "pass",
        lambda match: c.Pass(at=match.now, person=actor.person),
        lambda _, match: services.words("reply.passed"),
    )
