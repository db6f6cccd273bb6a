"""The operator's list of words: it holds in every community, beside the community's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.community.policy import MASK, Policies, Policy, masked, pool_for, word_refusal
from bot.community.wordlist import WordFileError, WordList, read_words
from bot.rules.motion import custom_motion
from bot.settings import SettingsError, load_settings
from tests.community.test_policy import Kept

FILE = "# ours\n\nzoo*   # and zoos\nvery bad\nC#\n"


async def test_it_holds_everywhere_and_is_never_stored(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("\ufeff" + FILE.replace("C#\n", ""), "utf-8")
    store = Kept()
    policies = Policies(store, read_words(path))
    assert word_refusal(policies.known("nobody read it yet"), "A zoo.") is not None
    policy = await policies.change("club", blocked_words=("own",))
    assert isinstance(policy, Policy)
    for each in (policy, policies.known("club"), await policies.get("club")):
        assert [word_refusal(each, text) is not None for text in ("zoos", "VERY b4d", "own", "fine")] == [
            True, True, True, False,
        ]  # fmt: skip
    assert masked(policy, "Our ZOOS are own, they say.") == f"Our {MASK} are {MASK} they say."
    motions = [custom_motion("Zoos should be closed"), custom_motion("Cats are better than dogs")]
    assert pool_for(policy, motions) == (motions[1],)
    assert "zoo" not in str(await store.settings("club")) and policy.blocked_words == ("own",)
    assert await Policies(store).check("club", "zoos") is None, "another operator's list is another"


def test_any_number_of_patterns(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("\n".join(f"word{n}x" for n in range(1000)), "utf-8")
    assert read_words(path).find("a WORD999X") == "word999x"
    assert WordList(()).find("anything") is None


@pytest.mark.parametrize(
    ("text", "says"),
    [("good\n\n*\n", "line 3"), ("x" * 61, "line 1: .* longer than 60"), (FILE, "line 5: .*fewer than 2 letters")],
)
def test_a_bad_line_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, says: str) -> None:
    path = tmp_path / "words.txt"
    path.write_text(text, "utf-8")
    with pytest.raises(WordFileError, match=f"words.txt, {says}"):
        read_words(path)
    monkeypatch.setenv("ROSTRUM_BLOCKED_WORDS", str(path))
    with pytest.raises(SettingsError, match=r"ROSTRUM_BLOCKED_WORDS cannot be used: .*words.txt, line"):
        load_settings(None)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(WordFileError, match=r"gone.txt cannot be read: No such file"):
        read_words(tmp_path / "gone.txt")
