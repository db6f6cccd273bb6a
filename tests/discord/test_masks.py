"""Whole matches in which AIs speak under their own names, by webhook."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.discord.fake import Message
from tests.discord.table import Table, running, table

ADDRESS = "https://example.org/faces/{persona}.png"
EXECUTE = ("POST", "/webhooks/*/*")


@pytest.fixture
async def seated(tmp_path: Path) -> AsyncIterator[Table]:
    """The table, without the bot."""
    async with table(tmp_path) as made:
        made.fake.admin.permit(made.channel, made.fake.world.bot, allow="manage_webhooks")
        yield made


@pytest.fixture
async def at(seated: Table) -> AsyncIterator[Table]:
    async with running(seated, discord_avatars=ADDRESS):
        yield seated


def speeches(at: Table, card: Message) -> list[Message]:
    """What was said, turn by turn: the messages with a byline and no title, which a vote has."""
    posts = at.fake.thread(card.id).posts
    return [one for one in posts if one.embeds and one.embeds[0].get("author") and not one.embeds[0].get("title")]


def in_their_names(at: Table, card: Message, record: dict[str, Any]) -> list[bool]:
    """Whether each speech of an AI came from its webhook. All are there, once, in order, and say who speaks."""
    seats = {seat["seat"]: seat for seat in record["seats"]}
    turns = [turn for entry in record["rounds"] for turn in entry["turns"]]
    posts = speeches(at, card)
    assert len(posts) == len(turns), at.fake.dump(card.id)
    told: list[bool] = []
    for turn, post in zip(turns, posts, strict=True):
        seat, line = seats[turn["seat"]], post.embeds[0]["author"]["name"]
        assert line.startswith(seat["seat"])
        if seat["kind"] == "human":
            assert post.shown_name is None and seat["name"] in line
            continue
        name = f"{seat['name']} (AI)"
        told.append(post.shown_name is not None)
        if post.shown_name is None:
            assert name in line and post.embeds[0]["author"]["icon_url"].startswith("attachment://")
        else:
            assert post.shown_name == name and name not in line and "icon_url" not in post.embeds[0]["author"]
            assert post.avatar_url is not None and post.avatar_url.startswith("https://example.org/faces/")
    assert told
    others = [post for post in at.fake.thread(card.id).posts if post not in posts]
    assert all(post.shown_name is None for post in others), "everything else is the bot's"
    return told


async def test_a_duel_in_the_names_of_the_ais(at: Table) -> None:
    card = await at.started([at.ann], [at.ben], format="duel")
    record = await at.played(card, [at.ann], [at.ben])
    assert all(in_their_names(at, card, record))
    assert len(at.fake.world.webhooks) == 1
    at.fake.assert_clean()


async def test_without_the_permission_the_bot_speaks_and_nobody_notices(at: Table) -> None:
    at.fake.admin.permit(at.channel, at.fake.world.bot)
    card = await at.started([at.ann], format="duel")
    record = await at.played(card, [at.ann])
    assert not any(in_their_names(at, card, record))
    assert len(at.fake.calls("GET", "/channels/*/webhooks")) == 1
    at.fake.assert_clean()


async def test_whatever_the_network_does_each_speech_is_there_once(at: Table) -> None:
    outcomes = ("500-after-success", "drop-after-success", 502, "drop")
    faults = [at.fake.fail(*EXECUTE, outcome) for outcome in outcomes]
    card = await at.started([at.ann], format="duel")
    record = await at.played(card, [at.ann])
    assert [fault.hits for fault in faults] == [1, 1, 1, 1]
    assert all(in_their_names(at, card, record))


async def test_a_webhook_that_is_deleted_in_the_middle_is_made_anew_and_then_not(at: Table) -> None:
    card = await at.started([at.ann], format="duel")
    playing = asyncio.create_task(at.played(card, [at.ann]))
    for said in (1, 2):
        await at.fake.wait_for(lambda: sum(one.shown_name is not None for one in speeches(at, card)) >= said)  # noqa: B023
        if said == 2:
            at.fake.admin.permit(at.channel, at.fake.world.bot)
        for webhook in list(at.fake.world.webhooks.values()):
            at.fake.admin.delete_webhook(webhook)
    told = in_their_names(at, card, await playing)
    assert told[:2] == [True, True] and told[-1] is False
    at.fake.assert_clean()


async def test_stopped_while_a_speech_is_under_way_it_is_there_once(seated: Table) -> None:
    """The message arrives after its sender is gone; the next process finds it and goes on in the same thread."""
    at = seated
    async with running(at, discord_avatars=ADDRESS):
        fault = at.fake.fail(*EXECUTE, delay=1.0)
        card = await at.started([at.ann], format="duel")
        playing = asyncio.create_task(at.played(card, [at.ann]))
        await at.fake.wait_for(lambda: fault.hits)
    assert not any(one.shown_name for one in speeches(at, card)) and at.fake.calls(*EXECUTE)[-1].status == 0, (
        "not there yet"
    )
    await at.fake.wait_for(lambda: any(one.shown_name for one in speeches(at, card)))
    async with running(at, discord_avatars=ADDRESS):
        record = await playing
        assert all(in_their_names(at, card, record))
        assert len(at.fake.world.webhooks) == 1
    at.fake.assert_clean()
