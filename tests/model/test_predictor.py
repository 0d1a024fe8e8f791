"""Predictor: one row at a time and small tables, against the oracle and the general way."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import oracle
import pytest
from hypothesis import given, settings, strategies as st
from strategies import partial_rows, problems, tree_of

import orderless as ol
from orderless.errors import InvalidData
from orderless.inputs import codes_for
from tests.tables import random_space, random_tree

AGE = {"feature": "age", "relation": "<=", "reference": 30, "true": {"prediction": "young"},
       "false": {"prediction": "old"}}  # fmt: skip


def one(kind, nested=AGE):
    return ol.read(nested, space=ol.Space({"age": kind}))


@st.composite
def problems_with_rows(draw):
    kinds, (spec,) = draw(problems(max_features=4))
    return kinds, spec, draw(partial_rows(kinds, spec))


@given(problems_with_rows())
@settings(max_examples=200)
def test_one_row_gets_its_certain_class(case):
    """Theorem 3.2 for a dict, a list and a tuple, against all completions."""
    kinds, spec, row = case
    tree = tree_of(spec, kinds)
    possible = oracle.possible_classes(kinds, row, spec)
    expected = next(iter(possible)) if len(possible) == 1 else None
    values = [row.get(name) for name in tree.space.column_names]
    predict = tree.predictor()
    for given_row in (row, values, tuple(values)):
        assert predict(given_row) == expected
    assert tree.predict(row) == expected
    assert tree.predict([row]).tolist() == [expected]
    assert ol.canonicalize(tree).predict(row) == expected


def test_tables_of_floats_are_read_as_lists_are():
    """Small tables and large ones, complete or not, of both widths, in any order in memory."""
    rng = np.random.default_rng(0)
    for seed in range(30):
        space = ol.Space({f"f{i}": "float32" if seed % 2 else "numeric" for i in range(4)})
        tree = random_tree(np.random.default_rng(seed), space, depth=4, classes=("a", "b", "c"))
        cuts = tree.nodes.threshold[tree.nodes.feature >= 0]
        for n in (0, 1, 5, 40, 300):
            X = rng.normal(size=(n, 4)) * 3
            at = rng.random(X.shape) < 0.3
            X[at] = rng.choice([*cuts, *np.nextafter(cuts, 9), np.inf, -np.inf, 0.0], at.sum())
            X[rng.random(X.shape) < 0.2] = np.nan
            with np.errstate(over="ignore"):
                single = X.astype(np.float32)
            for Z in (X, single, np.asfortranarray(X), X[::-1], X[:, ::-1][:, ::-1]):
                rows = [dict(zip(space.names, map(float, row), strict=True)) for row in Z]
                assert tree.predict(Z).tolist() == tree.predict(rows).tolist()
                assert [tree.predict(row) for row in rows] == tree.predict(rows).tolist()


def test_every_kind_of_feature():
    """NaN as a value, categories, whole numbers: the core and the general way say the same."""
    rng = np.random.default_rng(1)
    for seed in range(40):
        space = random_space(np.random.default_rng(seed), 4, nan=seed % 2 == 0)
        tree = random_tree(np.random.default_rng(seed), space, depth=3, classes=(0, 1, 2))
        predict = tree.predictor()
        for _ in range(30):
            row = {}
            for f in space.features:
                if rng.random() < 0.3:
                    continue
                values = [None, np.nan]
                if f.ordered:
                    values += [0, 1, True] if f.whole else [0.5, -1, 2.0, np.inf]
                else:
                    values += list(f.categories)
                row[f.name] = values[rng.integers(len(values))]
            assert predict(row) == tree.predict([row]).tolist()[0]


@pytest.mark.parametrize(
    ("kind", "row", "says"),
    [
        ("integer", {"age": 1.5}, "declared integer"),
        ("boolean", {"age": 2}, "declared boolean"),
        ("numeric", {"age": "3"}, "it is numeric"),
        ("numeric", {"age": 2**53 + 1}, "float64 cannot hold"),
        ("numeric", {"agee": 1}, "unknown feature 'agee'"),
        ("numeric", [1, 2], "X has 2 features"),
        ("numeric", "text", "cannot read one row"),
    ],
)
def test_what_is_wrong_with_a_row_is_said(kind, row, says):
    with pytest.raises(InvalidData, match=says):
        one(kind, AGE | {"reference": 0}).predictor()(row)


def test_tables_with_illegal_whole_numbers_are_refused():
    with pytest.raises(InvalidData, match="declared integer"):
        one("integer").predict(np.array([[1.0], [1.5]]))
    with pytest.raises(InvalidData, match="X has 2 features"):
        one("integer").predict(np.zeros((3, 2)))


def test_rows_that_the_core_leaves_to_others():
    tree = one("numeric")
    predict = tree.predictor()
    assert predict({"age": np.float32(30)}) == "young"
    assert predict(np.array([31.0])) == "old"
    assert predict({"age": float(2**60)}) == "old"
    assert predict({}) is None
    indicator = ol.Space({"age": "numeric"}, {"is young": ol.Condition("age", at_most=30)})
    through = ol.read(AGE, space=ol.Space({"age": "numeric"})).with_space(indicator)
    assert through.predictor()({"is young": 1}) == "young"
    assert through.predictor()({"age": 40}) == "old"
    assert through.predict(np.array([[1.0], [0.0], [np.nan]])).tolist() == ["young", "old", None]


def test_labels_of_every_kind():
    for labels in (("a" * 2000, "b"), (True, False), (1.5, 2.5), (2**70, 3)):
        tree = one("numeric").replace(classes=labels)
        assert tree.predict({"age": 1}) == labels[codes_for(tree.kernel, [[1]])[0]]
        assert tree.predict(np.array([[1.0]])).tolist() == [tree.predict({"age": 1})]
    number = ol.read(AGE | {"true": {"prediction": 1.5}, "false": {"prediction": 4.0}},
                          space=ol.Space({"age": "numeric"}))  # fmt: skip
    assert number.predict({"age": 1}) == 1.5


def test_it_can_be_copied_pickled_and_shared():
    tree = one("numeric")
    predict = tree.predictor()
    assert "Predictor(Tree(" in repr(predict)
    for other in (copy.deepcopy(predict), pickle.loads(pickle.dumps(predict))):
        assert other({"age": 3}) == "young"
        assert other.tree == tree.kernel
    assert pickle.loads(pickle.dumps(tree)) == tree
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(predict, [{"age": age} for age in range(200)]))
    assert found == ["young" if age <= 30 else "old" for age in range(200)]


def test_facts_hold_for_single_rows():
    tree = one("numeric")
    assert tree.predictor()({}) is None
    assert tree.with_facts(["age <= 20"]).predictor()({}) == "young"
