"""Equivalence over labels and spaces that are written differently."""

import math

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

# -- labels ------------------------------------------------------------------------------------


def leaf(label):
    return {"prediction": label}


def test_labels_compare_by_value():
    assert ol.equivalent(leaf(1), leaf(True))
    assert ol.equivalent(leaf(1), leaf(1.0))
    assert ol.equivalent(leaf(np.int64(1)), leaf(1))
    assert not ol.equivalent(leaf(1), leaf("1"))
    assert not ol.equivalent(leaf(0.5), leaf(0))
    one, true, text = (ol.read(leaf(label)).fingerprint for label in (1, True, "1"))
    assert one == true != text


def test_a_class_that_no_leaf_predicts_does_not_matter():
    space = ol.Space.independent(["a"])
    arrays = {
        "feature": [0, -1, -1],
        "threshold": [0, 0, 0],
        "when_true": [1, -1, -1],
        "when_false": [2, -1, -1],
    }
    two = ol.Tree(space, ["no", "yes"], leaf_class=[-1, 0, 1], **arrays)
    three = ol.Tree(space, ["maybe", "no", "yes"], leaf_class=[-1, 1, 2], **arrays)
    assert ol.equivalent(two, three)
    assert two.fingerprint == three.fingerprint


# -- spaces ------------------------------------------------------------------------------------


def cut(name, at, yes=0, no=1):
    return {
        "feature": name,
        "relation": "<=",
        "reference": at,
        "true": leaf(yes),
        "false": leaf(no),
    }


def test_features_compare_by_name_whatever_their_order():
    a = ol.read(cut("p", 3), space=ol.Space.numeric(["p", "q", "r"]))
    b = ol.read(cut("p", 3), space=ol.Space.numeric(["q", "p"]))
    c = ol.read(cut("q", 3), space=ol.Space.numeric(["q", "p"]))
    assert ol.equivalent(a, b)
    assert not ol.equivalent(a, c)
    assert ol.group_equivalent([a, c, b]) == [[0, 2], [1]]
    row = ol.counterexample(a, c)
    assert set(row) == {"p", "q", "r"}


def test_declared_integers_make_thresholds_one():
    numbers, integers = ol.Space({"p": "numeric"}), ol.Space({"p": "integer"})
    low, high = cut("p", 24.2), cut("p", 24.7)
    assert not ol.equivalent(ol.read(low, space=numbers), ol.read(high, space=numbers))
    assert ol.equivalent(ol.read(low, space=integers), ol.read(high, space=integers))
    # One of them says that the values are integers: that is what both can take.
    assert ol.equivalent(ol.read(low, space=integers), ol.read(high, space=numbers))


def test_float32_and_float64_thresholds():
    """Between two neighbouring float32 all thresholds of a float32 feature are one boundary."""
    x = 0.1
    below = np.nextafter(np.float32(x), np.float32(-np.inf))
    single, double = ol.Space({"p": "float32"}), ol.Space({"p": "numeric"})
    middle = (float(below) + float(np.float32(x))) / 2
    trees = [cut("p", float(below)), cut("p", middle), cut("p", 0.1)]
    assert len(ol.group_equivalent([ol.read(t, space=single) for t in trees])) == 1
    assert len(ol.group_equivalent([ol.read(t, space=double) for t in trees])) == 3


def test_less_and_at_most_are_one_form():
    space = ol.Space({"p": "numeric"})
    strict = {**cut("p", 3.0), "relation": "<"}
    loose = cut("p", math.nextafter(3.0, -math.inf))
    assert ol.equivalent(ol.read(strict, space=space), ol.read(loose, space=space))
    above = {**cut("p", 3.0, yes=1, no=0), "relation": ">"}
    assert ol.equivalent(ol.read(above, space=space), ol.read(cut("p", 3.0), space=space))
    at_least = {**cut("p", 3.0, yes=1, no=0), "relation": ">="}
    assert ol.equivalent(ol.read(at_least, space=space), ol.read(strict, space=space))


def test_minus_zero_is_zero():
    space = ol.Space({"p": "numeric"})
    a, b = (ol.read(cut("p", zero), space=space) for zero in (0.0, -0.0))
    assert a.fingerprint == b.fingerprint


def test_boolean_against_numeric():
    bit = ol.read({"feature": 0, "true": leaf(1), "false": leaf(0)}, feature_names=["p"])
    number = ol.read(cut("p", 0.5), space=ol.Space({"p": "float32"}))
    assert ol.equivalent(bit, number)
    assert ol.counterexample(bit, ol.read(cut("p", 2.5), space=ol.Space({"p": "float32"}))) == {
        "p": True
    }


def test_categories_with_and_without_other():
    def among(*values):
        return {"feature": "c", "relation": "in", "reference": list(values), "true": leaf(1),
                "false": leaf(0)}  # fmt: skip

    three = ol.Space({"c": ["r", "g", "b"]})
    two = ol.Space([ol.Feature("c", "categorical", categories=("r", "g"), other=True)])
    assert ol.equivalent(ol.read(among("r"), space=three), ol.read(among("r"), space=two))
    not_b = ol.read(among("r", "g"), space=three)
    assert ol.equivalent(not_b, ol.read(among("r", "g"), space=two))
    assert ol.counterexample(not_b, ol.read(among("r"), space=two)) == {"c": "g"}
    nothing = ol.read(leaf(0), space=two)
    everything_else = ol.read(
        {"feature": "c", "relation": "in", "reference": ["r", "g"], "true": leaf(0),
         "false": leaf(1)}, space=two)  # fmt: skip
    assert ol.counterexample(nothing, everything_else) == {"c": "other"}


def test_features_that_share_no_value_are_an_error():
    number = ol.read(cut("c", 3), space=ol.Space({"c": "numeric"}))
    text = ol.read({"feature": "c", "relation": "==", "reference": "r", "true": leaf(1),
                         "false": leaf(0)}, space=ol.Space({"c": ["r", "g"]}))  # fmt: skip
    with pytest.raises(ValueError, match="no value in common"):
        ol.equivalent(number, text)


def test_missing_as_a_value():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    X[rng.random(X.shape) < 0.3] = np.nan
    y = np.where(np.isnan(X[:, 0]), 1, X[:, 1] > 0).astype(int)
    clf = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    value, unknown = ol.read(clf, nan="value"), ol.read(clf)
    assert ol.equivalent(value, value)
    # On complete rows, which both can take, they are the same tree.
    assert ol.equivalent(value, unknown)
    assert value.fingerprint != unknown.fingerprint
    other = ol.read(DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y), nan="value")
    row = ol.counterexample(value, other)
    assert value.predict([row])[0] != other.predict([row])[0]


def test_a_tree_fitted_without_names_against_one_with_names():
    """Features compare by name; made-up names are most likely a mistake, and that is said."""
    import pandas as pd

    X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]])
    y = [0, 1, 1]
    named = DecisionTreeClassifier(random_state=0).fit(pd.DataFrame(X, columns=["p", "q"]), y)
    bare = DecisionTreeClassifier(random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match=r"'p', .* has 'x0', .*feature_names="):
        assert not ol.equivalent(named, bare)
    assert ol.equivalent(named, ol.read(bare, feature_names=["p", "q"]))
