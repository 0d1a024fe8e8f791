"""Which trees of an ensemble go against a property: the others need no search.

In:  an ``Ensemble``, the features in which two rows may differ, what is asked of their answers.
Out: whether some tree alone changes; the thresholds of a feature at which some tree goes against
     the order that is asked for.

Adding floats one after the other rises with each of them, and so do links and cuts. So where no
tree falls, the library's own sums do not fall, however they round.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..form import Falling, LeafTable, Near, Region
from ..model import SumKernel

__all__ = ["any_tree_changes", "cuts_against"]


def any_tree_changes(ensemble: SumKernel, apart: Sequence[str], region: Region) -> bool:
    """Tell whether some tree can add something else when only these features change."""
    return any(
        next(LeafTable(tree, region).pairs(apart, _unequal(values)), None) is not None
        for tree, values in zip(ensemble.trees, ensemble.values, strict=True)
        if any(name in tree.features for name in apart)
    )


def cuts_against(ensemble: SumKernel, wanted: Falling | Near, region: Region) -> set[float]:
    """Give the thresholds of a feature at which some tree goes against what is asked for."""
    name, sign = wanted.feature.name, _sign(ensemble, wanted)
    out: set[float] = set()
    for tree, values in zip(ensemble.trees, ensemble.values, strict=True):
        if name not in tree.features:
            continue
        against = _unequal(values)
        if sign:
            own = sign * values[:, 0]
            against = own[:, None] > own
        table = LeafTable(tree, region)
        k = table.names.index(name)
        numbers = table.has_numbers(k)
        for leaf, others in table.pairs((name,), against):
            end = float(table.upper[leaf, k])
            if numbers[leaf] and np.any(numbers[others] & (table.lower[others, k] == end)):
                out.add(end)
            if sign == 0:  # the other way round it is the same
                below = others[numbers[others] & (table.upper[others, k] == table.lower[leaf, k])]
                if numbers[leaf] and len(below):
                    out.add(float(table.lower[leaf, k]))
    return out


def _unequal(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray((values[:, None] != values).any(axis=2))


def _sign(ensemble: SumKernel, wanted: Falling | Near) -> int:
    """Give the direction in which the one score must not fall (1) or rise (-1); 0 for neither."""
    if not isinstance(wanted, Falling) or ensemble.n_scores != 1 or ensemble.factor <= 0:
        return 0
    rank = list(wanted.rank)
    if rank == sorted(rank):
        return wanted.sign
    return -wanted.sign if rank == sorted(rank, reverse=True) else 0
