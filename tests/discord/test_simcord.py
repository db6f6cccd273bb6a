"""The real bot against simcord's Discord: commands, permissions, forms, restarts, and calls that fail.

simcord keeps the time of what it starts itself, the callbacks; the matches belong to the bot's home and run in real
time, only fast. So a step of a person is settled when it returns, and what a match does is waited for.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import discord
import pytest
import simcord
from simcord.builders import ChannelHandle
from simcord.results import InteractionResult

from bot.rules.match import Match, Status
from bot.settings import Settings
from bot.venues.discord import ids
from cogs.discord import create_bot
from cogs.discord.bot import Rostrum

SPEED = 20.0
ALL = {
    *("start", "leave", "back", "pass", "begin", "pause", "resume", "skip", "cancel", "void", "replace", "status"),
    *("motions", "personas", "help", "block", "unblock", "report"),
    *(f"setup {name}" for name in ("show", "check", "debates", "people", "channel", "reports", "words", "persona")),
}


class Stage:
    """A server with a channel and people, and the bot in it."""

    def __init__(self, env: simcord.Env, folder: Path) -> None:
        self.env = env
        self.folder = folder
        self.guild = env.create_guild("Debating Society")
        self.channel = self.guild.create_text_channel("debates")
        admins = self.guild.create_role("Admins", permissions=discord.Permissions(manage_guild=True))
        self.ann = self.guild.add_member(env.create_user("Ann"))
        self.ben = self.guild.add_member(env.create_user("Ben"))
        self.eve = self.guild.add_member(env.create_user("Eve"), roles=[admins])

    @property
    def bot(self) -> Rostrum:
        assert isinstance(self.env.bot, Rostrum)
        return self.env.bot

    async def open(self, **options: Any) -> discord.Message:
        """Ann opens a lobby: its message."""
        answer = await self.ann.slash(
            self.channel, "debate start", **{"format": "duel", "tempo": "blitz", "judges": 3, **options}
        )
        assert "The lobby is open" in said(answer), said(answer)
        return await self.card(self.channel, "Join as debater")

    async def running(self, **options: Any) -> tuple[ChannelHandle, discord.Message]:
        """A match in which Ann debates and Ben judges: its thread, and the call for Ann's turn."""
        lobby = await self.open(**options)
        assert said(await self.ann.click(lobby, label="Join as debater")) == "You are on seat P0."
        assert said(await self.ben.click(lobby, label="Join as judge")) == "You are on seat J0."
        assert said(await self.ann.click(lobby, label="Start now")) == "The debate begins."
        thread = await until(lambda: next(iter(self.channel.threads), None))
        return thread, await self.card(thread, "Speak")

    async def card(self, channel: ChannelHandle, label: str, *, after: int = 0) -> discord.Message:
        """The newest message with such a button, once there is one."""

        def look() -> discord.Message | None:
            found = [one for one in channel.history() if one.id > after and label in buttons(one)]
            return found[-1] if found else None

        return await until(look)

    async def text(self, channel: ChannelHandle, wanted: str, *, within: float = 10.0) -> discord.Message:
        """The newest message that says so, once there is one."""
        return await until(
            lambda: next((one for one in reversed(channel.history()) if wanted in words_of(one)), None), within
        )

    async def match(self, message: discord.Message) -> Match:
        """The match that a message's buttons are about."""
        found = await self.bot.home.run(self.bot.services.host.state(match_of(message)))
        assert found is not None
        return found

    async def ends(self, message: discord.Message) -> Match:
        return await until(lambda: self._over(message))

    async def _over(self, message: discord.Message) -> Match | None:
        match = await self.match(message)
        return match if match.over else None

    async def restart(self) -> None:
        """Another process takes over from this one."""
        await self.bot.close()
        await self.env.restart_bot(make(self.folder))


def make(folder: Path, **options: Any) -> Rostrum:
    settings = Settings(
        database_url=f"sqlite:///{folder}/rostrum.db",
        data_dir=folder,
        sound=False,
        speed=SPEED,
        discord_message_content=True,
        _env_file=None,  # pyright: ignore[reportCallIssue] # it sees the fields only
        **options,
    )
    return create_bot(settings, shard_count=1)


@contextlib.asynccontextmanager
async def set_up(folder: Path) -> AsyncIterator[Stage]:
    async with simcord.run(make(folder)) as env:
        try:
            yield Stage(env, folder)
        finally:
            assert isinstance(env.bot, Rostrum)
            await env.bot.close()
            assert env.errors == []


def on_stage(test: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """Give a test its stage. simcord must be entered and left in one context, and a fixture's two halves have two."""
    _, *others = inspect.signature(test).parameters.values()

    async def run(tmp_path: Path, **arguments: Any) -> None:
        async with set_up(tmp_path) as stage:
            await test(stage, **arguments)

    run.__name__ = test.__name__
    folder = inspect.Parameter("tmp_path", inspect.Parameter.KEYWORD_ONLY)
    run.__signature__ = inspect.Signature([folder, *(one.replace(kind=folder.kind) for one in others)])
    return run


async def until(look: Callable[[], Any], within: float = 10.0) -> Any:
    """What `look` finds, as soon as it finds anything."""
    end = time.monotonic() + within
    while True:
        found = look()
        if isinstance(found, Awaitable):
            found = await found
        if found:
            return found
        assert time.monotonic() < end, "it did not happen in time"
        await asyncio.sleep(0.01)


def said(result: InteractionResult) -> str:
    """What a person was answered, and that only they read it."""
    messages = [*([result.response] if result.response else []), *result.followups]
    assert all(one.ephemeral for one in messages)
    parts = [one.content for one in messages]
    for message in messages:
        for embed in message.embeds:
            parts += [embed.title or "", embed.description or "", *(f"{f.name} {f.value}" for f in embed.fields)]
    return "\n".join(part for part in parts if part)


def words_of(message: discord.Message) -> str:
    parts = [message.content]
    for embed in message.embeds:
        parts += [embed.author.name or "", embed.title or "", embed.description or ""]
        parts += [f"{field.name} {field.value}" for field in embed.fields]
    return "\n".join(parts)


def buttons(message: discord.Message) -> list[str]:
    return [
        item.label or ""
        for row in message.components
        if isinstance(row, discord.ActionRow)
        for item in row.children
        if isinstance(item, discord.Button) and not item.disabled
    ]


def match_of(message: discord.Message) -> str:
    for row in message.components:
        if isinstance(row, discord.ActionRow):
            for item in row.children:
                if isinstance(item, discord.Button) and item.custom_id:
                    return ids.parse(item.custom_id).match
    raise AssertionError("no button")


def syncs(stage: Stage) -> int:
    return sum(one.method == "PUT" and one.path.endswith("/commands") for one in stage.env.http_requests)


# ------------------------------------------------------------------------------------------------- commands


@on_stage
async def test_every_command_is_known_and_answers(stage: Stage) -> None:
    names = {name.removeprefix("debate ") for name in stage.eve.available_commands(stage.channel)}
    assert names == ALL
    needed: dict[str, dict[str, Any]] = {
        "replace": {"seat": "P0"},
        "block": {"user": stage.ben},
        "unblock": {"user": stage.ben},
        "setup channel": {"channel": stage.channel},
        "setup persona": {"persona": "quill"},
    }
    for name in sorted(ALL - {"start"}):
        answer = await stage.eve.slash(stage.channel, f"debate {name}", **needed.get(name, {}))
        assert said(answer), name
        assert "went wrong on our side" not in said(answer), name


async def test_commands_are_sent_once(tmp_path: Path) -> None:
    async with set_up(tmp_path) as stage:
        assert syncs(stage) == 1
        await stage.restart()
        assert syncs(stage) == 1
        assert "Rostrum" in said(await stage.ann.slash(stage.channel, "debate help"))
        await stage.bot.close()
        changed = make(tmp_path)
        changed.tree.remove_command("Report to the moderators", type=discord.AppCommandType.message)
        await stage.env.restart_bot(changed)
        assert syncs(stage) == 2


@on_stage
async def test_motions_are_offered_by_category_and_by_word(stage: Stage) -> None:
    by_category: dict[str, list[str]] = {}
    for motion in stage.bot.motions:
        by_category.setdefault(motion.category, []).append(motion.text)
    for category, texts in by_category.items():
        offered = await stage.ann.autocomplete(stage.channel, "debate start", "motion", "", category=category)
        assert {one["name"].removesuffix("…") for one in offered} <= {text[:99] for text in texts} | set(texts)
        assert len(offered) == min(25, len(texts))
    word = stage.bot.motions[0].text.split()[1]
    offered = await stage.ann.autocomplete(stage.channel, "debate start", "motion2", word.upper())
    assert offered and all(word.lower() in one["name"].lower() for one in offered)
    assert await stage.ann.autocomplete(stage.channel, "debate start", "motion", "no such words at all") == []


@on_stage
async def test_personas_and_seats_are_offered(stage: Stage) -> None:
    offered = await stage.ann.autocomplete(stage.channel, "debate personas", "persona", "")
    assert [one["value"] for one in offered] == [persona.id for persona in stage.bot.personas][:25]
    first = stage.bot.personas[0]
    assert first.name in said(await stage.ann.slash(stage.channel, "debate personas", persona=first.id))
    seats = await stage.ann.autocomplete(stage.channel, "debate start", "ai-seats", "", format="doubles")
    assert [one["value"] for one in seats] == ["all", "debaters", "judges", "P0", "P1", "P2", "P3"]


# ------------------------------------------------------------------------------------------------- permissions


@pytest.mark.parametrize(
    "lacking", ["create_public_threads", "send_messages_in_threads", "embed_links", "attach_files", "send_messages"]
)
@on_stage
async def test_no_debate_starts_where_permissions_lack(stage: Stage, lacking: str) -> None:
    assert stage.bot.user is not None
    denied = discord.PermissionOverwrite(**{lacking: False})
    quiet = stage.guild.create_text_channel("quiet", overwrites={stage.bot.user: denied})
    answer = said(await stage.ann.slash(quiet, "debate start", format="duel"))
    assert (
        answer == f"I lack permissions in this channel: {lacking.replace('_', ' ').title()}. An admin can grant them."
    )
    assert quiet.history() == []
    assert lacking.replace("_", " ").title() in said(await stage.eve.slash(quiet, "debate setup check"))


@on_stage
async def test_settings_are_for_those_who_manage_the_server(stage: Stage) -> None:
    for command in ("show", "check", "debates", "words"):
        refused = said(await stage.ann.slash(stage.channel, f"debate setup {command}"))
        assert "moderator" in refused.lower(), refused
    await stage.eve.slash(stage.channel, "debate setup people", **{"who-may-start": "moderators"})
    refused = said(await stage.ann.slash(stage.channel, "debate start", format="duel"))
    assert "The lobby is open" not in refused and refused
    assert stage.channel.history() == []


@on_stage
async def test_no_debate_starts_in_a_thread(stage: Stage) -> None:
    thread, _ = await stage.running()
    assert "threads cannot have threads" in said(await stage.ben.slash(thread, "debate start", format="duel"))


# ------------------------------------------------------------------------------------------------- the lobby


@on_stage
async def test_join_leave_and_cancel(stage: Stage) -> None:
    lobby = await stage.open()
    assert said(await stage.ann.click(lobby, label="Join as debater")) == "You are on seat P0."
    assert "P0" in said(await stage.ann.click(lobby, label="Join as judge"))
    assert said(await stage.ben.click(lobby, label="Join as debater")) == "You are on seat P1."
    assert "seat" in said(await stage.eve.click(lobby, label="Join as debater")).lower()
    await stage.text(stage.channel, "Ben")
    assert "host" in said(await stage.ben.click(lobby, label="Start now")).lower()
    assert "host" in said(await stage.ben.click(lobby, label="Cancel")).lower()
    assert said(await stage.ben.click(lobby, label="Leave"))
    assert (await stage.match(lobby)).seats["P1"].holder is None
    assert said(await stage.ann.click(lobby, label="Cancel"))
    over = await stage.match(lobby)
    assert over.status is Status.CANCELLED
    await until(lambda: not buttons(stage.channel.history()[0]))


@on_stage
async def test_a_seat_is_picked(stage: Stage) -> None:
    lobby = await stage.open(format="doubles", **{"ai-seats": "P1"})
    picker = await stage.ann.click(lobby, label="Choose a seat")
    assert picker.response is not None
    offered = [one["value"] for one in picker.response.components[0]["components"][0]["options"]]
    assert offered == ["P0", "P2", "P3", "J0", "J1", "J2"]
    chosen = await stage.ann.select(picker.response, ["P3"])
    assert said(chosen) == "You are on seat P3."


# ------------------------------------------------------------------------------------------------- a match


@on_stage
async def test_speaking_and_voting(stage: Stage) -> None:
    thread, call = await stage.running()
    assert "not you" in said(await stage.ben.click(call, label="Speak"))
    form = await stage.ann.click(call, label="Speak")
    assert form.modal is not None and form.modal["custom_id"].startswith("say:")
    sent = await stage.ann.submit_modal(form, {"text": "I have *one* point, @everyone."})
    assert said(sent) == "Said."
    spoken = await stage.text(thread, "I have \\*one\\* point")
    assert spoken.content == "" and not spoken.mention_everyone
    vote = await stage.card(thread, "Vote Pro")
    form = await stage.ben.click(vote, label="Vote Pro")
    assert form.modal is not None and form.modal["title"] == "You vote Pro"
    counted = said(await stage.ben.submit_modal(form, {"reason": "It was clearer."}))
    assert "went wrong on our side" not in counted and counted
    await stage.text(thread, "It was clearer.")
    assert (await stage.ends(vote)).status is Status.FINISHED


@on_stage
async def test_typing_counts_too(stage: Stage) -> None:
    thread, _ = await stage.running()
    await stage.ann.send(thread, "I type what I think.")
    await until(lambda: sum("I type what I think." in words_of(one) for one in thread.history()))


# ------------------------------------------------------------------------------------------------- restarts


@on_stage
async def test_old_buttons_and_forms_work_after_a_restart(stage: Stage) -> None:
    lobby = await stage.open()
    await stage.restart()
    assert said(await stage.ann.click(lobby, label="Join as debater")) == "You are on seat P0."
    await stage.restart()
    assert said(await stage.ann.click(lobby, label="Start now")) == "The debate begins."
    thread = await until(lambda: next(iter(stage.channel.threads), None))
    call = await stage.card(thread, "Speak")
    form = await stage.ann.click(call, label="Speak")
    await stage.restart()
    assert said(await stage.ann.submit_modal(form, {"text": "Sent in to another process."})) == "Said."
    await stage.text(thread, "Sent in to another process.")
    assert len(stage.channel.threads) == 1
    assert stage.bot.is_up


@on_stage
async def test_a_button_nobody_knows_is_answered(stage: Stage) -> None:
    lobby = await stage.open()
    stored = stage.env.backend.get_message(stage.channel.id, lobby.id)
    stored.components[0]["components"][0]["custom_id"] = "an old kind of button"
    assert "too old" in said(await stage.ann.click(lobby, custom_id="an old kind of button"))


# ------------------------------------------------------------------------------------------------- calls that fail


@pytest.mark.parametrize(("status", "code"), [(403, 50013), (403, 50001), (404, 10003), (500, 0)])
@on_stage
async def test_no_lobby_without_its_message(stage: Stage, status: int, code: int) -> None:
    stage.env.inject_error("POST", "/channels/*/messages", status=status, code=code, times=None)
    answer = await stage.ann.slash(stage.channel, "debate start", format="duel")
    assert "could not post the lobby" in said(answer)
    assert not list(stage.bot.threads.live())
    stage.env.backend.faults.clear()
    await stage.open()


@pytest.mark.parametrize(("status", "code"), [(404, 10062), (400, 40060), (403, 50001), (500, 0)])
@on_stage
async def test_an_answer_that_is_refused_stops_nothing(stage: Stage, status: int, code: int) -> None:
    lobby = await stage.open()
    stage.env.inject_error("POST", "/interactions/*/*/callback", status=status, code=code)
    stage.env.inject_error("POST", "/webhooks/*", status=status, code=code)
    await stage.ann.click(lobby, label="Join as debater")
    stage.env.backend.faults.clear()
    assert (await stage.match(lobby)).seats["P0"].holder is not None
    assert said(await stage.ben.click(lobby, label="Join as debater")) == "You are on seat P1."


@pytest.mark.parametrize(("status", "code"), [(403, 50013), (404, 10008), (500, 0)])
@on_stage
async def test_a_lobby_that_cannot_be_edited_fills_all_the_same(stage: Stage, status: int, code: int) -> None:
    lobby = await stage.open()
    stage.env.inject_error("PATCH", "/channels/*/messages/*", status=status, code=code)
    assert said(await stage.ann.click(lobby, label="Join as debater")) == "You are on seat P0."
    assert said(await stage.ben.click(lobby, label="Join as judge")) == "You are on seat J0."
    assert said(await stage.ann.click(lobby, label="Start now")) == "The debate begins."
    thread = await until(lambda: next(iter(stage.channel.threads), None))
    await stage.card(thread, "Speak")


@pytest.mark.parametrize(("status", "code"), [(403, 50013), (404, 10003)])
@on_stage
async def test_a_match_without_a_thread_ends(stage: Stage, status: int, code: int) -> None:
    lobby = await stage.open()
    await stage.ann.click(lobby, label="Join as debater")
    stage.env.inject_error("POST", "/channels/*/messages/*/threads", status=status, code=code, times=None)
    await stage.ann.click(lobby, label="Start now")
    assert (await stage.ends(lobby)).status is Status.CANCELLED
    assert "went wrong on our side" not in said(await stage.ann.slash(stage.channel, "debate status"))


@pytest.mark.parametrize(("status", "code"), [(403, 50001), (404, 10003)])
@on_stage
async def test_a_match_whose_thread_takes_nothing_ends(stage: Stage, status: int, code: int) -> None:
    thread, call = await stage.running()
    stage.env.inject_error("POST", f"/channels/{thread.id}/messages", status=status, code=code, times=None)
    form = await stage.ann.click(call, label="Speak")
    assert said(await stage.ann.submit_modal(form, {"text": "Nobody will read this."}))
    assert (await stage.ends(call)).status is Status.CANCELLED


@on_stage
async def test_a_post_that_fails_for_a_while_is_posted_once(stage: Stage) -> None:
    thread, call = await stage.running()
    stage.env.inject_error("POST", f"/channels/{thread.id}/messages", status=500, times=2)
    form = await stage.ann.click(call, label="Speak")
    assert said(await stage.ann.submit_modal(form, {"text": "Said in bad weather."})) == "Said."
    await stage.text(thread, "Said in bad weather.")
    await asyncio.sleep(0.3)
    assert sum("Said in bad weather." in words_of(one) for one in thread.history()) == 1


@on_stage
async def test_the_form_that_cannot_be_opened_leaves_the_turn_open(stage: Stage) -> None:
    _, call = await stage.running()
    stage.env.inject_error("POST", "/interactions/*/*/callback", status=500)
    await stage.ann.click(call, label="Speak")
    form = await stage.ann.click(call, label="Speak")
    assert said(await stage.ann.submit_modal(form, {"text": "At the second try."})) == "Said."
