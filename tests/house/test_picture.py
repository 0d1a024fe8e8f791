"""The picture of the house is drawn from the code as it is, and people are shown every room."""

import importlib
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "docs" / "figures"


@pytest.fixture
def house(monkeypatch):
    monkeypatch.syspath_prepend(FIGURES)
    return importlib.import_module("house")


def test_the_house_is_drawn_as_it_is(house):
    drawn = (FIGURES / "house.svg").read_text(encoding="utf-8")
    assert drawn == house.house(), "run `python docs/figures/house.py`"


def test_every_room_is_drawn_with_its_words(house):
    words = " ".join(ElementTree.parse(FIGURES / "house.svg").getroot().itertext())
    for floor in house.floors():
        for room in floor:
            assert room in words
            assert house.says(room).split()[-1] in words


def test_contributing_names_every_room(house):
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (folders,) = re.findall(r"^\| `cpp/core` \| (.*) \|$", text, re.MULTILINE)
    assert re.findall(r"`(\w+)`", folders) == house.core()
    named = set(re.findall(r"^\| `(\w+)(?:\.py|/)`", text, re.MULTILINE))
    assert named == {room.partition(".")[0] for floor in house.floors() for room in floor}


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_the_picture_is_shown(page):
    assert "docs/figures/house.svg" in (ROOT / page).read_text(encoding="utf-8")
