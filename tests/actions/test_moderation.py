"""A community's policy, held to by every action, and what moderators do about it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from bot.actions import control, report, seats, setup, speak, vote
from bot.actions.actor import Actor, Reply
from bot.actions.services import Services
from bot.actions.start import Wish, begin, start
from bot.catalogue import load_catalogue
from bot.community.policy import Policies, Policy
from bot.host.ports import StoreError
from bot.messages.card import person_token
from bot.messages.words import words
from bot.rules.formats import load_format
from bot.rules.match import Match, Status
from bot.rules.match import Stage as SlotStage
from bot.rules.tempo import Tempo
from tests.community.kept import Kept
from tests.fakes import CAST, Stage

MANY = (*CAST, *(type(CAST[0])(persona=f"more-{n}", name=f"More {n}", model="house") for n in range(14)))
MOD = Actor(community="club", person="mod", moderator=True)
HOST, ANN, JO, EVE = (Actor(community="club", person=person) for person in ("host", "ann", "jo", "eve"))


async def served(**policy: Any) -> tuple[Stage, Services, Kept]:
    stage = Stage()
    host = await stage.up()
    kept = Kept(stage.store)
    policies = Policies(kept)
    if policy:
        assert isinstance(await policies.change("club", **policy), Policy)
    return stage, Services(host, words(), load_catalogue().motions, MANY, policies), kept


def wish(**more: Any) -> Wish:
    return Wish(format=load_format("duel"), **more)


async def opened(services: Services, who: Actor = HOST, **more: Any) -> Match:
    reply = await start(services, who, wish(**more))
    assert reply.match is not None, reply.text
    return reply.match


async def floor(stage: Stage, services: Services) -> str:
    """A duel in which Ann has the floor and Jo judges."""
    match_id = (await opened(services)).id
    assert (await seats.join(services, ANN, match_id, "debater")).ok
    assert (await seats.join(services, JO, match_id, "judge")).ok
    assert (await begin(services, HOST, match_id)).ok
    for _ in range(200):
        if stage.match(match_id).awaits_person:
            return match_id
        await stage.time.advance(0.5)
    raise AssertionError("nobody was called")


# ------------------------------------------------------------------------------------------------- starting


@pytest.mark.parametrize(
    ("policy", "who", "code"),
    [
        ({}, HOST, "done"),
        ({"who_may_start": "moderators"}, HOST, "not_allowed"),
        ({"who_may_start": "moderators"}, MOD, "done"),
        ({"who_may_start": "roles", "starter_roles": ("7",)}, HOST, "starter_roles_only"),
        ({"who_may_start": "roles", "starter_roles": ("7",)}, Actor("club", "x", roles=frozenset("7")), "done"),
        ({"who_may_start": "roles", "starter_roles": ("7",)}, MOD, "done"),
        ({"channels": ("1",)}, HOST, "wrong_channel"),
        ({"channels": ("1",)}, Actor("club", "x", channel="1"), "done"),
        ({"channels": ("1",)}, Actor("club", "x", channel="2"), "wrong_channel"),
        ({"blocked_people": ("host",)}, HOST, "blocked"),
        ({"blocked_people": ("host",)}, Actor("elsewhere", "host"), "done"),
    ],
)
async def test_who_may_start_and_where(policy: dict[str, Any], who: Actor, code: str) -> None:
    stage, services, _ = await served(**policy)
    reply = await start(services, who, wish())
    assert reply.code == code, reply.text
    assert len(await stage.store.matches()) == (1 if code == "done" else 0)


async def test_a_person_hosts_as_many_as_they_may_and_again_when_one_is_over() -> None:
    _, services, _ = await served()
    first = await opened(services)
    assert (await start(services, HOST, wish())).code == "you_host_enough"
    assert (await start(services, ANN, wish())).ok
    await control.cancel(services, HOST, first.id)
    assert (await start(services, HOST, wish())).ok


async def test_a_community_is_full_at_some_time() -> None:
    _, services, _ = await served(most_live=2)
    await opened(services, HOST)
    await opened(services, ANN)
    assert (await start(services, JO, wish())).code == "community_is_full"
    assert (await start(services, Actor("elsewhere", "jo"), wish())).ok


async def test_two_starts_at_once_do_not_both_get_the_last_place() -> None:
    stage, services, _ = await served()
    replies = await asyncio.gather(*(start(services, HOST, wish()) for _ in range(5)))
    assert sorted(reply.code for reply in replies) == ["done", *["you_host_enough"] * 4]
    assert len(await stage.store.matches()) == 1


async def test_a_repeated_start_is_answered_as_the_first_time() -> None:
    _, services, _ = await served()
    who = Actor("club", "host", key="click")
    first, second = await asyncio.gather(start(services, who, wish()), start(services, who, wish()))
    third = await start(services, who, wish())
    assert {first.code, second.code, third.code} == {"done", "repeated"}
    assert first.text == second.text == third.text


async def test_what_the_wish_leaves_open_is_as_the_community_has_it() -> None:
    _, services, _ = await served(default_tempo="blitz", judges=5, sound=False, school=True)
    match = await opened(services, market=True)
    assert (match.tempo, len(match.judges), match.sound, match.market) == (Tempo.BLITZ, 5, False, False)
    other = await opened(services, ANN, tempo=Tempo.STANDARD, judges=1, lobby_s=30)
    assert (other.tempo, len(other.judges)) == (Tempo.STANDARD, 1)
    assert (match.lobby_until, other.lobby_until) == (None, other.opened_at + 30_000)


async def test_a_motion_with_a_blocked_word_is_handed_back() -> None:
    stage, services, _ = await served(blocked_words=("bad",))
    reply = await start(services, HOST, wish(motions=("This house is b.a.d",)))
    assert reply.code == "word_blocked" and "This house is b.a.d" in reply.text
    assert await stage.store.matches() == []


async def test_without_policies_everything_is_allowed() -> None:
    stage, services, _ = await served()
    free = Services(services.host, words(), services.motions, CAST)
    for _ in range(3):
        assert (await start(free, HOST, wish(market=True))).ok
    assert len(await stage.store.matches()) == 3
    assert (await setup.show(free, MOD)).code == "no_settings_here"


async def test_trouble_with_the_store_is_an_answer() -> None:
    _, services, kept = await served()
    kept.trouble = StoreError("busy")
    for reply in (
        await start(services, HOST, wish()),
        await seats.join(services, ANN, "m"),
        await setup.show(services, MOD),
        await setup.change(services, MOD, sound=False),
        (await report.report(services, ANN, "m", "match"))[0],
    ):
        assert reply.code == "store_trouble"


# ------------------------------------------------------------------------------------------------- playing


async def test_a_turn_with_a_blocked_word_is_handed_back_and_stays_open() -> None:
    stage, services, _ = await served(blocked_words=("bad",))
    match_id = await floor(stage, services)
    reply = await speak.speak(services, ANN, match_id, "You are B A D.")
    assert reply.code == "word_blocked"
    assert "You are B A D." in reply.text and " s left" in reply.text
    slot = stage.match(match_id).slot
    assert slot is not None and slot.stage is SlotStage.OPEN and slot.parts == ()
    assert (await speak.speak(services, ANN, match_id, "You are mistaken.")).ok


async def test_reasons_of_all_kinds_pass_the_word_list() -> None:
    stage, services, _ = await served(blocked_words=("bad",))
    match_id = await floor(stage, services)
    for reply in (
        await vote.vote(services, JO, match_id, "pro", "con was bad"),
        await control.pause(services, HOST, match_id, "bad air"),
        await control.cancel(services, HOST, match_id, "bad air"),
    ):
        assert reply.code == "word_blocked"
    assert stage.match(match_id).status is Status.RUNNING
    assert (await control.pause(services, HOST, match_id, "stale air")).ok


async def test_who_is_blocked_can_only_let_go() -> None:
    stage, services, _ = await served()
    match_id = await floor(stage, services)
    await services.policies.change("club", blocked_people=("ann", "jo", "eve", "host"))  # type: ignore[union-attr]
    for reply in (
        await speak.speak(services, ANN, match_id, "Hello."),
        await vote.vote(services, JO, match_id, "pro"),
        await seats.join(services, EVE, match_id),
        await seats.reclaim(services, EVE, match_id),
        await control.pause(services, HOST, match_id),
    ):
        assert reply.code == "blocked"
    assert (await speak.withdraw(services, ANN, match_id)).ok
    assert (await seats.leave(services, JO, match_id)).ok


async def test_more_time_and_blocked_personas_reach_the_match() -> None:
    blocked = tuple(holder.persona or "" for holder in MANY[:10])
    stage, services, _ = await served(extra_time={"ann": 2.0}, blocked_personas=blocked)
    match_id = await floor(stage, services)
    match = stage.match(match_id)
    seat = match.seat_of("ann")
    assert seat is not None and seat.extra_time == 2.0
    cast = [seat.holder for seat in match.seats.values()] + list(match.spare)
    assert not {holder.persona for holder in cast if holder is not None} & set(blocked)


# ------------------------------------------------------------------------------------------------- setting up

DEEDS: dict[str, Callable[[Services, Actor], Awaitable[Reply]]] = {
    "show": setup.show,
    "change": lambda services, who: setup.change(services, who, sound=False),
    "include": lambda services, who: setup.include(services, who, "channels", "1"),
    "extra_time": lambda services, who: setup.extra_time(services, who, "ann", 2),
    "block": lambda services, who: setup.block(services, who, "eve"),
    "unblock": lambda services, who: setup.unblock(services, who, "eve"),
    "words_add": lambda services, who: setup.words_add(services, who, "bad"),
    "words_remove": lambda services, who: setup.words_remove(services, who, "bad"),
    "words_list": setup.words_list,
}


@pytest.mark.parametrize("deed", sorted(DEEDS))
async def test_only_moderators_set_up(deed: str) -> None:
    _, services, kept = await served()
    reply = await DEEDS[deed](services, HOST)
    assert reply.code == "not_allowed" and kept.texts == {}
    assert (await DEEDS[deed](services, MOD)).code != "not_allowed"


async def test_every_setting_is_shown_in_words_by_default_and_when_set() -> None:
    _, services, _ = await served()
    shown = await setup.show(services, MOD)
    assert len(shown.text.splitlines()) == len(Policy.model_fields)
    every: tuple[dict[str, Any], ...] = (
        {"channels": ("1", "2"), "report_channel": "3", "starter_roles": ("4",), "extra_time": {"ann": 1.5}},
        {"default_tempo": Tempo.BLITZ, "judges": 3, "sound": False, "lobby_minutes": 0, "out_of_turn": "remove"},
        {"blocked_words": ("slur",), "blocked_people": ("eve",), "blocked_personas": ("persona-00",), "school": True},
    )
    for changes in every:
        changed = await setup.change(services, MOD, channel=lambda id: f"#{id}", role=lambda id: f"@{id}", **changes)
        assert changed.ok and len(changed.text.splitlines()) == len(changes)
    text = (await setup.show(services, MOD, channel=lambda id: f"#{id}", role=lambda id: f"@{id}")).text
    for part in (
        "#1, #2",
        "#3",
        "@4",
        "Persona 0",
        person_token("eve"),
        f"{person_token('ann')} (1.5 times)",
        "1 blocked",
    ):
        assert part in text
    assert "slur" not in text
    assert (await setup.change(services, MOD, judges=3)).text == words()("setup.unchanged")


@pytest.mark.parametrize("field", sorted(Policy.model_fields))
async def test_a_bad_value_of_any_setting_is_refused_in_words(field: str) -> None:
    _, services, kept = await served()
    bad: dict[str, Any] = {field: object()}
    reply = await setup.change(services, MOD, **bad)
    assert reply.code == "bad_setting" and words().template(f"setup.name.{field}") in reply.text
    assert kept.texts == {}


async def test_items_are_put_on_lists_and_taken_off() -> None:
    _, services, _ = await served()
    await asyncio.gather(*(setup.include(services, MOD, "channels", str(n)) for n in range(5)))
    await setup.include(services, MOD, "channels", "3", present=False)
    assert services.policies is not None
    assert (await services.policies.get("club")).channels == ("0", "1", "2", "4")
    assert (await setup.include(services, MOD, "judges", "3")).code == "no_such_setting"


async def test_enough_ais_must_be_left() -> None:
    _, services, _ = await served()
    everyone = tuple(holder.persona for holder in MANY)
    assert (await setup.change(services, MOD, blocked_personas=everyone)).code == "too_many_personas_blocked"
    assert (await setup.change(services, MOD, blocked_personas=everyone[:5])).ok
    assert (await setup.change(services, MOD, judges=15, blocked_personas=everyone[:8])).code != "done"


async def test_who_is_blocked_loses_the_seat_and_the_match_goes_on() -> None:
    stage, services, _ = await served()
    match_id = await floor(stage, services)
    lobby = (await opened(services, ANN)).id
    assert (await seats.join(services, JO, lobby)).ok
    assert (await setup.block(services, MOD, "ann")).ok
    assert stage.match(lobby).host == "jo", "a lobby goes to who sits there"
    assert (await setup.block(services, MOD, "jo")).ok
    assert stage.match(match_id).seat_of("ann") is None
    assert stage.match(match_id).seat_of("jo") is None
    gone = await services.host.state(lobby)
    assert gone is not None and gone.status is Status.CANCELLED, "and ends with its last host"
    assert stage.match(match_id).status is Status.RUNNING
    assert (await setup.block(services, MOD, "ann")).code == "blocked_already"
    assert (await setup.block(services, MOD, "mod")).code == "block_yourself"
    assert (await setup.unblock(services, MOD, "ann")).ok
    assert (await setup.unblock(services, MOD, "ann")).code == "not_blocked"
    assert (await seats.reclaim(services, ANN, match_id)).ok


async def test_words_are_added_listed_and_removed() -> None:
    _, services, _ = await served()
    assert (await setup.words_list(services, MOD)).text == words()("reply.no_words")
    assert (await setup.words_add(services, MOD, " kill   yourself ")).ok
    assert (await setup.words_add(services, MOD, "kill yourself")).code == "pattern_known"
    assert (await setup.words_add(services, MOD, "*")).code == "pattern_bare"
    assert (await setup.words_add(services, MOD, "x" * 61)).code == "pattern_long"
    assert "kill yourself" in (await setup.words_list(services, MOD)).text
    assert (await setup.words_remove(services, MOD, "kill yourself")).ok
    assert (await setup.words_remove(services, MOD, "kill yourself")).code == "pattern_unknown"
    await setup.change(services, MOD, blocked_words=tuple(f"word{n}" for n in range(200)))
    assert (await setup.words_add(services, MOD, "one more")).code == "patterns_full"


# ------------------------------------------------------------------------------------------------- reporting


async def test_a_turn_is_reported_with_who_said_it() -> None:
    stage, services, _ = await served(report_channel="9")
    match_id = await floor(stage, services)
    slot = stage.match(match_id).slot
    assert slot is not None
    where = (1, slot.plan.n)
    assert (await speak.speak(services, ANN, match_id, "You fool.")).ok
    reply, made = await report.report(services, EVE, match_id, "turn", where, " rude ")
    assert reply.ok and made is not None
    assert (made.by, made.about, made.name) == ("eve", "ann", person_token("ann"))
    assert (made.text, made.reason, made.seat) == ("You fool.", "rude", slot.plan.seat)
    again, none = await report.report(services, EVE, match_id, "turn", where)
    assert (again.code, none) == ("reported_already", None)
    assert report.undelivered(services, made).code == "report_undelivered"
    assert (await report.report(services, EVE, match_id, "turn", where))[0].ok


async def test_who_had_the_seat_then_is_named_and_not_who_has_it_now() -> None:
    stage, services, _ = await served(report_channel="9")
    match_id = await floor(stage, services)
    slot = stage.match(match_id).slot
    assert slot is not None
    assert (await speak.speak(services, ANN, match_id, "You fool.")).ok
    assert (await setup.block(services, MOD, "ann")).ok
    _, made = await report.report(services, EVE, match_id, "turn", (1, slot.plan.n))
    assert made is not None and made.about == "ann"


async def test_matches_and_motions_are_reported_too() -> None:
    _, services, _ = await served(report_channel="9")
    match_id = (await opened(services, motions=("Cats should rule the world",))).id
    for what in ("motion", "match"):
        reply, made = await report.report(services, EVE, match_id, what)
        assert reply.ok and made is not None
        assert (made.text, made.about, made.name) == ("Cats should rule the world", None, "")
    for what, where in (("turn", None), ("turn", (1, 1)), ("turn", (-1, 0, 5)), ("turn", (1,))):
        assert (await report.report(services, ANN, match_id, what, where))[0].code == "no_such_turn"
    assert (await report.report(services, ANN, match_id, "motion", (3,)))[0].code == "no_such_motion"
    assert (await report.report(services, ANN, match_id, "match", None, "x" * 501))[0].code == "reason_long"


async def test_without_a_channel_it_says_whom_to_ask() -> None:
    _, services, _ = await served()
    match_id = (await opened(services)).id
    reply, made = await report.report(services, EVE, match_id, "match")
    assert (reply.code, made) == ("no_report_channel", None)
    assert "moderator" in reply.text and match_id in reply.text
    stranger = Actor("elsewhere", "eve")
    assert (await report.report(services, stranger, match_id, "match"))[0].code == "no_such_match"


async def test_a_community_chooses_among_the_models_the_operator_allows() -> None:
    _, services, _ = await served()
    services = replace(services, models=("mini", "big"))
    assert (await setup.include(services, MOD, "models", "mini")).ok
    refused = await setup.include(services, MOD, "models", "huge")
    assert refused.code == "bad_setting" and "runs the bot allows" in refused.text
    fewer = replace(services, models=("big",))
    assert (await setup.include(fewer, MOD, "models", "big")).ok  # what was chosen earlier may stay
