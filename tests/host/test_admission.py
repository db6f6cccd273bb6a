"""A house with few places: who waits, who goes next, and that the line survives a restart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.catalogue import load_catalogue
from bot.host.admission import Admission
from bot.host.keeper import Accepted
from bot.host.ports import StoreError
from bot.rules import commands as c
from bot.rules.events import StartQueued
from bot.rules.match import Match, Status
from bot.rules.rejection import Rejection
from tests.fakes import CAST, Stage, settle


async def house(capacity: int, *ids: str) -> Stage:
    """A stage with so many places, and lobbies that were begun in this order."""
    stage = Stage()
    stage.capacity = capacity
    await stage.up()
    for id in ids:
        await stage.open(id)
        await stage.begin(id)
    await settle()
    return stage


def running(stage: Stage) -> list[str]:
    ids = sorted(stage.store.tables["matches"])
    return [id for id in ids if stage.match(id).status is Status.RUNNING]


def line(stage: Stage) -> list[str | None]:
    """Who is in line, in order."""
    assert stage.host is not None
    numbers = {stage.host.number_in_line(id): id for id in stage.store.tables["matches"]}
    numbers.pop(None, None)
    assert sorted(number or 0 for number in numbers) == list(range(1, len(numbers) + 1))
    return [numbers[number] for number in sorted(number or 0 for number in numbers)]


async def cancel(stage: Stage, id: str) -> None:
    assert stage.host is not None
    await stage.host.tell(id, c.Cancel(at=0, by="ann"))
    await settle()


async def test_no_more_run_than_there_are_places_and_the_rest_follow_in_order() -> None:
    stage = await house(2, "m3", "m1", "m4", "m2")
    assert running(stage) == ["m1", "m3"]
    assert line(stage) == ["m4", "m2"]
    for _ in range(400):
        await stage.time.advance(1)
        assert len(running(stage)) <= 2
    assert all(stage.match(id).status is Status.FINISHED for id in ("m1", "m2", "m3", "m4"))
    assert line(stage) == []


async def test_who_came_first_goes_first() -> None:
    stage = await house(1, "m3", "m1", "m4", "m2")
    order: list[str] = []
    for _ in range(4):
        order += running(stage)
        await cancel(stage, running(stage)[0])
    assert order == ["m3", "m1", "m4", "m2"]


async def test_the_house_is_not_limited_without_a_capacity() -> None:
    stage = Stage()
    await stage.up()
    for number in range(9):
        await stage.open(f"m{number}")
        await stage.begin(f"m{number}")
    assert len(running(stage)) == 9


async def test_an_expired_lobby_waits_in_line_as_well() -> None:
    stage = await house(1, "m1")
    await stage.open("m2", lobby_until=stage.time.wall() + 10_000)
    await stage.open("m3", lobby_until=stage.time.wall() + 5_000)
    await stage.time.advance(20)
    assert line(stage) == ["m3", "m2"]
    await cancel(stage, "m1")
    assert running(stage) == ["m3"]
    match = stage.match("m3")
    assert match.started_at is not None and match.started_at >= match.opened_at + 20_000


async def test_in_line_people_join_and_leave() -> None:
    stage = await house(1, "m1", "m2")
    assert stage.host is not None
    for person in ("ann", "bob"):
        await stage.host.tell("m2", c.Join(at=0, person=person))
    await stage.host.tell("m2", c.Leave(at=0, person="ann"))
    await cancel(stage, "m1")
    match = stage.match("m2")
    assert match.status is Status.RUNNING
    assert match.seat_of("bob") is not None and match.seat_of("ann") is None


async def test_one_that_is_cancelled_in_line_is_left_out() -> None:
    stage = await house(1, "m1", "m2", "m3")
    await cancel(stage, "m2")
    assert line(stage) == ["m3"]
    await cancel(stage, "m1")
    assert running(stage) == ["m3"]
    assert stage.match("m2").status is Status.CANCELLED


async def test_a_paused_match_keeps_its_place() -> None:
    stage = await house(1, "m1", "m2")
    assert stage.host is not None
    await stage.host.tell("m1", c.Pause(at=0, wall=stage.time.wall(), by="ann"))
    await stage.time.advance(600)
    assert (running(stage), line(stage)) == (["m1"], ["m2"])
    await cancel(stage, "m1")
    assert running(stage) == ["m2"]


async def test_a_lobby_that_is_paused_in_line_lets_others_go_before_it_and_keeps_its_number() -> None:
    stage = await house(1, "m1", "m2", "m3", "m4")
    assert stage.host is not None
    await stage.host.tell("m2", c.Pause(at=0, wall=stage.time.wall(), by="ann"))
    await cancel(stage, "m1")
    assert (running(stage), line(stage)) == (["m3"], ["m2", "m4"])
    await stage.host.tell("m2", c.Resume(at=0, wall=stage.time.wall(), by="ann"))
    await cancel(stage, "m3")
    assert running(stage) == ["m2"]


async def test_resumed_when_there_is_a_place_it_starts_at_once() -> None:
    stage = await house(1, "m1", "m2")
    assert stage.host is not None
    await stage.host.tell("m2", c.Pause(at=0, wall=stage.time.wall(), by="ann"))
    await cancel(stage, "m1")
    await stage.time.advance(30)
    assert running(stage) == []
    await stage.host.tell("m2", c.Resume(at=0, wall=stage.time.wall(), by="ann"))
    await settle()
    assert running(stage) == ["m2"]


async def test_nobody_who_comes_when_a_place_is_free_jumps_the_line() -> None:
    stage = await house(1, "m1", "m2", "m3")
    assert stage.host is not None
    await stage.open("m0")
    start = c.Start(at=0, cast=CAST, pool=load_catalogue().motions)
    await stage.host.tell("m1", c.Cancel(at=0, by="ann"))
    outcome = await stage.host.tell("m0", start)
    assert isinstance(outcome, Accepted) and isinstance(outcome.events[0], StartQueued)
    await settle()
    assert (running(stage), line(stage)) == (["m2"], ["m3", "m0"])


async def test_while_the_next_in_line_is_on_its_way_nobody_else_gets_its_place() -> None:
    places = Admission(1)
    one, two, three = (Match(id=id, seq=1) for id in ("m1", "m2", "m3"))
    assert places.ask(one, 5) is None
    since = places.ask(two, 5)
    assert since is not None
    places.note(replace(two, queued=since))
    places.note(replace(one, status=Status.FINISHED))
    assert places.next() == "m2"
    assert places.ask(three, 4) == since + 1  # the place is free, but not for this one; and no two come at once
    assert places.ask(replace(two, queued=since), 9) is None
    assert places.next() is None


async def test_begun_again_in_line_it_is_told_so_and_stays_where_it_is() -> None:
    stage = await house(1, "m1", "m2", "m3")
    assert stage.host is not None
    outcome = await stage.host.tell("m2", c.Start(at=0, cast=CAST, pool=load_catalogue().motions))
    assert isinstance(outcome, Rejection) and outcome.code == "already_queued"
    assert line(stage) == ["m2", "m3"]


@pytest.mark.parametrize("graceful", [True, False])
async def test_the_line_survives_a_restart(graceful: bool) -> None:
    stage = await house(1, "m2", "m4", "m1", "m3")
    assert stage.host is not None
    if graceful:
        await stage.host.close()
    else:
        await stage.kill()
    stage.time.jump(60)
    await stage.up()
    await settle()
    assert (running(stage), line(stage)) == (["m2"], ["m4", "m1", "m3"])
    await cancel(stage, "m2")
    assert (running(stage), line(stage)) == (["m4"], ["m1", "m3"])
    await stage.open("m0")
    await stage.begin("m0")
    assert line(stage) == ["m1", "m3", "m0"]


async def test_a_place_that_was_free_at_the_crash_is_given_at_the_next_start() -> None:
    stage = await house(1, "m1", "m2", "m3")
    assert stage.host is not None
    stage.store.die_after = stage.store.commits + 1
    await stage.host.tell("m1", c.Cancel(at=0, by="ann"))
    await stage.kill()
    assert running(stage) == []
    await stage.up()
    await settle()
    assert (running(stage), line(stage)) == (["m2"], ["m3"])


async def test_with_fewer_places_after_a_restart_those_that_run_go_on() -> None:
    stage = await house(3, "m1", "m2", "m3", "m4")
    await stage.kill()
    stage.capacity = 1
    await stage.up()
    await settle()
    assert running(stage) == ["m1", "m2", "m3"]
    await cancel(stage, "m1")
    await cancel(stage, "m2")
    assert running(stage) == ["m3"]
    await cancel(stage, "m3")
    assert running(stage) == ["m4"]


async def test_a_log_that_cannot_be_read_takes_no_place_and_hinders_no_start() -> None:
    stage = await house(1, "m1", "m2")
    await stage.kill()
    first = stage.store.tables["events"]["m1", 1]
    stage.store.tables["events"]["m1", 1] = type(first)("m1", 1, "from_the_future", 1, "{}", first.wall)
    await stage.up()
    await settle()
    assert stage.match("m2").status is Status.RUNNING


async def test_a_start_that_was_not_stored_keeps_no_place() -> None:
    stage = await house(1)
    assert stage.host is not None
    await stage.open("m1")
    await stage.open("m2")
    stage.store.trouble = StoreError("busy")
    with pytest.raises(StoreError):
        await stage.begin("m1")
    stage.store.trouble = None
    await stage.begin("m2")
    assert running(stage) == ["m2"]


async def test_trouble_with_the_store_delays_the_next_and_loses_nobody() -> None:
    stage = await house(1, "m1", "m2")
    assert stage.host is not None
    await stage.host.tell("m1", c.Cancel(at=0, by="ann"))
    stage.store.trouble = StoreError("busy")
    await stage.time.advance(5)
    stage.store.trouble = None
    await stage.time.advance(30)
    assert stage.match("m2").status in (Status.RUNNING, Status.FINISHED)
