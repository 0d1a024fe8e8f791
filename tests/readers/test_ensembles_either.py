"""One tree is a Tree, several are an Ensemble, and errors name the right reason."""

import numpy as np
import pytest
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    VotingRegressor,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import orderless as ol
from orderless.errors import UnreadableModel
from tests.neighbours import at_thresholds

X = np.random.RandomState(0).rand(60, 3)
Y = (X[:, 0] + X[:, 1] > 1).astype(int)


def test_one_tree_is_a_tree_and_many_are_an_ensemble():
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, Y)
    forest = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, Y)
    assert isinstance(ol.read(tree), ol.Tree)
    assert isinstance(ol.read(forest), ol.Ensemble)
    scaled = make_pipeline(StandardScaler(), forest).fit(X, Y)
    assert isinstance(ol.read(scaled), ol.Ensemble)
    names = ["a", "b c", "ü"]
    assert ol.read(forest, feature_names=names).space.names == tuple(names)


def test_what_was_read_stays_as_it_is():
    ensemble = ol.read(RandomForestClassifier(2, random_state=0).fit(X, Y))
    assert ol.read(ensemble) is ensemble
    assert ol.read(ensemble.to_json()) == ensemble


def test_errors_are_those_of_the_reader_that_knows_the_model():
    with pytest.raises(UnreadableModel, match="weighted median"):
        ol.read(AdaBoostRegressor(n_estimators=2, random_state=0).fit(X, X[:, 0]))
    with pytest.raises(UnreadableModel, match="known sources are"):
        ol.read(SVC().fit(X, Y))


ONE_TREE = [
    RandomForestClassifier(1, max_depth=3, random_state=0),
    ExtraTreesRegressor(1, max_depth=3, random_state=0),
    BaggingClassifier(n_estimators=1, max_features=2, random_state=0),
    VotingRegressor([("tree", DecisionTreeRegressor(max_depth=2))], weights=[0.3]),
    GradientBoostingClassifier(n_estimators=1),
    GradientBoostingRegressor(n_estimators=1),
    AdaBoostClassifier(n_estimators=1),
    HistGradientBoostingClassifier(max_iter=1, min_samples_leaf=5),
    HistGradientBoostingRegressor(max_iter=1, min_samples_leaf=5),
    HistGradientBoostingRegressor(max_iter=1, min_samples_leaf=5, loss="poisson"),
    HistGradientBoostingRegressor(max_iter=1, min_samples_leaf=5, loss="gamma"),
]


@pytest.mark.parametrize("model", ONE_TREE, ids=lambda m: type(m).__name__)
def test_a_sum_of_one_tree_is_a_tree(model):
    """What it predicts, links included, is the library's to the last bit."""
    model.fit(X, Y if hasattr(model, "predict_proba") else np.exp(3 * X[:, 0] + X[:, 1]))
    tree = ol.read(model)
    assert isinstance(tree, ol.Tree)
    kernel = tree.kernel
    inner = kernel.feature >= 0
    cuts = list(zip(kernel.feature[inner], kernel.threshold[inner], strict=True))
    rows = at_thresholds(np.vstack([X] * 20), cuts, random_state=0)
    assert np.array_equal(tree.predict(rows), model.predict(rows))
    if isinstance(model, RandomForestClassifier):
        lower, upper, _ = tree.predict_interval(rows, of="probability")
        assert np.array_equal(lower, upper)
        assert np.allclose(lower[:, 1], model.predict_proba(rows)[:, 1], rtol=1e-15)
