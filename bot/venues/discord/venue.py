"""Delivery into Discord: the host's `Venue` over a discord.py client that somebody else starts."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

import discord

from bot.host.ports import BoardRow, Delivered, PostRow, VenueError
from bot.messages.card import Card, people_in
from bot.messages.words import Words
from bot.rules.match import Clip
from bot.venues.discord.look import Scene, face, masked, render, thread_name
from bot.venues.discord.masks import Masks
from bot.venues.discord.pace import Pace, Urgency
from bot.venues.discord.payload import Payload, Upload, allowed, for_edit, for_send
from bot.venues.discord.place import Place, wall_of
from bot.venues.discord.text import People
from bot.venues.discord.wire import Wire, remember

log = logging.getLogger(__name__)

LOBBY = "lobby"
BIGGEST_FILE = 10 * 1024 * 1024
"""What every server takes."""
_LOOK_BACK = 300
"""How many messages of a thread are searched for the newest of ours."""

_ASKS = ("prompt", "vote")
"""Cards whose buttons go when what they ask for is over."""

PeopleOf = Callable[[Sequence[str]], Awaitable[Mapping[str, tuple[str, str]]]]
"""Person ids to (Discord's id, the name we keep); who was erased is missing."""
Papers = Callable[[str], Awaitable[Mapping[str, str]]]
"""A match's record and transcript by file name."""
TimeIsUp = Callable[[str, Card], int | None]
"""The wall time in milliseconds that a card of a match means by its `deadline` or `time_ms`. None: it says no time."""


class DiscordVenue:
    """Shows matches in threads. A match's thread is "<channel>/<lobby message>"; the cog posts the lobby message."""

    board_every_s: float | None = 2.0
    usual_hold_s: float = 2.0
    hold_s: float = usual_hold_s
    """Raised by the cog while the connection is down, and put back when what was missed has been read."""
    clip_wait_s: float = 2.0

    def __init__(
        self,
        client: discord.Client,
        people: PeopleOf,
        say: Words,
        clips: Path,
        time_is_up: TimeIsUp,
        papers: Papers | None = None,
        pace: Pace | None = None,
        avatars: str | None = None,
    ) -> None:
        """`clips`: the folder with a folder a match, below which a clip's file lies. `avatars`: where the world finds
        the picture of "{persona}"; with it AIs speak under their own names, where a webhook can be had."""
        self._wire = Wire(client, pace or Pace())
        self._people = people
        self._say = say
        self._clips = clips
        self._time_is_up = time_is_up
        self._papers = papers
        self._masks = Masks(client, avatars)
        self._speeches: OrderedDict[int, tuple[Payload, int | None]] = OrderedDict()
        """By message, with the webhook it came by."""
        self._asking: OrderedDict[int, tuple[int, Card]] = OrderedDict()
        self._in_doubt: OrderedDict[int, Card] = OrderedDict()
        """By thread: what an earlier process was sending when it ended."""
        self._tidying: set[asyncio.Task[None]] = set()

    # --------------------------------------------------------------------------------------------- the host's side

    async def post(self, thread: str | None, post: PostRow, onto: str | None, clip: Clip | None = None) -> Delivered:
        place = self._wire.place(thread)
        card = Card.model_validate_json(post.body)
        if post.n == 1 and card.kind == "cancelled":
            # No thread yet, and none for this: the lobby's own message says it.
            return Delivered(str(place.lobby), wall_of(place.lobby))
        self._wire.check_open(place)
        payload, people = await self._dressed(card, post.match, post.n)
        mask = masked(card, Scene(post.match, post.n, people, self._say)) if self._masks.worn else None
        if clip is not None:
            try:
                upload = await self._clip(post.match, clip)
                payload = payload.plus(upload)
                mask = mask and replace(mask, payload=mask.payload.plus(upload))
            except VenueError as error:
                log.warning("post %d of match %s goes without its clip: %s", post.n, post.match, error)
        if card.kind == "final":
            payload = await self._with_papers(payload, post.match)
        urgency = Urgency.GATE if post.gate else Urgency.POST
        async with self._wire.calling(place, urgency, repeatable=mask is None):
            if post.n == 1:
                await self._wire.make_thread(place, thread_name(card, people))
            if onto is not None and mask is None and (edited := await self._wire.edit(place, int(onto), payload)):
                self._take_buttons_off(place, card)
                return edited
            sent = await self._masks.say(place, mask) if mask is not None else None
            if sent is not None and mask is not None:
                payload = mask.payload
            else:
                sent = await self._wire.send(place, post, payload)
        if card.turn is not None:
            remember(self._speeches, sent.id, (payload, sent.webhook_id))
        self._take_buttons_off(place, card)
        self._note_asking(place, sent.id, card)
        return Delivered(str(sent.id), wall_of(sent.id))

    async def attach(self, thread: str | None, message: str, match: str, clip: Clip) -> None:
        place = self._wire.place(thread)
        self._wire.check_open(place)
        upload = await self._clip(match, clip)
        async with self._wire.calling(place, Urgency.SOUND, gives_up=False):
            speech = self._speeches.get(int(message))
            if speech is not None:
                payload, webhook = speech
                by = await self._masks.of_message(place, webhook) if webhook is not None else None
                await self._wire.edit_open(place, int(message), by, **for_edit(payload.plus(upload)))
                del self._speeches[int(message)]
            else:
                await self._attach_to_read(place, int(message), upload)

    async def newest_ours(self, thread: str | None, after: str | None) -> Delivered | None:
        place = self._wire.place(thread)
        self._wire.check_open(place)
        beyond = int(after) if after is not None else place.lobby
        async with self._wire.calling(place, Urgency.POST, gives_up=False):
            try:
                async for message in self._wire.thread(place).history(limit=_LOOK_BACK):
                    if message.id <= beyond:
                        break
                    if self._is_ours(message) and _is_a_post(message):
                        card = self._in_doubt.pop(place.thread, None)
                        if card is not None:
                            self._note_asking(place, message.id, card)
                        return Delivered(str(message.id), wall_of(message.id))
            except discord.NotFound:
                if after is not None:
                    raise  # there was a thread: now it is gone
        self._in_doubt.pop(place.thread, None)
        return None

    async def show(self, thread: str | None, board: BoardRow) -> str | None:
        place = self._wire.place(thread)
        if board.key != LOBBY:
            return board.platform_id  # nothing to show it in yet
        payload, _ = await self._dressed(Card.model_validate_json(board.body), board.match, board.version)
        async with self._wire.calling(place, Urgency.BOARD, gives_up=False):
            channel = self._wire.client.get_partial_messageable(place.channel)
            await channel.get_partial_message(place.lobby).edit(**for_edit(payload))
        return str(place.lobby)

    # --------------------------------------------------------------------------------------------- for the cog

    async def lobby(self, match: str, version: int, body: str) -> Payload:
        """The lobby as a message to be sent: the answer to the command that opens a match."""
        payload, _ = await self._dressed(Card.model_validate_json(body), match, version)
        return payload

    async def send_lobby(self, channel: int, payload: Payload, nonce: str, private: str | None = None) -> Place:
        """Post a lobby; `private` names the private thread its match will be held in. Raises VenueError."""
        async with self._wire.calling(Place(channel, 0), Urgency.GATE, gives_up=False):
            thread = await self._wire.make_private_thread(channel, private) if private else None
            message = await self._wire.client.get_partial_messageable(channel).send(nonce=nonce, **for_send(payload))
        return Place(channel, message.id, thread)

    async def withdraw_lobby(self, place: Place) -> None:
        """Take a lobby back that no match came of."""
        try:
            async with self._wire.calling(place, Urgency.TIDY, gives_up=False):
                channel = self._wire.client.get_partial_messageable(place.channel)
                await channel.get_partial_message(place.lobby).delete()
                if place.private:
                    await self._wire.client.http.edit_channel(place.private, archived=True)
        except VenueError as error:
            log.info("the lobby %s stays: %s", place, error)

    async def admit(self, place: Place, account: int) -> None:
        """Let somebody who took a seat into a private thread."""
        if not place.private:
            return
        try:
            async with self._wire.calling(place, Urgency.GATE, gives_up=False):
                await self._wire.client.http.add_user_to_thread(place.private, account)
        except VenueError as error:
            log.warning("%d cannot be added to thread %d: %s", account, place.private, error)

    def remember(self, thread: str, posts: Sequence[PostRow]) -> None:
        """What an earlier process posted in a thread, so that a prompt of its still loses its buttons in time."""
        place = self._wire.place(thread)
        asks = [at for at, post in enumerate(posts) if post.kind in _ASKS and post.state == "delivered"]
        for post in posts[asks[-1] :] if asks else [post for post in posts if post.state == "sending"]:
            if post.state == "sending":
                remember(self._in_doubt, place.thread, Card.model_validate_json(post.body))
            if post.state != "delivered" or post.platform_id is None:
                continue
            card = Card.model_validate_json(post.body)
            asked = self._asking.get(place.thread)
            if asked is not None and _is_past(asked[1], card):
                del self._asking[place.thread]
            self._note_asking(place, int(post.platform_id), card)

    async def close(self) -> None:
        """Let what is being tidied up come to its end."""
        await asyncio.gather(*self._tidying, return_exceptions=True)
        await self._masks.close()

    def forget(self, thread: str) -> None:
        """Try a thread again that was given up, because a moderator unlocked it, say."""
        self._wire.forget(Place.parse(thread))

    # --------------------------------------------------------------------------------------------- messages

    def _is_ours(self, message: discord.Message) -> bool:
        client = self._wire.client
        if message.webhook_id is not None and message.application_id == client.application_id:
            return True
        return client.user is not None and message.author.id == client.user.id

    async def _dressed(self, card: Card, match: str, version: int) -> tuple[Payload, People]:
        named = sorted(people_in(card))
        people = People(await self._people(named) if named else {}, self._say("person.erased"))
        until = self._time_is_up(match, card)
        return render(card, Scene(match, version, people, self._say, until // 1000 if until else None)), people

    def _note_asking(self, place: Place, message: int, card: Card) -> None:
        if card.buttons and card.kind in _ASKS:
            remember(self._asking, place.thread, (message, card))

    def _take_buttons_off(self, place: Place, newer: Card) -> None:
        """Once a turn or a vote is over, the prompt for it keeps no buttons that look alive. Nothing waits for this."""
        asked = self._asking.get(place.thread)
        if asked is None or not _is_past(asked[1], newer):
            return
        del self._asking[place.thread]
        task = asyncio.create_task(self._bare(place, asked[0]), name=f"tidy {place}")
        self._tidying.add(task)
        task.add_done_callback(self._tidying.discard)

    async def _bare(self, place: Place, message: int) -> None:
        try:
            async with self._wire.calling(place, Urgency.TIDY, gives_up=False):
                await (
                    self._wire.thread(place).get_partial_message(message).edit(view=None, allowed_mentions=allowed(()))
                )
        except VenueError as error:
            log.info("the buttons of message %d in %s stay: %s", message, place, error)

    async def _attach_to_read(self, place: Place, message: int, upload: Upload) -> None:
        """Add a file to a message that an earlier process sent. What only an embed shows is in no list of files, so it
        is sent again."""
        found = await self._wire.thread(place).fetch_message(message)
        by: discord.Webhook | None = None
        if found.webhook_id is not None and self._is_ours(found):
            # Asked for by its webhook, it has its files whatever intents we have.
            by = await self._masks.of_message(place, found.webhook_id)
            found = await by.fetch_message(message, thread=discord.Object(place.thread))
        if any(attachment.filename == upload.name for attachment in found.attachments):
            return
        again: list[discord.File] = []
        for embed in found.embeds:
            persona = PurePosixPath((embed.author.icon_url or "").partition("?")[0]).stem
            if persona:
                picture = face(persona)
                again.append(picture.file())
                embed.set_author(name=embed.author.name or "", icon_url=f"attachment://{picture.name}")
        await self._wire.edit_open(
            place,
            message,
            by,
            embeds=found.embeds,
            attachments=[*again, *found.attachments, upload.file()],
            allowed_mentions=allowed(()),
        )

    async def _with_papers(self, payload: Payload, match: str) -> Payload:
        """The last card brings the record and the transcript along, if they can be made."""
        try:
            papers = await self._papers(match) if self._papers is not None else {}
        except Exception:
            log.exception("match %s ends without its record", match)
            return payload
        for name, text in papers.items():
            data = text.encode()
            if len(data) <= BIGGEST_FILE:
                payload = payload.plus(Upload(name, data))
        return payload

    async def _clip(self, match: str, clip: Clip) -> Upload:
        path = self._clips / match / clip.file
        try:
            data = await asyncio.to_thread(path.read_bytes)
        except OSError as error:
            raise VenueError(f"{path} cannot be read: {error}", lasting=True) from error
        if len(data) > BIGGEST_FILE:
            raise VenueError(f"{path} has {len(data)} bytes, and Discord takes {BIGGEST_FILE}", lasting=True)
        return Upload(path.name, data)


def _is_past(asked: Card, newer: Card) -> bool:
    """Whether a newer card means that what was asked for is over. In one slot more than one speech may follow."""
    if newer.turn is not None:
        turns = {button.arg for button in asked.buttons if button.action == "speak"}
        return asked.kind == "prompt" and "{}.{}".format(*newer.turn[:2]) not in turns
    return newer.kind != "note"


def _is_a_post(message: discord.Message) -> bool:
    """Not what Discord writes itself, and not an answer: to a message (a reply), a command or a click."""
    return message.type is discord.MessageType.default and message.interaction_metadata is None
