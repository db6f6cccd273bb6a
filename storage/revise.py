"""Draft the next migration from what changed in `storage.tables`: `python -m storage.revise "what changes"`.

Read the draft before committing it: alembic sees new tables and columns, but not, for example, that one was renamed.
"""

import asyncio
import sys
from pathlib import Path

from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from storage.engines import open_engines
from storage.migrate import MIGRATIONS, config, upgrade


async def revise(message: str, folder: Path = MIGRATIONS) -> None:
    """Compare a database at the last migration with the tables, and write the difference to `folder`/versions."""
    engines = await open_engines("sqlite+aiosqlite:///:memory:")
    try:
        await upgrade(engines)
        async with engines.writer.connect() as connection:
            await connection.run_sync(_draft, message, folder)
    finally:
        await engines.dispose()


def _draft(connection: Connection, message: str, folder: Path) -> None:
    settings = config(connection, folder)
    number = 1 + len(list(ScriptDirectory.from_config(settings).walk_revisions()))
    command.revision(settings, message, autogenerate=True, rev_id=f"{number:04}")


if __name__ == "__main__":
    asyncio.run(revise(" ".join(sys.argv[1:]) or sys.exit(__doc__)))
