"""Comments in an Ogg Opus file, which libsndfile can write only a few of."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

_HEADER: Final = struct.Struct("<4sBBqIIIB")
_LONGEST: Final = 254 * 255
"""Bytes of a packet that fits on one page."""


def with_comments(data: bytes, comments: Sequence[tuple[str, str]]) -> bytes:
    """An Ogg Opus file with these comments instead of its own. Raises ValueError when it is none, or they are more than
    fit on one page."""
    _, at = _page(data, 0)
    old, end = _page(data, at)
    tags = _packet(data, at)
    if _packet(data, 0)[:8] != b"OpusHead" or tags[:8] != b"OpusTags" or len(tags) != end - at - old:
        raise ValueError("that is no Ogg Opus file")
    (size,) = struct.unpack_from("<I", tags, 8)
    made = bytearray(tags[: 12 + size])
    made += struct.pack("<I", len(comments))
    for name, value in comments:
        line = f"{name}={value}".encode()
        made += struct.pack("<I", len(line)) + line
    if len(made) > _LONGEST:
        raise ValueError("the comments are too long")
    lacing = bytes([255] * (len(made) // 255) + [len(made) % 255])
    fields = list(_HEADER.unpack_from(data, at))
    fields[6:] = [0, len(lacing)]
    page = bytearray(_HEADER.pack(*fields) + lacing + made)
    page[22:26] = struct.pack("<I", _checksum(page))
    return data[:at] + bytes(page) + data[end:]


def comments_in(data: bytes) -> dict[str, str]:
    """The comments of an Ogg Opus file. Raises ValueError."""
    _, at = _page(data, 0)
    tags = _packet(data, at)
    (size,) = struct.unpack_from("<I", tags, 8)
    (count,) = struct.unpack_from("<I", tags, 12 + size)
    at = 16 + size
    found: dict[str, str] = {}
    for _ in range(count):
        (size,) = struct.unpack_from("<I", tags, at)
        name, _, value = tags[at + 4 : at + 4 + size].decode().partition("=")
        found[name] = value
        at += 4 + size
    return found


def _page(data: bytes, at: int) -> tuple[int, int]:
    """The length of a page's header, and where the page ends."""
    if len(data) < at + _HEADER.size or data[at : at + 4] != b"OggS":
        raise ValueError("that is no Ogg file")
    segments = data[at + 26]
    header = _HEADER.size + segments
    return header, at + header + sum(data[at + _HEADER.size : at + header])


def _packet(data: bytes, at: int) -> bytes:
    """The first packet on a page."""
    header, _ = _page(data, at)
    size = 0
    for lace in data[at + _HEADER.size : at + header]:
        size += lace
        if lace < 255:
            break
    return data[at + header : at + header + size]


def _table() -> tuple[int, ...]:
    table: list[int] = []
    for value in range(256):
        left = value << 24
        for _ in range(8):
            left = (left << 1) ^ (0x04C11DB7 if left & 0x80000000 else 0)
        table.append(left & 0xFFFFFFFF)
    return tuple(table)


_TABLE: Final = _table()


def _checksum(page: bytes | bytearray) -> int:
    """Ogg's CRC, which is not zlib's: not reflected, from 0."""
    crc = 0
    for byte in page:
        crc = ((crc << 8) & 0xFFFFFFFF) ^ _TABLE[(crc >> 24) ^ byte]
    return crc
