"""Checkpoints of treelite: read without treelite, and what is not known is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier

import orderless as ol
from orderless.errors import UnreadableModel

treelite = pytest.importorskip("treelite", reason="comes with the extra orderless[treelite]")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
y = (X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] > 1)


def test_one_tree_from_a_model_bytes_or_a_file(tmp_path: Path) -> None:
    fitted = RandomForestClassifier(1, bootstrap=False, max_depth=4, random_state=0).fit(X, y)
    model = treelite.sklearn.import_model(fitted)
    tree = ol.read_tree(model)
    path = tmp_path / "model.bin"
    model.serialize(path)
    assert ol.read_tree(path) == ol.read_tree(model.serialize_bytes()) == tree
    rows = np.vstack([X, RNG.normal(size=(2000, 3))]).astype(np.float32).astype(np.float64)
    assert tree.predict(rows).tolist() == fitted.predict(rows).tolist()


def test_numbers_are_those_of_gtil() -> None:
    fitted = RandomForestRegressor(1, bootstrap=False, max_depth=4).fit(X, X[:, 0])
    model = treelite.sklearn.import_model(fitted)
    own = treelite.gtil.predict(model, X).ravel()
    assert ol.read_tree(model).predict(X).tolist() == own.tolist()


def content() -> bytes:
    fitted = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    return bytes(ol.read_tree(fitted).to_treelite().serialize_bytes())


def test_damaged_checkpoints_are_refused() -> None:
    good = content()
    assert ol.read_tree(good).classes == (0, 1, 2)
    with pytest.raises(UnreadableModel, match="bytes are left"):
        ol.read_tree(good + b"\0")
    with pytest.raises(UnreadableModel, match="where the file ends"):
        ol.read_tree(good[:-9])
    with pytest.raises(UnreadableModel, match="trees, with targets for"):
        ol.read_tree(good[:14] + (10**9).to_bytes(8, "little") + good[22:])


def test_several_trees_and_other_tasks_are_refused() -> None:
    fitted = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, y)
    model = treelite.sklearn.import_model(fitted)
    with pytest.raises(UnreadableModel, match="adds up 3 trees"):
        ol.read_tree(model)
    lightgbm = pytest.importorskip("lightgbm")
    counts = lightgbm.LGBMRegressor(n_estimators=1, objective="poisson", verbose=-1).fit(X, y)
    with pytest.raises(UnreadableModel, match="postprocessor 'exponential'"):
        ol.read_tree(treelite.frontend.from_lightgbm(counts.booster_))
    assert json.loads(model.dump_as_json())["num_feature"] == 3
