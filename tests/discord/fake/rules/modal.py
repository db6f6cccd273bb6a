"""Modals: title, one to five labelled inputs, and their limits."""

from __future__ import annotations

from tests.discord.fake.records import Json
from tests.discord.fake.rules.base import Problems, dicts
from tests.discord.fake.rules.components import (
    ROW,
    SELECTS,
    TEXT,
    TEXT_INPUT,
    check_custom_id,
    check_options,
    check_select,
    check_unique_ids,
)

LABEL, UPLOAD, RADIO, CHECKBOXES, CHECKBOX = 18, 19, 21, 22, 23


def check_modal(problems: Problems, modal: Json, at: str) -> None:
    problems.text("modal-title", f"{at}.title", modal.get("title"), 1, 45, label=True)
    check_custom_id(problems, modal, at)
    components = dicts(modal.get("components"))
    if not 1 <= len(components) <= 5:
        problems.bad("modal-count", f"{at}.components", f"{len(components)} components, not 1-5")
    for number, component in enumerate(components):
        _check_top(problems, component, f"{at}.components.{number}")
    check_unique_ids(problems, components, f"{at}.components")


def _check_top(problems: Problems, component: Json, at: str) -> None:
    kind = component.get("type")
    if kind == LABEL:
        problems.text("modal-label", f"{at}.label", component.get("label"), 1, 45, label=True)
        if component.get("description") is not None:
            problems.text("modal-label", f"{at}.description", component["description"], 1, 100, label=True)
        inner = component.get("component")
        _check_input(problems, inner if isinstance(inner, dict) else {}, f"{at}.component")
    elif kind == TEXT:
        problems.text("text-display", f"{at}.content", component.get("content"), 1, 4000)
    elif kind == ROW:
        for inner in dicts(component.get("components")):
            _check_input(problems, inner, f"{at}.components.0", labelled=True)
    else:
        problems.bad("modal-component", at, f"type {kind} cannot be at the top of a modal")


def _check_input(problems: Problems, component: Json, at: str, *, labelled: bool = False) -> None:
    kind = component.get("type")
    if kind == TEXT_INPUT:
        _check_text_input(problems, component, at, labelled)
    elif kind in SELECTS:
        check_select(problems, component, at, in_modal=True)
    elif kind in (RADIO, CHECKBOXES):
        check_custom_id(problems, component, at)
        check_options(problems, component, at, least=2 if kind == RADIO else 1, most=10)
    elif kind in (UPLOAD, CHECKBOX):
        check_custom_id(problems, component, at)
    else:
        problems.bad("modal-component", at, f"type {kind} cannot be in a label")


def _check_text_input(problems: Problems, component: Json, at: str, labelled: bool) -> None:
    check_custom_id(problems, component, at)
    if labelled:
        problems.text("modal-label", f"{at}.label", component.get("label"), 1, 45, label=True)
    if component.get("placeholder") is not None:
        problems.text("modal-placeholder", f"{at}.placeholder", component["placeholder"], 0, 100, label=True)
    low, high = component.get("min_length") or 0, component.get("max_length") or 4000
    if not 0 <= low <= 4000 or not 1 <= high <= 4000 or low > high:
        problems.bad("modal-length", at, f"takes {low} to {high} characters")
    if component.get("value") is not None:
        problems.text("modal-value", f"{at}.value", component["value"], 0, high)
