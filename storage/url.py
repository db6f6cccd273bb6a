"""What a database URL says, before anything is opened."""

from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from bot.host.ports import StoreError

DRIVERS = ("sqlite+aiosqlite", "postgresql+asyncpg")


def parse(url: str) -> URL:
    """The URL taken apart, or a StoreError whose text does not repeat it: there may be a password in it."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise StoreError("The database URL is not one; it looks like sqlite+aiosqlite:///rostrum.db.") from None
    if parsed.drivername not in DRIVERS:
        allowed = " or ".join(f"{driver}://" for driver in DRIVERS)
        raise StoreError(f"The database URL begins with {parsed.drivername}://; it must begin with {allowed}.")
    if parsed.get_backend_name() == "sqlite" and (parsed.host or parsed.username):
        raise StoreError(
            "The database URL names a host; a SQLite file takes three slashes: sqlite+aiosqlite:///rostrum.db."
        )
    if "sslmode" in parsed.query:  # libpq's name, which hosting services hand out; asyncpg has another for the same
        parsed = parsed.update_query_dict({"ssl": parsed.query["sslmode"]}).difference_update_query(["sslmode"])
    return parsed


def in_memory(url: URL) -> bool:
    return url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:")


def make_folder(url: URL) -> None:
    """Make the folder of a SQLite file. One named by a URI (`file:...?uri=true`) is left to whoever wrote that."""
    if url.get_backend_name() != "sqlite" or in_memory(url) or "uri" in url.query:
        return
    folder = Path(url.database or "").parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"The folder {folder} for the database cannot be made ({error.strerror}); "
            "make it yourself, or choose another path in the database URL."
        ) from error
