"""STreeD's trees.

In:  a fitted ``STreeDClassifier`` or ``STreeDCostSensitiveClassifier``.
Out: ``SourceTree`` over the columns that went in: the first has a binarizer inside, and its tree
     asks about the binarizer's columns; the second takes columns of 0 and 1 as they are. Of a data
     frame the first keeps the names of the columns and not their order, so that names decide what
     is what.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import UnreadableModel, a_kind
from ..model import plain_label
from .binary import Flat, flatten, over_bits
from .checks import refuse_own_predict
from .source import SourceTree

__all__ = ["from_pystreed", "knows"]


def knows(model: Any) -> bool:
    """Whether it is one of STreeD's classifiers; its other tasks are refused."""
    from pystreed import STreeDClassifier, STreeDCostSensitiveClassifier
    from pystreed.base import BaseSTreeDSolver

    known = (STreeDClassifier, STreeDCostSensitiveClassifier)
    if isinstance(model, BaseSTreeDSolver) and not isinstance(model, known):
        raise UnreadableModel(
            f"cannot read {a_kind(model)}: of STreeD's models the STreeDClassifier "
            "and the STreeDCostSensitiveClassifier can be read"
        )
    if isinstance(model, known):
        refuse_own_predict(model, *known)
    return isinstance(model, known)


def from_pystreed(model: Any) -> SourceTree:
    """Read a fitted classifier through its binarizer."""
    if getattr(model, "fit_result", None) is None or not hasattr(model, "tree_"):
        raise UnreadableModel(
            f"this {type(model).__qualname__} holds no tree: call fit(X, y) first"
        )
    if not hasattr(model, "classes_"):  # the cost-sensitive one has nothing that tells of labels
        return _over_columns(model)
    place = _places(model.classes_)
    binarizer = model.binarizer_
    tests = _tests(binarizer)
    groups = (binarizer.binary_columns, binarizer.categorical_columns, binarizer.continuous_columns)
    columns = list(dict.fromkeys(column for group in groups for column in group))
    by_number = all(isinstance(column, int | np.integer) for column in columns) and not hasattr(
        model, "feature_names_in_"
    )
    if by_number:
        columns.sort()
    flat = flatten(model.tree_, _opened)
    return _over_tests(
        flat,
        tests,
        columns,
        classes=model.classes_,
        place=place,
        bits=frozenset(columns.index(column) for column in binarizer.binary_columns),
        column_names=None if by_number else [str(column) for column in columns],
        by_name=not by_number and sum(bool(len(group)) for group in groups) > 1,
    )


def _over_columns(model: Any) -> SourceTree:
    """Read a cost-sensitive classifier: its columns are 0 or 1 already."""
    classes = [int(label) for label in np.unique(model.train_y_)]
    flat = flatten(model.tree_, _opened)
    place = {label: i for i, label in enumerate(classes)}
    counts = np.zeros((len(flat.column), len(classes)))
    labels = [0] * len(flat.column)
    for i, (test, leaf) in enumerate(zip(flat.column, flat.value, strict=True)):
        if test < 0:
            labels[i] = place[int(leaf.label)]
            rows = leaf.num_instances_per_class
            counts[i] = [rows[label] if label < len(rows) else 0 for label in classes]
    names = getattr(model, "feature_names_in_", None)
    return over_bits(
        flat._replace(value=tuple(labels)),
        classes,
        int(model.n_features_in_),
        column_names=None if names is None else [str(name) for name in names],
        distribution=counts,
    )


class _Test(NamedTuple):
    """What a column of the binarizer tells: at most a threshold, or one of some values."""

    column: Any
    at_most: float | None
    among: Sequence[Any] = ()


def _tests(binarizer: Any) -> list[_Test]:
    """List what the columns tell that the solver saw, in their order."""
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
            "STreeD made two columns of one name and chose among them by name: rename the columns "
            "of X, or leave max_num_binary_features out"
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


def _places(classes: Sequence[Any]) -> dict[int, int]:
    """Give each label its position; STreeD cuts labels to whole numbers."""
    wrong = [label for label in classes if int(label) != label]
    if wrong:
        raise UnreadableModel(
            f"STreeD cut the label {wrong[0]} to {int(wrong[0])}: use whole numbers from 0 as "
            "labels and fit again"
        )
    return {int(label): i for i, label in enumerate(classes)}


def _opened(node: Any) -> tuple[int, Any, Any]:
    if node.is_leaf_node():
        return -1, node, None
    return int(node.feature), node.left_child, node.right_child


def _over_tests(
    flat: Flat,
    tests: Sequence[_Test],
    columns: Sequence[Any],
    *,
    classes: Sequence[Any],
    place: dict[int, int],
    bits: frozenset[int],
    **known: Any,
) -> SourceTree:
    n = len(flat.column)
    column = np.full(n, -1, dtype=np.int32)
    threshold = np.full(n, 0.5)
    leaf_class = np.full(n, -1, dtype=np.int32)
    counts = np.zeros((n, len(classes)))
    members: dict[int, list[Any]] = {}
    # The binarizer's column is 1 where its test holds.
    when_true = np.arange(n, dtype=np.int32) + np.array(flat.one, dtype=np.int32)
    when_false = np.arange(n, dtype=np.int32) + np.array(flat.zero, dtype=np.int32)
    for i, feature in enumerate(flat.column):
        if feature < 0:
            leaf = flat.value[i]
            leaf_class[i] = place[int(leaf.label)]
            rows = leaf.num_instances_per_class
            counts[i] = [rows[label] if label < len(rows) else 0 for label in place]
            continue
        test = tests[feature]
        column[i] = columns.index(test.column)
        if test.at_most is not None:
            threshold[i] = test.at_most
        elif int(column[i]) in bits:  # "is 1" or, of a 0/1 column said to be categorical, "is 0"
            if 1 in test.among:
                when_true[i], when_false[i] = when_false[i], when_true[i]
        else:
            members[i] = [plain_label(value) for value in test.among]
    categories: dict[int, list[Any]] = {}
    for test in tests:
        at = columns.index(test.column)
        if test.among and at not in bits:
            known_labels = categories.setdefault(at, [])
            labels = [plain_label(value) for value in test.among]
            known_labels += [label for label in labels if label not in known_labels]
    return SourceTree(
        classes=classes,
        column=column,
        threshold=threshold,
        when_true=when_true,
        when_false=when_false,
        leaf_class=leaf_class,
        n_columns=len(columns),
        members=members,
        categories=categories,
        binary=bits,
        distribution=counts,
        **known,
    )
