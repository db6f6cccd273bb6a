"""A voice that fails: text only, logged once, tried again later."""

import logging
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.voice import (
    Clip,
    HouseSpeaker,
    Kind,
    NullSpeaker,
    Recording,
    Resilient,
    Speaker,
    SpeakerError,
    UnspeakableError,
    Voice,
)

FINE = Clip(1.0, (Recording(Path("clip.ogg"), "ogg/opus", 1),))


class Scripted:
    """Does what it is told, call by call; then everything works."""

    def __init__(self, *script: Exception | None) -> None:
        self.script = list(script)
        self.calls: list[tuple[str, Voice, Path, Sequence[Kind]]] = []

    async def speak(self, text: str, voice: Voice, path_stem: Path, formats: Sequence[Kind] = ("ogg",)) -> Clip:
        self.calls.append((text, voice, path_stem, formats))
        outcome = self.script.pop(0) if self.script else None
        if outcome:
            raise outcome
        return FINE


class Clock:
    """Seconds that pass only when told to."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


async def say(speaker: Speaker) -> Clip | None:
    return await speaker.speak("Hello.", Voice(), Path("clip"), ("mp3",))


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


async def test_what_works_is_passed_on() -> None:
    inner = Scripted()
    assert await say(Resilient(inner)) is FINE
    assert inner.calls == [("Hello.", Voice(), Path("clip"), ("mp3",))]


async def test_the_first_failure_is_logged_and_the_rest_is_silence(caplog: pytest.LogCaptureFixture) -> None:
    inner = Scripted(*[SpeakerError("the disk is full")] * 5)
    speaker = Resilient(inner, failures=99)
    assert [await say(speaker) for _ in range(6)] == [None] * 5 + [FINE]
    assert warnings(caplog) == ["no sound: the disk is full; speeches stay text while this lasts"]
    assert caplog.records[0].exc_info is None


async def test_three_failures_in_a_row_are_followed_by_a_rest(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    clock, inner = Clock(), Scripted(*[SpeakerError("broken")] * 4)
    speaker = Resilient(inner, clock=clock)
    for _ in range(10):
        assert await say(speaker) is None
    assert len(inner.calls) == 3
    assert speaker.resting

    clock.now += 60
    assert not speaker.resting
    assert await say(speaker) is None
    assert await say(speaker) is None, "one more failure and it rests again"
    assert len(inner.calls) == 4

    clock.now += 60
    assert await say(speaker) is FINE
    assert await say(speaker) is FINE
    assert [record.getMessage() for record in caplog.records] == [
        "no sound: broken; speeches stay text while this lasts",
        "the sound is back",
    ]


async def test_a_success_between_failures_starts_the_count_again() -> None:
    failure = SpeakerError("slow")
    inner = Scripted(failure, failure, None, failure, failure, None)
    speaker = Resilient(inner, clock=Clock())
    assert [await say(speaker) for _ in range(6)] == [None, None, FINE, None, None, FINE]
    assert not speaker.resting


async def test_an_unspeakable_text_is_no_failure_of_the_voice(caplog: pytest.LogCaptureFixture) -> None:
    inner = Scripted(*[UnspeakableError("nothing to say")] * 9)
    speaker = Resilient(inner, clock=Clock())
    assert [await say(speaker) for _ in range(10)] == [None] * 9 + [FINE]
    assert warnings(caplog) == []


async def test_a_bug_costs_the_sound_only_and_leaves_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    assert await say(Resilient(Scripted(ZeroDivisionError("oops")))) is None
    assert warnings(caplog) == ["no sound: oops; speeches stay text while this lasts"]
    assert caplog.records[0].exc_info is not None


async def test_around_the_real_one(speaker: HouseSpeaker, tmp_path: Path) -> None:
    careful = Resilient(speaker)
    assert await careful.speak("Hello.", Voice("nobody"), tmp_path / "clip") is None
    clip = await careful.speak("Hello.", Voice(), tmp_path / "clip")
    assert clip is not None
    assert clip.path.exists()


async def test_sound_off() -> None:
    assert await say(NullSpeaker()) is None
