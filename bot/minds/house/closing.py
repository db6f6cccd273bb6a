"""Closings: which of our points stood, which of theirs were met, and why that decides the round. All of it true of the
flow."""

from __future__ import annotations

from bot.minds.brief import TurnView
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
    parts.extend(Part(text, 4) for text in _about_theirs(case, told))
    also = _also(case, [thread for thread in ours if thread.argument.id not in told and thread is not about][:3])
    parts.extend(Part(text, 6) for text in also[:1])
    end = case.voice.lead("signoff", verdict=case.voice.choice("verdict", case.stance))
    more = ["" if about is None or about.argument.id in told else debt, _compare(case, first, told), *also[1:]]
    more += [_compare(case, first, told), case.voice.remark("close_scope")]
    extras = tuple(Extra(text) for text in more if text)
    lead = case.voice.lead("closing")
    shown = any(thread.argument.illustration in text for thread in ours for text in also)
    if not case.brief.ahead and not shown and case.chance(70, "say that it is last"):
        lead = case.voice.remark("close_last") or lead
    return Speech("statement", tuple(parts), f"closes on {first.argument.id}", extras, before=(lead,), end=end)


def _also(case: Case, threads: list[Thread]) -> list[str]:
    """A word each on further arguments of ours: why one weighs, or its illustration if it was made without one. The
    partners who still have to close keep something to weigh."""
    spare = sum(1 for thread in case.flow.own if thread.claimed and case.free(thread, "weigh")) - 1 - case.own_slots()
    told: list[str] = []
    for thread in threads:
        argument = thread.argument
        if spare > 0 and case.free(thread, "weigh"):
            told.append(case.link("close_also", argument.weigh, topic=argument.topic))
            spare -= 1
        elif case.free(thread, "illustration") and not thread.conceded:
            told.append(case.link("and_more", argument.illustration, whose=case.whose(thread), topic=argument.topic))
        elif _status(case, thread) != "contested":
            told.append(_about_ours(case, thread))
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
    """What became of the argument of theirs that is the clearest case; only what the partner's closing has not
    said."""
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
    chosen = [(about, text) for about, text in [*met, *rest] if text][:1]
    told.update(about for about, _ in chosen)
    return [text for _, text in chosen]


def _giver(case: Case, thread: Thread) -> str:
    return next((case.name(turn) for turn in case.flow.turns if turn.n == thread.conceded), "the other side")


def _unanswered_question(case: Case, thread: Thread) -> bool:
    """Asked by us, and though they spoke again nothing they said came near it."""
    strangers = any(loose.turn.n > thread.asked and loose.stance != case.stance for loose in case.flow.loose)
    return thread.question_open and case.flow.chances(thread.asked, thread.stance) > 0 and not strangers


def _had_chance(case: Case, thread: Thread) -> bool:
    """Whether they could have come back to our answer, and nothing they said came near it. A reply to a question of
    ours about the same argument counts as coming back."""
    last = max(thread.answered.values())
    strangers = any(loose.turn.n > last and loose.stance != case.stance for loose in case.flow.loose)
    spoke = thread.replied or (strangers and thread.touched > last)
    return not spoke and case.flow.chances(last, thread.stance) > 0


def _debt(case: Case) -> tuple[Thread | None, str]:
    """A question or an attack that nobody of ours has met yet, met now; and the argument it is about."""
    for thread in case.flow.own:
        if thread.question_open and case.free(thread, "reply"):
            return thread, _owed(case, "close_reply", thread.argument.reply, thread, thread.asker)
    for thread in case.flow.own:
        for number in thread.undefended:
            if case.free(thread, "defence", number):
                by = next((turn for turn in case.flow.turns if turn.n == thread.answered[number]), None)
                return thread, _owed(case, "close_defend", thread.argument.answers[number].defence, thread, by)
    if case.brief.ahead:
        for thread in case.flow.theirs:
            fresh = case.fitting_answers(thread)
            if thread.claimed and not thread.answered and not thread.conceded and fresh:
                text = thread.argument.answers[fresh[0]].text
                return thread, _owed(case, "close_answer", text, thread, thread.claimer)
    return None, ""


def _owed(case: Case, kind: str, text: str, thread: Thread, speaker: TurnView | None) -> str:
    """A reply, a defence or an answer as late as in a closing, naming whom it meets."""
    name, topic = case.name(speaker), thread.argument.topic
    return case.link(kind, text, name=name, topic=topic) or case.say(f"To {name}, on {topic}:", text)
