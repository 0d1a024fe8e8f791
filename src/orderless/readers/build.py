"""The one builder that every reader speaks to.

In:  the nodes of a tree, as a library states them: a test on a column, or a leaf. Libraries that
     keep their nodes in arrays make the ``ColumnTree`` out of these at once.
Out: ``ColumnTree``: a tree over the columns of a ``Table``. Counts, links and values are checked
     here, whatever the model says of itself: files are hostile.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import isfinite
from operator import index
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidTree, UnreadableModel
from ..model import Feature, Label, Space, Task, Values, plain_label, value_at_most
from .leaf_labels import DAMAGED, ordered, places

if TYPE_CHECKING:
    from .preprocessing.stage import Before

__all__ = [
    "DAMAGED", "KEPT", "MOST_COLUMNS", "MOST_NODES", "ColumnTree", "Nan", "Table", "TreeBuilder",
    "numbered_names", "whole_number",
]  # fmt: skip

MOST_COLUMNS = 2**20  # that a number alone may imply; with names or a space there is no limit
MOST_NODES = 2**22
KEPT = 4096  # columns of a space that is remembered

Nan = Literal["unknown", "value"]
Relation = Literal["<=", "<", ">", ">="]


def whole_number(value: Any, what: str, least: int = 0) -> int:
    """Give a count as an int; anything else is an error.

    Examples
    --------
    >>> whole_number(3.0, "n_features_in_")
    Traceback (most recent call last):
    orderless.errors.UnreadableModel: n_features_in_ must be a whole number of at least 0, got 3.0:
    the model is damaged; fit or save it again
    """
    if isinstance(value, np.integer):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise UnreadableModel(
            f"{what} must be a whole number of at least {least}, got {value!r:.80}: {DAMAGED}"
        )
    return value


@dataclass(frozen=True)
class Table:
    """The columns that a model was fitted on.

    Attributes
    ----------
    n_columns : how many there are; None: the library does not say, so that they are at least as
        many as the tree asks about
    names : in the order of the columns; None: the library does not keep them
    at_least : ``n_columns`` is only the least number
    ordered : whether the columns came in the order of ``names``; if not, names alone say which is
        which
    values : how the library rounds a row's numbers before it compares them
    learns_nan : whether the library learns where to send NaN
    absent_is_nan : whether it takes what a sparse table leaves out for NaN, and not for 0
    binary : whether columns are 0/1, so that by default each is a boolean feature: all, or which
    categories : column -> labels, where the library treats it as categorical; the column holds
        the label itself
    other_categories : whether such a column may hold labels that are not listed; or which may
    kinds : column -> which numbers it can hold, where columns differ; thresholds are on float64
        rows all the same
    nan_refused : why NaN cannot be a value, although the file says what becomes of it; empty: it
        can
    garbled : column -> a function that takes the right labels from what a space lists, where the
        library may have garbled them
    before : what the model does itself to the columns that it takes; these are its columns then
    """

    n_columns: int | None
    names: Sequence[str] | None = None
    at_least: bool = False
    ordered: bool = True
    values: Literal["float64", "float32"] = "float64"
    learns_nan: bool = False
    absent_is_nan: bool = False
    binary: bool | Collection[int] = False
    categories: Mapping[int, Sequence[Any]] = field(default_factory=dict)
    other_categories: bool | Collection[int] = True
    kinds: Mapping[int, Values] = field(default_factory=dict)
    nan_refused: str = ""
    garbled: Mapping[int, Callable[[Sequence[Label]], Sequence[Label]]] = field(
        default_factory=dict
    )
    before: Before | None = None

    def __post_init__(self) -> None:
        if self.n_columns is None:
            return
        n = whole_number(self.n_columns, "the number of columns")
        if self.names is not None:
            object.__setattr__(self, "names", [str(name) for name in self.names])
            if len(self.names) != n:
                raise UnreadableModel(
                    f"the model says that it was fitted on {n:,} columns and names "
                    f"{len(self.names):,}: it is damaged; fit or save it again"
                )

    def default_space(self, names: Sequence[str] | None, nan: Nan) -> Space:
        """Give every column a feature of its own, of the kind that the library compares."""
        if names is None:
            names = self.names
        if names is None:
            names = numbered_names(self.n_columns or 0)
        if not self.categories and isinstance(self.binary, bool) and len(names) <= KEPT:
            return _space_of_one_kind(tuple(map(str, names)), self._feature(0, "x", nan))
        return Space([self._feature(i, str(name), nan) for i, name in enumerate(names)])

    def _feature(self, column: int, name: str, nan: Nan) -> Feature:
        with_nan = nan == "value" and self.learns_nan
        binary = self.binary if isinstance(self.binary, bool) else column in self.binary
        if column in self.categories and not (binary and not with_nan):
            labels = tuple(self.categories[column])
            other = self.other_categories
            other = other if isinstance(other, bool) else column in other
            return Feature(name, "categorical", categories=labels, other=other, nan=with_nan)
        if binary:
            return Feature(name, "boolean")
        return Feature(name, values=self.kinds.get(column, self.values), nan=with_nan)


@lru_cache(maxsize=32)
def _space_of_one_kind(names: tuple[str, ...], kind: Feature) -> Space:
    """Give features that are all of one kind; trees of one table then share their space."""
    return Space([replace(kind, name=name) for name in names])


def numbered_names(n_columns: int) -> list[str]:
    """Name columns that have no names; so many that the number must be wrong are refused."""
    if n_columns > MOST_COLUMNS:
        raise UnreadableModel(
            f"the model says that it was fitted on {n_columns:,} columns, without their names: "
            f"more than {MOST_COLUMNS:,} need feature_names= or space="
        )
    return [f"x{i}" for i in range(n_columns)]


@dataclass(frozen=True)
class ColumnTree:
    """A tree over the columns that a model was fitted on.

    Attributes
    ----------
    table : those columns
    classes : labels of the classes
    column : per node the column it tests, -1 for a leaf
    at_most : per node the threshold; the condition is ``x <= at_most``
    members : node -> column values for which its condition holds, where it is a set
    when_true, when_false, leaf_class : as in ``Tree``
    nan_true : per node whether NaN follows the true branch
    distribution : per node rows (or weights, or shares) by class
    task : as in ``Tree``
    precision : in which the library gives the numbers of a regression tree
    """

    table: Table
    classes: Sequence[Any] | NDArray[Any]
    column: NDArray[Any]
    at_most: NDArray[np.float64]
    when_true: NDArray[Any]
    when_false: NDArray[Any]
    leaf_class: NDArray[Any]
    nan_true: NDArray[np.bool_]
    members: Mapping[int, Sequence[Any]] = field(default_factory=dict)
    distribution: NDArray[np.float64] | None = None
    task: Task = "classification"
    precision: Literal["float64", "float32"] = "float64"

    def __post_init__(self) -> None:
        n = len(self.column)
        for name in ("at_most", "when_true", "when_false", "leaf_class", "nan_true"):
            shape = getattr(self, name).shape
            if shape != (n,):
                raise InvalidTree(f"{name} has shape {shape}: {DAMAGED}")
        inner = self.column >= 0
        for name, limit, numbers, where in (
            ("column", self.table.n_columns, self.column, inner),
            ("child", n, self.when_true, inner),
            ("child", n, self.when_false, inner),
            ("class", len(self.classes), self.leaf_class, ~inner),
        ):
            # What is below 0 is very large.
            unsigned: NDArray[Any] = np.where(where, numbers, 0).astype(np.int64).view(np.uint64)
            if n and unsigned.max() >= limit and where.any():
                wrong = where & (unsigned >= limit)
                raise InvalidTree(
                    f"a node has the {name} {numbers[wrong][0]}, and there are {limit:,}: {DAMAGED}"
                )
        if np.isnan(self.at_most).any() and np.isnan(self.at_most[inner]).any():
            raise InvalidTree(f"a threshold is not a number: {DAMAGED}")


class TreeBuilder:
    """Takes a tree node by node, from the root down, and checks every node.

    A reader goes through the nodes with ``walk`` and says of each what it is, with exactly one
    call of ``numerical_test``, ``categorical_test``, ``bit_test``, ``leaf``, ``leaf_number`` or
    ``leaf_of_number``. Children are whatever the library has: objects, dicts, positions.

    Notes
    -----
    Linear in the nodes, without recursion.

    Examples
    --------
    >>> builder = TreeBuilder(Table(2, names=["cold", "wet"], binary=True))
    >>> for node in builder.walk({"column": 1, "zero": "go", "one": "stay"}):
    ...     if isinstance(node, str):
    ...         builder.leaf(node)
    ...     else:
    ...         builder.bit_test(node["column"], node["zero"], node["one"])
    >>> tree = builder.finish()
    >>> tree.classes, tree.column.tolist(), tree.leaf_class.tolist()
    (['go', 'stay'], [1, -1, -1], [-1, 0, 1])
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self._n_columns = MOST_COLUMNS if table.n_columns is None else table.n_columns
        self._column: list[int] = []
        self._number: list[float] = []
        self._strict: list[bool] = []
        self._nan_true: list[bool] = []
        self._sides: tuple[list[int], list[int]] = ([], [])  # where the condition holds, where not
        self._members: dict[int, Sequence[Any]] = {}
        self._leaf_class: list[int] = []
        self._labels: dict[int, Label] = {}
        self._rows: dict[int, Sequence[float]] = {}
        self._task: Task = "classification"
        self._node: Any = None
        # What is to be described: node, parent, and the side of it; (node, -1, -1) ends a branch.
        self._todo: list[tuple[Any, int, int]] = []

    def __len__(self) -> int:
        return len(self._column)

    def walk(self, root: Any) -> Iterator[Any]:
        """Go through the nodes, each before those below it, the true branch first."""
        above: set[int] = set()  # nodes between the root and this one
        self._todo = [(root, -1, 0)]
        while self._todo:
            node, parent, side = self._todo.pop()
            if side < 0:
                above.discard(id(node))
                continue
            if id(node) in above:
                raise InvalidTree("a node is its own descendant: this is a cycle, not a tree")
            at = len(self)
            if at >= MOST_NODES:  # nodes that are used twice can unfold without end
                raise InvalidTree(
                    f"more than {MOST_NODES:,} nodes: build orderless.Tree(...) by hand"
                )
            if parent >= 0:
                self._sides[side][parent] = at
            self._node = node
            yield node
            if len(self) != at + 1:
                raise RuntimeError(f"a reader must describe each node once, got {len(self) - at}")
            if self._column[at] >= 0:
                above.add(id(node))

    def numerical_test(
        self,
        column: int,
        relation: Relation,
        threshold: float,
        true: Any,
        false: Any,
        nan_true: bool = False,
    ) -> None:
        """Say that the node compares a column with a number, and where it goes then.

        ``nan_true`` says whether NaN goes to ``true``, for libraries that learn it. With others it
        goes to ``false``, as every comparison with NaN is false.
        """
        self._split(column, relation in (">", ">="), true, false, nan_true)
        self._number[-1] = float(threshold)
        self._strict[-1] = relation in ("<", ">=")

    def categorical_test(
        self,
        column: int,
        relation: Literal["in", "not in"],
        members: Sequence[Any],
        true: Any,
        false: Any,
        nan_true: bool = False,
    ) -> None:
        """Say that the node asks whether a column holds one of some values."""
        self._split(column, relation == "not in", true, false, nan_true)
        self._members[len(self) - 1] = [plain_label(value) for value in members]

    def bit_test(self, column: int, zero: Any, one: Any) -> None:
        """Say that the node asks whether a column is 0 or 1."""
        self.numerical_test(column, "<=", 0.5, zero, one)

    def leaf_of_number(self, number: Any) -> None:
        """Say that the node is a leaf of a regression tree, which predicts this number."""
        label = number.item() if isinstance(number, np.generic) else number
        if isinstance(label, bool) or not isinstance(label, int | float) or not isfinite(label):
            raise InvalidTree(
                f"a leaf predicts {label!r:.80} and must predict a finite number: check the "
                "targets, fit or save the model again"
            )
        self._task = "regression"
        self._labels[len(self)] = float(label) + 0.0
        self.leaf_number(-1)

    def leaf(self, label: Any, rows: Sequence[float] | None = None) -> None:
        """Say that the node is a leaf of this class; ``rows`` by class, if they are known."""
        self._labels[len(self)] = plain_label(label)
        self.leaf_number(-1, rows)

    def leaf_number(self, number: int, rows: Sequence[float] | None = None) -> None:
        """Say that the node is a leaf, by the position of its class."""
        if rows is not None:
            self._rows[len(self)] = rows
        self._add(-1, int(number), False)

    def finish(self, classes: Sequence[Any] | NDArray[Any] | None = None) -> ColumnTree:
        """Give the tree; without classes, they are what its leaves say, in order."""
        table = self.table
        if table.n_columns is None:
            table = replace(table, n_columns=max(self._column) + 1, at_least=True)
        leaf_class = np.array(self._leaf_class, dtype=np.int64)
        if self._labels:
            classes = ordered(self._labels.values()) if classes is None else classes
            at = places(classes, self._labels)
            leaf_class[list(at)] = list(at.values())
        elif classes is None:
            classes = range(int(leaf_class.max()) + 1)
        at_most, strict = np.array(self._number), np.array(self._strict)
        when_true, when_false = (np.array(side, dtype=np.int32) for side in self._sides)
        nan_true = np.array(self._nan_true)
        if strict.any():
            # Nothing is below -infinity: the same as "not at most infinity".
            never = strict & np.isneginf(at_most)
            at_most[strict] = value_at_most(at_most[strict], table.values, strict=True)
            at_most[never] = np.inf
            nan_true[never] ^= True
            when_true[never], when_false[never] = when_false[never], when_true[never]
        return ColumnTree(
            table, classes, np.array(self._column, dtype=np.int32), at_most, when_true, when_false,
            leaf_class, nan_true, self._members, self._distribution(len(classes)), self._task,
        )  # fmt: skip

    def _split(self, column: int, negated: bool, true: Any, false: Any, nan_true: bool) -> None:
        try:
            place = index(column)
        except TypeError:
            place = -1
        if not 0 <= place < self._n_columns:
            raise InvalidTree(
                f"a node has the column {column!r:.40}, and there are {self._n_columns:,}: "
                f"{DAMAGED}"
            )
        at = self._add(place, -1, bool(nan_true) != negated)
        holds, not_holds = (1, 0) if negated else (0, 1)
        self._todo += [(self._node, -1, -1), (false, at, not_holds), (true, at, holds)]

    def _add(self, column: int, leaf_class: int, nan_true: bool) -> int:
        self._column.append(column)
        self._number.append(0.0)
        self._strict.append(False)
        self._nan_true.append(nan_true)
        for side in self._sides:
            side.append(-1)
        self._leaf_class.append(leaf_class)
        return len(self._column) - 1

    def _distribution(self, n_classes: int) -> NDArray[np.float64] | None:
        if not self._rows:
            return None
        out = np.zeros((len(self), n_classes))
        for node, rows in self._rows.items():
            out[node] = rows
        return out
