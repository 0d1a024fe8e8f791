"""Arrays: how a tree and its features are handed to the core, by name.

In:  nothing; ``Tree``, ``Bins`` and ``Space`` make them.
Out: NamedTuples of arrays, one entry per node or per feature, in the order that the core reads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BinNodes", "Bytes", "Domains", "Flags", "Floats", "Ints", "Layout", "Longs", "Nodes", "Shorts",
    "Words",
]  # fmt: skip

# What arrays hold, for annotations.
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Shorts = NDArray[np.uint16]
Words = NDArray[np.uint64]


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

    feature: Ints
    threshold: Floats
    nan_true: Bytes
    when_true: Ints
    when_false: Ints
    leaf_class: Ints
    set_start: Longs
    set_values: Ints


class BinNodes(NamedTuple):
    """A tree over bins by node, as ``Nodes``: conditions hold for the bins up to ``cut``."""

    feature: Ints
    cut: Ints
    nan_true: Bytes
    when_true: Ints
    when_false: Ints
    leaf_class: Ints
    set_start: Longs
    set_bins: Ints


class Domains(NamedTuple):
    """The values of features: an interval (lower, upper], or ``n_values`` unordered ones."""

    ordered: Bytes
    nan: Bytes
    lower: Floats
    upper: Floats
    n_values: Ints


class Layout(NamedTuple):
    """The bins of features; NaN, where it is a value of an ordered one, comes after them."""

    ordered: Bytes
    nan: Bytes
    n_bins: Ints
