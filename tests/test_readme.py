"""The README's example prints what it says, and its commands are there."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_the_first_example_prints_what_the_readme_says():
    results = doctest.testfile(
        str(ROOT / "README.md"),
        module_relative=False,
        optionflags=doctest.NORMALIZE_WHITESPACE,
        encoding="utf-8",
    )
    assert results.attempted > 8
    assert results.failed == 0


@pytest.mark.parametrize("target", ["demo", "test", "test-engines", "lint", "bench", "docs"])
def test_every_command_of_the_readme_is_in_the_makefile(target):
    assert f"\n{target}:" in (ROOT / "Makefile").read_text()
