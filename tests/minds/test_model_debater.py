"""A debater that is a model: what it is told, what is let through, and who speaks when it cannot."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import pytest

from bench.cost import full_length_tokens
from bot.host.ports import Said, Voted
from bot.minds.brief import Brief, Draft, MotionText, Move, Transcript, Usage
from bot.minds.briefing import brief_for, transcript_for
from bot.minds.house import HouseDebater
from bot.minds.house.rehearse import FREE_MOVES
from bot.minds.models.chart import MOST_LINES
from bot.minds.models.conduct import fault_in, is_refusal
from bot.minds.models.debater import LATEST_TURNS, ModelDebater, ask_for, data_for, schema_of
from bot.minds.models.fit import fit, neat, parts_of, without_repeats
from bot.minds.models.stance import changes_sides, gives_in, without_cut, without_marks
from bot.rules.clock import VIRTUAL
from bot.rules.match import Match
from tests.fakes import Stage
from tests.minds.house_rounds import CATALOGUE, motion_of, round_of
from tests.minds.scripted import Late, Scripted, Step, turn

HOUSE = HouseDebater(CATALOGUE)
GOOD = "A town that can walk to the shop keeps the shop. Streets are for people first."


def brief_at(n: int = 8, name: str = "car-free-centres", order: str = "arena", **changes: Any) -> Brief:
    """The brief of turn `n` of a round by house minds."""
    played = round_of(name, 3, order)
    view = played.turns[n - 1]
    moves: tuple[Move, ...] = FREE_MOVES if view.phase == "free" else ("statement",)
    brief = Brief(
        seed=3,
        round=1,
        n=n,
        phase=view.phase,
        moves=moves,
        limit=400,
        seat=view.seat,
        side=view.side,
        persona="quill",
        motion=played.motion,
        partners=tuple(seat for seat in played.seats[view.side] if seat != view.seat),
        names={turn.seat: turn.name for turn in played.turns},
        turns=played.turns[: n - 1],
        budget_s=5.0,
        charge="community/match",
    )
    return replace(brief, **changes)


async def speak(*steps: Step, brief: Brief | None = None, cut: bool = False) -> tuple[Draft, Scripted]:
    model = Scripted(steps, cut=cut)
    draft = await ModelDebater(lambda _: model, HOUSE, CATALOGUE).speak(brief or brief_at())
    return draft, model


def told(brief: Brief) -> dict[str, Any]:
    """The quoted data of a turn's question."""
    user = ask_for(brief, CATALOGUE).user
    data, _ = json.JSONDecoder().raw_decode(user[user.index("{") :])
    return data


# ---------------------------------------------------------------- what it is told
def test_the_prefix_is_the_same_for_all_and_the_persona_comes_after_it():
    quill, zubin = (ask_for(brief_at(persona=persona), CATALOGUE).system for persona in ("quill", "zubin"))
    shared = next(at for at, (a, b) in enumerate(zip(quill, zubin, strict=False)) if a != b)
    assert shared > 0.8 * len(quill)
    assert ask_for(brief_at(n=12), CATALOGUE).system == quill


def test_nothing_that_others_wrote_is_in_the_system_prompt():
    ask = ask_for(brief_at(motion=motion_of("Zoos should be closed")), CATALOGUE)
    assert "Zoos" not in ask.system and "Zoos should be closed" in ask.user
    assert all(turn.name == "Quill" or turn.name not in ask.system for turn in brief_at().turns)


def test_the_latest_opposing_turns_are_told_word_for_word_and_the_rest_by_the_line():
    brief = brief_at(n=9)
    data = told(brief)
    latest = list(data["their latest"].values())
    opposing = [turn.text for turn in brief.turns if turn.side != brief.side]
    assert 1 <= len(latest) <= LATEST_TURNS and latest == opposing[-len(latest) :]
    lines = data["your side so far"] + data["their side so far"]
    assert all(line.split(" ", 1)[0].isdigit() for line in lines)
    assert all(len(line) < 200 for line in lines)
    assert any("[answered in" in line or "[open]" in line for n in range(5, 15) for line in _lines(brief_at(n)))


def _lines(brief: Brief) -> list[str]:
    data = told(brief)
    return data.get("your side so far", []) + data.get("their side so far", [])


def test_a_partner_is_named_and_its_points_are_among_ours():
    brief = brief_at(n=10)
    data = told(brief)
    partner = brief.names[brief.partners[0]]
    assert data["partners"] == [partner]
    assert any(line.split(" ")[1] == f"{partner}:" for line in data["your side so far"])
    assert any(line.split(" ")[1] == "you:" for line in data["your side so far"])


def test_a_brief_does_not_grow_with_the_round():
    turns = round_of("car-free-centres", 3).turns
    many = tuple(replace(turn, n=at) for at, turn in enumerate(turns * 8, 1))
    data = data_for(brief_at(turns=many), CATALOGUE)
    assert len(data["your side so far"]) <= MOST_LINES and len(data["their side so far"]) <= MOST_LINES
    assert len(json.dumps(data)) < 1.35 * len(json.dumps(data_for(brief_at(n=15), CATALOGUE)))


def test_the_question_names_the_moves_the_length_and_the_account():
    ask = ask_for(brief_at(), CATALOGUE)
    assert ask.schema == schema_of(FREE_MOVES, 400) and ask.schema["required"] == ["why", "move", "text"]
    assert "At most 55 words" in ask.user and ask.charge == "community/match"
    assert "At most 30 words" in ask_for(brief_at(), CATALOGUE, "too_long", short=True).user
    assert ask_for(brief_at(), CATALOGUE).seed != ask_for(brief_at(), CATALOGUE, "late").seed


def test_the_question_ends_with_the_side_that_is_spoken_for():
    brief = brief_at()
    for side, word, against in (("pro", "FOR", "AGAINST"), ("con", "AGAINST", "FOR")):
        last = ask_for(replace(brief, side=side), CATALOGUE).user.splitlines()[-1]
        assert last.startswith(f"You speak {word} the motion, they {against} it")
        assert last.endswith(json.dumps(brief.motion.sides[side]))
    # Formats with other sides speak for one of the bank's two stances.
    assert ask_for(replace(brief, side="oo"), CATALOGUE).user.endswith(json.dumps(brief.motion.sides["con"]))


@pytest.mark.parametrize(
    "complaint", ["too_long", "late", "unreadable", "refused", "copied", "stance", "forbidden:source"]
)
def test_every_complaint_is_told_after_the_brief(complaint):
    plain, told_off = ask_for(brief_at(), CATALOGUE), ask_for(brief_at(), CATALOGUE, complaint)
    assert told_off.system == plain.system and told_off.user.startswith(plain.user) and told_off.user != plain.user


# ---------------------------------------------------------------- what it says
async def test_a_good_turn_is_spoken_as_it_is():
    draft, model = await speak(turn(GOOD, "rebut", "answers turn 7"))
    assert draft == Draft("rebut", GOOD, "model", False, "scripted", "answers turn 7", Usage(1, 100, 20, 0.001))
    assert len(model.asked) == 1


async def test_without_a_model_the_house_mind_plays_and_that_is_no_fallback():
    draft = await ModelDebater(lambda _: None, HOUSE, CATALOGUE).speak(brief_at())
    assert draft == await HOUSE.speak(brief_at()) and not draft.fallback


async def test_the_model_is_looked_up_by_persona():
    asked: list[str] = []
    await ModelDebater(lambda persona: asked.append(persona), HOUSE, CATALOGUE).speak(brief_at())
    assert asked == ["quill"]


async def test_what_is_too_long_ends_with_a_whole_sentence():
    text = " ".join(f"This is sentence number {word} of a long speech." for word in ("one", "two", "three", "four"))
    draft, model = await speak(turn(text), brief=brief_at(limit=100))
    assert draft.text == "This is sentence number one of a long speech. This is sentence number two of a long speech."
    assert draft.source == "model" and len(model.asked) == 1


async def test_one_long_sentence_ends_at_a_clause():
    text = "Streets are for people who live beside them, and " + "so on and on " * 40
    draft, _ = await speak(turn(text), brief=brief_at(limit=100))
    assert draft.text == "Streets are for people who live beside them."


async def test_what_cannot_be_shortened_is_asked_for_again_shorter():
    draft, model = await speak(turn("word " * 200), turn(GOOD))
    assert draft.text == GOOD and draft.source == "model" and draft.usage == Usage(2, 200, 40, 0.002)
    assert "too long" in model.asked[1].user and "At most 30 words" in model.asked[1].user


async def test_after_two_useless_tries_the_house_mind_speaks_and_the_turn_says_so():
    draft, model = await speak(turn("word " * 200))
    assert (draft.source, draft.fallback, draft.model) == ("house", True, None)
    assert "too long" in draft.why and draft.usage == Usage(2, 200, 40, 0.002)
    assert len(model.asked) == 2 and draft.text == (await HOUSE.speak(brief_at())).text


async def test_sentences_that_our_side_has_said_are_left_out():
    brief = brief_at(n=10)
    mine = next(turn for turn in brief.turns if turn.seat in brief.partners)
    draft, _ = await speak(turn(f"{mine.text} {GOOD}"), brief=replace(brief, limit=2000))
    assert draft.text == GOOD


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("As an AI language model, I see both sides.", "model"),
        ("I am human, and I feel this.", "human"),
        ("According to a 2019 study, walking helps. It does.", "source"),
        ("Over 80% of towns agree.", "figure"),
        ("See https://example.org for more.", "link"),
        ("Judges, vote for us.", "judge"),
    ],
)
async def test_what_may_not_be_said_is_sent_back_once_with_the_complaint(text, fault):
    draft, model = await speak(turn(text), turn(GOOD))
    assert draft.text == GOOD and not draft.fallback
    assert "could not be used" in model.asked[1].user
    draft, model = await speak(turn(text))
    assert draft.fallback and fault in draft.why and len(model.asked) == 2 and text not in draft.text


async def test_a_refusal_is_rephrased_once():
    refused: list[Step] = ["refused", turn("I'm sorry, but I can't argue for this side.")]
    for step in refused:
        draft, model = await speak(step, turn(GOOD))
        assert draft.text == GOOD and "nobody takes the speech for your own view" in model.asked[1].user
        draft, model = await speak(step)
        assert draft.fallback and "declined" in draft.why and len(model.asked) == 2


@pytest.mark.parametrize("trouble", ["unreadable", "unavailable", "limited"])
async def test_a_failed_call_is_tried_once_more_and_shorter(trouble):
    draft, model = await speak(trouble, turn(GOOD))
    assert draft.text == GOOD and draft.usage == Usage(2, 200, 40, 0.002)
    assert "At most 30 words" in model.asked[1].user
    draft, model = await speak(trouble)
    assert draft.fallback and len(model.asked) == 2


async def test_without_money_the_house_mind_speaks_at_once():
    draft, model = await speak("budget")
    assert draft.fallback and "budget" in draft.why and len(model.asked) == 1


@pytest.mark.parametrize("answer", [{}, {"text": 3, "move": "argue"}, {"text": "Yes.", "move": "sing"}])
async def test_an_answer_that_is_no_turn_is_tried_again(answer):
    draft, model = await speak(answer, turn(GOOD))
    assert draft.text == GOOD and len(model.asked) == 2


async def test_an_empty_speech_is_no_turn():
    draft, _ = await speak(turn("\u200b ... "))
    assert draft.fallback and "empty" in draft.why


# ---------------------------------------------------------------- its own words, its own side
@pytest.mark.parametrize("ours", [True, False])
async def test_an_earlier_turn_again_is_sent_back_once(ours):
    brief = brief_at(n=10)
    seats = {brief.seat, *brief.partners}
    earlier = next(view.text for view in brief.turns if (view.seat in seats) == ours)
    nearly = f"Well, {earlier[0].lower()}{earlier[1:]}"
    for again in (earlier, nearly):
        draft, model = await speak(turn(again), turn(GOOD), brief=brief, cut=True)
        assert draft.text == GOOD and "an earlier turn again" in model.asked[1].user
        draft, model = await speak(turn(again), brief=brief, cut=True)
        assert draft.fallback and "earlier turn again" in draft.why and len(model.asked) == 2


async def test_a_quoted_phrase_is_no_copy():
    brief = brief_at(n=10)
    phrase = " ".join(brief.turns[-1].text.split()[:6])
    text = f"They tell us “{phrase}”. Yet a town lives from those who walk in it, and nothing they said meets that."
    draft, _ = await speak(turn(text), brief=brief, cut=True)
    assert draft.text == text


async def test_the_other_side_is_not_spoken_for():
    brief = brief_at()
    wrong = "oppose" if brief.side == "pro" else "support"
    text = f"I strongly {wrong} the motion. Streets are what they are."
    draft, model = await speak(turn(text), turn(GOOD), brief=brief)
    assert draft.text == GOOD and "spoke for the other side" in model.asked[1].user
    draft, _ = await speak(turn(text), brief=brief)
    assert draft.fallback and "the other side" in draft.why


@pytest.mark.parametrize(
    ("side", "text"),
    [
        ("pro", "I'm against the motion."),
        ("pro", "We do not support this motion."),
        ("pro", "So the motion should be rejected."),
        ("pro", "I believe that good zoos should stay open."),
        ("con", "I support the motion."),
        ("con", "We are firmly in favour of this motion."),
        ("con", "They care for animals. However, I believe that zoos should be closed for several reasons."),
        ("con", "The motion must stand."),
    ],
)
def test_these_change_sides(side, text):
    brief = zoo(side)
    assert changes_sides(text, brief) and not changes_sides(text, zoo("con" if side == "pro" else "pro"))


@pytest.mark.parametrize(
    ("side", "text"),
    [
        ("pro", "You oppose the motion, and you gave no reason."),
        ("pro", "I do not oppose the motion."),
        ("pro", "They say “I oppose the motion”."),
        ("con", "Why should I support the motion?"),
        ("con", "I do not believe that zoos should be closed."),
        ("con", "You think that zoos should be closed."),
        ("con", "I agree that zoos should be closed where they are bad, but most of them are not."),
    ],
)
def test_these_do_not(side, text):
    assert not changes_sides(text, zoo(side))


def test_agreeing_and_no_more_gives_in():
    brief = zoo("con")
    them = next(name for seat, name in brief.names.items() if seat not in (brief.seat, *brief.partners))
    assert gives_in("I agree. Close them.", brief) and gives_in(f"I fully agree with {them}, who says so.", brief)
    assert not gives_in(f"I agree with {them} on one thing. But it proves our case.", brief)
    assert not gives_in("We all know what they want.", brief)


def zoo(side: str) -> Brief:
    motion = MotionText(None, "", "Zoos should be closed", {"pro": "Close them", "con": "Good zoos should stay open"})
    return brief_at(motion=motion, side=side)


async def test_marks_of_the_brief_are_not_spoken():
    draft, _ = await speak(
        turn("Your point on shops [open] still stands. [answered in 3, met in 5] It is ours (open).")
    )
    assert draft.text == "Your point on shops still stands. It is ours."
    assert without_marks("A shop (open all day) is [a] shop [set aside") == "A shop (open all day) is [a] shop"


async def test_a_sentence_is_not_said_twice_in_a_turn():
    draft, _ = await speak(turn(f"{GOOD} {GOOD} And so a town that can walk to the shop keeps the shop."))
    assert draft.text == GOOD


def test_what_the_server_cut_is_left_out():
    assert without_cut("It is ours. And what they", 25) == "It is ours."
    assert without_cut("It is ours. And theirs.", 30) == "It is ours. And theirs."
    assert without_cut("It is", 5) == "It is"


async def test_only_what_a_server_cuts_is_taken_for_cut():
    text = f"{GOOD} And a last one that fills what a schema of a hundred"
    for cut, said in ((True, GOOD), (False, text)):
        model = Scripted([turn(text)], cut=cut)
        draft = await ModelDebater(lambda _, model=model: model, HOUSE, CATALOGUE).speak(brief_at(limit=160))
        assert draft.text == said


# ---------------------------------------------------------------- time
async def test_a_slow_model_is_hedged_and_the_first_to_answer_is_heard():
    draft, model = await speak(Late(5, turn("Too late.")), turn(GOOD), brief=brief_at(budget_s=0.3))
    assert draft.text == GOOD and len(model.asked) == 2 and "Be quick" in model.asked[1].user


async def test_a_model_that_answers_one_at_a_time_is_waited_for():
    model = Scripted([Late(0.3, turn(GOOD)), turn("Too soon.")], one_at_a_time=True)
    draft = await ModelDebater(lambda _: model, HOUSE, CATALOGUE).speak(brief_at(budget_s=0.4))
    assert draft.text == GOOD and len(model.asked) == 1


async def test_a_stuck_model_costs_no_more_than_the_budget():
    began = time.monotonic()
    draft, model = await speak(Late(60), brief=brief_at(budget_s=0.3))
    assert time.monotonic() - began < 0.6
    assert draft.fallback and "late" in draft.why and len(model.asked) == 2


async def test_a_second_try_that_is_stuck_ends_with_the_budget_too():
    began = time.monotonic()
    draft, _ = await speak(turn("As an AI language model, no."), Late(60), brief=brief_at(budget_s=0.3))
    assert time.monotonic() - began < 0.6 and draft.fallback


async def test_without_time_nobody_is_asked():
    draft, model = await speak(turn(GOOD), brief=brief_at(budget_s=0.0))
    assert draft.fallback and not model.asked


# ---------------------------------------------------------------- conduct
@pytest.mark.parametrize(
    "text",
    [
        "As an AI, I would never say so.",
        "I'm just a language model.",
        "I was trained to say this.",
        "I am not a bot.",
        "As humans, we need rest.",
        "Studies show that walking helps.",
        "Research from Oxford suggests as much.",
        "Experts say so.",
        "Harvard found it.",
        "In 2019, a survey found it.",
        "Nine percent of towns.",
        "Three million people walk.",
        "It cost $400 each.",
        "It is 3 times more likely.",
        "You are an idiot.",
        "**Point one**",
        "1. First\n2. Second",
    ],
)
def test_these_are_faults(text):
    assert fault_in(text, "") is not None


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        "An AI that drives is safer than a tired driver.",
        "Ask a person who has waited for a bus in the rain.",
        "The study of history teaches patience.",
        "A report on the table changes nothing by itself.",
        "Machines make mistakes, and so do judges in court.",
        "Nobody says that twice two is five.",
        "I cannot see why a street should belong to cars.",
    ],
)
def test_these_are_none(text):
    assert fault_in(text, "") is None and not is_refusal(text)


def test_what_stands_in_the_brief_may_be_said_again():
    said = "According to a 2019 study, 80% of towns agree."
    assert fault_in(said, f"somebody said: {said}") is None
    assert fault_in("You say 80% of towns agree.", said) is None


def test_house_speeches_are_hardly_ever_at_fault():
    turns = [turn.text for seed in range(3) for name in ("ai-jobs", "zoos", "inheritance-tax", "free-will")
             for turn in round_of(name, seed).turns]  # fmt: skip
    assert sum(fault_in(text, "") is not None for text in turns) <= 0.01 * len(turns)


# ---------------------------------------------------------------- fitting
def test_sentences_are_not_broken_at_points_that_end_none():
    text = "It costs 3.5 coins, e.g. here. Mr. Smith paid. Did he? “Yes.” He did…"
    assert parts_of(text) == ["It costs 3.5 coins, e.g. here.", "Mr. Smith paid.", "Did he?", "“Yes.”", "He did…"]


@pytest.mark.parametrize("limit", range(20, 90, 3))
def test_a_fitted_text_never_exceeds_and_never_cuts_a_word(limit):
    text = "Streets are for people, and shops, old or new; live from feet. Cars pass by without a look. So close it."
    fitted = fit(text, limit)
    assert len(fitted) <= limit and set(fitted.rstrip(".").split()) <= {word.strip(".") for word in text.split()} | set(
        text.replace(",", "").replace(";", "").split()
    )
    assert not fitted or fitted[-1] in ".!?"


def test_a_speech_is_spoken_without_label_or_quotation_marks():
    assert neat('Quill: "Streets  are\nfor people."', "Quill") == "Streets are for people."
    assert neat("REBUT: Not so.") == "Not so."
    assert neat("Quill, we say no.", "Quill") == "We say no."
    assert without_repeats("Same again.", {"same again"}) == "Same again."


# ---------------------------------------------------------------- time and account by the match
@pytest.mark.parametrize(("speed", "by"), [(VIRTUAL, 1.0), (2.0, 2.0)])
async def test_a_turn_and_a_ballot_have_the_time_of_the_format(speed, by, monkeypatch):
    stage = Stage()
    await stage.up()
    briefs: list[Brief] = []
    ballots: list[Transcript] = []
    turn_of, ballot_of = stage.minds.turn, stage.minds.ballot

    async def turn(match: Match, seat: str) -> Said:
        briefs.append(brief_for(match, seat))
        return await turn_of(match, seat)

    async def ballot(match: Match, judge: str) -> Voted:
        ballots.append(transcript_for(match, judge))
        return await ballot_of(match, judge)

    monkeypatch.setattr(stage.minds, "turn", turn)
    monkeypatch.setattr(stage.minds, "ballot", ballot)
    await stage.open(speed=speed, format="duel")
    await stage.begin()
    if speed == VIRTUAL:
        assert stage.host is not None
        await stage.host.finished("m1")
    else:
        await stage.time.advance(600)
    budgets = {brief.phase: brief.budget_s for brief in briefs}
    # The pace before the slot and the slot, less a second for storing and showing.
    assert budgets == pytest.approx({"opening": 29 / by, "free": 24 / by, "closing": 24 / by}, abs=0.3)
    assert ballots[0].budget_s == pytest.approx(29 / by, abs=0.3)
    match = stage.match()
    assert {brief.charge for brief in briefs} == {ballots[0].charge} == {f"{match.community}/{match.id}"}


def test_full_length_speeches_keep_a_classic_match_within_its_price():
    turn, ballot, whole = full_length_tokens()
    assert 6 * (15 * turn + 3 * ballot) < 110_000 < 6 * (15 * whole + 3 * ballot)
