"""What actions work with, and how a command is sent on somebody's behalf."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bot.actions.actor import Actor, Reply
from bot.actions.permissions import refusal
from bot.community.ledger import Wallets
from bot.community.policy import Policies, Policy, word_refusal
from bot.community.reports import Reports
from bot.host.committer import Repeated
from bot.host.host import Host
from bot.host.keeper import Receipt
from bot.host.ports import StoreError
from bot.messages.words import Words
from bot.rules import commands as c
from bot.rules.events import Event
from bot.rules.match import Holder, Match, Usage
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
    policies: Policies | None = None
    """What communities allow; None: everything, as in the terminal."""
    wallets: Wallets | None = None
    """What people have to bet with; None: nothing."""
    reports: Reports = field(default_factory=Reports)
    seated: Callable[[str, Sequence[Holder]], Sequence[Holder]] = lambda community, cast: cast
    """The AIs with the models they use in a community."""
    bench: Callable[[str], Sequence[str]] = lambda community: ()
    """The models of a community's AI judges by their place on the bench."""
    models: Sequence[str] = ()
    """The models communities may choose from."""
    estimate: Callable[[Match], Usage | None] = lambda match: None
    """What a match is likely to cost; None: nothing, no models play."""

    async def policy(self, community: str) -> Policy | None:
        """Raises StoreError."""
        return None if self.policies is None else await self.policies.get(community)

    def known_policy(self, community: str) -> Policy | None:
        """The same without waiting, once it was read: `send` reads it before it makes a command."""
        return None if self.policies is None else self.policies.known(community)


async def send(
    services: Services, actor: Actor, match_id: str, action: str, make: Make, say: Say, text: str = ""
) -> Reply:
    """Check the actor's right and what they wrote (`text`), send the command that `make` builds from the state, and
    word the answer."""
    try:
        policy = await services.policy(actor.community)
        match = await services.host.state(match_id)
    except StoreError as error:
        return store_trouble(services, error)
    if match is None:
        return refused(services, reject("no_such_match"))
    denial = refusal(action, actor, match, policy) or text_refusal(services, policy, match, text)
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
        return store_trouble(services, error)
    if isinstance(outcome, Rejection):
        return refused(services, outcome)
    return Reply(say(outcome.events, outcome.match), match=outcome.match)


def text_refusal(services: Services, policy: Policy | None, match: Match, text: str) -> Rejection | None:
    """Why the community does not want to read this, or None. It is handed back, with the time its author has left for
    another; what was open stays open."""
    refusal = word_refusal(policy, text) if policy is not None and text else None
    if refusal is None:
        return None
    now, entry = services.host.now(match.id), match.round
    open_now = (entry.slot or entry.judging) if entry is not None else None
    deadline = open_now.deadline if open_now is not None else None
    left_ms = None if deadline is None or now is None else max(0, deadline - now)
    return reject(refusal.code, **refusal.details, left_ms=left_ms)


def store_trouble(services: Services, error: StoreError) -> Reply:
    log.error("the store has trouble: %s", error)
    return refused(services, reject("store_trouble"))


def receipt(actor: Actor, say: Say) -> Receipt | None:
    if actor.key is None:
        return None
    return Receipt(actor.community, actor.key, lambda events, match: json.dumps({"text": say(events, match)}))


def refused(services: Services, rejection: Rejection) -> Reply:
    return Reply(services.words.refusal(rejection), ok=False, code=rejection.code)
