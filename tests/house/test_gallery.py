"""Every example of the gallery runs offline, with what the docs install, and is listed."""

import ast
import re
import runpy
import socket
import sys
import tomllib
from pathlib import Path

import pytest
from matplotlib import pyplot as plt

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples" / "gallery").glob("*.py"))
# Where a package is imported by another name than it is installed by.
IMPORTED = {"scikit-learn": "sklearn"}


@pytest.fixture
def offline(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("an example must not need the web")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.delenv("ORDERLESS_DATA", raising=False)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_example_runs_prints_and_draws(example, offline, capsys, monkeypatch, tmp_path):
    drawn = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plt, "show", lambda: drawn.append(len(plt.get_fignums())))
    plt.close("all")
    try:
        runpy.run_path(str(example), run_name="__main__")
    finally:
        plt.close("all")
    assert sum(drawn) >= 1
    assert capsys.readouterr().out.count("\n") >= 8
    assert list(tmp_path.iterdir()) == []


def installed():
    """Names that can be imported where the docs are built: ours, our needs, and the docs' tools."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tools = (ROOT / "requirements" / "docs.txt").read_text(encoding="utf-8").splitlines()
    names = (re.match(r"[\w.-]+", line) for line in [*project["dependencies"], *tools])
    return {IMPORTED.get(name[0], name[0].replace("-", "_")) for name in names if name}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_example_imports_nothing_that_is_not_installed(example):
    allowed = installed() | {"orderless"} | sys.stdlib_module_names
    for node in ast.walk(ast.parse(example.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module]
        for name in names:
            assert name.split(".")[0] in allowed, f"{example.name} imports {name}"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_example_reads_as_a_page(example):
    """A title with a line under it, a story, and at least three steps with words between them."""
    text = example.read_text(encoding="utf-8")
    title, line, gap, *story = ast.get_docstring(ast.parse(text)).splitlines()
    assert set(line) == {"="}
    assert len(line) >= len(title)
    assert not gap
    assert len(" ".join(story)) > 100
    assert len(re.findall(r"^# %%\n# \S", text, re.MULTILINE)) == text.count("# %%") >= 3


def test_every_example_is_on_the_first_page():
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert re.findall(r"\{doc\}`gallery/(\d\w+)`", page) == [example.stem for example in EXAMPLES]
    words = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    assert f"## {words[len(EXAMPLES)].capitalize()} examples" in page
