"""A judge that is a model: it sees a neutral transcript as quoted data, scores by criterion, votes, and says why.

Sides are called A and B, by lot; names, seats and who is a machine are hidden. A close verdict is tried again with the
letters exchanged, and the vote counts only if it holds; else the criteria decide, summed over both looks.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.catalogue import Catalogue, load_catalogue
from bot.minds.brief import CRITERIA, BallotDraft, NoBallot, Transcript, Usage
from bot.minds.house.judge import HouseJudge
from bot.minds.models.asking import Ask, Model, ModelError
from bot.minds.models.conduct import fault_in
from bot.minds.models.fit import fit, parts_of
from bot.minds.models.prompts import prompts_of, quoted
from bot.minds.models.screen import flags_of, without_tricks
from bot.rules.seeding import Draw
from bot.rules.text import clean

BEST = 10
MARGIN = 3
"""A look whose criterion sums (0 to 40) are no further apart is close; so is one that votes against its own sums."""
FIRST_SHARE = 0.6
"""How much of the time the first try may take."""
LEAST_S = 1.5
"""With less time than this (and less than a tenth of all) no further question is asked."""
LONGEST_REASON = 700
MOST_REASON = 320
"""How long a reason may be written by a model whose server holds to it: small ones do not end by themselves."""
_LETTERS = "ABCDEFGH"
_VERBS = (
    r"(?:is|was|has|had|did|does|won|wins|lost|loses|never|also|then|kept|keeps|made|makes|gave|gives|met|meets"
    r"|answered|answers|argued|argues|left|leaves|dropped|drops|showed|shows|offered|offers|defended|defends"
    r"|conceded|concedes|built|brought|only|failed|fails|led|leads|edges|edged|prevails|prevailed)"
)


@dataclass(frozen=True, slots=True)
class Blind:
    """A round as a judge is shown it, and the way back to sides and speakers."""

    letters: dict[str, str]
    """Side by letter, in the order in which the sides are listed."""
    speakers: dict[str, str]
    """Name by label such as "A1"."""
    data: dict[str, Any]
    turns: int


@dataclass(frozen=True, slots=True)
class Look:
    """One answer of a judge, in the format's own side names."""

    vote: str
    scores: dict[str, dict[str, int]]
    reason: str

    def total(self, side: str) -> int:
        return sum(self.scores[side].values())


class ModelJudge:
    """A `JudgeMind`. `models` finds the model of a judge by its place on the bench; None: the house judge sits
    there."""

    def __init__(
        self,
        models: Callable[[int], Model | None],
        house: HouseJudge,
        catalogue: Catalogue | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._models = models
        self._house = house
        self._catalogue = catalogue or load_catalogue()
        self._clock = clock

    async def judge(self, transcript: Transcript) -> BallotDraft:
        model = self._models(transcript.judge_index)
        if model is None:
            return await self._house.judge(transcript)
        sitting = _Sitting(model, transcript, self._catalogue, self._clock)
        try:
            first = await sitting.look(swapped=False)
        except ModelError as error:
            if error.trouble == "budget":
                return replace(await self._house.judge(transcript), usage=sitting.used)
            raise NoBallot(f"judge {transcript.judge}: {error}") from error
        flags = flags_of(transcript.turns)
        if not is_close(first, transcript.sides):
            return sitting.ballot([first], first.vote, flags)
        try:
            second = await sitting.look(swapped=True)
        except ModelError:
            return sitting.ballot([first], _by_sums([first], transcript), (*flags, "look:once"))
        if second.vote == first.vote:
            return sitting.ballot([first, second], first.vote, (*flags, "look:held"))
        return sitting.ballot([first, second], _by_sums([first, second], transcript), (*flags, "look:turned"))


class _Sitting:
    """One judge at work on one round."""

    def __init__(self, model: Model, transcript: Transcript, catalogue: Catalogue, clock: Callable[[], float]) -> None:
        self._model = model
        self._transcript = transcript
        self._catalogue = catalogue
        self._clock = clock
        self._ends = clock() + transcript.budget_s
        self._asked = 0
        self._name = model.name
        self.used = Usage()

    async def look(self, *, swapped: bool) -> Look:
        """One look; an answer that cannot be read is asked for once more. Raises ModelError."""
        blind = blinded(self._transcript, swapped=swapped)
        complaint = ""
        while True:
            ask = ask_for(self._transcript, blind, self._catalogue, swapped, complaint)
            try:
                return read(await self._ask(ask), blind, self._transcript)
            except ModelError as error:
                again = error.trouble not in ("budget", "timeout") or (error.trouble == "timeout" and not swapped)
                if complaint or not again or not self._has_time():
                    raise
                complaint = "unreadable"

    def ballot(self, looks: Sequence[Look], vote: str, flags: Sequence[str]) -> BallotDraft:
        agreeing = [look for look in looks if look.vote == vote]
        reason = (agreeing or list(looks))[0].reason
        if not agreeing or len(agreeing) < len(looks):
            reason = fit(f"Close: the criteria, summed over both looks, decide for {vote}. {reason}", LONGEST_REASON)
        scores = {
            side: {c: _mean([look.scores[side][c] for look in looks]) for c in CRITERIA} for side in looks[0].scores
        }
        return BallotDraft(vote, reason, scores, tuple(flags), "model", self._name, self.used)

    def _has_time(self) -> bool:
        return self._ends - self._clock() >= min(LEAST_S, self._transcript.budget_s / 10)

    async def _ask(self, ask: Ask) -> dict[str, Any]:
        left = self._ends - self._clock()
        if self._asked and not self._has_time():
            raise ModelError("timeout", "no time is left")
        share = left * FIRST_SHARE if not self._asked else left
        self._asked += 1
        try:
            async with asyncio.timeout(share):
                answer = await self._model.ask(replace(ask, deadline_s=share))
        except TimeoutError as error:
            self.used += Usage(calls=1)
            raise ModelError("timeout", "the model was late") from error
        except ModelError as error:
            self.used += error.usage
            raise
        self.used += answer.usage
        self._name = answer.model
        return answer.data


def blinded(transcript: Transcript, *, swapped: bool = False) -> Blind:
    """The round under letters. Which side is A falls by lot; swapped, the letters change hands."""
    order = Draw(transcript.seed, "letters", transcript.round, transcript.judge).shuffled(transcript.sides)
    if swapped:
        order = tuple(reversed(order))
    letters = {_LETTERS[at]: side for at, side in enumerate(order)}
    labels: dict[str, str] = {}
    for letter, side in letters.items():
        spoke = dict.fromkeys(turn.seat for turn in transcript.turns if turn.side == side)
        for at, seat in enumerate(dict.fromkeys((*transcript.seats.get(side, ()), *spoke)), 1):
            labels[seat] = f"{letter}{at}"
    names = {seat: turn.name for turn in transcript.turns for seat in (turn.seat,)}
    hide = _hider({name: labels[seat] for seat, name in names.items() if name})
    speeches = {
        f"{turn.n} {labels[turn.seat]} {turn.phase}": hide(without_tricks(clean(turn.text))) or None
        for turn in transcript.turns
    }
    data = {
        "motion": transcript.motion.text,
        "sides": {letter: transcript.motion.sides.get(side, side) for letter, side in letters.items()},
        "speeches": speeches,
    }
    return Blind(letters, {label: names.get(seat) or seat for seat, label in labels.items()}, data, len(speeches))


def ask_for(transcript: Transcript, blind: Blind, catalogue: Catalogue, swapped: bool, complaint: str = "") -> Ask:
    """The question to a judge. Nothing that was said in the round stands outside the quoted data."""
    prompts = prompts_of(catalogue)
    return Ask(
        system=prompts.render("judge-system"),
        user=prompts.render(
            "judge-round",
            round=quoted(blind.data),
            complaint=prompts.complaint(complaint) if complaint else "",
        ),
        schema=schema_of(tuple(blind.letters)),
        name="ballot",
        most_tokens=700,
        temperature=0.0,
        seed=Draw(transcript.seed, "judge", transcript.round, transcript.judge, swapped, complaint).below(2**31),
        deadline_s=transcript.budget_s,
        charge=transcript.charge,
    )


def schema_of(letters: tuple[str, ...]) -> dict[str, Any]:
    """With two sides a judge compares: which is better, how good, how far ahead. With more it scores each."""
    number = {"type": "integer", "minimum": 0, "maximum": BEST}
    if len(letters) == 2:
        mark = _object({"better": {"type": "string", "enum": list(letters)}, "score": number, "gap": number})
    else:
        mark = _object(dict.fromkeys(letters, number))
    return _object(
        {
            "turns": {"type": "array", "items": {"type": "integer"}, "maxItems": 3},
            "reason": {"type": "string", "maxLength": MOST_REASON},
            **dict.fromkeys(CRITERIA, mark),
            "vote": {"type": "string", "enum": list(letters)},
        }
    )


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def read(data: Mapping[str, Any], blind: Blind, transcript: Transcript) -> Look:
    """A judge's answer in the format's own names. Raises ModelError for what is no ballot."""
    vote = data.get("vote")
    if vote not in blind.letters:
        raise ModelError("unreadable", "the answer votes for no side")
    scores = {side: dict[str, int]() for side in transcript.sides}
    for criterion in CRITERIA:
        for letter, value in _marks(data.get(criterion), tuple(blind.letters)).items():
            scores[blind.letters[letter]][criterion] = value
    silent = {side for side in transcript.sides if not any(t.side == side and t.text.strip() for t in transcript.turns)}
    for side in silent:  # who said nothing has earned nothing, whatever a model makes of it
        scores[side] = dict.fromkeys(CRITERIA, 0)
    return Look(blind.letters[vote], scores, reason_of(data, blind, transcript))


def _marks(mark: object, letters: tuple[str, ...]) -> dict[str, int]:
    if not isinstance(mark, Mapping):
        raise ModelError("unreadable", "a criterion has no score")
    if len(letters) != 2:
        return {letter: _points(mark.get(letter)) for letter in letters}
    better = mark.get("better")
    if better not in letters:
        raise ModelError("unreadable", "a criterion names no side")
    score = _points(mark.get("score"))
    return {letter: score if letter == better else max(0, score - _points(mark.get("gap"))) for letter in letters}


def _points(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= BEST:
        raise ModelError("unreadable", "a score is no number from 0 to 10")
    return round(value)


def reason_of(data: Mapping[str, Any], blind: Blind, transcript: Transcript) -> str:
    """The reason in the names that readers know, naming turns that exist, without what may not be said."""
    text = " ".join(clean(str(data.get("reason") or "")).split())
    parts = parts_of(text)
    if parts[1:] and len(text) == MOST_REASON:  # cut by the server
        del parts[-1]
    kept = [
        sentence
        for sentence in parts
        if all(1 <= int(n) <= blind.turns for n in re.findall(r"\b[Tt]urns? #?(\d{1,6})", sentence))
        and fault_in(sentence, " ".join(turn.text for turn in transcript.turns)) not in ("model", "human", "link")
    ]
    reason = fit(_named(" ".join(kept), blind), LONGEST_REASON - 40)
    if not re.search(r"\b[Tt]urns? \d", reason):
        listed = data.get("turns")
        named = (
            sorted({n for n in listed if isinstance(n, int) and 1 <= n <= blind.turns})
            if isinstance(listed, list)
            else []
        )
        if named:
            reason = f"{reason} Decided in turn{'s' if named[1:] else ''} {_and(named[:4])}.".strip()
    if not reason:
        raise ModelError("unreadable", "the ballot has no reason")
    return reason


def is_close(look: Look, sides: Sequence[str]) -> bool:
    """Whether another look is worth its price."""
    return any(look.total(look.vote) - look.total(side) <= MARGIN for side in sides if side != look.vote)


def _by_sums(looks: Sequence[Look], transcript: Transcript) -> str:
    """The side with the highest sum; among equals the one that the first look voted for if it was the only look, else
    by lot."""
    sums = {side: sum(look.total(side) for look in looks) for side in transcript.sides}
    level = [side for side in transcript.sides if sums[side] == max(sums.values())]
    if len(looks) == 1 and looks[0].vote in level:
        return looks[0].vote
    return Draw(transcript.seed, "even", transcript.round, transcript.judge).pick(level)


def _mean(values: Sequence[int]) -> int:
    return (2 * sum(values) + len(values)) // (2 * len(values))


def _and(numbers: Sequence[int]) -> str:
    texts = [str(number) for number in numbers]
    return " and ".join(part for part in (", ".join(texts[:-1]), texts[-1]) if part)


def _hider(names: Mapping[str, str]) -> Callable[[str], str]:
    """Puts labels in the place of names."""
    if not names:
        return lambda text: text
    longest = sorted(names, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(re.escape(name) for name in longest)})(?!\w)")
    return lambda text: pattern.sub(lambda match: names[match.group()], text)


def _named(text: str, blind: Blind) -> str:
    """Letters and labels put back into the names that readers know."""
    for label, name in blind.speakers.items():
        text = re.sub(rf"\b(?:[Ss]peaker )?{label}\b", lambda _, name=name: name, text)
    for letter, side in blind.letters.items():
        text = re.sub(rf"\b(?:[Tt]he )?(?:[Ss]ide|[Tt]eam) {letter}\b", lambda _, side=side: side, text)
        if letter == "A":  # elsewhere an article
            text = re.sub(rf"(?<![\w'’])A(?=['’]s\b| {_VERBS}\b|[,.;:!?)]|$)", lambda _, side=side: side, text)
            text = re.sub(r"(?<=[a-z,;] )A(?= |$)", lambda _, side=side: side, text)
        else:
            text = re.sub(rf"(?<![\w'’]){letter}(?=['’]s\b|[\s,.;:!?)]|$)", lambda _, side=side: side, text)
    return re.sub(r"(^|[.!?…] )([a-z])", lambda match: match.group(1) + match.group(2).upper(), text)
