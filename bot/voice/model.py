"""A speaker behind an endpoint's /audio/speech, asked with the `openai` SDK; what comes back is levelled and encoded
like the built-in voice.

Every failure becomes a SpeakerError whose text never repeats what the server wrote: some servers quote the key.
"""

from __future__ import annotations

import asyncio
import threading
import zlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Protocol

import openai
from openai import AsyncOpenAI, omit

from bot.voice.files import write_together
from bot.voice.markup import strip_markup
from bot.voice.speaker import MEDIA, Clip, Kind, Recording, SpeakerError, UnspeakableError, Voice

MODEL: Final = "gpt-4o-mini-tts"
VOICES: Final = ("alloy", "ash", "ballad", "coral", "echo", "fable", "nova", "onyx", "sage", "shimmer", "verse")
"""OpenAI's, for a persona that names none."""

_LONGEST: Final = 4096
"""Characters the API takes at once."""
_CHARS_A_TIMEOUT: Final = 1_000
"""Text longer than this gets its time-out in proportion."""
_CHARS_A_SECOND: Final = 14.0
"""What people say, about; money is set aside by half of it, so that it is enough."""
_FASTEST, _SLOWEST, _SILENCES = 60.0, 4.0, 5.0
"""Characters a second, and seconds more: sound outside of these is not the text."""
_BYTES_A_SECOND: Final = 48_000 * 2 * 2


Settle = Callable[[int, float], None]
"""Told in the end how many characters were said and how many seconds came."""


class Meter(Protocol):
    """Keeps the books of what speech costs."""

    async def hold(self, characters: int, seconds: float) -> Settle | None:
        """Before a call that may use this much. None: there is no money left for it."""
        ...


class ModelSpeaker:
    """Makes clips with a speech model. Raises SpeakerError; put a speaker behind it that needs no network."""

    def __init__(
        self,
        client: AsyncOpenAI,
        *,
        model: str = MODEL,
        voices: Sequence[str] = VOICES,
        timeout: float = 20.0,
        parallel: int = 4,
        meter: Meter | None = None,
        name: str = "the speech model",
    ) -> None:
        """`client` never tries again by itself. timeout: seconds for a text of up to 1,000 characters, in proportion
        above. parallel: requests at a time. name: what it is called in the log."""
        self._client = client
        self._model = model
        self._voices = tuple(voices)
        self._timeout = timeout
        self._turn = asyncio.Semaphore(parallel)
        self._meter = meter
        self._name = name
        # These two have one manner only, which the API says of them.
        self._takes_manner = model.rsplit("/", 1)[-1] not in ("tts-1", "tts-1-hd")

    async def close(self) -> None:
        await self._client.close()

    def voice(self, voice: Voice) -> str:
        """The model's voice for a persona: its own, else one that is always the same for that sound and manner."""
        sound = f"{voice.base}{voice.rate}{voice.pitch}{voice.tract}{voice.swing}{voice.manner}"
        return voice.model or self._voices[zlib.crc32(sound.encode()) % len(self._voices)]

    async def speak(self, text: str, voice: Voice, path_stem: Path, formats: Sequence[Kind] = ("ogg",)) -> Clip:
        """See `Speaker.speak`. Raises UnspeakableError when it is the text, or the money, that is in the way."""
        if not formats or any(kind not in MEDIA for kind in formats):
            raise SpeakerError(f"a clip is made as {' or '.join(MEDIA)}, not as {', '.join(formats) or 'nothing'}")
        said = " ".join(strip_markup(text).split())
        if not any(char.isalnum() for char in said):
            raise UnspeakableError("there is nothing in the text that can be said")
        if len(said) > _LONGEST:
            raise UnspeakableError(f"{len(said):,} characters are more than {self._name} takes at once")
        async with self._turn, self._paid(len(said)) as came:
            sound = await self._fetch(said, voice, came)
        paths: dict[Kind, Path] = {kind: path_stem.parent / f"{path_stem.name}.{kind}" for kind in formats}
        gone = threading.Event()
        try:
            return await asyncio.to_thread(self._make, sound, len(said), paths, gone)
        except (asyncio.CancelledError, SpeakerError):
            gone.set()
            raise
        except Exception as error:
            raise SpeakerError(f"{self._name}: its sound could not be used: {type(error).__name__}") from error

    # --------------------------------------------------------------------------------------------- inside

    @asynccontextmanager
    async def _paid(self, characters: int) -> AsyncIterator[_Came]:
        """What comes is written into the books, also when it ends badly."""
        came = _Came()
        likely = characters / _CHARS_A_SECOND
        settle = await self._meter.hold(characters, likely * 2) if self._meter is not None else lambda *_: None
        if settle is None:
            raise UnspeakableError("the budget leaves no money for speech")
        try:
            yield came
        except BaseException:
            # What a call that was given up costs, no server says. One that was refused costs nothing.
            settle(characters, likely) if came.sent else settle(0, 0.0)
            raise
        settle(characters, came.seconds or likely)

    async def _fetch(self, text: str, voice: Voice, came: _Came) -> bytes:
        """The sound file, as it comes. Raises SpeakerError."""
        limit = self._timeout * max(1.0, len(text) / _CHARS_A_TIMEOUT)
        try:
            async with asyncio.timeout(limit):
                try:
                    data = await self._stream(text, voice, came)
                except openai.BadRequestError as error:
                    if not (self._takes_manner and "instructions" in str(error).lower()):
                        raise
                    self._takes_manner = False
                    data = await self._stream(text, voice, came)
        except (TimeoutError, openai.APITimeoutError):
            raise SpeakerError(f"{self._name} did not answer within {limit:g} seconds") from None
        except openai.APIStatusError as error:
            came.sent = False
            hint = {401: ": is the key right?", 403: ": is the key right?", 404: ": is there such a model?"}
            status = error.status_code
            raise SpeakerError(f"{self._name}: the server answered {status}{hint.get(status, '')}") from None
        except openai.APIConnectionError:
            raise SpeakerError(f"{self._name} cannot be reached") from None
        except SpeakerError:
            raise
        except Exception as error:
            # A connection that dropped halfway is an error of the HTTP library's own.
            raise SpeakerError(f"{self._name} broke off ({type(error).__name__})") from None
        came.seconds = _seconds(data)
        return data

    async def _stream(self, text: str, voice: Voice, came: _Came) -> bytes:
        most = int((len(text) / _SLOWEST + _SILENCES) * _BYTES_A_SECOND)
        data = bytearray()
        came.sent = True
        async with self._client.audio.speech.with_streaming_response.create(
            model=self._model,
            voice=self.voice(voice),
            input=text,
            instructions=_instructions(voice) if self._takes_manner else omit,
            response_format="wav",
        ) as response:
            async for piece in response.iter_bytes():
                data += piece
                if len(data) > most:
                    raise SpeakerError(f"{self._name} sent more sound than the text has")
        return bytes(data)

    def _make(self, sound: bytes, characters: int, paths: dict[Kind, Path], gone: threading.Event) -> Clip:
        """On a worker: what came to files."""
        # Imports what is heavy.
        from bot.voice.decode import decoded
        from bot.voice.encode import encoded
        from bot.voice.sound import RATE, faded, levelled, trimmed

        def check() -> None:
            if gone.is_set():
                raise SpeakerError("nobody waits for this clip any more")

        samples = decoded(sound)
        if samples is None:
            raise SpeakerError(f"{self._name} answered what is no sound")
        samples = trimmed(samples)
        seconds = len(samples) / RATE
        if not characters / _FASTEST - 0.5 <= seconds <= characters / _SLOWEST + _SILENCES or not seconds:
            raise SpeakerError(f"{self._name} answered {seconds:.1f} seconds of sound for {characters} characters")
        samples = faded(levelled(samples), 0.005, 0.03)
        recordings: dict[Kind, bytes] = {kind: encoded(samples, kind, check) for kind in paths}
        write_together({paths[kind]: content for kind, content in recordings.items()}, check)
        return Clip(seconds, tuple(Recording(paths[k], MEDIA[k], len(content)) for k, content in recordings.items()))


class _Came:
    """What has become of a request."""

    def __init__(self) -> None:
        self.sent = False
        self.seconds = 0.0


def _seconds(data: bytes) -> float:
    """The length of a WAV file by its bytes; 0 when it is none."""
    if len(data) < 44 or data[:4] != b"RIFF":
        return 0.0
    a_second = int.from_bytes(data[28:32], "little")
    return (len(data) - 44) / a_second if 8_000 <= a_second <= 1_000_000 else 0.0


def _instructions(voice: Voice) -> str:
    """How the text is to be said."""
    pace = "a little slowly" if voice.rate < 0.95 else "briskly" if voice.rate > 1.05 else "at an easy pace"
    melody = "with little melody" if voice.swing < 0.8 else "with a lively melody" if voice.swing > 1.2 else ""
    accent = {"british": "In a British accent.", "american": "In an American accent."}.get(voice.base, "")
    how = ", ".join(part for part in (f"Speak {pace}", melody) if part)
    return " ".join(part for part in ("You speak in a public debate.", voice.manner, f"{how}.", accent) if part)


class First:
    """Two speakers as one: what the first leaves as text, the second says."""

    def __init__(self, first: _Quiet, then: _Sure) -> None:
        self._first = first
        self._then = then

    async def speak(self, text: str, voice: Voice, path_stem: Path, formats: Sequence[Kind] = ("ogg",)) -> Clip:
        """Raises what the second raises."""
        clip = await self._first.speak(text, voice, path_stem, formats)
        return clip if clip is not None else await self._then.speak(text, voice, path_stem, formats)


class _Quiet(Protocol):
    async def speak(self, text: str, voice: Voice, path_stem: Path, formats: Sequence[Kind] = ...) -> Clip | None: ...


class _Sure(Protocol):
    async def speak(self, text: str, voice: Voice, path_stem: Path, formats: Sequence[Kind] = ...) -> Clip: ...
