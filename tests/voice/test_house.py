"""The built-in speaker: what it writes, how it sounds, how it fails."""

import asyncio
import builtins
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from bot.voice import Clip, HouseSpeaker, SpeakerError, UnspeakableError, Voice, voices
from bot.voice.engine import Engine, chunks
from tests.voice.conftest import share
from tests.voice.ears import formant_scale, hear, loudness, melody, pauses, pitch

SHORT = "Free buses help nobody. Somebody always pays."
SPEECH = (
    "The motion says that every city should make public transport free, and I will give you two reasons why it should "
    "not. First, free is never free: somebody pays, and the people who pay are often those who live too far away to "
    "ride. Second, people who walk or cycle today would take the bus instead, so the buses fill up while the roads do "
    "not empty."
)


async def said(speaker: HouseSpeaker, folder: Path, voice: Voice, text: str = SPEECH) -> tuple[Any, int]:
    """What `voice` sounds like."""
    return hear((await speaker.speak(text, voice, folder / "clip", ("mp3",))).path)


# --- what it writes ---


async def test_both_formats_hold_the_same_speech(speaker: HouseSpeaker, tmp_path: Path) -> None:
    clip = await speaker.speak(SPEECH, Voice(), tmp_path / "match" / "r1.t2", ("ogg", "mp3"))
    assert [(file.path.name, file.format) for file in clip.files] == [("r1.t2.ogg", "ogg/opus"), ("r1.t2.mp3", "mp3")]
    assert (clip.path, clip.format) == (clip.files[0].path, "ogg/opus")
    assert sorted(tmp_path.rglob("*.*")) == sorted(file.path for file in clip.files)
    for file, container, codec in zip(clip.files, ("OGG", "MP3"), ("OPUS", "MPEG_LAYER_III"), strict=True):
        info = soundfile.info(file.path)
        assert (info.format, info.subtype, info.channels) == (container, codec, 1)
        samples, rate = hear(file.path)
        assert len(samples) / rate == pytest.approx(clip.seconds, abs=0.1)
        assert loudness(samples, rate) == pytest.approx(-20, abs=1)
        assert 0.3 < abs(samples).max() < 0.97
        assert file.size == file.path.stat().st_size
    assert 15 < clip.seconds < 40, "62 words"


async def test_pauses_are_those_of_a_speaker(speaker: HouseSpeaker, tmp_path: Path) -> None:
    samples, rate = await said(speaker, tmp_path, Voice())
    silent = pauses(samples, rate)
    assert max(silent) < 0.8
    assert sum(pause > 0.25 for pause in silent) >= 2, "between three sentences"
    assert abs(samples[: rate // 5]).max() > 0.05, "it starts at once"
    assert abs(samples[:20]).max() < 0.02, "and without a click"


def test_the_same_words_make_the_same_sound(engine: Engine) -> None:
    first, second, other = (engine.render(text, Voice(), lambda _: None) for text in (SHORT, SHORT, SHORT.upper()))
    assert (first == second).all()
    assert len(other) != len(first) or (other != first).any()


async def test_a_file_left_by_a_killed_process_is_replaced(speaker: HouseSpeaker, tmp_path: Path) -> None:
    (tmp_path / ".clip.ogg.part").write_bytes(b"half")
    (tmp_path / "clip.ogg").write_bytes(b"old")
    await speaker.speak(SHORT, Voice(), tmp_path / "clip")
    assert [path.name for path in tmp_path.iterdir()] == ["clip.ogg"]
    assert soundfile.info(tmp_path / "clip.ogg").duration > 1


# --- how it sounds ---


async def test_pitch_moves_the_voice_and_nothing_else(speaker: HouseSpeaker, tmp_path: Path) -> None:
    plain, rate = await said(speaker, tmp_path, Voice())
    for semitones in (-8, 4):
        moved, _ = await said(speaker, tmp_path, Voice(pitch=semitones))
        assert pitch(moved, rate) / pitch(plain, rate) == pytest.approx(2 ** (semitones / 12), rel=0.04)
        assert len(moved) == pytest.approx(len(plain), rel=0.02)
        assert formant_scale(moved, plain, rate) == pytest.approx(1, rel=0.05)
        assert loudness(moved, rate) == pytest.approx(loudness(plain, rate), abs=0.5)


async def test_tract_moves_the_formants_and_nothing_else(speaker: HouseSpeaker, tmp_path: Path) -> None:
    plain, rate = await said(speaker, tmp_path, Voice())
    bigger, _ = await said(speaker, tmp_path, Voice(tract=0.8))
    assert formant_scale(bigger, plain, rate) == pytest.approx(0.8, rel=0.05)
    assert pitch(bigger, rate) == pytest.approx(pitch(plain, rate), rel=0.03)
    assert len(bigger) == pytest.approx(len(plain), rel=0.02)


async def test_rate_moves_the_length_and_nothing_else(speaker: HouseSpeaker, tmp_path: Path) -> None:
    plain, rate = await said(speaker, tmp_path, Voice())
    for factor in (0.8, 1.25):
        moved, _ = await said(speaker, tmp_path, Voice(rate=factor))
        assert len(plain) / len(moved) == pytest.approx(factor, rel=0.05)
        assert pitch(moved, rate) == pytest.approx(pitch(plain, rate), rel=0.03)
    words_a_minute = len(SPEECH.split()) / len(plain) * rate * 60
    assert 140 < words_a_minute < 185


async def test_swing_widens_the_melody_and_nothing_else(speaker: HouseSpeaker, tmp_path: Path) -> None:
    spread, centre, length = [], [], []
    for swing in (0.4, 1.5):
        samples, rate = await said(speaker, tmp_path, Voice(swing=swing))
        tones = 12 * np.log2(melody(samples, rate))
        spread.append(np.percentile(tones, 85) - np.percentile(tones, 15))
        centre.append(np.median(tones))
        length.append(len(samples))
    assert spread[1] > 2 * spread[0]
    assert centre[1] == pytest.approx(centre[0], abs=1.5)
    assert length[1] == pytest.approx(length[0], rel=0.02)


async def test_every_base_voice_speaks_and_they_differ(speaker: HouseSpeaker, tmp_path: Path) -> None:
    names = [base.name for base in voices()]
    assert names == ["american", "british"]
    sounds = [await said(speaker, tmp_path, Voice(name), "Not a lot of water, but a better lot.") for name in names]
    american, british = (samples[: rate * 2] for samples, rate in sounds)
    assert abs(american - british).mean() > 0.01


async def test_text_without_a_stop_reaches_the_engine_in_pieces_it_can_take(
    engine: Engine, speaker: HouseSpeaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hibari, lengths = engine.load(), []
    ids = hibari.ids
    monkeypatch.setattr(hibari, "ids", lambda phonemes: lengths.append(len(phonemes)) or ids(phonemes))
    clip = await speaker.speak("word " * 60 + "X W " * 40, Voice(), tmp_path / "clip")
    assert max(lengths) <= 400 < sum(lengths)
    assert clip.seconds > 30


WORDS = st.text(st.sampled_from("abcdefgh'-"), min_size=1, max_size=40)
STOPS = st.sampled_from([" ", " ", " ", ", ", "; ", ". ", "? ", "! "])


@given(st.lists(st.tuples(WORDS, STOPS), min_size=1, max_size=120))
def test_cutting_loses_no_word(words: list[tuple[str, str]]) -> None:
    text = "".join(word + stop for word, stop in words).strip()
    pieces = list(chunks(text))
    assert " ".join(pieces) == text
    assert all(0 < len(piece) <= 240 for piece in pieces)


@pytest.mark.parametrize(
    "text", ["word " * 200, "word, " * 200, "w" * 1000, "a sentence of words. " * 50, "x, " + "w" * 500]
)
def test_long_sentences_are_cut_too(text: str) -> None:
    pieces = list(chunks(text))
    assert "".join(pieces).replace(" ", "") == text.replace(" ", "")
    assert max(map(len, pieces)) <= 240
    assert len(pieces) <= 51


# --- that it stays out of the way ---


async def test_the_event_loop_runs_on(speaker: HouseSpeaker, tmp_path: Path) -> None:
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0.002)
            beats += 1

    heart = asyncio.create_task(beat())
    clip = await speaker.speak(SPEECH * 3, Voice(pitch=-4, tract=0.85), tmp_path / "clip", ("ogg", "mp3"))
    heart.cancel()
    assert clip.seconds > 50
    assert beats > 40, "about a second of work; a blocked loop beats once or twice"


OFFLINE = """
    import asyncio, pathlib, sys
    import bot.voice
    heavy = {"numpy", "onnxruntime", "soundfile", "hibari"} & set(sys.modules)
    assert not heavy, f"import bot.voice loads {heavy}"

    def refuse(event, args):
        if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "urllib.Request"):
            raise RuntimeError(f"the voice wants the network: {event} {args}")

    sys.addaudithook(refuse)

    async def main():
        speaker = bot.voice.HouseSpeaker()
        await speaker.warm()
        for base in bot.voice.voices():
            clip = await speaker.speak("Hello there.", bot.voice.Voice(base.name), pathlib.Path(base.name))
            print(clip.path, clip.seconds)
        await speaker.close()

    asyncio.run(main())
"""


def test_a_fresh_process_imports_little_fetches_nothing_and_reports_nothing(tmp_path: Path) -> None:
    """In an empty home, with the network cut off inside the interpreter.

    Native code is not cut off: onnxruntime's telemetry would show by the files it keeps in the home.
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(OFFLINE)],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert [line.split()[0] for line in run.stdout.splitlines()] == ["american.ogg", "british.ogg"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["american.ogg", "british.ogg"]


# --- how it fails ---


@pytest.mark.parametrize("text", ["", " \n ", "😀👍", "你好", "..."])
async def test_nothing_to_say_is_the_texts_fault(speaker: HouseSpeaker, tmp_path: Path, text: str) -> None:
    with pytest.raises(UnspeakableError, match="nothing in the text"):
        await speaker.speak(text, Voice(), tmp_path / "clip")
    assert not list(tmp_path.iterdir())


async def test_too_much_to_say_is_refused_before_and_while_speaking(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    share(engine, monkeypatch)
    speaker = HouseSpeaker(longest=3)
    with pytest.raises(UnspeakableError, match="121 characters make a clip of more than 3 seconds"):
        await speaker.speak("a" * 121, Voice(), tmp_path / "clip")
    with pytest.raises(UnspeakableError, match="would last more than 3 seconds"):
        await speaker.speak("One two three four. " * 6, Voice(), tmp_path / "clip")
    assert not list(tmp_path.iterdir())


async def test_an_unknown_voice_or_format_is_named(speaker: HouseSpeaker, tmp_path: Path) -> None:
    with pytest.raises(SpeakerError, match="no base voice 'emma', only american and british"):
        await speaker.speak(SHORT, Voice("emma"), tmp_path / "clip")
    wrong: Any = ("ogg", "wav")
    with pytest.raises(SpeakerError, match="made as ogg or mp3, not as ogg, wav"):
        await speaker.speak(SHORT, Voice(), tmp_path / "clip", wrong)
    with pytest.raises(SpeakerError, match="not as nothing"):
        await speaker.speak(SHORT, Voice(), tmp_path / "clip", ())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("library", ["soundfile", "hibari", "numpy"])
async def test_a_missing_library_is_one_clear_sentence(
    library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("engine", "encode", "sound"):
        monkeypatch.delitem(sys.modules, f"bot.voice.{module}", raising=False)
        monkeypatch.delattr(sys.modules["bot.voice"], module, raising=False)
    real = builtins.__import__

    def importing(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.partition(".")[0] == library:
            raise OSError("sndfile library not found") if library == "soundfile" else ImportError(f"no {library}")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", importing)
    speaker = HouseSpeaker()
    with pytest.raises(SpeakerError, match="needs the packages hibari-tts and soundfile"):
        await speaker.speak(SHORT, Voice(), tmp_path / "clip")
    with pytest.raises(SpeakerError, match="needs the packages"):
        await speaker.warm()
    assert not list(tmp_path.iterdir())


async def test_a_missing_model_is_one_clear_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.voice.engine.voice_path", lambda *_, **__: str(tmp_path / "gone.onnx"))
    with pytest.raises(SpeakerError, match=r"model could not be loaded: .*gone\.onnx"):
        await HouseSpeaker().warm()


async def test_whatever_breaks_inside_is_a_speaker_error(
    speaker: HouseSpeaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.voice.engine.dsp.synth", lambda *_: 1 / 0)
    with pytest.raises(SpeakerError, match="the voice failed: ZeroDivisionError"):
        await speaker.speak(SHORT, Voice(), tmp_path / "clip")
    assert not list(tmp_path.iterdir())


async def test_a_clip_that_takes_too_long_never_appears(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    share(engine, monkeypatch)
    speaker = HouseSpeaker(timeout=0.02)
    with pytest.raises(SpeakerError, match=r"not ready within 0\.02 seconds"):
        await speaker.speak(SPEECH[:990], Voice(), tmp_path / "clip")
    await speaker.close()
    assert not list(tmp_path.iterdir())
    with pytest.raises(SpeakerError, match="closed"):
        await speaker.speak(SHORT, Voice(), tmp_path / "clip")


async def test_a_clip_nobody_waits_for_never_appears(speaker: HouseSpeaker, tmp_path: Path) -> None:
    running = asyncio.create_task(speaker.speak(SPEECH, Voice(), tmp_path / "one"))
    queued = asyncio.create_task(speaker.speak(SPEECH, Voice(), tmp_path / "two"))
    await asyncio.sleep(0.02)
    running.cancel()
    queued.cancel()
    for task in (running, queued):
        with pytest.raises(asyncio.CancelledError):
            await task
    after = await speaker.speak(SHORT, Voice(), tmp_path / "three")
    assert [path.name for path in tmp_path.iterdir()] == [after.path.name]


async def test_more_than_may_wait_are_refused(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    share(engine, monkeypatch)
    speaker = HouseSpeaker(waiting=3)
    results = await asyncio.gather(
        *(speaker.speak(SHORT, Voice(), tmp_path / f"{n}") for n in range(5)), return_exceptions=True
    )
    assert [type(result) for result in results] == [Clip, Clip, Clip, SpeakerError, SpeakerError]
    assert str(results[3]) == "3 clips are waiting to be made already"
    assert isinstance(await speaker.speak(SHORT, Voice(), tmp_path / "later"), Clip)


@pytest.mark.parametrize(
    "wrong", [{"rate": 0.1}, {"pitch": 40}, {"tract": 0}, {"swing": -1}, {"base": ""}, {"rate": float("nan")}]
)
def test_a_voice_nobody_could_have_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="a voice"):
        Voice(**wrong)
