"""Clips on disk: whole or absent."""

from pathlib import Path

import pytest

from bot.voice import HouseSpeaker, SpeakerError, Voice
from bot.voice.files import write_together


def nothing() -> None:
    """A commit without objections."""


async def test_a_full_disk_leaves_nothing(speaker: HouseSpeaker, tmp_path: Path) -> None:
    """The second file's temporary name leads to /dev/full, where every write fails as on a full disk."""
    (tmp_path / ".clip.mp3.part").symlink_to("/dev/full")
    with pytest.raises(SpeakerError, match=r"could not be written to .*: the disk is full"):
        await speaker.speak("Hello there.", Voice(), tmp_path / "clip", ("ogg", "mp3"))
    assert not list(tmp_path.iterdir())


async def test_a_folder_that_is_a_file_is_explained(speaker: HouseSpeaker, tmp_path: Path) -> None:
    (tmp_path / "clips").write_text("in the way")
    with pytest.raises(SpeakerError, match=r"could not be written to .*clips"):
        await speaker.speak("Hello there.", Voice(), tmp_path / "clips" / "clip")
    assert (tmp_path / "clips").read_text() == "in the way"


def test_one_file_that_cannot_be_put_in_place_takes_the_other_with_it(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "full").touch()
    with pytest.raises(SpeakerError, match="could not be written"):
        write_together({tmp_path / "a": b"1", tmp_path / "b": b"2"}, nothing)
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_nothing_is_in_place_before_the_commit_and_all_is_gone_after_a_refusal(tmp_path: Path) -> None:
    def refuse() -> None:
        assert not any(path.suffix == ".ogg" for path in tmp_path.iterdir())
        assert len(list(tmp_path.iterdir())) == 2, "both are written, under other names"
        raise KeyError("no longer wanted")

    with pytest.raises(KeyError):
        write_together({tmp_path / "a.ogg": b"1", tmp_path / "b.ogg": b"2"}, refuse)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["x" * 300, "nul\0"])
def test_names_no_disk_takes(tmp_path: Path, name: str) -> None:
    with pytest.raises((SpeakerError, ValueError)):
        write_together({tmp_path / "fine": b"1", tmp_path / name: b"2"}, nothing)
    assert not list(tmp_path.iterdir())
