"""What counts as something said: cleaning and counting (docs/rules.md, "Text").

Venues first unwrap what is theirs (mentions, links, emoji codes, escapes) to what a reader sees; from there on every
text, typed or generated, passes through `clean` once and is counted in Unicode code points.
"""

from __future__ import annotations

import re
import unicodedata

# Visible as nothing although Unicode calls them letters or symbols: Hangul fillers, the empty braille pattern, the
# musical null notehead, the Egyptian blanks.
_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800\U0001d159\U00013441\U00013442")
# Format characters (Cf) that a reader does see: the prepended marks of Arabic, Syriac and Kaithi.
_VISIBLE_FORMAT = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
_ZWNJ, _ZWJ = "\u200c", "\u200d"
_LINE_BREAKS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_MANY_BLANK_LINES = re.compile(r"\n{4,}")
# The subdivision flags (England, Scotland, Wales): a black flag, the region in tag characters, the end tag. Any other
# tags are hidden text.
_TAG_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f")
_SELECTOR = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
# Zero-width although Unicode calls them marks or nothing yet: the grapheme joiner, two Khmer vowels, what is reserved.
_ZERO_WIDTH = re.compile("[\u034f\u17b4\u17b5\u2065\ufff0-\ufff8\U000e0000-\U000e0fff]")
_VIRAMA = 9
"""The combining class of the signs that join consonants in Indian scripts."""
_MOST_MARKS = 8
"""How far behind a joiner its letter may be, with marks between."""


def clean(text: str) -> str:
    """The text as it will be counted, frozen and shown. `clean(clean(t)) == clean(t)`.

    It is longer than what was typed only where NFC says so (some Indic and Hebrew letters become a letter and a mark).
    """
    text = _LINE_BREAKS.sub("\n", text).replace("\t", " ")
    text = unicodedata.normalize("NFC", _drop_invisible(unicodedata.normalize("NFC", text)))
    text = "\n".join(line.rstrip() for line in text.split("\n"))
    text = _MANY_BLANK_LINES.sub("\n\n\n", text)
    return text.strip()


def count(text: str) -> int:
    """Length in Unicode code points."""
    return len(text)


def is_blank(text: str) -> bool:
    """True when a reader would see nothing at all, in any Unicode way."""
    return not any(_is_visible(char) for char in text)


def shorten(text: str, limit: int) -> str:
    """The text within `limit` code points: cut at the end of a sentence, else of a word, never inside one."""
    if len(text) <= limit:
        return text
    head = text[: limit + 1]
    ends = [m.end() for m in re.finditer(r"[.!?…][\"'”’)]*(?=\s)", head)]
    if ends and ends[-1] >= limit // 3:
        return head[: ends[-1]].strip()
    cut = max(head[:limit].rfind(" "), head[:limit].rfind("\n"))
    return (head[: cut if cut > 0 else limit - 1].rstrip(" ,;:-") + "…")[:limit]


def _is_visible(char: str) -> bool:
    if char in _BLANK_LETTERS:
        return False
    # Marks and selectors need something to sit on; alone they show nothing. Unassigned and private code points show
    # nothing known, but for emoji that are younger than this Python.
    return unicodedata.category(char)[0] not in "ZCM" or char in _VISIBLE_FORMAT or _is_emoji(char)


def _drop_invisible(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    flags = {at for flag in _TAG_FLAG.finditer(text) for at in range(*flag.span())}
    kept: list[str] = []
    for at, char in enumerate(text):
        if at in flags or _stays(char, kept, text[at + 1 : at + 3]):
            kept.append(char)
    return "".join(kept)


def _stays(char: str, before: list[str], after: str) -> bool:
    """Whether a character is kept, by what was kept before it and the two that follow."""
    category = unicodedata.category(char)
    if category in ("Cc", "Cs"):
        return char == "\n"
    if char in (_ZWNJ, _ZWJ):
        return _joins_letters(before, after) or (char == _ZWJ and _joins_emoji(before, after))
    if category == "Cf":
        return char in _VISIBLE_FORMAT
    if category[0] not in "MC":
        return True
    if _SELECTOR.match(char):
        return bool(before) and _has_variants(before[-1])
    return _ZERO_WIDTH.match(char) is None


def _joins_letters(before: list[str], after: str) -> bool:
    """A joiner between letters, as Persian and Hindi write; a virama may come first, as in Bengali."""
    left = next((char for char in reversed(before[-_MOST_MARKS:]) if unicodedata.category(char)[0] != "M"), "")
    right = after[1:] if after and unicodedata.combining(after[0]) == _VIRAMA else after[:1]
    return _is_letter(left) and _is_letter(right)


def _joins_emoji(before: list[str], after: str) -> bool:
    """A joiner inside an emoji, as in families and professions. The second may be an arrow (a shaking head)."""
    if not before or not after:
        return False
    return (before[-1] == "\ufe0f" or _is_emoji(before[-1])) and (
        _is_emoji(after[0]) or unicodedata.category(after[0]) == "Sm"
    )


def _has_variants(char: str) -> bool:
    """What a variation selector may follow: symbols, digits, punctuation, letters without capitals, the info sign."""
    return unicodedata.category(char) in ("So", "Sm", "Nd", "Po", "Pd", "Lo") or _is_emoji(char) or char == "\u2139"


def _is_letter(char: str) -> bool:
    return bool(char) and unicodedata.category(char)[0] == "L"


def _is_emoji(char: str) -> bool:
    """Symbols, and the blocks that Unicode reserves for emoji, assigned yet or not."""
    return unicodedata.category(char) == "So" or "\U0001f000" <= char <= "\U0001faff"
