"""What a community allows: its settings, kept with it and read before anybody may do anything."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Annotated, Any, Literal, Protocol

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PrivateAttr, ValidationError

from bot.community.wordlist import MOST_PATTERNS, NOTHING, WordList, compiled, refused
from bot.rules.formats import format_names
from bot.rules.lobby import MOST_EXTRA_TIME, MOST_JUDGES
from bot.rules.market import MOST_COINS
from bot.rules.match import Holder
from bot.rules.motion import Motion
from bot.rules.rejection import Rejection, reject
from bot.rules.tempo import Tempo

log = logging.getLogger(__name__)

KEY = "policy"
"""Where a policy lies among all that is stored of a community."""
LONGEST_LOBBY_MINUTES = 24 * 60
MOST_NAMED = 1000
MASK = "■■■"
"""What stands for a hidden word."""
_MOST_MATCHES_READ = 1000


def _built_in(name: str) -> str:
    if name not in format_names():
        raise ValueError("no such format")
    return name


def _allowed_patterns(patterns: tuple[str, ...]) -> tuple[str, ...]:
    if any(refused(pattern) is not None for pattern in patterns):
        raise ValueError("no such pattern")
    return patterns


def _without_repeats(value: Any) -> Any:
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return tuple(dict.fromkeys(value))
    return value


Id = Annotated[str, Field(min_length=1, max_length=200)]
Ids = Annotated[tuple[Id, ...], BeforeValidator(_without_repeats), Field(max_length=MOST_NAMED)]


class Policy(BaseModel):
    """The settings of one community. The defaults are for one that never chose any."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    channels: Ids = ()
    """The platform's ids of the channels where debates may start; empty: everywhere."""
    default_format: Annotated[str, AfterValidator(_built_in)] = "duel"
    default_tempo: Tempo | None = None
    """None: by whether a person debates."""
    judges: Annotated[int, Field(ge=1, le=MOST_JUDGES)] | None = None
    """None: as many as the format says."""
    sound: bool = True
    lobby_minutes: Annotated[int, Field(ge=0, le=LONGEST_LOBBY_MINUTES)] = 5
    """How long a lobby waits before AIs fill it; 0: until somebody starts the match."""
    out_of_turn: Literal["ignore", "react", "remove"] = "react"
    """What happens to what people write in a match's thread when it is not their turn."""
    who_may_start: Literal["everyone", "roles", "moderators"] = "everyone"
    starter_roles: Ids = ()
    """The platform's ids of the roles that may start, if roles may."""
    most_per_person: Annotated[int, Field(ge=1, le=100)] = 1
    """Open lobbies and running matches that one person hosts."""
    most_live: Annotated[int, Field(ge=1, le=500)] = 10
    """Open lobbies and running matches of the whole community."""
    blocked_people: Ids = ()
    """Person ids."""
    blocked_words: Annotated[
        tuple[str, ...],
        BeforeValidator(_without_repeats),
        AfterValidator(_allowed_patterns),
        Field(max_length=MOST_PATTERNS),
    ] = ()
    """Patterns (see `bot.community.wordlist`) that nothing said or put up for debate may contain."""
    models: Ids = ()
    """The models the AIs use, of those the operator allows; empty: as the operator says."""
    blocked_personas: Ids = ()
    """AIs that never get a seat."""
    report_channel: Id | None = None
    """The platform's id of the channel where moderators read reports."""
    school: bool = False
    """No wagers, private threads, pseudonyms in exports."""
    wagers: bool = False
    """Off until a community asks for it, and until a venue lets people bet."""
    wager_least: Annotated[int, Field(ge=1, le=MOST_COINS)] = 1
    wager_most: Annotated[int, Field(ge=1, le=MOST_COINS)] | None = None
    """What one person may have on one match; None: what they have."""
    extra_time: dict[Id, Annotated[float, Field(ge=1.0, le=MOST_EXTRA_TIME)]] = Field(
        default_factory=dict[str, float], max_length=MOST_NAMED
    )
    """People who get more time to speak, by how many times more."""

    _operator: WordList = PrivateAttr(default_factory=lambda: NOTHING)

    def under(self, operator: WordList) -> Policy:
        """The same policy where the operator's list holds beside the community's own. It is not stored with it."""
        made = self.model_copy()
        made._operator = operator
        return made

    def find(self, text: str) -> str | None:
        """A pattern, the community's or the operator's, that is in the text."""
        return compiled(self.blocked_words).find(text) or self._operator.find(text)

    @property
    def market(self) -> bool:
        """Whether matches may have a market."""
        return self.wagers and not self.school


class MatchLine(Protocol):
    """What counting needs to know of a match."""

    @property
    def id(self) -> str: ...
    @property
    def community(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def host(self) -> str: ...


class PolicyStore(Protocol):
    """Where policies are kept."""

    async def settings(self, community: str) -> dict[str, Any]: ...
    async def set_settings(self, community: str, settings: dict[str, Any]) -> None: ...
    async def matches(self, community: str | None = None, *, limit: int = 50) -> Sequence[MatchLine]:
        """Newest first."""
        ...

    async def receipt(self, community: str, key: str) -> str | None:
        """The answer already given to a delivery."""
        ...


Changes = Mapping[str, Any]


class Policies:
    """The policies of all communities, kept in memory once read: this process is the only one that changes them."""

    def __init__(self, store: PolicyStore, operator: WordList = NOTHING) -> None:
        self.store = store
        self._operator = operator
        self._known: dict[str, Policy] = {}
        self._changing: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._starting: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def get(self, community: str) -> Policy:
        """Raises what the store raises."""
        if community not in self._known:
            async with self._changing[community]:
                if community not in self._known:
                    read = _read(community, await self.store.settings(community))
                    self._known[community] = read.under(self._operator)
        return self._known[community]

    async def load(self, communities: Iterable[str]) -> None:
        """Read these policies, so that `known` knows them."""
        for community in dict.fromkeys(communities):
            await self.get(community)

    def known(self, community: str) -> Policy:
        """The policy as far as it was read: for who cannot wait, and has seen to it that `get` came first."""
        return self._known.get(community) or Policy().under(self._operator)

    async def change(self, community: str, **changes: Any) -> Policy | Rejection:
        """Set these settings. All of them or, if one is no good, none. Raises what the store raises."""
        return await self.edit(community, lambda _: changes)

    async def edit(
        self,
        community: str,
        make: Callable[[Policy], Changes | Rejection],
        veto: Callable[[Policy], Rejection | None] = lambda _: None,
    ) -> Policy | Rejection:
        """Set what `make` builds from the policy as it is then, so that no change made meanwhile is lost, unless `veto`
        objects to what comes of it."""
        async with self._changing[community]:
            stored = await self.store.settings(community)
            before = _read(community, stored)
            changes = make(before)
            if isinstance(changes, Rejection):
                return changes
            after = changed(before, changes)
            refusal = after if isinstance(after, Rejection) else veto(after)
            if isinstance(after, Rejection) or refusal is not None:
                return refusal or after
            if after != before:
                await self.store.set_settings(community, _written(stored, after))
            self._known[community] = after.under(self._operator)
            return self._known[community]

    async def check(self, community: str, text: str) -> Rejection | None:
        """Why this text may not be shown in the community, or None."""
        return word_refusal(await self.get(community), text)

    async def live(self, community: str) -> list[MatchLine]:
        """The community's open lobbies and running matches."""
        rows = await self.store.matches(community, limit=_MOST_MATCHES_READ)
        return [row for row in rows if row.community == community and row.status in ("lobby", "running")]

    def starting(self, community: str) -> AbstractAsyncContextManager[Any]:
        """Held while a match is opened, so that two at once do not both find the last place free."""
        return self._starting[community]


def changed(policy: Policy, changes: Changes) -> Policy | Rejection:
    """The policy with other settings."""
    for name in changes:
        if name not in Policy.model_fields:
            return reject("no_such_setting", setting=name)
    try:
        return Policy.model_validate({**policy.model_dump(), **changes})
    except ValidationError as error:
        return reject("bad_setting", setting=str(error.errors()[0]["loc"][0]), wanted="")


def word_refusal(policy: Policy, *texts: str) -> Rejection | None:
    """Why texts may not be shown, or None. The text is handed back."""
    for text in texts:
        found = policy.find(text)
        if found is not None:
            return reject("word_blocked", word=found, text=text)
    return None


def cast_for(policy: Policy | None, cast: Iterable[Holder]) -> tuple[Holder, ...]:
    """The AIs that may take a seat in this community."""
    blocked = frozenset(policy.blocked_personas) if policy is not None else frozenset[str]()
    return tuple(holder for holder in cast if holder.persona not in blocked)


def pool_for(policy: Policy | None, motions: Iterable[Motion]) -> tuple[Motion, ...]:
    """The motions that may be drawn in this community."""
    return tuple(motion for motion in motions if policy is None or policy.find(motion.text) is None)


def masked(policy: Policy, text: str) -> str:
    """An AI's text with the words a community does not want to read hidden; nobody is there to choose others."""
    if policy.find(text) is None:
        return text
    hidden = re.sub(r"\S+", lambda found: MASK if policy.find(found.group()) else found.group(), text)
    return hidden if policy.find(hidden) is None else MASK


def _read(community: str, stored: Mapping[str, Any]) -> Policy:
    """The stored policy. What is broken in it is left out, so that its default holds."""
    kept: Any = stored.get(KEY, {})
    if not isinstance(kept, dict):
        log.warning("the policy of community %s is not readable; the defaults hold", community)
        return Policy()
    values = {name: value for name, value in kept.items() if name in Policy.model_fields}
    if len(values) < len(kept):
        log.warning("community %s has settings of another release: %s", community, sorted(set(kept) - set(values)))
    while True:
        try:
            return Policy.model_validate(values)
        except ValidationError as error:
            broken = {str(detail["loc"][0]) for detail in error.errors()}
            log.warning("community %s has broken settings, their defaults hold: %s", community, sorted(broken))
            values = {name: value for name, value in values.items() if name not in broken}


def _written(stored: Mapping[str, Any], policy: Policy) -> dict[str, Any]:
    """All that is to be stored: what was chosen, and what others keep there or another release knows."""
    kept: Any = stored.get(KEY, {})
    known = kept if isinstance(kept, dict) else {}
    foreign = {name: value for name, value in known.items() if name not in Policy.model_fields}
    return {**stored, KEY: {**foreign, **policy.model_dump(mode="json", exclude_defaults=True)}}
