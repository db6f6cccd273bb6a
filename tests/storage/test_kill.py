"""What was acknowledged survives the death of the process."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import subprocess
import sys
from pathlib import Path

from bot.host.ports import MatchRow
from storage.database import open_store
from tests.storage.rows import log

ROOT = Path(__file__).parents[2]

# Commits one event after another, several at a time in their savepoints, and says so after each transaction.
WRITER = """
import asyncio, sys
from bot.host.ports import Change
from bot.host.ports import MatchRow
from storage.database import open_store
from tests.storage.rows import event, match

async def main(url, first):
    store = await open_store(url)
    print("open", flush=True)
    for seq in range(first, first + 100_000, 3):
        async with store.transaction() as unit:
            for n in range(seq, seq + 3):
                async with unit.savepoint():
                    await unit.apply([Change(match=match(seq=n), events=[event(n, payload='"' + "x" * 500 + '"')])])
        print(seq + 2, flush=True)

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""


async def read(url: str) -> tuple[list[int], MatchRow | None]:
    store = await open_store(url)
    try:
        return await log(store), await store.match("m")
    finally:
        await store.close()


def test_kill_9_loses_nothing_that_was_acknowledged(file: Path) -> None:
    url = f"sqlite+aiosqlite:///{file}"
    draw = random.Random(9)
    there = 0
    for _ in range(2):
        command = [sys.executable, "-c", WRITER, url, str(there + 1)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "open\n"
            acknowledged = there
            for _ in range(draw.randint(1, 200)):
                acknowledged = int(child.stdout.readline())
            child.kill()  # SIGKILL
            for line in child.stdout:  # what it still managed to say
                acknowledged = int(line)
        found, row = asyncio.run(read(url))
        there = len(found)
        assert found == list(range(1, there + 1))
        assert there in (acknowledged, acknowledged + 3)  # the last transaction may have got in unsaid, but whole
        assert row is not None and row.seq == there
        connection = sqlite3.connect(file)
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()
