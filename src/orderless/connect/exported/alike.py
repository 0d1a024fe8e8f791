"""Two models, made comparable: rows of the same numbers, columns of the same names.

In:  a source and what was read from an artifact.
Out: both over spaces in which the rows that one can get are rows that the other can get.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from ...model import Ensemble, Space, Tree

__all__ = ["made_up", "widened"]

Model = Tree | Ensemble


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
    space = Space(features)
    if isinstance(model, Ensemble):
        return model.replace(trees=[_over(tree, space) for tree in model.trees])
    return _over(model, space)


def _over(tree: Tree, space: Space) -> Tree:
    threshold = tree.threshold.copy()
    changed = [i for i, f in enumerate(space.features) if f != tree.space.features[i]]
    for i in changed:
        at = tree.feature == i
        threshold[at] = tree.row_threshold[at]
    return tree.replace(space=space, threshold=threshold)
