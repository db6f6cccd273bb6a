"""Answering people (and models) in their own words: quoting a little, finding what the bank has nearest, or pressing
with a question."""

from __future__ import annotations

import re

from bot.minds.house.case import Case, Extra, Speech
from bot.minds.house.compose import Part
from bot.minds.house.extras import extras
from bot.minds.house.flow import NEAR, Loose, Thread
from bot.minds.house.tricks import is_rude, tricks_in
from bot.minds.house.words import STOPWORDS, stems, words

_LINK = re.compile(r"https?://\S+|www\.\S+|<[^>]*>|:[a-z0-9_+-]+:|@\S+", re.IGNORECASE)
_MARKUP = re.compile(r"[*_~`|<>#\[\](){}\\\"“”«»]+|[\x00-\x1f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+")
_CONJUNCTION = re.compile(
    r"^(?:and|but|so|well|honestly|look|okay|ok|yes|no|also|however|because)[\s,]+(?=\w+ \w+ \w+)", re.IGNORECASE
)
_LONGEST = 56


def quote(loose: Loose, about: frozenset[str] = frozenset(), questions: bool = False) -> str:
    """A few words of a person's turn that can safely be said aloud, or "": no markup, no abuse, no orders, Latin
    letters only."""
    best, value = "", 0.0
    for sentence in loose.heard.questions if questions else loose.heard.loose:
        plain = " ".join(_MARKUP.sub(" ", _LINK.sub(" ", sentence)).split()).strip(" .,!?…-:;")
        plain = _CONJUNCTION.sub("", plain)
        said = words(plain)
        if (
            len(said) < 3
            or is_rude(plain)
            or tricks_in(sentence)
            or not _latin(plain)
            or (not questions and "?" in sentence)
        ):
            continue
        content = stems(plain)
        score = len(content & about) * 3 + min(len(content), 8)
        if score > value:
            best, value = plain[0].upper() + plain[1:], score
    return _shorten(best)


def _latin(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return bool(letters) and sum(1 for char in letters if char < "\u0250") >= 0.9 * len(letters)


def _shorten(text: str) -> str:
    """The start of a quotation, cut between words and not after a little word."""
    if len(text) <= _LONGEST:
        return text
    kept = text[:_LONGEST].rsplit(" ", 1)[0].split(" ")
    while len(kept) > 4 and kept[-1].casefold().strip(",;:") in STOPWORDS:
        kept.pop()
    return " ".join(kept).rstrip(",;: ") + "…"


def meet_person(case: Case, loose: Loose) -> Speech | None:
    """The answer to a turn in free words."""
    if loose.heard.questions:
        speech = _answer_question(case, loose)
        if speech is not None:
            return speech
    near = _nearest(case, loose)
    name = case.name(loose.turn)
    if near is not None:
        thread, text, about = near
        words_said = quote(loose, about)
        lead = case.voice.remark("person_claim", name=name, quote=words_said) if words_said else ""
        if not lead:
            lead = case.voice.lead("rebut", text, name=name, topic=thread.argument.topic)
        elif lead[-1] not in ":" and case.chance(50, "name the topic"):
            lead = f"{lead} On {thread.argument.topic}:"
        body = case.say(lead, text)
        return Speech(
            "rebut",
            (Part(body, 0),),
            f"meets turn {loose.turn.n} with {thread.argument.id}",
            extras(case, {thread.argument.id}),
        )
    return _press(case, loose, extras(case, set(), ask=False))


def _nearest(case: Case, loose: Loose) -> tuple[Thread, str, frozenset[str]] | None:
    """Our own material that meets this turn best: (argument concerned, text to say, words it shares)."""
    flow, about = case.flow, stems(loose.turn.text)
    found: list[tuple[float, Thread, str]] = []
    if loose.claim is not None and loose.claim.score >= NEAR:
        thread = flow.theirs[loose.claim.hit.arg]
        fresh = thread.fresh_answers()
        if fresh and not thread.conceded:
            best = max(fresh, key=lambda a: (len(stems(thread.argument.answers[a].text) & about), -a))
            found.append((loose.claim.score, thread, thread.argument.answers[best].text))
    if loose.answer is not None and loose.answer.score >= NEAR:
        thread, number = flow.own[loose.answer.hit.arg], loose.answer.hit.answer
        if case.free(thread, "defence", number):
            found.append((loose.answer.score, thread, thread.argument.answers[number].defence))
    if loose.target is not None and loose.target.score >= NEAR:
        thread = flow.own[loose.target.hit.arg]
        if case.free(thread, "reply") and not thread.asked:
            found.append((loose.target.score * 0.9, thread, thread.argument.reply))
    if not found:
        return None
    _, thread, text = max(found, key=lambda item: item[0])
    shared = about & stems(f"{thread.argument.topic} {thread.argument.claim} {text}")
    return thread, text, shared


def _answer_question(case: Case, loose: Loose) -> Speech | None:
    """A person asked: answer with the nearest thing we have, or say that nothing is near."""
    asked = quote(loose, questions=True)
    name = case.name(loose.turn)
    text = " ".join(loose.heard.questions)
    near = case.flow.index.nearest(text, case.stance, "claim")
    lead = (
        case.voice.remark("person_question", name=name, quote=asked + "?" if not asked.endswith("…") else asked)
        if asked
        else ""
    )
    lead = lead.replace("?”.", "?”").replace("?”,", "?”") if lead else case.voice.remark("person_no_quote", name=name)
    if near is not None and near.score >= NEAR:
        thread = case.flow.own[near.hit.arg]
        for kind in ("reply", "weigh"):
            if case.free(thread, kind):
                body = case.say(lead, getattr(thread.argument, kind))
                return Speech(
                    "rebut", (Part(body, 0),), f"answers turn {loose.turn.n}", extras(case, {thread.argument.id})
                )
    remaining = case.unclaimed()
    if not remaining:
        return None
    argument = remaining[0].argument
    plain = case.voice.remark("person_question_far", topic=argument.topic)
    body = case.say(lead, case.say(plain, argument.claim))
    parts = (Part(body, 0), Part(argument.reason, 1))
    return Speech("rebut", parts, f"answers turn {loose.turn.n} from afar", extras(case, {argument.id}, ask=False))


def _press(case: Case, loose: Loose, more: tuple[Extra, ...]) -> Speech | None:
    """Nothing is near: say so, and put a critical question to what was said."""
    said, name = quote(loose), case.name(loose.turn)
    opening = case.voice.remark("person_claim", name=name, quote=said) if said else ""
    opening = opening or case.voice.remark("person_no_quote", name=name)
    link = case.voice.remark("person_far") or case.voice.remark("person_far_again")
    critical = case.voice.remark("critical")
    if not opening or not critical:
        return None
    remaining = case.unclaimed()
    text = case.say(f"{opening} {link}".strip(), critical)
    if remaining and case.chance(70, "turn to ours"):
        argument = remaining[0].argument
        own = case.link("and_argue", argument.claim, topic=argument.topic)
        if own:
            parts = (Part(text, 0), Part(f"{own} {argument.reason}", 1))
            return Speech("rebut", parts, f"presses turn {loose.turn.n} and argues {argument.id}", more)
    return Speech(
        "question" if case.opposing_slots() else "rebut", (Part(text, 0),), f"presses turn {loose.turn.n}", more
    )
