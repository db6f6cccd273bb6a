"""Words and sentences: all the language processing the house mind has. Small, quick, English."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SENTENCE = re.compile(r"[^.!?…\n]+(?:[.!?…]+[\"'”’)\]]*|\n|$)")
_NOT_WORD = re.compile(r"[^\w]+")

STOPWORDS = frozenset(
    """
    a about above after again against all almost also although always am an and another any anyone anything are
    as at away back be because been before being below between both but by came can cannot come could did do
    does doing done down during each either else enough even ever every everyone everything far few first for
    from further get gets give given gives go goes going gone good got had has have having he her here hers
    herself him himself his how however i if in instead into is it its itself just keep kept know last least
    less let like little long look made make makes making many may me mean means might mine more most much must
    my myself need neither never no nobody none nor not nothing now of off often on once one ones only onto or
    other others our ours ourselves out over own part people perhaps point put quite rather really s same say
    says said see seem seems shall she should since so some someone something soon still such t take takes taken
    than that the their theirs them themselves then there these they thing things think this those though
    through thus to together told too toward towards under until up upon us use used very want wants was way
    ways we well were what whatever when where whether which while who whole whom whose why will with within
    without would yet you your yours yourself don doesn didn isn aren wasn weren won can't don't doesn't isn't
    it's that's there's they're we're you're i'm let's won't
    """.split()  # noqa: SIM905 - as a list it would fill pages
)

# Longest first: the first suffix that leaves a long enough stem is taken off.
_SUFFIXES = (
    "ization", "isation", "fulness", "ousness", "iveness", "ability", "ibility", "ational", "ations", "ements",
    "nesses", "lessly",
    "ation", "ement", "ments", "ities", "ising", "izing", "ingly", "fully", "ously", "ively", "iness",
    "ment", "ness", "able", "ible", "ance", "ence", "ions", "ings", "ists", "isms", "edly", "ally", "iest", "ised",
    "ized", "ises",
    "izes", "less", "ful", "ous", "ive", "ion", "ing", "ity", "ies", "ied", "ier", "ist", "ism", "ise", "ize", "est",
    "ers", "ors",
    "ed", "er", "or", "es", "ly", "al", "ic", "s", "y", "e",
)  # fmt: skip


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A crude stem: enough to let "banning", "banned" and "bans" meet."""
    word = word.casefold().replace("’", "'").split("'")[0]
    for _ in range(2):
        for suffix in _SUFFIXES:
            if word.endswith(suffix) and len(word) - len(suffix) >= (3 if len(suffix) < 4 else 4):
                word = word[: -len(suffix)]
                break
        else:
            break
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    return word


def words(text: str) -> list[str]:
    """The words of a text, in lower case, in order."""
    return [word.casefold().replace("’", "'") for word in _WORD.findall(text)]


@lru_cache(maxsize=8_192)
def stems(text: str) -> frozenset[str]:
    """What a text is about: the stems of its content words."""
    return frozenset(stem(word) for word in words(text) if len(word) > 2 and word not in STOPWORDS)


@lru_cache(maxsize=8_192)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, without surrounding space. A line break ends a sentence."""
    found = (match.group().strip() for match in _SENTENCE.finditer(text))
    return tuple(sentence for sentence in found if any(char.isalnum() for char in sentence))


@lru_cache(maxsize=16_384)
def normal(sentence: str) -> str:
    """A sentence as it is compared: case, punctuation and spacing do not count."""
    return _NOT_WORD.sub(" ", sentence.casefold().replace("’", "").replace("'", "")).strip()


def overlap(a: frozenset[str], b: frozenset[str]) -> float:
    """How much of the smaller set the two share, 0 to 1."""
    smaller = min(len(a), len(b))
    return len(a & b) / smaller if smaller else 0.0
