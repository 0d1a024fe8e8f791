"""The command line: what it says, how it is written, and where it goes."""

import importlib.util
import json
import os
import platform
import signal
import subprocess
import sys
import time

import pytest
from commands import PATIENTS, fine, mistake, on_terminal, patients, run
from showcase import ask, check_golden, leaf, mixed, mixed_rows

import orderless as ol
from orderless._core import base
from orderless.cli.app import app

COMMANDS = ("fit", "data", "explain", "predict", "compare", "prove", "importance",
            "rashomon", "choose", "acquire", "report",
            "export")  # fmt: skip


# -- help ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_that_is_legal(command, models, monkeypatch, tmp_path):
    text = " ".join(fine(*command.split(), "--help").split())
    assert "Usage: orderless" in text
    examples = text.split("Example: ")[1:]
    assert examples
    monkeypatch.chdir(tmp_path)
    patients(tmp_path)
    (tmp_path / "new.csv").write_text(PATIENTS)
    (tmp_path / "properties.toml").write_text(
        '[ward]\nproperty = "ignores"\nfeature = "ward"\n', encoding="utf-8"
    )
    (tmp_path / "rules.csv").write_text("age,then\n< 18,refer\n>= 16,treat\n")
    (tmp_path / "stays.csv").write_text("age,smoker,days\n30,0,2\n50,1,4.5\n60,0,5\n70,1,12\n")
    fitted = ("fit", "patients.csv", "--target", "diagnosis", "--ignore", "id", "-o")
    for name in ("model.json", "old.json", "new.json"):
        fine(*fitted, name)
    fine("export", "model.json", "-o", "model.onnx")
    fine("export", "model.json", "--format", "certificate", "-o", "certificate.json")
    (tmp_path / "rows.csv").write_text(PATIENTS)
    lines = (f"{name},{name},{name}\n" for name in ("age", "bmi", "smoker", "ward"))
    (tmp_path / "codes.csv").write_text("feature,code,text\n" + "".join(lines))
    import skops.io
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier

    X = [[20.0], [60.0]]
    skops.io.dump(DecisionTreeClassifier().fit(X, ["well", "ill"]), "other.skops")
    skops.io.dump(RandomForestClassifier(2).fit(X, ["well", "ill"]), "forest.skops")
    for example in examples:
        args = example.split()[1:]
        if "other.skops" in args:
            args.remove("other.skops")  # its feature has no name that the others know
        if "--explore" in args:
            args.remove("--explore")  # it serves a page until it is stopped
        if "model.onnx" in args and importlib.util.find_spec("onnx") is None:
            continue
        if command == "acquire":
            assert run(*args, stdin=b"?\n" * 9).exit_code == 0
        else:
            fine(*args)


def test_program_shows_help_and_version():
    assert run().exit_code in (0, 2)
    assert "explain" in fine("--help")
    said = fine("--version")
    assert said.startswith(f"orderless {ol_version()} (")
    assert said.count("\n") == 1
    assert {part for part in (platform.python_version(), base.compiler, base.registers)
            if part not in said} == set()  # fmt: skip


def ol_version():
    from importlib.metadata import version

    return version("orderless")


@pytest.mark.parametrize(
    "args",
    [["explain", "--depth", "3"], ["explian"], ["fit", "t.csv", "--max-depth", "x"],
     ["compare"], ["explain", "--format", "pdf"], ["data", "--example"]],
)  # fmt: skip
def test_wrong_usage_is_one_line_that_says_where_to_look(args):
    assert "--help)" in mistake(*args)


# -- compare -------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["text", "json", "csv", "md"])
def test_compare_writes_golden_groups(models, form, monkeypatch):
    monkeypatch.chdir(models)
    trees = ("mixed.json", "other.json", "smallest.json")
    check_golden(f"cli_compare.{form}", fine("compare", *trees, "--format", form))
    said = fine("compare", *trees, "--format", form, "--data", "mixed.csv")
    check_golden(f"cli_compare_data.{form}", said)


def test_compare_says_what_the_library_says(models):
    trees = [ol.Tree.from_json((models / n).read_text()) for n in ("mixed.json", "other.json")]
    args = ("compare", models / "mixed.json", models / "other.json", "-f", "json")
    first, second = json.loads(fine(*args, "--data", models / "mixed.csv"))
    assert first["example"] is None
    assert second["differs_on_space"] == ol.disagreement(*trees)
    assert second["fingerprint"] == trees[1].fingerprint
    row = second["example"]
    assert [t.predict([row])[0] for t in trees] == [second["first_says"], second["says"]]
    assert second["first_says"] != second["says"]
    rows, _ = mixed_rows()
    said = [t.predict(rows) for t in trees]
    assert second["rows_undetermined"] == int((said[0].mask | said[1].mask).sum())
    assert second["rows_differ"] == int((said[0] != said[1]).filled(False).sum())


def test_compare_takes_two(models):
    assert "two trees or more" in mistake("compare", models / "mixed.json")
    two = (models / "mixed.json", models / "form.json")
    assert "--changes compares two models, got 1" in mistake("compare", "--changes", two[0])
    assert "not both" in mistake("compare", *two, "--changes", "--export")
    assert "--floats does nothing beside --changes" in mistake(
        "compare", *two, "--changes", "--floats", "float32"
    )
    assert "--html does nothing beside" in mistake("compare", *two, "--html", "x.html")
    assert "--time-limit is for --changes" in mistake("compare", *two, "--time-limit", 3)
    assert "leave out --at" in mistake("compare", *two, "--export", "--at", "low=0.2")
    said = fine("compare", models / "mixed.json", models / "form.json")
    assert said.startswith("2 trees, all the same function.")


def test_compare_says_first_that_trees_have_no_feature_in_common(models, tmp_path):
    names = ["weight", "height"]
    strange = ol.read(ask("weight", "<=", 2.5, leaf("no"), leaf("yes")), feature_names=names)
    (tmp_path / "strange.json").write_text(strange.to_json())
    args = ("compare", models / "mixed.json", tmp_path / "strange.json")
    first, second = fine(*args).splitlines()[:2]
    assert first.startswith("The trees have no feature in common: ")
    assert first.endswith("strange.json about weight. Features compare by name.")
    assert second == "2 trees, 2 different functions."
    found = run(*args, "--format", "json")
    assert json.loads(found.stdout)
    assert "no feature in common" in found.stderr
    assert "in common" not in fine("compare", models / "mixed.json", models / "other.json")


# -- export --------------------------------------------------------------------------------------


SHOWN = ("latex", "html", "md")  # what shows the rules


def test_export_writes_what_the_library_writes(models, tmp_path):
    form, model = mixed(), models / "mixed.json"
    assert ol.Tree.from_json(fine("export", model)) == form.tree
    assert ol.CanonicalForm.from_json(fine("export", model, "-f", "rules-json")) == form
    assert fine("export", model, "-f", "text") == f"{form.tree}\n"
    for kind, ending, method in (("python", "py", "to_python"), ("latex", "tex", "to_latex"),
                                 ("html", "html", "to_html"), ("md", "md", "to_markdown"),
                                 ("sql", "sql", "to_sql"), ("javascript", "js", "to_javascript"),
                                 ("pmml", "pmml", "to_pmml"),
                                 ):  # fmt: skip
        source = form if kind in SHOWN else form.tree
        assert fine("export", model, "-f", kind) == getattr(source, method)().rstrip("\n") + "\n"
        assert fine("export", model, "-o", tmp_path / f"x.{ending}") == ""
        assert (tmp_path / f"x.{ending}").read_text() == fine("export", model, "-f", kind)
    sql = ("export", model, "-f", "sql", "--dialect", "sqlite")
    assert fine(*sql) == form.tree.to_sql(dialect="sqlite") + "\n"
    assert fine(*sql, "--table", "a b") == form.tree.to_sql(dialect="sqlite", table="a b") + "\n"
    assert (
        fine(*sql, "--table", "s.t") == form.tree.to_sql(dialect="sqlite", table=("s", "t")) + "\n"
    )
    smallest = ol.Tree.from_json(fine("export", model, "--smallest"))
    assert smallest == form.tree.minimize()


def test_export_says_what_it_cannot_guess(models, tmp_path):
    model = models / "mixed.json"
    assert "give --format" in mistake("export", model, "-o", tmp_path / "x.xyz")
    assert "--dialect is for" in mistake("export", model, "--dialect", "duckdb")
    assert "--table is for" in mistake("export", model, "-f", "md", "--table", "t")
    wrong = ("export", model, "-f", "sql", "--dialect", "sequel")
    error = mistake(*wrong)
    assert "--dialect must be one of 'clickhouse', 'duckdb', 'mysql'" in error
    assert "got 'sequel'" in error
    assert not list(tmp_path.iterdir())
    assert "--complete is for" in mistake("export", model, "-f", "md", "--complete")
    helped = " ".join(fine("export", "--help").split())
    assert "all sufficient reasons as rules" in helped
    assert "orderless compare --export proves" in helped


# -- datasets ------------------------------------------------------------------------------------


def test_data_sets_are_listed_and_saved(tmp_path, monkeypatch):
    monkeypatch.delenv("ORDERLESS_DATA", raising=False)
    listed = json.loads(fine("data", "--format", "json"))
    assert [record["name"] for record in listed] == list(ol.datasets.names())
    sources = {record["name"]: record["source"] for record in listed}
    assert sources["spiral"] == "generated"
    assert fine("data").splitlines()[0].split()[0] == "name"
    assert fine("data", "--example", "spiral", "-o", tmp_path / "s.csv") == ""
    saved = fine("fit", tmp_path / "s.csv", "--target", "target")
    assert saved.replace("(s.csv)", "(spiral)") == fine("fit", "spiral")
    assert "did you mean 'compas'" in mistake("data", "--example", "compass")
    assert "leave out one" in mistake("data", "wisconsin", "--example", "spiral")
    assert "--example writes CSV" in mistake("data", "--example", "spiral", "-f", "md")
    assert "neither a file nor a data set" in mistake("fit", "compass")


# -- where it goes -------------------------------------------------------------------------------


def test_output_is_all_or_nothing(models, tmp_path):
    target = tmp_path / "out.txt"
    target.write_text("before")
    assert fine("explain", models / "mixed.json", "-o", target) == ""
    assert target.read_text() == mixed().to_text() + "\n"
    target.write_text("before")
    mistake("explain", models / "mixed.json", "--limit", 1, "-o", target)
    bad = tmp_path / "bad.csv"
    bad.write_text("age,lab value,smoker,color\n1,2,0,red\n1,2,0,red\n1,x,0,red\n")
    mistake("predict", models / "mixed.json", bad, "--chunk-rows", 1, "-o", target)
    assert target.read_text() == "before"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.csv", "out.txt"]


def test_output_that_cannot_be_written(models, tmp_path):
    model = models / "mixed.json"
    assert "is a folder" in mistake("explain", model, "-o", tmp_path)
    assert "there is no folder" in mistake("explain", model, "-o", tmp_path / "a" / "b.txt")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real.txt")
    fine("explain", model, "-o", link)
    assert link.is_symlink()
    assert (tmp_path / "real.txt").read_text() == mixed().to_text() + "\n"


# -- true processes ------------------------------------------------------------------------------


def process(*args, **options):
    return subprocess.run([sys.executable, "-m", "orderless", *map(str, args)],
                          capture_output=True, **options)  # fmt: skip


def test_process_has_exit_codes_and_no_traceback(models, tmp_path):
    out = process("explain", models / "mixed.json")
    assert (out.returncode, out.stderr) == (0, b"")
    assert out.stdout.decode() == mixed().to_text() + "\n"
    out = process("explain", tmp_path / "nothing.json")
    assert (out.returncode, out.stdout) == (2, b"")
    assert out.stderr.startswith(b"Error: there is no file '")
    assert b"nothing.json'" in out.stderr


HEAVY = ("sklearn", "pandas", "scipy", "pyarrow", "matplotlib", "skops", "joblib", "polars")


def imported(*args, modules):
    """Run a command in a fresh process, and say which of these modules it imported."""
    code = (
        "import atexit, sys; from orderless.cli import main; sys.argv[0] = 'orderless'; "
        f"atexit.register(lambda: print([m for m in {modules!r} if m in sys.modules], "
        "file=sys.stderr)); main()"
    )
    command = [sys.executable, "-c", code, *map(str, args)]
    out = subprocess.run(command, capture_output=True, text=True, check=True)
    return out.stderr.strip()


def test_help_imports_no_numbers():
    """Not even numpy: what a command needs is imported when it runs."""
    modules = (*HEAVY, "numpy", "narwhals", "orderless._core", "orderless.model.tree")
    assert imported("--help", modules=modules) == "[]"
    assert imported("predict", "--help", modules=modules) == "[]"


def test_explaining_a_model_file_imports_no_table(models):
    own = ("orderless.cli.files", "orderless.cli.table", "orderless.cli.skopsfile")
    modules = (*HEAVY, *own, "narwhals", "rich")
    assert imported("explain", models / "mixed.json", modules=modules) == "[]"


def test_a_reader_that_leaves_is_no_fault(models, tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("age,lab value,smoker,color\n" + "1,2,0,red\n" * 100_000)
    command = [sys.executable, "-m", "orderless", "predict", models / "mixed.json", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.read(10)
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 128 + signal.SIGPIPE


def test_colour_only_on_a_terminal():
    code, out, shown = on_terminal("explain", "nothing.json")
    assert (code, out) == (2, b"")
    assert "\x1b[1;31mError" in shown
    code, out, shown = on_terminal("explain", "nothing.json", NO_COLOR="1")
    assert (code, out) == (2, b"")
    assert "there is no file 'nothing.json'" in shown
    assert "\x1b[1;31m" not in shown
    assert "\x1b[31m" not in shown


def test_completion_knows_the_commands():
    names = {**os.environ, "_ORDERLESS_COMPLETE": "complete_bash",
             "COMP_WORDS": "orderless exp", "COMP_CWORD": "1"}  # fmt: skip
    code = "import sys; sys.argv[0] = 'orderless'; from orderless.cli import main; main()"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=names)
    assert out.stdout.split() == ["explain", "export"]


def test_ctrl_c_ends_quietly(monkeypatch, models):
    def stopped(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("orderless.cli.models.canonical_form", stopped)
    result = run("explain", models / "mixed.json")
    assert result.exit_code == 130
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stopped_process_leaves_nothing_behind(models, tmp_path, number, code):
    command = [sys.executable, "-m", "orderless", "predict", models / "mixed.json", "-",
               "--chunk-rows", "1", "--output", tmp_path / "out.csv"]  # fmt: skip
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        try:
            running.stdin.write(b"age,lab value,smoker,color\n" + b"1,2,0,red\n" * 3_000)
            running.stdin.flush()
            while not list(tmp_path.iterdir()):
                assert running.poll() is None
                time.sleep(0.01)
            running.send_signal(number)
            assert running.wait(timeout=120) == code
            assert running.stderr.read() == b""
        finally:
            running.kill()  # of a process that does not end: the test fails, and goes on
    assert list(tmp_path.iterdir()) == []


def test_program_is_the_console_script():
    from importlib.metadata import entry_points

    (script,) = entry_points(group="console_scripts", name="orderless")
    assert script.value == "orderless.cli:main"
    assert app.info.name == "orderless"
