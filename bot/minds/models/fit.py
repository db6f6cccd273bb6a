"""Making a model's words fit: cleaned, one paragraph, whole sentences within the limit."""

from __future__ import annotations

import re

from bot.minds.house.words import normal
from bot.rules.text import clean, count

_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s|$)")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|mr|mrs|ms|dr|st|no|prof|sr|jr|u\.s|u\.k|a\.m|p\.m)|\b[A-Z])\.$", re.IGNORECASE
)
_INITIAL = re.compile(r"\b[A-Z]\.$")
_CLAUSE = re.compile(r"[,;:]|\s[–—-](?=\s)|—")
_DANGLING = re.compile(
    r"[\s,;:–—-]+(?:and|but|or|because|since|so|if|which|who|that|while|when|as|although|yet|nor|than|then|unless)$",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^(?:\W{0,2}(?:statement|argue|argument|rebut|rebuttal|question|answer|opening|closing|concede[ _]point|speech"
    r"|text|turn \d+)\W{0,2}:\s+)+",
    re.IGNORECASE,
)
_LEAST_CLAUSE = 40


def neat(text: str, name: str = "") -> str:
    """A speech as it is spoken: cleaned, on one line, without quotation marks around it or a label before it."""
    text = " ".join(clean(text).split())
    text = _LABEL.sub("", text)
    if name and text[len(name) : len(name) + 2] in (": ", ", ") and text.casefold().startswith(name.casefold()):
        text = text[len(name) + 1 :].strip()  # nobody speaks to oneself
        text = text[:1].upper() + text[1:]
    if len(text) > 2 and text[0] + text[-1] in ('""', "“”", "''") and text[0] not in text[1:-1]:
        text = text[1:-1].strip()
    return text


def parts_of(text: str) -> list[str]:
    """The sentences of a text; the point of "3.5" or "e.g." ends none."""
    found: list[str] = []
    start = 0
    for match in _END.finditer(text):
        piece = text[start : match.end()]
        if _INITIAL.search(piece) or (_ABBREVIATED.search(piece) and not piece.rstrip().endswith("…")):
            continue
        found.append(piece.strip())
        start = match.end()
    if text[start:].strip():
        found.append(text[start:].strip())
    return found


def fit(text: str, limit: int) -> str:
    """As many whole sentences as the limit allows; if not even one, as many clauses; "" if there is no good place to
    stop."""
    if count(text) <= limit:
        return text
    kept = ""
    for sentence in parts_of(text):
        longer = f"{kept} {sentence}".strip()
        if count(longer) > limit:
            break
        kept = longer
    return kept or _first_clauses(text, limit)


def without_repeats(text: str, said: set[str]) -> str:
    """The text without sentences that were said before word for word; all of it when nothing would be left."""
    fresh = [sentence for sentence in parts_of(text) if normal(sentence) not in said]
    return " ".join(fresh) or text


def _first_clauses(text: str, limit: int) -> str:
    cuts = [match.start() for match in _CLAUSE.finditer(text) if match.start() < limit]
    for cut in reversed(cuts):
        clause = text[:cut].rstrip(" ,;:–—-")
        while (shorter := _DANGLING.sub("", clause)) != clause:
            clause = shorter
        if len(clause) >= min(_LEAST_CLAUSE, limit // 2) and len(clause) < limit and clause.count(" ") >= 2:
            return clause + ("" if clause[-1] in ".!?…" else ".")
    return ""
