"""Discord's errors: a status, a code and a message, as JSON."""

from __future__ import annotations

from typing import Any

#: code -> (status, message)
KNOWN = {
    0: (401, "401: Unauthorized"),
    10003: (404, "Unknown Channel"),
    10004: (404, "Unknown Guild"),
    10007: (404, "Unknown Member"),
    10008: (404, "Unknown Message"),
    10011: (404, "Unknown Role"),
    10013: (404, "Unknown User"),
    10014: (404, "Unknown Emoji"),
    10015: (404, "Unknown Webhook"),
    10062: (404, "Unknown interaction"),
    10063: (404, "Unknown application command"),
    20016: (400, "This action cannot be performed due to slowmode rate limit"),
    30007: (400, "Maximum number of webhooks reached (15)"),
    30032: (400, "Maximum number of application commands reached (100)"),
    40005: (413, "Request entity too large"),
    40060: (400, "Interaction has already been acknowledged."),
    50001: (403, "Missing Access"),
    50003: (403, "Cannot execute action on a DM channel"),
    50005: (403, "Cannot edit a message authored by another user"),
    50006: (400, "Cannot send an empty message"),
    50007: (403, "Cannot send messages to this user"),
    50008: (400, "Cannot send messages in a non-text channel"),
    50013: (403, "Missing Permissions"),
    50019: (403, "A message can only be pinned in the channel it was sent in"),
    50021: (403, "Cannot execute action on a system message"),
    50024: (400, "Cannot execute action on this channel type"),
    50027: (401, "Invalid Webhook Token"),
    50035: (400, "Invalid Form Body"),
    50083: (403, "Thread is archived"),
    50109: (400, "The request body contains invalid JSON."),
    50161: (400, "Voice messages must have a single audio attachment."),
    50173: (403, "You cannot send voice messages in this channel."),
    160002: (400, "Cannot reply without permission to read message history"),
    160004: (400, "A thread has already been created for this message"),
    160005: (403, "Thread is locked"),
}


class ApiError(Exception):
    def __init__(self, code: int, message: str | None = None, *, status: int | None = None, at: str = "") -> None:
        known_status, known_message = KNOWN.get(code, (400, "Error"))
        self.code = code
        self.status = status or known_status
        self.message = message or known_message
        self.at = at  # where in the body, for 50035
        super().__init__(f"{self.status} {self.code} {self.message}")

    def body(self) -> dict[str, Any]:
        if self.code != 50035:
            return {"message": self.message, "code": self.code}
        errors: dict[str, Any] = {"_errors": [{"code": "BASE_TYPE_BAD", "message": self.message}]}
        for key in reversed([part for part in self.at.split(".") if part]):
            errors = {key: errors}
        return {"message": KNOWN[50035][1], "code": 50035, "errors": errors}


def not_found() -> ApiError:
    return ApiError(0, "404: Not Found", status=404)
