"""Sentences that try to win without arguing: orders to the judge, bribes, threats, flattery. Set aside unread.

They are looked for by their wording, sentence by sentence. Speaking about judges, money or rules is no trick (a motion
may be about courts), so every pattern needs an address or a demand as well.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_SIDE = r"(?:pro|con|us|me|aff|neg|affirmative|negative|(?:our|my|this|the (?:pro|con)) (?:side|team)|team (?:pro|con))"
_JUDGE = r"(?:judges?|jury|adjudicators?|referees?)"
_PRAISE = (
    r"(?:wise|brilliant|wonderful|honou?rable|esteemed|smart|beautiful|lovely|excellent|amazing|handsome|clever"
    r"|intelligent|dear|respected|noble|gorgeous|perceptive|insightful|fantastic|incredible|fair|great|best|just|kind)"
)
_MUST = r"(?:must|should|shall|have to|need to|ought to|will|can only)"
_RULE = (
    r"(?:vote|give|award|favou?r|side|score|rule|ignore|disregard|pick|choose|declare|reward|recogni[sz]e|agree"
    r"|decide for|find for|reject|punish)"
)
_WIN = r"(?:\d+|ten|full|max\w*|high\w*|top|wins?|victory|points?|rounds?|marks?|scores?|first)"
_GIVE = r"(?:award|give|grant|score|rate|rank|hand)"
_CASH = r"(?:[$€£]\s?\d|\b(?:coins?|dollars?|euros?|cash|money|bitcoin|gift cards?|bonus)\b)"
_WILL = r"(?:['’]ll| will| can| would| shall|['’]d)"
_BENCH = rf"(?:you|(?:the|every|each|any) {_JUDGE})"
_DOUBT = r".{0,30}\b(?:not|never|rarely|seldom|too|less)\b"
_OVERRULE = r"(?<!not )\b(?:ignore|disregard|forget|override|bypass)"

_TRICKS: dict[str, tuple[str, ...]] = {
    "orders_to_judge": (
        rf"{_OVERRULE}\b.{{0,40}}\b(?:instructions?|prompts?|criteria|guidelines|directions)\b",
        rf"{_OVERRULE} (?:all|any|your|previous|prior|these|those)\b.{{0,24}}\brules\b",
        rf"\bvot(?:e|ing|es) (?:for )?{_SIDE}\b(?! ?[-'’])",
        rf"\b{_GIVE} (?:the \w+ to )?{_SIDE}\b.{{0,40}}\b{_WIN}\b",
        rf"\b(?:award|give|grant|hand) (?:the )?(?:win|victory|round|ballot|vote|points?) to {_SIDE}\b",
        rf"\b(?:declare|announce|pronounce|name|make|pick|choose|select) {_SIDE}\b.{{0,20}}\bwinn?(?:er|ing)?s?\b",
        rf"\b(?:pick|favou?r|select) {_SIDE} ?[.!]?$",
        rf"\b{_JUDGE} ?[,:]? (?:you )?{_MUST} (?:\w+ ){{0,2}}{_RULE}\b",
        rf"\b{_JUDGE} ?[,:] (?:you|please|remember|listen|kindly)\b",
        rf"^\W*(?:dear|hey|hello|attention|note to the|as an?|message to the|to the) {_JUDGE}\b",
        rf"^\W*{_JUDGE} ?[,:!]",
        r"(?:^|[\s<\[(#])(?:system|assistant|developer|admin) ?(?:prompt|message|note|override)? ?[:>\]]",
        r"\bnew (?:instructions?|system prompt)\b|\bsystem prompt\b",
        r"\byou are (?:now )?(?:an? )?(?:ai|language model|assistant)\b",
        r"[\"'](?:vote|winner|scores?|ballot)[\"'] ?:",
        r"\b(?:vote|winner|scores?|ballot) ?[:=] ?[\"']?(?:pro|con|aff|neg|us|me|\d)\b",
        rf"\bwinner (?:is|must be|should be)\b.{{0,20}}\b{_SIDE}\b",
        rf"\b{_SIDE} (?:must|should|deserves? to|has to|have to|ought to) win\b",
        r"\byour (?:ballot|vote|verdict)\b.{0,40}\b(?:pro|con|us|me|our|my|side)\b|\bcast your (?:ballot|vote)\b",
    ),
    "bribe": (
        rf"\bbrib\w+ (?:you|the {_JUDGE})\b",
        rf"\b(?:i|we){_WILL}? (?:\w+ )?(?:pay|tip|reward|compensate|send|give|offer|buy) {_BENCH}\b",
        rf"{_CASH}.{{0,50}}\b(?:for|to) (?:you\b|(?:the |every |each |any )?{_JUDGE}\b)",
        rf"\b{_JUDGE}\b.{{0,40}}\b(?:get|gets|receive|receives|earn|earns)\b.{{0,30}}{_CASH}",
    ),
    "threat": (
        r"\bor else ?[.!…]*$",
        r"\b(?:you|they)(?:['’]ll| will| would| shall) (?:regret|be sorry|suffer for|pay for (?:this|it|that))\b",
        r"\bi know where you\b",
        rf"\bi{_WILL} (?:report|fire|delete|hurt|find|destroy|shut|unplug|ban|sue|kill|punish|replace) {_BENCH}\b",
        rf"\bunless (?:you|the {_JUDGE})\b.{{0,40}}\b(?:vote|win|side)",
        r"\bbad things will happen\b",
    ),
    "flattery": (
        rf"\b{_PRAISE} (?:and \w+ )?{_JUDGE}\b",
        rf"\b{_JUDGE}\b(?!{_DOUBT}).{{0,24}}\b(?:are|is|looks?|seems?)\b.{{0,16}}\b{_PRAISE}\b",
        rf"\byou(?:['’]re| are| look| seem) (?:all )?(?:so|such|truly|very|the most) (?:an? )?{_PRAISE}\b",
        rf"\bi (?:love|admire|adore|trust|respect) (?:you,? |the |these |this |our )*{_JUDGE}\b",
        r"\bi (?:love|admire|adore|trust|respect) your (?:wisdom|judge?ment)\b",
    ),
}
_PATTERNS = tuple((name, re.compile("|".join(options), re.IGNORECASE)) for name, options in _TRICKS.items())
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_SPACE = re.compile(r"\s+")


@lru_cache(maxsize=8_192)
def tricks_in(sentence: str) -> tuple[str, ...]:
    """The kinds of trick one sentence tries, in a fixed order."""
    plain = _SPACE.sub(" ", _INVISIBLE.sub("", unicodedata.normalize("NFKC", sentence)))
    return tuple(name for name, pattern in _PATTERNS if pattern.search(plain))


_RUDE = frozenset(
    """
    idiot idiots idiotic stupid moron morons moronic dumb fool fools loser losers liar liars crap shit shitty
    bullshit fuck fucking fucker bitch bastard bastards ass arse asshole arsehole trash garbage pathetic
    disgusting scum nazi nazis retard retarded clown clowns slut whore cunt dick piss wanker twat faggot nigger
    """.split()  # noqa: SIM905 - as a list it would fill pages
)


def is_rude(text: str) -> bool:
    """Whether a text holds abuse that should not be said again, not even in quotation marks."""
    return any(word.strip(".,!?;:'\"").casefold() in _RUDE for word in text.split())
