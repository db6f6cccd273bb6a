"""Settings: what the environment and `.env` say, read once at start."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, DotEnvSettingsSource, EnvSettingsSource, SettingsConfigDict
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from bot.community.wordlist import WordFileError, read_words

PREFIX = "ROSTRUM_"
ENV_FILE = Path(".env")

# Hosting services hand out plain URLs; the async driver is ours to add.
_DRIVERS = {
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
    "postgres": "postgresql+asyncpg",
    "postgresql": "postgresql+asyncpg",
    "postgresql+asyncpg": "postgresql+asyncpg",
}


class SettingsError(Exception):
    """The settings cannot be used; the text names every variable at fault, for the person who set it."""


def with_async_driver(url: str) -> str:
    """The database URL with the driver Rostrum uses, or a ValueError with a text that does not repeat the password."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # ValueError: a port that is no number
        raise ValueError("should be a database URL such as sqlite+aiosqlite:///rostrum.db") from None
    driver = _DRIVERS.get(parsed.drivername)
    if driver is None:
        raise ValueError(f"should begin with sqlite:// or postgresql://, not {parsed.drivername}://")
    return parsed.set(drivername=driver).render_as_string(hide_password=False)


def _database_url(value: SecretStr) -> SecretStr:
    return SecretStr(with_async_driver(value.get_secret_value()))


def _folder(value: Path) -> Path:
    folder = value.expanduser()
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"should be a folder, but {folder} is a file")
    return folder


def _avatars(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme != "https" or not parts.hostname:
        raise ValueError("should be an address that begins with https://")
    if "{persona}" not in value:
        raise ValueError('should say "{persona}" where the name of the picture goes')
    if set(value.replace("{persona}", "")) & set("{} \t\n") or len(value) > 1_500:
        raise ValueError('should be one address, with no other braces or spaces than "{persona}"')
    return value


def _word_file(value: Path) -> Path:
    try:
        read_words(value)
    except WordFileError as error:
        raise ValueError(f"cannot be used: {error}") from None
    return value


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _amount(value: str) -> str:
    if not re.fullmatch(r"\d+(\.\d+)? ?(usd|tokens)", value):
        raise ValueError('should be an amount such as "0.05 usd" or "200000 tokens"')
    return value


Amount = Annotated[str, BeforeValidator(_lower), AfterValidator(_amount)]
"""Of money or tokens: "0.05 usd", "200000 tokens"."""


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_file_encoding="utf-8", env_ignore_empty=True, extra="ignore", frozen=True
    )

    database_url: Annotated[SecretStr, AfterValidator(_database_url)] = SecretStr("sqlite+aiosqlite:///rostrum.db")
    data_dir: Annotated[Path, AfterValidator(_folder)] = Path("data")
    sound: bool = True
    default_format: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$")] = "classic"
    default_tempo: (
        Annotated[Literal["blitz", "standard", "relaxed", "correspondence"], BeforeValidator(_lower)] | None
    ) = None
    """None: blitz when every debater is an AI, relaxed when a person debates."""
    discord_token: SecretStr | None = None
    discord_message_content: bool | None = None
    """Whether the bot asks for the message-content intent; None: if the portal allows it, `python -m bot run` looks."""
    discord_members: bool | None = None
    """The same for the members intent."""
    discord_avatars: Annotated[str, AfterValidator(_avatars)] | None = None
    """Where the world finds the picture of "{persona}". With it AIs speak under their own names, by webhooks."""
    most_running: Annotated[int, Field(ge=1)] = 200
    """How many matches run at a time; more wait in line. 200 at blitz is what one Discord token carries
    (docs/performance.md)."""
    speed: Annotated[float, Field(gt=0, le=10_000)] = 1.0
    """How many times faster than real time matches run: for trying out and tests."""
    models: Path | None = None
    """The file that says which models there are (docs/models.md)."""
    local_model: Path | None = None
    """A GGUF file that every AI uses, run in this process."""
    local_context: Annotated[int, Field(ge=512)] = 4096
    """Tokens of prompt and answer together that the local model holds."""
    local_threads: Annotated[int, Field(ge=1, le=256)] = 1
    budget_match: Amount | None = None
    """What the models of one match may use; this and the next two come before what the file says."""
    budget_community_day: Amount | None = None
    budget_day: Amount | None = None
    blocked_words: Annotated[Path, AfterValidator(_word_file)] | None = None
    """A text file of words and phrases that no community may read, beside its own list."""
    log_level: Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(_lower)] = "info"
    log_json: bool = False

    @property
    def database_label(self) -> str:
        """The database URL as it may be shown: without its password."""
        return make_url(self.database_url.get_secret_value()).render_as_string(hide_password=True)


def load_settings(env_file: Path | None = ENV_FILE) -> Settings:
    """Read the settings, or raise a SettingsError that a person can act on."""
    try:
        return Settings(_env_file=env_file)  # pyright: ignore[reportCallIssue] # it sees the fields only
    except ValidationError as error:
        raise SettingsError("\n".join(_explain(detail) for detail in error.errors(include_url=False))) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{env_file} cannot be read: {error}") from None


def unknown_variables(env_file: Path | None = ENV_FILE) -> list[str]:
    """Variables that look like settings but are none: most likely misspelt."""
    sources = EnvSettingsSource(Settings), DotEnvSettingsSource(Settings, env_file=env_file)
    names = {name.upper() for source in sources for name in source.env_vars}
    known = {PREFIX + field.upper() for field in Settings.model_fields}
    return sorted(name for name in names - known if name.startswith(PREFIX))


def _explain(detail: Mapping[str, Any]) -> str:
    field = str(detail["loc"][0])
    match detail["type"]:
        case "bool_parsing":
            wanted = "should be true or false"
        case "string_pattern_mismatch":
            wanted = "should be the name of a format, such as classic"
        case "value_error":
            return f"{PREFIX}{field.upper()} {detail['ctx']['error']}."
        case _:
            wanted = str(detail["msg"]).removeprefix("Input ")
    return f"{PREFIX}{field.upper()} {wanted}, not {detail['input']!r}."
