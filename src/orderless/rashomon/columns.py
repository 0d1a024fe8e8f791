"""What 0/1 columns mean: each is a condition on one feature of a space.

In:  a ``Space`` whose columns are conditions, or trees whose conditions become columns.
Out: ``Columns``: from trees over columns to ``Tree``s over features and back, and from rows of
     features, with unknowns too, to what each column can be.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, InvalidSpace
from ..form import class_weights, space_weights
from ..inputs import read_rows
from ..model import AMONG, Domains, Label, Nodes, Space, TreeKernel
from .flat import FlatTrees, distinct
from .target import Numbers

__all__ = ["Columns", "columns_of_space", "columns_of_trees", "independent"]

AT_ONCE = 4096

Bits = NDArray[np.uint8]
Key = tuple[int, float, bool, bytes]  # feature, threshold, NaN holds, set
Classes = tuple[Label, ...] | Numbers  # what leaves can say


class CoreConditions(NamedTuple):
    """The conditions of columns, as the core reads them."""

    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    nan_true: NDArray[np.uint8]
    one_is_true: NDArray[np.uint8]
    set_start: NDArray[np.int64]
    set_values: NDArray[np.int32]


class CoreMeasure(NamedTuple):
    """What the core needs for the fingerprints of functions over the features."""

    conditions: CoreConditions
    domains: Domains
    keys: NDArray[np.uint64]
    value_weights: list[NDArray[np.uint64]]
    class_values: NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Columns:
    """0/1 columns as conditions on the features of a space.

    Attributes
    ----------
    space : Space
        Of the rows that come in, and of the trees that come out.
    names : tuple of str
        Of the columns.
    feature, threshold, nan_true, set_start, set_values : arrays
        Per column its condition, as a ``Tree`` has it per node.
    one_is_true : array of 0/1
        Per column whether it is 1 where the condition holds; else it is 1 where it does not.
    """

    space: Space
    names: tuple[str, ...]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    nan_true: Bits
    set_start: NDArray[np.int64]
    set_values: NDArray[np.int32]
    one_is_true: Bits

    @classmethod
    def of(
        cls,
        space: Space,
        names: Sequence[str],
        conditions: Sequence[tuple[int, float, bool, Sequence[int]]],
        one_is_true: Sequence[bool],
    ) -> Columns:
        """Make columns of conditions: feature, threshold, whether it holds for NaN, set."""
        sets = [part for _, _, _, part in conditions]
        return cls(
            space,
            tuple(names),
            np.array([feature for feature, _, _, _ in conditions], dtype=np.int32),
            np.array([threshold for _, threshold, _, _ in conditions], dtype=np.float64),
            np.array([nan for _, _, nan, _ in conditions], dtype=np.uint8),
            np.cumsum([0, *(len(part) for part in sets)], dtype=np.int64),
            np.array([value for part in sets for value in part], dtype=np.int32),
            np.array(one_is_true, dtype=np.uint8),
        )

    def __len__(self) -> int:
        return len(self.names)

    def set_of(self, column: int) -> NDArray[np.int32]:
        """Give the numbers of the values for which a column's categorical condition holds."""
        return self.set_values[self.set_start[column] : self.set_start[column + 1]]

    def weights(self, classes: Sequence[Label]) -> CoreMeasure:
        """Give the core what it needs for fingerprints that equal ``orderless.fingerprint``."""
        keys, values = space_weights(self.space)
        conditions = CoreConditions(*(getattr(self, name) for name in CoreConditions._fields))
        return CoreMeasure(conditions, self.space.arrays, keys, values, class_weights(classes))

    def of_feature(self, name: str) -> list[int]:
        """Give the columns that are about a feature; an error lists the names that there are."""
        return np.flatnonzero(self.feature == self.space.index(name)).tolist()

    def left_out(self, bits: Bits) -> tuple[str, ...]:
        """Name the features of which no column divides these rows."""
        varies = bits.any(axis=0) & ~bits.all(axis=0)
        asked = set(self.feature[varies].tolist())
        return tuple(name for i, name in enumerate(self.space.names) if i not in asked)

    def contradictions(self, bits: Bits) -> NDArray[np.bool_]:
        """Tell, by row, whether no value of some feature makes its columns what they are."""
        first, which = distinct(bits)
        out = np.zeros(len(first), dtype=bool)
        holds = bits[first] == self.one_is_true
        for i in np.unique(self.feature).tolist():
            own = np.flatnonzero(self.feature == i)
            feature, here = self.space.features[i], holds[:, own]
            if feature.ordered:
                cuts = self.threshold[own]
                low = np.where(here, -np.inf, cuts).max(axis=1)
                there = low < np.where(here, cuts, np.inf).min(axis=1)
                if feature.nan:
                    there |= (here == self.nan_true[own]).all(axis=1)
            else:
                there = (here[:, None] == self._members(own.tolist())).all(axis=2).any(axis=1)
            out |= ~there
        return out[which]

    def patterns(self, own: Sequence[int]) -> Bits:
        """Give all that columns of one feature can be together, a row for each way."""
        feature = self.space.features[self.feature[own[0]]]
        if feature.ordered:
            cuts = self.threshold[own]
            holds = [cuts >= value for value in [*np.unique(cuts), np.inf]]
            if feature.nan:
                holds.append(self.nan_true[own] == 1)
        else:
            holds = list(self._members(own))
        return np.unique(np.array(holds) == self.one_is_true[own], axis=0).astype(np.uint8)

    def _members(self, own: Sequence[int]) -> NDArray[np.bool_]:
        """Tell, by value of a categorical feature, whether it is in the sets of its columns."""
        values = np.arange(self.space.features[self.feature[own[0]]].n_values)
        return np.array([np.isin(values, self.set_of(j)) for j in own]).T

    # -- trees ---------------------------------------------------------------------------------

    def trees(self, flat: FlatTrees, classes: Classes) -> Iterator[TreeKernel]:
        """Make ``Tree``s over the features, linear in their nodes."""
        for first in range(0, len(flat), AT_ONCE):
            yield from self._trees(flat[first : first + AT_ONCE], classes)

    def _trees(self, flat: FlatTrees, classes: Classes) -> Iterator[TreeKernel]:
        inner = flat.column >= 0
        asked = np.where(inner, flat.column, 0)
        one = np.arange(len(inner)) - flat.root_of + 1
        zero = flat.false_child
        direct = self.one_is_true[asked] == 1
        arrays: dict[str, Any] = {
            "feature": np.where(inner, self.feature[asked], -1).astype(np.int32),
            "threshold": np.where(inner, self.threshold[asked], 0.0),
            "nan_true": np.where(inner, self.nan_true[asked], 0).astype(np.uint8),
            "when_true": np.where(direct, one, zero).astype(np.int32),
            "when_false": np.where(direct, zero, one).astype(np.int32),
            "leaf_class": flat.label,
        }
        sizes = np.where(inner, np.diff(self.set_start)[asked], 0)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        at = np.repeat(self.set_start[:-1][asked] - starts[:-1], sizes) + np.arange(starts[-1])
        values = self.set_values[at]
        ends = flat.offsets.tolist()
        for a, b in pairwise(ends):
            nodes = Nodes(
                **{name: array[a:b].copy() for name, array in arrays.items()},
                set_start=starts[a : b + 1] - starts[a],
                set_values=values[starts[a] : starts[b]],
            )
            if isinstance(classes, tuple):
                yield TreeKernel.of_normal(self.space, classes, nodes)
                continue
            labels = nodes.leaf_class
            used = np.unique(labels[labels >= 0])  # of all numbers, those of its leaves
            labels[labels >= 0] = np.searchsorted(used, labels[labels >= 0])
            numbers = tuple(classes[label] for label in used.tolist())
            yield TreeKernel.of_normal(self.space, numbers, nodes, "regression")

    @cached_property
    def _column_of(self) -> dict[Key, tuple[int, bool]]:
        """Conditions as a ``Tree`` writes them -> column, and whether 1 is where they hold."""
        out: dict[Key, tuple[int, bool]] = {}
        opposite: dict[Key, tuple[int, bool]] = {}
        for j in range(len(self)):
            key = _key(self, j)
            out.setdefault(key, (j, bool(self.one_is_true[j])))
            feature = self.space.features[self.feature[j]]
            if not feature.ordered:  # the opposite set is the same question
                rest = np.setdiff1d(np.arange(feature.n_values), self.set_of(j)).astype(np.int32)
                opposite.setdefault((*key[:3], rest.tobytes()), (j, not self.one_is_true[j]))
        return {**opposite, **out}

    def flatten(self, tree: TreeKernel, classes: Classes) -> FlatTrees | None:
        """Write a tree over the columns; None if one of its conditions is not a column."""
        if tree.space is not self.space:
            if any(name not in self.space for name in tree.features):
                return None
            try:
                tree = tree.over(self.space)
            except InvalidSpace:
                return None
        find = _finder(classes)
        column: list[int] = []
        label: list[int] = []
        zero: list[int] = []
        todo: list[tuple[int, int]] = [(0, -1)]
        while todo:
            node, parent = todo.pop()
            if parent >= 0:
                zero[parent] = len(column)
            if tree.feature[node] < 0:
                number = find(tree.classes[tree.leaf_class[node]])
                if number is None:
                    return None
                column.append(-1)
                label.append(number)
                zero.append(-1)
                continue
            place = self._column_of.get(_key(tree, node))
            if place is None:
                return None
            asked, direct = place
            yes, no = int(tree.when_true[node]), int(tree.when_false[node])
            one_node, zero_node = (yes, no) if direct else (no, yes)
            column.append(asked)
            label.append(-1)
            zero.append(-1)
            todo.append((zero_node, len(column) - 1))
            todo.append((one_node, -1))
        arrays = [np.array(part, dtype=np.int32) for part in (column, label, zero)]
        return FlatTrees(np.array([0, len(column)], dtype=np.int64), *arrays)

    # -- rows ----------------------------------------------------------------------------------

    def read(self, X: Any) -> tuple[Bits, Bits, NDArray[np.bool_]]:
        """Read rows: per row and column whether it may be 1 and whether it may be 0.

        With them, per row, whether a categorical feature is known in part ("red or blue"): what
        one column says then depends on what another one says.
        """
        used = np.unique(self.feature).tolist()
        rows = read_rows(X, self.space, used)
        one = np.zeros((rows.n_rows, len(self)), dtype=np.uint8)
        zero = np.zeros((rows.n_rows, len(self)), dtype=np.uint8)
        partly = np.zeros(rows.n_rows, dtype=bool)
        for i in used:
            kind, allowed, _ = rows.columns[i]
            if kind == AMONG and allowed is not None:
                count = allowed.sum(axis=1)
                partly |= (count > 1) & (count < allowed.shape[1])
        for j, question in enumerate(self.questions):
            table = question.reach(rows, all_classes=True).possible.reshape(rows.n_rows, 2)
            zero[:, j], one[:, j] = table[:, 0], table[:, 1]
        return one, zero, partly

    def read_complete(self, X: Any) -> Bits:
        """Read rows of which every column is known."""
        one, zero, _ = self.read(X)
        unknown = (one == 1) & (zero == 1)
        if unknown.any():
            row, j = np.argwhere(unknown)[0].tolist()
            raise InvalidData(
                f"row {row} does not say whether {self.names[j]!r} holds: complete rows are needed "
                "here; predict takes unknowns"
            )
        return one

    def printed(self) -> list[str]:
        """Give the conditions as trees print them."""
        return [question.condition(0) for question in self.questions]

    @cached_property
    def questions(self) -> list[TreeKernel]:
        """Per column the tree that says whether it is 1."""
        three = FlatTrees(
            np.arange(0, 3 * len(self) + 1, 3, dtype=np.int64),
            np.stack([np.arange(len(self)), *np.full((2, len(self)), -1)], 1).ravel().astype("i4"),
            np.tile(np.array([-1, 1, 0], dtype=np.int32), len(self)),
            np.tile(np.array([2, -1, -1], dtype=np.int32), len(self)),
        )
        return list(self.trees(three, (0, 1)))


def _finder(classes: Classes) -> Callable[[Label], int | None]:
    """Find the place of what a leaf says."""
    if isinstance(classes, Numbers):
        return classes.find
    return {label: i for i, label in enumerate(classes)}.get


@lru_cache(maxsize=64)  # bootstraps and folds ask again and again
def independent(names: tuple[str, ...]) -> Columns:
    """Take every column as a boolean feature of its own: the paper's reading."""
    n = len(names)
    if len(set(names)) < n:  # conditions of a list of trees that print alike
        names = tuple(f"c{j}" for j in range(n))
    conditions = [(j, 0.0, False, ()) for j in range(n)]
    return Columns.of(Space.independent(names), names, conditions, [False] * n)


def columns_of_space(columns: Space, rows: Space | None = None) -> Columns:
    """Read the columns of a space: each is a condition, or a boolean feature.

    Parameters
    ----------
    columns : Space
        Its columns are the 0/1 columns.
    rows : Space, optional
        The same features, with other columns: those of the rows that come in.
    """
    space = columns if rows is None else rows
    if space.features != columns.features:
        raise InvalidSpace("the space of the rows and that of the columns have different features")
    conditions: list[tuple[int, float, bool, list[int]]] = []
    one_is_true: list[bool] = []
    for column in columns.columns:
        feature, condition = columns[column.feature], column.condition
        threshold, values, one = 0.0, [], True
        among = (True,) if condition is None or condition.among is None else condition.among
        if condition is not None and condition.at_most is not None:
            threshold = float(feature.at_most(condition.at_most))
            changes = math.isfinite(threshold)
        elif feature.kind == "boolean":  # asked as "is it at most 0?"
            one = False in among
            changes = len(among) == 1
        elif condition is None:
            raise InvalidSpace(
                f"column {column.name!r} holds the values of {feature!r}, which are not 0/1: give "
                "the space of the binarized columns"
            )
        else:
            # Asked as the readers of 0/1 columns ask: is the column 0?
            inside = {feature.categories.index(label) for label in among}
            values = [code for code in range(feature.n_values) if code not in inside]
            one = False
            changes = 0 < len(among) < feature.n_values
        if not changes:
            raise InvalidSpace(
                f"column {column.name!r} never changes in this space: leave it out of X and of "
                "the space"
            )
        conditions.append((space.index(column.feature), threshold, False, values))
        one_is_true.append(one)
    return Columns.of(space, columns.column_names, conditions, one_is_true)


def _key(given: TreeKernel | Columns, at: int) -> Key:
    """Give the condition of a node of a tree, or of a column."""
    return (
        int(given.feature[at]),
        float(given.threshold[at]),
        bool(given.nan_true[at]),
        given.set_of(at).astype(np.int32).tobytes(),
    )


def columns_of_trees(trees: Sequence[TreeKernel]) -> Columns:
    """Make a column of every condition that occurs in trees over one space."""
    space = trees[0].space
    conditions: dict[Key, str] = {}
    for tree in trees:
        for node in np.flatnonzero(tree.feature >= 0).tolist():
            key = _key(tree, node)
            if key not in conditions:
                conditions[key] = tree.condition(node)
    keys = sorted(conditions)
    # A boolean's own column is 1 where it is true, and its condition is "not".
    plain = [space.features[key[0]].kind == "boolean" for key in keys]
    names = [
        space.features[key[0]].name if bit else conditions[key]
        for key, bit in zip(keys, plain, strict=True)
    ]
    own = [(*key[:3], np.frombuffer(key[3], dtype=np.int32).tolist()) for key in keys]
    return Columns.of(space, names, own, [not bit for bit in plain])
