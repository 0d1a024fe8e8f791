"""Text in the table of a set: one column per value."""

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

import orderless as ol
from orderless.errors import InvalidData
from tests.rashomon.test_table import X, fit


def test_text_is_one_column_per_value():
    """By raw rows and by hand-made 0/1 columns of one feature: the same set."""
    random = np.random.default_rng(1)
    table = pd.DataFrame(
        {
            "größe": random.choice(["klein", "groß", "日本 = 'x'"], 120),
            "on": random.integers(0, 2, 120),
            "same": ["one"] * 120,
        }
    )
    y = (table["größe"] == "groß") | (table.on == 1) & (table["größe"] == "klein")
    y ^= random.random(120) < 0.1
    found = fit(table, y)
    values = ("groß", "klein", "日本 = 'x'")
    told = {f"größe = {v}": ol.Condition("größe", among=(v,)) for v in values}
    by_hand = pd.DataFrame({f"größe = {v}": table["größe"] == v for v in values})
    features = {"größe": list(values), "on": "boolean"}
    space = ol.Space(features, {**told, "on": "on"})
    known = fit(by_hand.assign(on=table.on), y, space=space)
    assert found.columns == known.columns == (*told, "on")
    assert (found.n_trees, len(found.functions())) == (known.n_trees, len(known.functions()))
    assert len(found.functions()) < len(found.functions("columns"))
    assert [str(tree) for tree in found] == [str(tree) for tree in known]
    for tree in found[:30]:
        wrong = int((np.asarray(tree.predict(table)) != y).sum())
        objective = Fraction(wrong, 120) + Fraction(tree.n_leaves, 100)
        assert found.objective <= objective <= found.bound
    rows = table.mask(random.random(table.shape) < 0.4)
    said = found.predict(rows)
    assert said.tolist() == known.predict(rows).tolist()
    assert said.isna().any()
    for again in (pl.DataFrame(table), table.astype({"größe": "category"}), table.to_numpy(object)):
        other = fit(again, y)
        assert other.n_trees == found.n_trees
        assert np.asarray(other.predict(again)).tolist() == found.predict(table).tolist()
        if not isinstance(again, np.ndarray):
            assert [str(tree) for tree in other] == [str(tree) for tree in found]
    read = ol.TreeSet.from_json(found.to_json())
    assert read.predict(table).tolist() == found.predict(table).tolist()


@pytest.mark.parametrize("thresholds", ["guess", (0.33, 0.66)])
def test_text_beside_numbers(thresholds):
    random = np.random.default_rng(2)
    table = pd.DataFrame(
        {
            "city": random.choice(["Köln", "Łódź", "東京", 'a "b"'], 200),
            "fare": random.normal(25, 9, 200).round(2),
            "on": random.integers(0, 2, 200),
        }
    )
    y = (table.city == "東京") | (table.fare > 25.83) & (table.on == 1)
    found = fit(table, y, thresholds=thresholds, epsilon=0.1)
    kinds = {f.name: f.kind for f in found.best_tree.space.features}
    assert kinds == {"city": "categorical", "fare": "numeric", "on": "boolean"}
    assert found.best_tree.space["fare"].values == (
        "float32" if thresholds == "guess" else "float64"
    )
    assert any("東京" in str(tree) for tree in found)
    for tree in found[:30]:
        wrong = int((np.asarray(tree.predict(table)) != y).sum())
        objective = Fraction(wrong, 200) + Fraction(tree.n_leaves, 100)
        assert found.objective <= objective <= found.bound
    mixed = ol.Space(
        {"city": ["東京", "Köln", "Łódź", 'a "b"'], "fare": "numeric", "on": "boolean"}
    )
    same = fit(table, y, thresholds=thresholds, epsilon=0.1, space=mixed)
    assert same.n_trees == found.n_trees
    assert same.predict(table).tolist() == found.predict(table).tolist()


def test_categories_may_be_numbers():
    table = X * 2 + [[0, 0, 5]]
    space = ol.Space({"a": [0, 2, 7], "b": [0, 2], "c": [5, 7]})
    found = fit(table, space=space)
    assert found.columns[:3] == ("a = 0", "a = 2", "a = 7")
    assert found.predict([[2, 2, None]]).tolist() == ["y"]
    with pytest.raises(InvalidData, match="'a' has the value 1"):
        fit(table + 1, space=space)
