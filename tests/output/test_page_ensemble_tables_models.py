"""The search of the page and that of the core: the same answers about real models, in Node."""

import javascript
import numpy as np
import pytest
from javascript import needs_node
from lightgbm import LGBMClassifier
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from xgboost import XGBClassifier

import orderless as ol
from tests.output.test_page_ensemble_tables import NO, YES, source

pytestmark = needs_node


@pytest.fixture(scope="module", autouse=True)
def _node_ends():
    yield
    javascript.stop()


LIGHTGBM = {"n_estimators": 40, "num_leaves": 12, "verbose": -1}


MODELS = {
    "forest": lambda X, y: RandomForestClassifier(30, random_state=0).fit(X, y),
    "forest of two": lambda X, y: RandomForestClassifier(40, random_state=0).fit(X, y > 0),
    "extra trees": lambda X, y: ExtraTreesClassifier(20, max_depth=6, random_state=0).fit(X, y),
    "boosted": lambda X, y: GradientBoostingClassifier(n_estimators=20, random_state=0).fit(X, y),
    "histograms": lambda X, y: HistGradientBoostingClassifier(max_iter=30).fit(X, y > 0),
    "XGBoost of two": lambda X, y: XGBClassifier(n_estimators=40, max_depth=4).fit(X, y > 0),
    "XGBoost of three": lambda X, y: XGBClassifier(n_estimators=20, max_depth=4).fit(X, y),
    "LightGBM of two": lambda X, y: LGBMClassifier(**LIGHTGBM).fit(X, y > 0),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_page_says_what_the_core_says(name):
    X, y = load_wine(return_X_y=True, as_frame=True)
    check(MODELS[name](X, y), X, 40)


def test_a_model_that_learned_from_gaps():
    """Where NaN is a value, an unknown may be NaN."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X.iloc[:, :12].mask(np.random.default_rng(0).random((len(X), 12)) < 0.1)
    model = HistGradientBoostingClassifier(max_iter=30, max_leaf_nodes=8).fit(X, y)
    check(ol.read(model, nan="value"), X.fillna(X.mean()), 60)


def test_where_the_library_rounds_twice_nothing_is_guessed():
    """An average of averages: ties of the forests, which scikit-learn breaks by its rounding."""
    rng = np.random.default_rng(2)
    names = [f"x{k}" for k in range(8)]
    every = np.stack(np.meshgrid(*[[0.0, 1.0]] * 8), -1).reshape(-1, 8)
    hidden = 0
    for seed in range(5, 60, 5):
        X = np.unique(rng.integers(0, 2, (40, 8)).astype(float), axis=0)
        y = (X.sum(axis=1) + rng.integers(0, 3, len(X)) > 5).astype(int)
        forests = [(str(n), RandomForestClassifier(n, max_features=1, random_state=seed * 7 + k))
                   for k, n in enumerate((2, 3, 6))]  # fmt: skip
        model = VotingClassifier(forests, voting="soft").fit(X, y)
        rows = [dict(zip(names, row, strict=True)) for row in every.tolist()]
        ensemble = ol.read(model, feature_names=names)
        labels = javascript.run(source(ensemble), rows, "orderless.label(row)")
        for label, own in zip(labels, model.predict(every).tolist(), strict=True):
            assert label in (own, -1)
            hidden += label < 0
    assert hidden > 0


def check(model, X, n):
    ensemble = ol.read(model)
    rng = np.random.default_rng(4)
    shares = rng.choice([0.0, 0.2, 0.5], n)
    rows = [
        {key: float(value) for key, value in row.items() if rng.random() >= share}
        for row, share in zip(X.sample(n, random_state=5).to_dict("records"), shares, strict=True)
    ]
    possible = ensemble.possible(rows, time_limit=60)
    said = javascript.run(source(ensemble), rows, "orderless.possible(row)")
    for classes, (state, labels) in zip(possible, said, strict=True):
        expected = [YES if label in classes else NO for label in ensemble.classes]
        assert state == expected
        assert labels == [k if state[k] == YES else None for k in range(len(state))]
    sizes = [len(classes) for classes in possible]
    assert min(sizes) == 1 < max(sizes)
