"""Who is who: Discord's accounts and servers, and the opaque ids that stand for them everywhere else."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import discord

from bot.actions.actor import Actor

VENUE = "discord"
_REMEMBERED = 50_000


class Register(Protocol):
    """The part of the store that knows people."""

    async def community(self, venue: str, platform_id: str, name: str) -> str: ...
    async def person(self, community: str, platform_id: str, name: str) -> str: ...
    async def accounts(self, people: Sequence[str]) -> dict[str, tuple[str, str]]: ...


class People:
    """Looks people up, and remembers, so that a busy database is seldom asked."""

    def __init__(self, register: Register) -> None:
        self._register = register
        self._communities: OrderedDict[int, tuple[str, str]] = OrderedDict()
        self._people: OrderedDict[tuple[int, int], tuple[str, str]] = OrderedDict()
        self._accounts: OrderedDict[str, tuple[str, str]] = OrderedDict()

    async def community(self, guild_id: int, name: str) -> str:
        known = self._communities.get(guild_id)
        if known is not None and known[1] in (name, ""):
            return known[0]
        id = await self._register.community(VENUE, str(guild_id), name)
        _remember(self._communities, guild_id, (id, name))
        return id

    async def person(self, guild_id: int, guild: str, user: discord.abc.User) -> str:
        """The id of somebody in a server. The name we keep follows the name they have there."""
        known = self._people.get((guild_id, user.id))
        if known is not None and (known[1] == user.display_name or not isinstance(user, discord.Member)):
            return known[0]  # without the membership (in what is read later) their name there is not known
        community = await self.community(guild_id, guild)
        id = await self._register.person(community, str(user.id), user.display_name)
        _remember(self._people, (guild_id, user.id), (id, user.display_name))
        _remember(self._accounts, id, (str(user.id), user.display_name))
        return id

    def known(self, guild_id: int, user_id: int) -> str | None:
        """The id of somebody seen before, without asking the database."""
        found = self._people.get((guild_id, user_id))
        return found[0] if found else None

    async def accounts(self, people: Sequence[str]) -> Mapping[str, tuple[str, str]]:
        """By person id: Discord's id and the name we keep. Who was erased is missing."""
        missing = [person for person in people if person not in self._accounts]
        if missing:
            for person, account in (await self._register.accounts(missing)).items():
                _remember(self._accounts, person, account)
        return {person: self._accounts[person] for person in people if person in self._accounts}

    def forget(self, person: str) -> None:
        """Nothing remembered of somebody may outlive their erasure."""
        self._accounts.pop(person, None)
        for key in [key for key, value in self._people.items() if value[0] == person]:
            del self._people[key]

    # --------------------------------------------------------------------------------------------- actors

    async def of_interaction(self, interaction: discord.Interaction) -> Actor:
        """Who clicked or typed a command, with what counts of it: when, where, and in which roles."""
        assert interaction.guild_id is not None  # commands and buttons exist in servers only
        guild = interaction.guild.name if interaction.guild else ""
        person = await self.person(interaction.guild_id, guild, interaction.user)
        return Actor(
            community=await self.community(interaction.guild_id, guild),
            person=person,
            moderator=moderates(interaction.permissions),
            platform_time=round(interaction.created_at.timestamp() * 1000),
            key=str(interaction.id),
            roles=roles_of(interaction.user),
            channel=channel_of(interaction.channel, interaction.channel_id),
        )

    async def of_message(self, message: discord.Message) -> Actor:
        """Who wrote a message. What may be typed needs no rights, so none are looked up."""
        assert message.guild is not None
        person = await self.person(message.guild.id, message.guild.name, message.author)
        return Actor(
            community=await self.community(message.guild.id, message.guild.name),
            person=person,
            platform_time=round(message.created_at.timestamp() * 1000),
            key=str(message.id),
            roles=roles_of(message.author),
            channel=channel_of(message.channel, message.channel.id),
        )


def moderates(permissions: discord.Permissions) -> bool:
    """Who may moderate a server's messages, or manage the server, moderates debates too."""
    return permissions.administrator or permissions.manage_guild or permissions.manage_messages


def moderates_everywhere(interaction: discord.Interaction) -> bool:
    """Whether somebody moderates the whole server. What a channel grants them there settles nothing elsewhere."""
    user = interaction.user
    if not moderates(interaction.permissions) or not isinstance(user, discord.Member):
        return False
    return user.guild.default_role is not None and moderates(user.guild_permissions)


def channel_of(channel: object, id: int | None) -> str:
    """A channel's id; of a thread that of the channel it belongs to."""
    return str(channel.parent_id if isinstance(channel, discord.Thread) else id)


def roles_of(user: discord.abc.User) -> frozenset[str]:
    roles = user.roles if isinstance(user, discord.Member) else ()
    return frozenset(str(role.id) for role in roles)


def _remember(memory: OrderedDict[Any, Any], key: Any, value: Any) -> None:
    memory[key] = value
    memory.move_to_end(key)
    while len(memory) > _REMEMBERED:
        memory.popitem(last=False)
