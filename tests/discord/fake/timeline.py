"""A channel or thread as one reads it, for asserts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.discord.fake.records import Channel, Message

if TYPE_CHECKING:
    from tests.discord.fake.server import FakeDiscord


class Timeline:
    def __init__(self, fake: FakeDiscord, channel_id: int) -> None:
        self._fake = fake
        self.id = channel_id

    @property
    def channel(self) -> Channel | None:
        """None once it is deleted."""
        return self._fake.world.channels.get(self.id)

    @property
    def messages(self) -> list[Message]:
        """What everybody sees, oldest first: no deleted, no ephemeral ones."""
        return self._fake.world.history(self.id)

    @property
    def posts(self) -> list[Message]:
        """The bot's own messages among them, by webhook too; not what Discord writes itself."""
        bot_id = self._fake.world.application.bot_id
        return [one for one in self.messages if one.author_id == bot_id and one.type in (0, 19, 20)]

    @property
    def everything(self) -> list[Message]:
        """Deleted and ephemeral messages too."""
        return list(self._fake.world.messages.get(self.id, {}).values())

    @property
    def texts(self) -> list[str]:
        return [one.text for one in self.messages]

    def since(self, message: Message) -> list[Message]:
        return [one for one in self.messages if one.id > message.id]

    def find(self, text: str) -> list[Message]:
        """The messages in which a text occurs."""
        return [one for one in self.messages if text in one.text]

    @property
    def pinged(self) -> list[tuple[Message, list[int]]]:
        """Whom which message notified; everybody is 0."""
        told = [
            (one, [*one.pings.users, *one.pings.roles, *([0] if one.pings.everyone else [])]) for one in self.messages
        ]
        return [(message, whom) for message, whom in told if whom]

    def dump(self) -> str:
        return self._fake.dump(self.id)
