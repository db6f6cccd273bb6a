"""One loaded voice for all tests of a process: loading it takes half a second."""

import pytest

from bot.voice import HouseSpeaker
from bot.voice.engine import Engine


@pytest.fixture(scope="session")
def engine() -> Engine:
    """The engine itself, loaded."""
    engine = Engine()
    engine.load()
    return engine


@pytest.fixture
def speaker(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> HouseSpeaker:
    """A speaker with its default settings on the shared engine."""
    share(engine, monkeypatch)
    return HouseSpeaker()


def share(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every new HouseSpeaker of this test use the loaded engine."""
    monkeypatch.setattr("bot.voice.engine.Engine", lambda: engine)
