"""Numbers as English words, the American way ("one hundred five")."""

from typing import Final

_ONES: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS: Final = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES: Final = ("", "thousand", "million", "billion", "trillion", "quadrillion")
_ORDINALS: Final = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
_LONGEST: Final = 18
"""Digits up to here are read as a number, beyond it one by one."""
_ENDLESS: Final = 40
"""Nobody listens to more digits than these."""


def cardinal(number: int) -> str:
    """1234 -> "one thousand two hundred thirty-four"."""
    if number < 0:
        return f"minus {cardinal(-number)}"
    if number < 20:
        return _ONES[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS[tens] + (f"-{_ONES[ones]}" if ones else "")
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        return f"{_ONES[hundreds]} hundred" + (f" {cardinal(rest)}" if rest else "")
    if number >= 10**_LONGEST:
        return digits(str(number))
    parts: list[str] = []
    for scale in _SCALES:
        number, rest = divmod(number, 1000)
        if rest:
            parts.append(f"{cardinal(rest)} {scale}".strip())
    return " ".join(reversed(parts))


def ordinal(number: int) -> str:
    """21 -> "twenty-first"."""
    words = cardinal(number)
    cut = max(words.rfind(" "), words.rfind("-")) + 1
    head, last = words[:cut], words[cut:]
    if last in _ORDINALS:
        return head + _ORDINALS[last]
    return head + (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")


def digits(text: str) -> str:
    """Digit by digit: "007" -> "zero zero seven"."""
    if len(text) > _ENDLESS:
        return "a very long number"
    return " ".join(_ONES[int(digit)] for digit in text)


def number(text: str) -> str:
    """A literal with optional thousands commas and decimals: "1,234.50" -> "one thousand two ... point five zero"."""
    whole, _, fraction = text.replace(",", "").partition(".")
    if len(whole) > _LONGEST or (len(whole) > 1 and whole.startswith("0")):
        words = digits(whole)
    else:
        words = cardinal(int(whole or "0"))
    return f"{words} point {digits(fraction)}" if fraction else words


def year(number: int) -> str:
    """1984 -> "nineteen eighty-four", 2005 -> "two thousand five", 1905 -> "nineteen oh five"."""
    century, rest = divmod(number, 100)
    if not 1000 <= number <= 9999 or number % 1000 < 10:
        return cardinal(number)
    if rest == 0:
        return f"{cardinal(century)} hundred"
    return f"{cardinal(century)} {'oh ' if rest < 10 else ''}{cardinal(rest)}"


def plural(words: str) -> str:
    """The last word in the plural: "nineteen twenty" -> "nineteen twenties"."""
    if words.endswith("y"):
        return f"{words[:-1]}ies"
    return f"{words}es" if words.endswith(("s", "x", "ch", "sh")) else f"{words}s"


def fraction(top: int, bottom: int) -> str:
    """3, 4 -> "three quarters"; what has no short name becomes "three over seventeen"."""
    if bottom == 2:
        name = "half" if top == 1 else "halves"
    elif bottom == 4:
        name = "quarter" if top == 1 else "quarters"
    elif 3 <= bottom <= 12 or bottom in (16, 20, 50, 100, 1000):
        name = ordinal(bottom).removeprefix("one ")
        name = name if top == 1 else plural(name)
    else:
        return f"{cardinal(top)} over {cardinal(bottom)}"
    return f"{cardinal(top)} {name}"
