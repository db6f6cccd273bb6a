"""The port every text-to-speech backend stands behind, and the values that cross it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Protocol

Kind = Literal["ogg", "mp3"]
"""A clip's kind, which is also its file name's extension."""

MEDIA: Final[dict[Kind, str]] = {"ogg": "ogg/opus", "mp3": "mp3"}
"""What match records and venues call each kind."""


@dataclass(frozen=True, slots=True)
class Voice:
    """How somebody sounds. The defaults are the base voice itself at a debater's pace."""

    base: str = "american"
    """Name of the backend's voice everything else starts from; every backend has "american" and "british"."""
    rate: float = 1.0
    """Speaking rate, 0.6 to 1.6; 1 is about 160 words a minute, pauses included."""
    pitch: float = 0.0
    """Semitones above (+) or below (-) the base voice, -12 to 12."""
    tract: float = 1.0
    """Scale of the formants, 0.7 to 1.3: below 1 a longer vocal tract, a bigger speaker. Above 1.05 it sounds thin."""
    swing: float = 1.0
    """How far the melody moves about its mean, 0 to 2: 0.6 is deadpan, 1.4 theatrical."""
    model: str = ""
    """The voice's name at a speech model; "": any, but always the same."""
    manner: str = ""
    """How a speech model is to say it, in words. The built-in voice has no use for it."""

    def __post_init__(self) -> None:
        """Refuse what no backend could speak, where it is written and not when it is first heard."""
        if not self.base:
            raise ValueError("a voice needs a base")
        for name, low, high in (("rate", 0.6, 1.6), ("pitch", -12.0, 12.0), ("tract", 0.7, 1.3), ("swing", 0.0, 2.0)):
            value = getattr(self, name)
            if not low <= value <= high:
                raise ValueError(f"a voice's {name} lies between {low:g} and {high:g}, not {value}")


@dataclass(frozen=True, slots=True)
class BaseVoice:
    """A voice a backend brings along, for `Voice.base`."""

    name: str
    language: str
    accent: str


@dataclass(frozen=True, slots=True)
class Recording:
    """One sound file on disk."""

    path: Path
    format: str
    """As in `MEDIA`: "ogg/opus" or "mp3"."""
    size: int
    """Bytes on disk."""


@dataclass(frozen=True, slots=True)
class Clip:
    """One speech as sound, in every kind that was asked for."""

    seconds: float
    files: tuple[Recording, ...]
    """In the order of the request; never empty."""

    @property
    def path(self) -> Path:
        """The file of the kind asked for first."""
        return self.files[0].path

    @property
    def format(self) -> str:
        """What `path` holds: "ogg/opus" or "mp3"."""
        return self.files[0].format


class SpeakerError(Exception):
    """A clip could not be made. The message is one sentence for an operator."""


class UnspeakableError(SpeakerError):
    """This text cannot become a clip (nothing to say, too long), though the voice itself is well."""


class Speaker(Protocol):
    """Turns text into clips."""

    async def speak(self, text: str, voice: Voice, path_stem: Path, formats: Sequence[Kind] = ("ogg",)) -> Clip | None:
        """Write `text`, spoken, to `path_stem` + "." + kind for each kind; None means this speech stays text only.

        The files are complete or absent. Raises SpeakerError and nothing else.
        """
        ...
