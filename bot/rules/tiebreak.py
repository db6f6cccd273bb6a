"""Tie-breaks: who plays on when the top is shared after the last round (docs/rules.md, "classic" and "arena")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.rules.format import CON, PRO, Tiebreaks, seat_number
from bot.rules.lineup import Lineup
from bot.rules.seeding import Draw


def top_seats(points: Mapping[str, float]) -> tuple[str, ...]:
    """The seats with the most points, in seat order."""
    best = max(points.values())
    return tuple(sorted((seat for seat, value in points.items() if value == best), key=seat_number))


def tiebreak_lineup(rules: Tiebreaks, points: Mapping[str, float], played: int, seed: int) -> Lineup | None:
    """The line-up of the next tie-break after `played` of them, or None when nobody plays on.

    Tied a, b, c, d in seat order: pro a + d, con b + c; two tied: pro a, con b; three: d is the filler, the
    next-highest scorer (the earlier seat when several are). Sides swap at each further tie-break.
    """
    tied = top_seats(points)
    if len(tied) < 2 or played >= rules.most:
        return None
    four = _four(rules, tied, points, played, seed)
    teams = {PRO: (four[0],), CON: (four[1],)} if len(four) == 2 else {PRO: (four[0], four[3]), CON: (four[1], four[2])}
    if played % 2:
        teams = {PRO: teams[CON], CON: teams[PRO]}
    side_a = CON if rules.side_a == "alternate" and played % 2 else PRO
    playing = {seat for team in teams.values() for seat in team}
    return Lineup(
        teams=teams,
        bench=tuple(seat for seat in sorted(points, key=seat_number) if seat not in playing),
        speaking={side: teams[side] for side in ((PRO, CON) if side_a == PRO else (CON, PRO))},
        scoring=tuple(seat for seat in tied if seat in playing),
    )


def _four(
    rules: Tiebreaks, tied: Sequence[str], points: Mapping[str, float], played: int, seed: int
) -> tuple[str, ...]:
    """The two or four who play, in the order a, b, c, d."""
    if len(tied) == 2:
        return tuple(tied)
    if len(tied) == 3:
        rest = [seat for seat in points if seat not in tied]
        return (*tied, min(rest, key=lambda seat: (-points[seat], seat_number(seat))))
    if len(tied) > 4 and rules.choose == "draw":
        drawn = Draw(seed, "tie-break", played + 1).shuffled(tied)[:4]
        return tuple(sorted(drawn, key=seat_number))
    return tuple(tied[:4])
