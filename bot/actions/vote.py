"""Judging."""

from __future__ import annotations

from bot.actions.actor import Actor, Reply
from bot.actions.services import Services, send
from bot.rules import commands as c
from bot.rules.match import Match
from bot.rules.rejection import Rejection, reject


async def vote(
    services: Services,
    actor: Actor,
    match_id: str,
    side: str,
    reason: str = "",
    scores: dict[str, dict[str, int]] | None = None,
    round: int | None = None,
) -> Reply:
    """Cast a ballot, or change it while the vote is open."""

    def make(match: Match) -> c.Command | Rejection:
        seat = match.seat_of(actor.person)
        if seat is None:
            return reject("not_seated")
        return c.Cast(
            at=match.now, judge=seat.id, person=actor.person, vote=side, reason=reason, scores=scores, round=round
        )

    return await send(services, actor, match_id, "vote", make, lambda _, match: services.words("reply.voted"), reason)
