"""A question to a model and its answer: what debaters and judges see of an endpoint."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from bot.minds.brief import Usage

Trouble = Literal["timeout", "refused", "unreadable", "unavailable", "limited", "budget"]
"""Why there is no answer: too late; the model will not say it; what came fits no schema; the endpoint is down or drops
the line; it asks us to slow down; there is no money left for it."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One question. The messages begin with what is the same for many questions, so that a provider's cache of prefixes
    helps."""

    system: str
    """Ours alone: nothing that people or other minds wrote ever stands in it."""
    user: str
    """The question itself; what others wrote stands in it as quoted data."""
    schema: dict[str, Any]
    """The JSON schema of the answer: an object, every property required, no others."""
    name: str
    """What the schema is called on the wire, such as "turn" or "ballot"."""
    most_tokens: int
    temperature: float | None = None
    seed: int | None = None
    deadline_s: float = 15.0
    """Seconds until an answer is of no use any more."""
    last: str = ""
    """A property that a server which cuts texts at their longest length writes last: small models go on in the next
    text where the last was cut."""
    charge: str = ""
    """On whose account it goes: "community/match"."""


@dataclass(frozen=True, slots=True)
class Answer:
    data: dict[str, Any]
    """Fits the schema."""
    model: str
    usage: Usage = field(default_factory=Usage)
    cut: bool = False
    """The server cuts texts at the longest length of the schema."""


class ModelError(Exception):
    """There is no answer. What was used is still to be paid for."""

    def __init__(self, trouble: Trouble, text: str, usage: Usage | None = None) -> None:
        super().__init__(text)
        self.trouble: Trouble = trouble
        self.usage = usage or Usage()


class Model(Protocol):
    """Somebody who can be asked."""

    @property
    def name(self) -> str:
        """As the operator calls it."""
        ...

    @property
    def family(self) -> str:
        """Whose model it is ("openai", "anthropic"): a bench is drawn from different ones."""
        ...

    async def ask(self, ask: Ask) -> Answer:
        """Raises ModelError."""
        ...
