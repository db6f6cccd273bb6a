"""Everything written with digits, as words: dates, times, money, measures, fractions, ranges, years, codes.

Each rule is a pattern and a function. They run in order, the more particular before the more general; the last one
reads whatever digits are left.
"""

import re
from collections.abc import Callable
from typing import Final

from bot.voice.numbers import cardinal, digits, fraction, number, ordinal, plural, year
from bot.voice.units import MONEY, MONEY_CODES, MONTHS, PER, SCALES, UNITS

_Match = re.Match[str]

_NUM: Final = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
_LEFT: Final = r"(?<![\w.,])"
"""A number starts here: it is not the tail of another number or of a word."""
_RIGHT: Final = r"(?!\w|[.,]\d)"
_DASH: Final = r"\s?[-–—]\s?"
_MONTH: Final = "|".join([*MONTHS, "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec"])
_SYMBOL: Final = "|".join(re.escape(symbol) for symbol in sorted(MONEY, key=len, reverse=True))
_CODE: Final = "|".join(MONEY_CODES)
_SCALE: Final = rf"(?:\s?({'|'.join(sorted(SCALES, key=len, reverse=True))})(?!\w))?"
_UNIT: Final = "|".join(sorted((unit for unit in UNITS if len(unit) > 1), key=len, reverse=True))
_SHORT_UNIT: Final = "|".join(unit for unit in UNITS if len(unit) == 1)
_PER: Final = rf"(?:\s?/\s?({'|'.join(sorted(PER, key=len, reverse=True))})(?!\w))?"
_ROMAN_DIGITS: Final = {"I": 1, "V": 5, "X": 10}
_ROMAN: Final = r"((?=[IVX]{2,}\b|V\b)X{0,3}(?:IX|IV|V?I{0,3}))(?<=[IVX])\b(?!['’.]\w)"
_COUNTED: Final = (
    "War|Part|Chapter|Act|Scene|Title|Article|Phase|Type|Volume|Book|Section|Tier|Level|Stage|Class|Grade|Round|Episode"
    "|Amendment|Schedule|Annex|Protocol|Vatican|Bowl|Apollo"
)
_IDIOMS: Final = {
    "24/7": "twenty-four seven",
    "9/11": "nine eleven",
    "7/7": "seven seven",
    "50/50": "fifty fifty",
    "50-50": "fifty fifty",
    "20/20": "twenty twenty",
    "80/20": "eighty twenty",
}


def say_amounts(text: str) -> str:
    """`text` with every ASCII digit in it turned into words."""
    for pattern, say in _RULES:
        text = pattern.sub(say, text)
    return text


def _count(literal: str, one: str, many: str) -> str:
    return f"{number(literal)} {one if literal in ('1', '1.0') else many}"


def _scaled(literal: str, scale: str | None) -> str:
    return f"{number(literal)} {SCALES[scale]}" if scale else number(literal)


def _per(unit: str | None) -> str:
    return f" per {PER[unit]}" if unit else ""


def _plain(literal: str) -> str:
    """A bare number; four digits from 1600 to 2099 are taken for a year."""
    if len(literal) == 4 and literal.isdigit() and 1600 <= int(literal) <= 2099:
        return year(int(literal))
    return number(literal)


def _date(day: str, month: int, in_year: str | None) -> str | None:
    if not (1 <= int(day) <= 31 and 1 <= month <= 12):
        return None
    return f"{MONTHS[month - 1]} {ordinal(int(day))}" + (f", {year(int(in_year))}" if in_year else "")


def _iso_date(match: _Match) -> str:
    return _date(match[3], int(match[2]), match[1]) or match[0]


def _slash_date(match: _Match) -> str:
    """American unless that is no date."""
    first, second, in_year = match.groups()
    return _date(second, int(first), in_year) or _date(first, int(second), in_year) or match[0]


def _month_number(name: str) -> int:
    return next(n for n, month in enumerate(MONTHS, 1) if month.startswith(name[:3]))


def _month_day(match: _Match) -> str:
    return _date(match[2], _month_number(match[1]), match[3]) or match[0]


def _day_month(match: _Match) -> str:
    day, month, in_year = match.groups()
    if not 1 <= int(day) <= 31:
        return match[0]
    said = f"{ordinal(int(day))} of {MONTHS[_month_number(month) - 1]}"
    return said + (f", {year(int(in_year))}" if in_year else "")


def _time(match: _Match) -> str:
    hour, minute, half = match.groups()
    if int(hour) > 24 or int(minute or 0) > 59:
        return match[0]
    words = cardinal(int(hour))
    if minute and int(minute):
        words += f" {'oh ' if minute[0] == '0' else ''}{cardinal(int(minute))}"
    elif minute and not half:
        words += " o'clock"
    return words + (f" {half.upper()}M" if half else "")


def _money(match: _Match) -> str:
    minus, symbol, low, high, scale, per = match.groups()
    one, many, cent, cents = MONEY[symbol]
    whole, _, rest = low.partition(".")
    if high:
        words = f"{number(low)} to {_scaled(high, scale)} {many}"
    elif scale:
        words = f"{_scaled(low, scale)} {many}"
    elif len(rest) == 2 and int(rest):
        words = _count(str(int(rest)), cent, cents)
        if whole.strip("0"):
            words = f"{_count(whole, one, many)} and {words}"
    else:
        words = _count(whole if rest == "00" else low, one, many)
    return ("minus " if minus else "") + words + _per(per)


def _named_money(literal: str, scale: str | None, code: str) -> str:
    one, many, *_ = MONEY[MONEY_CODES[code]]
    return f"{_scaled(literal, scale)} {many}" if scale else _count(literal, one, many)


def _percent(match: _Match) -> str:
    sign, low, high = match.groups()
    words = f"{number(low)} to {number(high)}" if high else number(low)
    return {"+": "plus ", "-": "minus ", "~": "about "}.get(sign, "") + f"{words} percent"


def _degrees(match: _Match) -> str:
    sign, literal, scale = match.groups()
    words = {"-": "minus "}.get(sign, "") + _count(literal, "degree", "degrees")
    return words + {"C": " Celsius", "F": " Fahrenheit"}.get(scale, "")


def _measure(match: _Match) -> str:
    low, high, gap, long_unit, short_unit, area_unit, power, per = match.groups()
    one, many = UNITS[long_unit or short_unit or area_unit]
    square = {"2": "square ", "3": "cubic "}.get(power, "")
    words = f"{number(low)} to {number(high)}" if high else number(low)
    return f"{words} {square}{one if gap == '-' or (low == '1' and not high) else many}{_per(per)}"


def _decade(match: _Match) -> str:
    century, tens = match.groups()
    if century:
        return plural(year(int(century + tens)))
    return plural(cardinal(int(tens)))


def _fraction(match: _Match) -> str:
    if match[0] in _IDIOMS:
        return _IDIOMS[match[0]]
    whole, top, bottom = match[1], int(match[2]), int(match[3])
    if bottom in (10, 100) and 1 < top <= bottom and not whole:
        return f"{cardinal(top)} out of {cardinal(bottom)}"
    words = fraction(top, bottom) if 0 < top < bottom else f"{cardinal(top)} over {cardinal(bottom)}"
    return f"{number(whole)} and {re.sub('^one (?!over)', 'a ', words)}" if whole else words


def _power(match: _Match) -> str:
    base, exponent = match.groups()
    words = {"2": "squared", "3": "cubed"}.get(exponent) or f"to the power of {number(exponent)}"
    return f"{number(base) if base[-1].isdigit() else base} {words}"


def _roman(match: _Match) -> str:
    """World War II -> World War two, Elizabeth II -> Elizabeth the second."""
    name, numeral = match.groups()
    values = [_ROMAN_DIGITS[letter] for letter in numeral]
    total = sum(-v if v < after else v for v, after in zip(values, [*values[1:], 0], strict=True))
    if re.fullmatch(_COUNTED, name):
        return f"{name} {cardinal(total)}"
    return f"{name} the {ordinal(total)}" if len(numeral) > 1 else match[0]


def _letters_and_digits(match: _Match) -> str:
    """G20, P0, 1AC, B12: letters and numbers apart, short letter groups as capitals so that they are spelled."""
    parts = re.findall(r"\d+|[A-Za-z]+", match[0])
    return " ".join(_plain(part) if part[0].isdigit() else part.upper() if len(part) <= 3 else part for part in parts)


def _phone(match: _Match) -> str:
    return ", ".join(digits(part) for part in re.findall(r"\d+", match[0]))


def _rule(pattern: str, say: Callable[[_Match], str]) -> tuple[re.Pattern[str], Callable[[_Match], str]]:
    return re.compile(pattern, re.ASCII), say


_RULES: Final = (
    # Dates, times, decades: their separators and letters mean something else everywhere below.
    _rule(rf"{_LEFT}(\d{{4}})-(\d\d)-(\d\d){_RIGHT}", _iso_date),
    _rule(rf"{_LEFT}(\d\d?)/(\d\d?)/(\d{{4}}){_RIGHT}", _slash_date),
    _rule(rf"\b({_MONTH})\.? (\d\d?)(?:st|nd|rd|th)?(?:,? (\d{{4}}))?(?!\w|[.,]\d|[:/%])", _month_day),
    _rule(rf"{_LEFT}(\d\d?)(?:st|nd|rd|th)? (?:of )?({_MONTH})\b\.?(?:,? (\d{{4}}){_RIGHT})?", _day_month),
    _rule(rf"{_LEFT}(\d\d?):(\d\d)(?::\d\d)?(?:\s?([aApP])\.?[mM]\b\.?)?{_RIGHT}", _time),
    _rule(rf"{_LEFT}(\d\d?)()\s?([aApP])\.?[mM]\b{_RIGHT}", _time),
    _rule(r"(?<![\w.,])(1[1-9]|20)(\d0)['’]?s(?!\w)", _decade),
    _rule(r"(?<![\w.,])['’]?()([2-9]0)['’]?s(?!\w)", _decade),
    # Money, per cent, measures.
    _rule(
        rf"(?<![\w.,])(-?)({_SYMBOL})\s?({_NUM})(?:{_DASH}[$£€¥₹₩₽]?({_NUM}))?{_SCALE}{_PER}(?!\d)",
        _money,
    ),
    _rule(rf"\b({_CODE})\s?({_NUM}){_SCALE}{_RIGHT}", lambda m: _named_money(m[2], m[3], m[1])),
    _rule(rf"{_LEFT}({_NUM}){_SCALE}\s?({_CODE})\b", lambda m: _named_money(m[1], m[2], m[3])),
    _rule(rf"{_LEFT}({_NUM})\s?€", lambda m: _count(m[1], "euro", "euros")),
    _rule(rf"{_LEFT}({_NUM})\s?¢", lambda m: _count(m[1], "cent", "cents")),
    _rule(rf"(?<![\w.,])([-+~]?)({_NUM})\s?%?(?:{_DASH}({_NUM}))?\s?%", _percent),
    _rule(rf"(?<![\w.,])([-+]?)({_NUM})\s?°\s?([CF](?!\w))?", _degrees),
    _rule(
        rf"{_LEFT}({_NUM})(?:{_DASH}({_NUM}))?(?:([\s-]?)({_UNIT})|({_SHORT_UNIT})|\s?([m])(?=\^))(?:\^([23]))?(?!\w){_PER}",
        _measure,
    ),
    _rule(rf"{_LEFT}({_NUM})\s?(k|K|M|mn|mln|bn|B|tn|T)(?!\w)", lambda m: _scaled(m[1], m[2])),
    _rule(rf"{_LEFT}(\d{{1,2}})'(\d{{1,2}})(?:\"|''|(?!\w))", lambda m: f"{number(m[1])} foot {number(m[2])}"),
    _rule(rf"{_LEFT}({_NUM})[x×](?!\w)", lambda m: f"{number(m[1])} times"),
    # Numbers beside numbers.
    _rule(rf"{_LEFT}(?:(\d{{1,3}})[\s-])?(\d{{1,3}})/(\d{{1,4}}){_RIGHT}(?!/)", _fraction),
    _rule(rf"{_LEFT}50-50{_RIGHT}", lambda m: _IDIOMS[m[0]]),
    _rule(r"(?<![\w.-])(?:\+?\d{1,3}[ -])?\(?\d{3}\)?[ -]\d{3}-\d{4}(?![\w-])", _phone),
    _rule(rf"{_LEFT}(\d{{1,6}}):(\d{{1,6}}){_RIGHT}", lambda m: f"{number(m[1])} to {number(m[2])}"),
    _rule(rf"{_LEFT}({_NUM}) - ({_NUM}){_RIGHT}", lambda m: f"{number(m[1])} minus {number(m[2])}"),
    _rule(
        rf"{_LEFT}((?:1[6-9]|20)\d\d)[-–—](\d\d)(?!\w|[.,]\d|-\d)",
        lambda m: f"{year(int(m[1]))} to {year(int(m[1][:2] + m[2]))}",
    ),
    _rule(rf"{_LEFT}({_NUM}){_DASH}({_NUM})(?!\w|[.,]\d|-\d)", lambda m: f"{_plain(m[1])} to {_plain(m[2])}"),
    _rule(rf"{_LEFT}({_NUM})\s?[x×*]\s?(?=\d)", lambda m: f"{number(m[1])} times "),
    _rule(rf"(?<![\w.,])({_NUM}|[A-Za-z]{{1,3}})\s?\^\s?(\d{{1,6}})(?!\w)", _power),
    # Words with numbers in them.
    _rule(rf"{_LEFT}(\d[\d,]{{0,17}})(?:st|nd|rd|th)(?!\w)", lambda m: ordinal(int(m[1].replace(",", "")))),
    _rule(rf"\b([A-Z][a-z]+) {_ROMAN}", _roman),
    _rule(r"\b[vV]\.?\s?(?=\d+\.\d)", lambda _: "version "),
    _rule(r"(?<![^\s(])#\s?(?=\d)", lambda _: "number "),
    _rule(r"(?<![\w.])\d{1,9}(?:\.\d{1,9}){2,}(?!\w)", lambda m: " point ".join(number(n) for n in m[0].split("."))),
    _rule(r"\b(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z\d]{2,12}\b", _letters_and_digits),
    # What is left.
    _rule(rf"(?<![\w)\]-])-(?={_NUM})", lambda _: "minus "),
    _rule(rf"(?<![\w)\]])\+(?={_NUM})", lambda _: "plus "),
    _rule(rf"{_LEFT}({_NUM})(?!\d|,\d)", lambda m: _plain(m[1])),
    _rule(r"\d+", lambda m: f" {number(m[0])} "),
)
