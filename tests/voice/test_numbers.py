"""Numbers as words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.voice.numbers import cardinal, fraction, number, ordinal, year

ONES = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "quadrillion": 10**15}


def understood(words: str) -> int:
    """The number that a listener makes of `words`."""
    total = group = 0
    for word in words.replace("-", " ").split():
        if word in SCALES:
            total, group = total + group * SCALES[word], 0
        elif word == "hundred":
            group *= 100
        else:
            group += TENS[word] if word in TENS else ONES.index(word)
    return total + group


@given(st.integers(0, 10**18 - 1))
def test_a_listener_understands_the_number_that_was_meant(n: int) -> None:
    assert understood(cardinal(n)) == n


@given(st.integers(0, 9_999))
def test_small_numbers_too(n: int) -> None:
    assert understood(cardinal(n)) == n


@pytest.mark.parametrize(
    ("n", "words"),
    [
        (1, "first"),
        (2, "second"),
        (3, "third"),
        (4, "fourth"),
        (5, "fifth"),
        (8, "eighth"),
        (9, "ninth"),
        (12, "twelfth"),
        (20, "twentieth"),
        (21, "twenty-first"),
        (100, "one hundredth"),
        (111, "one hundred eleventh"),
    ],
)
def test_ordinals(n: int, words: str) -> None:
    assert ordinal(n) == words


@pytest.mark.parametrize(
    ("n", "words"),
    [
        (1066, "ten sixty-six"),
        (1700, "seventeen hundred"),
        (1805, "eighteen oh five"),
        (1984, "nineteen eighty-four"),
        (2000, "two thousand"),
        (2007, "two thousand seven"),
        (2024, "twenty twenty-four"),
        (2100, "twenty-one hundred"),
    ],
)
def test_years(n: int, words: str) -> None:
    assert year(n) == words


@pytest.mark.parametrize(
    ("literal", "words"),
    [
        ("0", "zero"),
        ("1,234.50", "one thousand two hundred thirty-four point five zero"),
        (".75", "zero point seven five"),
        ("007", "zero zero seven"),
        ("9" * 19, " ".join(["nine"] * 19)),
        ("9" * 5000, "a very long number"),
    ],
)
def test_literals(literal: str, words: str) -> None:
    assert number(literal) == words


@pytest.mark.parametrize(
    ("top", "bottom", "words"),
    [
        (1, 2, "one half"),
        (3, 2, "three halves"),
        (1, 4, "one quarter"),
        (3, 4, "three quarters"),
        (2, 3, "two thirds"),
        (1, 100, "one hundredth"),
        (5, 17, "five over seventeen"),
    ],
)
def test_fractions(top: int, bottom: int, words: str) -> None:
    assert fraction(top, bottom) == words
