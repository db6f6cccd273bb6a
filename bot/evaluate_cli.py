"""The options of `python -m bot evaluate`."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.text import Text

from bot import evaluate
from bot.app import open_models
from bot.catalogue import load_catalogue
from bot.evaluate import EvaluateError
from bot.evaluate_debaters import contest
from bot.host.ports import StoreError
from bot.minds.briefing import motion_text
from bot.minds.models.budget import Spending
from bot.minds.models.endpoints import EndpointsError
from bot.minds.models.roster import Roster
from bot.settings import SettingsError, load_settings, with_async_driver
from bot.venues.terminal.screen import error_console, make_console
from storage.database import open_store

app = typer.Typer(help="Compare judges on the same rounds; have people rate speeches blind.", no_args_is_help=True)

Records = Annotated[list[Path] | None, typer.Argument(help="Record files; without any, stored matches.")]
Database = Annotated[str | None, typer.Option(help="Database URL.", metavar="URL")]
Limit = Annotated[int, typer.Option(help="How many stored matches, the newest.", min=1)]


@app.command()
def judges(
    records: Records = None,
    judge: Annotated[list[str] | None, typer.Option(help="A model, house, house:1, ...; repeatable.")] = None,
    against: Annotated[str | None, typer.Option(help="The judge the others are compared with.")] = None,
    swap: Annotated[bool, typer.Option("--swap", help="Hear each round also with the sides exchanged.")] = False,
    database: Database = None,
    limit: Limit = 100,
) -> None:
    """Put the same rounds before several judges."""

    async def run() -> None:
        settings = load_settings()
        cases = await _cases(records, database, limit)
        wanted: list[str] = [*(judge or ("house", "house:1", "house:2")), *((against,) if against else ())]
        names = list(dict.fromkeys(wanted))
        async with open_models(settings) as lineup:
            spending = Spending(lineup.limits) if lineup is not None else None
            roster = Roster(lineup, spending) if lineup is not None and spending is not None else None
            try:
                for name in names:
                    evaluate.judge_named(name, roster)
                kept = evaluate.Kept(settings.data_dir / "evaluate" / "ballots.jsonl")
                heard = [await evaluate.hear(name, cases, roster, kept, swap=swap) for name in names]
            finally:
                if roster is not None:
                    await roster.close()
        named = next((one for one in heard if one.judge == against), None)
        make_console().print(evaluate.table(evaluate.turned(evaluate.judge_rows(heard, cases, named))))
        make_console().print(Text(evaluate.bill(roster)))

    _run(run())


@app.command()
def debaters(
    one: Annotated[str, typer.Argument(help="A model's name, or house.")],
    other: Annotated[str, typer.Argument(help="Against whom.")],
    judge: Annotated[list[str] | None, typer.Option(help="Who judges: a model, house, house:1, ...")] = None,
    motions: Annotated[int, typer.Option(help="Over how many motions, two rounds each.", min=1)] = 10,
    seed: Annotated[int, typer.Option(help="The same seed plays the same rounds.", min=0)] = 1,
) -> None:
    """Let two set-ups debate the same motions with the sides exchanged."""

    async def run() -> None:
        settings = load_settings()
        catalogue = load_catalogue()
        pool = [motion_text(m) for m in catalogue.motions if catalogue.bank(m.id) is not None][:motions]
        async with open_models(settings) as lineup:
            roster = Roster(lineup, Spending(lineup.limits)) if lineup is not None else None
            try:
                kept = evaluate.Kept(settings.data_dir / "evaluate" / "ballots.jsonl")
                bench = judge or ["house", "house:1", "house:2"]
                found = await contest((one, other), pool, seed, bench, roster, catalogue, kept)
            finally:
                if roster is not None:
                    await roster.close()
        for line in found.lines(one, other):
            make_console().print(Text(line))
        make_console().print(Text(evaluate.bill(roster)))

    _run(run())


@app.command()
def sheets(
    files: Annotated[list[Path] | None, typer.Argument(help="Records; with --read, filled-in sheets.")] = None,
    out: Annotated[Path, typer.Option(help="The sheet; its key is written beside it.")] = Path("sheet.csv"),
    read: Annotated[Path | None, typer.Option(help="The key file: summarise filled-in sheets.", metavar="KEY")] = None,
    seed: Annotated[int, typer.Option(help="Shuffles the texts.", min=0)] = 1,
    database: Database = None,
    limit: Limit = 10,
) -> None:
    """Write a blind rating sheet for human coaches, or summarise filled-in ones."""

    async def run() -> None:
        console = make_console()
        if read is None:
            n = evaluate.write_sheet(await _cases(files, database, limit), out, seed)
            console.print(Text(f"{n} texts are in {out}; keep {evaluate.key_path(out)} from those who rate them."))
            return
        rows, refused = evaluate.read_sheets(read, files or [])
        for line in refused:
            error_console().print(Text(line, style="red"))
        if not rows:
            raise EvaluateError("No rating could be read: name filled-in sheets after --read KEY.")
        console.print(evaluate.table(rows))
        if refused:
            raise EvaluateError(f"{len(refused)} rows were left out. Mend them and read the sheets again.")

    _run(run())


async def _cases(paths: list[Path] | None, database: str | None, limit: int) -> list[evaluate.Case]:
    if paths:
        found = evaluate.cases_of(evaluate.read_records(paths))
    else:
        url = with_async_driver(database) if database else load_settings().database_url.get_secret_value()
        store = await open_store(url)
        try:
            found = evaluate.cases_of(await evaluate.stored_records(store, limit))
        finally:
            await store.close()
    if not found:
        raise EvaluateError("There is no decided round of two sides. Play one with `python -m bot demo`.")
    return found


def _run(main: Coroutine[Any, Any, None]) -> None:
    try:
        asyncio.run(main)
    except (EvaluateError, EndpointsError, SettingsError, StoreError) as error:
        _stop(str(error))
    except ValueError as error:
        _stop(f"--database {error}.")


def _stop(text: str) -> NoReturn:
    error_console().print(Text(text, style="red"))
    raise SystemExit(1)
