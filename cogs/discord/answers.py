"""Answering an interaction: in time, once, for the person alone, and never with silence.

Discord wants a first answer within three seconds. Work that takes longer than ACK_S is acknowledged first and answered
when it is done, whatever the minds or the database do meanwhile. Errors end here, in words.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import discord

from bot.actions.actor import Reply
from bot.host.ports import StoreError
from bot.messages.words import Words
from bot.venues.discord.errors import ARCHIVED
from bot.venues.discord.payload import Payload, Upload, for_send
from bot.venues.discord.text import People as Shown
from bot.venues.discord.text import rich
from cogs.discord.home import Home

log = logging.getLogger(__name__)

ACK_S = 0.7
_LONGEST = 1_900
GONE, ANSWERED = 10062, 40060
"""Unknown interaction: its three seconds are over. Already acknowledged: another answer was first."""
_NOBODY_THERE = {10003, 10008, 10015, 50001, 50027, 50083}
"""The channel, the message or the answer's token is gone, or the thread is archived: there is nothing to answer to."""

_COMMAND = re.compile(r"\\`\\/([a-z]+(?: [a-z]+)*)\\`")
"""A command in an answer, escaped with everything else in it."""

Answer = Reply | Payload | str


class Answers:
    """Gives people their answers."""

    def __init__(
        self, home: Home, say: Words, names: Callable[[Reply], Awaitable[Shown]], ack_s: float = ACK_S
    ) -> None:
        self._home = home
        self._say = say
        self._names = names
        self._ack_s = ack_s

    async def give(self, interaction: discord.Interaction, work: Coroutine[Any, Any, Answer]) -> None:
        """Do the work and answer with what it returns. Never raises."""
        task = self._home.spawn(self._worded(interaction, work), name=f"answer {interaction.id}")
        done, _ = await asyncio.wait({task}, timeout=self._ack_s)
        if not done:
            await self._safely(interaction, lambda: interaction.response.defer(ephemeral=True, thinking=True))
        payload = await asyncio.shield(task)
        await self._safely(interaction, lambda: self._send(interaction, payload))

    async def modal(self, interaction: discord.Interaction, modal: discord.ui.Modal) -> None:
        """Open a form. discord.py keeps no record of it: what is sent in is read by its id, after a restart too."""
        modal.stop()
        await self._safely(interaction, lambda: interaction.response.send_modal(modal))

    async def _worded(self, interaction: discord.Interaction, work: Coroutine[Any, Any, Answer]) -> Payload:
        try:
            answer = await work
            if isinstance(answer, Payload):
                return answer
            return await self._shown(Reply(answer) if isinstance(answer, str) else answer)
        except StoreError as error:
            log.error("%s could not be answered: %s", interaction.id, error)
            return Payload(content=self._say("rejection.store_trouble"))
        except Exception:
            log.exception("interaction %s failed", interaction.id)
            return Payload(content=self._say("discord.failed", reference=interaction.id))

    async def _shown(self, reply: Reply) -> Payload:
        """A long answer (somebody's own text handed back) goes along as a file."""
        people = await self._names(reply)
        text = _COMMAND.sub(r"`/\1`", "".join(rich(reply.text, people)))
        if len(text) <= _LONGEST:
            return Payload(content=text or self._say("discord.done"))
        return Payload(
            content=self._say("discord.long_answer"),
            uploads=(Upload("answer.txt", people.named(reply.text).encode("utf-8", "replace")),),
        )

    @staticmethod
    async def _send(interaction: discord.Interaction, payload: Payload) -> None:
        arguments = for_send(payload)
        if interaction.response.is_done():
            await interaction.followup.send(ephemeral=True, **arguments)
        else:
            await interaction.response.send_message(ephemeral=True, **arguments)

    async def _safely(self, interaction: discord.Interaction, call: Callable[[], Awaitable[object]]) -> None:
        """What Discord refuses of an answer concerns nobody but its reader."""
        try:
            try:
                await call()
            except discord.HTTPException as error:
                if error.code != ARCHIVED or not await self._reopened(interaction):
                    raise
                await call()
        except discord.HTTPException as error:
            if error.code in (GONE, ANSWERED) or error.code in _NOBODY_THERE:
                log.info("interaction %s had its answer or nobody waits for it: %s", interaction.id, error)
            else:
                log.warning("interaction %s could not be answered: %s", interaction.id, error)
        except (discord.InteractionResponded, TimeoutError, OSError) as error:
            log.info("interaction %s could not be answered: %r", interaction.id, error)

    @staticmethod
    async def _reopened(interaction: discord.Interaction) -> bool:
        """Open an archived thread: a message does so by itself, an answer to a click in it is refused."""
        thread = interaction.channel
        if not isinstance(thread, discord.Thread) or thread.locked:
            return False
        await interaction.client.http.edit_channel(thread.id, archived=False)
        return True
