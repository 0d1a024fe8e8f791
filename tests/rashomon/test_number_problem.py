"""Sets of trees of numbers: every answer against brute force over all trees, in fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracle_rashomon import columns_of, is_trivial, n_leaves
from oracle_rashomon_numbers import NumberProblem
from rashomon_cases import Case, key

import orderless as ol

NUMBERS = (
    ("0", "1"),
    ("1", "2", "3"),
    ("-1.5", "0.25", "7", "7.5"),
    ("100000.001", "100000.002", "100003"),
    ("12000", "5000", "-3000"),
    ("0.333", "0.334", "0.5", "0.667"),
)


class NumberCase(Case):
    """A random problem, in the package and by brute force."""

    def __init__(self, seed: int, depth: int, loss: str) -> None:
        super().__init__(seed, depth, 4 if depth == 3 else 5)
        n = len(self.X)
        pool = NUMBERS[self.random.integers(len(NUMBERS))]
        self.exact = [Fraction(pool[i]) for i in self.random.integers(0, len(pool), n)]
        if seed % 7 == 0:
            self.exact = self.exact[:1] * n  # one number
        if seed % 5 == 0:  # several numbers for equal rows
            self.X[: n // 2] = self.X[0]
        self.y = [float(number) for number in self.exact]
        self.loss = loss
        self.found = ol.RashomonSet(
            depth, self.regularization, self.epsilon, self.space, task="regression", loss=loss,
            epsilon_kind="relative" if self.relative else "additive",
        ).fit(self.X, self.y, self.weights)  # fmt: skip
        self.oracle = NumberProblem(
            [tuple(row) for row in self.X.tolist()], self.exact, loss=loss,
            decimals=self.found._problem.target.decimals, depth=depth,
            regularization=Fraction(str(self.regularization)),
            epsilon=Fraction(str(self.epsilon)), relative=self.relative,
            weights=None if self.weights is None else [Fraction(str(w)) for w in self.weights],
            cells=self.cells,
        )  # fmt: skip

    def nested(self, tree: Any) -> dict[str, Any]:
        if not isinstance(tree, tuple):
            return {"prediction": float(tree)}
        column, one, zero = tree
        return {"feature": column, "true": self.nested(one), "false": self.nested(zero)}

    def read(self, tree: Any) -> ol.Tree:
        return ol.read_tree({"task": "regression", **self.nested(tree)}, space=self.space)

    def key(self, tree: Any) -> Any:
        if not isinstance(tree, tuple):
            return float(tree)
        column, one, zero = tree
        if column not in self.asked:
            stump = key(self.read((column, Fraction(1), Fraction(0))))
            self.asked[column] = stump[0], stump[1] == 1
        question, one_is_yes = self.asked[column]
        yes, no = (one, zero) if one_is_yes else (zero, one)
        return (question, self.key(yes), self.key(no))

    def inside(self, trees: Any) -> dict[Any, Fraction]:
        return {self.key(tree): self.oracle.objectives[tree] for tree in trees}


CASES = [(seed, depth) for seed in range(30) for depth in (1, 2)]
CASES += [(seed, 3) for seed in range(100, 112)]


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
    histogram = found.histogram()
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
        assert found.count_distinct(semantics) == len(by_function)
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
        functions = found.functions(semantics=semantics)
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
                assert ol.fingerprint(f.tree) == f.fingerprint
                assert f.tree in functions
        assert key(functions[0].tree) == key(found.best_tree)


def test_positions_and_membership(case):
    found, oracle = case.found, case.oracle
    n = found.n_trees
    assert [found.rank(tree) for tree in found] == list(range(n))
    assert key(found[n - 1]) == key(found[-1])
    inside = set(oracle.trees)
    for tree in list(oracle.objectives)[:200]:
        assert (case.read(tree) in found) == (tree in inside)
    assert (
        ol.read_tree({"task": "regression", "prediction": 12345.678}, space=case.space) not in found
    )
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
        (found.within(half), lambda t: oracle.objectives[t] <= bound),
        (found.at_most(2), lambda t: n_leaves(t) <= 2),
        (found.using(name), lambda t: bool(columns_of(t) & own)),
        (found.without(name), lambda t: not columns_of(t) & own),
        (found.nontrivial(), lambda t: not is_trivial(t)),
        (found.using(name).at_most(3).nontrivial(),
         lambda t: bool(columns_of(t) & own) and n_leaves(t) <= 3 and not is_trivial(t)),
    ]  # fmt: skip
    for view, holds in views:
        due = [tree for tree in oracle.trees if holds(tree)]
        assert view.n_trees == len(due)
        assert {key(tree) for tree in view} == {case.key(tree) for tree in due}
        assert view.n_distinct == len(oracle.functions("cells", due))
        again = ol.RashomonSet.from_json(view.to_json())
        assert (again.n_trees, again.n_distinct) == (view.n_trees, view.n_distinct)
        assert [key(tree) for tree in again.trees()] == [key(tree) for tree in view.trees()]


def test_predict_on_rows_with_unknowns(case):
    found, oracle = case.found, case.oracle
    views = [(found, oracle.trees)]
    views += [(found.at_most(2), [t for t in oracle.trees if n_leaves(t) <= 2])]
    views += [(found.nontrivial(), [t for t in oracle.trees if not is_trivial(t)])]
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
