"""What may be added to the main point of a free turn: a second answer, a question, a true remark on the state of the
debate."""

from __future__ import annotations

from collections.abc import Callable

from bot.minds.house.case import Case, Extra
from bot.minds.house.flow import Thread
from bot.minds.house.words import normal

_ASKS = 2
"""Questions one side asks in a round."""


def latest_of_theirs(case: Case) -> Thread | None:
    """The argument of theirs that was claimed or defended last."""
    alive = [thread for thread in case.flow.theirs if thread.claimed and not thread.conceded]
    return max(alive, key=lambda thread: max(thread.claimed, *thread.defended.values(), 0), default=None)


def may_ask(case: Case) -> bool:
    """Whether a question can still be answered and our side has none open and not asked too many."""
    asked = [thread for thread in case.flow.theirs if thread.asked]
    return case.opposing_slots() > 0 and len(asked) < _ASKS and not any(thread.question_open for thread in asked)


def ask_after(case: Case, thread: Thread) -> str:
    lead = case.voice.remark("and_ask", name=case.name(thread.claimer)) or f"So, {case.name(thread.claimer)}:"
    return case.say(lead, thread.argument.question)


def extras(case: Case, used: set[str], ask: bool = True, attack: bool = False) -> tuple[Extra, ...]:
    """What may follow the main point, in a drawn order with substance before remarks. `used` are arguments already
    dealt with; `attack` says that the main point met an argument of theirs."""
    builders: list[Callable[[Case, set[str]], str]] = [_also_defend, _also_rebut]
    if ask and case.chance(25, "also ask"):
        builders.insert(case.draw("ask place").below(2), _also_ask)
    if case.chance(50, "swap"):
        builders.reverse()
    link = _beside if attack else _same_way
    remarks: list[Callable[[Case, set[str]], str]] = list(
        case.draw("remarks").shuffled((_standing, _held, _waiting, link))
    )
    used = set(used)
    made = [(build, build(case, used)) for build in (*builders, _more_proof, *remarks, _weigh_in, _fresh_claim)]
    return tuple(Extra(text, build is link) for build, text in made if text)


def _also_defend(case: Case, used: set[str]) -> str:
    for thread in case.flow.own:
        if thread.argument.id in used:
            continue
        for number in thread.undefended:
            if case.free(thread, "defence", number):
                lead = case.voice.remark("and_defend", whose=case.whose(thread), topic=thread.argument.topic)
                return case.say(lead, thread.argument.answers[number].defence) if lead else ""
    return ""


def _also_rebut(case: Case, used: set[str]) -> str:
    waiting = [
        t for t in case.flow.theirs if t.claimed and not t.answered and not t.conceded and t.argument.id not in used
    ]
    for thread in waiting:
        fresh = sorted(thread.fresh_answers(), key=lambda a: len(thread.argument.answers[a].text))
        if fresh:
            lead = case.voice.remark("and_rebut", name=case.name(thread.claimer), topic=thread.argument.topic)
            return case.say(lead, thread.argument.answers[fresh[0]].text) if lead else ""
    return ""


def _also_ask(case: Case, used: set[str]) -> str:
    thread = latest_of_theirs(case)
    if thread is None or thread.argument.id in used or not may_ask(case) or not case.free(thread, "question"):
        return ""
    lead = case.voice.remark("and_ask", name=case.name(thread.claimer))
    return case.say(lead, thread.argument.question) if lead else ""


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
        if thread.held and thread.argument.id not in used and case.chance(50, "held", thread.at):
            used.add(thread.argument.id)
            return case.voice.remark("held", whose=case.whose(thread), topic=thread.argument.topic)
    return ""


def _beside(case: Case, used: set[str]) -> str:
    """An own argument to set against the one just met."""
    return _linked(case, used, "beside")


def _same_way(case: Case, used: set[str]) -> str:
    """An own argument that goes together with the one just defended."""
    return _linked(case, used, "same_way")


def _linked(case: Case, used: set[str], kind: str) -> str:
    recent = " ".join(normal(turn.text) for turn in case.flow.own_turns()[-1:] if turn.phase == case.brief.phase)
    for thread in case.side_draw("beside", case.brief.n).shuffled(case.flow.own):
        if (
            thread.claimed
            and not thread.conceded
            and thread.argument.id not in used
            and normal(thread.argument.topic) not in recent
        ):
            used.add(thread.argument.id)
            return case.voice.remark(kind, whose=case.whose(thread), topic=thread.argument.topic)
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
            lead = case.voice.remark("and_more", whose=case.whose(thread), topic=thread.argument.topic)
            used.add(thread.argument.id)
            return case.say(lead, thread.argument.illustration) if lead else ""
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
            lead = case.voice.remark("and_weigh", topic=thread.argument.topic)
            used.add(thread.argument.id)
            return case.say(lead, thread.argument.weigh) if lead else ""
    return ""


def _fresh_claim(case: Case, used: set[str]) -> str:
    """A new argument in brief: claim and reason, when nothing else is left to say."""
    remaining = [thread for thread in case.unclaimed() if thread.argument.id not in used]
    if not remaining:
        return ""
    argument = remaining[0].argument
    lead = case.voice.remark("and_argue", topic=argument.topic)
    return f"{case.say(lead, argument.claim)} {argument.reason}" if lead else ""
