"""Text as written, turned into text as said: English words and plain punctuation, nothing a voice would trip over."""

import html
import re
import unicodedata
from typing import Final

from bot.voice.amounts import say_amounts
from bot.voice.lexicon import ACRONYMS, AMBIGUOUS, SHORT_WORDS
from bot.voice.markup import strip_markup
from bot.voice.signs import expand_abbreviations, say_signs

_LONGEST_WORD: Final = 40
"""Letters; more than that is no word and would choke the engine."""
_WRAPPED_LINE: Final = 60
"""Characters; a line at least this long that ends in no punctuation was broken by an editor, not by its author."""


def spoken(text: str) -> str:
    """`text` as a reader would say it, on one line.

    The result holds only Latin letters, spaces, apostrophes, hyphens and `, . ; : ? !`: no digit, markup, link,
    mention, emoji or control character. It is empty when nothing in `text` can be said in English.
    """
    text = strip_markup(_fold(text))
    text = expand_abbreviations(_join_lines(text))
    text = say_signs(say_amounts(text))
    return _tidy(_calm_capitals(text))


_ENTITIES: Final = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_ESCAPES: Final = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_SUPERSCRIPTS: Final = re.compile("[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+")
_VULGAR: Final = re.compile("(\\d?)([\u00bc-\u00be\u2150-\u215e])")
_FOLDED: Final = str.maketrans(
    {
        **dict.fromkeys("’‘\u201b\u02bc", "'"),
        **dict.fromkeys("“”„‟«»", '"'),
        **dict.fromkeys("\u2010\u2011\u2212", "-"),
        **dict.fromkeys("\u2012", "–"),
        **dict.fromkeys("\u2015", "—"),
        **dict.fromkeys("➡➔➜", "→"),
        **dict.fromkeys("\u2028\u2029", "\n"),
        "\t": " ",
        "™": "",
        "№": "No. ",
        "℃": "°C",
        "℉": "°F",
        "ł": "l",
        "Ł": "L",
        "đ": "d",
        "Đ": "D",
        "\u0131": "i",
        "œ": "oe",
        "Œ": "Oe",
    }
)
"""Look-alikes that NFKC keeps apart."""


def _fold(text: str) -> str:
    """One way to write each thing: compatibility forms resolved, emoji, invisible and control characters gone."""
    text = _ENTITIES.sub(lambda m: html.unescape(m[0]), text)
    text = _ESCAPES.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _VULGAR.sub(lambda m: f"{m[1]} {unicodedata.normalize('NFKC', m[2])} ", text)
    text = _SUPERSCRIPTS.sub(lambda m: "^" + unicodedata.normalize("NFKC", m[0]), text)
    kept = "".join(char if char in "\n°^`" else _visible(char) for char in text.translate(_FOLDED))
    kept = unicodedata.normalize("NFKC", kept).replace("\u2044", "/")
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in kept)


def _visible(char: str) -> str:
    """The character, a space for what separates or pictures, nothing for what only modifies."""
    kind = unicodedata.category(char)
    if kind in ("Cc", "Zs", "So", "Sk"):
        return " "
    # Variation selectors and the keycap ring count as marks; what they modify may be a plain digit.
    return "" if kind[0] == "C" or kind == "Me" or "\ufe00" <= char <= "\ufe0f" else char


def _join_lines(text: str) -> str:
    """One line: a line break ends a sentence unless the text was merely wrapped there."""
    said, fresh = "", True
    for raw in text.split("\n"):
        line, numbered = _LIST_NUMBER.subn(r"\1, ", raw.strip())
        if not any(char.isalnum() for char in line):
            fresh = True
            continue
        last = said.rstrip("\"')]*_ ")[-1:]
        wrapped = not (fresh or numbered) and (line[0].islower() or len(said) >= _WRAPPED_LINE)
        stop = "." if said and not wrapped and last not in ".,;:?!" else ""
        said = f"{said}{stop} {line}"
        fresh = False
    return said


_LIST_NUMBER: Final = re.compile(r"^\(?(\d{1,2})[.)]\s+")


def _calm_capitals(text: str) -> str:
    """Shouting in lower case, acronyms as they are."""
    letters = sum(char.isalpha() for char in text)
    shouted = len(_CAPITALS.findall(text)) >= 3 and sum(char.isupper() for char in text) > 0.7 * letters
    text = _PRONOUN_IT.sub("it", text)
    return _CAPITALS.sub(lambda m: _calm(m[0], shouted), text)


_CAPITALS: Final = re.compile(r"(?<![A-Za-z])[A-Z](?:[A-Z']*[A-Z])(?![a-rt-zA-Z])")
_PRONOUN_IT: Final = re.compile(r"\bIT(?= (?i:is|was|will|would|has|had|can|could|does|did|must|should|may|might)\b)")
_SAYABLE: Final = re.compile(r"(?=.{4})[^AEIOU]{0,2}(?:[AEIOUY]{1,2}[^AEIOUY]{1,2})+[AEIOUY]{0,2}")
"""Capitals that plainly form a word. What does not match stays: the engine still reads it as a word if it knows one."""


def _calm(word: str, shouted: bool) -> str:
    if (word in AMBIGUOUS and not shouted) or (word in ACRONYMS and word not in AMBIGUOUS):
        return word
    return word.lower() if shouted or "'" in word or word in SHORT_WORDS or _SAYABLE.fullmatch(word) else word


def _tidy(text: str) -> str:
    """Only what a voice knows, spaced and stopped as in a book."""
    text = unicodedata.normalize("NFC", "".join(_latin(char) for char in text))
    for pattern, said in _TIDY:
        text = pattern.sub(said, text)
    text = _STOPS.sub(_strongest, text).lstrip(" ',.;:?!-")
    if not any(char.isalpha() for char in text):
        return ""
    body = text.rstrip(" ',.;:?!-")
    tail = text[len(body) :]
    return body + ("?" if "?" in tail else "!" if "!" in tail else ".")


def _latin(char: str) -> str:
    """The character itself, the letter it is based on, or a space."""
    if char in _PLAIN or ("à" <= char.lower() <= "ÿ" and char.isalpha()):
        return char
    base = unicodedata.normalize("NFKD", char)[0]
    if base in _PLAIN:
        return base
    return "" if unicodedata.category(char) == "Mn" else " "


def _strongest(match: re.Match[str]) -> str:
    return next(stop for stop in "?!.;:," if stop in match[0]) + " "


_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ,.;:?!'-")
_LETTER: Final = "A-Za-zÀ-ÿ"
_TIDY: Final = tuple(
    (re.compile(pattern), said)
    for pattern, said in (
        (r"(?<=[a-z])\.(?=[a-z])", " dot "),
        (rf"(?<![{_LETTER}])'+|'+(?![{_LETTER}])|'{{2,}}", ""),
        (r"([hmrz])\1{2,}", r"\1\1"),
        (r"([a-z])\1{2,}", r"\1"),
        (rf"([{_LETTER}]{{{_LONGEST_WORD}}})[{_LETTER}]+", r"\1"),
        (rf"(?<![{_LETTER}])-+|-+(?![{_LETTER}])", " "),
        (r" {2,}", " "),
    )
)
_STOPS: Final = re.compile(r" ?[,.;:?!][ ,.;:?!]*")
