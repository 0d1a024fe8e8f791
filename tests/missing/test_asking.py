"""Which feature to ask next: as defined, and always one that matters."""

import itertools

import numpy as np
import oracle
import pandas as pd
import polars as pl
import pytest
import showcase
from hypothesis import assume, given, settings, strategies as st
from strategies import partial_rows, problems, tree_of

import orderless as ol
from tests.output.test_code_sql import told_space, told_table


def holds(tree, node, row):
    feature = tree.space.features[tree.nodes.feature[node]]
    value = row[feature.name]
    if feature.ordered:
        if feature.values == "float32":
            value = oracle.as_float32(value)
        return float(value) <= tree.nodes.threshold[node]
    return feature.code(value) in tree.kernel.set_of(node).tolist()


def height(tree, node):
    if tree.nodes.feature[node] < 0:
        return 0
    return 1 + max(
        height(tree, tree.nodes.when_true[node]), height(tree, tree.nodes.when_false[node])
    )


def classes_below(tree, node, rows):
    """The classes that complete rows get from a node on, by walking each."""
    out = set()
    for row in rows:
        at = node
        while tree.nodes.feature[at] >= 0:
            at = tree.nodes.when_true[at] if holds(tree, at, row) else tree.nodes.when_false[at]
        out.add(int(tree.nodes.leaf_class[at]))
    return out


def plain_ask(tree, rows, node=0):
    """The definition, over all completions of one row."""
    if len(classes_below(tree, node, rows)) == 1:
        return None
    yes, no = tree.nodes.when_true[node], tree.nodes.when_false[node]
    inside = [row for row in rows if holds(tree, node, row)]
    outside = [row for row in rows if not holds(tree, node, row)]
    if not outside:
        return plain_ask(tree, inside, yes)
    if not inside:
        return plain_ask(tree, outside, no)
    if len(classes_below(tree, yes, inside)) == 1 or len(classes_below(tree, no, outside)) == 1:
        return tree.space.features[tree.nodes.feature[node]].name
    if height(tree, yes) <= height(tree, no):
        return plain_ask(tree, inside, yes)
    return plain_ask(tree, outside, no)


@settings(max_examples=150)
@given(problems(max_features=4), st.data())
def test_as_defined_and_it_matters(problem, data):
    kinds, (spec,) = problem
    tree = tree_of(spec, kinds)
    row = data.draw(partial_rows(kinds, spec))
    full = list(oracle.completions(kinds, row, spec))
    assume(len(full) < 3000)
    asked = tree.ask_next([row]).tolist()[0]
    assert asked == plain_ask(tree, full)
    if asked is None:
        assert len(oracle.possible_classes(kinds, row, spec)) == 1
        return
    assert row[asked] is None
    rounded = oracle.float32_names(kinds)
    others = sorted(name for name in kinds if name != asked)
    by_others = {}
    for one in full:
        key = tuple(one[name] for name in others)
        by_others.setdefault(key, set()).add(oracle.decide(spec, one, rounded))
    assert any(len(found) > 1 for found in by_others.values())


def test_every_boolean_tree_of_three():
    names = ("a", "b", "c")
    space = ol.Space.independent(names)
    for spec in itertools.islice(oracle.all_boolean_trees(names), 0, None, 41):
        tree = tree_of(spec, dict.fromkeys(names, "boolean"))
        rows = [dict(zip(names, values, strict=True))
                for values in itertools.product((None, False, True), repeat=3)]  # fmt: skip
        said = tree.ask_next(rows).tolist()
        for row, asked in zip(rows, said, strict=True):
            full = [dict(zip(names, one, strict=True)) for one in itertools.product(
                *([v] if v is not None else (False, True) for v in row.values()))]  # fmt: skip
            assert asked == plain_ask(tree, full)
    assert tree.space == space


def test_what_does_not_matter_is_not_asked():
    """The root's feature is unknown, but for these values both sides say the same."""

    def x2():
        return showcase.ask("x2", "==", 1, showcase.leaf(1), showcase.leaf(0))

    low = showcase.ask("x3", "==", 1, x2(), showcase.leaf(0))
    tree = ol.read(showcase.ask("x1", "==", 1, x2(), low),
                        space=ol.Space.independent(["x1", "x2", "x3"]))  # fmt: skip
    assert tree.ask_next([{"x3": 1}]).tolist() == ["x2"]
    assert tree.needed({"x3": 1}).settle == (("x2",),)


def test_frames_and_models():
    form, X, _ = showcase.iris()
    X = X.copy()
    X.iloc[::2, 1] = np.nan
    found = form.tree.ask_next(X)
    assert isinstance(found, pd.Series)
    assert found.isna().tolist() == form.predict(X).notna().tolist()
    assert set(found.dropna()) == {"petal width (cm)"}
    assert form.tree.ask_next(pl.from_pandas(X)).to_list() == [
        None if pd.isna(x) else x for x in found
    ]
    assert form.tree.ask_next(X.iloc[:0]).tolist() == []


def test_many_rows_in_blocks(monkeypatch):
    space = told_space()
    tree = ol.Tree(space, [0, 1], feature=[0, -1, 3, -1, -1], threshold=[5, 0, 0, 0, 0],
                   when_true=[1, -1, 3, -1, -1], when_false=[2, -1, 4, -1, -1], sets={2: [0, 3]},
                   leaf_class=[-1, 1, -1, 1, 0])  # fmt: skip
    table = told_table(np.random.default_rng(0), space, 2_000)
    whole = tree.ask_next(table).to_pylist()
    monkeypatch.setattr("orderless.questions.asking.MOST_CELLS", 100)
    assert tree.ask_next(table).to_pylist() == whole
    assert {"age", "color", None} == set(whole)


def test_wrong_rows_are_refused():
    with pytest.raises(ol.errors.InvalidData, match="unknown feature 'Age'"):
        showcase.mixed().tree.ask_next([{"Age": 3}])
