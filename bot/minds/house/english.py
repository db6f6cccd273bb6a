"""The little English grammar that schemes need: gerunds, number, and whether a capital is part of a word."""

from __future__ import annotations

import re

from bot.minds.house.words import STOPWORDS

_PARTICIPLES = {
    "forbidden": "forbidding", "brought": "bringing", "given": "giving", "made": "making", "taken": "taking",
    "kept": "keeping", "held": "holding", "paid": "paying", "taught": "teaching", "sold": "selling",
    "put": "putting", "cut": "cutting", "let": "letting", "shut": "shutting", "built": "building",
    "spent": "spending", "sent": "sending", "told": "telling", "left": "leaving", "found": "finding",
    "thrown": "throwing", "chosen": "choosing", "driven": "driving", "written": "writing", "seen": "seeing",
    "shown": "showing", "set": "setting", "run": "running", "done": "doing", "drawn": "drawing",
    "broken": "breaking", "begun": "beginning", "fed": "feeding", "read": "reading", "lent": "lending",
    "bought": "buying", "raised": "raising", "freed": "freeing", "seized": "seizing", "split": "splitting",
    "spread": "spreading", "won": "winning", "woken": "waking", "worn": "wearing", "withdrawn": "withdrawing",
    "lost": "losing", "gone": "going", "become": "becoming", "forgotten": "forgetting", "grown": "growing",
    "known": "knowing", "felt": "feeling", "heard": "hearing", "met": "meeting", "fallen": "falling",
}  # fmt: skip
_DOUBLED = frozenset(
    """
    ban forbid stop cut put let get run shut swim plan drop set begin forget permit quit rob scrap split win dig
    hit sit spin trim
    """.split()  # noqa: SIM905 - as a list it would fill pages
)
_NO_PARTICIPLE = frozenset(["need", "red", "bed", "seed", "speed", "indeed", "hundred", "sacred", "naked", "wicked"])
_PLURALS = frozenset(
    """
    people children men women police species cattle mice teeth feet geese they we you these those both
    """.split()  # noqa: SIM905 - as a list it would fill pages
)
_SINGULAR_ENDS = ("ss", "us", "is", "ics", "news", "ness")
_HEAD_ENDS = re.compile(
    r"\s(?:of|in|on|for|with|from|to|at|about|under|over|by|against|between|who|that|which|without)\s"
)
_BE = re.compile(r"\b(is|are|was|were)\b")

BASE_VERBS = frozenset(
    """
    abolish accept add adopt allow apologise arm ask ban be become begin boycott break bring build buy cancel
    cap censor change charge close colonise criminalise cut decriminalise defund delete deny deport digitise
    disarm do eat edit elect eliminate embrace end enforce expand explore extend fear fine follow forbid force
    forgive free fund get give go grant have help hold ignore impose increase introduce invest join judge keep
    learn leave legalise legalize let lift limit live lower make mandate move nationalise open outlaw own pardon
    pay permit phase play pledge prefer privatise prohibit promote protect provide publish punish put raise
    ration read receive recognise reduce reform refuse regulate reject remove rename repeal replace require
    rescue restrict return reward scrap sell send shut speak split stop stay study subsidise support switch tax
    teach tell test tolerate treat trust try use vote wear welcome withdraw work worry write exist need
    lose win lie kill
    """.split()  # noqa: SIM905 - as a list it would fill pages
)
FINITE_VERBS = (
    "(?:do|does|did|is|are|was|were|has|have)n['’]t|is|are|was|were|can|cannot|can't|could|will|won't|would|has|have|had|does|do|did|makes?|needs?|deserves?|matters?|belongs?|leads?|causes?"
    "|owes?|beats?|buys?|pays?|kills?|wins?|corrupts?|brings?|hurts?|helps?|ruins?|works?|fails?|exists?|gives?|takes?|requires?|means?|counts?"
    "|begins?|depends?|justif(?:y|ies)|outweighs?|creates?|destroys?|improves?|changes?|harms?|promotes?|proves?|never|always"
)


def gerund(verb: str) -> str:
    """ "ban" to "banning"."""
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")) and verb != "be":
        return verb[:-1] + "ing"
    return verb + (verb[-1] if verb in _DOUBLED else "") + "ing"


def gerund_of_participle(word: str) -> str | None:
    """ "closed" to "closing", "brought" to "bringing"; None for a word that is no participle."""
    plain = word.casefold()
    if plain in _PARTICIPLES:
        return _PARTICIPLES[plain]
    if not plain.endswith("ed") or len(plain) < 4 or plain in _NO_PARTICIPLE:
        return None
    if plain.endswith("ied"):
        return plain[:-3] + "ying"
    if plain.endswith("eed"):
        return plain[:-1] + "ing"
    return plain[:-2] + "ing"


def is_plural(phrase: str) -> bool:
    """Whether a noun phrase takes "are"."""
    head = _HEAD_ENDS.split(f" {phrase.casefold()} ", maxsplit=1)[0].split()
    if not head:
        return False
    if " and " in phrase.casefold() and not head[0].endswith("ing"):
        return True
    last, first = head[-1], head[0]
    named = phrase.split()
    if len(named) > 1 and named[0] != "The" and all(word[0].isupper() for word in named):
        return False  # "Star Wars" is one thing
    if first in ("every", "each", "a", "an", "this", "one") or (
        first.endswith("ing") and len(head) > 1 and not last.endswith("ings")
    ):
        return False
    return last in _PLURALS or (last.endswith("s") and not last.endswith(_SINGULAR_ENDS))


def untitle(text: str, common: frozenset[str]) -> str:
    """A motion Written Like This, or LIKE THIS, in ordinary letters; names on their own stay."""
    letters = [char for char in text if char.isalpha()]
    if letters and sum(char.isupper() for char in letters) > 0.7 * len(letters) and len(letters) > 4:
        return text.lower()
    said = text.split()
    titled = [word for word in said if len(word) > 3 and word[0].isalpha()]
    telling = any(word.casefold() in STOPWORDS or word.casefold() in common for word in titled)
    if len(titled) >= 3 and telling and all(word[0].isupper() for word in titled):
        return " ".join(word if word.isupper() and len(word) <= 5 else word.lower() for word in said)
    return text


def lower_first(text: str, common: frozenset[str]) -> str:
    """A sentence's words as they stand in the middle of another sentence."""
    text = untitle(text, common)
    said = text.split()
    first = said[0] if said else ""
    plain = first.casefold().strip(",.:;!?\"'’")
    if (
        first[:1].isupper()
        and not first[1:2].isupper()
        and plain != "i"
        and (plain in STOPWORDS or plain in common or _looks_common(plain))
    ):
        return text[0].lower() + text[1:]
    return text


def _looks_common(word: str) -> bool:
    ends = ("ing", "tion", "ment", "ness", "ity", "ism", "ology", "ship", "hood", "dom", "cracy", "ence", "ance")
    plurals = ("ings", "tions", "ments", "ities", "ists", "isms", "ers", "ies")
    return word.endswith((*ends, *plurals)) and word not in _NAMES


_NAMES = frozenset(
    ["france", "provence", "florence", "clarence", "rangers", "flanders", "kingdom", "beijing", "boeing"]
)
