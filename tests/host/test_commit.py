"""Group commit, participants with a veto, repeated deliveries, lost ownership, trouble with the store, sleep."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.host.committer import Repeated
from bot.host.keeper import Accepted, Receipt
from bot.host.ports import Delivered, EventRow, PostRow, StoreError, Unit, Veto
from bot.rules import commands as c
from bot.rules.clock import VIRTUAL
from bot.rules.events import Event, MatchFinished, SeatTaken
from bot.rules.match import Clip, Match, Status
from bot.rules.rejection import Rejection, reject
from bot.rules.tempo import Tempo
from tests.fakes import MemoryUnit, Stage, settle


class FakeLedger:
    """Takes a fee for every seat, in the transaction that gives it, and refuses who cannot pay."""

    def __init__(self, **coins: int) -> None:
        self.coins = coins

    def concerns(self, events: Sequence[Event]) -> bool:
        return any(isinstance(event, SeatTaken | MatchFinished) for event in events)

    async def join(self, unit: Unit, before: Match, events: Sequence[Event], after: Match) -> None:
        assert isinstance(unit, MemoryUnit)
        marks = unit.store.tables["marks"]
        for event in events:
            if isinstance(event, SeatTaken):
                balance = marks.get(event.person, self.coins.get(event.person, 0)) - 10
                marks[event.person] = balance
                if balance < 0:
                    raise Veto(reject("broke", person=event.person))
            elif isinstance(event, MatchFinished):
                assert ("settled", after.id) not in marks, "settled twice"
                marks["settled", after.id] = True


async def test_a_veto_undoes_its_own_command_alone_and_reaches_its_sender() -> None:
    stage = Stage(participants=(FakeLedger(ann=25, bob=5),))
    host = await stage.up()
    for id in ("m1", "m2", "m3"):
        await stage.open(id)
    await settle()
    groups = host.committer.groups
    asked = [
        host.tell("m1", c.Join(at=0, person="ann")),
        host.tell("m2", c.Join(at=0, person="bob")),
        host.tell("m3", c.Join(at=0, person="ann")),
    ]
    first, second, third = await asyncio.gather(*asked)
    assert host.committer.groups == groups + 1, "they shared a transaction"
    assert isinstance(first, Accepted) and isinstance(third, Accepted)
    assert isinstance(second, Rejection) and second.code == "broke"
    assert stage.store.tables["marks"] == {"ann": 5}
    assert stage.match("m2").seat_of("bob") is None
    assert host.peek("m2") == stage.match("m2")


async def test_the_ledger_is_settled_once_with_the_end_of_the_match() -> None:
    stage = Stage(participants=(FakeLedger(),))
    host = await stage.up()
    await stage.open(speed=VIRTUAL)
    await stage.begin()
    await host.finished("m1")
    assert stage.store.tables["marks"] == {("settled", "m1"): True}


async def test_many_matches_share_transactions() -> None:
    stage = Stage()
    host = await stage.up()
    for number in range(100):
        await stage.open(f"m{number}")
    await settle()
    groups, writes = host.committer.groups, host.committer.writes
    await asyncio.gather(*(host.tell(f"m{number}", c.Join(at=0, person="ann")) for number in range(100)))
    assert host.committer.writes - writes == 100
    assert host.committer.groups - groups <= 3


async def test_a_hundred_people_race_for_two_seats() -> None:
    stage = Stage()
    host = await stage.up()
    await stage.open()
    outcomes = await asyncio.gather(*(host.tell("m1", c.Join(at=0, person=f"p{n}")) for n in range(100)))
    assert sum(isinstance(outcome, Accepted) for outcome in outcomes) == 2
    assert {o.code for o in outcomes if isinstance(o, Rejection)} == {"no_free_seat"}


async def test_a_repeated_delivery_gets_the_first_answer_and_changes_nothing() -> None:
    stage = Stage()
    host = await stage.up()
    await stage.open()
    receipt = Receipt("club", "event-1", lambda events, match: f'"{len(events)} at {match.seq}"')
    await host.tell("m1", c.Join(at=0, person="ann"), receipt=receipt)
    seq = stage.match().seq
    with pytest.raises(Repeated) as repeated:
        await host.tell("m1", c.Join(at=0, person="ann"), receipt=receipt)
    assert repeated.value.answer == f'"1 at {seq}"'
    with pytest.raises(Repeated):  # even for a command that would be accepted now
        await host.tell("m1", c.Join(at=0, person="bob"), receipt=receipt)
    assert stage.match().seq == seq


async def test_the_same_delivery_twice_at_once_counts_once() -> None:
    stage = Stage()
    host = await stage.up()
    await stage.open()
    receipt = Receipt("club", "event-1", lambda events, match: '"in"')
    asked = [host.tell("m1", c.Join(at=0, person=person), receipt=receipt) for person in ("ann", "bob")]
    results = await asyncio.gather(*asked, return_exceptions=True)
    assert sum(isinstance(result, Repeated) for result in results) == 1
    assert sum(seat.holder is not None for seat in stage.match().seats.values()) == 1


async def test_a_process_that_lost_a_match_lets_it_go_and_the_others_go_on() -> None:
    stage = Stage()
    host = await stage.up()
    await stage.open("m1")
    await stage.open("m2")
    seq = stage.match("m1").seq
    theft = EventRow("m1", seq + 1, "host_changed", 1, '{"at": 0, "person": "eve"}', 0)
    stage.store.tables["events"]["m1", seq + 1] = theft
    asked = [host.tell(id, c.Join(at=0, person="ann")) for id in ("m1", "m2")]
    lost, kept = await asyncio.gather(*asked, return_exceptions=True)
    assert isinstance(lost, Exception)
    assert isinstance(kept, Accepted)
    await settle()
    assert host.peek("m1") is None
    assert stage.match("m1").host == "eve"
    # Asked again, it reads what the other process wrote.
    again = await host.tell("m1", c.Join(at=0, person="bob"))
    assert isinstance(again, Accepted) and again.match.host == "eve"


async def test_trouble_with_the_store_is_told_to_people_and_waited_out_by_the_host() -> None:
    stage = Stage()
    host = await stage.up()
    await stage.open()
    await stage.begin()
    await stage.time.advance(5)
    stage.store.trouble = StoreError("the disk is full")
    with pytest.raises(StoreError, match="the disk is full"):
        await host.tell("m1", c.Pause(at=0, wall=0, by="ann"))
    await stage.time.advance(30)
    assert stage.match().rounds[0].turns == ()
    stage.store.trouble = None
    await stage.time.advance(200)
    assert stage.match().status is Status.FINISHED
    assert len(stage.match().rounds[0].turns) == 8


async def test_a_match_with_nothing_to_do_for_long_sleeps_and_wakes_in_time() -> None:
    stage = Stage()
    host = await stage.up()
    await stage.open(tempo=Tempo.CORRESPONDENCE)
    await host.tell("m1", c.Join(at=0, person="ann", seat="P0"))
    await stage.begin()
    for _ in range(300):
        if stage.match().awaits_person:
            break
        await stage.time.advance(1)
    await stage.time.advance(5)
    assert host.awake == 0
    slot = stage.match().slot
    assert slot is not None
    spoken = await host.tell("m1", c.Speak(at=0, seat="P0", person="ann", text="Good morning."))
    assert isinstance(spoken, Accepted)
    for _ in range(300):
        if stage.match().awaits_person:
            break
        await stage.time.advance(1)
    turns = len(stage.match().rounds[0].turns)
    stage.time.jump(24 * 3600 - 60)
    await stage.time.advance(70)
    assert len(stage.match().rounds[0].turns) > turns, "the deadline of a sleeping match fires"


async def test_nothing_is_told_of_a_match_that_is_not_there() -> None:
    stage = Stage()
    host = await stage.up()
    outcome = await host.tell("nothing", c.Join(at=0, person="ann"))
    assert isinstance(outcome, Rejection) and outcome.code == "no_such_match"


class Stubborn:
    """Refuses the end of a match."""

    def __init__(self) -> None:
        self.asked = 0

    def concerns(self, events: Sequence[Event]) -> bool:
        return any(isinstance(event, MatchFinished) for event in events)

    async def join(self, unit: Unit, before: Match, events: Sequence[Event], after: Match) -> None:
        self.asked += 1
        raise Veto(reject("not_yet"))


async def test_what_is_due_and_vetoed_is_tried_again_without_a_storm() -> None:
    stubborn = Stubborn()
    stage = Stage(participants=(stubborn,))
    host = await stage.up()
    await stage.open()
    await host.tell("m1", c.Join(at=0, person="ann"))
    await stage.begin()
    await host.tell("m1", c.Void(at=0, by="mod"))
    assert stubborn.asked == 1
    assert stage.match().status is Status.RUNNING
    await stage.time.advance(30)
    assert stubborn.asked <= 31


async def test_a_match_that_cannot_be_read_is_left_alone_and_the_others_go_on() -> None:
    stage = Stage()
    await stage.up()
    await stage.open("m1")
    await stage.open("m2", lobby_until=stage.time.wall() + 5_000)
    seq = stage.match("m1").seq
    await stage.kill()
    stage.store.tables["events"]["m1", seq + 1] = EventRow("m1", seq + 1, "from_the_future", 9, "{}", 0)
    row = stage.store.tables["matches"]["m1"]
    stage.store.tables["matches"]["m1"] = replace(row, seq=seq + 1, wake_at=stage.time.wall())
    host = await stage.up()
    await stage.time.advance(60)
    assert host.peek("m1") is None
    assert isinstance(await host.tell("m1", c.Join(at=0, person="ann")), Rejection)
    assert stage.match("m2").status is Status.RUNNING


async def test_a_vetoed_reveal_is_not_lost() -> None:
    stubborn = Stubborn()
    stage = Stage(participants=(stubborn,))
    await stage.up()
    await stage.open()
    await stage.begin()
    await stage.time.advance(150)
    assert stage.match().status is Status.RUNNING
    stubborn.concerns = lambda events: False
    await stage.time.advance(5)
    assert stage.match().status is Status.FINISHED


@pytest.mark.parametrize("kind", ["prompt", "reveal"])
async def test_trouble_with_the_store_while_a_delivery_is_noted_hangs_nothing(kind: str) -> None:
    stage = Stage()
    host = await stage.up()
    await stage.open()
    if kind == "prompt":
        await host.tell("m1", c.Join(at=0, person="ann"))
    await stage.begin()
    post = stage.venue.post

    async def failing_store(thread: str | None, row: PostRow, onto: str | None, clip: Clip | None = None) -> Delivered:
        delivered = await post(thread, row, onto, clip)
        if row.kind == kind:
            stage.store.trouble = StoreError("busy")
        return delivered

    stage.venue.post = failing_store  # type: ignore[method-assign]
    for _ in range(2000):
        if stage.store.trouble is not None:
            await stage.time.advance(1.5)
            stage.store.trouble = None
        await stage.time.advance(1)
        if stage.match().over:
            break
    assert stage.match().status is Status.FINISHED


async def test_a_venue_that_breaks_unexpectedly_stops_its_match_and_says_why() -> None:
    stage = Stage()
    host = await stage.up()
    await stage.open(speed=VIRTUAL)

    stage.venue.fail = lambda post: OSError("no space left") if post.kind == "speech" else None
    await stage.begin()
    with pytest.raises(OSError, match="no space left"):
        await host.finished("m1")
    assert stage.match().status is Status.RUNNING, "nothing is lost; the next start goes on"
