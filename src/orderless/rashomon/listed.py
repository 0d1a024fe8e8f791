"""Trees that come as a list: from TreeFARMS, from tree-praxis, or by hand.

In:  ``Tree``s over one space, or ``FlatTrees`` over the columns of a ``Problem``.
Out: ``Listed``, which answers what ``Engine`` answers, by looking at every tree; ``Source``, one of
     the two.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, TooLarge
from ..inputs import exact
from ..model import Label, TreeKernel
from .columns import Columns, columns_of_space, columns_of_trees
from .engine import Engine, EngineCounts, EngineFunctions, Piece
from .few_features import FewFeatures
from .flat import FlatTrees, join
from .histogram import Histogram
from .meeting import meets
from .monotone import SomeCounts, SomeFunctions
from .number_problem import NumberProblem, loss_of
from .problem import Problem, Rules, decimal, whole_weights
from .table import Table
from .target import Numbers, distinct_numbers, read_labels, read_numbers
from .view import View

__all__ = ["Counts", "Functions", "Judging", "Listed", "Source", "listed_set"]

Positions = NDArray[np.intp]


class Listed:
    """A list of different trees, sorted by objective, leaves, and a fixed order.

    Attributes
    ----------
    flat : FlatTrees
    errors : array of int
        Wrong weight of each.
    """

    def __init__(self, problem: Problem, flat: FlatTrees) -> None:
        self.problem = problem
        self._counts: dict[View, ListedCounts] = {}
        self.seen: dict[str, FlatTrees] = {}  # trees of functions that were looked at last
        self.counted: dict[tuple[View, str], int] = {}  # functions, once they were counted
        keys = flat.keys()
        first = sorted({key: i for i, key in reversed(list(enumerate(keys)))}.values())
        self.n_repeated = len(flat) - len(first)  # trees that equal others of the list
        flat = flat[np.array(first, dtype=np.intp)]
        errors = problem.errors_of(flat)
        cost = problem.cost(errors, flat.n_leaves)
        # Positions depend on the set of trees only, not on the order in which they came.
        names = np.array([hashlib.blake2b(keys[i], digest_size=8).hexdigest() for i in first])
        order = np.lexsort((names, flat.n_leaves, cost)) if first else np.zeros(0, dtype=np.intp)
        self.flat, self.errors, self.cost = flat[order], errors[order], cost[order]
        self.optimum = int(self.cost.min(initial=2**62))
        self.incomplete = None  # the list is all that was asked for
        self.left_out: tuple[str, ...] = ()  # the trees came as they are, from no columns

    @property
    def bound(self) -> int:
        """The largest objective in the list."""
        return int(self.cost.max(initial=self.optimum))

    def _inside(self, view: View) -> Positions:
        """Give the positions of the trees of a view."""
        return np.flatnonzero((self.cost <= view.bound) & meets(self.problem, self.flat, view))

    def histogram(self, view: View) -> Histogram:
        """Count the trees of a view by leaves and errors, and keep nothing of it."""
        return ListedCounts(self, self._inside(view)).histogram()

    def counts(self, view: View) -> ListedCounts:
        """Count the trees of a view."""
        if view not in self._counts:
            self._counts[view] = ListedCounts(self, self._inside(view))
        return self._counts[view]

    def count_functions(self, view: View, semantics: str, limit: int) -> int:
        """Count the functions of a view."""
        return len(self.functions(view, semantics, limit).errors)

    def functions(
        self, view: View, semantics: str, limit: int, piece: Piece | None = None
    ) -> ListedFunctions:
        """Give the functions of a view, or one piece of them."""
        inside = self._inside(view)
        points = self.problem.points(self.flat[inside], semantics)
        if piece is not None:
            chosen = points[:, 0] % np.uint64(1 << piece[1]) == piece[0]
            inside, points = inside[chosen], points[chosen]
        distinct, which = np.unique(points, axis=0, return_inverse=True)
        if len(distinct) > limit:
            raise TooLarge(
                f"there are {len(distinct):,} functions, more than limit={limit:,}: raise limit=",
                len(distinct),
            )
        return ListedFunctions(self, inside, points, which.ravel())

    def said(self, view: View) -> NDArray[np.int32]:
        """Give what leaves predict, in any view: labels, rising."""
        return np.unique(self.flat.label[self.flat.label >= 0])

    def decide(
        self, view: View, one: NDArray[np.uint8], zero: NDArray[np.uint8]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]] | None:
        """Leave it to whoever asks: trees are tried one after the other."""
        return None

    def ranges(
        self,
        view: View,
        one: NDArray[np.uint8],
        zero: NDArray[np.uint8],
        asked: tuple[NDArray[np.int32], NDArray[np.int32]] | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]] | None:
        """Likewise."""
        return None


class ListedCounts:
    """The trees of a view of a list."""

    def __init__(self, source: Listed, inside: Positions) -> None:
        self.source, self.inside = source, inside
        self.n = len(inside)

    @cached_property
    def n_nontrivial(self) -> int:
        """How many have no trivial split."""
        return int(self.source.flat[self.inside].nontrivial.sum())

    def n_at(self, cost: int) -> int:
        """Count those that have exactly an objective."""
        return int((self.source.cost[self.inside] == cost).sum())

    def histogram(self) -> Histogram:
        """Count them by leaves and errors."""
        flat, errors = self.source.flat[self.inside], self.source.errors[self.inside]
        good = flat.nontrivial
        each = zip(flat.n_leaves.tolist(), errors.tolist(), good.tolist(), strict=True)
        return Histogram.of((leaves, wrong, 1, int(fine)) for leaves, wrong, fine in each)

    def unrank(self, positions: Sequence[int]) -> FlatTrees:
        """Give the trees at some positions."""
        return self.source.flat[self.inside[np.array(positions, dtype=np.intp)]]

    def rank(self, tree: FlatTrees) -> int | None:
        """Give the position of a tree, None if it is not in."""
        return self._ranks.get(tree.keys()[0])

    @cached_property
    def _ranks(self) -> dict[bytes, int]:
        return {key: i for i, key in enumerate(self.source.flat[self.inside].keys())}


class ListedFunctions:
    """The functions of a view of a list."""

    def __init__(
        self, source: Listed, inside: Positions, points: NDArray[np.uint64], which: Positions
    ) -> None:
        self.source = source
        groups: dict[int, list[int]] = {}
        for i, group in enumerate(which.tolist()):
            groups.setdefault(group, []).append(i)  # the cheapest tree first
        firsts = np.array([members[0] for members in groups.values()], dtype=np.intp)
        leaves = source.flat.n_leaves[inside]
        cost = source.cost[inside]
        keys = (points[firsts, 1], points[firsts, 0], leaves[firsts], cost[firsts])
        order = np.lexsort(keys) if len(firsts) else np.zeros(0, dtype=np.intp)
        members = list(groups.values())
        self.members = [inside[members[k]] for k in order.tolist()]
        firsts = firsts[order]
        self.fingerprint = points[firsts]
        self.errors = source.errors[inside][firsts]
        self.leaves = leaves[firsts]
        good = source.flat.nontrivial
        self.n_trees = np.array([len(group) for group in self.members], dtype=np.uint64)
        self.n_nontrivial = np.array([good[group].sum() for group in self.members], dtype=np.uint64)

    def trees(self, positions: NDArray[np.int64]) -> FlatTrees:
        """Give a cheapest tree of some functions."""
        chosen = np.array([self.members[k][0] for k in positions.tolist()], dtype=np.intp)
        return self.source.flat[chosen]

    def trees_of(self, position: int, start: int, count: int) -> FlatTrees:
        """Give some trees of one function, in order of leaves."""
        return self.source.flat[self.members[position][start : start + count]]

    def votes(self, bits: NDArray[np.uint8], n_classes: int) -> NDArray[np.int64]:
        """Count, by complete row and class, the functions that give the class."""
        return self.trees(np.arange(len(self.errors))).votes(bits, n_classes)


Source = Engine | Listed
Counts = EngineCounts | SomeCounts | FewFeatures | ListedCounts
Functions = EngineFunctions | SomeFunctions | ListedFunctions


@dataclass(frozen=True)
class Judging:
    """By what the trees of a list are judged; see ``TreeSet.from_trees``."""

    regularization: Any
    epsilon: Any
    sample_weight: Any
    loss: Any = None
    decimals: Any = None


def listed_set(trees: list[TreeKernel], X: Any, y: Any, given: Judging) -> Listed:
    """Take trees as a set; see ``TreeSet.from_trees``."""
    if not trees:
        raise InvalidData("there are no trees: give at least one")
    space = trees[0].space
    if any(tree.space is not space for tree in trees):
        raise InvalidData(
            "the trees have different spaces: convert all to one space, with space= or "
            "tree.with_space(space)"
        )
    tasks = {tree.task for tree in trees}
    if len(tasks) > 1:
        raise InvalidData(
            "some of the trees predict numbers (task='regression') and some predict classes: give "
            "trees of one task, or cut numbers into classes with tree.discretize(levels)"
        )
    numbers = tasks == {"regression"}
    for name in ("loss", "decimals"):
        if not numbers and getattr(given, name) is not None:
            raise ValueError(
                f"{name} is for trees that predict numbers, and these predict classes, got "
                f"{getattr(given, name)!r:.80}"
            )
    rules = Rules(
        max(tree.depth for tree in trees),
        decimal(given.regularization, "regularization"),
        Fraction(0) if given.epsilon is None else decimal(given.epsilon, "epsilon"),
    )
    work = _number_problem if numbers else _class_problem
    source = Listed(*work(trees, X, y, given, rules))
    problem = source.problem
    if given.epsilon is None:
        spread = problem.objective(source.bound) - problem.objective(source.optimum)
        problem.rules = replace(rules, epsilon=spread)
    return source


def _class_problem(
    trees: list[TreeKernel], X: Any, y: Any, given: Judging, rules: Rules
) -> tuple[Problem, FlatTrees]:
    classes, labels = read_labels(y)
    for tree in trees:
        own = {tree.classes[c] for c in tree.leaf_class[tree.feature < 0].tolist()}
        if not own <= set(classes):
            raise InvalidData(
                f"a tree predicts {sorted(own.difference(classes), key=str)[0]!r}, and y has the "
                f"classes {list(classes)}: give the labels that the trees were trained on"
            )
    columns, flat = _flatten(trees, classes)
    table = Table(_bits(columns, X, len(labels), "labels"), labels, classes, columns, _aware(trees))
    return Problem(table, *whole_weights(given.sample_weight, len(labels)), rules), flat


def _number_problem(
    trees: list[TreeKernel], X: Any, y: Any, given: Judging, rules: Rules
) -> tuple[Problem, FlatTrees]:
    """Round the numbers of leaves as those of a set are; see docs/decisions/0017."""
    loss = loss_of(given.loss)
    values, which = distinct_numbers(y, X)
    weights, scale = whole_weights(given.sample_weight, len(which))
    said = [[exact(number) for number in tree.classes] for tree in trees]
    every = sorted({number for numbers in said for number in numbers})
    target, labels = read_numbers(values, which, weights, loss, given.decimals, every)
    rounded = [_rounded_tree(*both, target.numbers) for both in zip(trees, said, strict=True)]
    columns, flat = _flatten(rounded, target.numbers)
    bits = _bits(columns, X, len(labels), "numbers")
    table = Table(bits, labels, target.numbers, columns, _aware(trees), target=target)
    return NumberProblem(table, weights, scale, rules), flat


def _rounded_tree(tree: TreeKernel, said: list[Fraction], numbers: Numbers) -> TreeKernel:
    """Give a tree with the decimals of a set at its leaves."""
    used, which = np.unique([numbers.nearest(number) for number in said], return_inverse=True)
    return tree.replace(
        classes=tuple(numbers[place] for place in used.tolist()),
        leaf_class=np.where(tree.feature < 0, which.ravel()[tree.leaf_class], -1),
        distribution=None,
    )


def _aware(trees: list[TreeKernel]) -> bool:
    return any(feature.kind != "boolean" for feature in trees[0].space.features)


def _bits(columns: Columns, X: Any, n: int, what: str) -> NDArray[np.uint8]:
    bits = columns.read_complete(X)
    if len(bits) != n:
        raise InvalidData(f"X has {len(bits)} rows and y has {n} {what}")
    return bits


def _flatten(
    trees: list[TreeKernel], classes: tuple[Label, ...] | Numbers
) -> tuple[Columns, FlatTrees]:
    """Write trees over 0/1 columns: those of the space, or one per condition that occurs."""
    space = trees[0].space
    bits = all(c.condition is not None or space[c.feature].kind == "boolean" for c in space.columns)
    for columns in ([columns_of_space(space)] if bits else []) + [columns_of_trees(trees)]:
        parts = [columns.flatten(tree, classes) for tree in trees]
        if all(part is not None for part in parts):
            return columns, join([part for part in parts if part is not None])
    raise AssertionError("every condition of the trees is a column")
