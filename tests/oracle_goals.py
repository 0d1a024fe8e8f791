"""Second goals over all trees, in fractions. It shares no algorithm with the package."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from oracle_rashomon import columns_of, is_trivial, n_leaves
from rashomon_cases import Case

import orderless as ol
from orderless import member

Rows = list[tuple[tuple[int, ...], int, Fraction]]  # bits, label, weight


Measured = Callable[[Rows, Callable[[tuple[int, ...]], int], int], Fraction | None]


def total(rows: Rows, tree: Any, counts: Callable[[int, int], Any]) -> Fraction:
    return sum((w * counts(y, tree(x)) for x, y, w in rows), Fraction(0))


def ratio(above: Fraction, below: Fraction) -> Fraction | None:
    return above / below if below else None


# Written out, each for itself: `p` is the positive class.
MEASURES: dict[str, Measured] = {
    "errors": lambda rows, tree, p: total(rows, tree, lambda y, s: y != s),
    "false positives": lambda rows, tree, p: total(rows, tree, lambda y, s: s == p != y),
    "false negatives": lambda rows, tree, p: total(rows, tree, lambda y, s: y == p != s),
    "true positives": lambda rows, tree, p: total(rows, tree, lambda y, s: y == p == s),
    "true negatives": lambda rows, tree, p: total(rows, tree, lambda y, s: y != p and s != p),
    "positives": lambda rows, tree, p: total(rows, tree, lambda y, s: s == p),
    "negatives": lambda rows, tree, p: total(rows, tree, lambda y, s: s != p),
    "correct": lambda rows, tree, p: total(rows, tree, lambda y, s: y == s),
    "error rate": lambda rows, tree, p: ratio(
        total(rows, tree, lambda y, s: y != s), total(rows, tree, lambda y, s: 1)
    ),
    "positive rate": lambda rows, tree, p: ratio(
        total(rows, tree, lambda y, s: s == p), total(rows, tree, lambda y, s: 1)
    ),
    "fpr": lambda rows, tree, p: ratio(
        total(rows, tree, lambda y, s: s == p != y), total(rows, tree, lambda y, s: y != p)
    ),
    "tpr": lambda rows, tree, p: ratio(
        total(rows, tree, lambda y, s: s == p == y), total(rows, tree, lambda y, s: y == p)
    ),
    "precision": lambda rows, tree, p: ratio(
        total(rows, tree, lambda y, s: s == p == y), total(rows, tree, lambda y, s: s == p)
    ),
    "f1": lambda rows, tree, p: ratio(
        2 * total(rows, tree, lambda y, s: s == p == y),
        total(rows, tree, lambda y, s: (s == p) + (y == p)),
    ),
    "jaccard": lambda rows, tree, p: ratio(
        total(rows, tree, lambda y, s: s == p == y),
        total(rows, tree, lambda y, s: s == p or y == p),
    ),
    "balanced accuracy": lambda rows, tree, p: balanced(rows, tree),
}


LARGEST = {"true positives", "true negatives", "correct", "tpr", "precision", "f1", "jaccard",
           "balanced accuracy"}  # fmt: skip


def balanced(rows: Rows, tree: Any) -> Fraction | None:
    shares = []
    for c in {y for _, y, w in rows if w}:
        own = [(x, y, w) for x, y, w in rows if y == c]
        shares.append(total(own, tree, lambda y, s: y == s) / sum(w for _, _, w in own))
    return sum(shares, Fraction(0)) / len(shares) if shares else None


class Goal(Case):
    """A problem, rows to measure on, and views."""

    def __init__(self, seed: int, depth: int = 2) -> None:
        super().__init__(seed, depth, 4 if depth == 3 else 5)
        self.found = self.fit(aware=bool(seed % 2))
        n = int(self.random.integers(2, 12))
        at = self.random.integers(0, len(self.cells), n)
        self.other = np.array([self.cells[i] for i in at])
        self.other_y = self.random.integers(0, len(self.classes), n)
        self.other_y[:2] = [0, len(self.classes) - 1]
        self.other_weights = self.random.choice([0.5, 1.0, 1.25, 3.0], n)
        self.positive = int(self.random.integers(len(self.classes)))

    def trained(self) -> Rows:
        rows = map(tuple, self.X.tolist())
        return list(zip(rows, self.y.tolist(), self.oracle.weights, strict=True))

    def others(self) -> Rows:
        weights = [Fraction(str(w)) for w in self.other_weights.tolist()]
        rows = map(tuple, self.other.tolist())
        return list(zip(rows, self.other_y.tolist(), weights, strict=True))

    def rows(self, other: bool) -> tuple[Rows, dict[str, Any]]:
        """Rows for brute force, and the arguments that mean them."""
        if not other:
            return self.trained(), {}
        labels = [self.classes[c] for c in self.other_y]
        return self.others(), {"X": self.other, "y": labels, "sample_weight": self.other_weights}

    def view(self, seed: int) -> tuple[Any, list[Any]]:
        """A view of the set, and its trees by brute force."""
        found, trees = self.found, self.oracle.trees
        random = np.random.default_rng(seed)
        if seed == 0:
            return found, trees
        if random.integers(2):
            most = int(random.integers(1, 5))
            found = found.where(member.leaves <= most)
            trees = [t for t in trees if n_leaves(t) <= most]
        if random.integers(2):
            found = found.where(~member.trivial)
            trees = [t for t in trees if not is_trivial(t)]
        names = list(found._problem.columns.space.names)
        asked = found._problem.columns.feature
        for using in (True, False):
            if random.integers(2):
                name = names[random.integers(len(names))]
                own = set(np.flatnonzero(asked == names.index(name)).tolist())
                found = found.where(member.uses(name) if using else ~member.uses(name))
                trees = [t for t in trees if bool(columns_of(t) & own) == using]
        return found, trees

    def check_tree(self, tree: ol.Tree, found: Any, trees: list[Any], value: Any, of: Any) -> Any:
        """The tree is in, and measures what was said; its objective comes back."""
        assert tree in found
        same = [t for t in trees if self.key(t) == self._key(tree)]
        assert same
        assert of(same[0]) == value
        return self.oracle.objectives[same[0]]

    def _key(self, tree: ol.Tree) -> Any:
        from rashomon_cases import key

        if tree.space is self.space:
            return key(tree)
        flat = self.found._problem.columns.flatten(tree.kernel, tuple(self.classes))
        assert flat is not None

        def read(node: int) -> Any:
            if flat.column[node] < 0:
                return int(flat.label[node])
            zero = int(flat.false_child[node])
            return (int(flat.column[node]), read(node + 1), read(zero))

        return self.key(read(0))


def front_of(points: list[tuple[Fraction, Fraction]], largest: bool) -> list[Any]:
    """The Pareto points of (objective, measure), by the definition."""
    sign = -1 if largest else 1
    best = {
        (c, v)
        for c, v in points
        if not any((c2 <= c and sign * v2 <= sign * v) and (c2, v2) != (c, v) for c2, v2 in points)
    }
    return sorted(best)
