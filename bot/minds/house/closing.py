"""Closings: which of our points stood, which of theirs were met, and why that decides the round. All of it true of the
flow."""

from __future__ import annotations

from bot.minds.house.case import Case, Extra, Speech
from bot.minds.house.compose import Part
from bot.minds.house.flow import Thread

_LAST = "closing"


def closing_turn(case: Case) -> Speech | None:
    """A summing up that differs from the partner's: another argument weighed, other exchanges named."""
    ours = _ours(case)
    if not ours:
        return None
    first = next((thread for thread in ours if case.free(thread, "weigh")), ours[0])
    lead = case.voice.lead("closing")
    if not case.brief.ahead and case.chance(70, "say that it is last"):
        lead = case.voice.remark("close_last") or lead
    about, debt = _debt(case)
    told = {first.argument.id}
    parts: list[Part] = []
    if about is first:
        parts.append(Part(debt, 2))
    else:
        if about is not None and about.question_open:
            parts.append(Part(debt, 2))
            told.add(about.argument.id)
        parts.append(Part(_about_ours(case, first), 1))
    if case.free(first, "weigh"):
        parts.append(Part(first.argument.weigh, 0))
    parts.extend(Part(text, 4 + at * 2) for at, text in enumerate(_about_theirs(case, told)))
    also = _also(case, [thread for thread in ours if thread.argument.id not in told and thread is not about][:3])
    parts.extend(Part(text, 6) for text in also[:1])
    end = case.voice.lead("signoff", verdict=case.voice.choice("verdict", case.stance))
    more = ["" if about is None or about.argument.id in told else debt, *also[1:]]
    more += [_compare(case, first, told), _compare(case, first, told), case.voice.remark("close_scope")]
    extras = tuple(Extra(text) for text in more if text)
    return Speech("statement", tuple(parts), f"closes on {first.argument.id}", extras, before=(lead,), end=end)


def _also(case: Case, threads: list[Thread]) -> list[str]:
    """A word each on further arguments of ours, leaving the partners who still have to close something to weigh."""
    spare = sum(1 for thread in threads if case.free(thread, "weigh")) - case.own_slots()
    told: list[str] = []
    for thread in threads:
        told.append(_also_ours(case, thread, spare > 0))
        spare -= 1
    return [text for text in told if text]


def _compare(case: Case, thread: Thread, told: set[str]) -> str:
    """Our argument set beside one of theirs that the side has not spoken of in closing."""
    for rival in case.side_draw("compare", case.brief.n).shuffled(case.flow.theirs):
        if (
            rival.claimed
            and rival.argument.id not in told
            and not case.flow.mentioned(rival.argument.topic, case.stance, (_LAST,))
        ):
            told.add(rival.argument.id)
            return case.voice.remark("close_compare", topic=thread.argument.topic, rival=rival.argument.topic)
    return ""


def _also_ours(case: Case, thread: Thread, weigh: bool) -> str:
    """A word on another argument of ours: what became of it, or why it weighs."""
    status = _status(case, thread)
    if status == "contested" and weigh and case.free(thread, "weigh"):
        lead = case.voice.remark("close_also", topic=thread.argument.topic)
        return case.say(lead, thread.argument.weigh) if lead else ""
    return _about_ours(case, thread) if status != "contested" else ""


def _ours(case: Case) -> list[Thread]:
    """Our arguments worth closing on, best first: this seat's own before its partners', untouched and held before
    contested."""
    claimed = [thread for thread in case.flow.own if thread.claimed]
    fresh = [t for t in claimed if not case.flow.mentioned(t.argument.topic, case.stance, (_LAST,))]
    order = {"gift": 0, "alone": 0, "held": 0, "late": 1, "contested": 2}

    def key(thread: Thread) -> tuple[bool, bool, int, int]:
        mine = thread.claimer is not None and thread.claimer.seat == case.brief.seat
        return (
            thread not in fresh,
            not mine,
            order[_status(case, thread)],
            case.side_draw("close", thread.at).below(100),
        )

    return sorted(claimed, key=key)


def _status(case: Case, thread: Thread) -> str:
    if thread.conceded:
        return "gift"
    if thread.alone:
        return "alone" if case.flow.ignored(thread) else "late"
    return "held" if thread.held or (thread.asked and thread.replied and not thread.undefended) else "contested"


def _about_ours(case: Case, thread: Thread) -> str:
    giver = _giver(case, thread) if thread.conceded else ""
    return case.voice.remark(
        f"close_{_status(case, thread)}", whose=case.whose(thread), topic=thread.argument.topic, name=giver
    )


def _about_theirs(case: Case, told: set[str]) -> list[str]:
    """What became of their arguments, the clearest first; only what the partner's closing has not said."""
    met: list[tuple[str, str]] = []
    rest: list[tuple[str, str]] = []
    for thread in case.side_draw("theirs", case.brief.n).shuffled(case.flow.theirs):
        argument, name = thread.argument, case.name(thread.claimer)
        if not thread.claimed or argument.id in told or case.flow.mentioned(argument.topic, case.stance, (_LAST,)):
            continue
        if _unanswered_question(case, thread):
            rest.insert(0, (argument.id, case.voice.remark("close_waiting", name=name, topic=argument.topic)))
        elif thread.answered and not thread.defended and not thread.conceded and _had_chance(case, thread):
            met.append((argument.id, case.voice.remark("close_met", name=name, topic=argument.topic)))
        elif thread.answered and (thread.defended or thread.replied) and not thread.conceded:
            rest.append((argument.id, case.voice.remark("close_crossed", name=name, topic=argument.topic)))
    chosen = [(about, text) for about, text in [*met[:2], *rest[:1]] if text]
    told.update(about for about, _ in chosen)
    return [text for _, text in chosen]


def _giver(case: Case, thread: Thread) -> str:
    return next((case.name(turn) for turn in case.flow.turns if turn.n == thread.conceded), "the other side")


def _unanswered_question(case: Case, thread: Thread) -> bool:
    """Asked by us, and though they spoke again nothing they said came near it."""
    strangers = any(loose.turn.n > thread.asked and loose.stance != case.stance for loose in case.flow.loose)
    return thread.question_open and case.flow.chances(thread.asked, thread.stance) > 0 and not strangers


def _had_chance(case: Case, thread: Thread) -> bool:
    """Whether they could have come back to our answer, and nothing they said came near it."""
    last = max(thread.answered.values())
    strangers = any(loose.turn.n > last and loose.stance != case.stance for loose in case.flow.loose)
    spoke = thread.replied > last or (strangers and thread.touched > last)
    return case.flow.chances(last, thread.stance) > 0 and not spoke


def _debt(case: Case) -> tuple[Thread | None, str]:
    """A question or an attack that nobody of ours has met yet, met now; and the argument it is about."""
    for thread in case.flow.own:
        if thread.question_open and case.free(thread, "reply"):
            lead = case.voice.remark("close_reply", name=case.name(thread.asker), topic=thread.argument.topic)
            return thread, case.say(lead, thread.argument.reply)
    for thread in case.flow.own:
        for number in thread.undefended:
            if case.free(thread, "defence", number):
                lead = case.voice.lead("defend", whose=case.whose(thread), topic=thread.argument.topic)
                return thread, case.say(lead, thread.argument.answers[number].defence)
    if case.brief.ahead:
        for thread in case.flow.theirs:
            fresh = thread.fresh_answers()
            if thread.claimed and not thread.answered and not thread.conceded and fresh:
                lead = case.voice.remark("close_answer", name=case.name(thread.claimer), topic=thread.argument.topic)
                return thread, case.say(lead, thread.argument.answers[fresh[0]].text)
    return None, ""
