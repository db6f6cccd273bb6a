"""Words a community does not want to read, and finding them in what somebody wrote.

A pattern is a word or a phrase; `*` stands for any letters, also none. It is found as whole words only, whatever the
capitals, accents, invisible characters, look-alikes (`b4d`, Cyrillic letters) and separators (`b.a.d`, `b a d`). Nobody
writes regular expressions: those used inside are made from the patterns and never go back over what they have read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from bot.rules.rejection import Rejection, reject

MOST_PATTERNS = 200
LONGEST_PATTERN = 60
LEAST_LETTERS = 2

_SPACE, _JOINT, _APOSTROPHE, _OTHER = " .',"
"""What every character that is part of no word becomes: a space, what people put inside a word to hide it, an
apostrophe, anything else."""
_BETWEEN = _SPACE + _JOINT + _APOSTROPHE + _OTHER
_JOINTS = frozenset(".-_*~·•+=/\\:\u2010\u2011\u2012–—")
_APOSTROPHES = frozenset("'’‘`\u00b4\u02bc")
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_OVERLAY = 1
_VOWEL_POINTS = range(10, 37)
_ACCENTS = range(200, 256)
"""Combining classes of marks that sit on a letter and may be left out; others make another letter of it, as in Hindi
or Japanese."""

_SIGNS = "@$!|"
"""Read both as letters and as what stands between words."""
_AS_LETTERS = str.maketrans({"0": "o", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "1", "|": "1"})
_LOOSE = str.maketrans({"l": "i", "1": "i"})
"""`1` is read as `i` or `l`: in this form all three are one, to find candidates."""
_NO_LETTERS = str.maketrans(dict.fromkeys("0123456789" + _SIGNS, _OTHER))

_LOOK_ALIKES = {
    # Cyrillic, after folding the case: small ones as they look or as their capitals do.
    **dict(zip("авсекһіјӏмнорԛѕтухѵԝьԁзг", "abcekhij1mhopqstyxvwbder", strict=True)),
    # Greek.
    **dict(zip("αβγεζηικμνορςστυχω", "abyeznikmvopsstuxw", strict=True)),
    # Latin letters that do not come apart, and the small capitals.
    **dict(zip("ıɩłøđħɑɡƅŧ", "iilodhagbt", strict=True)),
    **dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz", strict=True)),
    "æ": "ae",
    "œ": "oe",
    "€": "e",
}  # fmt: skip
_LETTER_BLOCKS = (0x1F130, 0x1F150, 0x1F170, 0x1F1E6)
"""A to Z as squares and circles, and as the halves of flags; NFKC leaves them as they are."""

_TOKEN = re.compile(f"[^{_BETWEEN}]+")
_SPELT = re.compile(rf"(?<![^{_BETWEEN}])[^{_BETWEEN}](?:[{_BETWEEN}]{{1,3}}[^{_BETWEEN}](?![^{_BETWEEN}]))+")
"""Letters one by one."""
_JOINED = re.compile(rf"(?<![^{_BETWEEN}])[^{_BETWEEN}]++(?:[{_JOINT}][^{_BETWEEN}]++)++")
_ARTICLES = "ai"
"""A single letter beside a word that is spelt out may be a word of its own: `a b a d`."""


class WordList:
    """Compiled patterns. A pattern that `refused` would refuse is left out."""

    def __init__(self, patterns: Sequence[str], most: int | None = MOST_PATTERNS) -> None:
        self._words: dict[str, list[tuple[str, str]]] = {}
        self._phrases: list[tuple[str, tuple[str, ...], re.Pattern[str]]] = []
        for pattern in patterns[:most]:
            if refused(pattern) is None:
                self._add(pattern)

    def find(self, text: str) -> str | None:
        """A pattern that is in the text."""
        if not self._words and not self._phrases:
            return None
        folded = fold(text)
        lines = list(_lines(folded))
        for word in dict.fromkeys(word for line in lines for word in line):
            hit = self._word(word)
            if hit is not None:
                return hit
        whole = "\n".join(f" {' '.join(line)} " for line in lines)
        loose = whole.translate(_LOOSE)
        for pattern, needed, expression in self._phrases:
            if all(part in loose for part in needed) and expression.search(whole):
                return pattern
        return next((hit for word in _joined(folded) if (hit := self._word(word)) is not None), None)

    def _add(self, pattern: str) -> None:
        words = _words_of(pattern)
        if len(words) == 1 and "*" not in words[0]:
            self._words.setdefault(words[0].translate(_LOOSE), []).append((words[0], pattern))
            return
        needed = f" {' '.join(words)} ".replace(" *", "*").replace("* ", "*").translate(_LOOSE).split("*")
        expression = " " + " ".join(_expression(word) for word in words) + "(?= )"
        self._phrases.append((pattern, tuple(part for part in needed if part.strip()), re.compile(expression)))

    def _word(self, word: str) -> str | None:
        known = self._words.get(word.translate(_LOOSE), ())
        return next((pattern for wanted, pattern in known if _same(wanted, word)), None)


@lru_cache(maxsize=256)
def compiled(patterns: tuple[str, ...]) -> WordList:
    return WordList(patterns)


NOTHING = WordList(())


class WordFileError(Exception):
    """The operator's list cannot be used; the text names the file and the line, without a full stop."""


def read_words(path: Path) -> WordList:
    """The operator's list: one pattern a line, of any number; what follows a "#" at the start of a line or after a
    space is a comment. Raises WordFileError."""
    try:
        lines = path.expanduser().read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise WordFileError(f"{path} cannot be read: {why}") from None
    patterns: list[str] = []
    for number, line in enumerate(lines, 1):
        pattern = re.sub(r"(^|\s)#.*", "", line).strip()
        if not pattern:
            continue
        refusal = refused(pattern)
        if refusal is not None:
            wanted = (
                f"is longer than {LONGEST_PATTERN} characters"
                if refusal.code == "pattern_long"
                else f"has fewer than {LEAST_LETTERS} letters"
            )
            raise WordFileError(f'{path}, line {number}: the pattern "{pattern[:LONGEST_PATTERN]}" {wanted}')
        patterns.append(pattern)
    return WordList(tuple(dict.fromkeys(patterns)), most=None)


def refused(pattern: str) -> Rejection | None:
    """Why this cannot be a pattern, or None."""
    if len(pattern) > LONGEST_PATTERN:
        return reject("pattern_long", chars=len(pattern), limit=LONGEST_PATTERN)
    if sum(char.isalnum() for word in _words_of(pattern) for char in word) < LEAST_LETTERS:
        return reject("pattern_bare", pattern=pattern.strip(), least=LEAST_LETTERS)
    return None


def fold(text: str) -> str:
    """The text in small plain letters and digits, signs that may be letters, and four kinds of what is between."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    folded: list[str] = []
    for char in text:
        new = _fold(char)
        # A mark of another script on a Latin letter hides the letter and means nothing.
        if new and not (new == char and folded and folded[-1].isascii() and unicodedata.category(char)[0] == "M"):
            folded.append(new)
    return "".join(folded)


@lru_cache(maxsize=8192)
def _fold(char: str) -> str:
    """One character, folded; empty when nobody sees it."""
    char = char.lower()
    if char in _LOOK_ALIKES:
        return _LOOK_ALIKES[char]
    if char in _SIGNS:
        return char
    if char in _APOSTROPHES:
        return _APOSTROPHE
    if char in _JOINTS:
        return _JOINT
    for block in _LETTER_BLOCKS:
        if block <= ord(char) < block + 26:
            return chr(ord("a") + ord(char) - block)
    category = unicodedata.category(char)
    if category[0] == "M":
        kind = unicodedata.combining(char)
        loose = category == "Me" or kind == _OVERLAY or kind in _VOWEL_POINTS or kind in _ACCENTS
        return "" if loose or char in _INVISIBLE or "VARIATION SELECTOR" in unicodedata.name(char, "") else char
    if char in _INVISIBLE or category in ("Cf", "Cs", "Cn", "Co"):
        return ""
    if char.isspace() or category[0] == "C":
        return _SPACE
    if category == "Nd":
        return str(unicodedata.digit(char))
    return char if char.isalnum() else _OTHER


def _lines(folded: str) -> Iterator[list[str]]:
    """The words of a folded text, as often as it can be read in different ways."""
    yield [_read(token) for token in _TOKEN.findall(folded)]
    plain = folded.translate(_NO_LETTERS)
    if plain != folded:
        yield _TOKEN.findall(plain)
    for spelt in {found for reading in (folded, plain) for found in _SPELT.findall(reading)}:
        word = _read("".join(_TOKEN.findall(spelt)))
        yield [word]
        if word[0] in _ARTICLES:
            yield [word[1:]]
        if word[-1] in _ARTICLES:
            yield [word[:-1]]


def _joined(folded: str) -> Iterator[str]:
    """Words with something inside, as one. Apostrophes do not count: he'll is no hell."""
    for found in _JOINED.findall(folded):
        yield _read(found.replace(_JOINT, ""))


def _read(token: str) -> str:
    """A token as a word: digits and signs as the letters they look like, but a number stays a number."""
    if token.isalpha():
        return token
    if token.lstrip("$").isdigit() or not any(char.isalnum() or char == "@" for char in token):
        return token
    return (token.strip("!|") or token).translate(_AS_LETTERS)


def _words_of(pattern: str) -> list[str]:
    """The words of a pattern, folded, with their stars."""
    pieces = [fold(piece) for piece in pattern.split("*")]
    # A star is kept out of the folding by a character that is in no folded text.
    words = _TOKEN.findall("*".join(pieces))
    return ["*".join(_read(part) if part else "" for part in re.split(r"\*+", word)) for word in words]


def _expression(word: str) -> str:
    """A word of a pattern as a regular expression that reads its word once: possessive and atomic throughout."""
    first, *others = (_letters(part) for part in word.split("*"))
    if not others:
        return first
    *middle, last = others
    parts = [first, *(f"(?>[^ \\n]*?{part})" for part in middle if part)]
    length = len(word.rsplit("*", 1)[1])
    parts.append(f"[^ \\n]{{{length},}}+" + (f"(?<={last})" if last else ""))
    return "".join(parts)


def _letters(part: str) -> str:
    return "".join({"i": "[i1]", "l": "[l1]", "1": "[1il]"}.get(char) or re.escape(char) for char in part)


def _same(wanted: str, word: str) -> bool:
    """Whether two words that are the same loosely are so letter by letter: `1` is both `i` and `l`, which differ."""
    return not any({a, b} == {"i", "l"} for a, b in zip(wanted, word, strict=True))
