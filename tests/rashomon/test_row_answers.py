"""What a whole set says of rows, with unknowns and without, against brute force."""

from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from rashomon_cases import Case

import orderless as ol
from orderless import member
from orderless.errors import InvalidData, TooLarge

CASES = 60


@pytest.fixture(scope="module", params=range(1000, 1000 + CASES))
def case(request):
    return Case(request.param)


def with_gaps(case, n=12):
    """Cells of the space in which some columns are unknown."""
    rows = np.array([case.cells[i] for i in case.random.integers(0, len(case.cells), n)], float)
    rows[case.random.random(rows.shape) < 0.5] = np.nan
    return rows


def fitting(cells, row):
    return [cell for cell in cells if all(np.isnan(v) or v == c for v, c in zip(row, cell))]  # noqa: B905


def expected(case, rows, cells):
    found = [case.oracle.best_determined(fitting(cells, row)) for row in rows]
    return [None if entry is None else case.classes[entry[0]] for entry in found]


def test_the_best_determined_tree_answers(case):
    rows = with_gaps(case)
    assert case.fit().predict(rows).tolist() == expected(case, rows, case.cells)
    every = list(product((0, 1), repeat=len(case.names)))
    assert case.fit(aware=False).predict(rows).tolist() == expected(case, rows, every)


def test_views_and_lists_answer_alike(case):
    rows = with_gaps(case)
    found = case.fit()
    for view in (
        found.where(~member.trivial),
        found.where(member.leaves <= 2),
        found.where(~member.uses(case.space.names[0])),
    ):
        if not view:
            continue
        listed = ol.TreeSet.from_trees(
            list(view), case.X, case.labels, regularization=case.regularization,
            sample_weight=case.weights,
        )  # fmt: skip
        assert view.predict(rows).tolist() == listed.predict(rows).tolist()


def test_votes(case):
    found = case.fit()
    functions = case.oracle.functions("cells")
    rows = np.array(case.cells)
    counts = np.array([[sum(f[i] == c for f in functions) for c in range(len(case.classes))]
                       for i in range(len(rows))])  # fmt: skip
    assert (found.votes(rows).counts == counts).all()
    assert np.allclose(found.votes(rows).shares, counts / len(functions))
    listed = ol.TreeSet.from_trees(list(found), case.X, case.labels)
    assert (listed.votes(rows).counts == counts).all()
    ambiguous = [len({f[i] for f in functions}) > 1 for i in range(len(rows))]
    assert found.votes(rows).ambiguity() == np.mean(ambiguous)
    labels = [case.classes[int(case.random.integers(len(case.classes)))] for _ in rows]
    some = [
        0 < sum(case.classes[f[i]] == labels[i] for f in functions) < len(functions)
        for i in range(len(rows))
    ]
    assert found.votes(rows).ambiguity(labels) == np.mean(some)
    best = tuple(case.classes.index(c) for c in found.best_tree.predict(rows).tolist())
    assert best in functions
    first = tuple(case.classes.index(c) for c in found.functions()[0].tree.predict(rows).tolist())
    apart = max(np.mean([a != b for a, b in zip(f, first, strict=True)]) for f in functions)
    assert found.votes(rows).discrepancy() == pytest.approx(apart)


def a_set(**options):
    X = pd.DataFrame({"a": [0, 0, 1, 1, 1], "b": [0, 1, 0, 1, 1], "c": [1, 1, 0, 0, 1]})
    return X, ol.RashomonSet(2, 0.05, 0.1, **options).fit(X, ["n", "n", "n", "y", "y"]).trees_


def test_answers_have_the_kind_of_the_rows():
    X, found = a_set()
    said = found.predict(pd.DataFrame({"a": [0.0, None], "b": [None, None], "c": [None, 1.0]}))
    assert isinstance(said, pd.Series)
    assert said.tolist()[0] == "n"
    assert said.isna().tolist() == [False, True]
    assert isinstance(found.predict(X.to_numpy()), np.ma.MaskedArray)
    assert found.predict([{"a": 0}]).tolist() == ["n"]
    assert found.predict(X[:0]).tolist() == []


def test_samples_say_that_they_are_samples():
    X, found = a_set()
    votes = found.votes(X, sample=4000, random_state=0)
    assert votes.sampled
    assert votes.n_functions == 4000
    off = np.abs(votes.shares - found.votes(X).shares).to_numpy()
    assert (off <= 4 * votes.standard_error.to_numpy() + 1e-12).all()
    assert (off <= 0.05).all()
    again = found.votes(X, sample=4000, random_state=0)
    assert again.shares.equals(votes.shares)
    counts = found.votes(X, sample=7, random_state=1).counts
    assert (counts.sum(axis=1) == 7).all()


def test_raw_features_go_in_and_come_out(shared, monkeypatch):
    """Rows of the person's own features: an unknown feature is all of its columns unknown."""
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    found = ol.RashomonSet(2, 0.01, 0.01, thresholds=(0.33, 0.66)).fit(X.iloc[:, :8], y).trees_
    rows = X.iloc[:40, :8].copy()
    rows[np.random.default_rng(0).random(rows.shape) < 0.3] = np.nan
    said = found.predict(rows)
    best = [tree.predict(rows) for tree in found.trees()]
    first = [next((p.iloc[i] for p in best if not pd.isna(p.iloc[i])), None) for i in range(40)]
    cost = [
        next((k for k, p in enumerate(best) if not pd.isna(p.iloc[i])), None) for i in range(40)
    ]
    assert [None if pd.isna(v) else v for v in said] == [None if v is None else v for v in first]
    assert {None} < set(cost)
    assert set(found.best_tree.features) <= set(X.columns)


def test_votes_are_like_the_rows():
    X = pd.DataFrame([[0, 0], [0, 1], [1, 0], [1, 1]], columns=["a", "b"], index=list("wxyz"))
    found = ol.RashomonSet(max_depth=2, epsilon=0.3).fit(X, ["n", "n", "n", "y"]).trees_
    counts = found.votes(X).counts
    assert counts.columns.tolist() == ["n", "y"]
    assert counts.index.tolist() == list("wxyz")
    assert counts.to_numpy().tolist() == found.votes(X.to_numpy()).counts.tolist()
    shares = found.votes(pl.from_pandas(X)).shares
    assert shares["y"].to_list() == found.votes(X).shares["y"].tolist()
    assert found.votes(X, sample=5, random_state=0).shares.shape == (4, 2)


def test_bad_rows_are_refused():
    X, found = a_set()
    with pytest.raises(InvalidData, match="does not say whether 'a' holds"):
        found.votes([{"b": 1, "c": 1}])
    with pytest.raises(InvalidData, match="X has 2 features"):
        found.predict([[0, 1]])
    with pytest.raises(InvalidData, match="X has no rows"):
        found.votes(X[:0])
    with pytest.raises(InvalidData, match="5 rows and y has 1"):
        found.votes(X).ambiguity(["n"])
    with pytest.raises(TooLarge, match="more than limit=1 functions"):
        _ = found.votes(X, limit=1).counts
    with pytest.raises(InvalidData, match="no tree in this view"):
        found.where(member.min_leaf >= 10**6).predict(X)
