"""From what a model wrote to data that fits the schema it was given, mending on the way what models often get wrong.

The schemas of `Ask` are objects with every property required and no others; the check knows the words they use.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

_FENCE = re.compile(r"```[a-zA-Z]*\s*(.*?)```", re.DOTALL)
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_TRAILING = re.compile(r",(\s*[}\]])")
_MOST = 200_000


class Misfit(ValueError):
    """It does not fit; the text says where."""


def instructions(schema: dict[str, Any]) -> str:
    """What a model is told whose server knows no schemas."""
    text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return (
        "Answer with one JSON object and nothing else: no explanation, no Markdown, no code fence. "
        f"It must fit this JSON schema: {text}"
    )


def without_lengths(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without the longest lengths of texts and lists, which strict servers refuse."""
    bare = {key: value for key, value in schema.items() if key not in ("maxLength", "maxItems")}
    if "properties" in bare:
        bare["properties"] = {name: without_lengths(inner) for name, inner in bare["properties"].items()}
    if isinstance(bare.get("items"), dict):
        bare["items"] = without_lengths(bare["items"])
    return bare


def with_last(schema: dict[str, Any], name: str) -> dict[str, Any]:
    """The schema with that property last."""
    if name not in schema["properties"]:
        return schema
    properties = {key: value for key, value in schema["properties"].items() if key != name}
    properties[name] = schema["properties"][name]
    return {**schema, "properties": properties, "required": list(properties)}


def read(text: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The object in what a model wrote. Raises Misfit."""
    trouble: Misfit | None = None
    for candidate in _candidates(text[:_MOST]):
        try:
            data = json.loads(candidate, strict=False)
        except (ValueError, RecursionError):
            continue
        if isinstance(data, str) and data.lstrip().startswith("{"):  # JSON in a JSON string
            try:
                data = json.loads(data, strict=False)
            except (ValueError, RecursionError):
                continue
        try:
            fitted = fit(data, schema)
        except Misfit as misfit:
            trouble = trouble or misfit
            continue
        if isinstance(fitted, dict):
            return fitted
    raise trouble or Misfit("no JSON object in it")


def _candidates(text: str) -> list[str]:
    """What may be the object, the likeliest first."""
    text = _THOUGHT.sub("", text).strip()
    found = [text, *(fenced.strip() for fenced in _FENCE.findall(text)), *_objects(text)]
    found += [_without_trailing_commas(candidate) for candidate in list(found)]
    return list(dict.fromkeys(candidate for candidate in found if candidate))


def _objects(text: str) -> list[str]:
    """The outermost objects, the longest first: one quoted in an explanation is rarely it."""
    found: list[str] = []
    depth = start = 0
    in_string = escaped = False
    for at, letter in enumerate(text):
        if in_string:
            if escaped:
                escaped = False
            elif letter == "\\":
                escaped = True
            elif letter == '"':
                in_string = False
        elif letter == '"' and depth:
            in_string = True
        elif letter == "{":
            if depth == 0:
                start = at
            depth += 1
        elif letter == "}" and depth:
            depth -= 1
            if depth == 0:
                found.append(text[start : at + 1])
    return sorted(found, key=len, reverse=True)


def _without_trailing_commas(text: str) -> str:
    """Commas before a closing bracket removed, outside of strings."""
    parts: list[str] = []
    end = 0
    strings: list[str] = []
    for string in _STRING.finditer(text):
        parts.append(text[end : string.start()])
        strings.append(string.group())
        end = string.end()
    parts.append(text[end:])
    bare = '""'.join(parts)
    bare = _TRAILING.sub(r"\1", _TRAILING.sub(r"\1", bare))
    pieces = bare.split('""')
    if len(pieces) != len(strings) + 1:
        return text
    return "".join(piece + string for piece, string in zip(pieces, [*strings, ""], strict=True))


# ------------------------------------------------------------------------------------------------- the check


def fit(value: Any, schema: dict[str, Any], where: str = "answer") -> Any:
    """The value as the schema wants it: what is harmless is mended (a number in quotes, a property too many), anything
    else is a Misfit."""
    if "anyOf" in schema:
        for option in schema["anyOf"]:
            try:
                return fit(value, option, where)
            except Misfit:
                continue
        raise Misfit(f"{where} fits none of the choices")
    if "const" in schema and value != schema["const"]:
        raise Misfit(f"{where} should be {schema['const']!r}")
    if "enum" in schema:
        return _one_of(value, schema["enum"], where)
    kind = schema.get("type", "object" if "properties" in schema else None)
    if isinstance(kind, list):
        return fit(value, {"anyOf": [{**schema, "type": one} for one in kind]}, where)
    match kind:
        case "object":
            return _object(value, schema, where)
        case "array":
            return _array(value, schema, where)
        case "string":
            return _string(value, schema, where)
        case "integer" | "number":
            return _number(value, schema, where, whole=kind == "integer")
        case "boolean":
            if isinstance(value, str) and value.lower() in ("true", "false"):
                return value.lower() == "true"
            if not isinstance(value, bool):
                raise Misfit(f"{where} should be true or false")
            return value
        case "null":
            if value is not None:
                raise Misfit(f"{where} should be null")
            return None
        case _:
            return value


def _one_of(value: Any, choices: list[Any], where: str) -> Any:
    if any(value == choice and type(value) is type(choice) for choice in choices):
        return value
    if isinstance(value, str):
        plain = value.strip().lower()
        same = [choice for choice in choices if isinstance(choice, str) and choice.lower() == plain]
        if len(same) == 1:
            return same[0]
    raise Misfit(f"{where} should be one of {choices}")


def _object(value: Any, schema: dict[str, Any], where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Misfit(f"{where} should be an object")
    properties: dict[str, Any] = schema.get("properties", {})
    missing = [name for name in schema.get("required", ()) if name not in value]
    if missing:
        raise Misfit(f"{where} lacks {missing[0]}")
    fitted = {name: fit(value[name], inner, f"{where}.{name}") for name, inner in properties.items() if name in value}
    others = schema.get("additionalProperties", False)
    if others is True:
        return {**value, **fitted}
    if isinstance(others, dict):
        return fitted | {n: fit(v, others, f"{where}.{n}") for n, v in value.items() if n not in properties}
    return fitted


def _array(value: Any, schema: dict[str, Any], where: str) -> list[Any]:
    if not isinstance(value, list):
        raise Misfit(f"{where} should be a list")
    if len(value) < schema.get("minItems", 0):
        raise Misfit(f"{where} is too short a list")
    kept = value[: schema.get("maxItems", len(value))]
    items = schema.get("items")
    return [fit(item, items, f"{where}[{n}]") if items else item for n, item in enumerate(kept)]


def _string(value: Any, schema: dict[str, Any], where: str) -> str:
    """The longest length is not held to: who asked shortens a text at the end of a sentence."""
    if not isinstance(value, str):
        raise Misfit(f"{where} should be a text")
    if len(value.strip()) < schema.get("minLength", 0):
        raise Misfit(f"{where} is too short a text")
    return value


def _number(value: Any, schema: dict[str, Any], where: str, *, whole: bool) -> float:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise Misfit(f"{where} should be a number") from None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
        raise Misfit(f"{where} should be a number")
    if whole:
        if value in (float("inf"), float("-inf")) or value != int(value):
            raise Misfit(f"{where} should be a whole number")
        value = int(value)
    if not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        raise Misfit(f"{where} is out of range")
    return value
