"""AI speeches by webhook, where one can be had; by the bot where not; once in any case."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import discord
import pytest

from bot.host.ports import VenueError
from bot.messages.card import Card
from bot.venues.discord import masks, wire
from tests.discord.fake import Limits, Message
from tests.discord.fake.faults import Outcome
from tests.discord.fake.records import Webhook
from tests.venues_discord.test_venue import CLIP, INTRO, MATCH, QUILL, SPEECH, Stage, staged

ADDRESS = "https://example.org/faces/{persona}.png"
EXECUTE = "/webhooks/*/*"
LISTING = "/channels/*/webhooks"


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with staged(tmp_path) as ready:
        ready.fake.admin.permit(ready.channel, ready.fake.world.bot, allow="manage_webhooks")
        ready.avatars = ADDRESS
        await ready.restarted()
        await ready.post(1, INTRO)
        yield ready


def hooks(stage: Stage) -> list[Webhook]:
    return list(stage.fake.world.webhooks.values())


def masked(message: Message) -> bool:
    """Whether a message is the speech under the persona's name; else it must be the bot's own."""
    if message.shown_name is None:
        assert message.embeds[0]["author"]["name"] == "P1 Quill (AI) · 🔷 Pro · Opening"
        assert message.attachments[0].filename == "quill.png"
        return False
    assert (message.shown_name, message.avatar_url) == ("Quill (AI)", "https://example.org/faces/quill.png")
    author = message.embeds[0]["author"]
    assert author["name"] == "P1 · 🔷 Pro · Opening" and "icon_url" not in author
    assert all(one.filename != "quill.png" for one in message.attachments)
    return True


async def test_a_speech_is_said_under_the_personas_name_and_everything_else_by_the_bot(stage: Stage) -> None:
    said = await stage.post(2, SPEECH)
    person = QUILL.model_copy(update={"ai": False, "persona": None, "name": "Ann"})
    await stage.post(3, SPEECH.model_copy(update={"author": person}))
    await stage.post(4, Card(kind="reveal", title="Quill votes Pro", text="Because.", author=QUILL))
    await stage.post(5, SPEECH)
    assert [one.shown_name for one in stage.posts] == [None, "Quill (AI)", None, None, "Quill (AI)"]
    assert masked(stage.posts[1]) and str(stage.posts[1].id) == said.platform_id
    assert [one.name for one in hooks(stage)] == ["Rostrum"]
    assert len(stage.fake.calls("GET", LISTING)) == len(stage.fake.calls("POST", LISTING)) == 1
    await stage.restarted()
    await stage.post(6, SPEECH)
    assert masked(stage.posts[-1]) and len(hooks(stage)) == 1
    stage.fake.assert_clean()


async def test_speeches_ping_nobody_and_a_name_that_discord_does_not_take_is_no_mask(stage: Stage) -> None:
    nasty = f"@everyone <@{stage.ann.id}>"
    await stage.post(2, SPEECH.model_copy(update={"text": nasty, "footer": nasty}))
    for n, name in enumerate(("Clyde", "Discordia", "x" * 90), 3):
        await stage.post(n, SPEECH.model_copy(update={"author": QUILL.model_copy(update={"name": name})}))
    assert [one.shown_name for one in stage.posts[1:]] == ["Quill (AI)", None, None, None]
    assert not stage.fake.thread(stage.place.thread).pinged
    stage.fake.assert_clean()


async def test_only_a_webhook_of_ours_is_used(stage: Stage) -> None:
    theirs = stage.fake.admin.add_webhook(stage.channel, stage.ann, "Rostrum")
    await stage.post(2, SPEECH)
    ours = next(one for one in hooks(stage) if one.id != theirs.id)
    assert stage.posts[-1].webhook_id == ours.id
    stage.fake.admin.webhook_says(theirs, stage.thread, "I am no bot.")
    first, said = stage.posts
    found = await stage.venue.newest_ours(stage.where, str(first.id))
    assert found is not None and found.platform_id == str(said.id)
    assert await stage.venue.newest_ours(stage.where, str(said.id)) is None


# --- where there is none --------------------------------------------------------------------------------------


@pytest.mark.parametrize("why", ["permission", "full", "unknown", "slow"])
async def test_without_a_webhook_the_bot_speaks_and_asks_again_later(
    stage: Stage, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if why == "permission":
        stage.fake.admin.permit(stage.channel, stage.fake.world.bot)
    elif why == "full":
        for _ in range(15):
            stage.fake.admin.add_webhook(stage.channel, stage.ann)
    elif why == "unknown":
        stage.fake.fail("GET", LISTING, 404)
    else:
        monkeypatch.setattr(masks, "LOOK_FOR_S", 0.05)
        stage.fake.fail("GET", LISTING, delay=0.2)
    for n in (2, 3):
        await stage.post(n, SPEECH)
        assert not masked(stage.posts[-1])
    assert len(stage.fake.calls("GET", LISTING)) == 1
    if why == "permission":
        stage.fake.admin.permit(stage.channel, stage.fake.world.bot, allow="manage_webhooks")
    elif why == "full":
        stage.fake.admin.delete_webhook(hooks(stage)[0])
    elif why == "slow":
        monkeypatch.setattr(masks, "LOOK_FOR_S", 5.0)
    await stage.post(4, SPEECH)
    assert not masked(stage.posts[-1]), "ten minutes are not over"
    stage.venue._masks._none_until.clear()
    await stage.post(5, SPEECH)
    assert masked(stage.posts[-1]) and len(stage.posts) == 5
    stage.fake.assert_clean()


async def test_a_deleted_webhook_is_made_anew_once(stage: Stage) -> None:
    await stage.post(2, SPEECH)
    stage.fake.admin.delete_webhook(hooks(stage)[0])
    await stage.post(3, SPEECH)
    assert [masked(one) for one in stage.posts[1:]] == [True, True] and len(hooks(stage)) == 1
    assert len(stage.fake.calls("POST", LISTING)) == 2
    hooks(stage)[0].token = "changed"
    await stage.post(4, SPEECH)
    assert masked(stage.posts[-1]) and len(stage.fake.calls("POST", LISTING)) == 2, "found, with its new token"
    fault = stage.fake.fail("POST", EXECUTE, 404, times=None, code=10015)
    await stage.post(5, SPEECH)
    await stage.post(6, SPEECH)
    assert fault.hits == 2, "once more, and then not for a while"
    assert [masked(one) for one in stage.posts[1:]] == [True, True, True, False, False]


@pytest.mark.parametrize(("status", "code"), [(403, 50013), (403, 160005), (400, 50035), (404, 10003), (429, None)])
async def test_what_the_webhook_may_not_the_bot_does(stage: Stage, status: int, code: int | None) -> None:
    fault = stage.fake.fail("POST", EXECUTE, status, times=None, code=code)
    await stage.post(2, SPEECH)
    await stage.post(3, SPEECH)
    assert [masked(one) for one in stage.posts[1:]] == [False, False]
    assert fault.hits == (1 if code in (50013, None) else 2), "what is wrong with one thread is not with the channel"
    fault.stop()


async def test_a_thread_that_is_gone_is_lost_as_ever(stage: Stage) -> None:
    await stage.post(2, SPEECH)
    stage.fake.admin.delete_channel(stage.thread)
    with pytest.raises(VenueError) as caught:
        await stage.post(3, SPEECH)
    assert caught.value.lasting and not caught.value.doubtful


# --- once -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("outcome", ["500-after-success", "drop-after-success", 500, "drop", "slow"])
async def test_a_speech_in_doubt_is_sent_once_and_left_to_the_host(
    stage: Stage, outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    await stage.post(2, SPEECH)
    before = stage.posts[-1]
    if outcome == "slow":
        monkeypatch.setattr(wire, "TRY_FOR_S", 0.1)
        stage.fake.fail("POST", EXECUTE, "drop-after-success", delay=0.3)
    else:
        stage.fake.fail("POST", EXECUTE, outcome)
    with pytest.raises(VenueError) as caught:
        await stage.post(3, SPEECH)
    assert caught.value.doubtful and not caught.value.lasting
    assert len(stage.fake.calls("POST", EXECUTE)) == 2, "nothing repeats it by itself"
    arrived = "after" in str(outcome)
    found = await stage.venue.newest_ours(stage.where, str(before.id))
    assert (found is not None) == arrived == (len(stage.posts) == 3)
    if found is not None:
        assert found.platform_id == str(stage.posts[-1].id) and masked(stage.posts[-1])


async def test_what_the_bot_says_in_a_masks_place_is_in_doubt_too(stage: Stage) -> None:
    """For the next attempt may be by webhook, which knows no nonce. What can only be the bot's is not."""
    stage.fake.fail("POST", EXECUTE, 403)
    stage.fake.fail("POST", "/channels/*/messages", "drop-after-success")
    with pytest.raises(VenueError) as caught:
        await stage.post(2, SPEECH)
    assert caught.value.doubtful
    stage.fake.fail("POST", "/channels/*/messages", "drop")
    with pytest.raises(VenueError) as caught:
        await stage.post(3, Card(kind="note", text="Hm."))
    assert not caught.value.doubtful


# --- sound ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("archived", [False, True])
async def test_a_clip_is_added_by_the_webhook(stage: Stage, restarted: bool, archived: bool) -> None:
    """Also without the message-content intent, and when the setting is gone."""
    stage.fake.world.application.privileged = []
    long = SPEECH.model_copy(update={"text": "word " * 2_000})
    said = await stage.post(2, long)
    if restarted:
        stage.avatars = None
        await stage.restarted()
    if archived:
        stage.fake.admin.archive(stage.thread)
    await stage.venue.attach(stage.where, said.platform_id, MATCH, CLIP)
    await stage.venue.attach(stage.where, said.platform_id, MATCH, CLIP)  # read: it is there
    message = stage.posts[-1]
    assert masked(message) and len(message.edits) == 1
    assert {one.filename: one.data[:4] for one in message.attachments} == {
        "speech.txt": b"word",
        "r1-t01-P1.ogg": b"OggS",
    }
    stage.fake.assert_clean()


async def test_a_clip_that_is_there_goes_with_the_speech(stage: Stage) -> None:
    await stage.post(2, SPEECH, clip=CLIP)
    assert masked(stage.posts[-1]) and [one.filename for one in stage.posts[-1].attachments] == ["r1-t01-P1.ogg"]
    stage.fake.fail("POST", EXECUTE, 403)
    await stage.post(3, SPEECH, clip=CLIP)
    assert {one.filename for one in stage.posts[-1].attachments} == {"quill.png", "r1-t01-P1.ogg"}
    stage.fake.assert_clean()


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_clip_for_a_webhook_that_is_gone_is_given_up(stage: Stage, restarted: bool) -> None:
    said = await stage.post(2, SPEECH)
    stage.fake.admin.delete_webhook(hooks(stage)[0])
    if restarted:
        await stage.restarted()
    with pytest.raises(VenueError) as caught:
        await stage.venue.attach(stage.where, said.platform_id, MATCH, CLIP)
    assert caught.value.lasting
    await stage.post(3, SPEECH)
    assert masked(stage.posts[-1])


async def test_buttons_under_a_mask_work(stage: Stage) -> None:
    card = Card.model_validate(SPEECH.model_dump() | {"buttons": [{"action": "report", "arg": "1", "label": "Report"}]})
    await stage.post(2, card)
    assert masked(stage.posts[-1]) and stage.posts[-1].labels == ["Report"]
    assert isinstance(stage.client, discord.Client) and not stage.client._connection._view_store._views
    stage.fake.assert_clean()


async def test_where_a_webhooks_limit_is_used_up_the_bot_speaks_at_once(stage: Stage) -> None:
    stage.fake.limits = Limits(buckets={("POST", "/webhooks/{webhook_id}/{webhook_token}"): (2, 30.0)})
    began = time.monotonic()
    for n in range(2, 6):
        await stage.post(n, SPEECH)
    assert time.monotonic() - began < 15
    assert [masked(one) for one in stage.posts[1:]] == [True, True, False, False]
    assert len(stage.fake.calls("POST", EXECUTE)) == 2, "and does not ask for more"
    hook = next(iter(stage.venue._masks._hooks.values()))
    session: Any = hook.session
    session._free_at = 0.0
    stage.fake.limits = Limits(enabled=False)
    await stage.post(6, SPEECH)
    assert masked(stage.posts[-1])
    stage.fake.assert_clean()
