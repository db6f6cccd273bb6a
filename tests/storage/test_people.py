"""People and communities: opaque ids, one for each, however many ask at once."""

from __future__ import annotations

import asyncio
import re

import pytest

from storage.database import open_store
from storage.store import SqlStore
from tests.storage.conftest import POSTGRESQL, NewUrl
from tests.storage.rows import run_sql


async def test_an_id_is_opaque_and_stays(store: SqlStore) -> None:
    com = await store.community("discord", "123456", "The Hall")
    per = await store.person(com, "987654", "Ann")
    assert re.fullmatch(r"com_[a-z2-7]{16}", com)
    assert re.fullmatch(r"per_[a-z2-7]{16}", per)
    assert await store.community("discord", "123456", "The Hall") == com
    assert await store.person(com, "987654", "Ann") == per


async def test_everybody_has_an_id_of_their_own(store: SqlStore) -> None:
    ids = {await store.person(com, who, "Ann") for com in ("com_a", "com_b") for who in ("1", "2")}
    assert len(ids) == 4
    assert len({await store.community(venue, "1", "Hall") for venue in ("discord", "slack")}) == 2


async def test_names_are_kept_up_to_date(store: SqlStore) -> None:
    ann, bob = await store.person("com_a", "1", "Ann"), await store.person("com_a", "2", "Bob")
    assert await store.person("com_a", "1", "Ännchen 🎤") == ann
    assert await store.names([ann, bob, ann, "per_nobody"]) == {ann: "Ännchen 🎤", bob: "Bob"}


async def test_an_account_is_where_the_platform_finds_a_person(store: SqlStore) -> None:
    ann, bob = await store.person("com_a", "1", "Ann"), await store.person("com_b", "1", "Bob")
    assert await store.accounts([ann, bob, ann, "per_nobody"]) == {ann: ("1", "Ann"), bob: ("1", "Bob")}
    assert await store.accounts([]) == {}


async def test_a_name_that_is_the_same_is_not_written(store: SqlStore, kind: str) -> None:
    ann = await store.person("com_a", "1", "An\0n")
    async with store.transaction():  # a write would have to wait for this
        asking = asyncio.create_task(store.person("com_a", "1", "An\0n"))
        if kind != "memory":  # where a read waits as well
            assert await asyncio.wait_for(asking, 5) == ann
    assert await asking == ann


async def test_a_hundred_first_sights_at_once_give_one_id(store: SqlStore) -> None:
    ids = await asyncio.gather(*(store.person("com_a", "1", "Ann") for _ in range(100)))
    assert len(set(ids)) == 1
    assert [tuple(row) for row in await run_sql(store, "SELECT id, name FROM people")] == [(ids[0], "Ann")]


@pytest.mark.parametrize("kind", ["file", POSTGRESQL], indirect=True)
async def test_first_sights_in_several_processes_give_one_id(new_url: NewUrl) -> None:
    url = await new_url(migrated=True)
    stores = [await open_store(url) for _ in range(3)]
    try:
        ids = await asyncio.gather(*(s.person("com_a", "1", f"Ann {n}") for n in range(10) for s in stores))
        assert len(set(ids)) == 1
    finally:
        for each in stores:
            await each.close()


async def test_who_was_erased_has_no_name_and_comes_back_as_somebody_else(store: SqlStore) -> None:
    ann = await store.person("com_a", "1", "Ann")
    await run_sql(store, "UPDATE people SET name = NULL, platform_id = NULL WHERE id = :id", id=ann)
    assert await store.names([ann]) == {}
    again = await store.person("com_a", "1", "Ann")
    assert again != ann
    assert await store.names([ann, again]) == {again: "Ann"}
    assert await store.accounts([ann, again]) == {again: ("1", "Ann")}
