"""The builder that every reader speaks to, and what it makes.

In:  the nodes of each tree, as a library states them: a test on a column, or a leaf; all at once
     from libraries that keep their nodes in arrays. What leaves add up to, and what that becomes.
Out: ``ColumnModel``: one tree or several over the columns of a ``Table``. Counts, links and values
     are checked here, whatever the model claims: files are hostile.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from operator import index
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidTree, UnreadableModel
from ..model import (
    Adding,
    Feature,
    Floats,
    Label,
    Link,
    Rule,
    Space,
    Task,
    Values,
    plain_label,
    value_at_most,
)

if TYPE_CHECKING:
    from .preprocessing.stage import Before

__all__ = [
    "DAMAGED",
    "MAX_COLUMNS",
    "MAX_NODES",
    "NUMBER",
    "ColumnModel",
    "ColumnTree",
    "ModelBuilder",
    "Nan",
    "Table",
    "check_fits",
    "largest_sums",
    "numbered_names",
    "renumbered",
    "whole_number",
]

DAMAGED = "the model is damaged; fit or save it again"
MAX_COLUMNS = 2**20  # that a number alone may imply; with names or a space there is no limit
MAX_NODES = 2**22
MAX_UNFOLDED = 100_000  # nodes of a tree in which 0 counts as missing
REMEMBERED = 4096  # columns of a space that is kept for the next tree
NUMBER = Rule("number")
FROM_ZERO = Adding()

Nan = Literal["unknown", "value"]
Relation = Literal["<=", "<", ">", ">="]


def whole_number(value: Any, what: str, least: int = 0) -> int:
    """Return a count as an int; anything else is an error.

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


# -- the table that a model was fitted on --------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """The columns that a model was fitted on.

    Attributes
    ----------
    n_columns : how many there are; None: the library does not keep it, so that they are at least
        as many as the trees ask about
    names : in the order of the columns; None: the library does not keep them
    at_least : ``n_columns`` is only the least number
    ordered : whether the columns came in the order of ``names``; if not, names alone tell which is
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
    nan_refused : why NaN cannot be a value, although the file states what becomes of it; empty: it
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
        """Return a space in which every column is a feature, of the kind that is compared."""
        if names is None:
            names = self.names
        if names is None:
            names = numbered_names(self.n_columns or 0)
        if not self.categories and isinstance(self.binary, bool) and len(names) <= REMEMBERED:
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
    """Return features that are all of one kind; trees of one table then share their space."""
    return Space([replace(kind, name=name) for name in names])


def numbered_names(n_columns: int) -> list[str]:
    """Name columns that have no names; so many that the number must be wrong are refused."""
    if n_columns > MAX_COLUMNS:
        raise UnreadableModel(
            f"the model says that it was fitted on {n_columns:,} columns, without their names: "
            f"more than {MAX_COLUMNS:,} need feature_names= or space="
        )
    return [f"x{i}" for i in range(n_columns)]


# -- what comes out ------------------------------------------------------------------------------


@dataclass(frozen=True)
class ColumnTree:
    """A tree over the columns that a model was fitted on.

    Attributes
    ----------
    table : those columns
    classes : labels of the classes; of a tree whose leaves are added up, their numbers 0, 1, ...
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


@dataclass(frozen=True)
class ColumnModel:
    """What a reader hands over: trees over one table, and how their leaves make an answer.

    Attributes
    ----------
    trees : all over one table. Of a model that adds up, their classes are the numbers of leaves
    values : per tree, leaves x scores: what each leaf adds; None: one tree, whose leaves hold
        classes
    classes, adding, rule, link, factor, scores : as in ``Ensemble``; classes None: it predicts
        numbers
    outputs : what the library makes of divided sums, to the last bit: numbers, or the probabilities
        of two classes; None: the sums themselves, or what ``link`` makes of them
    """

    trees: Sequence[ColumnTree]
    values: Sequence[Floats] | None = None
    classes: Sequence[Any] | NDArray[Any] | None = None
    adding: Adding = FROM_ZERO
    rule: Rule = NUMBER
    link: Link = "identity"
    factor: float = 1.0
    scores: Sequence[int] | None = None
    outputs: Callable[[Floats], Floats] | None = None

    def __post_init__(self) -> None:
        if not self.trees:
            raise UnreadableModel(f"the model has no trees: {DAMAGED}")
        if any(tree.table is not self.table for tree in self.trees):
            raise RuntimeError("all trees of a ColumnModel must have one and the same table")

    @property
    def table(self) -> Table:
        """The columns that the model was fitted on."""
        return self.trees[0].table

    def each(self, change: Callable[[ColumnTree], ColumnTree]) -> ColumnModel:
        """Change all trees, which still have one table then."""
        trees = [change(tree) for tree in self.trees]
        return replace(self, trees=[replace(tree, table=trees[0].table) for tree in trees])

    def one_tree(self) -> ColumnTree | None:
        """Return the only tree, with a class or a number at each leaf.

        None where there are several; where the library's function of a sum is unknown; and where a
        leaf is so close to a cut, or two of its scores to each other, that the rule leaves its
        class open.
        """
        if len(self.trees) > 1:
            return None
        (tree,) = self.trees
        if self.values is None:
            return tree
        with np.errstate(over="ignore", invalid="ignore"):
            precision = np.dtype(self.adding.precision)
            base = np.array(self.adding.base, dtype=precision)
            sums = base + self.values[0].astype(precision)
            if self.rule.kind == "number":
                return self._of_numbers(tree, sums[:, 0])
        classes = self._classes_of(sums)
        if classes is None:
            return None
        assert self.classes is not None
        leaf = tree.column < 0
        leaf_class = np.full(len(leaf), -1)
        leaf_class[leaf] = classes[tree.leaf_class[leaf]]
        return replace(tree, classes=self.classes, leaf_class=leaf_class)

    def _of_numbers(self, tree: ColumnTree, sums: NDArray[Any]) -> ColumnTree | None:
        """Let the leaves of a tree predict what the library makes of their sums."""
        if self.adding.divisor != 1:
            sums = sums / sums.dtype.type(self.adding.divisor)
        if self.outputs is not None:
            sums = np.asarray(self.outputs(sums))
        elif self.link != "identity" or self.factor != 1:
            return None
        tree = replace(tree, distribution=None, precision=self.adding.precision)
        return renumbered(tree, sums)

    def _classes_of(self, sums: NDArray[Any]) -> NDArray[Any] | None:
        """Return the class of each leaf; None where the window of the rule leaves one open."""
        rule = self.rule
        if rule.kind == "cuts":
            score, cuts = sums[:, 0].astype(np.float64), np.array(rule.cuts)
            if rule.window and (np.abs(score[:, None] - cuts) <= rule.window).any():
                return None
            return np.asarray(np.searchsorted(cuts, score, side="left"))
        if rule.window and sums.shape[1] > 1:
            first_two = np.sort(sums.astype(np.float64), axis=1)[:, -2:]
            if (np.diff(first_two) <= rule.window).any():
                return None
        if self.adding.divisor != 1:
            sums = sums / sums.dtype.type(self.adding.divisor)
        return _first_largest(sums)


def _first_largest(values: NDArray[Any], few: int = 4) -> NDArray[Any]:
    """Return the first column of the largest number by row; as np.argmax, quicker for a few."""
    if values.shape[1] > few:
        return np.asarray(np.argmax(values, axis=1))
    largest, out = values[:, 0], np.zeros(len(values), dtype=np.int32)
    for c in range(1, values.shape[1]):
        np.putmask(out, values[:, c] > largest, c)
        largest = np.maximum(largest, values[:, c])
    return out


def renumbered(tree: ColumnTree, numbers: ArrayLike, when: str = "") -> ColumnTree:
    """Put a number in the place of each class: a regression tree; equal ones become one.

    ``when`` is what was done to the numbers of a tree that had some already.
    """
    new = np.asarray(numbers, dtype=np.float64).ravel() + 0.0
    wrong = np.flatnonzero(~np.isfinite(new))
    if len(wrong):
        number, before = new[wrong[0]], tree.classes[wrong[0]]
        detail = f" {when} (of {float(before)!r})" if when else ""
        remedy = "and the transformer, and fit again" if when else "fit or save the model again"
        raise InvalidTree(
            f"a leaf predicts {number}{detail} and must predict a finite number: check the "
            f"targets{'' if when else ','} {remedy}"
        )
    leaf = tree.column < 0
    rising, which = np.unique(new[tree.leaf_class[leaf]], return_inverse=True)
    leaf_class = np.full(len(leaf), -1)
    leaf_class[leaf] = which.ravel()
    return replace(tree, classes=rising, leaf_class=leaf_class, task="regression")


# -- sums, as a library rounds them ----------------------------------------------------------------


def largest_sums(values: Sequence[Floats], adding: Adding) -> Floats:
    """Return, per score, what no sum is above in size, rounded or not."""
    largest = [np.abs(one).max(axis=0, initial=0.0) for one in values]
    total: Floats = np.sum([np.abs(adding.base), *largest], axis=0)
    return total * (1 + 2.0**-10)


def check_fits(values: Sequence[Floats], adding: Adding) -> None:
    """Refuse leaves that could add up to infinity."""
    with np.errstate(over="ignore", invalid="ignore"):
        fits = largest_sums(values, adding) < np.finfo(adding.precision).max
    if not fits.all():
        raise UnreadableModel(
            f"the numbers at the leaves can add up to more than a {adding.precision} can hold: "
            "scale the targets and fit again"
        )


# -- the builder ---------------------------------------------------------------------------------


class _Split(NamedTuple):
    """A test on a number that the builder adds itself; what ``numerical_test`` takes."""

    column: int
    relation: Relation
    threshold: float
    true: Any
    false: Any
    nan_true: bool


class ModelBuilder:
    """Takes one tree or several, node by node from the root down, and checks every node.

    A reader goes through the nodes of each tree with ``walk`` and describes each with exactly one
    call of ``numerical_test``, ``categorical_test``, ``bit_test``, ``leaf``, ``leaf_number`` or
    ``leaf_adds``. Children are whatever the library has: objects, dicts, positions. Libraries that
    keep a tree in arrays hand it over with ``add_arrays``. ``finish`` makes the model.

    Notes
    -----
    Linear in the nodes, without recursion.

    Examples
    --------
    >>> builder = ModelBuilder(Table(2, names=["cold", "wet"], binary=True))
    >>> for node in builder.walk({"column": 1, "zero": "go", "one": "stay"}):
    ...     if isinstance(node, str):
    ...         builder.leaf(node)
    ...     else:
    ...         builder.bit_test(node["column"], node["zero"], node["one"])
    >>> (tree,) = builder.finish().trees
    >>> tree.classes, tree.column.tolist(), tree.leaf_class.tolist()
    (['go', 'stay'], [1, -1, -1], [-1, 0, 1])

    Leaves that add numbers make a model of any number of trees:

    >>> builder = ModelBuilder(Table(1))
    >>> for constant in (0.5, 0.25):
    ...     for node in builder.walk("root"):
    ...         builder.leaf_adds(constant)
    >>> [values.tolist() for values in builder.finish(rule=Rule("number")).values]
    [[[0.5]], [[0.25]]]
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self._n_columns = MAX_COLUMNS if table.n_columns is None else table.n_columns
        self._n_asked = 0  # columns, up to the last that is asked about
        self._trees: list[dict[str, Any]] = []  # what ColumnTree takes, but table and classes
        self._values: list[Floats | None] = []
        self._scores: list[int] = []
        self._nodes = _Nodes()
        self._node: Any = None
        # What is to be described: node, parent, and the side of it; (node, -1, -1) ends a branch.
        self._todo: list[tuple[Any, int, int]] = []

    def walk(
        self, root: Any, *, values: Floats | None = None, score: int | None = None
    ) -> Iterator[Any]:
        """Go through the nodes of a tree, each before those below it, the true branch first.

        ``values`` is what each leaf adds, by the numbers that ``leaf_number`` refers to; without,
        leaves hold classes, or are described by ``leaf_adds``. ``score`` is the only score that the
        tree adds to.
        """
        self._nodes = nodes = _Nodes()
        above: set[int] = set()  # nodes between the root and this one
        self._todo = [(root, -1, 0)]
        while self._todo:
            node, parent, side = self._todo.pop()
            if side < 0:
                above.discard(id(node))
                continue
            if id(node) in above:
                raise InvalidTree("a node is its own descendant: this is a cycle, not a tree")
            number = len(nodes)
            if number >= (MAX_UNFOLDED if nodes.unfolded else MAX_NODES):
                raise _too_many(nodes)
            if parent >= 0:
                nodes.sides[side][parent] = number
            self._node = node
            if isinstance(node, _Split):
                self.numerical_test(*node)
            else:
                yield node
            if len(nodes) != number + 1:
                raise RuntimeError(
                    f"a reader must describe each node once, got {len(nodes) - number}"
                )
            if nodes.column[number] >= 0:
                above.add(id(node))
        self._end_tree(values, score)

    def numerical_test(
        self,
        column: int,
        relation: Relation,
        threshold: float,
        true: Any,
        false: Any,
        nan_true: bool = False,
        *,
        zero_is_missing: tuple[float, float] | None = None,
    ) -> None:
        """Describe a node that compares a column with a number, and where rows go then.

        ``nan_true`` is whether NaN goes to ``true``, for libraries that learn it. With others it
        goes to ``false``, as every comparison with NaN is false. ``zero_is_missing`` are the last
        number below those that count as zero, and the last of them, if zero goes the way of NaN;
        the relation must be ``<=`` then.
        """
        if zero_is_missing is not None:
            test = _zero_apart(column, threshold, true, false, nan_true, zero_is_missing)
            self._nodes.unfolded |= isinstance(test.true, _Split) or isinstance(test.false, _Split)
            column, relation, threshold, true, false, nan_true = test
        self._split(column, relation in (">", ">="), true, false, nan_true)
        self._nodes.number[-1] = float(threshold)
        self._nodes.strict[-1] = relation in ("<", ">=")

    def categorical_test(
        self,
        column: int,
        relation: Literal["in", "not in"],
        members: Sequence[Any],
        true: Any,
        false: Any,
        nan_true: bool = False,
    ) -> None:
        """Describe a node that asks whether a column holds one of some values."""
        self._split(column, relation == "not in", true, false, nan_true)
        self._nodes.members[len(self._nodes) - 1] = [plain_label(value) for value in members]

    def bit_test(self, column: int, zero: Any, one: Any) -> None:
        """Describe a node that asks whether a column is 0 or 1."""
        self.numerical_test(column, "<=", 0.5, zero, one)

    def leaf(self, label: Any, rows: Sequence[float] | None = None) -> None:
        """Describe a leaf of this class; ``rows`` by class, where the library keeps them."""
        self._nodes.labels[len(self._nodes)] = plain_label(label)
        self.leaf_number(-1, rows)

    def leaf_number(self, number: int, rows: Sequence[float] | None = None) -> None:
        """Describe a leaf by the position of its class, or of what it adds in ``values``."""
        if rows is not None:
            self._nodes.rows[len(self._nodes)] = rows
        self._nodes.add(-1, int(number), False)

    def leaf_adds(self, *numbers: float) -> None:
        """Describe a leaf that adds a number to each score, or to the ``score`` of its tree."""
        for number in numbers:
            if isinstance(number, bool) or not isinstance(number, int | float | np.number):
                raise InvalidTree(
                    f"a leaf predicts {number!r:.80} and must predict a finite number: check the "
                    "targets, fit or save the model again"
                )
        self._nodes.added.append(numbers)
        self.leaf_number(len(self._nodes.added) - 1)

    def add_arrays(
        self,
        *,
        column: NDArray[Any],
        at_most: NDArray[np.float64],
        when_true: NDArray[Any],
        when_false: NDArray[Any],
        nan_true: NDArray[np.bool_],
        values: Floats,
        members: Mapping[int, Sequence[Any]] | None = None,
        distribution: Floats | None = None,
        score: int | None = None,
    ) -> None:
        """Add a tree that a library keeps in arrays by node.

        ``column`` is -1 at leaves, conditions are ``<=``; ``values`` is what leaves add, in their
        order.
        """
        leaf = column < 0
        number = np.full(len(leaf), -1)
        number[leaf] = np.arange(np.count_nonzero(leaf))
        arrays = {
            "column": column,
            "at_most": at_most,
            "when_true": when_true,
            "when_false": when_false,
            "leaf_class": number,
            "nan_true": nan_true,
            "members": members or {},
            "distribution": distribution,
        }
        self._add(arrays, values, score)

    def finish(
        self,
        classes: Sequence[Any] | NDArray[Any] | None = None,
        adding: Adding = FROM_ZERO,
        rule: Rule | None = None,
        link: Link = "identity",
        factor: float = 1.0,
        outputs: Callable[[Floats], Floats] | None = None,
        task: Task = "classification",
    ) -> ColumnModel:
        """Return the model: without ``rule``, one tree whose leaves hold classes.

        Without classes, those are the labels of the leaves, in order. Of ``task`` "regression" they
        are numbers to compute with.
        """
        table = self.table
        if table.n_columns is None:
            table = replace(table, n_columns=self._n_asked, at_least=True)
        if rule is None:
            (arrays,) = self._trees
            return ColumnModel([self._of_labels(table, arrays, classes, task)], classes=classes)
        n_scores = len(adding.base)
        trees, values = [], []
        for arrays, adds, score in zip(self._trees, self._values, self._scores, strict=True):
            if adds is None:
                raise RuntimeError("leaves of a model that adds up must have values")
            if n_scores > 1 and score >= 0:
                wide = np.zeros((len(adds), n_scores))
                wide[:, score] = adds[:, 0]
                adds = wide
            trees.append(ColumnTree(table, range(len(adds)), **arrays))
            values.append(adds)
        if len(trees) > 1:
            check_fits(values, adding)
        scores = self._scores if min(self._scores, default=-1) >= 0 else None
        return ColumnModel(trees, values, classes, adding, rule, link, factor, scores, outputs)

    def _end_tree(self, values: Floats | None, score: int | None) -> None:
        """Keep a tree that was described node by node."""
        nodes = self._nodes
        self._n_asked = max(self._n_asked, max(nodes.column) + 1)
        if nodes.added:
            values = np.array(nodes.added, dtype=np.float64)
        self._add(nodes.arrays(self.table), values, score)

    def _add(self, arrays: dict[str, Any], values: Floats | None, score: int | None) -> None:
        self._trees.append(arrays)
        self._values.append(values if values is None or values.ndim == 2 else values[:, None])
        self._scores.append(-1 if score is None else score)

    def _of_labels(
        self,
        table: Table,
        arrays: dict[str, Any],
        classes: Sequence[Any] | NDArray[Any] | None,
        task: Task,
    ) -> ColumnTree:
        """Make the tree whose leaves hold labels, or positions of classes."""
        labels, rows, leaf_class = self._nodes.labels, self._nodes.rows, arrays["leaf_class"]
        if labels:
            classes = _ordered(labels.values()) if classes is None else classes
            position = {plain_label(label): i for i, label in enumerate(classes)}
            for node, label in labels.items():
                if label not in position:
                    raise UnreadableModel(
                        f"a leaf predicts {label!r:.80}, which is not one of the classes "
                        f"{list(position)[:12]}: {DAMAGED}"
                    )
                leaf_class[node] = position[label]
        elif classes is None:
            classes = range(int(leaf_class.max()) + 1)
        distribution = np.zeros((len(leaf_class), len(classes))) if rows else None
        for node, counts in rows.items():
            assert distribution is not None
            distribution[node] = counts
        return ColumnTree(table, classes, **arrays, distribution=distribution, task=task)

    def _split(self, column: int, negated: bool, true: Any, false: Any, nan_true: bool) -> None:
        try:
            position = index(column)
        except TypeError:
            position = -1
        if not 0 <= position < self._n_columns:
            raise InvalidTree(
                f"a node has the column {column!r:.40}, and there are {self._n_columns:,}: "
                f"{DAMAGED}"
            )
        number = self._nodes.add(position, -1, bool(nan_true) != negated)
        holds, not_holds = (1, 0) if negated else (0, 1)
        self._todo += [
            (self._node, -1, -1), (false, number, not_holds), (true, number, holds),
        ]  # fmt: skip


class _Nodes:
    """The nodes of a tree while they are described."""

    def __init__(self) -> None:
        self.column: list[int] = []
        self.number: list[float] = []
        self.strict: list[bool] = []
        self.nan_true: list[bool] = []
        self.sides: tuple[list[int], list[int]] = ([], [])  # where the condition holds, where not
        self.members: dict[int, Sequence[Any]] = {}
        self.leaf_class: list[int] = []
        self.labels: dict[int, Label] = {}
        self.rows: dict[int, Sequence[float]] = {}
        self.added: list[Sequence[float]] = []
        self.unfolded = False  # whether a test became several because 0 counts as missing

    def __len__(self) -> int:
        return len(self.column)

    def add(self, column: int, leaf_class: int, nan_true: bool) -> int:
        """Add a node; return its number."""
        self.column.append(column)
        self.number.append(0.0)
        self.strict.append(False)
        self.nan_true.append(nan_true)
        for side in self.sides:
            side.append(-1)
        self.leaf_class.append(leaf_class)
        return len(self.column) - 1

    def arrays(self, table: Table) -> dict[str, Any]:
        """Return what ``ColumnTree`` takes, with ``<=`` for every comparison."""
        at_most, strict = np.array(self.number), np.array(self.strict)
        when_true, when_false = (np.array(side, dtype=np.int32) for side in self.sides)
        nan_true = np.array(self.nan_true)
        if strict.any():
            # Nothing is below -infinity: the same as "not at most infinity".
            never = strict & np.isneginf(at_most)
            at_most[strict] = value_at_most(at_most[strict], table.values, strict=True)
            at_most[never] = np.inf
            nan_true[never] ^= True
            when_true[never], when_false[never] = when_false[never], when_true[never]
        return {
            "column": np.array(self.column, dtype=np.int32),
            "at_most": at_most,
            "when_true": when_true,
            "when_false": when_false,
            "leaf_class": np.array(self.leaf_class, dtype=np.int64),
            "nan_true": nan_true,
            "members": self.members,
        }


def _zero_apart(
    column: int,
    cut: float,
    true: Any,
    false: Any,
    nan_true: bool,
    zero: tuple[float, float],
) -> _Split:
    """State "at most a cut" with zero on the side of NaN, though it lies among other numbers."""
    below, last = zero
    split = _Split(column, "<=", cut, true, false, nan_true)
    if nan_true == (cut >= last):
        return split
    if nan_true:
        rest = _Split(column, "<=", last, true, false, True)
        return split._replace(false=_Split(column, "<=", below, false, rest, False))
    rest = _Split(column, "<=", last, false, split, True)
    return _Split(column, "<=", below, true, rest, False)


def _too_many(nodes: _Nodes) -> InvalidTree | UnreadableModel:
    if nodes.unfolded:
        return UnreadableModel(
            f"this tree has more than {MAX_UNFOLDED:,} nodes, because zero counts as missing and "
            "does not lie between its neighbours: fit fewer leaves, or without zero_as_missing; "
            "behind a sparse table, make it dense (sparse_output=False, sparse_threshold=0)"
        )
    # Nodes that are used twice can unfold without end.
    return InvalidTree(f"more than {MAX_NODES:,} nodes: build orderless.Tree(...) by hand")


def _ordered(labels: Iterable[Any]) -> list[Label]:
    """Return labels of one type, each once, sorted."""
    labels = list(labels)
    kinds = {str if isinstance(p, str) else bool if isinstance(p, bool) else float for p in labels}
    if len(kinds) > 1:
        raise InvalidTree(f"class labels must be of one type, got {labels!r:.120}")
    return sorted(set(labels))
