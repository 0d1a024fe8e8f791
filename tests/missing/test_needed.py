"""What settles a row, many trees at once, and imputation; against brute force."""

import itertools
import math

import numpy as np
import oracle
import pandas as pd
import pytest
from hypothesis import assume, given, settings, strategies as st
from sklearn.tree import DecisionTreeClassifier
from strategies import nested, partial_rows, problems, tree_of

import orderless as ol
from orderless.errors import InvalidData, OutOfTime, TooManyReasons
from orderless.inputs import read_rows
from orderless.missing import smallest_sets
from orderless.missing.needed import Needed
from orderless.missing.settling import Settling
from tests.missing.test_predict import AT_10, COLOR, OR, WARM, breast_cancer, in_order, labels

# -- what is needed ------------------------------------------------------------------------------


@given(problems(max_features=4), st.data())
@settings(max_examples=150)
def test_missing_needed_by_brute_force(problem, data):
    kinds, (spec,) = problem
    row = data.draw(partial_rows(kinds, spec))
    n_values = [len(values) for values in oracle.values_by_feature(kinds, spec).values()]
    assume(math.prod(n_values) <= 400)
    tree = tree_of(spec, kinds)
    found = tree.needed(row)
    settle, could = oracle.needed(kinds, row, spec)
    assert {frozenset(names) for names in found.settle} == settle
    assert {frozenset(names) for names in found.could} == could
    assert len(found.settle) == len(settle)
    assert len(found.could) == len(could)
    classes = oracle.possible_classes(kinds, row, spec)
    assert found.possible == in_order(tree, classes)
    assert found.label == (found.possible[0] if len(classes) == 1 else None)
    assert tree.needed(row) == found
    order = [tree.space.index(name) for name in found.unknown]
    assert order == sorted(order)


@given(problems(max_features=4), st.data())
@settings(max_examples=60)
def test_many_rows_need_what_each_needs(problem, data):
    kinds, (spec,) = problem
    tree = tree_of(spec, kinds)
    rows = data.draw(st.lists(partial_rows(kinds, spec), min_size=1, max_size=8))
    check_settling(tree, rows)


def test_many_rows_that_know_part_of_a_feature():
    """Conditions of one feature, of which a row may know some: the part that is left counts."""
    space = ol.Space(
        [ol.Feature("x"), ol.Feature("y", values="integer"),
         ol.Feature("c", "categorical", categories=("r", "g", "b"), other=True)],
        columns={
            **{f"x<={t}": ol.Condition("x", at_most=t) for t in (1, 2, 3)},
            **{f"y<={t}": ol.Condition("y", at_most=t) for t in (1, 2)},
            **{f"c={v}": ol.Condition("c", among=(v,)) for v in "rgb"},
        },
    )  # fmt: skip
    rng = np.random.default_rng(0)
    names = list(space.column_names)

    def grown(depth):
        if not depth or rng.random() < 0.2:
            return {"prediction": "abc"[rng.integers(3)]}
        yes, no = grown(depth - 1), grown(depth - 1)
        return {"feature": str(rng.choice(names)), "true": yes, "false": no}

    n_open = 0
    for _ in range(25):
        tree = ol.read(grown(4), space=space)
        whole = {"x": rng.choice([0.0, 1.5, 2.5, 4.0], 30), "y": rng.choice([0, 2, 5], 30),
                 "c": rng.choice(["r", "g", "b", "else"], 30)}  # fmt: skip
        rows = []
        for x, y, c in zip(*whole.values(), strict=True):
            told = [
                *(x <= t for t in (1, 2, 3)),
                *(y <= t for t in (1, 2)),
                *(c == v for v in "rgb"),
            ]
            rows.append({n: int(v) for n, v in zip(names, told, strict=True) if rng.random() < 0.4})
        n_open += check_settling(tree, rows)
    assert n_open > 200


def check_settling(tree, rows):
    read = read_rows(rows, tree.space, tree.kernel.used)
    open_rows = np.flatnonzero(tree.kernel.decide(read) < 0)
    settling = Settling(tree)
    for _ in range(2):  # the second time it is remembered
        sets, which = settling.sets(read, open_rows)
        wanted = [tree.needed(rows[i]).settle[0] for i in open_rows]
        assert [sets[k] for k in which] == wanted
    return len(open_rows)


def test_settling_of_many_features():
    # A chain of 70 questions: masks of features take two words.
    node = {"prediction": 0}
    for k in reversed(range(70)):
        node = {"feature": k, "true": {"prediction": k % 2}, "false": node}
    tree = ol.read(node)
    rng = np.random.default_rng(5)
    gone = [set(rng.choice(70, 5, replace=False).tolist()) for _ in range(20)]
    rows = [{f"x{k}": 0 for k in range(70) if k not in some} for some in gone]
    assert check_settling(tree, rows) > 10


def test_missing_needed_in_words():
    tree = ol.read(OR)
    assert str(tree.needed({"x0": 1})) == "Determined: 1. Nothing more is needed."
    assert tree.needed({"x0": 1}).settle == ((),)
    assert str(tree.needed({})) == (
        "Not determined: 0 or 1.\n"
        "Settled, whatever the values, by x0 and x1.\n"
        "Settled, for some values, by x0; or by x1."
    )
    sets = tuple((f"x{i}",) for i in range(8))
    text = str(Needed(None, (0, 1, 2), ("x",), (("a", "b", "c"),), sets))
    assert text.startswith("Not determined: 0, 1 or 2.\nSettled, whatever the values, by a, b and")
    assert text.endswith("x5; or 2 more sets of 1.")


def test_missing_needed_takes_rows_of_every_kind():
    X, _, model = breast_cancer()
    tree = ol.read(model)
    row = X.iloc[5].copy()
    row[list(tree.features[:4])] = np.nan
    found = tree.needed(row)
    assert found.unknown == tree.features[:4]
    for same in (row.to_dict(), row.to_numpy(), list(row), row.to_frame().T, [row.to_dict()],
                 pd.Series(row.to_numpy()), row.to_numpy()[None]):  # fmt: skip
        assert tree.needed(same) == found
    # Knowing part of a feature is not knowing it.
    assert AT_10.needed({"x <= 5": 0}).settle == (("x",),)
    assert AT_10.needed({"x <= 5": 1}).label == 1


def test_what_settles_does_and_what_could_can():
    X, _, model = breast_cancer(depth=7)
    tree = ol.read(model)
    random = np.random.RandomState(0)
    tried = 0
    for i in range(60):
        row = X.iloc[i].mask(random.random_sample(X.shape[1]) < 0.5)
        needed = tree.needed(row)
        if needed.label is not None:
            continue
        tried += 1
        for names in needed.settle:
            told = pd.DataFrame([row] * 40).reset_index(drop=True)
            told[list(names)] = X[list(names)].sample(40, random_state=i).to_numpy()
            assert tree.predict(told).notna().all()
            for fewer in itertools.combinations(names, len(names) - 1):
                assert set(fewer) not in [set(s) for s in needed.settle]
    assert tried > 10


def test_missing_needed_refuses():
    tree = ol.read(OR)
    with pytest.raises(InvalidData, match="expected one row, got 2"):
        tree.needed([[0, 1], [0, 1]])
    with pytest.raises(ValueError, match="limit=0: at least one step"):
        tree.needed({}, limit=0)
    with pytest.raises(TooManyReasons, match=r"takes more than limit=2 steps: raise limit="):
        tree.needed({}, limit=2)


def many_unknowns(n):
    """(a1 and b1) or (a2 and b2) or ...: a row without values is settled by all of them only."""
    tree = {"prediction": 0}
    for i in reversed(range(n // 2)):
        both = {"feature": 2 * i + 1, "true": {"prediction": 1}, "false": tree}
        tree = {"feature": 2 * i, "true": both, "false": tree}
    return ol.read(tree, feature_names=[f"x{i}" for i in range(n)])


class Ticks:
    """A clock that goes on by one whenever it is looked at."""

    def __init__(self):
        self.now = 0

    def monotonic(self):
        self.now += 1
        return self.now


def test_missing_needed_stops_in_time(monkeypatch):
    tree = many_unknowns(16)
    with pytest.raises(OutOfTime, match=r"time_limit=1e-09 seconds: raise time_limit="):
        tree.needed({}, time_limit=1e-9)
    with pytest.raises(ValueError, match="time_limit=0"):
        tree.needed({}, time_limit=0)
    for time_limit in (100, 600, 800):  # while leaves are gathered, and in both searches
        clock = Ticks()
        monkeypatch.setattr(smallest_sets, "time", clock)
        with pytest.raises(OutOfTime, match=f"time_limit={time_limit} seconds"):
            tree.needed({}, time_limit=time_limit)
        assert clock.now == time_limit + 2
        with pytest.raises(OutOfTime, match=f"time_limit={time_limit} seconds"):
            tree.needed({}, time_limit=time_limit)


# -- many trees ----------------------------------------------------------------------------------


@given(problems(n_trees=4, max_features=3), st.data())
@settings(max_examples=50)
def test_determined_by_any_is_the_first_that_is(problem, data):
    kinds, specs = problem
    trees = [tree_of(spec, kinds) for spec in specs]
    rows = data.draw(st.lists(partial_rows(kinds, specs[0]), min_size=1, max_size=6))
    found = ol.determined_by_any(trees, rows)
    for i, row in enumerate(rows):
        possible = [oracle.possible_classes(kinds, row, spec) for spec in specs]
        first = next((k for k, classes in enumerate(possible) if len(classes) == 1), None)
        assert found.determined[i] == (first is not None)
        assert found.tree.tolist()[i] == first
        assert labels(found.label)[i] == (None if first is None else possible[first].pop())


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_determined_by_any_over_blocks(dtype, order):
    """More rows than one block, so that open rows are copied together; every layout of rows."""
    random = np.random.RandomState(0)
    X = random.normal(size=(40_000, 8))
    y = (X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
    models = [
        DecisionTreeClassifier(max_depth=4, max_features=3, random_state=i).fit(X[:2000], y[:2000])
        for i in range(40)
    ]
    trees = [ol.read(model) for model in models]
    X[random.random_sample(X.shape) < 0.5] = np.nan
    X = np.asarray(X, dtype=dtype, order=order)
    found = ol.determined_by_any(trees, X)
    each = np.stack([tree.kernel.decide(X) for tree in trees])
    some = (each >= 0).any(axis=0)
    first = (each >= 0).argmax(axis=0)
    assert (found.determined == some).all()
    assert (found.tree.data[some] == first[some]).all()
    assert (found.label.data[some] == each[first, np.arange(len(X))][some]).all()
    assert 0 < some.mean() < 1
    frame = pd.DataFrame(X[:50], columns=trees[0].space.names)
    assert ol.determined_by_any(models, frame).label.isna().tolist() == (~some[:50]).tolist()


def test_determined_by_any_with_sets_and_other_classes():
    yes = nested(("split", "color", frozenset(["red"]), ("leaf", "a"), ("leaf", "c")))
    trees = [WARM, ol.read(yes, space=COLOR)]
    rows = [{"color": "red"}, {"age": 50}, {"color": "blue"}, {"age": 3}]
    found = ol.determined_by_any(trees, rows)
    assert found.tree.tolist() == [1, 0, 0, None]
    assert labels(found.label) == ["a", "b", "b", None]
    lonely = ol.read({"prediction": "z"}, space=COLOR)
    assert labels(ol.determined_by_any([*trees, lonely], rows).label)[-1] == "z"
    assert ol.determined_by_any(trees, []).tree.tolist() == []


def test_determined_by_any_refuses():
    with pytest.raises(InvalidData, match="there are no trees"):
        ol.determined_by_any([], [[1]])
    with pytest.raises(InvalidData, match="tree 1 has another space than tree 0"):
        ol.determined_by_any([WARM, OR], [[1]])


# -- imputation ----------------------------------------------------------------------------------


def test_corollary_4_2_no_imputation_matters_on_determined_rows():
    X, _, model = breast_cancer()
    partly = X.mask(np.random.RandomState(0).random_sample(X.shape) < 0.4)
    names = ("mean", "median", "iterative", "routing")
    table = ol.imputation_dependence(model, partly[:150], X, names)
    n_determined = ol.read(model).predict(partly[:150]).notna().sum()
    parts = table.groupby("rows", sort=False)
    assert parts["n_rows"].first().to_dict() == {
        "determined": n_determined, "not determined": 150 - n_determined, "all": 150,
    }  # fmt: skip
    assert len(table) == 3 * (6 + 1)
    assert (table.loc[table["rows"] == "determined", "n_differ"] == 0).all()
    total = table[table["between"] == ", ".join(names)].set_index("rows")
    assert total.loc["not determined", "share"] > 0.05
    assert total.loc["not determined", "n_differ"] == total.loc["all", "n_differ"]


def test_imputed_values_are_values_of_their_features():
    space = ol.Space({"n": "integer", "b": "boolean"})
    more = {"feature": "b", "true": {"prediction": 1}, "false": {"prediction": 2}}
    asked = {"feature": "n", "relation": "<=", "reference": 3}
    tree = ol.read({**asked, "true": {"prediction": 0}, "false": more}, space=space)
    table = ol.imputation_dependence(tree, [[None, None]], [[1, 0], [2, 1], [9, 1]],
                                     ["mean", "median"])  # fmt: skip
    assert table["n_differ"].tolist() == [0, 1, 1]
    assert np.isnan(table["share"][0])


def test_imputation_refuses():
    tree = ol.read(OR)
    rows = [[0, 1]]
    for names in ("mean", ["mean"], ["mean", "mode"]):
        with pytest.raises(ValueError, match=r"must be two or more of \('mean', 'median'"):
            ol.imputation_dependence(tree, rows, rows, names)
    with pytest.raises(InvalidData, match="'routing' asks the scikit-learn model itself"):
        ol.imputation_dependence(tree, rows, rows, ["mean", "routing"])
    with pytest.raises(InvalidData, match="column 'color' is not a number by itself"):
        ol.imputation_dependence(WARM, [["red", 1]], [["red", 1]])
    with pytest.raises(InvalidData, match="column 'x <= 5' is not a number by itself"):
        ol.imputation_dependence(AT_10, [[1, 1, 0, 0]], [[1, 1, 0, 0]])
    nan = ol.read(DecisionTreeClassifier(max_depth=1).fit([[1.0], [np.nan]], [0, 1]), nan="value")
    with pytest.raises(InvalidData, match="NaN is a value of 'x0'"):
        ol.imputation_dependence(nan, [[1.0]], [[1.0]])
