"""A whole match to listen to: what `python -m bot recap` writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from bot.catalogue import load_catalogue
from bot.export import people_of
from bot.files import write_whole
from bot.messages.record import pseudonyms as pseudonyms_of
from bot.messages.words import Words, words
from bot.rules.events import decode_row
from bot.rules.evolve import fold
from bot.rules.format import DRAW, VOID
from bot.rules.match import Holder, Match, Round, Turn
from bot.voice.booth import PATIENCE_S, voice_of
from bot.voice.house import HouseSpeaker
from bot.voice.recap import Piece, Recap, clock, write_recap
from bot.voice.speaker import Voice
from storage.store import SqlStore

NARRATOR = Voice(base="american", rate=1.05, swing=0.9)
"""Announces, and lends people a voice."""


class RecapError(Exception):
    """There is nothing to listen to; the text says why."""


async def recap(store: SqlStore, match_id: str, clips: Path, out: Path, *, pseudonyms: bool = False) -> Recap:
    """Write a match as one sound file, and its chapters as text beside it. `clips`: the folder of its clips. Raises
    StoreError, UnknownEvent, RecapError, SpeakerError or OSError."""
    rows = await store.events(match_id)
    match = fold(decode_row(row.name, row.version, row.payload) for row in rows)
    names = pseudonyms_of(match) if pseudonyms else await store.names(sorted(people_of(match)))
    if not match.rounds:
        raise RecapError(words()("recap.not_begun", match=match_id))
    catalogue = load_catalogue()
    pieces = list(pieces_of(match, names, clips / match_id, lambda persona: voice_of(catalogue, persona)))
    speaker = HouseSpeaker(timeout=PATIENCE_S)
    try:
        made = await write_recap(pieces, out, speaker, title=match.rounds[0].motion.text)
    finally:
        await speaker.close()
    lines = [f"{clock(chapter.start_s)} {chapter.title}" for chapter in made.chapters]
    write_whole(chapters_path(out), "\n".join(lines) + "\n")
    return made


def chapters_path(out: Path) -> Path:
    return out.with_suffix(".txt")


def pieces_of(match: Match, names: Mapping[str, str], clips: Path, voice: Callable[[str], Voice]) -> Iterator[Piece]:
    """All that is heard, in order."""
    say = words()
    for entry in match.rounds:
        number = say("round.tiebreak" if entry.tiebreak else "recap.round", n=entry.number)
        yield _told(say("recap.motion", round=number, motion=entry.motion.text), f"{number}: {entry.motion.text}")
        for turn in entry.turns:
            yield from _turn(say, match, entry, turn, names, clips, voice)
        if entry.decided_at is not None:
            yield _told(_verdict(say, entry), say("recap.verdict"))
    if match.winners:
        winners = [_name(say, match.seats[seat].holder, names) for seat in match.winners]
        key = "final.title" if len(winners) == 1 else "final.title_shared"
        yield _told(say(key, names=say("final.and").join(winners)) + ".", None)


def _turn(
    say: Words,
    match: Match,
    entry: Round,
    turn: Turn,
    names: Mapping[str, str],
    clips: Path,
    voice: Callable[[str], Voice],
) -> Iterator[Piece]:
    """One slot. In an exchange each new speaker is announced."""
    phase = say.get(f"phase.{turn.plan.phase}", turn.plan.phase)
    last: str | None = None
    for part in turn.parts:
        holder = holder_at(match, part.seat, part.at)
        if part.seat != last:
            side = entry.lineup.side_of(part.seat) or ""
            name = _name(say, holder, names)
            told = say("recap.speaker", name=name, side=say.get(f"side.{side}", side), phase=phase)
            chapter = told if len(turn.plan.seats) == 1 else phase
            yield _told(f"{told}.", chapter if last is None else None)
            last = part.seat
        sound = clips / part.clip.file if part.clip is not None else None
        how = voice(holder.persona) if holder is not None and holder.persona else NARRATOR
        yield Piece(part.text, how, sound)


def holder_at(match: Match, seat: str, at: int) -> Holder | None:
    """Who held a seat at a time of the match."""
    state = match.seats[seat]
    holder = state.first or state.holder
    for change in state.replaced:
        if change.at <= at:
            holder = change.holder
    return holder


def _verdict(say: Words, entry: Round) -> str:
    if entry.winner in (None, VOID):
        return say("verdict.title_void") + "."
    if entry.winner == DRAW:
        return say("recap.draw")
    return say("recap.wins", side=say.get(f"side.{entry.winner}", entry.winner or ""))


def _name(say: Words, holder: Holder | None, names: Mapping[str, str]) -> str:
    if holder is not None and holder.person is None:
        return holder.name or ""
    return names.get((holder.person if holder is not None else None) or "", say("person.erased"))


def _told(text: str, chapter: str | None) -> Piece:
    return Piece(text, NARRATOR, chapter=chapter)
