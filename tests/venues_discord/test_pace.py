"""The line before Discord's limit."""

from __future__ import annotations

import asyncio

from bot.venues.discord.pace import Pace, Urgency


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
