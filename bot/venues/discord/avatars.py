"""Pictures of personas, drawn from their recipes: an emblem on a plate that survives being cut to a circle, as Discord
does, and being shown at 24 pixels."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise

from PIL import Image, ImageDraw

from bot.catalogue import Avatar

SIDE = 256
_FINE = 4
"""Drawn so many times larger, then reduced: Pillow's lines have no smooth edges of their own."""
_FULL = SIDE * _FINE
_RADIUS = 0.40 * _FULL
"""Of the emblem, the plate's half side being 0.5."""

Point = tuple[float, float]


def picture(avatar: Avatar) -> bytes:
    """The recipe as a PNG of 256 by 256 pixels; drawn once, in some 30 ms."""
    return _png(avatar.model_dump_json())


@cache
def _png(recipe: str) -> bytes:
    data = io.BytesIO()
    drawn(Avatar.model_validate_json(recipe)).resize((SIDE, SIDE), Image.Resampling.LANCZOS).quantize(128).save(
        data, "PNG", optimize=True
    )
    return data.getvalue()


def drawn(avatar: Avatar) -> Image.Image:
    """The picture at full size."""
    ground = _rgb(avatar.background)
    plate = _mixed(ground, (255, 255, 255), 0.80) if _is_dark(ground) else _mixed(ground, (20, 16, 24), 0.62)
    image = Image.new("RGB", (_FULL, _FULL), plate)
    mask = Image.new("L", (_FULL, _FULL), 0)
    ImageDraw.Draw(mask).polygon(_to_pixels(_SHAPES[avatar.shape]()), fill=255)
    inner = Image.new("RGB", (_FULL, _FULL), ground)
    pen = Pen(inner, _rgb(avatar.foreground), _rgb(avatar.accent), ground)
    _FEATURES[avatar.feature](pen)
    image.paste(inner, (0, 0), mask)
    return image


class Pen:
    """Draws in emblem units: the middle is (0, 0), the rim about 1, y grows downwards."""

    def __init__(self, image: Image.Image, front: tuple[int, ...], accent: tuple[int, ...], ground: tuple[int, ...]):
        self.front, self.accent, self.ground = front, accent, ground
        self._draw = ImageDraw.Draw(image)

    def polygon(self, points: Iterable[Point], colour: tuple[int, ...]) -> None:
        self._draw.polygon(_to_pixels(points), fill=colour)

    def box(self, left: float, top: float, right: float, bottom: float, colour: tuple[int, ...]) -> None:
        self.polygon([(left, top), (right, top), (right, bottom), (left, bottom)], colour)

    def disc(self, x: float, y: float, radius: float, colour: tuple[int, ...]) -> None:
        (left, top), (right, bottom) = _to_pixels([(x - radius, y - radius), (x + radius, y + radius)])
        self._draw.ellipse((left, top, right, bottom), fill=colour)

    def line(self, points: Iterable[Point], width: float, colour: tuple[int, ...]) -> None:
        """A line with round joints and ends."""
        path = list(points)
        for (x, y), (u, v) in pairwise(path):
            long = math.hypot(u - x, v - y) or 1.0
            dx, dy = (v - y) / long * width / 2, (x - u) / long * width / 2
            self.polygon([(x + dx, y + dy), (u + dx, v + dy), (u - dx, v - dy), (x - dx, y - dy)], colour)
        for x, y in path:
            self.disc(x, y, width / 2, colour)


# ------------------------------------------------------------------------------------------------- shapes


def _turned(corners: int, by: float, radius: float = 1.0) -> list[Point]:
    return [
        (radius * math.cos(2 * math.pi * n / corners + by), radius * math.sin(2 * math.pi * n / corners + by))
        for n in range(corners)
    ]


def _square() -> list[Point]:
    """With round corners."""
    side, corner = 0.88, 0.26
    return [
        (math.copysign(side - corner, x) + corner * x, math.copysign(side - corner, y) + corner * y)
        for x, y in _turned(96, math.pi / 96)
    ]


def _shield() -> list[Point]:
    right = [(0.86 * math.cos(t) ** 0.62, -0.30 + 1.34 * math.sin(t) ** 1.15) for t in _steps(0, math.pi / 2, 40)]
    return [(-0.86, -0.86), (0.0, -0.98), (0.86, -0.86), *right, *[(-x, y) for x, y in reversed(right)]]


def _arch() -> list[Point]:
    top = [(0.84 * math.cos(t), -0.14 + 0.84 * math.sin(t)) for t in _steps(math.pi, 2 * math.pi, 60)]
    return [*top, (0.84, 0.90), (-0.84, 0.90)]


def _drop() -> list[Point]:
    side = [(0.86 * math.sin(t) * math.sin(t / 2) ** 0.75, 0.06 - 1.0 * math.cos(t)) for t in _steps(0, math.pi, 60)]
    return [(x, y * 0.97) for x, y in side] + [(-x, y * 0.97) for x, y in reversed(side)]


_SHAPES: dict[str, Callable[[], list[Point]]] = {
    "circle": lambda: _turned(180, 0, 0.98),
    "hexagon": lambda: _turned(6, math.pi / 6, 1.04),
    "octagon": lambda: _turned(8, math.pi / 8, 1.02),
    "diamond": lambda: _turned(4, 0, 1.14),
    "square": _square,
    "shield": _shield,
    "arch": _arch,
    "drop": _drop,
}


# ------------------------------------------------------------------------------------------------- features


def _bars(pen: Pen) -> None:
    for at, (left, right) in enumerate(((-0.55, 0.55), (-0.55, 0.30), (-0.55, 0.45), (-0.55, 0.05))):
        y = -0.48 + at * 0.32
        pen.line([(left, y), (right, y)], 0.15, pen.accent if at == 0 else pen.front)


def _rings(pen: Pen) -> None:
    for radius, colour in ((0.58, pen.front), (0.44, pen.ground), (0.32, pen.accent), (0.18, pen.ground)):
        pen.disc(0, 0.20, radius, colour)
    pen.disc(0, 0.20, 0.09, pen.front)


def _rays(pen: Pen) -> None:
    for n in range(12):
        angle = 2 * math.pi * n / 12
        wide = 0.12
        tip = 0.84 if n % 2 == 0 else 0.66
        pen.polygon(
            [
                (0.30 * math.cos(angle - wide * 2), 0.30 * math.sin(angle - wide * 2)),
                (tip * math.cos(angle), tip * math.sin(angle)),
                (0.30 * math.cos(angle + wide * 2), 0.30 * math.sin(angle + wide * 2)),
            ],
            pen.accent,
        )
    pen.disc(0, 0, 0.38, pen.ground)
    pen.disc(0, 0, 0.31, pen.front)


def _waves(pen: Pen) -> None:
    for at, colour in enumerate((pen.front, pen.accent, pen.front)):
        y = -0.22 + at * 0.36
        path = [(x, y + 0.11 * math.sin(x * 6.4 + at * 0.9)) for x in _steps(-1.1, 1.1, 80)]
        pen.line(path, 0.16, colour)


def _stairs(pen: Pen) -> None:
    for at in range(4):
        left = -0.60 + at * 0.30
        pen.box(left, 0.56 - (at + 1) * 0.26, left + 0.26, 0.60, pen.accent if at == 3 else pen.front)


def _dots(pen: Pen) -> None:
    pen.disc(0, 0, 0.24, pen.accent)
    for x, y in _turned(6, 0, 0.56):
        pen.disc(x, y, 0.155, pen.front)


def _chevron(pen: Pen) -> None:
    for y, colour in ((-0.52, pen.front), (-0.14, pen.accent), (0.24, pen.front)):
        pen.line([(-0.46, y), (0.0, y + 0.36), (0.46, y)], 0.19, colour)


def _split(pen: Pen) -> None:
    pen.polygon([(-1.2, 1.2), (1.2, -1.2), (1.2, 1.2)], pen.accent)
    pen.line([(-1.2, 1.2), (1.2, -1.2)], 0.13, pen.front)
    pen.disc(-0.36, -0.36, 0.19, pen.front)
    pen.disc(0.36, 0.36, 0.19, pen.ground)


def _leaf(pen: Pen) -> None:
    side = [(0.46 * math.sin(math.pi * t) ** 0.9, -0.62 + 1.24 * t) for t in _steps(0, 1, 50)]
    outline = [*side, *[(-x, y) for x, y in reversed(side)]]
    turned = [(x * 0.82 - y * 0.57, x * 0.57 + y * 0.82 + 0.12) for x, y in outline]
    pen.polygon(turned, pen.front)

    def on_leaf(x: float, y: float) -> Point:
        return (x * 0.82 - y * 0.57, x * 0.57 + y * 0.82 + 0.12)

    pen.line([on_leaf(0, -0.42), on_leaf(0, 0.78)], 0.085, pen.accent)
    for y in (-0.08, 0.24):
        pen.line([on_leaf(-0.22, y - 0.16), on_leaf(0, y), on_leaf(0.22, y - 0.16)], 0.07, pen.accent)


def _grid(pen: Pen) -> None:
    for row in range(3):
        for column in range(3):
            x, y = -0.42 + column * 0.42, -0.42 + row * 0.42
            colour = pen.accent if (row + column) % 2 else pen.front
            pen.box(x - 0.16, y - 0.16, x + 0.16, y + 0.16, colour)


def _arc(pen: Pen) -> None:
    for radius, colour in ((0.70, pen.front), (0.46, pen.accent)):
        path = [(radius * math.cos(t), 0.30 + radius * math.sin(t)) for t in _steps(math.pi, 2 * math.pi, 60)]
        pen.line(path, 0.15, colour)
    pen.disc(0, 0.26, 0.17, pen.front)


def _cross(pen: Pen) -> None:
    pen.line([(0, -0.58), (0, 0.58)], 0.24, pen.front)
    pen.line([(-0.58, 0), (0.58, 0)], 0.24, pen.front)
    pen.disc(0, 0, 0.22, pen.accent)


def _spiral(pen: Pen) -> None:
    path = [(0.66 * t * math.cos(t * 13), 0.66 * t * math.sin(t * 13)) for t in _steps(0.06, 1, 160)]
    pen.line(path, 0.13, pen.front)
    pen.disc(0, 0, 0.12, pen.accent)


def _scales(pen: Pen) -> None:
    """A balance, a little to one side."""
    pen.line([(0, -0.52), (0, 0.56)], 0.11, pen.front)
    pen.line([(-0.26, 0.58), (0.26, 0.58)], 0.12, pen.front)
    ends = ((-0.52, -0.30), (0.52, -0.46))
    pen.line(ends, 0.11, pen.front)
    pen.disc(0, -0.56, 0.11, pen.accent)
    for x, y in ends:
        bowl = [(x + 0.27 * math.cos(t), y + 0.36 + 0.25 * math.sin(t)) for t in _steps(0, math.pi, 40)]
        pen.line([(x - 0.24, y + 0.36), (x, y), (x + 0.24, y + 0.36)], 0.05, pen.front)
        pen.polygon(bowl, pen.accent)


_FEATURES: dict[str, Callable[[Pen], None]] = {
    "bars": _bars,
    "rings": _rings,
    "rays": _rays,
    "waves": _waves,
    "steps": _stairs,
    "dots": _dots,
    "chevron": _chevron,
    "split": _split,
    "leaf": _leaf,
    "grid": _grid,
    "arc": _arc,
    "cross": _cross,
    "spiral": _spiral,
    "scales": _scales,
}


# ------------------------------------------------------------------------------------------------- small things


def _steps(start: float, end: float, count: int) -> list[float]:
    return [start + (end - start) * n / count for n in range(count + 1)]


def _to_pixels(points: Iterable[Point]) -> list[Point]:
    return [(_FULL / 2 + x * _RADIUS, _FULL / 2 + y * _RADIUS) for x, y in points]


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _mixed(one: tuple[int, int, int], other: tuple[int, int, int], share: float) -> tuple[int, int, int]:
    red, green, blue = (round(a * (1 - share) + b * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def _is_dark(colour: tuple[int, int, int]) -> bool:
    red, green, blue = colour
    return 0.299 * red + 0.587 * green + 0.114 * blue < 140
