"""Pointing something out to the moderators."""

from __future__ import annotations

from bot.actions.actor import Actor, Reply
from bot.actions.permissions import refusal
from bot.actions.services import Services, refused, store_trouble
from bot.community.reports import Report, Reported, Where
from bot.host.ports import StoreError
from bot.messages.card import person_token
from bot.rules.match import Holder, Match, Part
from bot.rules.rejection import Rejection, reject
from bot.rules.text import clean, count, is_blank

LONGEST_REASON = 500


async def report(
    services: Services, actor: Actor, match_id: str, what: str, where: Where | None = None, why: str = ""
) -> tuple[Reply, Report | None]:
    """Report a turn, a motion or a match. The venue posts the report; the reply is right once it has."""
    try:
        policy = await services.policy(actor.community)
        match = await services.host.state(match_id)
    except StoreError as error:
        return store_trouble(services, error), None
    if match is None:
        return refused(services, reject("no_such_match")), None
    why = clean(why)
    made = refusal("report", actor, match, policy) or _made(match, actor, what, where, why, services.host.time.wall())
    if isinstance(made, Rejection):
        return refused(services, made), None
    if policy is None or policy.report_channel is None:
        return refused(services, reject("no_report_channel", match=match_id)), None
    reported = Reported(match_id, what, where)
    denial = services.reports.refusal(actor.person, reported, made.wall)
    if denial is not None:
        return refused(services, denial), None
    services.reports.note(actor.person, reported, made.wall)
    return Reply(services.words("reply.reported")), made


def undelivered(services: Services, made: Report) -> Reply:
    """The answer when the venue could not post a report, which may then be made again."""
    services.reports.forget(made.by, Reported(made.match, made.what, made.where))
    return refused(services, reject("report_undelivered", match=made.match))


def _made(match: Match, actor: Actor, what: str, where: Where | None, why: str, wall: int) -> Report | Rejection:
    if count(why) > LONGEST_REASON:
        return reject("reason_long", chars=count(why), limit=LONGEST_REASON, text=why)
    seat: str | None = None
    holder: Holder | None = None
    if what == "turn":
        part = _part(match, where)
        if part is None:
            return reject("no_such_turn")
        text, seat = part.text, part.seat
        holder = _speaker(match, part)
    elif what == "motion":
        found = _motion(match, where)
        if found is None:
            return reject("no_such_motion")
        text = found
    else:
        text = _motion(match, None) or ""
    about = holder.person if holder is not None else None
    name = person_token(about) if about is not None else (holder.name or "") if holder is not None else ""
    return Report(
        match=match.id,
        community=match.community,
        by=actor.person,
        what=what,
        where=where,
        text=text,
        seat=seat,
        about=about,
        name=name,
        reason="" if is_blank(why) else why,
        wall=wall,
    )


def _part(match: Match, where: Where | None) -> Part | None:
    if where is None or not 2 <= len(where) <= 3:
        return None
    return match.part(where[0], where[1], where[2] if len(where) == 3 else 0)


def _motion(match: Match, where: Where | None) -> str | None:
    """A round's motion; without a round, the one being debated, or in the lobby those that were asked for."""
    if where:
        return match.rounds[where[0] - 1].motion.text if 1 <= where[0] <= len(match.rounds) else None
    if match.round is not None:
        return match.round.motion.text
    return "\n".join(motion.text for motion in match.forced) or None


def _speaker(match: Match, part: Part) -> Holder | None:
    """Who held the seat when it was said. A seat changes hands at the moment of the event, so the last change counts
    unless what was said is a person's and an AI has it since."""
    seat = match.seats[part.seat]
    holders = [seat.first or seat.holder, *(change.holder for change in seat.replaced if change.at <= part.at)]
    fitting = [holder for holder in holders if holder is not None and holder.is_person == (part.source == "person")]
    return fitting[-1] if fitting else seat.holder
