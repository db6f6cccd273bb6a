"""The gateway: sessions that dispatch, fall away, are resumed with what they missed, or are lost."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aiohttp import WSMsgType, web

from tests.discord.fake import intents
from tests.discord.fake.records import Json, Session

if TYPE_CHECKING:
    from tests.discord.fake.server import FakeDiscord

DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, REQUEST_MEMBERS = 0, 1, 2, 6, 7, 8
INVALID_SESSION, HELLO, HEARTBEAT_ACK = 9, 10, 11
REPLAY_LIMIT, SESSION_LIFE = 5000, 120.0
SENDS_PER_MINUTE = 120

#: What an event says to one session; None if that session does not get it.
Build = Callable[[Session], Json | None]


@dataclass(eq=False)
class Connection:
    socket: web.WebSocketResponse
    session: Session | None = None
    outbox: asyncio.Queue[tuple[float, str]] = field(default_factory=asyncio.Queue)
    received: list[float] = field(default_factory=list)

    def send(self, frame: Json, lag: float = 0.0) -> None:
        text = json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
        self.outbox.put_nowait((time.monotonic() + lag, text))

    async def write(self) -> None:
        """Sends what is in the outbox, in order, none before its time."""
        while True:
            due, text = await self.outbox.get()
            if (wait := due - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            with contextlib.suppress(ConnectionError, RuntimeError):
                await self.socket.send_str(text)


class Gateway:
    """`lag`: seconds that events take to arrive. `silent`: heartbeats are not answered and nothing is dispatched.

    `identifies` and `resumes` hold the times of the bot's logins; `frames` counts what it sent.
    """

    def __init__(self, fake: FakeDiscord, heartbeat: float) -> None:
        self._fake = fake
        self._heartbeat = heartbeat
        self._connections: set[Connection] = set()
        self._up = asyncio.Event()
        self._up.set()
        self._refuses = False
        self._late = 0.0
        self.lag = 0.0
        self.silent = False
        self.identifies: list[float] = []
        self.resumes: list[float] = []
        self.frames = 0

    # --- what tests do to it --------------------------------------------------------------------------

    @property
    def connected(self) -> bool:
        return any(connection.session for connection in self._connections)

    async def close(self, code: int = 4000) -> None:
        """Cut every connection; the bot may resume."""
        for connection in list(self._connections):
            await connection.socket.close(code=code)

    def reconnect(self) -> None:
        """Ask every bot to come back (op 7)."""
        for connection in self._connections:
            connection.send({"op": RECONNECT, "d": None})

    def invalidate(self) -> None:
        """Tell every bot that its session is lost (op 9): it identifies anew and gets a second READY."""
        for session in self._fake.world.sessions.values():
            session.resumable = False
        for connection in self._connections:
            connection.send({"op": INVALID_SESSION, "d": False})

    def forget(self) -> None:
        """Lose every session quietly: the next RESUME is refused, and what happened until then is not replayed."""
        for session in self._fake.world.sessions.values():
            session.resumable = False

    @contextlib.asynccontextmanager
    async def down(self, code: int = 4000, *, refuse: bool = False) -> AsyncIterator[None]:
        """Cut the bot off for as long as the block runs. New connections hang until then, or are refused:
        an AutoShardedClient that could not connect forgets its session, so it gets no replay.
        """
        self._up.clear()
        self._refuses = refuse
        try:
            await self.close(code)
            yield
        finally:
            self._up.set()

    @contextlib.contextmanager
    def late(self, seconds: float) -> Iterator[None]:
        """What is dispatched in the block arrives so much later, and other events overtake it."""
        before, self._late = self._late, seconds
        try:
            yield
        finally:
            self._late = before

    def repeat(self, event: str) -> None:
        """Deliver the last event of a kind once more, as after an unlucky resume."""
        for connection in self._connections:
            session = connection.session
            last = next((one for one in reversed(session.replay) if one["t"] == event), None) if session else None
            if session is not None and last is not None:
                self._deliver(session, event, last["d"])

    async def ready(self, within: float = 10.0) -> None:
        """Wait until a bot has identified or resumed."""
        await self._fake.wait_for(lambda: self.connected, within)

    # --- dispatching ----------------------------------------------------------------------------------

    def dispatch(self, event: str, data: Json | Build, *, guild_id: int | None, intent: int | None = None) -> None:
        """To every session of the server's shard that asked for such events."""
        need = intents.OF_EVENT.get(event, 0) if intent is None else intent
        for session in list(self._fake.world.sessions.values()):
            if self._expired(session):
                del self._fake.world.sessions[session.id]
                continue
            if guild_id is not None and (guild_id >> 22) % session.shards != session.shard:
                continue
            if need and not session.intents & need:
                continue
            payload = data(session) if callable(data) else data
            if payload is not None and self._late:
                asyncio.get_running_loop().call_later(self._late, self._deliver, session, event, payload)
            elif payload is not None:
                self._deliver(session, event, payload)

    def _deliver(self, session: Session, event: str, data: Any) -> None:
        session.seq += 1
        frame = {"op": DISPATCH, "t": event, "s": session.seq, "d": data}
        session.replay.append(frame)
        del session.replay[:-REPLAY_LIMIT]
        if not self.silent:
            for connection in self._connections:
                if connection.session is session:
                    connection.send(frame, self.lag)

    def _expired(self, session: Session) -> bool:
        if session.detached_at is None:
            return False
        return not session.resumable or time.time() - session.detached_at > SESSION_LIFE

    # --- one connection -------------------------------------------------------------------------------

    async def connect(self, request: web.Request) -> web.StreamResponse:
        if not self._up.is_set() and self._refuses:
            return web.Response(status=503)
        await self._up.wait()
        socket = web.WebSocketResponse(max_msg_size=0, compress=False)
        await socket.prepare(request)
        connection = Connection(socket)
        self._connections.add(connection)
        writer = asyncio.create_task(connection.write())
        connection.send({"op": HELLO, "d": {"heartbeat_interval": round(self._heartbeat * 1000), "_trace": []}})
        goodbye = False
        try:
            while (message := await socket.receive()).type is WSMsgType.TEXT:
                if code := self._receive(connection, json.loads(message.data)):
                    await socket.close(code=code)
            goodbye = message.type is WSMsgType.CLOSE and message.data in (1000, 1001)
        finally:
            writer.cancel()
            self._connections.discard(connection)
            if connection.session is not None and not any(
                other.session is connection.session for other in self._connections
            ):
                connection.session.detached_at = time.time()
                if goodbye:
                    connection.session.resumable = False
            self._fake.changed()
        return socket

    def _receive(self, connection: Connection, frame: Json) -> int | None:
        """Handles a frame; a number closes the connection with this code."""
        self.frames += 1
        now = time.monotonic()
        connection.received = [at for at in connection.received if now - at < 60] + [now]
        if len(connection.received) > SENDS_PER_MINUTE:
            return 4008
        op, data = frame.get("op"), frame.get("d")
        if op == HEARTBEAT:
            if not self.silent:
                connection.send({"op": HEARTBEAT_ACK})
        elif op == IDENTIFY and isinstance(data, dict):
            return self._identify(connection, data)
        elif op == RESUME and isinstance(data, dict):
            return self._resume(connection, data)
        elif connection.session is None:
            return 4003
        elif op == REQUEST_MEMBERS and isinstance(data, dict):
            self._members(connection.session, data)
        return None

    def _identify(self, connection: Connection, data: Json) -> int | None:
        world = self._fake.world
        self.identifies.append(time.time())
        if data.get("token") != world.application.token:
            return 4004
        wanted = int(data.get("intents", 0))
        if wanted & ~intents.ALL:
            return 4013
        if wanted & ~intents.allowed(world.application.privileged):
            return 4014
        shard, shards = data.get("shard") or (0, 1)
        if not 0 <= shard < shards:
            return 4010
        session = Session(id=secrets.token_hex(16), shard=shard, shards=shards, intents=wanted)
        world.sessions[session.id] = session
        connection.session = session
        guilds = [
            one
            for one in world.guilds.values()
            if world.application.bot_id in one.members and (one.id >> 22) % shards == shard
        ]
        payloads = self._fake.payloads
        self._deliver(
            session,
            "READY",
            {
                "v": 10,
                "user": payloads.user(world.bot) | {"verified": True, "mfa_enabled": False, "email": None},
                "guilds": [{"id": str(one.id), "unavailable": True} for one in guilds],
                "session_id": session.id,
                "session_type": "normal",
                "resume_gateway_url": self._fake.gateway_url,
                "shard": [shard, shards],
                "application": {"id": str(world.application.id), "flags": payloads.application_flags()},
                "private_channels": [],
            },
        )
        for guild in guilds:
            everybody = bool(wanted & intents.GUILD_MEMBERS)
            self._deliver(session, "GUILD_CREATE", payloads.guild_create(guild, all_members=everybody))
        self._fake.changed()
        return None

    def _resume(self, connection: Connection, data: Json) -> int | None:
        self.resumes.append(time.time())
        if data.get("token") != self._fake.world.application.token:
            return 4004
        session = self._fake.world.sessions.get(str(data.get("session_id")))
        seq = int(data.get("seq") or 0)
        lost = session is None or self._expired(session) or not session.resumable
        if session is None or lost or (session.replay and session.replay[0]["s"] > seq + 1):
            connection.send({"op": INVALID_SESSION, "d": False})
            return None
        if seq > session.seq:
            return 4007
        connection.session = session
        session.detached_at = None
        for frame in [one for one in session.replay if one["s"] > seq]:
            connection.send(frame)
        self._deliver(session, "RESUMED", {"_trace": []})
        self._fake.changed()
        return None

    def _members(self, session: Session, data: Json) -> None:
        guild = self._fake.world.guilds.get(int(data.get("guild_id", 0)))
        if guild is None:
            return
        wanted = data.get("user_ids")
        ids = {int(one) for one in (wanted if isinstance(wanted, list) else [wanted])} if wanted else None
        query = str(data.get("query") or "").lower()
        if ids is None and not query and not session.intents & intents.GUILD_MEMBERS:
            return
        members = [
            one
            for one in guild.members.values()
            if (one.user_id in ids if ids is not None else self._fake.world.users[one.user_id].name.startswith(query))
        ]
        members = members[: int(data.get("limit") or 0) or None]
        payloads = self._fake.payloads
        chunk: Json = {
            "guild_id": str(guild.id),
            "members": [payloads.member(guild, one) for one in members],
            "chunk_index": 0,
            "chunk_count": 1,
            "not_found": [str(one) for one in sorted((ids or set()) - guild.members.keys())],
        }
        if "nonce" in data:
            chunk["nonce"] = data["nonce"]
        self._deliver(session, "GUILD_MEMBERS_CHUNK", chunk)

    async def stop(self) -> None:
        self._up.set()
        await self.close(1001)
