"""GOSDT's trees.

In:  a fitted ``GOSDTClassifier``, or one of its ``trees_``.
Out: ``SourceTree``. A column is asked whether it is not 0; GOSDT makes its table boolean first.
"""

from __future__ import annotations

from typing import Any

from ..errors import UnreadableModel
from .binary import flatten, over_bits
from .checks import refuse_own_predict
from .source import SourceTree

__all__ = ["from_gosdt", "knows"]


def knows(model: Any) -> bool:
    """Whether it is a classifier or a tree of GOSDT."""
    from gosdt import GOSDTClassifier
    from gosdt._tree import Tree

    return isinstance(model, GOSDTClassifier | Tree)


def from_gosdt(model: Any) -> SourceTree:
    """Read a tree; of a classifier the first one, which is the one that its ``predict`` asks.

    A classifier with ``model_limit`` above 1 may hold more: ``read_trees(model.trees_)``.
    """
    from gosdt import GOSDTClassifier

    if isinstance(model, GOSDTClassifier):
        refuse_own_predict(model, GOSDTClassifier)
        if not getattr(model, "trees_", None):
            raise UnreadableModel("this GOSDTClassifier holds no tree: call fit(X, y) first")
        model = model.trees_[0]
    names = [str(name) for name in model.features]
    flat = flatten(model.tree, _opened)
    return over_bits(flat, model.classes, len(names), column_names=names)


def _opened(node: Any) -> tuple[int, Any, Any]:
    from gosdt._tree import Leaf

    if isinstance(node, Leaf):
        return -1, int(node.prediction), None
    return int(node.feature), node.right_child, node.left_child
