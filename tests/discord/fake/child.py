"""`python -m tests.discord.fake.child URL module arguments ...`: run a module with discord.py pointed at a fake."""

from __future__ import annotations

import runpy
import sys

from tests.discord.fake.patch import point_discord_at


def main() -> None:
    _, url, module, *arguments = sys.argv
    point_discord_at(url)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
