"""Many debates on Discord at once: `python -m bench.discord_load [--matches 200] [--sound]` takes about four minutes.

The bot is a process of its own, `python -m bot run`, with SQLite on disk. It talks to the fake of `tests/discord`,
which holds it to Discord's limits: 50 requests a second, and a bucket per channel and route. Every match is a duel at
blitz with a person in one seat who answers by the form, and while all run other people keep asking for the status.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import statistics
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from bench.machine import describe
from tests.discord.fake import Channel, Client, FakeDiscord, Guild, Message

PER_SERVER = 4
STARTED_WITHIN_S = 40.0
ASKED_EVERY_S = 0.2
OUTCOME_S = 420.0
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Seen:
    """What was measured."""

    acks: list[float] = field(default_factory=list[float])
    over: int = 0
    refused: Counter[str] = field(default_factory=Counter[str])
    most_live: int = 0


class Load:
    """The servers, the people and the bot."""

    def __init__(self, fake: FakeDiscord, matches: int, *, sound: bool) -> None:
        self.fake = fake
        self.matches = matches
        self.sound = sound
        self.seen = Seen()
        self.live = 0
        self.places: list[tuple[Guild, Channel, Client]] = []
        for server in range(-(-matches // PER_SERVER)):
            guild = fake.world.add_guild()
            for place in range(min(PER_SERVER, matches - server * PER_SERVER)):
                channel = fake.world.add_channel(guild, f"debates-{place}")
                user = fake.world.add_user(f"person-{server}-{place}")
                fake.world.add_member(guild, user)
                self.places.append((guild, channel, fake.client(user)))

    async def play(self, channel: Channel, who: Client, delay: float) -> None:
        """One match, from its start to its last card."""
        await asyncio.sleep(delay)
        options = {"format": "duel", "tempo": "blitz", "wait": 5, "sound": self.sound}
        outcome = await who.slash(channel, "debate start", **options)
        self._acked(outcome.took)
        lobby = await self._find(channel.id, lambda message: "Start now" in message.labels)
        if lobby is None:
            self.seen.refused["no lobby"] += 1
            return
        for button in ("Join as debater", "Start now"):
            self._acked((await who.click(lobby, button)).took)
        self.live += 1
        self.seen.most_live = max(self.seen.most_live, self.live)
        try:
            await self._debate(lobby.id, who)
        finally:
            self.live -= 1

    async def _debate(self, thread: int, who: Client) -> None:
        answered: set[int] = set()
        until = time.monotonic() + OUTCOME_S
        while time.monotonic() < until:
            for message in list(self.fake.world.messages.get(thread, {}).values()):
                if "Speak" in message.labels and message.id not in answered:
                    answered.add(message.id)
                    await self._speak(message, who)
                if "Fairness" in message.text:
                    self.seen.over += 1
                    return
            await self.fake.changes(thread, 2.0)
        self.seen.refused["not over"] += 1

    async def _speak(self, prompt: Message, who: Client) -> None:
        await asyncio.sleep(random.uniform(2.0, 6.0))
        with contextlib.suppress(Exception):
            form = await who.click(prompt, "Speak")
            self._acked(form.took)
            if form.modal is not None:
                sent = await who.submit_modal(form, {"text": f"A point worth making, number {prompt.id % 97}."})
                self._acked(sent.took)

    async def ask(self) -> None:
        """People who look how debates are going."""
        while True:
            await asyncio.sleep(ASKED_EVERY_S)
            _, channel, who = random.choice(self.places)
            asyncio.get_running_loop().create_task(self._ask(channel, who))

    async def _ask(self, channel: Channel, who: Client) -> None:
        self._acked((await who.slash(channel, "debate status")).took)

    def _acked(self, took: float | None) -> None:
        self.seen.acks.append(3.0 if took is None else took)

    async def _find(self, channel: int, wanted: Any, within: float = 30.0) -> Message | None:
        until = time.monotonic() + within
        while time.monotonic() < until:
            for message in list(self.fake.world.messages.get(channel, {}).values()):
                if wanted(message):
                    return message
            await self.fake.changes(channel, 1.0)
        return None


def process(pid: int) -> tuple[float, float]:
    """CPU seconds so far, and resident MiB, of a process."""
    parts = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return (int(parts[11]) + int(parts[12])) / TICKS, pages * os.sysconf("SC_PAGE_SIZE") / 2**20


async def main(matches: int, *, sound: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with FakeDiscord(validate="off") as fake:
            load = Load(fake, matches, sound=sound)
            environment = {
                **os.environ,
                "ROSTRUM_DISCORD_TOKEN": fake.token,
                "ROSTRUM_DATABASE_URL": f"sqlite:///{folder}/bench.db",
                "ROSTRUM_DATA_DIR": folder,
                "ROSTRUM_SOUND": str(sound).lower(),
                "ROSTRUM_LOG_LEVEL": "warning",
                "ROSTRUM_DISCORD_MESSAGE_CONTENT": "true",
                "ROSTRUM_DISCORD_MEMBERS": "false",
            }
            bot = await asyncio.create_subprocess_exec(*fake.command("bot", "run"), env=environment)
            try:
                await measure(fake, load, bot.pid)
            finally:
                bot.terminate()
                await bot.wait()


async def measure(fake: FakeDiscord, load: Load, pid: int) -> None:
    await fake.gateway.ready(within=30)
    await asyncio.sleep(3)
    cpu, began = process(pid)[0], time.monotonic()
    asking = asyncio.create_task(load.ask())
    step = STARTED_WITHIN_S / max(1, load.matches)
    playing = [
        asyncio.create_task(load.play(channel, who, number * step))
        for number, (_, channel, who) in enumerate(load.places)
    ]
    memory, steady = 0.0, (0.0, 0.0)
    busiest = 0.0
    while not all(task.done() for task in playing):
        await asyncio.sleep(5)
        now_cpu, resident = process(pid)
        memory = max(memory, resident)
        if steady[1]:
            busiest = max(busiest, (now_cpu - steady[0]) / (time.monotonic() - steady[1]))
        steady = (now_cpu, time.monotonic())
    asking.cancel()
    wall = time.monotonic() - began
    used = process(pid)[0] - cpu
    report(fake, load, wall, used, busiest, memory)


def report(fake: FakeDiscord, load: Load, wall: float, cpu: float, busiest: float, memory: float) -> None:
    seen = load.seen
    statuses = Counter(call.status for call in fake.requests)
    sound = "on" if load.sound else "off"
    print(f"{load.matches} duels at blitz, sound {sound}: {seen.over} came to their end in {wall:.0f} s")
    print(f"live at once: {seen.most_live}; trouble: {dict(seen.refused) or 'none'}")
    print(f"acknowledged ({len(seen.acks)}): {spread(seen.acks)}")
    gaps = reveal_gaps(fake)
    print(f"reveals ({len(gaps)} gaps), off from 6 s by: {spread([abs(gap - 6.0) for gap in gaps])}")
    print(
        f"CPU: {cpu / wall:.2f} cores in the mean, {busiest:.2f} in the busiest 5 s; memory: {memory:.0f} MiB at most"
    )
    print(f"requests: {len(fake.requests) / wall:.1f}/s in the mean, {busiest_second(fake)} in the busiest second")
    print(f"answers: {dict(sorted(statuses.items()))}")


def reveal_gaps(fake: FakeDiscord) -> list[float]:
    """From one vote's being shown to the next one's: making a message with "Vote 1 of 3" and its edits."""
    shown: dict[str, list[float]] = {}
    for call in fake.requests:
        if call.status >= 300 or call.method not in ("POST", "PATCH"):
            continue
        text = str(call.body)
        if "Vote " in text and " of 3" in text:
            channel = call.path.split("/")[2]
            shown.setdefault(channel, []).append(call.at)
    return [later - earlier for moments in shown.values() for earlier, later in pairwise(moments)]


def busiest_second(fake: FakeDiscord) -> int:
    counts = Counter(int(call.at) for call in fake.requests if not call.path.startswith("/interactions/"))
    return max(counts.values(), default=0)


def spread(values: list[float]) -> str:
    if not values:
        return "-"
    ordered = sorted(values)
    p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    return (
        f"median {statistics.median(ordered) * 1000:.0f} ms, p99 {p99 * 1000:.0f} ms, most {ordered[-1] * 1000:.0f} ms"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--sound", action="store_true")
    asked = parser.parse_args()
    print(describe())
    asyncio.run(main(asked.matches, sound=asked.sound))
