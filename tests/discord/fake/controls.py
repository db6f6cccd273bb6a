"""Buttons, selects and modal fields as a client lets its user work them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.discord.fake.records import Json, Message, walk
from tests.discord.fake.slash import CannotDo

BUTTON, STRING_SELECT, TEXT_INPUT, LABEL, TEXT = 2, 3, 4, 18, 10
SELECTS = (3, 5, 6, 7, 8)
RADIO, CHECKBOXES, CHECKBOX = 21, 22, 23


def find_control(message: Message, wanted: str, kinds: Sequence[int]) -> Json:
    """A button or select by its custom_id, else by its label, emoji or placeholder; a label may be the start of one."""
    controls = [one for one in message.controls if one["type"] in kinds]

    def named(control: Json) -> list[str]:
        emoji = (control.get("emoji") or {}).get("name")
        texts = (control.get("custom_id"), control.get("label"), emoji, control.get("placeholder"))
        return [text for text in texts if text]

    exact = [one for one in controls if wanted in named(one)]
    found = exact or [one for one in controls if any(text.startswith(wanted) for text in named(one))]
    if len(found) != 1:
        offered = [" / ".join(named(one)) for one in controls]
        raise CannotDo(f"{len(found)} controls are {wanted!r}; the message offers {offered}")
    control = found[0]
    if control.get("disabled"):
        raise CannotDo(f"{wanted!r} is disabled")
    if "custom_id" not in control:
        raise CannotDo(f"{wanted!r} is a link")
    return control


def chosen_values(select: Json, values: Sequence[Any]) -> list[str]:
    """What a select sends for options named by value or label, or for users, roles and channels."""
    if select["type"] == STRING_SELECT:
        options = select.get("options") or []
        chosen = [_option(options, str(value)) for value in values]
    else:
        chosen = [str(value.id) for value in values]
    low, high = select.get("min_values"), select.get("max_values")
    low, high = 1 if low is None else low, 1 if high is None else high
    if not low <= len(chosen) <= high:
        raise CannotDo(f"the select takes {low} to {high} values, not {len(chosen)}")
    return chosen


def _option(options: list[Json], wanted: str) -> str:
    for option in options:
        if wanted in (option["value"], option["label"]):
            return option["value"]
    raise CannotDo(f"no option {wanted!r}; offered: {[one['label'] for one in options]}")


def submitted(modal: Json, given: Mapping[str, Any]) -> list[Json]:
    """The components of a submitted modal, from what the user put in by custom_id or label."""
    used: set[str] = set()
    rows = [_row(component, given, used) for component in modal["components"]]
    if unknown := given.keys() - used:
        raise CannotDo(f"the modal has no field {', '.join(sorted(unknown))}; it has {fields(modal)}")
    return rows


def fields(modal: Json) -> list[str]:
    """The labels of a modal's fields."""
    return [one["label"] for one in walk(modal["components"]) if one.get("label")]


def _row(component: Json, given: Mapping[str, Any], used: set[str]) -> Json:
    row: Json = {"type": component["type"], "id": component["id"]}
    if component["type"] == LABEL:
        return row | {"component": _field(component["component"], component["label"], given, used)}
    if component["type"] == TEXT:
        return row
    inner = [_field(one, one.get("label") or "", given, used) for one in component["components"]]
    return row | {"components": inner}


def _field(field: Json, label: str, given: Mapping[str, Any], used: set[str]) -> Json:
    key = next((one for one in (field["custom_id"], label) if one in given), None)
    used |= {key} if key is not None else set()
    kind, required = field["type"], field.get("required") is not False
    filled: Json = {"type": kind, "id": field["id"], "custom_id": field["custom_id"]}
    if kind == TEXT_INPUT:
        text = str(given[key] if key is not None else field.get("value") or "")
        low, high = field.get("min_length") or 0, field.get("max_length") or 4000
        if required and not text:
            raise CannotDo(f"{label!r} is required")
        if text and not low <= len(text) <= high:
            raise CannotDo(f"{label!r} takes {low} to {high} characters, not {len(text)}")
        return filled | {"value": text}
    if kind in SELECTS:
        values = _listed(given[key]) if key is not None else _defaults(field)
        optional = field | {"min_values": 0} if not required and not values else field
        return filled | {"values": chosen_values(optional, values)}
    if kind == RADIO:
        value = given[key] if key is not None else next(iter(_defaults(field)), None)
        if value is None and required:
            raise CannotDo(f"{label!r} is required")
        return filled | {"value": None if value is None else _option(field["options"], str(value))}
    if kind == CHECKBOXES:
        values = _listed(given[key]) if key is not None else _defaults(field)
        return filled | {"values": [_option(field["options"], str(value)) for value in values]}
    if kind == CHECKBOX:
        return filled | {"value": bool(given[key] if key is not None else field.get("default"))}
    raise NotImplementedError(f"this fake cannot fill a modal field of type {kind}")


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple | set) else [value]


def _defaults(field: Json) -> list[str]:
    return [one["value"] for one in field.get("options") or [] if one.get("default")]
