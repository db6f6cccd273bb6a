"""A server with a channel, people and the running bot: where the whole matches of these tests are played."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.export import export_text
from bot.settings import Settings
from cogs.discord import create_bot
from cogs.discord.bot import Rostrum
from tests.discord.fake import Channel, Client, FakeDiscord, Guild, Limits, Message, Outcome
from tests.discord.fake.bits import bits
from tests.verifier import verify

SPEED = 40.0
"""An AI's turn takes a quarter of a second, a person has 4 s for an opening at the tempo `relaxed`."""
ACK_S = 1.0
"""The longest that anybody waits for a first answer."""
SYSTEM_TYPES = (18, 21)


@dataclass
class Table:
    """Everything around a match. `bot` is None while a child process is the bot, or none runs."""

    fake: FakeDiscord
    guild: Guild
    channel: Channel
    folder: Path
    ann: Client
    ben: Client
    mod: Client
    bot: Rostrum | None = None
    speed: float = SPEED
    said: dict[str, int] = field(default_factory=dict[str, int])
    """What people sent in as turns, and who."""
    matches: dict[int, str] = field(default_factory=dict[int, str])
    """The matches' ids by the ids of their lobbies' messages."""

    # ------------------------------------------------------------------------------------------------ people

    def person(self, name: str, *, display: str | None = None) -> Client:
        client = self.fake.client(self.fake.world.add_user(name, display=display))
        self.fake.world.add_member(self.guild, client.user)
        return client

    async def lobby(self, host: Client | None = None, channel: Channel | None = None, **options: Any) -> Message:
        """Open a lobby by `/debate start` and return its message."""
        host, channel = host or self.ann, channel or self.channel
        outcome = await host.slash(channel, "debate start", **options)
        acknowledged(outcome)
        await outcome.settled()
        assert "The lobby is open" in outcome.text, outcome
        card = self.fake.world.message(channel.id, int(outcome.text.rpartition("/")[2]))
        assert card is not None and "Join as debater" in card.labels
        self.matches[card.id] = card.controls[0]["custom_id"].split(":")[1]
        return card

    async def press(self, client: Client, message: Message | int, button: str, says: str = "") -> Outcome:
        """Press a button and see that the answer came in time and holds these words."""
        outcome = await client.click(message, button)
        acknowledged(outcome)
        await outcome.settled()
        assert says in outcome.text, outcome
        return outcome

    async def started(self, debaters: list[Client], judges: list[Client] | None = None, **options: Any) -> Message:
        """A match under way, the first debater its host: the lobby's message, whose id the thread has."""
        card = await self.lobby(debaters[0], **options)
        for client in debaters:
            await self.press(client, card, "Join as debater", "You are on seat")
        for client in judges or []:
            await self.press(client, card, "Join as judge", "You are on seat")
        await self.press(debaters[0], card, "Start now", "The debate begins")
        await self.fake.wait_for(lambda: self.fake.thread(card.id).posts)
        return card

    # ------------------------------------------------------------------------------------------------ playing

    def thread(self, card: Message) -> Channel:
        found = self.fake.thread(card.id).channel
        assert found is not None, "the thread is gone"
        return found

    def over(self, card: Message) -> bool:
        """Whether the last card is posted, the receipt after it too, or the match was cancelled."""
        return any(
            "Fairness receipt" in message.text or "The match is cancelled" in message.text
            for message in self.fake.thread(card.id).posts
        )

    def calls_for(self, card: Message, client: Client, button: str) -> list[Message]:
        """The messages that ask this person to press a button, oldest first."""
        return [
            message
            for message in self.fake.thread(card.id).posts
            if client.id in message.pings.users and any(label.startswith(button) for label in message.labels)
        ]

    async def called(
        self, card: Message, client: Client, button: str = "Speak", *, after: Message | None = None, within: float = 15
    ) -> Message:
        """The next call for this person."""

        def newest() -> Message | None:
            found = [one for one in self.calls_for(card, client, button) if after is None or one.id > after.id]
            return found[-1] if found else None

        found = await self.fake.wait_for(newest, within)
        assert found is not None
        return found

    async def speak(self, client: Client, prompt: Message, text: str, says: str = "Said.") -> Outcome:
        """Speak by the button and its form."""
        opened = await client.click(prompt, "Speak")
        acknowledged(opened)
        assert opened.kind == "modal", opened
        sent = await client.submit_modal(opened, {"text": text})
        acknowledged(sent)
        await sent.settled()
        assert says in sent.text, sent
        if says == "Said.":
            self.said[text] = client.id
        return sent

    async def type(self, client: Client, card: Message, text: str) -> Message:
        """Speak by typing in the thread."""
        self.said[text] = client.id
        return await client.say(self.thread(card), text)

    async def debate(
        self,
        card: Message,
        client: Client,
        text: Callable[[int], str] | None = None,
        *,
        after: Message | None = None,
        within: float = 30,
    ) -> None:
        """Speak whenever called, by the form and by typing in turn, until the match is over."""
        done, number = after, 0
        while True:
            prompt = await self._next(card, client, "Speak", done, within)
            if prompt is None:
                return
            words = text(number) if text is not None else f"{client.user.name} makes point {number}, and means it."
            if number % 2:
                await self.type(client, card, words)
            else:
                await self.speak(client, prompt, words)
            done, number = prompt, number + 1

    async def judge(
        self, card: Message, client: Client, side: str = "Pro", reason: str = "I believed them.", within: float = 30
    ) -> None:
        """Vote whenever called, until the match is over."""
        done: Message | None = None
        while (prompt := await self._next(card, client, "Vote", done, within)) is not None:
            opened = await client.click(prompt, f"Vote {side}")
            acknowledged(opened)
            sent = await client.submit_modal(opened, {"reason": reason})
            acknowledged(sent)
            await sent.settled()
            assert "Your vote is in" in sent.text, sent
            done = prompt

    async def _next(
        self, card: Message, client: Client, button: str, done: Message | None, within: float
    ) -> Message | None:
        def look() -> Message | bool:
            found = [one for one in self.calls_for(card, client, button) if done is None or one.id > done.id]
            return found[-1] if found else self.over(card)

        found = await self.fake.wait_for(look, within)
        return found if isinstance(found, Message) else None

    async def played(self, card: Message, debaters: list[Client], judges: list[Client] | None = None) -> dict[str, Any]:
        """Play a match to its end and return its record, verified."""
        people = [self.debate(card, client) for client in debaters]
        people += [self.judge(card, client) for client in judges or []]
        await asyncio.gather(*people)
        await self.fake.wait_for(lambda: self.over(card), 30)
        return self.verified(card)

    # ------------------------------------------------------------------------------------------------ looking

    def record(self, card: Message) -> dict[str, Any]:
        """The record that the last card brought along."""
        files = [file for message in self.fake.thread(card.id).posts for file in message.attachments]
        found = [file for file in files if file.filename.endswith("-record.json")]
        assert len(found) == 1, [file.filename for file in files]
        return json.loads(found[0].data)

    def verified(self, card: Message, late_s: float = 2.0) -> dict[str, Any]:
        """The record, after everything that can be checked of a match. `late_s`: how late a turn may have been heard
        of, in real time."""
        record = self.record(card)
        wrong = verify(record, tolerance=late_s * self.speed)
        assert not wrong, "\n".join([*wrong, json.dumps(record)[:4_000], self.fake.dump(card.id)])
        self.told_once(card)
        self.nobody_pinged_in_vain(card)
        return record

    async def stored(self, match: str) -> dict[str, Any]:
        """The record as the store has it."""
        assert self.bot is not None
        store: Any = self.bot.application_behind.store
        return json.loads(await export_text(store, match, "json"))

    def told_once(self, card: Message) -> None:
        """Every post of ours is in the thread once: speeches, rounds, verdicts; and one thread to the lobby."""
        posts = [message.text for message in self.fake.thread(card.id).posts]
        often = ("you have the floor", "Back after an interruption", "is your vote")
        once = [text for text in posts if not any(words in text for words in often)]
        doubled = {text for text in once if once.count(text) > 1}
        assert not doubled, f"posted twice: {doubled}"
        record = self.record(card)
        if not any(seat["replaced"] for seat in record["seats"]):
            people = {seat["seat"] for seat in record["seats"] if seat["kind"] == "human"}
            called = [turn for entry in record["rounds"] for turn in entry["turns"] if turn["seat"] in people]
            assert sum("you have the floor" in text for text in posts) == len(called), "a call twice, or not at all"
        turns = [text for text in spoken(record) if text]
        for text in turns:
            shown = [post for post in posts if _plain(post).endswith(_plain(text))]  # AIs quote
            assert len(shown) == turns.count(text), (text, shown)

    def nobody_pinged_in_vain(self, card: Message) -> None:
        """Nobody but who has to speak or to vote, and never everybody."""
        for place in (self.fake.channel(self.channel), self.fake.thread(card.id)):
            for message, whom in place.pinged:
                if message.author_id != self.fake.world.application.bot_id:
                    continue
                assert 0 not in whom
                asked = "you have the floor" in message.text or "it is your vote" in message.text
                assert asked and len(whom) <= (1 if "floor" in message.text else 15), (message.text, whom)


def spoken(record: dict[str, Any]) -> list[str]:
    return [turn["text"] for entry in record["rounds"] for turn in entry["turns"]]


def acknowledged(outcome: Outcome) -> None:
    """The first answer was there in time."""
    assert outcome.took is not None and outcome.took < ACK_S, outcome


def _plain(text: str) -> str:
    """A text without what keeps its characters from being markup, and without what folds white space."""
    return "".join(character for character in text if character.isalnum())


@asynccontextmanager
async def table(folder: Path, *, speed: float = SPEED, **fake_options: Any) -> AsyncIterator[Table]:
    """The server and its people, without a bot."""
    fake_options.setdefault("limits", Limits(speed=20))
    async with FakeDiscord(**fake_options) as fake:
        guild = fake.world.add_guild()
        channel = fake.world.add_channel(guild, "debates")
        ann, ben, mod = (fake.client(fake.world.add_user(name)) for name in ("ann", "ben", "mod"))
        for client in (ann, ben):
            fake.world.add_member(guild, client.user)
        role = fake.world.add_role(guild, "mods", bits("manage_guild", "manage_messages", "manage_threads"))
        fake.world.add_member(guild, mod.user, roles=[role.id])
        yield Table(fake, guild, channel, folder, ann, ben, mod, speed=speed)


@asynccontextmanager
async def running(at: Table, **changed: Any) -> AsyncIterator[Rostrum]:
    """The bot in this process, on the table's database."""
    wanted: dict[str, Any] = {
        "database_url": f"sqlite:///{at.folder}/rostrum.db",
        "data_dir": at.folder,
        "sound": False,
        "speed": at.speed,
        "discord_message_content": True,
        "discord_members": True,
    }
    with at.fake.patched():
        settings = Settings(**(wanted | changed), _env_file=None)  # pyright: ignore[reportCallIssue]
        bot = create_bot(settings, guild_ready_timeout=0.05)
        task = asyncio.create_task(bot.start(at.fake.token))
        try:
            await at.fake.gateway.ready()
            await asyncio.wait_for(bot.wait_until_ready(), 5)
            at.bot = bot
            yield bot
        finally:
            at.bot = None
            await bot.close()
            await asyncio.gather(task, return_exceptions=True)


def environment(at: Table) -> dict[str, str]:
    """What a child process needs to be the bot of this table."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ROSTRUM_")}
    root = str(Path(__file__).parents[2])
    return kept | {
        "HOME": str(at.folder),
        "PYTHONPATH": root,
        "ROSTRUM_DISCORD_TOKEN": at.fake.token,
        "ROSTRUM_DATABASE_URL": f"sqlite:///{at.folder}/rostrum.db",
        "ROSTRUM_DATA_DIR": str(at.folder),
        "ROSTRUM_SOUND": "false",
        "ROSTRUM_SPEED": str(at.speed),
        "ROSTRUM_DISCORD_MESSAGE_CONTENT": "true",
        "ROSTRUM_DISCORD_MEMBERS": "true",
    }
