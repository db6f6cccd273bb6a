"""A Discord of our own: REST and gateway over sockets, driven by the real discord.py.

async with FakeDiscord() as fake:
    guild = fake.world.add_guild()
    channel = fake.world.add_channel(guild, "debates")
    ann = fake.client(fake.world.add_user("ann"))
    fake.world.add_member(guild, ann.user)
    with fake.patched():
        ...  # start the bot with fake.token
        await fake.gateway.ready()
        outcome = await ann.slash(channel, "debate start", format="duel")
        card = await ann.wait_for(lambda message: "Join" in message.labels, channel)
        await ann.click(card, "Join")
    fake.assert_clean()
"""

from tests.discord.fake.call import Call, Upload, Violation
from tests.discord.fake.client import Client
from tests.discord.fake.faults import Fault
from tests.discord.fake.limits import Limits
from tests.discord.fake.outcome import Outcome
from tests.discord.fake.patch import patched, point_discord_at, point_discord_at_environment
from tests.discord.fake.records import Channel, Guild, Message, Role, User
from tests.discord.fake.server import FakeDiscord
from tests.discord.fake.slash import CannotDo
from tests.discord.fake.timeline import Timeline
from tests.discord.fake.world import World

__all__ = [
    "Call",
    "CannotDo",
    "Channel",
    "Client",
    "FakeDiscord",
    "Fault",
    "Guild",
    "Limits",
    "Message",
    "Outcome",
    "Role",
    "Timeline",
    "Upload",
    "User",
    "Violation",
    "World",
    "patched",
    "point_discord_at",
    "point_discord_at_environment",
]
