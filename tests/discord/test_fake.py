"""The fake Discord, met by the real discord.py over sockets."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import discord
import pytest
from discord import ui

from tests.discord.fake import CannotDo, Channel, Client, FakeDiscord, Guild, Limits, Message, World
from tests.discord.fake.bits import ROSTRUM, bits
from tests.discord.fake.faults import Outcome
from tests.discord.fake.payloads import one_pixel
from tests.discord.fake.rules.commands import is_command_name
from tests.discord.tiny import SAFE, Tiny, clip


@dataclass
class Stage:
    """A server with a channel, two people and the tiny bot, ready."""

    fake: FakeDiscord
    bot: Tiny
    guild: Guild
    channel: Channel
    ann: Client
    ben: Client

    @property
    def text_channel(self) -> discord.TextChannel:
        found = self.bot.get_channel(self.channel.id)
        assert isinstance(found, discord.TextChannel)
        return found

    def thread(self, message: discord.Message | Message) -> discord.Thread:
        found = self.bot.get_channel(message.id)
        assert isinstance(found, discord.Thread)
        return found


def people(fake: FakeDiscord) -> tuple[Guild, Channel, Client, Client]:
    guild = fake.world.add_guild()
    channel = fake.world.add_channel(guild)
    ann, ben = fake.client(fake.world.add_user("ann")), fake.client(fake.world.add_user("ben"))
    for client in (ann, ben):
        fake.world.add_member(guild, client.user)
    return guild, channel, ann, ben


@asynccontextmanager
async def running(fake: FakeDiscord, **options: Any) -> AsyncIterator[Tiny]:
    with fake.patched():
        bot = Tiny(**options)
        task = asyncio.create_task(bot.start(fake.token))
        try:
            await fake.gateway.ready()
            await asyncio.wait_for(bot.wait_until_ready(), 5)
            yield bot
        finally:
            await bot.close()
            await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    async with FakeDiscord(limits=Limits(speed=100)) as fake:
        guild, channel, ann, ben = people(fake)
        async with running(fake) as bot:
            yield Stage(fake, bot, guild, channel, ann, ben)


def codes(fake: FakeDiscord) -> list[int]:
    return [call.answer["code"] for call in fake.requests if call.status >= 400]


# --- a match's worth of interactions ------------------------------------------------------------------------


async def test_a_command_posts_a_card_and_a_thread_whose_button_works(stage: Stage) -> None:
    fake, ann = stage.fake, stage.ann
    outcome = await ann.slash(stage.channel, "game start", topic="Homework", number=3)
    assert outcome.kind == "message" and outcome.took is not None and outcome.took < 1
    prompt = await ann.wait_for(lambda message: message.text == "Ready?")
    card = outcome.message
    assert card is not None and "Homework" in card.text and card.labels == ["Join"]
    thread = fake.thread(card.id)
    assert prompt.channel_id == card.id and thread.channel and thread.channel.name == "Game 3"
    assert [message.type for message in thread.messages] == [21, 0]

    joined = await stage.ben.click(card, "Join")
    assert joined.ephemeral and joined.text == "ben plays game 3."
    assert [one.text for one in stage.ben.ephemerals()] == ["ben plays game 3."] and not ann.ephemerals()
    assert "only to ben" in fake.dump(stage.channel) and "[Join join:3]" in fake.dump()
    assert [call.route for call in fake.calls("PUT")] == ["/applications/{application_id}/commands"]
    fake.assert_clean()


async def test_what_a_client_would_not_let_through_is_refused(stage: Stage) -> None:
    with pytest.raises(CannotDo, match="needs topic"):
        await stage.ann.slash(stage.channel, "game start")
    with pytest.raises(CannotDo, match="takes 1 to 9"):
        await stage.ann.slash(stage.channel, "game start", topic="x", number=10)
    with pytest.raises(CannotDo, match="no command"):
        await stage.ann.slash(stage.channel, "debate")
    outcome = await stage.ann.slash(stage.channel, "game start", topic="x")
    assert outcome.message
    with pytest.raises(CannotDo, match="offers"):
        await stage.ann.click(outcome.message, "Leave")
    stage.fake.admin.permit(stage.channel, stage.fake.admin.everyone(stage.guild), deny="view_channel")
    with pytest.raises(CannotDo, match="does not see"):
        await stage.ann.click(outcome.message, "Join")


async def test_autocomplete_and_a_modal_with_labels(stage: Stage) -> None:
    offered = await stage.ann.autocomplete(stage.channel, "game start", "topic", "ho")
    assert [one["value"] for one in offered.choices] == ["Homework", "Holidays"]

    opened = await stage.ann.slash(stage.channel, "game speak")
    assert opened.kind == "modal" and opened.modal and opened.modal["title"] == "Your turn"
    with pytest.raises(CannotDo, match="0 to 400"):
        await stage.ann.submit_modal(opened, {"move": "Argument", "words": "x" * 401})
    with pytest.raises(CannotDo, match="required"):
        await stage.ann.submit_modal(opened, {"Move": "Argument"})
    said = await stage.ann.submit_modal(opened, {"Move": "Rebuttal", "Speech": "It is @everyone's duty."})
    assert said.text == "Rebuttal: It is @everyone's duty."
    assert said.message and not said.message.pings
    stage.fake.assert_clean()


async def test_a_deferred_answer_settles_and_a_late_one_is_refused() -> None:
    async with FakeDiscord(first_answer=0.4) as fake:
        _, channel, ann, _ = people(fake)
        async with running(fake) as bot:
            outcome = await ann.slash(channel, "game think")
            assert outcome.kind == "deferred" and outcome.message and outcome.message.loading
            await outcome.settled()
            assert outcome.text == "Done." and outcome.ephemeral and not outcome.followups
            bot.late = 0.6
            failed = await ann.slash(channel, "game think")
            assert failed.failed and failed.took is None
            await fake.wait_for(lambda: failed.interaction.refused)
            await fake.wait_for(lambda: 10062 in codes(fake))


async def test_a_second_answer_and_a_dead_token_are_refused(stage: Stage) -> None:
    outcome = await stage.ann.slash(stage.channel, "game speak")
    interaction = outcome.interaction
    async with aiohttp.ClientSession() as session:
        url = f"{stage.fake.url}/api/v10/interactions/{interaction.id}/{interaction.token}/callback"
        async with session.post(url, json={"type": 5}) as answer:
            assert (answer.status, (await answer.json())["code"]) == (400, 40060)
        stage.fake.token_life = 0.0
        url = f"{stage.fake.url}/api/v10/webhooks/{stage.bot.application_id}/{interaction.token}/messages/@original"
        async with session.get(url) as answer:
            assert (answer.status, (await answer.json())["code"]) == (401, 50027)


# --- messages -----------------------------------------------------------------------------------------------


async def test_sending_again_with_the_same_nonce_returns_the_first_message(stage: Stage) -> None:
    first = await stage.text_channel.send("one", nonce="m1:1:turn")
    again = await stage.text_channel.send("one", nonce="m1:1:turn")
    other = await stage.text_channel.send("two", nonce="m1:2:turn")
    assert first.id == again.id != other.id
    assert stage.fake.channel(stage.channel).texts == ["one", "two"]
    await first.delete()
    with pytest.raises(discord.NotFound, match="10008"):
        await stage.text_channel.send("one", nonce="m1:1:turn")


async def test_500_after_success_and_a_retry_make_one_message(stage: Stage) -> None:
    fault = stage.fake.fail("POST", "/channels/*/messages", "500-after-success")
    sent = await stage.text_channel.send("once", nonce="n")
    assert fault.hits == 1 and stage.fake.channel(stage.channel).texts == ["once"]
    posts = stage.fake.calls("POST", "/channels/*/messages")
    assert [(call.status, call.fault) for call in posts] == [(500, "500-after-success"), (200, "same nonce")]
    assert sent.id == stage.fake.channel(stage.channel).messages[0].id


async def test_a_dropped_connection_reaches_the_bot_as_an_error_before_or_after_the_fact(stage: Stage) -> None:
    cases: tuple[tuple[Outcome, int], ...] = (("drop", 0), ("drop-after-success", 1))
    for outcome, sent in cases:
        stage.fake.fail("POST", f"/channels/{stage.channel.id}/messages", outcome)
        with pytest.raises(aiohttp.ClientError):
            await stage.text_channel.send(str(outcome), nonce=str(outcome))
        assert len(stage.fake.channel(stage.channel).find(str(outcome))) == sent
    await stage.text_channel.send("drop-after-success", nonce="drop-after-success")
    assert stage.fake.channel(stage.channel).texts == ["drop-after-success"]


async def test_a_clip_added_by_edit_arrives_with_its_bytes(stage: Stage) -> None:
    def face() -> discord.File:
        return discord.File(io.BytesIO(one_pixel()), filename="vera.png")

    embed = discord.Embed(description="We should.").set_author(name="Vera", icon_url="attachment://vera.png")
    sent = await stage.text_channel.send(embed=embed, file=face())
    assert sent.attachments == []  # an embed shows it, so the list does not
    assert str(sent.embeds[0].author.icon_url).startswith(stage.fake.url)
    edited = await sent.edit(embed=embed, attachments=[face(), clip()])
    assert [one.filename for one in edited.attachments] == ["clip.ogg"]
    assert await edited.attachments[0].read() == b"OggS" + b"\0" * 100
    kept = stage.fake.channel(stage.channel).messages[0]
    assert {one.filename: one.in_embed for one in kept.attachments} == {"vera.png": True, "clip.ogg": False}
    assert len(kept.edits) == 1 and kept.edited_at
    stage.fake.assert_clean()

    await edited.edit(attachments=[*edited.attachments, clip("more.ogg")])
    assert [one.filename for one in kept.attachments] == ["vera.png", "clip.ogg", "more.ogg"]
    assert rules_of(stage.fake) == {"hidden-file"}


async def test_history_before_after_and_around(stage: Stage) -> None:
    sent = [await stage.ann.say(stage.channel, f"line {number}") for number in range(6)]

    async def texts(**where: Any) -> list[str]:
        return [one.content[-1] async for one in stage.text_channel.history(**where)]

    middle = discord.Object(sent[2].id)
    assert await texts(limit=2) == ["5", "4"]
    assert await texts(after=middle) == ["3", "4", "5"]
    assert await texts(before=middle) == ["1", "0"]
    assert sorted(await texts(around=middle, limit=3)) == ["1", "2", "3"]
    assert (await stage.text_channel.fetch_message(sent[4].id)).content == "line 4"
    with pytest.raises(discord.NotFound, match="10008"):
        await stage.text_channel.fetch_message(1)


async def test_webhooks_speak_under_another_name(stage: Stage) -> None:
    with pytest.raises(discord.Forbidden, match="50013"):
        await stage.text_channel.create_webhook(name="Personas")
    role = stage.guild.roles[stage.guild.members[stage.fake.world.bot.id].roles[0]]
    stage.fake.admin.change_role(stage.guild, role, ROSTRUM | bits("manage_webhooks"))
    hook = await stage.text_channel.create_webhook(name="Personas")
    message = await stage.text_channel.send("card")
    thread = await message.create_thread(name="Game")
    spoken = await hook.send("Aye.", username="Vera", thread=thread, wait=True, allowed_mentions=SAFE)
    assert (spoken.author.name, spoken.channel.id) == ("Vera", thread.id)
    await hook.edit_message(spoken.id, content="Nay.", thread=thread, allowed_mentions=SAFE)
    assert stage.fake.thread(thread.id).texts[-1] == "Nay."
    with pytest.raises(discord.HTTPException, match="clyde"):
        await hook.send("x", username="Clyde", allowed_mentions=SAFE)


async def test_reactions_pins_and_direct_messages(stage: Stage) -> None:
    sent = await stage.text_channel.send("card")
    await sent.add_reaction("👍")
    said = await stage.ann.say(stage.channel, "hm", reply_to=stage.fake.channel(stage.channel).messages[0])
    stage.ann.react(stage.fake.channel(stage.channel).messages[0], "👍")
    found = await stage.text_channel.fetch_message(sent.id)
    assert [(str(one.emoji), one.count, one.me) for one in found.reactions] == [("👍", 2, True)]
    assert (await stage.text_channel.fetch_message(said.id)).reference
    with pytest.raises(discord.Forbidden, match="50013"):
        await sent.pin()
    ann = await stage.bot.fetch_user(stage.ann.id)
    assert (await ann.send("psst")).channel.id == stage.ann.user.dm_channel_id
    stage.ann.user.dms_closed = True
    with pytest.raises(discord.Forbidden, match="50007"):
        await ann.send("psst")


async def test_a_layout_with_a_select_a_file_and_everything_else_classic_is_refused(stage: Stage) -> None:
    chosen: list[Any] = []

    class Vote(ui.Select[Any]):
        async def callback(self, interaction: discord.Interaction) -> None:
            chosen.append(self.values)
            await interaction.response.edit_message(view=view)
            await interaction.followup.send("Counted.", ephemeral=True)

    class Pick(ui.UserSelect[Any]):
        async def callback(self, interaction: discord.Interaction) -> None:
            chosen.append([one.id for one in self.values])
            await interaction.response.defer()
            await interaction.edit_original_response(view=None, content="closed")

    options = [discord.SelectOption(label=one) for one in ("Pro", "Con")]
    view = ui.LayoutView(timeout=None)
    vote: ui.ActionRow[Any] = ui.ActionRow(Vote(custom_id="vote", placeholder="Who won?", options=options))
    view.add_item(ui.Container(ui.TextDisplay("# Round 1"), vote, ui.File("attachment://clip.ogg")))
    await stage.text_channel.send(view=view, file=clip())
    card = stage.fake.channel(stage.channel).messages[0]
    assert card.text == "# Round 1" and card.controls[0]["id"]
    with pytest.raises(CannotDo, match="no option"):
        await stage.ann.select(card, "vote", "Draw")
    voted = await stage.ann.select(card, "Who won?", "Con")
    await voted.settled()
    await stage.fake.wait_for(lambda: voted.followups)
    assert voted.kind == "update" and voted.text == "Counted." and chosen == [["Con"]]
    with pytest.raises(discord.HTTPException, match="has no content"):
        await stage.text_channel.get_partial_message(card.id).edit(content="classic")

    plain = ui.View(timeout=None)
    plain.add_item(Pick(custom_id="pick"))
    await stage.text_channel.send("Who plays?", view=plain)
    asked = stage.fake.channel(stage.channel).messages[-1]
    picked = await stage.ann.select(asked, "pick", stage.ben.user)
    await picked.settled()
    assert picked.kind == "deferred update" and chosen[1] == [stage.ben.id]
    assert asked.text == "closed" and not asked.controls
    assert rules_of(stage.fake) == {"layout-exclusive"}


# --- threads ------------------------------------------------------------------------------------------------


async def test_a_message_has_one_thread_with_its_id(stage: Stage) -> None:
    message = await stage.text_channel.send("card")
    thread = await message.create_thread(name="Game")
    assert thread.id == message.id
    with pytest.raises(discord.HTTPException, match="160004"):
        await message.create_thread(name="Game")
    active = await stage.text_channel.guild.active_threads()
    assert [one.id for one in active] == [thread.id]


async def test_archived_and_locked_threads(stage: Stage) -> None:
    message = await stage.text_channel.send("card")
    thread = await message.create_thread(name="Game")
    post = await thread.send("first")
    known = stage.fake.world.channels[thread.id]
    stage.fake.admin.archive(known)
    with pytest.raises(discord.HTTPException, match="50083"):
        await post.edit(content="changed")
    await thread.send("opens it again")
    assert known.thread and not known.thread.archived
    stage.fake.admin.archive(known, locked=True)
    with pytest.raises(discord.Forbidden, match="160005"):
        await thread.send("no")
    with pytest.raises(CannotDo, match="160005"):
        await stage.ann.say(known, "no")
    stage.fake.admin.delete_channel(known)
    with pytest.raises(discord.NotFound, match="10003"):
        await thread.send("gone")


async def test_private_threads_are_for_their_members(stage: Stage) -> None:
    thread = await stage.text_channel.create_thread(name="Class", type=discord.ChannelType.private_thread)
    known = stage.fake.world.channels[thread.id]
    with pytest.raises(CannotDo, match="does not see"):
        await stage.ann.say(known, "let me in")
    await thread.add_user(discord.Object(stage.ann.id))
    await stage.ann.say(known, "thank you")
    allowed = discord.AllowedMentions(users=[discord.Object(stage.ben.id)])
    await thread.send(stage.ben.user.mention, allowed_mentions=allowed)
    await stage.ben.say(known, "a ping takes one in, too")
    assert {one.id for one in await thread.fetch_members()} == {stage.ann.id, stage.ben.id, stage.fake.world.bot.id}


async def test_slowmode_holds_people_and_not_the_bot(stage: Stage) -> None:
    stage.fake.admin.slowmode(stage.channel, 30)
    await stage.ann.say(stage.channel, "one")
    with pytest.raises(CannotDo, match="slowmode"):
        await stage.ann.say(stage.channel, "two")
    await stage.text_channel.send("a")
    await stage.text_channel.send("b")


async def test_permissions_of_the_world_decide(stage: Stage) -> None:
    bot = stage.fake.world.bot
    channel = stage.text_channel
    message = await channel.send("card")
    thread = await message.create_thread(name="Game")
    cases: list[tuple[str, str, Callable[[], Awaitable[object]]]] = [
        ("send_messages", "50013", lambda: channel.send("x")),
        ("send_messages_in_threads", "50013", lambda: thread.send("x")),
        ("attach_files", "50013", lambda: channel.send(file=clip())),
        ("embed_links", "50013", lambda: channel.send(embed=discord.Embed(title="x"))),
        ("create_public_threads", "50013", lambda: message.create_thread(name="x")),
        ("view_channel", "50001", lambda: channel.send("x")),
    ]
    for permission, code, attempt in cases:
        stage.fake.admin.permit(stage.channel, bot, deny=permission)
        with pytest.raises(discord.Forbidden, match=code):
            await attempt()
    stage.fake.admin.permit(stage.channel, bot)
    assert await channel.send("x")


# --- rate limits and trouble --------------------------------------------------------------------------------


async def test_429_is_retried_with_via_and_fatal_without(stage: Stage) -> None:
    stage.fake.fail("POST", "/channels/*/messages", 429, retry_after=0.1)
    await stage.text_channel.send("patient")
    assert [call.status for call in stage.fake.calls("POST", "/channels/*/messages")] == [429, 200]
    stage.fake.fail("POST", "/channels/*/messages", 429, via=False)
    with pytest.raises(discord.HTTPException):
        await stage.text_channel.send("banned")


async def test_buckets_slow_the_bot_and_refuse_who_does_not_listen() -> None:
    async with FakeDiscord(limits=Limits(speed=10)) as fake:
        _, channel, *_ = people(fake)
        async with running(fake) as bot:
            found = bot.get_channel(channel.id)
            assert isinstance(found, discord.TextChannel)
            started = time.monotonic()
            for number in range(7):
                await found.send(str(number))
            assert 0.4 < time.monotonic() - started < 2
            assert not fake.calls(status=429)
        headers = {"Authorization": f"Bot {fake.token}"}
        async with aiohttp.ClientSession(fake.url, headers=headers) as session:
            refused: list[tuple[bool, float]] = []
            while not refused:
                async with session.get("/api/v10/gateway") as answer:
                    if answer.status == 429:
                        refused.append(("Via" in answer.headers, (await answer.json())["retry_after"]))
            assert refused[0][0] and 0 < refused[0][1] <= 1


async def test_the_global_limit() -> None:
    async with FakeDiscord(limits=Limits(per_second=6, speed=2)) as fake:
        _, channel, *_ = people(fake)
        async with running(fake) as bot:
            answers = await asyncio.gather(*(bot.http.get_channel(channel.id) for _ in range(12)))
        assert len(answers) == 12
        refused = fake.calls(status=429)
        assert refused and all(call.answer["global"] for call in refused)


async def test_a_slow_and_a_failing_request(stage: Stage) -> None:
    stage.fake.fail("POST", "/channels/{channel_id}/messages", delay=0.3)
    started = time.monotonic()
    await stage.text_channel.send("slow")
    assert time.monotonic() - started >= 0.3
    stage.fake.fail("POST", "/channels/{channel_id}/messages", 403, code=50001)
    with pytest.raises(discord.Forbidden, match="50001"):
        await stage.text_channel.send("no")


# --- the gateway --------------------------------------------------------------------------------------------


async def test_resume_replays_what_was_missed(stage: Stage) -> None:
    async with stage.fake.gateway.down():
        await stage.ann.say(stage.channel, "while you were away")
        assert not stage.bot.seen
    await stage.fake.wait_for(lambda: stage.bot.seen, 8)
    assert [one.content for one in stage.bot.seen] == ["while you were away"]
    await stage.fake.wait_for(lambda: stage.bot.resumes == 1)
    assert stage.bot.readies == 1 and len(stage.fake.gateway.identifies) == 1


@pytest.mark.parametrize("how", ["forgotten", "refused", "invalidated"])
async def test_a_lost_session_gives_a_second_ready_and_no_replay(
    stage: Stage, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discord.shard.ExponentialBackoff.delay", lambda _: 0.05)
    if how == "forgotten":
        stage.fake.gateway.forget()
    async with stage.fake.gateway.down(refuse=how == "refused"):
        await stage.ann.say(stage.channel, "missed for good")
        await asyncio.sleep(0.1)
        if how == "invalidated":
            stage.fake.gateway.invalidate()
    await stage.fake.wait_for(lambda: stage.bot.readies == 2, 15)
    assert len(stage.fake.gateway.identifies) == 2 and not stage.bot.seen
    stage.fake.gateway.repeat("READY")
    await stage.fake.wait_for(lambda: stage.bot.readies == 3)


async def test_a_gateway_that_falls_silent_is_left_and_resumed() -> None:
    async with FakeDiscord(heartbeat=0.1) as fake:
        _, channel, ann, _ = people(fake)
        async with running(fake, heartbeat_timeout=0.4) as bot:
            fake.gateway.silent = True
            await ann.say(channel, "anybody there?")
            await fake.wait_for(lambda: bot.seen, 8)
            assert fake.gateway.resumes and len(fake.gateway.identifies) == 1


async def test_content_needs_the_intent_or_a_mention() -> None:
    async with FakeDiscord() as fake:
        fake.world.application.privileged = []
        _, channel, ann, _ = people(fake)
        async with running(fake, message_content=False) as bot:
            await ann.say(channel, "secret")
            await ann.say(channel, f"{fake.world.bot.mention} hello")
            await fake.wait_for(lambda: len(bot.seen) == 2)
            assert [one.content for one in bot.seen] == ["", f"{fake.world.bot.mention} hello"]
            assert [one.content async for one in bot.seen[0].channel.history()][1] == ""
        with pytest.raises(discord.PrivilegedIntentsRequired), fake.patched():
            await asyncio.wait_for(Tiny().start(fake.token), 5)


async def test_events_about_threads_messages_and_members(stage: Stage) -> None:
    heard: list[str] = []
    wanted = {"thread_update", "raw_thread_delete", "raw_message_edit", "raw_message_delete", "guild_channel_delete"}
    for event in wanted:

        async def note(*_: object, name: str = event) -> None:
            heard.append(name)

        stage.bot.event(_named(f"on_{event}", note))
    message = await stage.text_channel.send("card")
    thread = await message.create_thread(name="Game")
    said = await stage.ann.say(stage.fake.world.channels[thread.id], "helo")
    stage.fake.admin.edit_message(said, "hello")
    stage.fake.admin.delete_message(said)
    stage.fake.admin.lock(stage.fake.world.channels[thread.id])
    stage.fake.admin.delete_channel(stage.fake.world.channels[thread.id])
    stage.fake.admin.delete_channel(stage.channel)
    await stage.fake.wait_for(lambda: wanted <= set(heard))


def _named(name: str, function: Any) -> Any:
    function.__name__ = name
    return function


async def test_members_are_heard_of_only_with_the_intent() -> None:
    async with FakeDiscord() as fake:
        guild, *_, ben = people(fake)
        async with running(fake) as bot:
            assert [one.id for one in bot.guilds[0].members] == [fake.world.bot.id]
            assert (await bot.guilds[0].fetch_member(ben.id)).name == "ben"
            assert [one.name for one in await bot.guilds[0].query_members("be")] == ["ben"]
            heard: list[int] = []

            async def note(event: discord.RawMemberRemoveEvent) -> None:
                heard.append(event.user.id)

            bot.event(_named("on_raw_member_remove", note))
            fake.admin.leave(guild, ben.user)
            with pytest.raises(discord.NotFound, match="10007"):
                await bot.guilds[0].fetch_member(ben.id)
            assert not heard


async def test_ephemeral_messages_reach_the_gateway_as_direct_ones_only(stage: Stage) -> None:
    card = (await stage.ann.slash(stage.channel, "game start", topic="x")).message
    assert card
    await stage.ben.click(card, "Join")
    await stage.fake.wait_for(lambda: len(stage.bot.seen) >= 3)
    assert all(not one.flags.ephemeral for one in stage.bot.seen)


async def test_a_late_message_is_overtaken(stage: Stage) -> None:
    early = await stage.ann.say(stage.channel, "said first", late=0.2)
    await stage.ben.say(stage.channel, "heard first")
    await stage.fake.wait_for(lambda: len(stage.bot.seen) == 2)
    assert [one.content for one in stage.bot.seen] == ["heard first", "said first"]
    assert stage.bot.seen[1].id == early.id < stage.bot.seen[0].id


# --- what outlives the bot and the fake ---------------------------------------------------------------------


async def test_kill_9_and_restart_with_the_world_kept() -> None:
    async with FakeDiscord() as fake:
        _, channel, ann, ben = people(fake)
        environment = os.environ | {"TINY_TOKEN": fake.token}

        @asynccontextmanager
        async def child(*command: str, **more: str) -> AsyncIterator[asyncio.subprocess.Process]:
            quiet = asyncio.subprocess.DEVNULL
            process = await asyncio.create_subprocess_exec(*command, env=environment | more, stderr=quiet)
            try:
                await fake.gateway.ready(20)
                yield process
            finally:
                process.kill()  # SIGKILL
                await process.wait()
                await fake.wait_for(lambda: not fake.gateway.connected)

        async with child(*fake.command("tests.discord.tiny")) as process:
            card = (await ann.slash(channel, "game start", topic="Homework", number=4)).message
            assert card is not None
            await ann.wait_for(lambda message: message.text == "Ready?")
        assert process.returncode == -signal.SIGKILL
        async with child(sys.executable, "-m", "tests.discord.tiny", **fake.environment()):
            joined = await ben.click(card, "Join")
            assert joined.text == "ben plays game 4."
        assert len(fake.gateway.identifies) == 2 and fake.world.command_creates == 1
        fake.assert_clean()


async def test_the_world_goes_to_json_and_on_in_another_fake(tmp_path: Path) -> None:
    async with FakeDiscord() as fake:
        _, channel, ann, _ = people(fake)
        async with running(fake) as bot:
            card = (await ann.slash(channel, "game start", topic="Homework", number=5)).message
            await ann.wait_for(lambda message: message.text == "Ready?")
            found = bot.get_channel(channel.id)
            assert isinstance(found, discord.TextChannel)
            await found.send("with a file", file=clip(), nonce="file")
        fake.save(tmp_path / "world.json")
    world = World.load(tmp_path / "world.json")
    assert world == fake.world
    async with FakeDiscord(world) as later:
        channel, ann = world.channels[channel.id], later.client(world.users[ann.id])
        async with running(later) as bot:
            assert card is not None
            assert (await ann.click(card.id, "Join")).text == "ann plays game 5."
            found = bot.get_channel(channel.id)
            assert isinstance(found, discord.TextChannel)
            again = await found.send("with a file", file=clip(), nonce="file")
            assert await again.attachments[0].read() == b"OggS" + b"\0" * 100
            assert len(later.channel(channel).find("with a file")) == 1


# --- rules --------------------------------------------------------------------------------------------------


def rules_of(fake: FakeDiscord) -> set[str]:
    return {one.rule for one in fake.violations}


async def test_what_discord_refuses_is_refused_and_noted(stage: Stage) -> None:
    def view(*labels: str, custom_id: str = "") -> ui.View:
        made = ui.View(timeout=None)
        for number, label in enumerate(labels):
            made.add_item(ui.Button(label=label, custom_id=custom_id or f"b{number}"))
        return made

    channel = stage.text_channel
    layout = ui.LayoutView(timeout=None)
    layout.add_item(ui.TextDisplay("x" * 4001))
    long = discord.Embed(description="x" * 3500)
    cases: list[tuple[str, Callable[[], Awaitable[object]]]] = [
        ("content", lambda: channel.send("x" * 2001)),
        ("empty", lambda: channel.send(" ")),
        ("embed-sum", lambda: channel.send(embeds=[long, long])),
        ("embed-limit", lambda: channel.send(embed=discord.Embed(title="x" * 257))),
        ("button-label", lambda: channel.send("x", view=view("x" * 81))),
        ("custom-id-twice", lambda: channel.send("x", view=view("a", "b", custom_id="same"))),
        ("custom-id", lambda: channel.send("x", view=view("a", custom_id="x" * 101))),
        ("nonce", lambda: channel.send("x", nonce="x" * 26)),
        ("layout-text", lambda: channel.send(view=layout)),
        ("attachment-link", lambda: channel.send(embed=discord.Embed().set_image(url="attachment://none.png"))),
    ]
    for rule, attempt in cases:
        before = len(stage.fake.violations)
        with pytest.raises(discord.HTTPException) as caught:
            await attempt()
        assert caught.value.status == 400
        assert rule in {one.rule for one in stage.fake.violations[before:]}, rule
    assert not stage.fake.channel(stage.channel).messages
    with pytest.raises(AssertionError, match="2001 characters"):
        stage.fake.assert_clean()


async def test_modals_commands_and_choices_have_limits(stage: Stage) -> None:
    outcome = await stage.ann.slash(stage.channel, "game speak")
    assert outcome.kind == "modal"

    async def callback(kind: int, data: dict[str, Any]) -> set[str]:
        interaction = outcome.interaction
        interaction.answered_at, interaction.created_at = None, time.time()
        before = len(stage.fake.violations)
        async with aiohttp.ClientSession() as session:
            url = f"{stage.fake.url}/api/v10/interactions/{interaction.id}/{interaction.token}/callback"
            async with session.post(url, json={"type": kind, "data": data}) as answer:
                assert answer.status == 400
        return {one.rule for one in stage.fake.violations[before:]}

    def field(custom_id: str) -> dict[str, Any]:
        return {"type": 18, "label": "x" * 46, "component": {"type": 4, "custom_id": custom_id, "style": 1}}

    modal = {"title": "x" * 46, "custom_id": "m", "components": [field("same")] * 6}
    assert await callback(9, modal) >= {"modal-title", "modal-count", "modal-label", "custom-id-twice"}
    assert await callback(8, {"choices": [{"name": "x", "value": "x"}] * 26}) >= {"choices"}
    names = ("debate", "débat", "ディベート", "de-bate_1", "Debate", "two words", "", "x" * 33, "<b>")
    assert [is_command_name(name) for name in names] == [True] * 4 + [False] * 5
    with pytest.raises(discord.HTTPException, match="lower-case"):
        await stage.bot.http.bulk_upsert_global_commands(
            stage.fake.world.bot.id, [{"name": "Bad", "description": "", "type": 1}]
        )


async def test_text_without_allowed_mentions_is_a_violation_and_pings(stage: Stage) -> None:
    headers = {"Authorization": f"Bot {stage.fake.token}"}
    url = f"{stage.fake.url}/api/v10/channels/{stage.channel.id}/messages"
    body = {"content": f"hey {stage.ann.user.mention}"}
    async with aiohttp.ClientSession(headers=headers) as session, session.post(url, json=body) as answer:
        assert answer.status == 200
    assert rules_of(stage.fake) == {"allowed-mentions"}
    assert [whom for _, whom in stage.fake.channel(stage.channel).pinged] == [[stage.ann.id]]
    named = discord.AllowedMentions(users=[discord.Object(stage.ben.id)], everyone=False, roles=False)
    both = f"{stage.ann.user.mention} {stage.ben.user.mention} @everyone"
    await stage.text_channel.send(both, allowed_mentions=named)
    assert stage.fake.channel(stage.channel).messages[-1].pings.users == [stage.ben.id]


async def test_bodies_are_checked_against_discords_document(stage: Stage) -> None:
    if stage.fake.spec_missing:
        pytest.skip(stage.fake.spec_missing)
    headers = {"Authorization": f"Bot {stage.fake.token}"}
    url = f"{stage.fake.url}/api/v10/channels/{stage.channel.id}/messages"
    body: dict[str, Any] = {"content": "x", "contents": "y", "allowed_mentions": {"parse": []}}
    body["embeds"] = [{"title": "z", "titel": "z", "color": "red"}]
    body["components"] = [{"type": 1, "components": [{"type": 2, "style": 99, "custom_id": "a", "label": "b"}]}]
    async with aiohttp.ClientSession(headers=headers) as session, session.post(url, json=body):
        pass
    found = {(one.at, one.message) for one in stage.fake.violations if one.rule == "openapi"}
    assert ("", "unknown key 'contents'") in found and ("embeds.0", "unknown key 'titel'") in found
    assert {at for at, _ in found} >= {"embeds.0.color", "components.0.components.0.style"}


async def test_a_route_the_fake_lacks_is_noted(stage: Stage) -> None:
    with pytest.raises(discord.NotFound):
        await stage.bot.http.get_vanity_code(stage.guild.id)
    assert rules_of(stage.fake) == {"unsupported"}
