"""OrderlessClassifier: a good scikit-learn citizen that never guesses unasked."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin, clone, is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.metrics import accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import orderless as ol
from orderless import OrderlessClassifier
from orderless.errors import InvalidData

TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
NAMES = ["sepal length", "sepal width", "petal length", "petal width"]


def possible_labels(model, row):
    """The labels of completions that reach every combination of bins."""
    values = []
    for j, value in enumerate(row):
        cuts = model.tree_.threshold[model.tree_.feature == j]
        values.append([value] if not np.isnan(value) else [*cuts, *(cuts + 1e-3), 0.0])
    return set(model.predict(np.array(list(itertools.product(*values)))).tolist())


# -- what it says --------------------------------------------------------------------------------


def test_it_answers_exactly_where_all_completions_agree(iris):
    X, y, gaps = iris
    model = OrderlessClassifier(TREE).fit(X, y)
    said, sure = model.predict(gaps), model.determined(gaps)
    for row, label, certain in zip(gaps, said.tolist(), sure, strict=True):
        possible = possible_labels(model.estimator_, row)
        assert certain == (len(possible) == 1)
        assert label == (possible.pop() if certain else None)
    assert np.array_equal(said.mask, ~sure)
    assert model.coverage(gaps) == sure.mean()
    assert 0.2 < sure.mean() < 0.9
    assert model.coverage_ == 1.0
    complete = model.predict(X)
    assert type(complete) is np.ndarray
    assert np.array_equal(complete, model.estimator_.predict(X))
    assert model.form_ == ol.canonicalize(model.estimator_)
    assert model.tree_ == ol.read(model.estimator_)
    assert is_classifier(model)


def test_labels_keep_their_type(iris):
    X, y, gaps = iris
    for labels in ([0, 1, 2], ["a", "b", "c"], [-1.0, 1.0, 2.0]):
        legal = np.array(labels)
        target = legal[np.unique(y, return_inverse=True)[1]]
        model = OrderlessClassifier(TREE).fit(X, target)
        assert model.predict(X).dtype == model.classes_.dtype == legal.dtype
        assert set(model.predict(gaps).tolist()) == {*labels, None}
        assert set(model.predict(pd.DataFrame(gaps)).dropna()) == set(labels)
    two = OrderlessClassifier(TREE).fit(X, y == "setosa")
    assert set(two.predict(gaps).tolist()) == {False, True, None}
    big = OrderlessClassifier(TREE).fit(X, np.where(y == "setosa", 2**60 + 1, 0))
    assert set(big.predict(gaps).tolist()) == {2**60 + 1, 0, None}


def test_data_frames(iris):
    X, y, gaps = iris
    model = OrderlessClassifier(TREE).fit(pd.DataFrame(X, columns=NAMES), y)
    assert list(model.feature_names_in_) == NAMES
    assert set(model.tree_.features) <= set(NAMES)
    frame = pd.DataFrame(gaps, columns=NAMES, index=[f"row {i}" for i in range(len(X))])
    said = model.predict(frame)
    assert isinstance(said, pd.Series)
    assert said.dtype == "string"
    assert said.index.equals(frame.index)
    assert np.array_equal(said.isna(), ~model.determined(frame))
    assert type(model.predict(frame.fillna(1.0))) is np.ndarray
    table = pa.table(frame.reset_index(drop=True))
    for other in (pl.DataFrame(frame), table):
        column = model.predict(other)
        assert pa.array(column.to_arrow() if other is not table else column).to_pylist() == [
            None if pd.isna(label) else label for label in said
        ]
        assert np.array_equal(model.determined(other), model.determined(frame))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert model.coverage(gaps) == model.coverage(frame)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[NAMES[::-1]])


def test_data_frames_without_names_go_by_position(iris):
    X, y, gaps = iris
    model = OrderlessClassifier(TREE).fit(pd.DataFrame(X), y)
    assert not hasattr(model, "feature_names_in_")
    said = model.predict(pd.DataFrame(gaps))
    assert isinstance(said, pd.Series)
    expected = OrderlessClassifier(TREE).fit(X, y)
    assert np.array_equal(said.isna(), expected.predict(gaps).mask)
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        named = expected.predict(pd.DataFrame(gaps, columns=NAMES))
    assert named.equals(said)


def test_other_tables(iris):
    X, y, gaps = iris
    model = OrderlessClassifier(TREE).fit(X, y)
    expected = model.predict(gaps).tolist()
    hidden = np.ma.MaskedArray(np.where(np.isnan(gaps), 1.0, gaps), mask=np.isnan(gaps))
    assert model.predict(hidden).tolist() == expected
    nothing = [[None if np.isnan(v) else v for v in row] for row in gaps]
    assert model.predict(nothing).tolist() == expected
    assert model.predict(np.array(nothing, dtype=object)).tolist() == expected
    for sparse in (sp.csr_array(gaps), sp.coo_matrix(gaps), sp.dok_array(gaps)):
        assert model.predict(sparse).tolist() == expected
    for way in ("majority", SimpleImputer(), ("setosa",)):
        filled = OrderlessClassifier(TREE, undetermined=way).fit(X, y)
        wanted = filled.predict(gaps).tolist()
        assert filled.predict(nothing).tolist() == wanted
        assert filled.predict(hidden).tolist() == wanted
        assert filled.predict(sp.csr_array(gaps)).tolist() == wanted
    assert model.predict(X[:0]).tolist() == []


def test_masked_training_values_are_not_looked_at(iris):
    _, y, gaps = iris
    hidden = np.ma.MaskedArray(np.where(np.isnan(gaps), 99.0, gaps), mask=np.isnan(gaps))
    assert OrderlessClassifier(TREE).fit(hidden, y).tree_ == (
        OrderlessClassifier(TREE).fit(gaps, y).tree_
    )
    words = np.ma.MaskedArray([["a"], ["b"], ["c"]], mask=[[0], [0], [1]])
    with pytest.raises(ValueError, match="could not convert string"):
        OrderlessClassifier(TREE).fit(words, [0, 1, 1])


def test_unknown_training_values_are_the_estimators_business(iris):
    _, y, gaps = iris
    model = OrderlessClassifier(TREE).fit(gaps, y)
    assert model.coverage_ == model.coverage(gaps) < 1
    assert np.ma.count_masked(model.predict(gaps)) > 0, "NaN is unknown, though it was trained on"
    refusing = make_pipeline(ol.Binarizer((0.33, 0.66)), TREE)
    with pytest.raises(ValueError, match="contains NaN"):
        OrderlessClassifier(refusing).fit(gaps, y)


def test_through_a_pipeline_with_text():
    X = pd.DataFrame({"color": ["red", "green", "blue", "red"] * 5, "size": np.arange(20.0)})
    y = np.where(X["color"] == "red", "stop", np.where(X["size"] > 9, "go", "wait"))
    encode = ColumnTransformer([("hot", OneHotEncoder(), ["color"])], remainder="passthrough")
    model = OrderlessClassifier(make_pipeline(encode, TREE)).fit(X, y)
    gap = np.nan  # SimpleImputer fills in no None
    rows = pd.DataFrame({"color": ["red", gap, "blue", gap], "size": [gap, 3, gap, 15]})
    assert model.predict(rows).isna().tolist() == [False, True, True, True]
    assert model.predict(rows)[0] == "stop"
    imputer = SimpleImputer(strategy="most_frequent")
    filled = OrderlessClassifier(make_pipeline(encode, TREE), undetermined=imputer).fit(X, y)
    assert filled.predict(rows.iloc[:2]).tolist() == ["stop", "stop"]


def test_an_imputer_inside_does_not_hide_what_is_unknown(iris):
    X, y, gaps = iris
    inside = OrderlessClassifier(make_pipeline(SimpleImputer(), TREE)).fit(X, y)
    plain = OrderlessClassifier(TREE).fit(X, y)
    assert inside.predict(gaps).tolist() == plain.predict(gaps).tolist()
    assert inside.fit(gaps, y).coverage_ < 1


def test_a_space_determines_more_rows():
    rng = np.random.default_rng(0)
    value = rng.integers(0, 3, 200)
    X = np.eye(3)[value]
    names = ["is a", "is b", "is c"]
    color = ol.Feature("color", "categorical", categories=("a", "b", "c"))
    space = ol.Space([color], {name: ol.Condition("color", among=(name[-1],)) for name in names})
    rows = np.array([[1, np.nan, np.nan], [np.nan, 0, 0]])
    aware = OrderlessClassifier(TREE, space=space).fit(X, value)
    assert aware.predict(rows).tolist() == [0, 0]
    unaware = OrderlessClassifier(TREE).fit(X, value)
    assert unaware.coverage(rows) < 1
    named = OrderlessClassifier(TREE, space=space).fit(pd.DataFrame(X, columns=names), value)
    assert named.predict(pd.DataFrame(rows, columns=names)).tolist() == [0, 0]


# -- where it is not determined ------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
def test_metrics_do_not_count_what_was_not_said(iris):
    X, y, gaps = iris
    for target in (y, np.unique(y, return_inverse=True)[1]):
        model = OrderlessClassifier(TREE).fit(X, target)
        with pytest.raises((ValueError, TypeError)):
            accuracy_score(target, model.predict(gaps))
        with pytest.raises((ValueError, TypeError)):
            accuracy_score(target, model.predict(pd.DataFrame(gaps)))


def test_raise_names_the_row_and_what_it_lacks(iris):
    X, y, _ = iris
    rows = X[:4].copy()
    rows[2:, 3] = rows[2:, 2] = np.nan
    model = OrderlessClassifier(TREE, undetermined="raise").fit(X, y)
    assert model.predict(X).tolist() == model.estimator_.predict(X).tolist()
    message = r"row 2 \(and 1 more rows\) is not determined: .*because \['x2', 'x3'\] are unknown"
    for table in (rows, rows.tolist(), sp.csr_array(rows), pd.DataFrame(rows)):
        with pytest.raises(InvalidData, match=message):
            model.predict(table)
    named = clone(model).fit(pd.DataFrame(X, columns=NAMES), y)
    with pytest.raises(InvalidData, match=r"row 0 is not determined: .*'petal length', 'petal wid"):
        named.predict(pd.DataFrame(rows[2:3], columns=NAMES))
    with pytest.raises(InvalidData, match="is not determined"):
        model.score(rows, y[:4])
    assert model.determined(rows).tolist() == [True, True, False, False]


def test_a_label(iris):
    X, y, gaps = iris
    plain = OrderlessClassifier(TREE).fit(X, y).predict(gaps)
    model = OrderlessClassifier(TREE, undetermined="virginica").fit(X, y)
    assert model.predict(gaps).tolist() == plain.filled("virginica").tolist()
    assert type(model.predict(pd.DataFrame(gaps))) is np.ndarray
    words = np.array(["na", "raise", "majority"])[np.unique(y, return_inverse=True)[1]]
    word = OrderlessClassifier(TREE, undetermined=("na",)).fit(X, words)
    assert word.predict(gaps).tolist() == [
        "na" if label is None else label
        for label in word.set_params(undetermined="na").predict(gaps).tolist()
    ]
    assert clone(OrderlessClassifier(undetermined=("na",))).undetermined == ("na",)
    number = OrderlessClassifier(TREE, undetermined=np.int64(1)).fit(X, y == "setosa")
    assert number.predict([[np.nan] * 4]).tolist() == [True]


@pytest.mark.parametrize("bad", ["nothing", None, 7, ("a", "b"), np.arange(3), pd.NA, ()])
def test_what_undetermined_cannot_be(iris, bad):
    X, y, _ = iris
    with pytest.raises(ValueError, match=r"must be 'na', 'raise', 'majority', one of the classes"):
        OrderlessClassifier(TREE, undetermined=bad).fit(X, y)


def test_majority_of_the_reachable_leaves(iris):
    X, y, gaps = iris
    model = OrderlessClassifier(TREE, undetermined="majority").fit(X, y)
    home = model.estimator_.apply(X)
    said, shares = model.predict(gaps), model.predict_proba(gaps)
    for row, label, share in zip(gaps, said, shares, strict=True):
        # All completions of the row, by the training rows' own values and the cuts.
        values = []
        for j, value in enumerate(row):
            cuts = model.estimator_.tree_.threshold[model.estimator_.tree_.feature == j]
            values.append([value] if not np.isnan(value) else [*cuts, *(cuts + 1e-3), 0.0])
        leaves = set(model.estimator_.apply(np.array(list(itertools.product(*values)))))
        labels, counts = np.unique(y[np.isin(home, list(leaves))], return_counts=True)
        expected = dict(zip(labels, counts / counts.sum(), strict=True))
        assert share == pytest.approx([expected.get(c, 0.0) for c in model.classes_])
        assert label == labels[counts.argmax()]
    assert model.predict_proba(X) == pytest.approx(model.estimator_.predict_proba(X), abs=1e-12)
    assert shares.sum(axis=1) == pytest.approx(np.ones(len(X)))


def test_a_tie_goes_to_the_first_class():
    model = OrderlessClassifier(DecisionTreeClassifier(random_state=0), undetermined="majority")
    X, y = [[0.0], [1.0], [2.0]] * 3, ["c", "a", "b"] * 3
    assert model.fit(X, y).predict([[None]]).tolist() == ["a"]


class Spy(TransformerMixin, BaseEstimator):
    """An imputer that remembers how often it was asked."""

    def __init__(self, keep=None):
        self.keep = keep

    def fit(self, X, y=None):
        self.fitted_on_ = np.shape(X)
        self.seen_ = []
        return self

    def transform(self, X):
        self.seen_.append(np.shape(X))
        return np.where(np.isnan(X), 1.0, X)[:, : self.keep]


def test_an_imputer_fills_in_these_rows_only(iris):
    X, y, gaps = iris
    spy = Spy()
    model = OrderlessClassifier(TREE, undetermined=spy).fit(X, y)
    assert not hasattr(spy, "seen_"), "a clone is fitted"
    assert model.imputer_.fitted_on_ == X.shape
    said = model.predict(gaps)
    open_rows = ~model.determined(gaps)
    assert model.imputer_.seen_ == [(open_rows.sum(), 4)]
    assert said.tolist() == model.estimator_.predict(np.where(np.isnan(gaps), 1.0, gaps)).tolist()
    model.predict(X)
    assert len(model.imputer_.seen_) == 1
    mean = OrderlessClassifier(TREE, undetermined=SimpleImputer()).fit(X, y)
    filled = SimpleImputer().fit(X).transform(gaps)
    assert mean.predict(gaps).tolist() == mean.estimator_.predict(filled).tolist()


def test_imputers_that_do_not_do(iris):
    X, y, gaps = iris
    short = OrderlessClassifier(TREE, undetermined=Spy(keep=2)).fit(X, y)
    with pytest.raises(InvalidData, match="made 2 columns of 4: choose one that keeps all"):
        short.predict(gaps)
    lazy = OrderlessClassifier(TREE, undetermined=StandardScaler()).fit(X, y)
    with pytest.raises(InvalidData, match="left values unknown"):
        lazy.predict(gaps)
    late = lazy.set_params(undetermined="na").fit(X, y).set_params(undetermined=SimpleImputer())
    with pytest.raises(InvalidData, match="fit again"):
        late.predict(gaps)
