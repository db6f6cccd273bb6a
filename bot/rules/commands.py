"""What may be asked of a match.

Every command carries `at`, the match time it counts for: for a person's doing the platform's own time stamp, for the
host's the moment it acts. Who may send which command (hosts, moderators) is checked by the actions; the rules check
what a match allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bot.rules.format import Format, Move
from bot.rules.match import Clip, Holder, Role, Source, Usage
from bot.rules.motion import Motion
from bot.rules.tempo import Tempo

SYSTEM = "system"
"""The author of what the host does by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    at: int
    match: str
    community: str
    host: str
    format: Format
    seed: int
    wall: int
    speed: float = 1.0
    tempo: Tempo | None = None
    judges: int | None = None
    """None: as many as the format says."""
    sound: bool = True
    forced: Sequence[Motion] = ()
    category: str | None = None
    """Draw from this category of motions first."""
    lobby_until: int | None = None
    reserved: Sequence[str] = ()
    """Seats that only AIs may take."""
    market: bool = False
    """Whether the community may bet on the outcome."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """Take a seat. With `seat` that one, else the first free one of the role."""

    at: int
    person: str
    role: Role = "debater"
    seat: str | None = None
    extra_time: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """Give one's seat up: in the lobby it is free again, in play an AI takes it over."""

    at: int
    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Fill the free seats with AIs and begin. `cast` are the AIs there are, `pool` the motions to draw from."""

    at: int
    cast: Sequence[Holder]
    pool: Sequence[Motion]
    bench: Sequence[str] = ()
    """The models of AI judges by their place on the bench, from the start again when there are more. Empty: the
    cast's."""
    queue_wall: int | None = None
    """The house is full: wait in line instead, as of this wall time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """Time has passed: whatever is due by `at` happens."""

    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompted:
    """The prompt of a person's slot, or the call to vote, was delivered at `at`."""

    at: int
    round: int
    n: int | None
    """The slot's number; None for the call to vote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RevealSeen:
    """A reveal was delivered at `at`. `slow`: delivery took over a second, so the next reveal counts from it."""

    at: int
    round: int
    judge: str
    slow: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Speak:
    """Say something in the current slot. `person` is None when an AI speaks."""

    at: int
    seat: str
    text: str
    person: str | None = None
    move: Move | None = None
    """None: the first the slot allows."""
    slot: tuple[int, int] | None = None
    """(round, n) the text was written for; a mismatch is refused. None: whatever slot is open."""
    source: Source = "person"
    fallback: bool = False
    model: str | None = None
    why: str = ""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """Close a slot of several parts, or end one's prep."""

    at: int
    seat: str
    person: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """Withdraw the turn without speaking."""

    at: int
    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferPoint:
    """Offer a point of information during the open speech."""

    at: int
    seat: str
    text: str
    person: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOffer:
    at: int
    seat: str
    taken: bool
    person: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """Cast a ballot. A judge may change it until the last ballot is in or the time is up."""

    at: int
    judge: str
    vote: str
    reason: str = ""
    scores: dict[str, dict[str, int]] | None = None
    flags: Sequence[str] = ()
    person: str | None = None
    round: int | None = None
    """The round it was meant for; a mismatch is refused. None: whatever round is being judged."""
    model: str | None = None
    usage: Usage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """An AI judge's ballot cannot be read."""

    at: int
    judge: str
    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    at: int
    wall: int
    by: str
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resume:
    """Let the clock run on; `recovered` when a process takes the match up again after downtime."""

    at: int
    wall: int
    by: str
    speed: float | None = None
    """None: the speed the clock had."""
    recovered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """A moderator ends the current slot, or the vote."""

    at: int
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Void:
    """A moderator voids the current round: nobody scores, nobody is rated, and the match goes on with the next."""

    at: int
    by: str
    round: int | None = None
    """The round that is meant; a mismatch is refused. None: whatever round is being played."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    at: int
    by: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replace:
    """Put an AI on a person's seat."""

    at: int
    seat: str
    why: Literal["left", "moderator"] = "moderator"
    by: str = SYSTEM


@dataclass(frozen=True, slots=True, kw_only=True)
class Reclaim:
    """Ask for the seat back that an AI took over."""

    at: int
    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeHost:
    at: int
    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wager:
    """Bet on an outcome. `least` and `most` are the community's limits: of one wager, and of all a person has open
    here."""

    at: int
    person: str
    outcome: str
    stake: int
    least: int = 1
    most: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WagerChange:
    """Put a wager on another outcome, or change its stake."""

    at: int
    person: str
    wager: int
    outcome: str | None = None
    """None: as it is."""
    stake: int | None = None
    """None: as it is."""
    least: int = 1
    most: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdraw:
    """Take a wager back."""

    at: int
    person: str
    wager: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachClip:
    at: int
    round: int
    n: int
    part: int
    clip: Clip


Command = (
    Open | Join | Leave | Start | Tick | Prompted | RevealSeen | Speak | Done | Pass | OfferPoint | AnswerOffer | Cast
    | Break | Pause | Resume | Skip | Void | Cancel | Replace | Reclaim | ChangeHost | Wager | WagerChange
    | Withdraw | AttachClip
)  # fmt: skip
