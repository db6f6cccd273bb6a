"""Motions and how a match draws them."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from bot.rules.seeding import Draw


class Motion(BaseModel):
    """What is debated, with what each side stands for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str | None
    """None for a motion that somebody typed."""
    category: str
    text: str
    pro: str
    con: str


def custom_motion(text: str) -> Motion:
    """A motion in a person's own words. What the sides stand for is then simply for and against it."""
    return Motion(id=None, category="Custom", text=text, pro=f"For: {text}", con=f"Against: {text}")


def draw_motions(seed: int, pool: Sequence[Motion], n: int, forced: Sequence[Motion] = (), category: str | None = None) -> tuple[Motion, ...]:
    """`n` motions without a repeat: the forced ones first, in the order given, then a draw from the pool.

    With a category the draw takes that category first and falls back to the others when it runs out. Raises ValueError when
    the pool cannot supply enough.
    """
    chosen = list(forced[:n])
    taken = {motion.text for motion in chosen}
    rest = [motion for motion in Draw(seed, "motions").shuffled(sorted(pool, key=lambda m: m.id or m.text)) if motion.text not in taken]
    if category is not None:
        rest.sort(key=lambda motion: motion.category != category)
    chosen += rest[: n - len(chosen)]
    if len(chosen) < n:
        raise ValueError(f"{n} motions are needed and only {len(chosen)} are there")
    return tuple(chosen)
