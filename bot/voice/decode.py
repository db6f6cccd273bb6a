"""Sound files in memory as samples. Imports what is heavy."""

import io
import struct

import numpy as np
import soundfile

from bot.voice.sound import RATE, Samples, resampled


def decoded(data: bytes) -> Samples | None:
    """A sound file of any kind libsndfile knows as mono samples at RATE; None if it is none."""
    try:
        samples, rate = soundfile.read(io.BytesIO(_with_sizes(data)), dtype="float32", always_2d=True)
    except (soundfile.LibsndfileError, RuntimeError, ValueError, TypeError):
        return None
    mono: Samples = samples.mean(axis=1)
    if not len(mono) or not np.isfinite(mono).all():
        return None
    return mono if rate == RATE else resampled(mono, round(len(mono) * RATE / rate))


def _with_sizes(data: bytes) -> bytes:
    """A WAV file that was streamed says nothing true of its length; here it does."""
    at = data.find(b"data", 12, 4096)
    if data[:4] != b"RIFF" or at < 0:
        return data
    fixed = bytearray(data)
    fixed[4:8] = struct.pack("<I", len(data) - 8)
    left = len(data) - at - 8
    (said,) = struct.unpack("<I", data[at + 4 : at + 8]) if left >= 0 else (0,)
    if left >= 0 and (said > left or said == 0):
        fixed[at + 4 : at + 8] = struct.pack("<I", left)
    return bytes(fixed)
