"""Random small problems for Rashomon sets: data for us, and the oracle's list of all trees."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from oracle_rashomon import Problem

import orderless as ol

NAMES = ("age", "blood pressure", 'a "quoted" name', "größe", "it's, so")
LABELS = {2: [("no", "yes"), (0, 1), (False, True), (-1, 1)], 3: [("a", "b", "c"), (1, 5, 7)]}
REGULARIZATIONS = (0, 0.01, 0.02, 0.05, 0.1, Fraction(1, 7))
EPSILONS = (0, 0.02, 0.05, 0.1, 0.2, Fraction(1, 3))

# How ``functions(by)`` names the readings of a tree.
BY = {None: "features", "aware": "features", "independent": "columns", "rows": "rows"}


class Case:
    """A problem: 0/1 columns with a space that relates them, labels, parameters, the oracle."""

    def __init__(self, seed: int, depth: int = 2, width: int = 5) -> None:
        random = np.random.default_rng([seed, depth])
        self.depth = depth
        self.features, columns, told = _features(random, width)
        self.space = ol.Space(self.features, columns)
        self.names = self.space.column_names
        self.values = [f.values for f in told.features]  # one in every bin, rising
        # Every combination of values, as bits.
        self.cells = [
            tuple(int(holds(value)) for f, holds in told for value in [combination[f]])
            for combination in product(*(f.values for f in told.features))
        ]
        n = int(random.integers(3, 12))
        self.X = np.array([self.cells[i] for i in random.integers(0, len(self.cells), n)])
        n_classes = int(random.choice([2, 2, 3]))
        self.y = random.integers(0, n_classes, n)
        self.y[:n_classes] = np.arange(n_classes)[: len(self.y)]
        self.classes = LABELS[n_classes][random.integers(len(LABELS[n_classes]))]
        self.labels = [self.classes[c] for c in self.y]
        self.weights = None
        if random.integers(3) == 0:
            self.weights = random.choice([0.0, 0.25, 0.5, 1.0, 1.5, 2.0], n)
            self.weights[:n_classes] = 1.0
        self.regularization = REGULARIZATIONS[random.integers(len(REGULARIZATIONS))]
        self.epsilon = EPSILONS[random.integers(len(EPSILONS))]
        self.relative = bool(random.integers(4) == 0)
        self.random = random
        self.asked: dict[int, Any] = {}
        self.oracle = Problem(
            [tuple(row) for row in self.X.tolist()],
            self.y.tolist(),
            n_classes,
            depth=depth,
            regularization=Fraction(str(self.regularization)),
            epsilon=Fraction(str(self.epsilon)),
            relative=self.relative,
            weights=None if self.weights is None else [Fraction(str(w)) for w in self.weights],
            cells=self.cells,
        )

    def fit(self, aware: bool = True, **options: Any) -> ol.TreeSet:
        return (
            ol.RashomonSet(
                self.depth,
                self.regularization,
                self.epsilon,
                relative=self.relative,
                space=self.space if aware else None,
                **options,
            )
            .fit(self.X, self.labels, self.weights)
            .trees_
        )

    def read(self, tree: Any) -> ol.Tree:
        """One of the oracle's trees as a ``Tree`` over the space."""
        return ol.read(self.nested(tree), space=self.space)

    def key(self, tree: Any) -> Any:
        """What ``key`` gives for one of the oracle's trees; each column is read once."""
        if not isinstance(tree, tuple):
            return self.classes[tree]
        column, one, zero = tree
        if column not in self.asked:
            stump = key(self.read((column, 1, 0)))
            self.asked[column] = stump[0], stump[1] == self.classes[1]
        question, one_is_yes = self.asked[column]
        yes, no = (one, zero) if one_is_yes else (zero, one)
        return (question, self.key(yes), self.key(no))

    def nested(self, tree: Any) -> dict[str, Any]:
        if not isinstance(tree, tuple):
            return {"prediction": self.classes[tree]}
        column, one, zero = tree
        return {"feature": column, "true": self.nested(one), "false": self.nested(zero)}


def key(tree: ol.Tree, node: int = 0) -> Any:
    """A tree as nested tuples, whatever the order of its nodes and classes."""
    if tree.nodes.feature[node] < 0:
        return tree.classes[tree.nodes.leaf_class[node]]
    yes, no = (
        key(tree, int(child[node])) for child in (tree.nodes.when_true, tree.nodes.when_false)
    )
    asked = (
        int(tree.nodes.feature[node]),
        float(tree.nodes.threshold[node]),
        *tree.kernel.set_of(node).tolist(),
    )
    return (asked, yes, no)


class _Told:
    """Per column its feature's number and whether the column is 1 at a value."""

    def __init__(self) -> None:
        self.features: list[Any] = []
        self.columns: list[tuple[int, Any]] = []

    def __iter__(self):
        return iter(self.columns)


class _Values:
    def __init__(self, values: list[Any]) -> None:
        self.values = values


def _features(random: np.random.Generator, width: int) -> tuple[Any, Any, _Told]:
    told = _Told()
    features: list[ol.Feature] = []
    columns: dict[str, Any] = {}
    left = int(random.integers(2, width + 1))
    for name in random.permutation(NAMES).tolist():
        if left <= 0:
            break
        kind = random.choice(["numeric", "boolean", "one-hot"]) if left > 1 else "boolean"
        number = len(features)
        if kind == "boolean":
            features.append(ol.Feature(name, "boolean"))
            columns[name] = name
            told.features.append(_Values([0, 1]))
            told.columns.append((number, lambda v: v == 1))
            left -= 1
        elif kind == "numeric":
            cuts = [2.0, 5.5, 7.0][: min(left, int(random.integers(1, 4)))]
            features.append(ol.Feature(name, values=str(random.choice(["float64", "integer"]))))
            for cut in cuts:
                columns[f"{name} <= {cut}"] = ol.Condition(name, at_most=cut)
                told.columns.append((number, lambda v, cut=cut: v <= cut))
            told.features.append(_Values([0.0, 3.0, 6.0, 9.0][: len(cuts) + 1]))
            left -= len(cuts)
        else:
            labels = ["red", "green", "blue"][: min(left, int(random.integers(2, 4)))]
            other = bool(random.integers(2))
            features.append(ol.Feature(name, "categorical", categories=tuple(labels), other=other))
            for label in labels:
                columns[f"{name} = {label}"] = ol.Condition(name, among=(label,))
                told.columns.append((number, lambda v, label=label: v == label))
            told.features.append(_Values(labels + ["else"] * other))
            left -= len(labels)
    return features, columns, told
