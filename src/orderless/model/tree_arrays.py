"""The arrays of a tree: read from anything, checked once, brought into one form.

In:  arrays of nodes over a ``Space``, from a reader or by hand.
Out: ``TreeArrays`` as ``Tree`` keeps them: good, normal, without dead branches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import InvalidTree
from .arrays import Nodes
from .feature import Label, plain_label
from .space import Space

__all__ = ["TreeArrays", "flatten", "labels_array", "read_array", "read_classes"]

LONG = 1_000  # characters: numpy would make every label of a result as long as the longest

Ints = NDArray[np.int32]


@dataclass
class TreeArrays:
    """Nodes by number; see ``Tree`` for what each array means. Sets stand one after the other."""

    feature: Ints
    threshold: NDArray[np.float64]
    nan_true: NDArray[np.uint8]
    when_true: Ints
    when_false: Ints
    leaf_class: Ints
    set_start: NDArray[np.int64]
    set_values: Ints
    distribution: NDArray[np.float64] | None = None

    @property
    def nodes(self) -> Nodes:
        """Nodes as the core takes them."""
        return Nodes(
            self.feature,
            self.threshold,
            self.nan_true,
            self.when_true,
            self.when_false,
            self.leaf_class,
            self.set_start,
            self.set_values,
        )

    # -- checks --------------------------------------------------------------------------------

    def check(self, space: Space, n_classes: int) -> None:
        """Refuse what is no tree over a space."""
        n = len(self.feature)
        self._check_shapes(n, n_classes)
        feature, inner = self.feature, self.feature >= 0
        _refuse("feature", feature, (feature < -1) | (feature >= len(space)),
                f"-1 (a leaf) to {len(space) - 1}")  # fmt: skip
        for name in ("when_true", "when_false"):
            child = getattr(self, name)
            _refuse(name, child, inner & ((child < 0) | (child >= n)), f"0 to {n - 1}")
        label = self.leaf_class
        _refuse("leaf_class", label, ~inner & ((label < 0) | (label >= n_classes)),
                f"0 to {n_classes - 1}")  # fmt: skip
        if inner.any():
            ordered = space.domains.ordered[feature] == 1
            _refuse("threshold", self.threshold, inner & ordered & np.isnan(self.threshold),
                    "a number")  # fmt: skip
        sizes = np.array([*(f.n_values for f in space.features), 0], dtype=np.int64)
        owner = np.repeat(feature, np.diff(self.set_start))  # a leaf's -1 has no values
        _refuse("set value", self.set_values,
                (self.set_values < 0) | (self.set_values >= sizes[owner]),
                "the number of one of the feature's values")  # fmt: skip
        links = _core.tree.check_links(self.nodes)
        if links.fault:
            what = "has two parents, or is its own" if links.fault == 1 else "cannot be reached"
            raise InvalidTree(f"node {links.node} {what}: every node but the root has one parent")

    def _check_shapes(self, n: int, n_classes: int) -> None:
        if n == 0:
            raise InvalidTree("a tree has at least one node, got none")
        names = ("feature", "threshold", "when_true", "when_false", "leaf_class", "nan_true")
        for name in names:
            if (shape := getattr(self, name).shape) != (n,):
                raise InvalidTree(f"{name} has shape {shape}, feature has ({n},)")
        shares = self.distribution
        if shares is not None and shares.shape != (n, n_classes):
            raise InvalidTree(f"distribution has shape {shares.shape}, expected ({n}, {n_classes})")
        if shares is not None and not np.isfinite(shares).all():
            raise InvalidTree("distribution holds a number that is not finite")

    # -- one form ------------------------------------------------------------------------------

    def normalise(self, space: Space) -> None:
        """Move every threshold to the boundary that it really draws, so that equal is equal."""
        feature, threshold, nan_true = self.feature, self.threshold, self.nan_true
        threshold[feature < 0] = 0.0
        nan_true[feature < 0] = 0
        for i in np.unique(feature[feature >= 0]):
            at = feature == i
            if not space.features[i].ordered:
                threshold[at] = 0.0
                nan_true[at] = 0
                continue
            threshold[at] = space.features[i].at_most(threshold[at])
            if not space.features[i].nan:
                nan_true[at] = 0
            # No value is at most -inf, so this asks "is it missing?": written one way only,
            # as "is it known?", which also holds for a row's own -inf.
            swap = at & np.isneginf(threshold) & (nan_true == 1)
            threshold[swap] = np.inf
            nan_true[swap] = 0
            yes, no = self.when_true, self.when_false
            yes[swap], no[swap] = no[swap], yes[swap]

    def pruned(self, space: Space) -> TreeArrays:
        """Drop dead branches, and what leaves and inner nodes do not use."""
        found = _core.tree.prune(self.nodes, space.domains)
        out = self
        if found.n_kept < len(self.feature):
            out = self._kept(found.new_index, found.when_true, found.when_false)
        inner = out.feature >= 0
        out.when_true[~inner] = out.when_false[~inner] = -1
        out.leaf_class[inner] = -1
        return out

    def _kept(self, index: Ints, when_true: Ints, when_false: Ints) -> TreeArrays:
        """Give the nodes that have a number in ``index``, in the order of those numbers."""
        kept = np.flatnonzero(index >= 0)
        kept = kept[np.argsort(index[kept])]
        start, values = self.set_start, self.set_values
        sets = {new: values[start[i] : start[i + 1]].tolist() for new, i in enumerate(kept)}
        set_start, set_values = flatten({i: v for i, v in sets.items() if len(v)}, len(kept))
        inner = self.feature[kept] >= 0
        return TreeArrays(
            self.feature[kept],
            self.threshold[kept],
            self.nan_true[kept],
            np.where(inner, index[when_true[kept]], -1).astype(np.int32),
            np.where(inner, index[when_false[kept]], -1).astype(np.int32),
            self.leaf_class[kept],
            set_start,
            set_values,
            None if self.distribution is None else self.distribution[kept],
        )


def read_classes(classes: Sequence[Any] | NDArray[Any]) -> tuple[Label, ...]:
    """Read class labels, all of one type and no two the same."""
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
    return labels


def read_array(given: ArrayLike, dtype: type, name: str) -> NDArray[Any]:
    """Copy to a fresh array; an int array must really hold ints."""
    try:
        wide = np.array(given)
        if dtype is np.uint8:
            if wide.dtype.kind not in "biu" or not np.isin(wide, (0, 1)).all():
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


def labels_array(classes: tuple[Label, ...]) -> NDArray[Any]:
    """Give classes as an array, for results."""
    long = any(isinstance(c, str) and len(c) > LONG for c in classes)
    out = np.array(classes, dtype=object if long else None)
    # numpy drops final NULs of text, and rounds whole numbers of different signs.
    if not long and out.tolist() != list(classes):
        out = np.array(classes, dtype=object)
    out.setflags(write=False)
    return out
