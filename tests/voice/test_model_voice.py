"""The speech model over HTTP, with the real SDK and a server of ours that speaks well or badly."""

from __future__ import annotations

import asyncio
import io
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import soundfile
from aiohttp import web
from aiohttp.test_utils import TestServer

from bench.match import nowhere
from bot.actions.actor import Actor
from bot.actions.start import Wish, begin, start
from bot.app import open_app, speech_model
from bot.catalogue import load_catalogue
from bot.minds.models.budget import ChargedSound, Limit, Limits, Spending
from bot.minds.models.endpoints import EndpointsError, Lineup, VoiceSpec, parse_lineup
from bot.rules.clock import VIRTUAL
from bot.rules.formats import load_format
from bot.rules.match import Clip as MatchClip
from bot.rules.match import Match
from bot.voice.booth import Booth
from bot.voice.engine import Engine
from bot.voice.model import VOICES, ModelSpeaker
from bot.voice.sound import LOUDNESS
from bot.voice.speaker import SpeakerError, UnspeakableError, Voice
from tests.voice.conftest import share

KEY = "sk-secret-of-the-voice"
TEXT = "A library is the last room in town where nobody asks what you came to buy, and that is worth its rent."
Mood = Literal[
    "good", "loud", "no_sizes", "mp3", "slow", "error", "bad_key", "limited", "html", "noise", "empty", "silent",
    "endless", "short", "dropping", "no_manner",
]  # fmt: skip


@dataclass
class AudioStub:
    """An /audio/speech of ours."""

    mood: Mood = "good"
    level: float = 0.02
    bodies: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    keys: list[str] = field(default_factory=list[str])
    at_once: int = 0
    most_at_once: int = 0
    url: str = ""

    async def speech(self, request: web.Request) -> web.StreamResponse:
        self.bodies.append(await request.json())
        self.keys.append(request.headers.get("Authorization", ""))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await asyncio.sleep(30 if self.mood == "slow" else 0.01)
            return await self._answer(request, self.bodies[-1])
        finally:
            self.at_once -= 1

    async def _answer(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        refusals = {"error": 500, "bad_key": 401, "limited": 429}
        if self.mood in refusals:
            return _refusal(refusals[self.mood], f"no: {KEY}")
        if self.mood == "no_manner" and "instructions" in body:
            return _refusal(400, "unknown parameter: instructions")
        data = self._sound(len(body["input"]) / 14)
        response = web.StreamResponse(headers={"Content-Type": "audio/wav"})
        response.enable_chunked_encoding()
        await response.prepare(request)
        for at in range(0, len(data), 8192):
            if self.mood == "dropping" and at:
                assert request.transport is not None
                request.transport.abort()
                return response
            await response.write(data[at : at + 8192])
        while self.mood == "endless":
            await response.write(bytes(500_000))
        return response

    def _sound(self, seconds: float) -> bytes:
        match self.mood:
            case "html":
                return b"<html>not here</html>" * 500
            case "noise":
                return np.random.default_rng(1).bytes(100_000)
            case "empty":
                return b""
            case "silent":
                return tone(seconds, 0.0)
            case "short":
                return tone(0.3, self.level)
            case "loud":
                return tone(seconds, 0.99)
            case "no_sizes":
                data = bytearray(tone(seconds, self.level))
                data[4:8] = data[40:44] = b"\xff" * 4
                return bytes(data)
            case "mp3":
                return tone(seconds, self.level, "MP3", "MPEG_LAYER_III", 44_100)
            case _:
                return tone(seconds, self.level)


def _refusal(status: int, message: str) -> web.Response:
    return web.json_response({"error": {"message": message, "type": "error"}}, status=status)


def tone(seconds: float, level: float, kind: str = "WAV", subtype: str = "PCM_16", rate: int = 24_000) -> bytes:
    time = np.arange(int(seconds * rate)) / rate
    buffer = io.BytesIO()
    soundfile.write(buffer, level * np.sin(2 * np.pi * 180 * time), rate, format=kind, subtype=subtype)
    return buffer.getvalue()


@pytest.fixture
async def stub() -> AsyncIterator[AudioStub]:
    made = AudioStub()
    app = web.Application()
    app.router.add_post("/v1/audio/speech", made.speech)
    server = TestServer(app, host="127.0.0.1")
    await server.start_server(shutdown_timeout=0.01)
    made.url = str(server.make_url("/v1"))
    yield made
    await server.close()


def lineup(url: str, more: str = "", tts: str = "true") -> Lineup:
    text = f"""
[endpoints.here]
base_url = "{url}"
key = "{KEY}"
tts = {tts}
[models.mini]
endpoint = "here"
id = "mini"
{more}"""
    return parse_lineup(text, "models.toml", {})


def spec(url: str, more: str = "") -> VoiceSpec:
    found = lineup(url, more).voice
    assert found is not None
    return found


@pytest.fixture
async def model(stub: AudioStub) -> AsyncIterator[ModelSpeaker]:
    made = speech_model(spec(stub.url, "[voice]\ntimeout_s = 0.6"), Spending())
    yield made
    await made.close()


def loudness(path: Path) -> float:
    samples, _ = soundfile.read(path)
    return float(np.sqrt(np.mean(samples[2_000:-2_000] ** 2)))


@pytest.mark.parametrize("mood", ["good", "loud", "no_sizes", "mp3"])
async def test_speech_is_levelled_and_encoded_like_the_built_in_voice(
    mood: Mood, stub: AudioStub, model: ModelSpeaker, tmp_path: Path
) -> None:
    stub.mood = mood
    clip = await model.speak(TEXT, Voice(), tmp_path / "a", ("ogg", "mp3"))
    assert [file.path.name for file in clip.files] == ["a.ogg", "a.mp3"]
    assert clip.seconds == pytest.approx(len(TEXT) / 14, abs=0.2)
    info = soundfile.info(clip.path)
    assert (info.format, info.subtype, info.channels) == ("OGG", "OPUS", 1)
    assert loudness(clip.path) == pytest.approx(LOUDNESS, rel=0.25)


async def test_the_request_has_the_persona_in_it(stub: AudioStub, model: ModelSpeaker, tmp_path: Path) -> None:
    voice = Voice(base="british", rate=1.2, model="onyx", manner="Dry and understated.")
    await model.speak(f"**{TEXT}** <@123>", voice, tmp_path / "a")
    [body] = stub.bodies
    assert (body["model"], body["voice"], body["input"]) == ("gpt-4o-mini-tts", "onyx", TEXT)
    assert body["response_format"] == "wav"
    assert "Dry and understated." in body["instructions"]
    assert "British" in body["instructions"]
    assert "briskly" in body["instructions"]
    assert stub.keys == [f"Bearer {KEY}"]


async def test_a_persona_always_has_the_same_voice_and_not_all_have_one(tmp_path: Path, model: ModelSpeaker) -> None:
    booth = Booth(tmp_path, load_catalogue())
    chosen = {id: model.voice(booth.voice(id)) for id in load_catalogue().personas}
    assert chosen == {id: model.voice(booth.voice(id)) for id in chosen}
    assert set(chosen.values()) <= set(VOICES)
    assert len(set(chosen.values())) >= 4
    await booth.close()


async def test_a_server_that_takes_no_instructions_is_asked_without(
    stub: AudioStub, model: ModelSpeaker, tmp_path: Path
) -> None:
    stub.mood = "no_manner"
    for name in "ab":
        await model.speak(TEXT, Voice(), tmp_path / name)
    assert ["instructions" in body for body in stub.bodies] == [True, False, False]


BAD: dict[Mood, str] = {
    "slow": "did not answer within 0.6 seconds",
    "error": "the server answered 500",
    "bad_key": "the server answered 401: is the key right?",
    "limited": "the server answered 429",
    "html": "no sound",
    "noise": "no sound",
    "empty": "no sound",
    "silent": "0.0 seconds of sound",
    "endless": "more sound than the text has",
    "short": "0.3 seconds of sound",
    "dropping": "",
}


@pytest.mark.parametrize("mood", BAD)
async def test_what_goes_wrong_is_one_sentence_without_the_key_and_leaves_no_file(
    mood: Mood, stub: AudioStub, model: ModelSpeaker, tmp_path: Path
) -> None:
    stub.mood = mood
    with pytest.raises(SpeakerError) as caught:
        await model.speak(TEXT, Voice(), tmp_path / "a")
    assert BAD[mood] in str(caught.value)
    assert KEY not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
    assert len(stub.bodies) == 1, "it is not tried again: the built-in voice is quicker"


async def test_nobody_listening(tmp_path: Path) -> None:
    made = speech_model(spec("http://127.0.0.1:9/v1"), Spending())
    with pytest.raises(SpeakerError, match="cannot be reached"):
        await made.speak(TEXT, Voice(), tmp_path / "a")
    await made.close()


@pytest.mark.parametrize("text", ["", "🙂 ...", "<@123>", "word " * 1_000])
async def test_what_cannot_be_said_is_not_asked_for(
    text: str, stub: AudioStub, model: ModelSpeaker, tmp_path: Path
) -> None:
    with pytest.raises(UnspeakableError):
        await model.speak(text, Voice(), tmp_path / "a")
    assert stub.bodies == []


async def test_only_half_of_what_the_endpoint_takes_is_speech(stub: AudioStub, tmp_path: Path) -> None:
    made = speech_model(spec(stub.url), Spending())
    await asyncio.gather(*(made.speak(TEXT, Voice(), tmp_path / str(n)) for n in range(9)))
    assert stub.most_at_once == 4
    await made.close()


# ------------------------------------------------------------------------------------------------- the built-in voice


@pytest.mark.parametrize("mood", ["slow", "error", "noise", "dropping"])
async def test_the_built_in_voice_speaks_instead_and_the_log_says_so_once(
    mood: Mood,
    stub: AudioStub,
    model: ModelSpeaker,
    engine: Engine,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    share(engine, monkeypatch)
    caplog.set_level(logging.DEBUG)
    booth = Booth(tmp_path, load_catalogue())
    booth.lead_with(model)
    stub.mood = mood
    for n in range(4):
        clip = await booth.sound.speaker.speak("That is worth its rent.", booth.voice("quill"), tmp_path / str(n))
        assert clip is not None and clip.path.is_file()
    await booth.close()
    assert len(stub.bodies) == 3, "after three failures it rests"
    [warning] = [entry.getMessage() for entry in caplog.records if entry.levelno >= logging.WARNING]
    assert warning.startswith("no speech model: gpt-4o-mini-tts at here")
    assert warning.endswith("the built-in voice speaks while this lasts")
    assert KEY not in caplog.text
    assert booth.trouble == ""


# ------------------------------------------------------------------------------------------------- money


class Clips:
    """Sound that says one thing."""

    def __init__(self, model: ModelSpeaker, folder: Path) -> None:
        self.model, self.folder = model, folder

    async def clip(self, match: Match, round: int, n: int, part: int) -> MatchClip | None:
        made = await self.model.speak(TEXT, Voice(), self.folder / str(n))
        return MatchClip(made.path.name, made.seconds, made.format)


async def test_what_it_costs_goes_on_the_account_of_the_match(stub: AudioStub, tmp_path: Path) -> None:
    spending = Spending()
    made = speech_model(spec(stub.url, "[voice]\nprice = { minute = 0.60, million_characters = 100 }"), spending)
    sound = ChargedSound(Clips(made, tmp_path))
    clip = await sound.clip(Match(id="m1", community="c1"), 1, 1, 0)
    assert clip is not None
    usd, tokens = spending.spent(match="m1")
    assert usd == pytest.approx(0.01 * clip.seconds + len(TEXT) * 1e-4, rel=0.05)
    assert tokens == 0
    assert spending.spent(community="c1")[0] == usd
    stub.mood = "error"
    with pytest.raises(SpeakerError):
        await sound.clip(Match(id="m1", community="c1"), 1, 2, 0)
    assert spending.spent(match="m1")[0] == usd, "what a server refused costs nothing"
    stub.mood = "dropping"
    with pytest.raises(SpeakerError):
        await sound.clip(Match(id="m1", community="c1"), 1, 2, 0)
    assert spending.spent(match="m1")[0] > usd, "what broke off may have to be paid"
    await made.close()


async def test_a_budget_stops_it_before_the_call_for_that_match_only(stub: AudioStub, tmp_path: Path) -> None:
    spending = Spending(Limits(match=Limit.model_validate("0.2 usd")))
    made = speech_model(spec(stub.url, "[voice]\nprice = { minute = 0.60 }"), spending)
    sound = ChargedSound(Clips(made, tmp_path))
    one, other = Match(id="m1", community="c1"), Match(id="m2", community="c1")
    await sound.clip(one, 1, 1, 0)
    with pytest.raises(UnspeakableError, match="budget"):
        await sound.clip(one, 1, 2, 0)
    assert len(stub.bodies) == 1
    assert await sound.clip(other, 1, 3, 0) is not None
    await made.close()


async def test_a_match_is_spoken_by_the_model_and_pays_for_it(stub: AudioStub, tmp_path: Path) -> None:
    everyone_house = '[seats]\ndefault = "house"\n[judges]\nmodels = ["house"]\n[voice]\nprice = { minute = 0.6 }'
    booth = Booth(tmp_path, load_catalogue())
    models = lineup(stub.url, everyone_house)
    async with open_app("sqlite+aiosqlite:///:memory:", nowhere, booth.sound, models=models) as app:
        booth.lead_with(app.speech)
        await app.host.start()
        actor = Actor(community="c1", person="ann", moderator=True)
        wish = Wish(format=load_format("duel"), seed=1, speed=VIRTUAL, sound=True)
        opened = (await start(app.services, actor, wish)).match
        assert opened is not None
        match = opened.id
        await begin(app.services, actor, match)
        await app.host.finished(match)
        state = await app.host.state(match)
        assert state is not None
        said = [part for turn in state.rounds[0].turns for part in turn.parts]
        clips = [part.clip for part in said if part.clip is not None]
        assert len(clips) == len(said) == len(stub.bodies)
        assert app.roster is not None
        seconds = sum(clip.seconds for clip in clips)
        assert app.roster.spending.spent(match=match)[0] == pytest.approx(seconds * 0.01, rel=0.05)
    assert len({body["voice"] for body in stub.bodies}) == 2
    await booth.close()


# ------------------------------------------------------------------------------------------------- the file


def test_no_endpoint_with_tts_no_speech_model() -> None:
    assert lineup("http://a.test/v1", tts="false").voice is None


def test_what_the_file_says_of_the_voice() -> None:
    more = '[voice]\nendpoint = "here"\nmodel = "kokoro"\nvoices = ["af_sky"]\ntimeout_s = 5'
    voice = spec("http://a.test/v1", more)
    assert (voice.model, voice.voices, voice.timeout_s, voice.price) == ("kokoro", ("af_sky",), 5, None)
    assert KEY not in repr(voice)
    known = spec("https://api.openai.com/v1").price
    assert known is not None and known.minute == 0.015


@pytest.mark.parametrize(
    ("more", "tts", "complaint"),
    [
        ('[voice]\nendpoint = "there"', "true", "voice.endpoint: there is no"),
        ("[voice]", "false", "tts = true is missing"),
        ("[voice]\nvoices = []", "true", "voice.voices"),
        ('[voice]\nprice = "cheap"', "true", "voice.price"),
    ],
)
def test_mistakes_in_it_are_named(more: str, tts: str, complaint: str) -> None:
    with pytest.raises(EndpointsError, match=complaint):
        lineup("http://a.test/v1", more, tts)
