"""Every command line that the documentation shows is run, and says what the page says.

``ORDERLESS_GOLDEN=1 pytest tests/house/test_docs_console.py`` writes what it says into the pages.
"""

import os
import re
import shlex
from pathlib import Path

import pytest
from commands import run

DOCS = Path(__file__).resolve().parents[2] / "docs"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if BLOCK.search(page.read_text("utf-8"))]


def steps(block):
    """Split a block into commands and what they say."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, said = part.partition("\n")
        yield command, said


class Shell:
    """Knows orderless, ``printf`` into it, ``cat`` (which makes the file as shown), ``echo $?``."""

    code = 0

    def __call__(self, command, shown):
        if command == "echo $?":
            return f"{self.code}\n"
        stdin = None
        if command.startswith("printf "):
            spoken, command = command.split(" | ", 1)
            stdin = shlex.split(spoken)[1].replace("\\n", "\n").encode()
        name, *args = shlex.split(command)
        if name == "cat":
            path = Path(args[0])
            if not path.exists():
                path.write_text(shown, encoding="utf-8")
            return path.read_text(encoding="utf-8")
        assert name == "orderless", command
        result = run(*args, stdin=stdin)
        self.code = result.exit_code
        return result.output  # both streams, as a terminal shows them


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_command_lines_say_what_the_page_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ORDERLESS_DATA", raising=False)
    shell = Shell()

    def again(match):
        said = [f"$ {command}\n{shell(command, shown)}" for command, shown in steps(match[1])]
        return f"```console\n{''.join(said)}```"

    before = page.read_text(encoding="utf-8")
    after = BLOCK.sub(again, before)
    if os.environ.get("ORDERLESS_GOLDEN") == "1":
        page.write_text(after, encoding="utf-8")
        before = after
    assert after == before
