"""Everything one turn needs, gathered: the brief, what is known of the motion, the flow so far, and a voice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.catalogue import Catalogue, Stance
from bot.minds.brief import Brief, Draft, Move, TurnView
from bot.minds.house.compose import Part, attach, fill
from bot.minds.house.flow import Flow, Thread
from bot.minds.house.index import Kind
from bot.minds.house.knowledge import Knowledge, knowledge
from bot.minds.house.stances import stance_of
from bot.minds.house.voice import Voice, safe_name, skeleton
from bot.minds.house.words import normal, stems
from bot.rules.seeding import Draw

_ENOUGH = 0.78
"""A turn that uses so much of its space is not padded any further."""
_PREFERENCE: dict[Move, tuple[Move, ...]] = {
    "statement": ("statement", "argue", "rebut"),
    "argue": ("argue", "statement", "rebut", "answer"),
    "rebut": ("rebut", "argue", "statement", "answer"),
    "concede_point": ("concede_point", "rebut", "argue", "statement"),
    "question": ("question", "rebut", "argue", "statement"),
    "answer": ("answer", "rebut", "argue", "statement"),
}


@dataclass(frozen=True, slots=True)
class Extra:
    """A piece that may follow the main point."""

    text: str
    early: bool = False
    """It refers to the sentence before it, so it comes first."""


@dataclass(frozen=True, slots=True)
class Speech:
    """A turn in the making: what kind of move it is and the pieces it may be built from, most needed first."""

    move: Move
    parts: tuple[Part, ...]
    why: str
    extras: tuple[Extra, ...] = ()
    """Pieces that may follow the parts, in order of preference; at most two are used."""
    before: tuple[str, ...] = ()
    """Pieces that may stand before the parts, in order of preference; at most two are used, the preferred one last."""
    end: str = ""
    """The last words, spoken after everything else."""


class Case:
    """One seat's view of the round at the moment it has to speak."""

    def __init__(self, brief: Brief, catalogue: Catalogue) -> None:
        order = tuple(brief.motion.sides)
        self.brief = brief
        self.stance: Stance = stance_of(brief.side, order)
        self.know: Knowledge = knowledge(catalogue, brief.motion, brief.seed)
        self.flow = Flow(self.know.index, self.stance, brief.turns, lambda side: stance_of(side, order))
        self.persona = catalogue.persona(brief.persona)
        own = sum(1 for turn in brief.turns if turn.seat == brief.seat)
        spoken = [turn.text for turn in self.flow.turns]
        key = (brief.round, brief.seat, brief.motion.text)
        self.voice = Voice(
            self.persona,
            catalogue.phrases("phrases"),
            brief.seed,
            key,
            own,
            spoken,
            self.flow.said,
            self.know.grave,
            catalogue.phrases("common")["light"],
        )
        self._order = order

    # ------------------------------------------------------------------ chance
    def draw(self, *labels: object) -> Draw:
        """Chance for this slot alone."""
        return Draw(
            self.brief.seed, "house", self.brief.round, self.brief.n, self.brief.seat, self.brief.motion.text, *labels
        )

    def chance(self, percent: int, *labels: object) -> bool:
        return self.draw(*labels).below(100) < percent

    def side_draw(self, *labels: object) -> Draw:
        """Chance shared by the whole side in this round, so that partners agree without talking."""
        return Draw(self.brief.seed, "house", self.brief.round, self.stance, self.brief.motion.text, *labels)

    # ------------------------------------------------------------------ people
    def name(self, turn: TurnView | None) -> str:
        if turn is None:
            return "the other side"
        return safe_name(self.brief.names.get(turn.seat) or turn.name) or "the other side"

    def whose(self, thread: Thread) -> str:
        """Before "point about": "my", or a partner's name."""
        if thread.claimer is None:
            return "our"
        if thread.claimer.seat == self.brief.seat:
            return "my"
        name = safe_name(self.brief.names.get(thread.claimer.seat) or thread.claimer.name)
        return f"{name}'s" if name else "our"

    def addressee(self, thread: Thread) -> str:
        """Whom a question about an argument of theirs is put to: whoever of them speaks next, and so will answer."""
        for slot in self.brief.ahead:
            if slot.phase == self.brief.phase and stance_of(slot.side, self._order) != self.stance:
                return safe_name(self.brief.names.get(slot.seat)) or self.name(thread.claimer)
        return self.name(thread.claimer)

    def linked(self) -> bool:
        """Whether this seat has set two arguments side by side before: once in a round is enough."""
        own = " | ".join(normal(turn.text) for turn in self.brief.turns if turn.seat == self.brief.seat)
        return any(skeleton(option) in own for kind in ("beside", "same_way") for option in self.voice.of_tone(kind))

    # ------------------------------------------------------------------ what is left
    def share(self) -> list[Thread]:
        """Our side's arguments in the order this seat should use them: its own share first, then the partners'."""
        seats = sorted({self.brief.seat, *self.brief.partners})
        order = self.side_draw("arguments").shuffled(self.flow.own)
        mine = order[seats.index(self.brief.seat) :: len(seats)]
        return [*mine, *(thread for thread in order if thread not in mine)]

    def unclaimed(self) -> list[Thread]:
        return [
            thread for thread in self.share() if not thread.claimed and thread.fresh("claim") and thread.fresh("reason")
        ]

    def opposing_slots(self) -> int:
        """How many free turns the other side has still to come."""
        return sum(
            1
            for slot in self.brief.ahead
            if slot.phase == self.brief.phase and stance_of(slot.side, self._order) != self.stance
        )

    def own_slots(self) -> int:
        """How many turns of this phase our side has after this one."""
        return sum(
            1
            for slot in self.brief.ahead
            if slot.phase == self.brief.phase and stance_of(slot.side, self._order) == self.stance
        )

    # ------------------------------------------------------------------ sentences
    def say(self, lead: str, text: str) -> str:
        return attach(lead, text, self.know.index.decapitalise)

    def lead(self, purpose: str, text: str, room: int = 0, **values: str) -> str:
        """A text behind one of the persona's own leads."""
        return self.say(self.voice.lead(purpose, text, room, **values), text)

    def link(self, kind: str, text: str, **values: str) -> str:
        """A text behind one of the shared phrases; "" when all of those were heard."""
        lead = self.voice.remark(kind, text, **values)
        return self.say(lead, text) if lead else ""

    def fitting_answers(self, thread: Thread) -> list[int]:
        """Answers to an argument of theirs that nobody has given. While its illustration has not been spoken, those
        that lean on it come last."""
        fresh = thread.fresh_answers()
        if not thread.fresh("illustration"):
            return fresh
        argument = thread.argument
        hidden = stems(argument.illustration) - stems(f"{argument.topic} {argument.claim} {argument.reason}")
        leaning = {at: len(stems(argument.answers[at].text) & hidden) for at in fresh}
        least = min(leaning.values(), default=0)
        return [at for at in fresh if leaning[at] == least]

    def free(self, thread: Thread, kind: Kind, answer: int = -1) -> bool:
        return thread.fresh(kind, answer)

    # ------------------------------------------------------------------ finishing
    def finish(self, speech: Speech) -> Draft:
        """The speech as a draft: pieces chosen to use the space well, the move one that the slot allows."""
        text = self._arrange(speech)
        return Draft(move=self.allowed(speech.move), text=text, why=speech.why)

    def allowed(self, move: Move) -> Move:
        for candidate in _PREFERENCE[move]:
            if candidate in self.brief.moves:
                return candidate
        return self.brief.moves[0] if self.brief.moves else move

    def _arrange(self, speech: Speech) -> str:
        limit = self.brief.limit
        end = [Part(speech.end, 0.5)] if speech.end else []
        best = fill([*speech.parts, *end], limit)
        if not best or (len(best) >= _ENOUGH * limit and not speech.before):
            return best
        for front, back in _choices(speech.before, speech.extras):
            top = max(part.rank for part in speech.parts) + 1
            tail = [Part(text, top + at) for at, text in enumerate(back)]
            text = fill([*(Part(item, top) for item in front), *speech.parts, *tail, *end], limit)
            if len(text) >= _ENOUGH * limit:
                return text
            if len(text) > len(best):
                best = text
        return best


def _choices(before: Sequence[str], after: Sequence[Extra]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Ways to add extra pieces, the preferred ones first: one, then two."""
    fronts: list[tuple[str, ...]] = [
        *((item,) for item in before),
        *((two, one) for at, one in enumerate(before) for two in before[at + 1 :]),
        (),
    ]
    backs: list[tuple[str, ...]] = [(), *((item.text,) for item in after)]
    for at, one in enumerate(after):
        backs.extend((two.text, one.text) if two.early else (one.text, two.text) for two in after[at + 1 :])
    return [(front, back) for back in backs for front in fronts if front or back]
