"""From events to what people read: the posts of a match, as pure functions of its state.

One function an event; each returns the cards that event calls for. What gates play (a person's prompt, the call to
vote, a reveal) carries a gate, and the host waits for its delivery.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from bot.messages.card import Author, Button, Card, Fact, Post, Table, Tone, person_token
from bot.messages.market import locked_card, market_body, settlement_card
from bot.messages.names import holder_name as holder_name
from bot.messages.names import name_of as name_of
from bot.messages.record import total_usage
from bot.messages.words import Words, words
from bot.rules import events as e
from bot.rules.duration import expected_minutes
from bot.rules.format import ABSTAIN, DRAW, VOID
from bot.rules.match import Ballot, Holder, Match, Outcome, Round, Status, Usage
from bot.rules.scoring import fairness
from bot.rules.tempo import timeout_ms

_Cards = Callable[[Words, Match, Any, Match], Sequence[tuple[Card, str | None]]]


ON_NO_BOARD: frozenset[type[e.Event]] = frozenset(
    {
        e.ClockStarted,
        e.ClockStopped,
        e.SlotScheduled,
        e.SlotCalled,
        e.SlotOpened,
        e.PartSpoken,
        e.OfferMade,
        e.OfferAnswered,
        e.SlotClosed,
        e.SeatWanted,
        e.JudgingCalled,
        e.JudgingOpened,
        e.BallotCast,
        e.BallotBroken,
        e.JudgingClosed,
        e.BallotRevealed,
        e.RevealDelivered,
        e.ClipAttached,
    }
)
"""The bulk of a match's events: no board shows anything of them, so none is drawn anew."""


class MatchPublisher:
    """The host's `Publisher`: all posts of a match in one language."""

    def __init__(
        self,
        language: str = "en",
        estimate: Callable[[Match], Usage | None] = lambda match: None,
        used_up: Callable[[Match], str | None] = lambda match: None,
    ) -> None:
        """`estimate`: what a match that has not begun is likely to cost. `used_up`: whose budget ("match",
        "community_day" or "day") keeps models from speaking in it; None: nobody's."""
        self._words = words(language)
        self._estimate = estimate
        self._used_up = used_up
        self._told: dict[tuple[str, str], int] = {}

    def posts(self, before: Match, event: e.Event, after: Match) -> list[Post]:
        make = _BY_EVENT.get(type(event))
        if make is None:
            return []
        made = [*make(self._words, before, event, after), *self._budget(event, after)]
        return [
            Post(card.kind, card.model_dump_json(exclude_defaults=True), gate, _mark(card, gate)) for card, gate in made
        ]

    def _budget(self, event: e.Event, after: Match) -> list[tuple[Card, str | None]]:
        """Once in a match, with the first turn it costs, that a budget is used up. An event that is published again,
        because it could not be stored, says so again."""
        scope = self._used_up(after) if isinstance(event, e.PartSpoken) and event.fallback else None
        if scope is None or self._told.setdefault((after.id, scope), after.seq) != after.seq:
            return []
        return [(Card(kind="note", tone="alert", text=self._words(f"budget.{scope}")), None)]

    def boards(self, events: Sequence[e.Event], match: Match) -> dict[str, str]:
        """The lobby: who sits where, and while it is open the buttons to join, leave and begin. Once the match has
        begun, its market, if it has one."""
        if all(type(event) in ON_NO_BOARD for event in events):
            return {}
        boards = {
            "lobby": lobby_body(self._words, match, self._estimate(match) if match.status is Status.LOBBY else None)
        }
        if match.market and match.started_at is not None:
            boards["market"] = market_body(self._words, match)
        return boards


def _mark(card: Card, gate: str | None) -> str | None:
    """A speech is found again when its sound is ready; the votes of a round build up one message."""
    if card.turn is not None:
        return "speech:{}:{}:{}".format(*card.turn)
    if gate is not None and card.kind == "reveal":
        return f"votes:{gate.split(':')[1]}"
    return None


# ------------------------------------------------------------------------------------------------- names


def author_of(match: Match, seat: str, side: str | None) -> Author:
    holder = match.seats[seat].holder or Holder()
    return Author(name=holder_name(holder), seat=seat, side=side, ai=not holder.is_person, persona=holder.persona)


def listed(say: Words, names: Sequence[str]) -> str:
    """ "A", "A and B", "A, B and C"."""
    if len(names) < 2:
        return "".join(names)
    return say("final.comma").join(names[:-1]) + say("final.and") + names[-1]


def duration(say: Words, ms: int) -> str:
    """A length of time in words, in the largest unit that keeps it whole; above two minutes in two."""
    seconds = round(ms / 1000)
    if seconds >= 7200 and seconds % 3600 == 0:
        return say("time.hours", n=seconds // 3600)
    if seconds >= 60 and seconds % 60 == 0:
        return say("time.minute") if seconds == 60 else say("time.minutes", n=seconds // 60)
    if seconds >= 120:
        return say("time.minutes_seconds", minutes=seconds // 60, n=seconds % 60)
    return say("time.second") if seconds == 1 else say("time.seconds", n=seconds)


def _tone(side: str | None) -> Tone:
    return "pro" if side == "pro" else "con" if side == "con" else "plain"


def _side(say: Words, side: str) -> str:
    return say.get(f"side.{side}", side)


def _plural(say: Words, key: str, n: int) -> str:
    return say(f"{key}_one") if n == 1 else say(f"{key}_many", n=n)


# ------------------------------------------------------------------------------------------------- the lobby


def lobby_card(say: Words, match: Match, estimate: Usage | None = None) -> Card:
    """The lobby's board. Once the match has begun it stays as a note of what was opened, without buttons."""
    fmt = match.rules
    open_now = match.status is Status.LOBBY
    waits = open_now and match.queued is not None
    state = "queued" if waits else "open" if open_now else "cancelled" if match.status is Status.CANCELLED else "begun"
    free = {seat: say("lobby.for_ai") if seat in match.reserved else say("lobby.free") for seat in match.seats}
    seats = [
        Fact(label=seat.id, value=name_of(match, seat.id))
        if seat.holder is not None
        else Fact(label=seat.id, value=free[seat.id], tone="quiet")
        for seat in match.seats.values()
    ]
    buttons = (
        Button(action="join", arg="debater", label=say("lobby.join_debater"), style="main"),
        Button(action="join", arg="judge", label=say("lobby.join_judge")),
        Button(action="pick", label=say("lobby.pick")),
        Button(action="leave", label=say("lobby.leave")),
        *(() if waits else (Button(action="begin", label=say("lobby.begin"), style="good"),)),
        Button(action="cancel", label=say("lobby.cancel"), style="danger"),
    )
    low, high = expected_minutes(match)
    minutes = _plural(say, "intro.minutes", low) if low == high else say("intro.minutes_range", low=low, high=high)
    motions = listed(say, [motion.text for motion in match.forced]) or match.category or say("lobby.any_motion")
    text = say("lobby.text", summary=fmt.summary, minutes=minutes, motions=motions)
    cost = [likely_cost(say, estimate)] if open_now and estimate is not None and estimate.calls else []
    return Card(
        kind="lobby",
        title=say(f"lobby.title_{state}", format=fmt.title),
        text=f"{say('lobby.queued')} {text}" if waits else text,
        facts=tuple(seats),
        footer=" ".join((say("lobby.host", name=person_token(match.host)), *cost)),
        buttons=buttons if open_now else (),
        deadline=match.lobby_until if open_now and not waits else None,
    )


def lobby_body(say: Words, match: Match, estimate: Usage | None = None) -> str:
    """The lobby's board as it is kept and shown."""
    return lobby_card(say, match, estimate).model_dump_json(exclude_defaults=True)


# ------------------------------------------------------------------------------------------------- cost


def likely_cost(say: Words, estimate: Usage) -> str:
    """What the models of a match will cost, before it is played."""
    if estimate.unpriced:
        tokens = estimate.prompt_tokens + estimate.completion_tokens
        return say("cost.likely_unknown", tokens=f"{round(tokens, -3):,}")
    return say("cost.likely", usd=money(estimate.usd)) if estimate.usd else ""


def bill(say: Words, used: Usage) -> str:
    """What they cost in the end; "" when none was asked."""
    if not used.calls:
        return ""
    tokens = f"{used.prompt_tokens + used.completion_tokens:,}"
    if used.unpriced:
        return say("cost.bill_unknown", calls=used.calls, tokens=tokens)
    return say("cost.bill", calls=used.calls, tokens=tokens, usd=money(used.usd))


def money(usd: float) -> str:
    """In dollars, with as many places as say something: "0.03", "0.0042"."""
    return f"{usd:.2f}" if usd >= 0.01 or not usd else f"{usd:.4f}"


# ------------------------------------------------------------------------------------------------- the match


def _intro(say: Words, _: Match, event: e.MatchStarted, after: Match) -> list[tuple[Card, str | None]]:
    fmt = after.rules
    low, high = expected_minutes(after)
    minutes = _plural(say, "intro.minutes", low) if low == high else say("intro.minutes_range", low=low, high=high)

    def roster(seats: Sequence[Any]) -> str:
        names = [
            f"{seat.id} "
            + (name_of(after, seat.id) if seat.holder.is_person else say("intro.ai", name=name_of(after, seat.id)))
            for seat in seats
        ]
        return say("final.comma").join(names)

    card = Card(
        kind="intro",
        title=say("intro.title", format=fmt.title),
        place=_place(say, after),
        text=say(
            "intro.text",
            rounds=_plural(say, "intro.rounds", len(fmt.rounds)),
            judges=_plural(say, "intro.judges", len(after.judges)),
            tempo=say(f"tempo.{event.tempo.value}"),
            minutes=minutes,
        ),
        facts=(
            Fact(label=say("intro.debaters"), value=roster(after.debaters)),
            Fact(label=say("intro.judges"), value=roster(after.judges)),
        ),
        footer=say("intro.seed", match=after.id, seed=after.seed),
    )
    return [(card, None)]


def _place(say: Words, match: Match) -> str:
    """The first motion says more to whoever looks for a debate later than its format, and how many follow."""
    first, *others = match.motions
    return say("intro.place_many", motion=first.text, n=len(others)) if others else first.text


def _round_start(say: Words, _: Match, event: e.RoundStarted, after: Match) -> list[tuple[Card, str | None]]:
    regular = len(after.rules.rounds)
    if event.tiebreak:
        title = say("round.tiebreak", n=event.round - regular)
    elif regular == 1:
        title = say("round.title_only")
    else:
        title = say("round.title", n=event.round, of=regular)
    positions = {"pro": event.motion.pro, "con": event.motion.con}
    facts = [
        Fact(
            label=say(
                "round.team", side=_side(say, side), members=listed(say, [name_of(after, seat) for seat in seats])
            ),
            value=say("round.stands_for", position=positions.get(side, side)),
            tone=_tone(side),
        )
        for side, seats in event.lineup.speaking.items()
    ]
    if event.lineup.bench:
        bench = listed(say, [name_of(after, seat) for seat in event.lineup.bench])
        facts.append(Fact(label=say("round.bench"), value=bench))
    first = event.lineup.speaking[event.lineup.first_side][0]
    card = Card(
        kind="round",
        title=title,
        label=say("round.category", category=event.motion.category),
        text=event.motion.text,
        facts=tuple(facts),
        footer=say("round.first", name=name_of(after, first)),
        buttons=(Button(action="report", arg=str(event.round), label=say("round.report")),),
    )
    return [(card, None)]


def _final(say: Words, _: Match, event: e.MatchFinished, after: Match) -> list[tuple[Card, str | None]]:
    names = listed(say, [name_of(after, seat) for seat in event.winners])
    sides = {after.rounds[-1].lineup.side_of(seat) for seat in event.winners}
    if after.rules.winner == "team":
        title = (
            say("final.title_side", side=_side(say, str(sides.pop())), names=names)
            if len(sides) == 1
            else say("final.title_draw", names=names)
        )
    else:
        title = say("final.title" if len(event.winners) == 1 else "final.title_shared", names=names)
    rows = tuple(
        (str(s.place), s.seat, name_of(after, s.seat), _number(s.points), f"{s.performance:.2f}")
        for s in event.standings
    )
    columns = ("column_place", "column_seat", "column_name", "column_points", "column_performance")
    standing = Card(
        kind="final",
        tone="win",
        title=title,
        table=Table(columns=tuple(say(f"final.{column}") for column in columns), rows=rows),
        footer=bill(say, total_usage(after)),
    )
    return [(standing, None), (_receipt(say, after), None), *_settlement(say, after)]


def _receipt(say: Words, match: Match) -> Card:
    lines = fairness(match.rules.seats, match.rounds)
    columns = ("column_seat", "column_name", "column_pro", "column_con", "column_first", "column_last", "column_free")
    rows = tuple(
        (seat, name_of(match, seat), str(f.pro), str(f.con), str(f.first_words), str(f.last_words), str(f.free_turns))
        for seat, f in lines.items()
    )
    return Card(
        kind="fairness",
        tone="quiet",
        title=say("final.fairness"),
        text=say("final.fairness_text"),
        table=Table(columns=tuple(say(f"final.{column}") for column in columns), rows=rows),
    )


def _cancelled(say: Words, _: Match, event: e.MatchCancelled, after: Match) -> list[tuple[Card, str | None]]:
    why = say.get(f"cancelled.{event.reason}", event.reason)
    card = Card(
        kind="cancelled",
        tone="alert",
        title=say("cancelled.title"),
        text=say("cancelled.text"),
        footer=say("cancelled.why", why=why),
    )
    return [(card, None)]


# ------------------------------------------------------------------------------------------------- the market


def _settlement(say: Words, match: Match) -> list[tuple[Card, str | None]]:
    card = settlement_card(say, match)
    return [] if card is None else [(card, None)]


def _locked(say: Words, _: Match, event: e.MarketLocked, after: Match) -> list[tuple[Card, str | None]]:
    card = locked_card(say, after)
    return [] if card is None else [(card, None)]


# ------------------------------------------------------------------------------------------------- speaking


def _prompt(say: Words, _: Match, event: e.SlotCalled, after: Match) -> list[tuple[Card, str | None]]:
    slot = after.slot
    assert slot is not None and after.tempo is not None
    plan = slot.plan
    people = [
        holder.person for seat in plan.seats if (holder := after.seats[seat].holder) is not None and holder.person
    ]
    time = timeout_ms(after.tempo, plan.timeout_s, max(after.seats[seat].extra_time for seat in plan.seats))
    moves = say("final.comma").join(say(f"move.{move}") for move in plan.moves)
    turn = f"{event.round}.{event.n}"
    card = Card(
        kind="prompt",
        tone=_tone(plan.side),
        title=say("prompt.title", name=name_of(after, plan.seat)),
        text=say(
            "prompt.text",
            phase=say.get(f"phase.{plan.phase}", plan.phase),
            side=_side(say, plan.side),
            limit=plan.limit,
            time=duration(say, time),
        ),
        facts=(Fact(label=say("prompt.moves"), value=moves),) if len(plan.moves) > 1 else (),
        ping=tuple(people),
        time_ms=time,
        buttons=(
            Button(action="speak", arg=turn, label=say("prompt.speak"), style="main"),
            Button(action="pass", arg=turn, label=say("prompt.pass")),
        ),
    )
    return [(card, f"slot:{event.round}:{event.n}")]


def _speech(say: Words, _: Match, event: e.PartSpoken, after: Match) -> list[tuple[Card, str | None]]:
    entry = after.round
    assert entry is not None and entry.slot is not None
    plan = entry.slot.plan
    side = entry.lineup.side_of(event.seat)
    phase = say.get(f"phase.{plan.phase}", plan.phase)
    card = Card(
        kind="speech",
        tone=_tone(side),
        author=author_of(after, event.seat, side),
        label=phase if len(plan.moves) == 1 else say(f"move.{event.move}"),
        text=event.text,
        footer=say("speech.fallback") if event.fallback else "",
        turn=(event.round, event.n, len(entry.slot.parts) - 1),
    )
    return [(card, None)]


def _silence(say: Words, before: Match, event: e.SlotClosed, after: Match) -> list[tuple[Card, str | None]]:
    if event.outcome is Outcome.SAID:
        return []
    seat = before.rounds[event.round - 1].plans[event.n - 1].seat
    changes = before.seats[seat].replaced
    if event.outcome is Outcome.WITHDRAWN and changes and changes[-1].at == event.at:
        return []  # that the speaker left is said already
    text = say(f"silence.{event.outcome.value}", name=name_of(before, seat))
    return [(Card(kind="note", tone="quiet", text=text), None)]


def _replaced(say: Words, _: Match, event: e.SeatReplaced, after: Match) -> list[tuple[Card, str | None]]:
    text = say(
        f"seat.replaced_{event.why}",
        person=person_token(event.person),
        name=holder_name(event.holder),
        seat=event.seat,
    )
    return [(Card(kind="note", tone="alert", text=text), None)]


def _reclaimed(say: Words, _: Match, event: e.SeatReclaimed, after: Match) -> list[tuple[Card, str | None]]:
    text = say("seat.reclaimed", person=person_token(event.person), seat=event.seat)
    return [(Card(kind="note", text=text), None)]


# ------------------------------------------------------------------------------------------------- judging


def _vote_call(say: Words, _: Match, event: e.JudgingCalled, after: Match) -> list[tuple[Card, str | None]]:
    people = [seat.holder.person for seat in after.judges if seat.holder and seat.holder.person]
    if not people:
        return []
    assert after.tempo is not None
    time = timeout_ms(after.tempo, after.rules.judging.timeout_s, max(seat.extra_time for seat in after.judges))
    card = Card(
        kind="vote",
        tone="judge",
        title=say("prompt.vote_title"),
        text=say("prompt.vote_text", time=duration(say, time)),
        ping=tuple(people),
        time_ms=time,
        buttons=tuple(
            Button(
                action="vote",
                arg=f"{event.round}.{side}",
                label=say("prompt.vote", side=_side(say, side)),
                style="main",
            )
            for side in after.rules.sides
        ),
    )
    return [(card, f"vote:{event.round}")]


def _deliberation(say: Words, before: Match, _: e.JudgingOpened, after: Match) -> list[tuple[Card, str | None]]:
    if after.is_held_by_person(tuple(judge.id for judge in after.judges)):
        return []  # the call to vote said it
    judges = listed(say, [name_of(after, judge.id) for judge in after.judges])
    card = Card(kind="judging", tone="judge", title=say("judging.title"), text=say("judging.text", judges=judges))
    return [(card, None)]


def _reveal(say: Words, _: Match, event: e.BallotRevealed, after: Match) -> list[tuple[Card, str | None]]:
    entry = after.round
    assert entry is not None and entry.judging is not None
    ballots = entry.judging.ballots
    ballot = next(b for b in ballots if b.judge == event.judge)
    shown = sum(b.revealed_at is not None for b in ballots)
    name = name_of(after, ballot.judge)
    if ballot.vote == ABSTAIN:
        title = say("judging.reveal_abstain", name=name)
    else:
        title = say("judging.reveal", name=name, side=_side(say, ballot.vote))
    text = ballot.reason
    if ballot.defaulted and ballot.vote == ABSTAIN:
        text = say("judging.defaulted_abstain")
    elif ballot.defaulted:
        text = say(f"judging.defaulted_{ballot.defaulted}", side=_side(say, ballot.vote))
    facts = tuple(_score_fact(say, side, scores) for side, scores in (ballot.scores or {}).items())
    # How often the judge looked is for the statistics, not for the card.
    aside = [flag for flag in ballot.flags if not flag.startswith("look:")]
    flags = say("final.comma").join(say.get(f"flag.{flag}", flag) for flag in aside)
    card = Card(
        kind="reveal",
        tone=_tone(ballot.vote),
        label=say("judging.reveal_title", n=shown, of=len(ballots)),
        title=title,
        text=text,
        author=author_of(after, ballot.judge, None),
        facts=facts,
        footer=say("judging.flagged", flags=flags) if flags else "",
        stack=tuple(_shown_vote(say, after, earlier) for earlier in ballots if _before(earlier, ballot)),
    )
    return [(card, f"reveal:{event.round}:{event.judge}")]


def _before(earlier: Ballot, ballot: Ballot) -> bool:
    return earlier.revealed_at is not None and earlier.judge != ballot.judge


def _shown_vote(say: Words, match: Match, ballot: Ballot) -> Fact:
    key = "judging.reveal_abstain" if ballot.vote == ABSTAIN else "judging.reveal"
    label = say(key, name=name_of(match, ballot.judge), side=_side(say, ballot.vote))
    return Fact(label=label, value=ballot.reason, tone=_tone(ballot.vote))


def _score_fact(say: Words, side: str, scores: dict[str, int]) -> Fact:
    parts = say("final.comma").join(
        say("judging.score", criterion=say(f"criterion.{name}"), value=value) for name, value in scores.items()
    )
    return Fact(
        label=_side(say, side), value=say("judging.scores", side="", total=sum(scores.values()), parts=parts).strip()
    )


def _verdict(say: Words, _: Match, event: e.RoundDecided, after: Match) -> list[tuple[Card, str | None]]:
    entry = after.rounds[event.round - 1]
    tally = votes(say, entry)
    if event.winner == VOID:
        title = say("verdict.title_void")
    elif event.winner == DRAW:
        title = say("verdict.title_draw", votes=tally)
    else:
        title = say("verdict.title", side=_side(say, event.winner), votes=tally)
    totals = after.points()
    rows = tuple(
        (seat, name_of(after, seat), _number(event.points.get(seat, 0)), _number(totals[seat]))
        for seat in sorted(totals, key=lambda seat: (-totals[seat], seat))
    )
    columns = ("column_seat", "column_name", "column_round", "column_points")
    card = Card(
        kind="verdict",
        tone=_tone(event.winner),
        title=title,
        text=say("verdict.void") if event.void else "",
        table=Table(columns=tuple(say(f"verdict.{column}") for column in columns), rows=rows)
        if len(after.rules.rounds) > 1
        else None,
    )
    return [(card, None)]


def votes(say: Words, entry: Round) -> str:
    """ "2 to 1": the winner's votes first."""
    tally = Counter(ballot.vote for ballot in entry.judging.ballots) if entry.judging else Counter[str]()
    counts = sorted((tally[side] for side in entry.lineup.teams), reverse=True)
    return " : ".join(str(count) for count in counts)


# ------------------------------------------------------------------------------------------------- the clock


def _stopped(say: Words, _: Match, event: e.ClockStopped, after: Match) -> list[tuple[Card, str | None]]:
    if after.status is Status.LOBBY:
        return []  # there is no thread yet, and a note must not be what opens it
    if event.by == "system":
        if event.why != "undelivered":
            return []  # downtime: said when the match goes on
        return [(Card(kind="note", tone="alert", text=say("clock.paused_undelivered")), None)]
    name = person_token(event.by)
    text = say("clock.paused_why", name=name, why=event.why) if event.why else say("clock.paused", name=name)
    return [(Card(kind="note", tone="alert", text=text), None)]


def _going(say: Words, before: Match, event: e.ClockStarted, after: Match) -> list[tuple[Card, str | None]]:
    if not before.pauses or after.status is Status.LOBBY:
        return []  # the very first start, or nothing that anybody waited for
    text = say("clock.recovered") if event.recovered else say("clock.resumed")
    return [(Card(kind="note", text=text), None)]


def _number(value: float) -> str:
    return f"{value:g}"


_BY_EVENT: dict[type[e.Event], _Cards] = {
    e.MatchStarted: _intro,
    e.RoundStarted: _round_start,
    e.SlotCalled: _prompt,
    e.PartSpoken: _speech,
    e.SlotClosed: _silence,
    e.SeatReplaced: _replaced,
    e.SeatReclaimed: _reclaimed,
    e.JudgingCalled: _vote_call,
    e.JudgingOpened: _deliberation,
    e.BallotRevealed: _reveal,
    e.RoundDecided: _verdict,
    e.MarketLocked: _locked,
    e.MatchFinished: _final,
    e.MatchCancelled: _cancelled,
    e.ClockStopped: _stopped,
    e.ClockStarted: _going,
}
