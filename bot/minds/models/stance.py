"""Whether a model's speech is its own and keeps to its side, found by rule: copies of earlier turns, plain words for
the other side, and marks of the brief that are no speech."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from bot.catalogue import Stance
from bot.minds.brief import Brief, TurnView
from bot.minds.house.stances import other, stance_of
from bot.minds.house.words import normal
from bot.minds.models.fit import parts_of

COPIED = 0.5
"""A speech that shares so many of its runs of three words with one earlier turn is a copy of it."""
SAME = 0.75
"""The same for a sentence and an earlier one of the same speech."""
_RUN = 3
_LEAST_RUNS = 6
"""Shorter texts are copies only when they are the same."""
_MARK = re.compile(
    r"\s*\[(?:open|answered|granted|asked about|met in|set aside)\b[^\]\n]{0,80}\]?"
    r"|\s*\((?:open|(?:answered|met|granted|asked about) in (?:turn )?\d+)\)",
    re.IGNORECASE,
)
_ADVERBS = r"(?:\w+ly |also |do |do indeed |still )*"
_MOTION = r"(?:(?:the|this|our|today s) motion|motion\b)"
_FOR = re.compile(
    rf"\b(?:i|we) (?:am |are |m |re )?{_ADVERBS}(?:support(?:ing)?|defend(?:ing)?|endorse|back|agree with|favou?r"
    rf"|in favou?r of|for|stand for|speak(?:ing)? for|argu(?:e|ing) for|vote for) {_MOTION}"
    rf"|\b{_MOTION} (?:should|must) (?:pass|stand|be (?:passed|accepted|adopted|supported))\b"
    rf"|\b(?:vote|speak(?:ing)?) for {_MOTION}|\b{_MOTION} is (?:right|correct)$"
)
_AGAINST = re.compile(
    rf"\b(?:i|we) (?:am |are |m |re )?{_ADVERBS}(?:oppos(?:e|ing)|reject(?:ing)?|disagree with|against|opposed to"
    rf"|stand against|speak(?:ing)? against|argu(?:e|ing) against|vote against) {_MOTION}"
    rf"|\b(?:i|we) (?:do not|don t|cannot|can t|can not|will not|won t|never) "
    rf"{_ADVERBS}(?:support|defend|endorse|back|agree with|favou?r) {_MOTION}"
    rf"|\b{_MOTION} (?:should|must) (?:fall|fail|not (?:pass|stand)|be (?:rejected|defeated|opposed))\b"
    rf"|\bvote against {_MOTION}|\b{_MOTION} is wrong$"
)
_OPINION = re.compile(
    rf"\b(?:i|we) {_ADVERBS}(?:believe|think|argue|agree|say|hold|maintain|insist|support|know)"
    r"(?: with you| with them)?(?: that)? (.+)$"
)
_GRANTED = re.compile(r"\b(?:but|however|yet|still|even so|although|though|nevertheless|and yet|all the same)\b")


def without_marks(text: str) -> str:
    """The text without the brackets in which a brief tells what became of a point."""
    return " ".join(_MARK.sub("", text).split())


def without_cut(text: str, most: int) -> str:
    """The text without the sentence at which a server cut it, if there is another."""
    parts = parts_of(text)
    return " ".join(parts[:-1]) if parts[1:] and len(text) >= most else text


def without_echoes(text: str) -> str:
    """The text without sentences that say an earlier one of it again."""
    kept: list[str] = []
    for sentence in parts_of(text):
        runs = _runs(sentence)
        if not any(normal(sentence) == normal(before) or _share(runs, _runs(before)) >= SAME for before in kept):
            kept.append(sentence)
    return " ".join(kept)


def is_copy(text: str, turns: Iterable[TurnView]) -> bool:
    """Whether a speech is an earlier turn over again, of whichever side."""
    runs = _runs(text)
    return any(
        bool(turn.text.strip()) and (normal(text) == normal(turn.text) or _share(runs, _runs(turn.text)) >= COPIED)
        for turn in turns
    )


def side_of(brief: Brief) -> Stance:
    """For the motion ("pro") or against it ("con")."""
    return stance_of(brief.side, tuple(brief.motion.sides))


def stance_text(brief: Brief) -> str:
    """What this side argues."""
    sides = brief.motion.sides
    return sides.get(brief.side) or sides.get(side_of(brief)) or brief.side


def changes_sides(text: str, brief: Brief) -> bool:
    """Whether a speech says outright that its speaker is on the other side. Only what is plain counts: words for the
    motion or against it, or the other side's stance as one's own opinion."""
    ours = side_of(brief)
    theirs = _claims(brief, other(ours))
    wrong = _AGAINST if ours == "pro" else _FOR
    for sentence in parts_of(text):
        if any(mark in sentence for mark in '"“”?'):  # somebody else's words, or a question
            continue
        # Apostrophes fall out of `normal`; here they part words, so that "I'm against" is read.
        said = normal(re.sub(r"['’]", " ", sentence))
        if wrong.search(said) and not _GRANTED.search(said):
            return True
        opinion = _OPINION.search(said)
        if opinion and any(
            claim in opinion.group(1) and not _GRANTED.search(opinion.group(1).split(claim)[-1]) for claim in theirs
        ):
            return True
    return False


def gives_in(text: str, brief: Brief) -> bool:
    """Whether a speech begins by agreeing with the other side and grants it everything."""
    first = next(iter(parts_of(text)), "")
    ours = {brief.names.get(seat) for seat in (brief.seat, *brief.partners)}
    theirs = [re.escape(normal(name)) for name in brief.names.values() if name not in ours]
    whom = "|".join(["you", "them", "my opponents?", "the other side", *theirs])
    agreed = re.match(rf"(?:(?:{whom}|yes) )*i {_ADVERBS}agree(?: with (?:{whom})\b| that\b|$)", normal(first))
    return agreed is not None and not _GRANTED.search(normal(text))


def _claims(brief: Brief, stance: Stance) -> Sequence[str]:
    """Sentences that say what a stance stands for: its side's, and for "pro" the motion itself."""
    found = [text for side, text in brief.motion.sides.items() if stance_of(side, tuple(brief.motion.sides)) == stance]
    if stance == "pro":
        found.append(brief.motion.text)
    claims = [normal(re.sub(r"['’]", " ", text)) for text in found]
    return [claim for claim in claims if claim.count(" ") >= 2]


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = normal(text).split()
    return frozenset(tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1))


def _share(runs: frozenset[tuple[str, ...]], earlier: frozenset[tuple[str, ...]]) -> float:
    return len(runs & earlier) / len(runs) if len(runs) >= _LEAST_RUNS else 0.0
