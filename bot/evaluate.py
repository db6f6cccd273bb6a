"""`python -m bot evaluate`: judges before the same transcripts, and blind rating sheets for human coaches."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from rich.table import Table

from bot.files import write_whole
from bot.messages.record import record
from bot.minds.brief import BallotDraft, JudgeMind, MotionText, NoBallot, Transcript, TurnView
from bot.minds.house.judge import HouseJudge
from bot.minds.models.agreement import Interval
from bot.minds.models.endpoints import HOUSE
from bot.minds.models.judge import ModelJudge
from bot.minds.models.roster import Roster
from bot.minds.models.statistics import alpha, cohen_kappa, correlation, grouped, mean_of, wilson
from bot.rules.events import UnknownEvent, decode_row
from bot.rules.evolve import fold
from bot.rules.seeding import Draw
from storage.store import SqlStore

SIDES = ("pro", "con")
OTHER = {"pro": "con", "con": "pro"}
SCALES = ("quality", "factuality", "faithfulness")
PATIENCE_S = 60.0


class EvaluateError(Exception):
    """What was asked for cannot be evaluated; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Case:
    """One round that judges hear, and who its debaters are."""

    id: str
    transcript: Transcript
    setups: Mapping[str, str]
    """By seat: a model's name, "house" or "person"."""


@dataclass(slots=True)
class Heard:
    """What one judge made of all cases: the vote and the lead of pro in points by case."""

    judge: str
    votes: dict[str, str] = field(default_factory=dict[str, str])
    leads: dict[str, float] = field(default_factory=dict[str, float])
    swapped: dict[str, str] = field(default_factory=dict[str, str])
    """The votes with the sides' names exchanged, in the names of the plain transcript."""
    missing: int = 0


def read_records(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """Record files as `export --as json` writes them. Raises EvaluateError."""
    found: list[dict[str, Any]] = []
    for path in paths:
        try:
            data = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise EvaluateError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
        if not isinstance(data, dict) or data.get("record") != 1 or "rounds" not in data:
            raise EvaluateError(f"{path} is no match record: write one with `python -m bot export MATCH`.")
        found.append(data)
    return found


async def stored_records(store: SqlStore, limit: int) -> list[dict[str, Any]]:
    """The records of the newest matches that can be read. Raises StoreError."""
    found: list[dict[str, Any]] = []
    for row in await store.matches(limit=limit):
        try:
            events = [decode_row(e.name, e.version, e.payload) for e in await store.events(row.id)]
        except UnknownEvent:
            continue
        found.append(record(fold(events)))
    return found


def cases_of(records: Sequence[Mapping[str, Any]]) -> list[Case]:
    """The decided rounds between two sides."""
    found: list[Case] = []
    for made in records:
        names = {seat["seat"]: seat["name"] or "" for seat in made["seats"]}
        for entry in made["rounds"]:
            if entry.get("void") or not entry.get("winner") or "pro" not in entry or "con" not in entry:
                continue
            motion = entry["motion"]
            turns = tuple(
                TurnView(t["n"], t["phase"], t["seat"], t["side"], names.get(t["seat"], ""), t["move"], t["text"])
                for t in entry["turns"]
            )
            stands = {side: motion[side] for side in SIDES}
            transcript = Transcript(
                made["seed"],
                entry["round"],
                "J0",
                0,
                "quill",
                MotionText(motion.get("id"), motion["category"], motion["text"], stands),
                SIDES,
                turns,
                {side: tuple(entry[side]) for side in SIDES},
                PATIENCE_S,
            )
            setups = {
                seat["seat"]: "person" if seat["kind"] == "human" else seat["model"] or HOUSE for seat in made["seats"]
            }
            found.append(Case(f"{made['match']}/{entry['round']}", transcript, setups))
    return found


def mirrored(transcript: Transcript) -> Transcript:
    """The same round with the names of the sides exchanged: what was said for pro is now said for con."""
    return replace(
        transcript,
        turns=tuple(replace(turn, side=OTHER[turn.side]) for turn in transcript.turns),
        motion=replace(transcript.motion, sides={OTHER[s]: text for s, text in transcript.motion.sides.items()}),
        seats={OTHER[side]: seats for side, seats in transcript.seats.items()},
    )


def judge_named(name: str, roster: Roster | None) -> tuple[JudgeMind, int]:
    """A judge and its place on the bench: a model's name, "house", or "house:1" for the second house judge. Raises
    EvaluateError."""
    base, _, place = name.partition(":")
    if base == HOUSE and (not place or place.isdecimal()):
        return HouseJudge(), int(place or 0)
    model = roster.model(name) if roster is not None else None
    if model is None:
        known = ", ".join(roster.lineup.models) if roster is not None else "none is configured, see docs/models.md"
        raise EvaluateError(f'There is no judge "{name}": name house, house:1, ... or a model ({known}).')
    return ModelJudge(lambda _: model, HouseJudge()), 0


class Kept:
    """Ballots that models already gave, one JSON line each, so that a second run asks only what is new."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._known: dict[str, dict[str, Any]] = {}
        if path is not None and path.is_file():
            for line in path.read_text("utf-8").splitlines():
                try:
                    row = json.loads(line)
                    self._known[row["key"]] = row
                except (ValueError, KeyError, TypeError):
                    continue  # the end of a run that was killed

    async def ballot(self, name: str, mind: JudgeMind, transcript: Transcript) -> BallotDraft:
        """Raises NoBallot."""
        if name.partition(":")[0] == HOUSE:
            return await mind.judge(transcript)
        key = sha256(f"{name}\n{transcript!r}".encode()).hexdigest()
        if key in self._known:
            row = self._known[key]
            return BallotDraft(row["vote"], row["reason"], row["scores"], tuple(row["flags"]), "model", row["model"])
        made = await mind.judge(transcript)
        if made.source != "model":
            raise NoBallot(f"{name}: the budget is used up")
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            row = {"key": key, "vote": made.vote, "reason": made.reason, "scores": made.scores}
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({**row, "flags": made.flags, "model": made.model}) + "\n")
        return made


async def hear(name: str, cases: Sequence[Case], roster: Roster | None, kept: Kept, *, swap: bool = False) -> Heard:
    """One judge before all cases. Raises EvaluateError."""
    mind, index = judge_named(name, roster)
    heard = Heard(name)
    for at, case in enumerate(cases, 1):
        transcript = replace(case.transcript, judge_index=index)
        try:
            ballot = await kept.ballot(name, mind, transcript)
            heard.votes[case.id] = ballot.vote
            heard.leads[case.id] = sum(ballot.scores["pro"].values()) - sum(ballot.scores["con"].values())
            if swap:
                again = await kept.ballot(name, mind, mirrored(transcript))
                heard.swapped[case.id] = OTHER[again.vote]
        except NoBallot:
            heard.missing += 1
        sys.stderr.write(f"\r{name}: {at} of {len(cases)} rounds" + ("\n" if at == len(cases) else ""))
    return heard


def judge_rows(heard: Sequence[Heard], cases: Sequence[Case], against: Heard | None) -> list[dict[str, str]]:
    """A line for each judge."""
    rows: list[dict[str, str]] = []
    for one in heard:
        voted = [case for case in cases if case.id in one.votes]
        last = [(one.votes[case.id], t[-1]) for case in voted if (t := _spoken(case.transcript))]
        longer = [(one.votes[case.id], gap, one.leads[case.id]) for case in voted if (gap := _longer(case.transcript))]
        swapped = [(one.votes[id], vote) for id, vote in one.swapped.items()]
        # Votes for the name "pro", whichever side bears it: half of them if the name does not matter.
        named = sum((plain == "pro") + (vote == "con") for plain, vote in swapped)
        shared = [id for id in one.votes if against is not None and id in against.votes]
        other = against or one
        rows.append(
            {
                "Judge": one.judge,
                "Rounds": str(len(voted)),
                "None": str(one.missing),
                "Pro %": percent(wilson(sum(vote == "pro" for vote in one.votes.values()), len(one.votes))),
                "Held swapped %": percent(wilson(sum(a == b for a, b in swapped), len(swapped))),
                "Named pro %": percent(wilson(named, 2 * len(swapped))),
                "Last %": percent(wilson(sum(vote == side for vote, side in last), len(last))),
                "Longer %": percent(wilson(sum((v == "pro") == (gap > 0) for v, gap, _ in longer), len(longer))),
                "Length r": number(Interval(correlation([(gap, lead) for _, gap, lead in longer]))),
                "Points apart": number(mean_of([one.leads[id] - other.leads[id] for id in shared])),
                "Kappa": number(Interval(cohen_kappa([(one.votes[id], other.votes[id]) for id in shared]))),
            }
        )
    return rows


def turned(rows: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Columns as rows, for figures that are many while those they are about are few."""
    name, *others = rows[0]
    return [{name: column, **{row[name]: row[column] for row in rows}} for column in others]


def bill(roster: Roster | None) -> str:
    """What all calls of this run used, also those whose answer was of no use."""
    usd, tokens = roster.spending.spent() if roster is not None else (0.0, 0)
    unknown = roster is not None and tokens and any(spec.price is None for spec in roster.lineup.models.values())
    return f"Models used {tokens} tokens, {usd:.4f} US$" + (" and what has no known price." if unknown else ".")


def table(rows: Sequence[Mapping[str, str]]) -> Table:
    made = Table(box=None, pad_edge=False)
    for at, column in enumerate(rows[0]):
        made.add_column(column, justify="right" if at else "left")
    for row in rows:
        made.add_row(*(value.replace("[", r"\[") for value in row.values()))
    return made


def percent(found: Interval) -> str:
    if found.value is None:
        return "-"
    return f"{100 * found.value:.0f} [{100 * (found.low or 0):.0f}, {100 * (found.high or 0):.0f}]"


def number(found: Interval) -> str:
    if found.value is None:
        return "-"
    return f"{found.value:.2f}" + ("" if found.low is None else f" [{found.low:.2f}, {found.high:.2f}]")


def write_sheet(cases: Sequence[Case], path: Path, seed: int) -> int:
    """A sheet to be filled in and, beside it, the key that says who spoke. Returns how many texts there are."""
    spoken = [(case, turn) for case in cases for turn in case.transcript.turns if turn.text.strip()]
    rows, key = io.StringIO(), io.StringIO()
    sheet, names = csv.writer(rows), csv.writer(key)
    sheet.writerow(("item", "motion", "side", "tag", "text", *SCALES))
    names.writerow(("item", "round", "turn", "setup"))
    for at, (case, turn) in enumerate(Draw(seed, "sheets").shuffled(tuple(spoken)), 1):
        text = turn.text
        for other in sorted({t.name for t in case.transcript.turns if t.name}, key=len, reverse=True):
            text = text.replace(other, "(name)")
        if text[:1] in "=+-@":  # no formula for a spreadsheet
            text = f"'{text}"
        sheet.writerow((at, case.transcript.motion.text, turn.side, turn.move or "", text, *("" for _ in SCALES)))
        names.writerow((at, case.id, turn.n, case.setups.get(turn.seat, "")))
    write_whole(path, rows.getvalue())
    write_whole(key_path(path), key.getvalue())
    return len(spoken)


def key_path(sheet: Path) -> Path:
    return sheet.with_name(f"{sheet.stem}.key.csv")


def read_sheets(key: Path, sheets: Sequence[Path]) -> tuple[list[dict[str, str]], list[str]]:
    """Filled-in sheets summarised by set-up and scale, and the rows that were refused."""
    setups = {row["item"]: row["setup"] for _, row in _rows(key, ("item", "setup"))}
    given: dict[str, list[tuple[str, float]]] = {scale: [] for scale in SCALES}
    refused: list[str] = []
    for path in sheets:
        seen: set[str] = set()
        for line, row in _rows(path, ("item", *SCALES)):
            marks = {scale: (row[scale] or "").strip() for scale in SCALES}
            if not any(marks.values()):
                continue
            item = (row["item"] or "").strip()
            wrong = [f"{scale} is no whole number from 1 to 5" for scale, m in marks.items() if m not in set("12345")]
            if item not in setups:
                wrong = [f'there is no item "{item}" in {key}']
            elif item in seen:
                wrong = [f"item {item} was rated before"]
            if wrong:
                refused.append(f"{path}, line {line}: {'; '.join(wrong)}.")
                continue
            seen.add(item)
            for scale, mark in marks.items():
                given[scale].append((item, float(mark)))
    rows: list[dict[str, str]] = []
    for scale, ratings in given.items():
        # Ratings of one text are not independent: its mean is one value.
        texts = grouped(ratings)
        means = grouped([(setups[item], sum(values) / len(values)) for item, values in texts.items()])
        agree = number(Interval(alpha(texts)))
        for setup, values in means.items():
            rows.append(
                {
                    "Scale": scale,
                    "Set-up": setup,
                    "Texts": str(len(values)),
                    "Mean": number(mean_of(values)),
                    "Alpha": agree,
                }
            )
    return rows, refused


def _rows(path: Path, columns: Sequence[str]) -> list[tuple[int, dict[str, str]]]:
    """The rows of a CSV file with the line each ends on. Raises EvaluateError."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            missing = [column for column in columns if column not in (reader.fieldnames or ())]
            if missing:
                raise EvaluateError(f"{path}, line 1: there is no column {', '.join(missing)}.")
            return [(reader.line_num, row) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise EvaluateError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None


def _spoken(transcript: Transcript) -> list[str]:
    return [turn.side for turn in transcript.turns if turn.text]


def _longer(transcript: Transcript) -> int:
    """By how many characters pro said more."""
    return sum(len(turn.text) if turn.side == "pro" else -len(turn.text) for turn in transcript.turns)
