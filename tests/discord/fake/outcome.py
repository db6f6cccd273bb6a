"""What came of a slash command, click, choice or submitted modal, as its user sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.discord.fake.records import Interaction, Json, Message

if TYPE_CHECKING:
    from tests.discord.fake.server import FakeDiscord

KINDS = {
    4: "message",
    5: "deferred",
    6: "deferred update",
    7: "update",
    8: "choices",
    9: "modal",
}


class Outcome:
    def __init__(self, fake: FakeDiscord, interaction: Interaction) -> None:
        self._fake = fake
        self.interaction = interaction

    @property
    def kind(self) -> str:
        """What the first answer was; "nothing" if there was none: the user saw "This interaction failed"."""
        return KINDS.get(self.interaction.answer or 0, "nothing")

    @property
    def failed(self) -> bool:
        return self.interaction.answer is None

    @property
    def took(self) -> float | None:
        """Seconds until the first answer."""
        return self.interaction.took

    @property
    def message(self) -> Message | None:
        """The message that answered, or that was changed in answer, as it is now."""
        number = self.interaction.original_id
        return self._fake.world.any_message(number) if number else None

    @property
    def followups(self) -> list[Message]:
        found = [self._fake.world.any_message(number) for number in self.interaction.followups]
        return [one for one in found if one is not None]

    @property
    def text(self) -> str:
        """Every word that came back to the user: the answer (unless it changed the message clicked) and followups."""
        updated = self.interaction.answer in (6, 7)
        shown = [*([self.message] if self.message and not updated else []), *self.followups]
        return "\n".join(one.text for one in shown if one.deleted_at is None)

    @property
    def ephemeral(self) -> bool:
        return self.message is not None and self.message.ephemeral_to is not None

    @property
    def modal(self) -> Json | None:
        return self.interaction.modal

    @property
    def choices(self) -> list[Json]:
        return self.interaction.choices or []

    async def settled(self, within: float = 5.0) -> Outcome:
        """Wait until a deferred answer has become a message, or a deferred update has been followed by anything."""

        def settled() -> bool:
            message = self.message
            if self.interaction.answer == 5:
                return message is not None and (not message.loading or message.deleted_at is not None)
            if self.interaction.answer == 6:
                answered = self.interaction.answered_at or 0.0
                changed = message is not None and (message.edited_at or 0.0) >= answered
                return changed or bool(self.interaction.followups)
            return True

        await self._fake.wait_for(settled, within, channel=self.interaction.channel_id)
        return self

    def __repr__(self) -> str:
        took = f" after {self.took:.2f} s" if self.took is not None else ""
        refused = f", refused: {self.interaction.refused}" if self.interaction.refused else ""
        return f"<Outcome {self.kind}{took}{refused}: {self.text[:120]!r}>"
