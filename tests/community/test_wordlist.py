"""The word list: what is found however it is disguised, what is not, and that no text makes it slow or raise."""

from __future__ import annotations

import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.community.wordlist import LONGEST_PATTERN, WordList, fold, refused


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("bad", "this is BAD!"),
        ("bad", "b.a.d"),
        ("bad", "b a d"),
        ("bad", "you are a b a d one"),
        ("bad", "b_a_d"),
        ("bad", "ba-d"),
        ("bad", "b4d"),
        ("bad", "b@d"),
        ("bad", "bàd"),
        ("bad", "b̶a̶d̶"),
        ("bad", "b\u200bad"),
        ("bad", "ＢＡＤ"),
        ("bad", "𝓫𝓪𝓭"),
        ("bad", "bаd"),  # a Cyrillic letter
        ("bad", "βad"),
        ("bad", "🇧🇦🇩"),
        ("bad", "🅱🅰🅳"),
        ("bad", "bad123"),
        ("bad", "bad@home"),
        ("bad", "bad_word"),
        ("hell", "h3ll"),
        ("hell", "he11"),
        ("hell", "what the hell!!!"),
        ("shit", "sh!t!"),
        ("sh1t", "shit"),
        ("slit", "s11t"),
        ("ass", "@$$"),
        ("ass", "a55"),
        ("1488", "the 1488 thing"),
        ("kill yourself", "go KILL,\n y0urself"),
        ("kill * self", "kill your self"),
        ("it's bad", "It’s bad"),
        ("kill*", "killing"),
        ("*kill", "overkill"),
        ("*cunt*", "Scunthorpe"),
        ("k*ll", "kll"),
        ("k*ll", "ki11"),
        ("ab*cd*ef", "xx abzzcdqef"),
        ("хуй", "ХУЙ"),
        ("नमस्ते", "नमस्ते जी"),
    ],
)
def test_a_pattern_is_found_however_it_is_written(pattern: str, text: str) -> None:
    assert WordList([pattern]).find(text) == pattern


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("cunt", "Scunthorpe"),
        ("hell", "he'll go to the shell"),
        ("ass", "455 people paid $455 for 4.55 classes"),
        ("so", "50 years"),
        ("slit", "silt and s1lty"),
        ("*kill", "killer"),
        ("foo*oo", "foo"),
        ("ab*cd*ef", "abzzefcd"),
        ("shit", "push it, push-it"),
        ("*shit*", "push-it"),
        ("kill yourself", "yourself kill"),
        ("1488", "14 88"),
        ("bad", ""),
        ("bad", "b\na\nclad"),
    ],
)
def test_what_only_looks_like_it_is_left_alone(pattern: str, text: str) -> None:
    assert WordList([pattern]).find(text) is None


@pytest.mark.parametrize("pattern", ["", " ", "*", "* *", "a", "a*", "**a*", ".", "!!", "🙂"])
def test_a_pattern_that_blocks_everything_is_refused(pattern: str) -> None:
    refusal = refused(pattern)
    assert refusal is not None and refusal.code == "pattern_bare"
    assert WordList([pattern]).find("anything at all, a b c") is None


def test_the_longest_pattern_fits_exactly() -> None:
    assert refused("x" * LONGEST_PATTERN) is None
    refusal = refused("x" * (LONGEST_PATTERN + 1))
    assert refusal is not None and refusal.code == "pattern_long"


WORDS = st.text(string.ascii_letters, min_size=2, max_size=20)
ODD = st.text(st.one_of(st.characters(), st.sampled_from("ab1i!|@$*.-' \u200d\u0301")), max_size=200)


@given(st.lists(st.text(max_size=70), max_size=5), ODD)
def test_no_text_and_no_pattern_makes_it_raise(patterns: list[str], text: str) -> None:
    for pattern in patterns:
        refused(pattern)
    WordList(patterns).find(text)


@given(WORDS, ODD, ODD)
def test_a_word_between_spaces_is_always_found(word: str, before: str, after: str) -> None:
    assert WordList([word]).find(f"{before} {word} {after}") == word


@given(WORDS, WORDS, ODD, ODD)
def test_a_word_with_a_star_is_always_found(head: str, tail: str, before: str, after: str) -> None:
    assert WordList([f"{head}*{tail}"]).find(f"{before} {head}xyz{tail} {after}") is not None


@given(ODD)
def test_folding_is_done_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    "text", ["word " * 800, "a" * 4000, "a." * 2000, "a " * 2000, "1!" * 2000, "аб" * 2000, "\u0301" * 4000]
)
def test_it_takes_no_long_time(text: str) -> None:
    """The figure to reach is 10 ms on an idle machine; a test machine gets ten times that, and what is quadratic takes
    longer still."""
    patterns = [f"*{a}{b}x{b}*{a}qq*" for a in string.ascii_lowercase for b in "abcdefgh"][:100]
    patterns += [f"{a}{b}word" for a in string.ascii_lowercase for b in "abcdefgh"][:100]
    words = WordList(patterns)
    took: list[float] = []
    for _ in range(3):
        began = time.perf_counter()
        words.find(text)
        took.append(time.perf_counter() - began)
    assert min(took) < 0.1
