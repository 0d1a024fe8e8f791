"""DL8.5's trees.

In:  a fitted ``DL85Classifier``.
Out: ``ColumnModel``. A column is asked whether it is 1. DL8.5 keeps neither names nor the number of
     columns: without ``space=``, ``preprocessing=`` or ``feature_names=`` the last column that the
     tree asks about counts as the last of the table.
"""

from __future__ import annotations

from typing import Any

from ..errors import UnreadableModel
from .builder import ColumnModel, ModelBuilder, Table
from .checks import is_classifier, unfitted

__all__ = ["from_pydl85", "knows"]


def knows(model: Any) -> bool:
    """Whether it is a classifier of DL8.5; its ensembles and clusterings are refused."""
    from pydl85 import DL85Booster, DL85Classifier, DL85Predictor

    if isinstance(model, DL85Booster):
        raise UnreadableModel(
            "a DL85Booster has many trees: read one with orderless.read(model.estimators_[i])"
        )
    return is_classifier(model, DL85Classifier, DL85Predictor)


def from_pydl85(model: Any) -> ColumnModel:
    """Read a fitted classifier."""
    if not model.is_fitted_:
        raise unfitted(model)
    if model.tree_ is None:
        raise UnreadableModel(
            "DL8.5 found no tree: raise time_limit or max_error, or leave max_error out, and fit "
            "again"
        )
    classes = [int(label) for label in model.classes_]
    # A single class is numbered right if it is 0 or 1.
    if classes not in (list(range(len(classes))), [1]):
        raise UnreadableModel(
            f"DL8.5 was fitted with the labels {classes} and treats them as 0 to "
            f"{len(classes) - 1}, so its tree is wrong: number the classes from 0 and fit again"
        )
    builder = ModelBuilder(Table(None, binary=True))
    for node in builder.walk(model.tree_):
        if "feat" in node:
            builder.bit_test(node["feat"], zero=node["right"], one=node["left"])
            continue
        if node["value"] not in classes:
            raise UnreadableModel(
                f"a leaf predicts {node['value']!r}, which is not one of the classes {classes}: "
                "leave error_function and fast_error_function out, or let them return classes"
            )
        builder.leaf(node["value"])
    return builder.finish(classes)
