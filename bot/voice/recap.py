"""Many clips as one sound file with chapters."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.voice.ogg import with_comments
from bot.voice.speaker import Speaker, SpeakerError, UnspeakableError, Voice

if TYPE_CHECKING:
    from bot.voice.sound import Samples

PAUSE_S: Final = 0.6
"""Silence after each piece."""
CHAPTER_PAUSE_S: Final = 0.8
"""More of it before a chapter."""
_LONGEST_TITLE: Final = 120


@dataclass(frozen=True, slots=True)
class Piece:
    """Something that is heard."""

    text: str
    voice: Voice
    clip: Path | None = None
    """Its sound, if there is one already; else, or if it cannot be read, it is spoken anew."""
    chapter: str | None = None
    """The chapter that begins with it."""


@dataclass(frozen=True, slots=True)
class Chapter:
    start_s: float
    title: str


@dataclass(frozen=True, slots=True)
class Recap:
    seconds: float
    chapters: tuple[Chapter, ...]
    made: int
    """Clips that were missing and made; announcements count too."""
    left_out: int
    """Pieces that cannot be said."""


async def write_recap(pieces: Sequence[Piece], out: Path, speaker: Speaker, title: str = "") -> Recap:
    """Write an Ogg Opus file with a chapter mark (CHAPTER001=00:00:00.000, CHAPTER001NAME=...) for each chapter. It is
    whole or absent. Raises SpeakerError, or OSError."""
    from bot.voice.encode import opened
    from bot.voice.sound import RATE, silence

    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.parent / f".{out.name}.part"
    chapters: list[Chapter] = []
    length = made = left_out = 0
    waiting: str | None = None
    try:
        with tempfile.TemporaryDirectory() as folder:
            file = await asyncio.to_thread(opened, part, "ogg")
            try:
                for n, piece in enumerate(pieces):
                    waiting = piece.chapter or waiting  # that of a piece that cannot be said begins with the next
                    samples = await asyncio.to_thread(_read, piece.clip) if piece.clip is not None else None
                    if samples is None:
                        samples = await _spoken(piece, Path(folder) / str(n), speaker)
                        made += samples is not None
                    if samples is None:
                        left_out += 1
                        continue
                    if waiting is not None:
                        if chapters:
                            await asyncio.to_thread(file.write, silence(CHAPTER_PAUSE_S))
                            length += len(silence(CHAPTER_PAUSE_S))
                        chapters.append(Chapter(length / RATE, " ".join(waiting.split())[:_LONGEST_TITLE]))
                        waiting = None
                    for sound in (samples, silence(PAUSE_S)):
                        await asyncio.to_thread(file.write, sound)
                        length += len(sound)
            finally:
                await asyncio.to_thread(file.close)
        if not length:
            raise SpeakerError("there is nothing in this match that can be heard")
        await asyncio.to_thread(_mark, part, chapters, title)
        part.replace(out)
    finally:
        with suppress(OSError):
            part.unlink()
    return Recap(length / RATE, tuple(chapters), made, left_out)


def clock(seconds: float) -> str:
    """ "00:12:34.500"."""
    ms = round(seconds * 1000)
    return f"{ms // 3_600_000:02d}:{ms // 60_000 % 60:02d}:{ms // 1000 % 60:02d}.{ms % 1000:03d}"


def _read(path: Path) -> Samples | None:
    from bot.voice.decode import decoded

    try:
        return decoded(path.read_bytes())
    except OSError:
        return None


async def _spoken(piece: Piece, stem: Path, speaker: Speaker) -> Samples | None:
    try:
        clip = await speaker.speak(piece.text, piece.voice, stem)
    except UnspeakableError:
        return None
    return await asyncio.to_thread(_read, clip.path) if clip is not None else None


def _mark(path: Path, chapters: Sequence[Chapter], title: str) -> None:
    comments = [("TITLE", title)] if title else []
    for n, chapter in enumerate(chapters, 1):
        comments += [(f"CHAPTER{n:03d}", clock(chapter.start_s)), (f"CHAPTER{n:03d}NAME", chapter.title)]
    try:
        marked = with_comments(path.read_bytes(), comments)
    except ValueError as error:
        raise SpeakerError(f"the chapters could not be written: {error}") from error
    path.write_bytes(marked)
