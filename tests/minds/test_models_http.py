"""A model asked over HTTP with the real SDK, at a server of ours that misbehaves."""

from __future__ import annotations

import asyncio
import json
import logging
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from time import monotonic
from typing import Any

import pytest
from pydantic import SecretStr

from bot.minds.brief import Usage
from bot.minds.models.asking import Answer, Ask, ModelError
from bot.minds.models.budget import Price
from bot.minds.models.endpoints import ModelSpec
from bot.minds.models.openai_model import EndpointClient, OpenAIModel
from bot.minds.models.within import ask_within
from tests.minds.stub import GOOD, SCHEMA, Knows, Mood, Stub, serving

KEY = "sk-secret-0123456789"
PRICE = Price(prompt=1.0, cached=0.1, completion=10.0)
ONE_CALL = Usage(1, 1000, 100, (400 * 1.0 + 600 * 0.1 + 100 * 10.0) / 1e6)
ASK = Ask(
    system="Debate.",
    user="Your turn.",
    schema=SCHEMA,
    name="turn",
    most_tokens=200,
    temperature=0.7,
    seed=5,
    deadline_s=5.0,
)

Make = Callable[..., Awaitable[tuple[OpenAIModel, Stub]]]


@pytest.fixture
async def make() -> AsyncIterator[Make]:
    """A model at a stub of its own."""
    async with AsyncExitStack() as stack:

        async def made(stub: Stub | None = None, **changed: Any) -> tuple[OpenAIModel, Stub]:
            stub = await stack.enter_async_context(serving(stub or Stub()))
            fields: dict[str, Any] = {
                "name": "mini",
                "id": "some-model",
                "family": "some",
                "endpoint": "stub",
                "base_url": stub.url,
                "key": SecretStr(KEY),
                "price": PRICE,
            }
            model = OpenAIModel(ModelSpec(**(fields | changed)))
            stack.push_async_callback(model.close)
            return model, stub

        yield made


async def failing(model: OpenAIModel, ask: Ask = ASK) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await model.ask(ask)
    return caught.value


def quick(seconds: float) -> Ask:
    return Ask(ASK.system, ASK.user, SCHEMA, "turn", 200, deadline_s=seconds)


# ------------------------------------------------------------------------------------------------- a good answer


async def test_a_schema_answered(make: Make) -> None:
    model, stub = await make()
    answer = await model.ask(ASK)
    assert answer == Answer(GOOD, "mini", ONE_CALL)
    [request] = stub.requests
    assert request["response_format"]["json_schema"] == {"name": "turn", "schema": SCHEMA, "strict": True}
    assert (request["max_tokens"], request["temperature"], request["seed"]) == (200, 0.7, 5)
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert stub.keys == [KEY]
    assert model.structured == "json_schema"


async def test_lengths_are_sent_only_where_the_server_holds_to_them(make: Make) -> None:
    text, short = {"type": "string", "maxLength": 300}, {"type": "string", "maxLength": 60}
    turns = {"type": "array", "maxItems": 3, "items": {"type": "integer"}}
    schema = {**SCHEMA, "properties": {"move": short, "text": text, "turns": turns}}
    schema["required"] = list(schema["properties"])
    ask = replace(ASK, schema=schema, last="move")
    sent: list[dict[str, Any]] = []
    for lengths in (False, True):
        model, stub = await make(lengths=lengths)
        with suppress(ModelError):
            await model.ask(ask)
        sent.append(stub.requests[0]["response_format"]["json_schema"]["schema"])
    plain, limited = sent
    assert "max" not in json.dumps(plain) and list(plain["properties"]) == ["move", "text", "turns"]
    assert limited["properties"] == schema["properties"]
    assert list(limited["properties"]) == limited["required"] == ["text", "turns", "move"]


async def test_an_unknown_price_is_no_price(make: Make) -> None:
    model, _ = await make(price=None)
    assert (await model.ask(ASK)).usage == Usage(1, 1000, 100, 0.0, unpriced=1)


async def test_tokens_that_the_server_does_not_count_are_estimated(make: Make) -> None:
    model, _ = await make(Stub(counts=False))
    usage = (await model.ask(ASK)).usage
    assert usage.calls == 1
    assert usage.completion_tokens > 0


@pytest.mark.parametrize("knows", [("json_schema", "max_tokens"), ("tools", "max_tokens"), ("max_tokens",)])
async def test_a_streamed_answer(make: Make, knows: tuple[Knows, ...]) -> None:
    model, stub = await make(Stub((*knows, "temperature", "seed")), stream=True)
    assert await model.ask(ASK) == Answer(GOOD, "mini", ONE_CALL)
    assert stub.requests[-1]["stream"] is True


async def test_a_server_without_a_key_and_a_model_nobody_named(make: Make) -> None:
    model, stub = await make(key=None, id=None)
    assert (await model.ask(ASK)).data == GOOD
    assert stub.requests[0]["model"] == "first-model"


async def test_azure(make: Make) -> None:
    stub = Stub()
    model, _ = await make(stub)
    azure = OpenAIModel(
        ModelSpec(
            name="azure",
            id="my-deployment",
            family="openai",
            endpoint="azure",
            base_url=stub.url.removesuffix("/v1"),
            key=SecretStr(KEY),
            price=None,
            api_version="2024-10-21",
        )
    )
    assert (await azure.ask(ASK)).data == GOOD
    assert stub.headers[0]["api-key"] == KEY
    await azure.close()
    await model.close()


# ------------------------------------------------------------------------------------------------- what a server can


@pytest.mark.parametrize("opaque", [False, True])
@pytest.mark.parametrize(
    ("knows", "way", "requests"),
    [(("tools",), "tools", 2), (("json_object",), "json", 3), ((), "none", 4)],
)
async def test_what_works_is_found_out_once(
    make: Make, knows: tuple[Knows, ...], way: str, requests: int, opaque: bool
) -> None:
    stub = Stub((*knows, "temperature", "seed", "max_tokens"), opaque=opaque)
    model, _ = await make(stub)
    answer = await model.ask(ASK)
    assert answer == Answer(GOOD, "mini", ONE_CALL)  # what a server refuses costs nothing
    assert stub.calls == requests
    assert model.structured == way
    await model.ask(ASK)
    assert stub.calls == requests + 1


async def test_a_schema_that_is_taken_and_not_held_to(make: Make) -> None:
    model, stub = await make(Stub(ignores_schemas=True))
    answer = await model.ask(ASK)
    assert answer.data == GOOD
    assert model.structured == "tools"
    assert answer.usage == ONE_CALL + ONE_CALL
    assert stub.calls == 2


async def test_many_first_questions_at_once_learn_the_same(make: Make) -> None:
    model, stub = await make(Stub(("max_completion_tokens",), latency_s=0.01))
    answers = await asyncio.gather(*(model.ask(ASK) for _ in range(6)))
    assert all(answer.data == GOOD for answer in answers)
    assert model.structured == "none"
    before = stub.calls
    await model.ask(ASK)
    assert stub.calls == before + 1


async def test_how_an_answer_is_structured_may_be_configured(make: Make) -> None:
    model, stub = await make(structured="tools")
    assert (await model.ask(ASK)).data == GOOD
    assert "response_format" not in stub.requests[0]
    assert stub.requests[0]["tool_choice"] == {"type": "function", "function": {"name": "turn"}}


async def test_a_model_that_reasons(make: Make) -> None:
    """No temperature, and the length limited by another name."""
    stub = Stub(("json_schema", "max_completion_tokens"))
    model, _ = await make(stub)
    assert (await model.ask(ASK)).data == GOOD
    request = stub.requests[-1]
    assert request["max_completion_tokens"] == 200
    assert not {"temperature", "seed", "max_tokens"} & set(request)
    before = stub.calls
    await model.ask(ASK)
    assert stub.calls == before + 1


async def test_a_server_that_takes_no_limit_at_all(make: Make) -> None:
    model, stub = await make(Stub(("json_schema", "temperature", "seed")))
    assert (await model.ask(ASK)).data == GOOD
    assert not {"max_tokens", "max_completion_tokens"} & set(stub.requests[-1])


async def test_a_model_known_to_reason_gets_room_for_it(make: Make) -> None:
    model, stub = await make(Stub(("json_schema", "max_completion_tokens", "seed")), id="gpt-5-mini")
    assert (await model.ask(ASK)).data == GOOD  # the stub knows no reasoning_effort
    assert [request.get("reasoning_effort") for request in stub.requests] == ["low", None]
    assert stub.requests[-1]["max_completion_tokens"] > 1000


# ------------------------------------------------------------------------------------------------- mended answers


@pytest.mark.parametrize("mood", ["fenced", "chatty", "thinking", "trailing_commas"])
async def test_json_among_other_things_is_found(make: Make, mood: Mood) -> None:
    model, stub = await make(Stub(("max_tokens",), always=mood), structured="none")
    answer = await model.ask(quick(5))
    assert answer.data["score"] == 7
    assert stub.calls == 1
    assert "JSON schema" in stub.requests[0]["messages"][0]["content"]


@pytest.mark.parametrize("mood", ["prose", "out_of_schema", "empty", "no_choices", "html"])
async def test_what_cannot_be_read_is_asked_for_again(make: Make, mood: Mood) -> None:
    model, stub = await make(Stub(moods=[mood]), structured="none")
    answer = await model.ask(ASK)
    assert answer.data == GOOD
    assert answer.usage.calls == stub.calls == 2


@pytest.mark.parametrize("mood", ["prose", "out_of_schema", "empty", "no_choices", "html"])
async def test_what_can_never_be_read(make: Make, mood: Mood) -> None:
    model, stub = await make(Stub(always=mood), structured="json_schema")
    error = await failing(model)
    assert error.trouble == "unreadable"
    assert error.usage.calls == stub.calls == 3
    assert error.usage.prompt_tokens > 0


async def test_a_truncated_answer(make: Make) -> None:
    model, stub = await make(Stub(always="truncated"))
    error = await failing(model)
    assert error.trouble == "unreadable"
    assert "cut off" in str(error)
    assert error.usage.completion_tokens == 100 * stub.calls
    assert model.structured is None  # and nothing was learnt from it


# ------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("mood", ["refusing", "filtered", "filtered_prompt"])
async def test_a_refusal_is_not_asked_again(make: Make, mood: Mood, stream: bool) -> None:
    model, stub = await make(Stub(always=mood), stream=stream)
    error = await failing(model)
    assert error.trouble == "refused"
    assert stub.calls == 1
    assert error.usage == (Usage() if mood == "filtered_prompt" else ONE_CALL)


# ------------------------------------------------------------------------------------------------- trouble


@pytest.mark.parametrize("mood", ["limited", "broken", "dropping", "dropping_midway"])
async def test_trouble_that_passes(make: Make, mood: Mood) -> None:
    model, _ = await make(Stub(moods=[mood]))
    assert (await model.ask(ASK)).data == GOOD


@pytest.mark.parametrize("knows", [("json_schema",), ("tools",)])
async def test_a_stream_that_breaks_off(make: Make, knows: tuple[Knows, ...]) -> None:
    stub = Stub((*knows, "max_tokens"), moods=["dropping_midway"])
    model, _ = await make(stub, stream=True)
    assert (await model.ask(quick(5))).data == GOOD


@pytest.mark.parametrize(
    ("mood", "trouble", "calls"),
    [
        ("limited", "limited", 3),
        ("limited_long", "limited", 1),
        ("no_money", "budget", 1),
        ("bad_key", "unavailable", 1),
        ("no_model", "unavailable", 1),
        ("broken", "unavailable", 3),
        ("dropping", "unavailable", 3),
    ],
)
async def test_trouble_that_stays(make: Make, mood: Mood, trouble: str, calls: int) -> None:
    model, stub = await make(Stub(always=mood), structured="json_schema")
    error = await failing(model)
    assert error.trouble == trouble
    assert stub.calls == calls
    assert error.usage == Usage()


async def test_a_server_that_is_not_there() -> None:
    async with serving(Stub()) as stub:
        url = stub.url
    model = OpenAIModel(ModelSpec("m", "x", "x", "e", url, None, None))
    assert (await failing(model, quick(2))).trouble == "unavailable"
    await model.close()


async def test_a_rate_limit_is_waited_for_only_within_the_deadline(make: Make) -> None:
    model, stub = await make(Stub(always="limited", retry_after="2"))
    began = monotonic()
    assert (await failing(model, quick(1))).trouble == "limited"
    assert monotonic() - began < 0.5
    assert stub.calls == 1


async def test_a_slow_server_is_given_up_at_the_deadline(make: Make) -> None:
    model, _ = await make(Stub(always="stuck"))
    began = monotonic()
    error = await failing(model, quick(0.2))
    assert monotonic() - began < 0.6
    assert error.trouble == "timeout"
    assert error.usage.calls == 1  # its prompt is paid for
    assert error.usage.usd > 0


async def test_the_endpoints_own_timeout_holds_too(make: Make) -> None:
    model, _ = await make(Stub(always="stuck"), timeout_s=0.2)
    assert (await failing(model)).trouble == "timeout"


async def test_no_more_requests_at_once_than_allowed(make: Make) -> None:
    model, stub = await make(Stub(latency_s=0.02), most_parallel=2)
    await asyncio.gather(*(model.ask(ASK) for _ in range(6)))
    assert stub.most_at_once == 2


async def test_models_of_one_endpoint_share_its_places() -> None:
    async with serving(Stub(latency_s=0.02)) as stub:
        specs = [ModelSpec(name, name, "x", "e", stub.url, None, None, endpoint_parallel=2) for name in "ab"]
        endpoint = EndpointClient(specs[0])
        models = [OpenAIModel(spec, endpoint) for spec in specs]
        await asyncio.gather(*(model.ask(ASK) for model in models * 3))
        assert stub.most_at_once == 2
        await endpoint.close()


# ------------------------------------------------------------------------------------------------- secrets


@pytest.mark.parametrize("mood", ["bad_key", "quotes_key", "broken", "html", "dropping"])
async def test_the_key_is_in_no_error_and_no_log(make: Make, caplog: pytest.LogCaptureFixture, mood: Mood) -> None:
    caplog.set_level(logging.DEBUG)
    model, _ = await make(Stub(always=mood))
    with pytest.raises(ModelError) as caught:
        await model.ask(ASK)
    shown = "".join(traceback.format_exception(caught.value))
    logged = "".join(f"{record.getMessage()}{record.__dict__}" for record in caplog.records)
    for text in (shown, repr(caught.value), repr(model), repr(model.spec), logged):
        assert KEY not in text


async def test_what_is_meant_for_openai_goes_nowhere_else(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-ours")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-ours")
    model, stub = await make()
    await model.ask(ASK)
    assert not any("ours" in value for value in stub.headers[0].values())


# ------------------------------------------------------------------------------------------------- a time budget


async def test_a_quick_answer_needs_no_second_try(make: Make) -> None:
    model, stub = await make()
    assert (await ask_within(model, ASK, 2.0, 0.5)).usage == ONE_CALL
    assert stub.calls == 1


async def test_a_second_shorter_try_overtakes_the_first(make: Make) -> None:
    model, stub = await make(Stub(moods=["stuck"]))
    began = monotonic()
    answer = await ask_within(model, ASK, 2.0, 0.1)
    assert answer.data == GOOD
    assert monotonic() - began < 1.0
    assert [request["max_tokens"] for request in stub.requests] == [200, 133]
    assert answer.usage.calls == 2  # the one that was given up is paid for too


async def test_the_first_try_may_still_win(make: Make) -> None:
    model, stub = await make(Stub(moods=["slow", "stuck"], slow_s=0.3))
    answer = await ask_within(model, ASK, 3.0, 0.1)
    assert answer.usage.calls == stub.calls == 2


async def test_a_first_try_that_fails_is_followed_at_once(make: Make) -> None:
    model, stub = await make(Stub(moods=["limited_long"]))
    began = monotonic()
    assert (await ask_within(model, ASK, 5.0, 4.0)).data == GOOD
    assert monotonic() - began < 1.0
    assert stub.calls == 2


async def test_the_budget_is_hard(make: Make) -> None:
    model, stub = await make(Stub(always="stuck"))
    began = monotonic()
    with pytest.raises(ModelError) as caught:
        await ask_within(model, ASK, 0.3, 0.1)
    assert monotonic() - began < 0.7
    assert caught.value.trouble == "timeout"
    assert caught.value.usage.calls == stub.calls == 2


@pytest.mark.parametrize(("mood", "trouble", "calls"), [("refusing", "refused", 1), ("limited_long", "limited", 2)])
async def test_what_two_tries_cannot_get(make: Make, mood: Mood, trouble: str, calls: int) -> None:
    model, stub = await make(Stub(always=mood))
    with pytest.raises(ModelError) as caught:
        await ask_within(model, ASK, 2.0, 1.0)
    assert (caught.value.trouble, stub.calls) == (trouble, calls)
    assert asyncio.all_tasks() == {asyncio.current_task()} | {
        task for task in asyncio.all_tasks() if "asking" not in task.get_name()
    }
