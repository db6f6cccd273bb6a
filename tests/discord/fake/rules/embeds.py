"""Embeds: limits per part and for all of a message together."""

from __future__ import annotations

from typing import Any

from tests.discord.fake.rules.base import Problems, dicts

LIMITS = {"title": 256, "description": 4096}


def check_embeds(problems: Problems, embeds: Any, files: set[str], at: str) -> None:
    if not isinstance(embeds, list):
        return
    if len(embeds) > 10:
        problems.bad("embed-count", at, f"{len(embeds)} embeds, at most 10")
    total = 0
    for number, embed in enumerate(dicts(embeds)):
        total += _check_one(problems, embed, files, f"{at}.{number}")
    if total > 6000:
        problems.bad("embed-sum", at, f"embeds have {total} characters together, at most 6000")


def _check_one(problems: Problems, embed: dict[str, Any], files: set[str], at: str) -> int:
    texts: list[str] = []

    def part(value: Any, where: str, high: int, *, low: int = 0) -> None:
        if value is not None or low:
            problems.text("embed-limit", f"{at}.{where}", value, low, high)
        texts.append(value if isinstance(value, str) else "")

    for name, high in LIMITS.items():
        part(embed.get(name), name, high)
    part((embed.get("footer") or {}).get("text"), "footer.text", 2048, low=1 if embed.get("footer") else 0)
    part((embed.get("author") or {}).get("name"), "author.name", 256, low=1 if embed.get("author") else 0)
    fields = dicts(embed.get("fields"))
    if len(fields) > 25:
        problems.bad("embed-limit", f"{at}.fields", f"{len(fields)} fields, at most 25")
    for number, field in enumerate(fields):
        part(field.get("name"), f"fields.{number}.name", 256, low=1)
        part(field.get("value"), f"fields.{number}.value", 1024, low=1)
    for where, link in _links(embed):
        check_link(problems, link, files, f"{at}.{where}")
    if not any(text.strip() for text in texts) and not embed.get("image") and not embed.get("thumbnail"):
        problems.bad("embed-empty", at, "an embed shows nothing")
    return sum(map(len, texts))


def _links(embed: dict[str, Any]) -> list[tuple[str, Any]]:
    places = (("image", "url"), ("thumbnail", "url"), ("author", "icon_url"), ("author", "url"), ("footer", "icon_url"))
    links = [(f"{part}.{key}", (embed.get(part) or {}).get(key)) for part, key in places]
    return [*links, ("url", embed.get("url"))]


def check_link(problems: Problems, link: Any, files: set[str], at: str) -> None:
    """A link is http(s), or names a file of the message."""
    if link is None:
        return
    if isinstance(link, str) and link.startswith("attachment://"):
        if link.removeprefix("attachment://") not in files:
            problems.bad("attachment-link", at, f"{link} names no file of this message ({', '.join(sorted(files))})")
    elif not isinstance(link, str) or not link.startswith(("http://", "https://")):
        problems.bad("link", at, f"Not a well formed URL: {link!r}")
