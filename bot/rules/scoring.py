"""Points, places, performance scores and the fairness receipt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from bot.rules.format import CON, DRAW, PRO, VOID, seat_number
from bot.rules.lineup import Lineup, SlotPlan

if TYPE_CHECKING:
    from bot.rules.match import Round


class Standing(NamedTuple):
    """A seat's place at the end. Tied seats share the place and the mean of the performance scores they cover."""

    seat: str
    points: float
    place: int
    performance: float


def round_points(lineup: Lineup, winner: str) -> dict[str, float]:
    """What a round is worth: a point to each scoring member of the winning team, half a point each when it is drawn."""
    if winner == VOID:
        return {}
    sides = tuple(lineup.teams) if winner == DRAW else (winner,)
    worth = 0.5 if winner == DRAW else 1.0
    return {
        seat: worth for side in sides for seat in lineup.teams[side] if lineup.scoring is None or seat in lineup.scoring
    }


def performance_scores(n: int) -> tuple[float, ...]:
    """Performance by place, evenly spaced from 1.00 to .25 (six places: 1.00 .85 .70 .55 .40 .25)."""
    return (1.0,) if n == 1 else tuple(round(1 - 0.75 * place / (n - 1), 10) for place in range(n))


def standings(points: Mapping[str, float], teams: Mapping[str, Sequence[str]] | None = None) -> tuple[Standing, ...]:
    """Places of all seats, best first. With `teams` (formats in which the team wins) partners share a place and there
    are as many places as teams."""
    groups: list[tuple[str, ...]] = [tuple(team) for team in teams.values()] if teams else [(seat,) for seat in points]
    scores = performance_scores(len(groups))
    by_points: dict[float, list[tuple[str, ...]]] = {}
    for group in groups:
        by_points.setdefault(points[group[0]], []).append(group)
    result: list[Standing] = []
    place = 1
    for value in sorted(by_points, reverse=True):
        tied = by_points[value]
        share = round(sum(scores[place - 1 : place - 1 + len(tied)]) / len(tied), 4)
        seats = sorted((seat for group in tied for seat in group), key=seat_number)
        result += [Standing(seat, value, place, share) for seat in seats]
        place += len(tied)
    return tuple(result)


class Fairness(NamedTuple):
    """A seat's line of the fairness receipt, over the rounds of the format (tie-breaks are counted apart)."""

    pro: int
    con: int
    first_words: int
    last_words: int
    free_turns: int
    """Free-debate slots offered, taken or not."""
    tiebreaks: int


def fairness(seats: Sequence[str], rounds: Sequence[Round]) -> dict[str, Fairness]:
    """What each seat was given, whatever it made of it."""
    regular = [entry for entry in rounds if not entry.tiebreak]
    return {
        seat: Fairness(
            pro=sum(seat in entry.lineup.teams.get(PRO, ()) for entry in regular),
            con=sum(seat in entry.lineup.teams.get(CON, ()) for entry in regular),
            first_words=sum(_spoken(entry.plans)[0].seat == seat for entry in regular),
            last_words=sum(_spoken(entry.plans)[-1].seat == seat for entry in regular),
            free_turns=sum(plan.phase == "free" and seat in plan.seats for entry in regular for plan in entry.plans),
            tiebreaks=sum(entry.tiebreak and entry.lineup.side_of(seat) is not None for entry in rounds),
        )
        for seat in seats
    }


def _spoken(plans: Sequence[SlotPlan]) -> list[SlotPlan]:
    return [plan for plan in plans if plan.mode != "prep"]
