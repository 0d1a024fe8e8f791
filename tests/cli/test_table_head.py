"""What is guessed about a table is said: identifiers, rows left out, strange columns."""

import json

import pytest
from commands import fine, mistake, run

from tests.cli.test_table import BMI, N, fit, put, table


def head(*args):
    result = run(*args)
    assert result.exit_code == 0, result.stderr
    lines = result.stderr.splitlines()
    return [line.removeprefix("Data: ") for line in lines if not line.startswith("Model: ")]


IDS = {
    "id": [f"{i:03}" for i in range(N)],
    "PatientID": list(range(N, 0, -1)),
    "caseid": [1000 + i // 2 for i in range(N)],
    "rownames": list(range(1, N + 1)),
    "": list(range(N)),
    "count": list(range(5, N + 5)),
    "name": [f"Dr. {chr(65 + i % 26)}{i}" for i in range(N)],
}


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("command", ["fit", "rashomon"])
def test_identifiers_are_left_out_and_named(folder, name, command):
    data = (put(folder, {name: IDS[name], **table()}), "--target", "y")
    said = head(command, *data)
    assert said[0] == (
        "t.csv: 40 rows, 2 features (1 numeric, 1 categorical); y: well 21 (52%), ill 19 (48%)"
    )
    assert said[1].startswith(f"left out the column {name!r}: it ")
    assert said[1].endswith(f"(--use {name!r} keeps it)")
    assert head(command, *data, "--quiet") == []
    assert head(command, *data, "--ignore", name)[1:] == []


@pytest.mark.parametrize("name", ["id", "count"])
def test_an_identifier_is_used_if_it_is_named(folder, name):
    data = (put(folder, {name: range(N), "y": ["a"] * 20 + ["b"] * 20}), "--target", "y")
    assert "left out as identifiers or empty; --use COLUMN keeps one" in mistake("fit", *data)
    assert f"IF {name} <= 19.5" in fine("fit", *data, "--use", name)


@pytest.mark.parametrize(
    "column",
    [list(range(0, 2 * N, 2)), [i % 7 for i in range(N)], BMI, ["a", "b"] * (N // 2)],
)
def test_what_is_no_identifier(folder, column):
    assert not any("left out" in line for line in head(*fit(put(folder, table(x=column)))))


def test_rows_that_are_left_out_are_counted(folder):
    name = put(folder, table(bmi=["", *BMI[1:-1], "NA"], age=[*range(1, N), ""]))
    said = head(*fit(name))
    assert said[0].startswith("t.csv: 40 rows, 3 features")
    assert said[1] == (
        "2 rows have gaps (bmi 2, age 1): left out where a tree is fitted, judged with their gaps "
        "where held out"
    )
    said = head("rashomon", *fit(name)[1:], "--max-depth", 1)
    assert said[0].startswith("t.csv: 38 of 40 rows, 3 features")
    assert said[1] == "left out 2 rows with gaps (bmi 2, age 1)"
    fine("fit", put(folder, table(), "full.csv"), "--target", "y", "-o", "m.json")
    said = head("importance", "m.json", "--data", name, "--target", "y")
    assert said == ["t.csv: 38 of 40 rows; left out 2 with gaps in what the tree asks about, or "
                    "without a class"]  # fmt: skip


def test_what_looks_strange_is_said(folder):
    name = put(folder, table(
        sat=[-9, 999, *(i % 5 + 1 for i in range(N - 2))],
        seen=[f"2020-01-{i % 9 + 1:02}" for i in range(N)],
        country=["DE"] * N,
        income=[f"{i % 30 + 1}.{100 + i}" for i in range(N)],
        sex=["f", "F", "m", "m"] * (N // 4),
        fine=[1 + (i % 30) * 1e-9 for i in range(N)],
    ))  # fmt: skip
    said = "\n".join(head(*fit(name))[1:])
    assert "the same in every row: 'country'" in said
    assert "'sat' has -9 (1x), 999 (1x) far from its other values, 1 to 5" in said
    assert "add --na sat=-9,999" in said
    assert "'seen' looks like dates" in said
    assert "'income' has three digits after the '.' in every cell" in said
    assert "'sex' has both 'F' and 'f': correct them" in said
    assert "'fine' has 30 different numbers, but only 1 once" in said
    notes = json.loads(fine(*fit(name, "-f", "json")))["data"]["notes"]
    assert notes[1:] == said.splitlines()
    for args in (
        ("rashomon", *fit(name)[1:], "--max-depth", 1),
        ("importance", "--data", *fit(name)[1:], "--rid", 1, "--rid-depth", 1),
    ):
        assert json.loads(fine(*args, "-f", "json"))["notes"] == notes


@pytest.mark.parametrize("target", [BMI, list(range(100, 100 + N)), [i % 21 for i in range(N)]])
def test_a_target_of_many_numbers_is_regression(folder, target):
    name = put(folder, table(y=target))
    assert "is regression" in mistake(*fit(name, "--task", "classification"))
    assert "is regression" in mistake("rashomon", *fit(name)[1:])
    assert (
        f"'y' has {len(set(target))} different numbers, so numbers are predicted"
        in head(*fit(name))[1]
    )
    content = json.loads(fine("data", name, "--target", "y", "-f", "json"))
    assert "is regression" in content["problems"][0]


def test_numbers_may_be_names_of_classes(folder):
    name = put(folder, {"bmi": BMI * 2, "y": [100 + i % 21 for i in range(2 * N)]})
    assert "if the numbers are names of classes, add --text 'y'" in mistake(
        *fit(name, "--task", "classification")
    )
    assert "for 100" in fine(*fit(name, "--text", "y", "--max-depth", 1))


def test_a_target_of_few_numbers_is_classes(folder):
    assert "THEN 3" in fine(*fit(put(folder, table(y=[i % 4 for i in range(N)]))))


def test_nameless_columns_of_spreadsheets(folder):
    assert "left out the column '': it has neither a name nor values" in head(
        *fit(put(folder, {**table(), "": [""] * N}))
    )
    (folder / "two.csv").write_text("bmi,y,,\n1,a,,\n2,b,,\n")
    assert "two.csv has 2 columns without a name (columns 3, 4)" in mistake(*fit("two.csv"))
    (folder / "same.csv").write_text("bmi,y,bmi\n1,a,1\n2,b,2\n")
    assert "two columns named 'bmi' (columns 1, 3)" in mistake(*fit("same.csv"))


def test_columns_without_values(folder):
    name = put(folder, table(a=[""] * N))
    assert "left out the column 'a': it has no values" in head(*fit(name))
    assert "--use names 'a' of t.csv, without values" in mistake(*fit(name, "--use", "a"))
    assert "--use names 'a' of t.csv, without values" in mistake(
        *fit(name, "--use", "a", "--missing-values", "value")
    )
    name = put(folder, table(a=[""] * N, b=["NA"] * N))
    assert sum("it has no values" in line for line in head(*fit(name))) == 2
    halves = put(folder, table(a=["1", ""] * (N // 2), b=["", "1"] * (N // 2)))
    said = mistake(*fit(halves))
    assert "every row of t.csv has gaps (b 20, a 20): leave columns out with --ignore, or" in said
