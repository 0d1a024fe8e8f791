"""All functions of a set at once, as arrays.

In:  a ``FunctionSet``, or the functions of a bootstrap sample.
Out: ``FunctionTable``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..model import Label
from .columns import Columns
from .flat import FlatTrees

__all__ = ["FunctionTable"]


@dataclass(frozen=True, eq=False)
class FunctionTable:
    """All functions of a set at once, without an object for each.

    Sorted by the objective of the cheapest tree, then its leaves; of several that are equal in
    both, the one of ``best_tree`` is first, and the others follow by fingerprint.

    Attributes
    ----------
    fingerprint : array of uint64, functions by 2
        As in ``orderless.fingerprint``, whose digits are the two numbers in hexadecimal.
    cost : array of int
        Objective of the cheapest tree, in ``1 / unit``-ths.
    unit : int
    errors : array of int
        Weight that the function gets wrong, in ``1 / weight_scale``-ths.
    weight_scale : int
        1 unless sample weights are not whole.
    leaves : array of int
        Fewest leaves of a tree of the set.
    n_trees, n_nontrivial : array of uint64
        How many trees of the set are this function; how many have no trivial split.
    trees : FlatTrees
        A cheapest tree of each, over ``columns``.
    columns : Columns
        What the columns mean: ``columns.names``, ``columns.space``, ``columns.feature`` (per column
        the position of its feature in the space).
    classes : tuple of labels
    """

    fingerprint: NDArray[np.uint64]
    cost: NDArray[np.int64]
    unit: int
    errors: NDArray[np.int64]
    weight_scale: int
    leaves: NDArray[np.int32]
    n_trees: NDArray[np.uint64]
    n_nontrivial: NDArray[np.uint64]
    trees: FlatTrees
    columns: Columns
    classes: tuple[Label, ...]

    def __len__(self) -> int:
        return len(self.cost)
