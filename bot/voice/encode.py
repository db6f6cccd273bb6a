"""Samples as sound files in memory. Imports what is heavy."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Final

import soundfile

from bot.voice.sound import RATE, Samples
from bot.voice.speaker import Kind

_ENCODINGS: Final[dict[Kind, tuple[str, str, float]]] = {
    "ogg": ("OGG", "OPUS", 0.8),
    "mp3": ("MP3", "MPEG_LAYER_III", 0.5),
}
"""Container, codec and compression level: both about 50 kbit/s. At 0.83 and above (45 kbit/s) libopus takes its speech
mode, which costs two and a half times the CPU and sounds no better."""
_BLOCK: Final = RATE
"""Samples handed over at once; the encoder releases the interpreter's lock meanwhile."""


def encoded(samples: Samples, kind: Kind, between: Callable[[], None]) -> bytes:
    """`samples` as a whole file of `kind`. `between` is called now and then and may raise to stop."""
    buffer = io.BytesIO()
    with opened(buffer, kind) as file:
        for start in range(0, len(samples), _BLOCK):
            between()
            file.write(samples[start : start + _BLOCK])
    return buffer.getvalue()


def opened(target: Path | io.BytesIO, kind: Kind) -> soundfile.SoundFile:
    """A file of `kind` to write samples to."""
    container, codec, compression = _ENCODINGS[kind]
    return soundfile.SoundFile(target, "w", RATE, 1, subtype=codec, format=container, compression_level=compression)
