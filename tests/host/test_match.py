"""A match from start to end on the host, with every port faked and no time passing by itself."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from bot.host.ports import Delivered, PostRow, Unreadable, VenueError
from bot.rules import commands as c
from bot.rules.clock import VIRTUAL
from bot.rules.match import Clip, Match, Outcome, Status
from bot.rules.match import Stage as SlotStage
from bot.rules.rejection import Rejection
from tests.fakes import Beeps, Stage, settle


@pytest.fixture
async def stage() -> Stage:
    stage = Stage()
    await stage.up()
    return stage


async def play_virtual(stage: Stage, **more: Any) -> Match:
    assert stage.host is not None
    await stage.open(speed=VIRTUAL, **more)
    await stage.begin()
    await stage.host.finished("m1")
    return stage.match()


async def test_a_classic_match_plays_itself_out(stage: Stage) -> None:
    match = await play_virtual(stage, format="classic")
    assert match.status is Status.FINISHED
    assert all(turn.outcome is Outcome.SAID for entry in match.rounds for turn in entry.turns)
    assert stage.venue.kinds().count("speech") == sum(len(entry.turns) for entry in match.rounds)
    assert stage.venue.kinds()[-2:] == ["final", "fairness"]


async def test_every_job_is_done_once_and_its_result_stored(stage: Stage) -> None:
    match = await play_virtual(stage, format="doubles")
    turns = [(entry.number, turn.plan.n, turn.plan.seat) for entry in match.rounds for turn in entry.turns]
    assert stage.minds.turns == turns
    jobs = await stage.store.jobs("m1")
    assert {job.state for job in jobs if job.kind != "clip"} == {"done"}
    spoken = {json.loads(job.result)["text"] for job in jobs if job.kind == "turn" and job.result}
    assert spoken == {turn.parts[0].text for entry in match.rounds for turn in entry.turns}


async def test_real_time_keeps_the_pace_and_the_beat(stage: Stage) -> None:
    await stage.open()
    await stage.begin()
    began = stage.match().started_at
    assert began is not None
    await stage.time.advance(200)
    match = stage.match()
    assert match.status is Status.FINISHED
    entry = match.rounds[0]
    assert [turn.opened_at - began for turn in entry.turns] == [10_000 * n for n in range(1, 9)]
    assert entry.judging is not None
    reveals = [ballot.revealed_at or 0 for ballot in entry.judging.ballots]
    assert [reveal - began for reveal in reveals] == [86_000, 92_000, 98_000]


async def test_a_mind_that_is_early_is_held_until_its_slot_opens(stage: Stage) -> None:
    await stage.open()
    await stage.begin()
    await settle()
    assert stage.minds.turns == [(1, 1, stage.minds.turns[0][2])]
    assert stage.match().slot is not None and stage.match().slot.stage is SlotStage.SCHEDULED  # type: ignore[union-attr]
    await stage.time.advance(9.9)
    assert stage.venue.kinds().count("speech") == 0
    await stage.time.advance(0.2)
    assert stage.venue.kinds().count("speech") == 1


async def test_a_mind_that_never_answers_forfeits_its_turn_and_the_round_goes_on(stage: Stage) -> None:
    stage.minds.fail_turn = lambda round, n: RuntimeError("no") if n == 2 else None
    match = await play_virtual(stage)
    outcomes = [turn.outcome for turn in match.rounds[0].turns]
    assert outcomes == [Outcome.SAID, Outcome.FORFEITED, *[Outcome.SAID] * 6]
    silent = match.rounds[0].turns[1]
    assert silent.closed_at == silent.deadline == silent.opened_at + 20_000


async def test_a_ballot_that_cannot_be_read_counts_as_the_format_says_at_the_deadline(stage: Stage) -> None:
    stage.minds.fail_ballot = lambda judge: Unreadable() if judge == "J1" else None
    match = await play_virtual(stage, format="classic")
    for entry in match.rounds:
        assert entry.judging is not None
        broken = entry.judging.ballots[1]
        assert (broken.vote, broken.defaulted) == ("pro", "broken")
        assert broken.cast_at == entry.turns[-1].closed_at + 30_000


# ------------------------------------------------------------------------------------------------- people


async def with_person(stage: Stage, seat: str = "P0", **more: Any) -> None:
    assert stage.host is not None
    await stage.open(tempo=None, **more)
    await stage.host.tell("m1", c.Join(at=0, person="ann", seat=seat))
    await stage.begin()


async def until_open(stage: Stage, seat: str) -> None:
    for _ in range(400):
        slot = stage.match().slot
        if slot is not None and slot.stage is SlotStage.OPEN and slot.plan.seat == seat:
            return
        await stage.time.advance(0.25)
    raise AssertionError(f"{seat} never had the floor")


async def test_a_persons_time_starts_when_the_prompt_is_delivered(stage: Stage) -> None:
    stage.venue.takes_s = lambda post: 3.0 if post.kind == "prompt" else 0.0
    await with_person(stage)
    await until_open(stage, "P0")
    slot = stage.match().slot
    assert slot is not None and slot.opened_at is not None and slot.deadline is not None
    assert slot.opened_at == slot.opens_at + 3_000
    assert slot.deadline == slot.opened_at + 160_000  # relaxed: eight times the 20 s


async def test_an_unanswered_slot_is_held_open_two_seconds_for_a_late_delivery(stage: Stage) -> None:
    assert stage.host is not None
    await with_person(stage)
    await until_open(stage, "P0")
    slot = stage.match().slot
    assert slot is not None and slot.deadline is not None and slot.opened_at is not None
    left = (slot.deadline - (stage.host.now("m1") or 0)) / 1000
    await stage.time.advance(left + 1.5)
    stamp = stage.time.wall() - 1_200  # stamped 0.3 s past the deadline, delivered 1.5 s past it
    said = c.Speak(at=0, seat="P0", person="ann", text="Here I am.")
    outcome = await stage.host.tell("m1", said, wall=stamp)
    assert not isinstance(outcome, Rejection)
    turn = stage.match().rounds[0].turns[slot.plan.n - 1]
    assert (turn.outcome, turn.closed_at) == (Outcome.SAID, turn.deadline)


async def test_after_that_the_slot_is_closed_for_good_at_its_deadline(stage: Stage) -> None:
    assert stage.host is not None
    await with_person(stage)
    await until_open(stage, "P0")
    slot = stage.match().slot
    assert slot is not None and slot.deadline is not None
    left = (slot.deadline - (stage.host.now("m1") or 0)) / 1000
    await stage.time.advance(left + 1.9)
    assert stage.match().slot == slot
    await stage.time.advance(0.2)
    turn = stage.match().rounds[0].turns[slot.plan.n - 1]
    assert (turn.outcome, turn.closed_at) == (Outcome.FORFEITED, turn.deadline)
    outcome = await stage.host.tell("m1", c.Speak(at=0, seat="P0", person="ann", text="Too late."))
    assert isinstance(outcome, Rejection)


async def test_while_the_venue_catches_up_the_slot_stays_open_and_then_closes_at_once(stage: Stage) -> None:
    assert stage.host is not None
    await with_person(stage)
    await until_open(stage, "P0")
    slot = stage.match().slot
    assert slot is not None and slot.deadline is not None
    left = (slot.deadline - (stage.host.now("m1") or 0)) / 1000
    await stage.time.advance(left - 1)
    stage.venue.hold_s = 600.0  # the connection is lost a second before the deadline
    await stage.time.advance(100)
    assert stage.match().slot == slot
    stage.venue.hold_s = 2.0
    stage.host.look_again()
    await settle()
    turn = stage.match().rounds[0].turns[slot.plan.n - 1]
    assert (turn.outcome, turn.closed_at) == (Outcome.FORFEITED, turn.deadline)


async def test_what_was_sent_in_time_counts_when_the_venue_has_caught_up(stage: Stage) -> None:
    assert stage.host is not None
    await with_person(stage)
    await until_open(stage, "P0")
    slot = stage.match().slot
    assert slot is not None and slot.deadline is not None
    left = (slot.deadline - (stage.host.now("m1") or 0)) / 1000
    await stage.time.advance(left - 1)
    stamp = stage.time.wall()
    await stage.time.advance(2)
    stage.venue.hold_s = 60.0  # noticed only when the deadline has passed
    await stage.time.advance(30)
    said = c.Speak(at=0, seat="P0", person="ann", text="Sent in time.")
    outcome = await stage.host.tell("m1", said, wall=stamp)
    assert not isinstance(outcome, Rejection)
    turn = stage.match().rounds[0].turns[slot.plan.n - 1]
    assert (turn.outcome, turn.closed_at) == (Outcome.SAID, turn.deadline - 1_000)
    assert stage.match().clock.running


async def test_a_vote_is_held_open_as_well(stage: Stage) -> None:
    assert stage.host is not None
    await with_person(stage, "J1")
    await stage.time.advance(82)
    judging = stage.match().rounds[0].judging
    assert judging is not None and judging.deadline is not None
    stage.venue.hold_s = 600.0
    await stage.time.advance(300)
    assert stage.match().rounds[0].judging == judging
    stage.venue.hold_s = 0.0
    stage.host.look_again()
    await settle()
    judging = stage.match().rounds[0].judging
    assert judging is not None and judging.closed_at == judging.deadline


async def test_a_text_too_late_by_its_own_stamp_is_handed_back(stage: Stage) -> None:
    assert stage.host is not None
    await with_person(stage)
    await until_open(stage, "P0")
    slot = stage.match().slot
    assert slot is not None and slot.deadline is not None
    left = (slot.deadline - (stage.host.now("m1") or 0)) / 1000
    await stage.time.advance(left + 0.6)
    outcome = await stage.host.tell("m1", c.Speak(at=0, seat="P0", person="ann", text="Nearly."))
    assert isinstance(outcome, Rejection)
    assert (outcome.code, outcome.details["text"]) == ("too_late", "Nearly.")


async def test_people_judge_once_the_call_has_reached_them(stage: Stage) -> None:
    assert stage.host is not None
    await with_person(stage, "J1")
    await stage.time.advance(81)
    judging = stage.match().rounds[0].judging
    assert judging is not None and judging.stage is SlotStage.OPEN
    assert stage.venue.kinds()[-1] == "vote"
    await stage.host.tell("m1", c.Cast(at=0, judge="J1", person="ann", vote="con", reason="Clearer."))
    await stage.time.advance(20)
    assert stage.match().status is Status.FINISHED


# ------------------------------------------------------------------------------------------------- reveals and delivery


async def test_a_slow_reveal_moves_the_next_one(stage: Stage) -> None:
    stage.venue.takes_s = lambda post: 2.5 if post.gate == "reveal:1:J0" else 0.8 if post.gate else 0.0
    await stage.open()
    await stage.begin()
    await stage.time.advance(200)
    judging = stage.match().rounds[0].judging
    assert judging is not None
    first, second, third = (ballot.revealed_at or 0 for ballot in judging.ballots)
    assert second - first == 8_500  # 6 s after the slow delivery
    assert third - second == 6_000  # under a second does not count


async def test_a_gating_post_that_does_not_get_through_stops_the_clock_until_it_does(stage: Stage) -> None:
    down = True
    stage.venue.fail = lambda post: VenueError("503") if down and post.gate else None
    await stage.open()
    await stage.begin()
    await stage.time.advance(170)
    match = stage.match()
    assert not match.clock.running
    assert [(pause.by, pause.why) for pause in match.pauses] == [("system", "undelivered")]
    down = False
    await stage.time.advance(120)
    match = stage.match()
    assert match.status is Status.FINISHED
    assert match.pauses[0].wall_ms is not None and match.pauses[0].wall_ms > 0
    assert stage.venue.kinds().count("reveal") == 3


async def test_a_lost_thread_cancels_the_match_at_once_without_a_storm(stage: Stage) -> None:
    tried: list[PostRow] = []

    def gone(post: PostRow) -> Exception | None:
        if post.kind != "speech":
            return None
        tried.append(post)
        return VenueError("unknown channel", lasting=True)

    stage.venue.fail = gone
    await stage.open()
    await stage.begin()
    await stage.time.advance(60)
    match = stage.match()
    assert (match.status, match.reason) == (Status.CANCELLED, "thread_lost")
    assert len(tried) <= 2


async def test_a_match_that_stood_still_for_a_day_is_cancelled(stage: Stage) -> None:
    assert stage.host is not None
    await stage.open()
    await stage.begin()
    await stage.time.advance(12)
    await stage.host.tell("m1", c.Pause(at=0, wall=stage.time.wall(), by="ann"))
    stage.time.jump(24 * 3600 - 60)
    await stage.time.advance(55)
    assert stage.match().status is Status.RUNNING
    await stage.time.advance(10)
    assert (stage.match().status, stage.match().reason) == (Status.CANCELLED, "stopped_too_long")


async def test_a_pause_shifts_what_is_due_by_exactly_its_length(stage: Stage) -> None:
    assert stage.host is not None
    await stage.open()
    await stage.begin()
    await stage.time.advance(12)
    await stage.host.tell("m1", c.Pause(at=0, wall=stage.time.wall(), by="ann", why="tea"))
    await stage.time.advance(300)
    assert len(stage.match().rounds[0].turns) == 1
    await stage.host.tell("m1", c.Resume(at=0, wall=stage.time.wall(), by="ann"))
    await stage.time.advance(7.9)
    assert len(stage.match().rounds[0].turns) == 1
    await stage.time.advance(0.2)
    turns = stage.match().rounds[0].turns
    assert len(turns) == 2
    assert turns[1].opened_at - turns[0].closed_at == 10_000
    assert stage.match().pauses[0].wall_ms == 300_000


async def test_an_expired_lobby_fills_with_ais_and_starts(stage: Stage) -> None:
    await stage.open(lobby_until=stage.time.wall() + 30_000)
    await stage.time.advance(29)
    assert stage.match().status is Status.LOBBY
    await stage.time.advance(2)
    assert stage.match().status is Status.RUNNING


async def test_sound_comes_later_and_may_even_come_when_the_match_is_over() -> None:
    stage = Stage(sound=Beeps(silent=False))
    await stage.up()
    match = await play_virtual(stage)
    clips = [part.clip for turn in match.rounds[0].turns for part in turn.parts]
    assert all(clip is not None for clip in clips)


async def test_speed_makes_the_match_clock_run_faster_than_the_wall(stage: Stage) -> None:
    await stage.open(speed=20.0)
    await stage.begin()
    await stage.time.advance(98 / 20 + 0.1)
    match = stage.match()
    assert match.status is Status.FINISHED
    assert match.started_at is not None and match.finished_at is not None
    assert 97_900 <= match.finished_at - match.started_at <= 98_100


async def test_a_stamp_from_a_clock_that_is_ahead_counts_as_now(stage: Stage) -> None:
    assert stage.host is not None
    await with_person(stage)
    await until_open(stage, "P0")
    now = stage.host.now("m1") or 0
    said = c.Speak(at=0, seat="P0", person="ann", text="From the future.")
    await stage.host.tell("m1", said, wall=stage.time.wall() + 60_000)
    assert stage.match().now == now


async def test_a_clip_is_added_to_its_own_speech_once_that_is_delivered() -> None:
    stage = Stage(sound=Beeps(silent=False))
    await stage.up()
    stage.venue.takes_s = lambda post: 4.0 if post.kind == "speech" else 0.0
    await stage.open()
    await stage.begin()
    await stage.time.advance(13)
    assert stage.venue.attached == []
    await stage.time.advance(200)
    ids = {post.mark: str(at) for at, post in enumerate(stage.venue.posted, 1) if post.kind == "speech"}
    assert stage.venue.attached == [(ids[f"speech:1:{n}:0"], f"clips/r1-t{n:02d}.ogg") for n in range(1, 9)]


async def waiting_for_clips(takes_s: dict[int, float], *, silent: bool = False) -> tuple[Stage, dict[int, float]]:
    """A stage at a venue that waits for clips, which take so long by slot, and when each speech was shown, in seconds
    after its turn."""
    sound = Beeps(silent=silent)
    stage = Stage(sound=sound)
    stage.venue.clip_wait_s = 2.0
    sound.takes = lambda n: stage.time.sleep(takes_s.get(n, 0.0))
    shown: dict[int, float] = {}
    post = stage.venue.post

    async def noting(thread: str | None, row: PostRow, id: str | None, clip: Clip | None = None) -> Delivered:
        if row.kind == "speech" and row.mark is not None:
            n = int(row.mark.split(":")[2])
            part = stage.match().part(1, n, 0)
            assert part is not None
            shown[n] = (stage.time.wall() - part.at) / 1000
        return await post(thread, row, id, clip)

    stage.venue.post = noting  # type: ignore[method-assign]
    await stage.up()
    return stage, shown


def sounds(stage: Stage) -> dict[str, str]:
    """The clip of each post by its mark."""
    return {stage.venue.posted[int(id) - 1].mark or "": file for id, file in stage.venue.sounds.items()}


async def test_a_clip_that_is_ready_in_time_is_one_message_with_its_speech() -> None:
    stage, shown = await waiting_for_clips({1: 0.0, 2: 1.5, 3: 2.5, 4: 1.9})
    await stage.open()
    await stage.begin()
    await stage.time.advance(200)
    assert stage.match().status is Status.FINISHED
    assert shown == pytest.approx({1: 0.0, 2: 1.5, 3: 2.0, 4: 1.9, 5: 0.0, 6: 0.0, 7: 0.0, 8: 0.0}, abs=0.01)
    assert sounds(stage) == {f"speech:1:{n}:0": f"clips/r1-t{n:02d}.ogg" for n in range(1, 9)}
    assert [file for _, file in stage.venue.attached] == ["clips/r1-t03.ogg"]
    assert stage.venue.asked_to_attach == 1


async def test_a_speech_does_not_wait_for_sound_that_will_not_come() -> None:
    stage, shown = await waiting_for_clips({1: 0.5, 2: 9.0}, silent=True)
    await stage.open()
    await stage.begin()
    await stage.time.advance(200)
    assert [shown[n] for n in (1, 2, 3)] == pytest.approx([0.5, 2.0, 0.0], abs=0.01)
    assert stage.venue.sounds == {}


async def test_no_speech_waits_where_sound_is_off_or_the_clock_is_virtual() -> None:
    for more in ({"sound": False}, {"speed": VIRTUAL}):
        stage, shown = await waiting_for_clips(dict.fromkeys(range(1, 9), 60.0))
        await stage.open(**more)  # type: ignore[arg-type]
        await stage.begin()
        await stage.time.advance(0 if "speed" in more else 200)
        assert len(shown) == 8
        assert "sound" not in more or max(shown.values()) < 0.01


async def test_what_play_waits_for_is_never_held_up_by_a_clip() -> None:
    """At twenty times the speed a person's prompt is due half a second after the AI's speech."""
    stage, _ = await waiting_for_clips(dict.fromkeys(range(1, 9), 60.0))
    assert stage.host is not None
    await stage.open(speed=20.0)
    await stage.host.tell("m1", c.Join(at=0, person="ann", seat="P0"))
    await stage.begin()
    for _ in range(400):
        await stage.time.advance(0.05)
        if stage.match().awaits_person:
            await stage.host.tell("m1", c.Speak(at=0, seat="P0", person="ann", text="Here."))
        if stage.match().over:
            break
    assert stage.match().status is Status.FINISHED
    for turn in stage.match().rounds[0].turns:
        assert turn.outcome is Outcome.SAID
    entry = stage.match().rounds[0]
    gaps = [later.opened_at - turn.closed_at for turn, later in pairwise(entry.turns)]
    assert max(gaps) < 10_000 + 20 * 60  # the pace, and at most a step of this test


async def test_speeches_that_pile_up_wait_no_longer_than_one() -> None:
    stage, shown = await waiting_for_clips(dict.fromkeys(range(1, 9), 60.0))
    await stage.open(speed=20.0)
    await stage.begin()
    await stage.time.advance(30)
    assert len(shown) == 8
    assert max(shown.values()) <= 20 * 2.0  # two seconds of wall time


async def test_the_votes_of_a_round_build_up_one_message_where_a_venue_can_edit(stage: Stage) -> None:
    onto: list[str | None] = []
    post = stage.venue.post

    async def noting(thread: str | None, row: PostRow, id: str | None, clip: Clip | None = None) -> Delivered:
        if row.kind == "reveal":
            onto.append(id)
        return await post(thread, row, id)

    stage.venue.post = noting  # type: ignore[method-assign]
    await play_virtual(stage)
    reveals = [str(at) for at, row in enumerate(stage.venue.posted, 1) if row.kind == "reveal"]
    assert onto == [None, reveals[0], reveals[1]]


@pytest.mark.parametrize("arrived", [True, False])
async def test_a_post_left_in_doubt_by_an_error_is_looked_for_before_it_is_sent_again(
    stage: Stage, arrived: bool
) -> None:
    """And not sent while nobody can look; a vote that was edited into its message is not taken for it."""
    post, look = stage.venue.post, stage.venue.newest_ours
    asked: list[str | None] = []
    tried: list[int] = []

    async def unsure(thread: str | None, row: PostRow, onto: str | None, clip: Clip | None = None) -> Delivered:
        tried.append(row.n)
        if tried.count(row.n) > 1 or row.kind not in ("speech", "verdict"):
            if onto is not None:
                return Delivered(onto, stage.time.wall())
            return await post(thread, row, onto, clip)
        if arrived:
            await post(thread, row, onto, clip)
        raise VenueError("no answer", doubtful=True)

    async def blind_at_first(thread: str | None, after: str | None) -> Delivered | None:
        asked.append(after)
        if len(asked) == 1:
            raise VenueError("503")
        return await look(thread, after)

    stage.venue.post, stage.venue.newest_ours = unsure, blind_at_first  # type: ignore[method-assign]
    await stage.open()
    await stage.begin()
    await stage.time.advance(300)
    assert stage.match().status is Status.FINISHED
    doubtful = [row.n for row in stage.venue.posted if row.kind in ("speech", "verdict")]
    assert len(doubtful) == len(set(doubtful)) == 9
    assert [tried.count(n) for n in doubtful] == [1 if arrived else 2] * 9
    assert len(asked) == 10, "each once, and once more after looking failed"
    rows = {row.n: row for row in await stage.store.posts("m1")}
    assert all(row.state == "delivered" for row in rows.values())
    assert len({rows[n].platform_id for n in doubtful}) == 9
