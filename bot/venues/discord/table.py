"""Tables as code blocks: the only thing on Discord in which columns line up. Narrow, for phones wrap the rest."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from bot.messages.card import Table
from bot.venues.discord.graphemes import columns, size
from bot.venues.discord.text import CUT, People, plain

WIDEST = 34
"""Columns that a phone shows in one line of an embed."""
_SHORT = 6
"""Longer headings of numbers are shortened, the words of one heading stand below one another."""
_LEAST = 6
"""No column of text gets narrower."""
_FAIR = 8
"""What a column of text gives up before a heading is shortened: most names are no longer."""
_FENCE = "```"
_NO_TICK = "\u02cb"
_ISOLATE, _END = "\u2068", "\u2069"


def block(table: Table, people: People, limit: int) -> str:
    """The table as a code block of at most `limit` UTF-16 units; rows that do not fit are left out. "" for none."""
    to_right = [title.startswith(">") for title in table.columns]
    rows = [[_cell(cell, people) for cell in (*row, *[""] * len(to_right))[: len(to_right)]] for row in table.rows]
    top = _top(table.columns, to_right, rows, people)
    height = len(top)
    widths = _widths([*top, *rows], to_right)
    gap = 2 if _total(widths, 2) <= WIDEST else 1
    lines = [_line(row, widths, to_right, gap) for row in (*top, *rows)]
    rule = "─" * min(WIDEST, _total(widths, gap))
    lines.insert(height, rule)
    kept, used = [], size(_FENCE) * 2 + 1
    for line in lines:
        used += size(line) + 1
        if used > limit:
            break
        kept.append(line)
    return "\n".join([_FENCE, *kept, _FENCE]) if len(kept) > height + 1 else ""


def _top(
    titles: Sequence[str], to_right: Sequence[bool], rows: Sequence[Sequence[list[str]]], people: People
) -> list[list[list[str]]]:
    """The lines with the headings. Where there is no room for all, those go first that only make their column wider
    than what stands in it: a reader sees what a seat or a name is. Then those of numbers are shortened."""
    headings = [_heading(title, right, people) for title, right in zip(titles, to_right, strict=True)]
    widths = [max((_width(row[at]) for row in rows), default=0) for at in range(len(titles))]
    widths = [width if right else min(width, _FAIR) for width, right in zip(widths, to_right, strict=True)]
    for at, right in enumerate(to_right):
        if not right and _needed(headings, widths) > WIDEST and _widest(headings[at]) > widths[at]:
            headings[at] = []
    if _needed(headings, widths) > WIDEST:
        headings = [
            [_cut(line, _SHORT, ".") for line in lines] if right else lines
            for lines, right in zip(headings, to_right, strict=True)
        ]
    height = max(map(len, headings), default=0)
    return [[lines[at] if at < len(lines) else [] for lines in headings] for at in range(height)]


def _heading(title: str, right: bool, people: People) -> list[list[str]]:
    words = title.removeprefix(">").split()
    return [_cell(word, people) for word in words] if right else [_cell(" ".join(words), people)]


def _needed(headings: Sequence[Sequence[list[str]]], widths: Sequence[int]) -> int:
    return _total([max(_widest(lines), width) for lines, width in zip(headings, widths, strict=True)], 1)


def _widest(lines: Sequence[list[str]]) -> int:
    return max(map(_width, lines), default=0)


def _total(widths: Sequence[int], gap: int) -> int:
    return sum(widths) + gap * max(0, len(widths) - 1)


def _cell(text: str, people: People) -> list[str]:
    """A cell's graphemes. A backtick could end the block, so it becomes one that cannot."""
    return [piece.replace("`", _NO_TICK) for piece in plain(text, people)]


def _widths(rows: Sequence[Sequence[list[str]]], to_right: Sequence[bool]) -> list[int]:
    widths = [max((_width(row[at]) for row in rows), default=0) for at in range(len(to_right))]
    texts = [at for at, right in enumerate(to_right) if not right]
    while texts and _total(widths, 1) > WIDEST:
        widest = max(texts, key=lambda at: widths[at])
        if widths[widest] <= _LEAST:
            break
        widths[widest] -= 1
    return widths


def _line(row: Sequence[list[str]], widths: Sequence[int], to_right: Sequence[bool], gap: int) -> str:
    return (
        (" " * gap)
        .join(
            _padded(_cut(cell, width), width, right) for cell, width, right in zip(row, widths, to_right, strict=True)
        )
        .rstrip()
    )


def _padded(cell: list[str], width: int, right: bool) -> str:
    gap = " " * (width - _width(cell))
    text = "".join(cell)
    if any(unicodedata.bidirectional(char) in ("R", "AL", "AN") for char in text):
        text = f"{_ISOLATE}{text}{_END}"  # otherwise the numbers of the line move to its other end
    return gap + text if right else text + gap


def _cut(cell: list[str], width: int, mark: str = CUT) -> list[str]:
    if _width(cell) <= width:
        return cell
    kept: list[str] = []
    used = len(mark)
    for piece in cell:
        used += columns(piece)
        if used > width:
            break
        kept.append(piece)
    return [*kept, mark]


def _width(cell: list[str]) -> int:
    return sum(map(columns, cell))
