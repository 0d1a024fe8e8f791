"""The trees around one tree: all that are about as good, over its own conditions and more.

In:  a ``Tree``, complete rows and their labels.
Out: ``Around``: near-optimal trees, and where this one stands among them.
Paper: Section 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidData, InvalidSpace, TooLarge
from ...importance import Given
from ...inputs import CODE, F32, F64, Rows, read_rows
from ...model import Column, Condition, Feature, Space, Tree
from ...rashomon import MOST_DEPTH, RashomonSet

__all__ = ["EPSILON", "REGULARIZATION", "Around", "all_rows", "around"]

REGULARIZATION = Fraction(1, 100)
EPSILON = Fraction(2, 100)
MOST_CELLS = 300_000  # of the table in which thresholds are guessed, by class: about a second
MOST_CATEGORIES = 20  # more of one feature are not guessed among
SECONDS = 1.5
BYTES = 1024**3

Bits = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Around:
    """Near-optimal trees, and one tree among them or beside them.

    Attributes
    ----------
    found : RashomonSet
    n_own : int
        How many of its columns are conditions of the tree; the others were guessed.
    n_guessed_from : int
        How many rows the others were guessed from, drawn from all where those are too many.
    objective : Fraction
        The tree's own.
    n_rows : int
    """

    found: RashomonSet
    n_own: int
    n_guessed_from: int
    objective: Fraction
    n_rows: int

    @property
    def inside(self) -> bool:
        """Whether the tree is near-optimal itself."""
        return self.objective <= self.found.bound

    @property
    def n_better(self) -> int:
        """How many trees of the set have a smaller objective than this tree."""
        table = self.found.histogram()
        rows = zip(table["errors"], table["leaves"], table["trees"], strict=True)
        return sum(
            int(n)
            for errors, leaves, n in rows
            if Fraction(int(errors), self.n_rows) + REGULARIZATION * int(leaves) < self.objective
        )


def all_rows(tree: Tree, X: Any) -> Rows:
    """Read what the tree asks about, and of its other features what X has.

    Rows that were read stay as they are.
    """
    others = set(range(len(tree.space))) - set(tree.used)
    return X if isinstance(X, Rows) else read_rows(X, tree.space, tree.used, also=sorted(others))


def around(tree: Tree, X: Any, y: Any) -> Around:
    """Find all near-optimal trees of at most the tree's depth, over 0/1 columns.

    The columns are the tree's own conditions, so that it is one of the trees that are compared,
    and conditions on the features of X that threshold guessing finds. Without the guessed ones the
    tree would be compared with trees that know no other thresholds than its own.

    Raises
    ------
    InvalidData
        If there is nothing to compare with, or the tree has conditions that are no columns.
    OutOfTime, OutOfMemory, TooLarge
        If there are too many trees.
    """
    if any(tree.space.features[i].nan for i in tree.used):
        raise InvalidData("for this tree, missing is a value of its own, and near-optimal trees "
                          "are searched for on complete rows only")  # fmt: skip
    if tree.depth > MOST_DEPTH:
        raise TooLarge(f"the tree is {tree.depth} conditions deep", MOST_DEPTH)
    rows = all_rows(tree, X)
    given = Given.read(tree, rows, None)
    columns = dict(_own(tree, given))
    n_own = len(columns)
    if not n_own:
        raise InvalidData("the tree has no splits, so there is nothing to compare")
    found = _trees(tree, columns, y)  # where these are too many, more columns need no guessing
    guessed, n_guessed_from = _guessed(tree, rows, y)
    for key, column in guessed:
        columns.setdefault(key, column)
    if len(columns) > n_own:
        found = _trees(tree, columns, y)
    wrong = int((np.asarray(tree.predict(rows)) != np.asarray(y)).sum())
    objective = Fraction(wrong, given.n_rows) + REGULARIZATION * tree.n_leaves
    return Around(found, n_own, n_guessed_from, objective, given.n_rows)


Key = tuple[str, Any]
Cut = tuple[Key, tuple[Condition, Bits]]


def _trees(tree: Tree, columns: dict[Key, tuple[Condition, Bits]], y: Any) -> RashomonSet:
    """Find the near-optimal trees over some conditions."""
    space = Space(
        tree.space.features,
        [Column(f"column {k}", c.feature, c) for k, (c, _) in enumerate(columns.values())],
    )
    bits = np.stack([bits for _, bits in columns.values()], axis=1).astype(np.int8)
    return RashomonSet(
        tree.depth, REGULARIZATION, EPSILON, space,
        binarizer=None, memory_limit=BYTES, time_limit=SECONDS,
    ).fit(bits, y)  # fmt: skip


def _key(feature: Feature, condition: Condition) -> Key:
    """Name a condition: the same for one that divides the values alike."""
    if condition.at_most is not None:
        return feature.name, float(feature.at_most(condition.at_most))
    chosen = set(condition.among or ())
    if feature.kind == "boolean":
        return feature.name, 0.0
    rest = set(feature.categories) - chosen
    return feature.name, min(tuple(sorted(map(repr, part))) for part in (chosen, rest))


def _own(tree: Tree, given: Given) -> list[Cut]:
    """Give the tree's own conditions."""
    out: list[Cut] = []
    everything = np.arange(given.n_rows)
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        feature = tree.space.features[tree.feature[node]]
        if feature.kind == "numeric":
            condition = Condition(feature.name, at_most=float(tree.threshold[node]))
        elif feature.kind == "boolean":
            condition = Condition(feature.name, among=(False,))
        else:
            codes = [int(code) for code in tree.set_of(node)]
            if feature.other:
                raise InvalidData(f"{feature.name!r} allows values that are not listed")
            condition = Condition(feature.name, among=tuple(feature.label(c) for c in codes))
        out.append((_key(feature, condition), (condition, given.holds(node, everything))))
    return out


def _guessed(tree: Tree, rows: Rows, y: Any) -> tuple[list[Cut], int]:
    """Give the conditions that threshold guessing finds in the features that X has.

    They are proposals: where rows x features x classes are many, a part of the rows is enough to
    make them. Also gives how many rows they were made from.
    """
    from ...inputs import ThresholdGuessBinarizer

    table: list[NDArray[np.float64]] = []
    columns: list[Column] = []
    features: list[Feature] = []
    for i, feature in enumerate(tree.space.features):
        kind, values, _ = rows.columns[i]
        if values is None or feature.nan or feature.other:
            continue  # None: X does not have it
        if kind in (F64, F32) and np.isfinite(values).all():
            table.append(values.astype(np.float64))
            columns.append(Column(feature.name, feature.name))
        elif kind == CODE and feature.n_values <= MOST_CATEGORIES and (values >= 0).all():
            for code, label in enumerate(feature.categories):
                table.append((values == code).astype(np.float64))
                name = f"{feature.name} = {label}"
                columns.append(Column(name, feature.name, Condition(feature.name, among=(label,))))
        else:
            continue  # known in part, or binarized before
        features.append(feature)
    if not table:
        return [], 0
    numbers, labels = np.stack(table, axis=1), np.asarray(y)
    n_classes = len(tree.classes) if len(tree.classes) > 2 else 1
    most = max(MOST_CELLS // (numbers.shape[1] * n_classes), 100)
    some = np.arange(len(numbers))
    if len(numbers) > most:
        some = np.sort(np.random.default_rng(0).choice(len(numbers), most, replace=False))
    try:
        binarizer = ThresholdGuessBinarizer(space=Space(features, columns))
        fitted = binarizer.fit(numbers[some], labels[some])
    except (InvalidData, InvalidSpace):  # nothing varies, or names that clash
        return [], 0
    bits = np.asarray(fitted.transform(numbers), dtype=bool)
    out: list[Cut] = []
    for k, column in enumerate(fitted.space_.columns):
        assert column.condition is not None
        key = _key(tree.space[column.feature], column.condition)
        out.append((key, (column.condition, bits[:, k])))
    return out, len(some)
