"""What AIs say is held to a community's word list, too."""

from __future__ import annotations

from bot.catalogue import load_catalogue
from bot.community.policy import MASK, Policy, masked, pool_for
from bot.minds.moderated import Moderated
from tests.fakes import Reciters, Stage


def test_a_word_is_hidden_and_the_rest_stays() -> None:
    policy = Policy(blocked_words=("zoo", "very bad"))
    assert masked(policy, "A ZOO, they say, is a z.o.o.") == f"A {MASK} they say, is a {MASK}"
    assert masked(policy, "This is very bad indeed.") == MASK, "a phrase is in no single word"
    assert masked(policy, "Zookeepers are fine.") == "Zookeepers are fine."


def test_motions_with_such_words_are_not_drawn() -> None:
    motions = load_catalogue().motions
    allowed = pool_for(Policy(blocked_words=("zoos",)), motions)
    assert {motion.id for motion in motions} - {motion.id for motion in allowed} == {"zoos"}
    assert pool_for(None, motions) == tuple(motions)


async def test_turns_and_reasons_pass_through_it() -> None:
    stage = Stage()
    host = await stage.up()
    await stage.open()
    await stage.begin()
    match = host.peek("m1")
    assert match is not None
    minds = Moderated(Reciters(), lambda community, text: f"{community}: hidden")
    assert (await minds.turn(match, match.slot.plan.seat if match.slot else "P0")).text.startswith(match.community)
    assert (await minds.ballot(match, "J0")).reason == f"{match.community}: hidden"
