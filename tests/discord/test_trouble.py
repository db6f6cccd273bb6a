"""What goes wrong at Discord and among people, and that nobody is left without an answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.rules.match import Match, Status
from storage.store import SqlStore
from tests.discord.fake import Client, Message
from tests.discord.fake.bits import bits
from tests.discord.fake.events import announce
from tests.discord.table import ACK_S, Table, acknowledged, running, spoken, table


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[Table]:
    async with table(tmp_path) as made, running(made):
        yield made


async def state(at: Table, match: str) -> Match:
    assert at.bot is not None
    found = await at.bot.services.host.state(match)
    assert found is not None
    return found


async def until(at: Table, match: str, status: Status, within: float = 8.0) -> Match:
    found: Match | None = None
    for _ in range(round(within / 0.05)):
        if (found := await state(at, match)).status is status:
            return found
        await asyncio.sleep(0.05)
    raise AssertionError(f"not {status}: {found}")


def out_of_turn(choice: str) -> dict[str, Any]:
    return {"out-of-turn": choice}


def shown(at: Table, card: Message) -> str:
    """The lobby's message as it reads now."""
    found = at.fake.world.any_message(card.id)
    assert found is not None
    return found.text


# --- Discord fails ------------------------------------------------------------------------------------------


async def test_limits_and_failures_leave_each_post_once(at: Table) -> None:
    """A 429, a 500 and a cut connection, each also after what was asked for had been done."""
    fake = at.fake
    card = await at.started([at.ann], [at.ben], format="duel")
    posting, editing = ("POST", "/channels/*/messages"), ("PATCH", "/channels/*/messages/*")
    fake.fail(*posting, 429, retry_after=0.2)
    fake.fail(*posting, "500-after-success")
    fake.fail(*posting, "drop-after-success")
    fake.fail(*posting, 502)
    fake.fail(*posting, "drop")
    fake.fail(*editing, "500-after-success", times=2)
    fake.fail(*editing, 429, retry_after=0.2)
    debating = asyncio.create_task(at.debate(card, at.ann))
    await at.judge(card, at.ben)
    await debating
    at.verified(card, late_s=8)
    assert all(fault.hits for fault in fake.faults), fake.faults
    fake.assert_clean()


async def test_a_thread_that_refuses_ends_the_match_at_once(at: Table) -> None:
    card = await at.started([at.ann], format="duel")
    await at.called(card, at.ann)
    refused = at.fake.fail("*", "/channels/*/messages", 403, times=None, when=lambda call: str(card.id) in call.path)
    opened = at.calls_for(card, at.ann, "Speak")[-1]
    await at.speak(at.ann, opened, "Nobody will read this.")
    await until(at, at.matches[card.id], Status.CANCELLED)
    await at.fake.wait_for(lambda: "cancelled" in shown(at, card))
    await asyncio.sleep(0.5)
    assert refused.hits == 1, "no storm of retries"
    refused.stop()
    again = await at.lobby(at.ann, format="duel")
    await at.press(at.ann, again, "Cancel", "cancelled")


@pytest.mark.parametrize("what", ["thread", "channel", "server", "lobby"])
async def test_what_a_match_stands_on_is_taken_away(at: Table, what: str) -> None:
    fake = at.fake
    channel = fake.world.add_channel(at.guild, "elsewhere")
    fake.gateway.dispatch("CHANNEL_CREATE", fake.payloads.channel(channel), guild_id=at.guild.id)
    card = await at.lobby(at.ann, channel, format="duel")
    await at.press(at.ann, card, "Join as debater", "You are on seat")
    if what != "lobby":
        await at.press(at.ann, card, "Start now", "The debate begins")
        await at.called(card, at.ann)
    before = len(fake.requests)
    if what == "thread":
        fake.admin.delete_channel(at.thread(card))
    elif what == "channel":
        fake.admin.delete_channel(channel)
    elif what == "server":
        fake.admin.leave(at.guild, fake.world.bot)
    else:
        fake.admin.delete_message(fake.world.any_message(card.id) or card)
    await until(at, at.matches[card.id], Status.CANCELLED)
    await asyncio.sleep(0.3)
    assert len(fake.requests) - before <= 4, fake.report()
    if what == "thread":
        await fake.wait_for(lambda: "cancelled" in shown(at, card))
    fake.assert_clean()


async def test_a_locked_thread_pauses_and_an_unlocked_one_goes_on(at: Table) -> None:
    card = await at.started([at.ann], format="duel")
    await at.called(card, at.ann)
    at.fake.admin.lock(at.thread(card))
    match = at.matches[card.id]
    for _ in range(100):
        if not (await state(at, match)).clock.running:
            break
        await asyncio.sleep(0.05)
    await asyncio.sleep(1.0)
    found = await state(at, match)
    assert found.status is Status.RUNNING and not found.clock.running
    at.fake.admin.unlock(at.thread(card))
    await at.played(card, [at.ann])
    at.fake.assert_clean()


async def test_a_locked_thread_is_not_resumed_by_command(at: Table) -> None:
    """The first post after it would be refused, and the match cancelled for that."""
    card = await at.started([at.ann], format="duel")
    await at.called(card, at.ann)
    at.fake.admin.lock(at.thread(card))
    match = at.matches[card.id]
    for _ in range(100):
        if not (await state(at, match)).clock.running:
            break
        await asyncio.sleep(0.05)
    for client, place in ((at.ann, at.thread(card)), (at.mod, at.thread(card)), (at.mod, at.channel)):
        outcome = await client.slash(place, "debate resume")
        assert "The thread is locked" in (await outcome.settled()).text
    at.fake.admin.unlock(at.thread(card))
    await at.played(card, [at.ann])
    at.fake.assert_clean()


async def test_an_archived_thread_is_opened_again(at: Table) -> None:
    card = await at.started([at.ann], format="duel")
    playing = asyncio.create_task(at.played(card, [at.ann]))
    await at.called(card, at.ann)
    for _ in range(3):
        at.fake.admin.archive(at.thread(card))
        await asyncio.sleep(0.4)
    await playing
    at.fake.assert_clean(apart_from=[])


# --- the connection -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["resumed", "anew", "twice ready"])
async def test_what_was_typed_in_a_gap_counts(at: Table, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At `blitz` there is half a second to speak, and 2 s of grace: over long before the connection is back."""
    monkeypatch.setattr("discord.shard.ExponentialBackoff.delay", lambda _: 0.05)
    fake = at.fake
    card = await at.started([at.ann], format="duel", tempo="blitz")
    prompt = await at.called(card, at.ann)
    async with fake.gateway.down(refuse=how == "anew"):
        await at.type(at.ann, card, "Said while nobody listened.")
        await asyncio.sleep(3.0)
        assert (await state(at, at.matches[card.id])).slot is not None
    if how == "twice ready":
        await fake.gateway.ready()
        fake.gateway.repeat("READY")
        fake.gateway.repeat("RESUMED")
    await fake.wait_for(lambda: fake.thread(card.id).find("Said while nobody listened.")[1:], 8)
    await at.debate(card, at.ann, lambda n: f"A later point, {n}.", after=prompt)
    record = at.verified(card, late_s=8)
    assert spoken(record).count("Said while nobody listened.") == 1
    turn = next(turn for turn in record["rounds"][0]["turns"] if turn["text"] == "Said while nobody listened.")
    assert turn["outcome"] == "said" and turn["closed_at"] <= turn["deadline"]
    fake.assert_clean()


async def test_nobody_speaks_and_the_connection_is_cut(at: Table) -> None:
    """The turn is lost once it is known that nothing was said in time, and not before."""
    card = await at.started([at.ann], format="duel", tempo="blitz")
    await at.called(card, at.ann)
    async with at.fake.gateway.down():
        await asyncio.sleep(3.0)
        assert not at.fake.thread(card.id).find("ran out of time")
    await at.fake.wait_for(lambda: at.fake.thread(card.id).find("ran out of time"), 8)


# --- the lobby ----------------------------------------------------------------------------------------------


async def test_twenty_want_two_seats(at: Table) -> None:
    crowd = [at.person(f"guest{number}") for number in range(20)]
    card = await at.lobby(at.ann, format="duel")
    answers = await asyncio.gather(*(client.click(card, "Join as debater") for client in crowd))
    for answer in answers:
        acknowledged(answer)
        await answer.settled()
        assert answer.ephemeral
    seated = [client for client, answer in zip(crowd, answers, strict=True) if "You are on seat" in answer.text]
    refused = [answer for answer in answers if "no debater's seat left" in answer.text]
    assert (len(seated), len(refused)) == (2, 18)
    await at.fake.wait_for(lambda: all(client.user.name in shown(at, card) for client in seated))
    found = await state(at, at.matches[card.id])
    assert all(found.seats[seat].holder is not None for seat in ("P0", "P1"))

    twice = await asyncio.gather(*(at.ben.click(card, "Join as judge") for _ in range(2)))
    for answer in twice:
        await answer.settled()
    assert sorted("already in" in answer.text for answer in twice) == [False, True]
    await at.press(at.ben, card, "Leave", "You gave your seat up")
    await at.press(at.ben, card, "Leave", "You have no seat")
    refusal = await at.press(seated[0], card, "Cancel", "Only the host may do that")
    assert refusal.ephemeral
    await at.press(at.ben, card, "Start now", "Only the host may do that")
    await at.press(at.mod, card, "Cancel", "cancelled")
    await at.fake.wait_for(lambda: "cancelled" in shown(at, card))
    late = await at.ben.press_id(card, f"join:{at.matches[card.id]}:1:debater")
    assert "over" in late.text
    at.fake.assert_clean()


async def test_a_host_who_leaves_hands_over(at: Table) -> None:
    card = await at.lobby(at.ann, format="doubles")
    for client in (at.ann, at.ben):
        await at.press(client, card, "Join as debater", "You are on seat")
    await at.press(at.ann, card, "Leave", "You gave your seat up")
    await at.fake.wait_for(lambda: "Opened by ben" in shown(at, card))
    await at.press(at.ann, card, "Start now", "Only the host may do that")
    await at.press(at.ben, card, "Start now", "The debate begins")
    await at.called(card, at.ben)
    left = await at.ben.slash(at.thread(card), "debate leave")
    assert "gave your seat up" in (await left.settled()).text
    await at.fake.wait_for(lambda: at.over(card), 20)
    at.fake.assert_clean()


async def test_a_host_without_a_seat_who_leaves_the_server_hands_over(at: Table) -> None:
    card = await at.lobby(at.ann, format="doubles")
    await at.press(at.ben, card, "Join as debater", "You are on seat")
    at.fake.admin.leave(at.guild, at.ann.user)
    await at.fake.wait_for(lambda: "Opened by ben" in shown(at, card))
    await at.press(at.ben, card, "Cancel", "The match is cancelled")
    at.fake.assert_clean()


async def test_no_lobby_opens_that_could_never_begin(at: Table) -> None:
    """There are fewer AIs than six debaters and fifteen judges need: nothing may wait for them."""
    refused = await at.ann.slash(at.channel, "debate start", format="classic", judges=15, wait=0)
    assert "There are not enough AIs" in (await refused.settled()).text
    refused = await at.mod.slash(at.channel, "debate setup debates", judges=15)
    assert "Nothing was changed" in (await refused.settled()).text
    await at.lobby(at.ann, format="duel", judges=9)
    at.fake.assert_clean()


async def test_lobbies_start_by_themselves(at: Table) -> None:
    """A wait of no minutes starts at once, and one of a minute when it is over; AIs take the free seats."""
    now = await at.lobby(at.ann, format="duel", wait=0)
    later = await at.lobby(at.ben, format="duel", wait=1)
    await at.press(at.ben, later, "Join as debater", "You are on seat")
    await at.fake.wait_for(lambda: at.fake.thread(now.id).posts, 3)
    assert not at.fake.thread(later.id).posts
    await at.called(later, at.ben)
    await asyncio.gather(
        at.fake.wait_for(lambda: at.over(now), 20),
        at.played(later, [at.ben]),
    )
    at.verified(now)
    at.fake.assert_clean()


# --- commands -----------------------------------------------------------------------------------------------


async def test_every_question_gets_its_answer(at: Table) -> None:
    async def ask(client: Client, command: str, says: str, place: Any = None, **options: Any) -> None:
        outcome = await client.slash(place or at.channel, command, **options)
        acknowledged(outcome)
        await outcome.settled()
        assert says in outcome.text and outcome.ephemeral, (command, outcome)

    reports = at.fake.world.add_channel(at.guild, "reports")
    at.fake.gateway.dispatch("CHANNEL_CREATE", at.fake.payloads.channel(reports), guild_id=at.guild.id)
    await ask(at.ann, "debate status", "There is no debate here")
    await ask(at.ann, "debate motions", "Motions")
    await ask(at.ann, "debate personas", "The AIs")
    await ask(at.ann, "debate help", "/debate start")
    for command in ("show", "check", "words"):
        await ask(at.mod, f"debate setup {command}", "")
        await ask(at.ann, f"debate setup {command}", "Only the moderator may do that")
    await ask(at.mod, "debate setup words", "is blocked from now on", add="pineapple")
    await ask(at.mod, "debate setup reports", "#reports", channel=reports)
    await ask(at.mod, "debate block", "They are blocked", user=at.ben.user)
    card = await at.lobby(at.ann, format="duel")
    await at.press(at.ben, card, "Join as debater", "A moderator has blocked you")
    await ask(at.mod, "debate unblock", "again", user=at.ben.user)
    await at.press(at.ben, card, "Join as debater", "You are on seat")
    await at.press(at.ann, card, "Start now", "The debate begins")
    prompt = await at.called(card, at.ben)
    await ask(at.ann, "debate status", "Opening", at.thread(card))
    await at.speak(at.ben, prompt, "I like pineapple.", "is not wanted here")
    await at.speak(at.ben, prompt, "I like other fruit.")
    speech = (await at.fake.wait_for(lambda: at.fake.thread(card.id).find("other fruit")))[0]
    await asyncio.sleep(0.3)  # nobody reports before its delivery is noted
    opened = await at.ann.apply(speech, "Report to the moderators")
    acknowledged(opened)
    assert opened.kind == "modal", opened
    sent = await at.ann.submit_modal(opened, {"why": "It is about fruit."})
    assert "The moderators have your report" in (await sent.settled()).text
    report = at.fake.channel(reports).posts[0]
    assert "other fruit" in report.text and "It is about fruit." in report.text and not report.pings
    await ask(at.mod, "debate pause", "The match is paused", at.thread(card), reason="Tea")
    await ask(at.ann, "debate resume", "The match goes on", at.thread(card))
    await ask(at.ann, "debate cancel", "The match is cancelled", at.thread(card), reason="@everyone enough")
    await at.fake.wait_for(lambda: at.over(card))
    at.nobody_pinged_in_vain(card)
    at.fake.assert_clean()


async def test_the_server_is_settled_by_who_moderates_all_of_it(at: Table) -> None:
    """Manage Messages in one channel makes a moderator of its debates, not of the server."""
    at.fake.admin.permit(at.channel, at.ben.user, allow="manage_messages")
    card = await at.lobby(at.ann, format="duel")
    attempts: tuple[tuple[str, dict[str, Any]], ...] = (
        ("setup show", {}),
        ("setup check", {}),
        ("setup debates", {"judges": 1}),
        ("setup words", {"add": "pineapple"}),
        ("setup persona", {"persona": "quill"}),
        ("block", {"user": at.ann.user}),
        ("unblock", {"user": at.ann.user}),
    )
    for command, options in attempts:
        outcome = await at.ben.slash(at.channel, f"debate {command}", **options)
        assert "Only the moderator may do that" in (await outcome.settled()).text, command
    await at.press(at.ben, card, "Cancel", "The match is cancelled")
    by_name = await at.mod.slash(at.channel, "debate setup persona", persona="Quill")
    assert "Blocked AIs: none → Quill" in (await by_name.settled()).text
    at.fake.assert_clean()


async def test_check_says_which_channels_are_gone(at: Table) -> None:
    debates, reports = (at.fake.world.add_channel(at.guild, name) for name in ("arena", "reports"))
    for channel in (debates, reports):
        at.fake.gateway.dispatch("CHANNEL_CREATE", at.fake.payloads.channel(channel), guild_id=at.guild.id)
    await at.mod.slash(at.channel, "debate setup channel", channel=debates)
    await at.mod.slash(at.channel, "debate setup reports", channel=reports)
    at.fake.admin.permit(reports, at.fake.world.users[at.fake.world.application.bot_id], deny="send_messages")
    found = await (await at.mod.slash(at.channel, "debate setup check")).settled()
    assert f"<#{reports.id}>: " in found.text and "Send Messages" in found.text
    for channel in (debates, reports):
        at.fake.admin.delete_channel(channel)
    await asyncio.sleep(0.2)
    found = await (await at.mod.slash(at.channel, "debate setup check")).settled()
    assert "None of the channels" in found.text and "The channel for reports is gone" in found.text
    at.fake.assert_clean()


async def test_what_is_no_part_of_a_debate_is_not_reported_as_one(at: Table) -> None:
    card = await at.lobby(at.ann, format="duel")
    chatter = await at.ben.say(at.channel, "Hello.")
    refused = await at.ann.apply(chatter, "Report to the moderators")
    assert "no part of a debate" in (await refused.settled()).text
    await at.lobby(at.ben, format="duel")
    assert (await at.ann.apply(card, "Report to the moderators")).kind == "modal"
    status = await at.ann.slash(at.fake.world.add_channel(at.guild, "empty"), "debate status")
    assert status.text.endswith("or open one with `/debate start`.")
    at.fake.assert_clean()


async def test_ids_that_nobody_knows_are_answered(at: Table) -> None:
    card = await at.lobby(at.ann, format="duel")
    for custom_id in (
        "",
        "join",
        "join:x:1:y:z",
        "explode:m:1",
        "join:nosuch:1:debater",
        "vote:nosuch:1:1.pro",
        "x" * 100,
        "speak:nosuch:1:1.1",
        "say:nosuch:1:1.1",
        "seat:nosuch:1",
        "join:" + at.matches[card.id] + ":1:%zz",
    ):
        answer = await at.ben.press_id(card, custom_id)
        acknowledged(answer)
        assert answer.kind != "nothing"
        if answer.modal is None:
            await answer.settled()
            assert answer.ephemeral and answer.text, custom_id
            assert "Something went wrong" not in answer.text, custom_id
    form = await at.ben.press_id(card, f"report:{at.matches[card.id]}:1")
    assert form.modal is not None
    for custom_id in (
        "",
        "say:nosuch:1:1.1",
        f"say:{at.matches[card.id]}:1:x",
        f"ballot:{at.matches[card.id]}:1:y",
        "gone:m:1",
        f"say:{at.matches[card.id]}:1",
    ):
        form.interaction.modal = form.modal | {"custom_id": custom_id}
        answer = await at.ben.submit_modal(form, {"why": "x"})
        acknowledged(answer)
        await answer.settled()
        assert answer.ephemeral and answer.text, custom_id
        assert "Something went wrong" not in answer.text, custom_id


async def test_a_slow_database_keeps_nobody_waiting_for_an_answer(at: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every first answer is there within a second, though every look into the database takes longer than that, and
    only one at a time may write."""
    card = await at.lobby(at.ann, format="duel")
    await at.press(at.ann, card, "Join as debater", "You are on seat")
    running_card = await at.started([at.ben], format="duel", tempo="correspondence")
    prompt = await at.called(running_card, at.ben)
    slow = 1.5
    monkeypatch.setattr(SqlStore, "_read", slowed(SqlStore._read, slow))
    monkeypatch.setattr(SqlStore, "_begin", staticmethod(slowed(SqlStore._begin, slow)))
    asked = {
        "join": at.person("cat").click(card, "Join as debater"),
        "again": at.ann.click(card, "Join as judge"),
        "speak": at.ben.click(prompt, "Speak"),
        "nosuch": at.mod.press_id(card, "join:nosuch:1:debater"),
        "start": at.person("dan").slash(at.channel, "debate start", format="duel"),
        "status": at.mod.slash(at.thread(running_card), "debate status"),
        "motions": at.mod.slash(at.channel, "debate motions"),
        "setup": at.mod.slash(at.channel, "debate setup show"),
        "block": at.mod.slash(at.channel, "debate block", user=at.person("eve").user),
    }
    answers = dict(zip(asked, await asyncio.gather(*asked.values()), strict=True))
    for what, answer in answers.items():
        assert answer.took is not None and answer.took < ACK_S, (what, answer)
    assert answers["speak"].kind == "modal"
    sent = await at.ben.submit_modal(answers["speak"], {"text": "Slow and steady."})
    acknowledged(sent)
    monkeypatch.undo()
    assert "Said." in (await sent.settled(15)).text
    assert "You are on seat P1" in (await answers["join"].settled(15)).text
    await asyncio.gather(*(answer.settled(15) for what, answer in answers.items() if what != "speak"))
    at.fake.assert_clean()


def slowed(method: Any, seconds: float) -> Any:
    async def wrapped(*arguments: Any, **more: Any) -> Any:
        await asyncio.sleep(seconds)
        return await method(*arguments, **more)

    return wrapped


# --- typing -----------------------------------------------------------------------------------------------


async def test_a_message_that_comes_twice_is_one_turn_and_not_out_of_turn(at: Table) -> None:
    card = await at.started([at.ann], format="duel")
    prompt = await at.called(card, at.ann)
    said = await at.type(at.ann, card, "Said once, delivered twice.")

    def turns() -> int:
        return sum("Said once, delivered twice." in post.text for post in at.fake.thread(card.id).posts)

    await at.fake.wait_for(turns)
    announce(at.fake, "MESSAGE_CREATE", at.thread(card), said)
    await at.called(card, at.ann, after=prompt)
    assert turns() == 1 and not said.reactions


async def test_what_is_typed_out_of_turn(at: Table) -> None:
    card = await at.started([at.ann, at.ben], format="doubles", tempo="correspondence")
    await at.fake.wait_for(lambda: at.calls_for(card, at.ann, "Speak") or at.calls_for(card, at.ben, "Speak"))
    speaker, other = (at.ann, at.ben) if at.calls_for(card, at.ann, "Speak") else (at.ben, at.ann)
    prompt = await at.called(card, speaker)
    thread = at.thread(card)
    refusal = await other.click(prompt, "Speak")
    assert refusal.ephemeral and "has the floor, not you" in refusal.text

    watching = await at.mod.say(thread, "Well said.")
    role = next(role for role in at.guild.roles.values() if role.managed)
    at.fake.admin.change_role(at.guild, role, role.permissions | bits("manage_messages"))
    marked = await other.say(thread, "Me too!")
    await at.fake.wait_for(lambda: marked.reactions)
    await at.mod.slash(at.channel, "debate setup debates", **out_of_turn("remove"))
    removed = await other.say(thread, "Me again!")
    await at.fake.wait_for(lambda: removed.deleted_at is not None)
    await at.mod.slash(at.channel, "debate setup debates", **out_of_turn("ignore"))
    ignored = await other.say(thread, "And again!")
    elsewhere = await speaker.say(at.channel, "This is not the thread.")

    for words, says in (("x" * 501, "1 too many"), ("\u200b\u2060", "nothing in that to read"), ("||  ||", "nothing")):
        rejected = await speaker.say(thread, words)
        notice = await speaker.wait_for(lambda message: says in message.text, thread, after=rejected)  # noqa: B023
        assert not notice.pings and (notice.reference or {})["message_id"] == str(rejected.id)
    await at.type(speaker, card, "y" * 500)
    await at.fake.wait_for(lambda: [post for post in at.fake.thread(card.id).posts if "y" * 500 in post.text])
    for message in (watching, ignored, elsewhere):
        assert not message.reactions and message.deleted_at is None
    found = await state(at, at.matches[card.id])
    assert found.round is not None and found.round.turns[0].parts[0].text == "y" * 500
    at.nobody_pinged_in_vain(card)
    at.fake.assert_clean()


async def test_what_is_typed_with_a_blocked_word_or_without_words(at: Table) -> None:
    """The notice is read by all, so it holds neither the word nor the text."""
    await at.mod.slash(at.channel, "debate setup words", add="pineapple")
    card = await at.started([at.ann], format="duel", tempo="correspondence")
    await at.called(card, at.ann)
    thread = at.thread(card)
    said = await at.ann.say(thread, "I like p1neapple.")
    notice = await at.ann.wait_for(lambda message: "not wanted here" in message.text, thread, after=said)
    assert "neapple" not in notice.text
    picture = await at.ann.say(thread, "", files={"cat.png": b"meow"})
    await at.ann.wait_for(lambda message: "no words in that" in message.text, thread, after=picture)
    at.fake.assert_clean()


async def test_without_the_intent_whoever_types_is_told_once(tmp_path: Path) -> None:
    async with table(tmp_path) as at, running(at, discord_message_content=False, discord_members=False):
        at.fake.world.application.privileged = []
        card = await at.started([at.ann], format="duel", tempo="correspondence")
        prompt = await at.called(card, at.ann)
        for _ in range(2):
            await at.ann.say(at.thread(card), "Can you hear me?")
        hint = "Use the Speak button"
        await at.fake.wait_for(lambda: at.fake.thread(card.id).find(hint))
        await at.speak(at.ann, prompt, "Now you can.")
        assert len(at.fake.thread(card.id).find(hint)) == 1
        at.fake.assert_clean()
