"""How a card looks on Discord: one function a kind, from card to payload. Pure; the venue sends what comes out.

Everything is a classic embed. Speeches must be, for their sound to have a player, and so all of a thread looks alike.
Colour repeats what words say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bot.catalogue import load_catalogue
from bot.messages.card import Author, Card, Fact
from bot.messages.words import Words
from bot.rules.text import is_blank
from bot.venues.discord import ids
from bot.venues.discord.avatars import picture
from bot.venues.discord.graphemes import size
from bot.venues.discord.payload import Payload, Press, Upload
from bot.venues.discord.sheet import DESCRIPTION, MOST_EMBEDS, SIGNS, Budget, Sheet
from bot.venues.discord.table import block
from bot.venues.discord.text import People, fit, plain, titled, worded

LABEL = 80
MOST_BUTTONS = 25
MOST_CONTENT = 2_000
MOST_PINGS = 90
_SEATED = re.compile(r"([A-Z][0-9]{1,2}) (.+)", re.DOTALL)
_NO_NAMES = ("discord", "clyde")
_KEPT_FOR_EARLIER = 300
"""What each earlier vote keeps of its reason when a round has more judges than a message has room."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What a card does not know: where it is shown, who the people are there, and the time on the wall."""

    match: str
    version: int
    """A post's number or a board's version; buttons carry it."""
    people: People
    say: Words
    until: int | None = None
    """Seconds since 1970 at which time is up."""
    masked: bool = False
    """A speech is shown under its speaker's own name and picture, and need not repeat them."""


@dataclass(frozen=True, slots=True)
class Masked:
    """A speech as it is said under the name of the persona that makes it."""

    name: str
    persona: str
    payload: Payload


def render(card: Card, scene: Scene) -> Payload:
    """The card as a message."""
    payload = _KINDS.get(card.kind, _note)(card, scene)
    pings = card.ping[:MOST_PINGS]
    mentions = [atom for person in pings if (one := scene.people.mention(person)) for atom in (one, " ")]
    return replace(
        payload,
        content=fit(mentions[:-1], MOST_CONTENT),
        allowed=scene.people.platform_ids(pings),
        buttons=_buttons(card, scene),
    )


def masked(card: Card, scene: Scene) -> Masked | None:
    """An AI's speech under its persona's name. None: it is no such speech, or Discord takes no such name."""
    author = card.author
    if card.kind != "speech" or author is None or not author.ai or author.persona is None:
        return None
    name = "".join(plain(scene.say("intro.ai", name=author.name), scene.people)).strip()
    if is_blank(name) or len(name) > LABEL or any(word in name.lower() for word in _NO_NAMES):
        return None
    return Masked(name, author.persona, render(card, replace(scene, masked=True)))


def thread_name(card: Card, people: People) -> str:
    """The name of the thread that begins with this card: a plain line of at most 100 characters."""
    return _readable(plain(card.place or card.title, people), 100) or card.kind


def _buttons(card: Card, scene: Scene) -> tuple[Press, ...]:
    presses: dict[str, Press] = {}
    for button in card.buttons[:MOST_BUTTONS]:
        custom_id = ids.make(button.action, scene.match, scene.version, button.arg)
        label = _readable(plain(button.label, scene.people), LABEL) or button.action
        presses[custom_id] = Press(custom_id, label, button.style)
    return tuple(presses.values())


# ------------------------------------------------------------------------------------------------- kinds


def _lobby(card: Card, scene: Scene) -> Payload:
    sheet = _headed(card, scene)
    _clock(sheet, scene, f"{scene.say('lobby.starts')} ")
    for title, of_kind in (("intro.debaters", _is_debater), ("intro.judges", _is_judge)):
        seats = [fact for fact in card.facts if of_kind(fact)]
        if seats:
            taken = sum(fact.tone != "quiet" for fact in seats)
            heading = scene.say("lobby.taken", what=scene.say(title), taken=taken, seats=len(seats))
            lines = _lines([_seat_line(fact.label, fact.value, scene, quiet=fact.tone == "quiet") for fact in seats])
            sheet.field(titled(heading, scene.people), lines, inline=True)
    return Payload(embeds=(sheet.done(),))


def _is_judge(fact: Fact) -> bool:
    return fact.label.startswith("J")


def _is_debater(fact: Fact) -> bool:
    return not _is_judge(fact)


def _seat_line(seat: str, holder: str, scene: Scene, *, quiet: bool = False) -> list[str]:
    """ "**P0** Ann", and in italics what stands there when nobody sits there."""
    name = worded(holder, scene.people)
    return ["**", *titled(seat, scene.people), "**\u2002", *(["*", *name, "*"] if quiet and name else name)]


def _intro(card: Card, scene: Scene) -> Payload:
    sheet = _headed(card, scene)
    for fact in card.facts:
        seats = [_SEATED.fullmatch(item) for item in fact.value.split(scene.say("final.comma"))]
        if all(seats):
            lines = _lines([_seat_line(found[1], found[2], scene) for found in seats if found])
        else:
            lines = worded(fact.value, scene.people)
        sheet.field(titled(fact.label, scene.people), lines, inline=True)
    return Payload(embeds=(sheet.done(),))


def _round(card: Card, scene: Scene) -> Payload:
    sheet = Sheet.new(Budget(), card.tone)
    label = [" · ", *titled(card.label, scene.people)] if card.title and card.label else []
    sheet.title([*titled(card.title, scene.people), *label])
    sheet.footer(plain(card.footer, scene.people))
    if card.text:
        sheet.text(["### ", *titled(card.text, scene.people)], 2_000)
    for fact in card.facts:
        sheet.field(_signed(fact, scene), worded(fact.value, scene.people), inline=bool(SIGNS.get(fact.tone)))
    return Payload(embeds=(sheet.done(),))


def _speech(card: Card, scene: Scene) -> Payload:
    """A long speech that does not fit goes along as a file, too."""
    icon, uploads = (None, ()) if scene.masked else _face(card.author)
    sheet = Sheet.new(Budget(), card.tone)
    sheet.author(_byline(card, scene), icon)
    sheet.footer(plain(card.footer, scene.people))
    atoms = worded(card.text, scene.people)
    sheet.text(atoms)
    if size("".join(atoms)) > DESCRIPTION:
        uploads += (Upload("speech.txt", scene.people.named(card.text).encode("utf-8", "replace")),)
    return Payload(embeds=(sheet.done(),), uploads=uploads)


def _prompt(card: Card, scene: Scene) -> Payload:
    sheet = _headed(card, scene)
    _clock(sheet, scene)
    for fact in card.facts:
        sheet.field(titled(fact.label, scene.people), worded(fact.value, scene.people))
    return Payload(embeds=(sheet.done(),))


def _reveal(card: Card, scene: Scene) -> Payload:
    """The votes so far, oldest first, and the newest in full below them."""
    earlier = card.stack[-(MOST_EMBEDS - 1) :]
    budget = Budget()
    icon, uploads = _face(card.author)
    kept = min(_KEPT_FOR_EARLIER * len(earlier), budget.left // 2)
    budget.left -= kept
    sheet = Sheet.new(budget, card.tone)
    sheet.author(_byline(card, scene), icon)
    sheet.title(_with_sign(card, scene))
    sheet.footer(plain(card.footer, scene.people))
    sheet.text(worded(card.text, scene.people), 2_048)
    for fact in card.facts:
        sheet.field(titled(fact.label, scene.people), worded(fact.value, scene.people), inline=True)
    newest = sheet.done()
    budget.left += kept
    shown = []
    for at, fact in enumerate(earlier):
        share = max(0, budget.left // (len(earlier) - at))
        vote = Sheet.new(Budget(share), fact.tone)
        vote.text(["**", *_signed(fact, scene)[:100], "**"], 300)
        vote.text(worded(fact.value, scene.people))
        shown.append(vote.done())
        budget.left -= share - vote.budget.left
    return Payload(embeds=(*shown, newest), uploads=uploads)


def _standing(card: Card, scene: Scene) -> Payload:
    """A title over a table: verdict, final, fairness."""
    sheet = Sheet.new(Budget(), card.tone)
    sheet.title(_with_sign(card, scene)).footer(plain(card.footer, scene.people))
    sheet.text(worded(card.text, scene.people), 1_000)
    if card.table is not None and (made := block(card.table, scene.people, min(2_900, sheet.budget.left - 8))):
        sheet.text([made])
    return Payload(embeds=(sheet.done(),))


def _note(card: Card, scene: Scene) -> Payload:
    """Anything that is said in passing, and every kind that has no look of its own."""
    sheet = _headed(card, scene)
    for fact in card.facts:
        sheet.field(titled(fact.label, scene.people), worded(fact.value, scene.people))
    _clock(sheet, scene)
    return Payload(embeds=(sheet.done(),))


# ------------------------------------------------------------------------------------------------- parts


def _headed(card: Card, scene: Scene) -> Sheet:
    sheet = Sheet.new(Budget(), card.tone)
    sheet.title(_with_sign(card, scene)).footer(plain(card.footer, scene.people))
    sign = "" if card.title else SIGNS.get(card.tone, "")
    text = worded(card.text, scene.people)
    return sheet.text([f"{sign} ", *text] if sign and text else text, 3_000)


def _clock(sheet: Sheet, scene: Scene, before: str = "") -> None:
    if scene.until is not None:
        sheet.text([f"⏳ {before}<t:{scene.until}:R>"])


def _with_sign(card: Card, scene: Scene) -> list[str]:
    title = titled(card.title, scene.people)
    sign = SIGNS.get(card.tone)
    return [f"{sign} ", *title] if sign and title else title


def _signed(fact: Fact, scene: Scene) -> list[str]:
    sign = SIGNS.get(fact.tone)
    return [*([f"{sign} "] if sign else []), *titled(fact.label, scene.people)]


def _readable(atoms: Sequence[str], limit: int) -> str:
    text = fit(atoms, limit).strip()
    return "" if is_blank(text) else text


def _lines(lines: Sequence[Sequence[str]]) -> list[str]:
    atoms: list[str] = []
    for line in lines:
        atoms += ["\n", *line] if atoms else line
    return atoms


def _byline(card: Card, scene: Scene) -> list[str]:
    """ "P1 Quill (AI) · 🔷 Pro · Opening"."""
    author = card.author
    if author is None:
        return plain(card.label, scene.people)
    name = scene.say("intro.ai", name=author.name) if author.ai else author.name
    parts = [author.seat if scene.masked else f"{author.seat} {name}"]
    if author.side:
        sign = SIGNS.get(card.tone, "")
        parts.append(f"{sign} {scene.say.get(f'side.{author.side}', author.side)}".strip())
    if card.label:
        parts.append(card.label)
    return plain(" · ".join(parts), scene.people)


def _face(author: Author | None) -> tuple[str | None, tuple[Upload, ...]]:
    """The picture of an AI's persona, as an address in the embed and the file it means."""
    if author is None or author.persona is None or not author.ai:
        return None, ()
    upload = face(author.persona)
    return f"attachment://{upload.name}", (upload,)


def face(persona: str) -> Upload:
    """A persona's picture. Its name says whose it is, so that a posted message tells which to send again."""
    known = load_catalogue().persona(persona)
    return Upload(f"{known.id}.png", picture(known.avatar))


_KINDS: dict[str, Callable[[Card, Scene], Payload]] = {
    "lobby": _lobby,
    "intro": _intro,
    "round": _round,
    "speech": _speech,
    "prompt": _prompt,
    "vote": _prompt,
    "reveal": _reveal,
    "verdict": _standing,
    "final": _standing,
    "fairness": _standing,
}
