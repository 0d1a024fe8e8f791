"""What a model says of itself, checked before it is believed.

In:  counts, numbers of columns and children as a library or a file gives them.
Out: nothing, or an error that says what does not fit. Nothing is allocated by a count that the
     rest of the model does not bear out.
"""

from __future__ import annotations

from collections.abc import Sequence
from inspect import getattr_static
from typing import Any

import numpy as np

from ..errors import InvalidTree, UnreadableModel, a_kind
from .source import SourceTree

__all__ = [
    "MOST_COLUMNS",
    "check_binary_tree",
    "check_source",
    "numbered_names",
    "refuse_own_predict",
    "whole_number",
]

MOST_COLUMNS = 2**20  # that a number alone may imply; with names or a space there is no limit


def whole_number(value: Any, what: str, least: int = 0) -> int:
    """Give a count as an int; anything else is an error.

    Examples
    --------
    >>> whole_number(3.0, "n_features_in_")
    Traceback (most recent call last):
    orderless.errors.UnreadableModel: n_features_in_ must be a whole number of at least 0, got 3.0:
    the model is damaged; fit or save it again
    """
    if isinstance(value, np.integer):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise UnreadableModel(
            f"{what} must be a whole number of at least {least}, got {value!r:.80}: the model is "
            "damaged; fit or save it again"
        )
    return value


def numbered_names(n_columns: int) -> list[str]:
    """Name columns that have no names; so many that the number must be wrong are refused."""
    if n_columns > MOST_COLUMNS:
        raise UnreadableModel(
            f"the model says that it was fitted on {n_columns:,} columns, without their names: "
            f"more than {MOST_COLUMNS:,} need feature_names= or space="
        )
    return [f"x{i}" for i in range(n_columns)]


def check_binary_tree(left: Sequence[int], right: Sequence[int], n_splits: int, n: int) -> None:
    """Refuse children that are not there, or that do not make a tree.

    Nodes are numbered from 0, the root; the first ``n_splits`` of ``n`` are splits, each before the
    splits below it.
    """
    for at, pair in enumerate(zip(left, right, strict=True)):
        for child in pair:
            if not 0 < child < n or (child < n_splits and child <= at):
                raise InvalidTree(f"node {at} has the child {child}, which cannot be below it")
    below = [*left, *right]
    if n > 1 and sorted(below) != list(range(1, n)):
        raise InvalidTree("every node but the root must be the child of exactly one other")


def check_source(source: SourceTree) -> None:
    """Refuse arrays that do not fit together, columns and classes that are not there."""
    n = len(source.column)
    for name in ("threshold", "when_true", "when_false", "leaf_class", "nan_true"):
        array = getattr(source, name)
        if array is not None and np.shape(array) != (n,):
            raise InvalidTree(f"{name} has shape {np.shape(array)} for {n} nodes")
    inner = np.asarray(source.column) >= 0
    for name, legal, array in (
        ("column", source.n_columns, np.asarray(source.column)[inner]),
        ("child", n, np.asarray(source.when_true)[inner]),
        ("child", n, np.asarray(source.when_false)[inner]),
        ("class", len(source.classes), np.asarray(source.leaf_class)[~inner]),
    ):
        wrong = (array < 0) | (array >= legal)
        if wrong.any():
            raise InvalidTree(
                f"a node has the {name} {array[wrong][0]}, and there are {legal:,}: the model is "
                "damaged; fit or save it again"
            )


def refuse_own_predict(model: Any, *known: type, method: str = "predict") -> None:
    """Refuse a subclass that decides in its own way: its tree does not say what it decides.

    ``known`` are the classes whose ``predict`` the reader stands for.
    """
    stood_for = [getattr_static(kind, method, None) for kind in known]
    usual = [
        kind for kind in type(model).__mro__ if getattr_static(kind, method, None) in stood_for
    ]
    if type(model) not in usual:
        name = (usual or known)[0].__name__
        raise UnreadableModel(
            f"{a_kind(model)} has its own {method}, so that what it decides is not in its tree: "
            f"give a plain {name}, or build orderless.Tree(...) by hand"
        )
