"""The free debate: which move the state of the round calls for, and what it says."""

from __future__ import annotations

from bot.minds.house.case import Case, Extra, Speech
from bot.minds.house.compose import Part
from bot.minds.house.extras import ask_after, extras, latest_of_theirs, may_ask, weighs_to_spare
from bot.minds.house.flow import Thread
from bot.minds.house.people import meet_person

_CONCEDES = 30
"""In so many rounds out of a hundred a side is willing to grant one point."""


def free_turn(case: Case) -> Speech | None:
    """The best move now. A question is answered first, a person is met in person, then the flow decides."""
    pending = [thread for thread in case.flow.own if thread.question_open and case.free(thread, "reply")]
    answering = [answer(case, thread) for thread in pending]
    unmet = case.flow.unmet()
    if unmet and unmet[0].turn.n > case.flow.last_own():
        speech = meet_person(case, unmet[0])
        if speech is not None:
            return speech
    if answering:
        return answering[-1]
    if unmet:
        speech = meet_person(case, unmet[0])
        if speech is not None:
            return speech
    options = [speech for build in (defend, rebut, argue, question, concede) for speech in build(case)]
    options = [option for option in options if option[1].move in case.brief.moves] or options
    return max(options, key=lambda option: option[0])[1] if options else None


Scored = tuple[float, Speech]


def _jitter(case: Case, label: str, most: float) -> float:
    return case.draw(label).below(1_000) * most / 1_000


# ---------------------------------------------------------------- the moves
def answer(case: Case, thread: Thread) -> Speech:
    """Answer the question about one of our own arguments."""
    topic, name = thread.argument.topic, case.name(thread.asker)
    lead = case.voice.lead("answer", name=name, topic=topic)
    text = case.say(lead, thread.argument.reply)
    more = extras(case, {thread.argument.id}, ask=False)
    theirs = latest_of_theirs(case)
    if theirs is not None and may_ask(case) and case.free(theirs, "question") and case.chance(60, "ask back"):
        more = (Extra(ask_after(case, theirs)), *more)
    return Speech("rebut", (Part(text, 0),), f"answers the question on {thread.argument.id}", more)


def defend(case: Case) -> list[Scored]:
    """Stand by an own argument that was answered."""
    found: list[Scored] = []
    latest = case.flow.last_theirs()
    for thread in case.flow.own:
        for number in thread.undefended:
            if not case.free(thread, "defence", number):
                continue
            score = 2.4 + _jitter(case, f"defend{thread.at}", 1.4)
            score += 0.4 if latest is not None and thread.answered[number] == latest.n else 0.0
            found.append((score, _defence(case, thread, number)))
            break
    return found


def _defence(case: Case, thread: Thread, number: int) -> Speech:
    lead = case.voice.lead("defend", whose=case.whose(thread), topic=thread.argument.topic)
    text = case.say(lead, thread.argument.answers[number].defence)
    return Speech("rebut", (Part(text, 0),), f"defends {thread.argument.id}", extras(case, {thread.argument.id}))


def rebut(case: Case) -> list[Scored]:
    """Answer an argument of theirs, best the one just made; come back to one they have repaired."""
    found: list[Scored] = []
    latest = case.flow.last_theirs()
    for thread in case.flow.theirs:
        fresh = thread.fresh_answers()
        if not thread.claimed or not fresh or thread.conceded:
            continue
        score = _jitter(case, f"rebut{thread.at}", 1.2)
        if not thread.answered:
            score += 3.0 + (0.5 if latest is not None and thread.claimed == latest.n else 0.0)
        elif thread.defended:
            score += 1.9
        else:
            score += 0.4
        found.append((score, _rebuttal(case, thread, case.draw("answer", thread.at).pick(fresh))))
    return found


def _rebuttal(case: Case, thread: Thread, number: int) -> Speech:
    topic, name = thread.argument.topic, case.name(thread.claimer)
    lead = case.voice.remark("again", name=name, topic=topic) if thread.answered else ""
    lead = lead or case.voice.lead("rebut", name=name, topic=topic)
    text = case.say(lead, thread.argument.answers[number].text)
    more = extras(case, {thread.argument.id}, attack=True)
    if may_ask(case) and case.free(thread, "question") and case.chance(30, "press", thread.at):
        more = (Extra(ask_after(case, thread)), *more)
    return Speech("rebut", (Part(text, 0),), f"answers {thread.argument.id}", more)


def argue(case: Case) -> list[Scored]:
    """Bring a new argument of our own."""
    remaining = case.unclaimed()
    if not remaining:
        return []
    score = 2.3 + _jitter(case, "argue", 2.0)
    return [(score, new_argument(case, remaining[0]))]


def new_argument(case: Case, thread: Thread) -> Speech:
    argument = thread.argument
    text = case.say(case.voice.lead("argue", topic=argument.topic), argument.claim)
    parts = (Part(text, 0), Part(argument.reason, 1), Part(argument.illustration, 2), Part(argument.weigh, 3))
    return Speech("argue", parts, f"argues {argument.id}", extras(case, {argument.id}))


def question(case: Case) -> list[Scored]:
    """Ask about the last thing they argued."""
    thread = latest_of_theirs(case)
    if thread is None or not may_ask(case) or not case.free(thread, "question"):
        return []
    lead = case.voice.lead("question", name=case.name(thread.claimer), topic=thread.argument.topic)
    text = case.say(lead, thread.argument.question)
    used = {thread.argument.id}
    fresh = thread.fresh_answers()
    before = [extra.text for extra in extras(case, used, ask=False) if not extra.early]
    if fresh and not thread.answered:
        number = case.draw("answer", thread.at).pick(fresh)
        opening = case.voice.lead("rebut", name=case.name(thread.claimer), topic=thread.argument.topic)
        before.insert(0, case.say(opening, thread.argument.answers[number].text))
    if not before:
        return []
    score = 2.5 + _jitter(case, "question", 1.9)
    return [(score, Speech("question", (Part(text, 0),), f"asks about {thread.argument.id}", before=tuple(before)))]


def concede(case: Case) -> list[Scored]:
    """Grant a point that has been answered already, and turn to a stronger one of our own. Rare, never late."""
    flow = case.flow
    willing = case.side_draw("concede").below(100) < _CONCEDES
    if (
        not willing
        or any(thread.conceded for thread in flow.theirs)
        or case.own_slots() < 1
        or "concede_point" not in case.brief.moves
    ):
        return []
    stronger = [thread for thread in flow.own if thread.alone or thread.held]
    if not stronger:
        return []
    for thread in flow.theirs:
        if thread.claimed and thread.answered and case.free(thread, "concede"):
            lead = case.voice.lead("concede", name=case.name(thread.claimer), topic=thread.argument.topic)
            parts = (Part(case.say(lead, thread.argument.concede), 0), Part(_turn_to(case, stronger[0]), 1))
            return [
                (
                    4.2,
                    Speech(
                        "concede_point", parts, f"concedes {thread.argument.id}", extras(case, {thread.argument.id})
                    ),
                )
            ]
    return []


def _turn_to(case: Case, thread: Thread) -> str:
    """From a concession to what weighs more: an own argument that stands, or a new one."""
    if weighs_to_spare(case) and case.free(thread, "weigh"):
        return case.say(case.voice.remark("and_weigh", topic=thread.argument.topic), thread.argument.weigh)
    remaining = case.unclaimed()
    if remaining:
        argument = remaining[0].argument
        return f"{case.say(case.voice.remark('and_argue', topic=argument.topic), argument.claim)} {argument.reason}"
    return case.voice.remark("beside", whose=case.whose(thread), topic=thread.argument.topic)
