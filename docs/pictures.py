"""Draws the pictures of the documentation: `python docs/pictures.py`.

Each is made by the code that shows the thing itself, so that a picture cannot promise what Rostrum does not do.
"""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console

from bot.actions.actor import Actor
from bot.actions.start import Wish, begin, start
from bot.app import open_app
from bot.host.ports import PostRow
from bot.messages.card import Card
from bot.rules.clock import VIRTUAL
from bot.rules.formats import load_format
from bot.venues.terminal.look import render
from bot.venues.terminal.venue import TerminalVenue

IMAGES = Path(__file__).parent / "images"
WIDTH = 92
SEED = 12
SHOWN = {"round": 1, "speech": 3, "reveal": 3, "verdict": 1, "final": 1}
"""How many cards of each kind the picture of a match has."""

# Rich's own template loads its font from the network; a picture in a README should need nothing.
SVG = (
    CONSOLE_SVG_FORMAT[: CONSOLE_SVG_FORMAT.index("@font-face")]
    + CONSOLE_SVG_FORMAT[CONSOLE_SVG_FORMAT.index(".{unique_id}-matrix") :]
)


async def match_cards() -> list[Card]:
    """The cards of a whole duel."""
    async with open_app(
        "sqlite+aiosqlite:///:memory:",
        lambda store, time: TerminalVenue(Console(file=io.StringIO()), store.names, time, "somebody"),
    ) as app:
        await app.host.start()
        community = await app.store.community("terminal", "local", "local")
        actor = Actor(community=community, person="host", moderator=True)
        wish = Wish(format=load_format("duel"), motions=("car-free-centres",), seed=SEED, speed=VIRTUAL, sound=False)
        reply = await start(app.services, actor, wish)
        assert reply.match is not None, reply.text
        await begin(app.services, actor, reply.match.id)
        await app.host.finished(reply.match.id)
        posts: list[PostRow] = await app.store.posts(reply.match.id)
    return [Card.model_validate_json(post.body) for post in posts]


def draw(cards: list[Card], name: str, title: str) -> None:
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    left = dict(SHOWN)
    for card in cards:
        if left.get(card.kind, 0):
            left[card.kind] -= 1
            console.print(render(card, str))
    IMAGES.mkdir(exist_ok=True)
    picture = console.export_svg(title=title, code_format=SVG, unique_id="match")
    picture = picture.replace("<!-- Generated with Rich https://www.textualize.io -->", "")
    picture = picture.replace("Fira Code", "ui-monospace, 'Cascadia Code', Menlo, Consolas, 'DejaVu Sans Mono'")
    (IMAGES / name).write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    draw(asyncio.run(match_cards()), "match.svg", "make demo FORMAT=duel")
