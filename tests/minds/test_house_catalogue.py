"""The catalogue and everything under prompts/: complete, checked, and clear about what is wrong."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bot.catalogue import PURPOSES, Catalogue, CatalogueError, load_catalogue
from bot.minds.house.check import check_all, check_bank
from bot.minds.house.words import words
from tests.minds.house_rounds import BANKED, CATALOGUE

PROMPTS = Path(__file__).parents[2] / "prompts"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(PROMPTS, tmp_path / "prompts")
    return tmp_path / "prompts"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_everything_under_prompts_is_in_order():
    assert check_all(CATALOGUE) == []


def test_thirty_five_motions_in_six_categories():
    counts: dict[str, int] = {}
    for motion in CATALOGUE.motions:
        counts[motion.category] = counts.get(motion.category, 0) + 1
    assert counts == {"Technology": 8, "Society": 7, "Culture": 6, "Philosophy": 5, "Science": 5, "Economics": 4}


def test_personas_are_enough_and_complete():
    assert len(CATALOGUE.personas) >= 14
    for persona in CATALOGUE.personas.values():
        assert len(persona.name) <= 12 and persona.name.isalpha()
        assert len(persona.bio) >= 20 and persona.manner and persona.belief
        assert 0.9 <= persona.voice.rate <= 1.15 and -12 <= persona.voice.pitch <= 12
        assert all(len(persona.leads[purpose]) >= 5 for purpose in PURPOSES)


def test_personas_sound_different():
    """No two personas share most of the words of their leads."""
    everyone = list(CATALOGUE.personas.values())
    talk = {
        p.id: {w for options in p.leads.values() for lead in options for w in words(lead) if len(w) > 4}
        for p in everyone
    }
    for one in everyone:
        for two in everyone:
            if one.id < two.id:
                assert len(talk[one.id] & talk[two.id]) / len(talk[one.id] | talk[two.id]) < 0.4, (one.id, two.id)


def test_an_unknown_persona_has_a_steady_stand_in():
    assert CATALOGUE.persona("nobody-by-that-name") is CATALOGUE.persona("nobody-by-that-name")


def test_the_catalogue_is_read_once():
    assert load_catalogue() is load_catalogue()
    assert CATALOGUE.bank(BANKED[0]) is CATALOGUE.bank(BANKED[0])


def test_a_motion_without_a_bank_has_none():
    assert CATALOGUE.bank(None) is None
    assert CATALOGUE.bank("no-such-motion") is None
    assert CATALOGUE.bank("../motions") is None


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("bank/ai-jobs.toml", "claim = ", "claims = ", ["bank/ai-jobs.toml", "pro[0].claim"]),
        ("bank/ai-jobs.toml", 'motion = "ai-jobs"', 'motion = "other"', ["bank/ai-jobs.toml", "motion"]),
        ("bank/ai-jobs.toml", "[[pro]]", "[[pro", ["bank/ai-jobs.toml", "TOML"]),
        ("bank/ai-jobs.toml", "claim = ", 'claim = ""\nold = ', ["bank/ai-jobs.toml", "pro[0]"]),
    ],
)
def test_a_broken_bank_names_file_and_key(copy: Path, file: str, old: str, new: str, says: list[str]):
    edit(copy / file, old, new)
    with pytest.raises(CatalogueError) as error:
        Catalogue(copy).bank("ai-jobs")
    assert all(part in str(error.value) for part in says), error.value


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("motions.toml", 'pro = "AI will', 'prow = "AI will', ["motions.toml", "motion[0]"]),
        ("motions.toml", 'id = "social-media"', 'id = "ai-jobs"', ["motions.toml", "same id"]),
        ("personas.toml", 'id = "marisol"', 'id = "quill"', ["personas.toml", "same id"]),
        ("personas.toml", 'tone = "dry"', 'tone = "loud"', ["personas.toml", "persona[0].tone"]),
        ("personas.toml", "rate = 1.00", 'rate = "quick"', ["personas.toml", "persona[0].voice.rate"]),
        ("personas.toml", "opening = [", "opened = [", ["personas.toml", "persona[0]", "leads.opening"]),
    ],
)
def test_a_broken_file_names_file_and_key(copy: Path, file: str, old: str, new: str, says: list[str]):
    edit(copy / file, old, new)
    with pytest.raises(CatalogueError) as error:
        Catalogue(copy)
    assert all(part in str(error.value) for part in says), error.value


def test_a_missing_file_is_named(copy: Path):
    (copy / "personas.toml").unlink()
    with pytest.raises(CatalogueError, match=r"personas\.toml"):
        Catalogue(copy)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"claim": "Work fell by 40 per cent."}, "digit"),
        ({"claim": "One sentence. Another sentence."}, "one sentence"),
        ({"claim": "word " * 40 + "."}, "at most 120"),
        ({"question": "This is no question."}, "question mark"),
        ({"reply": "The judges should note this."}, "debate itself"),
        ({"weigh": "No end"}, "end of a sentence"),
        ({"answers": ()}, "at least 2"),
    ],
)
def test_the_bank_checker_finds(change: dict[str, object], says: str):
    bank = CATALOGUE.bank("ai-jobs")
    assert bank is not None
    spoiled = bank.model_copy(update={"pro": (bank.pro[0].model_copy(update=change), *bank.pro[1:])})
    assert any(says in problem for problem in check_bank(spoiled))


def test_the_bank_checker_finds_repeats():
    bank = CATALOGUE.bank("ai-jobs")
    assert bank is not None
    twice = bank.model_copy(
        update={"con": (bank.con[0].model_copy(update={"claim": bank.pro[0].claim}), *bank.con[1:4])}
    )
    problems = check_bank(twice)
    assert any("2 times" in problem for problem in problems)
    assert any("has 4 arguments" in problem for problem in problems)
