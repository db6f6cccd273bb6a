"""The fake itself: one aiohttp server on a loopback port, REST and gateway, over a World."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from aiohttp import web

from tests.discord.fake import pipeline, spec
from tests.discord.fake.admin import Admin
from tests.discord.fake.call import Call, Violation
from tests.discord.fake.client import Client
from tests.discord.fake.dump import dump, report
from tests.discord.fake.errors import ApiError
from tests.discord.fake.faults import Fault, Outcome
from tests.discord.fake.gateway import Gateway
from tests.discord.fake.limits import Limits
from tests.discord.fake.patch import URL_VARIABLE, patched
from tests.discord.fake.payloads import Payloads, one_pixel
from tests.discord.fake.permissions import may
from tests.discord.fake.records import Channel, User
from tests.discord.fake.routes import load_all
from tests.discord.fake.timeline import Timeline
from tests.discord.fake.world import World

T = TypeVar("T")
API = "/api/v10"
log = logging.getLogger(__name__)
logging.getLogger("aiohttp.access").setLevel(logging.WARNING)
load_all()


class FakeDiscord:
    """Use as `async with FakeDiscord() as fake:`; give it a World to go on from an earlier one.

    `validate`: "all" checks bodies by Discord's document and by our rules, "rules" by ours only (for load tests),
    "off" by none. `limits` may be shortened (`Limits(speed=20)`) or switched off (`Limits(enabled=False)`).
    `first_answer`, `token_life` and `nonce_life` are Discord's 3 s, 15 min and "a few minutes".
    """

    def __init__(
        self,
        world: World | None = None,
        *,
        validate: str = "all",
        limits: Limits | None = None,
        first_answer: float = 3.0,
        token_life: float = 900.0,
        nonce_life: float = 300.0,
        heartbeat: float = 41.25,
        log_limit: int | None = None,
    ) -> None:
        self.world = world or World.new()
        self.limits = limits or Limits()
        self.first_answer = first_answer
        self.token_life = token_life
        self.nonce_life = nonce_life
        self.validate = validate
        self.spec_missing = spec.why_missing()
        path = spec.find() if validate == "all" else None
        self.spec = spec.load(path) if path else None
        self.requests: deque[Call] = deque(maxlen=log_limit)
        self.violations: list[Violation] = []
        self.faults: list[Fault] = []
        self.gateway = Gateway(self, heartbeat)
        self.admin = Admin(self)
        self.url = ""
        self._waiters: dict[int | None, set[asyncio.Future[None]]] = {}
        self._runner: web.AppRunner | None = None

    # --- life ---------------------------------------------------------------------------------------------

    async def start(self, port: int = 0) -> FakeDiscord:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_route("*", API + "/{path:.*}", self._rest)
        app.router.add_get("/gateway", self.gateway.connect)
        app.router.add_get("/attachments/{channel}/{attachment}/{name}", self._attachment)
        app.router.add_get("/cdn/{path:.*}", self._cdn)
        self._runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port)
        await site.start()
        if self.spec_missing and self.validate == "all":
            log.warning("%s", self.spec_missing)
        bound: Any = self._runner.addresses[0]
        self.url = f"http://127.0.0.1:{bound[1]}"
        return self

    async def stop(self) -> None:
        """Stop answering. The world stays, for another FakeDiscord."""
        await self.gateway.stop()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def __aenter__(self) -> FakeDiscord:
        return await self.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    @property
    def gateway_url(self) -> str:
        return self.url.replace("http", "ws", 1) + "/gateway"

    @property
    def payloads(self) -> Payloads:
        return Payloads(self.world, self.url)

    def save(self, path: Path) -> None:
        self.world.save(path)

    # --- pointing a bot here ------------------------------------------------------------------------------

    def patched(self) -> AbstractContextManager[None]:
        """Point discord.py in this process here, and back afterwards."""
        return patched(self.url)

    def environment(self) -> dict[str, str]:
        """What a child process needs in its environment to be pointed here by point_discord_at_environment()."""
        return {URL_VARIABLE: self.url}

    def command(self, module: str, *arguments: str) -> list[str]:
        """`python -m module arguments`, with discord.py pointed here before the module runs."""
        return [sys.executable, "-m", "tests.discord.fake.child", self.url, module, *arguments]

    @property
    def token(self) -> str:
        return self.world.application.token

    # --- trouble ------------------------------------------------------------------------------------------

    def fail(
        self,
        method: str,
        pattern: str,
        outcome: Outcome | None = None,
        times: int | None = 1,
        *,
        delay: float = 0.0,
        code: int | None = None,
        retry_after: float = 0.3,
        is_global: bool = False,
        via: bool = True,
        when: Callable[[Call], bool] | None = None,
    ) -> Fault:
        """Make the next requests fail: "POST", "/channels/*/messages", 500 (see Fault). `times=None`: all of them."""
        fault = Fault(method, pattern, outcome, times, delay, code, retry_after, is_global, via, when)
        self.faults.append(fault)
        return fault

    def breach(self, call: Call, rule: str, at: str, message: str, *, rejected: bool) -> None:
        violation = Violation(rule, at, message, rejected, call.method, call.path, call.body)
        call.violations.append(violation)
        self.violations.append(violation)

    def assert_clean(self, *, apart_from: Iterable[str] = ()) -> None:
        """No request broke a rule, apart from rules named."""
        broken = [one for one in self.violations if one.rule not in set(apart_from)]
        assert not broken, "requests broke Discord's rules or ours:\n" + "\n".join(map(str, broken[:20]))

    # --- looking ------------------------------------------------------------------------------------------

    def client(self, user: User) -> Client:
        return Client(self, user)

    def channel(self, channel: int | Channel) -> Timeline:
        return Timeline(self, channel if isinstance(channel, int) else channel.id)

    thread = channel

    def calls(self, method: str = "*", pattern: str = "*", *, status: int | None = None) -> list[Call]:
        """Logged requests by method, path (as in fail(); "*" alone is any) and status."""
        like = Fault(method, pattern, times=None)
        return [
            call
            for call in self.requests
            if ((pattern == "*" and method in ("*", call.method)) or like.strikes(call))
            and (status is None or call.status == status)
        ]

    def dump(self, *channels: int | Channel) -> str:
        """The world, or some channels of it, for people."""
        return dump(self, [one if isinstance(one, int) else one.id for one in channels])

    def report(self, last: int = 40) -> str:
        """The last requests and every violation, for people."""
        return report(self, last)

    async def wait_for(
        self, predicate: Callable[[], T], within: float = 5.0, *, channel: int | Channel | None = None
    ) -> T:
        """Wait until something is true of the world; looked at on each change (in the channel, if one is named)."""
        deadline = time.monotonic() + within
        key = channel.id if isinstance(channel, Channel) else channel
        while True:
            if result := predicate():
                return result
            left = deadline - time.monotonic()
            if left <= 0:
                shown = self.dump(*([key] if key is not None else []))
                raise AssertionError(f"nothing came in {within} s\n{shown}\n{self.report()}")
            await self.changes(key, min(left, 0.25))

    async def changes(self, channel_id: int | None, within: float) -> None:
        """Wait until something changes (in a channel), or for so long."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiters = self._waiters.setdefault(channel_id, set())
        waiters.add(waiter)
        try:
            await asyncio.wait([waiter], timeout=within)
        finally:
            waiters.discard(waiter)

    def changed(self, channel_id: int | None = None) -> None:
        """Wake who waits for a change in a channel, or for any."""
        for key in {channel_id, None}:
            for waiter in list(self._waiters.get(key, ())):
                if not waiter.done():
                    waiter.set_result(None)

    def visible_channel(self, channel_id: int) -> Channel:
        """A channel that the bot sees, or the error for one it does not."""
        channel = self.world.channels.get(channel_id)
        if channel is None:
            raise ApiError(10003)
        if not may(self.world, channel, self.world.application.bot_id, "view_channel"):
            raise ApiError(50001)
        return channel

    # --- answering ----------------------------------------------------------------------------------------

    async def _rest(self, request: web.Request) -> web.StreamResponse:
        return await pipeline.answer(self, request, request.rel_url.raw_path.removeprefix(API))

    async def _attachment(self, request: web.Request) -> web.Response:
        wanted = int(request.match_info["attachment"])
        for message in self.world.messages.get(int(request.match_info["channel"]), {}).values():
            for attachment in message.attachments:
                if attachment.id == wanted and message.deleted_at is None:
                    return web.Response(body=attachment.data, content_type=attachment.content_type.partition(";")[0])
        return web.Response(status=404)

    async def _cdn(self, request: web.Request) -> web.Response:
        return web.Response(body=one_pixel(), content_type="image/png")
