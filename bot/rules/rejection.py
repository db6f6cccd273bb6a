"""Why a command was refused.

The rules name the reason by a code and its particulars; the words a person reads are in the message catalogue under the
same code (`bot/messages/catalogue/*.toml`, section `[rejection]`), so that every refusal can be explained and
translated.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Rejection:
    """A refused command. The state is unchanged."""

    code: str
    details: dict[str, object] = field(default_factory=dict[str, object])


class Veto(Exception):
    """Somebody who has a say in the events (the ledger) refuses them: nothing of the command is written, and the
    rejection goes to its sender."""

    def __init__(self, rejection: Rejection) -> None:
        super().__init__(rejection.code)
        self.rejection = rejection


def reject(code: str, **details: object) -> Rejection:
    return Rejection(code, details)
