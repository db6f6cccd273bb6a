"""Open the store by its URL."""

from storage import migrate as migrations
from storage.engines import BUSY_TIMEOUT, open_engines
from storage.store import SqlStore


async def open_store(url: str, *, migrate: bool = True, busy_timeout: float = BUSY_TIMEOUT) -> SqlStore:
    """Open the store, or raise a StoreError that a person can act on.

    `url` is `sqlite+aiosqlite:///path`, `sqlite+aiosqlite:///:memory:` or `postgresql+asyncpg://...`. A SQLite file and
    its folder are made if need be. With `migrate` the schema is brought up to date; without, it must be. `busy_timeout`
    is how many seconds to wait for another program that holds a lock on the database.
    """
    engines = await open_engines(url, busy_timeout=busy_timeout)
    try:
        await (migrations.upgrade if migrate else migrations.check)(engines)
    except BaseException:
        await engines.dispose()
        raise
    return SqlStore(engines)
