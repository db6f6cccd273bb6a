"""What moderators decide for their community."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

from bot.actions.actor import Actor, Reply
from bot.actions.permissions import refusal
from bot.actions.services import Services, refused, store_trouble
from bot.community.policy import Policy, cast_for
from bot.community.wordlist import MOST_PATTERNS
from bot.community.wordlist import refused as pattern_refusal
from bot.host.ports import StoreError
from bot.messages.card import person_token
from bot.rules import commands as c
from bot.rules.formats import format_names, load_format
from bot.rules.match import Match, Status
from bot.rules.rejection import Rejection, reject

Show = Callable[[str], str]
"""How the venue writes an id of its own: a channel, a role, a person."""
Make = Callable[[Policy], "dict[str, Any] | Rejection"]
Say = Callable[[Policy, Policy], str]

CHANNELS = frozenset({"channels", "report_channel"})
ROLES = frozenset({"starter_roles"})
PEOPLE = frozenset({"blocked_people", "extra_time"})
LISTS = frozenset({"channels", "starter_roles", "models", "blocked_personas"})


async def show(
    services: Services, actor: Actor, *, channel: Show = str, role: Show = str, person: Show = person_token
) -> Reply:
    """All settings in words, one a line."""
    policy = await _policy(services, actor, "setup")
    if isinstance(policy, Reply):
        return policy
    lines = settings(services, policy, channel=channel, role=role, person=person)
    return Reply("\n".join(services.words("setup.line", name=name, value=value) for _, name, value in lines))


def settings(
    services: Services, policy: Policy, *, channel: Show = str, role: Show = str, person: Show = person_token
) -> list[tuple[str, str, str]]:
    """Every setting as (field, name, value) in words, for a venue that lays them out itself."""
    names = {holder.persona: holder.name or "" for holder in services.cast}
    shows: dict[str, Show] = {"blocked_personas": lambda id: names.get(id, id)}
    shows |= {**dict.fromkeys(CHANNELS, channel), **dict.fromkeys(ROLES, role), **dict.fromkeys(PEOPLE, person)}
    return [
        (field, services.words.template(f"setup.name.{field}"), _value(services, field, policy, shows.get(field, str)))
        for field in Policy.model_fields
    ]


async def change(
    services: Services,
    actor: Actor,
    *,
    channel: Show = str,
    role: Show = str,
    person: Show = person_token,
    **changes: Any,
) -> Reply:
    """Set these settings, all or none, and say what is different now."""
    return await _edit(services, actor, "setup", lambda _: changes, _differences(services, channel, role, person))


async def include(
    services: Services,
    actor: Actor,
    field: str,
    item: str,
    present: bool = True,
    *,
    channel: Show = str,
    role: Show = str,
    person: Show = person_token,
) -> Reply:
    """Put an item on one of the lists (channels, starter_roles, models, blocked_personas), or take it off. Two people
    doing so at once do not undo one another."""

    def make(policy: Policy) -> dict[str, Any] | Rejection:
        if field not in LISTS:
            return reject("no_such_setting", setting=field)
        items: tuple[str, ...] = getattr(policy, field)
        if not present:
            return {field: _without(items, item)}
        return {field: items if item in items else (*items, item)}

    return await _edit(services, actor, "setup", make, _differences(services, channel, role, person))


async def extra_time(services: Services, actor: Actor, person: str, factor: float) -> Reply:
    """Give a person so many times the time to speak, from their next seat on; 1 takes it back."""

    def make(policy: Policy) -> dict[str, Any]:
        others = {id: times for id, times in policy.extra_time.items() if id != person}
        return {"extra_time": others if factor == 1 else {**others, person: factor}}

    return await _edit(
        services, actor, "setup", make, lambda *_: services.words("setup.extra_time_given", factor=f"{factor:g}")
    )


# ------------------------------------------------------------------------------------------------- people


async def block(services: Services, actor: Actor, person: str) -> Reply:
    """Keep a person out of all matches from now on; an AI takes the seats they hold."""

    def make(policy: Policy) -> dict[str, Any] | Rejection:
        if person == actor.person:
            return reject("block_yourself")
        if person in policy.blocked_people:
            return reject("blocked_already")
        return {"blocked_people": (*policy.blocked_people, person)}

    reply = await _edit(services, actor, "block", make, lambda *_: services.words("reply.blocked"))
    if reply.ok:
        await _unseat(services, actor, person)
    return reply


async def unblock(services: Services, actor: Actor, person: str) -> Reply:
    def make(policy: Policy) -> dict[str, Any] | Rejection:
        if person not in policy.blocked_people:
            return reject("not_blocked")
        return {"blocked_people": _without(policy.blocked_people, person)}

    return await _edit(services, actor, "block", make, lambda *_: services.words("reply.unblocked"))


async def _unseat(services: Services, actor: Actor, person: str) -> None:
    """Take the person off every seat. What cannot be done now they can undo no more: they may only leave or pass."""
    assert services.policies is not None
    try:
        for row in await services.policies.live(actor.community):
            match = await services.host.state(row.id)
            command = _parting(match, person, actor) if match is not None else None
            if command is not None:
                await services.host.tell(row.id, command)
    except StoreError as error:
        store_trouble(services, error)


def _parting(match: Match, person: str, actor: Actor) -> c.Command | None:
    """What ends a person's part in a match: an AI takes their seat; a lobby they opened goes to who sits there, or ends
    with them."""
    seat = match.seat_of(person)
    if match.status is Status.LOBBY and match.host == person:
        others = any(one.holder is not None and one.holder.person not in (None, person) for one in match.seats.values())
        leave = c.Leave(at=match.now, person=person)
        return leave if others else c.Cancel(at=match.now, by=actor.person, reason="")
    if seat is None:
        return None
    if match.status is Status.LOBBY:
        return c.Leave(at=match.now, person=person)
    return c.Replace(at=match.now, seat=seat.id, by=actor.person)


# ------------------------------------------------------------------------------------------------- words


async def words_add(services: Services, actor: Actor, pattern: str) -> Reply:
    """Block a word or phrase; `*` in it stands for any letters."""
    pattern = " ".join(pattern.split())

    def make(policy: Policy) -> dict[str, Any] | Rejection:
        unusable = pattern_refusal(pattern)
        if unusable is not None:
            return unusable
        if pattern in policy.blocked_words:
            return reject("pattern_known", pattern=pattern)
        if len(policy.blocked_words) >= MOST_PATTERNS:
            return reject("patterns_full", most=MOST_PATTERNS)
        return {"blocked_words": (*policy.blocked_words, pattern)}

    return await _edit(services, actor, "words", make, lambda *_: services.words("reply.word_added", pattern=pattern))


async def words_remove(services: Services, actor: Actor, pattern: str) -> Reply:
    pattern = " ".join(pattern.split())

    def make(policy: Policy) -> dict[str, Any] | Rejection:
        if pattern not in policy.blocked_words:
            return reject("pattern_unknown", pattern=pattern)
        return {"blocked_words": _without(policy.blocked_words, pattern)}

    return await _edit(services, actor, "words", make, lambda *_: services.words("reply.word_removed", pattern=pattern))


async def words_list(services: Services, actor: Actor) -> Reply:
    policy = await _policy(services, actor, "words")
    if isinstance(policy, Reply):
        return policy
    if not policy.blocked_words:
        return Reply(services.words("reply.no_words"))
    return Reply(
        services.words("reply.words", n=len(policy.blocked_words), patterns="\n".join(sorted(policy.blocked_words)))
    )


# ------------------------------------------------------------------------------------------------- inside


def _differences(services: Services, channel: Show, role: Show, person: Show) -> Say:
    """Says which settings are different, from what to what."""

    def say(before: Policy, after: Policy) -> str:
        old = settings(services, before, channel=channel, role=role, person=person)
        new = settings(services, after, channel=channel, role=role, person=person)
        lines = [
            services.words("setup.changed", name=name, before=was, after=value)
            for (_, name, value), (field, _, was) in zip(new, old, strict=True)
            if getattr(before, field) != getattr(after, field)
        ]
        return "\n".join(lines) or services.words("setup.unchanged")

    return say


async def _policy(services: Services, actor: Actor, action: str) -> Policy | Reply:
    """The policy, for who may see it."""
    try:
        policy = await services.policy(actor.community)
    except StoreError as error:
        return store_trouble(services, error)
    denial = reject("no_settings_here") if policy is None else refusal(action, actor, None, policy)
    if denial is not None or policy is None:
        return refused(services, denial or reject("no_settings_here"))
    return policy


async def _edit(services: Services, actor: Actor, action: str, make: Make, say: Say) -> Reply:
    """Check the right, change the policy as it is at that moment, and say what `say` makes of before and after."""
    policy = await _policy(services, actor, action)
    if isinstance(policy, Reply):
        return policy
    assert services.policies is not None
    before = [policy]

    def make_now(current: Policy) -> dict[str, Any] | Rejection:
        before[0] = current
        made = make(current)
        return made if isinstance(made, Rejection) else _allowed_models(services, current, made)

    try:
        after = await services.policies.edit(
            actor.community, make_now, lambda new: _cast_refusal(services, before[0], new)
        )
    except StoreError as error:
        return store_trouble(services, error)
    if isinstance(after, Rejection):
        return refused(services, _explained(services, after))
    return Reply(say(before[0], after))


def _allowed_models(services: Services, policy: Policy, changes: dict[str, Any]) -> dict[str, Any] | Rejection:
    """The changes, unless they choose a model that the operator does not allow. One chosen earlier may stay."""
    models = changes.get("models", ())
    if isinstance(models, (tuple, list)) and not set(map(str, models)) <= {*services.models, *policy.models}:
        return reject("bad_setting", setting="models", wanted="")
    return changes


def _cast_refusal(services: Services, before: Policy, policy: Policy) -> Rejection | None:
    """Why there would be too few AIs for the largest format, or None. What is so already may stay or get better."""
    formats = [load_format(name) for name in format_names()]

    def count(policy: Policy) -> tuple[int, int]:
        needed = max(len(fmt.seats) + max(policy.judges or 0, fmt.judging.judges) for fmt in formats)
        return needed, len(cast_for(policy, services.cast))

    (needed, there), (needed_before, there_before) = count(policy), count(before)
    if there >= needed or there - needed >= there_before - needed_before:
        return None
    return reject("too_many_personas_blocked", needed=needed, there=there)


def _explained(services: Services, rejection: Rejection) -> Rejection:
    """A refused value with the setting's name and what it should be, in words."""
    if rejection.code != "bad_setting":
        return rejection
    field = str(rejection.details["setting"])
    return reject(
        "bad_setting",
        setting=services.words.template(f"setup.name.{field}"),
        wanted=services.words.get(f"setup.wanted.{field}", services.words("setup.wanted.other")),
    )


def _value(services: Services, field: str, policy: Policy, show: Show) -> str:
    """A setting's value in words."""
    say = services.words
    value = getattr(policy, field)
    if field == "blocked_words" and value:
        return say("setup.patterns", n=len(value))  # a list of slurs is shown only to who asks for it
    if isinstance(value, dict):
        entries = _list(say("setup.times", name=show(id), factor=f"{times:g}") for id, times in value.items())
        return entries or say.template(f"setup.empty.{field}")
    if isinstance(value, tuple):
        return _list(show(item) for item in value) or say.template(f"setup.empty.{field}")
    if isinstance(value, bool):
        return say("setup.value.on") if value else say("setup.value.off")
    if value is None:
        return say.template(f"setup.empty.{field}")
    if field == "lobby_minutes":
        return say("setup.minutes", n=value) if value else say("setup.value.until_started")
    if isinstance(value, Enum):
        return say.template(f"tempo.{value.value}")
    return say.get(f"setup.value.{value}", show(str(value)))


def _list(items: Iterable[str]) -> str:
    return ", ".join(items)


def _without(values: tuple[str, ...], value: str) -> tuple[str, ...]:
    return tuple(other for other in values if other != value)
