"""What people can do, through the real host on fake ports: rights, answers, repeated deliveries, motions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from bot.actions import control, seats, speak, vote
from bot.actions.actor import Actor, Reply
from bot.actions.permissions import TABLE, Right
from bot.actions.services import Services
from bot.actions.start import LONGEST_MOTION, Wish, begin, find_motion, start
from bot.catalogue import load_catalogue
from bot.host.ports import StoreError
from bot.messages.words import words
from bot.rules.formats import load_format
from bot.rules.match import Match, Status
from bot.rules.motion import Motion
from bot.rules.rejection import Rejection
from tests.fakes import CAST, Stage

HOST, STRANGER, DEBATER, JUDGE = "host", "eve", "ann", "jo"


def actor(person: str, *, community: str = "club", moderator: bool = False, key: str | None = None) -> Actor:
    return Actor(community=community, person=person, moderator=moderator, key=key)


async def served() -> tuple[Stage, Services]:
    stage = Stage()
    host = await stage.up()
    return stage, Services(host, words(), load_catalogue().motions, CAST)


async def opened(services: Services, **wish: object) -> str:
    reply = await start(services, actor(HOST), Wish(format=load_format("duel"), **wish))  # type: ignore[arg-type]
    assert reply.ok and reply.match is not None, reply.text
    return reply.match.id


async def running(stage: Stage, services: Services) -> str:
    """A duel with a person debating and a person judging, in its first slot."""
    match_id = await opened(services)
    assert (await seats.join(services, actor(DEBATER), match_id, "debater")).ok
    assert (await seats.join(services, actor(JUDGE), match_id, "judge")).ok
    assert (await begin(services, actor(HOST), match_id)).ok
    return match_id


# ------------------------------------------------------------------------------------------------- rights

Deed = Callable[[Services, Actor, str], Awaitable[Reply]]
DEEDS: dict[str, Deed] = {
    "pause": control.pause,
    "resume": control.resume,
    "skip": control.skip,
    "void": control.void,
    "cancel": control.cancel,
    "replace": lambda services, who, match: seats.replace(services, who, match, "P0"),
    "begin": begin,
}


def test_the_table_of_rights_covers_what_is_tried_here() -> None:
    of_matches = {name for name, right in TABLE.items() if right not in (Right.ANYONE, Right.STARTER)}
    assert of_matches - {"setup", "block", "words"} == set(DEEDS)  # those three: test_setup


@pytest.mark.parametrize("deed", sorted(DEEDS))
@pytest.mark.parametrize("person", [STRANGER, DEBATER, JUDGE])
async def test_who_has_no_right_is_refused_in_words_and_nothing_changes(deed: str, person: str) -> None:
    stage, services = await served()
    match_id = await running(stage, services)
    before = stage.match(match_id)
    reply = await DEEDS[deed](services, actor(person), match_id)
    assert (reply.ok, reply.code) == (False, "not_allowed")
    assert TABLE[deed].value in reply.text
    assert stage.match(match_id) == before


@pytest.mark.parametrize("deed", sorted(DEEDS))
@pytest.mark.parametrize("who", ["host", "moderator"])
async def test_who_has_the_right_is_let_through(deed: str, who: str) -> None:
    stage, services = await served()
    match_id = await running(stage, services)
    someone = actor(HOST) if who == "host" else actor("mod", moderator=True)
    reply = await DEEDS[deed](services, someone, match_id)
    assert (reply.code == "not_allowed") == (who == "host" and TABLE[deed] is Right.MODERATOR)


@pytest.mark.parametrize("deed", sorted(DEEDS))
async def test_a_moderator_of_another_community_does_not_even_see_the_match(deed: str) -> None:
    stage, services = await served()
    match_id = await running(stage, services)
    reply = await DEEDS[deed](services, actor("mod", community="elsewhere", moderator=True), match_id)
    assert reply.code == "no_such_match"


async def test_seats_kept_for_ais_and_a_market_are_passed_on() -> None:
    stage, services = await served()
    match_id = await opened(services, ai_seats=("P1",), market=True)
    assert (stage.match(match_id).reserved, stage.match(match_id).market) == (("P1",), True)
    reply = await seats.join(services, actor(DEBATER), match_id, seat="P1")
    assert (reply.ok, reply.code) == (False, "seat_for_ai")
    refused = await start(services, actor(HOST), Wish(format=load_format("duel"), ai_seats=("P9",)))
    assert (refused.ok, refused.code) == (False, "no_such_seat")


async def test_who_begins_when_the_house_is_full_is_told_the_number_in_line() -> None:
    stage = Stage()
    stage.capacity = 1
    services = Services(await stage.up(), words(), load_catalogue().motions, CAST)
    ids = [await opened(services) for _ in range(3)]
    replies = [await begin(services, actor(HOST, key=match_id), match_id) for match_id in ids]
    assert [reply.ok for reply in replies] == [True] * 3
    assert replies[0].text == "The debate begins."
    assert "number 1 in line" in replies[1].text and "number 2 in line" in replies[2].text
    again = await begin(services, actor(HOST, key=ids[2]), ids[2])
    assert again.text == replies[2].text  # the same delivery, repeated
    late = await begin(services, actor(HOST), ids[2])
    assert (late.ok, late.code) == (False, "already_queued")


# ------------------------------------------------------------------------------------------------- answers


async def test_a_whole_turn_is_joined_called_and_spoken() -> None:
    stage, services = await served()
    match_id = await running(stage, services)
    for _ in range(200):
        if stage.match(match_id).awaits_person:
            break
        await stage.time.advance(0.5)
    long = await speak.speak(services, actor(DEBATER), match_id, "x" * 501)
    assert not long.ok
    assert "501" in long.text and "500" in long.text
    said = await speak.speak(services, actor(DEBATER), match_id, "x" * 500)
    assert said.ok
    again = await speak.speak(services, actor(DEBATER), match_id, "and another thing")
    assert (again.ok, again.code) == (False, "no_slot_open")


async def test_who_has_no_seat_is_told_so() -> None:
    stage, services = await served()
    match_id = await running(stage, services)
    for reply in (
        await speak.speak(services, actor(STRANGER), match_id, "hello"),
        await speak.withdraw(services, actor(STRANGER), match_id),
        await speak.done(services, actor(STRANGER), match_id),
        await vote.vote(services, actor(STRANGER), match_id, "pro"),
        await seats.leave(services, actor(STRANGER), match_id),
    ):
        assert (reply.ok, reply.code) == (False, "not_seated")


async def test_a_repeated_delivery_is_answered_as_the_first_time_and_counts_once() -> None:
    _, services = await served()
    match_id = await opened(services)
    first = await seats.join(services, actor(DEBATER, key="click-1"), match_id)
    second = await seats.join(services, actor(DEBATER, key="click-1"), match_id)
    assert (second.text, second.code) == (first.text, "repeated")
    other = await seats.join(services, actor(DEBATER, key="click-2"), match_id)
    assert other.code == "already_seated"


async def test_a_repeated_start_opens_one_match() -> None:
    stage, services = await served()
    wish = Wish(format=load_format("duel"))
    first = await start(services, actor(HOST, key="command-1"), wish)
    second = await start(services, actor(HOST, key="command-1"), wish)
    assert second.text == first.text
    assert len(await stage.store.matches()) == 1


async def test_trouble_with_the_store_is_an_answer_and_not_a_crash() -> None:
    stage, services = await served()
    match_id = await opened(services)
    stage.store.trouble = StoreError("busy")
    reply = await seats.join(services, actor(DEBATER), match_id)
    assert (reply.ok, reply.code) == (False, "store_trouble")
    stage.store.trouble = None
    assert (await seats.join(services, actor(DEBATER), match_id)).ok


async def test_the_host_leaving_hands_the_match_on() -> None:
    stage, services = await served()
    match_id = await running(stage, services)
    assert (await seats.leave(services, actor(HOST), match_id)).ok
    assert stage.match(match_id).host == DEBATER
    assert (await control.pause(services, actor(DEBATER), match_id)).ok


async def test_cancel_works_in_the_lobby_and_in_play() -> None:
    stage, services = await served()
    for make in (opened, lambda services: running(stage, services)):
        match_id = await make(services)
        assert (await control.cancel(services, actor(HOST), match_id, "rain")).ok
        assert stage.match(match_id).status is Status.CANCELLED
        assert (await seats.join(services, actor("late"), match_id)).code == "match_over"


# ------------------------------------------------------------------------------------------------- motions

POOL = load_catalogue().motions


@pytest.mark.parametrize(
    "text",
    [
        "ai-jobs",
        "AI-JOBS",
        "AI will replace more jobs than it creates",
        "  ai will replace more jobs than it creates. ",
    ],
)
def test_a_built_in_motion_is_found_by_id_or_text(text: str) -> None:
    found = find_motion(POOL, text)
    assert isinstance(found, Motion) and found.id == "ai-jobs"


def test_a_sentence_is_a_motion_of_ones_own() -> None:
    found = find_motion(POOL, "Cats should  rule\nthe world")
    assert isinstance(found, Motion)
    assert (found.id, found.text) == (None, "Cats should rule the world")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "motion_blank"),
        ("\u200b \u3164", "motion_blank"),
        ("ai-job", "motion_near"),
        ("qqqqqq", "motion_unknown"),
        ("word " * 60, "motion_long"),
    ],
)
def test_what_is_no_motion_is_refused(text: str, code: str) -> None:
    found = find_motion(POOL, text)
    assert isinstance(found, Rejection) and found.code == code
    assert words().refusal(found)


def test_the_longest_motion_fits_exactly() -> None:
    text = "a " + "b" * (LONGEST_MOTION - 2)
    assert isinstance(find_motion(POOL, text), Motion)
    assert isinstance(find_motion(POOL, text + "b"), Rejection)


async def test_forced_motions_are_played_first_and_a_bad_one_opens_nothing() -> None:
    stage, services = await served()
    match_id = await opened(services, motions=("Cats should rule the world",))
    await begin(services, actor(HOST), match_id)
    match: Match = stage.match(match_id)
    assert match.rounds[0].motion.text == "Cats should rule the world"
    count = len(await stage.store.matches())
    reply = await start(services, actor(HOST), Wish(format=load_format("duel"), motions=("nonsense",)))
    assert not reply.ok
    assert len(await stage.store.matches()) == count
