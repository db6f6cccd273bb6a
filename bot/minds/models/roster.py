"""The models of a running Rostrum: opened once, metered, and handed to debaters and judges."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AsyncExitStack
from dataclasses import dataclass

from bot.minds.brief import Usage
from bot.minds.models.asking import Ask, Model, ModelError
from bot.minds.models.budget import Metered, Price, Spending, paying_community
from bot.minds.models.endpoints import Assignment, Lineup
from bot.minds.models.estimate import estimate
from bot.minds.models.openai_model import EndpointClient, OpenAIModel
from bot.rules.match import Match

_TINY_SCHEMA = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}
_TINY = Ask(system="You are asked whether you work.", user="Say so.", schema=_TINY_SCHEMA, name="check", most_tokens=32)


class Roster:
    """`choice` gives what a community chose among the models; nothing: as the operator says."""

    def __init__(
        self, lineup: Lineup, spending: Spending, choice: Callable[[str], Collection[str]] = lambda _: ()
    ) -> None:
        self.lineup = lineup
        self.spending = spending
        self._choice = choice
        self._endpoints: dict[str, EndpointClient] = {}
        self._models: dict[str, Metered] = {}
        for name, spec in lineup.models.items():
            if spec.endpoint not in self._endpoints:
                self._endpoints[spec.endpoint] = EndpointClient(spec)
            self._models[name] = Metered(OpenAIModel(spec, self._endpoints[spec.endpoint]), spending)

    def assignment(self, community: str) -> Assignment:
        return self.lineup.choice(self._choice(community))

    def debater(self, persona: str) -> Model | None:
        """The model of a persona in the match under way; None: the house mind."""
        return self._models.get(self.assignment(paying_community()).seat(persona))

    def judge(self, index: int) -> Model | None:
        """The model of a judge, by place on the bench, in the match under way; None: the house mind."""
        return self._models.get(self.assignment(paying_community()).judge(index))

    def model(self, name: str) -> Model | None:
        """A model by the operator's name."""
        return self._models.get(name)

    def estimate(self, match: Match) -> Usage:
        """What the match is likely to cost; nothing if only house minds play."""
        people = frozenset(id for id, seat in match.seats.items() if seat.holder is not None and seat.holder.is_person)
        return estimate(
            match.rules,
            len(match.judges),
            self.assignment(match.community),
            self._price,
            people=people,
            seed=match.seed,
        )

    def _price(self, name: str) -> Price | None:
        return self.lineup.models[name].price

    async def close(self) -> None:
        async with AsyncExitStack() as stack:
            for endpoint in self._endpoints.values():
                stack.push_async_callback(endpoint.close)
            await self.spending.close()


@dataclass(frozen=True, slots=True)
class Checked:
    """Whether a model answers."""

    name: str
    error: str | None
    way: str | None
    """How it answers in a schema."""
    usage: Usage


async def check_models(lineup: Lineup, timeout_s: float = 30.0) -> list[Checked]:
    """One tiny question to each model."""
    found: list[Checked] = []
    for name, spec in lineup.models.items():
        model = OpenAIModel(spec)
        try:
            system = "You are asked whether you work."
            ask = Ask(system, "Say so.", _TINY_SCHEMA, "check", 32, deadline_s=timeout_s)
            answer = await model.ask(ask)
            found.append(Checked(name, None, model.structured, answer.usage))
        except ModelError as error:
            found.append(Checked(name, str(error), None, error.usage))
        finally:
            await model.close()
    return found
