"""What the host of a match and moderators can do."""

from __future__ import annotations

from bot.actions.actor import Actor, Reply
from bot.actions.services import Services, send
from bot.rules import commands as c


async def pause(services: Services, actor: Actor, match_id: str, why: str = "") -> Reply:
    wall = services.host.time.wall()
    return await send(
        services,
        actor,
        match_id,
        "pause",
        lambda match: c.Pause(at=match.now, wall=wall, by=actor.person, why=why),
        lambda _, match: services.words("reply.paused"),
        why,
    )


async def resume(services: Services, actor: Actor, match_id: str) -> Reply:
    wall = services.host.time.wall()
    return await send(
        services,
        actor,
        match_id,
        "resume",
        lambda match: c.Resume(at=match.now, wall=wall, by=actor.person),
        lambda _, match: services.words("reply.resumed"),
    )


async def skip(services: Services, actor: Actor, match_id: str) -> Reply:
    """End the current turn, or the vote."""
    return await send(
        services,
        actor,
        match_id,
        "skip",
        lambda match: c.Skip(at=match.now, by=actor.person),
        lambda _, match: services.words("reply.skipped"),
    )


async def void(services: Services, actor: Actor, match_id: str) -> Reply:
    """Void the current round."""
    return await send(
        services,
        actor,
        match_id,
        "void",
        lambda match: c.Void(at=match.now, by=actor.person, round=len(match.rounds) or None),
        lambda _, match: services.words("reply.voided"),
    )


async def cancel(services: Services, actor: Actor, match_id: str, reason: str = "") -> Reply:
    return await send(
        services,
        actor,
        match_id,
        "cancel",
        lambda match: c.Cancel(at=match.now, by=actor.person, reason=reason),
        lambda _, match: services.words("reply.cancelled"),
        reason,
    )
