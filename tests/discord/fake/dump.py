"""The world in words, for whoever reads why a test failed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tests.discord.fake.records import Channel, Message
from tests.discord.fake.world import World

if TYPE_CHECKING:
    from tests.discord.fake.server import FakeDiscord

WIDTH = 400


def dump(fake: FakeDiscord, channels: Sequence[int]) -> str:
    world = fake.world
    wanted = channels or [*world.messages]
    return "\n".join(line for channel_id in wanted for line in _channel(world, channel_id)) or "(nothing was said)"


def _channel(world: World, channel_id: int) -> list[str]:
    channel = world.channels.get(channel_id)
    lines = [f"== {_place(channel)} ({channel_id})"]
    for message in world.messages.get(channel_id, {}).values():
        lines += _message(world, message)
    return lines


def _place(channel: Channel | None) -> str:
    if channel is None:
        return "a deleted channel"
    if channel.thread is None:
        return f"#{channel.name}"
    states = [name for name in ("archived", "locked") if getattr(channel.thread, name)]
    return f"thread “{channel.name}”" + (f" [{', '.join(states)}]" if states else "")


def _message(world: World, message: Message) -> list[str]:
    author = world.users.get(message.author_id)
    name = message.shown_name or (author.name if author else str(message.author_id))
    marks = []
    if message.ephemeral_to is not None:
        marks.append(f"only to {world.users[message.ephemeral_to].name}")
    if message.type not in (0, 19, 20):
        marks.append(f"system message {message.type}")
    if message.loading:
        marks.append("thinking")
    if message.edits:
        marks.append(f"edited {len(message.edits)} x")
    if message.deleted_at is not None:
        marks.append("deleted")
    if message.pings:
        who = [world.users[one].name for one in message.pings.users] + [str(one) for one in message.pings.roles]
        marks.append("pings " + ", ".join(who + (["everyone"] if message.pings.everyone else [])))
    at = time.strftime("%H:%M:%S", time.localtime(message.created_at)) + f".{int(message.created_at * 1000) % 1000:03d}"
    lines = [f"{at} {name}" + (f" ({'; '.join(marks)})" if marks else "")]
    text = message.text if len(message.text) <= WIDTH else message.text[:WIDTH] + " ..."
    lines += [f"    {line}" for line in text.splitlines()]
    if message.attachments:
        files = [f"{one.filename} {len(one.data)} B" + (" in embed" * one.in_embed) for one in message.attachments]
        lines.append(f"    files: {', '.join(files)}")
    if message.controls:
        shown = [
            f"[{one.get('label') or one.get('placeholder') or (one.get('emoji') or {}).get('name')}"
            f"{' off' if one.get('disabled') else ''} {one.get('custom_id', '')}]"
            for one in message.controls
        ]
        lines.append("    " + " ".join(shown))
    return lines


def report(fake: FakeDiscord, last: int) -> str:
    lines = [f"== the last {last} of {len(fake.requests)} requests"]
    lines += [str(call) for call in list(fake.requests)[-last:]]
    lines += ["== violations", *map(str, fake.violations)] if fake.violations else ["== no violations"]
    if fake.spec_missing:
        lines.append(f"== {fake.spec_missing}")
    return "\n".join(lines)
