"""What people report to the moderators, and how often they may."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass
from typing import NamedTuple

from bot.rules.rejection import Rejection, reject

Where = tuple[int, ...]
"""The round; of a turn also its number in the round and, of several parts, which one (from 0)."""

MOST_AN_HOUR = 5
HOUR_MS = 60 * 60 * 1000
_MOST_REMEMBERED = 100
"""Reports of one person; enough to know a repeat by."""


@dataclass(frozen=True, slots=True)
class Report:
    """What the venue posts where moderators read it. Names of people are tokens."""

    match: str
    community: str
    by: str
    """The person id of who reports."""
    what: str
    where: Where | None
    text: str
    """What was reported, as stored; empty when there is none yet."""
    seat: str | None
    about: str | None
    """The person id of whose it is; None: an AI's, or nobody's in particular."""
    name: str
    """Whose it is: a person's token or an AI's name; empty when it is nobody's in particular."""
    reason: str
    """In the words of who reports; may be empty."""
    wall: int


class Reported(NamedTuple):
    """What somebody pointed at."""

    match: str
    what: str
    where: Where | None


class Reports:
    """Remembers who reported what. In memory: after a restart somebody may report a thing again."""

    def __init__(self) -> None:
        self._made: defaultdict[str, deque[tuple[int, Reported]]] = defaultdict(lambda: deque(maxlen=_MOST_REMEMBERED))

    def refusal(self, person: str, reported: Reported, wall: int) -> Rejection | None:
        """Why this person may not report that now, or None."""
        made = self._made.get(person, ())
        if any(earlier == reported for _, earlier in made):
            return reject("reported_already")
        if sum(wall - then < HOUR_MS for then, _ in made) >= MOST_AN_HOUR:
            return reject("reports_used_up", most=MOST_AN_HOUR)
        return None

    def note(self, person: str, reported: Reported, wall: int) -> None:
        self._made[person].append((wall, reported))

    def forget(self, person: str, reported: Reported) -> None:
        """A report that could not be delivered may be made again."""
        made = self._made.get(person)
        if made is not None:
            self._made[person] = deque((entry for entry in made if entry[1] != reported), maxlen=_MOST_REMEMBERED)
