"""Which models there are, where they are asked, what they cost, and who uses which: what the operator configures.

`ROSTRUM_MODELS` names a TOML file (docs/models.md). Without it `OPENAI_API_KEY`, with `OPENAI_BASE_URL` and
`OPENAI_MODEL` if wanted, gives every seat and judge one model.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from dotenv import dotenv_values
from pydantic import (
    AfterValidator,
    AnyHttpUrl,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    Strict,
    ValidationError,
    model_validator,
)

from bot.minds.models.budget import Limit, Limits, Price, VoicePrice
from bot.settings import ENV_FILE

Structured = Literal["json_schema", "tools", "json", "none"]
"""How a server is made to answer in a schema: it holds to one itself; by a forced tool call; it promises JSON and is
told the schema; it is told to write JSON."""

OPENAI = "openai"
LOCAL = "local"
HOUSE = "house"
"""Where a model's name is wanted: the house mind, which needs no model."""
DEFAULT = "default"
OPENAI_URL = "https://api.openai.com/v1"
OPENAI_MODEL = "gpt-4.1-mini"
"""What is asked of OpenAI when nobody names a model: no reasoning first, so it answers within a turn's time."""

# US dollars per million tokens (prompt, cached prompt, completion) at the makers' own endpoints, as published in 2025.
# Only a default: a price in the file wins. Anything else has no price until the operator names one.
_KNOWN_PRICES: dict[tuple[str, str], tuple[float, float, float]] = {
    ("api.openai.com", "gpt-4o"): (2.50, 1.25, 10.00),
    ("api.openai.com", "gpt-4o-mini"): (0.15, 0.075, 0.60),
    ("api.openai.com", "gpt-4.1"): (2.00, 0.50, 8.00),
    ("api.openai.com", "gpt-4.1-mini"): (0.40, 0.10, 1.60),
    ("api.openai.com", "gpt-4.1-nano"): (0.10, 0.025, 0.40),
    ("api.openai.com", "gpt-5"): (1.25, 0.125, 10.00),
    ("api.openai.com", "gpt-5-mini"): (0.25, 0.025, 2.00),
    ("api.openai.com", "gpt-5-nano"): (0.05, 0.005, 0.40),
    ("api.anthropic.com", "claude-haiku-4-5"): (1.00, 0.10, 5.00),
    ("api.anthropic.com", "claude-sonnet-4-5"): (3.00, 0.30, 15.00),
}
_KNOWN_VOICE_PRICES: dict[tuple[str, str], VoicePrice] = {
    ("api.openai.com", "gpt-4o-mini-tts"): VoicePrice(minute=0.015),
    ("api.openai.com", "tts-1"): VoicePrice(million_characters=15),
    ("api.openai.com", "tts-1-hd"): VoicePrice(million_characters=30),
}
_DATED = re.compile(r"-\d{4}-?\d{2}-?\d{2}$")

_FAMILIES = (
    ("openai", r"gpt|o[1-9]\b|chatgpt"),
    ("anthropic", r"claude"),
    ("google", r"gemini|gemma"),
    ("meta", r"llama"),
    ("mistral", r"mistral|mixtral|ministral|magistral"),
    ("alibaba", r"qwen|qwq"),
    ("deepseek", r"deepseek"),
    ("xai", r"grok"),
    ("microsoft", r"phi"),
)
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")


class EndpointsError(Exception):
    """The models cannot be used as configured; the text names the file and the key."""


def _name(value: str) -> str:
    if not _NAME.fullmatch(value) or value == HOUSE:
        raise ValueError('should be a short name of a-z, 0-9, ".", "_" and "-", other than "house"')
    return value


def _url(value: str) -> str:
    AnyHttpUrl(value)
    return value.rstrip("/")


Name = Annotated[str, AfterValidator(_name)]
Seconds = Annotated[float, Field(gt=0, le=600)]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Endpoint(_Data):
    """A server that speaks the OpenAI protocol."""

    base_url: Annotated[str, AfterValidator(_url)]
    key: SecretStr | None = None
    key_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] | None = None
    """The variable that holds the key. Neither: the server wants none."""
    timeout_s: Seconds = 20.0
    most_parallel: Annotated[int, Strict(), Field(ge=1, le=1000)] = 8
    """Requests at a time; more wait."""
    moderation: bool = False
    """Whether it has /moderations."""
    tts: bool = False
    """Whether it has /audio/speech."""
    api_version: str | None = None
    """Azure's; base_url is then the resource's address, without "/openai"."""

    @model_validator(mode="after")
    def _one_key(self) -> Self:
        if self.key is not None and self.key_env is not None:
            raise ValueError("key and key_env: name one of them")
        return self


class ModelConfig(_Data):
    """A model at an endpoint."""

    endpoint: str
    id: str | None = Field(default=None, min_length=1)
    """As the server calls it. None: the first one it lists."""
    family: str | None = None
    """Whose model it is. None: guessed from the id, else the endpoint's name."""
    price: Price | None = None
    """None: the known one at its maker's endpoint, else unknown."""
    structured: Structured | None = None
    """None: found out."""
    timeout_s: Seconds | None = None
    """None: the endpoint's."""
    most_parallel: Annotated[int, Strict(), Field(ge=1, le=1000)] | None = None
    lengths: bool = False
    """Whether its server takes the longest lengths in a schema and holds to them, as llama.cpp does."""
    stream: bool = False
    """Whether answers are streamed, for servers behind proxies that drop what is silent for long."""
    reasoning: Literal["none", "minimal", "low", "medium", "high"] | None = None
    """How long a reasoning model thinks. None: "low" where the model is known to be one."""


class Bench(_Data):
    models: tuple[str, ...] = ()
    """Of the first judge, the second and so on, from the start again when there are more. Empty: one of each family."""


class Allowed(_Data):
    may_use: tuple[str, ...] | None = None
    """The models communities may choose from. None: all."""


class VoiceConfig(_Data):
    """The speech model. Nothing of it need be named."""

    endpoint: str | None = None
    """None: the first with tts = true."""
    model: Annotated[str, Field(min_length=1)] = "gpt-4o-mini-tts"
    voices: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    """Those a persona without one of its own is given one of. None: OpenAI's."""
    price: VoicePrice | None = None
    """None: the known one at OpenAI, else unknown."""
    timeout_s: Seconds = 20.0


class BudgetConfig(_Data):
    match: Limit | None = None
    community_day: Limit | None = None
    day: Limit | None = None


class ModelsFile(_Data):
    """A file of models, whole."""

    endpoints: dict[Name, Endpoint] = Field(default_factory=dict[str, Endpoint])
    models: dict[Name, ModelConfig] = Field(default_factory=dict[str, ModelConfig])
    seats: dict[str, str] = Field(default_factory=dict[str, str])
    """Which persona uses which model, by persona id; "default": those that are not named."""
    judges: Bench = Bench()
    communities: Allowed = Allowed()
    voice: VoiceConfig | None = None
    budget: BudgetConfig = BudgetConfig()

    @model_validator(mode="after")
    def _names_exist(self) -> Self:
        for name, model in self.models.items():
            if model.endpoint not in self.endpoints:
                raise ValueError(f"models.{name}.endpoint: there is no [endpoints.{model.endpoint}]")
        used = {f"seats.{persona}": model for persona, model in self.seats.items()}
        used |= {f"judges.models[{n}]": model for n, model in enumerate(self.judges.models)}
        used |= {f"communities.may_use[{n}]": model for n, model in enumerate(self.communities.may_use or ())}
        for key, model in used.items():
            if model not in self.models and (model != HOUSE or key.startswith("communities")):
                raise ValueError(f"{key}: there is no [models.{model}]")
        if self.voice is not None and self.voice.endpoint not in (None, *self.endpoints):
            raise ValueError(f"voice.endpoint: there is no [endpoints.{self.voice.endpoint}]")
        if self.voice is not None and self.speaking is None:
            raise ValueError(f"voice: tts = true is missing in [endpoints.{self.voice.endpoint or 'NAME'}]")
        return self

    @property
    def speaking(self) -> str | None:
        """The endpoint that speaks."""
        wanted = self.voice.endpoint if self.voice is not None else None
        return next((name for name, end in self.endpoints.items() if end.tts and wanted in (None, name)), None)


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """All that is needed to ask a model. Shows no key."""

    name: str
    id: str | None
    family: str
    endpoint: str
    base_url: str
    key: SecretStr | None
    price: Price | None
    structured: Structured | None = None
    lengths: bool = False
    """Whether a schema's longest lengths are sent: some servers refuse them, llama.cpp holds to them."""
    timeout_s: float = 20.0
    most_parallel: int = 8
    """Of this model; its endpoint's limit holds too."""
    endpoint_parallel: int = 8
    stream: bool = False
    reasoning: str | None = None
    api_version: str | None = None
    moderation: bool = False
    tts: bool = False


@dataclass(frozen=True, slots=True)
class VoiceSpec:
    """All that is needed to ask a speech model. Shows no key."""

    server: ModelSpec
    """Its endpoint, with the speech model's id."""
    model: str
    voices: tuple[str, ...] | None
    """None: OpenAI's."""
    price: VoicePrice | None
    timeout_s: float
    most_parallel: int


@dataclass(frozen=True, slots=True)
class Assignment:
    """Who uses which model, by model name; HOUSE: the house mind."""

    seats: Mapping[str, str]
    default: str
    bench: tuple[str, ...]

    def seat(self, persona: str) -> str:
        return self.seats.get(persona, self.default)

    def judge(self, index: int) -> str:
        return self.bench[index % len(self.bench)]


@dataclass(frozen=True, slots=True)
class Lineup:
    """The models of this Rostrum and who uses which."""

    models: Mapping[str, ModelSpec]
    assignment: Assignment
    allowed: tuple[str, ...]
    """What communities may choose from."""
    limits: Limits = field(default_factory=Limits)
    voice: VoiceSpec | None = None
    """What speaks, only if a file says so; None: the built-in voice."""

    def choice(self, chosen: Collection[str]) -> Assignment:
        """Who uses which model in a community that chose these. What the operator does not allow (any more) is left
        out; if nothing is left, the operator's own assignment holds."""
        kept = tuple(name for name in self.allowed if name in chosen)
        if not kept:
            return self.assignment
        own = {persona: model for persona, model in self.assignment.seats.items() if model in (*kept, HOUSE)}
        bench = tuple(model for model in self.assignment.bench if model in kept)
        default = self.assignment.default if self.assignment.default in kept else kept[0]
        return Assignment(own, default, bench or _mixed(self.models[name] for name in kept))


def load_lineup(
    path: Path | None, *, limits: Limits | None = None, env_file: Path | None = ENV_FILE, local: ModelSpec | None = None
) -> Lineup | None:
    """The configured models: those of the file, else OpenAI's by the environment, and the local one. None: there are
    none. Raises EndpointsError."""
    variables = _variables(env_file)
    if path is not None:
        lineup = _from_file(path, variables)
        if local is not None:
            raise EndpointsError(
                f"ROSTRUM_LOCAL_MODEL and ROSTRUM_MODELS are both set. Unset one, or run the local file as a server "
                f"of its own and name it in {path}."
            )
    elif local is not None:
        lineup = of_one(local)
    elif variables.get("OPENAI_API_KEY"):
        lineup = of_one(_from_environment(variables))
    else:
        return None
    return replace(lineup, limits=lineup.limits.overridden(limits)) if limits is not None else lineup


def of_one(spec: ModelSpec) -> Lineup:
    """Every seat and every judge uses this model."""
    return Lineup({spec.name: spec}, Assignment({}, spec.name, (spec.name,)), (spec.name,))


def parse_lineup(text: str, source: str, variables: Mapping[str, str]) -> Lineup:
    """A file's text. Raises EndpointsError, whose text begins with `source`."""
    try:
        file = ModelsFile.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise EndpointsError(f"{source} is not TOML: {error}") from None
    except ValidationError as error:
        lines = [_explain(source, detail) for detail in error.errors(include_url=False, include_input=False)]
        raise EndpointsError("\n".join(lines)) from None
    if not file.models:
        raise EndpointsError(f"{source} names no model: it needs a [models.NAME] with endpoint and id.")
    specs = {name: _spec(source, name, file, variables) for name in file.models}
    seats = dict(file.seats)
    default = seats.pop(DEFAULT, next(iter(specs)))
    assignment = Assignment(seats, default, file.judges.models or _mixed(specs.values()))
    allowed = tuple(specs) if file.communities.may_use is None else file.communities.may_use
    limits = Limits(file.budget.match, file.budget.community_day, file.budget.day)
    return Lineup(specs, assignment, allowed, limits, _voice(source, file, variables))


def family_of(id: str | None, otherwise: str) -> str:
    """Whose model an id names: "gpt-5-mini" is OpenAI's wherever it is served."""
    short = (id or "").lower().rsplit("/", 1)[-1]
    return next((family for family, pattern in _FAMILIES if re.match(pattern, short)), otherwise)


def known_price(base_url: str, id: str | None) -> Price | None:
    """The published price of a model at its maker's own endpoint; None: it is not known."""
    host = AnyHttpUrl(base_url).host or ""
    found = _KNOWN_PRICES.get((host, _DATED.sub("", id or "")))
    return None if found is None else Price(prompt=found[0], cached=found[1], completion=found[2])


def _from_file(path: Path, variables: Mapping[str, str]) -> Lineup:
    try:
        text = path.expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise EndpointsError(f"ROSTRUM_MODELS: {path} cannot be read: {why}") from None
    return parse_lineup(text, str(path), variables)


def _from_environment(variables: Mapping[str, str]) -> ModelSpec:
    url = (variables.get("OPENAI_BASE_URL") or OPENAI_URL).rstrip("/")
    try:
        AnyHttpUrl(url)
    except ValidationError:
        raise EndpointsError("OPENAI_BASE_URL should be an address such as http://127.0.0.1:11434/v1.") from None
    official = url == OPENAI_URL
    id = variables.get("OPENAI_MODEL") or (OPENAI_MODEL if official else None)
    return ModelSpec(
        name=OPENAI,
        id=id,
        family=family_of(id, OPENAI),
        endpoint=OPENAI,
        base_url=url,
        key=SecretStr(variables["OPENAI_API_KEY"]),
        price=known_price(url, id),
        moderation=official,
        tts=official,
    )


def _spec(source: str, name: str, file: ModelsFile, variables: Mapping[str, str]) -> ModelSpec:
    model = file.models[name]
    endpoint = file.endpoints[model.endpoint]
    return ModelSpec(
        name=name,
        id=model.id,
        family=(model.family or family_of(model.id, model.endpoint)).lower(),
        endpoint=model.endpoint,
        base_url=endpoint.base_url,
        key=_key(source, model.endpoint, endpoint, variables),
        price=model.price or known_price(endpoint.base_url, model.id),
        structured=model.structured,
        timeout_s=model.timeout_s or endpoint.timeout_s,
        most_parallel=model.most_parallel or endpoint.most_parallel,
        endpoint_parallel=endpoint.most_parallel,
        stream=model.stream,
        lengths=model.lengths,
        reasoning=model.reasoning,
        api_version=endpoint.api_version,
        moderation=endpoint.moderation,
        tts=endpoint.tts,
    )


def _voice(source: str, file: ModelsFile, variables: Mapping[str, str]) -> VoiceSpec | None:
    name = file.speaking
    if name is None:
        return None
    endpoint, voice = file.endpoints[name], file.voice or VoiceConfig()
    server = ModelSpec(
        name="voice",
        id=voice.model,
        family=family_of(voice.model, name),
        endpoint=name,
        base_url=endpoint.base_url,
        key=_key(source, name, endpoint, variables),
        price=None,
        timeout_s=voice.timeout_s,
        api_version=endpoint.api_version,
        tts=True,
    )
    host = AnyHttpUrl(endpoint.base_url).host or ""
    known = _KNOWN_VOICE_PRICES.get((host, _DATED.sub("", voice.model)))
    # Half of what the endpoint takes: a turn must not wait until speech that nobody waits for is done.
    parallel = max(1, endpoint.most_parallel // 2)
    return VoiceSpec(server, voice.model, voice.voices, voice.price or known, voice.timeout_s, parallel)


def _key(source: str, name: str, endpoint: Endpoint, variables: Mapping[str, str]) -> SecretStr | None:
    if endpoint.key_env is None:
        return endpoint.key
    value = variables.get(endpoint.key_env)
    if not value:
        raise EndpointsError(
            f"{source}: endpoints.{name}.key_env names {endpoint.key_env}, which is not set. "
            "Set it in the environment or in .env."
        )
    return SecretStr(value)


def _mixed(specs: Iterable[ModelSpec], seats: int = 3) -> tuple[str, ...]:
    """A bench of as many families as there are: one model of each before a second of any."""
    first: dict[str, str] = {}
    for spec in specs:
        first.setdefault(spec.family, spec.name)
    return tuple(islice(cycle(first.values()), max(seats, len(first))))


def _variables(env_file: Path | None) -> dict[str, str]:
    """The environment over the .env file."""
    from_file = dotenv_values(env_file) if env_file is not None and env_file.is_file() else {}
    return {**{name: value for name, value in from_file.items() if value}, **os.environ}


def _explain(source: str, detail: Any) -> str:
    key = ".".join(str(part) for part in detail["loc"] if part != "[key]")
    wanted = str(detail["msg"]).removeprefix("Value error, ").removeprefix("Input ")
    if detail["type"] == "extra_forbidden":
        wanted = "is not a setting: misspelt?"
    return f"{source}: {key} {wanted}".rstrip(".") + "." if key else f"{source}: {wanted}."
