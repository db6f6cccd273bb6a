"""Boards are drawn anew only for events that may change them, and for all that do."""

from __future__ import annotations

from hypothesis import settings

from bot.messages.market import market_body
from bot.messages.publish import ON_NO_BOARD, MatchPublisher, lobby_body
from bot.messages.words import words
from bot.rules import commands as c
from bot.rules.evolve import fold
from bot.rules.match import Match
from tests.rules.play import Game
from tests.rules.profiles import EXPLORE
from tests.rules.test_explore import AnySequence


def drawn(match: Match) -> list[str]:
    """Both boards, whatever has happened."""
    return [lobby_body(words(), match), *([market_body(words(), match)] if match.market and match.started_at else [])]


class Watched(AnySequence):
    """Any match, its boards looked at after each event."""

    def send(self, command: c.Command) -> None:
        seen, state = len(self.game.log), self.match
        super().send(command)
        for event in self.game.log[seen:]:
            after = fold((event,), state)
            if type(event) in ON_NO_BOARD and state.seq:
                assert drawn(after) == drawn(state), type(event).__name__
            state = after


class TestBoards(Watched.TestCase):
    settings = settings(EXPLORE, max_examples=40)


def test_the_bulk_of_a_match_draws_none() -> None:
    game = Game("classic", market=True)
    game.to_end()
    publisher, state, times = MatchPublisher(), Match(), 0
    for event in game.log:
        state = fold((event,), state)
        times += bool(publisher.boards((event,), state))
    assert 8 < times < len(game.log) / 10
