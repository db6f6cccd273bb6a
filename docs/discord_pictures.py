"""Draw the pictures of docs/images/discord: a duel of the real bot, each card as wide as a phone and as a desktop.

    python docs/discord_pictures.py [--out docs/images/discord] [--browser /usr/bin/chromium]

Run it where the development tools are installed; playwright (pip install playwright) and a Chromium are needed as well.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import discord
from playwright.async_api import Page, async_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))

from bot.preview import World, in_folder, keep_going, open_world
from bot.settings import Settings

WIDTHS = {"phone": 420, "desktop": 800}
SPEED = 10.0
MOTION = "school-phones"
SPEECHES = {
    "Pro": (
        "A phone in the bag still calls. Whoever knows it is there listens with half an ear and learns half a lesson.",
        "Con fears for emergencies. A school has an office, and the office has a telephone.",
        "What is left standing? Attention is taught by leaving it alone, and nobody here has said otherwise.",
    ),
    "Con": (
        "A ban teaches to hide a phone. Pupils need to have one and leave it alone; no locked box teaches that.",
        "Pro counts the minutes that are lost. I count the habit that is never learnt.",
        "What is left standing? A school prepares for the world outside its gate, and that world has phones.",
    ),
}
# The page around the messages is simcord's, not Discord's; avatars and times say nothing here.
STYLE = """
[data-workbench], .channel-header, .channel-composer, .message-actions, .history-button { display: none !important; }
"""


class Studio:
    """A world, and the messages to be drawn."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.ann, self.ben, self.cleo = world.people
        self.chosen: dict[str, tuple[int, int]] = {}

    def keep(self, name: str, message: Any) -> None:
        self.chosen[name] = (message.channel_id if hasattr(message, "channel_id") else message.channel.id, message.id)

    async def do(self, act: Callable[[], Any]) -> Any:
        async with self.world.busy:
            return await act()

    async def find(self, where: Any, wanted: Callable[[discord.Message], bool], within: float = 60.0) -> Any:
        end = time.perf_counter() + within
        while time.perf_counter() < end:
            found = [one for one in where.history() if wanted(one)]
            if found:
                return found[-1]
            await asyncio.sleep(0.05)
        raise SystemExit("the debate did not come to what was to be drawn")


def labelled(label: str, after: int = 0) -> Callable[[discord.Message], bool]:
    """With such a button."""

    def wanted(message: discord.Message) -> bool:
        rows = [row for row in message.components if isinstance(row, discord.ActionRow)]
        return message.id > after and any(getattr(item, "label", "") == label for row in rows for item in row.children)

    return wanted


def saying(text: str) -> Callable[[discord.Message], bool]:
    """With this in its embed."""
    return lambda message: any(text in str(embed.to_dict()) for embed in message.embeds)


async def play(studio: Studio, draw: Callable[[], Any]) -> None:
    """A duel: Ann against an AI, Ben and two AIs judge."""
    channel, ann, ben = studio.world.channel, studio.ann, studio.ben
    for name, command in (
        ("setup", "debate setup show"),
        ("motions", "debate motions"),
        ("check", "debate setup check"),
    ):
        answer = await studio.do(lambda command=command: ann.slash(channel, command))
        studio.keep(name, (answer.response or answer.followups[0]))
    options = {"format": "duel", "tempo": "relaxed", "motion": MOTION, "judges": 3}
    await studio.do(lambda: ann.slash(channel, "debate start", **options))
    lobby = await studio.find(channel, labelled("Join as debater"))
    await studio.do(lambda: ann.click(lobby, label="Join as debater"))
    await studio.do(lambda: ben.click(lobby, label="Join as judge"))
    await studio.find(channel, saying("Ben"))
    studio.keep("lobby", lobby)
    await draw()
    await studio.do(lambda: ann.click(lobby, label="Start now"))
    await asyncio.sleep(0.5)
    thread = channel.threads[0]
    last = 0
    for number in range(3):
        call = await studio.find(thread, labelled("Speak", last))
        last = call.id
        text = SPEECHES["Pro" if "Pro" in str(call.embeds[0].to_dict()) else "Con"][number]
        if number == 0:
            studio.keep("prompt", call)
            await draw()
        form = await studio.do(lambda call=call: ann.click(call, label="Speak"))
        said: dict[str, Any] = {"text": text, **({"move": ["argue"]} if "'move'" in str(form.modal) else {})}
        await studio.do(lambda form=form, said=said: ann.submit_modal(form, said))
    vote = await studio.find(thread, labelled("Vote Pro"))
    studio.keep("vote", vote)
    await draw()
    form = await studio.do(lambda: ben.click(vote, label="Vote Pro"))
    await studio.do(lambda: ben.submit_modal(form, {"reason": "Ann answered what was said; Con spoke past it."}))
    final = await studio.find(thread, lambda one: any(a.filename.endswith(".json") for a in one.attachments))
    await asyncio.sleep(2)
    studio.keep("intro", await studio.find(thread, saying("Tempo")))
    studio.keep("round", await studio.find(thread, saying("###")))
    studio.keep(
        "speech",
        await studio.find(thread, lambda one: any(a.filename.endswith((".mp3", ".ogg")) for a in one.attachments)),
    )
    studio.keep(
        "speech-person",
        await studio.find(thread, saying("half an ear") if text in SPEECHES["Pro"] else saying("locked box")),
    )
    studio.keep("final", final)
    ours = [one for one in thread.history() if one.embeds]
    studio.keep("reveal", next(one for one in ours if "Vote 3" in str(one.embeds[-1].to_dict())))
    at = [one.id for one in ours].index(final.id)
    studio.keep("verdict", ours[at - 1])
    studio.keep("fairness", ours[-1])
    await draw()


async def drawn(studio: Studio, browser: Any, out: Path) -> None:
    """Draw what was chosen and is not drawn yet."""
    async with studio.world.busy:
        await studio.world.page.refresh()
    todo, studio.chosen = studio.chosen, {}
    for look, width in WIDTHS.items():
        for name, (room, message) in todo.items():
            page = await browser.new_page(
                viewport={"width": width, "height": 1600}, device_scale_factor=2, bypass_csp=True
            )
            await show(studio.world, page, room, message)
            path = out / f"{name}-{look}.png"
            await page.locator(f'article[data-message-id="{message}"]').screenshot(path=path)
            sys.stdout.write(f"{path}\n")
            await page.close()


async def show(world: World, page: Page, room: int, message: int) -> None:
    """Open the page at a message."""
    world.page.channel = next(one for one in world.rooms().values() if one.id == room)
    assert world.page._python is not None
    world.page._python.target_id = world.page._python.window_end_id = None
    await page.goto(world.page.url)
    await page.locator("#preview-app:not([aria-busy=true])").wait_for()
    await page.add_style_tag(content=STYLE)
    await page.locator(f'article[data-message-id="{message}"]').scroll_into_view_if_needed()
    await page.wait_for_timeout(700)


async def main() -> None:
    parser = argparse.ArgumentParser(description="Draw the pictures of docs/images/discord.")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "images" / "discord")
    parser.add_argument("--browser", default="/usr/bin/chromium")
    wanted = parser.parse_args()
    wanted.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        settings = in_folder(Settings(speed=SPEED, _env_file=None), Path(folder))  # pyright: ignore[reportCallIssue]
        async with open_world(settings, display="responsive") as world, async_playwright() as tool:
            browser = await tool.chromium.launch(executable_path=wanted.browser, args=["--no-sandbox"])
            clock = asyncio.create_task(keep_going(world))
            studio = Studio(world)
            await play(studio, lambda: drawn(studio, browser, wanted.out))
            clock.cancel()
            await browser.close()


if __name__ == "__main__":
    asyncio.run(main())
