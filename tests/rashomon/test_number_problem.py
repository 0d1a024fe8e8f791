"""Sets of trees of numbers: every answer against brute force over all trees, in fractions."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from oracle_rashomon import columns_of, is_trivial, n_leaves
from oracle_rashomon_numbers import NumberProblem
from rashomon_cases import BY, key
from rashomon_number_cases import CASES, NumberCase

import orderless as ol
from orderless import member
from orderless.errors import InvalidData, InvalidTree, OutOfMemory, OutOfTime, TooLarge


@pytest.fixture(params=[(*case, loss) for case in CASES for loss in ("squared", "absolute")])
def case(request: Any) -> NumberCase:
    return NumberCase(*request.param)


def test_numbers_and_order(case):
    found, oracle = case.found, case.oracle
    assert (found.objective, found.bound) == (oracle.optimum, oracle.bound)
    assert found.n_trees == len(oracle.trees)
    assert found.n_nontrivial == sum(not is_trivial(tree) for tree in oracle.trees)
    assert found.on_bound == sum(oracle.objectives[tree] == oracle.bound for tree in oracle.trees)
    due = case.inside(oracle.trees)
    trees = list(found)
    assert {tree.task for tree in trees} == {"regression"}
    seen = [key(tree) for tree in trees]
    assert len(set(seen)) == len(seen)
    assert set(seen) == set(due)
    order = [(due[name], tree.n_leaves) for name, tree in zip(seen, trees, strict=True)]
    assert order == sorted(order)
    histogram = found.counts()
    assert histogram["trees"].sum() == len(trees)
    first = trees[0]
    assert histogram["loss"][0] == pytest.approx(
        sum(
            float(w) * abs(y - said) ** (2 if case.loss == "squared" else 1)
            for w, y, said in zip(oracle.weights, case.y, first.predict(case.X), strict=True)
        )
    )


def test_functions(case):
    found, oracle = case.found, case.oracle
    for where, semantics in (("all", "independent"), ("cells", "aware"), ("rows", "rows")):
        by_function = oracle.functions(where)
        assert len(found.functions(BY[semantics])) == len(by_function)
        due = sorted(
            (
                min(oracle.objectives[tree] for tree in trees),
                oracle.loss_of(trees[0]),
                min(map(n_leaves, trees)),
                len(trees),
                sum(not is_trivial(tree) for tree in trees),
            )
            for trees in by_function.values()
        )
        functions = found.functions(BY[semantics])
        assert due == sorted(
            (f.objective, f.errors, f.leaves, f.n_trees, f.n_nontrivial) for f in functions
        )
        objectives = [f.objective for f in functions]
        assert objectives == sorted(objectives)
        for f in list(functions)[:20]:
            listed = [key(tree) for tree in f.trees()]
            assert len(listed) == f.n_trees == len(set(listed))
            assert key(f.tree) in listed
            if semantics == "aware":
                assert f.tree.fingerprint == f.fingerprint
                assert f.tree in functions
        assert key(functions[0].tree) == key(found.best_tree)


def test_positions_and_membership(case):
    found, oracle = case.found, case.oracle
    n = found.n_trees
    assert [found.index(tree) for tree in found] == list(range(n))
    assert key(found[n - 1]) == key(found[-1])
    inside = set(oracle.trees)
    for tree in list(oracle.objectives)[:200]:
        assert (case.read(tree) in found) == (tree in inside)
    assert ol.read({"task": "regression", "prediction": 12345.678}, space=case.space) not in found
    drawn = found.sample(5, random_state=3)
    assert [key(t) for t in drawn] == [key(t) for t in found.sample(5, random_state=3)]
    assert all(tree in found for tree in drawn)


def test_views(case):
    found, oracle = case.found, case.oracle
    half = Fraction(str(case.epsilon)) / 2
    name = case.space.names[0]
    own = {j for j, c in enumerate(case.space.columns) if c.feature == name}
    bound = oracle.optimum * (1 + half) if case.relative else oracle.optimum + half
    views = [
        (found.where(member.epsilon <= half), lambda t: oracle.objectives[t] <= bound),
        (found.where(member.leaves <= 2), lambda t: n_leaves(t) <= 2),
        (found.where(member.uses(name)), lambda t: bool(columns_of(t) & own)),
        (found.where(~member.uses(name)), lambda t: not columns_of(t) & own),
        (found.where(~member.trivial), lambda t: not is_trivial(t)),
        (found.where(member.uses(name), member.leaves <= 3, ~member.trivial),
         lambda t: bool(columns_of(t) & own) and n_leaves(t) <= 3 and not is_trivial(t)),
    ]  # fmt: skip
    for view, holds in views:
        due = [tree for tree in oracle.trees if holds(tree)]
        assert view.n_trees == len(due)
        assert {key(tree) for tree in view} == {case.key(tree) for tree in due}
        assert len(view.functions()) == len(oracle.functions("cells", due))
        again = ol.TreeSet.from_json(view.to_json())
        assert (again.n_trees, len(again.functions())) == (view.n_trees, len(view.functions()))
        assert [key(tree) for tree in again.trees()] == [key(tree) for tree in view.trees()]


def test_predict_on_rows_with_unknowns(case):
    found, oracle = case.found, case.oracle
    views = [(found, oracle.trees)]
    views += [(found.where(member.leaves <= 2), [t for t in oracle.trees if n_leaves(t) <= 2])]
    views += [(found.where(~member.trivial), [t for t in oracle.trees if not is_trivial(t)])]
    names = list(case.space.column_names)
    rows, due = [], []
    for _ in range(25):
        known = {j: int(case.X[0][j]) for j in range(len(names))}
        row = case.cells[case.random.integers(len(case.cells))]
        known = {j: row[j] for j in range(len(names)) if case.random.integers(3)}
        rows.append([known.get(j, np.nan) for j in range(len(names))])
        due.append([c for c in case.cells if all(c[j] == v for j, v in known.items())])
    X = np.array(rows, dtype=float)
    partly = found._problem.columns.read(X)[2]
    for view, trees in views:
        if not trees:
            continue
        oracle.trees, kept = trees, oracle.trees
        answers = view.predict(X)
        for said, completions, some in zip(answers.tolist(), due, partly.tolist(), strict=True):
            best = oracle.best_determined(completions)
            if not some:  # columns of one feature that are known in part are read by the tree
                assert said == (None if best is None else float(best[0]))
        oracle.trees = kept


def noisy(seed: int = 0, n: int = 60, d: int = 8) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    X = random.integers(0, 2, (n, d))
    return X, (X[:, 0] * 3 + X[:, 1] * X[:, 2] * 2 + random.normal(0, 1, n)).round(3)


def test_sets_whose_trees_have_objectives_of_their_own():
    """More trees than the core lists costs of: positions, counts and the histogram are one."""
    X, y = noisy()
    found = ol.RashomonSet(3, 0.01, 0.3, loss="squared").fit(X, y).trees_
    assert found.n_trees > 150_000
    histogram = found.counts()
    assert histogram["trees"].sum() == found.n_trees
    assert histogram["nontrivial"].sum() == found.n_nontrivial
    assert (np.diff(histogram["objective"]) >= 0).all()
    random = np.random.default_rng(1)
    ends = np.cumsum(histogram["trees"])
    for position in [0, 1, found.n_trees - 1, *random.integers(0, found.n_trees, 25).tolist()]:
        tree = found[position]
        assert found.index(tree) == position
        row = histogram.iloc[int(np.searchsorted(ends, position, side="right"))]
        assert tree.n_leaves == row["leaves"]
        assert ((tree.predict(X) - y) ** 2).sum() == pytest.approx(row["loss"])
    assert [found.index(tree) for tree in found[1000:1100]] == list(range(1000, 1100))
    small = found.where(member.epsilon <= 0.05)
    assert small.n_trees == (histogram["objective"] <= float(small.bound)).dot(histogram["trees"])


@pytest.mark.parametrize("seed", range(8))
def test_rounding_of_means_changes_no_set(seed):
    """With the means themselves, in fractions, the same trees are in where none is on the bound."""
    X, y = noisy(seed, 14, 4)
    epsilon = Fraction(123457, 1000000)
    found = ol.RashomonSet(2, 0.02, epsilon, loss="squared").fit(X, y).trees_
    exact = NumberProblem(
        [tuple(row) for row in X.tolist()], [Fraction(str(number)) for number in y.tolist()],
        loss="squared", decimals=None, depth=2, regularization=Fraction(1, 50), epsilon=epsilon,
    )  # fmt: skip
    assert found.n_trees == len(exact.trees)
    assert len(found.functions()) == len(exact.functions("all"))
    assert abs(found.objective - exact.optimum) < Fraction(1, 10**10)


@pytest.mark.parametrize("seed", range(6))
def test_streed_finds_the_same_optimum(seed):
    pystreed = pytest.importorskip("pystreed")
    random = np.random.default_rng(seed)
    X, y = noisy(seed, int(random.integers(30, 150)), int(random.integers(4, 9)))
    depth, cost = int(random.integers(1, 5)), float(random.choice([0.001, 0.01, 0.05]))
    model = pystreed.STreeDRegressor(max_depth=depth, cost_complexity=cost).fit(X, y)
    whole = ((y - y.mean()) ** 2).sum()
    due = ((y - model.predict(X)) ** 2).sum() / whole + cost * model.get_n_leaves()
    found = ol.RashomonSet(depth, cost, 0, loss="squared").fit(X, y).trees_
    assert float(found.objective) == pytest.approx(due, abs=1e-9)


def test_raw_features_text_and_frames():
    random = np.random.default_rng(3)
    frame = pd.DataFrame({"age": random.integers(18, 90, 80), "ward": random.choice(["a", "b"], 80),
                          "urgent": random.integers(0, 2, 80)})  # fmt: skip
    days = (frame["age"] // 20 + 3 * (frame["ward"] == "b") + 2 * frame["urgent"]).rename("days")
    for thresholds in ("guess", (0.33, 0.66)):
        found = ol.RashomonSet(3, loss="squared", thresholds=thresholds).fit(frame, days).trees_
        assert set(found.best_tree.features) <= {"age", "ward", "urgent"}
        said = found.predict(frame)
        assert isinstance(said, pd.Series)
        assert said.astype(float).tolist() == found.best_tree.predict(frame).tolist()
        unknown = pd.DataFrame({"age": [None], "ward": [None], "urgent": [None]})
        assert found.predict(unknown).isna().all() or found.where(member.leaves <= 1).n_trees
        again = pickle.loads(pickle.dumps(found))
        assert (again.n_trees, len(again.functions())) == (found.n_trees, len(found.functions()))
        assert again.to_json() == found.to_json()


def test_questions_about_classes_are_refused():
    X, y = noisy(0, 20, 3)
    rset = ol.RashomonSet(2, loss="squared").fit(X, y)
    found = rset.trees_
    with pytest.raises(InvalidData, match=r"no votes for classes: predict_interval\(X\)"):
        _ = found.votes(X).shares
    with pytest.raises(InvalidData, match=r"no votes for classes"):
        _ = found.votes(X, sample=5).overruled
    with pytest.raises(AttributeError, match=r"no classes in a set of task='regression'"):
        _ = found.classes
    assert "squared loss, numbers to" in rset._repr_html_inner()


def test_limits():
    X, y = noisy()
    with pytest.raises(OutOfMemory, match=r"memory_limit=10,000 bytes: raise it"):
        ol.RashomonSet(3, 0.01, 0.3, loss="squared", memory_limit=10_000).fit(X, y)
    with pytest.raises(OutOfTime, match=r"took longer than time_limit=1e-09 seconds"):
        ol.RashomonSet(4, 0, 1, loss="squared", time_limit=1e-9).fit(*noisy(0, 300, 30))
    found = ol.RashomonSet(3, 0.01, 0.1, loss="squared").fit(X, y).trees_
    with pytest.raises(TooLarge, match=r"more than limit=5 functions"):
        list(found.functions(limit=5))
    large = ol.RashomonSet(3, 0.01, 0.3, loss="squared", memory_limit=10_000_000).fit(X, y).trees_
    with pytest.raises(OutOfMemory, match=r"the histogram needs more than memory_limit"):
        large.counts()


def changed(text: str, **entries: Any) -> str:
    return json.dumps({**json.loads(text), **entries})


@pytest.mark.parametrize("loss", ["squared", "absolute"])
@pytest.mark.parametrize(
    ("entries", "match"),
    [
        ({"loss": "huber"}, r"do not say which numbers there are"),
        ({"decimals": 10**9}, r"do not say which numbers there are"),
        ({"smallest": 10**400}, r"do not say which numbers there are"),
        ({"fine": 0}, r"do not say which numbers there are"),
        ({"fine": 7}, r"do not say which numbers there are"),
        ({"steps": []}, r"do not say which numbers there are"),
        ({"steps": [0, -1]}, r"do not say which numbers there are"),
        ({"steps": [5, 9]}, r"do not say which numbers there are"),
        ({"steps": [0, 2**60]}, r"do not say which numbers there are"),
        ({"steps": "all"}, r"steps"),
        ({"weights": [2**61]}, r"weights"),
        ({"n_trees": 3}, r"the file says n_trees = 3"),
        ({"y": [10**6]}, r"'y' must hold"),
    ],
)  # fmt: skip
def test_files_that_are_refused(loss, entries, match):
    X, y = noisy(0, 8, 3)
    text = ol.RashomonSet(2, loss=loss).fit(X, y).trees_.to_json()
    n = len(json.loads(text)["y"])
    entries = {k: v * n if k in ("weights", "y") else v for k, v in entries.items()}
    with pytest.raises(InvalidTree, match=match):
        ol.TreeSet.from_json(changed(text, **entries))


def test_objectives_of_any_tree(case):
    found, oracle = case.found, case.oracle
    for tree in list(oracle.objectives)[:100]:
        assert found.objective_of(case.read(tree)) == oracle.objectives[tree]
    far = {"task": "regression", "prediction": 1e300}  # passes every whole number of the core
    due = oracle.loss_of(Fraction("1e300")) / oracle.whole if oracle.whole else None
    if due is not None:
        own = Fraction(str(case.regularization)) + due
        assert found.objective_of(ol.read(far, space=case.space)) == own
    other = ol.read({"prediction": 1}, space=case.space)
    with pytest.raises(InvalidData, match=r"tree is of task='classification', and the set is of"):
        found.objective_of(other)
    foreign = {"task": "regression", "feature": "not there", "true": {"prediction": 1},
               "false": {"prediction": 2}}  # fmt: skip
    with pytest.raises(InvalidData, match=r"a condition of the tree is not a column of the set"):
        found.objective_of(ol.read(foreign, feature_names=["not there"]))
