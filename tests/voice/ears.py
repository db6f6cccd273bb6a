"""What a test hears: pitch, loudness and colour of a sound."""

from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

Sound = NDArray[np.float64]


def hear(path: Path) -> tuple[Sound, int]:
    """Samples of a mono file and how many there are in a second."""
    samples, rate = soundfile.read(path)
    assert samples.ndim == 1
    return samples, rate


def pitch(samples: Sound, rate: int) -> float:
    """Median fundamental frequency of the voiced parts in Hz, by autocorrelation."""
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
    return float(np.median(found))


def loudness(samples: Sound, rate: int) -> float:
    """Root mean square in dBFS of what is not a pause."""
    frame = rate // 50
    power = np.mean(samples[: len(samples) // frame * frame].reshape(-1, frame) ** 2, axis=1)
    return float(10 * np.log10(power[power > power.max() * 1e-3].mean()))


def brightness(samples: Sound, rate: int) -> float:
    """Where the middle of the energy between 200 and 4,000 Hz lies, in Hz: it moves with the formants."""
    power = np.abs(np.fft.rfft(samples)) ** 2
    hertz = np.fft.rfftfreq(len(samples), 1 / rate)
    band = (hertz > 200) & (hertz < 4000)
    weight = np.sqrt(power[band])
    return float((hertz[band] * weight).sum() / weight.sum())


def pauses(samples: Sound, rate: int) -> list[float]:
    """Lengths in seconds of the stretches 45 dB below the loudest, leading and trailing ones included."""
    frame = rate // 100
    power = np.mean(samples[: len(samples) // frame * frame].reshape(-1, frame) ** 2, axis=1)
    silent = power < power.max() * 10**-4.5
    edges = np.flatnonzero(np.diff(np.concatenate([[False], silent, [False]]).astype(int)))
    return [float(end - start) * frame / rate for start, end in zip(edges[::2], edges[1::2], strict=True)]
