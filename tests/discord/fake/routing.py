"""The table of routes. Handlers register themselves under the paths of Discord's OpenAPI document."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import unquote

from tests.discord.fake.call import Handler

_ROUTES: dict[tuple[str, int], list[tuple[tuple[str, ...], str, Handler]]] = {}


def route(method: str, path: str) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        parts = tuple(path.strip("/").split("/"))
        same_length = _ROUTES.setdefault((method, len(parts)), [])
        same_length.append((parts, path, handler))
        same_length.sort(key=lambda entry: [part.startswith("{") for part in entry[0]])  # "@me" before "{user_id}"
        return handler

    return register


def find(method: str, path: str) -> tuple[str, dict[str, str], Handler] | None:
    parts = tuple(path.strip("/").split("/"))
    for pattern, name, handler in _ROUTES.get((method, len(parts)), ()):
        if all(want.startswith("{") or want == unquote(got) for want, got in zip(pattern, parts, strict=True)):
            named = zip(pattern, parts, strict=True)
            return name, {want[1:-1]: unquote(got) for want, got in named if want.startswith("{")}, handler
    return None
