"""Missing values in scikit-learn's trees: a value, or unknown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from sklearn.tree import (
    DecisionTreeClassifier,
)

import orderless as ol
from tests.readers.test_sklearn import data, hard_rows, same


def with_gaps(seed: int, share: float = 0.3) -> tuple[Any, Any]:
    X, y = data(seed, n=60, n_columns=3, n_classes=3)
    rng = np.random.default_rng(seed)
    y = np.where(np.nan_to_num(X[:, 1]) > 0, y, (y + 1) % 3)
    hole = rng.random(X.shape) < share
    y = np.where(hole[:, 0], 0, y)  # missingness tells something
    X[hole] = np.nan
    return X, y


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_missing_as_a_value(seed: int, splitter: Any) -> None:
    X, y = with_gaps(seed)
    model = DecisionTreeClassifier(splitter=splitter, random_state=seed).fit(X, y)
    tree = ol.read(model, nan="value")
    assert all(feature.nan for feature in tree.space.features)
    rows = hard_rows(X, model, seed)
    same(tree, model, rows)
    rows = np.repeat(rows, 2, axis=0)
    rows[np.random.default_rng(0).random(rows.shape) < 0.3] = np.nan
    same(tree, model, rows)
    assert ol.Tree.from_json(tree.to_json()) == tree


@pytest.mark.parametrize("seed", range(6))
def test_missing_as_unknown_never_contradicts(seed: int) -> None:
    """Theorem 3.2: an answer in spite of gaps is the answer for every filling of them."""
    X, y = with_gaps(seed, 0.2)
    model = DecisionTreeClassifier(max_depth=4, random_state=seed).fit(X, y)
    tree = ol.read(model, nan="unknown")
    assert not any(feature.nan for feature in tree.space.features)
    ours = tree.predict(X)
    full = hard_rows(np.nan_to_num(X, nan=0.5), model, seed)
    same(tree, model, full)
    hole = np.isnan(X)
    answers: list[set[Any]] = [set() for _ in X]
    rng = np.random.default_rng(seed)
    for _ in range(400):
        filled = np.where(hole, full[rng.integers(0, len(full), len(X))], X)
        for answer, label in zip(answers, model.predict(filled).tolist(), strict=True):
            answer.add(label)
    mask = np.ma.getmaskarray(ours)
    assert mask.any()
    assert (hole.any(axis=1) & ~mask).any()
    for k, answer in enumerate(answers):
        if not mask[k]:
            assert answer == {ours.data[k]}
    # And it is masked only where fillings differ (all of them were tried often enough).
    assert all(len(answer) > 1 for answer, hidden in zip(answers, mask, strict=True) if hidden)


def test_a_split_on_missingness_alone() -> None:
    """scikit-learn then has an infinite threshold."""
    X = np.array([[1.0], [2.0], [np.nan], [np.nan], [3.0]])
    model = DecisionTreeClassifier().fit(X, ["known", "known", "gone", "gone", "known"])
    assert np.isinf(model.tree_.threshold[0])
    tree = ol.read(model, nan="value")
    assert tree.n_leaves == 2
    rows = np.array([[np.nan], [-1e30], [0.0], [1e30]])
    same(tree, model, rows)
    assert "known" in tree.kernel.condition(0) or "missing" in tree.kernel.condition(0)
    # As an unknown, every value is known once it is filled in.
    tree = ol.read(model)
    assert tree.n_leaves == 1
    assert tree.predict(rows).tolist() == ["known"] * 4


def test_missing_where_training_had_none() -> None:
    """scikit-learn sends it to the child with more rows."""
    X, y = data(8, n_classes=3)
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    rows = np.repeat(X, 3, axis=0)
    rows[np.random.default_rng(1).random(rows.shape) < 0.4] = np.nan
    same(ol.read(model, nan="value"), model, rows)


@given(st.data())
@settings(max_examples=80)
def test_small_tables_with_gaps(data: Any) -> None:
    """Values that are few and often missing: every row there is, also half of them unknown."""
    values = st.sampled_from([0.0, 1.0, 2.0, float("nan")])
    rows = data.draw(st.lists(st.tuples(values, values), min_size=3, max_size=12))
    y = data.draw(st.lists(st.sampled_from("abc"), min_size=len(rows), max_size=len(rows)))
    X = np.array(rows)
    assume(not np.isnan(X).all(axis=0).any())
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    tree = ol.read(model, nan="value")
    legal = [-1.0, 0.0, 0.5, 0.7, 1.0, 1.5, 2.0, 9.0, np.nan]
    grid = np.array([[a, b] for a in legal for b in legal])
    same(tree, model, grid)
    known = legal[:-1]
    unknown = ol.read(model)
    for row in grid[np.isnan(grid).any(axis=1)]:
        fillings = [[a if np.isnan(row[0]) else row[0], b if np.isnan(row[1]) else row[1]]
                    for a in known for b in known]  # fmt: skip
        answers = set(model.predict(fillings).tolist())
        ours = unknown.predict([row])
        if len(answers) == 1:
            assert ours.tolist() == list(answers)
        else:
            assert np.ma.getmaskarray(ours).all()
