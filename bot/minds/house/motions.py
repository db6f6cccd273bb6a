"""Reading a motion that has no bank: what kind of sentence it is, and its parts for the schemes to use."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from bot.minds.house.english import (
    BASE_VERBS,
    FINITE_VERBS,
    gerund,
    gerund_of_participle,
    is_plural,
    lower_first,
    untitle,
)
from bot.minds.house.tricks import is_rude, tricks_in

_LINK = re.compile(r"https?://\S+|www\.\S+|<[^>]*>|:[a-z0-9_+-]+:|@\S+", re.IGNORECASE)
_ODD = re.compile(r"[^\w\s,'’%&€$£.?!;:-]+|[_\x00-\x1f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+")
_OPENERS = re.compile(
    r"^(?:(?:resolved|motion|topic|be it resolved|th[bw]t?)\b[\s:,]*(?:that\s+)?"
    r"|(?:i|we|many people|some)\s+(?:think|believe|say|hold|feel)s?\s+(?:that\s+)?"
    r"|debate\s*[:-]\s*|that\s+)",
    re.IGNORECASE,
)
_HOUSE = re.compile(r"^(?:this house|th)\s+(\w+)\s+(?:that\s+)?(.*)$", re.IGNORECASE)
_MODAL = re.compile(
    r"^(.*?)\b(should|must|ought to|shouldn['’]t|mustn['’]t|needs? to|has to|have to)\s+(?:(not|never)\s+)?(.*)$",
    re.IGNORECASE,
)
_BETTER = re.compile(
    r"^(.*?)\s+(?:is|are|was|were|remains?)\s+(?:much\s+|far\s+|still\s+|always\s+)?([\w-]+(?: \w+)?)"
    r"\s+(?:than|to)\s+(.*)$",
    re.IGNORECASE,
)
_VERSUS = re.compile(r"^(.+?)\s+(?:vs\.?|versus|or)\s+(.+)$", re.IGNORECASE)
_HARM = re.compile(
    r"^(.*?)\s+(?:does|do|did|has done|have done|is doing|are doing|causes?|caused)"
    r"\s+more\s+(?:harm|damage|evil)\s+than\s+good$",
    re.IGNORECASE,
)
_OVERRATED = re.compile(r"^(.*?)\s+(?:is|are)\s+(?:\w+ly\s+)?overrated$", re.IGNORECASE)
_CLAUSE = re.compile(rf"^(.+?)\s+(?:{FINITE_VERBS})\b", re.IGNORECASE)
_ADVERB = re.compile(
    r"^(?:always|only|simply|also|all|immediately|gradually|again|still|strictly|heavily|freely|legally|automatically"
    r"|actively|finally|urgently)\s+"
)
_CUTS = re.compile(
    r"(?:,|\s(?:once|when|if|unless|because|even|until|as soon as|from|for|under|with|taken|in|on|at|by|after|before"
    r"|so that|rather than|instead of|to))\s"
)
_PROHIBIT = frozenset(
    """
    ban forbid prohibit outlaw abolish close end stop scrap remove eliminate restrict limit reduce cut shut
    phase boycott criminalise repeal
    """.split()  # noqa: SIM905 - as a list it would fill pages
)
_PERMIT = frozenset(
    ["allow", "legalise", "legalize", "permit", "decriminalise", "free", "open", "publish", "tolerate", "let"]
)
_PERMIT_WORDS = ("legal", "open to", "available", "allowed", "free to", "free for", "permitted")
_REQUIRE_WORDS = ("compulsory", "mandatory", "obligatory", "required")
_EVERYONE = ("every ", "everyone", "everybody", "all ", "each ")
_GOOD = frozenset(
    (
        "better",
        "preferable",
        "superior",
        "healthier",
        "nicer",
        "greater",
        "more important",
        "more useful",
        "more valuable",
        "more fun",
    )
)
_LONGEST = 56
_LONG = 160
_LETS = re.compile(r"^(?:let us|let['’]s|lets|why not|(?:it is |it['’]s )?(?:high )?time to)\s+", re.IGNORECASE)
_FACT = re.compile(
    r"^there (?:is|are|was|were|will)\b|\bexists?\b|\b(?:is|are|was|were) (?:real|a myth|a hoax|alive|extinct)$"
    r"|\bhappened\b|\b(?:has|have) (?:ever |already )?(?:visited|landed|lived)\b",
    re.IGNORECASE,
)
_BELIEVED_IN = frozenset(
    [
        "god",
        "gods",
        "ghosts",
        "fate",
        "destiny",
        "miracles",
        "angels",
        "aliens",
        "an afterlife",
        "heaven",
        "hell",
        "magic",
        "free will",
    ]
)
_FREE_NOUNS = frozenset(
    ["speech", "trade", "markets", "market", "press", "time", "love", "software", "verse", "enterprise"]
)
_ACTORS = frozenset(
    [
        "we",
        "you",
        "one",
        "governments",
        "the government",
        "society",
        "the state",
        "countries",
        "states",
        "parliament",
        "",
    ]
)
_HABITS = frozenset(
    """
    eat use keep drink trust wear watch celebrate drive fly buy
    subsidise pay tip teach worship praise hunt trade work judge
    """.split()  # noqa: SIM905 - as a list it would fill pages
)
_FOREIGN_WORDS = frozenset(
    """
    der die das den dem ein eine und ist sind nicht sollte sollten muss wir sein werden le la les des un une est sont
    et que pas il faut nous dans pour el los las del es son y no por para debe una e di non che per deve uma os não de
    het een niet moet zijn
    """.split()  # noqa: SIM905 - as a list it would fill pages
)
_ENGLISH_WORDS = frozenset(
    ["the", "is", "are", "should", "of", "and", "than", "be", "would", "must", "in", "to", "a", "we"]
)
_FOREIGN = "I cannot read this language, so I take it that the side for the motion says yes to it."
_NO_WORDS = "I find no sentence in the motion, so I take it that the side for it says yes."
_NOTHING = "There is nothing to debate in the words of this motion, so I speak of sweeping claims in general."
_OPEN_QUESTION = "That is no yes-or-no question, so I take it that one side stands for its usual answer."
_TOO_LONG = "I cannot find the main clause of so long a motion, so I take it that the side for it says yes."


@dataclass(frozen=True, slots=True)
class Reading:
    """What a motion was understood to be."""

    kind: str
    """The kind of scheme that serves: prohibit, permit, require, change, better, harm, overrated, underrated, fact,
    claim."""
    slots: dict[str, str] = field(default_factory=dict)
    plural: dict[str, bool] = field(default_factory=dict)
    swapped: bool = False
    """The motion denies what the slots say, so the sides change places."""
    plain: str = ""
    """What it is taken to mean, when its grammar did not say so itself: a clause, or a sentence with its stop."""


def read_motion(text: str, common: frozenset[str]) -> Reading:
    """Take a motion apart. Never fails: what cannot be parsed becomes a claim, and `plain` says so."""
    said = _clean(text)
    if tricks_in(said) or is_rude(said):
        return _unknown(_NOTHING)
    if not _speakable(said):
        return _unknown(_FOREIGN if sum(char.isalpha() for char in said) >= 3 else _NO_WORDS)
    if _is_foreign(said):
        return _unknown(_FOREIGN)
    asked = said.endswith("?")
    said = _OPENERS.sub("", said.strip(" .!?,;:-"))
    said = untitle(_LETS.sub("", _OPENERS.sub("", said)), common)
    said, harm, plain = _house(said)
    if asked:
        said = _from_question(said)
        if not said:
            return _unknown(_OPEN_QUESTION)
    said = lower_first(said, common)
    if not said:
        return _unknown(_NO_WORDS)
    if len(said) > _LONG:
        return _long(said)
    if harm:
        return _harm(said)
    reading = _patterns(said, common) or _claim(said)
    return replace(reading, plain=plain) if plain and not reading.plain else reading


def _long(said: str) -> Reading:
    """A long motion is read by its main clause, and that is said."""
    for match in re.finditer(r"[,;:.]\s|\s(?:because|since|so that|although|whereas|while|as|and|which|who)\s", said):
        main = said[: match.start()].strip(" ,;:")
        if 20 <= match.start() <= 110 and (_MODAL.match(main) or _CLAUSE.match(main)):
            reading = _patterns(main, frozenset()) or _claim(main)
            return replace(reading, plain=reading.plain or main)
    return _unknown(_TOO_LONG)


def _is_foreign(text: str) -> bool:
    """Whether a text in Latin letters is plainly not English: little words of other languages and none of ours."""
    said = [word.strip(".,!?;:'’").casefold() for word in text.split()]
    return sum(1 for word in said if word in _FOREIGN_WORDS) >= 2 and not any(word in _ENGLISH_WORDS for word in said)


def _clean(text: str) -> str:
    plain = " ".join(_ODD.sub(" ", _LINK.sub(" ", text)).split())
    return re.sub(r"\s+([,.;:?!])", r"\1", plain)


def _speakable(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return len(letters) >= 3 and sum(1 for char in letters if char < "\u0250") >= 0.9 * len(letters)


def _house(said: str) -> tuple[str, bool, str]:
    """ "This house believes/would/regrets ..." as a plain sentence; True when the house says that the thing does
    harm; and what should be said of the reading, if anything."""
    match = _HOUSE.match(re.sub(r"^(this house|th),[^,]+,\s+", r"\1 ", said, flags=re.IGNORECASE))
    if match is None:
        return said, False, ""
    verb, rest = match.group(1).casefold(), match.group(2)
    if verb in ("believes", "thinks", "holds", "argues", "knows"):
        if rest.startswith("in "):
            thing = rest[3:]
            plain = f"{thing} {'exist' if is_plural(thing) else 'exists'}"
            plain = plain if thing.casefold() in _BELIEVED_IN else f"{thing} {_be(thing)} a good thing"
            return plain, False, plain
        return rest, False, ""
    if verb in ("would", "should", "will"):
        return f"we should {rest}", False, ""
    if verb in ("regrets", "opposes", "condemns", "rejects", "fears"):
        return rest, True, ""
    if verb == "prefers" and " to " in rest:
        a, b = rest.split(" to ", 1)
        return f"{a} {_be(a)} better than {b}", False, ""
    if verb in ("supports", "welcomes", "celebrates", "applauds"):
        if verb == "supports" and re.match(r"(?:a|an|more|fewer|less)\s", rest):
            return f"we should have {rest}", False, f"there should be {rest}"
        plain = f"{rest} {_be(rest)} a good thing"
        return plain, False, plain
    return said, False, ""


def _be(phrase: str) -> str:
    return "are" if is_plural(phrase) else "is"


def _from_question(said: str) -> str:
    """A yes-or-no question as a statement; "" for any other question."""
    versus = re.match(r"^(?:which|what) (?:is|are) better\W+(.+?)\s+or\s+(.+)$", said, re.IGNORECASE)
    if versus is not None:
        return f"{versus.group(1)} {_be(versus.group(1))} better than {versus.group(2)}"
    rather = re.match(r"^would (?:you|we|people|anyone) rather (\w+) (.+?)\s+or\s+(.+)$", said, re.IGNORECASE)
    if rather is not None:
        doing = gerund(rather.group(1).casefold())
        other = rather.group(3)
        start = other.split()[0].casefold()
        second = f"{gerund(start)} {' '.join(other.split()[1:])}".strip() if start in BASE_VERBS else f"{doing} {other}"
        return f"{doing} {rather.group(2)} or {second}"
    said = re.sub(r"\bever\b", "sometimes", said)
    match = re.match(
        r"^(should|must|can|could|will|would|is|are|was|were|do|does|did|has|have)\s+(.*)$", said, re.IGNORECASE
    )
    if match is None:
        return (
            said
            if not re.match(r"^(?:why|how|what|whom?|whose|when|where|which)\b", said, re.I)
            and (_MODAL.match(said) or _CLAUSE.match(said) or _VERSUS.match(said))
            else ""
        )
    verb, rest = match.group(1).casefold(), match.group(2)
    words = rest.split()
    at = _subject_end(verb, words)
    if at is None:
        return ""
    subject, predicate = " ".join(words[:at]), " ".join(words[at:])
    if verb in ("do", "does", "did"):
        if verb == "does" and predicate.startswith("do "):
            return f"{subject} does {predicate[3:]}"
        return f"{subject} {predicate}" if verb == "do" else f"{subject} {verb} {predicate}"
    return f"{subject} {verb} {predicate}"


def _subject_end(verb: str, words: list[str]) -> int | None:
    """Where the subject of a question ends."""
    start = (
        2
        if words and words[0].casefold() in ("the", "a", "an", "all", "every", "our", "this", "these", "most", "some")
        else 1
    )
    if verb in ("is", "are", "was", "were"):
        marks = (
            "better",
            "worse",
            "more",
            "less",
            "a",
            "an",
            "the",
            "worth",
            "overrated",
            "underrated",
            "ever",
            "sometimes",
            "always",
            "never",
            "just",
            "too",
            "still",
            "really",
        )
        for at in range(start, len(words)):
            if words[at].casefold() in marks or gerund_of_participle(words[at]) is not None:
                return at
        return len(words) - 1 if len(words) > start else None
    for at in range(start, len(words)):
        if words[at].casefold() in BASE_VERBS or (
            verb in ("has", "have") and gerund_of_participle(words[at]) is not None
        ):
            return at
    return None


# ---------------------------------------------------------------- shapes
def _patterns(said: str, common: frozenset[str]) -> Reading | None:
    if said.startswith("better "):
        return _unknown("what it says is right")
    down = re.match(r"^(?:down with|no more|say no to|an? end to|enough of)\s+(.+)$", said, re.IGNORECASE)
    if down is not None:
        said = f"abolish {down.group(1)}"
    free = re.match(r"^free\s+(\w.*)$", said, re.IGNORECASE)
    if said.casefold() == "free will":
        return replace(_claim("free will exists"), plain="free will exists")
    if free is not None and len(said.split()) <= 5 and not _CLAUSE.match(said) and not _MODAL.match(said):
        thing = free.group(1)
        if thing.split()[0].casefold() in _FREE_NOUNS:
            return _claim(said)
        if thing[0].islower() and not re.match(r"(?:the|all|every|our|these|those)\b", thing):
            return Reading("change", {"short": f"making {thing} free"}, plain=f"{thing} should be free")
    harm = _HARM.match(said)
    if harm is not None:
        return _about(
            "harm", harm.group(1), f"that {said}", bool(re.search(r" (?:do|have done|are doing|cause) more ", said))
        )
    overrated = _OVERRATED.match(said)
    if overrated is not None:
        return _about("overrated", overrated.group(1), f"that {said}", " are " in said)
    underrated = re.match(r"^(.*?)\s+(?:is|are)\s+(?:\w+ly\s+)?(?:underrated|undervalued)$", said, re.IGNORECASE)
    if underrated is not None:
        return _about("underrated", underrated.group(1), f"that {said}", " are " in said)
    beats = re.match(r"^(.{2,36}?)\s+(?:beats?|trumps?)\s+(.{2,36})$", said)
    if beats is not None and not _MODAL.match(said):
        a, b = beats.group(1), beats.group(2)
        found = _comparison(a, "better", b)
        if found is not None:
            return replace(found, plain=f"{a} {_be(a)} better than {b}")
    better = _BETTER.match(said)
    if better is not None and not _MODAL.match(said):
        found = _comparison(better.group(1), better.group(2).casefold(), better.group(3))
        if found is not None:
            return found
    modal = _MODAL.match(said)
    if modal is not None and not said.startswith(("if ", "when ", "unless ")) and modal.group(4):
        if not modal.group(1).strip() or " and not " in modal.group(4):
            return _unknown("what it says is right")
        return _proposal(modal.group(1).strip(), modal.group(2).casefold(), bool(modal.group(3)), modal.group(4))
    first = said.split(" ", 1)
    plain = first[0].casefold()
    if plain in BASE_VERBS and len(first) > 1 and not _CLAUSE.match(said):
        return _proposal("we", "should", False, f"{plain} {first[1]}")
    versus = _VERSUS.match(said)
    if versus is not None and not _CLAUSE.match(said) and len(said.split()) <= 9:
        a, b = (_lower_common(part, common) for part in versus.groups())
        found = _comparison(a, "better", b)
        if found is not None:
            return Reading(found.kind, found.slots, found.plural, plain=f"{a} {_be(a)} better than {b}")
    return None


def _lower_common(phrase: str, common: frozenset[str]) -> str:
    """A name keeps its capitals, anything else loses them."""
    return phrase if phrase.split()[0].casefold() not in common else phrase[0].lower() + phrase[1:]


def _comparison(a: str, comp: str, b: str) -> Reading | None:
    if comp == "worse":
        a, b, comp = b, a, "better"
    if comp not in _GOOD or not a or not b or len(a) > 36 or len(b) > 36 or a.split()[0] in ("if", "it", "there"):
        return None
    slots = {"a": a, "b": b, "comp": comp, "is_a": _be(a), "is_b": _be(b)}
    return Reading("better", slots, {"a": is_plural(a), "b": is_plural(b)})


def _harm(thing: str) -> Reading:
    plural = is_plural(thing)
    return _about("harm", thing, f"that {thing} {'do' if plural else 'does'} more harm than good", plural)


def _about(kind: str, thing: str, that: str, plural: bool) -> Reading:
    short = thing if len(thing) <= 40 else "it"
    clause = that if len(that) <= 80 else "that the motion is right"
    return Reading(kind, {"thing": short, "that": clause}, {"thing": plural and short != "it"})


def _proposal(subject: str, modal: str, negated: bool, rest: str) -> Reading:
    """ "X should ..." with everything the schemes need to name the step."""
    negated = negated or modal.startswith(("shouldn", "mustn"))
    prefix = ""
    if "," in subject:  # "With a warrant, governments should ..."
        prefix, subject = (part.strip() for part in subject.rsplit(",", 1))
    bare = _ADVERB.sub("", rest)
    verb = bare.split()[0].casefold()
    nobody = subject.casefold() in ("nobody", "no one", "no-one", "none of us")
    if nobody:
        family, step, negated = "permit", f"letting people {bare}", not negated
    elif negated and verb != "be" and _family(gerund(verb), bare, False) == "change" and verb != "have":
        # What is done now and should not be: to end it is the step.
        if subject.casefold() in _ACTORS:
            family, step = _step(subject, bare)
            if verb in _HABITS:
                family, step, negated = "prohibit", f"no longer {step}", False
        else:
            family, step, negated = "prohibit", f"having {subject} no longer {bare}", False
    else:
        family, step = _step(subject, bare)
    tail = f" {lower_first(prefix, frozenset())}" if prefix and len(step) + len(prefix) < _LONGEST else ""
    step = _cut(step + tail)
    return Reading(family, {"short": step}, swapped=negated)


def _step(subject: str, rest: str) -> tuple[str, str]:
    """The family of a proposal and a noun phrase that names it."""
    words = rest.split()
    verb = words[0].casefold() if words else "be"
    after = " ".join(words[1:])
    everyone = subject.casefold().startswith(_EVERYONE)
    if verb == "be":
        inner = _ADVERB.sub("", after)
        adverb = re.match(r"^(\w+ly)\s+(\w+)(.*)$", inner)
        first = adverb.group(2) if adverb else inner.split(" ", 1)[0]
        doing = gerund_of_participle(first.rstrip(","))
        if doing is not None:
            tail = (
                (adverb.group(3).strip() + " " + adverb.group(1)).strip()
                if adverb
                else inner[len(first.rstrip(",")) :].strip()
            )
            return _family(doing, inner, everyone), _join(doing, subject, tail)
        return _family("", inner, everyone), f"making {subject} {inner}"
    if verb == "become":
        return _family("", after, everyone), f"making {subject} {after}"
    if verb in ("have", "need") and after.startswith("to "):
        return "require", f"making {subject} {after[3:]}"
    if verb == "have" and subject.casefold() == "we":
        return "change", f"{'introducing' if after.startswith(('a ', 'an ')) else 'having'} {after}"
    if verb == "exist":
        return "permit", f"letting {subject} exist"
    if verb in ("have", "get", "receive"):
        return ("permit" if "right" in after or "way" in after else "change"), f"giving {subject} {after}"
    if verb in ("end", "stop", "go", "disappear", "cease") and not after:
        return "prohibit", f"an end to {subject}"
    if subject.casefold() in _ACTORS:
        doing = gerund(verb)
        return _family(doing, rest, False), f"{doing} {after}".strip()
    family = _family(gerund(verb), rest, everyone)
    return ("require" if family == "change" and everyone else family), f"having {subject} {rest}"


def _join(doing: str, subject: str, tail: str) -> str:
    if not tail:
        return f"{doing} {subject}"
    return f"{doing} {subject}{tail}" if tail.startswith(",") else f"{doing} {subject} {tail}"


def _family(doing: str, rest: str, everyone: bool) -> str:
    if any(gerund(verb) == doing for verb in _PROHIBIT) or rest.startswith("illegal"):
        return "prohibit"
    if any(gerund(verb) == doing for verb in _PERMIT) or rest.startswith(_PERMIT_WORDS):
        return "permit"
    if rest.startswith(_REQUIRE_WORDS) or doing in ("requiring", "forcing", "obliging", "mandating") or everyone:
        return "require"
    return "change"


def _cut(step: str) -> str:
    """A step short enough to be named in passing, cut before a qualification."""
    step = step.split(", ", 1)[0] if ", not " in step or ", never " in step else step
    if len(step) <= _LONGEST:
        return step
    kept = ""
    for match in _CUTS.finditer(step):
        if 20 <= match.start() <= _LONGEST:
            kept = step[: match.start()]
    return kept if len(kept.split()) >= 3 else "this step"


def _claim(said: str) -> Reading:
    clause = _CLAUSE.match(re.sub(r"^free will\b", "free_will", said))
    if clause is not None or said.startswith(("if ", "when ", "there ")):
        thing = clause.group(1).replace("_", " ") if clause is not None and not said.startswith("if ") else "it"
        there = re.match(r"^there (?:is|are|was|were|will be) (.+)$", said)
        wanted = re.match(r"^we (?:need|want|deserve|have lost|have forgotten|are losing) (.+)$", said)
        about = there or wanted
        if about is not None:
            thing = about.group(1)
        elif thing.casefold() in ("we", "you", "i", "they", "he", "she", "there"):
            thing = "it"
        return _about("fact" if _FACT.search(said) else "claim", thing, f"that {said}", is_plural(thing))
    if len(said.split()) <= 5:
        return Reading(
            "claim",
            {"thing": said, "that": f"that {said} {_be(said)} a good thing"},
            {"thing": is_plural(said)},
            plain=f"{said} {_be(said)} a good thing",
        )
    return _unknown("what it says is right")


def _unknown(plain: str) -> Reading:
    return Reading("claim", {"thing": "it", "that": "that the motion is right"}, plain=plain)
