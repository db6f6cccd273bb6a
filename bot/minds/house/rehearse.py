"""Whole rounds between house minds, without a host: for reading, for measuring, for tests.

python -m bot.minds.house.rehearse ai-jobs --seed 3
python -m bot.minds.house.rehearse "Cats are better than dogs" --say 5="Cats clean themselves."
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.catalogue import Catalogue, load_catalogue
from bot.minds.brief import BallotDraft, Brief, MotionText, Move, SlotView, Transcript, TurnView
from bot.minds.house.debater import compose_turn
from bot.rules.motion import Motion, custom_motion
from bot.rules.seeding import Draw

FREE_MOVES: tuple[Move, ...] = ("argue", "rebut", "concede_point", "question")
ORDERS = {
    "arena": (("opening", "a1 b1 a2 b2"), ("free", "b1 a1 b2 a2 b1 a1 b2 a2"), ("closing", "a2 b1 a1 b2")),
    "classic": (("opening", "a1 b1 a2 b2"), ("free", "a1 b1 a2 b2 a1 b1 a2"), ("closing", "b2 a2 b1 a1")),
    "duel": (("opening", "a1 b1"), ("free", "b1 a1 b1 a1"), ("closing", "a1 b1")),
}
LIMITS = {"opening": 500, "free": 400, "closing": 500}


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """One round as it was played."""

    motion: MotionText
    turns: tuple[TurnView, ...]
    whys: tuple[str, ...]
    seats: dict[str, tuple[str, ...]]
    first_side: str
    seed: int

    def transcript(self, judge_index: int = 0) -> Transcript:
        judge = f"J{judge_index}"
        return Transcript(
            self.seed,
            1,
            judge,
            judge_index,
            "quill",
            self.motion,
            ("pro", "con"),
            self.turns,
            {s: self.seats[s] for s in ("pro", "con")},
        )


def motion_text(motion: Motion) -> MotionText:
    return MotionText(motion.id, motion.category, motion.text, {"pro": motion.pro, "con": motion.con})


def play(
    catalogue: Catalogue,
    motion: MotionText,
    seed: int,
    order: str = "arena",
    first_side: str = "pro",
    said: Mapping[int, str] | None = None,
    limits: Mapping[str, int] | None = None,
    person: str = "Robin",
) -> Rehearsal:
    """A round by house minds. `said` replaces the text of some turns by what a person says there ("" is a forfeited
    turn)."""
    limits = {**LIMITS, **(limits or {})}
    sides = {"a": first_side, "b": "con" if first_side == "pro" else "pro"}
    script = [(phase, code) for phase, codes in ORDERS[order] for code in codes.split()]
    codes = sorted({code for _, code in script})
    # Each side is made of the same seats whichever speaks first: pro holds P0 and P2, con P1 and P3.
    seat_of = {code: f"P{2 * (int(code[1]) - 1) + (0 if sides[code[0]] == 'pro' else 1)}" for code in codes}
    cast = Draw(seed, "cast").shuffled(tuple(catalogue.personas))
    persona_of = {seat: cast[at] for at, seat in enumerate(sorted(seat_of.values()))}
    names = {seat: catalogue.persona(persona).name for seat, persona in persona_of.items()}
    by_side = {
        side: tuple(dict.fromkeys(seat_of[code] for _, code in script if code[0] == letter))
        for letter, side in sides.items()
    }
    said = said or {}
    persons = {seat_of[script[n - 1][1]] for n in said if said[n]}
    names.update(dict.fromkeys(persons, person))
    turns: list[TurnView] = []
    whys: list[str] = []
    for n, (phase, code) in enumerate(script, 1):
        seat, side = seat_of[code], sides[code[0]]
        if n in said:
            move: Move | None = ("argue" if phase == "free" else "statement") if said[n] else None
            turns.append(TurnView(n, phase, seat, side, names[seat], move, said[n], "person" if said[n] else None))
            whys.append("a person speaks" if said[n] else "forfeited")
            continue
        brief = Brief(
            seed=seed,
            round=1,
            n=n,
            phase=phase,
            moves=FREE_MOVES if phase == "free" else ("statement",),
            limit=limits[phase],
            seat=seat,
            side=side,
            persona=persona_of[seat],
            motion=motion,
            partners=tuple(other for other in by_side[side] if other != seat),
            opponents=by_side["con" if side == "pro" else "pro"],
            names=names,
            turns=tuple(turns),
            ahead=tuple(SlotView(p, seat_of[c], sides[c[0]]) for p, c in script[n:]),
        )
        draft = compose_turn(brief, catalogue)
        turns.append(TurnView(n, phase, seat, side, names[seat], draft.move, draft.text, "house"))
        whys.append(draft.why)
    return Rehearsal(motion, tuple(turns), tuple(whys), by_side, first_side, seed)


def show(rehearsal: Rehearsal, ballots: Sequence[BallotDraft] = ()) -> str:
    """A round as plain text."""
    lines = [f"MOTION: {rehearsal.motion.text}   (seed {rehearsal.seed}, {rehearsal.first_side} first)"]
    for turn, why in zip(rehearsal.turns, rehearsal.whys, strict=True):
        lines.append(
            f"\n{turn.n:2} {turn.phase} {turn.side.upper()} {turn.name} [{turn.move}; {why}; "
            f"{len(turn.text)}]\n   {turn.text}"
        )
    for at, ballot in enumerate(ballots):
        lines.append(f"\nJudge {at}: {ballot.vote.upper()} {ballot.scores} {list(ballot.flags)}\n   {ballot.reason}")
    return "\n".join(lines)


def main() -> None:
    from bot.minds.house.judge import decide

    parser = argparse.ArgumentParser(description="Play a round between house minds and print it.")
    parser.add_argument("motion", help="a motion's id, or a motion in your own words")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--order", choices=sorted(ORDERS), default="arena")
    parser.add_argument("--first", choices=("pro", "con"), default="pro")
    parser.add_argument("--say", action="append", default=[], metavar="N=TEXT", help="what a person says in turn N")
    options = parser.parse_args()
    catalogue = load_catalogue()
    motion = motion_text(catalogue.motion(options.motion) or custom_motion(options.motion))
    said = {int(number): text for number, _, text in (item.partition("=") for item in options.say)}
    rehearsal = play(catalogue, motion, options.seed, options.order, options.first, said)
    sys.stdout.write(show(rehearsal, [decide(rehearsal.transcript(at), catalogue) for at in range(3)]) + "\n")


if __name__ == "__main__":
    main()
