"""Delivery through the real discord.py into the fake Discord. Only logged in: sending needs no gateway."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import discord
import pytest

from bot.host.ports import BoardRow, Delivered, PostRow, Venue, VenueError
from bot.messages.card import Author, Button, Card, Fact, Table, person_token
from bot.messages.words import words
from bot.rules.match import Clip
from bot.venues.discord import venue as module
from bot.venues.discord import wire
from bot.venues.discord.payload import for_send
from bot.venues.discord.place import Place, nonce, wall_of
from bot.venues.discord.venue import DiscordVenue
from tests.discord.fake import Channel, FakeDiscord, Guild, Limits, Message, User
from tests.discord.fake.faults import Outcome
from tests.venues_discord.strategies import HOSTILE, KINDS

MATCH = "abcdefghjk"
QUILL = Author(name="Quill", seat="P1", side="pro", persona="quill")
INTRO = Card(kind="intro", title="Duel: the debate begins", text="Two rounds @everyone.")
SPEECH = Card(kind="speech", tone="pro", author=QUILL, label="Opening", text="We should.", turn=(1, 1, 0))
PROMPT = Card(
    kind="prompt", title="Your turn", text="Up to 400 characters.", ping=("ann",), time_ms=60_000,
    buttons=(
        Button(action="speak", arg="1.2", label="Speak", style="main"), Button(action="pass", arg="1.2", label="Pass"),
    ),
)  # fmt: skip
CLIP = Clip("clips/r1-t01-P1.ogg", 1.0, "ogg")
SOUND = b"OggS" + b"\0" * 60


def row(n: int, card: Card) -> PostRow:
    return PostRow(MATCH, n, card.kind, card.model_dump_json(exclude_defaults=True))


def up(match: str, card: Card) -> int | None:
    assert match == MATCH
    return 1_800_000_000_000 if card.time_ms or card.deadline else None


@dataclass
class Stage:
    fake: FakeDiscord
    client: discord.Client
    guild: Guild
    channel: Channel
    ann: User
    place: Place
    folder: Path
    venue: DiscordVenue
    avatars: str | None = None

    @property
    def where(self) -> str:
        return str(self.place)

    @property
    def posts(self) -> list[Message]:
        return self.fake.thread(self.place.thread).posts

    @property
    def thread(self) -> Channel:
        return self.fake.world.channels[self.place.thread]

    async def post(self, n: int, card: Card, onto: str | None = None, clip: Clip | None = None) -> Delivered:
        return await self.venue.post(self.where, row(n, card), onto, clip)

    async def restarted(self) -> None:
        """A new process: nothing is remembered."""
        await self.venue.close()
        self.venue = await made(self.client, self.ann, self.folder, self.avatars)


async def made(client: discord.Client, ann: User, folder: Path, avatars: str | None = None) -> DiscordVenue:
    async def people(ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        return {"ann": (str(ann.id), "Ann")} if "ann" in ids else {}

    return DiscordVenue(client, people, words(), folder, up, avatars=avatars)


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with staged(tmp_path) as ready:
        yield ready


@asynccontextmanager
async def staged(tmp_path: Path) -> AsyncIterator[Stage]:
    async with FakeDiscord(limits=Limits(enabled=False)) as fake:
        guild = fake.world.add_guild()
        channel = fake.world.add_channel(guild)
        ann = fake.world.add_user("ann")
        fake.world.add_member(guild, ann)
        (tmp_path / MATCH / "clips").mkdir(parents=True)
        (tmp_path / MATCH / CLIP.file).write_bytes(SOUND)
        with fake.patched():
            async with discord.Client(intents=discord.Intents.none()) as client:
                await client.login(fake.token)
                venue = await made(client, ann, tmp_path)
                lobby = await venue.lobby(MATCH, 1, Card(kind="lobby", title="Duel").model_dump_json())
                sent = await client.get_partial_messageable(channel.id).send(**for_send(lobby))
                place = Place(channel.id, sent.id)
                stage = Stage(fake, client, guild, channel, ann, place, tmp_path, venue)
                yield stage
                await stage.venue.close()


# --- posts --------------------------------------------------------------------------------------------------


async def test_the_first_post_makes_the_thread_and_the_rest_go_there(stage: Stage) -> None:
    venue: Venue = stage.venue
    assert venue.board_every_s == 2.0
    first = await stage.post(1, INTRO)
    second = await stage.post(2, SPEECH)
    assert stage.thread.name == "Duel: the debate begins" and stage.thread.slowmode == 0
    assert [str(one.id) for one in stage.posts] == [first.platform_id, second.platform_id]
    assert first.wall == wall_of(stage.posts[0].id) and abs(first.wall - time.time() * 1000) < 5_000
    assert first.wall <= second.wall
    speech = stage.posts[1]
    assert speech.embeds[0]["author"]["name"] == "P1 Quill (AI) · 🔷 Pro · Opening"
    assert [one.filename for one in speech.attachments] == ["quill.png"]
    assert len(stage.fake.calls("POST", "/channels/*/messages/*/threads")) == 1
    stage.fake.assert_clean()


async def test_only_whose_turn_it_is_is_notified(stage: Stage) -> None:
    await stage.post(1, INTRO)
    note = Card(kind="note", text=f"{person_token('ann')} and @everyone <@{stage.ann.id}> passes.")
    await stage.post(2, note)
    await stage.post(3, PROMPT)
    assert stage.fake.thread(stage.place.thread).pinged == [(stage.posts[-1], [stage.ann.id])]
    assert stage.posts[-1].controls[0]["custom_id"] == f"speak:{MATCH}:3:1.2"
    assert "<t:1800000000:R>" in stage.posts[-1].text
    stage.fake.assert_clean()


async def test_a_prompt_keeps_its_buttons_until_the_turn_is_over(stage: Stage) -> None:
    await stage.post(1, INTRO)
    asked = await stage.post(2, PROMPT)
    await stage.post(3, SPEECH.model_copy(update={"turn": (1, 2, 0)}))
    await stage.post(4, Card(kind="note", text="Paused."))
    await stage.venue.close()
    prompt = next(one for one in stage.posts if str(one.id) == asked.platform_id)
    assert prompt.labels == ["Speak", "Pass"]
    stage.fake.fail("PATCH", "/channels/*/messages/*", 403)  # that it may fail is nobody's trouble
    await stage.post(5, PROMPT)
    await stage.post(6, SPEECH.model_copy(update={"turn": (2, 2, 0)}))  # the same number, in the next round
    await stage.venue.close()
    assert [one.labels for one in stage.posts if one.embeds[0].get("title") == "Your turn"] == [["Speak", "Pass"], []]
    assert "Your turn" in prompt.text
    stage.fake.assert_clean()


async def test_a_repeated_post_finds_the_first(stage: Stage) -> None:
    first = await stage.post(1, INTRO)
    await stage.restarted()
    assert await stage.post(1, INTRO) == first
    assert len(stage.posts) == 1
    assert [call.answer["code"] for call in stage.fake.calls(status=400)] == [160004]
    # The first was deleted meanwhile, so it is said again.
    stage.fake.admin.delete_message(stage.posts[0])
    again = await stage.post(1, INTRO)
    assert [str(one.id) for one in stage.posts] == [again.platform_id] != [first.platform_id]
    stage.fake.assert_clean()


@pytest.mark.parametrize("outcome", ["500-after-success", "drop-after-success", "drop"])
async def test_whatever_the_network_does_there_is_one_message(stage: Stage, outcome: Outcome) -> None:
    await stage.post(1, INTRO)
    stage.fake.fail("POST", "/channels/*/messages", outcome)
    if outcome == "500-after-success":
        await stage.post(2, SPEECH)  # discord.py tries again by itself, under the same nonce
    else:
        with pytest.raises(VenueError) as caught:
            await stage.post(2, SPEECH)
        assert not caught.value.lasting
        await stage.post(2, SPEECH)
    assert len(stage.posts) == 2


async def test_votes_build_up_one_message(stage: Stage) -> None:
    await stage.post(1, INTRO)
    one = Card(kind="reveal", tone="pro", title="Quill votes Pro", text="Because.", author=QUILL)
    other = replace_author(one, "zubin", stack=(Fact(label="Quill votes Pro", value="Because.", tone="pro"),))
    first = await stage.post(2, one)
    await asyncio.sleep(0.002)
    second = await stage.post(3, other, first.platform_id)
    assert second.platform_id == first.platform_id and second.wall > first.wall
    message = stage.posts[-1]
    assert len(stage.posts) == 2 and len(message.embeds) == 2
    assert [file.filename for file in message.attachments] == ["zubin.png"]
    stage.fake.admin.delete_message(message)
    third = await stage.post(4, other, first.platform_id)
    assert third.platform_id != first.platform_id and len(stage.posts[-1].embeds) == 2
    stage.fake.assert_clean()


def replace_author(card: Card, persona: str, stack: tuple[Fact, ...]) -> Card:
    author = QUILL.model_copy(update={"persona": persona, "name": persona.title()})
    return card.model_copy(update={"author": author, "stack": stack})


async def test_an_archived_thread_is_opened_for_an_edit_and_a_locked_one_is_lost(stage: Stage) -> None:
    await stage.post(1, INTRO)
    reveal = Card(kind="reveal", title="Quill votes Pro", author=QUILL)
    first = await stage.post(2, reveal)
    stage.fake.admin.archive(stage.thread)
    await stage.post(3, reveal, first.platform_id)
    assert stage.thread.thread and not stage.thread.thread.archived
    assert stage.fake.world.message(stage.place.thread, int(first.platform_id)).attachments[0].data  # type: ignore[union-attr]
    stage.fake.admin.archive(stage.thread, locked=True)
    with pytest.raises(VenueError) as caught:
        await stage.post(4, reveal, first.platform_id)
    assert caught.value.lasting


async def test_a_cancelled_lobby_gets_no_thread(stage: Stage) -> None:
    said = await stage.post(1, Card(kind="cancelled", title="The match is cancelled"))
    assert said.platform_id == str(stage.place.lobby) and stage.place.thread not in stage.fake.world.channels


async def test_hostile_cards_of_every_kind_are_taken_and_ping_nobody(stage: Stage) -> None:
    nasty = "".join(text for text in HOSTILE if text not in ("\x02", "\ud83d")) * 6
    for n, kind in enumerate(KINDS, 1):
        card = Card(
            kind=kind,
            tone="con",
            title=nasty,
            text=nasty,
            author=QUILL.model_copy(update={"name": nasty}),
            label=nasty,
            footer=nasty,
            facts=(Fact(label=nasty, value=nasty, tone="pro"),) * 9,
            stack=(Fact(label=nasty, value=nasty),) * 12,
            table=Table(columns=("Seat", ">Points"), rows=((nasty, nasty),) * 9),
            buttons=(Button(action="join", label=nasty),),
        )
        await stage.post(n, card)
    assert len(stage.posts) == len(KINDS) and not stage.fake.thread(stage.place.thread).pinged
    stage.fake.assert_clean()


# --- trouble ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "code", "lasting"),
    [(404, 10003, True), (403, 50001, True), (403, 50013, True), (403, 160005, True), (403, 50083, True),
     (400, 50035, True), (401, 0, False)],
)  # fmt: skip
async def test_a_lost_thread_is_asked_once(stage: Stage, status: int, code: int, lasting: bool) -> None:
    await stage.post(1, INTRO)
    fault = stage.fake.fail("POST", "/channels/*/messages", status, times=None, code=code)
    for _ in range(3):
        with pytest.raises(VenueError) as caught:
            await stage.post(2, SPEECH)
        assert caught.value.lasting is lasting
    assert fault.hits == (1 if lasting else 3)
    fault.stop()
    if lasting:
        for asked in (stage.venue.attach(stage.where, "1", MATCH, CLIP), stage.venue.newest_ours(stage.where, None)):
            with pytest.raises(VenueError):
                await asked
        stage.venue.forget(stage.where)
    await stage.post(2, SPEECH)


async def test_what_passes_is_worth_another_try(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    await stage.post(1, INTRO)
    stage.fake.fail("POST", "/channels/*/messages", 429, via=False, retry_after=7.0)
    with pytest.raises(VenueError) as caught:
        await stage.post(2, SPEECH)
    assert not caught.value.lasting and (caught.value.retry_after or 0) >= 7.0
    stage.fake.fail("POST", "/channels/*/messages", 503)
    with pytest.raises(VenueError, match="503"):
        await stage.post(2, SPEECH)
    monkeypatch.setattr(wire, "TRY_FOR_S", 0.05)
    stage.fake.fail("POST", "/channels/*/messages", delay=0.3)
    with pytest.raises(VenueError, match="no answer"):
        await stage.post(2, SPEECH)
    monkeypatch.setattr(wire, "TRY_FOR_S", 5.0)
    await stage.post(2, SPEECH)
    assert len(stage.posts) == 2


async def test_a_thread_elsewhere_or_nowhere_is_refused(stage: Stage) -> None:
    for where in (None, "", "1", "a/b", "1/2/3", "0/1"):
        with pytest.raises(VenueError) as caught:
            await stage.venue.post(where, row(1, INTRO), None)
        assert caught.value.lasting


async def test_a_lobby_message_that_is_gone_loses_the_match(stage: Stage) -> None:
    stage.fake.admin.delete_message(stage.fake.channel(stage.channel).messages[0])
    for post in (row(1, INTRO), row(2, SPEECH)):
        with pytest.raises(VenueError) as caught:
            await stage.venue.post(stage.where, post, None)
        assert caught.value.lasting
    assert len(stage.fake.calls("POST", "/channels/*/messages/*/threads")) == 1


# --- sound --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_clip_is_added_once_and_the_picture_stays(stage: Stage, restarted: bool) -> None:
    await stage.post(1, INTRO)
    said = await stage.post(2, SPEECH)
    if restarted:
        await stage.restarted()
    await stage.venue.attach(stage.where, said.platform_id, MATCH, CLIP)
    await stage.venue.attach(stage.where, said.platform_id, MATCH, CLIP)  # read: it is there
    message = stage.posts[-1]
    assert {one.filename: (one.data[:4], one.in_embed) for one in message.attachments} == {
        "quill.png": (b"\x89PNG", True),
        "r1-t01-P1.ogg": (b"OggS", False),
    }
    assert len(message.edits) == 1 and message.embeds[0]["description"] == "We should."
    stage.fake.assert_clean()


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_clip_that_is_there_goes_with_its_speech(stage: Stage, restarted: bool) -> None:
    await stage.post(1, INTRO)
    said = await stage.post(2, SPEECH, clip=CLIP)
    message = stage.posts[-1]
    files = {"quill.png": b"\x89PNG", "r1-t01-P1.ogg": b"OggS"}
    assert {one.filename: one.data[:4] for one in message.attachments} == files and not message.edits
    if restarted:
        await stage.restarted()
    await stage.venue.attach(stage.where, said.platform_id, MATCH, CLIP)  # after a crash it is asked for again
    assert {one.filename: one.data[:4] for one in message.attachments} == files and len(message.attachments) == 2
    stage.fake.assert_clean()


async def test_a_clip_that_cannot_be_had_keeps_no_speech_back(stage: Stage) -> None:
    await stage.post(1, INTRO)
    await stage.post(2, SPEECH, clip=replace(CLIP, file="clips/none.ogg"))
    assert [one.filename for one in stage.posts[-1].attachments] == ["quill.png"]
    stage.fake.assert_clean()


async def test_a_long_speech_keeps_its_file_beside_the_clip(stage: Stage) -> None:
    await stage.post(1, INTRO)
    said = await stage.post(2, SPEECH.model_copy(update={"text": "word " * 2_000}))
    await stage.restarted()
    await stage.venue.attach(stage.where, said.platform_id, MATCH, CLIP)
    assert {one.filename for one in stage.posts[-1].attachments} == {"quill.png", "speech.txt", "r1-t01-P1.ogg"}
    stage.fake.assert_clean()


async def test_a_clip_that_is_gone_or_too_big_is_given_up_and_nothing_else(stage: Stage) -> None:
    await stage.post(1, INTRO)
    said = await stage.post(2, SPEECH)
    big = stage.folder / MATCH / "clips" / "big.ogg"
    big.write_bytes(b"x" * (module.BIGGEST_FILE + 1))
    for clip, message in (
        (replace(CLIP, file="clips/none.ogg"), said.platform_id),
        (replace(CLIP, file="clips/big.ogg"), said.platform_id),
        (CLIP, "123"),
    ):
        with pytest.raises(VenueError) as caught:
            await stage.venue.attach(stage.where, message, MATCH, clip)
        assert caught.value.lasting
    await stage.post(3, SPEECH)


# --- after a crash ------------------------------------------------------------------------------------------


async def test_our_newest_message_is_found_among_those_of_others(stage: Stage) -> None:
    assert await stage.venue.newest_ours(stage.where, None) is None  # no thread yet
    first = await stage.post(1, INTRO)
    assert await stage.venue.newest_ours(stage.where, None) == first
    assert await stage.venue.newest_ours(stage.where, first.platform_id) is None
    second = await stage.post(2, SPEECH)
    ann = stage.fake.client(stage.ann)
    for number in range(120):
        await ann.say(stage.thread, f"chat {number}")
    theirs = stage.posts[-1]
    told = await stage.client.get_partial_messageable(stage.place.thread).get_partial_message(theirs.id).reply("Late.")
    assert told.type is discord.MessageType.reply  # the cog answers what people type; that is no post
    assert await stage.venue.newest_ours(stage.where, first.platform_id) == second
    stage.fake.admin.delete_channel(stage.thread)
    with pytest.raises(VenueError) as caught:
        await stage.venue.newest_ours(stage.where, first.platform_id)
    assert caught.value.lasting


# --- the lobby ----------------------------------------------------------------------------------------------


async def test_the_lobby_is_edited_in_place_even_when_the_thread_is_lost(stage: Stage) -> None:
    def board(version: int, **changes: object) -> BoardRow:
        card = Card.model_validate({"kind": "lobby", "title": "Duel", "deadline": 5, **changes})
        return BoardRow(MATCH, "lobby", version, card.model_dump_json())

    join = {"action": "join", "arg": "debater", "label": "Join"}
    assert await stage.venue.show(stage.where, board(2, buttons=[join])) == str(stage.place.lobby)
    message = stage.fake.channel(stage.channel).messages[0]
    assert message.controls[0]["custom_id"] == f"join:{MATCH}:2:debater" and "<t:1800000000:R>" in message.text
    with pytest.raises(VenueError):
        await stage.post(2, SPEECH)  # there is no thread
    await stage.venue.show(stage.where, board(3, title="Begun"))
    assert message.controls == [] and "Begun" in message.text and not message.pings
    assert await stage.venue.show(stage.where, replace(board(4), key="score")) is None  # a board it does not know
    stage.fake.admin.delete_message(message)
    with pytest.raises(VenueError) as caught:
        await stage.venue.show(stage.where, board(5))
    assert caught.value.lasting
    stage.fake.assert_clean()


def test_nonces_are_short_and_differ_by_what_is_said() -> None:
    made = {nonce(*of) for of in (("m", 1, "note"), ("m", 2, "note"), ("m", 1, "speech"), ("n", 1, "note"))}
    assert len(made | {nonce("m", 1, "note", 1)}) == 5 and all(len(one) <= 25 for one in made)
    assert nonce("m", 1, "note") == nonce("m", 1, "note")
