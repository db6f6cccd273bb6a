"""How a judge hears a round: a flow kept from the texts alone, blind to labels, names, seats and who is a machine.

Sentences that only try to sway the judge are set aside unread, and so is everything that was said before by anyone.
What is left is measured the same way whoever said it: sentences of the argument bank by what they are, free words by
how much they argue, with caps, so that length alone earns nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from bot.catalogue import Stance
from bot.minds.brief import TurnView
from bot.minds.house.accounts import WEAK, Account, Hearing, Point
from bot.minds.house.index import OWN_KINDS, SCHEMES, BankIndex, Hit, Kind
from bot.minds.house.stances import other
from bot.minds.house.tricks import tricks_in
from bot.minds.house.words import STOPWORDS, normal, sentences, stems, words

_QUOTED = re.compile(r"“[^”]{6,}”|\"[^\"]{6,}\"")
_REASON = re.compile(
    r"\b(because|since|therefore|thus|hence|so that|which means|that means|that is why|that's why|as a result"
    r"|leads? to|otherwise|unless|if|so|depends on|causes?|makes? it|for this reason|follows)\b",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"\b(for example|for instance|such as|think of|look at|imagine|picture|consider|take the|suppose"
    r"|when (?:i|we|you|they|people|my|the|a)"
    r"|(?:my|our|their)\s+(?:own\s+)?(?:town|village|city|street|school|class|family|mother|father|grand\w+|aunt|uncle|brother|sister|son"
    r"|daughter|friends?|neighbours?|boss|doctor|bridge|country|team|teacher|job|office)"
    r"|as (?:they|it|we) (?:did|does|do|was|were) (?:when|in)|in (?:every|many|most|some|old) \w+|anyone who"
    r"|in practice|last (?:year|week|month)|every (?:day|morning|time|evening|night))\b",
    re.IGNORECASE,
)
_PROPER = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}")
_WEIGHING = re.compile(
    r"\b(outweighs?|matters? (?:more|most)|more important|most important|even if|in the end|at stake"
    r"|compared?|bigger|greater|decid\w+|priority|rather than|worth more|on balance|above all|comes? down to|weigh\w*"
    r"|never answered|no answer|dropped)\b",
    re.IGNORECASE,
)
# What each kind of bank sentence is worth: (substance, reasoning, evidence).
_IN_PASSING = 0.6
_WORTH: dict[Kind, tuple[float, float, float]] = {
    "claim": (0.5, 0.0, 0.0),
    "reason": (0.3, 1.0, 0.1),
    "illustration": (0.2, 0.2, 1.0),
    "answer": (0.7, 0.7, 0.35),
    "defence": (0.7, 0.7, 0.35),
    "reply": (0.7, 0.7, 0.35),
    "question": (0.2, 0.2, 0.0),
    "concede": (0.2, 0.3, 0.0),
    "weigh": (0.3, 0.4, 0.0),
}


@dataclass(slots=True)
class _Turn:
    """One turn after everything that does not count has been taken out."""

    view: TurnView
    hits: list[Hit]
    loose: list[str]
    all_words: frozenset[str]
    quoted: frozenset[str]


def hear(turns: Sequence[TurnView], sides: Sequence[str], index: BankIndex, motion: str) -> Hearing:
    """Keep the flow of a round."""
    order = list(dict.fromkeys([turn.side for turn in turns] + list(sides)))
    listener = _Listener(order, index, stems(motion))
    for turn in turns:
        listener.take(turn)
    return Hearing([listener.accounts[side] for side in order])


class _Listener:
    def __init__(self, order: Sequence[str], index: BankIndex, motion: frozenset[str]) -> None:
        self.accounts = {side: Account(side) for side in order}
        self._index = index
        self._motion = motion
        self._known = index.vocabulary | motion
        self._banked = index.bank.motion != SCHEMES
        self._said: set[str] = set()
        self._heard: list[tuple[str, frozenset[str]]] = []
        self._hits: set[Hit] = set()
        self._stances: dict[str, dict[Stance, int]] = {side: {"pro": 0, "con": 0} for side in order}

    # ------------------------------------------------------------------ one turn
    def take(self, view: TurnView) -> None:
        account = self.accounts[view.side]
        account.slots += 1
        account.speaking.append((view.n, view.phase == "closing"))
        if not view.text.strip():
            return
        turn = self._sift(view, account)
        worth = [0.0, 0.0, 0.0]
        force = 1.0
        for hit in turn.hits:
            if self._fits(hit, view.side):
                worth = [a + b for a, b in zip(worth, _WORTH[hit.kind], strict=True)]
                self._note(hit, account, view, force)
                # The second thing met in one turn is met in passing.
                force = _IN_PASSING if hit.kind in ("answer", "defence", "reply") else force
        free = self._free(turn, account)
        account.substance += min(1.0, worth[0] + free[0])
        account.reasoning += min(1.0, worth[1] + free[1])
        account.evidence += min(1.0, worth[2] + free[2])
        account.spoken += 1 if worth[0] + free[0] >= 0.15 else 0

    def _sift(self, view: TurnView, account: Account) -> _Turn:
        """Take out tricks and everything said before."""
        hits: list[Hit] = []
        loose: list[str] = []
        kept_words: set[str] = set()
        quoted: set[str] = set()
        repeated = False
        for sentence in sentences(view.text):
            tricks = tricks_in(sentence)
            if tricks:
                account.tricks.extend((view.n, trick) for trick in tricks)
                continue
            hit = self._index.find(sentence)
            plain = normal(sentence)
            if hit is not None:
                if plain in self._said or (hit in self._hits and hit not in hits):
                    repeated = True
                    continue
                if hit not in hits:
                    hits.append(hit)
            else:
                for piece in _QUOTED.findall(sentence):
                    quoted |= stems(piece)
                own = _QUOTED.sub(" ", sentence)
                about = stems(own)
                # Naming the argument one speaks of is no repetition.
                if plain in self._said or self._copied(about - self._index.named(plain)):
                    repeated = True
                    continue
                if about:
                    loose.append(own)
            about = stems(sentence)
            kept_words |= about
            self._said.add(plain)
            if len(about) >= 4:
                self._heard.append((view.side, about))
        self._hits.update(hits)
        if repeated:
            account.repeated.append(view.n)
        return _Turn(view, hits, loose, frozenset(kept_words), frozenset(quoted))

    def _copied(self, about: frozenset[str]) -> bool:
        """Whether a sentence is a slightly changed copy of an earlier one, of anybody's."""
        if len(about) < 6:
            return False
        for _, earlier in self._heard:
            shared = len(about & earlier)
            if shared >= 0.75 * len(about) and (shared >= 8 or shared >= 0.6 * len(earlier)):
                return True
        return False

    # ------------------------------------------------------------------ sentences of the bank
    def _fits(self, hit: Hit, side: str) -> bool:
        """Whether a bank sentence argues the way this side has argued so far; arguing both ways at once earns
        nothing."""
        way: Stance = hit.stance if hit.kind in OWN_KINDS else other(hit.stance)
        counts = self._stances[side]
        counts[way] += 1
        return counts[way] > counts[other(way)]

    def _note(self, hit: Hit, account: Account, view: TurnView, force: float) -> None:
        if hit.kind in OWN_KINDS:
            self._note_own(hit, account, view, force)
            return
        for rival in self.accounts.values():
            if rival is account:
                continue
            for point in rival.points:
                if point.key != (hit.stance, hit.arg):
                    continue
                if hit.kind == "answer":
                    point.answers.append((view.n, force))
                    account.engaged += force
                elif hit.kind == "question":
                    point.asked = view.n
                elif hit.kind == "concede":
                    point.conceded = view.n

    def _note_own(self, hit: Hit, account: Account, view: TurnView, force: float) -> None:
        key = (hit.stance, hit.arg)
        point = next((point for point in account.points if point.key == key), None)
        if point is None and hit.kind in ("claim", "reason", "illustration"):
            argument = self._index.bank.of(hit.stance)[hit.arg]
            about = stems(f"{argument.topic} {argument.claim} {argument.reason}") - self._motion
            point = Point(account.side, view.n, argument.topic, about, key)
            account.points.append(point)
        if point is None:
            return
        if hit.kind == "reason":
            point.reason = True
        elif hit.kind == "illustration":
            point.example = True
        elif hit.kind == "defence":
            point.defences.append(view.n)
            point.firm += force
        elif hit.kind == "reply":
            point.replied = point.replied or view.n
        elif hit.kind == "weigh":
            point.weighed = view.n
            account.weighing += 1.0 if view.phase == "closing" else 0.5

    # ------------------------------------------------------------------ free words
    def _free(self, turn: _Turn, account: Account) -> tuple[float, float, float]:
        """What a turn's own words are worth, and whom they meet."""
        view, least = turn.view, 5 if turn.hits else 1
        kept = [sentence for sentence in turn.loose if len(stems(sentence)) >= least]
        solid = [sentence for sentence in kept if "?" not in sentence and len(stems(sentence)) >= 5]
        text = " ".join(kept)
        about = stems(text)
        met = self._meet(turn, account, about, bool(solid))
        if len(about) < 4 or not readable(text):
            return (0.0, 0.0, 0.0)
        topical = self._topical(about)
        if self._banked and not turn.hits and not met and len(about) >= 6 and len(about & self._known) <= 1:
            account.off.append(view.n)
        self._known |= about if topical >= 0.5 else frozenset()
        substance = min(1.0, len(about) / 14) * topical
        own = frozenset(about) - self._motion
        if turn.hits:
            return (substance * 0.5, 0.0, 0.0)
        reasoning = min(1.0, 0.25 + 0.45 * len({match.casefold() for match in _REASON.findall(text)})) * substance
        concrete = len(_EXAMPLE.findall(text)) + min(2, len(set(_PROPER.findall(text))))
        evidence = min(1.0, 0.15 + 0.45 * concrete) * substance
        if _WEIGHING.search(text):
            account.weighing += substance if view.phase == "closing" else 0.4 * substance
        if substance >= 0.45 and view.phase != "closing" and solid and not met:
            label = short_quote(max(solid, key=lambda sentence: len(stems(sentence))))
            point = Point(
                account.side, view.n, label, own, None, reasoning > 0.5 * substance, evidence > 0.5 * substance
            )
            account.points.append(point)
        return (substance, reasoning, evidence)

    def _topical(self, about: frozenset[str]) -> float:
        """How much of a text is about this debate, 0 to 1: a third of its content words known already is plenty."""
        known = len(about & self._known)
        if not self._banked:  # what belongs to such a motion is hardly known: give it the benefit of the doubt
            return min(1.0, 0.6 + 0.1 * known)
        return min(1.0, known / len(about) / 0.34) if known >= 2 else 0.2 * known

    def _meet(self, turn: _Turn, account: Account, about: frozenset[str], solid: bool) -> bool:
        """Credit free words (or a quotation) that come back to what the other side said: to the point they share
        most with. A quotation with nothing but a question behind it is no answer. True when something was
        met."""
        strongest: tuple[float, int, Point] | None = None
        fresh = about - self._motion
        for rival in self.accounts.values():
            if rival is account:
                continue
            for point in rival.points:
                shared = len(fresh & point.about)
                cited = len(turn.quoted & point.about)
                if turn.hits and cited < 2:
                    continue  # bank sentences say themselves what they meet
                if shared < 3 and cited < 2:
                    continue
                if not turn.hits and len(fresh - point.about) < 4:
                    continue  # hardly more than the point's own words
                strength = min(1.0, 0.35 + 0.15 * shared + 0.25 * cited)
                if strongest is None or (strength, point.turn) > strongest[:2]:
                    strongest = (strength, point.turn, point)
        if strongest is None:
            self._answer_question(turn, account, fresh)
            self._defend(turn, account, fresh)
            return False
        strength, _, point = strongest
        if not solid and not turn.hits:
            strength = min(strength, WEAK)
        point.answers.append((turn.view.n, strength))
        account.engaged += strength
        self._answer_question(turn, account, fresh)
        self._defend(turn, account, fresh)
        return strength >= 0.5

    def _answer_question(self, turn: _Turn, account: Account, about: frozenset[str]) -> None:
        """Free words may also answer a question put to one of the side's points."""
        if turn.hits:
            return
        for point in account.points:
            if point.asked and not point.replied and point.asked < turn.view.n and len(about & point.about) >= 2:
                point.replied = turn.view.n

    def _defend(self, turn: _Turn, account: Account, about: frozenset[str]) -> None:
        if turn.hits:
            return
        for point in account.points:
            attacked = [n for n, _ in point.answers if n < turn.view.n]
            if len(attacked) > len(point.defences) and len(about & point.about) >= 3:
                point.defences.append(turn.view.n)
                point.firm += 1.0
                return


def short_quote(sentence: str, longest: int = 48) -> str:
    """A few words of a sentence, safe to print in a reason."""
    plain = " ".join(re.sub(r"[^\w\s,'’-]+", " ", sentence).split()).strip(" ,")
    if len(plain) > longest:
        plain = plain[:longest].rsplit(" ", 1)[0].rstrip(" ,") + "…"
    return f"“{plain}”"


@lru_cache(maxsize=4_096)
def readable(text: str) -> bool:
    """Whether a text looks like connected English: little words in the usual share, few repetitions, words of usual
    length."""
    said = words(text)
    if len(said) < 5:
        return False
    little = sum(1 for word in said if word in STOPWORDS) / len(said)
    variety = len(set(said)) / len(said)
    length = sum(len(word) for word in said) / len(said)
    return 0.22 <= little <= 0.8 and (variety >= 0.5 or (len(said) > 60 and variety >= 0.35)) and length <= 8.5
