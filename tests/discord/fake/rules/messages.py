"""Bodies that make or change a message, wherever they are sent."""

from __future__ import annotations

from typing import Any

from tests.discord.fake.mentions import spoken
from tests.discord.fake.records import Json, Message
from tests.discord.fake.rules.base import Problems, dicts
from tests.discord.fake.rules.components import check_components
from tests.discord.fake.rules.embeds import check_embeds

LAYOUT, VOICE, EPHEMERAL = 1 << 15, 1 << 13, 1 << 6


def check_message(
    problems: Problems, body: Json, uploads: set[str], at: str, *, editing: Message | None = None, edit: bool = False
) -> None:
    """`edit`: a PATCH or an update callback; `editing`: the message it changes, where known."""
    files = uploads | _files(body, editing)
    flags = int(body.get("flags") or 0)
    layout = bool(flags & LAYOUT or (editing and editing.flags & LAYOUT))
    content = body.get("content")
    if content is not None:
        problems.text("content", f"{at}content", content, 0, 2000)
    check_embeds(problems, body.get("embeds"), files, f"{at}embeds")
    check_components(problems, body.get("components"), files, f"{at}components", layout=layout)
    if layout:
        for key in ("content", "embeds", "poll", "sticker_ids"):
            if body.get(key):
                problems.bad("layout-exclusive", f"{at}{key}", f"a message with Components V2 has no {key}")
    if edit and editing and editing.flags & LAYOUT and "flags" in body and not flags & LAYOUT:
        problems.bad("layout-unset", f"{at}flags", "the Components V2 flag cannot be taken off again")
    _check_hidden_files(problems, body, uploads, at, editing)
    _check_not_empty(problems, body, uploads, at, editing=editing, edit=edit)
    _check_mentions(problems, body, at)
    nonce = body.get("nonce")
    if isinstance(nonce, str) and len(nonce) > 25:
        problems.bad("nonce", f"{at}nonce", f"has {len(nonce)} characters, at most 25")
    if flags & VOICE and (len(uploads) != 1 or content):
        problems.bad("voice", f"{at}flags", "a voice message is one file and no content", code=50161)
    if body.get("poll") is not None:
        _check_poll(problems, body["poll"], f"{at}poll")


def _files(body: Json, editing: Message | None) -> set[str]:
    if editing is None:
        return set()
    kept = {str(one.get("id")) for one in dicts(body.get("attachments"))}
    keep_all = body.get("attachments") is None
    return {one.filename for one in editing.attachments if keep_all or one.in_embed or str(one.id) in kept}


def _check_hidden_files(problems: Problems, body: Json, uploads: set[str], at: str, editing: Message | None) -> None:
    """A file that only an embed shows is in no list that Discord gives out; an edit of the list loses sight of it."""
    if editing is None or body.get("attachments") is None:
        return
    listed = {str(one.get("id")) for one in dicts(body["attachments"])}
    embeds = str(body.get("embeds", editing.embeds))
    for file in editing.attachments:
        if file.in_embed and str(file.id) not in listed and file.filename not in uploads and file.filename in embeds:
            message = f"whether {file.filename}, which an embed shows, survives is undocumented; upload it again"
            problems.frowned("hidden-file", f"{at}attachments", message)


def _check_not_empty(
    problems: Problems, body: Json, uploads: set[str], at: str, *, editing: Message | None, edit: bool
) -> None:
    if edit and editing is None:
        return  # what is left after the edit is not known here
    after = body.get
    content = after("content", editing.content if editing else None)
    shown: list[Any] = [
        isinstance(content, str) and content.strip(),
        after("embeds", editing.embeds if editing else None),
        after("components", editing.components if editing else None),
        body.get("sticker_ids"),
        after("poll", editing.poll if editing else None),
        uploads,
        after("attachments", editing.attachments if editing else None),
    ]
    if not any(shown):
        problems.bad("empty", at, "has no content, embed, component, file, sticker or poll", code=50006)


def _check_mentions(problems: Problems, body: Json, at: str) -> None:
    words = spoken(str(body.get("content") or ""), dicts(body.get("components")))
    if words.strip() and body.get("allowed_mentions") is None:
        problems.frowned("allowed-mentions", f"{at}allowed_mentions", "text goes out without explicit allowed_mentions")
    allowed = body.get("allowed_mentions")
    if isinstance(allowed, dict):
        for key in ("users", "roles"):
            if allowed.get(key) and key in (allowed.get("parse") or ()):
                message = f"parse: [{key}] and {key}: [ids...] are mutually exclusive."
                problems.bad("allowed-mentions", f"{at}allowed_mentions", message)


def _check_poll(problems: Problems, poll: Json, at: str) -> None:
    problems.text("poll", f"{at}.question.text", (poll.get("question") or {}).get("text"), 1, 300)
    answers = dicts(poll.get("answers"))
    if not 1 <= len(answers) <= 10:
        problems.bad("poll", f"{at}.answers", f"{len(answers)} answers, not 1-10")
    for number, answer in enumerate(answers):
        text = (answer.get("poll_media") or {}).get("text")
        problems.text("poll", f"{at}.answers.{number}", text, 1, 55)
    if not 1 <= (poll.get("duration") or 24) <= 768:
        problems.bad("poll", f"{at}.duration", "a poll lasts 1 to 768 hours")
