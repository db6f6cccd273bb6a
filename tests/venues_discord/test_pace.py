"""The line before Discord's limit."""

from __future__ import annotations

import asyncio
from typing import cast

import discord

from bot.venues.discord.pace import PER_SECOND, Pace, Urgency
from bot.venues.discord.place import Place
from bot.venues.discord.wire import COURTESY_EVERY_S, Wire


async def test_no_more_than_so_many_a_second_and_the_urgent_first() -> None:
    loop = asyncio.get_running_loop()
    pace = Pace(200.0)
    went: list[tuple[float, Urgency]] = []

    async def go(urgency: Urgency) -> None:
        await pace.turn(urgency)
        went.append((loop.time(), urgency))

    began = loop.time()
    tidy = [asyncio.create_task(go(Urgency.TIDY)) for _ in range(80)]
    await asyncio.sleep(0)
    gates = [asyncio.create_task(go(Urgency.GATE)) for _ in range(5)]
    await asyncio.gather(*tidy, *gates)
    assert went[-1][0] - began >= (85 - 18) / 200
    order = [urgency for _, urgency in went]
    first = order.index(Urgency.GATE)
    assert order[first : first + 5] == [Urgency.GATE] * 5
    assert order[first + 5 :] and first >= 16, "what had its turn already is not called back"


async def test_who_gives_up_in_line_takes_no_turn() -> None:
    pace = Pace(100.0)
    for _ in range(10):
        await pace.turn(Urgency.POST)
    patient = [asyncio.create_task(pace.turn(Urgency.POST)) for _ in range(5)]
    hasty = [asyncio.create_task(pace.turn(Urgency.GATE)) for _ in range(5)]
    await asyncio.sleep(0)
    given_up = [task.cancel() for task in hasty]
    await asyncio.wait_for(asyncio.gather(*patient), 10)
    await asyncio.gather(*hasty, return_exceptions=True)
    assert [task.cancelled() for task in hasty] == given_up
    assert pace.waiting == 0


async def test_courtesies_of_a_thread_leave_room_for_what_play_waits_for() -> None:
    """In a crowd they come out of the line together; then they must not use up the thread's edits."""
    wire = Wire(cast("discord.Client", None), Pace(PER_SECOND * 50))
    loop = asyncio.get_running_loop()
    went: list[tuple[float, Urgency]] = []

    async def edit(urgency: Urgency, thread: int = 7) -> None:
        async with wire.calling(Place(1, thread), urgency):
            went.append((loop.time(), urgency))

    tidy = [asyncio.create_task(edit(Urgency.TIDY)) for _ in range(3)]
    sound = [asyncio.create_task(edit(Urgency.SOUND)) for _ in range(3)]
    began = loop.time()
    await asyncio.gather(*(edit(Urgency.GATE) for _ in range(5)), edit(Urgency.TIDY, thread=8), *tidy, *sound)
    assert len(went) == 12
    assert went[-1][0] - began >= 5 * COURTESY_EVERY_S / 50 * 0.8
