"""School mode: debates that only those with a seat can read, and exports that name nobody."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.discord.fake import Channel
from tests.discord.fake.bits import bits
from tests.discord.table import Table, running, table
from tests.verifier import verify

PRIVATE = 12


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[Table]:
    async with table(tmp_path) as made, running(made):
        yield made


async def test_a_school_debates_in_a_private_thread_under_pseudonyms(at: Table) -> None:
    eve = at.person("eve")
    await at.mod.slash(at.channel, "debate setup people", school=True)
    everyone = at.guild.roles[at.guild.id]
    at.fake.admin.change_role(at.guild, everyone, everyone.permissions & ~bits("create_private_threads"))
    refused = await at.ann.slash(at.channel, "debate start", format="duel")
    assert "Create Private Threads" in refused.text

    at.fake.admin.change_role(at.guild, everyone, everyone.permissions | bits("create_private_threads"))
    card = await at.lobby(at.ann, format="duel")
    threads = [one for one in at.fake.world.channels.values() if one.type == PRIVATE]
    assert len(threads) == 1
    thread = threads[0]
    await at.press(at.ann, card, "Join as debater", "You are on seat")
    await at.press(at.ben, card, "Join as judge", "You are on seat")
    await at.press(at.ann, card, "Start now", "The debate begins")

    prompt = await at.ann.wait_for(lambda message: "Speak" in message.labels, thread, within=15)
    assert not eve.sees(thread), "who has no seat reads nothing"
    await at.speak(at.ann, prompt, "Schools need quiet rooms.")
    status = await at.ann.slash(thread, "debate status")
    assert status.text and "no debate here" not in status.text
    await asyncio.gather(_rest(at, thread), _vote(at, thread))
    last = await at.ann.wait_for(lambda message: message.attachments and "wins" in message.text, thread, within=30)
    record = json.loads(next(file.data for file in last.attachments if file.filename.endswith("record.json")))
    assert verify(record, tolerance=2.0 * at.speed) == []
    names = {seat["name"] for seat in record["seats"] if seat["kind"] == "human"}
    assert names == {"Debater 1", "Judge 1"}
    transcript = next(file.data for file in last.attachments if file.filename.endswith("transcript.md")).decode()
    assert "ann" not in transcript.split() and "Debater 1" in transcript
    at.fake.assert_clean()


async def _rest(at: Table, thread: Channel) -> None:
    """Ann speaks whenever she is called, until the judges are."""
    done = 0
    while True:
        found = await at.ann.wait_for(
            lambda message: "Speak" in message.labels or "airness" in message.text or "your vote" in message.text,
            thread,
            after=done,
            within=30,
        )
        if "Speak" not in found.labels:
            return
        if "you have the floor" in found.text and found.id > done and done:
            await at.ann.say(thread, f"Point {found.id} stands.")
        done = found.id


async def _vote(at: Table, thread: Channel) -> None:
    call = await at.ben.wait_for(lambda message: "Vote Pro" in message.labels, thread, within=30)
    form = await at.ben.click(call, "Vote Pro")
    await at.ben.submit_modal(form, {"reason": "Clear and kind."})
