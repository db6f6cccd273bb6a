"""How the judges of stored matches have voted: read from the database, shown as a table."""

from __future__ import annotations

from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from bot.messages.record import record
from bot.minds.models.agreement import Figures, Interval, Vote, by_model, figures_of, votes_in
from bot.rules.events import UnknownEvent, decode_row
from bot.rules.evolve import fold
from storage.store import SqlStore

ALL = "all"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the report."""

    community: str
    judges: str
    """A model, "house", "person", or ALL."""
    figures: Figures


async def report(store: SqlStore, community: str | None = None, limit: int = 1_000) -> tuple[list[Line], int]:
    """The figures by community and model over its newest matches, and how many matches cannot be read. Raises
    StoreError."""
    votes: dict[str, list[Vote]] = {}
    unread = 0
    for row in await store.matches(community, limit=limit):
        try:
            match = fold(decode_row(e.name, e.version, e.payload) for e in await store.events(row.id))
        except UnknownEvent:
            unread += 1
            continue
        votes.setdefault(row.community, []).extend(votes_in(record(match)))
    lines: list[Line] = []
    for place, cast in sorted(votes.items()):
        if not cast:
            continue
        lines.append(Line(place, ALL, figures_of(cast)))
        lines += [Line(place, model, figures_of(own)) for model, own in by_model(cast).items()]
    return lines, unread


def table(lines: list[Line]) -> Table:
    """The report as people read it: every estimate with its 95 % interval."""
    made = Table(box=None, pad_edge=False)
    for at, column in enumerate(
        ("Community", "Judges", "Rounds", "Ballots", "Kappa", "Pro %", "Last %", "Again", "Held %")
    ):
        made.add_column(column, justify="left" if at < 2 else "right")
    for line in lines:
        found = line.figures
        made.add_row(
            line.community if line.judges == ALL else "",
            line.judges,
            str(found.rounds),
            str(found.ballots),
            Text(_kappa(found.kappa)),
            Text(_percent(found.pro)),
            Text(_percent(found.last_word)),
            str(found.looked_again),
            Text(_percent(found.held)),
        )
    return made


def _kappa(interval: Interval) -> str:
    if interval.value is None:
        return "-"
    return f"{interval.value:.2f}" + ("" if interval.low is None else f" [{interval.low:.2f}, {interval.high:.2f}]")


def _percent(interval: Interval) -> str:
    if interval.value is None:
        return "-"
    low, high = interval.low or 0.0, interval.high or 0.0
    return f"{100 * interval.value:.0f} [{100 * low:.0f}, {100 * high:.0f}]"
