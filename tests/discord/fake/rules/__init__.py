"""What Discord demands beyond its OpenAPI document, and what we demand beyond Discord."""

from __future__ import annotations

from tests.discord.fake.call import Call
from tests.discord.fake.records import Json, Message
from tests.discord.fake.rules.base import Problem, Problems, dicts
from tests.discord.fake.rules.commands import check_choices, check_command, check_commands
from tests.discord.fake.rules.messages import check_message
from tests.discord.fake.rules.modal import check_modal

CALLBACK = "/interactions/{interaction_id}/{interaction_token}/callback"
MESSAGE_ROUTES = {
    ("POST", "/channels/{channel_id}/messages"),
    ("PATCH", "/channels/{channel_id}/messages/{message_id}"),
    ("POST", "/webhooks/{webhook_id}/{webhook_token}"),
    ("PATCH", "/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}"),
    ("PATCH", "/webhooks/{webhook_id}/{webhook_token}/messages/@original"),
}
THREAD_ROUTES = {
    ("POST", "/channels/{channel_id}/threads"),
    ("POST", "/channels/{channel_id}/messages/{message_id}/threads"),
}
COMMAND_ROUTES = (
    "/applications/{application_id}/commands",
    "/applications/{application_id}/guilds/{guild_id}/commands",
)
FORBIDDEN_NAMES = ("discord", "clyde")


def check(call: Call, editing: Message | None) -> list[Problem]:
    """Everything wrong with a request; `editing` is the message it changes, if it does."""
    problems = Problems()
    key = (call.method, call.route)
    uploads = {upload.filename for upload in call.files}
    if key in MESSAGE_ROUTES:
        edit = call.method == "PATCH"
        check_message(problems, call.json, uploads, "", editing=editing, edit=edit)
        _check_webhook_name(problems, call.json.get("username"))
    elif call.route == CALLBACK:
        _check_callback(problems, call.json, uploads, editing)
    elif call.route in COMMAND_ROUTES and call.method == "PUT":
        check_commands(problems, call.body)
    elif call.route in COMMAND_ROUTES and call.method == "POST":
        check_command(problems, call.json, "0")
    elif key in THREAD_ROUTES or (key == ("PATCH", "/channels/{channel_id}") and "name" in call.json):
        problems.text("thread-name", "name", call.json.get("name"), 1, 100, label=True)
    elif key == ("POST", "/channels/{channel_id}/webhooks"):
        problems.text("webhook-name", "name", call.json.get("name"), 1, 80)
        _check_webhook_name(problems, call.json.get("name"))
    if key in THREAD_ROUTES and call.json.get("auto_archive_duration") not in (None, 60, 1440, 4320, 10080):
        problems.bad("thread-archive", "auto_archive_duration", f"{call.json['auto_archive_duration']} minutes")
    return problems.found


def _check_webhook_name(problems: Problems, name: object) -> None:
    if name is None:
        return
    problems.text("webhook-name", "username", name, 1, 80)
    if any(word in str(name).lower() for word in FORBIDDEN_NAMES):
        problems.bad("webhook-name", "username", f'Username cannot contain "discord" or "clyde": {name!r}')


def _check_callback(problems: Problems, body: Json, uploads: set[str], source: Message | None) -> None:
    kind, data = body.get("type"), body.get("data")
    data = data if isinstance(data, dict) else {}
    if kind == 4:
        check_message(problems, data, uploads, "data.")
    elif kind == 7:
        check_message(problems, data, uploads, "data.", editing=source, edit=True)
    elif kind == 5:
        extra = {key for key, value in data.items() if key != "flags" and value}
        if extra or int(data.get("flags") or 0) & ~64:
            problems.frowned("defer", "data", f"a deferred answer carries the ephemeral flag and nothing else: {data}")
    elif kind == 8:
        check_choices(problems, data.get("choices"), "data.choices")
        if not isinstance(data.get("choices"), list):
            problems.bad("choices", "data.choices", "an autocomplete answer has choices")
    elif kind == 9:
        check_modal(problems, data, "data")


__all__ = ["Problem", "Problems", "check", "dicts"]
