"""Killed at any moment, a match goes on: no turn twice, none lost, every post once, its clock standing still
meanwhile."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest

from bot.messages.record import record
from bot.rules import commands as c
from bot.rules.clock import VIRTUAL
from bot.rules.match import Match, Status
from tests.fakes import Beeps, Stage, settle


async def finish(stage: Stage, limit_s: float = 400) -> Match:
    """Let real-time matches run out."""
    for _ in range(int(limit_s)):
        if stage.match().over:
            break
        await stage.time.advance(1)
    await settle()
    return stage.match()


def comparable(match: Match) -> dict[str, Any]:
    made = record(match)
    return {key: value for key, value in made.items() if key not in ("resumed", "pauses")}


async def undisturbed() -> tuple[Match, list[str], int]:
    stage = Stage()
    host = await stage.up()
    await stage.open(speed=VIRTUAL, format="duel")
    await stage.begin()
    await host.finished("m1")
    return stage.match(), stage.venue.kinds(), stage.store.commits


async def test_killed_after_every_commit_the_record_and_the_posts_are_the_same() -> None:
    whole, kinds, commits = await undisturbed()
    assert commits > 40
    resumed = 0
    for after in range(2, commits):
        stage = Stage()
        host = await stage.up()
        await stage.open(speed=VIRTUAL, format="duel")
        begin = asyncio.create_task(stage.begin())
        stage.store.die_after = after
        done = asyncio.create_task(host.finished("m1"))
        died = asyncio.create_task(stage.store.dead.wait())
        await asyncio.wait((done, died), return_when=asyncio.FIRST_COMPLETED)
        await stage.kill()
        assert begin.done()
        stage.time.jump(30)
        host = await stage.up()
        if stage.match().status is Status.LOBBY:
            await stage.begin()
        await host.finished("m1")
        match = stage.match()
        assert comparable(match) == comparable(whole), f"killed after commit {after}"
        played = [kind for kind in stage.venue.kinds() if kind != "note"]  # "Back after an interruption."
        assert played == kinds, f"killed after commit {after}"
        turns = [(round, n) for round, n, _ in stage.minds.turns]
        assert len(turns) - len(set(turns)) <= 1, "at most the job that was in the making is done again"
        resumed += match.resumed
        await stage.kill()
    assert resumed > commits / 2


@pytest.mark.parametrize("arrived", [True, False])
async def test_killed_after_every_commit_each_speech_has_its_clip_once(arrived: bool) -> None:
    """In real time, at a venue that waits for clips; `arrived`: what was being posted got through."""
    after = 2
    while True:
        sound = Beeps(silent=False)
        stage = Stage(sound=sound)
        stage.venue.clip_wait_s = 2.0
        sound.takes = lambda n, stage=stage: stage.time.sleep(n % 3 * 1.5)  # there at once, in time, too late
        stage.venue.takes_s = lambda row: 0.3
        await stage.up()
        await stage.open()
        begin = asyncio.create_task(stage.begin())
        stage.store.die_after = after
        for _ in range(150):
            await stage.time.advance(1)
            if stage.store.dead.is_set():
                break
        died = stage.store.dead.is_set()
        await stage.kill()
        assert begin.done()
        if arrived:
            doubtful = [row for row in await stage.store.posts("m1", open_only=True) if row.state == "sending"]
            for row in doubtful:
                if row.n not in {seen.n for seen in stage.venue.posted}:
                    stage.venue.posted.append(row)
        stage.time.jump(30)
        await stage.up()
        if stage.match().status is Status.LOBBY:
            await stage.begin()
        await finish(stage)
        await stage.time.advance(10)
        said = {str(at): row.mark for at, row in enumerate(stage.venue.posted, 1) if row.kind == "speech"}
        marks = [f"speech:1:{n}:0" for n in range(1, 9)]
        assert list(said.values()) == marks, f"killed after commit {after}"
        clips = [f"clips/r1-t{n:02d}.ogg" for n in range(1, 9)]
        assert [stage.venue.sounds.get(id) for id in said] == clips, f"killed after commit {after}"
        assert not {job.state for job in await stage.store.jobs("m1")} - {"done"}
        await stage.kill()
        if not died:
            break
        after += 3
    assert after > 60


async def test_two_kills_in_a_row_are_two_resumptions() -> None:
    stage = Stage()
    await stage.up()
    await stage.open()
    await stage.begin()
    for _ in range(2):
        await stage.time.advance(25)
        await stage.kill()
        stage.time.jump(100)
        await stage.up()
    match = await finish(stage)
    assert match.status is Status.FINISHED
    assert match.resumed == 2
    assert len(match.pauses) == 2


async def test_the_clock_stands_still_while_no_process_holds_the_match() -> None:
    stage = Stage()
    await stage.up()
    await stage.open()
    await stage.begin()
    await stage.time.advance(34.4)
    await stage.kill()
    stage.time.jump(3600)
    await stage.up()
    match = await finish(stage)
    opened = [turn.opened_at for turn in match.rounds[0].turns]
    assert [later - earlier for earlier, later in pairwise(opened)] == [10_000] * 7
    pause = match.pauses[0]
    assert (pause.by, pause.why) == ("system", "downtime")
    assert pause.wall_ms is not None and 3_600_000 <= pause.wall_ms <= 3_601_000


async def test_a_person_gets_back_the_time_that_the_crash_took() -> None:
    stage = Stage()
    host = await stage.up()
    await stage.open()
    await host.tell("m1", c.Join(at=0, person="ann", seat="P0"))
    await stage.begin()
    for _ in range(200):
        if stage.match().awaits_person:
            break
        await stage.time.advance(0.25)
    before = stage.match().slot
    assert before is not None and before.deadline is not None
    await stage.time.advance(100)
    await stage.kill()
    stage.time.jump(5000)
    host = await stage.up()
    await settle()
    left = before.deadline - (host.now("m1") or 0)
    assert 59_000 <= left <= 61_500  # 160 s less the 100 s that passed; the heartbeat is a second apart
    outcome = await host.tell("m1", c.Speak(at=0, seat="P0", person="ann", text="Still here."))
    assert outcome.match.rounds[0].turns[-1].parts[0].text == "Still here."  # type: ignore[union-attr]


async def test_a_graceful_stop_is_taken_up_as_well() -> None:
    stage = Stage()
    host = await stage.up()
    await stage.open()
    await stage.begin()
    await stage.time.advance(25)
    await host.close()
    stage.time.jump(60)
    await stage.up()
    match = await finish(stage)
    assert match.status is Status.FINISHED
    assert match.pauses[0].wall_ms is not None and 59_000 <= match.pauses[0].wall_ms <= 61_000


async def test_a_paused_match_stays_paused_over_a_restart() -> None:
    stage = Stage()
    host = await stage.up()
    await stage.open()
    await stage.begin()
    await stage.time.advance(15)
    await host.tell("m1", c.Pause(at=0, wall=stage.time.wall(), by="ann", why="tea"))
    await stage.kill()
    stage.time.jump(50)
    host = await stage.up()
    await stage.time.advance(60)
    assert not stage.match().clock.running
    await host.tell("m1", c.Resume(at=0, wall=stage.time.wall(), by="ann"))
    match = await finish(stage)
    assert match.status is Status.FINISHED
    assert match.resumed == 0


@pytest.mark.parametrize("arrived", [True, False])
async def test_the_one_post_in_doubt_is_looked_for_and_sent_only_if_it_is_missing(arrived: bool) -> None:
    stage = Stage()
    await stage.up()
    await stage.open()
    await stage.begin()
    await stage.time.advance(9)
    stuck = asyncio.Event()
    post = stage.venue.post

    async def hang(thread: str | None, row: Any, onto: str | None, clip: Any = None) -> Any:
        if arrived:
            await post(thread, row, onto, clip)
        stuck.set()
        await asyncio.Event().wait()

    stage.venue.post = hang  # type: ignore[method-assign]
    await stage.time.advance(2)
    assert stuck.is_set()
    await stage.kill()
    stage.venue.post = post
    await stage.up()
    await finish(stage)
    speeches = [row.n for row in stage.venue.posted if row.kind == "speech"]
    assert len(speeches) == len(set(speeches)) == 8
