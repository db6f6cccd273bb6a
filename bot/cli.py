"""The command line: `python -m bot demo|preview|run|matches|judges|evaluate|export|recap|replay|avatars|audit|...`."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.table import Table as RichTable
from rich.text import Text

from bot.catalogue import CatalogueError, load_catalogue
from bot.demo import Demo, DemoError, run_demo
from bot.discord_run import RunError, run_discord
from bot.doctor import examine, show
from bot.evaluate_cli import app as evaluate_app
from bot.export import export_text
from bot.host.ports import Stale, StoreError
from bot.logs import set_up_logs
from bot.messages.words import words
from bot.minds.models.endpoints import EndpointsError
from bot.panel import report as panel_report
from bot.panel import table as panel_table
from bot.preview import PreviewError, run_preview
from bot.recap import RecapError, chapters_path
from bot.recap import recap as write_recap
from bot.rules.clock import VIRTUAL
from bot.rules.events import UnknownEvent, decode_row
from bot.rules.format import FormatError
from bot.rules.tempo import Tempo
from bot.settings import Settings, SettingsError, load_settings, with_async_driver
from bot.venues.discord.avatars import picture
from bot.venues.terminal.screen import error_console, make_console
from bot.venues.terminal.venue import TerminalVenue
from bot.voice.recap import clock
from bot.voice.speaker import SpeakerError
from cogs.terminal.replay import replay as replay_events
from storage.database import open_store
from storage.store import SqlStore

LATEST = "latest"
INTERRUPTED = 130

app = typer.Typer(
    name="rostrum",
    help="Rostrum hosts debates between people and AIs.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(evaluate_app, name="evaluate")

Database = Annotated[
    str | None, typer.Option(help="Database URL; by default what ROSTRUM_DATABASE_URL says.", metavar="URL")
]
MatchId = Annotated[str, typer.Argument(help='A match id, or "latest".', metavar="MATCH")]


def parse_speed(text: str) -> float:
    """A speed: a number above 0, or "max" for no waiting at all."""
    if text.strip().lower() == "max":
        return VIRTUAL
    try:
        speed = float(text)
    except ValueError:
        raise typer.BadParameter(f'"{text}" is not a number or "max".') from None
    if not 0 < speed <= 10_000:
        raise typer.BadParameter('A speed is above 0 and at most 10000, or "max".')
    return speed


@app.command()
def demo(
    format: Annotated[str | None, typer.Option(help="Which format to play, or the path of a format file.")] = None,
    motion: Annotated[
        list[str] | None,
        typer.Option(help="A motion to debate first: the id of a built-in one, or a sentence of your own. Repeatable."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="A whole number; the same seed plays the same match.", min=0)] = None,
    speed: Annotated[str, typer.Option(help='How many times faster than real time; "max" waits for nothing.')] = "1",
    tempo: Annotated[Tempo | None, typer.Option(help="How long people get to speak and vote.")] = None,
    judges: Annotated[
        int | None, typer.Option(help="How many judges; by default what the format says.", min=1, max=15)
    ] = None,
    human: Annotated[
        str | None, typer.Option(help="Take this seat yourself: P0, P1, ... or J0, J1, ...", metavar="SEAT")
    ] = None,
    name: Annotated[str, typer.Option(help="Your name, when you take a seat.")] = "Guest",
    sound: Annotated[bool, typer.Option("--sound/--no-sound", help="Make a sound clip of every AI speech.")] = True,
    out: Annotated[Path | None, typer.Option(help="Folder for clips, record and transcript.", metavar="DIR")] = None,
    database: Database = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Go on with the newest unfinished match, as it was: no other option changes it."),
    ] = False,
) -> None:
    """Play a match in the terminal."""
    settings = _settings()
    wish = Demo(
        format=format or settings.default_format,
        motions=tuple(motion or ()),
        seed=seed,
        speed=parse_speed(speed),
        tempo=tempo or (Tempo(settings.default_tempo) if settings.default_tempo else None),
        judges=judges,
        human=human.upper() if human else None,
        name=name,
        sound=sound and settings.sound,
        out=out or settings.data_dir,
        database_url=_url(settings, database),
        resume=resume,
        settings=settings,
    )
    _run(lambda: run_demo(wish, make_console()))


@app.command()
def matches(
    database: Database = None,
    limit: Annotated[int, typer.Option(help="How many, newest first.", min=1, max=10_000)] = 20,
) -> None:
    """List the matches of the database."""

    async def run() -> int:
        store = await open_store(_url(_settings(), database))
        try:
            rows = await store.matches(limit=limit)
        finally:
            await store.close()
        console = make_console()
        if not rows:
            console.print(Text(words()("terminal.no_matches")))
            return 0
        table = RichTable(box=None, pad_edge=False)
        for column in ("Match", "Format", "Status", "Events"):
            table.add_column(column, justify="right" if column == "Events" else "left")
        for row in rows:
            table.add_row(row.id, row.format, row.status, str(row.seq))
        console.print(table)
        return 0

    _run(run)


@app.command()
def judges(
    database: Database = None,
    community: Annotated[str | None, typer.Option(help="Only this community, by its id.", metavar="ID")] = None,
    limit: Annotated[int, typer.Option(help="Over how many matches, the newest.", min=1, max=100_000)] = 1_000,
) -> None:
    """Show how far judges agree, hold when they look again, and lean to pro or the last word."""

    async def run() -> int:
        store = await open_store(_url(_settings(), database))
        try:
            lines, unread = await panel_report(store, community, limit)
        finally:
            await store.close()
        console = make_console()
        console.print(panel_table(lines) if lines else Text(words()("terminal.no_ballots")))
        if unread:
            console.print(Text(words()("terminal.unread_matches", n=unread)))
        return 0

    _run(run)


@app.command()
def export(
    match: MatchId,
    as_: Annotated[str, typer.Option("--as", help="json or markdown.")] = "json",
    pseudonyms: Annotated[bool, typer.Option("--pseudonyms", help='Name people "Debater 1", "Judge 1".')] = False,
    database: Database = None,
) -> None:
    """Write a match's record to standard output."""
    if as_ not in ("json", "markdown"):
        raise typer.BadParameter(f'--as is json or markdown, not "{as_}".')

    async def run() -> int:
        store = await open_store(_url(_settings(), database))
        try:
            text = await export_text(store, await _match_id(store, match), as_, pseudonyms=pseudonyms)
        finally:
            await store.close()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return 0

    _run(run)


@app.command()
def recap(
    match: MatchId,
    out: Annotated[Path, typer.Option(help="The sound file, .ogg.", metavar="FILE")],
    clips: Annotated[
        Path | None, typer.Option(help="Folder of the clips, if not the data folder.", metavar="DIR")
    ] = None,
    pseudonyms: Annotated[bool, typer.Option("--pseudonyms", help='Name people "Debater 1", "Judge 1".')] = False,
    database: Database = None,
) -> None:
    """Write a whole match as one sound file with chapters."""
    if out.suffix.lower() != ".ogg":
        raise typer.BadParameter(f'--out is a file that ends in .ogg, not "{out}".')

    async def run() -> int:
        settings = _settings()
        store = await open_store(_url(settings, database))
        try:
            found = await _match_id(store, match)
            made = await write_recap(store, found, clips or settings.data_dir, out, pseudonyms=pseudonyms)
        finally:
            await store.close()
        length = clock(made.seconds).partition(".")[0]
        say = words()("recap.done", file=out, time=length, chapters=len(made.chapters), list=chapters_path(out))
        make_console().print(Text(say))
        return 0

    _run(run)


@app.command()
def replay(
    match: MatchId,
    speed: Annotated[
        str, typer.Option(help='How many times faster than it was played; "max" shows it at once.')
    ] = "max",
    database: Database = None,
) -> None:
    """Show a stored match again."""
    pace = parse_speed(speed)

    async def run() -> int:
        store = await open_store(_url(_settings(), database))
        try:
            rows = await store.events(await _match_id(store, match))
            venue = TerminalVenue(make_console(), store.names, _NO_TIME, words()("person.erased"))
            await replay_events(venue, [decode_row(row.name, row.version, row.payload) for row in rows], pace)
        finally:
            await store.close()
        return 0

    _run(run)


@app.command()
def preview(
    port: Annotated[int, typer.Option(help="The port of the page; 0: a free one.", min=0, max=65_535)] = 0,
    speed: Annotated[float | None, typer.Option(help="How many times faster than real time.", min=0.1)] = None,
    sound: Annotated[bool, typer.Option("--sound/--no-sound", help="Make the AIs' voices.")] = True,
) -> None:
    """Try the Discord bot in a local page that looks like Discord; no token needed."""
    settings = _settings()
    settings = settings.model_copy(update={"sound": settings.sound and sound, "speed": speed or settings.speed})
    console = make_console()

    async def run() -> int:
        await run_preview(settings, lambda url: console.print(Text(words()("preview.ready", url=url))), port)
        return 0

    _run(run)


@app.command("run")
def run_bot() -> None:
    """Run the Discord bot until it is stopped."""
    settings = _settings()

    async def run() -> int:
        await run_discord(settings)
        return 0

    _run(run)


@app.command()
def avatars(folder: Annotated[Path, typer.Argument(help="Made if it is missing.", metavar="FOLDER")]) -> None:
    """Write the pictures of all AIs, to be put at the address ROSTRUM_DISCORD_AVATARS names (docs/discord.md)."""

    async def run() -> int:
        folder.mkdir(parents=True, exist_ok=True)
        personas = load_catalogue().personas.values()
        for persona in personas:
            (folder / f"{persona.id}.png").write_bytes(picture(persona.avatar))
        make_console().print(Text(words()("terminal.avatars", n=len(personas), folder=folder)))
        return 0

    _run(run)


@app.command()
def audit(database: Database = None) -> None:
    """Prove every balance of the play money from its ledger."""

    async def run() -> int:
        store = await open_store(_url(_settings(), database))
        try:
            found = await store.audit()
        finally:
            await store.close()
        console, say = make_console(), words()
        counts = {"accounts": found.accounts, "transfers": found.transfers, "entries": found.entries}
        console.print(Text(say("terminal.audited", coins=found.coins, **counts)))
        for problem in found.problems:
            console.print(Text(say("terminal.audit_problem", problem=problem), style="red"))
        if not found.problems:
            console.print(Text(say("terminal.audit_proven")))
        return 1 if found.problems else 0

    _run(run)


@app.command()
def doctor(
    database: Database = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing; the exit code tells.")] = False,
    models: Annotated[
        bool, typer.Option("--models", help="Ask each model a tiny question, which costs a little.")
    ] = False,
) -> None:
    """Say what is configured, what is missing, and what that disables."""

    async def run() -> int:
        settings = _settings()
        findings = await examine(settings, _url(settings, database), required_only=quiet, ask_models=models)
        if not quiet:
            show(make_console(), findings)
        return 0 if all(finding.works or finding.optional for finding in findings) else 1

    _run(run)


async def _match_id(store: SqlStore, wanted: str) -> str:
    row = await store.latest_match() if wanted == LATEST else await store.match(wanted)
    if row is None:
        raise DemoError(
            words()("terminal.no_matches") if wanted == LATEST else words()("terminal.no_match", match=wanted)
        )
    return row.id


def _settings() -> Settings:
    try:
        settings = load_settings()
    except SettingsError as error:
        _stop(str(error))
    set_up_logs(settings)
    return settings


def _url(settings: Settings, database: str | None) -> str:
    try:
        return with_async_driver(database) if database else settings.database_url.get_secret_value()
    except ValueError as error:
        _stop(f"--database {error}.")


def _run(main: Callable[[], Coroutine[Any, Any, int]]) -> None:
    """Run a command and turn what it cannot do into one clear message and an exit code."""
    try:
        code = asyncio.run(main())
    except (
        StoreError,
        DemoError,
        FormatError,
        CatalogueError,
        SettingsError,
        RunError,
        PreviewError,
        EndpointsError,
        RecapError,
        SpeakerError,
    ) as error:
        _stop(str(error))
    except Stale:
        _stop(words()("terminal.taken_over"))
    except UnknownEvent as error:
        _stop(f"This match cannot be read: {error}.")
    except BrokenPipeError:
        sys.stderr.close()
        code = 1
    except KeyboardInterrupt:
        error_console().print(Text(words()("terminal.stopped")))
        code = INTERRUPTED
    except OSError as error:
        logging.getLogger(__name__).debug("failed", exc_info=True)
        _stop(f"{error.strerror or error}: {error.filename}" if error.filename else str(error.strerror or error))
    raise SystemExit(code)


def _stop(text: str) -> NoReturn:
    error_console().print(Text(text, style="red"))
    raise SystemExit(1)


def main() -> None:
    """The entry point. Bad options end with code 2, what cannot be done with 1."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115 # open as long as the program
    app()


class _Never:
    """A clock nobody asks: a replay shows what is stored."""

    def wall(self) -> int:
        return 0


_NO_TIME: Any = _Never()
