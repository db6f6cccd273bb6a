"""The host's `Minds`: finds the mind of an AI's seat, tells it what it may know, and hands its answer back."""

from __future__ import annotations

from bot.host.ports import Said, Unreadable, Voted
from bot.minds.brief import DebaterMind, JudgeMind, NoBallot
from bot.minds.briefing import brief_for, transcript_for
from bot.rules.match import Match


class MindService:
    """Debater and judge minds behind the host's port."""

    def __init__(self, debater: DebaterMind, judge: JudgeMind) -> None:
        self._debater = debater
        self._judge = judge

    async def turn(self, match: Match, seat: str) -> Said:
        draft = await self._debater.speak(brief_for(match, seat))
        return Said(
            move=draft.move,
            text=draft.text,
            source=draft.source,
            fallback=draft.fallback,
            model=draft.model,
            why=draft.why,
            usage=draft.usage,
        )

    async def ballot(self, match: Match, judge: str) -> Voted:
        try:
            ballot = await self._judge.judge(transcript_for(match, judge))
        except NoBallot as error:
            raise Unreadable(str(error)) from error
        return Voted(
            vote=ballot.vote,
            reason=ballot.reason,
            scores=ballot.scores,
            flags=ballot.flags,
            model=ballot.model,
            usage=ballot.usage,
        )
