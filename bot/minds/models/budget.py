"""What calls cost: prices, limits that hold before a call is made, and the books per match, community and day.

A limit is held to by what was spent and what the calls under way may still cost at most, so it is not passed by many
calls at once. At a limit a call is refused before it is made (`ModelError("budget")`) and the house mind takes over.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, model_validator

from bot.community.spend import NANO, SpendRow, SpendStore
from bot.host.ports import Minds, Said, Sound, StoreError, Voted
from bot.minds.brief import Usage
from bot.minds.models.asking import Answer, Ask, Model, ModelError
from bot.rules.match import Clip, Match

log = logging.getLogger(__name__)

MILLION = 1_000_000
_LIMIT = re.compile(r"(\d+(?:\.\d+)?) ?(usd|tokens)")
_TRY_AGAIN_S = 5.0

# ------------------------------------------------------------------------------------------------- prices and limits


class Price(BaseModel):
    """US dollars per million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)
    """Prompt tokens that the provider had in its cache. None: they cost what others do."""
    completion: float = Field(ge=0)

    def usd(self, prompt: int, cached: int, completion: int) -> float:
        """`cached` of the `prompt` tokens were in the cache."""
        cached = min(cached, prompt)
        per_cached = self.prompt if self.cached is None else self.cached
        return ((prompt - cached) * self.prompt + cached * per_cached + completion * self.completion) / MILLION


def usage_of(price: Price | None, prompt: int, completion: int, cached: int = 0, calls: int = 1) -> Usage:
    """The usage of calls at a price that may be unknown."""
    if price is None:
        return Usage(calls, prompt, completion, 0.0, calls)
    return Usage(calls, prompt, completion, price.usd(prompt, cached, completion))


class VoicePrice(BaseModel):
    """US dollars for speech, by what is said, by how long it lasts, or both."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    million_characters: float = Field(default=0.0, ge=0)
    minute: float = Field(default=0.0, ge=0)

    def usd(self, characters: int, seconds: float) -> float:
        return characters * self.million_characters / MILLION + seconds * self.minute / 60


class Limit(BaseModel):
    """How much may be used, in money or in tokens; written "0.05 usd" or "200000 tokens"."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    usd: float | None = None
    tokens: int | None = None

    @model_validator(mode="before")
    @classmethod
    def _written(cls, value: Any) -> Any:
        if isinstance(value, Limit):
            return value
        found = _LIMIT.fullmatch(value.strip().lower()) if isinstance(value, str) else None
        if found is None:
            raise ValueError('should be an amount such as "0.05 usd" or "200000 tokens"')
        return {"usd": float(found[1])} if found[2] == "usd" else {"tokens": int(float(found[1]))}

    def __str__(self) -> str:
        return f"{self.usd:g} usd" if self.usd is not None else f"{self.tokens} tokens"


@dataclass(frozen=True, slots=True)
class Limits:
    """What may be used. None: any amount."""

    match: Limit | None = None
    community_day: Limit | None = None
    """Of one community in one day (UTC)."""
    day: Limit | None = None
    """Of all communities in one day (UTC)."""

    def overridden(self, by: Limits) -> Limits:
        return Limits(by.match or self.match, by.community_day or self.community_day, by.day or self.day)


# ------------------------------------------------------------------------------------------------- who pays


_account: ContextVar[str] = ContextVar("account", default="")


@contextlib.contextmanager
def charged(community: str, match: str) -> Iterator[None]:
    """Calls made inside go on this match's account, unless the question names another."""
    token = _account.set(f"{community}/{match}")
    try:
        yield
    finally:
        _account.reset(token)


def paying_community() -> str:
    """The community on whose account the work under way goes; "": nobody's."""
    return _account.get().partition("/")[0]


class Charged:
    """Minds whose calls go on the account of the match they work for."""

    def __init__(self, minds: Minds) -> None:
        self._minds = minds

    async def turn(self, match: Match, seat: str) -> Said:
        with charged(match.community, match.id):
            return await self._minds.turn(match, seat)

    async def ballot(self, match: Match, judge: str) -> Voted:
        with charged(match.community, match.id):
            return await self._minds.ballot(match, judge)


class ChargedSound:
    """Sound whose calls go on the account of the match it is made for."""

    def __init__(self, sound: Sound) -> None:
        self._sound = sound

    async def clip(self, match: Match, round: int, n: int, part: int) -> Clip | None:
        with charged(match.community, match.id):
            return await self._sound.clip(match, round, n, part)


# ------------------------------------------------------------------------------------------------- the books

Scope = Literal["match", "community_day", "day"]


@dataclass(frozen=True, slots=True)
class Reached:
    """A limit was reached: told once for each match, community and day, or day."""

    scope: Scope
    limit: Limit
    day: str
    community: str
    match: str


@dataclass(slots=True)
class _Tally:
    usd: float = 0.0
    tokens: int = 0
    held_usd: float = 0.0
    held_tokens: int = 0
    told: bool = False

    def allows(self, limit: Limit, most: Usage) -> bool:
        tokens = most.prompt_tokens + most.completion_tokens
        if limit.usd is not None:
            return self.usd + self.held_usd + most.usd <= limit.usd
        return self.tokens + self.held_tokens + tokens <= (limit.tokens or 0)


@dataclass(frozen=True, slots=True)
class Hold:
    """What a call under way may cost at most."""

    day: str
    community: str
    match: str
    most: Usage


def utc_day() -> str:
    return datetime.now(UTC).date().isoformat()


class Spending:
    """The books: what every match, community and day has used. Kept in memory and, soon after a call, in the store."""

    def __init__(
        self,
        limits: Limits = Limits(),
        store: SpendStore | None = None,
        *,
        today: Callable[[], str] = utc_day,
        on_limit: Callable[[Reached], None] | None = None,
    ) -> None:
        self.limits = limits
        self.on_limit = on_limit
        self._store = store
        self._today = today
        self._tallies: defaultdict[tuple[str, ...], _Tally] = defaultdict(_Tally)
        self._read: set[tuple[str, str]] = set()
        self._reading = asyncio.Lock()
        self._pending: dict[tuple[str, str, str], SpendRow] = {}
        self._writer: asyncio.Task[None] | None = None
        self._closed = False

    async def hold(self, account: str, most: Usage) -> Hold:
        """Before a call that may use this much. Raises ModelError("budget")."""
        community, _, match = account.partition("/")
        day = self._today()
        await self._learn(day, match)
        for key, scope, limit in self._limits(day, community, match):
            if not self._tallies[key].allows(limit, most):
                self._tell(key, Reached(scope, limit, day, community, match))
                raise ModelError("budget", f"the limit of {limit} for this {scope.replace('_', ' and ')} is reached")
        hold = Hold(day, community, match, most)
        self._add_held(hold, 1)
        return hold

    def settle(self, hold: Hold, used: Usage) -> None:
        """After the call: what it used in the end."""
        self._add_held(hold, -1)
        if not used.calls and not used.prompt_tokens and not used.completion_tokens:
            return
        for key in self._keys(hold.day, hold.community, hold.match):
            tally = self._tallies[key]
            tally.usd += used.usd
            tally.tokens += used.prompt_tokens + used.completion_tokens
        where = (hold.day, hold.community, hold.match)
        self._pending[where] = added(self._pending.get(where) or SpendRow(*where), used)
        self._write_soon()

    def spent(self, *, match: str | None = None, community: str | None = None) -> tuple[float, int]:
        """US dollars and tokens of a match, else of a community today, else of today."""
        day = self._today()
        key = ("match", match) if match else ("community", day, community) if community else ("day", day)
        tally = self._tallies.get(key) or _Tally()
        return tally.usd, tally.tokens

    def reached(self, community: str, match: str) -> Scope | None:
        """Which limit has refused a call on this account."""
        limits = self._limits(self._today(), community, match)
        return next((scope for key, scope, _ in limits if key in self._tallies and self._tallies[key].told), None)

    async def flush(self) -> None:
        """Write what is not kept yet. Raises StoreError, and keeps it for the next time."""
        if self._store is None or not self._pending:
            return
        rows, self._pending = self._pending, {}
        try:
            await self._store.add_spend(list(rows.values()))
        except BaseException:
            for where, row in rows.items():
                later = self._pending.get(where)
                self._pending[where] = row if later is None else _sum(row, later)
            raise

    async def close(self) -> None:
        """Write the rest. What cannot be written is said in the log."""
        self._closed = True
        if self._writer is not None:
            self._writer.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._writer
        try:
            await self.flush()
        except StoreError as error:
            log.error("what models cost could not be stored: %s", error)

    # --------------------------------------------------------------------------------------------- inside

    def _limits(self, day: str, community: str, match: str) -> list[tuple[tuple[str, ...], Scope, Limit]]:
        """The limits that hold for an account; who names no match or community is held to the day's alone."""
        found: list[tuple[tuple[str, ...], Scope, Limit]] = []
        if self.limits.match is not None and match:
            found.append((("match", match), "match", self.limits.match))
        if self.limits.community_day is not None and community:
            found.append((("community", day, community), "community_day", self.limits.community_day))
        if self.limits.day is not None:
            found.append((("day", day), "day", self.limits.day))
        return found

    @staticmethod
    def _keys(day: str, community: str, match: str) -> list[tuple[str, ...]]:
        return [("match", match), ("community", day, community), ("day", day)]

    def _add_held(self, hold: Hold, sign: int) -> None:
        for key in self._keys(hold.day, hold.community, hold.match):
            tally = self._tallies[key]
            tally.held_usd += sign * hold.most.usd
            tally.held_tokens += sign * (hold.most.prompt_tokens + hold.most.completion_tokens)

    def _tell(self, key: tuple[str, ...], reached: Reached) -> None:
        if self._tallies[key].told:
            return
        self._tallies[key].told = True
        log.warning(
            "the budget of %s for one %s is used up (community %s, match %s): the house mind takes over",
            reached.limit,
            reached.scope,
            reached.community or "-",
            reached.match or "-",
        )
        if self.on_limit is not None:
            self.on_limit(reached)

    async def _learn(self, day: str, match: str) -> None:
        """Read what was spent before this process."""
        wanted = {("day", day), ("match", match)} - self._read
        if not wanted or self._store is None:
            return
        async with self._reading:
            for kind, what in sorted(wanted - self._read):
                try:
                    rows = await (self._store.spend(day=what) if kind == "day" else self._store.spend(match=what))
                except StoreError as error:
                    log.warning("what models have cost so far could not be read: %s", error)
                    rows = []
                for row in rows:
                    keys = [("day", day), ("community", day, row.community)] if kind == "day" else [("match", match)]
                    for key in keys:
                        self._tallies[key].usd += row.usd
                        self._tallies[key].tokens += row.tokens
                self._read.add((kind, what))

    def _write_soon(self) -> None:
        if self._store is not None and not self._closed and (self._writer is None or self._writer.done()):
            self._writer = asyncio.create_task(self._write(), name="spending")

    async def _write(self) -> None:
        while self._pending:
            try:
                await self.flush()
            except StoreError as error:
                log.warning("what models cost cannot be stored now: %s", error)
                await asyncio.sleep(_TRY_AGAIN_S)


def added(row: SpendRow, used: Usage) -> SpendRow:
    return replace(
        row,
        calls=row.calls + used.calls,
        prompt_tokens=row.prompt_tokens + used.prompt_tokens,
        completion_tokens=row.completion_tokens + used.completion_tokens,
        nano_usd=row.nano_usd + round(used.usd * NANO),
        unpriced=row.unpriced + used.unpriced,
    )


def _sum(one: SpendRow, other: SpendRow) -> SpendRow:
    return replace(
        one,
        calls=one.calls + other.calls,
        prompt_tokens=one.prompt_tokens + other.prompt_tokens,
        completion_tokens=one.completion_tokens + other.completion_tokens,
        nano_usd=one.nano_usd + other.nano_usd,
        unpriced=one.unpriced + other.unpriced,
    )


# ------------------------------------------------------------------------------------------------- a metered model


class Priced(Model, Protocol):
    """A model that can say before a call what it may cost, and after one that was given up what it has cost."""

    def most(self, ask: Ask) -> Usage:
        """The most the call may use."""
        ...

    def lost(self, ask: Ask) -> Usage:
        """An estimate of a call that was given up: its prompt is paid for."""
        ...


@dataclass(frozen=True, slots=True)
class Metered:
    """A model whose calls are held to the limits and written into the books."""

    model: Priced
    spending: Spending = field(repr=False)

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def family(self) -> str:
        return self.model.family

    @property
    def one_at_a_time(self) -> bool:
        return getattr(self.model, "one_at_a_time", False)

    def most(self, ask: Ask) -> Usage:
        return self.model.most(ask)

    def lost(self, ask: Ask) -> Usage:
        return self.model.lost(ask)

    async def ask(self, ask: Ask) -> Answer:
        hold = await self.spending.hold(ask.charge or _account.get(), self.model.most(ask))
        used = Usage()
        try:
            answer = await self.model.ask(ask)
            used = answer.usage
        except ModelError as error:
            used = error.usage
            raise
        except asyncio.CancelledError:
            used = self.model.lost(ask)
            raise
        finally:
            self.spending.settle(hold, used)
        return answer


# ------------------------------------------------------------------------------------------------- speech


@dataclass(frozen=True, slots=True)
class SpeechMeter:
    """The books of a speech model: money by what was said, no tokens. Without a price its calls are unpriced."""

    spending: Spending = field(repr=False)
    price: VoicePrice | None

    async def hold(self, characters: int, seconds: float) -> Callable[[int, float], None] | None:
        """Before a call that may use this much; what it returns is told in the end. None: a limit is reached."""
        try:
            hold = await self.spending.hold(_account.get(), self._usage(characters, seconds))
        except ModelError:
            return None
        return lambda said, came: self.spending.settle(hold, self._usage(said, came) if said else Usage())

    def _usage(self, characters: int, seconds: float) -> Usage:
        if self.price is None:
            return Usage(1, 0, 0, 0.0, 1)
        return Usage(1, 0, 0, self.price.usd(characters, seconds))
