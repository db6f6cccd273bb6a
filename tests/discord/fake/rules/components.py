"""Components of messages: classic rows, and layouts (Components V2)."""

from __future__ import annotations

from typing import Any

from tests.discord.fake.records import Json, walk
from tests.discord.fake.rules.base import Problems, dicts
from tests.discord.fake.rules.embeds import check_link

ROW, BUTTON, STRING_SELECT, TEXT_INPUT = 1, 2, 3, 4
SELECTS = (3, 5, 6, 7, 8)
SECTION, TEXT, THUMBNAIL, GALLERY, FILE, SEPARATOR, CONTAINER = 9, 10, 11, 12, 13, 14, 17
TOP_LEVEL = (ROW, SECTION, TEXT, GALLERY, FILE, SEPARATOR, CONTAINER)
INSIDE: dict[int, tuple[int, ...]] = {
    ROW: (BUTTON, *SELECTS),
    SECTION: (TEXT,),
    CONTAINER: (ROW, SECTION, TEXT, GALLERY, FILE, SEPARATOR),
}
LINK, PREMIUM = 5, 6


def check_components(problems: Problems, components: Any, files: set[str], at: str, *, layout: bool) -> None:
    top = dicts(components)
    if layout:
        _check_layout(problems, top, at)
    else:
        if len(top) > 5:
            problems.bad("component-rows", at, f"{len(top)} rows, at most 5")
        for number, row in enumerate(top):
            if row.get("type") != ROW:
                message = f"type {row.get('type')} at the top of a message without the Components V2 flag"
                problems.bad("component-place", f"{at}.{number}", message)
    for number, component in enumerate(top):
        _check_tree(problems, component, TOP_LEVEL if layout else (ROW,), files, f"{at}.{number}")
    check_unique_ids(problems, top, at)


def check_unique_ids(problems: Problems, components: list[Json], at: str) -> None:
    seen: set[str] = set()
    for component in walk(components):
        custom_id = component.get("custom_id")
        if custom_id is None:
            continue
        if custom_id in seen:
            problems.bad("custom-id-twice", at, f"Component custom id cannot be duplicated: {custom_id}")
        seen.add(custom_id)


def check_custom_id(problems: Problems, component: Json, at: str) -> None:
    problems.text("custom-id", f"{at}.custom_id", component.get("custom_id"), 1, 100)


def _check_layout(problems: Problems, top: list[Json], at: str) -> None:
    everything = list(walk(top))
    if len(everything) > 40:
        problems.bad("layout-count", at, f"{len(everything)} components, at most 40")
    length = sum(len(one.get("content") or "") for one in everything if one.get("type") == TEXT)
    if length > 4000:
        problems.bad("layout-text", at, f"texts have {length} characters together, at most 4000")


def _check_tree(problems: Problems, component: Json, allowed: tuple[int, ...], files: set[str], at: str) -> None:
    kind = component.get("type")
    if kind not in allowed:
        problems.bad("component-place", at, f"type {kind} cannot be here, only {allowed}")
        return
    if kind == ROW:
        _check_row(problems, component, at)
    elif kind == BUTTON:
        check_button(problems, component, at)
    elif kind in SELECTS:
        check_select(problems, component, at)
    elif kind == SECTION:
        _check_section(problems, component, files, at)
    elif kind == TEXT:
        problems.text("text-display", f"{at}.content", component.get("content"), 1, 4000)
    elif kind in (THUMBNAIL, FILE):
        check_link(problems, (component.get("media") or component.get("file") or {}).get("url"), files, at)
    elif kind == GALLERY:
        items = dicts(component.get("items"))
        if not 1 <= len(items) <= 10:
            problems.bad("gallery", at, f"{len(items)} pictures, not 1-10")
        for number, item in enumerate(items):
            check_link(problems, (item.get("media") or {}).get("url"), files, f"{at}.items.{number}")
    for number, child in enumerate(dicts(component.get("components"))):
        _check_tree(problems, child, INSIDE.get(kind, ()), files, f"{at}.components.{number}")


def _check_row(problems: Problems, row: Json, at: str) -> None:
    children = dicts(row.get("components"))
    selects = [one for one in children if one.get("type") in SELECTS]
    if not children:
        problems.bad("component-row", at, "a row is empty")
    elif selects and len(children) > 1:
        problems.bad("component-row", at, "a select takes a row of its own")
    elif len(children) > 5:
        problems.bad("component-row", at, f"{len(children)} buttons in a row, at most 5")


def _check_section(problems: Problems, section: Json, files: set[str], at: str) -> None:
    texts = dicts(section.get("components"))
    if not 1 <= len(texts) <= 3:
        problems.bad("section", at, f"{len(texts)} texts in a section, not 1-3")
    accessory = section.get("accessory")
    if not isinstance(accessory, dict):
        problems.bad("section", at, "a section has no accessory")
    else:
        _check_tree(problems, accessory, (BUTTON, THUMBNAIL), files, f"{at}.accessory")


def check_button(problems: Problems, button: Json, at: str) -> None:
    style = button.get("style")
    if style == LINK:
        if not button.get("url") or button.get("custom_id"):
            problems.bad("button", at, "a link button has a url and no custom_id")
        else:
            check_link(problems, button["url"], set(), f"{at}.url")
    elif style != PREMIUM:
        check_custom_id(problems, button, at)
        if button.get("url"):
            problems.bad("button", at, "only a link button has a url")
    if button.get("label") is not None:
        problems.text("button-label", f"{at}.label", button["label"], 0, 80, label=True)
    if style != PREMIUM and not (button.get("label") or "").strip() and not button.get("emoji"):
        problems.bad("button-label", at, "a button has neither label nor emoji")


def check_select(problems: Problems, select: Json, at: str, *, in_modal: bool = False) -> None:
    check_custom_id(problems, select, at)
    if select.get("placeholder") is not None:
        problems.text("select-placeholder", f"{at}.placeholder", select["placeholder"], 0, 150, label=True)
    low, high = select.get("min_values"), select.get("max_values")
    low, high = 1 if low is None else low, 1 if high is None else high
    if not 0 <= low <= 25 or not 1 <= high <= 25 or low > high:
        problems.bad("select-values", at, f"takes {low} to {high} values")
    if select.get("type") == STRING_SELECT:
        check_options(problems, select, at, most=25)
        if high > len(dicts(select.get("options"))):
            problems.bad("select-values", at, f"takes up to {high} values and has fewer options")
    if in_modal and select.get("disabled"):
        problems.bad("select-disabled", at, "a select in a modal cannot be disabled")


def check_options(problems: Problems, owner: Json, at: str, *, least: int = 1, most: int) -> None:
    """The options of a string select, radio group or checkbox group."""
    options = dicts(owner.get("options"))
    if not least <= len(options) <= most:
        problems.bad("options", f"{at}.options", f"{len(options)} options, not {least}-{most}")
    values = [option.get("value") for option in options]
    if len(set(values)) < len(values):
        problems.bad("options", f"{at}.options", f"The specified option value is already used: {values}")
    for number, option in enumerate(options):
        where = f"{at}.options.{number}"
        problems.text("option", f"{where}.label", option.get("label"), 1, 100, label=True)
        problems.text("option", f"{where}.value", option.get("value"), 1, 100)
        if option.get("description") is not None:
            problems.text("option", f"{where}.description", option["description"], 0, 100, label=True)
    defaults = sum(bool(option.get("default")) for option in options)
    if defaults > (owner.get("max_values") or 1):
        problems.bad("options", f"{at}.options", f"{defaults} options are chosen by default")
