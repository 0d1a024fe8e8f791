"""The edge of the command line: terminals, spreadsheets, long names, internal errors."""

import io
import json
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress

import pytest
from commands import fine, mistake, records, run

import orderless as ol
from orderless.cli import sink
from orderless.cli.mistakes import Mistake, one_line
from orderless.connect import predict_file
from orderless.model.escapes import ACTIVE, cut, not_formula, shown

EVIL = "a\x1b[2J\x9b31m\x07\u202eb\u2066\r\x7f\u2028c"


def evil_tree(name=EVIL):
    space = ol.Space([ol.Feature(name, "categorical", categories=("x" + EVIL, "y"))])
    return ol.Tree(space, ["no" + EVIL, "yes"], feature=[0, -1, -1], threshold=[0, 0, 0],
                   when_true=[1, -1, -1], when_false=[2, -1, -1], leaf_class=[-1, 0, 1],
                   sets={0: [0]})  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.json").write_text(evil_tree().to_json())
    with (tmp_path / "rows.csv").open("w", newline="") as handle:
        handle.write(f'id,"{EVIL}"\n"1{EVIL}",y\n2,"x{EVIL}"\n3,\n')
    return tmp_path


def on_screen(*args):
    """Run a true process whose standard output is a terminal; give its code and what was shown."""
    screen, end = pty.openpty()
    command = [sys.executable, "-m", "orderless", *map(str, args)]
    with subprocess.Popen(command, stdout=end, stderr=end, stdin=subprocess.DEVNULL) as running:
        os.close(end)
        said = b""
        with suppress(OSError):  # how Linux says that the other end is closed
            while part := os.read(screen, 65536):
                said += part
        code = running.wait()
    os.close(screen)
    return code, said.decode().replace("\r\n", "\n")


# -- terminals -----------------------------------------------------------------------------------

COMMANDS = [
    ("explain", "model.json", "-f", "text"),
    ("explain", "model.json", "-f", "csv"),
    ("explain", "model.json", "-f", "json"),
    ("explain", "model.json", "-f", "md"),
    ("export", "model.json", "-f", "sql"),
    ("export", "model.json", "-f", "text"),
    ("export", "model.json", "-f", "python"),
    ("export", "model.json", "-f", "javascript"),
    ("export", "model.json", "-f", "dot"),
    ("export", "model.json", "-f", "latex"),
    ("export", "model.json", "-f", "json"),
    ("predict", "model.json", "rows.csv", "-f", "csv"),
    ("predict", "model.json", "rows.csv", "-f", "json"),
    ("predict", "model.json", "rows.csv", "-f", "text"),
    ("predict", "model.json", "rows.csv", "-f", "md"),
    ("compare", "model.json", "model.json"),
]


class Screen(io.TextIOWrapper):
    """What a terminal would get."""

    def isatty(self):
        return True


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_terminal_gets_escapes_for_what_it_would_obey(command, folder, monkeypatch):
    piped = fine(*command)
    # In this process: what is written to a stream that says it is a terminal.
    screen = Screen(io.BytesIO(), encoding="utf-8", errors="backslashreplace", newline="")
    from orderless.cli.app import app

    monkeypatch.setattr(sys, "stdout", screen)
    with pytest.raises(SystemExit) as left:
        app([str(word) for word in command])
    assert left.value.code == 0
    screen.flush()
    said = screen.buffer.getvalue().decode()
    assert not ACTIVE.search(said)
    assert said == shown(piped)
    if command[-1] in ("text", "md", "model.json"):  # for people: also in a pipe
        assert not ACTIVE.search(piped)


@pytest.mark.parametrize("command", [COMMANDS[1], COMMANDS[11]], ids=" ".join)
def test_a_true_terminal(command, folder):
    code, said = on_screen(*command)
    assert code == 0, said
    said = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said) if command[0] == "predict" else said
    assert r"a\x1b[2J\x9b31m\x07\u202eb" in said


@pytest.mark.parametrize("command", [COMMANDS[1], COMMANDS[4], COMMANDS[11]], ids=" ".join)
def test_files_and_pipes_get_every_character(command, folder):
    """Where the format is for programs."""
    assert "\x1b[2J\x9b31m\x07\u202eb" in fine(*command)
    assert fine(*command, "-o", "out.txt") == ""
    assert "\x1b[2J\x9b31m\x07\u202eb" in (folder / "out.txt").read_text()


def test_a_letter_may_be_cut_in_two(monkeypatch):
    screen = Screen(io.BytesIO(), encoding="utf-8", newline="")
    monkeypatch.setattr(sys, "stdout", screen)
    handle = sink.standard_output()
    for byte in "é\x1b日".encode() + b"\xff":
        handle.write(bytes([byte]))
    handle.flush()
    assert screen.buffer.getvalue().decode() == "é\\x1b日\\xff"


def test_messages_show_and_do_not_send(folder):
    for args in (
        ("explain", "no\x1b[2J\u202e.json"),
        ("explain", "model.json", "--row", "\x1b[2J=1"),
        ("explain", "model.json", "--\x1b[2J"),
        ("\x1b[2J",),
        ("export", "model.json", "-f", "sql", "--dialect", "\x1b[2J"),
        ("fit", "\x9b2J\u202e", "--target", "x"),
    ):
        assert not ACTIVE.search(mistake(*args)[:-1])


# -- long names ----------------------------------------------------------------------------------


def test_a_long_text_is_cut_in_the_middle():
    text = "no column " + "x" * 30_000_000 + ": rename it"
    assert len(cut(text)) < 1_100
    said = one_line(Mistake(text))
    assert said.startswith("no column xxx")
    assert "... (30,000,021 characters) ..." in said
    assert said.endswith(": rename it")
    assert cut("short") == "short"


def test_a_long_header_is_cut(folder):
    (folder / "long.csv").write_text("x" * 3_000_000 + ",b\n1,2\n")
    said = mistake("predict", "model.json", "long.csv")
    assert len(said) < 2_000
    assert "x" * 30 in said
    (folder / "long.json").write_text(evil_tree("n" * 3_000_000).to_json())
    said = mistake("explain", "long.json", "--row", "x=1")
    assert len(said) < 2_000
    said = mistake("explain", "model.json", "--" + "x" * 100_000)
    assert len(said) < 2_000


# -- spreadsheets --------------------------------------------------------------------------------

CELLS = {
    "=1+1": False, "+1+1": False, "-1+1": False, "@SUM(A1)": False, "\t=1": False, "\r=1": False,
    "\n=1": False, "-": False, "+": False, "-x": False, "--5": False, "-5 ": False, "-5\n": False,
    "=": False, "-inf": False, "-1e5x": False, "-٣": False,
    "-5": True, "+5": True, "-5.": True, "-.5": True, "-5.25e-3": True, "+1E9": True, "": True,
    "5": True, "a=b": True, " =1": True, "'=1": True, "text": True,
}  # fmt: skip


def test_what_is_a_formula():
    for cell, plain in CELLS.items():
        assert not_formula(cell) == (cell if plain else f"'{cell}"), cell


def test_safe_csv(folder):
    tree = ol.Tree(ol.Space({"=x": "numeric"}), ["=cmd|' /C calc'!A0", "-7"], feature=[0, -1, -1],
                   threshold=[0, 0, 0], when_true=[1, -1, -1], when_false=[2, -1, -1],
                   leaf_class=[-1, 0, 1])  # fmt: skip
    (folder / "model.json").write_text(tree.to_json())
    kept = [cell for cell in CELLS if "\r" not in cell]
    lines = "".join(f'"{cell}",{(-1) ** k}\n' for k, cell in enumerate(kept))
    (folder / "in.csv").write_text("@id,=x\n" + lines, newline="")
    exact = records(fine("predict", "model.json", "in.csv"))
    assert [row["@id"] for row in exact] == kept
    assert {row["prediction"] for row in exact} == {"=cmd|' /C calc'!A0", "-7"}
    safe = records(fine("predict", "model.json", "in.csv", "--safe-csv"))
    assert list(safe[0]) == ["'@id", "'=x", "prediction", "determined", "needed"]
    assert [row["'@id"] for row in safe] == [not_formula(cell) for cell in kept]
    assert [row["'=x"] for row in safe] == [row["=x"] for row in exact]  # numbers
    assert {row["prediction"] for row in safe} == {"'=cmd|' /C calc'!A0", "-7"}


def test_safe_csv_of_parquet(folder):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    tree = ol.read({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}})
    cells = [*CELLS, None]
    table = pa.table({"id": cells, "x0": [-1.5 if k % 2 else None for k in range(len(cells))]})
    pq.write_table(table.set_column(1, "x0", pa.array([1, 0] * (len(cells) // 2))), "in.parquet")
    predict_file(tree, "in.parquet", "out.csv", safe_csv=True)
    out = records((folder / "out.csv").read_bytes().decode())
    assert [row["id"] for row in out] == [not_formula(cell) for cell in CELLS] + [""]


def test_safe_csv_everywhere_that_csv_is_written(folder):
    tree = ol.read(
        {"feature": 0, "true": {"prediction": "+1+1"}, "false": {"prediction": "-2"}},
        feature_names=["=HYPERLINK(1)"],
    )
    (folder / "model.json").write_text(tree.to_json())
    (folder / "data.csv").write_text("=HYPERLINK(1),y\n1,+1+1\n0,-2\n1,+1+1\n0,-2\n")
    data = ("--data", "data.csv", "--target", "y")
    for command in (
        ("explain", "model.json"),
        ("explain", "model.json", "--row", "=HYPERLINK(1)=1"),
        ("data", "data.csv", "--target", "y"),
        ("importance", "model.json", *data),
        ("compare", "model.json", "model.json"),
        ("rashomon", *data, "--trees", "1"),
        ("data",),
    ):
        for row in records(fine(*command, "-f", "csv", "--safe-csv")):
            for cell in row.values():
                assert not_formula(cell) == cell
    assert "=HYPERLINK(1)" in {row["feature"] for row in records(
        fine("importance", "model.json", *data, "-f", "csv"))}  # fmt: skip


def test_safe_csv_where_it_would_do_nothing(folder):
    said = mistake("explain", "model.json", "--safe-csv")
    assert "--safe-csv is for --format csv, and this writes text" in said
    said = mistake("predict", "model.json", "rows.csv", "-f", "json", "--safe-csv")
    assert "--safe-csv is for --format csv, and this writes json" in said
    with pytest.raises(ValueError, match="safe_csv=True is for format='csv', and this writes js"):
        predict_file(evil_tree(), "rows.csv", "out.json", safe_csv=True)


# -- internal errors -----------------------------------------------------------------------------


def test_an_internal_error_says_what_to_report(monkeypatch, folder):
    def broken(*args, **kwargs):
        raise RuntimeError("the patient Jane Doe\nin /home/jane/secret.csv")

    monkeypatch.setattr("orderless.cli.models.canonical_form", broken)
    result = run("explain", folder / "model.json", "--row", "secret=1")
    assert result.exit_code == 1
    first, second, *lines = result.stderr.splitlines()
    assert first == "Internal error: RuntimeError: the patient Jane Doe in /home/jane/secret.csv"
    assert second.startswith("Please report: these lines")
    assert re.match(r"  orderless \S.*, Python \d+\.\d+\.\d+, \w+ \w+, explain$", lines[0])
    assert re.match(r"  RuntimeError in cli/models\.py:\d+, cli/explain\.py:\d+", lines[1])
    told = "\n".join(lines)
    for secret in ("Jane", "secret", str(folder), "/home", "/root"):
        assert secret not in told
    monkeypatch.setenv("ORDERLESS_TRACEBACK", "1")
    assert isinstance(run("explain", folder / "model.json").exception, RuntimeError)


def test_faults_are_called_what_they_are():
    said = " ".join(re.sub(r"[^\w,. ]", " ", run("--help").stdout).split())
    assert "0 success, 1 internal error, 2 invalid input, 3 the answers" in said


def test_exit_codes_are_documented():
    from pathlib import Path

    text = Path(__file__).parents[2].joinpath("docs/guide/command-line.md").read_text()
    for code in (0, 1, 2, 3, 129, 130, 141, 143):
        assert f"| {code} |" in text


def test_json_is_json_in_a_pipe(folder):
    content = json.loads(fine("explain", "model.json", "-f", "json"))
    assert content["classes"] == ["no" + EVIL, "yes"]
