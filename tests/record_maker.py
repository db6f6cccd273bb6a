"""Makes correct match records from the rules, without the program and without the verifier.

`make_record("classic", seed=3)` gives a finished match whose speeches and votes are made up by the seed. It writes the
rules down a second time, as literally as docs/rules.md has them, so that a slip here or in the verifier shows as a
disagreement. The keyword arguments bring about what chance would not.
"""

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

Json = dict[str, Any]

START = datetime(2000, 1, 1, tzinfo=UTC)
SECOND = 1000
TEMPO = {
    # opening, free, closing, judging
    "blitz": (20, 15, 15, 30),
    "standard": (80, 60, 60, 120),
    "relaxed": (160, 120, 120, 240),
    "correspondence": (86400, 86400, 86400, 86400),
}
CLASSIC_2V2 = (
    "opening: pro1 con1 pro2 con2",
    "free: pro1 con1 pro2 con2 pro1 con1 pro2",
    "closing: con2 pro2 con1 pro1",
)
CLASSIC_1V1 = ("opening: pro1 con1", "free: pro1 con1 pro1 con1 pro1 con1 pro1", "closing: con1 pro1")
ARENA_2V2 = ("opening: a1 b1 a2 b2", "free: b1 a1 b2 a2 b1 a1 b2 a2", "closing: a2 b1 a1 b2")
ARENA_1V1 = ("opening: a1 b1", "free: b1 a1 b1 a1 b1 a1 b1 a1", "closing: a1 b1")
DUEL = ("opening: a1 b1", "free: b1 a1 b1 a1", "closing: a1 b1")

CLASSIC_ROUNDS = [("P0 P2", "P1 P3"), ("P1 P4", "P0 P5"), ("P3 P5", "P2 P4")]
CLASSIC_ROUNDS += [("P0 P4", "P1 P2"), ("P2 P5", "P0 P3"), ("P1 P3", "P4 P5")]
# a1 a2 - b1 b2 as the table of first and last words has it, side A in brackets
ARENA_ROUNDS = [("pro", "P0 P2", "P3 P1"), ("pro", "P1 P4", "P5 P0"), ("pro", "P5 P3", "P4 P2")]
ARENA_ROUNDS += [("con", "P2 P1", "P0 P4"), ("con", "P3 P0", "P2 P5"), ("con", "P4 P5", "P1 P3")]

PERFORMANCE = {
    6: (1.00, 0.85, 0.70, 0.55, 0.40, 0.25),
    2: (1.00, 0.25),
}
CATEGORIES = ("Technology", "Society", "Culture", "Philosophy", "Science", "Economics")
SENTENCES = (
    "Nobody has answered the first point.",
    "A rule that cannot be kept is no rule.",
    "Costs fall on those who have the least say.",
    "Über Nacht ändert sich nichts, and that is the point.",
    "The other side asks for proof and offers none.",
    "Weigh it: many gain a little, few lose much. 🙂",
)
NAMES = ("Ada", "Bo", "Cyd", "Dee", "Eli", "Fay", "Gus", "Hal", "Ivy", "Jo", "Kit", "Lou", "Max", "Nia", "Oz", "Pam")


@dataclass(frozen=True)
class Cast:
    """A ballot as a judge gives it, or does not. `lead` is how far pro's scores are above con's in sum."""

    vote: str
    defaulted: str | None = None
    lead: int | None = None


@dataclass
class Maker:
    format: str
    rng: random.Random
    tempo: str
    judges: int
    humans: Collection[str]
    models: Mapping[str, str]
    results: Sequence[str]
    ballots: Mapping[int, Sequence[Cast]]
    unsaid: Mapping[tuple[int, int], str]
    void: Collection[int]
    now: int = 0
    seats: list[Json] = field(default_factory=list)
    rounds: list[Json] = field(default_factory=list)
    points: dict[str, float] = field(default_factory=dict)
    missed: dict[str, int] = field(default_factory=dict)
    replaced: set[str] = field(default_factory=set)
    calls: int = 0

    @property
    def fair(self) -> bool:
        return self.format != "classic"

    def sit(self, debaters: int) -> None:
        names = iter(NAMES)
        ids = [f"P{number}" for number in range(debaters)] + [f"J{number}" for number in range(self.judges)]
        for seat in ids:
            human = seat in self.humans
            self.seats.append(
                {
                    "seat": seat,
                    "role": "debater" if seat[0] == "P" else "judge",
                    "kind": "human" if human else "ai",
                    "person": f"u-{self.rng.getrandbits(48):012x}" if human else None,
                    "name": next(names),
                    "model": None if human else self.models.get(seat, "house"),
                    "replaced": [],
                }
            )
        self.spare_names = names

    def by_person(self, seat: str) -> bool:
        return seat in self.humans and seat not in self.replaced

    def missed_one(self, seat: str) -> None:
        self.missed[seat] = self.missed.get(seat, 0) + 1
        if self.missed[seat] == 2:
            self.replaced.add(seat)
            entry = {"at": iso(self.now), "kind": "ai", "name": next(self.spare_names)}
            next(row for row in self.seats if row["seat"] == seat)["replaced"].append(entry)

    def turn(self, number: int, n: int, phase: str, seat: str, side: str) -> Json:
        opening, free, closing, _ = TEMPO[self.tempo]
        limit, timeout = {"opening": (500, opening), "free": (400, free), "closing": (500, closing)}[phase]
        prompted, outcome = self.now, self.unsaid.get((number, n), "said")
        by_person = self.by_person(seat)
        model = self.models.get(seat, "house")
        fallback = model != "house" and self.rng.random() < 0.3
        text = " ".join(self.rng.sample(SENTENCES, self.rng.randint(1, 5))) if outcome == "said" else ""
        moves = {"opening": ["statement"], "free": ["argue", "rebut", "concede_point", "question"]}
        used = {"calls": 1, "prompt_tokens": 700, "completion_tokens": 90, "usd": 0.0004} if model != "house" else None
        self.calls += used is not None
        late = timeout * SECOND if outcome == "forfeited" else self.rng.randint(0, timeout * SECOND)
        self.now = prompted + late
        if by_person and outcome == "forfeited":
            self.missed_one(seat)
        else:
            self.missed[seat] = 0
        clip = {"file": f"{number}-{n}.ogg", "seconds": 12.5, "format": "ogg/opus"}
        return {
            "n": n,
            "phase": phase,
            "seat": seat,
            "side": side,
            "move": self.rng.choice(moves.get(phase, ["statement"])) if outcome == "said" else None,
            "limit_chars": limit,
            "timeout_s": timeout,
            "prompted_at": iso(prompted),
            "deadline": iso(prompted + timeout * SECOND),
            "closed_at": iso(self.now),
            "outcome": outcome,
            "text": text,
            "parts": None,
            "chars": len(text),
            "source": "person" if by_person else "house" if model == "house" or fallback else "model",
            "fallback": fallback and outcome == "said" and not by_person,
            "clip": clip if outcome == "said" and not by_person else None,
            "cards": [],
            "usage": used,
        }

    def casts(self, number: int, result: str) -> list[Cast]:
        if number in self.ballots:
            return list(self.ballots[number])
        other = {"pro": "con", "con": "pro"}
        if result == "draw":
            even = self.judges // 2
            cast = [Cast("pro", lead=5)] * even + [Cast("con", lead=-5)] * even
            return cast + [Cast("abstain", "timeout")] * (self.judges - 2 * even)
        lead = self.rng.randint(0, 12) * (1 if result == "pro" else -1)
        cast = [Cast(result, lead=lead)] * (self.judges // 2 + 1)
        while len(cast) < self.judges:
            cast.append(self.rng.choice([Cast(result, lead=1), Cast(other[result], lead=-lead)]))
        self.rng.shuffle(cast)
        if not self.fair and result == "pro" and self.rng.random() < 0.2:
            cast[0] = Cast("pro", self.rng.choice(["timeout", "broken", "absent"]))
        return cast

    def judge(self, number: int, casts: Sequence[Cast]) -> list[Json]:
        opened, deadline = self.now, self.now + TEMPO[self.tempo][3] * SECOND
        ballots: list[Json] = []
        for judge, cast in enumerate(casts):
            at = deadline if cast.defaulted else self.rng.randint(opened, deadline)
            scores = None
            if cast.lead is not None:
                pro, con = [5, 5, 5, 5], [5, 5, 5, 5]
                for index in range(abs(cast.lead)):
                    (pro if cast.lead > 0 else con)[index % 4] += 1
                names = ("argument", "evidence", "rebuttal", "persuasion")
                scores = {"pro": dict(zip(names, pro, strict=True)), "con": dict(zip(names, con, strict=True))}
            ballots.append(
                {
                    "judge": f"J{judge}",
                    "vote": cast.vote,
                    "ranks": None,
                    "defaulted": cast.defaulted,
                    "reason": "" if cast.defaulted else "Turn 3 was never answered.",
                    "flags": [],
                    "scores": scores,
                    "speaker_points": None,
                    "issues": None,
                    "cast_at": iso(at),
                    "revealed_at": at,
                }
            )
        reveal = max(ballot["revealed_at"] for ballot in ballots)
        for ballot, cast in zip(ballots, casts, strict=True):
            reveal += 6 * SECOND
            ballot["revealed_at"] = iso(reveal)
            self.now = deadline
            if cast.defaulted in ("timeout", "absent") and self.by_person(ballot["judge"]):
                self.missed_one(ballot["judge"])
            else:
                self.missed[ballot["judge"]] = 0
        self.now = reveal
        return ballots

    def round(
        self, teams: Mapping[str, list[str]], first: str, script: Iterable[str], scorers: Collection[str]
    ) -> None:
        """Plays a round. `teams` has them in the order in which the script numbers them."""
        number = len(self.rounds) + 1
        tiebreak = number > self.regular
        label = {"a": first, "b": "con" if first == "pro" else "pro", "pro": "pro", "con": "con"}
        turns: list[Json] = []
        for line in script:
            phase, _, speakers = line.partition(": ")
            for speaker in speakers.split():
                side = label[speaker[:-1]]
                seat = teams[side][int(speaker[-1]) - 1]
                self.now += 10 * SECOND
                turns.append(self.turn(number, len(turns) + 1, phase, seat, side))
        silent = {"pro", "con"} - {turn["side"] for turn in turns if turn["outcome"] == "said"}
        choices = ["pro", "con", "pro", "con", "draw"] if self.fair else ["pro", "con"]
        result = self.results[number - 1] if number <= len(self.results) else self.rng.choice(choices)
        ballots = self.judge(number, self.casts(number, result))
        void = bool(silent) or number in self.void
        winner = "void" if void else count(ballots, self.fair)
        earned = dict.fromkeys(teams.get(winner, ()), 1)
        if winner == "draw":
            earned = {seat: 0.5 for team in teams.values() for seat in team}
        earned = {seat: gain for seat, gain in earned.items() if seat in scorers}
        for seat, gain in earned.items():
            self.points[seat] += gain
        sitting = {seat for team in teams.values() for seat in team}
        self.rounds.append(
            {
                "round": number,
                "tiebreak": tiebreak,
                "void": void,
                "coin": None,
                "motion": {
                    "id": f"motion-{number}",
                    "category": CATEGORIES[number % 6],
                    "text": f"This house would keep rule {number}.",
                    "pro": "keep it",
                    "con": "drop it",
                },
                "pro": sorted(teams["pro"]) if self.fair else list(teams["pro"]),
                "con": sorted(teams["con"]) if self.fair else list(teams["con"]),
                "bench": [seat for seat in self.points if seat not in sitting],
                "first_side": first,
                "turns": turns,
                "prep": None,
                "flow": None,
                "audience": None,
                "ballots": ballots,
                "decided_at": iso(self.now),
                "winner": winner,
                "points": earned,
            }
        )

    @property
    def regular(self) -> int:
        return 6 if self.format in ("classic", "arena") else 1

    def tiebreak(self, number: int) -> None:
        top = max(self.points.values())
        tied = [seat for seat in self.points if self.points[seat] == top]
        if len(tied) == 2:
            (a, b), script = tied, ARENA_1V1 if self.fair else CLASSIC_1V1
            sides = [[a], [b]]
        else:
            script = ARENA_2V2 if self.fair else CLASSIC_2V2
            if len(tied) == 3:
                a, b, c = tied
                rest = [seat for seat in self.points if seat not in tied]
                d = max(rest, key=lambda seat: self.points[seat])  # the earliest of the highest
            elif self.fair:
                a, b, c, d = sorted(self.rng.sample(tied, 4))
            else:
                a, b, c, d = tied[:4]
            sides = [[a, d], [b, c]]
        if number % 2 == 0:
            sides.reverse()
        first = "con" if self.fair and number % 2 == 0 else "pro"
        self.round({"pro": sides[0], "con": sides[1]}, first, script, tied)

    def standings(self) -> list[Json]:
        ranks = list(self.points.values())
        if self.format in ("duel", "doubles"):
            ranks = [max(self.points[seat] for seat in self.rounds[0][side]) for side in ("pro", "con")]
        ranks.sort(reverse=True)
        rows: list[Json] = []
        for seat in sorted(self.points, key=lambda seat: (-self.points[seat], seat)):
            at = [index for index, points in enumerate(ranks) if points == self.points[seat]]
            mean = sum(PERFORMANCE[len(ranks)][index] for index in at) / len(at)
            rows.append({"seat": seat, "points": self.points[seat], "place": at[0] + 1, "performance": mean})
        return rows

    def fairness(self) -> Json:
        receipt = {
            seat: {"pro": 0, "con": 0, "first_words": 0, "last_words": 0, "free_turns": 0} for seat in self.points
        }
        for rnd in self.rounds:
            if rnd["tiebreak"]:
                continue
            for side in ("pro", "con"):
                for seat in rnd[side]:
                    receipt[seat][side] += 1
            receipt[rnd["turns"][0]["seat"]]["first_words"] += 1
            receipt[rnd["turns"][-1]["seat"]]["last_words"] += 1
            for turn in rnd["turns"]:
                receipt[turn["seat"]]["free_turns"] += turn["phase"] == "free"
        return receipt


def count(ballots: Sequence[Json], fair: bool) -> str:
    votes = [ballot["vote"] for ballot in ballots]
    pro, con = votes.count("pro"), votes.count("con")
    if fair and pro == con:
        scored = [ballot["scores"] for ballot in ballots if ballot["scores"]]
        pro = sum(sum(scores["pro"].values()) for scores in scored)
        con = sum(sum(scores["con"].values()) for scores in scored)
    return "pro" if pro > con else "con" if con > pro else "draw"


def iso(milliseconds: int) -> str:
    time = START + timedelta(milliseconds=milliseconds)
    return time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03d}Z"


def make_record(
    fmt: str,
    *,
    seed: int = 0,
    tempo: str = "blitz",
    judges: int = 3,
    humans: Collection[str] = (),
    models: Mapping[str, str] | None = None,
    results: Sequence[str] = (),
    ballots: Mapping[int, Sequence[Cast]] | None = None,
    unsaid: Mapping[tuple[int, int], str] | None = None,
    void: Collection[int] = (),
) -> Json:
    """A finished match that keeps every rule, exact to the millisecond.

    `results`: who is to win rounds 1, 2, ... (the rest is left to chance); `ballots`: a round's ballots as they come;
    `unsaid`: (round, turn) and how the slot ended instead; `void`: rounds that a moderator voids; `humans`: seats that
    people hold (who misses two slots running is replaced); `models`: seats whose mind is a model.
    """
    rng = random.Random(f"{fmt} {seed}")
    maker = Maker(fmt, rng, tempo, judges, humans, models or {}, results, ballots or {}, unsaid or {}, void)
    maker.sit({"classic": 6, "arena": 6, "duel": 2, "doubles": 4}[fmt])
    maker.points = {seat["seat"]: 0 for seat in maker.seats if seat["role"] == "debater"}
    maker.now += 1500
    started = maker.now
    everybody = list(maker.points)
    if fmt == "classic":
        for pro, con in CLASSIC_ROUNDS:
            maker.round({"pro": pro.split(), "con": con.split()}, "pro", CLASSIC_2V2, everybody)
    elif fmt == "arena":
        for first, a, b in ARENA_ROUNDS:
            teams = {first: a.split(), "con" if first == "pro" else "pro": b.split()}
            maker.round(teams, first, ARENA_2V2, everybody)
    else:
        half = len(everybody) // 2
        teams = {"pro": everybody[:half], "con": everybody[half:]}
        maker.round(teams, rng.choice(["pro", "con"]), DUEL if fmt == "duel" else ARENA_2V2, everybody)
    if fmt in ("classic", "arena"):
        for number in (1, 2, 3):
            top = max(maker.points.values())
            if list(maker.points.values()).count(top) > 1:
                maker.tiebreak(number)
    top = max(maker.points.values())
    return {
        "record": 1,
        "match": f"m{seed:06d}",
        "format": fmt,
        "tempo": tempo,
        "seed": seed,
        "status": "finished",
        "reason": None,
        "opened_at": iso(0),
        "started_at": iso(started),
        "finished_at": iso(maker.now),
        "resumed": 0,
        "pauses": [],
        "teams": None,
        "seats": maker.seats,
        "rounds": maker.rounds,
        "standings": maker.standings(),
        "winners": [seat for seat in maker.points if maker.points[seat] == top],
        "market": None,
        "fairness": maker.fairness(),
        "usage": {
            "calls": maker.calls,
            "prompt_tokens": 700 * maker.calls,
            "completion_tokens": 90 * maker.calls,
            "usd": 0.0004 * maker.calls,
        },
    }


def broken_off(record: Json, rounds: int, turns: int) -> Json:
    """The record as if the match had been cancelled in that round after so many turns, with the next slot open."""
    rnd = record["rounds"][rounds - 1]
    rnd["turns"] = rnd["turns"][: turns + 1]
    last = rnd["turns"][-1]
    last |= {"closed_at": None, "outcome": None, "text": "", "chars": 0, "move": None, "clip": None, "fallback": False}
    last |= {"source": None, "usage": None}
    rnd |= {"ballots": [], "decided_at": None, "winner": None, "points": {}}
    kept = record["rounds"][:rounds]
    used = [turn["usage"] for each in kept for turn in each["turns"] if turn["usage"]]
    return record | {
        "status": "cancelled",
        "reason": "the host cancelled the match",
        "finished_at": last["prompted_at"],
        "rounds": kept,
        "standings": [],
        "winners": [],
        "fairness": None,
        "usage": {name: sum(usage[name] for usage in used) for name in record["usage"]},
    }
