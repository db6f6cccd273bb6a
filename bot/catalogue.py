"""What lies in `prompts/`: motions, personas and the argument bank, read once and checked as it is read.

Everything here is immutable and cached, so that a mind may ask for it on every turn. A file that cannot be used
raises `CatalogueError`, which names the file and the key at fault.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from bot.rules.motion import Motion

Stance = Literal["pro", "con"]
PURPOSES = ("opening", "argue", "rebut", "defend", "question", "answer", "concede", "closing", "signoff")
"""What a persona has lead-ins for."""

Line = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Colour = Annotated[str, StringConstraints(pattern=r"^#[0-9a-f]{6}$")]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]


class CatalogueError(ValueError):
    """A file under `prompts/` that cannot be used. The text names the file and the key."""


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Answer(_Entry):
    """One way to meet an argument, and how its owner stands by it all the same."""

    text: Line
    defence: Line


class Argument(_Entry):
    """One argument of one side with everything that can be said for it and against it. See prompts/bank/README.md."""

    id: Slug
    topic: Line
    claim: Line
    reason: Line
    illustration: Line
    weigh: Line
    question: Line
    reply: Line
    concede: Line
    answers: tuple[Answer, ...] = Field(min_length=1)


class Bank(_Entry):
    """The arguments of both sides of one motion. The same shape serves motions that have a file and those that have
    none."""

    motion: str
    pro: tuple[Argument, ...] = Field(min_length=1)
    con: tuple[Argument, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Bank:
        ids = [argument.id for argument in self.pro + self.con]
        for at, name in enumerate(ids):
            if name in ids[:at]:
                raise ValueError(f"two arguments are called {name!r}")
        return self

    def of(self, stance: Stance) -> tuple[Argument, ...]:
        return self.pro if stance == "pro" else self.con


class Avatar(_Entry):
    """A recipe for drawing a persona's picture."""

    shape: Literal["circle", "hexagon", "shield", "diamond", "arch", "drop", "square", "octagon"]
    feature: Literal[
        "bars",
        "rings",
        "rays",
        "waves",
        "steps",
        "dots",
        "chevron",
        "split",
        "leaf",
        "grid",
        "arc",
        "cross",
        "spiral",
        "scales",
    ]
    background: Colour
    foreground: Colour
    accent: Colour


class Voice(_Entry):
    """How a persona sounds (bot.voice.speaker.Voice says what each does to the sound)."""

    base: Literal["american", "british"]
    rate: float = Field(ge=0.6, le=1.6)
    pitch: float = Field(ge=-12, le=12)
    tract: float = Field(default=1.0, ge=0.7, le=1.3)
    swing: float = Field(default=1.0, ge=0, le=2)


class Persona(_Entry):
    """An AI's name, face, voice and manner."""

    id: Slug
    name: Line
    tone: Literal["dry", "warm", "plain", "learned", "bold"]
    """Which family of phrases in prompts/house/phrases.toml suits this manner."""
    bio: Line
    manner: Line
    belief: Line
    """What this persona holds about arguing itself."""
    avatar: Avatar
    voice: Voice
    model_voice: Line | None = None
    """Its voice where a speech model speaks (docs/models.md); None: one of the model's, always the same."""
    leads: dict[str, tuple[Line, ...]]
    """Short phrases that start a turn, by purpose; `{topic}`, `{name}` and `{whose}` are slots."""

    @model_validator(mode="after")
    def _has_every_purpose(self) -> Persona:
        for purpose in PURPOSES:
            if len(self.leads.get(purpose, ())) < 5:
                raise ValueError(f"leads.{purpose} needs at least five phrases")
        return self


class _MotionEntry(_Entry):
    id: Slug
    category: Line
    text: Line
    pro: Line
    con: Line


class _MotionFile(_Entry):
    motion: tuple[_MotionEntry, ...] = Field(min_length=1)


class _PersonaFile(_Entry):
    persona: tuple[Persona, ...] = Field(min_length=1)


Model = TypeVar("Model", bound=BaseModel)


class Catalogue:
    """All of `prompts/`. Banks and phrase files are read when first asked for."""

    def __init__(self, root: Traversable) -> None:
        self._root = root
        entries = parse(_MotionFile, self.read("motions.toml"), "motions.toml").motion
        people = parse(_PersonaFile, self.read("personas.toml"), "personas.toml").persona
        self.motions = tuple(Motion(id=m.id, category=m.category, text=m.text, pro=m.pro, con=m.con) for m in entries)
        self.personas: Mapping[str, Persona] = MappingProxyType({persona.id: persona for persona in people})
        if len(self.personas) != len(people):
            raise CatalogueError("prompts/personas.toml: persona: two personas have the same id")
        self._motion_by_id = {motion.id: motion for motion in self.motions}
        if len(self._motion_by_id) != len(self.motions):
            raise CatalogueError("prompts/motions.toml: motion: two motions have the same id")
        self._banks: dict[str, Bank | None] = {}
        self._phrases: dict[str, dict[str, Any]] = {}

    def motion(self, motion_id: str) -> Motion | None:
        return self._motion_by_id.get(motion_id)

    def persona(self, persona_id: str) -> Persona:
        """The persona, or a fixed stand-in for an id that no file knows (an old match, a renamed persona)."""
        known = self.personas.get(persona_id)
        if known is not None:
            return known
        everyone = tuple(self.personas.values())
        return everyone[sum(persona_id.encode()) % len(everyone)]

    def bank(self, motion_id: str | None) -> Bank | None:
        """The argument bank of a built-in motion, or None for a motion that has none."""
        if motion_id is None:
            return None
        if motion_id not in self._banks:
            self._banks[motion_id] = self._read_bank(motion_id)
        return self._banks[motion_id]

    def bank_ids(self) -> tuple[str, ...]:
        """The motions that have a bank file, sorted."""
        folder = self._root.joinpath("bank")
        if not folder.is_dir():
            return ()
        return tuple(
            sorted(item.name.removesuffix(".toml") for item in folder.iterdir() if item.name.endswith(".toml"))
        )

    def phrases(self, name: str) -> dict[str, Any]:
        """One file of `prompts/house/` as a plain table; do not change what you get."""
        if name not in self._phrases:
            self._phrases[name] = self.read(f"house/{name}.toml")
        return self._phrases[name]

    def read(self, path: str) -> dict[str, Any]:
        """A TOML file below `prompts/`."""
        try:
            return tomllib.loads(self.text(path))
        except tomllib.TOMLDecodeError as error:
            raise CatalogueError(f"prompts/{path}: not valid TOML: {error}") from error

    def text(self, path: str) -> str:
        """A file below `prompts/`."""
        try:
            return self._at(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CatalogueError(f"prompts/{path}: cannot be read: {error}") from error

    def _at(self, path: str) -> Traversable:
        place = self._root
        for step in path.split("/"):
            place = place.joinpath(step)
        return place

    def _read_bank(self, motion_id: str) -> Bank | None:
        name = f"bank/{motion_id}.toml"
        if motion_id not in self._motion_by_id or not self._at(name).is_file():
            return None
        bank = parse(Bank, self.read(name), name)
        if bank.motion != motion_id:
            raise CatalogueError(f"prompts/{name}: motion: says {bank.motion!r}")
        return bank


def parse(model: type[Model], data: object, path: str) -> Model:
    """`data` as a `model`, or a CatalogueError that names the file and the first key at fault."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"]).lstrip(".")
        raise CatalogueError(f"prompts/{path}: {key or 'file'}: {first['msg']}") from error


@lru_cache(maxsize=8)
def load_catalogue(root: Path | None = None) -> Catalogue:
    """The catalogue in `root`, by default the one that is installed with the bot. Cached."""
    try:
        return Catalogue(root if root is not None else files("prompts"))
    except ModuleNotFoundError as error:
        raise CatalogueError("prompts/: the folder is missing from this installation") from error
