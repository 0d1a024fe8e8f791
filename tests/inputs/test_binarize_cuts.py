"""Where binarizers cut: at the paper's thresholds, and at quantiles."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from sklearn.datasets import load_wine
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import KFold

from orderless.errors import InvalidData
from orderless.inputs import Binarizer

SHARED = Path(__file__).resolve().parents[3] / "shared"


FILES = {
    "broward": "broward_general_2y.csv",
    "compas": "compas_complete.csv",
    "coupon": "coupon_full.csv",
    "fico": "fico_complete.csv",
    "iris_setosa": "iris_setosa.csv",
    "iris_versicolor": "iris_versicolor.csv",
    "iris_virginica": "iris_virginica.csv",
    "spiral": "spiral.csv",
    "tic_tac_toe": "tic-tac-toe.csv",
    "wine_quality": "wine_quality.csv",
    "wisconsin": "wisconsin.csv",
}

needs_shared = pytest.mark.skipif(
    not (SHARED / "reference").is_dir(), reason="the references are not in ../shared/reference"
)


def fold_0(name):
    """The first training fold of a data set, as the paper cuts it."""
    table = pd.read_csv(SHARED / "data" / FILES[name])
    train, _ = next(KFold(5, shuffle=True, random_state=42).split(table))
    return table.iloc[train, :-1], table.iloc[train, -1]


def reference(name):
    with (SHARED / "reference" / "thresholds_fold0.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["dataset"] == name]
    return [(row["feature"], float(row["threshold"])) for row in rows]


# -- the paper's columns -------------------------------------------------------------------------


@needs_shared
@pytest.mark.parametrize("name", FILES)
def test_thresholds_are_the_papers(name):
    X, y = fold_0(name)
    binarizer = Binarizer().fit(X, y)
    expected = reference(name)
    assert [(X.columns[j], t) for j, t in binarizer.thresholds_] == expected
    assert [(c.feature, c.condition.at_most) for c in binarizer.space_.columns] == expected


@needs_shared
def test_zero_one_columns_are_cut_at_a_half():
    X, y = fold_0("coupon")
    out = Binarizer().set_output(transform="pandas").fit_transform(X, y)
    assert out.columns[0] == "destination0 <= 0.5"
    np.testing.assert_array_equal(out["destination0 <= 0.5"], 1 - X["destination0"])


def test_selection_on_distinct_rows_is_selection_on_all_rows(iris):
    """The refits see each distinct row once, weighted: the ensembles are those of all rows."""
    X, y = iris[0].to_numpy(), iris[1].to_numpy() == 1
    booster = GradientBoostingClassifier(n_estimators=40, max_depth=1, random_state=42)
    cuts = Binarizer(backward_select=False).fit(X, y).thresholds_
    columns = np.column_stack([X[:, j] <= t for j, t in cuts]).astype(float)
    kept = list(range(len(cuts)))
    floor = booster.fit(columns, y).score(columns, y)
    while len(kept) > 1:
        dropped = kept.pop(int(np.argmin(booster.feature_importances_)))
        if booster.fit(columns[:, kept], y).score(columns[:, kept], y) < floor:
            break
    expected = [cuts[k] for k in [*kept, dropped]]
    assert Binarizer().fit(X, y).thresholds_ == expected
    assert expected != sorted(expected)  # the one put back comes last


def test_candidates_are_the_ensembles_thresholds(iris):
    X, y = iris
    booster = GradientBoostingClassifier(n_estimators=7, max_depth=2, random_state=0).fit(X, y)
    expected = {
        (int(j), float(t))
        for tree in booster.estimators_.ravel()
        for j, t in zip(tree.tree_.feature, tree.tree_.threshold, strict=True)
        if j >= 0
    }
    assert booster.estimators_.shape == (7, 3)  # the trees of every class count
    binarizer = Binarizer(n_estimators=7, max_depth=2, backward_select=False, random_state=0)
    assert binarizer.fit(X, y).thresholds_ == sorted(expected)


def test_order_of_rows_and_names_of_classes_do_not_matter(iris):
    X, y = iris
    expected = Binarizer().fit(X, y).thresholds_
    order = np.random.default_rng(0).permutation(len(X))
    assert Binarizer().fit(X.iloc[order], y.iloc[order]).thresholds_ == expected
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    for labels in (names, names.astype(object), pd.Series(names, dtype="category"), y - 0.0):
        assert Binarizer().fit(X, labels).thresholds_ == expected


@pytest.mark.parametrize("kind", [bool, object, int, float, str])
def test_labels_of_any_type(kind):
    y = np.array([False, False, True, True]).astype(kind)
    assert Binarizer().fit([[0], [1], [2], [3]], y).thresholds_ == [(0, 1.5)]


def test_random_state():
    X, y = load_wine(return_X_y=True)

    def thresholds(state):
        options = {"n_estimators": 5, "max_depth": 2}
        return Binarizer(**options, random_state=state).fit(X, y).thresholds_

    assert thresholds(1) == thresholds(np.int64(1))
    state = np.random.RandomState(3)
    assert thresholds(state) == thresholds(np.random.RandomState(3))
    assert thresholds(None)


def test_quantiles():
    X = np.column_stack([np.arange(101.0), np.full(101, 3.0), np.r_[np.zeros(40), np.ones(61)]])
    binarizer = Binarizer((0.33, 0.66)).fit(X)
    # The constant has no cuts; the third has one at 0 and one at its maximum, which is dropped.
    assert binarizer.thresholds_ == [(0, 33.0), (0, 66.0), (2, 0.0)]
    assert binarizer.get_feature_names_out().tolist() == ["x0 <= 33", "x0 <= 66", "x2 <= 0"]
    np.testing.assert_array_equal(binarizer.transform(X).sum(axis=0), [34, 67, 40])
    assert Binarizer([0, 1]).fit(X).thresholds_ == [(0, 0.0), (2, 0.0)]
    assert Binarizer(np.array([0.5, 0.5])).fit(X).thresholds_ == [(0, 50.0)]
    assert Binarizer((0.66, 0.33)).fit(X).thresholds_ == binarizer.thresholds_


def test_quantiles_of_values_that_are_far_apart():
    binarizer = Binarizer((0.25, 0.75)).fit([[-1.7e308], [1.7e308]])
    assert binarizer.thresholds_ == [(0, -0.85e308), (0, 0.85e308)]


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30),
    st.lists(st.floats(0, 1), min_size=1, max_size=4),
)
def test_quantile_columns_always_divide(values, quantiles):
    X = np.array(values)[:, None]
    if len(np.unique(X)) == 1:
        with pytest.raises(InvalidData, match="no column is left"):
            Binarizer(quantiles).fit(X)
        return
    try:
        out = Binarizer(quantiles).fit_transform(X)
    except InvalidData:
        assert np.all(np.quantile(X, quantiles) >= X.max())
        return
    share = out.mean(axis=0)
    assert np.all((share > 0) & (share < 1))
    assert np.all(np.diff(share) >= 0)
