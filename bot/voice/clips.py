"""The host's `Sound`: makes the clip of something an AI said and puts it where the record says it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bot.rules.match import Clip, Match
from bot.voice.speaker import Speaker, Voice

FOLDER = "clips"


class MatchSound:
    """Clips of matches below one folder: `<folder>/<match>/clips/r1-t03-P0.ogg`."""

    def __init__(self, speaker: Speaker, folder: Path, voice_of: Callable[[str], Voice]) -> None:
        self.speaker = speaker
        self._folder = folder
        self._voice_of = voice_of

    async def clip(self, match: Match, round: int, n: int, part: int) -> Clip | None:
        """The sound of one part of a turn, or None when there is none to be had. The speaker logs its own failures."""
        said = match.part(round, n, part)
        if said is None:
            return None
        name = f"{FOLDER}/r{round}-t{n:02d}-{said.seat}" + (f"-{part + 1}" if part else "")
        stem = self._folder / match.id / name
        made = await self.speaker.speak(said.text, self._voice_of(_persona(match, said.seat)), stem)
        if made is None:
            return None
        return Clip(file=f"{name}{made.path.suffix}", seconds=_tenths(made.seconds), format=made.format)


def _tenths(seconds: float) -> float:
    return int(seconds * 10 + 0.5) / 10


def _persona(match: Match, seat: str) -> str:
    """Whose voice it is: the AI's on the seat, or of the last one that was (a person may have taken it back since)."""
    state = match.seats[seat]
    holders = [state.first, *(change.holder for change in state.replaced), state.holder]
    return next((holder.persona for holder in reversed(holders) if holder and holder.persona), "")
