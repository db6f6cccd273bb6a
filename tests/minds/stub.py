"""A server of ours that speaks the OpenAI protocol and can be told to misbehave in the ways real ones do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web
from aiohttp.test_utils import TestServer

Mood = Literal[
    "good",
    "slow",
    "stuck",
    "prose",
    "fenced",
    "trailing_commas",
    "chatty",
    "thinking",
    "out_of_schema",
    "truncated",
    "refusing",
    "filtered",
    "filtered_prompt",
    "empty",
    "no_choices",
    "html",
    "limited",
    "limited_long",
    "no_money",
    "bad_key",
    "no_model",
    "broken",
    "dropping",
    "dropping_midway",
    "quotes_key",
]
Knows = Literal["json_schema", "tools", "json_object", "temperature", "seed", "max_tokens", "max_completion_tokens"]
EVERYTHING: tuple[Knows, ...] = ("json_schema", "tools", "json_object", "temperature", "seed", "max_tokens")

GOOD = {"move": "argue", "text": "Because it works.", "score": 7}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "move": {"type": "string", "enum": ["argue", "rebut"]},
        "text": {"type": "string", "minLength": 1},
        "score": {"type": "integer", "minimum": 0, "maximum": 10},
    },
    "required": ["move", "text", "score"],
    "additionalProperties": False,
}


@dataclass
class Stub:
    """Answers with `GOOD` in the way it is asked to, unless it is in another mood."""

    knows: tuple[Knows, ...] = EVERYTHING
    moods: list[Mood] = field(default_factory=list[Mood])
    """Of the next requests, one each; then `always`."""
    always: Mood = "good"
    answer: Any = field(default_factory=lambda: dict(GOOD))
    shapes: bool = False
    """Whether answers are made from the schema asked for, each with other words, instead of `answer`."""
    latency_s: float = 0.0
    slow_s: float = 0.4
    retry_after: str = "0.05"
    opaque: bool = False
    """Whether what it does not know is refused without a word why."""
    ignores_schemas: bool = False
    """Whether response_format is taken and not held to."""
    counts: bool = True
    """Whether it says how many tokens were used."""
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    keys: list[str] = field(default_factory=list[str])
    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    at_once: int = 0
    most_at_once: int = 0
    url: str = ""

    @property
    def calls(self) -> int:
        return len(self.requests)

    async def chat(self, request: web.Request) -> web.StreamResponse:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            return await self._chat(request)
        finally:
            self.at_once -= 1

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        self.keys.append(request.headers.get("Authorization", "").removeprefix("Bearer "))
        refused = self._unknown(body)
        if refused is not None:
            return refused
        mood = self.moods.pop(0) if self.moods else self.always
        await asyncio.sleep({"slow": self.slow_s, "stuck": 30.0}.get(mood, self.latency_s))
        failed = self._failure(mood)
        if failed is not None:
            return failed
        if mood == "dropping":
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        return await self._send(request, body, mood)

    async def models(self, _: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "first-model", "object": "model", "created": 1}]})

    # --------------------------------------------------------------------------------------------- refusals

    def _unknown(self, body: dict[str, Any]) -> web.Response | None:
        """A request with something in it that this server does not know."""
        format = (body.get("response_format") or {}).get("type")
        if format in ("json_schema", "json_object") and format not in self.knows:
            return self._refuse("response_format", f"Invalid parameter: 'response_format' of type '{format}'.")
        if body.get("tools") and "tools" not in self.knows:
            return self._refuse("tools", "This model does not support tools.")
        for name in ("temperature", "seed", "max_tokens", "max_completion_tokens", "reasoning_effort"):
            if name in body and name not in self.knows:
                hint = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
                return self._refuse(name, f"Unsupported parameter: '{name}' is not supported with this model.{hint}")
        return None

    def _refuse(self, param: str, message: str) -> web.Response:
        return _error(400, "Bad request." if self.opaque else message, param=None if self.opaque else param)

    def _failure(self, mood: Mood) -> web.Response | None:
        match mood:
            case "limited":
                return _error(429, "Slow down.", {"Retry-After": self.retry_after}, code="rate_limit_exceeded")
            case "limited_long":
                return _error(429, "Slow down.", {"Retry-After": "3600"}, code="rate_limit_exceeded")
            case "no_money":
                return _error(429, "You exceeded your current quota, check your billing.", code="insufficient_quota")
            case "bad_key":
                return _error(401, f"Incorrect API key provided: {self.keys[-1]}.", code="invalid_api_key")
            case "quotes_key":
                return _error(500, f"Cannot serve {self.keys[-1]}.", code=self.keys[-1])
            case "no_model":
                return _error(404, "The model `x` does not exist.", code="model_not_found")
            case "filtered_prompt":
                return _error(400, "The prompt triggered the content management policy.", code="content_filter")
            case "broken":
                return _error(503, "Overloaded.")
            case "html":
                return web.Response(text="<html>Welcome to the proxy</html>", content_type="text/html")
            case _:
                return None

    # --------------------------------------------------------------------------------------------- answers

    def _text(self, mood: Mood) -> str:
        good = json.dumps(self.answer)
        match mood:
            case "prose":
                return "I would say that it works, and so I argue."
            case "fenced":
                return f"Here you are:\n```json\n{good}\n```\nAnything else?"
            case "trailing_commas":
                return '{"move": "argue", "text": "So, it works, }", "score": 7,}'
            case "chatty":
                return f"Sure! {good} I hope that {{helps}}."
            case "thinking":
                return f'<think>{{"move": "rebut", "text": "no", "score": 1}} or not?</think>\n{good}'
            case "out_of_schema":
                return json.dumps({**GOOD, "score": 11})
            case "truncated":
                return good[: len(good) // 2]
            case "empty":
                return ""
            case _:
                return good

    async def _send(self, request: web.Request, body: dict[str, Any], mood: Mood) -> web.StreamResponse:
        if self.shapes:
            self.answer = shaped(body["response_format"]["json_schema"]["schema"], self.calls)
        text = self._text(mood)
        wants_schema = (body.get("response_format") or {}).get("type") == "json_schema"
        if wants_schema and self.ignores_schemas:
            text = self._text("prose")
        finish = {"truncated": "length", "filtered": "content_filter"}.get(mood, "stop")
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if mood == "refusing":
            message |= {"content": None, "refusal": "I will not."}
        elif body.get("tools") and mood != "prose":
            function = {"name": body["tools"][0]["function"]["name"], "arguments": text}
            message |= {"content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]}
            finish = "tool_calls" if finish == "stop" else finish
        usage = {
            "prompt_tokens": 1000,
            "completion_tokens": 100,
            "total_tokens": 1100,
            "prompt_tokens_details": {"cached_tokens": 600},
        }
        base = {"id": "x", "created": 1, "model": body["model"]}
        if body.get("stream"):
            return await self._stream(request, base, message, finish, usage, mood)
        choices = [] if mood == "no_choices" else [{"index": 0, "message": message, "finish_reason": finish}]
        whole = {**base, "object": "chat.completion", "choices": choices}
        if self.counts:
            whole["usage"] = usage
        if mood == "dropping_midway":
            response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "5000"})
            await response.prepare(request)
            await response.write(json.dumps(whole)[:50].encode())
            assert request.transport is not None
            request.transport.abort()
            return response
        return web.json_response(whole)

    async def _stream(
        self,
        request: web.Request,
        base: dict[str, Any],
        message: dict[str, Any],
        finish: str,
        usage: dict[str, Any],
        mood: Mood,
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)

        async def send(choices: list[dict[str, Any]], **more: Any) -> None:
            chunk = {**base, "object": "chat.completion.chunk", "choices": choices, **more}
            await response.write(f"data: {json.dumps(chunk)}\n\n".encode())

        def delta(**part: Any) -> list[dict[str, Any]]:
            return [{"index": 0, "delta": part, "finish_reason": None}]

        [call] = message.get("tool_calls") or [None]
        text = call["function"]["arguments"] if call else message["content"] or ""
        pieces = [text[at : at + 9] for at in range(0, len(text), 9)]
        for n, piece in enumerate(pieces):
            if mood == "dropping_midway" and n == 2:
                assert request.transport is not None
                request.transport.abort()
                return response
            if call:
                name = {"id": "c1", "type": "function"} if n == 0 else {}
                function = {"name": call["function"]["name"], "arguments": piece} if n == 0 else {"arguments": piece}
                await send(delta(tool_calls=[{"index": 0, **name, "function": function}]))
            else:
                await send(delta(content=piece))
        if message.get("refusal"):
            await send(delta(refusal=message["refusal"]))
        await send([{"index": 0, "delta": {}, "finish_reason": finish}])
        if self.counts:
            await send([], usage=usage)
        await response.write(b"data: [DONE]\n\n")
        return response


_REASONS = ("cost", "trust", "speed", "safety", "fairness", "health", "work", "schools", "cities", "rivers", "winters")


def shaped(schema: dict[str, Any], n: int) -> Any:
    """A value of the schema's shape; `n` makes its texts differ."""
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: shaped(inner, n) for name, inner in schema["properties"].items()}
        case "array":
            return [shaped(schema["items"], n)]
        case "integer":
            return min(6, schema.get("maximum", 6))
        case _:
            word = _REASONS[n % len(_REASONS)]
            return f"Think of {word} first, because {word} decides it. Nobody has answered what {word} asks of us."


def _error(status: int, message: str, headers: dict[str, str] | None = None, **more: Any) -> web.Response:
    body = {"error": {"message": message, "type": "error", "code": None, "param": None, **more}}
    return web.json_response(body, status=status, headers=headers)


@asynccontextmanager
async def serving(stub: Stub) -> AsyncIterator[Stub]:
    """The stub at a free port of this machine; `stub.url` is its address."""
    app = web.Application()
    app.router.add_post("/v1/chat/completions", stub.chat)
    app.router.add_post("/openai/deployments/{name}/chat/completions", stub.chat)
    app.router.add_get("/v1/models", stub.models)
    server = TestServer(app, host="127.0.0.1")
    await server.start_server(shutdown_timeout=0.01)
    stub.url = str(server.make_url("/v1"))
    try:
        yield stub
    finally:
        await server.close()
