"""Bad input: one clear line on stderr, exit code 2, nothing executed, nothing half-written."""

import subprocess
import sys
from pathlib import Path

import pytest
from commands import PATIENTS, fine, mistake, patients, run
from showcase import mixed

import orderless as ol

FIT = ("--target", "diagnosis", "--ignore", "id")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    patients(tmp_path)
    (tmp_path / "model.json").write_text(mixed().tree.to_json())
    return tmp_path


def put(folder, text, name="bad.csv"):
    content = text if isinstance(text, bytes) else text.encode()
    (folder / name).write_bytes(content)
    return name


# -- tables --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (b"", "bad.csv is empty"),
        (b"\n\n", "bad.csv is empty"),
        (b"\xef\xbb\xbf", "bad.csv is empty"),
        ("age,diagnosis\n", "has a header and no rows"),
        (PATIENTS.replace(",", ";"), "add --delimiter ';'"),
        (PATIENTS.replace(",", "\t"), "add --delimiter tab"),
        (PATIENTS.replace(",", "|"), "add --delimiter '|'"),
        (PATIENTS.replace("east", "südost").encode("latin-1"), "perhaps --encoding cp1252"),
        (PATIENTS.encode("utf-16"), "perhaps --encoding utf-16"),
        (PATIENTS.replace("diagnosis", "Diagnosis"), "did you mean 'Diagnosis'?"),
        (PATIENTS.replace("well", "ill"), "has only one value, 'ill'"),
        (PATIENTS.replace("age", "bmi"), "two columns named 'bmi'"),
        (PATIENTS.replace("61,31.5", "61"), "row 1 of bad.csv has 5 cells, the header has 6"),
        (PATIENTS.replace("61,", "61,1,"), "row 1 of bad.csv has 7 cells, the header has 6"),
        (PATIENTS.replace("east", '"ea"st'), "is not a CSV file"),
        (PATIENTS.replace("east", '"east'), "is not a CSV file"),
        (PATIENTS.replace(",ward", ","), "a column without a name"),
        ("id,diagnosis\n1,a\n2,b\n", "no column to learn from"),
        (b"PK\x03\x04rest", "is a spreadsheet or zip file"),
        (b"PAR1 and no more", "is not a complete Parquet file"),
        (b"a,diagnosis,id\n\x00\x01,\x02,\x03\n", "has only one value"),
        ("id,a,diagnosis\n1,1e999,x\n2,1,y\n", "scikit-learn cannot fit a tree on bad.csv"),
    ],
)
def test_tables_that_cannot_be_fitted_on(folder, text, match):
    name = put(folder, text)
    before = sorted(folder.iterdir())
    assert match in mistake("fit", name, *FIT, "--output", "out.txt")
    assert sorted(folder.iterdir()) == before


def rules(*args):
    """What fit says, but for the line that names the file."""
    lines = fine("fit", *args).splitlines()
    return [line for line in lines if not line.startswith("The tree was fitted on")]


def test_gaps_are_dropped(folder):
    name = put(folder, PATIENTS.replace("61,31.5", "61,NA"))
    rest = put(folder, "".join(PATIENTS.splitlines(True)[:1] + PATIENTS.splitlines(True)[2:]),
               "rest.csv")  # fmt: skip
    result = run("fit", name, *FIT, "-o", "gaps.json")
    said = "1 row has gaps (bmi 1): left out where a tree is fitted, judged with their gaps where"
    assert f"Data: {said} held out\n" in result.stderr
    fine("fit", rest, *FIT, "-o", "rest.json")
    assert (folder / "gaps.json").read_text() == (folder / "rest.json").read_text()
    all_gaps = put(folder, "id,a,diagnosis\n1,,x\n2,1,\n")
    assert "every row" in mistake("fit", all_gaps, *FIT)


def test_many_columns(folder):
    wide = ",".join([*(f"c{i}" for i in range(10_000)), "id", "diagnosis"])
    rows = [",".join([*[str(i * k % 7) for k in range(10_000)], str(i), "ab"[i % 2]])
            for i in range(1, 9)]  # fmt: skip
    name = put(folder, "\n".join([wide, *rows]) + "\n")
    assert "10,002 columns, more than --max-columns 1,000" in mistake("fit", name, *FIT)
    assert "10,002 columns" in mistake("predict", "model.json", name)
    said = fine("fit", name, *FIT, "--max-columns", 20_000, "--max-depth", 2)
    assert "THEN a" in said


def test_targets_that_are_no_classes(folder):
    rows = "".join(f"{i},{i % 5},{i}.5\n" for i in range(300))
    name = put(folder, "id,a,diagnosis\n" + rows)
    said = mistake("fit", name, *FIT, "--task", "classification")
    assert "has 300 different numbers: predicting a number is regression" in said
    assert "--text 'diagnosis'" in said
    assert "Add --target COLUMN" in mistake("fit", "patients.csv")
    assert "Correct --ignore" in mistake("fit", "patients.csv", *FIT, "--ignore", "x")


def test_text_where_numbers_were(folder):
    rows = "".join(f"{i},{i if i != 250 else 'many'},{'ab'[i % 2]}\n" for i in range(300))
    name = put(folder, "id,a,diagnosis\n" + rows)
    said = mistake("fit", name, *FIT)
    assert "the column 'a' of bad.csv would be text, although 299 of its 300 known cells" in said
    assert "as written, 1 does not ('many' in row 251)" in said
    assert "--na 'many'" in said
    assert "--text 'a'" in said


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("age,lab value,smoker,color\n20,1,0,purple\n", None),  # others are legal here
        ("age,lab value,smoker,color\n20,1,0,red\n20,low,0,red\n", "row 2 of bad.csv has 'low'"),
        ("age,lab value,smoker,color\n20.5,1,0,red\n", "must be a whole number"),
        ("age,lab value,smoker,color\n20,1,2,red\n", "must be true or false"),
        ("age,lab value,smoker,color\n20,1e,0,red\n", "has '1e'"),
        ("Age,lab value,smoker,color\n20,1,0,red\n", "did you mean 'Age'?"),
        ("age,lab value,smoker,color,prediction\n20,1,0,red,1\n", "a column 'prediction' already"),
        ("age;lab value;smoker;color\n20;1;0;red\n", "add --delimiter ';'"),
        ("", "is empty"),
        ("age,lab value,smoker,color\n20,1,0,r\xe9d\n".encode("latin-1"), "is not utf-8 text"),
    ],
)
def test_rows_that_cannot_be_predicted(folder, text, match):
    name = put(folder, text)
    before = sorted(folder.iterdir())
    if match is None:
        assert fine("predict", "model.json", name)
        return
    assert match in mistake("predict", "model.json", name, "-o", "out.csv")
    assert sorted(folder.iterdir()) == before


def test_an_unseen_category(folder):
    fine("fit", "patients.csv", *FIT, "-o", "fitted.json")
    ward = ("age", "bmi", "smoker", "ward")
    tree = ol.read({"feature": "ward", "relation": "in", "reference": ["east"],
                         "true": {"prediction": "a"}, "false": {"prediction": "b"}},
                        space=ol.Space({"ward": ["east", "west"]}))  # fmt: skip
    put(folder, tree.to_json(), "wards.json")
    name = put(folder, ",".join(ward) + "\n1,2,0,east\n1,2,0,south\n")
    said = mistake("predict", "wards.json", name, "--unseen", "error")
    assert (
        "row 2 of bad.csv has 'south' in the column 'ward', which must be one of 'east', 'west'"
        in said
    )


def test_unseen_categories_are_unknown_to_every_command(folder):
    tree = ol.read({"feature": "ward", "relation": "in", "reference": ["east"],
                         "true": {"prediction": "ill"}, "false": {"prediction": "well"}},
                        space=ol.Space({"ward": ["east", "west"]}))  # fmt: skip
    put(folder, tree.to_json(), "wards.json")
    name = put(folder, "ward,diagnosis\neast,ill\nsouth,well\nwest,well\n", "wards.csv")
    data = ("--data", name, "--target", "diagnosis")
    note = "Data: 1 row taken as unknown in 'ward': the tree does not know 'south'\n"
    for args in (
        ("explain", "wards.json", "--rows", name),
        ("explain", "wards.json", *data),
        ("compare", "wards.json", "wards.json", "--data", name),
        ("report", "wards.json", *data, "-o", "report.html"),
    ):
        result = run(*args)
        assert (result.exit_code, result.stderr.startswith(note)) == (0, True), result.stderr
        assert "row 2 of wards.csv has 'south'" in mistake(*args, "--unseen", "error")
    assert "wards.csv: 2 of 3 rows; left out 1 with gaps" in result.stderr
    assert (
        "Row 2: Not determined: ill or well" in run("explain", "wards.json", "--rows", name).stdout
    )


def test_options_of_files(folder):
    semi = put(folder, PATIENTS.replace(",", ";"), "semi.csv")
    tabs = put(folder, PATIENTS.replace(",", "\t"), "tabs.tsv")
    latin = put(folder, PATIENTS.replace("east", "süd").encode("latin-1"), "latin.csv")
    bom = put(folder, b"\xef\xbb\xbf" + PATIENTS.encode(), "bom.csv")
    import gzip

    put(folder, gzip.compress(PATIENTS.encode()), "packed.csv.gz")
    said = rules("patients.csv", *FIT)
    assert rules(semi, *FIT, "--delimiter", ";") == said
    assert rules(tabs, *FIT) == said
    assert rules(bom, *FIT) == said
    assert rules("packed.csv.gz", *FIT) == said
    assert fine("fit", latin, *FIT, "--encoding", "latin-1")
    assert "must be one character" in mistake("fit", semi, *FIT, "--delimiter", ";;")
    assert "no encoding 'klingon'" in mistake("fit", semi, *FIT, "--encoding", "klingon")
    assert "is a folder" in mistake("fit", folder, *FIT)
    assert "No such file" in mistake("fit", "no.csv", *FIT)


@pytest.mark.parametrize("command", ["explain", "predict", "predict-parquet"])
def test_disk_that_is_full(folder, command):
    """What the system refuses is said in one line, and the part that was written is gone.

    A limit on the size of files stands for the disk: writing fails in the same place.
    """
    (folder / "rows.csv").write_text("age,lab value,smoker,color\n" + "20,1,0,red\n" * 5000)
    ending = command.partition("-")[2] or "csv"
    args = {"explain": ["explain", "model.json", "-o", "out.csv"]}.get(
        command, ["predict", "model.json", "rows.csv", "-o", f"out.{ending}"]
    )
    limit = 10 if command == "explain" else 1000
    code = (
        "import resource, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        "from orderless.cli.app import app; app()"
    )
    before = sorted(folder.iterdir())
    done = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: File too large: ")
    assert f"out.{ending}' was not written" in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(folder.iterdir()) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_device_that_is_full(folder):
    name = put(folder, "age,lab value,smoker,color\n20,1,0,red\n")
    said = mistake("predict", "model.json", name, "-o", "/dev/full", "-f", "csv")
    assert "No space left on device: '/dev/full' was not written" in said
    command = [sys.executable, "-m", "orderless", "predict", "model.json", name]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert "No space left on device" in done.stderr


def test_result_over_its_rows(folder):
    name = put(folder, "age,lab value,smoker,color\n20,1,0,red\n")
    before = (folder / name).read_bytes()
    (folder / "link.csv").symlink_to(folder / name)
    for output in (name, f"./{name}", "link.csv"):
        assert "is source and target" in mistake("predict", "model.json", name, "-o", output)
    assert (folder / name).read_bytes() == before


def test_sql_that_cannot_be_written(folder):
    before = sorted(folder.iterdir())
    sql = ("export", "model.json", "-f", "sql", "-o", "out.sql")
    assert "mongo" in mistake(*sql, "--dialect", "mongo")
    assert "holds a NUL" in mistake(*sql, "--table", "a\0b")
    assert sorted(folder.iterdir()) == before


def test_what_is_not_installed_is_no_internal_error(folder, monkeypatch):
    def absent(package):
        def fail(*args, **kwargs):
            raise ModuleNotFoundError(f"this needs {package}: pip install {package}", name=package)

        return fail

    monkeypatch.setattr("orderless.cli.models.canonical_form", absent("abacus"))
    assert mistake("explain", "model.json") == "Error: this needs abacus: pip install abacus\n"
    monkeypatch.setattr("orderless.cli.models.canonical_form", absent("orderless.attic"))
    assert run("explain", "model.json").exit_code == 1


def test_not_enough_memory(folder, monkeypatch):
    def much(*args, **kwargs):
        raise MemoryError

    monkeypatch.setattr("orderless.cli.models.canonical_form", much)
    result = run("explain", "model.json")
    assert result.exit_code == 2
    assert "not enough memory" in result.stderr
