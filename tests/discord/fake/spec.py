"""Request bodies against Discord's own OpenAPI document, where this machine has it.

The document is lax in places and strict in others (see the quirks in our notes on Discord, 3.3), so the
validator here picks the branch of a union by its "type", takes whole numbers for snowflakes, and finds unknown keys.
"""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

NAME = "discord-openapi.json"
URN = "urn:discord"

KEPT_ATTACHMENT = ("url", "proxy_url", "size", "spoiler", "width", "height", "content_type")
#: (where, key) that discord.py sends and the document does not know; Discord ignores them.
TOLERATED = (
    (re.compile(r"(data)?"), "tts"),  # discord.py puts tts into every edit
    (re.compile(r"(data\.)?embeds\.\d+"), "flags"),  # and gives back an embed's flags
    (re.compile(r"\d*"), "nsfw"),  # which only reading a command shows
    # and all it knows of an attachment that an edit keeps.
    *((re.compile(r"(data\.)?attachments\.\d+"), key) for key in KEPT_ATTACHMENT),
)

Schema = dict[str, Any]
REFERENCE: Any = Draft202012Validator.VALIDATORS["$ref"]


def find() -> Path | None:
    """Where the document is: under ROSTRUM_SPECS, or in ../shared/specs beside the repository."""
    named = os.environ.get("ROSTRUM_SPECS")
    repository = Path(__file__).resolve().parents[3]
    places = [Path(named)] if named else [repository.parent / "shared" / "specs"]
    for place in places:
        path = place if place.is_file() else place / NAME
        if path.is_file():
            return path
    return None


def why_missing() -> str | None:
    """Why bodies are not checked against the document; None if they are."""
    if find():
        return None
    named = os.environ.get("ROSTRUM_SPECS")
    where = f"in ROSTRUM_SPECS={named}" if named else "in ../shared/specs; set ROSTRUM_SPECS to where it is"
    return f"request bodies are not checked against {NAME}: it is not {where}"


@functools.lru_cache(maxsize=2)
def load(path: Path) -> Spec:
    return Spec(json.loads(path.read_text()))


class Spec:
    def __init__(self, document: Schema) -> None:
        self._document = document
        self._registry = Registry().with_resource(URN, Resource(contents=document, specification=DRAFT202012))
        self._validators: dict[tuple[str, str], Any] = {}
        self._validator = extend(
            Draft202012Validator, {"oneOf": self._union, "anyOf": self._union, "$ref": self._reference}
        )

    def problems(self, method: str, route: str, body: Any) -> list[tuple[str, str]]:
        """(where, what) for each way in which a body is not what the document says."""
        schema = self.schema(method, route)
        if schema is None:
            return []
        found = [(dotted(error.absolute_path), error.message) for error in self._iter_errors(method, route, body)]
        found += [(where, f"unknown key {key!r}") for where, key in self._unknown(body, [schema], "")]
        return found

    def schema(self, method: str, route: str) -> Schema | None:
        operation = self._document["paths"].get(route, {}).get(method.lower(), {})
        content = operation.get("requestBody", {}).get("content", {})
        return content.get("application/json", {}).get("schema")

    def _iter_errors(self, method: str, route: str, body: Any) -> Iterator[ValidationError]:
        validator = self._validators.get((method, route))
        if validator is None:
            pointer = f"/paths/{escape(route)}/{method.lower()}/requestBody/content/application~1json/schema"
            validator = self._validator({"$ref": f"{URN}#{pointer}"}, registry=self._registry, format_checker=FORMATS)
            self._validators[method, route] = validator
        return validator.iter_errors(body)

    # --- the three keywords that the quirks concern -------------------------------------------------------

    def _reference(self, validator: Any, ref: str, instance: Any, schema: Schema) -> Iterator[ValidationError]:
        if ref.endswith("/SnowflakeType") and isinstance(instance, int) and not isinstance(instance, bool):
            return
        yield from REFERENCE(validator, ref, instance, schema)

    def _union(
        self, validator: Any, branches: list[Schema], instance: Any, schema: Schema
    ) -> Iterator[ValidationError]:
        """Exactly one branch where the instance says which; otherwise any (the document means oneOf by both)."""
        chosen = self._choose(branches, instance)
        if len(chosen) == 1:
            branch = chosen[0]
            yield from validator.descend(instance, branch, schema_path=branches.index(branch))
            return
        context: list[ValidationError] = []
        for index, branch in enumerate(chosen):
            errors = list(validator.descend(instance, branch, schema_path=index))
            if not errors:
                return
            context.extend(errors)
        yield ValidationError(f"{short(instance)} is none of the {len(branches)} things it may be", context=context)

    def _choose(self, branches: list[Schema], instance: Any) -> list[Schema]:
        not_null = [one for one in branches if self._resolve(one).get("type") != "null"]
        if instance is None:
            return branches
        if isinstance(instance, dict) and "type" in instance:
            matching = [one for one in not_null if instance["type"] in self._types(one)]
            return matching or not_null
        return not_null

    def _types(self, branch: Schema) -> list[Any]:
        kind = self._resolve(self._resolve(branch).get("properties", {}).get("type", {}))
        return kind.get("enum") or ([kind["const"]] if "const" in kind else [])

    def _resolve(self, schema: Schema) -> Schema:
        while "$ref" in schema:
            schema = self._document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return schema

    # --- unknown keys ---------------------------------------------------------------------------------------

    def _unknown(self, instance: Any, schemas: list[Schema], at: str) -> Iterator[tuple[str, str]]:
        flat = [one for schema in schemas for one in self._flat(schema, instance)]
        if isinstance(instance, list):
            items = [one["items"] for one in flat if isinstance(one.get("items"), dict)]
            for number, value in enumerate(instance):
                yield from self._unknown(value, items, f"{at}.{number}" if at else str(number))
        elif isinstance(instance, dict):
            known = [one for one in flat if "properties" in one]
            if not known or any("additionalProperties" in one for one in flat):
                return
            for key, value in instance.items():
                where = f"{at}.{key}" if at else key
                subschemas = [one["properties"][key] for one in known if key in one["properties"]]
                if subschemas:
                    yield from self._unknown(value, subschemas, where)
                elif not any(key == name and place.fullmatch(at) for place, name in TOLERATED):
                    yield at, key

    def _flat(self, schema: Schema, instance: Any) -> Iterator[Schema]:
        """The schemas that describe an instance once references and unions are followed."""
        schema = self._resolve(schema)
        yield schema
        for keyword in ("oneOf", "anyOf"):
            for branch in self._choose(schema.get(keyword, []), instance):
                yield from self._flat(branch, instance)
        for branch in schema.get("allOf", []):
            yield from self._flat(branch, instance)


def escape(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1").replace("{", "%7B").replace("}", "%7D")


def dotted(path: Any) -> str:
    return ".".join(map(str, path))


def short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:77] + "..."


FORMATS = FormatChecker(formats=())


@FORMATS.checks("snowflake")
def _is_snowflake(value: object) -> bool:
    return not isinstance(value, str) or (value.isdecimal() and int(value) < 1 << 64)


@FORMATS.checks("nonce")
def _is_nonce(value: object) -> bool:
    return not isinstance(value, str) or len(value) <= 25


@FORMATS.checks("int32")
def _is_int32(value: object) -> bool:
    return not isinstance(value, int) or -(1 << 31) <= value < 1 << 31


@FORMATS.checks("int64")
def _is_int64(value: object) -> bool:
    return not isinstance(value, int) or -(1 << 63) <= value < 1 << 63


@FORMATS.checks("uri")
def _is_uri(value: object) -> bool:
    return not isinstance(value, str) or bool(re.match(r"[a-z][a-z0-9+.-]*:\S+$", value, re.IGNORECASE))


@FORMATS.checks("date-time")
def _is_date_time(value: object) -> bool:
    return not isinstance(value, str) or bool(re.match(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d", value))
