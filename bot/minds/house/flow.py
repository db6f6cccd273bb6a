"""The flow: what happened to every argument of a round, read from the texts of its turns.

A sentence of the bank is recognised word for word, behind any lead. Everything else (people, models) is matched to
the nearest argument by its words, and kept as a loose turn so that it can be answered in its own words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from bot.catalogue import Argument, Stance
from bot.minds.brief import TurnView
from bot.minds.house.index import BankIndex, Heard, Hit, Kind, Near
from bot.minds.house.stances import other
from bot.minds.house.words import normal, overlap, sentences, stems

NEAR = 0.2
"""From this likeness on a free text is taken to be about a bank argument."""
_TOUCHED = 0.12
"""From this likeness on we no longer say that an argument was left alone."""


@dataclass(slots=True)
class Thread:
    """The life of one argument in this round. Turn numbers are 0 for "not so far"."""

    stance: Stance
    at: int
    argument: Argument
    said: set[tuple[Kind, int]] = field(default_factory=set)
    """The pieces anybody has spoken: a sentence is never said twice in a round."""
    claimed: int = 0
    claimer: TurnView | None = None
    asked: int = 0
    asker: TurnView | None = None
    replied: int = 0
    conceded: int = 0
    weighed: int = 0
    touched: int = 0
    """The last turn in which the other stance said anything near it."""
    answered: dict[int, int] = field(default_factory=dict)
    """Answer's place to the turn in which the other stance gave it."""
    defended: dict[int, int] = field(default_factory=dict)

    @property
    def undefended(self) -> list[int]:
        """Answers given to this argument that its owner has not met, latest first."""
        return sorted((a for a in self.answered if a not in self.defended), key=lambda a: -self.answered[a])

    @property
    def alone(self) -> bool:
        """Claimed and never touched by the other side."""
        return bool(self.claimed) and not (self.answered or self.asked or self.conceded or self.touched)

    @property
    def held(self) -> bool:
        """Attacked, and every attack met."""
        return bool(self.claimed) and bool(self.answered) and not self.undefended and self.asked <= self.replied

    @property
    def question_open(self) -> bool:
        return bool(self.asked) and not self.replied

    def fresh(self, kind: Kind, answer: int = -1) -> bool:
        return (kind, answer) not in self.said

    def fresh_answers(self) -> list[int]:
        """Answers to this argument nobody has given."""
        return [
            a for a in range(len(self.argument.answers)) if ("answer", a) not in self.said and a not in self.answered
        ]


@dataclass(frozen=True, slots=True)
class Loose:
    """A turn that does not come from the bank, with what it resembles."""

    turn: TurnView
    stance: Stance
    heard: Heard
    claim: Near | None
    """The nearest argument of its own stance."""
    answer: Near | None
    """The nearest answer to an argument of the other stance."""
    target: Near | None
    """The nearest argument of the other stance: what it may be attacking."""


class Flow:
    """Everything said so far, seen from one stance."""

    def __init__(
        self, index: BankIndex, stance: Stance, turns: Iterable[TurnView], stance_of: Callable[[str], Stance]
    ) -> None:
        self.stance: Stance = stance
        self.index = index
        self.turns = [turn for turn in turns if turn.text.strip()]
        self.stance_of_side = stance_of
        self.threads: dict[Stance, list[Thread]] = {
            side: [Thread(side, at, argument) for at, argument in enumerate(index.bank.of(side))]
            for side in ("pro", "con")
        }
        self.loose: list[Loose] = []
        self.said: set[str] = set()
        for turn in self.turns:
            self.said.update(normal(sentence) for sentence in sentences(turn.text))
            self._read(turn, stance_of(turn.side))

    # ------------------------------------------------------------------ views
    @property
    def own(self) -> list[Thread]:
        return self.threads[self.stance]

    @property
    def theirs(self) -> list[Thread]:
        return self.threads[other(self.stance)]

    def own_turns(self) -> list[TurnView]:
        return [turn for turn in self.turns if self.stance_of_side(turn.side) == self.stance]

    def last_own(self) -> int:
        """The number of our side's last turn, 0 when it has not spoken."""
        return max((turn.n for turn in self.own_turns()), default=0)

    def last_theirs(self) -> TurnView | None:
        opposing = [turn for turn in self.turns if self.stance_of_side(turn.side) != self.stance]
        return opposing[-1] if opposing else None

    def chances(self, after: int, stance: Stance) -> int:
        """How many turns a stance had after turn `after`, openings and closings aside: its chances to answer."""
        return sum(
            1
            for turn in self.turns
            if turn.n > after and turn.phase not in ("opening", "closing") and self.stance_of_side(turn.side) == stance
        )

    def ignored(self, thread: Thread) -> bool:
        """An argument of ours that the other side has left alone although it had the chance."""
        return thread.alone and self.chances(thread.claimed, other(self.stance)) > 0

    def mentioned(self, words: str, by: Stance, phases: tuple[str, ...]) -> bool:
        """Whether a stance has used these words in one of these phases."""
        plain = f" {normal(words)} "
        return any(
            turn.phase in phases and self.stance_of_side(turn.side) == by and plain in f" {normal(turn.text)} "
            for turn in self.turns
        )

    def unmet(self) -> list[Loose]:
        """Opposing turns in people's own words that our side has not come back to, latest first."""
        found: list[Loose] = []
        for loose in reversed(self.loose):
            if loose.stance == self.stance:
                continue
            later = [turn for turn in self.own_turns() if turn.n > loose.turn.n]
            about = stems(loose.turn.text)
            if not any(
                len(stems(turn.text) & about) >= 3 and overlap(stems(turn.text), about) >= 0.2 for turn in later[:2]
            ):
                found.append(loose)
        return found

    # ------------------------------------------------------------------ reading
    def _read(self, turn: TurnView, stance: Stance) -> None:
        heard = self.index.hear(turn.text)
        for hit in heard.hits:
            self._take(hit, turn, stance)
        if not heard.hits and (len(stems(turn.text)) >= 2 or heard.questions):
            self._read_loose(turn, stance, heard)

    def _take(self, hit: Hit, turn: TurnView, stance: Stance) -> None:
        thread = self.threads[hit.stance][hit.arg]
        thread.said.add((hit.kind, hit.answer))
        if hit.stance == stance:
            if hit.kind in ("claim", "reason", "illustration"):
                self._claim(thread, turn)
            elif hit.kind == "defence":
                thread.defended.setdefault(hit.answer, turn.n)
            elif hit.kind == "reply":
                thread.replied = thread.replied or turn.n
            elif hit.kind == "weigh":
                thread.weighed = thread.weighed or turn.n
        elif hit.kind == "answer":
            thread.answered.setdefault(hit.answer, turn.n)
        elif hit.kind == "question":
            thread.asked, thread.asker = turn.n, turn
        elif hit.kind == "concede":
            thread.conceded = thread.conceded or turn.n

    @staticmethod
    def _claim(thread: Thread, turn: TurnView) -> None:
        if not thread.claimed:
            thread.claimed, thread.claimer = turn.n, turn

    def _read_loose(self, turn: TurnView, stance: Stance, heard: Heard) -> None:
        claim = self.index.nearest(turn.text, stance, "claim")
        answer = self.index.nearest(turn.text, other(stance), "answer")
        target = self.index.nearest(turn.text, other(stance), "claim")
        self.loose.append(Loose(turn, stance, heard, claim, answer, target))
        for near in (answer, target):
            if near is not None and near.score >= _TOUCHED:
                self.threads[near.hit.stance][near.hit.arg].touched = turn.n
        best = max((near.score for near in (claim, answer) if near is not None), default=0.0)
        if claim is not None and claim.score >= NEAR and claim.score == best:
            self._claim(self.threads[stance][claim.hit.arg], turn)
        elif answer is not None and answer.score >= NEAR:
            thread = self.threads[answer.hit.stance][answer.hit.arg]
            if thread.claimed:
                thread.answered.setdefault(answer.hit.answer, turn.n)
