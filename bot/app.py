"""The one place where everything is wired together."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from bot.actions.services import Services
from bot.catalogue import Catalogue, load_catalogue
from bot.host.clocks import SystemTime
from bot.host.host import Host, Ports
from bot.host.ports import Sound, Time, Venue
from bot.messages.publish import MatchPublisher
from bot.messages.words import words
from bot.minds.house import HouseDebater, HouseJudge, warm
from bot.minds.service import MindService
from bot.rules import commands as c
from bot.rules.match import Clip, Holder, Match
from storage.database import open_store
from storage.store import SqlStore

HOUSE = "house"


@dataclass(frozen=True, slots=True)
class App:
    """A running Rostrum."""

    store: SqlStore
    host: Host
    services: Services
    catalogue: Catalogue


class NoSound:
    """For matches without sound."""

    async def clip(self, match: Match, round: int, n: int, part: int) -> Clip | None:
        return None


@contextlib.asynccontextmanager
async def open_app(
    database_url: str,
    venue: Callable[[SqlStore, Time], Venue],
    sound: Sound | None = None,
    *,
    patience: int | None = None,
    time: Time | None = None,
) -> AsyncIterator[App]:
    """Open the store and make a host, not yet started; both are closed at the end. Raises StoreError or CatalogueError.

    `patience` is how often the host tries again when the store has trouble (None: for ever).
    """
    catalogue = load_catalogue()
    for motion in catalogue.bank_ids():  # a broken bank is said now, not in the middle of a match
        catalogue.bank(motion)
    warm(catalogue)
    store = await open_store(database_url)
    clock = time or SystemTime()
    cast = tuple(Holder(persona=persona.id, name=persona.name, model=HOUSE) for persona in catalogue.personas.values())

    def starter(match: Match, at: int) -> c.Start:
        return c.Start(at=at, cast=cast, pool=catalogue.motions)

    ports = Ports(
        store=store,
        venue=venue(store, clock),
        publisher=MatchPublisher(),
        minds=MindService(HouseDebater(), HouseJudge()),
        sound=sound or NoSound(),
        starter=starter,
        time=clock,
    )
    host = Host(ports, patience=patience)
    try:
        yield App(store, host, Services(host, words(), catalogue.motions, cast), catalogue)
    finally:
        await host.close()
        await store.close()
