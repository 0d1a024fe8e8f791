"""The command line on importances, Rashomon sets and the paper's targets."""

import json
import re
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from commands import fine, mistake, records
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

TABLE = ("--data", "patients.csv", "--target", "diagnosis", "--ignore", "id")
MODEL = ("model.json", *TABLE[:4])


def fitted():
    fine("fit", *TABLE[1:], "-o", "model.json")


# -- importance ----------------------------------------------------------------------------------


def test_importance_says_what_the_library_says(wisconsin, tmp_path):
    X, y = wisconsin
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    found = ol.importance_range(tree, X, y)
    shuffled = ol.permutation_importance(tree, X, y)
    model = tmp_path / "model.json"
    fine("fit", "wisconsin", "--max-depth", 3, "-o", model)
    content = json.loads(fine("importance", model, "--data", "wisconsin", "-f", "json"))
    assert content["equivalent_trees"] == found.n_trees
    assert content["rows"] == len(X)
    assert {r["feature"] for r in content["features"]} == set(ol.read(tree).features)
    for r in content["features"]:
        i = found.features.index(r["feature"])
        assert (r["smallest"], r["largest"]) == (found.low[i], found.high[i])
        assert (r["gini"], r["mean"]) == (found.importance[i], found.mean[i])
        assert r["permutation"] == shuffled[r["feature"]]
        assert np.isclose(r["gini"], tree.feature_importances_[i])
    means = [r["mean"] for r in content["features"]]
    assert means == sorted(means, reverse=True)


def test_importance_in_every_format(here):
    fitted()
    text = fine("importance", *MODEL)
    assert text.startswith("2 equivalent trees have no redundant split; importance on 8 rows.")
    assert [line.split()[0] for line in text.splitlines()[3:]] == ["feature", "smoker", "age"]
    table = records(fine("importance", *MODEL, "-f", "csv"))
    assert list(table[0]) == ["feature", "gini", "smallest", "largest", "mean", "permutation"]
    assert sum(float(row["gini"]) for row in table) == pytest.approx(1)
    assert "| feature | gini |" in fine("importance", *MODEL, "-f", "md")
    short = records(fine("importance", *MODEL, "-f", "csv", "--no-orders"))
    assert list(short[0]) == ["feature", "gini", "permutation"]
    assert {r["gini"] for r in short} == {r["gini"] for r in table}


def test_importance_draws(here):
    fitted()
    for name in ("a.png", "a.svg", "a.pdf"):
        assert fine("importance", *MODEL, "--plot", name, "-o", "text.txt") == ""
        assert (here / name).stat().st_size > 1000
    first = (here / "a.svg").read_bytes()
    fine("importance", *MODEL, "--plot", "b.svg", "-o", "text.txt")
    assert (here / "b.svg").read_bytes() == first


def test_names_that_look_like_formulas_are_drawn(here):
    text = (here / "patients.csv").read_text().replace("age", "$\\frac{$").replace("bmi", "b" * 99)
    (here / "odd.csv").write_text(text)
    fine("fit", "odd.csv", *TABLE[2:], "-o", "odd.json")
    rows = ("--data", "odd.csv", "--target", "diagnosis")
    fine("importance", "odd.json", *rows, "--plot", "a.svg", "-o", "a.txt")
    assert (here / "a.svg").exists()


def test_importance_of_nothing(here):
    (here / "leaf.json").write_text('{"prediction": "ill"}')
    said = fine("importance", "leaf.json", "--data", "patients.csv", "--target", "diagnosis")
    assert said.endswith("The tree has no splits, so no feature matters.\n")


def test_importance_refuses(here):
    fitted()
    assert "labelled rows" in mistake("importance", "model.json")
    assert "raise --limit" in mistake("importance", *MODEL, "--limit", 1)
    assert "leave out --no-orders" in mistake(
        "importance", *MODEL, "--no-orders", "--plot", "a.png"
    )
    assert "must end in .png" in mistake("importance", *MODEL, "--plot", "a.bmp", "-o", "x.txt")
    rid = ("importance", *TABLE, "--rid", 2)
    assert "MODEL is about one tree" in mistake("importance", "model.json", *TABLE, "--rid", 2)
    assert "--no-orders is about one tree" in mistake(*rid, "--no-orders")
    assert "add --data" in mistake("importance", "--rid", 2)
    assert "--infer-kinds is for --rid" in mistake("importance", *MODEL, "--infer-kinds")
    assert "there is no model" in mistake("importance", *TABLE)
    assert "--jobs must be 1 or more" in mistake(*rid, "--jobs", 0)
    for n in (0, -1):
        assert "Invalid value for '--rid'" in mistake("importance", "--data", "spiral", "--rid", n)


def test_rid_says_what_the_library_says(wisconsin, tmp_path):
    X, y = wisconsin
    with pytest.warns(ol.errors.NeverOffered):
        found = ol.RashomonImportance(n_bootstraps=3, max_depth=2, random_state=5).fit(X, y)
    args = ("importance", "--data", "wisconsin", "--rid", 3, "--rid-depth", 2, "--seed", 5)
    content = json.loads(fine(*args, "-f", "json", "--plot", tmp_path / "rid.svg"))
    assert content["functions"] == found.n_functions_.sum()
    assert content["trees"] == found.n_trees_.sum()
    own = found.summary()
    assert [r["feature"] for r in content["features"]] == own["feature"].tolist()
    there = own[own["note"] == ""]
    for name in ("mean", "q95"):
        unknown = [None] * (len(own) - len(there))
        assert [r[name] for r in content["features"]] == there[name].tolist() + unknown
    assert (tmp_path / "rid.svg").stat().st_size > 1000
    text = fine(*args)
    n_none = int(((own["positive"] == 0) & (own["mean"] == 0)).sum())
    n_unknown = X.shape[1] - len(there)
    assert f"\n\nNo importance in any of them: {n_none} of {X.shape[1]} features.\n" in text
    assert text.endswith(
        "\n\nNever offered to any tree, so that their importance is not known: "
        f"{n_unknown} of {X.shape[1]} features.\n"
    )
    assert len(text.splitlines()) == len(there) - n_none + 7
    assert len(records(fine(*args, "-f", "csv"))) == X.shape[1]


# -- rashomon ------------------------------------------------------------------------------------


def test_rashomon_says_what_the_library_says(wisconsin):
    X, y = wisconsin
    found = ol.RashomonSet(max_depth=2, epsilon=0.01).fit(X, y).trees_
    args = ("rashomon", "--data", "wisconsin", "--max-depth", 2, "--epsilon", 0.01)
    content = json.loads(fine(*args, "--trees", 3, "--functions", 4, "-f", "json"))
    assert content["trees"] == found.n_trees
    assert content["nontrivial"] == found.n_nontrivial
    assert content["functions"] == len(found.functions())
    assert content["functions_of_columns"] == len(found.functions("columns"))
    assert content["functions_of_rows"] == len(found.functions("rows"))
    assert content["objective"] == float(found.objective)
    assert content["bound"] == float(found.bound)
    assert content["on_bound"] == found.on_bound
    assert content["best_tree"] == str(found.best_tree)
    own = found.counts()
    assert [r["trees"] for r in content["histogram"]] == own["trees"].tolist()
    assert [r["errors"] for r in content["histogram"]] == own["errors"].tolist()
    assert [t["tree"] for t in content["first_trees"]] == [str(t) for t in found[:3]]
    for given, tree in zip(content["first_trees"], found[:3], strict=True):
        wrong = int((np.asarray(tree.predict(X)) != y).sum())
        assert (given["errors"], given["leaves"]) == (wrong, tree.n_leaves)
        assert given["objective"] == pytest.approx(wrong / len(X) + 0.01 * tree.n_leaves)
    functions = found.functions()
    assert [f["tree"] for f in content["first_functions"]] == [str(f.tree) for f in functions[:4]]
    assert [f["trees"] for f in content["first_functions"]] == [f.n_trees for f in functions[:4]]


def test_rashomon_in_every_format(here):
    text = fine("rashomon", *TABLE, "--trees", 2)
    for part in ("trees", "functions of the features", "A best tree", "Tree 2: objective 0.03"):
        assert part in text
    by_leaves = text.split("exactly on the bound)\n")[1].split("\n\n")[0].splitlines()
    assert by_leaves[1].split() == ["3", "0.0300", "0", "4", "4"]
    table = records(fine("rashomon", *TABLE, "-f", "csv"))
    assert list(table[0]) == ["objective", "leaves", "errors", "trees", "nontrivial"]
    assert sum(int(row["trees"]) for row in table) == 185
    trees = records(fine("rashomon", *TABLE, "-f", "csv", "--trees", 200))
    assert len(trees) == 185
    assert "## A best tree\n\n```\n" in fine("rashomon", *TABLE, "-f", "md")
    assert fine("rashomon", *TABLE, "--plot", "a.svg", "-o", "a.txt") == ""
    assert (here / "a.svg").read_text().startswith("<?xml")


def test_huge_counts_are_short_for_people_only(here):
    rows = [f"{i:06b}" for i in range(64)]  # one of them has a class of its own: 8 functions
    lines = [",".join("abcdefy"), *(",".join([*row, str(int("0" not in row))]) for row in rows)]
    (here / "t.csv").write_text("\n".join(lines) + "\n")
    args = ("rashomon", "--data", "t.csv", "--target", "y", "--regularization", 0)
    args += ("--max-depth", 6, "--epsilon", 1)
    trees = json.loads(fine(*args, "-f", "json"))["trees"]
    assert trees > 10**23
    assert sum(int(row["trees"]) for row in records(fine(*args, "-f", "csv"))) == trees
    for form in ("text", "md"):
        said = fine(*args, "-f", form)
        assert f"about {trees:.1e}".replace("e+", "e") in said
        assert str(trees) not in said


def test_rashomon_of_text_and_bits(here):
    """Text becomes a column per value, 0/1 columns are conditions: as one reads it by hand."""
    lines = ["color,flag,size,y"]
    for color in ("red", "green", "blue"):
        for flag in (0, 1):
            for size in (1, 2):
                lines.append(f"{color},{flag},{size},{'yes' if color == 'red' or flag else 'no'}")
    (here / "t.csv").write_text("\n".join(lines) + "\n")
    found = json.loads(fine("rashomon", "--data", "t.csv", "--target", "y", "-f", "json"))
    assert found["objective"] == pytest.approx(0.03)
    assert found["functions"] == 1
    one = json.loads(
        fine("rashomon", "--data", "t.csv", "--target", "y", "--ignore", "size", "-f", "json")
    )
    assert one["columns"] == ["color = blue", "color = green", "color = red", "flag"]
    assert "color" in one["best_tree"]
    assert (one["objective"], one["functions"]) == (found["objective"], 1)


@pytest.mark.parametrize("options", [(), ("--infer-kinds",)])
def test_both_doors_give_the_same_sets(here, options):
    """One file, by the command line and by pandas: the same columns, sets and printed trees."""
    random = np.random.default_rng(3)
    X = pd.DataFrame(
        {
            "fare €": random.normal(25, 9, 150).round(2),  # decimals that float32 rounds
            "größe": random.choice(["klein", "groß", "日本, 'x' <= 1"], 150),
            "smoker": random.integers(0, 2, 150),
            "age": random.integers(18, 80, 150),
        }
    )
    sure = (X["fare €"] > 25.83) | ((X["größe"] == "groß") & (X["smoker"] == 1))
    y = np.where(sure ^ (random.random(150) < 0.1), "ja", "nein")
    X.assign(y=y).to_csv("t.csv", index=False)
    again = pd.read_csv("t.csv")
    space = None
    if options:
        proposed = ol.Space.infer(again.drop(columns="y"))
        space = ol.Space(
            [replace(f, values="float32") if f.name == "fare €" else f for f in proposed.features],
            proposed.columns,
        )
    found = (
        ol.RashomonSet(epsilon=0.05, space=space).fit(again.drop(columns="y"), again["y"]).trees_
    )
    args = ("rashomon", "--data", "t.csv", "--target", "y", "--epsilon", 0.05, *options)
    content = json.loads(fine(*args, "--trees", 50, "-f", "json"))
    assert content["columns"] == list(found.columns)
    assert content["trees"] == found.n_trees
    assert content["functions"] == len(found.functions())
    assert content["functions_of_columns"] == len(found.functions("columns"))
    assert [t["tree"] for t in content["first_trees"]] == [str(t) for t in found[:50]]
    asked = set().union(*(tree.features for tree in found[:50]))
    assert {"fare €", "größe", "smoker"} <= asked
    thresholds = re.findall(r"fare € <=? ([0-9.]+)", "".join(map(str, found[:50])))
    assert thresholds
    assert max(map(len, thresholds)) <= 8  # 25.83 or so, not 25.82999992370606
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ol.errors.NeverOffered)
        rid = ol.RashomonImportance(3, space=space, random_state=0)
        rid.fit(again.iloc[:, :-1], again["y"])
    args = ("importance", "--data", "t.csv", "--target", "y", "--rid", 3, *options, "-f", "json")
    content = json.loads(fine(*args))
    means = [None if np.isnan(mean) else mean for mean in rid.summary()["mean"]]
    assert [r["mean"] for r in content["features"]] == means
    assert [r["feature"] for r in content["features"]] == rid.summary()["feature"].tolist()


def test_rashomon_refuses(here):
    assert "add --data" in mistake("rashomon")
    assert "which column" in mistake("rashomon", "--data", "patients.csv")
    both = ("--trees", 1, "--functions", 1, "-f", "csv")
    assert "a CSV file is one table" in mistake("rashomon", *TABLE, *both)
    assert "must end in .png" in mistake("rashomon", *TABLE, "--plot", "a.txt", "-o", "b.txt")
    assert "more than --limit 1 functions" in mistake(
        "rashomon", "--data", "wisconsin", "--max-depth", 2, "--functions", 3, "--limit", 1
    )
    assert "--memory-limit 1000" in mistake(
        "rashomon", "--data", "wisconsin", "--memory-limit", 1000
    ).replace(",", "")
    for option in ("--epsilon", "--regularization"):
        for number in ("nan", "inf"):
            assert f"Invalid value for '{option}'" in mistake("rashomon", *TABLE, option, number)
    assert "--max-depth" in mistake("rashomon", *TABLE, "--max-depth", 21)
    (here / "one.csv").write_text("a,y\n1,x\n2,x\n")
    assert "only one value" in mistake("rashomon", "--data", "one.csv", "--target", "y")
