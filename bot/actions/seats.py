"""Taking a seat, giving it up, and getting it back."""

from __future__ import annotations

from collections.abc import Sequence

from bot.actions.actor import Actor, Reply
from bot.actions.services import Services, send
from bot.rules import commands as c
from bot.rules.events import Event, SeatTaken
from bot.rules.match import Match, Role


async def join(
    services: Services, actor: Actor, match_id: str, role: Role = "debater", seat: str | None = None
) -> Reply:
    def make(match: Match) -> c.Command:
        policy = services.known_policy(actor.community)
        extra_time = policy.extra_time.get(actor.person, 1.0) if policy is not None else 1.0
        return c.Join(at=match.now, person=actor.person, role=role, seat=seat, extra_time=extra_time)

    def say(events: Sequence[Event], _: Match) -> str:
        taken = next(event.seat for event in events if isinstance(event, SeatTaken))
        return services.words("reply.joined", seat=taken)

    return await send(services, actor, match_id, "join", make, say)


async def leave(services: Services, actor: Actor, match_id: str) -> Reply:
    return await send(
        services,
        actor,
        match_id,
        "leave",
        lambda match: c.Leave(at=match.now, person=actor.person),
        lambda _, match: services.words("reply.left"),
    )


async def reclaim(services: Services, actor: Actor, match_id: str) -> Reply:
    """Ask for the seat back that an AI took over."""
    return await send(
        services,
        actor,
        match_id,
        "reclaim",
        lambda match: c.Reclaim(at=match.now, person=actor.person),
        lambda _, match: services.words("reply.returning"),
    )


async def replace(services: Services, actor: Actor, match_id: str, seat: str) -> Reply:
    """Put an AI on a person's seat."""
    return await send(
        services,
        actor,
        match_id,
        "replace",
        lambda match: c.Replace(at=match.now, seat=seat, by=actor.person),
        lambda _, match: services.words("reply.replaced", seat=seat),
    )
