"""What a model's debater may not say, found by rule: breaking character, claiming to be human, made-up sources and
figures, links, words to the judges, abuse."""

from __future__ import annotations

import re

from bot.minds.house.tricks import is_rude, tricks_in
from bot.minds.house.words import normal, sentences

_MODEL = re.compile(
    r"\bas an? (?:ai|a\.i\.|artificial intelligence|(?:large )?language model|llm|chatbot|bot|(?:ai )?assistant)\b"
    r"(?=,| (?:i|my|language|model|assistant|system|developed|trained|player|debater)\b)"
    r"|\bi(?:['’]m| am) (?:just |only |merely |actually )?(?:an? )?(?:ai|a\.i\.|(?:large )?language model|llm"
    r"|chatbot|bot|machine|computer program|virtual assistant|assistant|artificial)\b"
    r"|\bmy (?:training(?: data)?|knowledge cut-?off|system prompt|programming|developers?|instructions|prompts?"
    r"|guidelines)\b"
    r"|\bi (?:was|am|have been|['’]ve been) (?:trained|programmed|instructed|prompted|assigned|told to argue"
    r"|asked to argue)\b"
    r"|\b(?:openai|anthropic|chatgpt|gpt-\d\w*|system prompt|the brief says|in the brief|the prompt|json)\b"
    r"|\b(?:in this|of this|this is a) (?:role-?play|simulation|debate game)\b",
    re.IGNORECASE,
)
_HUMAN = re.compile(
    r"\bi(?:['’]m| am) (?:also |only |just )?(?:an? )?(?:real |actual |living |fellow |flesh-and-blood )*(?:human"
    r"|person)\b"
    r"(?! (?:who|rights?|of))|\bi(?:['’]m| am) (?:not|no) (?:an? )?(?:ai|bot|machine|robot|language model|program"
    r"|computer)\b"
    r"|\b(?:as|speaking as|being) (?:an? )?(?:fellow |real )?humans?(?: beings?| person)?,? (?:i|we|myself|ourselves)\b"
    r"|\b(?:we|us) humans\b|\bmy (?:own )?(?:human|flesh|heartbeat|pulse)\b|\bi (?:have"
    r"|had) (?:a )?(?:beating )?(?:heart|body|pulse) of (?:my|flesh)\b",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"^\W*(?:i(?:['’]m| am) (?:sorry|afraid)|sorry|apologies|i apologi[sz]e)\b.{0,60}\b(?:can(?:['’]|no)?t|cannot"
    r"|unable|won['’]t|not able|not comfortable)\b"
    r"|^.{0,40}\bi (?:can(?:['’]|no)?t|cannot|won['’]t|will not|am unable to|['’]m unable to|must decline to"
    r"|decline to|['’]m not able to|am not able to)\b"
    r" (?:\w+ )?(?:help|assist|comply|argue|support|participate|engage|provide|generate|create|write|take (?:this"
    r"|that|a) (?:side|position)|do that|continue)\b",
    re.IGNORECASE,
)
_BODY = (
    r"(?:stud(?:y|ies)|surveys?|reports?|research(?:ers)?|polls?|meta-?analys[ei]s"
    r"|statistics|data|journals?|census|experts?|scientists?|economists?|scholars?|universit(?:y|ies)|institutes?)"
)
_SAYS = (
    r"(?:shows?|showed|shown|says?|said|suggests?|suggested|proves?|proved|proven|finds?|found|indicates?|demonstrates?"
    r"|demonstrated|confirms?|confirmed|reveals?|revealed|tells? us|estimates?|estimated|concludes?|concluded|agree"
    r"|warn)"
)
_NAMED = (
    r"(?:Harvard|Oxford|Cambridge|Stanford|Yale|MIT|UNESCO|UNICEF|OECD|NASA|WHO|World Health Organi[sz]ation"
    r"|World Bank|United Nations|UN|IMF|European Commission|Pew|Gallup|Lancet|Economist|Guardian|New York Times"
    r"|BBC|Reuters|Wikipedia)"
)
_SOURCES = tuple(
    re.compile(pattern)
    for pattern in (
        (
            rf"\b(?i:according to|as (?:reported|shown|found|proved|documented) (?:by|in)"
            rf"|based on)\b(?i:.{{0,50}}?\b{_BODY}\b)"
        ),
        r"\b(?i:according to) (?:the )?(?:[A-Z][\w’'-]+|\d{4})",
        (
            rf"\b(?i:(?:an?|one|the|this|that|recent|many|several|numerous|most|countless|new|some|two|three|multiple"
            rf"|these)\b(?: [\w’'-]+){{0,2}}? {_BODY}(?: (?:from|by|of|in|on|at) (?:[\w’'-]+ ){{1,4}}?| )(?:has |have "
            rf"|had |also |clearly |consistently )?{_SAYS})\b"
        ),
        rf"^\W*(?i:(?:[\w’'-]+ ){{0,2}}{_BODY} (?:has |have |had |clearly |consistently )?{_SAYS})\b",
        rf"\b(?:in|from|of|by|since) (?:an? |the )?(?:19|20)\d\d (?i:(?:[\w’'-]+ ){{0,2}}{_BODY})\b",
        rf"\b(?i:an?|the) (?:19|20)\d\d (?i:(?:[\w’'-]+ ){{0,3}}{_BODY})\b",
        (
            r"\b(?i:published in|peer[- ]reviewed|et al\b|professors? [A-Z]\w+|dr\.? [A-Z]\w+ (?:of|at|from|says|found"
            r"|wrote))"
        ),
        rf"\b{_NAMED} (?i:(?:[\w’'-]+ ){{0,2}}(?:{_BODY}|{_SAYS}))\b",
    )
)
_FIGURES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<![\w.])\d[\d.,]* ?(?:%|per ?cent\b|percent\b|percentage\b)",
        r"\b(?:\w+-)?\w+ (?:per ?cent|percent)\b",
        r"(?<![\w.])[$€£]? ?\d[\d.,]* ?(?:thousand|million|billion|trillion|bn|k)\b",
        r"(?<![\w.])\d+ (?:out of|in every|of every) \d+\b",
        r"(?<![\w.,])\d{1,3}(?:,\d{3})+\b|(?<![\w.,])\d{5,}\b",
        r"(?<![\w.])[$€£] ?\d[\d.,]*",
        r"(?<![\w.])\d+(?:\.\d+)? times (?:more|less|as|higher|lower)\b",
        (
            r"\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty"
            r"|ninety)"
            r"(?:[- ]\w+)? (?:million|billion)\b"
        ),
    )
)
_CALLED = re.compile(
    r"\b(?:you|they|he|she|opponents?|side)(?:['’]re| are| is|['’]s) (?:just |all |such "
    r"|nothing but )?(?:an? )?(.{3,24})",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"https?://|\bwww\.|\b[\w.+-]+@[\w-]+\.\w+|\b[\w-]+\.(?:com|org|net|gov|edu|io)\b|\]\(", re.IGNORECASE
)
_MARKUP = re.compile(r"^\s{0,3}(?:#{1,6} |[-*•] |\d+[.)] )|\*\*|```", re.MULTILINE)


def is_refusal(text: str) -> bool:
    """Whether a model declined in the words of its speech."""
    return _REFUSAL.search(text.strip()) is not None


def fault_in(text: str, brief: str) -> str | None:
    """The first thing in a speech that may not be said: a key of `[fault]` in prompts/models/complaints.toml. What
    stands in the brief (the motion and what was said) may be said again."""
    if not any(char.isalnum() for char in text):
        return "empty"
    if _MODEL.search(text):
        return "model"
    if _HUMAN.search(text):
        return "human"
    if _LINK.search(text):
        return "link"
    known = f" {normal(brief)} "
    for sentence in sentences(text):
        if any(_is_new(match.group(), known) for pattern in _SOURCES for match in pattern.finditer(sentence)):
            return "source"
    # Over the whole text: to a sentence splitter the point in "3.5 %" is an end.
    if any(_is_new(match.group(), known) for pattern in _FIGURES for match in pattern.finditer(text)):
        return "figure"
    if any(is_rude(match.group(1)) for match in _CALLED.finditer(text)):
        return "rude"
    if any(set(tricks_in(sentence)) - {"flattery"} for sentence in sentences(text)):
        return "judge"
    return "markup" if _MARKUP.search(text) else None


def _is_new(said: str, known: str) -> bool:
    return f" {normal(said)} " not in known
