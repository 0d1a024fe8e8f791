"""What report and card say of the model's library, of the rows, and of a column that tells all."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import orderless as ol
from tests.commands import run


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(0, 50, 200), "b": rng.integers(0, 50, 200),
                      "c": rng.integers(0, 9, 200)})  # fmt: skip
    return X, np.where((X["a"] + X["b"] + rng.integers(0, 9, 200)) > 52, "late", "paid")


def card(model, X, y, **options):
    return ol.model_card(model, X, y, name="m", intended_use="u", **options)


def lines(card):
    return {name: text for section in card.sections for name, text in section.lines}


def headline(model, X, y, **options):
    page = ol.report(model, X, y, **options).html
    return page[page.index('<p class="lead">') : page.index("<nav")]


def test_a_card_names_the_library_and_the_kind_of_the_model(rows):
    X, y = rows
    lightgbm = pytest.importorskip("lightgbm")
    code = (y == "late").astype(int)
    boosted = lightgbm.LGBMClassifier(n_estimators=3, verbose=-1)
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), boosted).fit(X, code)
    made = card(pipeline, X, code)
    assert made.metadata["library_name"] == "lightgbm"
    assert "gradient-boosting" in made.metadata["tags"]
    assert "decision-tree" not in made.metadata["tags"]
    said = lines(made)["made by"]
    assert "LGBMClassifier of lightgbm" in said
    assert "Pipeline" in said
    forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    assert "random-forest" in card(forest, X, y).metadata["tags"]
    for model in (forest, DecisionTreeClassifier(max_depth=2).fit(X, y)):
        assert card(model, X, y).metadata["library_name"] == "sklearn"
    tree = DecisionTreeClassifier(max_depth=2).fit(X, y)
    assert "decision-tree" in card(tree, X, y).metadata["tags"]
    read = ol.read(tree)
    assert card(read, X, y).metadata["library_name"] == "orderless"
    assert card(read, X, y, made_by=tree).metadata["library_name"] == "sklearn"


def test_a_file_says_it_too(rows, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = rows
    lightgbm = pytest.importorskip("lightgbm")
    code = (y == "late").astype(int)
    model = lightgbm.LGBMClassifier(n_estimators=3, verbose=-1).fit(X, code)
    model.booster_.save_model("model.txt")
    X.assign(y=code).to_csv("rows.csv", index=False)
    result = run("report", "--as", "card", "model.txt", "--data", "rows.csv", "--target", "y",
                 "--intended-use", "u", "-f", "json")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["metadata"]["library_name"] == "lightgbm"


def test_the_headline_says_which_rows_these_are(rows):
    X, y = rows
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X[:120], y[:120])
    forest = RandomForestClassifier(3, max_depth=3, random_state=0).fit(X[:120], y[:120])
    for one in (model, forest):
        assert "120 training rows" in headline(one, X[:120], y[:120], training_rows=True)
        held_out = headline(one, X[120:], y[120:], training_rows=False)
        assert "80 held-out rows" in held_out
        assert "right on the held-out rows" in held_out
        assert "training" not in held_out
        unknown = headline(one, X[60:], y[60:])
        assert "140 rows, which may be training rows" in unknown
        assert lines(card(one, X[60:], y[60:]))["training rows"].startswith("unknown")
    # A tree that knows the training rows of its leaves needs nobody who says it.
    assert "120 training rows" in headline(model, X[:120], y[:120])
    assert "which may be" in headline(model, X[:119], y[:119])
    known = card(model, X[120:], y[120:], training_rows=False)
    assert "accuracy on the held-out rows" in lines(known)
    assert lines(known)["training rows"].startswith("no")


def test_one_column_that_tells_all_is_named(rows):
    X, y = rows
    model = DecisionTreeClassifier(max_depth=3, random_state=0)
    for leak in (y == "late", np.where(y == "late", 7.5, -2.0) + np.linspace(0, 1, 200)):
        leaky = X.assign(reminders=np.asarray(leak, dtype=float))
        fitted = model.fit(leaky, y)
        assert "The column reminders alone predicts the target of every row" in headline(
            fitted, leaky, y
        )
        assert "reminders alone predicts" in lines(card(fitted, leaky, y))["beware"]
    almost = np.asarray(y == "late", dtype=float)
    almost[np.flatnonzero(almost)[0]] = 0
    leaky = X.assign(reminders=almost)
    assert "reminders alone predicts the target of 99.5% of" in headline(
        model.fit(leaky, y), leaky, y
    )
    for seed in range(3):
        noise = X.assign(number=np.random.default_rng(seed).permutation(200))  # a value per row
        fitted = model.fit(noise, y)
        assert "alone predicts" not in headline(fitted, noise, y)
        assert "beware" not in lines(card(fitted, noise, y))


def test_a_rare_class_is_not_told_by_a_column_that_never_says_it(rows):
    X, _ = rows
    rare = np.array(["no"] * 199 + ["yes"])
    X = X.assign(a=np.random.default_rng(0).integers(0, 2, 200))
    X.loc[199, ["b", "c"]] = X.loc[0, ["b", "c"]]
    fitted = DecisionTreeClassifier(max_depth=1).fit(X, rare)
    assert "The column a alone" not in headline(fitted, X, rare)


def test_a_number_that_copies_the_target_is_named(rows):
    X, _ = rows
    y = np.random.default_rng(1).normal(size=200)
    leaky = X.assign(copied=np.exp(y))
    model = DecisionTreeRegressor(max_depth=2).fit(leaky, y)
    assert "The column copied alone predicts the target" in headline(model, leaky, y)
    assert "alone predicts" not in headline(DecisionTreeRegressor(max_depth=2).fit(X, y), X, y)
