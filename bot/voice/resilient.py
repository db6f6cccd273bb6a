"""Sound as an extra: a voice that fails leaves text, and says so once."""

import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bot.voice.speaker import Clip, Kind, Speaker, SpeakerError, UnspeakableError, Voice

_log = logging.getLogger(__name__)


class NullSpeaker:
    """Sound off: every speech stays text only."""

    async def speak(self, text: str, voice: Voice, path_stem: Path, formats: Sequence[Kind] = ("ogg",)) -> Clip | None:
        """None, at no cost."""
        return None


class Resilient:
    """A speaker around another one that never raises: None where the other failed.

    The first failure is logged as a warning, later ones only for debugging. After `failures` in a row it stops trying
    for `rest` seconds, then tries again; when that works it says so and will warn again another time. `what` and
    `instead`: what the log says is missing, and what happens without it.
    """

    def __init__(
        self,
        inner: Speaker,
        *,
        failures: int = 3,
        rest: float = 60.0,
        what: str = "sound",
        instead: str = "speeches stay text",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._inner = inner
        self._limit = failures
        self._rest = rest
        self._what = what
        self._instead = instead
        self._clock = clock
        self._failed = 0
        self._resting_until = float("-inf")
        self._warned = False

    @property
    def resting(self) -> bool:
        """Whether speeches stay text for now because the voice kept failing."""
        return self._clock() < self._resting_until

    async def speak(self, text: str, voice: Voice, path_stem: Path, formats: Sequence[Kind] = ("ogg",)) -> Clip | None:
        """The clip, or None."""
        if self.resting:
            return None
        try:
            clip = await self._inner.speak(text, voice, path_stem, formats)
        except UnspeakableError as error:
            _log.debug("no %s for one speech: %s; %s", self._what, error, self._instead)
            return None
        except Exception as error:
            self._note_failure(error)
            return None
        self._note_success()
        return clip

    def _note_failure(self, error: Exception) -> None:
        self._failed += 1
        if self._failed >= self._limit:
            self._resting_until = self._clock() + self._rest
        # A SpeakerError explains itself; anything else is a bug and needs its traceback.
        trace = None if isinstance(error, SpeakerError) else error
        if self._warned:
            _log.debug("no %s again: %s", self._what, error, exc_info=trace)
        else:
            _log.warning("no %s: %s; %s while this lasts", self._what, error, self._instead, exc_info=trace)
            self._warned = True

    def _note_success(self) -> None:
        if self._failed >= self._limit:
            _log.info("the %s is back", self._what)
            self._warned = False
        self._failed = 0
