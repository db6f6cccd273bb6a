"""The motions of a match: drawn without repeats by the seed, after those that were forced (docs/rules.md,
"classic")."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.rules.motion import Motion, custom_motion, draw_motions, same_motion
from tests.rules.play import MOTIONS
from tests.rules.profiles import MODEST


def test_thirty_five_in_six_categories() -> None:
    assert Counter(motion.category for motion in MOTIONS) == {
        "Technology": 8, "Society": 7, "Culture": 6, "Philosophy": 5, "Science": 5, "Economics": 4,
    }  # fmt: skip
    assert len({motion.id for motion in MOTIONS}) == 35
    assert len({same_motion(motion) for motion in MOTIONS}) == 35


def test_each_has_its_own_words_for_both_sides() -> None:
    stances = [stance for motion in MOTIONS for stance in (motion.pro, motion.con)]
    assert all(stance.strip() for stance in stances)
    assert len(set(stances)) == 70


def test_the_sources_examples_are_there() -> None:
    by_id = {motion.id: motion.text for motion in MOTIONS}
    assert by_id["ai-jobs"] == "AI will replace more jobs than it creates"
    assert "ai-art-copyright" in by_id


class TestDraw:
    @MODEST
    @given(st.integers(), st.integers(0, 35))
    def test_no_repeats(self, seed: int, n: int) -> None:
        drawn = draw_motions(seed, MOTIONS, n)
        assert len(drawn) == len({motion.id for motion in drawn}) == n

    def test_the_seed_decides_whatever_the_order_of_the_pool(self) -> None:
        assert draw_motions(7, MOTIONS, 9) == draw_motions(7, MOTIONS[::-1], 9)
        assert draw_motions(7, MOTIONS, 9) != draw_motions(8, MOTIONS, 9)
        assert draw_motions(7, MOTIONS, 3) == draw_motions(7, MOTIONS, 9)[:3]

    def test_every_motion_comes_up(self) -> None:
        first = Counter(draw_motions(seed, MOTIONS, 1)[0].id for seed in range(3_500))
        assert set(first) == {motion.id for motion in MOTIONS}
        assert all(50 < times < 160 for times in first.values())

    def test_forced_ones_come_first_in_their_order(self) -> None:
        forced = [MOTIONS[20], custom_motion("Tea is better than coffee"), MOTIONS[3]]
        drawn = draw_motions(7, MOTIONS, 9, forced)
        assert list(drawn[:3]) == forced
        assert len({motion.text for motion in drawn}) == 9

    def test_a_forced_one_is_not_drawn_again_however_it_is_written(self) -> None:
        typed = custom_motion("  ai WILL replace   more jobs than it creates. ")
        for seed in range(50):
            drawn = draw_motions(seed, MOTIONS, 35, [typed])
            assert "ai-jobs" not in {motion.id for motion in drawn}

    def test_more_forced_than_needed(self) -> None:
        assert draw_motions(7, MOTIONS, 1, MOTIONS[:3]) == MOTIONS[:1]

    def test_a_pool_with_doubles_gives_no_repeats(self) -> None:
        drawn = draw_motions(7, [*MOTIONS[:5], *MOTIONS[:5], custom_motion(MOTIONS[0].text)], 5)
        assert {motion.text for motion in drawn} == {motion.text for motion in MOTIONS[:5]}

    def test_too_small_a_pool(self) -> None:
        with pytest.raises(ValueError, match="9 motions are needed and only 5 are there"):
            draw_motions(7, MOTIONS[:5], 9)

    def test_a_category_comes_first_and_the_others_when_it_runs_out(self) -> None:
        drawn = draw_motions(7, MOTIONS, 9, category="Economics")
        assert [motion.category for motion in drawn[:4]] == ["Economics"] * 4
        assert all(motion.category != "Economics" for motion in drawn[4:])
        assert len({motion.id for motion in drawn}) == 9

    def test_forced_ones_come_before_the_category(self) -> None:
        drawn = draw_motions(7, MOTIONS, 2, [MOTIONS[0]], "Economics")
        assert (drawn[0], drawn[1].category) == (MOTIONS[0], "Economics")


class TestCustom:
    def test_for_and_against(self) -> None:
        assert custom_motion("Tea is better than coffee") == Motion(
            id=None, category="Custom", text="Tea is better than coffee",
            pro="For: Tea is better than coffee", con="Against: Tea is better than coffee",
        )  # fmt: skip

    def test_is_cleaned_to_one_line(self) -> None:
        assert custom_motion(" Tea\nis \u200bbetter\ud800\0 ").text == "Tea is better"
