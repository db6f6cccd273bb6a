"""What every REST request goes through: log, fault, token, limits, rules, handler, answer."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from typing import TYPE_CHECKING, Any

from aiohttp import web
from aiohttp.web_request import FileField

from tests.discord.fake import routing, rules
from tests.discord.fake.call import Call, Upload
from tests.discord.fake.errors import KNOWN, ApiError, not_found
from tests.discord.fake.faults import Fault
from tests.discord.fake.limits import Verdict
from tests.discord.fake.payloads import UPLOAD_LIMIT
from tests.discord.fake.records import Message

if TYPE_CHECKING:
    from tests.discord.fake.server import FakeDiscord

log = logging.getLogger(__name__)
FILE = re.compile(r"files\[(\d+)\]|file")
AFTER_SUCCESS = ("500-after-success", "drop-after-success")
#: discord.py compares the content type with this and nothing longer.
JSON_TYPE = {"Content-Type": "application/json"}


async def answer(fake: FakeDiscord, request: web.Request, path: str) -> web.StreamResponse:
    call = Call(fake, request.method, path, query=dict(request.query))
    fake.requests.append(call)
    started = time.monotonic()
    try:
        return await _answer(call, request)
    finally:
        call.took = time.monotonic() - started


async def _answer(call: Call, request: web.Request) -> web.StreamResponse:
    fake = call.fake
    call.route, call.params, handler = routing.find(call.method, call.path) or ("", {}, None)
    try:
        await _read(call, request)
    except ApiError as error:
        return _failed(call, error, Verdict({}))
    fault = next((fault for fault in fake.faults if fault.strikes(call)), None)
    if fault is not None:
        call.fault = str(fault.outcome or f"delay {fault.delay}")
        await asyncio.sleep(fault.delay)
        if fault.outcome is not None and fault.outcome not in AFTER_SUCCESS:
            return _struck(call, fault, request)
    renames = call.route == "/channels/{channel_id}" and "name" in call.json
    verdict = fake.limits.check(call.method, call.route, call.params, renames=renames)
    if verdict.retry_after is not None:
        return _limited(call, verdict)
    try:
        if handler is None:
            fake.breach(call, "unsupported", "", "this fake has no such route", rejected=True)
            raise not_found()
        _authorize(call, request)
        _validate(call)
        result = await handler(call)
    except ApiError as error:
        response = _failed(call, error, verdict)
    except (KeyError, TypeError, ValueError, AttributeError):
        log.exception("%s could not be understood", call)
        response = _failed(call, ApiError(50035, "The fake could not make sense of this body"), verdict)
    else:
        response = _respond(call, 204 if result is None else 200, result, verdict.headers)
    if fault is not None and fault.outcome in AFTER_SUCCESS:
        return _struck(call, fault, request)
    return response


async def _read(call: Call, request: web.Request) -> None:
    if request.content_type == "multipart/form-data":
        for name, value in (await request.post()).items():
            if isinstance(value, FileField):
                number = FILE.fullmatch(name)
                data = value.file.read()
                call.files.append(Upload(int((number and number[1]) or 0), value.filename, data))
            elif name == "payload_json":
                call.body = _parse(str(value))
        if any(len(upload.data) > UPLOAD_LIMIT for upload in call.files):
            raise ApiError(40005)
    elif raw := await request.text():
        call.body = _parse(raw)


def _parse(raw: str) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        raise ApiError(50109) from None


def _authorize(call: Call, request: web.Request) -> None:
    """Interactions and webhooks carry their token in the path; everything else takes the bot's."""
    if "webhook_token" in call.params or "interaction_token" in call.params:
        return
    if request.headers.get("Authorization") != f"Bot {call.fake.token}":
        raise ApiError(0)


def _validate(call: Call) -> None:
    """By Discord's document and by the rules; what Discord would refuse is refused."""
    fake = call.fake
    if fake.validate == "off" or call.body is None:
        return
    if fake.spec is not None:
        for at, message in fake.spec.problems(call.method, call.route, call.body):
            fake.breach(call, "openapi", at, message, rejected=False)
    refusal: ApiError | None = None
    for problem in rules.check(call, _editing(call)):
        fake.breach(call, problem.rule, problem.at, problem.message, rejected=problem.rejected)
        if problem.rejected and refusal is None:
            refusal = ApiError(problem.code, problem.message if problem.code == 50035 else None, at=problem.at)
    if refusal is not None:
        raise refusal


def _editing(call: Call) -> Message | None:
    """The message that a request changes."""
    world, params = call.fake.world, call.params
    if "interaction_id" in params:
        interaction = world.interactions.get(call.number("interaction_id"))
        return world.any_message(interaction.message_id) if interaction and interaction.message_id else None
    if call.method != "PATCH":
        return None
    if "message_id" in params:
        return world.any_message(call.number("message_id"))
    if call.route.endswith("/@original"):
        interaction = world.interaction(params["webhook_token"])
        return world.any_message(interaction.original_id) if interaction and interaction.original_id else None
    return None


def _respond(call: Call, status: int, body: Any, headers: dict[str, str]) -> web.Response:
    call.status, call.answer = status, body
    headers = {"Via": "1.1 google", **headers}
    if status == 204:
        return web.Response(status=204, headers=headers)
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    return web.Response(status=status, body=text, headers=headers | JSON_TYPE)


def _failed(call: Call, error: ApiError, verdict: Verdict) -> web.Response:
    return _respond(call, error.status, error.body(), verdict.headers)


def _limited(call: Call, verdict: Verdict) -> web.Response:
    wait = round(verdict.retry_after or 0.0, 3)
    body = {"message": "You are being rate limited.", "retry_after": wait, "global": verdict.is_global}
    return _respond(call, 429, body, verdict.headers | {"Retry-After": str(int(wait) + 1)})


def _struck(call: Call, fault: Fault, request: web.Request) -> web.Response:
    """The answer, or the silence, that a fault asks for."""
    if fault.outcome in ("drop", "drop-after-success"):
        call.status = 0
        if request.transport is not None:
            request.transport.close()
        return web.Response(status=500)
    status = 500 if fault.outcome == "500-after-success" else fault.outcome
    assert isinstance(status, int)
    if status == 429:
        response = _limited(call, Verdict({}, fault.retry_after, fault.is_global))
        if not fault.via:
            del response.headers["Via"]
        return response
    code = fault.code or {401: 0, 403: 50013, 404: 10003}.get(status, 0)
    message = KNOWN[code][1] if code or status == 401 else f"{status}: scripted"
    return _respond(call, status, {"message": message, "code": code}, {})
