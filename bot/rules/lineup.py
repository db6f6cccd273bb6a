"""Who speaks when: from a format's round to the slots of that round."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from bot.rules.format import Format, Mode, Move, Phase, RoundSeats, teams_of
from bot.rules.seeding import Draw


class Lineup(BaseModel):
    """The teams of one round. Pinned in `RoundStarted`, so a round can be replayed without its format's file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    teams: dict[str, tuple[str, ...]]
    """Seats by side, in the line-up's order: {"pro": ("P0", "P2"), "con": ("P1", "P3")}."""
    bench: tuple[str, ...]
    speaking: dict[str, tuple[str, ...]]
    """The same seats in speaking order, sides in speaking order too: the first key is side A."""
    scoring: tuple[str, ...] | None = None
    """In a tie-break only these seats can score; None: everyone in the round."""

    @property
    def first_side(self) -> str:
        return next(iter(self.speaking))

    def side_of(self, seat: str) -> str | None:
        return next((side for side, seats in self.teams.items() if seat in seats), None)

    def partners(self, seat: str) -> tuple[str, ...]:
        side = self.side_of(seat)
        return () if side is None else tuple(other for other in self.speaking[side] if other != seat)


class SlotPlan(BaseModel):
    """One slot of a round before it is played."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    n: int
    """Its number in the round, from 1."""
    phase: str
    mode: Mode
    seats: tuple[str, ...]
    """Who may speak: one seat, or several in an exchange."""
    side: str
    moves: tuple[Move, ...]
    limit: int
    timeout_s: float
    """Before tempo."""
    parts: int
    questions: int = 0
    offers: int = 0
    offers_protected_s: float = 0

    @property
    def seat(self) -> str:
        """The seat whose slot it is (the first named, in an exchange)."""
        return self.seats[0]


def lineup_of(fmt: Format, number: int, seed: int) -> Lineup:
    """The line-up of round `number` (from 1)."""
    seats = fmt.rounds[number - 1]
    teams = teams_of(seats)
    playing = {seat for team in teams.values() for seat in team}
    side_a = seats.side_a or Draw(seed, "side a", number).pick(sorted(teams))
    return Lineup(
        teams=teams,
        bench=tuple(seat for seat in fmt.seats if seat not in playing),
        speaking=_speaking(teams, side_a, seats),
    )


def _speaking(teams: dict[str, tuple[str, ...]], side_a: str, seats: RoundSeats) -> dict[str, tuple[str, ...]]:
    order = {side_a: teams[side_a], **{side: team for side, team in teams.items() if side != side_a}}
    if seats.first is not None:
        order[side_a] = (seats.first, *(seat for seat in teams[side_a] if seat != seats.first))
    if seats.last is not None:
        side_z = next(side for side, team in teams.items() if seats.last in team)
        order[side_z] = (*(seat for seat in teams[side_z] if seat != seats.last), seats.last)
    return order


def plan_round(fmt: Format, lineup: Lineup) -> tuple[SlotPlan, ...]:
    """The slots of a round in speaking order."""
    plans: list[SlotPlan] = []
    sides = tuple(lineup.speaking)
    solo = all(len(seats) == 1 for seats in lineup.speaking.values())
    for phase in fmt.phases:
        for word in phase.solo if solo and phase.solo is not None else phase.order:
            seats = tuple(_seat(lineup, sides, place) for place in word.split("+"))
            plans.append(_plan(len(plans) + 1, phase, tuple(dict.fromkeys(seats)), sides["abcd".index(word[0])]))
    return tuple(plans)


def _seat(lineup: Lineup, sides: tuple[str, ...], place: str) -> str:
    team = lineup.speaking[sides["abcd".index(place[0])]]
    return team[(int(place[1]) - 1) % len(team)]


def _plan(n: int, phase: Phase, seats: tuple[str, ...], side: str) -> SlotPlan:
    return SlotPlan(
        n=n,
        phase=phase.name,
        mode=phase.mode,
        seats=seats,
        side=side,
        moves=phase.moves,
        limit=phase.limit,
        timeout_s=phase.timeout_s,
        parts=phase.parts,
        questions=phase.questions,
        offers=phase.offers,
        offers_protected_s=phase.offers_protected_s,
    )
