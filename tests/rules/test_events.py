"""The log: every event through storage and back, names that stay, upgrades (docs/architecture.md, "Rules: a
decider")."""

from __future__ import annotations

import json
from typing import Any, ClassVar, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.rules import events as e
from bot.rules.evolve import _steps as steps
from bot.rules.evolve import fold
from bot.rules.format import Format
from bot.rules.formats import load_format
from bot.rules.lineup import lineup_of
from bot.rules.match import Clip, Holder, Match, Usage
from bot.rules.scoring import Standing
from bot.rules.tempo import Tempo
from tests.rules.play import MOTIONS, Game, four_teams, policy, scores, started, winners_of
from tests.rules.profiles import MODEST

KNOWN = [
    "ballot_broken", "ballot_cast", "ballot_revealed", "clip_attached", "clock_started", "clock_stopped",
    "host_changed", "judging_called", "judging_closed", "judging_opened", "market_locked", "market_settled",
    "market_voided", "match_cancelled", "match_finished", "match_opened", "match_started", "moderated",
    "offer_answered", "offer_made", "part_spoken", "reveal_delivered", "round_decided", "round_started",
    "round_voided", "seat_left", "seat_reclaimed", "seat_replaced", "seat_taken", "seat_wanted", "slot_called",
    "slot_closed", "slot_opened", "slot_scheduled", "start_queued", "wager_changed", "wager_placed", "wager_refunded",
    "wager_withdrawn",
]  # fmt: skip

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
WHOLE = st.integers(-(2**53), 2**53)
POINTS = st.sampled_from([0.0, 0.5, 1.0, 3.5])
USAGE = st.builds(Usage, WHOLE, WHOLE, WHOLE, st.floats(allow_nan=False, allow_infinity=False))
HOLDER = st.builds(Holder, st.none() | TEXT, st.none() | TEXT, st.none() | TEXT, st.none() | TEXT)
FORMAT = st.sampled_from([load_format("classic"), load_format("duel"), policy(), four_teams()])
LINEUP = FORMAT.map(lambda fmt: lineup_of(fmt, 1, 1))
MOTION = st.sampled_from(MOTIONS)
STANDING = st.builds(Standing, TEXT, POINTS, WHOLE, POINTS)

FIELDS: dict[Any, st.SearchStrategy[Any]] = {
    int: WHOLE,
    str: TEXT,
    float: st.floats(allow_nan=False, allow_infinity=False),
    dict[str, float]: st.dictionaries(TEXT, POINTS),
}
st.register_type_strategy(Format, FORMAT)
st.register_type_strategy(Usage, USAGE)
st.register_type_strategy(Holder, HOLDER)
st.register_type_strategy(Clip, st.builds(Clip, TEXT, st.floats(0, 1e6), TEXT))
st.register_type_strategy(type(MOTIONS[0]), MOTION)
st.register_type_strategy(type(lineup_of(load_format("duel"), 1, 1)), LINEUP)
st.register_type_strategy(Standing, STANDING)


def any_event(kind: type[e.Event]) -> st.SearchStrategy[e.Event]:
    fields: dict[str, st.SearchStrategy[Any]] = {}
    for name, field in kind.model_fields.items():
        known = field.annotation in FIELDS
        fields[name] = FIELDS[field.annotation] if known else st.from_type(cast(type[Any], field.annotation))
    return st.builds(kind, **fields)


def through_storage(event: e.Event) -> e.Event:
    name, version, payload = e.encode(event)
    json.loads(payload.encode("utf-8"))
    by_row, by_dict = e.decode_row(name, version, payload), e.decode(name, version, json.loads(payload))
    assert by_row == by_dict
    return by_row


def test_the_names_that_storage_knows_are_these() -> None:
    """Renaming one breaks every log written so far. A new one is added here."""
    assert sorted(e.BY_NAME) == KNOWN
    assert {kind.name for kind in e.BY_NAME.values()} == set(KNOWN)


def test_every_event_has_its_step() -> None:
    assert set(steps) == set(e.BY_NAME.values())


@pytest.mark.parametrize("name", KNOWN)
def test_every_event_comes_back_as_it_was(name: str) -> None:
    @settings(MODEST, max_examples=50)
    @given(any_event(e.BY_NAME[name]))
    def check(event: e.Event) -> None:
        assert through_storage(event) == event

    check()


@pytest.mark.parametrize("fmt", ["classic", "arena", "duel", "doubles"])
def test_whole_logs_come_back_as_they_were(fmt: str) -> None:
    game = Game(fmt, seed=11)
    game.join("ann", "P0")
    game.to_end(votes=winners_of({1: "con", 2: "draw"}))
    assert [through_storage(event) for event in game.log] == game.log
    assert game.replayed() == game.match
    half = len(game.log) // 2
    assert fold(game.log[half:], fold(game.log[:half])) == game.match


def test_the_format_is_pinned_with_its_defaults() -> None:
    """Else a release with another default would change the rules of matches it takes up."""
    for fmt in (load_format("classic"), policy()):
        opened = Game(fmt).log[0]
        written = json.loads(e.encode(opened)[2])["format"]
        assert written == fmt.model_dump(mode="json")
        assert {"parts", "questions", "moves"} <= set(written["phases"][0])


def test_a_match_that_was_opened_before_seats_could_be_kept_is_still_read() -> None:
    name, version, payload = e.encode(Game("duel", reserved=["P1"], market=True).log[0])
    old = {key: value for key, value in json.loads(payload).items() if key not in ("reserved", "market")}
    match = fold([e.decode(name, version, old)])
    assert (match.reserved, match.market) == ((), False)


def test_every_event_happens_in_some_match_of_these_tests() -> None:
    """Not a rule of the game: it keeps `KNOWN` honest, by one match in which everything happens."""
    from bot.rules import commands as c

    game = Game(policy(), tempo=Tempo.BLITZ, market=True)
    for person, seat in (("ann", "P0"), ("bob", "P3"), ("host", "P1"), ("jo", "J0"), ("eve", "P2")):
        game.join(person, seat)
    game.leave("eve")
    game.leave("host")
    game.start(queue_wall=5)
    game.start()
    for person in ("fay", "gus", "hal", "ian"):
        game.do(c.Wager(at=game.now, person=person, outcome="pro", stake=10))
    game.do(c.WagerChange(at=game.now, person="fay", wager=1, outcome="con"))
    game.do(c.Withdraw(at=game.now, person="gus", wager=2))
    game.do(c.ChangeHost(at=game.now, person="hal"))
    game.do(c.Wager(at=game.now, person="bob", outcome="con", stake=10))
    game.to_slot(1)
    game.do(c.OfferPoint(at=game.now + 40_000, seat="P3", person="bob", text="Really?"))
    game.do(c.AnswerOffer(at=game.now, seat="P0", person="ann", taken=True))
    game.say("So it is.")
    game.do(c.AttachClip(at=game.now, round=1, n=1, part=0, clip=Clip("a", 1, "ogg")))
    game.do(c.Pause(at=game.now, wall=0, by="x"))
    game.do(c.Resume(at=game.now, wall=9, by="x"))
    game.leave("ann")
    game.do(c.Reclaim(at=game.now, person="ann"))
    game.leave("jo")
    game.to_judging()
    game.do(c.Break(at=game.now, judge="J0", round=1))
    game.to_end()
    other = started("classic", market=True)
    other.do(c.Void(at=other.now, by="x"))
    other.do(c.Cancel(at=other.now, by="x"))
    assert {event.name for event in game.log + other.log} == set(KNOWN)


class TestUnknown:
    def test_event(self) -> None:
        with pytest.raises(e.UnknownEvent, match="telepathy"):
            e.decode("telepathy", 1, {"at": 1})
        with pytest.raises(e.UnknownEvent, match="telepathy"):
            e.decode_row("telepathy", 1, '{"at": 1}')

    @pytest.mark.parametrize("name", KNOWN)
    def test_newer_version(self, name: str) -> None:
        with pytest.raises(e.UnknownEvent, match=f"{name} version 99"):
            e.decode(name, 99, {"at": 1})
        with pytest.raises(e.UnknownEvent):
            e.decode_row(name, 99, '{"at": 1}')

    def test_field(self) -> None:
        """A field nobody knows is not silently lost."""
        with pytest.raises(ValueError, match="mood"):
            e.decode("host_changed", 1, {"at": 1, "person": "ann", "mood": "good"})


class TestUpgrades:
    def test_old_payloads_go_through_every_step(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class HostChanged(e.Event):
            name: ClassVar[str] = "host_changed"
            version: ClassVar[int] = 3
            who: str
            why: str

        def rename(payload: dict[str, Any]) -> dict[str, Any]:
            return {**{key: value for key, value in payload.items() if key != "person"}, "who": payload["person"]}

        monkeypatch.setitem(e.BY_NAME, "host_changed", HostChanged)
        monkeypatch.setitem(e.UPGRADES, ("host_changed", 1), rename)
        monkeypatch.setitem(e.UPGRADES, ("host_changed", 2), lambda payload: {**payload, "why": "unknown"})
        upgraded = HostChanged(at=5, who="ann", why="unknown")
        assert e.decode("host_changed", 1, {"at": 5, "person": "ann"}) == upgraded
        assert e.decode_row("host_changed", 1, '{"at": 5, "person": "ann"}') == upgraded
        assert e.decode("host_changed", 2, {"at": 5, "who": "ann"}) == upgraded
        assert e.decode("host_changed", 3, {"at": 5, "who": "ann", "why": "unknown"}) == upgraded
        assert e.encode(upgraded)[:2] == ("host_changed", 3)


def test_the_state_counts_its_events() -> None:
    game = started("duel")
    assert game.match.seq == len(game.log) == 5
    assert Match().seq == 0


def test_scores_are_kept_to_the_number() -> None:
    game = started("duel")
    game.to_judging()
    game.vote("J0", "pro", scores=scores(7, 3), usage=Usage(1, 200, 30, 0.0004))
    assert game.replayed() == game.match
