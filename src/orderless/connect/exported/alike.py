"""Two models, made comparable: rows of the same numbers, columns of the same names.

In:  a source and what was read from an artifact.
Out: both over spaces in which the rows that one can get are rows that the other can get.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from ...model import Space, SumKernel, TreeKernel

__all__ = ["made_up", "widened", "without_missing"]

Model = TreeKernel | SumKernel


def made_up(space: Space) -> bool:
    """Whether features have the names x0, x1, ..., for want of others."""
    return space.names == tuple(f"x{i}" for i in range(len(space)))


def widened(model: Model, names: Collection[str]) -> Model:
    """Let features take any float64, which the model rounds to float32 as it did before.

    Thresholds become the largest float64 that is rounded to their lower side.
    """
    features = [
        replace(f, values="float64") if f.name in names and f.values == "float32" else f
        for f in model.space.features
    ]
    if tuple(features) == model.space.features:
        return model
    space = Space(features, model.space.columns, facts=model.space.facts)
    if isinstance(model, SumKernel):
        return model.replace(trees=[_over(tree, space) for tree in model.trees])
    return _over(model, space)


def _over(tree: TreeKernel, space: Space) -> TreeKernel:
    threshold = tree.threshold.copy()
    changed = [i for i, f in enumerate(space.features) if f != tree.space.features[i]]
    for i in changed:
        at = tree.feature == i
        threshold[at] = tree.row_threshold[at]
    return tree.replace(space=space, threshold=threshold)


def without_missing(model: Model, names: Collection[str]) -> Model:
    """Leave out rows that lack some features: a missing value is no longer one of theirs."""
    features = [replace(f, nan=False) if f.name in names else f for f in model.space.features]
    if tuple(features) == model.space.features:
        return model
    space = Space(features, model.space.columns, facts=model.space.facts)
    if isinstance(model, SumKernel):
        return model.replace(trees=[_present(tree, space) for tree in model.trees])
    return _present(model, space)


def _present(tree: TreeKernel, space: Space) -> TreeKernel:
    changed = [i for i, f in enumerate(space.features) if f != tree.space.features[i]]
    here = np.isin(tree.feature, changed)
    codes = {i: space.features[i].n_values for i in changed}  # that of missing was the last
    sets = {
        node: [
            c for c in tree.set_of(node).tolist() if c < codes.get(int(tree.feature[node]), c + 1)
        ]
        for node in np.flatnonzero(tree.feature >= 0).tolist()
        if not space.features[int(tree.feature[node])].ordered
    }
    return tree.replace(space=space, nan_true=tree.nan_true & ~here, sets=sets)
