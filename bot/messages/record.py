"""The match record: what `export` writes and what anyone may build on (docs/match-record.md).

Derived from the state alone, with names from the people table, so exporting twice gives the same bytes. Fields may be
added; nothing here may be renamed or removed without a new `record` number.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from bot.rules.format import Mode
from bot.rules.market import outcomes
from bot.rules.match import Ballot, Holder, Match, Outcome, Part, Round, Seat, Turn, Usage
from bot.rules.pool import HOUSE_STAKE
from bot.rules.scoring import fairness

VERSION = 1
ERASED = "(erased)"
"""The name of a person who had their data erased."""


def record(match: Match, names: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The record of a match, in progress or over. `names` are people's display names by id."""
    people = names or {}
    return {
        "record": VERSION,
        "match": match.id,
        "format": match.rules.name,
        "tempo": match.tempo.value if match.tempo else None,
        "seed": match.seed,
        "status": match.status.value,
        "reason": match.reason,
        "opened_at": iso(match.opened_at),
        "started_at": iso(match.started_at),
        "finished_at": iso(match.finished_at),
        "resumed": match.resumed,
        "pauses": [
            {"at": iso(p.at), "wall_seconds": None if p.wall_ms is None else p.wall_ms / 1000, "by": p.by, "why": p.why}
            for p in match.pauses
        ],
        "teams": _teams(match),
        "seats": [_seat(seat, people) for seat in match.seats.values()],
        "rounds": [_round(match, entry) for entry in match.rounds],
        "standings": [
            {"seat": s.seat, "points": _whole(s.points), "place": s.place, "performance": s.performance}
            for s in match.standings
        ],
        "winners": list(match.winners),
        "market": _market(match),
        "fairness": {seat: line._asdict() for seat, line in fairness(match.rules.seats, match.rounds).items()},
        "usage": _usage(total_usage(match)),
    }


def pseudonyms(match: Match) -> dict[str, str]:
    """Names that tell nobody who they are, to be used as `names`: "Debater 1", "Judge 1", in the order of the seats,
    for everybody who holds or has held one."""
    given: dict[str, str] = {}
    so_far: Counter[str] = Counter()
    for seat in match.seats.values():
        for holder in (seat.first, seat.holder, *(change.holder for change in seat.replaced)):
            if holder is not None and holder.person is not None and holder.person not in given:
                so_far[seat.role] += 1
                given[holder.person] = f"{seat.role.title()} {so_far[seat.role]}"
    return given


def dumps(data: Mapping[str, Any]) -> str:
    """The record as JSON text, one form for one record, ending in a line break."""
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def iso(at: int | None) -> str | None:
    """A match time as ISO 8601 UTC with milliseconds."""
    if at is None:
        return None
    moment = datetime.fromtimestamp(at // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{at % 1000:03d}Z"


def _market(match: Match) -> dict[str, Any] | None:
    if not match.market:
        return None
    ended = match.settlement
    if ended is None:
        status = "open" if match.locked_at is None else "locked"
    else:
        status = "void" if ended.outcome is None else "settled"
    return {
        "outcomes": list(outcomes(match)),
        "locked_at": iso(match.locked_at),
        "status": status,
        "reason": ended.reason if ended is not None else None,
        "house": dict.fromkeys(outcomes(match), HOUSE_STAKE),
        "house_payout": ended.house if ended is not None else 0,
        "wagers": [
            {
                "id": wager.id,
                "by": wager.person,
                "outcome": wager.outcome,
                "stake": wager.stake,
                "placed_at": iso(wager.at),
                "status": wager.state,
                "payout": wager.payout,
            }
            for wager in match.wagers
        ],
        "winning": [ended.outcome] if ended is not None and ended.outcome is not None else [],
    }


def _teams(match: Match) -> list[dict[str, Any]] | None:
    """The teams of a format with more than two sides; pro and con are in the rounds."""
    if len(match.rules.sides) == 2 or not match.rounds:
        return None
    return [{"team": side, "seats": list(seats)} for side, seats in match.rounds[0].lineup.teams.items()]


def _seat(seat: Seat, people: Mapping[str, str]) -> dict[str, Any]:
    holder = seat.first or seat.holder or Holder()
    return {
        "seat": seat.id,
        "role": seat.role,
        "kind": _kind(holder),
        "person": holder.person,
        "name": _name(holder, people),
        "model": holder.model,
        "replaced": [
            {"at": iso(change.at), "kind": _kind(change.holder), "name": _name(change.holder, people)}
            for change in seat.replaced
        ],
    }


def _kind(holder: Holder) -> str:
    return "human" if holder.is_person else "ai"


def _name(holder: Holder, people: Mapping[str, str]) -> str | None:
    return people.get(holder.person, ERASED) if holder.person is not None else holder.name


def _round(match: Match, entry: Round) -> dict[str, Any]:
    judging = entry.judging
    lineup = entry.lineup
    turns: list[dict[str, Any]] = []
    for turn in entry.turns:
        turns += _turns(match, turn, len(turns) + 1)
    return {
        "round": entry.number,
        "tiebreak": entry.tiebreak,
        "void": entry.void,
        "coin": None,
        "motion": entry.motion.model_dump(),
        **{side: list(seats) for side, seats in lineup.teams.items()},
        "bench": list(lineup.bench),
        "first_side": lineup.first_side,
        "turns": turns,
        "prep": None,
        "flow": None,
        "audience": None,
        "ballots": [_ballot(ballot) for ballot in judging.ballots if match.over or ballot.revealed_at]
        if judging
        else [],
        "decided_at": iso(entry.decided_at),
        "winner": entry.winner,
        "points": {seat: _whole(value) for seat, value in entry.points.items()},
    }


def _turns(match: Match, turn: Turn, first: int) -> list[dict[str, Any]]:
    """One entry for a speech, however many parts it had; one a part for an exchange."""
    if turn.plan.mode is Mode.EXCHANGE and len(turn.parts) > 1:
        return [_turn(match, turn, first + at, (part,)) for at, part in enumerate(turn.parts)]
    return [_turn(match, turn, first, turn.parts)]


def _turn(match: Match, turn: Turn, n: int, parts: tuple[Part, ...]) -> dict[str, Any]:
    text = "\n\n".join(part.text for part in parts)
    clip = parts[0].clip if parts else None
    seat = parts[0].seat if parts else turn.plan.seat
    return {
        "n": n,
        "phase": turn.plan.phase,
        "seat": seat,
        "side": turn.plan.side,
        "move": parts[0].move if parts else None,
        "limit_chars": turn.plan.limit,
        "timeout_s": _whole(turn.timeout_ms / 1000),
        "prompted_at": iso(turn.opened_at),
        "deadline": iso(turn.deadline),
        "closed_at": iso(turn.closed_at if turn.plan.parts == 1 or not parts else max(parts[-1].at, turn.opened_at)),
        "outcome": turn.outcome.value,
        "text": text,
        "parts": [part.text for part in parts] if len(parts) > 1 else None,
        "chars": len(text),
        "source": parts[0].source if parts else _silent_source(match, seat, turn),
        "fallback": any(part.fallback for part in parts),
        "clip": None if clip is None else {"file": clip.file, "seconds": clip.seconds, "format": clip.format},
        "cards": [],
        "usage": _usage(_sum(part.usage for part in parts)) if any(part.usage for part in parts) else None,
    }


def _silent_source(match: Match, seat: str, turn: Turn) -> str:
    """Whose turn it was when nothing was said."""
    state = match.seats[seat]
    holder = state.first
    for change in state.replaced:
        if change.at <= turn.opened_at and turn.outcome is not Outcome.WITHDRAWN:
            holder = change.holder
    if holder is None or holder.is_person:
        return "person"
    return "house" if holder.model in (None, "house") else "model"


def _ballot(ballot: Ballot) -> dict[str, Any]:
    return {
        "judge": ballot.judge,
        "vote": ballot.vote,
        "ranks": None,
        "defaulted": ballot.defaulted,
        "reason": ballot.reason,
        "flags": list(ballot.flags),
        "scores": ballot.scores,
        "speaker_points": None,
        "issues": None,
        "cast_at": iso(ballot.cast_at),
        "revealed_at": iso(ballot.revealed_at),
    }


def total_usage(match: Match) -> Usage:
    """What the models of the whole match used."""
    used: list[Usage | None] = []
    for entry in match.rounds:
        used += [part.usage for turn in entry.turns for part in turn.parts]
        used += [ballot.usage for ballot in entry.judging.ballots] if entry.judging else []
    return _sum(used)


def _sum(used: Any) -> Usage:
    total = sum((usage for usage in used if usage is not None), Usage())
    return replace(total, usd=round(total.usd, 6))


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "calls": usage.calls,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "usd": usage.usd,
    }


def _whole(value: float) -> float | int:
    """3 rather than 3.0, but 0.5."""
    return int(value) if value == int(value) else value
