"""The sound of one process: the built-in speaker, the voices of the personas, and what went wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bot.catalogue import Catalogue
from bot.voice.clips import MatchSound
from bot.voice.house import HouseSpeaker
from bot.voice.model import First
from bot.voice.resilient import Resilient
from bot.voice.speaker import Clip, Kind, Speaker, SpeakerError, UnspeakableError, Voice

PATIENCE_S = 300.0
"""No match waits for sound, so a clip may wait its turn: at --speed max a whole match asks for its clips at once."""
MOST_WAITING = 10_000


class Booth:
    """Makes the clips of matches below a folder. Failures leave text, are logged once, and the last one is kept."""

    def __init__(self, folder: Path, catalogue: Catalogue) -> None:
        self._speaker = HouseSpeaker(timeout=PATIENCE_S, waiting=MOST_WAITING)
        self._noting = _Noting(self._speaker)
        self._catalogue = catalogue
        self.sound = MatchSound(Resilient(self._noting), folder, self.voice)

    def voice(self, persona: str) -> Voice:
        """How a persona sounds."""
        return voice_of(self._catalogue, persona)

    def lead_with(self, model: Speaker | None) -> None:
        """Let a speech model speak from now on; the built-in voice where it cannot. None: as before."""
        if model is not None:
            leading = Resilient(model, what="speech model", instead="the built-in voice speaks")
            self.sound.speaker = Resilient(First(leading, self._noting))

    @property
    def trouble(self) -> str:
        """Why the last clip that could not be made could not; "" while all went well."""
        return self._noting.trouble

    async def warm(self) -> None:
        """Load the voice now. Raises SpeakerError when there is none on this machine."""
        await self._speaker.warm()

    async def close(self) -> None:
        await self._speaker.close()


def voice_of(catalogue: Catalogue, persona: str) -> Voice:
    """How a persona sounds."""
    known = catalogue.persona(persona)
    return Voice(**known.voice.model_dump(), model=known.model_voice or "", manner=known.manner)


class _Noting:
    """A speaker that remembers its last failure and passes it on."""

    def __init__(self, inner: HouseSpeaker) -> None:
        self._inner = inner
        self.trouble = ""

    async def speak(self, text: str, voice: Voice, path_stem: Path, formats: Sequence[Kind] = ("ogg",)) -> Clip:
        try:
            return await self._inner.speak(text, voice, path_stem, formats)
        except UnspeakableError:
            raise
        except SpeakerError as error:
            self.trouble = str(error)
            raise


async def open_booth(folder: Path, catalogue: Catalogue) -> Booth:
    """A booth with its voice loaded. Raises SpeakerError when this machine cannot speak."""
    booth = Booth(folder, catalogue)
    try:
        await booth.warm()
    except SpeakerError:
        await booth.close()
        raise
    return booth
