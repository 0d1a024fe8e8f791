"""TreeKernel: the one internal form of every tree that comes in.

In:  arrays of nodes over a ``Space``, from a reader, a ``TreeBuilder``, a file or by hand.
Out: ``TreeKernel``: immutable, checked once, without dead branches; what rooms compute with.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import InvalidSpace, InvalidTree, a_kind
from . import formats as serial
from .arrays import Floats, Nodes
from .bins import Bins, row_reader
from .facts.cells import PossibleTree
from .facts.language import Fact
from .feature import Feature, Label, Side, plain_label
from .numbers import (
    ROUNDING,
    around_labels,
    level_labels,
    place_of,
    read_levels,
    read_probability,
    read_tolerance,
    row_boundary,
    short_number,
)
from .rows import PossibleRows, Rows
from .space import Space
from .target import Target
from .words import side_text, tree_text

if TYPE_CHECKING:
    from .._core.rows import Reached
    from ..model import PossibleRows, Rows
    from .feature import Label

__all__ = ["TREE_FORMAT", "Task", "TreeKernel", "labels_array", "n_threads"]

MOST_THREADS = 1_024
LONG = 1_000  # characters: numpy would make every label of a result as long as the longest

T = TypeVar("T")


def n_threads(n_jobs: int | None) -> int:
    """Give the number of threads that ``n_jobs`` asks for.

    Examples
    --------
    >>> n_threads(None), n_threads(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, int) or isinstance(n_jobs, bool) or n_jobs == 0 or n_jobs < -1:
        raise ValueError(
            f"n_jobs must be None, a whole number from 1, or -1 for all cores, got {n_jobs!r}"
        )
    return min(n_jobs, MOST_THREADS) if n_jobs > 0 else os.cpu_count() or 1


def labels_array(classes: tuple[Label, ...]) -> NDArray[Any]:
    """Give classes as an array, for results."""
    long = any(isinstance(c, str) and len(c) > LONG for c in classes)
    out = np.array(classes, dtype=object if long else None)
    # numpy drops final NULs of text, and rounds whole numbers of different signs.
    if not long and out.tolist() != list(classes):
        out = np.array(classes, dtype=object)
    out.setflags(write=False)
    return out


TREE_FORMAT = "orderless-tree"
VERSION = 1
# Entries that are lists of numbers, by node.
KNOWING = 2  # with facts in the space, which an older orderless would not heed


def number_out(number: float) -> float | str:
    return number if np.isfinite(number) else ("inf" if number > 0 else "-inf")


def node_in(text: str) -> int:
    if not (text.isascii() and text.isdigit() and text == text.lstrip("0").rjust(1, "0")):
        raise InvalidTree(f"'sets' must go by the numbers of nodes, got {text!r:.80}")
    return int(text)


def number_in(number: Any) -> Any:
    return {"inf": np.inf, "-inf": -np.inf}.get(number) if isinstance(number, str) else number


Ints = NDArray[np.int32]
Task = Literal["classification", "regression"]
TASKS = get_args(Task)


# -- checks ------------------------------------------------------------------------------------


def check_nodes(nodes: Nodes, space: Space, n_classes: int) -> None:
    """Refuse what is not a tree over a space."""
    n = len(nodes.feature)
    if n == 0:
        raise InvalidTree("a tree has at least one node, got none")
    for name, array in nodes._asdict().items():
        if not name.startswith("set_") and array.shape != (n,):
            raise InvalidTree(f"{name} has shape {array.shape}, feature has ({n},)")
    feature, inner = nodes.feature, nodes.feature >= 0
    _refuse("feature", feature, (feature < -1) | (feature >= len(space.features)),
            f"-1 (a leaf) to {len(space.features) - 1}")  # fmt: skip
    for name in ("when_true", "when_false"):
        child = getattr(nodes, name)
        _refuse(name, child, inner & ((child < 0) | (child >= n)), f"0 to {n - 1}")
    label = nodes.leaf_class
    _refuse("leaf_class", label, ~inner & ((label < 0) | (label >= n_classes)),
            f"0 to {n_classes - 1}")  # fmt: skip
    if inner.any():
        unknown = inner & (space.arrays.ordered[feature] == 1) & np.isnan(nodes.threshold)
        _refuse("threshold", nodes.threshold, unknown, "a number")
    sizes = np.array([*(f.n_values for f in space.features), 0], dtype=np.int64)
    owner = np.repeat(feature, np.diff(nodes.set_start))  # a leaf's -1 has no values
    strange = (nodes.set_values < 0) | (nodes.set_values >= sizes[owner])
    _refuse("set value", nodes.set_values, strange, "the number of one of the feature's values")
    links = _core.tree.check_links(nodes)
    if links.fault:
        what = "has two parents, or is its own" if links.fault == 1 else "cannot be reached"
        raise InvalidTree(f"node {links.node} {what}: every node but the root has one parent")


def read_distribution(
    distribution: ArrayLike | None, n: int, n_classes: int
) -> NDArray[np.float64] | None:
    """Read training rows by node and class."""
    if distribution is None:
        return None
    shares = np.array(read_array(distribution, np.float64, "distribution"))  # a copy, to be kept
    if shares.shape != (n, n_classes):
        raise InvalidTree(f"distribution has shape {shares.shape}, expected ({n}, {n_classes})")
    if not np.isfinite(shares).all():
        raise InvalidTree("distribution holds a number that is not finite")
    return shares


# -- read from anything ------------------------------------------------------------------------


def read_classes(
    classes: Sequence[Any] | NDArray[Any], task: Task = "classification"
) -> tuple[Label, ...]:
    """Read class labels, all of one type and no two the same; of a regression tree, numbers."""
    if task not in TASKS:
        raise InvalidTree(f"task must be one of {str(TASKS)[1:-1]}, got {task!r:.80}")
    if isinstance(classes, str | bytes) or not isinstance(classes, Iterable):
        raise InvalidTree(f"classes must be a sequence of labels, got {classes!r:.80}")
    labels = tuple(plain_label(label) for label in classes)
    if not labels:
        raise InvalidTree("a tree has at least one class, got none")
    if len(set(labels)) != len(labels):
        raise InvalidTree(f"duplicate class label: {labels}")
    kinds = {str if isinstance(label, str) else bool if isinstance(label, bool) else float
             for label in labels}  # fmt: skip
    if len(kinds) > 1:
        raise InvalidTree(f"class labels must be of one type, got {labels}")
    if task == "regression":
        if kinds != {float}:
            raise InvalidTree(f"a regression tree has numbers for classes, got {str(labels)[:80]}")
        numbers = tuple(float(label) + 0.0 for label in labels)
        if any(low >= high for low, high in pairwise(numbers)):
            raise InvalidTree(f"the numbers of a regression tree must rise, got {str(labels)[:80]}")
        return numbers
    return labels


def read_array(given: ArrayLike, dtype: type, name: str) -> NDArray[Any]:
    """Read an array of a type, in one piece; an int array must really hold ints."""
    if type(given) is np.ndarray and given.dtype == dtype and dtype is not np.uint8:
        return np.ascontiguousarray(given)
    try:
        wide = np.asarray(given)
        if dtype is np.uint8:
            good = wide.dtype.kind == "b"
            if not good and (wide.dtype.kind not in "iu" or not np.isin(wide, (0, 1)).all()):
                raise InvalidTree(f"{name} must hold true or false, got {wide.dtype}")
        elif dtype is np.int32:
            if wide.size and wide.dtype.kind not in "iu":
                raise InvalidTree(f"{name} must hold whole numbers, got {wide.dtype}")
            if wide.size and (wide.max() > 2**31 - 1 or wide.min() < -(2**31)):
                raise InvalidTree(f"{name} holds a number that is too large")
        elif wide.dtype.kind not in "iuf":
            raise InvalidTree(f"{name} must hold numbers, got {wide.dtype}")
        elif wide.dtype.kind in "iu" or isinstance(given, list | tuple):
            _refuse_rounding(name, given if isinstance(given, list | tuple) else wide.ravel())
        return np.ascontiguousarray(wide.astype(dtype))
    except InvalidTree:
        raise
    except (TypeError, ValueError) as fault:
        raise InvalidTree(f"{name} is not an array of numbers: {fault}") from fault


def _refuse_rounding(name: str, numbers: Iterable[Any]) -> None:
    """Refuse whole numbers of which float64 holds only a neighbour."""
    for number in numbers:
        whole = int(number) if isinstance(number, int | np.integer) else 0
        if whole != float(whole):
            near = f"{float(whole):.0f}"
            raise InvalidTree(f"{name} holds {whole}, which float64 cannot hold: use {near}")


def flatten(sets: Mapping[int, Sequence[int]], n: int) -> tuple[NDArray[np.int64], Ints]:
    """Write sets by node one after the other."""
    if isinstance(sets, Mapping) and not sets:
        return np.zeros(n + 1, dtype=np.int64), np.zeros(0, dtype=np.int32)
    whole = isinstance(sets, Mapping) and all(
        isinstance(node, int | np.integer) and not isinstance(node, bool) for node in sets
    )
    if not whole:
        raise InvalidTree(f"sets must be a dict of node number -> values, got {sets!r:.80}")
    sizes = np.zeros(n + 1, dtype=np.int64)
    parts = []
    for node in sorted(sets):
        if not 0 <= node < n:
            raise InvalidTree(f"a set is given for node {node}, but there are nodes 0 to {n - 1}")
        part = read_array(sets[node], np.int32, "set")
        if part.ndim != 1 or np.ndim(sets[node]) != 1:
            raise InvalidTree(
                f"the set of node {node} must be a list of numbers, got {sets[node]!r:.80}"
            )
        part = np.unique(part)
        sizes[node + 1] = len(part)
        parts.append(part)
    flat = np.concatenate(parts) if parts else np.zeros(0)
    return np.cumsum(sizes), flat.astype(np.int32)


def _refuse(name: str, array: NDArray[Any], bad: NDArray[np.bool_], allowed: str) -> None:
    if bad.any():
        at = int(np.argmax(bad))
        raise InvalidTree(f"{name} is {array[at]} at position {at}: it must be {allowed}")


FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


class _Shown:
    """One of the arrays of a tree: made with the others when it is first looked at."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, tree: Any, owner: type) -> Any:
        if tree is None:
            return self
        own = tree.__dict__
        nodes = Nodes(*tree.held.arrays())
        for array in nodes:
            array.setflags(write=False)
        own.update(nodes._asdict())
        own["nodes"] = nodes
        return own[self.name]


class TreeKernel:
    """A decision tree over a space; parameters are those of ``orderless.Tree``.

    Attributes
    ----------
    used : tuple of int
        Positions of the features that it asks about.
    features : tuple of str
        Their names, in the order of the space.
    """

    held: _core.tree.HeldTree
    space: Space
    classes: tuple[Label, ...]
    task: Task
    distribution: NDArray[np.float64] | None
    n_dropped: int

    if TYPE_CHECKING:
        nodes: Nodes
        feature: NDArray[np.int32]
        threshold: NDArray[np.float64]
        nan_true: NDArray[np.uint8]
        when_true: NDArray[np.int32]
        when_false: NDArray[np.int32]
        leaf_class: NDArray[np.int32]
        set_start: NDArray[np.int64]
        set_values: NDArray[np.int32]
    else:
        nodes = _Shown()
        feature = _Shown()
        threshold = _Shown()
        nan_true = _Shown()
        when_true = _Shown()
        when_false = _Shown()
        leaf_class = _Shown()
        set_start = _Shown()
        set_values = _Shown()

    def __init__(
        self,
        space: Space,
        classes: Sequence[Any] | NDArray[Any],
        *,
        feature: ArrayLike,
        threshold: ArrayLike,
        when_true: ArrayLike,
        when_false: ArrayLike,
        leaf_class: ArrayLike,
        nan_true: ArrayLike | None = None,
        sets: Mapping[int, Sequence[int]] | None = None,
        distribution: ArrayLike | None = None,
        task: Task = "classification",
    ) -> None:
        if not isinstance(space, Space):
            raise InvalidTree(f"space must be a Space, got {a_kind(space)}")
        self.space = space
        self.task, self.classes = task, read_classes(classes, task)
        own = read_array(feature, np.int32, "feature")
        n = len(own)
        nodes = Nodes(
            own,
            read_array(threshold, np.float64, "threshold"),
            np.zeros(n, np.uint8)
            if nan_true is None
            else read_array(nan_true, np.uint8, "nan_true"),
            read_array(when_true, np.int32, "when_true"),
            read_array(when_false, np.int32, "when_false"),
            read_array(leaf_class, np.int32, "leaf_class"),
            *flatten(sets or {}, n),
        )
        flat = all(array.ndim == 1 for array in nodes)
        held = _core.tree.hold(space.held, nodes, len(self.classes)) if flat else None
        if held is None:
            check_nodes(nodes, space, len(self.classes))  # says what is wrong
            raise InvalidTree("these arrays do not describe a tree")
        self._keep(held[0], read_distribution(distribution, n, len(self.classes)), held[1])

    @classmethod
    def of_held(
        cls,
        space: Space,
        classes: tuple[Label, ...],
        held: _core.tree.HeldTree,
        task: Task = "classification",
    ) -> TreeKernel:
        """Make a tree of what the core holds already (readers of many trees)."""
        tree = cls.__new__(cls)
        tree.space = space
        tree.task, tree.classes = task, classes
        tree.held = held
        tree.n_dropped = held.n_dropped
        tree.distribution = None
        return tree

    @classmethod
    def of_normal(
        cls,
        space: Space,
        classes: tuple[Label, ...],
        nodes: Nodes,
        task: Task = "classification",
    ) -> TreeKernel:
        """Make a tree of arrays that are good and in normal form."""
        start = np.array([0, len(nodes.feature)], dtype=np.int64)
        (held,) = _core.tree.hold_all(space.held, nodes, start, len(classes))
        return cls.of_held(space, classes, held, task)

    def _keep(
        self,
        held: _core.tree.HeldTree,
        distribution: NDArray[np.float64] | None,
        kept: NDArray[np.int32] | None,
    ) -> None:
        """Keep what the core holds, and the rows of the nodes that are left."""
        self.held = held
        self.n_dropped = held.n_dropped
        if distribution is not None:
            distribution = distribution if kept is None else distribution[kept]
            distribution.setflags(write=False)
        self.distribution = distribution

    def replace(self, **changes: Any) -> TreeKernel:
        """Make a tree that differs in some of the parameters that ``Tree`` takes."""
        own: dict[str, Any] = {
            "space": self.space,
            "classes": self.classes,
            "feature": self.feature,
            "threshold": self.threshold,
            "when_true": self.when_true,
            "when_false": self.when_false,
            "leaf_class": self.leaf_class,
            "nan_true": self.nan_true,
            "sets": self.sets,
            "distribution": self.distribution,
            "task": self.task,
        }
        return TreeKernel(**{**own, **changes})

    # -- what it is ----------------------------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        """How many nodes it has."""
        return self.held.n_nodes

    @property
    def n_leaves(self) -> int:
        """How many leaves it has: every other node has two children."""
        return self.held.n_nodes // 2 + 1

    @cached_property
    def used(self) -> tuple[int, ...]:
        """Positions of the features that it asks about."""
        return self.held.used()

    @cached_property
    def features(self) -> tuple[str, ...]:
        """Their names, in the order of the space."""
        return tuple(self.space.features[i].name for i in self.used)

    @cached_property
    def depth(self) -> int:
        """Conditions on the longest path; 0 for a single leaf."""
        return int(_core.tree.check_links(self.nodes).depth)

    def relabelled(self, leaf_class: Ints) -> Nodes:
        """Give its nodes, for the core, with other classes at the leaves (by node)."""
        return self.nodes._replace(leaf_class=leaf_class)

    @cached_property
    def bins(self) -> Bins:
        """The same tree over the bins into which its conditions cut each feature."""
        return Bins(self)

    @cached_property
    def numbered_leaves(self) -> Nodes:
        """Its nodes, for the core, with every leaf as a class of its own, in their order."""
        leaves = self.feature < 0
        number = np.where(leaves, np.cumsum(leaves) - 1, -1).astype(np.int32)
        return self.relabelled(number)

    @property
    def _arrays(self) -> list[NDArray[Any]]:
        return [*self.nodes, *([] if self.distribution is None else [self.distribution])]

    def __getstate__(self) -> dict[str, Any]:
        """Give what it is made of; what can be made again is not pickled."""
        names = ("space", "task", "classes", "n_dropped", "distribution", "nodes")
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        own = {name: part for name, part in state.items() if name != "nodes"}
        self.__dict__.update(own)
        try:
            nodes = Nodes(*state["nodes"])
            held = _core.tree.hold_again(self.space.held, nodes, len(self.classes))
        except (RuntimeError, TypeError):  # no arrays, or of other types
            held = None
        if held is None:
            raise InvalidTree("the pickle does not describe a tree: it is damaged")
        self.held = held
        if self.distribution is not None:
            self.distribution.setflags(write=False)  # copied and unpickled arrays can be written to

    def __repr__(self) -> str:
        dropped = f", {self.n_dropped} dead nodes dropped" if self.n_dropped else ""
        return (
            f"Tree({self.n_leaves} leaves, depth {self.depth}, features {list(self.features)}, "
            f"{self.classes_text}{dropped})"
        )

    def __eq__(self, other: object) -> bool:
        """Whether it is the same tree, node by node (``equivalent`` compares functions)."""
        if not isinstance(other, TreeKernel):
            return NotImplemented
        return (
            self.space == other.space
            and (self.task, self.classes) == (other.task, other.classes)
            and [type(c) for c in self.classes] == [type(c) for c in other.classes]
            and len(self._arrays) == len(other._arrays)
            and all(map(np.array_equal, self._arrays, other._arrays))
        )

    def __hash__(self) -> int:
        nodes = self._arrays[: len(self.nodes)]  # shares of 0.0 and -0.0 are equal
        return hash((self.space, self.classes, *(array.tobytes() for array in nodes)))

    def side(self, node: int) -> Side:
        """Give the values for which the condition of an inner node holds."""
        feature = self.space.features[self.feature[node]]
        if not feature.ordered:
            return Side(feature, codes=tuple(self.set_of(node).tolist()))
        return Side(feature, upper=float(self.threshold[node]), nan=bool(self.nan_true[node]))

    def set_of(self, node: int) -> Ints:
        """Give the numbers of the values for which a categorical condition holds."""
        return self.set_values[self.set_start[node] : self.set_start[node + 1]]

    @property
    def sets(self) -> dict[int, list[int]]:
        """The numbers of the values for which conditions hold, by node, where there are any."""
        nodes = np.flatnonzero(np.diff(self.set_start)).tolist() if len(self.set_values) else []
        return {node: self.set_of(node).tolist() for node in nodes}

    def condition(self, node: int) -> str:
        """Write the condition of an inner node in words."""
        return side_text(self.side(node))

    def __str__(self) -> str:
        return tree_text(self)

    def over(self, space: Space) -> TreeKernel:
        """Convert to another space that has its features, by name; see ``Tree.with_space``."""
        return tree_over(self, space)

    def with_facts(self, facts: Iterable[Fact | str]) -> TreeKernel:
        """Return the same tree over its space with more facts."""
        return self.over(self.space.with_facts(facts))

    def leaves(self) -> Iterator[int]:
        """Go through the leaves, in order of their numbers."""
        return iter(np.flatnonzero(self.feature < 0).tolist())

    # -- files -----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Give what JSON needs to write it down (docs/formats)."""
        content = self.written()
        content["threshold"] = [number_out(t) for t in content["threshold"].tolist()]
        lists = {k: v.tolist() for k, v in content.items() if isinstance(v, np.ndarray)}
        return {**content, **lists}

    def written(self) -> dict[str, Any]:
        """Give what ``to_dict`` gives, with arrays for lists of numbers."""
        content: dict[str, Any] = {
            "space": self.space.to_dict(),
            "classes": list(self.classes),
            "feature": self.feature,
            "threshold": self.threshold,
            "when_true": self.when_true,
            "when_false": self.when_false,
            "leaf_class": self.leaf_class,
        }
        if self.task != "classification":
            content["task"] = self.task
        if self.nan_true.any():
            content["nan_true"] = self.nan_true.astype(bool)
        if len(self.set_values):
            content["sets"] = {str(node): values for node, values in self.sets.items()}
        if self.distribution is not None:
            content["distribution"] = self.distribution
        return content

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> TreeKernel:
        """Read what ``to_dict`` gave. Anything else is an ``InvalidTree`` that says why."""
        with serial.Reading("a tree"):
            limits = content.get("threshold")
            if not isinstance(limits, np.ndarray):
                limits = [number_in(t) for t in serial.take(content, "threshold", list)]
            nodes = {**content, "threshold": limits}
            names = ("feature", "threshold", "when_true", "when_false", "leaf_class")
            flags, shares = content.get("nan_true"), content.get("distribution")
            sets = serial.take({"sets": {}, **content}, "sets", dict)
            named = {f"set of {node}": values for node, values in sets.items()}
            return cls(
                Space.from_dict(serial.take(content, "space", dict)),
                serial.take(content, "classes", list),
                **{name: serial.numbers(nodes, name) for name in names},
                nan_true=None if flags is None else serial.numbers(content, "nan_true"),
                sets={node_in(node): serial.numbers(named, f"set of {node}") for node in sets},
                distribution=None if shares is None else serial.numbers(content, "distribution", 2),
                task=content.get("task", "classification"),
            )

    def to_json(self) -> str:
        """Write it as versioned JSON (docs/formats); ``from_json`` gives back an equal tree."""
        version = KNOWING if self.space.facts else VERSION
        return serial.dump(TREE_FORMAT, version, self.written())

    @classmethod
    def from_json(cls, text: str | bytes, *, limit: int = serial.LIMIT) -> TreeKernel:
        """Read what ``to_json`` wrote. Anything else is an ``InvalidTree`` that says why.

        Parameters
        ----------
        limit : int
            Longest text, in characters, that is looked at.
        """
        known = (VERSION, KNOWING)
        return cls.from_dict(serial.load(text, TREE_FORMAT, known, limit=limit))

    # -- leaves that predict numbers, and shares -------------------------------------------------

    @cached_property
    def numbers(self) -> Floats:
        """The classes as numbers, in their order; an error where they are not numbers."""
        labels = self.classes
        if any(isinstance(label, str | bool) for label in labels):
            raise InvalidTree(
                f"the classes {str(list(labels[:6]))[:80]} are not numbers: ask for possible(X), "
                "or for a number of a classifier with decide_at(label, probability) or "
                "predict_interval(X, of='probability')"
            )
        return np.array(labels, dtype=np.float64)

    @property
    def classes_text(self) -> str:
        """What it can say, in a few words."""
        if self.task == "classification":
            return f"classes {list(self.classes)}"
        return f"numbers {short_number(self.numbers[0])} to {short_number(self.numbers[-1])}"

    @cached_property
    def _by_number(self) -> tuple[Floats, Nodes]:
        """Give the numbers, rising, and the nodes, for the core, with their places for classes."""
        order = np.argsort(self.numbers, kind="stable")
        place = np.empty(len(order) + 1, dtype=np.int32)
        place[order] = np.arange(len(order))
        place[-1] = -1  # no leaf
        return self.numbers[order], self.relabelled(place[self.leaf_class])

    def interval(self, rows: Rows, n_jobs: int | None = None) -> tuple[Floats, Floats]:
        """Compute the smallest and the largest number of each row; NaN where facts exclude it.

        Exact: some completion of the row gets the lower number, and some gets the upper. Not every
        number between them need be possible. Cost as for ``decide``, but rows with unknowns are
        followed to all leaves that they can reach.
        """
        numbers, nodes = self._by_number
        ends = self.over_rows(_core.rows.ends, nodes, rows, n_jobs)
        lower, upper = numbers[ends.low], numbers[ends.high]
        known = self.known_rows(rows)
        at = np.flatnonzero((ends.low != ends.high) | (known is not None and known.contradicting))
        if known is not None and len(at):
            leaves = known.leaves(at, self.plain_leaves(rows.take(at)))
            own = self.numbers[self.leaf_class[self.feature < 0]]
            lower[at] = np.where(leaves, own, np.inf).min(axis=1)
            upper[at] = np.where(leaves, own, -np.inf).max(axis=1)
            lower[known.contradicting] = upper[known.contradicting] = np.nan
        return lower, upper

    def as_regression(self) -> TreeKernel:
        """Give the tree with its classes as numbers that rise, each once: a regression tree."""
        if self.task == "regression":
            return self
        numbers, of_class = np.unique(self.numbers, return_inverse=True)
        return self._with_classes(numbers.tolist(), of_class.ravel(), "regression")

    def with_tolerance(self, tolerance: float | None) -> tuple[TreeKernel, Target]:
        """Return the tree, and when its answers count as the same; with a tolerance, as numbers."""
        if tolerance is None:
            return self, Target(self.classes)
        tree = self.as_regression()
        return tree, Target(tree.classes, read_tolerance(tolerance))

    def discretize(
        self, levels: Sequence[float], labels: Sequence[Any] | None = None
    ) -> TreeKernel:
        """Give a tree of the intervals that the numbers fall into; see ``Model.discretize``."""
        at = read_levels(levels)
        return self._with_classes(level_labels(at, labels), np.searchsorted(at, self.numbers))

    def around(self, lower: float, upper: float) -> TreeKernel:
        """Give a tree of classes: below an interval, inside it ("10 to 14"), above it.

        Both ends are inside. All three are classes, also where no leaf has them.
        """
        side = np.where(self.numbers < lower, 0, np.where(self.numbers > upper, 2, 1))
        return self._with_classes(around_labels(lower, upper), side)

    def _with_classes(
        self, labels: Sequence[Any], of_class: NDArray[Any], task: Task = "classification"
    ) -> TreeKernel:
        """Give the tree with other classes; ``of_class`` has the new one of each old one."""
        rows = self.distribution
        if rows is not None:
            sums = np.zeros((self.n_nodes, len(labels)))
            np.add.at(sums.T, of_class, rows.T)
            rows = sums
        return self.replace(
            classes=labels,
            leaf_class=np.where(self.feature < 0, of_class[self.leaf_class], -1),
            distribution=rows,
            task=task,
        )

    def decide_at(self, label: Any, probability: float) -> TreeKernel:
        """Give a tree of False, True: is the probability this or more? See ``Model.decide_at``."""
        place, level = self.place_of(label), read_probability(probability)
        share = self.shares[:, place]
        return self.replace(
            classes=(False, True),
            leaf_class=np.where(self.feature < 0, share >= level * ROUNDING, -1),
            distribution=None,
        )

    def place_of(self, label: Any) -> int:
        """Give the position of a class; an error lists the classes that there are."""
        return place_of(self.classes, label)

    def risks(self, place: int) -> list[float]:
        """Give the different shares of a class in the leaves, rising: where ``decide_at`` changes.

        What differs by rounding alone is one share.
        """
        out: list[float] = []
        for share in np.unique(self.shares[self.feature < 0, place]).tolist():
            if out and share * ROUNDING <= out[-1]:
                out[-1] = share
            else:
                out.append(share)
        return out

    @cached_property
    def shares(self) -> Floats:
        """Nodes x classes: the share of each class among the training rows of each leaf."""
        if self.task == "regression":
            raise InvalidTree(
                "the tree says numbers, not shares of classes: use predict_interval(X), or "
                "discretize([level]) to decide at a level"
            )
        if self.distribution is None:
            raise InvalidTree(
                "the tree does not say how many training rows of each class its leaves have, so "
                "there are no probabilities: read it from a scikit-learn or STreeD model, or give "
                "Tree(..., distribution=)"
            )
        total = self.distribution.sum(axis=1, keepdims=True)
        leaf = (self.feature < 0)[:, None]
        bad = leaf & ((total <= 0) | (self.distribution < 0).any(axis=1, keepdims=True))
        if bad.any():
            raise InvalidTree(
                f"leaf {int(np.argmax(bad))} has no training rows, or less than none, so it has no "
                "probabilities: every leaf of distribution needs weights of at least 0 and a sum "
                "above"
            )
        shares: Floats = np.zeros_like(self.distribution)
        np.divide(self.distribution, total, out=shares, where=leaf)
        return shares

    # -- rows ------------------------------------------------------------------------------------

    @cached_property
    def row_predictor(self) -> _core.rows.RowPredictor | None:
        """What answers plain rows and tables of floats in the core; None where it cannot."""
        reader, columns = row_reader(self.space, self.used)
        if reader is None:
            return None
        return _core.rows.RowPredictor(
            reader, self.nodes, self.space.arrays, self.row_threshold, columns, self.classes
        )

    def predict_floats(self, X: NDArray[Any], n_jobs: int | None) -> np.ma.MaskedArray | None:
        """Compute the classes of a table of floats; None if it is another, or facts hold."""
        labels, predictor = self.labels, self.row_predictor
        if predictor is None or X.dtype not in FLOATS or X.ndim != 2 or labels.dtype == object:
            return None
        if X.strides[0] % X.itemsize or X.strides[1] % X.itemsize:
            return None  # the core steps over whole values only
        data = np.empty(len(X), dtype=labels.dtype)
        hidden = np.empty(len(X), dtype=bool)
        done = predictor.table(
            X, n_threads(n_jobs), labels.view(np.uint8), labels.itemsize,
            data.view(np.uint8), hidden.view(np.uint8),
        )  # fmt: skip
        return np.ma.MaskedArray(data, mask=hidden) if done is True else None

    def predict_rows(self, rows: Rows, n_jobs: int | None) -> np.ma.MaskedArray:
        """Compute the classes of rows without facts, masked where they are not certain."""
        labels = self.labels
        data = np.empty(rows.n_rows, dtype=labels.dtype)
        hidden = np.empty(rows.n_rows, dtype=bool)
        self.over_rows(
            _core.rows.label, self.nodes, rows, n_jobs,
            labels.view(np.uint8), labels.itemsize, data.view(np.uint8), hidden.view(np.uint8),
        )  # fmt: skip
        return np.ma.MaskedArray(data, mask=hidden)

    @property
    def trees(self) -> tuple[TreeKernel, ...]:
        """The trees that it consists of: itself."""
        return (self,)

    @cached_property
    def labels(self) -> NDArray[Any]:
        """Give the classes as an array, for results."""
        return labels_array(self.classes)

    @cached_property
    def row_threshold(self) -> NDArray[np.float64]:
        """Give, per node, the largest float64 in a row for which its condition holds."""
        out = self.threshold.copy()
        numbers, kinds = self.space.alike
        kind = numbers[self.feature]
        for i, own in enumerate(kinds):
            if own.kind == "numeric" and own.values == "float32":  # others are not rounded
                at = kind == i
                out[at] = row_boundary(self.threshold[at], own.values)
        out.setflags(write=False)
        return out

    @cached_property
    def connected(self) -> tuple[int, ...]:
        """Positions of the features that facts are about: rows are read with them."""
        return tuple(sorted(self.space.domain.group_of))

    @cached_property
    def possible(self) -> PossibleTree | None:
        """The tree with what facts exclude as leaves; None where no fact is about its features."""
        return PossibleTree(self) if {*self.used} & {*self.connected} else None

    @cached_property
    def possible_cells(self) -> PossibleTree | None:
        """Like ``possible``, with every value apart that its facts tell apart, ``unrounded``.

        Where no fact compares features with each other, its leaves say all that facts do.
        """
        tree = self.unrounded
        domain = tree.space.domain
        if tree.possible is None:
            return None
        groups = {domain.group_of[i] for i in tree.used if i in domain.group_of}
        sides = domain.own_sides()
        return PossibleTree(
            tree, {i: own for i, own in sides.items() if domain.group_of[i] in groups}
        )

    @cached_property
    def unrounded(self) -> TreeKernel:
        """The same tree over ``Space.unrounded``."""
        return self.over(self.space.unrounded)

    def known_rows(self, rows: Rows) -> PossibleRows | None:
        """Give rows as the facts leave them; None without facts."""
        from ..model import PossibleRows

        return PossibleRows(self, rows) if self.connected else None

    def reach(self, rows: Rows, all_classes: bool = False) -> Reached:
        """Give by row the leaf, the class (-1: several), and on request all possible classes.

        The leaf is the one to which the known values lead, without facts.
        """
        reached = self._reach(self.nodes, len(self.classes), rows, all_classes)
        known = self.known_rows(rows)
        if known is None:
            return reached
        possible = reached.possible
        if all_classes:
            label = self.leaf_class[self.feature < 0]
            table = known.all_leaves() @ (label[:, None] == np.arange(len(self.classes)))
            possible = table.astype(np.uint8).ravel()
        return reached._replace(label=known.codes(reached.label), possible=possible)

    def reached_leaves(self, rows: Rows) -> NDArray[np.uint8]:
        """Give rows x leaves: 1 where a row can reach a leaf. Leaves are in their order."""
        known = self.known_rows(rows)
        return self.plain_leaves(rows) if known is None else known.all_leaves().astype(np.uint8)

    def plain_leaves(self, rows: Rows) -> NDArray[np.uint8]:
        """Give rows x leaves without facts: 1 where a row can reach a leaf."""
        reached = self._reach(self.numbered_leaves, self.n_leaves, rows, True)
        return reached.possible.reshape(rows.n_rows, self.n_leaves)

    def _reach(self, nodes: Nodes, n_classes: int, rows: Rows, all_classes: bool) -> Reached:
        return _core.rows.reach(
            nodes,
            self.space.arrays,
            self.row_threshold,
            rows.columns,
            rows.n_rows,
            n_classes,
            all_classes,
        )

    def decide(self, rows: Rows, n_jobs: int | None = None) -> NDArray[np.int32]:
        """Give by row the position of its class in ``classes``, -1 where it is not determined."""
        codes = self.plain_codes(rows, n_jobs)
        known = self.known_rows(rows)
        return codes if known is None else known.codes(codes)

    def plain_codes(self, rows: Rows, n_jobs: int | None = None) -> NDArray[np.int32]:
        """Give what ``decide`` does, without facts."""
        return self.over_rows(_core.rows.decide, self.nodes, rows, n_jobs)

    def groups_met(self, nodes: Nodes, n_groups: int, rows: Rows) -> NDArray[np.bool_]:
        """Give rows x classes without facts: which classes of relabelled nodes a row meets."""
        reached = self._reach(nodes, n_groups, rows, True)
        return reached.possible.reshape(rows.n_rows, n_groups).view(np.bool_)

    def over_rows(
        self, answer: Callable[..., T], nodes: Nodes, rows: Rows, n_jobs: int | None, *more: Any
    ) -> T:
        """Let a function of the core answer something about rows; ``nodes`` are its own, or like.

        ``relabelled`` gives such nodes.
        """
        return answer(
            nodes,
            self.space.arrays,
            self.row_threshold,
            rows.columns,
            rows.n_rows,
            n_threads(n_jobs),
            *more,
        )


def tree_over(tree: TreeKernel, space: Space) -> TreeKernel:
    """Give the same tree over another space; see ``Tree.over``."""
    if space == tree.space:
        return tree
    feature = tree.feature.copy()
    sets: dict[int, list[int]] = {}
    for old, name in zip(tree.used, tree.features, strict=True):
        new = space.index(name)
        nodes = tree.feature == old
        feature[nodes] = new
        here, there = tree.space.features[old], space.features[new]
        if not _fits(here, there):
            raise InvalidSpace(
                f"a tree over {here!r} cannot be converted to {there!r}: their values differ"
            )
        if not there.ordered:
            for node in np.flatnonzero(nodes).tolist():
                sets[node] = _set_over(tree, node, here, there)
    return tree.replace(space=space, feature=feature, threshold=tree.row_threshold, sets=sets)


def _set_over(tree: TreeKernel, node: int, here: Feature, there: Feature) -> list[int]:
    """Give a condition as a set of another feature's values."""
    if here.ordered:
        inside = [float(c) <= tree.row_threshold[node] for c in there.categories]
        codes = [code for code, flag in enumerate(inside) if flag]
    else:
        own = set(tree.set_of(node).tolist())
        codes = [i for i, label in enumerate(there.categories) if here.code(label) in own]
        if there.other and len(here.categories) in own:
            codes.append(len(there.categories))
    if there.nan and (
        tree.nan_true[node] if here.ordered else here.n_values - 1 in tree.set_of(node)
    ):
        codes.append(there.n_values - 1)
    return codes


def _fits(here: Feature, there: Feature) -> bool:
    """Whether every value of ``there`` is one of ``here``."""
    if there.nan and not here.nan:
        return False
    if here.ordered and there.ordered:
        return there.kind == "boolean" or (
            here.kind == "numeric" and (there.whole or not here.whole)
        )
    if here.ordered:
        low, high = here.bounds
        return not there.other and all(
            not isinstance(c, str) and low < c <= high and (not here.whole or c == int(c))
            for c in there.categories
        )
    if there.ordered:
        return False
    return (here.other or not there.other) and all(
        here.code(label) is not None for label in there.categories
    )
