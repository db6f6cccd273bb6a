import os
from pathlib import Path

import pytest

from bot.settings import SettingsError, load_settings, unknown_variables


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in os.environ:
        if name.upper().startswith("ROSTRUM_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def test_nothing_needs_to_be_set() -> None:
    settings = load_settings()
    assert settings.database_url.get_secret_value() == "sqlite+aiosqlite:///rostrum.db"
    assert settings.data_dir == Path("data")
    assert settings.sound is True
    assert settings.default_format == "classic"
    assert settings.default_tempo is None
    assert (settings.log_level, settings.log_json) == ("info", False)


def test_the_environment_wins_over_the_env_file(monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".env").write_text("ROSTRUM_SOUND=false\nROSTRUM_DEFAULT_TEMPO=blitz\nOTHER=1\n", encoding="utf-8")
    monkeypatch.setenv("ROSTRUM_DEFAULT_TEMPO", "Standard")
    settings = load_settings()
    assert settings.sound is False
    assert settings.default_tempo == "standard"


def test_an_empty_variable_is_an_unset_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSTRUM_DEFAULT_TEMPO", "")
    monkeypatch.setenv("ROSTRUM_LOG_LEVEL", "")
    settings = load_settings()
    assert settings.default_tempo is None
    assert settings.log_level == "info"


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("sqlite:///a.db", "sqlite+aiosqlite:///a.db"),
        ("sqlite+aiosqlite:////data/a.db", "sqlite+aiosqlite:////data/a.db"),
        ("postgres://u:p%40ss@db:5432/rostrum", "postgresql+asyncpg://u:p%40ss@db:5432/rostrum"),
        ("postgresql+asyncpg://u:pw@db/rostrum?ssl=require", "postgresql+asyncpg://u:pw@db/rostrum?ssl=require"),
    ],
)
def test_a_database_url_gets_its_async_driver(monkeypatch: pytest.MonkeyPatch, given: str, used: str) -> None:
    monkeypatch.setenv("ROSTRUM_DATABASE_URL", given)
    assert load_settings().database_url.get_secret_value() == used


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("ROSTRUM_DATABASE_URL", "rostrum.db", "should be a database URL"),
        ("ROSTRUM_DISCORD_AVATARS", "http://example.org/{persona}.png", "ROSTRUM_DISCORD_AVATARS should be an address"),
        ("ROSTRUM_DISCORD_AVATARS", "https:///{persona}.png", "begins with https://"),
        ("ROSTRUM_DISCORD_AVATARS", "https://example.org/quill.png", 'should say "{persona}"'),
        ("ROSTRUM_DISCORD_AVATARS", "https://example.org/{persona}-{size}.png", "no other braces"),
        ("ROSTRUM_DATABASE_URL", "postgresql://u:hunter2@db:port/x", "should be a database URL"),
        ("ROSTRUM_DATABASE_URL", "mysql://u:hunter2@db/x", "should begin with sqlite:// or postgresql://, not mysql"),
        ("ROSTRUM_DATA_DIR", "a-file", "should be a folder, but a-file is a file"),
        ("ROSTRUM_SOUND", "perhaps", "should be true or false, not 'perhaps'"),
        ("ROSTRUM_DEFAULT_FORMAT", "../classic", "should be the name of a format, such as classic, not '../classic'"),
        ("ROSTRUM_DEFAULT_TEMPO", "brisk", "'blitz', 'standard', 'relaxed' or 'correspondence', not 'brisk'"),
        ("ROSTRUM_LOG_LEVEL", "loud", "should be 'debug', 'info', 'warning' or 'error', not 'loud'"),
        ("ROSTRUM_LOG_JSON", "2", "should be true or false, not '2'"),
    ],
)
def test_a_bad_value_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str, says: str) -> None:
    Path("a-file").touch()
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    message = str(caught.value)
    assert message.startswith(f"{name} should ")
    assert says in message
    assert "\n" not in message
    assert "hunter2" not in message


def test_every_bad_value_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".env").write_text("ROSTRUM_SOUND=perhaps\n", encoding="utf-8")
    monkeypatch.setenv("ROSTRUM_LOG_LEVEL", "loud")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert [line.split()[0] for line in str(caught.value).splitlines()] == ["ROSTRUM_SOUND", "ROSTRUM_LOG_LEVEL"]


def test_an_env_file_that_is_not_text_is_named() -> None:
    Path(".env").write_bytes(b"ROSTRUM_SOUND=\xff\xfe\n")
    with pytest.raises(SettingsError, match=r"^\.env cannot be read: "):
        load_settings()


def test_the_database_password_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSTRUM_DATABASE_URL", "postgresql://rostrum:hunter2@db/rostrum")
    settings = load_settings()
    assert "hunter2" not in f"{settings!r} {settings} {settings.model_dump_json()}"
    assert settings.database_label == "postgresql+asyncpg://rostrum:***@db/rostrum"


def test_a_misspelt_variable_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".env").write_text("ROSTRUM_SOUNDS=false\nROSTRUM_SOUND=false\n", encoding="utf-8")
    monkeypatch.setenv("ROSTRUM_LOGLEVEL", "debug")
    assert unknown_variables() == ["ROSTRUM_LOGLEVEL", "ROSTRUM_SOUNDS"]
    assert load_settings().sound is False


def test_the_example_file_names_every_setting_with_its_default() -> None:
    example = (Path(__file__).parent.parent / ".env.example").read_text(encoding="utf-8")
    lines = [line.removeprefix("# ") for line in example.splitlines() if line.startswith("# ROSTRUM_")]
    Path(".env").write_text("\n".join(lines), encoding="utf-8")
    assert {line.partition("=")[0] for line in lines} == {
        f"ROSTRUM_{name.upper()}" for name in type(load_settings()).model_fields
    }
    assert unknown_variables() == []
    assert load_settings() == load_settings(env_file=None)
