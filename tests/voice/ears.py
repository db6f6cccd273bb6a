"""What a test hears: pitch, loudness, formants and pauses."""

from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

Sound = NDArray[np.float64]


def hear(path: Path) -> tuple[Sound, int]:
    """Samples of a mono file and how many there are in a second."""
    samples, rate = soundfile.read(path)
    assert samples.ndim == 1
    return np.asarray(samples, np.float64), rate


def pitch(samples: Sound, rate: int) -> float:
    """Median fundamental frequency of the voiced parts in Hz."""
    return float(np.median(melody(samples, rate)))


def melody(samples: Sound, rate: int) -> Sound:
    """Fundamental frequencies of the voiced parts in Hz, 50 a second, by autocorrelation."""
    size, hop = int(0.04 * rate), int(0.02 * rate)
    loud = 0.5 * np.sqrt(np.mean(samples**2))
    window = np.hanning(size)
    fade = np.fft.irfft(np.abs(np.fft.rfft(window, 2 * size)) ** 2)[:size]
    low, high = rate // 400, rate // 60
    found: list[float] = []
    for start in range(0, len(samples) - size, hop):
        part = samples[start : start + size]
        if np.sqrt(np.mean(part**2)) < loud:
            continue
        spectrum = np.abs(np.fft.rfft((part - part.mean()) * window, 2 * size)) ** 2
        likeness = np.fft.irfft(spectrum)[:size] / np.maximum(fade, 1e-9)
        likeness = likeness[low:high] / likeness[0]
        if likeness.max() < 0.5:
            continue
        # The first strong peak: later ones are multiples of the period.
        lag = int(np.argmax(likeness >= 0.9 * likeness.max()))
        while lag + 1 < len(likeness) and likeness[lag + 1] > likeness[lag]:
            lag += 1
        found.append(rate / (low + lag))
    return np.asarray(found)


def loudness(samples: Sound, rate: int) -> float:
    """Root mean square in dBFS of what is not a pause."""
    frame = rate // 50
    power = np.mean(samples[: len(samples) // frame * frame].reshape(-1, frame) ** 2, axis=1)
    return float(10 * np.log10(power[power > power.max() * 1e-3].mean()))


def formant_scale(samples: Sound, reference: Sound, rate: int) -> float:
    """By what factor the formants of `samples` lie above those of `reference`, the same words by another voice."""
    colours = [_colour(sound, rate) for sound in (samples, reference)]
    steps = range(-24, 25)
    likeness = [np.corrcoef(colours[0][24:-24], np.roll(colours[1], step)[24:-24])[0, 1] for step in steps]
    return float(2 ** (steps[int(np.argmax(likeness))] / 48))


def _colour(samples: Sound, rate: int) -> Sound:
    """Mean level in dB of 48 bands an octave from 300 to 9,600 Hz, without the slope that all speech has."""
    size = 512  # short enough to blur the harmonics of any voice
    frames = samples[: len(samples) // size * size].reshape(-1, size) * np.hanning(size)
    power = np.mean(np.abs(np.fft.rfft(frames, 4096)) ** 2, axis=0)
    bands = 300 * 2 ** (np.arange(5 * 48) / 48)
    level = 10 * np.log10(np.interp(bands, np.fft.rfftfreq(4096, 1 / rate), power))
    return level - np.polyval(np.polyfit(np.arange(len(level)), level, 2), np.arange(len(level)))


def pauses(samples: Sound, rate: int) -> list[float]:
    """Lengths in seconds of the stretches 45 dB below the loudest, leading and trailing ones included."""
    frame = rate // 100
    power = np.mean(samples[: len(samples) // frame * frame].reshape(-1, frame) ** 2, axis=1)
    silent = power < power.max() * 10**-4.5
    edges = np.flatnonzero(np.diff(np.concatenate([[False], silent, [False]]).astype(int)))
    return [float(end - start) * frame / rate for start, end in zip(edges[::2], edges[1::2], strict=True)]
