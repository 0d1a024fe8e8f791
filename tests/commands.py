"""How the tests of the command line run it, and tables for it to read."""

from __future__ import annotations

import csv
import io
import os
import pty
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from orderless.cli.app import app

SAID = ("Data: ", "Decision: ", "Model: ")  # lines on stderr that are no errors
PATIENTS = """\
id,age,bmi,smoker,ward,diagnosis
007,61,31.5,True,east,ill
008,25,22.10,False,west,well
009,47,28,False,east,well
010,70,24,False,north,ill
011,33,35,True,west,ill
012,29,21,False,north,well
013,55,27,True,north,ill
014,41,30,False,west,well
"""


def run(*args: object, stdin: bytes | None = None) -> Any:
    """Run a command line in this process."""
    return CliRunner().invoke(app, [str(arg) for arg in args], input=stdin)


def fine(*args: object, stdin: bytes | None = None) -> str:
    """Run a command that works; stderr says how data were read, and what is decided by them."""
    result = run(*args, stdin=stdin)
    assert result.exit_code == 0, result.stderr
    said = result.stderr.splitlines()
    assert all(line.startswith(SAID) for line in said), result.stderr
    return result.stdout


def mistake(*args: object, stdin: bytes | None = None) -> str:
    """Run a command that a user got wrong: exit code 2, one line on stderr, no result.

    Before the line may stand how the data were read.
    """
    result = run(*args, stdin=stdin)
    assert result.exit_code == 2, (result.exit_code, result.stdout, result.stderr)
    assert result.stdout == ""
    lines = result.stderr.splitlines(keepends=True)
    said = "".join(line for line in lines if not line.startswith(SAID))
    assert said.startswith("Error: ")
    assert said.endswith("\n")
    assert said.count("\n") == 1
    assert said[:-1].isprintable()
    return said


def patients(folder: Path, text: str = PATIENTS) -> Path:
    path = folder / "patients.csv"
    path.write_text(text, encoding="utf-8")
    return path


def records(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def on_terminal(*args: object, **environment: str) -> tuple[int, bytes, str]:
    """Run a true process whose stderr is a terminal; give its code, stdout and what was shown."""
    screen, end = pty.openpty()
    names = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    names |= {"TERM": "xterm-256color", **environment}
    command = [sys.executable, "-m", "orderless", *map(str, args)]
    with (
        tempfile.TemporaryFile() as out,
        subprocess.Popen(command, stdout=out, stderr=end, env=names) as running,
    ):
        os.close(end)
        shown = b""
        with suppress(OSError):  # how Linux says that the other end is closed
            while part := os.read(screen, 65536):
                shown += part
        code = running.wait()
        out.seek(0)
        said = out.read()
    os.close(screen)
    return code, said, shown.decode()
