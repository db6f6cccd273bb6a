"""What is told when the database cannot do its work: one sentence that names the cause and says what to do.

Never SQL, never a stored value, never a password. The driver's own error stays attached as the cause, for the log.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from bot.host.ports import StoreError
from storage.url import in_memory

_LOCKED = "is locked by another program; close that one, or wait, and try again"
_READ_ONLY = "is read-only; give Rostrum the right to write the file and its folder, or choose another database"
_DAMAGED = "is damaged; put a backup in its place"
_FULL = "cannot be written because the disk is full; free some space and try again"
_OLD = "does not have Rostrum's tables as this release needs them; start Rostrum on it once with write access"
_CONTRADICTION = "refused a row that does not fit those it has; this is a mistake in Rostrum, please report it"

# By the beginning of sqlite3's error name: the longer names, such as SQLITE_READONLY_DIRECTORY, help nobody further.
_SQLITE = {
    "SQLITE_BUSY": _LOCKED,
    "SQLITE_LOCKED": _LOCKED,
    "SQLITE_READONLY": _READ_ONLY,
    "SQLITE_CANTOPEN": "cannot be opened; check that its path names a file in a folder where Rostrum may write",
    "SQLITE_PERM": "cannot be opened; give Rostrum the right to read and write the file and its folder",
    "SQLITE_FULL": _FULL,
    "SQLITE_IOERR": "cannot be read or written; check the disk for errors and free space",
    "SQLITE_CORRUPT": _DAMAGED,
    "SQLITE_NOTADB": "is not a SQLite database, or is damaged; choose another file or put a backup in its place",
    "SQLITE_CONSTRAINT": _CONTRADICTION,
}

# By the beginning of PostgreSQL's SQLSTATE; the longest that fits counts.
_POSTGRESQL = {
    "08": "lost the connection; check that the server runs, and try again",
    "22": "refused a value; this is a mistake in Rostrum, please report it",
    "23": _CONTRADICTION,
    "25006": "is read-only; use the primary server, or a user who may write",
    "28": "refused the user or the password; check both in the database URL",
    "3D000": "does not exist on the server; create it, or correct its name in the database URL",
    "40": "undid the change because of another one at the same moment; try again",
    "42501": "does not give the user the rights Rostrum needs; grant them, or use another user",
    "42P01": _OLD,
    "42703": _OLD,
    "42P07": "has tables that are not Rostrum's; use an empty database",
    "53": "is out of memory, disk space or connections; free some on the server and try again",
    "53100": _FULL,
    "55P03": _LOCKED,
    "57": "is shutting down or starting; wait a moment and try again",
    "58": "cannot be read or written; check the server's disk",
    "XX": _DAMAGED,
}


def label(url: URL) -> str:
    """The database as messages name it: a SQLite file by its path, a server without password and options."""
    if url.get_backend_name() == "sqlite":
        return "The database in memory" if in_memory(url) else f"The database {url.database}"
    shown = url.set(drivername=url.get_backend_name(), query={})
    return f"The database {shown.render_as_string(hide_password=True)}"


@contextmanager
def explained(database: str) -> Iterator[None]:
    """Turn any trouble with the database into a StoreError."""
    try:
        yield
    except (SQLAlchemyError, OSError, UnicodeEncodeError) as error:
        raise StoreError(f"{database} {_what(error)}.") from error


def is_duplicate(error: DBAPIError) -> bool:
    """Whether a row was refused because one with its key is there."""
    if (name := sqlite_name(error)) is not None:
        return name in ("SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY")
    return sqlstate(error) == "23505"


def sqlite_name(error: DBAPIError) -> str | None:
    return getattr(error.orig, "sqlite_errorname", None)


def sqlstate(error: DBAPIError) -> str | None:
    return getattr(error.orig, "sqlstate", None)


def _what(error: Exception) -> str:
    match error:
        case DBAPIError():
            return _what_driver(error)
        case PoolTimeout():
            return "has too much to do at once; try again later"
        case TimeoutError():
            return "does not answer; check that the server runs and its address is right"
        case OSError():
            return f"cannot be reached ({error.strerror or error}); check that the server runs and its address is right"
        case UnicodeEncodeError():
            return "cannot hold an id with half a character in it; this is a mistake in Rostrum, please report it"
        case _:
            return f"cannot be used ({_first_line(error)})"


def _what_driver(error: DBAPIError) -> str:
    name = sqlite_name(error)
    if name is not None:
        if name == "SQLITE_ERROR" and "no such" in str(error.orig):
            return _OLD
        if name == "SQLITE_ERROR" and "already exists" in str(error.orig):
            return _POSTGRESQL["42P07"]
        for beginning, what in _SQLITE.items():
            if name.startswith(beginning):
                return what
    state = sqlstate(error) or ""
    for length in (5, 2):
        if what := _POSTGRESQL.get(state[:length]):
            return what
    if error.connection_invalidated:
        return _POSTGRESQL["08"]
    return f"reports trouble ({_first_line(error.orig or error)})"


def _first_line(error: BaseException) -> str:
    """Drivers put details, with values in them, on later lines."""
    return str(error).partition("\n")[0] or type(error).__name__
