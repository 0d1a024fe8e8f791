"""What answers say of features that a tree asks without need, of classes that are never given."""

import itertools

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import orderless as ol
from orderless.errors import InvalidData
from tests.commands import run

mpl.use("agg")


def leaf(label):
    return {"prediction": label}


def node(feature, at, yes, no):
    return {"feature": feature, "relation": "<=", "reference": at, "true": yes, "false": no}


def both():
    return node("a", 1, leaf("no"), node("b", 1, leaf("no"), leaf("yes")))


def redundant():
    """A tree of a and b whose first question, about c, makes no difference."""
    return ol.read(node("c", 1, both(), both()), space=ol.Space(dict.fromkeys("abc", float)))


def days(*numbers):
    """A tree of numbers, one for each of the whole numbers from 0."""
    tree = leaf(numbers[-1])
    for k in range(len(numbers) - 2, -1, -1):
        tree = node("a", k, leaf(numbers[k]), tree)
    return ol.read({"task": "regression", **tree}, space=ol.Space({"a": int}))


def test_rules_are_drawn_of_the_features_that_matter():
    ax = ol.plot_rules(redundant())
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "b")
    one = ol.plot_rules(redundant(), ["a", "c"])
    labels = [text.get_text() for text in one.get_legend().get_texts()]
    assert [label for label in labels if label.startswith("depends")] == ["depends on b"]
    constant = ol.read(node("c", 1, leaf(1), leaf(1)), space=ol.Space({"c": float}))
    with pytest.raises(InvalidData, match="two different names"):
        ol.plot_rules(constant)


@pytest.mark.parametrize("facts", [(), ("a <= b",)])
def test_no_change_leads_below_the_lowest_number(facts):
    tree = days(1.0, 2.0, 3.0).with_space(ol.Space({"a": int, "b": int})).with_facts(facts)
    model = ol.canonicalize(tree)
    for at, number in enumerate((1.0, 2.0, 3.0)):
        why = model.tree.explain({"a": at, "b": 9})
        for to, numbers in (("below", (1.0, 2.0, 3.0)[:at]), ("above", (1.0, 2.0, 3.0)[at + 1 :])):
            changes = why.changes(to=to)
            assert bool(changes) == bool(numbers)
            for change in changes:
                inside = [
                    x for x in range(3) if change.ranges["a"].lower < x <= change.ranges["a"].upper
                ]
                given = set(tree.predict([{"a": x} for x in inside]).tolist())
                assert given == set(numbers)
        assert why.label == number
        with pytest.raises(InvalidData, match="no class 'sideways'"):
            why.changes(to="sideways")


def test_rules_of_a_difference_are_put_to_the_rows_of_the_models():
    names = ("a", "z"), ("b", "w")
    old, new = (
        ol.read(node(own[0], 1, leaf("x"), leaf("y")), space=ol.Space(dict.fromkeys(own, float)))
        for own in names
    )
    rows = [dict(zip("abzw", row, strict=True)) for row in itertools.product((0, 2), repeat=4)]
    for X in (rows, pd.DataFrame(rows)):
        found = ol.difference(old, new)
        assert len(found.shifts) == 2
        for shift in found.shifts:
            covered = np.any([term.covers(X) for term in shift.rules], axis=0)
            said = [("x" if r["a"] <= 1 else "y", "x" if r["b"] <= 1 else "y") for r in rows]
            assert covered.tolist() == [pair == (shift.before, shift.after) for pair in said]
    with pytest.raises(InvalidData, match="unknown feature 'q'"):
        ol.difference(old, new).shifts[0].rules[0].covers([{"a": 1, "q": 1}])


def forests():
    rng = np.random.default_rng(0)
    X = rng.random((80, 4))
    y = (X[:, 0] + X[:, 1] > 1).astype(int)
    return [RandomForestClassifier(4, max_depth=4, random_state=i).fit(X, y) for i in range(2)]


def test_a_difference_without_rules_has_a_row_and_names_the_parameter():
    old, new = forests()
    found = ol.difference(old, new, leaves=3)
    (shift,) = found.shifts
    assert shift.rules is None
    for text in (str(found), found.to_html()):
        assert "leaves=" in text
        assert "limit" not in text
        for name in shift.example:
            assert f"{name} = " in text
    row = [[shift.example[f"x{k}"] for k in range(4)]]
    assert (old.predict(row)[0], new.predict(row)[0]) == (shift.before, shift.after)
    with pytest.raises(ol.errors.TooLarge, match="limit="):
        ol.read(old).to_tree(limit=3)


def test_the_command_names_its_option(tmp_path):
    for name, model in zip(("old", "new"), forests(), strict=True):
        text = ol.read(model).to_json()
        (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
    done = run(
        "compare",
        "--changes",
        str(tmp_path / "old.json"),
        str(tmp_path / "new.json"),
        "--leaves",
        "3",
    )
    assert "--leaves" in done.stdout
    assert "for example x0 = " in done.stdout


def test_classes_that_are_never_given():
    tree = days(1.0, 2.0, 3.0)
    rows = [{"a": x} for x in range(4)]
    for levels in ([10, 20], [1.5, 20], [-1, 2], [0.5]):
        for model in (tree, ol.canonicalize(tree).tree):
            cut = model.discretize(levels)
            given = set(cut.predict(rows).tolist())
            assert len(cut.classes) == len(levels) + 1
            for label in cut.classes:
                assert bool(ol.prove(cut).never(label)) == (label not in given)
            assert ol.Tree.from_json(cut.to_json()).classes == cut.classes
            assert set(cut.minimize().predict(rows).tolist()) == given
            policy = ol.cheapest_policy(cut, rows, {"a": 1})
            assert policy.expected_cost == (len(given) > 1)
            why = cut.explain(rows[0])
            assert {change.label for change in why.changes()} == given - {why.label}
            for label in set(cut.classes) - given - {why.label}:
                assert not why.changes(to=label)
            assert ol.write_page(cut).startswith("<!doctype html>")
            assert cut.to_sql()
