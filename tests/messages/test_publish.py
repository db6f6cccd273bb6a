"""What people read of a match: which posts, in which order, with which gates; and that nothing foreign gets through
as more than text."""

from __future__ import annotations

from typing import Any

from bot.messages.card import Card, people_in, person_token, with_names
from bot.messages.record import record
from bot.messages.transcript import escaped, markdown
from bot.rules import commands as c
from bot.rules.clock import VIRTUAL
from bot.rules.text import clean
from tests.fakes import Stage


async def played(**more: Any) -> Stage:
    stage = Stage()
    host = await stage.up()
    await stage.open(speed=VIRTUAL, **more)
    await stage.begin()
    await host.finished("m1")
    return stage


def cards(stage: Stage) -> list[Card]:
    return [Card.model_validate_json(post.body) for post in stage.venue.posted]


async def test_a_duel_is_told_from_start_to_end() -> None:
    stage = await played()
    assert stage.venue.kinds() == [
        "intro", "round", *["speech"] * 8, "judging", *["reveal"] * 3, "verdict", "final", "fairness",
    ]  # fmt: skip
    gates = [post.gate for post in stage.venue.posted if post.gate]
    assert gates == ["reveal:1:J0", "reveal:1:J1", "reveal:1:J2"]


async def test_only_gating_posts_have_gates_and_every_reveal_has_one() -> None:
    stage = await played(format="classic")
    for post in stage.venue.posted:
        assert (post.gate is not None) == (post.kind == "reveal")


async def test_a_reveal_does_not_tell_what_is_still_secret() -> None:
    stage = await played()
    reveals = [card for card in cards(stage) if card.kind == "reveal"]
    assert [card.label for card in reveals] == ["Vote 1 of 3", "Vote 2 of 3", "Vote 3 of 3"]
    before_verdict = stage.venue.kinds().index("verdict")
    for post in stage.venue.posted[: before_verdict - 3]:
        assert "votes Pro" not in post.body and "votes Con" not in post.body


async def test_only_whose_turn_it_is_may_be_notified() -> None:
    stage = Stage()
    host = await stage.up()
    await stage.open()
    await host.tell("m1", c.Join(at=0, person="ann", seat="P0"))
    await host.tell("m1", c.Join(at=0, person="bob", seat="J0"))
    await stage.begin()
    await stage.time.advance(2000)
    made = cards(stage)
    assert {card.ping for card in made if card.kind == "prompt"} == {("ann",)}
    assert {card.ping for card in made if card.kind == "vote"} == {("bob",)}
    assert all(not card.ping for card in made if card.kind not in ("prompt", "vote"))


async def test_a_button_says_which_turn_and_which_vote_it_is_for() -> None:
    stage = Stage()
    host = await stage.up()
    await stage.open()
    await host.tell("m1", c.Join(at=0, person="ann", seat="P0"))
    await host.tell("m1", c.Join(at=0, person="bob", seat="J0"))
    await stage.begin()
    await stage.time.advance(2000)
    for post in stage.venue.posted:
        buttons = [(button.action, button.arg) for button in Card.model_validate_json(post.body).buttons]
        if post.kind == "prompt" and post.gate is not None:
            turn = ".".join(post.gate.split(":")[1:])
            assert buttons == [("speak", turn), ("pass", turn)]
        elif post.kind == "vote":
            assert buttons == [("vote", "1.pro"), ("vote", "1.con")]
        elif post.kind == "round":
            assert buttons == [("report", "1")]
        else:
            assert not buttons
    assert {"prompt", "vote"} <= set(stage.venue.kinds())


async def test_people_stand_as_tokens_that_nobody_can_type() -> None:
    stage = Stage()
    host = await stage.up()
    await stage.open()
    await host.tell("m1", c.Join(at=0, person="ann", seat="P0"))
    await stage.begin()
    await stage.time.advance(30)
    intro = next(card for card in cards(stage) if card.kind == "intro")
    assert people_in(intro) == {"ann"}
    assert person_token("ann") in intro.facts[0].value
    assert with_names(intro.facts[0].value, {"ann": "Ann"}, "?").startswith("P0 Ann")
    assert "\x02" not in clean(f"hello {person_token('eve')}")


async def test_the_transcript_shows_every_turn_and_keeps_markdown_out() -> None:
    stage = await played()
    made = record(stage.match())
    made["rounds"][0]["turns"][0]["text"] = "# Title\n\n1. **bold** <b>x</b> [a](b)"
    page = markdown(made)
    for turn in made["rounds"][0]["turns"][1:]:
        assert escaped(turn["text"]) in page
    assert "> \\# Title\n>\n> 1\\. \\*\\*bold\\*\\* \\<b\\>x\\</b\\> \\[a\\](b)" in page


async def test_the_lobby_is_a_board_that_follows_who_sits_where() -> None:
    stage = Stage()
    stage.venue.board_every_s = 2.0
    host = await stage.up()
    await stage.open()
    await host.tell("m1", c.Join(at=0, person="ann", seat="P1"))
    await stage.time.advance(5)
    board = Card.model_validate_json(stage.venue.boards[-1].body)
    assert [fact.value for fact in board.facts][:2] == ["free", person_token("ann")]
    assert [button.action for button in board.buttons] == ["join", "join", "pick", "leave", "begin", "cancel"]
    await stage.begin()
    await stage.time.advance(5)
    begun = Card.model_validate_json(stage.venue.boards[-1].body)
    assert begun.buttons == ()


async def test_the_lobby_says_which_seats_an_ai_takes() -> None:
    stage = Stage()
    stage.venue.board_every_s = 2.0
    await stage.up()
    await stage.open(reserved=("P1",))
    await stage.time.advance(5)
    board = Card.model_validate_json(stage.venue.boards[-1].body)
    assert [fact.value for fact in board.facts] == ["free", "kept for an AI", "free", "free", "free"]


async def test_the_lobby_says_that_it_waits_for_a_free_place() -> None:
    stage = Stage()
    stage.capacity = 1
    stage.venue.board_every_s = 2.0
    await stage.up()
    for id in ("m1", "m2"):
        await stage.open(id, lobby_until=stage.time.wall() + 600_000)
        await stage.begin(id)
    await stage.time.advance(5)
    waiting, begun = (
        Card.model_validate_json(next(board.body for board in reversed(stage.venue.boards) if board.match == id))
        for id in ("m2", "m1")
    )
    assert "waits for a free place" in waiting.title and "starts by itself" in waiting.text
    assert [button.action for button in waiting.buttons] == ["join", "join", "pick", "leave", "cancel"]
    assert waiting.deadline is None
    assert "has begun" in begun.title and "by itself" not in begun.text


async def test_thirty_joins_in_a_second_are_two_edits_and_the_last_shows_all() -> None:
    stage = Stage()
    stage.venue.board_every_s = 2.0
    host = await stage.up()
    await stage.open(format="classic", judges=15)
    await stage.time.advance(5)
    shown = len(stage.venue.boards)
    for number in range(21):
        await host.tell("m1", c.Join(at=0, person=f"p{number}", role="debater" if number < 6 else "judge"))
        await stage.time.advance(0.03)
    await stage.time.advance(5)
    assert len(stage.venue.boards) - shown <= 2
    assert "free" not in [fact.value for fact in Card.model_validate_json(stage.venue.boards[-1].body).facts]


async def test_votes_build_up_without_telling_what_is_secret() -> None:
    stage = await played()
    reveals = [card for card in cards(stage) if card.kind == "reveal"]
    assert [len(card.stack) for card in reveals] == [0, 1, 2]
    assert [fact.label for fact in reveals[2].stack] == [card.title for card in reveals[:2]]
