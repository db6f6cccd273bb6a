"""Signal processing on sounds whose answer is known."""

import numpy as np
import pytest

from bot.voice.sound import PEAK, RATE, Samples, levelled, resampled, reshaped, trimmed
from tests.voice.ears import loudness, pitch


def buzz(hertz: float, seconds: float) -> Samples:
    """A voice-like tone: ten harmonics."""
    time = np.arange(int(seconds * RATE)) / RATE
    harmonics = sum(np.cos(2 * np.pi * hertz * n * time) / n for n in range(1, 11))
    return np.asarray(0.1 * harmonics, np.float32)


@pytest.mark.parametrize("gain", [0.001, 0.1, 3])
def test_levelled_is_as_loud_whatever_came_in_and_nowhere_too_loud(gain: float) -> None:
    speech = buzz(120, 2) * np.float32(gain)
    speech[RATE // 2 : RATE] = 0
    speech[::6000] = speech.max() * 9
    out = levelled(speech)
    assert abs(out).max() <= PEAK
    assert loudness(out.astype(np.float64), RATE) == pytest.approx(-20, abs=1.5)
    assert not out[RATE // 2 + 10 : RATE // 2 + 200].any(), "silence stays silent"


def test_trimmed_keeps_the_sound_and_no_silence() -> None:
    silence = np.full(RATE // 2, 1e-5, np.float32)
    out = trimmed(np.concatenate([silence, buzz(120, 1), silence]))
    assert len(out) == pytest.approx(RATE, abs=0.05 * RATE)
    assert out[0] == out[-1] == 0
    assert len(trimmed(np.zeros(RATE, np.float32))) == 0
    assert len(trimmed(np.zeros(0, np.float32))) == 0


@pytest.mark.parametrize(("factor", "stretch"), [(0.7, 1), (1, 1.3), (1.4, 0.8), (0.6, 1.25)])
def test_reshaped_moves_pitch_and_length_separately(factor: float, stretch: float) -> None:
    f0 = np.full(160, 150, np.float32)
    out = reshaped(buzz(150, 2), f0, factor, 1, stretch).astype(np.float64)
    assert len(out) == pytest.approx(2 * RATE * stretch, abs=1)
    assert pitch(out, RATE) == pytest.approx(150 * factor, rel=0.02)


def test_reshaped_leaves_what_has_no_pitch_in_place() -> None:
    noise = np.random.default_rng(0).standard_normal(RATE).astype(np.float32)
    f0 = np.zeros(80, np.float32)
    assert len(reshaped(noise, f0, 0.7, 1, 1.2)) == pytest.approx(1.2 * RATE, abs=1)
    f0[40:] = 150
    half = reshaped(noise, f0, 0.7, 1, 1)
    assert np.allclose(half[2000 : RATE // 2 - 2000], noise[2000 : RATE // 2 - 2000], atol=0.05)


def test_resampled_moves_everything_together() -> None:
    out = resampled(buzz(150, 1), RATE * 5 // 4)
    assert len(out) == RATE * 5 // 4
    assert pitch(out.astype(np.float64), RATE) == pytest.approx(120, rel=0.02)
    assert np.sqrt(np.mean(out**2)) == pytest.approx(np.sqrt(np.mean(buzz(150, 1) ** 2)), rel=0.05)
