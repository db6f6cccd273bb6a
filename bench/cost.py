"""What a match by models costs: calls, prompt tokens, time of ours beyond the model's, and how cost grows.

`python -m bench.cost [PLOT.svg]`. Plays whole matches through the host with the real SDK against a stub server that
answers after 50 ms (`../shared/tools/stub_openai.py`, run in a process of its own) and reads what was used from the
server's own counts. Tokens are characters // 4, as the stub counts them; its speeches have about 25 words. Where that
stub is not there, the one of our tests takes its place, in this process.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from pydantic import SecretStr

from bench.machine import describe
from bench.match import nowhere
from bot.actions.actor import Actor
from bot.actions.start import Wish, begin, start
from bot.app import App, open_app
from bot.catalogue import load_catalogue
from bot.minds.brief import Brief, Move, Transcript
from bot.minds.house.rehearse import FREE_MOVES, motion_text, play
from bot.minds.models.asking import Answer, Ask
from bot.minds.models.debater import ask_for as debater_ask
from bot.minds.models.endpoints import ModelSpec, of_one
from bot.minds.models.judge import ask_for as judge_ask
from bot.minds.models.judge import blinded
from bot.minds.models.openai_model import OpenAIModel
from bot.rules.clock import VIRTUAL
from bot.rules.format import Format
from bot.rules.formats import load_format
from bot.rules.match import Match
from tests.minds.stub import Stub, serving

STUB = Path(__file__).resolve().parents[2] / "shared" / "tools" / "stub_openai.py"
LATENCY_S = 0.05
MOST = {"duel": (9, 9_000), "classic": (108, 110_000)}
"""Calls and prompt tokens that a match may cost at most."""
MOST_OVERHEAD_MS = 50
MOTION = "car-free-centres"


@dataclass(frozen=True, slots=True)
class Bill:
    """What one match cost by the server's counts, and how it went."""

    turns: int
    ballots: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    wall_s: float
    cpu_s: float
    """Of this process."""
    not_by_model: int
    """Turns and ballots that a model should have made and did not."""
    asks: tuple[Ask, ...]
    match: Match


@dataclass(frozen=True, slots=True)
class Server:
    """A stub that runs: its address, and what was used under a key."""

    url: str
    used: Callable[[str], dict[str, int]]


@asynccontextmanager
async def stub_server() -> AsyncIterator[Server]:
    """The stub in a process of its own, else ours."""
    if not STUB.is_file():
        async with serving(Stub(shapes=True, latency_s=LATENCY_S)) as ours:
            yield Server(ours.url, lambda key: _counted(ours, key))
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "STUB_PORT": str(port), "STUB_LATENCY": str(LATENCY_S), "STUB_WORDS": "160"}
    process = await asyncio.create_subprocess_exec(sys.executable, str(STUB), env=environment)
    base = f"http://127.0.0.1:{port}"

    def stats() -> dict[str, Any]:
        with urlopen(f"{base}/stats", timeout=5) as answer:
            return json.load(answer)

    try:
        for _ in range(200):
            try:
                await asyncio.to_thread(stats)
                break
            except OSError:
                await asyncio.sleep(0.05)
        yield Server(f"{base}/v1", lambda key: stats()[key])
    finally:
        process.terminate()
        await process.wait()


def _counted(stub: Stub, key: str) -> dict[str, int]:
    """As the other stub counts."""
    asked = [body for body, by in zip(stub.requests, stub.keys, strict=True) if by == key]
    parts = [body.get(name) or [] for body in asked for name in ("messages", "tools", "response_format")]
    tokens = sum(len(json.dumps(part)) // 4 for part in parts)
    return {"calls": len(asked), "prompt_tokens": tokens, "completion_tokens": 0}


async def bill_of(server: Server, fmt: Format, key: str, judges: int | None = None, seed: int = 1) -> Bill:
    """Play a match by the stub's model. Its calls are counted under `key`."""
    spec = ModelSpec("stub", "stub", "stub", "stub", server.url, SecretStr(key), None)
    asks: list[Ask] = []
    plain_ask = OpenAIModel.ask

    async def noted(self: OpenAIModel, ask: Ask) -> Answer:
        asks.append(ask)
        return await plain_ask(self, ask)

    OpenAIModel.ask = noted
    try:
        with tempfile.TemporaryDirectory() as folder:
            async with open_app(f"sqlite+aiosqlite:///{folder}/bench.db", nowhere, models=of_one(spec)) as app:
                await app.host.start()
                began, busy = time.perf_counter(), time.process_time()
                match = await _play(app, fmt, seed, judges)
                wall, cpu = time.perf_counter() - began, time.process_time() - busy
    finally:
        OpenAIModel.ask = plain_ask
    used = await asyncio.to_thread(server.used, key)
    parts = [part for entry in match.rounds for turn in entry.turns for part in turn.parts]
    ballots = [ballot for entry in match.rounds if entry.judging for ballot in entry.judging.ballots]
    slots = sum(len(entry.turns) for entry in match.rounds)
    lost = sum(part.source != "model" or part.fallback for part in parts) + slots - len(parts)
    lost += sum(ballot.defaulted is not None for ballot in ballots)
    return Bill(
        slots,
        len(ballots),
        used["calls"],
        used["prompt_tokens"],
        used["completion_tokens"],
        wall,
        cpu,
        lost,
        tuple(asks),
        match,
    )


async def _play(app: App, fmt: Format, seed: int, judges: int | None) -> Match:
    actor = Actor(community="bench", person="bench", moderator=True)
    wish = Wish(format=fmt, motions=(MOTION,), seed=seed, speed=VIRTUAL, judges=judges, sound=False)
    reply = await start(app.services, actor, wish)
    assert reply.match is not None, reply.text
    await begin(app.services, actor, reply.match.id)
    await app.host.finished(reply.match.id)
    state = await app.host.state(reply.match.id)
    assert state is not None
    return state


# ------------------------------------------------------------------------------------------------- figures


def text_of(ask: Ask) -> str:
    return f"{ask.system}\n{ask.user}"


def shared_with_earlier(asks: tuple[Ask, ...]) -> tuple[float, float]:
    """The share of all prompt characters that begin an earlier question too, and the share of what is the same in every
    question of its kind."""
    total = shared = stable = 0
    earlier: dict[str, list[str]] = {"turn": [], "ballot": []}
    first: dict[str, str] = {}
    for ask in asks:
        text = text_of(ask)
        total += len(text)
        shared += max((common(text, other) for other in earlier[ask.name]), default=0)
        stable += common(ask.system, first.setdefault(ask.name, ask.system))
        earlier[ask.name].append(text)
    return shared / total, stable / total


def common(one: str, two: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))


def overhead_ms(bill: Bill) -> float:
    """Time beyond the model's own, a turn: everything of ours, with the host and the store. Judges sit at once."""
    rounds = len(bill.match.rounds)
    waits = bill.turns + rounds * (1 + (bill.calls - bill.turns > bill.ballots))
    return 1000 * (bill.wall_s - waits * LATENCY_S) / bill.turns


def turns_alone(bill: Bill) -> int:
    return sum(tokens_of(ask) for ask in bill.asks if ask.name == "turn")


def whole_transcript_tokens(bill: Bill) -> int:
    """What the same match would cost if every question held all that was said in its round."""
    total = 0
    asks = [ask for ask in bill.asks if ask.name == "turn"]
    fixed = sum(len(ask.system) for ask in asks) // max(1, len(asks)) + 400
    for entry in bill.match.rounds:
        said = 0
        for turn in entry.turns:
            total += fixed + said
            said += sum(len(part.text) + 30 for part in turn.parts)
    return total // 4


def full_length_tokens() -> tuple[float, float, float]:
    """Prompt tokens a turn and a ballot of classic when speeches use their space, as those of the house mind do; and a
    turn if it were told the whole round."""
    catalogue = load_catalogue()
    turns: list[int] = []
    ballots: list[int] = []
    whole: list[int] = []
    for at, motion in enumerate(catalogue.motions[::6]):
        played = play(catalogue, motion_text(motion), at, "classic")
        names = {turn.seat: turn.name for turn in played.turns}
        for view in played.turns:
            moves: tuple[Move, ...] = FREE_MOVES if view.phase == "free" else ("statement",)
            partners = tuple(seat for seat in played.seats[view.side] if seat != view.seat)
            brief = Brief(
                seed=at,
                round=1,
                n=view.n,
                phase=view.phase,
                moves=moves,
                limit=400 if view.phase == "free" else 500,
                seat=view.seat,
                side=view.side,
                persona="quill",
                motion=played.motion,
                partners=partners,
                names=names,
                turns=played.turns[: view.n - 1],
            )
            ask = debater_ask(brief, catalogue)
            turns.append(tokens_of(ask))
            whole.append((len(ask.system) + 600 + sum(len(turn.text) + 30 for turn in brief.turns)) // 4)
        seen: Transcript = played.transcript()
        ballots.append(tokens_of(judge_ask(seen, blinded(seen), catalogue, False)))
    return sum(turns) / len(turns), sum(ballots) / len(ballots), sum(whole) / len(whole)


def tokens_of(ask: Ask) -> int:
    """As the stub counts a request with a JSON schema."""
    messages = [{"role": "system", "content": ask.system}, {"role": "user", "content": ask.user}]
    named = {"name": ask.name, "schema": ask.schema, "strict": True}
    form = {"type": "json_schema", "json_schema": named}
    return len(json.dumps(messages)) // 4 + len(json.dumps([])) // 4 + len(json.dumps(form)) // 4


def longer(fmt: Format, times: int) -> Format:
    """The format with its free debate so many times as long."""
    phases = tuple(
        phase.model_copy(update={"order": phase.order * times}) if phase.name == "free" else phase
        for phase in fmt.phases
    )
    return fmt.model_copy(update={"phases": phases})


def plot(points: list[tuple[int, int, int]], slope: float, start: float) -> str:
    """Prompt tokens by turns in one round, as SVG: measured, the line through them, and with whole transcripts."""
    width, height, left, top, bottom = 640, 380, 70, 50, 50
    most_x, most_y = points[-1][0], max(max(point[1:]) for point in points)

    def x(turns: float) -> float:
        return left + (width - left - 30) * turns / most_x

    def y(tokens: float) -> float:
        return height - bottom - (height - top - bottom) * tokens / most_y

    whole = " ".join(f"{x(turns):.1f},{y(other):.1f}" for turns, _, other in points)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"',
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="{left}" y="22" font-size="15">Prompt tokens of a duel by its number of turns</text>',
        f'<path d="M{left} {top}V{height - bottom}H{width - 30}" fill="none" stroke="#444"/>',
    ]
    for part in range(5):
        tokens = most_y * part / 4
        lines.append(f'<text x="{left - 8}" y="{y(tokens) + 4:.1f}" text-anchor="end">{tokens:,.0f}</text>')
    for turns, _, _ in points:
        lines.append(f'<text x="{x(turns):.1f}" y="{height - bottom + 18}" text-anchor="middle">{turns}</text>')
    lines += [
        f'<line x1="{x(0):.1f}" y1="{y(start):.1f}"',
        f' x2="{x(most_x):.1f}" y2="{y(start + slope * most_x):.1f}" stroke="#0b6e4f"/>',
        f'<polyline points="{whole}" fill="none" stroke="#b5651d" stroke-dasharray="5 4"/>',
        *(f'<circle cx="{x(turns):.1f}" cy="{y(own):.1f}" r="4" fill="#0b6e4f"/>' for turns, own, _ in points),
        f'<text x="{left + 16}" y="{top + 12}" fill="#0b6e4f">measured, and {slope:.0f} tokens a turn</text>',
        f'<text x="{left + 16}" y="{top + 30}" fill="#b5651d">if every turn were told the whole round</text>',
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def fitted(points: list[tuple[int, int, int]]) -> tuple[float, float, float]:
    """Slope, start and R² of the straight line through the measured points."""
    xs, ys = [point[0] for point in points], [point[1] for point in points]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / sum((x - mean_x) ** 2 for x in xs)
    start = mean_y - slope * mean_x
    rest = sum((y - start - slope * x) ** 2 for x, y in zip(xs, ys, strict=True))
    return slope, start, 1 - rest / sum((y - mean_y) ** 2 for y in ys)


# ------------------------------------------------------------------------------------------------- report


async def measure(server: Server, out: Path | None) -> bool:
    await bill_of(server, load_format("duel"), "warm", 1)  # modules, indexes, the connection
    kept = True
    for name, judges in (("duel", 1), ("classic", None)):
        fmt = load_format(name).model_copy(update={"tiebreaks": None})
        bill = await bill_of(server, fmt, name, judges)
        calls, tokens = MOST[name]
        shared, stable = shared_with_earlier(bill.asks)
        ours = overhead_ms(bill)
        for again in range(2):  # a busy machine is slow for reasons that are not ours
            if ours >= MOST_OVERHEAD_MS:
                ours = min(ours, overhead_ms(await bill_of(server, fmt, f"{name} {again}", judges)))
        good = (
            bill.calls <= calls and bill.prompt_tokens <= tokens and not bill.not_by_model and ours < MOST_OVERHEAD_MS
        )
        kept = kept and good
        print(f"{name}: {bill.turns} turns, {bill.ballots} ballots, {bill.not_by_model} not by the model")
        print(f"  calls              {bill.calls:7}   of at most {calls}")
        print(f"  prompt tokens      {bill.prompt_tokens:7}   of at most {tokens}; completion {bill.completion_tokens}")
        print(f"  whole transcripts  {whole_transcript_tokens(bill):7}   for turns that cost {turns_alone(bill)} here")
        print(f"  ours               {ours:7.1f}   ms a turn beyond the model's {LATENCY_S * 1000:.0f} ms;", end=" ")
        print(f"{1000 * bill.cpu_s / bill.turns:.1f} ms of CPU")
        print(f"  the same in every question {stable:6.1%}; as in some earlier question {shared:6.1%} of prompt text")
        print(f"  {'kept' if good else 'NOT KEPT'}")
    turn, ballot, whole = full_length_tokens()
    print(f"speeches of full length: {turn:.0f} prompt tokens a turn, {ballot:.0f} a ballot,", end=" ")
    print(f"{6 * (15 * turn + 3 * ballot):.0f} a classic match (estimated),", end=" ")
    print(f"{6 * (15 * whole + 3 * ballot):.0f} with whole transcripts")
    points: list[tuple[int, int, int]] = []
    for times in (1, 2, 4, 6, 8, 12):
        bill = await bill_of(server, longer(load_format("duel"), times), f"longer{times}", 1)
        points.append((bill.turns, bill.prompt_tokens, whole_transcript_tokens(bill)))
        kept = kept and not bill.not_by_model
    slope, start, r2 = fitted(points)
    growth = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(points)]
    print(f"by length of the free debate: {', '.join(f'{turns}: {tokens}' for turns, tokens, _ in points)}")
    print(f"  {slope:.0f} tokens a turn, R² {r2:.4f}; between the points {', '.join(f'{g:.0f}' for g in growth)}")
    if out is not None:
        await asyncio.to_thread(out.write_text, plot(points, slope, start), "utf-8")
        print(f"  drawn in {out}")
    return kept and r2 > 0.99


async def run() -> bool:
    async with stub_server() as server:
        return await measure(server, Path(sys.argv[1]) if len(sys.argv) > 1 else None)


def main() -> None:
    print(describe())
    raise SystemExit(0 if asyncio.run(run()) else 1)


if __name__ == "__main__":
    main()
