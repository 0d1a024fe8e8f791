"""PMML of trees: what is read back is the same function, and JPMML gives what ``predict`` gives."""

from __future__ import annotations

import itertools
import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from pmml_engines import run_jpmml
from showcase import FORMS, HOSTILE, ask, check_golden, leaf, mixed, mixed_rows
from strategies import problems, tree_of
from tables import random_space, random_table, random_tree

import orderless as ol
from orderless.errors import InvalidTree, TooManyReasons


@pytest.mark.parametrize("name", ["mixed", "constant", "iris"])
def test_golden(name: str) -> None:
    form = FORMS[name]()
    check_golden(f"{name}.pmml.txt", form.tree.to_pmml())
    assert form.tree.to_pmml() == form.tree.to_pmml()


@settings(deadline=None, max_examples=60)
@given(problems())
def test_what_is_read_back_is_the_same_function(problem: Any) -> None:
    kinds, specs = problem
    tree = tree_of(specs[0], kinds)
    for text in (tree.to_pmml(), tree.to_pmml(complete=True)):
        back = ol.read(text)
        assert ol.equivalent(tree, back)
        assert set(back.classes) == set(tree.classes)
        assert [type(c) for c in back.classes] == [type(c) for c in tree.classes]


def test_where_missing_is_a_value() -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        space = random_space(rng, 6, nan=True)
        space = ol.Space([f for f in space.features if f.nan] or [ol.Feature("x", nan=True)])
        tree = random_tree(rng, space, depth=4, classes=("no", "so", "yes"))
        for text in (tree.to_pmml(), tree.to_pmml(complete=True)):
            assert ol.equivalent(tree, ol.read(text))  # where nothing is missing
            if "TreeModel" not in text:
                assert ol.equivalent(tree, ol.read(text, nan="value"))


def test_a_rule_for_each_reason() -> None:
    form = mixed()
    text = form.tree.to_pmml()
    reasons = [term for terms in form.reasons.values() for term in terms]
    assert text.count("<SimpleRule ") == len(reasons)
    assert "defaultScore" not in text
    assert '<RuleSelectionMethod criterion="firstHit"/>' in text
    assert form.tree.to_pmml(limit=len(reasons)) == text
    for limit in (1, len(reasons) - 1):
        with pytest.raises(TooManyReasons, match=f"limit={limit}.*complete=True"):
            form.tree.to_pmml(limit=limit)
    for wrong in (0, True, 2.5, "x"):
        with pytest.raises(ValueError, match="limit must be a whole number"):
            form.tree.to_pmml(limit=wrong)  # type: ignore[arg-type]


def test_numbers_are_a_tree() -> None:
    old = ask("age", "<=", 60, leaf(1 / 3), leaf(-7))
    nested = {"task": "regression", **ask("age", "<=", 30.5, leaf(0.1), old)}
    tree = ol.read(nested, feature_names=["age"])
    text = tree.to_pmml()
    assert '<TreeModel functionName="regression"' in text
    assert ol.read(text) == tree
    assert text == tree.to_pmml(complete=True)


def test_distributions_are_kept() -> None:
    sklearn = pytest.importorskip("sklearn.tree")
    X = np.arange(12.0).reshape(-1, 1)
    y = np.array(list("aabbabbaabba"))
    tree = ol.read(sklearn.DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y))
    back = ol.read(tree.to_pmml(complete=True))
    assert np.array_equal(back.kernel.shares, tree.kernel.shares, equal_nan=True)


def test_a_feature_is_called_as_the_prediction() -> None:
    tree = ol.read(ask("prediction", "<=", 3, leaf(0), leaf(1)), feature_names=["prediction"])
    assert 'name="prediction_"' in tree.to_pmml()
    assert ol.equivalent(tree, ol.read(tree.to_pmml()))


def hostile() -> ol.Tree:
    """Names, categories and labels that mean something in XML, with all that XML can hold."""
    names = [name.replace("\x1b", "") for name in HOSTILE]
    kinds: dict[str, Any] = dict.fromkeys(names[:-1], "boolean")
    space = ol.Space({**kinds, names[-1]: [*names, "", " ", "]]>", "a\tb\r\n"]})
    labels = ("<b>&amp;", "| \\ {x}\n", "&#10;")
    tree = ask(names[-1], "in", [*names[:3], " ", "a\tb\r\n"], leaf(labels[0]), leaf(labels[1]))
    for name in reversed(names[:-1]):
        tree = ask(name, "==", 1, leaf(labels[len(name) % 3]), tree)
    return ol.read(tree, space=space)


def test_names_that_mean_something_in_xml() -> None:
    tree = hostile()
    for complete in (False, True):
        back = ol.read(tree.to_pmml(complete=complete))
        assert set(back.space.names) == set(tree.features)
        assert set(back.classes) == set(tree.classes)
        assert ol.equivalent(tree, back)


@pytest.mark.parametrize("text", ["a\x1bb", "a\0b", "\ufffe", "\ud800"])
def test_what_xml_cannot_hold(text: str) -> None:
    space = ol.Space({text: "boolean"})
    said = re.escape(repr(text[1] if len(text) > 1 else text))
    with pytest.raises(InvalidTree, match=f"character {said}, which XML cannot hold: rename"):
        ol.read(ask(text, "==", 1, leaf(0), leaf(1)), space=space).to_pmml()
    tree = ol.read(ask("a", "==", 1, leaf(text), leaf("b")), space=ol.Space({"a": "boolean"}))
    with pytest.raises(InvalidTree, match="XML cannot hold"):
        tree.to_pmml(complete=True)


def test_labels_of_several_types() -> None:
    feature = ol.Feature("c", "categorical", categories=(1, "1", 2.5))
    tree = ol.read(ask("c", "in", [1], leaf(0), leaf(1)), space=ol.Space([feature]))
    with pytest.raises(InvalidTree, match="feature 'c' has labels of several types"):
        tree.to_pmml()


# -- JPMML ----------------------------------------------------------------------------------------


@pytest.mark.engine
def test_jpmml_gives_what_predict_gives() -> None:
    form = mixed()
    rows, _ = mixed_rows()
    edges = (None, 0.1, math.nextafter(0.1, 0), 2.5, 2.5000001192092896, math.inf, -math.inf)
    rows += [
        {"age": age, "lab value": lab, "smoker": smoker, "color": color}
        for age, lab, smoker, color in itertools.product(
            (None, 24, 25, 60, 61), edges, (None, True, False), (None, "red", "green", "pink"))
    ]  # fmt: skip
    expected = form.predict(rows).tolist()
    assert expected.count(None) > 100
    assert run_jpmml(form.tree.to_pmml(), rows) == expected
    on_the_way = run_jpmml(form.tree.to_pmml(complete=True), rows)
    assert [a for a, b in zip(on_the_way, expected, strict=True) if a not in (b, None)] == []
    full = [None not in row.values() for row in rows]
    assert [a for a, f in zip(on_the_way, full, strict=True) if f] == [
        b for b, f in zip(expected, full, strict=True) if f
    ]


@pytest.mark.engine
@pytest.mark.parametrize("seed", range(6))
def test_jpmml_on_random_trees(seed: int) -> None:
    """All kinds of features, hostile names, missing as a value; rows at and beside thresholds."""
    rng = np.random.default_rng(seed)
    space = random_space(rng, 6, nan=seed % 2 == 1)
    tree = random_tree(rng, space, depth=4, classes=(0, 1, 2))
    rows = [
        {k: v for k, v in row.items() if not (isinstance(v, float) and math.isnan(v))}
        for row in random_table(rng, space, 400, nan=False).to_pylist()
    ]
    for feature in space.features:  # JPMML's integers have 32 bits
        for row in rows:
            value = row.get(feature.name)
            if feature.values == "integer" and value is not None and abs(value) >= 2**31:
                row[feature.name] = 7
            if feature.nan:
                row.setdefault(feature.name, None)
    expected = tree.predict(rows).tolist()
    assert run_jpmml(tree.to_pmml(), rows) == expected
    complete = run_jpmml(tree.to_pmml(complete=True), rows)
    assert all(a in (None, b) for a, b in zip(complete, expected, strict=True))
    numbers = tree.replace(classes=(0.1, 1 / 3, 7.0), task="regression")
    said = run_jpmml(numbers.to_pmml(), rows)
    assert all(a in (None, b) for a, b in zip(said, numbers.predict(rows).tolist(), strict=True))
    assert sum(a is not None for a in said) > 20


@pytest.mark.engine
def test_jpmml_with_hostile_names() -> None:
    tree = hostile()
    *flags, last = tree.space.names
    labels = tree.space[last].categories
    rows = [
        {**{name: k == i for k, name in enumerate(flags)}, last: label}
        for i in range(len(flags) + 1)
        for label in (*labels, None)
    ]
    expected = tree.predict(rows).tolist()
    assert run_jpmml(tree.to_pmml(), rows) == expected
    assert run_jpmml(tree.to_pmml(complete=True), rows) == expected
