"""GOSDT's trees.

In:  a fitted ``GOSDTClassifier``, or one of its ``trees_``.
Out: ``ColumnModel``. A column is asked whether it is not 0; GOSDT makes its table boolean first.
"""

from __future__ import annotations

from typing import Any

from ..errors import UnreadableModel
from .builder import ColumnModel, ModelBuilder, Table
from .checks import refuse_own_predict

__all__ = ["from_gosdt", "knows"]


def knows(model: Any) -> bool:
    """Whether it is a classifier or a tree of GOSDT."""
    from gosdt import GOSDTClassifier
    from gosdt._tree import Tree

    return isinstance(model, GOSDTClassifier | Tree)


def from_gosdt(model: Any) -> ColumnModel:
    """Read a tree; of a classifier the first one, which is the one that its ``predict`` asks.

    A classifier with ``model_limit`` above 1 may hold more: ``orderless.read_many(model.trees_)``.
    """
    from gosdt import GOSDTClassifier
    from gosdt._tree import Leaf

    if isinstance(model, GOSDTClassifier):
        refuse_own_predict(model, GOSDTClassifier)
        if not getattr(model, "trees_", None):
            raise UnreadableModel("this GOSDTClassifier holds no tree: call fit(X, y) first")
        model = model.trees_[0]
    builder = ModelBuilder(Table(len(model.features), model.features, binary=True))
    for node in builder.walk(model.tree):
        if isinstance(node, Leaf):
            builder.leaf_number(node.prediction)
        else:
            builder.bit_test(node.feature, zero=node.right_child, one=node.left_child)
    return builder.finish(model.classes)
