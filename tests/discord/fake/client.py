"""A person with a Discord client: what they type and press, and what they get to see."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tests.discord.fake import messages, slash
from tests.discord.fake.call import Upload
from tests.discord.fake.controls import BUTTON, SELECTS, chosen_values, find_control, submitted
from tests.discord.fake.errors import ApiError
from tests.discord.fake.outcome import Outcome
from tests.discord.fake.permissions import may
from tests.discord.fake.records import Channel, Interaction, Json, Message, User
from tests.discord.fake.slash import CannotDo

if TYPE_CHECKING:
    from tests.discord.fake.server import FakeDiscord

COMMAND, COMPONENT, AUTOCOMPLETE, SUBMIT = 2, 3, 4, 5
EXEMPT_FROM_SLOWMODE = "manage_messages"


class Client:
    """Everything returns as soon as the bot's first answer is there, or after the 3 s that Discord waits for one.

    `late`: seconds that the event takes to reach the bot; its snowflake says when it was really made.
    """

    def __init__(self, fake: FakeDiscord, user: User) -> None:
        self.fake = fake
        self.user = user
        self._last_said: dict[int, float] = {}

    @property
    def id(self) -> int:
        return self.user.id

    # --- using the bot --------------------------------------------------------------------------------

    async def slash(self, channel: Channel, command: str, /, *, late: float = 0.0, **options: Any) -> Outcome:
        """Run a command: `await user.slash(channel, "debate start", format="duel")`."""
        self._must_see(channel)
        data = slash.data(self.fake.world, self.fake.payloads, channel, self.id, command, options)
        return await self._interact(COMMAND, channel, data, late=late)

    async def autocomplete(self, channel: Channel, command: str, option: str, typed: str, /, **options: Any) -> Outcome:
        """What a command offers for an option of which something is typed; see Outcome.choices."""
        self._must_see(channel)
        given = options | {option: typed}
        data = slash.data(self.fake.world, self.fake.payloads, channel, self.id, command, given, focused=option)
        return await self._interact(AUTOCOMPLETE, channel, data)

    async def click(self, message: Message | int, button: str, *, late: float = 0.0) -> Outcome:
        """Press a button, named by custom_id, label or emoji."""
        message, channel = self._seen(message)
        control = find_control(message, button, (BUTTON,))
        data = {"component_type": BUTTON, "custom_id": control["custom_id"], "id": control["id"]}
        return await self._interact(COMPONENT, channel, data, message=message, late=late)

    async def press_id(self, message: Message | int, custom_id: str) -> Outcome:
        """Press a button that the message had once, in an older release, say."""
        message, channel = self._seen(message)
        data = {"component_type": BUTTON, "custom_id": custom_id, "id": 1}
        return await self._interact(COMPONENT, channel, data, message=message)

    async def apply(self, message: Message | int, command: str) -> Outcome:
        """Apps > a command, on a message."""
        message, channel = self._seen(message)
        data = slash.on_message(self.fake.world, self.fake.payloads, channel, command, message)
        return await self._interact(COMMAND, channel, data)

    async def select(self, message: Message | int, select: str, *values: Any, late: float = 0.0) -> Outcome:
        """Choose in a select, named by custom_id or placeholder: options by value or label, or users, roles."""
        message, channel = self._seen(message)
        control = find_control(message, select, SELECTS)
        data: Json = {"component_type": control["type"], "custom_id": control["custom_id"], "id": control["id"]}
        data["values"] = chosen_values(control, values)
        if control["type"] != 3:
            data["resolved"] = {}
            for value in values:
                slash.resolve(self.fake.world, self.fake.payloads, channel, value, data["resolved"])
        return await self._interact(COMPONENT, channel, data, message=message, late=late)

    async def submit_modal(
        self, opened: Outcome, fields: Mapping[str, Any] | None = None, *, late: float = 0.0
    ) -> Outcome:
        """Submit the modal that an outcome opened, however long ago; fields by custom_id or label."""
        modal = opened.modal
        if modal is None:
            raise CannotDo(f"no modal was opened: {opened!r}")
        data = {"custom_id": modal["custom_id"], "components": submitted(modal, fields or {})}
        before = opened.interaction
        channel = self.fake.world.channels.get(before.channel_id)
        if channel is None:
            raise CannotDo("the channel in which the modal was opened is gone")
        message = self.fake.world.any_message(before.message_id) if before.message_id else None
        return await self._interact(SUBMIT, channel, data, message=message, late=late)

    # --- talking --------------------------------------------------------------------------------------

    async def say(
        self,
        channel: Channel,
        text: str,
        *,
        reply_to: Message | None = None,
        files: Mapping[str, bytes] | None = None,
        late: float = 0.0,
    ) -> Message:
        """Send a message, if permissions, locks and slowmode let this user."""
        self._must_see(channel)
        body: Json = {"content": text}
        if reply_to is not None:
            body["message_reference"] = {"message_id": str(reply_to.id)}
        uploads = [Upload(number, name, data) for number, (name, data) in enumerate((files or {}).items())]
        if len(text) > 2000 or not (text.strip() or uploads):
            raise CannotDo("a message has 1 to 2000 characters")
        try:
            messages.check_may_send(self.fake, channel, self.id, body, uploads)
        except ApiError as error:
            raise CannotDo(f"{self.user.name} cannot send in #{channel.name}: {error}") from error
        since = time.time() - self._last_said.get(channel.id, 0.0)
        if (
            channel.slowmode
            and since < channel.slowmode
            and not may(self.fake.world, channel, self.id, EXEMPT_FROM_SLOWMODE)
        ):
            raise CannotDo(f"slowmode: {channel.slowmode - since:.0f} s to wait")
        self._last_said[channel.id] = time.time()
        with self.fake.gateway.late(late):
            return messages.create(self.fake, channel, self.id, body, uploads)

    def react(self, message: Message, emoji: str) -> None:
        self.fake.admin.react(self.fake.world.channels[message.channel_id], message, self.user, emoji)

    # --- seeing ---------------------------------------------------------------------------------------

    def ephemerals(self) -> list[Message]:
        """What only this user was shown, oldest first, as it is now; not what was taken back."""
        shown = [
            message
            for in_channel in self.fake.world.messages.values()
            for message in in_channel.values()
            if message.ephemeral_to == self.id and message.deleted_at is None
        ]
        return sorted(shown, key=lambda one: one.id)

    def sees(self, channel: Channel) -> list[Message]:
        """The messages of a channel as this user has them on the screen, their ephemeral ones among them."""
        if not may(self.fake.world, channel, self.id, "view_channel"):
            return []
        here = self.fake.world.messages.get(channel.id, {}).values()
        return [one for one in here if one.deleted_at is None and one.ephemeral_to in (None, self.id)]

    async def wait_for(
        self,
        predicate: Callable[[Message], Any],
        channel: Channel | None = None,
        *,
        after: Message | int = 0,
        within: float = 5.0,
    ) -> Message:
        """The first message this user sees (in a channel, or anywhere) of which something is true."""
        newer = after if isinstance(after, int) else after.id

        def first() -> Message | None:
            channels = [channel] if channel else list(self.fake.world.channels.values())
            seen = (one for place in channels for one in self.sees(place) if one.id > newer)
            return next((one for one in seen if predicate(one)), None)

        found = await self.fake.wait_for(first, within, channel=channel)
        assert found is not None
        return found

    # --- how --------------------------------------------------------------------------------------------

    def _must_see(self, channel: Channel) -> None:
        if channel.id not in self.fake.world.channels:
            raise CannotDo(f"#{channel.name} is gone")
        if not may(self.fake.world, channel, self.id, "view_channel"):
            raise CannotDo(f"{self.user.name} does not see #{channel.name}")

    def _seen(self, message: Message | int) -> tuple[Message, Channel]:
        number = message if isinstance(message, int) else message.id
        found = self.fake.world.any_message(number)
        if found is None or found.deleted_at is not None or found.ephemeral_to not in (None, self.id):
            raise CannotDo(f"{self.user.name} does not see message {number}")
        channel = self.fake.world.channels.get(found.channel_id)
        if channel is None:
            raise CannotDo("the channel of the message is gone")
        self._must_see(channel)
        return found, channel

    async def _interact(
        self, kind: int, channel: Channel, data: Json, *, message: Message | None = None, late: float = 0.0
    ) -> Outcome:
        fake = self.fake
        number = fake.world.new_id()
        interaction = Interaction(
            id=number,
            token=f"{number}.{secrets.token_urlsafe(24)}",
            type=kind,
            user_id=self.id,
            channel_id=channel.id,
            guild_id=channel.guild_id,
            data=data,
            message_id=message.id if message else None,
        )
        fake.world.interactions[number] = interaction
        payload = fake.payloads.interaction(interaction)
        if late:
            await asyncio.sleep(late)
        fake.gateway.dispatch("INTERACTION_CREATE", payload, guild_id=channel.guild_id)
        outcome = Outcome(fake, interaction)
        deadline = interaction.created_at + fake.first_answer
        while interaction.answered_at is None and (left := deadline - time.time()) > 0:
            await fake.changes(channel.id, left)
        return outcome
