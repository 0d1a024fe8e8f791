"""Random small problems for sets of trees of numbers: data for us, and all trees by brute force."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
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
        self.rset = ol.RashomonSet(
            depth, self.regularization, self.epsilon, relative=self.relative, loss=loss,
            space=self.space,
        ).fit(self.X, self.y, self.weights)  # fmt: skip
        self.found = self.rset.trees_
        self.oracle = NumberProblem(
            [tuple(row) for row in self.X.tolist()], self.exact, loss=loss,
            decimals=self.rset.decimals_, depth=depth,
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
        return ol.read({"task": "regression", **self.nested(tree)}, space=self.space)

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

    def read_back(self, tree: ol.Tree, rows: list[Any]) -> list[Fraction]:
        """What one of our trees says of complete rows, as the decimals that are written."""
        return [Fraction(repr(number)) for number in tree.predict(np.array(rows)).tolist()]

    def inside(self, trees: Any) -> dict[Any, Fraction]:
        return {self.key(tree): self.oracle.objectives[tree] for tree in trees}


CASES = [(seed, depth) for seed in range(30) for depth in (1, 2)]
CASES += [(seed, 3) for seed in range(100, 112)]
