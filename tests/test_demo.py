"""The command line as its user meets it: real processes, a real database, real sound, and kill -9."""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import soundfile

from tests.verifier import verify

ROOT = Path(__file__).parent.parent
TIMEOUT_S = 110


class Shell:
    """`python -m bot` in a folder of its own, with nothing configured."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ROSTRUM_")}
        self.env = {**kept, "HOME": str(folder), "PYTHONPATH": str(ROOT)}

    def command(self, *args: str) -> list[str]:
        return [sys.executable, "-m", "bot", *args]

    def run(self, *args: str, code: int | None = 0, input: str = "") -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            self.command(*args),
            cwd=self.folder,
            env=self.env,
            input=input,
            check=False,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
        )
        assert code is None or done.returncode == code, (
            f"exit {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        )
        return done

    def record(self, which: str = "latest") -> dict[str, Any]:
        return json.loads(self.run("export", which, "--as", "json").stdout)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def same_but_for_its_id(record: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key not in ("match", "resumed", "pauses")}


# ------------------------------------------------------------------------------------------------- playing


def test_a_classic_match_is_played_recorded_and_exported(shell: Shell) -> None:
    shown = shell.run("demo", "--speed", "max", "--no-sound", "--seed", "3").stdout
    record = shell.record()
    assert verify(record, exact=True) == []
    match_id = re.findall(r"^Match (\w+)$", shown, re.MULTILINE)[-1]
    assert record["match"] == match_id
    assert json.loads((shell.folder / "data" / match_id / "record.json").read_text("utf-8")) == record
    for entry in record["rounds"]:
        for turn in entry["turns"]:
            first_words = " ".join(turn["text"].split()[:3])
            assert first_words in shown
    assert "\x1b" not in shown
    assert max(len(line.rstrip()) for line in shown.splitlines() if not line.startswith(("Record", "Transcript"))) <= 80


def test_the_same_seed_plays_the_same_match(shell: Shell) -> None:
    for _ in range(2):
        shell.run("demo", "--speed", "max", "--no-sound", "--seed", "11", "--format", "doubles")
    ids = re.findall(r"^(\w{10}) ", shell.run("matches").stdout, re.MULTILINE)
    assert len(ids) == 2
    first, second = (shell.record(id) for id in ids)
    assert same_but_for_its_id(first) == same_but_for_its_id(second)
    assert first["match"] != second["match"]


def test_exporting_twice_gives_the_same_bytes_and_markdown_shows_every_turn(shell: Shell) -> None:
    shell.run("demo", "--speed", "max", "--no-sound", "--format", "duel", "--motion", "Cats *should* rule the world")
    once, twice = (shell.run("export", "latest").stdout for _ in range(2))
    assert once == twice
    page = shell.run("export", "latest", "--as", "markdown").stdout
    assert r"Cats \*should\* rule the world" in page
    assert page.count("\n> ") >= len(json.loads(once)["rounds"][0]["turns"])


def test_a_replay_shows_what_was_shown(shell: Shell) -> None:
    played = shell.run("demo", "--speed", "max", "--no-sound", "--format", "duel").stdout
    again = shell.run("replay", "latest").stdout
    assert again.strip() in played


def test_sound_is_a_clip_of_every_speech_on_disk(shell: Shell) -> None:
    shell.run("demo", "--speed", "max", "--format", "duel", "--seed", "5", "--out", "there")
    record = shell.record()
    folder = shell.folder / "there" / record["match"]
    for turn in record["rounds"][0]["turns"]:
        clip = turn["clip"]
        with soundfile.SoundFile(folder / clip["file"]) as sound:
            assert sound.format == "OGG" and sound.subtype == "OPUS"
            assert abs(len(sound) / sound.samplerate - clip["seconds"]) < 0.3
        assert 100 <= len(turn["text"].split()) / clip["seconds"] * 60 <= 230, "words a minute"

    shell.run("recap", "latest", "--out", "all.ogg", "--clips", "there")
    spoken = sum(turn["clip"]["seconds"] for turn in record["rounds"][0]["turns"])
    assert spoken < soundfile.info(shell.folder / "all.ogg").duration < spoken + 90
    chapters = (shell.folder / "all.txt").read_text("utf-8").splitlines()
    assert len(chapters) == len(record["rounds"][0]["turns"]) + 2, "the motion, each turn, the verdict"
    assert chapters[0].startswith("00:00:00.000 Round 1: ")


def test_a_person_takes_a_seat_by_a_pipe_and_is_heard(shell: Shell) -> None:
    """What is typed before anybody asked is refused in words; when the input ends an AI takes the seat over."""
    done = shell.run(
        # P1 speaks second, seconds after the lines were read, however slow the machine.
        *("demo", "--speed", "10", "--no-sound", "--format", "duel"),
        *("--human", "P1", "--name", "Ann", "--tempo", "blitz"),
        input="/help\n/fly\nToo early.\n",
    )
    assert "While you have the floor" in done.stdout
    assert "There is no /fly" in done.stdout
    assert "Nobody has the floor right now" in done.stdout
    record = shell.record()
    seat = record["seats"][1]
    assert (seat["kind"], seat["name"]) == ("human", "Ann")
    assert [change["kind"] for change in seat["replaced"]] == ["ai"]
    assert record["status"] == "finished"


def test_a_person_speaks_under_the_clock(shell: Shell) -> None:
    with subprocess.Popen(
        shell.command("demo", "--speed", "20", "--no-sound", "--format", "duel", "--human", "P1", "--tempo", "blitz"),
        cwd=shell.folder,
        env=shell.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        spoken = 0
        for line in process.stdout:
            if "you have the floor" in line.lower():
                move = "/argue " if spoken in (1, 2) else ""
                too_long = "x" * 600 + "\n" if spoken == 0 else ""
                process.stdin.write(f"{too_long}{move}My point number {spoken}.\n")
                process.stdin.flush()
                spoken += 1
        assert process.wait(TIMEOUT_S) == 0
    record = shell.record()
    mine = [turn for turn in record["rounds"][0]["turns"] if turn["seat"] == "P1"]
    assert [turn["text"] for turn in mine] == [f"My point number {n}." for n in range(4)]
    assert {turn["source"] for turn in mine} == {"person"}
    assert verify(record) == []


# ------------------------------------------------------------------------------------------------- kill -9


def killed_and_resumed(shell: Shell, after_s: float, *options: str) -> dict[str, Any]:
    """Start a demo, kill it after a while, resume it until it ends; returns the record."""
    log = shell.folder / "out.txt"
    with log.open("w") as out:
        process = subprocess.Popen(
            shell.command("demo", *options),
            cwd=shell.folder,
            env=shell.env,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        )
        time.sleep(after_s)
        process.send_signal(signal.SIGKILL)
        process.wait()
    shell.run("demo", "--resume", *options)
    return shell.record()


def kills(shell: Shell, times: int, rng: random.Random, *options: str) -> int:
    """Kill a demo so many times, each time a new one; returns how many of the kills hit a match in play."""
    options = ("--seed", "21", *options)
    began = time.monotonic()
    shell.run("demo", *options)
    took = time.monotonic() - began
    whole = shell.record()
    assert verify(whole, exact=True) == []
    resumed = 0
    for number in range(times):
        folder = shell.folder / f"kill-{number}"
        folder.mkdir()
        victim = Shell(folder)
        after_s = rng.uniform(0.3, max(0.5, took))
        record = killed_and_resumed(victim, after_s, *options)
        assert same_but_for_its_id(record) == same_but_for_its_id(whole), f"killed after {after_s:.3f} s"
        assert len(victim.run("matches").stdout.splitlines()) == 2, "one match, however often it was started"
        for clip in (turn["clip"] for entry in record["rounds"] for turn in entry["turns"]):
            assert clip is None or (folder / "data" / record["match"] / clip["file"]).is_file()
        resumed += record["resumed"]
    return resumed


def test_killed_at_random_moments_the_match_is_the_same(shell: Shell) -> None:
    kills(shell, 3, random.Random(), "--speed", "max", "--no-sound", "--format", "doubles")


@pytest.mark.soak
def test_killed_at_fifty_random_moments_the_match_is_the_same(shell: Shell) -> None:
    assert kills(shell, 50, random.Random(1), "--speed", "max", "--no-sound", "--format", "classic") >= 5


@pytest.mark.soak
def test_killed_with_sound_the_match_and_its_clips_are_the_same(shell: Shell) -> None:
    kills(shell, 10, random.Random(2), "--speed", "max", "--format", "duel")


def spoken(record: dict[str, Any]) -> list[tuple[int, int, str]]:
    return [(entry["round"], turn["n"], turn["text"]) for entry in record["rounds"] for turn in entry["turns"]]


def kills_on_a_running_clock(shell: Shell, times: int, rng: random.Random) -> None:
    """At a real speed the times differ from run to run, but not one turn, word, vote or point does."""
    speed = 60
    options = ("--seed", "22", "--speed", str(speed), "--no-sound", "--format", "duel")
    began = time.monotonic()
    shell.run("demo", *options)
    took = time.monotonic() - began
    whole = shell.record()
    for number in range(times):
        folder = shell.folder / f"kill-{number}"
        folder.mkdir()
        record = killed_and_resumed(Shell(folder), rng.uniform(1.0, took), *options)
        assert spoken(record) == spoken(whole)
        assert record["standings"] == whole["standings"]
        # A second of wall time is a minute of the match's at this speed, so the tolerance is wide; order is not.
        assert verify(record, tolerance=speed * 1.0) == []
        for pause in record["pauses"]:
            assert (pause["by"], pause["why"]) == ("system", "downtime")


def test_killed_on_a_running_clock_not_a_word_is_lost(shell: Shell) -> None:
    kills_on_a_running_clock(shell, 1, random.Random())


@pytest.mark.soak
def test_killed_ten_times_on_a_running_clock_not_a_word_is_lost(shell: Shell) -> None:
    kills_on_a_running_clock(shell, 10, random.Random(3))


def test_an_interrupt_says_how_to_go_on(shell: Shell) -> None:
    with subprocess.Popen(
        shell.command("demo", "--speed", "20", "--no-sound", "--format", "duel"),
        cwd=shell.folder,
        env=shell.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "Opening" in line:
                break
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 130
    assert "--resume" in errors
    assert "Traceback" not in errors
    shell.run("demo", "--resume", "--no-sound")
    assert shell.record()["status"] == "finished"


# ------------------------------------------------------------------------------------------------- bad input


def refused(shell: Shell, *args: str, says: str, code: int = 1) -> None:
    done = shell.run(*args, code=code)
    text = " ".join((done.stderr + done.stdout).split())
    assert says in text, text
    assert "Traceback" not in text
    if (shell.folder / "rostrum.db").exists():
        with sqlite3.connect(shell.folder / "rostrum.db") as database:
            assert database.execute("select count(*) from matches").fetchone() == (0,), "nothing half-written"


@pytest.mark.parametrize(
    ("options", "says", "code"),
    [
        (("--format", "nonsense"), "There is no format 'nonsense'", 1),
        (("--format", "broken.toml"), "broken.toml: pace_s", 1),
        (("--format", "missing.toml"), "missing.toml cannot be read", 1),
        (("--motion", "ai-jbos"), "Did you mean ai-jobs?", 1),
        (("--motion", " "), "A motion needs some words", 1),
        (("--format", "duel", *["--motion", "ai-jobs"] * 2), "The same motion is named twice", 1),
        (("--format", "duel", "--motion", "ai-jobs", "--motion", "zoos"), "at most 1 motion", 1),
        (("--human", "P9"), "There is no seat P9", 1),
        (("--human", "P0", "--speed", "max"), "nobody could keep up", 1),
        (("--seed", "seven"), "'--seed': Input should be a valid integer", 2),
        (("--seed", "-1"), "'--seed': Input should be greater", 2),
        (("--speed", "fast"), "fast", 2),
        (("--speed", "0"), "A speed is above 0", 2),
        (("--speed", "nan"), "A speed is above 0", 2),
        (("--tempo", "hasty"), "hasty", 2),
        (("--judges", "15"), "There are not enough AIs", 1),
        (("--name", " \u200b"), "A name has 1 to 40 characters", 1),
        (("--out", "broken.toml"), "cannot be written", 1),
        (("--judges", "0"), "'--judges': Input should be greater", 2),
        (("--database", "oracle://x"), "sqlite", 1),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(
    shell: Shell, options: tuple[str, ...], says: str, code: int
) -> None:
    source = (ROOT / "bot/rules/formats/duel.toml").read_text("utf-8")
    (shell.folder / "broken.toml").write_text(source.replace("pace_s = 10", 'pace_s = "soon"'))
    refused(shell, "demo", "--no-sound", *options, says=says, code=code)


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_a_closed_stream_is_no_reason_to_stop(shell: Shell, closed: str) -> None:
    line = f"{shlex.join(shell.command('demo', '--no-sound', '--speed', 'max', '--format', 'duel'))} {closed}"
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=shell.folder,
        env=shell.env,
        check=False,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert shell.record()["status"] == "finished"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_under_standard_output_ends_with_a_message(shell: Shell) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            shell.command("demo", "--no-sound", "--speed", "max", "--format", "duel"),
            cwd=shell.folder,
            env=shell.env,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=TIMEOUT_S,
        )
    assert done.returncode != 0
    assert "No space left" in done.stderr


def test_a_pause_at_the_end_of_the_input_does_not_last(shell: Shell) -> None:
    shell.run(
        *("demo", "--speed", "400", "--no-sound", "--format", "duel", "--human", "P0", "--tempo", "blitz"),
        input="/pause\n",
    )
    assert shell.record()["status"] == "finished"


def test_another_name_is_another_person_and_changes_no_record(shell: Shell) -> None:
    options = ("demo", "--speed", "400", "--no-sound", "--format", "duel", "--tempo", "blitz")
    shell.run(*options, "--human", "P0", "--name", "Fred")
    first = shell.run("export", "latest").stdout
    shell.run("demo", "--speed", "max", "--no-sound", "--format", "duel")
    assert shell.run("export", json.loads(first)["match"]).stdout == first
    assert json.loads(first)["seats"][0]["name"] == "Fred"


def test_a_match_that_is_not_there(shell: Shell) -> None:
    refused(shell, "export", "latest", says="There are no matches")
    refused(shell, "export", "nothing", says="There is no match nothing")
    refused(shell, "export", "latest", "--as", "pdf", says="json or markdown", code=2)
    refused(shell, "recap", "latest", "--out", "a.ogg", says="There are no matches")
    refused(shell, "recap", "latest", "--out", "a.mp3", says="ends in .ogg", code=2)


def test_a_database_that_is_no_database(shell: Shell) -> None:
    (shell.folder / "rostrum.db").write_bytes(b"this is not a database, this is a letter" * 100)
    done = shell.run("demo", "--no-sound", "--speed", "max", code=1)
    assert "Traceback" not in done.stderr
    assert "rostrum.db" in done.stderr.replace("\n", "")


def test_a_database_that_another_program_holds(shell: Shell) -> None:
    shell.run("demo", "--no-sound", "--speed", "max", "--format", "duel")
    with sqlite3.connect(shell.folder / "rostrum.db", isolation_level=None) as database:
        database.execute("begin exclusive")
        done = shell.run("demo", "--no-sound", "--speed", "max", "--format", "duel", code=1)
        database.execute("rollback")
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 4


def test_a_missing_sound_library(shell: Shell) -> None:
    fake = shell.folder / "hibari"
    fake.mkdir()
    (fake / "__init__.py").write_text("raise ImportError('no hibari here')")
    shell.env["PYTHONPATH"] = f"{shell.folder}{os.pathsep}{ROOT}"
    refused(shell, "demo", "--speed", "max", "--format", "duel", says="--no-sound")
    shell.run("demo", "--speed", "max", "--format", "duel", "--no-sound")


def test_a_full_disk_while_writing_clips_costs_the_clips_and_nothing_else(shell: Shell) -> None:
    (shell.folder / "sitecustomize.py").write_text(
        "import errno, os, pathlib\n"
        "real = pathlib.Path.write_bytes\n"
        "def full(self, data):\n"
        "    if not data.startswith(b'OggS'):\n"
        "        return real(self, data)\n"
        "    real(self, data[:1000])\n"
        "    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))\n"
        "pathlib.Path.write_bytes = full\n"
    )
    shell.env["PYTHONPATH"] = f"{shell.folder}{os.pathsep}{ROOT}"
    done = shell.run("demo", "--speed", "max", "--format", "duel", code=1)
    assert "Some clips are missing" in done.stdout
    record = shell.record()
    assert record["status"] == "finished"
    assert all(turn["clip"] is None for turn in record["rounds"][0]["turns"])
    clips = shell.folder / "data" / record["match"] / "clips"
    assert not clips.exists() or list(clips.iterdir()) == []


def test_doctor_says_what_works_and_what_is_missing(shell: Shell) -> None:
    shell.env["ROSTRUM_SUOND"] = "no"
    text = shell.run("doctor").stdout
    assert "ROSTRUM_SUOND" in text
    assert "35 motions" in " ".join(text.split())
    assert shell.run("doctor", "--quiet").stdout == ""
    shell.env["ROSTRUM_DATABASE_URL"] = "sqlite:///" + str(shell.folder / "out.txt" / "x.db")
    (shell.folder / "out.txt").write_text("a file, not a folder")
    broken = shell.run("doctor", code=1)
    assert "broken" in broken.stdout


def test_bad_settings_name_the_variable(shell: Shell) -> None:
    shell.env["ROSTRUM_SOUND"] = "loud"
    done = shell.run("matches", code=1)
    assert "ROSTRUM_SOUND" in done.stderr


def test_help_is_complete(shell: Shell) -> None:
    text = shell.run("--help").stdout
    for command in ("demo", "matches", "export", "replay", "doctor"):
        assert command in text
    text = shell.run("demo", "--help").stdout
    for option in (
        "--format",
        "--motion",
        "--seed",
        "--speed",
        "--tempo",
        "--judges",
        "--human",
        "--no-sound",
        "--out",
        "--database",
        "--resume",
    ):
        assert option in text
