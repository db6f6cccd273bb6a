"""Finding the bank in what was said: exact sentences by lookup, anything else by nearest words."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from bot.catalogue import Argument, Bank, Stance
from bot.minds.house.words import STOPWORDS, normal, sentences, stem, stems

Kind = Literal["claim", "reason", "illustration", "weigh", "question", "reply", "concede", "answer", "defence"]
OWN_KINDS: tuple[Kind, ...] = ("claim", "reason", "illustration", "weigh", "reply", "defence")
"""What the owner of an argument says about it; the rest comes from the other side."""
SCHEMES = "schemes"
"""The motion of a bank that was made from schemes."""
_TAIL = 4  # words by which a bank sentence is recognised behind a lead


@dataclass(frozen=True, slots=True)
class Spelling:
    """What all our texts together show about capitals."""

    common: frozenset[str] = frozenset()
    """Stems of words that are no names."""
    names: frozenset[str] = frozenset()
    """Words that are always names."""
    capitals: frozenset[str] = frozenset()
    """Words that are capitalised in some names ("new", "south")."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A piece of the bank heard in a turn."""

    stance: Stance
    """Whose argument it belongs to (not who said it)."""
    arg: int
    kind: Kind
    answer: int = -1


@dataclass(frozen=True, slots=True)
class Near:
    """A piece of the bank that a text resembles, and how much (0 to 1)."""

    hit: Hit
    score: float


@dataclass(frozen=True, slots=True)
class Heard:
    """One turn, taken apart."""

    hits: tuple[Hit, ...]
    """Bank pieces said word for word, in order, each once."""
    loose: tuple[str, ...]
    """The sentences that are not from the bank."""

    @property
    def questions(self) -> tuple[str, ...]:
        return tuple(sentence for sentence in self.loose if "?" in sentence)


class BankIndex:
    """A bank made searchable. Build it once per bank."""

    def __init__(self, bank: Bank, spelling: Spelling | None = None) -> None:
        self.bank = bank
        spelling = spelling or Spelling()
        self._exact: dict[str, Hit] = {}
        self._tails: dict[tuple[str, ...], list[tuple[str, Hit]]] = defaultdict(list)
        self._docs: list[tuple[Hit, frozenset[str], float]] = []
        lower: Counter[str] = Counter()
        upper: Counter[str] = Counter()
        docs: list[tuple[Hit, frozenset[str]]] = []
        for stance in ("pro", "con"):
            for at, argument in enumerate(bank.of(stance)):
                for hit, text in pieces(stance, at, argument):
                    self._note(hit, text)
                    count_case(text, lower, upper)
                body = f"{argument.topic}. {argument.claim} {argument.reason} {argument.illustration}"
                docs.append((Hit(stance, at, "claim"), stems(body)))
                for number, answer in enumerate(argument.answers):
                    docs.append((Hit(stance, at, "answer", number), stems(answer.text)))
        self._commons = spelling.common | frozenset(stem(word) for word in lower)
        self._names = spelling.names | (frozenset(upper) - frozenset(lower))
        self._capitals = spelling.capitals
        seen = Counter(word for _, doc in docs for word in doc)
        self._idf = {word: math.log(1 + len(docs) / count) for word, count in seen.items()}
        self._unknown = math.log(1 + len(docs))
        for hit, doc in docs:
            self._docs.append((hit, doc, math.sqrt(sum(self._idf[word] ** 2 for word in doc)) or 1.0))
        self.vocabulary: frozenset[str] = frozenset(seen)
        topics = [argument.topic for stance in ("pro", "con") for argument in bank.of(stance)]
        self._topics = [(normal(topic), stems(topic)) for topic in topics]
        self.hear = lru_cache(maxsize=4_096)(self._hear)

    def _note(self, hit: Hit, text: str) -> None:
        for sentence in sentences(text):
            plain = normal(sentence)
            self._exact.setdefault(plain, hit)
            tail = tuple(plain.split()[-_TAIL:])
            if len(tail) == _TAIL:
                self._tails[tail].append((plain, hit))

    def find(self, sentence: str) -> Hit | None:
        """The bank piece that this sentence is, also when a lead stands before it."""
        plain = normal(sentence)
        hit = self._exact.get(plain)
        if hit is not None:
            return hit
        for known, candidate in self._tails.get(tuple(plain.split()[-_TAIL:]), ()):
            if plain.endswith(known) and plain[-len(known) - 1] == " ":
                return candidate
        return None

    def named(self, plain: str) -> frozenset[str]:
        """The words of the topics that a (normalised) sentence names."""
        return frozenset[str]().union(*(about for topic, about in self._topics if topic in plain))

    def _hear(self, text: str) -> Heard:
        hits: list[Hit] = []
        loose: list[str] = []
        for sentence in sentences(text):
            hit = self.find(sentence)
            if hit is None:
                loose.append(sentence)
            elif hit not in hits:
                hits.append(hit)
        return Heard(tuple(hits), tuple(loose))

    def nearest(self, text: str, stance: Stance, kind: Literal["claim", "answer"]) -> Near | None:
        """The argument of `stance` (or the answer to one) that shares most of its telling words with `text`."""
        about = stems(text)
        if not about:
            return None
        size = math.sqrt(sum(self._idf.get(word, self._unknown) ** 2 for word in about))
        best: Near | None = None
        for hit, doc, norm in self._docs:
            if hit.stance != stance or hit.kind != kind:
                continue
            shared = about & doc
            if len(shared) < 2:
                continue
            score = sum(self._idf[word] ** 2 for word in shared) / (size * norm)
            if best is None or score > best.score:
                best = Near(hit, score)
        return best

    def decapitalise(self, sentence: str) -> str:
        """The sentence as it continues after a colon or comma: lower case, unless its first word may be a name."""
        said = sentence.split(" ", 2)
        first = said[0]
        plain = first.casefold().rstrip(",.:;").replace("’", "'")
        if not first[:1].isupper() or first[1:2].isupper() or plain == "i" or plain.startswith("i'"):
            return sentence
        root = plain.split("'")[0].split("-")[0]
        if plain not in STOPWORDS and root not in STOPWORDS:
            of_two = len(said) > 1 and said[1][:1].isupper() and root in self._capitals
            if root in self._names or of_two or stem(root) not in self._commons:
                return sentence
        return sentence[0].lower() + sentence[1:]


def pieces(stance: Stance, at: int, argument: Argument) -> Iterable[tuple[Hit, str]]:
    """Every text of an argument with its place."""
    for kind in ("claim", "reason", "illustration", "weigh", "question", "reply", "concede"):
        yield Hit(stance, at, kind), getattr(argument, kind)
    for number, answer in enumerate(argument.answers):
        yield Hit(stance, at, "answer", number), answer.text
        yield Hit(stance, at, "defence", number), answer.defence


def count_case(text: str, lower: Counter[str], upper: Counter[str]) -> None:
    """Note which words occur in lower case and which are capitalised in the middle of a sentence."""
    for sentence in sentences(text):
        for at, raw in enumerate(sentence.split()):
            word = raw.strip(".,:;!?\"'()").replace("’", "'")
            if not word:
                continue
            if word[0].islower():
                lower[word] += 1
            elif at > 0:
                upper[word.casefold().split("'")[0].split("-")[0]] += 1
