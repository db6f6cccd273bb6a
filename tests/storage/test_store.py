"""What is written is read back, as `bot.host.ports` says, on every database."""

from __future__ import annotations

import asyncio
import dataclasses

from bot.community.spend import SpendRow, SpendStore
from bot.host.ports import BoardRow, Change, EventRow, JobRow, PostRow, ReceiptRow, RunRow, Store, Unit
from storage.store import SqlStore
from tests.storage.rows import WALL, event, log, match, opened, post, write


async def test_it_is_what_the_host_asks_for(store: SqlStore) -> None:
    as_store: Store = store
    async with as_store.transaction() as unit:
        as_unit: Unit = unit
        await as_unit.apply([])
    assert await as_store.latest_match() is None


async def test_everything_of_a_change_comes_back(store: SqlStore) -> None:
    change = Change(
        match=match(thread="t", seq=2, wake_at=WALL + 6000),
        events=[
            EventRow("m", 1, "match_opened", 3, '{"at":0}', WALL),
            EventRow("m", 2, "seat_taken", 1, "{}", WALL + 1),
        ],
        posts=[PostRow("m", 1, "prompt", '{"title":"x"}', "slot:1:3", "sending", "p1", WALL + 2, WALL + 3)],
        boards=[BoardRow("m", "lobby", 4, '{"seats":[]}', 3, "b1")],
        jobs=[JobRow("m", "turn:1:3", "turn", "done", '{"text":"y"}', 2)],
        receipts=[ReceiptRow("com_a", "i1", '{"said":"ok"}', WALL + 4)],
    )
    await write(store, change)
    assert await store.match("m") == change.match
    assert await store.events("m") == change.events
    assert await store.posts("m") == change.posts
    assert await store.boards("m") == change.boards
    assert await store.jobs("m") == change.jobs
    assert await store.receipt("com_a", "i1") == '{"said":"ok"}'


async def test_what_is_not_there(store: SqlStore) -> None:
    assert await store.match("m") is None
    assert await store.events("m") == await store.posts("m") == await store.boards("m") == await store.jobs("m") == []
    assert await store.receipt("com_a", "i1") is None
    assert await store.matches() == await store.live() == await store.due(WALL) == []
    assert await store.names(["per_x"]) == await store.names([]) == {}
    assert await store.settings("com_x") == {}


async def test_events_are_read_from_where_one_is(store: SqlStore) -> None:
    await write(store, opened(events=3), opened("other", events=5))
    await write(store, Change(match=match(seq=4), events=[event(4)]))
    assert await log(store) == [1, 2, 3, 4]
    assert [row.seq for row in await store.events("m", after=2)] == [3, 4]
    assert await store.events("m", after=4) == []


async def test_a_batch_is_one_write_for_many_matches(store: SqlStore) -> None:
    await write(store, *(opened(f"m{n}", events=3) for n in range(100)))
    assert len(await store.matches(limit=1000)) == 100
    assert await log(store, "m99") == [1, 2, 3]


# ------------------------------------------------------------------------------------------------- matches


async def test_a_match_is_updated(store: SqlStore) -> None:
    await write(store, opened())
    now = match(status="finished", host="per_other", thread="t", seq=9, wake_at=None)
    await write(store, Change(match=now))
    assert await store.match("m") == now


async def test_an_update_with_no_thread_keeps_it(store: SqlStore) -> None:
    await write(store, Change(match=match(thread="t")))
    await write(store, Change(match=match(thread=None, seq=5)))
    assert await store.match("m") == match(thread="t", seq=5)
    await write(store, Change(match=match(thread="u", seq=6)), Change(match=match(thread=None, seq=7)))
    assert await store.match("m") == match(thread="u", seq=7)


async def test_matches_come_newest_first(store: SqlStore) -> None:
    await write(store, *(Change(match=match(f"m{n}", opened_wall=WALL + n)) for n in (2, 1, 3)))
    await write(store, Change(match=match("elsewhere", community="com_b", opened_wall=WALL + 9)))
    await write(store, Change(match=match("m1", seq=8, opened_wall=WALL + 1)))  # news of an old one
    assert [row.id for row in await store.matches()] == ["elsewhere", "m3", "m2", "m1"]
    assert [row.id for row in await store.matches("com_a")] == ["m3", "m2", "m1"]
    assert [row.id for row in await store.matches("com_a", limit=2)] == ["m3", "m2"]
    latest = await store.latest_match()
    assert latest is not None and latest.id == "elsewhere"


async def test_due_matches_come_earliest_first(store: SqlStore) -> None:
    wakes = {"late": WALL + 300, "soon": WALL + 100, "now": WALL, "never": None, "next": WALL + 200}
    await write(store, *(Change(match=match(id, wake_at=wake)) for id, wake in wakes.items()))
    assert await store.due(WALL - 1) == []
    assert await store.due(WALL + 200) == ["now", "soon", "next"]
    assert await store.due(WALL + 200, limit=2) == ["now", "soon"]
    await write(store, Change(match=match("now", wake_at=WALL + 250)), Change(match=match("soon", wake_at=None)))
    assert await store.due(WALL + 299) == ["next", "now"]


async def test_live_matches_are_those_not_over(store: SqlStore) -> None:
    for n, status in enumerate(("lobby", "running", "finished", "cancelled")):
        await write(store, Change(match=match(status, status=status, opened_wall=WALL + n)))
    assert await store.live() == ["lobby", "running"]
    await write(store, Change(match=match("lobby", status="cancelled")))
    assert await store.live() == ["running"]


async def test_the_live_matches_of_a_venue_come_oldest_first(store: SqlStore) -> None:
    hall, square = await store.community("discord", "1", "Hall"), await store.community("slack", "1", "Square")
    places = {"late": hall, "early": hall, "elsewhere": square, "nowhere": "com_x"}
    walls = {"late": WALL + 3, "early": WALL + 1, "elsewhere": WALL + 2, "nowhere": WALL}
    rows = {id: match(id, community=com, opened_wall=walls[id]) for id, com in places.items()}
    over = [match(status, community=hall, status=status) for status in ("finished", "cancelled")]
    await write(store, *(Change(match=row) for row in (*rows.values(), *over)))
    assert await store.live_rows() == [rows[id] for id in ("nowhere", "early", "elsewhere", "late")]
    assert await store.live_rows("discord") == [rows["early"], rows["late"]]
    assert await store.live_rows("slack") == [rows["elsewhere"]]
    assert await store.live_rows("terminal") == []


# ------------------------------------------------------------------------------------------------- posts, boards, jobs


async def test_the_outbox_keeps_order_and_state(store: SqlStore) -> None:
    await write(store, opened())
    await write(store, Change(posts=[post(n) for n in range(1, 13)]))
    assert [row.n for row in await store.posts("m", open_only=True)] == list(range(1, 13))

    sending = dataclasses.replace(post(1), state="sending", sent_wall=WALL + 1)
    await write(store, Change(posts_changed=[sending]))
    assert (await store.posts("m", open_only=True))[0] == sending

    delivered = dataclasses.replace(sending, state="delivered", platform_id="p1", delivered_wall=WALL + 2)
    dropped = dataclasses.replace(post(2), state="dropped")
    await write(store, Change(posts_changed=[delivered]), Change(posts_changed=[dropped]))
    assert [row.n for row in await store.posts("m", open_only=True)] == list(range(3, 13))
    assert (await store.posts("m"))[:3] == [delivered, dropped, post(3)]


async def test_a_changed_post_keeps_what_it_says(store: SqlStore) -> None:
    first = PostRow("m", 1, "turn", '{"title":"x"}', gate="vote:1")
    await write(store, opened(), Change(posts=[first]))
    await write(store, Change(posts_changed=[PostRow("m", 1, "other", "{}", None, "sending", None, WALL)]))
    assert await store.posts("m") == [dataclasses.replace(first, state="sending", sent_wall=WALL)]


async def test_a_post_may_be_written_and_changed_in_one_batch(store: SqlStore) -> None:
    sending = dataclasses.replace(post(1), state="sending")
    await write(store, Change(posts_changed=[sending]), opened(), Change(posts=[post(1)]))
    assert await store.posts("m") == [sending]


async def test_boards_keep_the_latest(store: SqlStore) -> None:
    await write(store, opened(), opened("other"))
    await write(store, Change(boards=[BoardRow("m", "lobby", 2, '"b"'), BoardRow("other", "lobby", 1, '"o"')]))
    await write(store, Change(boards=[BoardRow("m", "lobby", 1, '"a"')]))
    assert await store.boards("m") == [BoardRow("m", "lobby", 2, '"b"')]
    shown = BoardRow("m", "lobby", 2, '"b"', shown=2, platform_id="p")
    await write(store, Change(boards=[shown]))
    assert await store.boards("m") == [shown]
    await write(store, Change(boards=[BoardRow("m", "lobby", n, f'"{n}"') for n in (3, 5, 4)]))
    assert await store.boards("m") == [BoardRow("m", "lobby", 5, '"5"')]
    assert await store.boards("other") == [BoardRow("other", "lobby", 1, '"o"')]


async def test_a_job_is_made_once(store: SqlStore) -> None:
    await write(store, opened(), Change(jobs=[JobRow("m", "turn:1:3", "turn")]))
    done = JobRow("m", "turn:1:3", "turn", "done", '{"text":"paid for"}', 1)
    await write(store, Change(jobs_changed=[done]))
    await write(store, Change(jobs=[JobRow("m", "turn:1:3", "turn"), JobRow("m", "turn:1:4", "turn")]))
    assert await store.jobs("m") == [done, JobRow("m", "turn:1:4", "turn")]


async def test_a_job_may_be_made_and_done_in_one_batch(store: SqlStore) -> None:
    done = JobRow("m", "clip:1:3:0", "clip", "failed", None, 3)
    await write(store, opened(), Change(jobs=[JobRow("m", "clip:1:3:0", "clip")], jobs_changed=[done]))
    assert await store.jobs("m") == [done]


# ------------------------------------------------------------------------------------------------- runs and settings


async def test_a_run_sees_the_earlier_ones(store: SqlStore) -> None:
    assert await store.begin_run(WALL) == []
    await store.beat(WALL + 10)
    await store.beat(WALL + 20)
    first = RunRow((await store.begin_run(WALL + 99, holds="m"))[0].id, WALL, WALL + 20)
    await store.beat(WALL + 120)
    earlier = await store.begin_run(WALL + 200)
    assert earlier == [first, RunRow(earlier[1].id, WALL + 99, WALL + 120, "m")]
    assert earlier[1].id > first.id


async def test_settings_are_kept_per_community(store: SqlStore) -> None:
    a = await store.community("discord", "1", "A")
    b = await store.community("discord", "2", "B")
    await store.set_settings(a, {"format": "duel", "roles": [1, "ü"], "off": None})
    assert await store.settings(a) == {"format": "duel", "roles": [1, "ü"], "off": None}
    assert await store.settings(b) == {}
    await store.set_settings(a, {})
    assert await store.settings(a) == {}


async def test_what_models_cost_adds_up(store: SqlStore) -> None:
    books: SpendStore = store
    await books.add_spend([])
    first = SpendRow("2026-01-30", "com_a", "m", 1, 1000, 100, 1_500_000, 0)
    assert await books.spend() == []
    await books.add_spend([first, SpendRow("2026-01-31", "com_a", "m", 2, 10, 20, 3, 1)])
    await books.add_spend([first, SpendRow("2026-01-31", "com_b", "n", 1, 5, 5, 2**40, 1)])
    doubled = SpendRow("2026-01-30", "com_a", "m", 2, 2000, 200, 3_000_000, 0)
    assert await books.spend(day="2026-01-30") == [doubled]
    assert doubled.usd == 0.003
    assert [row.day for row in await books.spend(match="m")] == ["2026-01-31", "2026-01-30"]
    assert [row.match for row in await books.spend(day="2026-01-31")] == ["m", "n"]
    assert await books.spend(day="2026-01-31", community="com_b") == [
        SpendRow("2026-01-31", "com_b", "n", 1, 5, 5, 2**40, 1)
    ]


async def test_spend_that_is_written_at_once_is_not_lost(store: SqlStore) -> None:
    row = SpendRow("2026-01-30", "com_a", "m", 1, 10, 1, 7, 0)
    await asyncio.gather(*(store.add_spend([row]) for _ in range(20)))
    assert await store.spend() == [SpendRow("2026-01-30", "com_a", "m", 20, 200, 20, 140, 0)]
