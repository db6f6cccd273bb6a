"""Which models there are, as files and variables say it; and answers read from what models write."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from bot.minds.models.budget import Limits, Price
from bot.minds.models.endpoints import EndpointsError, Lineup, family_of, known_price, load_lineup, parse_lineup
from bot.minds.models.local import LocalServer
from bot.minds.models.structured import Misfit, fit, read
from tests.minds.stub import GOOD, SCHEMA

FILE = """
[endpoints.open]
base_url = "https://api.openai.com/v1"
key_env = "A_KEY"
moderation = true
tts = true

[endpoints.home]
base_url = "http://127.0.0.1:11434/v1/"
timeout_s = 40
most_parallel = 1

[models.mini]
endpoint = "open"
id = "gpt-4.1-mini-2025-04-14"

[models.sonnet]
endpoint = "home"
id = "anthropic/claude-sonnet-4.5"
price = { prompt = 3, cached = 0.3, completion = 15 }

[models.llama]
endpoint = "home"
id = "llama3.1:8b"
structured = "json"

[seats]
default = "mini"
ada = "llama"
otto = "house"

[judges]
models = ["mini", "sonnet", "llama"]

[communities]
may_use = ["mini", "llama"]

[budget]
match = "0.05 usd"
day = "200000 tokens"
"""
KEYS = {"A_KEY": "sk-very-secret"}


def lineup(text: str = FILE) -> Lineup:
    return parse_lineup(text, "models.toml", KEYS)


def test_a_whole_file() -> None:
    read_in = lineup()
    mini, sonnet, llama = read_in.models.values()
    assert mini.key is not None and mini.key.get_secret_value() == "sk-very-secret"
    assert (mini.family, mini.moderation, mini.tts) == ("openai", True, True)
    assert mini.price == Price(prompt=0.40, cached=0.10, completion=1.60)
    assert (sonnet.family, sonnet.base_url, sonnet.timeout_s) == ("anthropic", "http://127.0.0.1:11434/v1", 40)
    assert sonnet.price is not None and sonnet.price.cached == 0.3
    assert (llama.family, llama.price, llama.structured, llama.endpoint_parallel) == ("meta", None, "json", 1)
    uses = read_in.assignment
    assert [uses.seat(persona) for persona in ("ada", "otto", "mira")] == ["llama", "house", "mini"]
    assert [uses.judge(n) for n in range(4)] == ["mini", "sonnet", "llama", "mini"]
    assert str(read_in.limits.match) == "0.05 usd"
    assert read_in.limits.community_day is None


def test_no_key_is_shown() -> None:
    assert "very-secret" not in f"{lineup()!r}"


def test_a_bench_is_drawn_from_different_families() -> None:
    text = FILE.replace('[judges]\nmodels = ["mini", "sonnet", "llama"]', "")
    text = text.replace("[seats]", '[models.nano]\nendpoint = "open"\nid = "gpt-4.1-nano"\n[seats]')
    assert lineup(text).assignment.bench == ("mini", "sonnet", "llama")


def test_a_community_picks_from_what_the_operator_allows() -> None:
    read_in = lineup()
    assert read_in.choice(()) is read_in.assignment
    assert read_in.choice(("sonnet", "gone")) is read_in.assignment
    uses = read_in.choice(("llama", "sonnet"))
    assert [uses.seat(persona) for persona in ("ada", "otto", "mira")] == ["llama", "house", "llama"]
    assert {uses.judge(n) for n in range(3)} == {"llama"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("[endpoints.open]", "[endpoints.open"), "models.toml is not TOML"),
        (('endpoint = "open"', 'endpoint = "opne"'), "models.mini.endpoint: there is no [endpoints.opne]"),
        (('ada = "llama"', 'ada = "lama"'), "seats.ada: there is no [models.lama]"),
        (('"sonnet", "llama"]', '"sonet"]'), "judges.models[1]: there is no [models.sonet]"),
        (('may_use = ["mini"', 'may_use = ["house"'), "communities.may_use[0]: there is no [models.house]"),
        (("most_parallel = 1", "most_paralel = 1"), "endpoints.home.most_paralel is not a setting"),
        (("timeout_s = 40", "timeout_s = 0"), "endpoints.home.timeout_s should be greater than 0"),
        (('base_url = "https://api.openai.com/v1"', 'base_url = "openai"'), "endpoints.open.base_url"),
        (('match = "0.05 usd"', 'match = "much"'), 'budget.match should be an amount such as "0.05 usd"'),
        (('key_env = "A_KEY"', 'key_env = "B_KEY"'), "endpoints.open.key_env names B_KEY, which is not set"),
        (('key_env = "A_KEY"', 'key_env = "A_KEY"\nkey = "sk-1"'), "endpoints.open key and key_env: name one of them"),
        (("[models.mini]", "[models.house]"), "models.house"),
        (('structured = "json"', 'structured = "yes"'), "models.llama.structured should be"),
    ],
)
def test_a_mistake_is_named_with_file_and_key(change: tuple[str, str], says: str) -> None:
    with pytest.raises(EndpointsError) as caught:
        lineup(FILE.replace(*change, 1))
    assert str(caught.value).startswith("models.toml")
    assert says in str(caught.value)
    assert "sk-" not in str(caught.value)


def test_a_file_without_models() -> None:
    with pytest.raises(EndpointsError, match="names no model"):
        lineup("")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(EndpointsError, match="cannot be read: No such file"):
        load_lineup(tmp_path / "none.toml", env_file=None)


def test_a_key_alone_is_enough(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    env = tmp_path / ".env"
    assert load_lineup(None, env_file=env) is None
    env.write_text("OPENAI_API_KEY=sk-from-file\n", "utf-8")
    found = load_lineup(None, env_file=env)
    assert found is not None
    [spec] = found.models.values()
    assert (spec.name, spec.base_url, spec.id) == ("openai", "https://api.openai.com/v1", "gpt-4.1-mini")
    assert spec.key is not None and spec.key.get_secret_value() == "sk-from-file"
    assert found.assignment.seat("anybody") == found.assignment.judge(7) == "openai"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("OPENAI_MODEL", "qwen3")
    found = load_lineup(None, env_file=env)
    assert found is not None
    [spec] = found.models.values()
    assert (spec.base_url, spec.id, spec.family, spec.price) == ("http://127.0.0.1:1/v1", "qwen3", "alibaba", None)
    monkeypatch.setenv("OPENAI_BASE_URL", "nonsense")
    with pytest.raises(EndpointsError, match="OPENAI_BASE_URL should be an address"):
        load_lineup(None, env_file=env)


def test_settings_come_before_the_files_budgets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "models.toml"
    path.write_text(FILE, "utf-8")
    monkeypatch.setenv("A_KEY", "sk-1")
    given = lineup(FILE.replace("0.05 usd", "1 usd")).limits.match
    found = load_lineup(path, limits=Limits(match=given), env_file=None)
    assert found is not None
    assert (str(found.limits.match), str(found.limits.day)) == ("1 usd", "200000 tokens")


def test_prices_are_known_only_at_the_makers_own_endpoint() -> None:
    assert known_price("https://api.openai.com/v1", "gpt-4.1-mini") is not None
    assert known_price("https://openrouter.ai/api/v1", "gpt-4.1-mini") is None
    assert known_price("https://api.openai.com/v1", "gpt-99") is None


@pytest.mark.parametrize(
    ("id", "family"), [("openai/gpt-5", "openai"), ("Qwen2.5-1.5B", "alibaba"), ("zeta", "else"), (None, "else")]
)
def test_families(id: str | None, family: str) -> None:
    assert family_of(id, "else") == family


# ------------------------------------------------------------------------------------------------- a model in a file


def test_a_local_model_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.gguf"
    with pytest.raises(EndpointsError, match="cannot be read"):
        LocalServer(path)
    path.write_bytes(b"nothing")
    with pytest.raises(EndpointsError, match="is not a GGUF file"):
        LocalServer(path)
    path.write_bytes(b"GGUF....")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(EndpointsError, match=r"needs the extra \[local\]"):
        LocalServer(path)


# ------------------------------------------------------------------------------------------------- reading answers


@pytest.mark.parametrize(
    "text",
    [
        '{"move": "ARGUE", "text": "Because it works.", "score": "7"}',
        '{"move": "argue", "text": "Because it works.", "score": 7.0, "more": 1}',
        '"{\\"move\\": \\"argue\\", \\"text\\": \\"Because it works.\\", \\"score\\": 7}"',
        'So: {"a": 1} is not it, but {"move": "argue", "text": "Because it works.", "score": 7,}',
    ],
)
def test_what_is_harmless_is_mended(text: str) -> None:
    assert read(text, SCHEMA) == GOOD


def test_line_breaks_in_a_text_are_kept() -> None:
    assert read('{"move": "argue", "text": "One.\nTwo.", "score": 1}', SCHEMA)["text"] == "One.\nTwo."


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no JSON object"),
        ("[1]", "should be an object"),
        ("{" * 5000, "no JSON object"),
        ('{"move": "argue", "text": "x"}', "lacks score"),
        ('{"move": "sing", "text": "x", "score": 1}', "answer.move should be one of"),
        ('{"move": "argue", "text": " ", "score": 1}', "too short"),
        ('{"move": "argue", "text": "x", "score": 11}', "out of range"),
        ('{"move": "argue", "text": "x", "score": 1.5}', "whole number"),
        ('{"move": "argue", "text": "x", "score": NaN}', "should be a number"),
        ('{"move": "argue", "text": 5, "score": 1}', "should be a text"),
    ],
)
def test_what_does_not_fit(text: str, says: str) -> None:
    with pytest.raises(Misfit, match=says):
        read(text, SCHEMA)


@pytest.mark.parametrize(
    ("value", "schema", "fits"),
    [
        ([1, "2"], {"type": "array", "items": {"type": "integer"}, "maxItems": 5}, [1, 2]),
        (None, {"type": ["string", "null"]}, None),
        ("x", {"anyOf": [{"type": "integer"}, {"type": "string"}]}, "x"),
        ("true", {"type": "boolean"}, True),
        ({"a": 1}, {"type": "object", "additionalProperties": {"type": "integer"}}, {"a": 1}),
    ],
)
def test_other_schemas(value: Any, schema: dict[str, Any], fits: Any) -> None:
    assert fit(value, schema) == fits
