"""REST handlers, a module per part of the API."""

from __future__ import annotations

import importlib

MODULES = ("channels", "commands", "guilds", "interactions", "messages", "reactions", "threads", "users", "webhooks")


def load_all() -> None:
    """Import every module, so that each puts its routes into the table."""
    for name in MODULES:
        importlib.import_module(f"{__name__}.{name}")
