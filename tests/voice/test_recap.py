"""A whole match as one sound file: what is in it, where its chapters begin, and what it does when clips are missing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import soundfile

from bot.recap import NARRATOR, pieces_of
from bot.rules.format import Mode
from bot.rules.lineup import Lineup, SlotPlan
from bot.rules.match import Clip as MatchClip
from bot.rules.match import Holder, Match, Outcome, Part, Replacement, Round, Seat, Turn
from bot.rules.motion import Motion
from bot.voice.encode import encoded
from bot.voice.ogg import comments_in, with_comments
from bot.voice.recap import CHAPTER_PAUSE_S, PAUSE_S, Piece, clock, write_recap
from bot.voice.sound import RATE
from bot.voice.speaker import Clip, Kind, Recording, SpeakerError, UnspeakableError, Voice


def tone(seconds: float, hertz: float = 220.0) -> bytes:
    time = np.arange(int(seconds * RATE)) / RATE
    return encoded((0.1 * np.sin(2 * np.pi * hertz * time)).astype(np.float32), "ogg", lambda: None)


class Beeps:
    """Says everything in one second; "..." cannot be said and "!" breaks it."""

    def __init__(self) -> None:
        self.said: list[str] = []

    async def speak(self, text: str, voice: Voice, path_stem: Path, formats: Sequence[Kind] = ("ogg",)) -> Clip:
        if text == "...":
            raise UnspeakableError("nothing to say")
        if text == "!":
            raise SpeakerError("the voice is broken")
        self.said.append(text)
        path = path_stem.parent / f"{path_stem.name}.ogg"
        path.write_bytes(tone(1.0))
        return Clip(1.0, (Recording(path, "ogg/opus", path.stat().st_size),))


# ------------------------------------------------------------------------------------------------- the file


async def test_clips_are_joined_missing_ones_made_and_chapters_marked(tmp_path: Path) -> None:
    there, broken = tmp_path / "there.ogg", tmp_path / "broken.ogg"
    there.write_bytes(tone(2.0))
    broken.write_bytes(b"OggS and nothing")
    beeps, out = Beeps(), tmp_path / "deep" / "match.ogg"
    pieces = [
        Piece("Round 1.", Voice(), chapter="Round 1: Tea, é"),
        Piece("there", Voice(), there),
        Piece("broken", Voice(), broken, chapter="Two"),
        Piece("gone", Voice(), tmp_path / "gone.ogg"),
        Piece("...", Voice(), chapter="Three"),
        Piece("end", Voice()),
    ]
    made = await write_recap(pieces, out, beeps, title="Tea is better")
    assert beeps.said == ["Round 1.", "broken", "gone", "end"]
    assert (made.made, made.left_out) == (4, 1)
    starts = [0.0, 3.0 + 2 * PAUSE_S + CHAPTER_PAUSE_S, 5.0 + 4 * PAUSE_S + 2 * CHAPTER_PAUSE_S]
    assert [chapter.title for chapter in made.chapters] == ["Round 1: Tea, é", "Two", "Three"]
    assert [chapter.start_s for chapter in made.chapters] == pytest.approx(starts, abs=0.01)

    info = soundfile.info(out)  # a page with a wrong checksum would not be read
    assert (info.format, info.subtype) == ("OGG", "OPUS")
    assert info.duration == pytest.approx(made.seconds, abs=0.05)
    comments = comments_in(out.read_bytes())
    assert comments["TITLE"] == "Tea is better"
    assert comments["CHAPTER001"] == "00:00:00.000"
    assert comments["CHAPTER001NAME"] == "Round 1: Tea, é"
    assert comments["CHAPTER003"] == clock(made.chapters[2].start_s)
    assert [path.name for path in out.parent.iterdir()] == ["match.ogg"]

    samples, _ = soundfile.read(out)
    loud = np.abs(samples[int((1.0 + PAUSE_S + 0.2) * RATE) : int((3.0 + PAUSE_S - 0.2) * RATE)])
    assert loud.max() == pytest.approx(0.1, abs=0.03), "a clip is as loud as it was"
    assert np.abs(samples[int(1.1 * RATE) : int((1.0 + PAUSE_S - 0.1) * RATE)]).max() < 0.01


@pytest.mark.parametrize("text", ["!", "..."])
async def test_a_recap_that_cannot_be_made_leaves_what_was_there(text: str, tmp_path: Path) -> None:
    out = tmp_path / "match.ogg"
    out.write_bytes(b"the one before")
    with pytest.raises(SpeakerError):
        await write_recap([Piece(text, Voice())], out, Beeps())
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"the one before"]


def test_hundreds_of_chapters_fit() -> None:
    many = [(f"CHAPTER{n:03d}NAME", f"{n} " + "x" * 116) for n in range(450)]
    data = with_comments(tone(0.5), many)
    assert comments_in(data) == dict(many)
    assert comments_in(with_comments(data, [("A", "b")])) == {"A": "b"}
    with pytest.raises(ValueError):
        with_comments(tone(0.5), many * 2)


@pytest.mark.parametrize("data", [b"", b"OggS", b"RIFF" * 40, b"OggS" * 40])
def test_what_is_no_opus_file_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        with_comments(data, [])


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "00:00:00.000"), (59.9996, "00:01:00.000"), (3723.5, "01:02:03.500")]
)
def test_times(seconds: float, text: str) -> None:
    assert clock(seconds) == text


# ------------------------------------------------------------------------------------------------- the match

AI = Holder(persona="quill", name="Quill", model="house")
ANN = Holder(person="ann")


def plan(n: int, phase: str, *seats: str) -> SlotPlan:
    side = "pro" if seats[0] == "P0" else "con"
    mode = Mode.EXCHANGE if len(seats) > 1 else Mode.SPEECH
    return SlotPlan(
        n=n, phase=phase, mode=mode, seats=seats, side=side, moves=("statement",), limit=500, timeout_s=30, parts=1
    )


def part(at: int, seat: str, text: str, clip: str | None = None) -> Part:
    source = "house" if clip else "person"
    return Part(at, seat, "statement", text, source, clip=MatchClip(clip, 1.0, "ogg/opus") if clip else None)


def turn(slot: SlotPlan, *parts: Part) -> Turn:
    return Turn(slot, 0, 0, 0, 0, Outcome.SAID if parts else Outcome.FORFEITED, parts)


def a_match() -> Match:
    teams = {"pro": ("P0",), "con": ("P1",)}
    turns = (
        turn(plan(1, "opening", "P0"), part(10, "P0", "Tea.", "clips/r1-t01-P0.ogg")),
        turn(plan(2, "opening", "P1"), part(20, "P1", "Coffee.")),
        turn(plan(3, "closing", "P0")),
        turn(plan(4, "free", "P1", "P0"), part(40, "P1", "Why?"), part(41, "P1", "Well?"), part(42, "P0", "So.")),
    )
    motion = Motion(id=None, category="food", text="Tea is better", pro="tea", con="coffee")
    entry = Round(
        number=1,
        tiebreak=False,
        motion=motion,
        lineup=Lineup(teams=teams, speaking=teams, bench=()),
        plans=tuple(each.plan for each in turns),
        turns=turns,
        winner="pro",
        decided_at=99,
    )
    pro = Seat("P0", "debater", holder=AI, first=AI)
    con = Seat("P1", "debater", holder=AI, first=ANN, replaced=(Replacement(30, AI),))
    return Match(id="m1", community="c1", seats={"P0": pro, "P1": con}, rounds=(entry,), winners=("P0",))


def test_what_is_heard_of_a_match(tmp_path: Path) -> None:
    voices = {"quill": Voice(base="british", pitch=-5.0)}
    pieces = list(pieces_of(a_match(), {"ann": "Ann"}, tmp_path, voices.__getitem__))
    assert [(piece.chapter, piece.text) for piece in pieces] == [
        ("Round 1: Tea is better", "Round 1. The motion: Tea is better"),
        ("Quill, Pro, Opening", "Quill, Pro, Opening."),
        (None, "Tea."),
        ("Ann, Con, Opening", "Ann, Con, Opening."),
        (None, "Coffee."),
        ("Free debate", "Quill, Con, Free debate."),
        (None, "Why?"),
        (None, "Well?"),
        (None, "Quill, Pro, Free debate."),
        (None, "So."),
        ("The verdict", "Pro wins the round."),
        (None, "Quill wins the match."),
    ]
    assert pieces[2].clip == tmp_path / "clips/r1-t01-P0.ogg"
    assert pieces[2].voice == voices["quill"]
    assert pieces[4].voice == NARRATOR, "a person has no voice here"
    assert pieces[6].voice == voices["quill"], "an AI had taken the seat by then"


def test_who_was_erased_has_no_name(tmp_path: Path) -> None:
    pieces = list(pieces_of(a_match(), {}, tmp_path, lambda _: Voice()))
    assert pieces[3].text == "somebody, Con, Opening."
