"""What actions work with, and how a command is sent on somebody's behalf."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.actions.actor import Actor, Reply
from bot.actions.permissions import refusal
from bot.host.committer import Repeated
from bot.host.host import Host
from bot.host.keeper import Receipt
from bot.host.ports import StoreError
from bot.messages.words import Words
from bot.rules import commands as c
from bot.rules.events import Event
from bot.rules.match import Holder, Match
from bot.rules.motion import Motion
from bot.rules.rejection import Rejection, reject

log = logging.getLogger(__name__)

Make = Callable[[Match], "c.Command | Rejection"]
Say = Callable[[Sequence[Event], Match], str]


@dataclass(frozen=True, slots=True)
class Services:
    """The host and what matches are made from."""

    host: Host
    words: Words
    motions: Sequence[Motion]
    cast: Sequence[Holder]
    """The AIs that can take a seat."""


async def send(services: Services, actor: Actor, match_id: str, action: str, make: Make, say: Say) -> Reply:
    """Check the actor's right, send the command that `make` builds from the state, and word the answer."""
    match = await services.host.state(match_id)
    if match is None:
        return refused(services, reject("no_such_match"))
    denial = refusal(action, actor, match)
    if denial is not None:
        return refused(services, denial)
    command = make(match)
    if isinstance(command, Rejection):
        return refused(services, command)
    return await deliver(
        services,
        lambda: services.host.tell(match_id, command, wall=actor.platform_time, receipt=receipt(actor, say)),
        say,
    )


async def deliver(services: Services, tell: Callable[[], object], say: Say) -> Reply:
    """Run one send to the host and turn whatever comes of it into a reply."""
    try:
        outcome = await tell()  # type: ignore[misc]
    except Repeated as repeated:
        return Reply(json.loads(repeated.answer)["text"], code="repeated")
    except StoreError as error:
        log.error("an action could not be stored: %s", error)
        return refused(services, reject("store_trouble"))
    if isinstance(outcome, Rejection):
        return refused(services, outcome)
    return Reply(say(outcome.events, outcome.match), match=outcome.match)


def receipt(actor: Actor, say: Say) -> Receipt | None:
    if actor.key is None:
        return None
    return Receipt(actor.community, actor.key, lambda events, match: json.dumps({"text": say(events, match)}))


def refused(services: Services, rejection: Rejection) -> Reply:
    return Reply(services.words.refusal(rejection), ok=False, code=rejection.code)
