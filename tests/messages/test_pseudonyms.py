"""Exports with pseudonyms: other names, and not a byte else."""

from __future__ import annotations

from bot.messages.record import dumps, pseudonyms, record
from bot.messages.transcript import markdown
from bot.rules import commands as c
from bot.rules.match import Match
from tests.fakes import Stage
from tests.verifier import verify

NAMES = {"ann": "Ann O’Nymous", "bob": "Bob *Bold*", "jo": "Jo Judge"}


async def played() -> Match:
    """A duel of two people, judged by a third. Nobody says anything, so AIs take over; one seat is given back."""
    stage = Stage()
    host = await stage.up()
    await stage.open()
    for person, role in (("bob", "debater"), ("ann", "debater"), ("jo", "judge")):
        await host.tell("m1", c.Join(at=0, person=person, role=role))  # type: ignore[arg-type]
    await stage.begin()
    asked = False
    for _ in range(2000):
        await stage.time.advance(5)
        match = stage.match()
        if match.over:
            return match
        if not asked and any(seat.former == "bob" for seat in match.seats.values()):
            asked = True
            await host.tell("m1", c.Reclaim(at=match.now, person="bob"))
    raise AssertionError("it never ended")


async def test_only_names_differ_and_the_verifier_accepts_both() -> None:
    match = await played()
    assert any(seat.replaced for seat in match.seats.values())
    plain, hidden = dumps(record(match, NAMES)), dumps(record(match, pseudonyms(match)))
    assert pseudonyms(match) == {"bob": "Debater 1", "ann": "Debater 2", "jo": "Judge 1"}
    for person, name in NAMES.items():
        assert f'"{name}"' in plain and f'"{name}"' not in hidden
        plain = plain.replace(f'"{name}"', f'"{pseudonyms(match)[person]}"')
    assert plain == hidden
    assert verify(record(match, pseudonyms(match))) == verify(record(match, NAMES)) == []


async def test_the_transcript_has_them_too() -> None:
    match = await played()
    text = markdown(record(match, pseudonyms(match)))
    assert "Debater 1 (P0)" in text and "Ann" not in text and "Bob" not in text
