"""Policies: what broken storage does to them, changes that meet, and what they refuse."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.community.policy import KEY, Policies, Policy, cast_for
from bot.community.reports import HOUR_MS, MOST_AN_HOUR, Reported, Reports
from bot.rules.match import Holder
from bot.rules.rejection import Rejection
from bot.rules.tempo import Tempo
from tests.community.kept import Kept


def kept(policy: object) -> Kept:
    store = Kept()
    store.texts["club"] = json.dumps({KEY: policy})
    return store


async def test_a_community_that_chose_nothing_has_the_defaults() -> None:
    assert await Policies(Kept()).get("club") == Policy()


async def test_what_was_changed_is_there_after_a_restart() -> None:
    store = Kept()
    await Policies(store).change("club", default_tempo="blitz", channels=["1", "2", "1"], extra_time={"ann": 2})
    policy = await Policies(store).get("club")
    assert (policy.default_tempo, policy.channels, policy.extra_time) == (Tempo.BLITZ, ("1", "2"), {"ann": 2.0})


async def test_what_is_broken_or_unknown_is_left_out_and_the_rest_is_kept(caplog: pytest.LogCaptureFixture) -> None:
    store = kept({"judges": 99, "sound": False, "lobby_minutes": "soon", "blocked_words": ["*"], "later": 1})
    assert await Policies(store).get("club") == Policy(sound=False)
    assert "judges" in caplog.text and "later" in caplog.text


@pytest.mark.parametrize("broken", [None, 3, "x", []])
async def test_a_policy_that_is_none_at_all_is_the_default(broken: object) -> None:
    policies = Policies(kept(broken))
    assert await policies.get("club") == Policy()
    assert isinstance(await policies.change("club", sound=False), Policy)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(Policy.model_fields)) | st.text(), JSON))
def test_whatever_is_stored_makes_a_policy(stored: dict[str, Any]) -> None:
    assert isinstance(asyncio.run(Policies(kept(stored)).get("club")), Policy)


async def test_what_others_keep_there_stays() -> None:
    store = Kept()
    store.texts["club"] = json.dumps({"digest": "abc", KEY: {"later": 1, "sound": False}})
    await Policies(store).change("club", judges=5)
    assert json.loads(store.texts["club"]) == {"digest": "abc", KEY: {"later": 1, "sound": False, "judges": 5}}


async def test_changes_at_once_do_not_lose_one_another() -> None:
    store = Kept()
    policies = Policies(store)

    async def block(person: str) -> None:
        await policies.edit("club", lambda now: {"blocked_people": (*now.blocked_people, person)})

    people = [f"p{n}" for n in range(20)]
    await asyncio.gather(*(block(person) for person in people), policies.change("club", judges=7))
    policy = await Policies(store).get("club")
    assert sorted(policy.blocked_people) == sorted(people) and policy.judges == 7


async def test_it_is_read_once() -> None:
    store = Kept()
    policies = Policies(store)
    await asyncio.gather(*(policies.get("club") for _ in range(10)))
    assert store.reads == 1
    await policies.change("club", school=True)
    assert policies.known("club").school
    assert policies.known("elsewhere") == Policy()
    await policies.load(["elsewhere", "elsewhere", "club"])
    assert store.reads == 3


@pytest.mark.parametrize(
    "changes",
    [
        {"judges": 0},
        {"lobby_minutes": -1},
        {"default_format": "chess"},
        {"out_of_turn": "shout"},
        {"most_live": 10_000},
        {"blocked_words": ("ok word", "*")},
        {"extra_time": {"ann": 0.5}},
        {"report_channel": ""},
        {"channels": None},
    ],
)
async def test_a_bad_value_is_refused_and_nothing_changes(changes: dict[str, Any]) -> None:
    store = Kept()
    refusal = await Policies(store).change("club", sound=False, **changes)
    assert isinstance(refusal, Rejection) and refusal.code == "bad_setting"
    assert refusal.details["setting"] == next(iter(changes))
    assert store.texts == {}


async def test_an_unknown_setting_is_refused() -> None:
    refusal = await Policies(Kept()).change("club", colour="red")
    assert isinstance(refusal, Rejection) and refusal.code == "no_such_setting"


async def test_check_finds_a_blocked_word_and_hands_the_text_back() -> None:
    policies = Policies(Kept())
    await policies.change("club", blocked_words=("bad",))
    refusal = await policies.check("club", "B.A.D it is")
    assert refusal is not None and refusal.details["text"] == "B.A.D it is"
    assert await policies.check("club", "badminton") is None
    assert await policies.check("elsewhere", "bad") is None


def test_blocked_personas_are_not_cast() -> None:
    cast = [Holder(persona="a", name="A"), Holder(persona="b", name="B")]
    assert cast_for(Policy(blocked_personas=("a",)), cast) == (cast[1],)
    assert cast_for(None, cast) == tuple(cast)


def test_a_school_has_no_market() -> None:
    assert Policy(wagers=True).market
    assert not Policy(wagers=True, school=True).market
    assert not Policy(wagers=False).market


def test_a_thing_is_reported_once_and_few_things_an_hour() -> None:
    reports = Reports()
    things = [Reported("m1", "turn", (1, n)) for n in range(MOST_AN_HOUR + 1)]
    for thing in things[:-1]:
        assert reports.refusal("ann", thing, 0) is None
        reports.note("ann", thing, 0)
    again, more = reports.refusal("ann", things[0], HOUR_MS), reports.refusal("ann", things[-1], HOUR_MS - 1)
    assert again is not None and again.code == "reported_already"
    assert more is not None and more.code == "reports_used_up"
    assert reports.refusal("ann", things[-1], HOUR_MS) is None
    assert reports.refusal("bob", things[0], 0) is None
    reports.forget("ann", things[0])
    assert reports.refusal("ann", things[0], 1) is None
