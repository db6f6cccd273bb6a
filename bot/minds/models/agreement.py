"""How far judges agree, by the ballots of stored matches: pure functions over match records (docs/match-record.md).

Fleiss' kappa says how much more often judges of one round agree than chance would; its interval is a bootstrap over
rounds. A close ballot says by a flag whether it held when the judge looked again with the sides exchanged.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.rules.seeding import Draw

SAMPLES = 1_000
"""Bootstrap samples."""
_HELD, _TURNED = "look:held", "look:turned"
_NO_VOTE = "abstain"


@dataclass(frozen=True, slots=True)
class Vote:
    """One judge's own vote in one round."""

    round: str
    """Names the round among all rounds: match and number."""
    model: str
    """What the judge's mind is: a model's name, "house", or "person"."""
    vote: str
    first: str
    """The side that spoke first."""
    last: str
    """The side that had the last word; "" if nothing was said."""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its 95 % interval. None: there is too little to tell."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Figures:
    """What the ballots of one group of judges show."""

    rounds: int
    ballots: int
    kappa: Interval
    """Among judges of the same round."""
    pro: Interval
    """The share of votes for pro."""
    last_word: Interval
    """The share of votes for the side that spoke last."""
    looked_again: int
    """Close ballots that got a second look."""
    held: Interval
    """The share of second looks that agreed with the first."""


def votes_in(record: Mapping[str, Any]) -> list[Vote]:
    """The votes that judges cast themselves; what a format counts for a missing ballot is none, and a void round has
    none."""
    models = {seat["seat"]: _mind(seat) for seat in record["seats"]}
    found: list[Vote] = []
    for entry in record["rounds"]:
        if entry.get("void"):
            continue
        spoken = [turn["side"] for turn in entry["turns"] if turn["text"]]
        found += [
            Vote(
                f"{record['match']}/{entry['round']}",
                models.get(ballot["judge"], ""),
                ballot["vote"],
                entry["first_side"],
                spoken[-1] if spoken else "",
                tuple(ballot["flags"]),
            )
            for ballot in entry["ballots"]
            if ballot["defaulted"] is None and ballot["vote"] != _NO_VOTE
        ]
    return found


def figures_of(votes: Sequence[Vote], samples: int = SAMPLES) -> Figures:
    """What these votes show. The same votes give the same figures: the bootstrap draws by a fixed seed."""
    rounds = _by_round(votes)
    spoken = [vote for vote in votes if vote.last]
    again = [vote for vote in votes if _HELD in vote.flags or _TURNED in vote.flags]
    return Figures(
        rounds=len(rounds),
        ballots=len(votes),
        kappa=_bootstrapped(list(rounds.values()), fleiss_kappa, samples),
        pro=_share([vote.vote == "pro" for vote in votes]),
        last_word=_share([vote.vote == vote.last for vote in spoken]),
        looked_again=len(again),
        held=_share([_HELD in vote.flags for vote in again]),
    )


def by_model(votes: Iterable[Vote]) -> dict[str, list[Vote]]:
    """The votes of each model, most votes first."""
    found: defaultdict[str, list[Vote]] = defaultdict(list)
    for vote in votes:
        found[vote.model].append(vote)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def fleiss_kappa(rounds: Sequence[Sequence[str]]) -> float | None:
    """Fleiss' kappa of votes by round; the number of judges may differ from round to round, and rounds with a single
    vote do not count. None: nobody could agree with anybody, or all votes are alike."""
    rated = [Counter(votes) for votes in rounds if len(votes) > 1]
    if not rated:
        return None
    total = sum(sum(counts.values()) for counts in rated)
    # A round weighs as much as it has judges, so that unequal benches do not bias what is expected.
    observed = sum(sum(counts.values()) * _agreement(counts) for counts in rated) / total
    shares = Counter[str]()
    for counts in rated:
        shares.update(counts)
    expected = sum((count / total) ** 2 for count in shares.values())
    return None if expected >= 1 else (observed - expected) / (1 - expected)


def _agreement(counts: Counter[str]) -> float:
    """The share of pairs of judges that agree."""
    judges = sum(counts.values())
    return sum(count * (count - 1) for count in counts.values()) / (judges * (judges - 1))


def _by_round(votes: Iterable[Vote]) -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for vote in votes:
        found[vote.round].append(vote.vote)
    return dict(found)


def _bootstrapped(
    rounds: list[list[str]], measure: Callable[[Sequence[Sequence[str]]], float | None], samples: int
) -> Interval:
    value = measure(rounds)
    if value is None or sum(len(votes) > 1 for votes in rounds) < 2:
        return Interval(value)
    draw = Draw(len(rounds), "bootstrap")
    found = [measure([draw.pick(rounds) for _ in rounds]) for _ in range(samples)]
    ordered = sorted(each for each in found if each is not None)
    if not ordered:
        return Interval(value)
    return Interval(
        value, ordered[int(0.025 * len(ordered))], ordered[min(len(ordered) - 1, int(0.975 * len(ordered)))]
    )


def _share(hits: Sequence[bool]) -> Interval:
    """A share with Wilson's interval, which is honest for few and for extreme counts."""
    n = len(hits)
    if not n:
        return Interval(None)
    share, z = sum(hits) / n, 1.96
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * ((share * (1 - share) + z * z / (4 * n)) / n) ** 0.5 / (1 + z * z / n)
    return Interval(share, max(0.0, middle - half), min(1.0, middle + half))


def _mind(seat: Mapping[str, Any]) -> str:
    return "person" if seat["kind"] == "human" else seat["model"] or "house"
