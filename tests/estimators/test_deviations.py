"""How far trees of numbers are off: as scikit-learn measures it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.metrics import mean_absolute_error, root_mean_squared_error

import orderless as ol
from orderless.errors import InvalidData
from orderless.estimators import Deviation, deviation, judge, pooled_deviation

LEAVES = {"true": {"prediction": 2.5}, "false": {"prediction": -1.25}}
TREE = {"task": "regression", "feature": 0, **LEAVES}
CELLS = st.sampled_from([0, 1, None])
NUMBERS = st.floats(-1e6, 1e6) | st.none()


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(CELLS, NUMBERS), max_size=12))
def test_errors_are_those_of_the_rows_that_can_be_compared(rows):
    X = np.array([[np.nan if cell is None else cell] for cell, _ in rows]).reshape(-1, 1)
    found = deviation(TREE, X, [number for _, number in rows])
    known = [(cell, y) for cell, y in rows if cell is not None and y is not None]
    answers, truth = [2.5 if cell else -1.25 for cell, _ in known], [y for _, y in known]
    assert found.n_rows == len(known)
    assert found.n_unlabelled == sum(y is None for _, y in rows)
    assert found.n_undetermined == sum(cell is None and y is not None for cell, y in rows)
    if not known:
        assert found.absolute is found.root_mean_square is found.mean is None
        assert found.absolute_of_mean is found.root_mean_square_of_mean is None
        return
    mean = [np.mean(truth)] * len(truth)
    close = {"rel": 1e-9, "abs": 1e-6}
    assert found.mean == pytest.approx(mean[0], **close)
    assert found.absolute == pytest.approx(mean_absolute_error(truth, answers), **close)
    rms = root_mean_squared_error
    assert found.root_mean_square == pytest.approx(rms(truth, answers), **close)
    assert found.absolute_of_mean == pytest.approx(mean_absolute_error(truth, mean), **close)
    assert found.root_mean_square_of_mean == pytest.approx(rms(truth, mean), **close)


def test_parts_are_put_together():
    X, y = [[0], [1], [None], [1]], [1.0, 2.0, 3.0, math.nan]
    parts = [deviation(TREE, X[:2], y[:2]), deviation(TREE, X[2:], y[2:])]
    assert pooled_deviation(parts) == deviation(TREE, X, y)
    assert pooled_deviation([]) == Deviation((), ())


def test_large_numbers_do_not_overflow():
    found = Deviation((1e300, -1e300), (-1e300, 1e300))
    assert found.absolute == pytest.approx(2e300)
    assert found.root_mean_square == pytest.approx(2e300)


def test_what_is_refused():
    with pytest.raises(InvalidData, match="X has 1 rows, and y has 2 numbers"):
        deviation(TREE, [[0]], [1.0, 2.0])
    with pytest.raises(InvalidData, match="y must be finite numbers, got inf"):
        deviation(TREE, [[0]], [math.inf])
    with pytest.raises(ol.errors.InvalidTree, match="are not numbers"):
        deviation({"feature": 0, "true": {"prediction": "a"}, "false": {"prediction": "b"}},
                  [[0]], [1.0])  # fmt: skip


def test_classes_and_numbers_are_judged_apart():
    number = {"task": "regression", "feature": 0, "true": {"prediction": 2.5},
              "false": {"prediction": 7.0}}  # fmt: skip
    with pytest.raises(
        ol.errors.InvalidTree, match=r"predicts numbers: use deviation\(tree, X, y\)"
    ):
        judge(number, [[1]], [2.5])
    assert deviation(number, [[1]], [3]).absolute == 0.5
    with pytest.raises(ol.errors.InvalidTree, match="are not numbers"):
        deviation({"prediction": "ill"}, [[1]], [2.5])
    with pytest.raises(ol.errors.InvalidData, match="y must be finite numbers: could not convert"):
        deviation(number, [[1]], ["long"])
