"""How long people get, how a match's clock runs, and how chance repeats itself."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.rules.clock import VIRTUAL, Clock, is_speed
from bot.rules.duration import expected_minutes
from bot.rules.events import JudgingClosed
from bot.rules.seeding import Draw, seed_of
from bot.rules.tempo import Tempo, default_tempo, timeout_ms
from tests.rules.play import Game, started
from tests.rules.profiles import MODEST


class TestTempo:
    @pytest.mark.parametrize(
        ("tempo", "seconds"),
        [(Tempo.BLITZ, 15), (Tempo.STANDARD, 60), (Tempo.RELAXED, 120), (Tempo.CORRESPONDENCE, 86_400)],
    )
    def test_factors(self, tempo: Tempo, seconds: int) -> None:
        assert timeout_ms(tempo, 15) == seconds * 1000

    def test_a_seats_own_multiplier_comes_on_top_and_never_shortens(self) -> None:
        assert timeout_ms(Tempo.STANDARD, 20, 2.5) == 200_000
        assert timeout_ms(Tempo.BLITZ, 20, 0.1) == 20_000
        assert timeout_ms(Tempo.CORRESPONDENCE, 20, 1.5) == 36 * 3600 * 1000

    def test_default_is_blitz_for_ais_and_relaxed_for_people(self) -> None:
        assert default_tempo(person_debates=False) is Tempo.BLITZ
        assert default_tempo(person_debates=True) is Tempo.RELAXED

    def test_pace_and_reveals_keep_their_beat(self) -> None:
        for tempo, factor in ((Tempo.BLITZ, 1), (Tempo.RELAXED, 8)):
            game = started("duel", tempo=tempo)
            slot = game.to_slot(1)
            assert slot.opened_at is not None
            assert game.since_start(slot.opened_at) == 10  # the pace
            assert slot.deadline == slot.opened_at + 20_000 * factor
            game.to_judging()
            judging = game.match.rounds[-1].judging
            assert judging is not None
            assert judging.deadline == game.now + 30_000 * factor
            game.step()
            closed = game.now
            assert game.events(JudgingClosed)
            game.to_end()
            assert [event.at - closed for event in game.log if event.name == "ballot_revealed"] == [
                6_000,
                12_000,
                18_000,
            ]

    @pytest.mark.parametrize("n_people", [0, 1])
    def test_expected_minutes_know_the_default_tempo(self, n_people: int) -> None:
        """Before the start the tempo is not set yet; the estimate must be the one that will come true."""
        lobby, open_tempo = Game("duel"), Game("duel", tempo=Tempo.RELAXED if n_people else Tempo.BLITZ)
        for n in range(n_people):
            lobby.join(f"person-{n}")
            open_tempo.join(f"person-{n}")
        assert expected_minutes(lobby.match) == expected_minutes(open_tempo.match)


class TestClock:
    def test_runs_at_its_speed(self) -> None:
        clock = Clock(running=True, wall=1_000, match=50_000, speed=20)
        assert clock.match_at(1_000) == 50_000
        assert clock.match_at(2_000) == 70_000
        assert clock.match_at(0) == 50_000  # never before it started
        assert clock.wall_at(70_000) == 2_000

    def test_stands_still(self) -> None:
        clock = Clock(running=False, wall=1_000, match=50_000)
        assert clock.match_at(10**12) == 50_000
        assert clock.wall_at(60_000) is None

    def test_virtual_jumps_only(self) -> None:
        clock = Clock(running=True, wall=1_000, match=50_000, speed=VIRTUAL)
        assert clock.virtual
        assert clock.match_at(10**12) == 50_000
        assert clock.wall_at(60_000) is None

    def test_speeds(self) -> None:
        assert is_speed(0)
        assert is_speed(0.5)
        assert not any(is_speed(speed) for speed in (-1, float("inf"), float("nan")))

    @MODEST
    @given(st.integers(0, 10**13), st.integers(0, 10**13), st.sampled_from([0.5, 1, 3, 20, 60]), st.integers(0, 10**9))
    def test_there_and_back(self, wall: int, match: int, speed: float, later: int) -> None:
        clock = Clock(running=True, wall=wall, match=match, speed=speed)
        there = clock.wall_at(match + later)
        assert there is not None
        assert abs(clock.match_at(there) - (match + later)) <= 1 + speed // 1000


class TestDraw:
    def test_is_the_same_everywhere(self) -> None:
        """Written down once: a release that draws otherwise would change every match that is being played."""
        draw = Draw(7, "motions")
        assert [draw.below(100) for _ in range(8)] == [11, 95, 72, 43, 0, 29, 34, 61]
        assert "".join(Draw(7, "cast").shuffled("abcdef")) == "dbafce"

    def test_labels_part_the_streams(self) -> None:
        assert Draw(7, "a").below(10**9) != Draw(7, "b").below(10**9)
        assert Draw(7, "a", 1).below(10**9) != Draw(7, "a", 2).below(10**9)

    def test_is_even(self) -> None:
        faces = Counter(Draw(seed, "die").below(6) for seed in range(6_000))
        assert all(850 < faces[face] < 1_150 for face in range(6))
        orders = Counter("".join(Draw(seed, "order").shuffled("abc")) for seed in range(6_000))
        assert len(orders) == 6
        assert all(850 < times < 1_150 for times in orders.values())

    def test_nothing_to_draw_from(self) -> None:
        with pytest.raises(ValueError, match="cannot draw from nothing"):
            Draw(7).below(0)

    def test_seed_of_a_match(self) -> None:
        assert seed_of("abc") == 0xBA7816BF  # the first bytes of SHA-256("abc"), from FIPS 180
        assert seed_of("abd") != seed_of("abc")
