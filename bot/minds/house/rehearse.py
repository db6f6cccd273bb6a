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
from bot.minds.brief import BallotDraft, Brief, MotionText, Move, SlotView, Source, Transcript, TurnView
from bot.minds.briefing import motion_text
from bot.minds.house.debater import compose_turn
from bot.rules.motion import custom_motion
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


class Staged:
    """A round slot by slot, whoever speaks in it."""

    def __init__(
        self,
        catalogue: Catalogue,
        motion: MotionText,
        seed: int,
        order: str = "arena",
        first_side: str = "pro",
        limits: Mapping[str, int] | None = None,
    ) -> None:
        self.motion, self.seed, self.first_side = motion, seed, first_side
        self._limits = {**LIMITS, **(limits or {})}
        sides = {"a": first_side, "b": "con" if first_side == "pro" else "pro"}
        script = [(phase, code) for phase, codes in ORDERS[order] for code in codes.split()]
        # Each side is made of the same seats whichever speaks first: pro holds P0 and P2, con P1 and P3.
        seat_of = {
            code: f"P{2 * (int(code[1]) - 1) + (0 if sides[code[0]] == 'pro' else 1)}"
            for code in sorted({code for _, code in script})
        }
        cast = Draw(seed, "cast").shuffled(tuple(catalogue.personas))
        self._persona = {seat: cast[at] for at, seat in enumerate(sorted(seat_of.values()))}
        self.names = {seat: catalogue.persona(persona).name for seat, persona in self._persona.items()}
        self.slots = [SlotView(phase, seat_of[code], sides[code[0]]) for phase, code in script]
        self.seats = {
            side: tuple(dict.fromkeys(slot.seat for slot in self.slots if slot.side == side)) for side in sides.values()
        }
        self.turns: list[TurnView] = []

    @property
    def slot(self) -> SlotView | None:
        """Whose turn it is; None: the round is over."""
        return self.slots[len(self.turns)] if len(self.turns) < len(self.slots) else None

    def brief(self) -> Brief:
        """What the speaker of the slot is told."""
        slot = self.slots[len(self.turns)]
        return Brief(
            seed=self.seed,
            round=1,
            n=len(self.turns) + 1,
            phase=slot.phase,
            moves=FREE_MOVES if slot.phase == "free" else ("statement",),
            limit=self._limits[slot.phase],
            seat=slot.seat,
            side=slot.side,
            persona=self._persona[slot.seat],
            motion=self.motion,
            partners=tuple(other for other in self.seats[slot.side] if other != slot.seat),
            opponents=self.seats["con" if slot.side == "pro" else "pro"],
            names=self.names,
            turns=tuple(self.turns),
            ahead=tuple(self.slots[len(self.turns) + 1 :]),
        )

    def hear(self, move: Move | None, text: str, by: Source | None) -> None:
        """What was said in the slot; "" when nothing was."""
        slot = self.slots[len(self.turns)]
        n = len(self.turns) + 1
        self.turns.append(TurnView(n, slot.phase, slot.seat, slot.side, self.names[slot.seat], move, text, by))


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
    staged = Staged(catalogue, motion, seed, order, first_side, limits)
    said = said or {}
    staged.names.update({staged.slots[n - 1].seat: person for n in said if said[n]})
    whys: list[str] = []
    while (slot := staged.slot) is not None:
        n = len(staged.turns) + 1
        if n in said:
            move: Move | None = ("argue" if slot.phase == "free" else "statement") if said[n] else None
            staged.hear(move, said[n], "person" if said[n] else None)
            whys.append("a person speaks" if said[n] else "forfeited")
            continue
        draft = compose_turn(staged.brief(), catalogue)
        staged.hear(draft.move, draft.text, "house")
        whys.append(draft.why)
    return Rehearsal(motion, tuple(staged.turns), tuple(whys), staged.seats, first_side, seed)


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
