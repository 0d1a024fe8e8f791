"""One tree is a Tree, several are an Ensemble, and errors name the right reason."""

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostRegressor, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import orderless as ol
from orderless.errors import UnreadableModel

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
