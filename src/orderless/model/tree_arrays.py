"""The arrays of a tree: read from anything, checked once, brought into one form.

In:  arrays of nodes over a ``Space``, from a reader or by hand.
Out: ``Nodes`` as ``Tree`` keeps them: good, normal, without dead branches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import InvalidTree
from .arrays import Nodes
from .feature import Label, plain_label
from .space import Space

__all__ = [
    "Task",
    "check_nodes",
    "flatten",
    "read_array",
    "read_classes",
    "read_distribution",
]

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
        unknown = inner & (space.domains.ordered[feature] == 1) & np.isnan(nodes.threshold)
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
