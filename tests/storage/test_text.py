"""Whatever a person can type or paste is kept."""

from __future__ import annotations

import json

import pytest

from bot.host.ports import BoardRow, Change, EventRow, JobRow, ReceiptRow, StoreError
from storage.store import SqlStore
from storage.types import clean
from tests.storage.rows import WALL, match, opened, post, write

TEXTS = {
    "scripts": "Ünïcödé, Кириллица, 漢字, العربية",
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈" * 100,
    "astral": "\U0001f3a4\U0010fffd",
    "controls": "\x01\x1b[31m\x7f\u2028\ufeff\u202e",
    "nul": "before\0after\0",
    "half a surrogate": "\ud83d and \udca9",
    "a surrogate cut in two and put together": "\ud83d\udca9",
    "escapes spelt out": "\\u0000 \\ud800 \\\\",
    "quotes": "'; DROP TABLE events; -- \" \\",
    "long": "It is said. " * 100_000,
}


@pytest.mark.parametrize("ascii_only", [True, False])
async def test_json_means_the_same_afterwards(store: SqlStore, ascii_only: bool) -> None:
    for id, text in TEXTS.items():
        said = {"text": text, text[:50]: 1}
        payload = json.dumps(said, ensure_ascii=ascii_only)
        change = Change(
            match=match(id, seq=1),
            events=[EventRow(id, 1, "turn_taken", 1, payload, WALL)],
            posts=[post(1, id, payload)],
            boards=[BoardRow(id, "b", 1, payload)],
            jobs=[JobRow(id, "j", "turn")],
            jobs_changed=[JobRow(id, "j", "turn", "done", payload, 1)],
            receipts=[ReceiptRow("com_a", id, payload, WALL)],
        )
        await write(store, change)
        [event], [kept], [board] = await store.events(id), await store.posts(id), await store.boards(id)
        [job], answer = await store.jobs(id), await store.receipt("com_a", id)
        assert answer is not None
        assert event.payload == kept.body == board.body == job.result == answer
        # Two halves that make a character are that character, in any JSON reader.
        assert json.loads(answer) == json.loads(json.dumps(said)), id
        if clean(payload) == payload:
            assert answer == payload, f"{id} should be kept byte by byte"


async def test_even_a_raw_nul_in_json_is_kept(store: SqlStore) -> None:
    await write(store, opened(), Change(posts=[post(1, body='{"text":"a\0b"}')]))
    assert json.loads((await store.posts("m"))[0].body) == {"text": "a\0b"}


async def test_a_name_is_kept_as_far_as_it_can_be_shown(store: SqlStore) -> None:
    for id, text in TEXTS.items():
        person = await store.person("com_a", id, text)
        assert await store.person("com_a", id, text) == person
        assert await store.names([person]) == {person: clean(text)}
        community = await store.community("slack", id, text)
        await store.set_settings(community, {"greeting": text})
        assert await store.settings(community) == json.loads(json.dumps({"greeting": text}))


async def test_half_a_character_in_an_id_is_a_mistake_told(store: SqlStore) -> None:
    with pytest.raises(StoreError, match="this is a mistake in Rostrum"):
        await store.person("com_a", "\ud83d", "Ann")


def test_clean_text_is_left_alone() -> None:
    assert clean("Ännchen 🎤") == "Ännchen 🎤"
    assert clean("a\0b\ud83dc") == "a\ufffdb\ufffdc"
