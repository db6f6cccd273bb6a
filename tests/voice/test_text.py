"""Text as said: by example, and for any text at all."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.voice import spoken

SAID = [
    # Numbers
    ("It fell by 3.14 points.", "It fell by three point one four points."),
    ("1,234,567 riders", "one million two hundred thirty-four thousand five hundred sixty-seven riders."),
    ("-5 and +7, but not 5-7", "minus five and plus seven, but not five to seven."),
    ("between 5 – 10 people", "between five to ten people."),
    ("1st, 2nd, 3rd, 22nd; the 21st-century", "first, second, third, twenty-second; the twenty-first-century."),
    ("1/2, 3/4, 2 1/2 and 2½", "one half, three quarters, two and a half and two and a half."),
    ("1/3 of us", "one third of us."),
    ("I give it 7/10.", "I give it seven out of ten."),
    ("open 24/7 since 9/11", "open twenty-four seven since nine eleven."),
    ("10k views, 3bn people, 5x more", "ten thousand views, three billion people, five times more."),
    ("10^6, x² and x^3", "ten to the power of six, x squared and x cubed."),
    ("won 3:1, 16:9", "won three to one, sixteen to nine."),
    ("#1 and No. 5", "number one and number five."),
    ("agent 007", "agent zero zero seven."),
    ("5 - 3 = 2", "five minus three equals two."),
    ("3*4, 3 x 4 and 3 × 4", "three times four, three times four and three times four."),
    ("v1.2.3 at 10.2.0.1", "version one point two point three at ten point two point zero point one."),
    ("call (555) 123-4567", "call five five five, one two three, four five six seven."),
    ("１２ people and ٣ more", "twelve people and three more."),
    # Years, dates, times
    ("in 1999, 2007 and 2024", "in nineteen ninety-nine, two thousand seven and twenty twenty-four."),
    ("the 1990s, the '80s, mid-2010s", "the nineteen nineties, the eighties, mid-twenty tens."),
    ("1914–1918 and 2020-21", "nineteen fourteen to nineteen eighteen and twenty twenty to twenty twenty-one."),
    ("On July 4, 1776", "On July fourth, seventeen seventy-six."),
    ("on 4 July 2020", "on fourth of July, twenty twenty."),
    ("2019-10-12 or 10/12/2019", "October twelfth, twenty nineteen or October twelfth, twenty nineteen."),
    ("at 10:30, 9am, 5:05 p.m. sharp", "at ten thirty, nine AM, five oh five PM sharp."),
    ("at 12:00", "at twelve o'clock."),
    # Money
    ("$5.50, £3m and €1", "five dollars and fifty cents, three million pounds and one euro."),
    ("$0.99, $1.00 and -$20", "ninety-nine cents, one dollar and minus twenty dollars."),
    ("$5-10 million at $15/hour", "five to ten million dollars at fifteen dollars per hour."),
    ("5 USD, EUR 3.2 bn, 50€, 5¢", "five dollars, three point two billion euros, fifty euros, five cents."),
    # Per cent, units
    ("45%, 5-10 % and ~50%", "forty-five percent, five to ten percent and about fifty percent."),
    ("20°C or -5 °F", "twenty degrees Celsius or minus five degrees Fahrenheit."),
    ("5km, 60 km/h, 1 kg", "five kilometers, sixty kilometers per hour, one kilogram."),
    ("100 m² or 3 km^2", "one hundred square meters or three square kilometers."),
    ("a 5-year-old in a 10-km run", "a five-year-old in a ten kilometer run."),
    ("he is 5'10\"", "he is five foot ten."),
    # Names with numbers
    ("World War II, Henry VIII, Title IX", "World War two, Henry the eighth, Title nine."),
    ("vitamin C and Malcolm X", "vitamin C and Malcolm X."),
    ("the 1AC, 2NC, P0 and G20", "the one AC, two NC, P zero and G twenty."),
    ("CO2, H2O, COVID-19, F-16, MP3", "CO two, H two O, COVID-nineteen, F-sixteen, MP three."),
    # Symbols
    ("a & b, c + d, e = f, g @ h", "a and b, c plus d, e equals f, g at h."),
    ("x >= 5, y ≤ 3, a != b, a < b", "x at least five, y at most three, a does not equal b, a less than b."),
    ("tax -> growth → jobs", "tax leads to growth leads to jobs."),
    ("he/she, pro/con and/or AI/ML", "he or she, pro or con and or AI ML."),
    ("§ 230, #freespeech, C++", "section two hundred thirty, hashtag freespeech, C plus plus."),
    # Abbreviations
    ("e.g. buses, i.e. trains, etc.", "for example buses, that is trains, et cetera."),
    ("cars vs. bikes, roughly 5 ppl w/o helmets", "cars versus bikes, roughly five people without helmets."),
    ("Dr. Smith, Mr Jones and St. Paul", "Doctor Smith, Mister Jones and Saint Paul."),
    ("Roe v. Wade; George W. Bush; J. K. Rowling", "Roe versus Wade; George W Bush; J K Rowling."),
    ("Smith et al. (pp. 10-12)", "Smith and others, pages ten to twelve."),
    ("The U.S. Senate met in the U.S. The plan fell.", "The US Senate met in the US. The plan fell."),
    ("That was Plan B. The next one worked.", "That was Plan B. The next one worked."),
    ("buses, trams, etc. The rest walk.", "buses, trams, et cetera. The rest walk."),
    # Capitals
    ("This is WRONG and NOT fair.", "This is wrong and not fair."),
    ("The US, the UK, NATO and the WHO use AI.", "The US, the UK, NATO and the WHO use AI."),
    ("GPUs, CEOs, a PhD and the OECD", "GPUs, CEOs, a PhD and the OECD."),
    ("THEY TOLD US THAT NATO KNOWS IT!", "they told us that NATO knows it!"),
    # Punctuation
    ("Wait... what?! No!!!!", "Wait, what? No!"),
    ("Well...  It ended .", "Well. It ended."),
    ("one — two -- three - four (five) [six]", "one, two, three, four, five, six."),
    ("“Quoted” and 'single', don't", "Quoted and single, don't."),
    ("soooo looong, hmmmm", "so long, hmm."),
    ("no full stop", "no full stop."),
    ("It fails.Then what?And why", "It fails. Then what? And why."),
    ("reason(s)", "reasons."),
    # Markdown
    ("**bold** _it_ __under__ ~~no~~ ||spoiler|| `code`", "bold it under no spoiler code."),
    ("# Title\n\n- one\n- two\n\n1. First\n2. Second", "Title. one. two. one, First. two, Second."),
    ("> quoted\nand on", "quoted and on."),
    ("[the study](https://x.org/a_(b)?c=1 \"t\") says[1]", "the study says."),
    ("![a cat](https://x.org/cat.png) sat", "a cat sat."),
    ("snake_case_name", "snake case name."),
    ("A line\nAnother line", "A line. Another line."),
    # Links
    ("see https://en.wikipedia.org/wiki/Bus_(road)?x=1#y.", "see a link to wikipedia dot org."),
    ("www.bbc.co.uk/news!", "a link to bbc dot co dot uk!"),
    ("at example.com/path, or a@b.com", "at a link to example dot com, or an email address."),
    ("http://10.0.0.1:8080/x y", "a link y."),
    # Platforms
    ("<@123> and <@!123>, <@&9> <#42> hi", "and, hi."),
    ("<:pog:123> <a:dance:9> :smile: ok <t:1618953630:R>", "ok."),
    ("@everyone @here @bob yes", "bob yes."),
    ("<#C024BE7LR|general> <https://x.com/abc|the site> <!here> <mailto:a@b.com|mail>", "general the site mail."),
    ("a &amp; b &lt;b&gt;c&lt;/b&gt;", "a and b c."),
    ("😀👍🏽 yes ❤️ 👨‍👩‍👧 🇬🇧 1️⃣", "yes one."),
    ("fine :) :-D <3 xD", "fine."),
    # Tags and other things that are no speech
    ("<speak>Hi <break time=\"1s\"/>you</speak><!-- x -->", "Hi you."),
    ("if a < b and c > d", "if a less than b and c greater than d."),
    ("zero\u200bwidth\u202e and \x00\x1b[31m control\ufeff", "zerowidth and control."),
    ("café, naïve, Zürich, Łódź", "café, naïve, Zürich, Lódz."),
    ("Привет 你好 hello", "hello."),
    ("𝐛𝐨𝐥𝐝 ﬁne", "bold fine."),
]  # fmt: skip


@pytest.mark.parametrize(("written", "said"), SAID, ids=[written[:30] for written, _ in SAID])
def test_example(written: str, said: str) -> None:
    assert spoken(written) == said


@pytest.mark.parametrize(
    "text", ["", "  \n\t", "...", "😀", "你好", "<@123>", "**", "\u200b\u2800", "---\n***", "'", "-"]
)
def test_nothing_to_say(text: str) -> None:
    assert spoken(text) == ""


FRAGMENTS = [written for written, _ in SAID] + [
    "$", "%", "5", "1,5", ".5", "5.", "--", "'", '"', "(", ")", "[", "]", "<", ">", "&", "#", "@", ":", "/", "\\", "|",
    "*", "_", "~", "`", "^", "+", "=", "1/0", "13/13/1999", "31", "://", "www.", "e.g.", "U.S.", "A.", "III", "X", "\n",
    "\x00", "\u202e", "\ud800", "é", "ß", "İ", "ﷺ", "½", "²", "٣", "Ⅳ", "°", "€", "\u0301", "😀", "a" * 300,
    "9" * 300,
]  # fmt: skip
MESSY = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=8)), max_size=12).map("".join)
ANY_TEXT = st.one_of(st.text(), MESSY)


@given(ANY_TEXT)
def test_any_text_becomes_words_and_plain_punctuation(text: str) -> None:
    said = spoken(text)
    assert re.fullmatch(r"[A-Za-zÀ-ÖØ-öø-ÿ ',.:;?!-]*", said)
    assert "  " not in said
    assert not re.search(r"[,.;:?!] ?[,.;:?!]|^\W| [,.;:?!]", said)
    assert not re.search(r"\w[.:;,?!]\w", said), "a stop without a space could be an address"
    assert not re.search(r"[A-Za-zÀ-ÿ]{41}", said)
    assert said == "" or said[-1] in ".?!"


ORDINARY = [
    "an", "the", "of", "to", "in", "it", "us", "am", "we", "who", "may", "march", "august", "art", "fig", "sun",
    "no", "so", "he", "she", "they", "will", "won't", "don't", "cannot", "buses", "people", "city's", "claim",
    "reason", "against", "because", "never", "free", "war", "ion", "or", "and", "be", "me", "my", "on", "at", "by",
    "as", "is", "was", "two", "ten", "first", "half", "hour", "score", "vote", "motion", "side", "well-known",
    "café", "naïve", "con", "pro", "plan", "class", "part", "level", "act", "point", "vitamin",
]  # fmt: skip
ENDS = st.sampled_from([" ", " ", " ", ", ", "; ", ": ", ". ", "? ", "! "])


@given(st.lists(st.tuples(st.sampled_from(ORDINARY), st.booleans(), ENDS), min_size=1, max_size=30))
def test_ordinary_english_is_left_as_it_is(words: list[tuple[str, bool, str]]) -> None:
    text = "".join((word.capitalize() if capital else word) + end for word, capital, end in words)
    last = text.rstrip(" ,;:.?!")
    tail = text[len(last) :]
    assert spoken(text) == last + ("?" if "?" in tail else "!" if "!" in tail else ".")


HOSTS = st.from_regex(r"[a-z]{1,10}(\.[a-z]{1,10}){0,2}\.(com|org|net|io|co\.uk)", fullmatch=True)
PATHS = st.from_regex(
    r"(/[A-Za-z0-9_.~!()*',:@&=+$%-]{0,12}){0,3}(\?[a-z0-9=&]{0,12})?(#[a-z0-9]{0,6})?", fullmatch=True
)


@given(st.sampled_from(["http://", "https://", "ftp://", "HTTPS://u:p@"]), HOSTS, PATHS)
def test_no_address_is_read_out(scheme: str, host: str, path: str) -> None:
    said = spoken(f"See {scheme}{host}{path}/ now")
    assert re.fullmatch(r"See a link( to [a-z]+( dot [a-z]+){1,2})? now\.", said)


@given(
    st.integers(0, 10**19),
    st.sampled_from(["<@{}>", "<@!{}>", "<@&{}>", "<#{}>", "<:abc:{}>", "<a:b_c:{}>", "<t:{}:F>"]),
)
def test_no_mention_is_read_out(number: int, form: str) -> None:
    assert spoken(f"Say {form.format(number)} this") == "Say this."


HOSTILE = [
    "a", "9", "<", "[", "(", "_", "*", "a.", "1,", "1/", "$1-", "<a ", "a@", "a.b", "'", "- ", "9:", "é", "![](", ":a",
    "~", "A", "I", "Mr. ", "\n", "-", "`", "|", "1 ", "U.", "@", "&lt;", "http://", "5-", "x^", "A. B. ", "1-1-", "II ",
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_text_takes_no_longer_than_other_text(unit: str) -> None:
    """A policy speech is 8,000 characters; backtracking gone wrong would take minutes for these."""
    text = unit * (8_000 // len(unit))
    start = time.process_time()
    spoken(text)
    assert time.process_time() - start < 3
