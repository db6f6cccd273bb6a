"""A match driven by hand: `Game.do` and `Game.refused` say what a command must come to, `Game.step` plays on."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

from bot.rules import commands as c
from bot.rules import events as e
from bot.rules.decide import decide
from bot.rules.evolve import evolve, fold
from bot.rules.format import Format, parse_format
from bot.rules.formats import load_format
from bot.rules.match import Holder, Match, Slot, Stage, Status
from bot.rules.motion import Motion
from bot.rules.rejection import Rejection

T0 = 1_700_000_000_000
"""The match time at which games open."""
WALL0 = 1_800_000_000_000
"""The wall time at which games open: another number, so that nobody can take one for the other."""
PROMPTS = Path(__file__).parents[2] / "prompts"

MOTIONS = tuple(Motion(**entry) for entry in tomllib.loads((PROMPTS / "motions.toml").read_text("utf-8"))["motion"])
CAST = tuple(Holder(persona=f"persona-{n}", name=f"Name {n}", model="house") for n in range(24))

PRO, CON = "pro", "con"
BALLOT_SCORES = ("argument", "evidence", "rebuttal", "persuasion")

Vote = str | tuple[str, dict[str, dict[str, int]]] | None
"""A vote, a vote with scores, or None for a ballot that does not come."""
Votes = Callable[[int], Sequence[Vote]]


def scores(pro: int, con: int) -> dict[str, dict[str, int]]:
    """Criterion scores whose sums are 4 x pro and 4 x con."""
    return {PRO: dict.fromkeys(BALLOT_SCORES, pro), CON: dict.fromkeys(BALLOT_SCORES, con)}


class Game:
    """A match, its log, and short ways to send it commands."""

    def __init__(self, fmt: str | Format = "classic", **open_with: object) -> None:
        self.match = Match()
        self.log: list[e.Event] = []
        self.format = load_format(fmt) if isinstance(fmt, str) else fmt
        given: dict[str, object] = {
            "at": T0, "match": "m", "community": "x", "host": "host", "format": self.format, "seed": 7, "wall": WALL0,
        }  # fmt: skip
        self.do(c.Open(**(given | open_with)))  # type: ignore[arg-type]

    # --------------------------------------------------------------------------------------------- commands

    def send(self, command: c.Command) -> list[e.Event] | Rejection:
        outcome = decide(self.match, command)
        if not isinstance(outcome, Rejection):
            for event in outcome:
                self.match = evolve(self.match, event)
            self.log += outcome
        return outcome

    def do(self, command: c.Command) -> list[e.Event]:
        """Send a command that must be accepted."""
        outcome = self.send(command)
        assert not isinstance(outcome, Rejection), outcome
        return outcome

    def refused(self, command: c.Command) -> Rejection:
        """Send a command that must be refused, and change nothing."""
        before = repr(self.match)
        outcome = self.send(command)
        assert isinstance(outcome, Rejection), f"{command} was accepted: {outcome}"
        assert repr(self.match) == before
        return outcome

    def code(self, command: c.Command) -> str:
        return self.refused(command).code

    # --------------------------------------------------------------------------------------------- shorthand

    @property
    def now(self) -> int:
        return self.match.now

    @property
    def due(self) -> int:
        due = self.match.next_due
        assert due is not None, "nothing is due by itself"
        return due

    @property
    def slot(self) -> Slot:
        slot = self.match.slot
        assert slot is not None, "no slot is being played"
        return slot

    @property
    def deadline(self) -> int:
        deadline = self.slot.deadline
        assert deadline is not None, "the slot is not open"
        return deadline

    @property
    def number(self) -> int:
        return self.match.rounds[-1].number

    def since_start(self, at: int | None) -> float:
        """Seconds since the match started."""
        assert at is not None
        assert self.match.started_at is not None
        return (at - self.match.started_at) / 1000

    def kinds(self, events: Sequence[e.Event]) -> list[str]:
        return [event.name for event in events]

    def join(self, person: str, seat: str | None = None, **more: object) -> list[e.Event]:
        return self.do(c.Join(**({"at": self.now, "person": person, "seat": seat} | more)))  # type: ignore[arg-type]

    def start(self, **more: object) -> list[e.Event]:
        return self.do(c.Start(**({"at": self.now, "cast": CAST, "pool": MOTIONS} | more)))  # type: ignore[arg-type]

    def tick(self, after_ms: int = 0) -> list[e.Event]:
        """Let what is due next happen, `after_ms` late."""
        return self.do(c.Tick(at=self.due + after_ms))

    def speak(self, text: str = "I say so.", *, after: float = 0, **more: object) -> c.Speak:
        """The command by which whoever has the floor speaks, `after` seconds after the slot opened."""
        slot = self.slot
        holder = self.match.seats[slot.plan.seat].holder
        assert holder is not None
        assert slot.opened_at is not None
        given: dict[str, object] = {
            "at": slot.opened_at + round(after * 1000),
            "seat": slot.plan.seat,
            "person": holder.person,
            "text": text,
            "source": "person" if holder.is_person else "house",
        }
        return c.Speak(**(given | more))  # type: ignore[arg-type]

    def say(self, text: str = "I say so.", *, after: float = 0, **more: object) -> list[e.Event]:
        return self.do(self.speak(text, after=after, **more))

    def prompt(self) -> list[e.Event]:
        """The prompt that is under way arrives."""
        n = self.match.slot.plan.n if self.match.slot else None
        return self.do(c.Prompted(at=self.now, round=self.number, n=n))

    def ballot(self, judge: str, vote: str, **more: object) -> c.Cast:
        holder = self.match.seats[judge].holder
        judging = self.match.rounds[-1].judging
        at = self.now if judging is None or judging.deadline is None else min(self.now, judging.deadline)
        given: dict[str, object] = {"at": at, "judge": judge, "vote": vote, "reason": "Because."}
        given["person"] = holder.person if holder else None
        return c.Cast(**(given | more))  # type: ignore[arg-type]

    def vote(self, judge: str, vote: str, **more: object) -> list[e.Event]:
        return self.do(self.ballot(judge, vote, **more))

    def seen(self, **more: object) -> list[e.Event]:
        """The reveal that is under way arrives."""
        judging = self.match.rounds[-1].judging
        assert judging is not None
        shown = [ballot.judge for ballot in judging.ballots if ballot.revealed_at is not None]
        return self.do(
            c.RevealSeen(**({"at": self.now, "round": self.number, "judge": shown[-1]} | more))  # type: ignore[arg-type]
        )

    def leave(self, person: str, after_ms: int = 0) -> list[e.Event]:
        return self.do(c.Leave(at=self.now + after_ms, person=person))

    # --------------------------------------------------------------------------------------------- playing on

    def step(self, votes: Votes = lambda number: ["pro", "pro", "pro"], *, silent: Sequence[str] = ()) -> list[e.Event]:
        """The next thing that happens when everyone speaks and votes at once. `silent` seats never speak."""
        match = self.match
        if match.status is Status.LOBBY:
            return self.start()
        slot, judging = match.slot, match.rounds[-1].judging
        if slot is not None:
            if slot.stage is Stage.CALLED:
                return self.prompt()
            if slot.stage is Stage.OPEN and slot.plan.seat not in silent and slot.plan.mode != "prep":
                events = self.say()
                current = self.match.slot
                goes_on = current is not None and current.plan == slot.plan and current.stage is Stage.OPEN
                return events + self._done(slot) if goes_on else events
            return self.tick()
        assert judging is not None
        if judging.stage is Stage.CALLED:
            return self.prompt()
        if judging.closed_at is None:
            return self._vote_all(votes)
        return self.seen() if judging.reveal_due is None else self.tick()

    def _done(self, slot: Slot) -> list[e.Event]:
        seat = slot.plan.seat
        holder = self.match.seats[seat].holder
        return self.do(c.Done(at=self.now, seat=seat, person=holder.person if holder else None))

    def _vote_all(self, votes: Votes) -> list[e.Event]:
        events: list[e.Event] = []
        for judge, vote in zip(self.match.judges, votes(self.number), strict=False):
            judging = self.match.rounds[-1].judging
            if judging is None or judging.closed_at is not None:
                break  # the others had voted before
            if isinstance(vote, tuple):
                events += self.vote(judge.id, vote[0], scores=vote[1])
            elif vote is not None:
                events += self.vote(judge.id, vote)
        judging = self.match.rounds[-1].judging
        if judging is not None and judging.closed_at is None:
            events += self.tick()
        return events

    def until(self, reached: Callable[[Match], object], **step: object) -> None:
        """Play on until something is so."""
        for _ in range(5_000):
            if reached(self.match):
                return
            assert not self.match.over, "the match ended before it came to that"
            self.step(**step)  # type: ignore[arg-type]
        raise AssertionError("it never comes to that")

    def to_slot(self, n: int, stage: Stage = Stage.OPEN, round: int = 1, **step: object) -> Slot:
        self.until(
            lambda m: (
                m.rounds
                and m.rounds[-1].number == round
                and m.slot is not None
                and m.slot.plan.n == n
                and m.slot.stage is stage
            ),
            **step,
        )
        return self.slot

    def to_judging(self, stage: Stage = Stage.OPEN, round: int = 1, **step: object) -> None:
        def reached(match: Match) -> bool:
            judging = match.rounds[-1].judging if match.rounds else None
            return judging is not None and judging.stage is stage and match.rounds[-1].number == round

        self.until(reached, **step)

    def to_round(self, number: int, **step: object) -> None:
        self.until(lambda m: m.rounds and m.rounds[-1].number == number, **step)

    def to_end(self, **step: object) -> Match:
        self.until(lambda m: m.over, **step)
        return self.match

    # --------------------------------------------------------------------------------------------- looking back

    def events(self, kind: type[e.Event]) -> list[e.Event]:
        return [event for event in self.log if isinstance(event, kind)]

    def replayed(self) -> Match:
        """The match as storage gives it back: every event through its JSON."""
        return fold(e.decode_row(*e.encode(event)) for event in self.log)


def started(fmt: str | Format = "classic", people: dict[str, str] | None = None, **open_with: object) -> Game:
    """A game just started. `people` says who holds which seat."""
    game = Game(fmt, **open_with)
    for seat, person in (people or {}).items():
        game.join(person, seat)
    game.start()
    return game


def winners_of(results: dict[int, str], default: str = PRO) -> Votes:
    """Votes by which each round is won as `results` says ("pro", "con" or "draw")."""

    def votes(number: int) -> Sequence[Vote]:
        result = results.get(number, default)
        return (PRO, CON, None) if result == "draw" else (result,) * 3

    return votes


# ------------------------------------------------------------------------------------------------- formats for tests

FOUR_TEAMS = """
name = "four-teams"
title = "Four teams"
summary = "Four teams of two, as in British Parliamentary"
winner = "team"
pace_s = 10

[judging]
judges = 3
timeout_s = 60
reveal_s = 6

[[rounds]]
pro = "P0 P1"
con = "P2 P3"
others = { cg = "P4 P5", co = "P6 P7" }
side_a = "pro"

[[phases]]
name = "speech"
order = "a1 b1 a2 b2 c1 d1 c2 d2"
limit = 6300
timeout_s = 420
parts = 0
offers = 2
offers_protected_s = 60
"""

POLICY = """
name = "small-policy"
title = "Small policy"
summary = "Speeches in parts, cross-examination, prep"
winner = "team"
pace_s = 5

[judging]
judges = 1
timeout_s = 60
reveal_s = 3

[[rounds]]
pro = "P0 P1"
con = "P2 P3"
side_a = "pro"

[[phases]]
name = "1AC"
order = "a1"
limit = 1000
timeout_s = 120
parts = 0
offers = 2
offers_protected_s = 30

[[phases]]
name = "cross-examination"
mode = "exchange"
order = "b2+a1"
moves = ["question", "answer"]
limit = 300
timeout_s = 60
parts = 0
questions = 3

[[phases]]
name = "prep"
mode = "prep"
order = "b1"
limit = 20
timeout_s = 90
parts = 0

[[phases]]
name = "1NC"
order = "b1"
limit = 1000
timeout_s = 120
parts = 3
"""

SPRINT = """
name = "sprint"
title = "Sprint"
summary = "Arena's rules with one turn a seat: short matches with tie-breaks"
winner = "seat"
pace_s = 2

[judging]
judges = 2
timeout_s = 5
reveal_s = 1

[tiebreaks]
most = 2
choose = "draw"
side_a = "alternate"

[[rounds]]
pro = "P0 P2"
con = "P1 P3"

[[rounds]]
pro = "P3 P0"
con = "P2 P1"

[[phases]]
name = "opening"
order = "a1 b1"
solo = "a1 b1"
limit = 100
timeout_s = 8

[[phases]]
name = "free"
mode = "exchange"
order = "b2 a2"
moves = ["argue", "question"]
limit = 80
timeout_s = 6
"""


def four_teams() -> Format:
    return parse_format(FOUR_TEAMS, "four-teams.toml")


def policy() -> Format:
    return parse_format(POLICY, "small-policy.toml")


def sprint() -> Format:
    return parse_format(SPRINT, "sprint.toml")
