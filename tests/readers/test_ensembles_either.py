"""read_model: one tree is a Tree, several are an Ensemble, and errors name the right reason."""

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostRegressor, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import orderless as ol
from orderless.errors import UnreadableModel
from orderless.readers import read_model

X = np.random.RandomState(0).rand(60, 3)
Y = (X[:, 0] + X[:, 1] > 1).astype(int)


def test_one_tree_is_a_tree_and_many_are_an_ensemble():
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, Y)
    forest = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, Y)
    assert read_model(tree) == ol.read(tree)
    assert read_model(forest) == ol.read(forest)
    scaled = make_pipeline(StandardScaler(), forest).fit(X, Y)
    assert read_model(scaled) == ol.read(scaled)
    names = ["a", "b c", "ü"]
    assert read_model(forest, feature_names=names).space.names == tuple(names)


def test_what_was_read_stays_as_it_is():
    ensemble = ol.read(RandomForestClassifier(2, random_state=0).fit(X, Y))
    assert read_model(ensemble) is ensemble
    assert read_model(ensemble.to_json()) == ensemble


def test_errors_are_those_of_the_reader_that_knows_the_model():
    with pytest.raises(UnreadableModel, match="weighted median"):
        read_model(AdaBoostRegressor(n_estimators=2, random_state=0).fit(X, X[:, 0]))
    with pytest.raises(UnreadableModel, match="known sources are"):
        read_model(SVC().fit(X, Y))
