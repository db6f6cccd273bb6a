"""What platforms and markup languages put around words: removed, with the words kept."""

import re
from typing import Final

_TLD: Final = "com|org|net|edu|gov|int|info|io|ai|app|dev|gg|co|uk|eu"
_END: Final = ".,;:!?)]}'\"*_"
"""Punctuation that belongs to the sentence and not to the address before it."""


def strip_markup(text: str) -> str:
    """`text` without Discord's, Slack's and Markdown's signs, tags of any markup language, and addresses."""
    for pattern, said in _RULES:
        text = pattern.sub(said, text)
    text = _URL.sub(_link, text)
    text = _EMAIL.sub(" an email address ", text)
    for pattern, said in _NAMES:
        text = pattern.sub(said, text)
    return text


def _link(match: re.Match[str]) -> str:
    """Nobody wants to hear an address, but whose it is matters: "a link to wikipedia dot org"."""
    url = match[0].rstrip(_END)
    host = re.sub(r"^[a-zA-Z][\w+.-]*://(?:[^/@]*@)?", "", url)
    host = re.split(r"[/?#:]", host, maxsplit=1)[0].lower()
    labels = [label for label in host.split(".") if label and label != "www"]
    keep = 3 if len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in ("co", "ac", "gov", "org", "com") else 2
    domain = " dot ".join(labels[-keep:])
    readable = len(labels) >= 2 and len(domain) <= 40 and re.fullmatch(r"[a-z -]+", domain)
    return f" a link {f'to {domain} ' if readable else ''}{match[0][len(url) :]}"


_URL: Final = re.compile(
    rf"(?<!\w)(?:[a-z][a-z0-9+.-]{{1,15}}://|www\.)[^\s<>\"|]+"
    rf"|(?<![\w@./-])(?:[a-z0-9-]{{1,63}}\.){{1,6}}(?:{_TLD})(?![\w@-]|\.\w)(?:[/?#][^\s<>\"|]*)?",
    re.ASCII | re.IGNORECASE,
)
_EMAIL: Final = re.compile(r"(?<![\w.+-])(?:mailto:)?[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}", re.ASCII)
_RULES: Final = tuple(
    (re.compile(pattern, re.MULTILINE), said)
    for pattern, said in (
        # Slack's links, channels and dates carry a label; Discord's command mentions a name.
        (r"<(?:https?|mailto|tel):[^|<>\s]{0,2000}\|([^<>\n]{0,300})>", r"\1"),
        (r"<(?:mailto:|tel:)?([^|<>\s@#!/][^|<>\s]{0,2000}(?:://|@)[^|<>\s]{1,2000})>", r"\1"),
        (r"<#\w{1,30}\|([^<>\n]{1,100})>", r"\1"),
        (r"<!date\^[^|<>\n]{0,100}\|([^<>\n]{0,100})>", r"\1"),
        (r"</([\w -]{1,100}):\d{1,20}>", r"\1"),
        # Mentions, custom emoji and timestamps name things by number.
        (r"<(?:[@#!]|a?:\w|t:|id:)[^<>\n]{0,120}>", " "),
        # Tags, comments, code.
        (r"<!--(?:[^-]|-(?!->)){0,2000}-->", " "),
        (
            r"<[/?!]?[A-Za-z][\w:.-]{0,40}(?:\s{1,4}[\w:.-]{1,40}\s?=\s?(?:\"[^\"<>]{0,300}\"|'[^'<>]{0,300}'))*\s{0,4}[/?]?>",
            " ",
        ),
        (r"```[\w+-]{0,20}$|```", "\n"),
        (r"`", ""),
        # Markdown's links and footnotes.
        (
            r"!?\[([^\[\]\n]{0,300})\]\([^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?(?: \"[^\"\n]{0,200}\")?\)",
            r"\1",
        ),
        (r"\[\^?\d{1,3}\](?:: )?", ""),
        # What stands at a line's start, and lines that are only drawn.
        # A heading or a list's item stands alone, so it is set off by an empty line.
        (r"^[ \t>]+", ""),
        (r"^(?:#{1,6}|-#) (.*)$", r"\n\1\n"),
        (r"^[-*+•–] +(?:\[[ xX]\] )?", r"\n"),
        (r"^[-*_=~|: ]{3,}$", ""),
        # Emphasis and spoilers; a star between numbers or spaces is a multiplication.
        (r"\|\||~~", ""),
        (r"(?<![\d\s])\*+|\*+(?![\d\s])|\*{2,}", ""),
        (r"(?<![A-Za-z0-9])_+|_+(?![A-Za-z0-9])", ""),
        # Emoji by name, faces made of punctuation.
        (r"(?<![\w:]):[a-z][a-z0-9_+-]{1,40}:(?![\w:])", " "),
        (r"(?<!\S)(?:[:;=]['-]?[()DPpOo3/\\|*\]\[]+|xD+|<3+|\^_*\^)(?!\S)", " "),
    )
)
_NAMES: Final = tuple(
    (re.compile(pattern), said)
    for pattern, said in (
        (r"(?<!\w)@(?:everyone|here|channel)\b", " "),
        (r"(?<!\w)@(?=[A-Za-z_])", ""),
        (r"_+", " "),
    )
)
