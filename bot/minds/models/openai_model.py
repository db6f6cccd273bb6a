"""A model behind any server that speaks the OpenAI protocol.

What a server can do is found out by asking: when it refuses a request because of something in it (a schema, a tool, a
temperature, how the length is limited), that is left out or said another way, and remembered for as long as this
process lives. Every failure becomes a `ModelError`, whose text never repeats what the server wrote: some servers quote
the key.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

import openai
from openai import AsyncAzureOpenAI, AsyncOpenAI

from bot.minds.brief import Usage
from bot.minds.models.asking import Answer, Ask, ModelError, Trouble
from bot.minds.models.budget import usage_of
from bot.minds.models.endpoints import OPENAI_URL, ModelSpec, Structured
from bot.minds.models.structured import Misfit, instructions, read, with_last, without_lengths

log = logging.getLogger(__name__)

_LADDER: tuple[Structured, ...] = ("json_schema", "tools", "json", "none")
_REASONS = re.compile(r"(?:.*/)?(o[1-9]\b|gpt-5)")
_REASONING_TOKENS = 2000
"""Added to the longest answer of a model that thinks first: its thoughts count."""
_MOST_TRIES = 3
"""Requests to answer one question, those not counted by which we learn what a server refuses."""
_MOST_LESSONS = 10
_FIRST_WAIT_S = 0.25
_SPARE_S = 0.02
"""So that whoever asked still hears of it when the time is over."""
_LONGEST_ID = 200
_CODES = ("invalid_api_key", "model_not_found", "rate_limit_exceeded", "insufficient_quota", "context_length_exceeded")
"""What a server's own word for a failure may be, to be shown."""
_TOO_LONG = re.compile(r"context.?length|context window|too many tokens|maximum context|exceeds the available context")
_REFUSALS = re.compile(r"content.?filter|content.?management|content.?policy|moderation|flagged|safety")
_NO_MONEY = re.compile(r"insufficient.?(quota|credit|funds|balance)|billing|exceeded your current quota")
_NO_KEY = "none"


@dataclass(slots=True)
class _Ways:
    """How the server wants to be asked, as far as is known."""

    structured: Structured
    proven: bool
    """An answer came that way already."""
    length: str | None
    """The parameter that limits an answer's length; None: it takes neither."""
    temperature: bool = True
    seed: bool = True
    reasoning: str | None = None
    lengths_refused: int = 0


@dataclass(frozen=True, slots=True)
class _Reply:
    """What a server answered, streamed or whole."""

    text: str
    arguments: str | None
    """Of the tool call."""
    finish: str | None
    refusal: str | None
    prompt: int
    cached: int
    completion: int
    reasoned: int


class OpenAIModel:
    """Implements `Model`. Give its `endpoint` to other models of the same endpoint."""

    def __init__(self, spec: ModelSpec, endpoint: EndpointClient | None = None) -> None:
        self.spec = spec
        self._endpoint = endpoint or EndpointClient(spec)
        self._turn = asyncio.Semaphore(spec.most_parallel)
        self._id = spec.id
        self._finding_id = asyncio.Lock()
        thinks = _REASONS.match(spec.id or "") is not None
        self._thinks = thinks or spec.reasoning not in (None, "none")
        self._ways = _Ways(
            structured=spec.structured or _LADDER[0],
            proven=spec.structured is not None,
            length="max_completion_tokens" if thinks else "max_tokens",
            temperature=not thinks,
            reasoning=spec.reasoning or ("low" if thinks else None),
        )

    def __repr__(self) -> str:
        return f"OpenAIModel({self.spec.name!r} at {self.spec.endpoint!r})"

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def family(self) -> str:
        return self.spec.family

    @property
    def structured(self) -> Structured | None:
        """How it answers in a schema; None: not found out yet."""
        return self._ways.structured if self._ways.proven else None

    @property
    def one_at_a_time(self) -> bool:
        return min(self.spec.most_parallel, self.spec.endpoint_parallel) == 1

    async def close(self) -> None:
        await self._endpoint.close()

    # --------------------------------------------------------------------------------------------- cost

    def most(self, ask: Ask) -> Usage:
        """The most a call may use. Prompt tokens are estimated; four characters are about one."""
        return usage_of(self.spec.price, self._prompt_tokens(ask), self._most_tokens(ask))

    def lost(self, ask: Ask) -> Usage:
        """A call that was given up: what it wrote is not known, its prompt is paid for."""
        return usage_of(self.spec.price, self._prompt_tokens(ask), 0)

    @staticmethod
    def _prompt_tokens(ask: Ask) -> int:
        return (len(ask.system) + len(ask.user) + len(json.dumps(ask.schema))) // 4 + 16

    def _most_tokens(self, ask: Ask) -> int:
        return ask.most_tokens + (_REASONING_TOKENS if self._thinks else 0)

    # --------------------------------------------------------------------------------------------- asking

    async def ask(self, ask: Ask) -> Answer:
        """Raises ModelError."""
        used = Usage()
        trouble = ModelError("timeout", f"{self.name} did not answer in time")
        end = monotonic() + min(ask.deadline_s, self.spec.timeout_s) - _SPARE_S
        tries = lessons = 0
        wait = _FIRST_WAIT_S
        while tries < _MOST_TRIES and lessons < _MOST_LESSONS:
            ways = replace(self._ways)
            try:
                async with asyncio.timeout(end - monotonic()), self._a_turn():
                    sent = False
                    try:
                        request = await self._request(ask)
                        sent = True
                        reply = await self._send(request, stream=self.spec.stream)
                    except asyncio.CancelledError:
                        used += self.lost(ask) if sent else Usage()
                        raise
            except TimeoutError:
                raise ModelError("timeout", f"{self.name} did not answer in time", used) from None
            except openai.APIStatusError as error:
                if error.status_code in (400, 404, 405, 415, 422, 500, 501) and self._learn(error, ways):
                    lessons += 1
                    continue
                tries += 1
                trouble, again_s = self._explained(error)
            except openai.APITimeoutError:
                raise ModelError("timeout", f"{self.name} did not answer in time", used + self.lost(ask)) from None
            except openai.APIConnectionError:
                tries += 1
                trouble, again_s = ModelError("unavailable", f"{self.name} cannot be reached"), wait
            except (openai.OpenAIError, ValueError, TypeError, AttributeError, KeyError, IndexError):
                # A body that is no completion at all.
                tries += 1
                used += self.lost(ask)
                trouble, again_s = ModelError("unreadable", f"{self.name} answered what is no completion"), wait
            else:
                tries += 1
                used += usage_of(self.spec.price, reply.prompt, reply.completion, reply.cached)
                outcome = self._read(ask, reply, ways)
                if isinstance(outcome, dict):
                    return Answer(outcome, self.name, used, cut=self.spec.lengths)
                trouble, again_s = outcome, 0.0 if outcome.trouble == "unreadable" else None
            if again_s is None or monotonic() + again_s >= end:
                break
            if tries < _MOST_TRIES:
                await asyncio.sleep(again_s)
                wait *= 3
        raise ModelError(trouble.trouble, str(trouble), used)

    @asynccontextmanager
    async def _a_turn(self) -> AsyncIterator[None]:
        async with self._turn, self._endpoint.turn:
            yield

    async def _request(self, ask: Ask) -> dict[str, Any]:
        ways = self._ways
        system = ask.system
        schema = with_last(ask.schema, ask.last) if self.spec.lengths else without_lengths(ask.schema)
        if ways.structured in ("json", "none"):
            system = f"{ask.system}\n\n{instructions(schema)}"
        request: dict[str, Any] = {
            "model": await self._model_id(),
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": ask.user}],
        }
        if ways.length is not None:
            request[ways.length] = self._most_tokens(ask)
        if ask.temperature is not None and ways.temperature:
            request["temperature"] = ask.temperature
        if ask.seed is not None and ways.seed:
            request["seed"] = ask.seed
        if ways.reasoning is not None:
            request["reasoning_effort"] = ways.reasoning
        match ways.structured:
            case "json_schema":
                named = {"name": ask.name, "schema": schema, "strict": True}
                request["response_format"] = {"type": "json_schema", "json_schema": named}
            case "tools":
                function = {"name": ask.name, "description": "Give the answer.", "parameters": schema}
                request["tools"] = [{"type": "function", "function": function}]
                request["tool_choice"] = {"type": "function", "function": {"name": ask.name}}
            case "json":
                request["response_format"] = {"type": "json_object"}
            case "none":
                pass
        return request

    async def _model_id(self) -> str:
        if self._id is None:
            async with self._finding_id:
                if self._id is None:
                    listed = await self._endpoint.client.models.list()
                    self._id = listed.data[0].id[:_LONGEST_ID]
        return self._id

    async def _send(self, request: dict[str, Any], *, stream: bool) -> _Reply:
        create = self._endpoint.client.chat.completions.create
        if not stream:
            return _whole(await create(**request))
        return await _streamed(await create(**request, stream=True, stream_options={"include_usage": True}))

    def _read(self, ask: Ask, reply: _Reply, asked: _Ways) -> dict[str, Any] | ModelError:
        """The answer, or why it is none."""
        if reply.reasoned:
            self._thinks = True
        if reply.refusal:
            return ModelError("refused", f"{self.name} refused to answer")
        if reply.finish == "content_filter":
            return ModelError("refused", f"{self.name}'s provider held the answer back")
        text = reply.arguments if reply.arguments is not None else reply.text
        try:
            if not text.strip():
                raise Misfit("nothing")
            data = read(text, ask.schema)
        except Misfit as misfit:
            if reply.finish == "length":
                return ModelError("unreadable", f"{self.name}'s answer was cut off at the most tokens")
            if text.strip():
                self._step_down(asked)
            return ModelError("unreadable", f"{self.name} did not answer in the schema: {misfit}"[:300])
        if self._ways.structured == asked.structured:
            self._ways.proven = True
        return data

    # --------------------------------------------------------------------------------------------- learning

    def _step_down(self, asked: _Ways) -> bool:
        """Do without what the server was asked for, if that never worked. Others may have learnt it meanwhile."""
        ways = self._ways
        if ways.structured != asked.structured:
            return True
        place = _LADDER.index(ways.structured)
        if ways.proven or place + 1 == len(_LADDER):
            return False
        ways.structured = _LADDER[place + 1]
        log.info("%s: no %s, trying %s", self.name, asked.structured, ways.structured)
        return True

    def _learn(self, error: openai.APIStatusError, asked: _Ways) -> bool:
        """Whether the request was refused for something that can be said another way, which is then done from now
        on."""
        text = _said(error)
        param = (error.param if isinstance(error.param, str) else None) or ""
        subject = param or text
        ways = self._ways
        names_structure = _names_structure(subject, asked.structured)
        if error.status_code in (404, 405, 415, 500, 501):
            # Some servers fail in these ways on what they do not know. Only what is named counts.
            return names_structure and self._step_down(asked)
        if _TOO_LONG.search(text) or _REFUSALS.search(text):
            return False
        if asked.length is not None and re.search(r"max_(completion_)?tokens", subject):
            return self._other_length(asked)
        if "temperature" in subject and asked.temperature:
            ways.temperature = False
            return True
        if "reasoning" in subject and asked.reasoning is not None:
            if ways.reasoning == asked.reasoning:
                ways.reasoning = "low" if asked.reasoning in ("none", "minimal") else None
            return True
        if re.search(r"\bseed\b", subject) and asked.seed:
            ways.seed = False
            return True
        if names_structure:
            if ways.structured == asked.structured:
                ways.proven = False  # it says so itself
            return self._step_down(asked)
        return not param and error.code != "model_not_found" and self._step_down(asked)

    def _other_length(self, asked: _Ways) -> bool:
        """The other parameter for the length of an answer, after both none."""
        ways = self._ways
        if ways.length == asked.length:
            ways.lengths_refused += 1
            other = "max_tokens" if asked.length == "max_completion_tokens" else "max_completion_tokens"
            ways.length = other if ways.lengths_refused == 1 else None
        return True

    def _explained(self, error: openai.APIStatusError) -> tuple[ModelError, float | None]:
        """What a refused request means, and after how many seconds it may be tried again."""
        status, text = error.status_code, _said(error)
        code = error.code if error.code in _CODES else ""
        said = f"{self.name}: the server answered {status}" + (f" ({code})" if code else "")
        trouble: Trouble = "unavailable"
        again_s: float | None = None
        if status == 402 or (status in (403, 429) and _NO_MONEY.search(text)):
            return ModelError("budget", f"{said}: the account has no money left"), None
        if status in (400, 403, 422) and _REFUSALS.search(text):
            return ModelError("refused", f"{self.name}'s provider will not answer this"), None
        if status == 429:
            trouble, again_s = "limited", _retry_after(error) or 1.0
        elif status in (408, 409) or status >= 500:
            again_s = _retry_after(error) or _FIRST_WAIT_S
        elif status in (401, 403):
            said += ": is the key right?"
        elif status == 404:
            said += ": is there such a model?"
        return ModelError(trouble, said), again_s


class EndpointClient:
    """The connection to an endpoint, shared by its models."""

    def __init__(self, spec: ModelSpec) -> None:
        self.turn = asyncio.Semaphore(spec.endpoint_parallel)
        self.client = make_client(spec)

    async def close(self) -> None:
        await self.client.close()


def make_client(spec: ModelSpec) -> AsyncOpenAI:
    """The SDK's client. It never tries again by itself, because it knows nothing of our deadlines."""
    for noisy in ("openai", "httpx2", "httpcore2"):  # they log requests
        logging.getLogger(noisy).setLevel(logging.WARNING)
    key = spec.key.get_secret_value() if spec.key is not None else _NO_KEY
    if spec.api_version is not None:
        return AsyncAzureOpenAI(
            azure_endpoint=spec.base_url,
            api_key=key,
            api_version=spec.api_version,
            max_retries=0,
            timeout=spec.timeout_s,
        )
    client = AsyncOpenAI(api_key=key, base_url=spec.base_url, max_retries=0, timeout=spec.timeout_s)
    if spec.base_url != OPENAI_URL:  # the SDK takes these from OpenAI's variables; they are no one else's business
        client.organization = client.project = None
    return client


# ------------------------------------------------------------------------------------------------- replies


def _whole(completion: Any) -> _Reply:
    choice = completion.choices[0]
    message = choice.message
    calls = getattr(message, "tool_calls", None) or []
    arguments = calls[0].function.arguments if calls else None
    if arguments is None and isinstance(message.content, list):  # some servers answer in pieces
        text = "".join(str(piece.get("text", "")) for piece in message.content if isinstance(piece, dict))
    else:
        text = message.content or ""
    return _Reply(
        text, arguments, choice.finish_reason, getattr(message, "refusal", None), *_tokens(completion.usage, text)
    )


async def _streamed(chunks: Any) -> _Reply:
    text: list[str] = []
    arguments: list[str] = []
    refusal: list[str] = []
    finish: str | None = None
    usage: Any = None
    called = False
    async with chunks:
        async for chunk in chunks:
            usage = chunk.usage or usage
            for choice in chunk.choices[:1]:
                finish = choice.finish_reason or finish
                delta = choice.delta
                text.append(delta.content or "")
                refusal.append(getattr(delta, "refusal", None) or "")
                for call in (delta.tool_calls or [])[:1]:
                    called = True
                    arguments.append((call.function.arguments if call.function else None) or "")
    if finish is None:
        raise ValueError("the stream ended early")
    whole = "".join(text)
    return _Reply(
        whole,
        "".join(arguments) if called else None,
        finish,
        "".join(refusal) or None,
        *_tokens(usage, whole + "".join(arguments)),
    )


def _tokens(usage: Any, text: str) -> tuple[int, int, int, int]:
    """Prompt, cached, completion and reasoning tokens. A server that does not count is taken to have written a token
    every four characters."""
    if usage is None:
        return 0, 0, len(text) // 4, 0
    in_detail = getattr(usage, "prompt_tokens_details", None)
    out_detail = getattr(usage, "completion_tokens_details", None)
    cached = getattr(in_detail, "cached_tokens", None) or 0
    reasoned = getattr(out_detail, "reasoning_tokens", None) or 0
    return usage.prompt_tokens or 0, cached, usage.completion_tokens or 0, reasoned


# ------------------------------------------------------------------------------------------------- refusals


def _said(error: openai.APIStatusError) -> str:
    """What the server wrote, to look into; never to be shown."""
    return f"{error.message} {error.code or ''} {error.param or ''} {error.body or ''}".lower()[:4000]


def _names_structure(subject: str, asked: Structured) -> bool:
    """Whether a refusal speaks of what was asked for to get an answer in a schema."""
    match asked:
        case "json_schema":
            return re.search(r"response.?format|json.?schema|structured|schema|grammar", subject) is not None
        case "json":
            return re.search(r"response.?format|json.?object|json mode", subject) is not None
        case "tools":
            return re.search(r"tool|function", subject) is not None
        case "none":
            return False


def _retry_after(error: openai.APIStatusError) -> float | None:
    try:
        headers = error.response.headers
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        return max(0.0, float(headers["retry-after"]))
    except (KeyError, ValueError):
        return None
