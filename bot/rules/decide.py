"""The decider: `decide(match, command)` returns the events that follow, or why the command is refused. Pure and total.

Each family of commands has its own module: `lobby` (opening, seats, start), `floor` (speaking), `bench` (judging and
reveals), `control` (clock, moderators), `market` (wagers), `flow` (what happens next). A refused command changes
nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bot.rules import bench, control, floor, lobby, market
from bot.rules import commands as c
from bot.rules.events import Event
from bot.rules.match import Match
from bot.rules.rejection import Rejection, reject
from bot.rules.scribe import Scribe

_Step = Callable[[Scribe, Any], Rejection | None]

_ANY_TIME: dict[type[Any], _Step] = {c.Open: lobby.open_match, c.AttachClip: control.attach_clip}
_WHILE_LIVE: dict[type[Any], _Step] = {
    c.Join: lobby.join,
    c.Leave: lobby.leave,
    c.Start: lobby.start,
    c.Replace: lobby.replace_seat,
    c.Reclaim: lobby.reclaim,
    c.ChangeHost: lobby.change_host,
    c.Pause: control.pause,
    c.Resume: control.resume,
    c.Cancel: control.cancel,
    c.Wager: market.place,
    c.WagerChange: market.change,
    c.Withdraw: market.withdraw,
}
_WHILE_RUNNING: dict[type[Any], _Step] = {
    c.Tick: control.tick,
    c.Prompted: control.prompted,
    c.RevealSeen: bench.reveal_seen,
    c.Speak: floor.speak,
    c.Done: floor.done,
    c.Pass: floor.withdraw,
    c.OfferPoint: floor.offer,
    c.AnswerOffer: floor.answer_offer,
    c.Cast: bench.cast,
    c.Break: bench.broken,
    c.Skip: control.skip,
    c.Void: control.void,
}

# Deliveries that were under way when the clock stopped still count.
_EVEN_PAUSED = (c.Prompted, c.RevealSeen)


def decide(match: Match, command: c.Command) -> list[Event] | Rejection:
    """What follows from the command. An empty list: nothing was due, nothing changes."""
    scribe = Scribe(match)
    refusal = _run(scribe, command)
    return scribe.events if refusal is None else refusal


def _run(scribe: Scribe, command: c.Command) -> Rejection | None:
    match, kind = scribe.match, type(command)
    if kind in _ANY_TIME:
        return _ANY_TIME[kind](scribe, command)
    if match.seq == 0:
        return reject("no_such_match")
    if match.over:
        return reject("match_over")
    if kind in _WHILE_LIVE:
        return _WHILE_LIVE[kind](scribe, command)
    if not match.clock.running and kind not in _EVEN_PAUSED:
        return reject("paused")
    if match.started_at is None and kind is not c.Tick:
        return reject("not_started")
    return _WHILE_RUNNING[kind](scribe, command)
