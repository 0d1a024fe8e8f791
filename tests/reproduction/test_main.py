"""``python -m paper``, as people call it."""

import sys

import pytest

from paper.__main__ import main
from paper.run import targets


@pytest.fixture
def call(monkeypatch, capsys, tmp_path):
    """Call it in an empty folder; give what it printed."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["paper", *arguments])
        main()
        return capsys.readouterr().out

    return run


def test_targets_are_listed(call):
    names = [line.split()[0] for line in call().splitlines()]
    assert names == [target.name for target in targets()]


def test_pages_are_written(call, tmp_path):
    lines = call("figure-and", "figure-dnf-bcf", "--quick", "-o", "pages").splitlines()
    assert [line.split(":")[0] for line in lines] == ["figure-and", "figure-dnf-bcf"]
    assert (tmp_path / "pages" / "index.md").exists()
    call("figure-and", "--quick", "--no-cache", "-o", "again")
    assert not (tmp_path / "again" / "cache").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["figure-x"], "no target 'figure-x'"),
        (["figure-and", "--jobs", "0"], "--jobs must be 1 or more"),
        (["figure-and", "--backend", "abacus"], "must be one of dask"),
        (["figure-and", "-o", "file"], "is a file"),
    ],
)
def test_what_is_refused(call, capsys, tmp_path, arguments, message):
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit, match="2"):
        call(*arguments)
    assert message in capsys.readouterr().err
