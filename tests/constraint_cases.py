"""Random constraints on the trees of a small problem, and which trees meet them, by brute force."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from oracle_rashomon import columns_of, is_trivial, n_leaves, say
from rashomon_cases import BY, Case, key

from orderless import member
from orderless.rashomon import Condition

NAMES = (
    "min_leaf", "leaves", "uses", "does_not_use", "n_features", "root", "path_cost", "monotone",
)  # fmt: skip
PAIRS = [(a, b) for i, a in enumerate(NAMES) for b in NAMES[i:]]


@dataclass(frozen=True)
class Drawn:
    """Conditions, none where there is nothing to ask for, and which trees meet them."""

    name: str
    conditions: tuple[Condition, ...]
    met: Callable[[Any], bool]

    def view(self, found: Any) -> Any:
        return found.where(*self.conditions)


def feature_of(case: Case) -> list[str]:
    return [column.feature for column in case.space.columns]


def features_of(case: Case, tree: Any) -> set[str]:
    return {feature_of(case)[column] for column in columns_of(tree)}


def draw(case: Case, name: str, random: np.random.Generator) -> Drawn:
    conditions, met = globals()[f"_{name}"](case, random)
    return Drawn(name, conditions, met)


def _some(random: np.random.Generator, names: list[str], most: int) -> list[str]:
    chosen = random.permutation(sorted(set(names)))[: int(random.integers(1, most + 1))].tolist()
    return [str(name) for name in chosen]


def _min_leaf(case: Case, random: np.random.Generator) -> Any:
    least = [1, 2, 3, 2.5, 0.2, 0.34, Fraction(1, 3), 100][random.integers(8)]
    X, weights = case.oracle.X, case.oracle.weights
    number = Fraction(str(least))
    due = number * sum(weights) if number < 1 else number

    def heavy(tree: Any, rows: list[int]) -> bool:
        if not isinstance(tree, tuple):
            return sum((weights[i] for i in rows), Fraction(0)) >= due
        column, one, zero = tree
        return heavy(one, [i for i in rows if X[i][column]]) and heavy(
            zero, [i for i in rows if not X[i][column]]
        )

    return (member.min_leaf >= least,), lambda tree: heavy(tree, list(range(len(X))))


def _leaves(case: Case, random: np.random.Generator) -> Any:
    most = int(random.integers(1, 6))
    return (member.leaves <= most,), lambda tree: n_leaves(tree) <= most


def _uses(case: Case, random: np.random.Generator) -> Any:
    names = _some(random, feature_of(case), 2)
    return tuple(map(member.uses, names)), lambda tree: set(names) <= features_of(case, tree)


def _does_not_use(case: Case, random: np.random.Generator) -> Any:
    names = _some(random, feature_of(case), 2)
    conditions = tuple(~member.uses(name) for name in names)
    return conditions, lambda tree: not set(names) & features_of(case, tree)


def _n_features(case: Case, random: np.random.Generator) -> Any:
    most = int(random.integers(0, 4))
    return (member.n_features <= most,), lambda tree: len(features_of(case, tree)) <= most


def _root(case: Case, random: np.random.Generator) -> Any:
    def question(depth: int) -> tuple[Any, Callable[[Any], bool]]:
        column = int(random.integers(len(case.names)))
        name, asked = case.names[column], {column}
        if random.integers(2):
            name = feature_of(case)[column]
            asked = {j for j, own in enumerate(feature_of(case)) if own == name}
        follow: list[Callable[[Any], bool]] = [lambda tree: True, lambda tree: True]
        given: Any = {"feature": name}
        for side, word in enumerate(("true", "false")):
            if depth and random.integers(3) == 0:
                given[word], follow[side] = question(depth - 1)
        if len(given) == 1 and random.integers(2):
            given = name

        def met(tree: Any) -> bool:
            return (
                isinstance(tree, tuple)
                and tree[0] in asked
                and follow[0](tree[1])
                and follow[1](tree[2])
            )

        return given, met

    beginning, met = question(2)
    return (member.root == beginning,), met


def _path_cost(case: Case, random: np.random.Generator) -> Any:
    prices = [0, 1, 0.5, 2, 0.1, Fraction(1, 3)]
    costs = {name: prices[random.integers(6)] for name in sorted(set(feature_of(case)))}
    most = [0, 0.5, 1, 1.1, 2, 3][random.integers(6)]
    exact = {name: Fraction(str(cost)) for name, cost in costs.items()}

    def cheap(tree: Any, paid: frozenset[str]) -> bool:
        if sum((exact[name] for name in paid), Fraction(0)) > Fraction(str(most)):
            return False
        if not isinstance(tree, tuple):
            return True
        after = paid | {feature_of(case)[tree[0]]}
        return cheap(tree[1], after) and cheap(tree[2], after)

    return (member.path_cost(costs) <= most,), lambda tree: cheap(tree, frozenset())


def _monotone(case: Case, random: np.random.Generator) -> Any:
    ordered = [f.name for f in case.features if f.kind != "categorical"]
    if not ordered:  # nothing to ask for
        return (), lambda tree: True
    names = random.permutation(ordered)[: int(random.integers(1, 3))].tolist()
    given = {name: int(random.choice([1, -1])) for name in names}
    combinations = list(product(*(range(len(values)) for values in case.values)))
    place = {combination: i for i, combination in enumerate(combinations)}
    number = {f.name: i for i, f in enumerate(case.features)}

    def met(tree: Any) -> bool:
        said = [say(tree, cell) for cell in case.cells]
        for name, sign in given.items():
            f = number[name]
            for a in combinations:
                for more in range(a[f] + 1, len(case.values[f])):
                    b = (*a[:f], more, *a[f + 1 :])
                    if sign * (said[place[b]] - said[place[a]]) < 0:
                        return False
        return True

    return (member.monotone(given),), met


def check(case: Case, found: Any, due: list[Any]) -> None:
    """A view holds just these trees: their numbers, order, positions and functions."""
    oracle = case.oracle
    assert found.n_trees == len(due)
    assert found.n_nontrivial == sum(not is_trivial(tree) for tree in due)
    assert found.on_bound == sum(oracle.objectives[tree] == oracle.bound for tree in due)
    assert (found.objective, found.bound) == (oracle.optimum, oracle.bound)
    costs = {case.key(tree): (oracle.objectives[tree], n_leaves(tree)) for tree in due}
    seen = [key(tree) for tree in found]
    assert len(set(seen)) == len(seen)
    assert set(seen) == set(costs)
    order = [costs[each] for each in seen]
    assert order == sorted(order)
    histogram = found.counts()
    assert histogram["trees"].sum() == len(due)
    assert not histogram.duplicated(["leaves", histogram.columns[2]]).any()
    assert [float(cost) for cost, _ in order] == [
        objective
        for objective, n in zip(histogram["objective"], histogram["trees"], strict=True)
        for _ in range(n)
    ]
    for where, semantics in (("all", "independent"), ("cells", "aware"), ("rows", "rows")):
        functions = oracle.functions(where, due)
        assert len(found.functions(BY[semantics])) == len(functions)
        members = found.functions(BY[semantics])
        sizes = sorted(len(trees) for trees in functions.values())
        assert sorted(one.n_trees for one in members) == sizes
        assert sum(one.n_nontrivial for one in members) == found.n_nontrivial
        if len(due) < 200:
            listed = [{key(tree) for tree in one.trees()} for one in members]
            assert {frozenset(each) for each in listed} == {
                frozenset(case.key(tree) for tree in trees) for trees in functions.values()
            }
    for position in {0, len(due) // 2, len(due) - 1} if due else ():
        assert key(found[found.index(found[position])]) == seen[position]
    outside = [tree for tree in oracle.trees if tree not in set(due)]
    for tree in outside[:3]:
        assert case.read(tree) not in found
