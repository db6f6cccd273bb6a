"""From the state of a match to what a mind is told: the brief of a debater, the transcript of a judge."""

from __future__ import annotations

from bot.minds.brief import Brief, MotionText, SlotView, Transcript, TurnView
from bot.rules.match import Judging, Match, Round, Slot
from bot.rules.motion import Motion
from bot.rules.tempo import Tempo, timeout_ms

_SPARE_S = 1.0


def brief_for(match: Match, seat: str) -> Brief:
    """What the AI on `seat` may know when it prepares the current slot's turn. Raises ValueError without a slot."""
    entry, slot = match.round, match.slot
    if entry is None or slot is None:
        raise ValueError("nobody has the floor")
    side = entry.lineup.side_of(seat) or slot.plan.side
    holder = match.seats[seat].holder
    others = tuple(other for name, team in entry.lineup.speaking.items() if name != side for other in team)
    return Brief(
        seed=match.seed,
        round=entry.number,
        n=slot.plan.n,
        phase=slot.plan.phase,
        moves=slot.plan.moves,
        limit=slot.plan.limit,
        seat=seat,
        side=side,
        persona=(holder.persona if holder else None) or "",
        motion=motion_text(entry.motion),
        partners=entry.lineup.partners(seat),
        opponents=others,
        names={id: _name(match, id) for team in entry.lineup.teams.values() for id in team},
        turns=_turns(match, entry),
        ahead=tuple(
            SlotView(phase=plan.phase, seat=plan.seat, side=plan.side) for plan in entry.plans[len(entry.turns) + 1 :]
        ),
        past_motions=tuple(earlier.motion.text for earlier in match.rounds[:-1]),
        budget_s=_turn_budget_s(match, slot),
        charge=_charge(match),
    )


def transcript_for(match: Match, judge: str) -> Transcript:
    """The finished round as a judge is shown it. Raises ValueError before the first round."""
    entry = match.round
    if entry is None:
        raise ValueError("there is no round to judge")
    holder = match.seats[judge].holder
    return Transcript(
        seed=match.seed,
        round=entry.number,
        judge=judge,
        judge_index=[seat.id for seat in match.judges].index(judge),
        persona=(holder.persona if holder else None) or "",
        motion=motion_text(entry.motion),
        sides=match.rules.sides,
        turns=_turns(match, entry),
        seats=dict(entry.lineup.speaking),
        budget_s=_ballot_budget_s(match, entry.judging),
        charge=_charge(match),
    )


def motion_text(motion: Motion) -> MotionText:
    return MotionText(
        id=motion.id, category=motion.category, text=motion.text, sides={"pro": motion.pro, "con": motion.con}
    )


def _turn_budget_s(match: Match, slot: Slot) -> float:
    """What is left of the pace before the slot, and the slot's own time before tempo: slow tempos are for people."""
    until = slot.opens_at + round(slot.plan.timeout_s * 1000)
    return _real_s(match, until if slot.deadline is None else min(until, slot.deadline))


def _ballot_budget_s(match: Match, judging: Judging | None) -> float:
    """The bench's time at this tempo, at most that of the slowest in which people sit and wait: a whole transcript
    takes a small model on one thread about a minute."""
    until = match.now + timeout_ms(Tempo.RELAXED, match.rules.judging.timeout_s)
    if judging is None or judging.deadline is None:
        until = match.now + round(match.rules.judging.timeout_s * 1000)
    else:
        until = min(until, judging.deadline)
    return _real_s(match, until)


def _real_s(match: Match, until: int) -> float:
    """Real seconds up to a match time, less a little for storing and showing what was made. Where the clock is virtual
    it waits for minds, and they get what they would get at speed 1."""
    return max(0.0, (until - match.now) / 1000 - _SPARE_S) / (match.clock.speed or 1.0)


def _charge(match: Match) -> str:
    return f"{match.community}/{match.id}"


def _turns(match: Match, entry: Round) -> tuple[TurnView, ...]:
    return tuple(
        TurnView(
            n=turn.plan.n,
            phase=turn.plan.phase,
            seat=turn.plan.seat,
            side=turn.plan.side,
            name=_name(match, turn.plan.seat),
            move=turn.parts[0].move if turn.parts else None,
            text="\n\n".join(part.text for part in turn.parts),
            by=turn.parts[0].source if turn.parts else None,
        )
        for turn in entry.turns
    )


def _name(match: Match, seat: str) -> str:
    """An AI's name; a person is called by the seat, because names live outside the log."""
    holder = match.seats[seat].holder
    return holder.name if holder is not None and holder.name is not None else seat
