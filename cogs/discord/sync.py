"""Telling Discord the commands, only when they changed: a server may create two hundred a day, and no more."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from pathlib import Path
from typing import Any

from discord import app_commands

log = logging.getLogger(__name__)


async def if_changed(tree: app_commands.CommandTree[Any], folder: Path) -> bool:
    """Sync the tree unless the same commands were synced before for this application. True: they were sent."""
    print_ = await fingerprint(tree)
    file = folder / f"discord-commands-{tree.client.application_id}"
    if await asyncio.to_thread(_read, file) == print_:
        return False
    synced = await tree.sync()
    log.info("Discord knows %d commands now", len(synced))
    try:
        await asyncio.to_thread(_write, file, print_)
    except OSError as error:
        log.warning("%s cannot be written, so the next start sends the commands again: %s", file, error)
    return True


async def fingerprint(tree: app_commands.CommandTree[Any]) -> str:
    """The same for the same commands, texts and translations."""
    translator = tree.translator
    payload = [
        await command.get_translated_payload(tree, translator) if translator else command.to_dict(tree)
        for command in tree.get_commands()
    ]
    text = json.dumps(sorted(payload, key=lambda one: (one.get("type", 1), one["name"])), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8").strip()
    except OSError:
        return ""


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")  # half of it would only mean that the commands are sent once more
