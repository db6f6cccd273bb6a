"""What may be added to the main point of a free turn: a second answer, a question, a true remark on the state of the
debate."""

from __future__ import annotations

from collections.abc import Callable

from bot.minds.house.case import Case, Extra
from bot.minds.house.flow import Thread
from bot.minds.house.words import normal

_ASKS = 3
"""Questions one side asks in a round."""


def latest_of_theirs(case: Case) -> Thread | None:
    """The argument of theirs that was claimed or defended last."""
    alive = [thread for thread in case.flow.theirs if thread.claimed and not thread.conceded]
    return max(alive, key=lambda thread: max(thread.claimed, *thread.defended.values(), 0), default=None)


def may_ask(case: Case) -> bool:
    """Whether a question can still be answered and our side has none open and not asked too many."""
    asked = [thread for thread in case.flow.theirs if thread.asked]
    return case.opposing_slots() > 0 and len(asked) < _ASKS and not any(thread.question_open for thread in asked)


def ask_after(case: Case, thread: Thread, turning: bool) -> str:
    """The question about an argument of theirs; `turning` to it from another one, it names its topic."""
    name, topic, text = case.addressee(thread), thread.argument.topic, thread.argument.question
    if turning:
        return case.link("ask_about", text, name=name, topic=topic) or case.say(f"On {topic}, {name}:", text)
    return case.link("and_ask", text, name=name, topic=topic) or case.say(f"So, {name}:", text)


def extras(case: Case, used: set[str], ask: bool = True, link: str = "same_way", name: str = "") -> tuple[Extra, ...]:
    """What may follow the main point, in a drawn order with substance before remarks. `used` are arguments already
    dealt with; `link` is how the main point goes with another argument of ours: "beside" after an answer to them,
    "same_way" after a word on our own, "" after a concession; `name` is whose argument was met."""
    builders: list[Callable[[Case, set[str]], str]] = [_also_defend, _also_rebut]
    if ask and case.chance(50, "also ask"):
        builders.insert(case.draw("ask place").below(2), _also_ask)
    if case.chance(50, "swap"):
        builders.reverse()
    remarks: list[Callable[[Case, set[str]], str]] = list(case.draw("remarks").shuffled((_standing, _held, _waiting)))
    used = set(used)
    made = [Extra(build(case, used)) for build in (*builders, _more_proof, *remarks)]
    if link and not case.linked():
        made.append(Extra(_linked(case, used, link, name), early=True))
    made += [Extra(build(case, used)) for build in (_weigh_in, _fresh_claim)]
    return tuple(extra for extra in made if extra.text)


def _also_defend(case: Case, used: set[str]) -> str:
    for thread in case.flow.own:
        if thread.argument.id in used:
            continue
        for number in thread.undefended:
            if case.free(thread, "defence", number):
                text = thread.argument.answers[number].defence
                return case.link("and_defend", text, whose=case.whose(thread), topic=thread.argument.topic)
    return ""


def _also_rebut(case: Case, used: set[str]) -> str:
    waiting = [
        t for t in case.flow.theirs if t.claimed and not t.answered and not t.conceded and t.argument.id not in used
    ]
    for thread in waiting:
        fresh = sorted(case.fitting_answers(thread), key=lambda a: len(thread.argument.answers[a].text))
        if fresh:
            text = thread.argument.answers[fresh[0]].text
            return case.link("and_rebut", text, name=case.name(thread.claimer), topic=thread.argument.topic)
    return ""


def _also_ask(case: Case, used: set[str]) -> str:
    thread = latest_of_theirs(case)
    if thread is None or thread.argument.id in used or not may_ask(case) or not case.free(thread, "question"):
        return ""
    return ask_after(case, thread, turning=True)


def _remarkable(case: Case, thread: Thread, used: set[str]) -> bool:
    """Whether a remark on this argument would be news: nobody of ours has come back to it yet."""
    return thread.argument.id not in used and not case.flow.mentioned(thread.argument.topic, case.stance, ("free",))


def _standing(case: Case, used: set[str]) -> str:
    for thread in case.flow.own:
        if case.flow.ignored(thread) and _remarkable(case, thread, used):
            used.add(thread.argument.id)
            return case.voice.remark("standing", whose=case.whose(thread), topic=thread.argument.topic)
    return ""


def _held(case: Case, used: set[str]) -> str:
    for thread in case.flow.own:
        fresh = thread.argument.id not in used and not _named(case, thread)
        if thread.held and fresh and case.chance(50, "held", thread.at):
            used.add(thread.argument.id)
            return case.voice.remark("held", whose=case.whose(thread), topic=thread.argument.topic)
    return ""


def _named(case: Case, thread: Thread) -> bool:
    """Whether this seat has spoken of the argument in the free debate before."""
    about = normal(thread.argument.topic)
    return any(
        about in normal(turn.text)
        for turn in case.brief.turns
        if turn.seat == case.brief.seat and turn.phase not in ("opening", "closing")
    )


def _linked(case: Case, used: set[str], kind: str, name: str) -> str:
    """An own argument to set against the one just met, or beside the one just defended."""
    recent = " ".join(normal(turn.text) for turn in case.flow.own_turns()[-1:] if turn.phase == case.brief.phase)
    for thread in case.side_draw("beside", case.brief.n).shuffled(case.flow.own):
        if (
            thread.claimed
            and not thread.conceded
            and thread.argument.id not in used
            and normal(thread.argument.topic) not in recent
            and not _named(case, thread)
        ):
            used.add(thread.argument.id)
            return case.voice.remark(kind, name=name, whose=case.whose(thread), topic=thread.argument.topic)
    return ""


def _waiting(case: Case, used: set[str]) -> str:
    for thread in case.flow.theirs:
        later = [
            turn
            for turn in case.flow.turns
            if turn.n > thread.asked and case.flow.stance_of_side(turn.side) != case.stance
        ]
        if thread.question_open and later and thread.touched < thread.asked and thread.argument.id not in used:
            return case.voice.remark("waiting", name=case.name(thread.claimer), topic=thread.argument.topic)
    return ""


def _more_proof(case: Case, used: set[str]) -> str:
    """The illustration of an own argument that had to be made without it."""
    for thread in case.flow.own:
        if (
            thread.claimed
            and case.free(thread, "illustration")
            and not thread.conceded
            and thread.argument.id not in used
        ):
            used.add(thread.argument.id)
            text = thread.argument.illustration
            return case.link("and_more", text, whose=case.whose(thread), topic=thread.argument.topic)
    return ""


def weighs_to_spare(case: Case) -> bool:
    """Whether the closings keep enough to weigh if one `weigh` is spoken now."""
    return sum(1 for thread in case.flow.own if thread.claimed and case.free(thread, "weigh")) > 1 + len(
        case.brief.partners
    )


def _weigh_in(case: Case, used: set[str]) -> str:
    """Why an own argument that stands decides more, as long as the closings keep enough to weigh."""
    if not weighs_to_spare(case) or case.brief.phase == "opening":
        return ""
    for thread in case.flow.own:
        if thread.claimed and case.free(thread, "weigh") and thread.argument.id not in used and not thread.undefended:
            used.add(thread.argument.id)
            return case.link("weigh_in", thread.argument.weigh, topic=thread.argument.topic)
    return ""


def _fresh_claim(case: Case, used: set[str]) -> str:
    """A new argument in brief: claim and reason, when nothing else is left to say."""
    remaining = [thread for thread in case.unclaimed() if thread.argument.id not in used]
    if not remaining or (case.brief.phase != "opening" and not case.opposing_slots()):
        return ""  # as the last of the free debate it could not be answered
    argument = remaining[0].argument
    claim = case.link("and_argue", argument.claim, topic=argument.topic)
    return f"{claim} {argument.reason}" if claim else ""
