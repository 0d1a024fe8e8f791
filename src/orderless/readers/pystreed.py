"""STreeD's trees.

In:  a fitted ``STreeDClassifier``, ``STreeDRegressor`` or ``STreeDCostSensitiveClassifier``.
Out: ``ColumnModel`` over the columns that went in: the first two have a binarizer inside, and their
     trees ask about the binarizer's columns; the last takes columns of 0 and 1 as they are. Of a
     data frame the first two keep the names of the columns and not their order, so that names
     decide what is what.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import UnreadableModel, a_kind
from ..model import Label, plain_label
from .builder import NUMBER, ColumnModel, ModelBuilder, Table
from .checks import refuse_own_predict

__all__ = ["from_pystreed", "knows"]


def knows(model: Any) -> bool:
    """Whether it is one of STreeD's models with a class or a number at each leaf."""
    from pystreed import (
        STreeDClassifier,
        STreeDCostSensitiveClassifier,
        STreeDPiecewiseLinearRegressor,
        STreeDRegressor,
    )
    from pystreed.base import BaseSTreeDSolver

    known = (STreeDClassifier, STreeDRegressor, STreeDCostSensitiveClassifier)
    if isinstance(model, STreeDPiecewiseLinearRegressor):
        raise UnreadableModel(
            f"{a_kind(model)} has a linear model at each leaf, not a number: use a STreeDRegressor"
        )
    if isinstance(model, BaseSTreeDSolver) and not isinstance(model, known):
        raise UnreadableModel(
            f"cannot read {a_kind(model)}: of STreeD's models the STreeDClassifier, the "
            "STreeDRegressor and the STreeDCostSensitiveClassifier can be read"
        )
    if isinstance(model, known):
        refuse_own_predict(model, *known)
    return isinstance(model, known)


def from_pystreed(model: Any) -> ColumnModel:
    """Read a fitted model, through its binarizer if it has one."""
    if getattr(model, "fit_result", None) is None or not hasattr(model, "tree_"):
        raise UnreadableModel(
            f"this {type(model).__qualname__} holds no tree: call fit(X, y) first"
        )
    from pystreed import STreeDCostSensitiveClassifier

    if isinstance(model, STreeDCostSensitiveClassifier):
        return _over_columns(model)
    return _through_binarizer(model)


def _over_columns(model: Any) -> ColumnModel:
    """Read a tree whose columns are 0 or 1 already."""
    classes = [int(label) for label in np.unique(model.train_y_)]
    names = getattr(model, "feature_names_in_", None)
    builder = ModelBuilder(Table(int(model.n_features_in_), names, binary=True))
    for node in builder.walk(model.tree_):
        if node.is_leaf_node():
            builder.leaf(int(node.label), _rows(node, classes))
        else:
            builder.bit_test(node.feature, zero=node.left_child, one=node.right_child)
    return builder.finish(classes)


def _through_binarizer(model: Any) -> ColumnModel:
    """Read a tree whose columns a binarizer made: each is 1 where its test holds."""
    classes = getattr(model, "classes_", None)  # a regressor has none
    labels = None if classes is None else _whole(classes)
    tests = _tests(model.binarizer_)
    table, columns = _table(model, tests)
    builder = ModelBuilder(table)
    for node in builder.walk(model.tree_):
        if not node.is_leaf_node():
            test = tests[node.feature]
            _split(builder, test, columns.index(test.column), node)
        elif labels is None:
            builder.leaf_adds(node.label)
        else:
            builder.leaf(int(node.label), _rows(node, labels))
    return builder.finish(rule=NUMBER) if labels is None else builder.finish(classes)


def _split(builder: ModelBuilder, test: _Test, column: int, node: Any) -> None:
    """Add a node that asks a test of the binarizer."""
    zero, one = node.left_child, node.right_child
    if test.at_most is not None:
        builder.numerical_test(column, ">", test.at_most, zero, one)
    elif column not in builder.table.categories:  # "is 1", or "is 0" of one said to be categorical
        builder.numerical_test(column, "<=" if 1 in test.among else ">", 0.5, zero, one)
    else:
        builder.categorical_test(column, "not in", test.among, zero, one)


def _rows(leaf: Any, classes: Sequence[int]) -> list[float]:
    """Give the training rows of a leaf by class."""
    rows = leaf.num_instances_per_class
    return [rows[label] if label < len(rows) else 0 for label in classes]


def _table(model: Any, tests: Sequence[_Test]) -> tuple[Table, list[Any]]:
    """Describe the columns that went in; and list how the tests refer to them."""
    binarizer = model.binarizer_
    groups = (binarizer.binary_columns, binarizer.categorical_columns, binarizer.continuous_columns)
    columns = list(dict.fromkeys(column for group in groups for column in group))
    by_number = all(isinstance(column, int | np.integer) for column in columns) and not hasattr(
        model, "feature_names_in_"
    )
    if by_number:
        columns.sort()
    categories: dict[int, list[Label]] = {}
    for test in tests:
        if test.among and test.column not in binarizer.binary_columns:
            labels = categories.setdefault(columns.index(test.column), [])
            labels += [label for label in map(plain_label, test.among) if label not in labels]
    table = Table(
        len(columns),
        None if by_number else columns,
        ordered=by_number or sum(bool(len(group)) for group in groups) < 2,
        binary=frozenset(columns.index(column) for column in binarizer.binary_columns),
        categories=categories,
    )
    return table, columns


class _Test(NamedTuple):
    """What a column of the binarizer means: at most a threshold, or one of some values."""

    column: Any
    at_most: float | None
    among: Sequence[Any] = ()


def _tests(binarizer: Any) -> list[_Test]:
    """List what the columns mean that the solver saw, in their order."""
    tests = list(_all_tests(binarizer))
    if binarizer.binary_feature_limiter is None:
        return tests
    chosen = binarizer.binary_feature_limiter.select_features_
    if isinstance(chosen, np.ndarray):
        return [tests[i] for i in chosen]
    names = [
        column if isinstance(column, str) else f"Binary Feature {i + 1}"
        for i, column in enumerate(binarizer.binary_columns)
    ]
    for part in (binarizer.categorical_binarizer, binarizer.continuous_binarizer):
        names += [name for group in (part.column_names_ if part else ()) for name in group]
    if len(set(names)) != len(names):
        raise UnreadableModel(
            "STreeD made two columns with the same name and chose among them by name: rename the "
            "columns of X, or leave max_num_binary_features out"
        )
    return [tests[names.index(name)] for name in chosen]


def _all_tests(binarizer: Any) -> Iterator[_Test]:
    for column in binarizer.binary_columns:
        yield _Test(column, None, (1,))
    if (part := binarizer.categorical_binarizer) is not None:
        for column, values in zip(binarizer.categorical_columns, part.categories_, strict=True):
            for value in values:
                yield _Test(column, None, value if isinstance(value, list) else (value,))
    if (part := binarizer.continuous_binarizer) is not None:
        for column, thresholds in zip(binarizer.continuous_columns, part.thresholds_, strict=True):
            for threshold in thresholds:
                yield _Test(column, float(threshold))


def _whole(classes: Sequence[Any]) -> list[int]:
    """Give the labels as STreeD has them: it cuts them to whole numbers."""
    wrong = [label for label in classes if int(label) != label]
    if wrong:
        raise UnreadableModel(
            f"STreeD cut the label {wrong[0]} to {int(wrong[0])}: use whole numbers from 0 as "
            "labels and fit again"
        )
    return [int(label) for label in classes]
