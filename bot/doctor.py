"""`python -m bot doctor`: what is configured, what is missing, and what that disables."""

from __future__ import annotations

import platform
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text
from sqlalchemy.engine import make_url

from bot.app import open_models
from bot.catalogue import CatalogueError, load_catalogue
from bot.discord_run import RunError, chosen, look_up
from bot.host.ports import StoreError
from bot.messages.words import words
from bot.minds.models.budget import Limits
from bot.minds.models.endpoints import EndpointsError, Lineup, VoiceSpec
from bot.minds.models.local import load_binding
from bot.minds.models.roster import check_models
from bot.rules.format import FormatError
from bot.rules.formats import format_names, load_format
from bot.settings import Settings, unknown_variables
from bot.voice.booth import open_booth
from bot.voice.speaker import SpeakerError
from storage.database import open_store

LOW_DISK_MIB = 200


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at."""

    name: str
    works: bool
    text: str
    optional: bool = False
    """True when Rostrum runs without it."""


async def examine(
    settings: Settings, database_url: str, *, required_only: bool = False, ask_models: bool = False
) -> list[Finding]:
    """Look at everything Rostrum needs, or only at what it cannot run without (a health check must be cheap).
    `ask_models`: ask each model a tiny question, which may cost money.

    Nothing is left behind but what a start would make too, an empty database.
    """
    findings = [
        Finding("Python", True, platform.python_version()),
        _settings(),
        await _database(database_url),
        _prompts(settings),
        _data(settings.data_dir),
    ]
    if not required_only:
        findings += [
            await _sound(settings),
            *await _minds(settings, ask=ask_models),
            *await _discord(settings),
        ]
    return findings


def show(console: Console, findings: Sequence[Finding]) -> None:
    say = words()
    table = Table(box=None, pad_edge=False, show_header=False)
    for finding in findings:
        mark = "ok" if finding.works else "missing" if finding.optional else "broken"
        style = {"ok": "green", "missing": "yellow", "broken": "red"}[mark]
        table.add_row(Text(say(f"doctor.{mark}"), style=style), Text(finding.name, style="bold"), Text(finding.text))
    console.print(table)


async def _minds(settings: Settings, *, ask: bool) -> list[Finding]:
    """Which models there are, what they cost, and on request whether they answer."""
    say = words()
    try:
        if not ask and settings.local_model is not None:  # loading it takes seconds
            load_binding()
            return [Finding("Minds", True, say("doctor.local_model", path=settings.local_model))]
        async with open_models(settings) as lineup:
            if lineup is None:
                return [Finding("Minds", True, say("doctor.house_minds"), optional=True)]
            findings = [_lineup(lineup)]
            answers = await check_models(lineup) if ask else []
    except EndpointsError as error:
        return [Finding("Minds", False, str(error))]
    if lineup.voice is not None:
        findings.append(_voice(lineup.voice, lineup.limits))
    checked = {answer.name: answer for answer in answers}
    for name, spec in lineup.models.items():
        price = (
            say("doctor.price", prompt=f"{spec.price.prompt:g}", completion=f"{spec.price.completion:g}")
            if spec.price is not None
            else say("doctor.no_price")
        )
        text = say("doctor.model", id=spec.id or "-", endpoint=spec.endpoint, url=spec.base_url, price=price)
        answer = checked.get(name)
        if answer is not None:
            answered = say("doctor.model_answers", way=answer.way or "-")
            text = f"{text} {answered if answer.error is None else answer.error + '.'}"
        findings.append(Finding(f"Model {name}", answer is None or answer.error is None, text, optional=True))
    return findings


def _lineup(lineup: Lineup) -> Finding:
    say = words()
    limits = (lineup.limits.match, lineup.limits.community_day, lineup.limits.day)
    match, community, day = (str(limit) if limit is not None else say("doctor.no_limit") for limit in limits)
    unpriced = any(limit is not None and limit.usd is not None for limit in limits) and any(
        spec.price is None for spec in lineup.models.values()
    )
    text = say(
        "doctor.models",
        n=len(lineup.models),
        judges=", ".join(lineup.assignment.bench),
        match=match,
        community=community,
        day=day,
    )
    return Finding("Minds", not unpriced, f"{text} {say('doctor.unpriced')}" if unpriced else text, optional=True)


def _voice(voice: VoiceSpec, limits: Limits) -> Finding:
    """The speech model, which is not asked."""
    say = words()
    in_money = any(limit is not None and limit.usd for limit in (limits.match, limits.community_day, limits.day))
    text = say("doctor.voice", id=voice.model, endpoint=voice.server.endpoint, url=voice.server.base_url)
    works = voice.price is not None or not in_money
    return Finding("Voice", works, text if works else f"{text} {say('doctor.voice_unpriced')}", optional=True)


async def _discord(settings: Settings) -> list[Finding]:
    """Whether the token works, which intents the portal allows, and the link that adds the bot to a server."""
    say = words()
    if settings.discord_token is None:
        return [Finding("Discord", False, say("doctor.discord_off"), optional=True)]
    try:
        account = await look_up(settings.discord_token.get_secret_value())
    except RunError as error:
        return [Finding("Discord", False, str(error))]
    decided = chosen(settings, account)
    content = "content_on" if decided.discord_message_content else "content_off"
    members = "members_on" if decided.discord_members else "members_off"
    return [
        Finding("Discord", True, say("doctor.discord", name=account.name, link=account.invite)),
        Finding("Message content", content == "content_on", say(f"doctor.{content}"), optional=True),
        Finding("Members", members == "members_on", say(f"doctor.{members}"), optional=True),
    ]


def _settings() -> Finding:
    unknown = unknown_variables()
    if unknown:
        return Finding("Settings", False, words()("doctor.unknown_settings", names=", ".join(unknown)), optional=True)
    return Finding("Settings", True, words()("doctor.settings"))


async def _database(url: str) -> Finding:
    label = make_url(url).render_as_string(hide_password=True)
    try:
        store = await open_store(url)
        try:
            count = len(await store.live())
        finally:
            await store.close()
    except StoreError as error:
        return Finding("Database", False, str(error))
    return Finding("Database", True, words()("doctor.database", url=label, n=count))


def _prompts(settings: Settings) -> Finding:
    try:
        catalogue = load_catalogue()
        banks = [catalogue.bank(motion) for motion in catalogue.bank_ids()]
        formats = [load_format(name) for name in format_names()]
        load_format(settings.default_format)
    except (CatalogueError, FormatError) as error:
        return Finding("Prompts", False, str(error))
    text = words()(
        "doctor.prompts",
        motions=len(catalogue.motions),
        banks=len(banks),
        personas=len(catalogue.personas),
        formats=", ".join(fmt.name for fmt in formats),
    )
    return Finding("Prompts", True, text)


def _data(folder: Path) -> Finding:
    say = words()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"?")
        free = shutil.disk_usage(folder).free // 2**20
    except OSError as error:
        return Finding("Data folder", False, say("doctor.data_broken", folder=folder, why=error.strerror or error))
    if free < LOW_DISK_MIB:
        return Finding("Data folder", False, say("doctor.data_full", folder=folder, mib=free), optional=True)
    return Finding("Data folder", True, say("doctor.data", folder=folder, mib=free))


async def _sound(settings: Settings) -> Finding:
    say = words()
    if not settings.sound:
        return Finding("Sound", False, say("doctor.sound_off"), optional=True)
    with tempfile.TemporaryDirectory() as folder:
        try:
            booth = await open_booth(Path(folder), load_catalogue())
            await booth.close()
        except SpeakerError as error:
            return Finding("Sound", False, say("doctor.sound_missing", why=error), optional=True)
        except CatalogueError as error:
            return Finding("Sound", False, str(error))
    return Finding("Sound", True, say("doctor.sound"))
