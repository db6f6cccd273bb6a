"""Why a house judge voted as it did, in two to four sentences that name turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.minds.brief import CRITERIA
from bot.minds.house.accounts import Account, Hearing, Point
from bot.minds.house.compose import tidy
from bot.minds.house.criteria import Profile, fate
from bot.rules.seeding import Draw

_NARROW = 0.02
_GOOD = {
    "substance": ("held", "dropped", "conceded"),
    "clash": ("dropped", "held", "conceded"),
    "listener": ("conceded", "dropped", "held"),
}
_BAD = {
    "substance": ("answered", "contested", "dodged"),
    "clash": ("dodged", "answered", "contested"),
    "listener": ("answered", "dodged", "contested"),
}


def give_reason(
    phrases: Mapping[str, Any],
    hearing: Hearing,
    measures: Sequence[Mapping[str, float]],
    winner: int,
    profile: Profile,
    draw: Draw,
    even: bool,
) -> str:
    """The reason for decision, true of the flow."""
    side = hearing.accounts[winner]
    rivals = hearing.others(side)
    weighed = {at: sum(profile.weight(c) * values[c] for c in CRITERIA) for at, values in enumerate(measures)}
    second = max((at for at in weighed if at != winner), key=lambda at: weighed[at], default=winner)
    rival = hearing.accounts[second]
    names = {"side": side.side, "rival": rival.side}
    said: list[str] = []
    if even:
        said.append(_line(phrases["even"]["any"], draw, names))
    else:
        said.append(draw.pick(phrases[profile.name]["lead"]))
    said += _evidence(phrases, side, rival, rivals, hearing, profile, draw, names)
    if not even:
        manner = "narrow" if weighed[winner] - weighed[second] < _NARROW else "close"
        said.append(_line(phrases[profile.name][manner], draw, names))
    said += _aside(phrases, hearing)
    return tidy(" ".join(said))


def _line(options: Sequence[str], draw: Draw, values: Mapping[str, object]) -> str:
    return draw.pick(options).format(**values)


def _evidence(
    phrases: Mapping[str, Any],
    side: Account,
    rival: Account,
    rivals: list[Account],
    hearing: Hearing,
    profile: Profile,
    draw: Draw,
    names: Mapping[str, str],
) -> list[str]:
    """What happened to one argument of the winner's and to one of the loser's, and the loser's best."""
    if rival is not side and not rival.spoken:
        return [_line(phrases["silent"]["any"], draw, names)]
    own = [(fate(point, side, rivals), point) for point in side.points]
    theirs = [(fate(point, rival, hearing.others(rival)), point) for point in rival.points]
    lines: list[str] = []
    stood = _first(own, _GOOD[profile.name], draw)
    broken = _first(theirs, _BAD[profile.name], draw)
    if stood is not None:
        lines.append(_told(phrases, stood, draw, names))
    if broken is not None:
        lines.append(_told(phrases, broken, draw, names))
    if profile.name == "clash":
        lines.reverse()
    if not lines:
        lines.append(_line(phrases["thin"]["any"], draw, names))
    best = _first(theirs, _GOOD[profile.name], draw)
    if best is not None and draw.below(2):
        point = best[1]
        lines.append(_line(phrases["credit"]["any"], draw, {**names, "topic": point.label, "turn": point.turn}))
    return lines


def _first(points: Sequence[tuple[str, Point]], fates: Sequence[str], draw: Draw) -> tuple[str, Point] | None:
    """A point with the most telling fate; among equals one by lot."""
    for wanted in fates:
        found = [item for item in points if item[0] == wanted]
        if found:
            return draw.pick(found)
    return None


def _told(phrases: Mapping[str, Any], item: tuple[str, Point], draw: Draw, names: Mapping[str, str]) -> str:
    kind, point = item
    by = {
        "held": max([*point.defences, point.replied]),
        "conceded": point.conceded,
        "answered": point.last_answer,
        "contested": point.last_answer or max((turn for turn, _ in point.answers), default=0),
        "dodged": point.asked,
    }.get(kind, 0)
    return _line(phrases[kind]["any"], draw, {**names, "topic": point.label, "turn": point.turn, "by": by})


def _aside(phrases: Mapping[str, Any], hearing: Hearing) -> list[str]:
    """What was set aside, at most two of the kinds, in the order of the turns."""
    found: list[tuple[int, str]] = []
    for account in hearing.accounts:
        found += account.tricks
        found += [(turn, "repetition") for turn in account.repeated]
        found += [(turn, "off_motion") for turn in account.off]
    lines: list[str] = []
    seen: set[str] = set()
    for turn, kind in sorted(found):
        if kind not in seen:
            seen.add(kind)
            lines.append(phrases["aside"][kind].format(turn=turn))
    return lines[:2]
