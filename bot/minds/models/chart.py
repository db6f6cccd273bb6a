"""The flow of a round as a model's debater is told it: what was argued, one line a turn, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.catalogue import Catalogue
from bot.minds.brief import Brief, TurnView
from bot.minds.house.accounts import Point
from bot.minds.house.hearing import hear
from bot.minds.house.knowledge import knowledge
from bot.minds.house.words import stems
from bot.minds.models.fit import parts_of

MOST_LINES = 5
"""Of either side. What is open comes first, then what is recent, so that a brief does not grow with the round."""
_LONGEST = 84


def chart(brief: Brief, catalogue: Catalogue, shown: Sequence[TurnView]) -> tuple[list[str], list[str]]:
    """Lines about our turns and about theirs, oldest first. Of what is `shown` in full only the fate is told."""
    known = knowledge(catalogue, brief.motion, brief.seed)
    hearing = hear(brief.turns, tuple(brief.motion.sides), known.index, brief.motion.text)
    points: dict[int, list[Point]] = {}
    for account in hearing.accounts:
        for point in account.points:
            points.setdefault(point.turn, []).append(point)
    full = {turn.n for turn in shown}
    ours: list[tuple[bool, int, str]] = []
    theirs: list[tuple[bool, int, str]] = []
    for turn in brief.turns:
        if not turn.text.strip() or turn.n in full:
            continue
        fate, is_open = _fate(points.get(turn.n, []))
        who = "you" if turn.seat == brief.seat else brief.names.get(turn.seat) or turn.name
        gist = _gist(turn.text, points.get(turn.n, []))
        (ours if turn.side == brief.side else theirs).append((is_open, turn.n, f"{turn.n} {who}: {gist}{fate}"))
    return _most_telling(ours), _most_telling(theirs)


def _fate(points: Sequence[Point]) -> tuple[str, bool]:
    """What became of a turn's points, in brackets, and whether something in it is open."""
    told: list[str] = []
    is_open = False
    for point in points:
        if point.conceded:
            told.append(f"granted in {point.conceded}")
        elif point.asked and not point.replied:
            told.append(f"asked about in {point.asked}")
            is_open = True
        elif point.answers:
            answer = point.answers[-1][0]
            met = [n for n in point.defences if n > answer]
            told.append(f"answered in {answer}" + (f", met in {met[0]}" if met else ""))
            is_open = is_open or not met
        else:
            told.append("open")
            is_open = True
    return (f" [{'; '.join(dict.fromkeys(told))}]" if told else "", is_open)


def _gist(text: str, points: Sequence[Point]) -> str:
    """The sentence that says most of the point, cut at a word."""
    about = frozenset[str]().union(*(point.about for point in points))
    best = max(parts_of(text), key=lambda sentence: (len(stems(sentence) & about), min(len(stems(sentence)), 9)))
    best = " ".join(best.split())
    return best if len(best) <= _LONGEST else best[:_LONGEST].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


def _most_telling(lines: list[tuple[bool, int, str]]) -> list[str]:
    chosen = sorted(lines, key=lambda line: (line[0], line[1]), reverse=True)[:MOST_LINES]
    return [text for _, _, text in sorted(chosen, key=lambda line: line[1])]
