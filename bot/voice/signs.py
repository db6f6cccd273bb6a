"""Abbreviations and signs, as words."""

import re
from typing import Final

from bot.voice.lexicon import ABBREVIATIONS, COUNTED, DOTTED, DOTTED_TITLES, ENDINGS, SENTENCE_STARTS, TITLES


def expand_abbreviations(text: str) -> str:
    """Dots that end no sentence and short forms nobody says: e.g., U.S., Dr., No. 5, George W. Bush."""
    text = _ABBREVIATION.sub(lambda m: _in_full(m, ABBREVIATIONS[m[1].lower()]), text)
    text = _DOTTED.sub(lambda m: _in_full(m, DOTTED[m[1]]), text)
    text = _COUNTED.sub(lambda m: f"{COUNTED[m[1].lower()]} ", text)
    text = _TITLE.sub(lambda m: f"{TITLES.get(m[1]) or DOTTED_TITLES[m[2]]} ", text)
    text = _INITIALS.sub(_acronym, text)
    text = _TWO_INITIALS.sub(r"\1 \2 ", text)
    text = _MIDDLE_INITIAL.sub(lambda m: m[0] if m[3] in SENTENCE_STARTS else f"{m[1]} {m[2]} ", text)
    return _CASE.sub("versus", text)


def _in_full(match: re.Match[str], said: str) -> str:
    """`said`, with the dot back where it also ended the sentence."""
    rest = match.string[match.end() : match.end() + 3]
    ends = not rest.strip() or (said in ENDINGS and rest[0] == " " and rest[1:2].isupper())
    return said + ("." if match[0].endswith(".") and ends else "")


def _acronym(match: re.Match[str]) -> str:
    """ "U.S." -> "US"."""
    letters = re.sub(r"[. ]", "", match[0]).upper()
    following = re.match(r"\s+([A-Z][a-z]*)\b", match.string[match.end() : match.end() + 20])
    ends = match.end() == len(match.string.rstrip()) or (following is not None and following[1] in SENTENCE_STARTS)
    return letters + ("." if ends else "")


def _any(words: dict[str, str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_ABBREVIATION: Final = re.compile(rf"(?<![\w./])({_any(ABBREVIATIONS)})(?!\w|/| dot )\.?(?!\w)", re.IGNORECASE)
_DOTTED: Final = re.compile(rf"(?<![\w.])({_any(DOTTED)})\.(?!\w)")
_COUNTED: Final = re.compile(rf"(?<![\w.])({_any(COUNTED)})\. ?(?=\d)", re.IGNORECASE)
_TITLE: Final = re.compile(rf"(?<![\w.])(?:({_any(TITLES)})\.?|({_any(DOTTED_TITLES)})\.) (?=[A-Z])")
_INITIALS: Final = re.compile(r"(?<![\w.])(?:[A-Za-z]\.){2,8}(?!\w)")
_TWO_INITIALS: Final = re.compile(r"(?<![\w.])([A-Z])\. ([A-Z])\. (?=[A-Z][a-z])")
_MIDDLE_INITIAL: Final = re.compile(
    r"\b(?!(?:Plan|Option|Class|Team|Type|Group|Part|Vitamin|Grade|Side|Point|Exhibit|Appendix|Case|Schedule|House) )"
    r"([A-Z][a-z]+) ([A-Z])\. (?=([A-Z][a-z]+))"
)
_CASE: Final = re.compile(r"(?<=[A-Za-z] )v\.?(?= [A-Z])")


def say_signs(text: str) -> str:
    """Signs between and before words, as words or as pauses."""
    for pattern, said in _SIGNS:
        text = pattern.sub(said, text)
    return text


_SIGNS: Final = tuple(
    (re.compile(pattern), said)
    for pattern, said in (
        # Relations, the longer signs first.
        (r"<-+>|<=+>|[↔⇔]", " and "),
        (r"(?:-+|=+|~)>|[→⇒⟶⟹↦]", " leads to "),
        (r"<-+|[←⇐⟵]", " from "),
        (r"!=|=/=|≠", " does not equal "),
        (r">=|≥|⩾", " at least "),
        (r"<=|≤|⩽", " at most "),
        (r"[≈≃≅]|~(?=[\w$£€])", " about "),
        (r"±|\+/-", " plus or minus "),
        (r"(?<=[\w)])\s*={1,3}\s*(?=[\w(])", " equals "),
        (r"(?<=[\w)])\s*>+\s*(?=[\w(])", " greater than "),
        (r"(?<=[\w)])\s*<+\s*(?=[\w(])", " less than "),
        (r"(?<=\w)\+\+", " plus plus"),
        (r"\s*\+\s*(?=\w)|(?<=\w)\s*\+", " plus "),
        (r"×|(?<=[a-z]) \* (?=[a-z])", " times "),
        (r"÷", " divided by "),
        (r"(?<=[A-Za-z])\^(?=[A-Za-z])", " to the power of "),
        (r"√", " the square root of "),
        (r"∞", " infinity "),
        # Signs that stand for a word.
        (r"\s*&+\s*", " and "),
        (r"%", " percent "),
        (r"\$+(?=[A-Za-z])", ""),
        (r"\$+", " dollars "),
        (r"£+", " pounds "),
        (r"€+", " euros "),
        (r"°", " degrees "),
        (r"§§?", " section "),
        (r"(?<!\w)#+(?=[A-Za-z])", "hashtag "),
        (r"(?<=\s)@(?=\s)", "at"),
        # Slashes between words are choices, before a unit they are "per".
        (r"/(?=(?:hour|day|week|month|year|person|capita)\b)", " per "),
        (r"(?<=[A-Za-z]{2})\s?/\s?(?=[a-z]{2})", " or "),
        # Pauses.
        (r"(?<=\w)\((e?s)\)", r"\1"),
        (r"\.{2,}(?=\s*[a-z])", ", "),
        (r"(?<=[A-Za-z])\.(?=[A-Z][a-z])", ". "),
        (r"\s*[—–|()\[\]{}]+\s*|--+|\s-+\s", ", "),
    )
)
