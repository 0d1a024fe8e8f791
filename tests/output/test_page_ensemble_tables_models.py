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
    check(ol.read_ensemble(model, nan="value"), X.fillna(X.mean()), 60)


def check(model, X, n):
    ensemble = ol.read_ensemble(model)
    rng = np.random.default_rng(4)
    shares = rng.choice([0.0, 0.2, 0.5], n)
    rows = [
        {key: float(value) for key, value in row.items() if rng.random() >= share}
        for row, share in zip(X.sample(n, random_state=5).to_dict("records"), shares, strict=True)
    ]
    possible = ensemble.possible_classes(rows, time_limit=60)
    said = javascript.run(source(ensemble), rows, "orderless.possible(row)")
    for classes, (state, labels) in zip(possible, said, strict=True):
        expected = [YES if label in classes else NO for label in ensemble.classes]
        assert state == expected
        assert labels == [k if state[k] == YES else None for k in range(len(state))]
    sizes = [len(classes) for classes in possible]
    assert min(sizes) == 1 < max(sizes)
