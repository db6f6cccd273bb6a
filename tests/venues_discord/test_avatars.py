"""Pictures of personas."""

from __future__ import annotations

import io
from itertools import combinations
from typing import get_args

from PIL import Image, ImageChops, ImageStat

from bot.catalogue import Avatar, load_catalogue
from bot.venues.discord.avatars import picture


def image(data: bytes, side: int) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB").resize((side, side))


def test_each_persona_has_a_small_picture_unlike_the_others_even_at_32_pixels() -> None:
    pictures = {one.id: picture(one.avatar) for one in load_catalogue().personas.values()}
    assert all(len(data) < 20_000 and image(data, 256).size == (256, 256) for data in pictures.values())
    for one, other in combinations(pictures.values(), 2):
        difference = ImageStat.Stat(ImageChops.difference(image(one, 32), image(other, 32)))
        assert sum(difference.mean) > 30
    some = next(iter(load_catalogue().personas.values())).avatar
    assert picture(some) is picture(some)


def test_every_shape_and_feature_can_be_drawn() -> None:
    fields = Avatar.model_fields
    features = get_args(fields["feature"].annotation)
    shapes = get_args(fields["shape"].annotation)
    seen: set[bytes] = set()
    for at, feature in enumerate(features):
        recipe = Avatar(
            shape=shapes[at % len(shapes)],
            feature=feature,
            background="#22223b",
            foreground="#f2e9e4",
            accent="#9a8c98",
        )
        seen.add(picture(recipe))
    assert len(seen) == len(features)
