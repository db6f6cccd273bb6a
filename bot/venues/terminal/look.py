"""How a card looks in a terminal. Everything is `Text`, never markup, so nothing anybody says can style or break
the screen."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.segment import Segment
from rich.table import Table as RichTable
from rich.text import Text

from bot.messages.card import Card, Table

# Sides are always named in words too; colour only helps.
STYLES = {
    "plain": "default",
    "pro": "green",
    "con": "magenta",
    "judge": "cyan",
    "win": "yellow",
    "quiet": "bright_black",
    "alert": "red",
}
_AI = "AI"
_WIDEST = 100
_BAR = "▌ "
_UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")

Name = Callable[[str], str]


def render(card: Card, name: Name) -> RenderableType:
    """The card as rich shows it. `name` puts people's names in the place of their tokens."""
    safe = Card.model_validate(_shown(card.model_dump(), name))
    return Padding(_KINDS.get(safe.kind, _note)(safe), (0, 0, 1, 0))


def _shown(value: Any, name: Name) -> Any:
    """Every string of a card with names in it and without what would move the cursor or turn the text around."""
    if isinstance(value, str):
        return _UNSAFE.sub("", name(value))
    if isinstance(value, dict):
        return {key: _shown(item, name) for key, item in value.items()}
    return tuple(_shown(item, name) for item in value) if isinstance(value, tuple) else value


def _intro(card: Card) -> RenderableType:
    lines: list[RenderableType] = [Text(card.text)]
    for fact in card.facts:
        lines += [Text(), Text(fact.label, style="bold"), _wrapped_list(fact.value)]
    return Panel(
        Group(*lines),
        title=Text(card.title, style="bold"),
        subtitle=Text(card.footer, style=STYLES["quiet"]),
        box=box.DOUBLE,
        padding=(1, 2),
        width=_WIDEST,
    )


def _wrapped_list(text: str) -> Text:
    return Text("\n".join(f"  {item}" for item in text.split(", ")))


def _round(card: Card) -> RenderableType:
    parts: list[RenderableType] = [
        Rule(Text(f" {card.title} ", style="bold"), characters="━", style="bold"),
        Text(card.label, style=STYLES["quiet"], justify="center"),
        Padding(Text(card.text, style="bold", justify="center"), (1, 4)),
    ]
    for fact in card.facts:
        style = STYLES[fact.tone]
        parts.append(Text.assemble((fact.label, f"bold {style}"), "  ", (fact.value, style)))
    parts.append(Text(card.footer, style=STYLES["quiet"]))
    return Group(*parts)


def _speech(card: Card) -> RenderableType:
    assert card.author is not None
    style = STYLES[card.tone]
    who = Text.assemble(
        (f"{card.author.seat} ", style),
        (card.author.name, f"bold {style}"),
        (f" ({_AI})" if card.author.ai else "", STYLES["quiet"]),
        (f"  {(card.author.side or '').upper()}", f"bold {style}"),
        (f"  {card.label}", style),
    )
    lines: list[RenderableType] = [Text(card.text)]
    if card.footer:
        lines.append(Text(card.footer, style=STYLES["quiet"]))
    return Group(who, Barred(Group(*lines), style))


class Barred:
    """Lines with a bar down their left, in the side's colour."""

    def __init__(self, inside: RenderableType, style: str) -> None:
        self._inside = inside
        self._style = style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        narrower = options.update(width=min(options.max_width, _WIDEST) - len(_BAR))
        bar = Segment(_BAR, console.get_style(self._style))
        for line in console.render_lines(self._inside, narrower, pad=False):
            yield bar
            yield from line
            yield Segment.line()


def _prompt(card: Card) -> RenderableType:
    lines = [Text(card.text)]
    lines += [Text(f"{fact.label}: {fact.value}") for fact in card.facts]
    return Panel(
        Group(*lines),
        title=Text(card.title, style="bold"),
        border_style=STYLES[card.tone],
        box=box.HEAVY,
        width=_WIDEST,
    )


def _reveal(card: Card) -> RenderableType:
    style = STYLES[card.tone]
    lines: list[RenderableType] = [Text(card.text)] if card.text else []
    lines += [Text(f"{fact.label} {fact.value}", style=STYLES["quiet"]) for fact in card.facts]
    if card.footer:
        lines.append(Text(card.footer, style=STYLES["alert"]))
    title = Text.assemble((f"{card.label}  ", STYLES["judge"]), (card.title, f"bold {style}"))
    return Panel(Group(*lines), title=title, title_align="left", border_style=style, box=box.ROUNDED, width=_WIDEST)


def _verdict(card: Card) -> RenderableType:
    parts: list[RenderableType] = [Text(card.title, style=f"bold {STYLES[card.tone]}", justify="center")]
    if card.text:
        parts.append(Text(card.text, style=STYLES["alert"], justify="center"))
    if card.table is not None:
        parts.append(Padding(_table(card.table), (0, 4)))
    return Group(*parts)


def _final(card: Card) -> RenderableType:
    title = Text(card.title, style="bold yellow", justify="center")
    parts: list[RenderableType] = [Panel(title, box=box.DOUBLE, border_style="yellow", width=_WIDEST)]
    if card.table is not None:
        parts.append(Padding(_table(card.table), (0, 4)))
    if card.footer:
        parts.append(Padding(Text(card.footer, style=STYLES["quiet"]), (0, 4)))
    return Group(*parts)


def _fairness(card: Card) -> RenderableType:
    parts: list[RenderableType] = [Text(card.title, style="bold")]
    if card.table is not None:
        parts.append(_table(card.table))
    return Group(*parts)


def _note(card: Card) -> RenderableType:
    lines: list[RenderableType] = []
    if card.title:
        lines.append(Text(card.title, style=f"bold {STYLES[card.tone]}"))
    lines += [Text(text, style=STYLES[card.tone]) for text in (card.text, card.footer) if text]
    return Group(*lines)


def _table(table: Table) -> RichTable:
    made = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in table.columns:
        made.add_column(Text(column.removeprefix(">")), justify="right" if column.startswith(">") else "left")
    for row in table.rows:
        made.add_row(*(Text(cell) for cell in row))
    return made


_KINDS: dict[str, Callable[[Card], RenderableType]] = {
    "intro": _intro,
    "round": _round,
    "speech": _speech,
    "prompt": _prompt,
    "vote": _prompt,
    "reveal": _reveal,
    "verdict": _verdict,
    "final": _final,
    "fairness": _fairness,
}
