"""Speech synthesis with hibari: text as `spoken` returns it to samples. Blocks; imports what is heavy."""

import os
import re
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np
from hibari import Hibari, dsp
from hibari.voices import DEFAULT, voice_path

from bot.voice.encode import encoded
from bot.voice.sound import RATE, Samples, faded, levelled, resampled, reshaped, trimmed
from bot.voice.speaker import Kind, SpeakerError, UnspeakableError, Voice

_PACE: Final = 0.775
"""The engine's speed for a rate of 1: its own pace is a newsreader's, about 195 words a minute."""
_LONGEST: Final = 240
"""Characters the engine is given at once; it was trained on sentences."""
_MOST_PHONEMES: Final = 400
"""Phonemes the engine is given at once, for text that is short but long to say ("WWWWW")."""
_PAUSES: Final = {".": 0.42, "!": 0.42, "?": 0.48, ";": 0.24, ":": 0.24, ",": 0.14}
"""Seconds of silence after each stop, at a rate of 1."""
_BREATH: Final = 0.08
"""Seconds of silence where a long sentence had to be cut without a stop."""
_STRESS: Final = "\u02c8"
_ACCENTS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "american": (),
    # Crisp t; the vowel of "lot" rounded, but not that of "start".
    "british": (("T", "t"), ("\u0251(?!ɹ)", "ɔ")),
}
"""By base voice, what becomes of the American phonemes the bundled voice has learned."""
_PRONOUNCED: Final = (
    (r"\bet cetera\b", f"ɛts{_STRESS}ɛtəɹə"),
    (r"\bPOI(?=s?\b)", f"p{_STRESS}iO{_STRESS}I"),
    (r"\bDACA\b", f"d{_STRESS}\u0251kə"),
    (r"\bCO(?= two\b)", f"si{_STRESS}O"),
    *(
        (rf"(?<=\b{word} )A\b", f"{_STRESS}A")
        for word in ("Class", "class", "Plan", "plan", "Option", "option", "Team")
    ),
)
"""What the engine's dictionary gets wrong, in its phonemes."""


class Engine:
    """hibari with the voice in its wheel, loaded on first use. Nothing is fetched or reported."""

    def __init__(self) -> None:
        self._hibari: Hibari | None = None
        self._loading = threading.Lock()

    def load(self) -> Hibari:
        """The engine, ready to speak: model, dictionary and the net for unknown words."""
        with self._loading:
            if self._hibari is None:
                # onnxruntime from 1.29 on reports to Microsoft unless it finds this when it is first imported.
                os.environ["ORT_DISABLE_TELEMETRY"] = os.environ.get("ORT_DISABLE_TELEMETRY") or "1"
                try:
                    # By its path: a voice asked for by name might be one that hibari would download.
                    hibari = Hibari(model=voice_path(DEFAULT, download_missing=False), threads=1)
                    hibari.phonemize("Zzxqy.")  # a word no dictionary has
                except Exception as error:
                    raise SpeakerError(f"the voice's model could not be loaded: {error}") from error
                self._hibari = hibari
            return self._hibari

    def record(
        self, text: str, voice: Voice, kinds: Sequence[Kind], more: Callable[[float], None]
    ) -> tuple[float, dict[Kind, bytes]]:
        """The length in seconds of `text` said by `voice`, and it as a file of each kind. `more`: see `render`."""
        samples = self.render(text, voice, more)
        if not len(samples):
            raise UnspeakableError("the voice has no sound for anything in the text")
        seconds = len(samples) / RATE
        return seconds, {kind: encoded(samples, kind, lambda: more(seconds)) for kind in kinds}

    def render(self, text: str, voice: Voice, more: Callable[[float], None]) -> Samples:
        """`text` said by `voice`. `more` gets the seconds so far before each stretch and may raise to stop."""
        if voice.base not in _ACCENTS:
            raise SpeakerError(f"there is no base voice {voice.base!r}, only {' and '.join(_ACCENTS)}")
        hibari = self.load()
        rng = np.random.default_rng(zlib.crc32(text.encode()))
        parts: list[Samples] = []
        length = 0
        for chunk in chunks(text):
            for phonemes in _phonemes(hibari, chunk, voice.base):
                more(length / RATE)
                said = trimmed(_say(hibari, phonemes, voice, rng))
                pause = int(_PAUSES.get(chunk[-1], _BREATH) / voice.rate * RATE)
                parts += [said, np.zeros(pause, np.float32)]
                length += len(said) + pause
        if not parts:
            return np.zeros(0, np.float32)
        return faded(levelled(np.concatenate(parts[:-1])), 0.005, 0.03)


def _say(hibari: Hibari, phonemes: str, voice: Voice, rng: np.random.Generator) -> Samples:
    """One stretch of speech. The engine has no pitch control, so its source signal is moved after the fact."""
    ids = np.asarray([hibari.ids(phonemes)], np.int64)
    if ids.shape[1] < 3:
        return np.zeros(0, np.float32)
    speed = np.asarray([1], np.float32)
    outputs: Any = hibari.sess.run(None, {"ids": ids, "speed": speed})
    lh, theta, ln, lr, phi, f0 = (output[0] for output in outputs)
    samples: Samples = dsp.synth(lh, theta, ln, lr, phi, f0, rng)
    # Resampling moves formants, but also pitch and tempo: those are put right beforehand.
    pitch = 2 ** (voice.pitch / 12) / voice.tract
    samples = reshaped(samples, f0, pitch, voice.swing, voice.tract / (_PACE * voice.rate))
    if voice.tract != 1:
        samples = resampled(samples, round(len(samples) / voice.tract))
    return samples


def chunks(text: str) -> Iterator[str]:
    """Sentences, and pieces of those that are too long, cut at the last stop that fits or at a space."""
    for sentence in re.split(r"(?<=[.?!]) +", text.strip()):
        rest = sentence
        while len(rest) > _LONGEST:
            head = rest[:_LONGEST]
            cut = max(head.rfind(stop) for stop in (", ", "; ", ": ")) + 1
            if cut < _LONGEST // 4:
                cut = head.rfind(" ")
            cut = cut if cut > 0 else _LONGEST
            yield rest[:cut].strip()
            rest = rest[cut:].strip()
        if rest:
            yield rest


def _phonemes(hibari: Hibari, chunk: str, base: str) -> Iterator[str]:
    """What the engine reads for `chunk`, in pieces it can take."""
    for pattern, said in _PRONOUNCED:
        chunk = re.sub(pattern, lambda m, said=said: f"[{m[0]}](/{said}/)", chunk)
    rest = hibari.g2p(chunk)
    for pattern, said in _ACCENTS[base]:
        rest = re.sub(pattern, said, rest)
    while len(rest) > _MOST_PHONEMES:
        cut = rest.rfind(" ", 0, _MOST_PHONEMES)
        cut = cut if cut > 0 else _MOST_PHONEMES
        yield rest[:cut]
        rest = rest[cut:].strip()
    if rest:
        yield rest
