"""Speaking: turns, parts, points of information (docs/rules.md, "Text" and "classic")."""

from __future__ import annotations

from bot.rules import commands as c
from bot.rules import events as e
from bot.rules import flow
from bot.rules.format import Mode
from bot.rules.match import Match, Outcome, Slot, Stage
from bot.rules.rejection import Rejection, reject
from bot.rules.scribe import Scribe
from bot.rules.text import clean, count, is_blank

GRACE_MS = 500
"""A person's turn counts if its platform stamp is at most this much past the deadline."""
LONGEST_OFFER = 200


def speak(scribe: Scribe, command: c.Speak) -> Rejection | None:
    """Say something. What is refused goes back to its author with the reason."""
    text = clean(command.text)
    refusal = _speak(scribe, command, text)
    return None if refusal is None else reject(refusal.code, **refusal.details, text=text)


def _speak(scribe: Scribe, command: c.Speak, text: str) -> Rejection | None:
    match = scribe.match
    slot = match.slot
    refusal = _may_speak(match, slot, command.seat, command.person, command.slot)
    if refusal is not None:
        return refusal
    assert slot is not None
    assert slot.deadline is not None
    if command.at > slot.deadline + (GRACE_MS if command.person else 0):
        return reject("too_late", late_ms=command.at - slot.deadline)
    if slot.plan.mode is Mode.PREP:
        return reject("prep_is_silent")
    if is_blank(text):
        return reject("blank")
    move = command.move or slot.plan.moves[0]
    if move not in slot.plan.moves:
        return reject("move_not_allowed", move=move, moves=slot.plan.moves)
    left = max(0, slot.plan.limit - _used(slot))
    if count(text) > left:
        left_ms = max(0, slot.deadline - command.at)
        return reject("too_long", chars=count(text), limit=left, over=count(text) - left, left_ms=left_ms)
    at = flow.within(slot, command.at)
    scribe.write(
        e.PartSpoken(
            at=at,
            round=match.rounds[-1].number,
            n=slot.plan.n,
            seat=command.seat,
            person=command.person,
            move=move,
            text=text,
            source=command.source,
            fallback=command.fallback,
            model=command.model,
            why=clean(command.why),
            usage=command.usage,
        )
    )
    if slot.plan.parts and len(slot.parts) + 1 >= slot.plan.parts:
        flow.close_slot(scribe, at, Outcome.SAID)
    return None


def done(scribe: Scribe, command: c.Done) -> Rejection | None:
    """End a speech of several parts, an exchange, or one's prep before the deadline."""
    match = scribe.match
    slot = match.slot
    refusal = _may_speak(match, slot, command.seat, command.person, None)
    if refusal is not None:
        return refusal
    assert slot is not None
    if not slot.parts and slot.plan.mode is not Mode.PREP:
        return reject("nothing_said_yet")
    flow.close_slot(scribe, flow.within(slot, command.at), Outcome.SAID)
    return None


def withdraw(scribe: Scribe, command: c.Pass) -> Rejection | None:
    match = scribe.match
    seat = match.seat_of(command.person)
    if seat is None:
        return reject("not_seated")
    slot = match.slot
    refusal = _may_speak(match, slot, seat.id, command.person, None)
    if refusal is not None:
        return refusal
    assert slot is not None
    flow.close_slot(scribe, flow.within(slot, command.at), Outcome.SAID if slot.parts else Outcome.WITHDRAWN)
    return None


def offer(scribe: Scribe, command: c.OfferPoint) -> Rejection | None:
    """Offer a point of information: from the other side, outside the protected time, one at a time."""
    match = scribe.match
    slot = match.slot
    entry = match.round
    if slot is None or entry is None or slot.stage is not Stage.OPEN or slot.opened_at is None or slot.deadline is None:
        return reject("no_slot_open")
    if not slot.plan.offers:
        return reject("no_offers_here")
    refusal = _is_theirs(match, command.seat, command.person)
    if refusal is not None:
        return refusal
    if entry.lineup.side_of(command.seat) in (None, slot.plan.side):
        return reject("offer_from_own_side")
    # The protected part of a speech is stretched with the speech.
    protected = round(slot.plan.offers_protected_s / slot.plan.timeout_s * slot.timeout_ms)
    if not slot.opened_at + protected <= command.at <= slot.deadline - protected:
        return reject("offer_protected_time")
    if slot.offers and slot.offers[-1].taken is None:
        return reject("offer_pending")
    if len(slot.offers) >= slot.plan.offers:
        return reject("offers_used_up", most=slot.plan.offers)
    text = clean(command.text)
    if is_blank(text):
        return reject("blank")
    if count(text) > LONGEST_OFFER:
        over = count(text) - LONGEST_OFFER
        return reject("too_long", chars=count(text), limit=LONGEST_OFFER, over=over, left_ms=slot.deadline - command.at)
    scribe.write(e.OfferMade(at=command.at, round=entry.number, n=slot.plan.n, seat=command.seat, text=text))
    return None


def answer_offer(scribe: Scribe, command: c.AnswerOffer) -> Rejection | None:
    match = scribe.match
    slot = match.slot
    refusal = _may_speak(match, slot, command.seat, command.person, None)
    if refusal is not None:
        return refusal
    assert slot is not None
    if not slot.offers or slot.offers[-1].taken is not None:
        return reject("no_offer_pending")
    number = match.rounds[-1].number
    at = flow.within(slot, command.at)
    scribe.write(e.OfferAnswered(at=at, round=number, n=slot.plan.n, taken=command.taken))
    return None


def _may_speak(
    match: Match, slot: Slot | None, seat: str, person: str | None, meant: tuple[int, int] | None
) -> Rejection | None:
    if slot is None or slot.stage is not Stage.OPEN:
        return reject("no_slot_open")
    if meant is not None and meant != (match.rounds[-1].number, slot.plan.n):
        return reject("stale_slot")
    if seat not in slot.plan.seats:
        return reject("not_your_turn", seat=slot.plan.seat)
    return _is_theirs(match, seat, person)


def _is_theirs(match: Match, seat: str, person: str | None) -> Rejection | None:
    held = match.seats.get(seat)
    if held is None or held.holder is None or held.holder.person != person:
        return reject("not_your_seat", seat=seat)
    return None


def _used(slot: Slot) -> int:
    """Characters already spent, counting the blank line that will join the next part of a speech to the last."""
    joins = 2 * len(slot.parts) if slot.plan.mode is Mode.SPEECH else 0
    return slot.chars + joins
