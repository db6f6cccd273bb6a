"""How a card looks in a terminal. Everything is `Text`, never markup, so nothing anybody says can style or break
the screen."""

from __future__ import annotations

from collections.abc import Callable

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
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

Name = Callable[[str], str]


def render(card: Card, name: Name) -> RenderableType:
    """The card as rich shows it. `name` puts people's names in the place of their tokens."""
    made = _KINDS.get(card.kind, _note)(card, name)
    return Padding(made, (0, 0, 1, 0))


def _intro(card: Card, name: Name) -> RenderableType:
    lines: list[RenderableType] = [Text(card.text)]
    for fact in card.facts:
        lines += [Text(), Text(fact.label, style="bold"), _wrapped_list(name(fact.value))]
    return Panel(
        Group(*lines),
        title=Text(name(card.title), style="bold"),
        subtitle=Text(card.footer, style=STYLES["quiet"]),
        box=box.DOUBLE,
        padding=(1, 2),
        width=_WIDEST,
    )


def _wrapped_list(text: str) -> Text:
    return Text("\n".join(f"  {item}" for item in text.split(", ")))


def _round(card: Card, name: Name) -> RenderableType:
    parts: list[RenderableType] = [
        Rule(Text(f" {card.title} ", style="bold"), characters="━", style="bold"),
        Text(card.label, style=STYLES["quiet"], justify="center"),
        Padding(Text(card.text, style="bold", justify="center"), (1, 4)),
    ]
    for fact in card.facts:
        style = STYLES[fact.tone]
        parts.append(Text.assemble((name(fact.label), f"bold {style}"), "  ", (name(fact.value), style)))
    parts.append(Text(name(card.footer), style=STYLES["quiet"]))
    return Group(*parts)


def _speech(card: Card, name: Name) -> RenderableType:
    assert card.author is not None
    style = STYLES[card.tone]
    who = Text.assemble(
        (f"{card.author.seat} ", style),
        (name(card.author.name), f"bold {style}"),
        (f" ({_AI})" if card.author.ai else "", STYLES["quiet"]),
        (f"  {(card.author.side or '').upper()}", f"bold {style}"),
        (f"  {card.label}", style),
    )
    lines: list[RenderableType] = [Text(name(card.text))]
    if card.footer:
        lines.append(Text(card.footer, style=STYLES["quiet"]))
    return Group(who, Panel(Group(*lines), box=_BAR, border_style=style, padding=(0, 1), width=_WIDEST))


# A bar down the left of a speech, in the side's colour.
_BAR = box.Box("    \n▌   \n    \n▌   \n    \n    \n▌   \n    \n")


def _prompt(card: Card, name: Name) -> RenderableType:
    lines = [Text(name(card.text))]
    lines += [Text(f"{fact.label}: {name(fact.value)}") for fact in card.facts]
    return Panel(
        Group(*lines),
        title=Text(name(card.title), style="bold"),
        border_style=STYLES[card.tone],
        box=box.HEAVY,
        width=_WIDEST,
    )


def _reveal(card: Card, name: Name) -> RenderableType:
    style = STYLES[card.tone]
    lines: list[RenderableType] = [Text(name(card.text))] if card.text else []
    lines += [Text(f"{fact.label} {fact.value}", style=STYLES["quiet"]) for fact in card.facts]
    if card.footer:
        lines.append(Text(card.footer, style=STYLES["alert"]))
    title = Text.assemble((f"{card.label}  ", STYLES["judge"]), (name(card.title), f"bold {style}"))
    return Panel(Group(*lines), title=title, title_align="left", border_style=style, box=box.ROUNDED, width=_WIDEST)


def _verdict(card: Card, name: Name) -> RenderableType:
    parts: list[RenderableType] = [Text(name(card.title), style=f"bold {STYLES[card.tone]}", justify="center")]
    if card.text:
        parts.append(Text(card.text, style=STYLES["alert"], justify="center"))
    if card.table is not None:
        parts.append(Padding(_table(card.table, name), (0, 4)))
    return Group(*parts)


def _final(card: Card, name: Name) -> RenderableType:
    title = Text(name(card.title), style="bold yellow", justify="center")
    parts: list[RenderableType] = [Panel(title, box=box.DOUBLE, border_style="yellow", width=_WIDEST)]
    if card.table is not None:
        parts.append(Padding(_table(card.table, name), (0, 4)))
    return Group(*parts)


def _fairness(card: Card, name: Name) -> RenderableType:
    parts: list[RenderableType] = [Text(card.title, style="bold")]
    if card.table is not None:
        parts.append(_table(card.table, name))
    return Group(*parts)


def _note(card: Card, name: Name) -> RenderableType:
    lines: list[RenderableType] = []
    if card.title:
        lines.append(Text(name(card.title), style=f"bold {STYLES[card.tone]}"))
    lines += [Text(name(text), style=STYLES[card.tone]) for text in (card.text, card.footer) if text]
    return Group(*lines)


def _table(table: Table, name: Name) -> RichTable:
    made = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in table.columns:
        made.add_column(Text(column.removeprefix(">")), justify="right" if column.startswith(">") else "left")
    for row in table.rows:
        made.add_row(*(Text(name(cell)) for cell in row))
    return made


_KINDS: dict[str, Callable[[Card, Name], RenderableType]] = {
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
