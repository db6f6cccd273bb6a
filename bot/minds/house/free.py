"""The free debate: which move the state of the round calls for, and what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bot.minds.brief import Move
from bot.minds.house.case import Case, Extra, Speech
from bot.minds.house.compose import Part
from bot.minds.house.extras import ask_after, extras, latest_of_theirs, may_ask, weighs_to_spare
from bot.minds.house.flow import Thread
from bot.minds.house.people import meet_person

_LEADS = 90
"""Room for the two leads of a turn that ends with a question."""
_CONCEDES = 22
"""In so many rounds out of a hundred a side is willing to grant one point."""


@dataclass(frozen=True, slots=True)
class Option:
    """A move that could be made now. It is put into words only when it is chosen, so that no phrase is spent on the
    others."""

    score: float
    move: Move
    build: Callable[[], Speech | None]


def free_turn(case: Case) -> Speech | None:
    """The best move now. A question is answered first, a person is met in person, then the flow decides."""
    pending = [thread for thread in case.flow.own if thread.question_open and case.free(thread, "reply")]
    unmet = case.flow.unmet()
    if unmet and unmet[0].turn.n > case.flow.last_own():
        speech = meet_person(case, unmet[0])
        if speech is not None:
            return speech
    if pending:
        return answer(case, pending[-1])
    if unmet:
        speech = meet_person(case, unmet[0])
        if speech is not None:
            return speech
    options = [option for find in (defend, rebut, argue, question, concede) for option in find(case)]
    options = [option for option in options if option.move in case.brief.moves] or options
    for option in sorted(options, key=lambda option: -option.score):
        speech = option.build()
        if speech is not None:
            return speech
    return None


def _jitter(case: Case, label: str, most: float) -> float:
    return case.draw(label).below(1_000) * most / 1_000


# ---------------------------------------------------------------- the moves
def answer(case: Case, thread: Thread) -> Speech:
    """Answer the question about one of our own arguments."""
    text = case.lead("answer", thread.argument.reply, name=case.name(thread.asker), topic=thread.argument.topic)
    more = extras(case, {thread.argument.id}, ask=False)
    theirs = latest_of_theirs(case)
    if theirs is not None and may_ask(case) and case.free(theirs, "question") and case.chance(60, "ask back"):
        more = (Extra(ask_after(case, theirs, turning=True)), *more)
    return Speech("rebut", (Part(text, 0),), f"answers the question on {thread.argument.id}", more)


def defend(case: Case) -> list[Option]:
    """Stand by an own argument that was answered."""
    found: list[Option] = []
    latest = case.flow.last_theirs()
    for thread in case.flow.own:
        for number in thread.undefended:
            if not case.free(thread, "defence", number):
                continue
            score = 2.4 + _jitter(case, f"defend{thread.at}", 1.4)
            score += 0.4 if latest is not None and thread.answered[number] == latest.n else 0.0
            found.append(Option(score, "rebut", partial(_defence, case, thread, number)))
            break
    return found


def _defended(case: Case, thread: Thread, number: int) -> str:
    defence = thread.argument.answers[number].defence
    return case.lead("defend", defence, whose=case.whose(thread), topic=thread.argument.topic)


def _defence(case: Case, thread: Thread, number: int) -> Speech:
    text = _defended(case, thread, number)
    return Speech("rebut", (Part(text, 0),), f"defends {thread.argument.id}", extras(case, {thread.argument.id}))


def rebut(case: Case) -> list[Option]:
    """Answer an argument of theirs, best the one just made; come back to one they have repaired."""
    found: list[Option] = []
    latest = case.flow.last_theirs()
    for thread in case.flow.theirs:
        fresh = case.fitting_answers(thread)
        if not thread.claimed or not fresh or thread.conceded:
            continue
        score = _jitter(case, f"rebut{thread.at}", 1.2)
        if not thread.answered:
            score += 3.0 + (0.5 if latest is not None and thread.claimed == latest.n else 0.0)
        elif thread.defended:
            score += 1.9
        else:
            score += 0.4
        number = case.draw("answer", thread.at).pick(fresh)
        found.append(Option(score, "rebut", partial(_rebuttal, case, thread, number)))
    return found


def _rebuttal(case: Case, thread: Thread, number: int) -> Speech:
    topic, name, text = thread.argument.topic, case.name(thread.claimer), thread.argument.answers[number].text
    said = ""
    if thread.defended:
        repaired = max(thread.defended.values())
        by = next((turn for turn in case.flow.turns if turn.n == repaired), thread.claimer)
        said = case.link("again", text, name=case.name(by), topic=topic)
    elif thread.answered:
        said = case.link("again_more", text, name=name, topic=topic)
    said = said or case.lead("rebut", text, name=name, topic=topic)
    more = extras(case, {thread.argument.id}, link="beside", name=name)
    if may_ask(case) and case.free(thread, "question") and case.chance(30, "press", thread.at):
        more = (Extra(ask_after(case, thread, turning=False)), *more)
    return Speech("rebut", (Part(said, 0),), f"answers {thread.argument.id}", more)


def argue(case: Case) -> list[Option]:
    """Bring a new argument of our own."""
    remaining = case.unclaimed()
    if not remaining:
        return []
    score = 2.3 + _jitter(case, "argue", 2.0)
    score -= 0.0 if case.opposing_slots() else 0.8  # nobody could answer it
    return [Option(score, "argue", partial(new_argument, case, remaining[0]))]


def new_argument(case: Case, thread: Thread) -> Speech:
    """Claim, reason and illustration, behind a lead that leaves room for all three when there is one."""
    argument = thread.argument
    body = f"{argument.claim} {argument.reason} {argument.illustration}"
    room = case.brief.limit - len(body) - 1
    claim = case.lead("argue", argument.claim, room, topic=argument.topic)
    if len(claim) - len(argument.claim) > room + 1 and room >= -1:
        claim = argument.claim
    parts = (Part(claim, 0), Part(argument.reason, 1), Part(argument.illustration, 2))
    return Speech("argue", parts, f"argues {argument.id}", extras(case, {argument.id}))


def question(case: Case) -> list[Option]:
    """Ask about the last thing they argued."""
    thread = latest_of_theirs(case)
    if thread is None or not may_ask(case) or not case.free(thread, "question"):
        return []
    return [Option(2.5 + _jitter(case, "question", 1.9), "question", partial(_asking, case, thread))]


def _asking(case: Case, thread: Thread) -> Speech | None:
    """An answer to the argument and then the question about it; else a word on another argument first."""
    argument, name = thread.argument, case.name(thread.claimer)
    room = case.brief.limit - len(argument.question) - _LEADS
    answers = [] if thread.answered else [argument.answers[at].text for at in case.fitting_answers(thread)]
    answers = [text for text in answers if len(text) <= room]
    if answers:
        asked = case.lead("question", argument.question, name=case.addressee(thread), topic=argument.topic)
        text = case.draw("answer", thread.at).pick(answers)
        room = case.brief.limit - len(asked) - len(text) - 2
        before = case.lead("rebut", text, room, name=name, topic=argument.topic)
    else:
        before = _first_word(case, room, thread)
        asked = ask_after(case, thread, turning=True)
    if not before or len(before) + len(asked) >= case.brief.limit:
        return None
    return Speech("question", (Part(before, 1), Part(asked, 0)), f"asks about {argument.id}")


def _first_word(case: Case, room: int, but: Thread) -> str:
    """What a turn that ends with a question may begin with: a defence, or an answer to another argument."""
    for thread in case.flow.own:
        for number in thread.undefended:
            if case.free(thread, "defence", number) and len(thread.argument.answers[number].defence) <= room:
                return _defended(case, thread, number)
    for thread in case.flow.theirs:
        if thread is but or not thread.claimed or thread.answered or thread.conceded:
            continue
        for number in case.fitting_answers(thread):
            text = thread.argument.answers[number].text
            if len(text) <= room:
                return case.lead("rebut", text, name=case.name(thread.claimer), topic=thread.argument.topic)
    return ""


def concede(case: Case) -> list[Option]:
    """Grant a point that nobody of ours has disputed, and turn to a stronger one of our own. Rare, never late, never
    in return for a concession."""
    flow = case.flow
    willing = case.side_draw("concede").below(100) < _CONCEDES
    if (
        not willing
        or any(thread.conceded for thread in flow.theirs)
        or case.own_slots() < 1
        or "concede_point" not in case.brief.moves
        or (flow.turns and flow.turns[-1].move == "concede_point")
    ):
        return []
    stronger = [thread for thread in flow.own if flow.ignored(thread) or thread.held]
    for thread in flow.theirs:
        disputed = thread.answered or thread.asked or thread.touched
        if stronger and thread.claimed and not disputed and case.free(thread, "concede"):
            return [Option(4.2, "concede_point", partial(_concession, case, thread, stronger[0]))]
    return []


def _concession(case: Case, thread: Thread, stronger: Thread) -> Speech | None:
    argument = thread.argument
    text = case.lead("concede", argument.concede, name=case.name(thread.claimer), topic=argument.topic)
    turned = _turn_to(case, stronger, case.brief.limit - len(text) - 1)
    if not turned:
        return None
    used = {argument.id, stronger.argument.id}
    parts = (Part(text, 0), Part(turned, 0))
    return Speech("concede_point", parts, f"concedes {argument.id}", extras(case, used, link=""))


def _turn_to(case: Case, thread: Thread, room: int) -> str:
    """From a concession to what weighs more: an own argument that stands, or a new one."""
    topic, weigh = thread.argument.topic, thread.argument.weigh
    ways: list[Callable[[], str]] = []
    if weighs_to_spare(case) and case.free(thread, "weigh"):
        ways.append(lambda: case.link("and_weigh", weigh, topic=topic))
    remaining = case.unclaimed()
    if remaining:
        new = remaining[0].argument
        ways.append(lambda: f"{case.lead('argue', new.claim, topic=new.topic)} {new.reason}")
    ways.append(lambda: case.voice.remark("and_still", whose=case.whose(thread), topic=topic))
    return next((text for text in (way() for way in ways) if text and len(text) <= room), "")
