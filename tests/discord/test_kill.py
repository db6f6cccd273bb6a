"""`kill -9` in the middle of a match, and another process that goes on; Discord keeps what it has.

`make soak` kills at many more moments; ROSTRUM_KILLS says at how many.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.discord.fake import CannotDo, Client, Limits, Message, Outcome
from tests.discord.fake.call import Call
from tests.discord.table import Table, environment, spoken, table

KILLS = int(os.environ.get("ROSTRUM_KILLS", "60"))
HEARD_LATE_S = 8.0
"""What was typed while the bot was down counts from when it was typed, and is read so long after the restart."""
TAKEN = ("Said.", "That turn is over", "It is not your turn", "Time was up", "Nobody has the floor", "has the floor")
"""What answers a form about a turn, whatever became of it."""


class Child:
    """The bot as a process of its own, again and again."""

    def __init__(self, at: Table) -> None:
        self._at = at
        self._process: asyncio.subprocess.Process | None = None
        self.starts = 0

    async def start(self) -> None:
        self.starts += 1
        with (self._at.folder / f"log-{self.starts}.txt").open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self._at.fake.command("bot", "run"),
                env=environment(self._at),
                cwd=self._at.folder,
                stdout=log,
                stderr=asyncio.subprocess.STDOUT,
            )
        try:
            await self._at.fake.gateway.ready(30)
        except AssertionError:
            raise AssertionError(self.log()) from None

    def kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.kill()

    async def gone(self) -> None:
        if self._process is not None:
            await self._process.wait()
        await self._at.fake.wait_for(lambda: not self._at.fake.gateway.connected)

    def log(self) -> str:
        return (self._at.folder / f"log-{self.starts}.txt").read_text()


@asynccontextmanager
async def killable(folder: Path, speed: float = 40.0) -> AsyncIterator[tuple[Table, Child]]:
    async with table(folder, speed=speed, first_answer=2.0, limits=Limits(speed=20)) as at:
        child = Child(at)
        try:
            await child.start()
            yield at, child
        finally:
            child.kill()
            await child.gone()


async def patiently(at: Table, ask: Callable[[], Any], enough: Callable[[Outcome], bool]) -> Outcome:
    """Ask again until the bot is there to answer, as people do."""
    outcomes: list[Outcome] = []
    for _ in range(20):
        await at.fake.gateway.ready(30)
        outcomes.append(outcome := await ask())
        if not outcome.failed:
            with suppress(AssertionError):
                await outcome.settled(2)
            if enough(outcome):
                return outcome
        await asyncio.sleep(0.1)
    raise AssertionError(f"no answer: {outcomes}")


async def stubborn_debater(at: Table, card: Message, client: Client, counted: list[str], sent: list[str]) -> None:
    """Speaks whenever called, by typing and by the form in turn, however often the bot falls silent."""
    done: Message | None = None
    number = 0
    while (prompt := await call_for(at, card, client, "Speak", done)) is not None:
        text = f"{client.user.name} makes point {number}, and means it."
        sent.append(text)
        if number % 2 == 0:
            await client.say(at.thread(card), text)
        else:
            try:
                opened = await client.click(prompt, "Speak")
                if opened.failed:
                    called = prompt
                    opened = await patiently(at, lambda called=called: client.click(called, "Speak"), lambda _: True)
            except CannotDo:
                opened = None  # the buttons went meanwhile: the turn is over
            if opened is not None and opened.modal is not None:
                form = opened
                answer = await patiently(
                    at,
                    lambda: client.submit_modal(form, {"text": text}),  # noqa: B023
                    lambda one: any(words in one.text for words in TAKEN),
                )
                if "Said." in answer.text:
                    counted.append(text)
        done, number = prompt, number + 1


async def stubborn_judge(at: Table, card: Message, client: Client) -> None:
    prompt = await call_for(at, card, client, "Vote", None)
    if prompt is not None:
        with suppress(CannotDo):
            opened = await patiently(at, lambda: client.click(prompt, "Vote Pro"), lambda _: True)
            if opened.modal is not None:
                await patiently(
                    at, lambda: client.submit_modal(opened, {"reason": "Because."}), lambda one: one.text != ""
                )


async def call_for(at: Table, card: Message, client: Client, button: str, done: Message | None) -> Message | None:
    def look() -> Message | bool:
        found = [one for one in at.calls_for(card, client, button) if done is None or one.id > done.id]
        return found[-1] if found else at.over(card)

    found = await at.fake.wait_for(look, 60)
    return found if isinstance(found, Message) else None


async def played_through(at: Table, child: Child, chance: random.Random, kills: int) -> dict[str, Any]:
    """A match of doubles in which the bot is killed so often, each time at some request to Discord or shortly after
    it, and started anew."""
    moments = chance.sample(range(1, 45), kills)
    card = await at.started([at.ann, at.ben], [at.mod], format="doubles")
    counted: list[str] = []
    sent: list[str] = []
    count = 0
    left = sorted(moments)
    killed = asyncio.Event()
    kills_made = 0

    def kill() -> None:
        nonlocal kills_made
        if not killed.is_set():  # who is dead already cannot be killed
            kills_made += 1
            child.kill()
            killed.set()

    def count_and_kill(_: Call) -> bool:
        nonlocal count
        count += 1
        if left and count >= left[0]:
            left.pop(0)
            # At once: what was asked for is done all the same, and its sender never knows. Later: anything else.
            at_once = chance.random() < 0.5
            kill() if at_once else asyncio.get_running_loop().call_later(chance.random() * 0.03, kill)
        return False

    for pattern in ("/channels/*/messages", "/channels/*/messages/*", "/interactions/*/*/callback"):
        at.fake.fail("*", pattern, times=None, when=count_and_kill)

    async def revive() -> None:
        while True:
            await killed.wait()
            await child.gone()
            await child.start()
            killed.clear()

    reviving = asyncio.create_task(revive())
    try:
        await asyncio.gather(
            stubborn_debater(at, card, at.ann, counted, sent),
            stubborn_debater(at, card, at.ben, counted, sent),
            stubborn_judge(at, card, at.mod),
        )
        await at.fake.wait_for(lambda: at.over(card), 60)
    finally:
        reviving.cancel()
        await asyncio.gather(reviving, return_exceptions=True)
    assert kills_made and child.starts == 1 + kills_made
    record = at.verified(card, late_s=HEARD_LATE_S)
    turns = spoken(record)
    assert record["status"] == "finished"
    assert all(turns.count(text) == 1 for text in counted), "a turn that was confirmed is lost"
    assert all(turns.count(text) <= 1 for text in sent)
    missed = [turn for turn in record["rounds"][0]["turns"] if turn["text"] is None]
    assert not missed, f"a turn was lost while the bot was away: {missed}"
    assert sorted(text for text in turns if text in sent) == sorted(sent)
    assert len(at.fake.world.threads_of(at.guild.id)) == 1
    at.fake.assert_clean()
    return record


async def test_what_is_done_while_the_bot_is_down_counts(tmp_path: Path) -> None:
    """A lobby's old buttons, a turn typed meanwhile, a form opened before and sent in afterwards."""
    async with killable(tmp_path) as (at, child):
        card = await at.lobby(at.ann, format="doubles")
        await at.press(at.ann, card, "Join as debater", "You are on seat")
        child.kill()
        await child.gone()
        assert (await at.ben.click(card, "Join as debater")).failed
        await child.start()
        await at.press(at.ben, card, "Join as debater", "You are on seat")
        await at.press(at.mod, card, "Join as judge", "You are on seat")

        def calls_somebody(call: Call) -> bool:
            if "<@" in str(call.json.get("content")):
                child.kill()
                calls.stop()
            return False

        calls = at.fake.fail("POST", "/channels/*/messages", times=None, when=calls_somebody)
        await at.press(at.ann, card, "Start now", "The debate begins")
        await at.fake.wait_for(lambda: at.calls_for(card, at.ann, "Speak") or at.calls_for(card, at.ben, "Speak"))
        one, other = (at.ann, at.ben) if at.calls_for(card, at.ann, "Speak") else (at.ben, at.ann)
        first = await at.called(card, one)
        await child.gone()
        await one.say(at.thread(card), "Typed while nobody listened.")
        await child.start()
        second = await at.called(card, other)
        opened = await other.click(second, "Speak")
        assert opened.kind == "modal", (opened, at.fake.dump(card.id))
        child.kill()
        await child.gone()
        await child.start()
        sent = await other.submit_modal(opened, {"text": "Written before, sent in after."})
        await sent.settled()
        assert "Said." in sent.text, sent
        await asyncio.gather(
            at.debate(card, one, after=first), at.debate(card, other, after=second), at.judge(card, at.mod)
        )
        record = at.verified(card, late_s=HEARD_LATE_S)
        turns = spoken(record)
        assert turns.count("Typed while nobody listened.") == 1
        assert turns.count("Written before, sent in after.") == 1
        assert not (at.fake.world.any_message(first.id) or first).labels, "a call that was in doubt kept its buttons"
        at.fake.assert_clean()


@pytest.mark.parametrize("seed", [1])
async def test_killed_in_the_middle_of_a_match(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    async with killable(tmp_path) as (at, child):
        await played_through(at, child, chance, 3)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(100, 100 + (KILLS + 2) // 3))
async def test_killed_again_and_again(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    async with killable(tmp_path) as (at, child):
        await played_through(at, child, chance, 3)
