"""Imputation, audited: certain rows are free of it, and decisive values suffice."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from oracle import completions, possible_classes
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import KNNImputer, SimpleImputer
from strategies import partial_rows, problems, tree_of
from sums import as_ensemble

import orderless as ol
from orderless.errors import InvalidData

STAY = {"task": "regression", "feature": "age", "relation": "<=", "reference": 60,
        "true": {"prediction": 2.5},
        "false": {"feature": "beds", "relation": "<=", "reference": 1,
                  "true": {"prediction": 12.0}, "false": {"prediction": 7.5}}}  # fmt: skip


@settings(max_examples=40)
@given(problems(max_features=3), st.data())
def test_every_row_against_all_completions(problem, data):
    kinds, (spec,) = problem
    rows = [data.draw(partial_rows(kinds, spec)) for _ in range(4)]
    every = [list(completions(kinds, row, spec)) for row in rows]
    imputers = {"first": lambda _: [some[0] for some in every],
                "last": lambda _: [some[-1] for some in every]}  # fmt: skip
    truth = [tree_of(spec, kinds).predict(some[0]) for some in every]
    for model in (tree_of(spec, kinds), as_ensemble(tree_of(spec, kinds))):
        table = ol.audit_imputation(model, rows, imputers, y=truth).table
        assert len(table) == 8
        for line in table.itertuples():
            row, filled = rows[line.row], imputers[line.imputer](None)[line.row]
            possible = possible_classes(kinds, row, spec)
            assert line.status == ("certain" if len(possible) == 1 else "open")
            assert line.answer == model.predict(filled)
            assert line.right == (line.answer == truth[line.row])
            if line.status == "certain":
                assert line.agree
                assert line.decisive == ()
                assert possible == {line.answer}
                continue
            assert line.decisive
            assert all(row.get(name) is None for name in line.decisive)
            known = row | {name: filled[name] for name in line.decisive}
            assert possible_classes(kinds, known, spec) == {line.answer}
        agree = {i: some["answer"].nunique() == 1 for i, some in table.groupby("row")}
        assert table["agree"].tolist() == [agree[row] for row in table["row"]]


def gappy():
    random = np.random.default_rng(4)
    X = pd.DataFrame(random.integers(0, 9, (60, 3)).astype(float), columns=["a", "b", "c"])
    y = (X["a"] + X["b"] > 8).astype(int)
    forest = RandomForestClassifier(10, max_depth=3, random_state=0).fit(X, y)
    return forest, X.mask(random.random(X.shape) < 0.2), y


def test_imputers_of_scikit_learn_and_the_summary():
    forest, X, y = gappy()
    model = ol.read(forest)
    fitted = SimpleImputer(strategy="median").fit(X.fillna(0))
    imputers = {"mean": SimpleImputer(), "fitted": fitted, "near": KNNImputer()}
    audit = ol.audit_imputation(forest, X, imputers, y=y)
    for name, impute in {**imputers, "mean": SimpleImputer().fit(X),
                         "near": KNNImputer().fit(X)}.items():  # fmt: skip
        own = audit.table[audit.table["imputer"] == name]
        filled = pd.DataFrame(impute.transform(X), columns=X.columns)
        assert own["answer"].tolist() == forest.predict(filled).tolist()
        assert own["status"].tolist() == model.status(X).tolist()
    summary = audit.summary().set_index("imputer")
    assert list(summary.index) == list(imputers)
    is_open = model.status(X) == "open"
    assert summary["imputation_decides"].tolist() == [is_open.mean()] * 3
    assert summary["certain"].tolist() == [(~is_open).mean()] * 3
    assert summary["with_gaps"].tolist() == [X.isna().any(axis=1).sum()] * 3
    assert summary["accuracy_where_certain"].nunique() == 1
    month = ["May"] * 30 + ["June"] * 30
    over = audit.summary(by=month)
    assert over["by"].tolist() == ["June"] * 3 + ["May"] * 3
    assert over["rows"].tolist() == [30] * 6
    both = over[over["imputer"] == "mean"]["imputation_decides"].mean()
    assert both == pytest.approx(is_open.mean())
    assert "imputation_decides" in repr(audit)


def test_numbers():
    tree = ol.read(STAY, feature_names=["age", "beds"])
    X = np.array([[50, np.nan], [70, np.nan], [np.nan, 3]])
    for model in (tree, as_ensemble(tree)):
        audit = ol.audit_imputation(model, X, [SimpleImputer(), SimpleImputer(strategy="median")])
        assert audit.table["imputer"].unique().tolist() == ["SimpleImputer", "SimpleImputer 2"]
        assert audit.table["answer"].tolist() == [2.5, 7.5, 2.5] * 2
        assert audit.table["decisive"].tolist() == [(), ("beds",), ("age",)] * 2


def test_what_is_refused():
    forest, X, y = gappy()
    with pytest.raises(InvalidData, match="shape"):
        ol.audit_imputation(forest, X, lambda rows: rows[["a", "b"]])
    with pytest.raises(InvalidData, match="no imputer"):
        ol.audit_imputation(forest, X, {})
    with pytest.raises(InvalidData, match="a function of X"):
        ol.audit_imputation(forest, X, ["mean"])
    with pytest.raises(InvalidData, match="y has shape"):
        ol.audit_imputation(forest, X, SimpleImputer(), y=y[:3])
    audit = ol.audit_imputation(forest, X, SimpleImputer())
    with pytest.raises(InvalidData, match="one value"):
        audit.summary(by=["May"])
