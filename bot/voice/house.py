"""The built-in speaker: hibari on this machine's CPU, away from the event loop."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from bot.voice.files import write_together
from bot.voice.speaker import MEDIA, BaseVoice, Clip, Kind, Recording, SpeakerError, UnspeakableError, Voice
from bot.voice.text import spoken

if TYPE_CHECKING:
    from bot.voice.engine import Engine

_CHARS_A_SECOND: Final = 40
"""More than anybody says: text longer than this allows is refused before work is put into it."""
_CHARS_A_TIMEOUT: Final = 1_000
"""Text longer than this gets its time-out in proportion."""

T = TypeVar("T")


def voices() -> tuple[BaseVoice, ...]:
    """What `Voice.base` may be for `HouseSpeaker`.

    hibari-tts bundles one speaker, who also does a light British accent: rounded o, crisp t, every r still heard. With
    real British phonemes, most of which she never learned, one word in ten was misunderstood.
    """
    return (BaseVoice("american", "en-US", "American"), BaseVoice("british", "en-GB", "British, light"))


class HouseSpeaker:
    """Makes clips with the voice in hibari-tts's own wheel: no network, no key.

    One worker thread is enough. The neural net, the signal processing and the encoders release the interpreter's lock,
    so the event loop runs on within milliseconds. Only loading (once) holds it for about a tenth of a second; `warm`
    lets the caller say when.
    """

    def __init__(self, *, timeout: float = 10.0, longest: float = 900.0, workers: int = 1, waiting: int = 64) -> None:
        """Nothing is loaded yet.

        timeout: seconds from call to clip, queueing included; a text of more than 1,000 characters gets them per 1,000.
        longest: seconds a clip may last. workers: clips made at the same time. waiting: clips asked for and not done
        before more are refused.
        """
        self._timeout = timeout
        self._longest = longest
        self._waiting = waiting
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="voice")
        self._jobs: set[_Job] = set()
        self._engine: Engine | None = None
        self._loading = threading.Lock()
        self._closed = False

    async def warm(self) -> None:
        """Load everything now rather than with the first speech. Raises SpeakerError."""
        await self._run(lambda _: self._ready().load(), limit=60.0)

    async def speak(self, text: str, voice: Voice, path_stem: Path, formats: Sequence[Kind] = ("ogg",)) -> Clip:
        """See `Speaker.speak`. Raises UnspeakableError when it is the text that cannot be spoken."""
        if not formats or any(kind not in MEDIA for kind in formats):
            raise SpeakerError(f"a clip is made as {' or '.join(MEDIA)}, not as {', '.join(formats) or 'nothing'}")
        if len(text) > self._longest * _CHARS_A_SECOND:
            raise UnspeakableError(f"{len(text):,} characters make a clip of more than {self._longest:g} seconds")
        paths: dict[Kind, Path] = {kind: path_stem.parent / f"{path_stem.name}.{kind}" for kind in formats}
        limit = self._timeout * max(1.0, len(text) / _CHARS_A_TIMEOUT)
        return await self._run(lambda job: self._make(text, voice, paths, job), limit)

    async def close(self) -> None:
        """Give up what is being made and end the workers."""
        self._closed = True
        for job in list(self._jobs):
            job.abandon()
        await asyncio.to_thread(self._pool.shutdown, cancel_futures=True)

    async def _run(self, work: "Callable[[_Job], T]", limit: float) -> T:
        """`work` on a worker thread, given up after `limit` seconds."""
        if self._closed:
            raise SpeakerError("the speaker is closed")
        if len(self._jobs) >= self._waiting:
            raise SpeakerError(f"{self._waiting} clips are waiting to be made already")
        job = _Job()
        try:
            running = self._pool.submit(_guarded, work, job)
        except RuntimeError as error:
            raise SpeakerError(f"no worker for the voice: {error}") from error
        self._jobs.add(job)
        running.add_done_callback(lambda _: self._jobs.discard(job))
        future = asyncio.wrap_future(running)
        try:
            done, _ = await asyncio.wait({future}, timeout=limit)
        except asyncio.CancelledError:
            job.abandon()
            future.cancel()
            raise
        # A clip that is being renamed into place at this moment is as good as done.
        if not done and job.abandon():
            future.cancel()
            raise SpeakerError(f"the clip was not ready within {limit:g} seconds")
        return await future

    def _make(self, text: str, voice: Voice, paths: dict[Kind, Path], job: "_Job") -> Clip:
        """On the worker: text to files."""
        said = spoken(text)
        if not said:
            raise UnspeakableError("there is nothing in the text that can be said in English")

        def more(seconds: float) -> None:
            job.check()
            if seconds > self._longest:
                raise UnspeakableError(f"the clip would last more than {self._longest:g} seconds")

        seconds, recordings = self._ready().record(said, voice, tuple(paths), more)
        write_together({paths[kind]: content for kind, content in recordings.items()}, job.commit)
        return Clip(seconds, tuple(Recording(paths[k], MEDIA[k], len(content)) for k, content in recordings.items()))

    def _ready(self) -> "Engine":
        """The engine, its libraries imported on first use."""
        with self._loading:
            if self._engine is None:
                try:
                    from bot.voice.engine import Engine
                except (ImportError, OSError) as error:
                    raise SpeakerError(_missing(error)) from error
                self._engine = Engine()
            return self._engine


def _missing(error: Exception) -> str:
    return f"the voice needs the packages hibari-tts and soundfile, which do not load here ({error})"


def _guarded(work: "Callable[[_Job], T]", job: "_Job") -> T:
    """Whatever goes wrong on a worker, its caller hears of it as a SpeakerError."""
    try:
        job.check()
        return work(job)
    except (SpeakerError, _AbandonedError):
        raise
    except Exception as error:
        raise SpeakerError(f"the voice failed: {type(error).__name__}: {error}") from error


class _AbandonedError(Exception):
    """Nobody waits for this job any more."""


class _Job:
    """A piece of work that its caller may give up until it is committed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._abandoned = False
        self._committed = False

    def check(self) -> None:
        """Stop the worker if its caller has gone."""
        if self._abandoned:
            raise _AbandonedError

    def commit(self) -> None:
        """From here on it is done, unless it was given up before."""
        with self._lock:
            self.check()
            self._committed = True

    def abandon(self) -> bool:
        """Give it up; False if it is too late for that."""
        with self._lock:
            self._abandoned = not self._committed
            return self._abandoned
