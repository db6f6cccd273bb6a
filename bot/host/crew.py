"""The jobs of one match: minds at work on turns and ballots, clips in the making (docs/architecture.md, "Jobs")."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from bot.host import work
from bot.host.ports import JobRow, Minds, Said, Sound, StoreError, Unreadable, Voted
from bot.rules import commands as c
from bot.rules.match import Clip

if TYPE_CHECKING:
    from bot.host.keeper import Keeper

log = logging.getLogger(__name__)

MOST_ATTEMPTS = 3
_SAID = TypeAdapter(Said)
_VOTED = TypeAdapter(Voted)
_CLIP = TypeAdapter(Clip | None)


@dataclass(frozen=True, slots=True)
class Hands:
    """Who does the work, shared by all matches."""

    minds: Minds
    sound: Sound


class Crew:
    """Starts a match's jobs, keeps their results, and tells the keeper."""

    def __init__(self, hands: Hands, rows: Sequence[JobRow] = ()) -> None:
        self._hands = hands
        self._keeper: Keeper | None = None
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.drafts: dict[tuple[int, int, str], Said] = {}
        self.ballots: dict[tuple[int, str], Voted] = {}
        self._rows = [row for row in rows if row.state == "pending"]
        for row in rows:
            if row.state == "done" and row.result is not None:
                self._keep(row)

    def serve(self, keeper: Keeper) -> None:
        self._keeper = keeper

    def resume(self) -> None:
        """Take up what an earlier process left undone."""
        rows, self._rows = self._rows, []
        self.begin(rows)

    def begin(self, rows: Sequence[JobRow]) -> None:
        for row in rows:
            if row.key not in self._tasks:
                self._tasks[row.key] = asyncio.create_task(self._do(row), name=f"{row.match} {row.key}")

    @property
    def idle(self) -> bool:
        """No turn or ballot is in the making. Clips do not count: no match waits for sound."""
        return all(key.startswith((work.CLIP, work.ATTACH)) for key in self._tasks)

    def expects(self, key: str) -> bool:
        """Whether that job is in the making, or about to be."""
        return key in self._tasks or any(row.key == key for row in self._rows)

    @property
    def done(self) -> bool:
        """Nothing at all is in the making."""
        return not self._tasks

    async def cancel(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _do(self, row: JobRow) -> None:
        assert self._keeper is not None
        try:
            job = work.parse_key(row.key)
            match job:
                case work.TurnJob():
                    await self._turn(self._keeper, row, job)
                case work.BallotJob():
                    await self._ballot(self._keeper, row, job)
                case work.ClipJob():
                    await self._clip(self._keeper, row, job)
                case work.AttachJob():
                    await self._attach(self._keeper, row, job)
        except StoreError:
            log.warning("job %s of match %s could not be stored; the next start takes it up", row.key, row.match)
        except Exception:
            log.exception("job %s of match %s failed", row.key, row.match)
        finally:
            self._tasks.pop(row.key, None)
            self._keeper.nudge()

    async def _turn(self, keeper: Keeper, row: JobRow, job: work.TurnJob) -> None:
        def wanted() -> bool:
            entry, slot = keeper.match.round, keeper.match.slot
            return entry is not None and slot is not None and (entry.number, slot.plan.n) == (job.round, job.n)

        for attempt in range(1, MOST_ATTEMPTS + 1):
            if not wanted():
                break
            try:
                said = await self._hands.minds.turn(keeper.match, job.seat)
            except Exception:
                log.exception("a mind failed on %s of match %s, attempt %d", row.key, row.match, attempt)
                continue
            done = replace(row, state="done", result=_SAID.dump_json(said).decode(), attempts=attempt)
            await keeper.store_job(done)
            self.drafts[job.round, job.n, job.seat] = said
            keeper.speak_for_ais()
            return
        await keeper.store_job(replace(row, state="failed", attempts=MOST_ATTEMPTS))

    async def _ballot(self, keeper: Keeper, row: JobRow, job: work.BallotJob) -> None:
        for attempt in range(1, MOST_ATTEMPTS + 1):
            try:
                voted = await self._hands.minds.ballot(keeper.match, job.judge)
            except Unreadable:
                await keeper.store_job(replace(row, state="failed", attempts=attempt))
                keeper.break_ballot(c.Break(at=0, judge=job.judge, round=job.round))
                return
            except Exception:
                log.exception("a judge failed on %s of match %s, attempt %d", row.key, row.match, attempt)
                continue
            done = replace(row, state="done", result=_VOTED.dump_json(voted).decode(), attempts=attempt)
            await keeper.store_job(done)
            self.ballots[job.round, job.judge] = voted
            keeper.vote_for_ais()
            return
        await keeper.store_job(replace(row, state="failed", attempts=MOST_ATTEMPTS))

    async def _clip(self, keeper: Keeper, row: JobRow, job: work.ClipJob) -> None:
        clip = await self._hands.sound.clip(keeper.match, job.round, job.n, job.part)
        done = replace(row, state="done", result=_CLIP.dump_json(clip).decode(), attempts=1)
        if clip is None:
            await keeper.store_job(done)
        else:
            await keeper.attach(c.AttachClip(at=0, round=job.round, n=job.n, part=job.part, clip=clip), done)

    async def _attach(self, keeper: Keeper, row: JobRow, job: work.AttachJob) -> None:
        part = keeper.match.part(job.round, job.n, job.part)
        if part is not None and part.clip is not None:
            await keeper.outbox.attach(f"speech:{job.round}:{job.n}:{job.part}", part.clip)
        await keeper.store_job(replace(row, state="done", attempts=1))

    def _keep(self, row: JobRow) -> None:
        job = work.parse_key(row.key)
        assert row.result is not None
        if isinstance(job, work.TurnJob):
            self.drafts[job.round, job.n, job.seat] = _SAID.validate_json(row.result)
        elif isinstance(job, work.BallotJob):
            self.ballots[job.round, job.judge] = _VOTED.validate_json(row.result)
