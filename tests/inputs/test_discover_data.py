"""Facts of real tables, and how many more rows are certain with them (docs/guide/knowledge.md)."""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import orderless as ol
from orderless.inputs import discover

MEASURED = {"wisconsin": (13, 0.363, 0.437), "compas": (3, 0.477, 0.480), "fico": (8, 0.5, 0.527)}


@pytest.mark.parametrize("name", MEASURED)
def test_more_rows_are_certain(name, request, monkeypatch):
    if name != "wisconsin":
        folder = request.getfixturevalue("shared") / "data"
        monkeypatch.setenv("ORDERLESS_DATA", str(folder))
    data = ol.datasets.load(name)
    X = pd.DataFrame(np.asarray(data.X, dtype=float), columns=list(data.X.columns))
    facts = [one.fact for one in discover(X, most=60)]
    model = DecisionTreeClassifier(max_depth=5, random_state=0)
    model.fit(X.to_numpy(), np.asarray(data.y))
    tree = ol.read(model, feature_names=list(X.columns))
    gaps = X[:300].mask(np.random.default_rng(0).random((300, X.shape[1])) < 0.3)
    plain, known = tree.predict(gaps), tree.with_facts(facts).predict(gaps)
    n_facts, before, after = MEASURED[name]
    assert len(facts) == n_facts
    assert float((~plain.isna()).mean()) == pytest.approx(before, abs=0.001)
    assert float((~known.isna()).mean()) == pytest.approx(after, abs=0.001)
    certain = (~known.isna()).to_numpy()
    complete = model.predict(X[:300].to_numpy())
    assert known[certain].tolist() == complete[certain].tolist()
    assert not (~plain.isna() & known.isna()).any()
