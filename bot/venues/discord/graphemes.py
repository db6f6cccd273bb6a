"""What a reader takes for one character, so that nothing is ever cut inside an emoji or between a letter and its
accent. Close to Unicode's extended grapheme clusters, without their tables."""

from __future__ import annotations

import unicodedata

_ZWJ = "\u200d"
_MOST = 64
"""Longer piles of marks are no character; they may be cut."""


def size(text: str) -> int:
    """UTF-16 units. Discord counts some texts in these and some in code points, of which there are never more."""
    return len(text) + sum(char > "\uffff" for char in text)


def graphemes(text: str) -> list[str]:
    """The text in pieces that stay whole. Joined they are the text."""
    if text.isascii():
        return list(text)
    pieces: list[str] = []
    for char in text:
        if pieces and _joins(pieces[-1], char):
            pieces[-1] += char
        else:
            pieces.append(char)
    return pieces


def columns(piece: str) -> int:
    """How many columns of a monospaced font a grapheme takes."""
    shown = max(piece, key=_columns, default="")
    return 2 if "\ufe0f" in piece else _columns(shown) if shown else 0


def _columns(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _joins(before: str, char: str) -> bool:
    last = before[-1]
    if len(before) >= _MOST or last == "\n":
        return False
    if char == _ZWJ or unicodedata.category(char)[0] == "M" or "\U0001f3fb" <= char <= "\U0001f3ff":
        return True
    if "\U000e0020" <= char <= "\U000e007f":  # the letters of a subdivision's flag
        return before[0] == "\U0001f3f4"
    if last == _ZWJ:
        return True
    if _is_flag_half(char):
        return len(before) == 1 and _is_flag_half(last)
    return _is_jamo(last) and _is_jamo(char) and not (char < "\u1160" and last >= "\u1160")


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _is_jamo(char: str) -> bool:
    return "\u1100" <= char <= "\u11ff"
