"""``orderless predict`` of numbers: intervals are those of all ways to fill in the gaps."""

import itertools
import json
import math

import joblib
import numpy as np
import pandas as pd
import pytest
from commands import fine, mistake, records
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor

import orderless as ol
from orderless.connect import predict_file

skops_io = pytest.importorskip("skops.io", reason="skops comes with the extra orderless[skops]")

N_ROWS = 120


def stays(n=300):
    """Lengths of stay, made from a seed."""
    draw = np.random.default_rng(17)
    X = pd.DataFrame({"age": draw.integers(18, 95, n).astype(float), "CRP": draw.gamma(2, 30, n),
                      "emergency": draw.integers(0, 2, n).astype(float)})  # fmt: skip
    days = 1 + X["age"] / 20 + 3 * X["emergency"] + X["CRP"] / 20 + draw.gamma(2, 0.5, n)
    return X.round(1), days.round(1)


def sugar():
    return load_diabetes(return_X_y=True, as_frame=True, scaled=False)


def with_gaps(X, share=0.35):
    return X[:N_ROWS].mask(np.random.default_rng(3).random((N_ROWS, X.shape[1])) < share)


def by_brute_force(model, gaps):
    """The smallest and largest that scikit-learn says, over values at and beside all thresholds."""
    tree = model.tree_
    near = {}
    for i in range(gaps.shape[1]):
        cuts = sorted(set(tree.threshold[tree.feature == i].tolist()))
        near[i] = [v for cut in cuts for v in (cut - 1, cut, cut + 1)] or [0.0]
    out = []
    for row in gaps.to_numpy():
        open_cells = [near[i] if math.isnan(value) else [value] for i, value in enumerate(row)]
        filled = pd.DataFrame(list(itertools.product(*open_cells)), columns=gaps.columns)
        said = model.predict(filled)
        out.append((said.min(), said.max()))
    return out


@pytest.mark.parametrize("data", [stays, sugar], ids=["stays", "diabetes"])
@pytest.mark.parametrize("kind", [DecisionTreeRegressor, ExtraTreeRegressor])
@pytest.mark.parametrize("within", [None, 0, 4.5, 60])
def test_intervals_are_those_of_all_completions(tmp_path, monkeypatch, data, kind, within):
    monkeypatch.chdir(tmp_path)
    X, y = data()
    X = X if data is stays else X[["bmi", "bp", "s5"]]
    model = kind(max_depth=3, random_state=0).fit(X, y)
    skops_io.dump(model, "model.skops")
    gaps = with_gaps(X)
    gaps.to_csv("rows.csv", index=False)
    args = () if within is None else ("--tolerance", within)
    said = records(fine("predict", "model.skops", "rows.csv", *args, "--chunk-rows", 50))
    ends = by_brute_force(model, gaps)
    assert [(float(row["lower"]), float(row["upper"])) for row in said] == ends
    for row, (low, high) in zip(said, ends, strict=True):
        assert row["determined"] == ("yes" if low == high else "no")
        narrow = high - low <= (within or 0)
        assert row["prediction"] == (str(float((low + high) / 2)) if narrow else "")
        assert bool(row["needed"]) == (high - low > (within or 0))
    assert {row["determined"] for row in said} == {"yes", "no"}


def test_complete_rows_get_the_models_numbers_to_the_last_bit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = sugar()
    model = DecisionTreeRegressor(random_state=0).fit(X, y * math.pi)
    joblib.dump(model, "model.joblib")
    X.to_csv("rows.csv", index=False)
    said = records(fine("predict", "model.joblib", "rows.csv", "--allow-pickle", "--no-needed"))
    for name in ("prediction", "lower", "upper"):
        assert [float(row[name]) for row in said] == model.predict(X).tolist()
    assert list(said[0])[-4:] == ["prediction", "lower", "upper", "determined"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    leaf = [{"prediction": number} for number in (2.5, 4.0, 7.25)]
    old = {"feature": "age", "relation": "<=", "reference": 80, "true": leaf[1], "false": leaf[2]}
    tree = {"task": "regression", "feature": "lab value", "relation": "<", "reference": 1.5,
            "true": leaf[0], "false": old}  # fmt: skip
    (tmp_path / "model.json").write_text(json.dumps(tree))
    (tmp_path / "space.json").write_text('{"age": "integer", "lab value": "numeric"}')
    text = "Nr;age;lab value\n007;80;1,5\n008;n.d.;1,4\n009;81;\n010;;2,75\n011;;\n"
    (tmp_path / "rows.csv").write_text(text)
    return tmp_path


DIRTY = ("--space", "space.json", "--delimiter", ";", "--decimal", ",", "--na", "n.d.")


def test_decimal_commas_and_gaps(folder):
    said = fine("predict", "model.json", "rows.csv", *DIRTY)
    assert said.splitlines() == [
        "Nr,age,lab value,prediction,lower,upper,determined,needed",
        '007,80,"1,5",4.0,4.0,4.0,yes,',
        '008,n.d.,"1,4",2.5,2.5,2.5,yes,',
        "009,81,,,2.5,7.25,no,lab value",
        '010,,"2,75",,4.0,7.25,no,age',
        "011,,,,2.5,7.25,no,age; lab value",
    ]


def test_formats(folder):
    args = ("predict", "model.json", "rows.csv", *DIRTY, "--tolerance", "3.25")
    lines = [json.loads(line) for line in fine(*args, "-f", "json").splitlines()]
    assert [line["prediction"] for line in lines] == [4.0, 2.5, None, 5.625, None]
    assert [line["needed"] for line in lines][2:] == [["lab value"], [], ["lab value"]]
    assert [line["lower"] for line in lines] == [4.0, 2.5, 2.5, 4.0, 2.5]
    fine(*args, "-o", "out.parquet")
    frame = pd.read_parquet("out.parquet")
    for name in ("prediction", "lower", "upper"):
        assert frame[name].dtype == np.float64
        assert [None if math.isnan(v) else v for v in frame[name]] == [r[name] for r in lines]
    assert frame["determined"].tolist() == [line["determined"] for line in lines]
    head, *rows = fine(*args, "-f", "md").splitlines()
    assert head == "| Nr | age | lab value | prediction | lower | upper | determined | needed |"
    assert rows[4] == "| 010 |  | 2,75 | 5.625 | 4.0 | 7.25 | no |  |"
    text = fine(*args, "-f", "text").splitlines()
    assert text[4].split() == ["010", "2,75", "5.625", "4.0", "7.25", "no"]


def test_explanations_of_rows_have_the_ends(folder):
    said = records(fine("explain", "model.json", "--rows", "rows.csv", *DIRTY, "-f", "csv"))
    assert [(row["prediction"], row["lower"], row["upper"]) for row in said] == [
        ("4.0", "4.0", "4.0"), ("2.5", "2.5", "2.5"), ("", "2.5", "7.25"), ("", "4.0", "7.25"),
        ("", "2.5", "7.25"),
    ]  # fmt: skip
    assert said[3]["text"].startswith("Between 4 and 7.25, because lab value >= 1.5")


def test_names_of_five_columns(folder):
    args = ("predict", "model.json", "rows.csv", *DIRTY)
    head = fine(*args, "--names", "a,b,c,d,e").splitlines()[0]
    assert head == "Nr,age,lab value,a,b,c,d,e"
    head = fine(*args, "--names", "a,b,c,d", "--no-needed").splitlines()[0]
    assert head == "Nr,age,lab value,a,b,c,d"
    said = mistake(*args, "--names", "a,b,c")
    assert "give five different names, such as prediction, lower, upper, determined, needed" in said
    (folder / "rows.csv").write_text("age;lab value;lower\n1;2;3\n")
    assert "has a column 'lower' already" in mistake(*args)


def test_next_to_ask(folder):
    said = records(fine("predict", "model.json", "rows.csv", *DIRTY, "--needed", "next"))
    tree = ol.read(json.loads((folder / "model.json").read_text()),
                        space=ol.Space({"age": "integer", "lab value": "numeric"}))  # fmt: skip
    rows = [[80, 1.5], [None, 1.4], [81, None], [None, 2.75], [None, None]]
    assert [row["needed"] or None for row in said] == tree.ask_next(rows).tolist()


def test_classes_that_are_numbers_have_intervals_on_request(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    leaves = {"true": {"prediction": 3}, "false": {"prediction": 6}}
    tree = {"feature": 0, "relation": "<=", "reference": 2, **leaves}
    (tmp_path / "model.json").write_text(ol.read(tree).to_json())
    (tmp_path / "rows.csv").write_text("x0\n1\n\n")
    said = fine("predict", "model.json", "rows.csv")
    assert said == "x0,prediction,determined,needed\n1,3,yes,\n,,no,x0\n"
    said = fine("predict", "model.json", "rows.csv", "--tolerance", "3")
    assert said == (
        "x0,prediction,lower,upper,determined,needed\n1,3.0,3.0,3.0,yes,\n,4.5,3.0,6.0,no,\n"
    )


@pytest.mark.parametrize("width", ["-1", "nan", "inf", "wide"])
def test_widths_that_are_none(folder, width):
    assert "--tolerance" in mistake(
        "predict", "model.json", "rows.csv", *DIRTY, "--tolerance", width
    )


def test_widths_are_for_numbers(folder):
    args = ("predict", "model.json", "rows.csv", *DIRTY, "--tolerance", "1")
    said = mistake(*args, "--cut", "3")
    assert said == "Error: --tolerance is for numbers, and --cut decides on classes: give one\n"
    leaves = {"true": {"prediction": "a"}, "false": {"prediction": "b"}}
    (folder / "model.json").write_text(json.dumps({"feature": 0, **leaves}))
    args = ("predict", "model.json", "rows.csv", "--tolerance", "1")
    assert "--tolerance is for numbers, and model.json decides between 'a', 'b'" in mistake(*args)


def test_what_was_written_in_numbers(folder, tmp_path):
    space = ol.Space({"age": "integer", "lab value": "numeric"})
    tree = ol.read((folder / "model.json").read_text(), space=space)
    told = {"delimiter": ";", "decimal": ",", "missing": ["n.d."]}
    done = predict_file(tree, "rows.csv", "out.csv", **told)
    assert done.summary == "2 of 5 rows are determined (40.0%)"
    done = predict_file(tree, "rows.csv", "out.csv", tolerance=3.25, **told)
    assert done.summary == "2 of 5 rows are determined (40.0%), 1 more is within 3.25"
    assert (done.n_determined, done.n_narrow, done.counts) == (2, 3, {2.5: 1, 4.0: 1, 7.25: 0})
    for bad in (-1, math.nan, math.inf, "1", True):
        with pytest.raises(ValueError, match="tolerance must be a"):
            predict_file(tree, "rows.csv", "out.csv", tolerance=bad, **told)
