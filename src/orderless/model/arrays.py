"""Arrays: how a tree and its features are handed to the core, by name.

In:  nothing; ``Tree``, ``Bins`` and ``Space`` make them.
Out: NamedTuples of arrays, one entry per node or per feature, in the order that the core reads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["BinNodes", "Domains", "Layout", "Nodes"]


class Nodes(NamedTuple):
    """A tree by node, or many trees one after the other; node 0 is the root.

    Attributes
    ----------
    feature : array
        Position of the feature, -1 at a leaf.
    threshold : array
        Ordered features: the condition holds for values at most this.
    nan_true : array of 0/1
        Whether NaN goes where the condition holds.
    when_true, when_false : array
        The children.
    leaf_class : array
        Position of a leaf's class, -1 elsewhere.
    set_start, set_values : array
        Unordered features: the condition of node i holds for
        ``set_values[set_start[i] : set_start[i + 1]]``.
    """

    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    nan_true: NDArray[np.uint8]
    when_true: NDArray[np.int32]
    when_false: NDArray[np.int32]
    leaf_class: NDArray[np.int32]
    set_start: NDArray[np.int64]
    set_values: NDArray[np.int32]


class BinNodes(NamedTuple):
    """A tree over bins by node, as ``Nodes``: conditions hold for the bins up to ``cut``."""

    feature: NDArray[np.int32]
    cut: NDArray[np.int32]
    nan_true: NDArray[np.uint8]
    when_true: NDArray[np.int32]
    when_false: NDArray[np.int32]
    leaf_class: NDArray[np.int32]
    set_start: NDArray[np.int64]
    set_bins: NDArray[np.int32]


class Domains(NamedTuple):
    """The values of features: an interval (lower, upper], or ``n_values`` unordered ones."""

    ordered: NDArray[np.uint8]
    nan: NDArray[np.uint8]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    n_values: NDArray[np.int32]


class Layout(NamedTuple):
    """The bins of features; NaN, where it is a value of an ordered one, comes after them."""

    ordered: NDArray[np.uint8]
    nan: NDArray[np.uint8]
    n_bins: NDArray[np.int32]
