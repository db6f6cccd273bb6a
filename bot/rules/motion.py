"""Motions and how a match draws them."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from bot.rules.seeding import Draw
from bot.rules.text import clean


class Motion(BaseModel):
    """What is debated, with what each side stands for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str | None
    """None for a motion that somebody typed."""
    category: str
    text: str
    pro: str
    con: str


def same_motion(motion: Motion) -> str:
    """What two motions have in common that are one: the words, whatever the capitals, spaces and the full stop."""
    return " ".join(motion.text.casefold().split()).rstrip(".!? ")


def custom_motion(text: str) -> Motion:
    """A motion in a person's own words. What the sides stand for is then simply for and against it."""
    text = " ".join(clean(text).split())
    return Motion(id=None, category="Custom", text=text, pro=f"For: {text}", con=f"Against: {text}")


def draw_motions(
    seed: int, pool: Sequence[Motion], n: int, forced: Sequence[Motion] = (), category: str | None = None
) -> tuple[Motion, ...]:
    """`n` motions without a repeat: the forced ones first, in the order given, then a draw from the pool.

    With a category the draw takes that category first and falls back to the others when it runs out. Raises ValueError
    when the pool cannot supply enough.
    """
    chosen = list(forced[:n])
    drawn = Draw(seed, "motions").shuffled(sorted(pool, key=lambda motion: (motion.id or "", motion.text)))
    taken = {same_motion(motion) for motion in chosen}
    rest = list({same_motion(motion): motion for motion in drawn if same_motion(motion) not in taken}.values())
    if category is not None:
        rest.sort(key=lambda motion: motion.category != category)
    chosen += rest[: n - len(chosen)]
    if len(chosen) < n:
        raise ValueError(f"{n} motions are needed and only {len(chosen)} are there")
    return tuple(chosen)
