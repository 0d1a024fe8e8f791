"""Words that stop a reader are gone, and stay gone: code, messages and pages are plain English."""

import re
from pathlib import Path

import pytest

import orderless as ol

ROOT = Path(__file__).resolve().parents[2]
# What was written once, and what is written instead.
INSTEAD = {
    r"legal are": "must be one of",
    r"in vain\b": "redundant",
    r"hangs? on\b": "depends on",
    r"(not to|can(not)?|could not) be had\b": "is unavailable",
    r"stands? over a Space": "space must be a Space",
    r"state (all|them|both) over": "convert all to one space",
    r"a fault of ours": "internal error",
    r"does not tell the value": "has no value for",
    r"tells? conditions": "is an indicator",
}
FILES = [
    path
    for folder in (Path(ol.__file__).parent, *(ROOT / name for name in ("cpp", "docs", "examples")))
    for path in sorted(folder.rglob("*"))
    if path.suffix in {".py", ".md", ".cpp", ".hpp", ".html", ".js", ".pyi"}
    and "_build" not in path.parts
] + [ROOT / name for name in ("README.md", "CONTRIBUTING.md")]


@pytest.mark.parametrize("words", INSTEAD)
def test_words_that_stop_a_reader_are_gone(words):
    places = [
        f"{path}:{number}"
        for path in FILES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(words, line)
    ]
    assert places == [], f"write {INSTEAD[words]!r}"
