"""Every cut point of real tables: the same sets as with explicit columns in disorder."""

import numpy as np
import pandas as pd
import pytest
from oracle_cuts import SortedRows

import orderless as ol
from orderless.datasets import load


def in_disorder(X, y, depth):
    """The same cut points as 0/1 columns, none of which follows from the one before."""
    binarizer = ol.Binarizer("all").fit(X)
    order = np.random.default_rng(0).permutation(len(binarizer.thresholds_))
    columns = pd.DataFrame(binarizer.transform(X), columns=binarizer.get_feature_names_out())
    space = ol.Space(binarizer.space_.features, [binarizer.space_.columns[j] for j in order])
    return (
        ol.RashomonSet(depth, 0.01, 0.02, thresholds=None, space=space)
        .fit(columns.iloc[:, order], y)
        .trees_
    )


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("name", ["iris_setosa", "iris_versicolor", "iris_virginica", "spiral"])
def test_every_cut_point_and_explicit_columns_are_the_same_trees(name, depth):
    data = load(name)
    every = ol.RashomonSet(depth, 0.01, 0.02, thresholds="all").fit(data.X, data.y).trees_
    explicit = in_disorder(data.X, data.y, depth)
    assert every.n_trees == explicit.n_trees > 500
    assert every.n_nontrivial == explicit.n_nontrivial
    assert every.on_bound == explicit.on_bound
    pd.testing.assert_frame_equal(every.counts(), explicit.counts())


@pytest.mark.parametrize(("name", "features"), [("iris_versicolor", 4), ("spiral", 2)])
def test_trees_after_a_first_cut_are_those_of_sorted_rows(name, features):
    """Another way to count: every cut of every side, errors from running sums."""
    data = load(name)
    every = ol.RashomonSet(3, 0.01, 0.02, thresholds="all").fit(data.X, data.y).trees_
    problem = every._source.problem
    assert data.X.shape[1] == features
    rows = SortedRows(
        data.X, data.y, problem.error_cost, problem.leaf_cost, every._source.bound
    )  # fmt: skip
    counted = 0
    for feature, values in enumerate(rows.values):
        for value in values[:-1]:
            counted += rows.after(feature, value, 3)
    assert counted == every.n_trees > 100_000  # a leaf alone is not in
