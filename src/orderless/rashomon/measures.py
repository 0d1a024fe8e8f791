"""What can be measured of trees of classes: counts, rates, ratios, costs, differences of groups.

In:  a name, a cost matrix, or a callable of (label, prediction); ``MeasuredRows``.
Out: a ``Quantity``; whether more of it is better.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ..errors import InvalidData
from ..inputs import exact, near, shown, some_names
from ..model import Label, plain_label
from .measured_rows import MeasuredRows
from .quantity import Quantity, quantity_of

__all__ = ["SHARES", "class_quantity", "more_is_better"]

# What counts: whether the label is the positive class, whether the prediction is, and whether the
# two are equal.
Counting = Callable[[bool, bool, bool], bool]
COUNTS: dict[str, Counting] = {
    "errors": lambda label, says, equal: not equal,
    "correct": lambda label, says, equal: equal,
    "false positives": lambda label, says, equal: says and not label,
    "false negatives": lambda label, says, equal: label and not says,
    "true positives": lambda label, says, equal: label and says,
    "true negatives": lambda label, says, equal: not label and not says,
    "positives": lambda label, says, equal: says,
    "negatives": lambda label, says, equal: not says,
}
# A count, as a share of all rows, of those whose label is positive (True), or negative (False).
RATES: dict[str, tuple[str, bool | None]] = {
    "error rate": ("errors", None),
    "accuracy": ("correct", None),
    "positive rate": ("positives", None),
    "fpr": ("false positives", False),
    "fnr": ("false negatives", True),
    "tpr": ("true positives", True),
    "tnr": ("true negatives", False),
}
# Counts, each so many times, over others: the denominator depends on the tree.
RATIOS: dict[str, tuple[dict[str, int], dict[str, int]]] = {
    "precision": ({"true positives": 1}, {"positives": 1}),
    "negative predictive value": ({"true negatives": 1}, {"negatives": 1}),
    "f1": (
        {"true positives": 2},
        {"true positives": 2, "false positives": 1, "false negatives": 1},
    ),
    "jaccard": (
        {"true positives": 1},
        {"true positives": 1, "false positives": 1, "false negatives": 1},
    ),
}
BALANCED = "balanced accuracy"
SHARES = ("squared error", "brier score")
OTHER_NAMES = {
    "false positive rate": "fpr",
    "false negative rate": "fnr",
    "true positive rate": "tpr",
    "true negative rate": "tnr",
    "recall": "tpr",
    "sensitivity": "tpr",
    "specificity": "tnr",
}
BETWEEN_GROUPS = {
    "demographic parity": "positive rate",
    "equal opportunity": "tpr",
    "predictive equality": "fpr",
    "equal error rates": "error rate",
}
NO_LABELS = ("positives", "negatives", "positive rate")
BETTER = {
    "correct",
    "true positives",
    "true negatives",
    "accuracy",
    "tpr",
    "tnr",
    BALANCED,
    *RATIOS,
}


def more_is_better(measure: Any) -> bool:
    """Whether a measure is better the larger it is; a cost is not."""
    return isinstance(measure, str) and OTHER_NAMES.get(measure, measure) in BETTER


def _known() -> list[str]:
    return [*COUNTS, *RATES, BALANCED, *RATIOS, *SHARES, *OTHER_NAMES, *BETWEEN_GROUPS]


def class_quantity(
    measure: Any, rows: MeasuredRows, classes: tuple[Label, ...], positive: Any
) -> Quantity:
    """Read what to measure of trees of classes.

    Parameters
    ----------
    measure : str, mapping, table or callable
    classes : tuple of labels
        What leaves predict.
    positive : label, or None for the last class
    """
    if not isinstance(measure, str):
        return _quantity(_name_of(measure), rows, classes, [_of_pairs(measure, rows, classes)])
    name = _plain_name(measure, rows)
    wanted = classes[-1] if positive is None else _positive(positive, classes)
    if name in RATIOS:
        if rows.group is not None:
            raise InvalidData(
                f"{measure!r} is a ratio of two counts, both of which depend on the tree, so its "
                "difference between groups is no sum: choose a rate such as 'tpr', or measure "
                "each group with rows="
            )
        cells = [_counted(part, rows, classes, wanted) for part in RATIOS[name]]
        return _quantity(measure, rows, classes, cells)
    if name == BALANCED:
        return _quantity(measure, rows, classes, [_balanced(rows, classes)])
    count, among = RATES.get(name, (name, None))
    table = _counted({count: 1}, rows, classes, wanted)
    if name in RATES:
        table = _per_weight(measure, table, rows, wanted, among)
    return _quantity(measure, rows, classes, [table])


def _plain_name(measure: str, rows: MeasuredRows) -> str:
    """Give the one name of a measure; say which there are."""
    name = OTHER_NAMES.get(measure, measure)
    if name in BETWEEN_GROUPS:
        if rows.group is None:
            raise InvalidData(f"{measure!r} compares two groups: give groups=, one label per row")
        return BETWEEN_GROUPS[name]
    if name not in (*COUNTS, *RATES, *RATIOS, BALANCED):
        raise InvalidData(
            f"measure must be one of {some_names(_known(), 40)}, a cost matrix or a callable of "
            f"(label, prediction), got {measure!r:.80}{near(measure, _known())}"
        )
    return name


def _positive(given: Any, classes: tuple[Label, ...]) -> Label:
    label = plain_label(given)
    if label not in classes:
        raise InvalidData(
            f"positive must be one of the classes {some_names(classes)}, got {given!r:.80}"
        )
    return label


# A table says, by truth, what a row of each group counts by prediction.
Table = list[list[list[Fraction]]]  # group, truth, prediction


def _groups(rows: MeasuredRows) -> range:
    return range(1 if rows.group is None else 2)


def _sign(rows: MeasuredRows, group: int) -> int:
    """Of two groups, the second counts, less the first."""
    return -1 if rows.group is not None and group == 0 else 1


def _counted(
    counts: Mapping[str, int], rows: MeasuredRows, classes: tuple[Label, ...], positive: Label
) -> Table:
    """Count rows, some of them several times."""
    truths: Sequence[Any] = rows.truths
    if rows.which is None:
        if not set(counts) <= set(NO_LABELS):
            rows.truth  # noqa: B018 (says that labels are missing)
        truths = (None,)
    return [
        [
            [
                Fraction(_sign(rows, group) * sum(
                    times * COUNTS[name](truth == positive, says == positive, truth == says)
                    for name, times in counts.items()
                ))
                for says in classes
            ]
            for truth in truths
        ]
        for group in _groups(rows)
    ]  # fmt: skip


def _per_weight(
    measure: str, table: Table, rows: MeasuredRows, positive: Label, among: bool | None
) -> Table:
    """Make shares of counts: of all rows, or of those whose label is positive or is not."""
    inside = slice(None) if among is None else rows.have(positive) == among
    out = []
    for group, part in enumerate(table):
        total = rows.total(inside, None if rows.group is None else group)
        if not total:
            of = "" if rows.group is None else f" of group {rows.group_names[group]!r}"
            kind = "" if among is None else f" whose label is {'' if among else 'not '}{positive!r}"
            raise InvalidData(
                f"{measure!r} is a share of the rows{of}{kind}, and there are none with weight"
            )
        out.append([[each / total for each in row] for row in part])
    return out


def _balanced(rows: MeasuredRows, classes: tuple[Label, ...]) -> Table:
    """Give the mean over classes of the share that is right."""
    out = []
    for group in _groups(rows):
        totals = [
            rows.total(rows.have(truth), None if rows.group is None else group)
            for truth in rows.truths
        ]
        n = sum(map(bool, totals))
        if not n:
            raise InvalidData(f"{BALANCED!r} is a mean over classes, and no row has any weight")
        out.append([
            [
                Fraction(_sign(rows, group) * (truth == says), n) / total if total else Fraction(0)
                for says in classes
            ]
            for truth, total in zip(rows.truths, totals, strict=True)
        ])  # fmt: skip
    return out


def _name_of(measure: Any) -> str:
    if callable(measure):
        name: str = getattr(measure, "__name__", type(measure).__name__)
        return name
    return "cost"


def _of_pairs(measure: Any, rows: MeasuredRows, classes: tuple[Label, ...]) -> Table:
    """Ask a callable or a cost matrix once for every label and prediction."""
    rows.truth  # noqa: B018 (says that labels are missing)
    of = measure if callable(measure) else _costs(measure, classes)
    part = [[_exact(of(truth, says), truth, says) for says in classes] for truth in rows.truths]
    return [[[_sign(rows, g) * x for x in row] for row in part] for g in _groups(rows)]


def _exact(cost: Any, label: Any, says: Any) -> Fraction:
    try:
        return exact(cost, text=False)
    except (TypeError, ValueError):
        raise InvalidData(
            f"the measure of label {label!r} and prediction {says!r} must be a finite number, got "
            f"{shown(cost)}"
        ) from None


def _costs(given: Any, classes: tuple[Label, ...]) -> Callable[[Any, Any], Any]:
    """Read a cost matrix: pairs, a frame, or a table in the order of the classes."""
    if hasattr(given, "columns") and hasattr(given, "loc"):
        given = {
            (plain_label(label), plain_label(says)): given.loc[label, says]
            for label in given.index
            for says in given.columns
        }
    if not isinstance(given, Mapping):
        table = np.asarray(given, dtype=object)
        if table.shape != (len(classes), len(classes)):
            raise InvalidData(
                "measure must be a name, a callable of (label, prediction), or a cost matrix: a "
                f"dict of (label, prediction), or a table of {len(classes)} labels by "
                f"{len(classes)} predictions in the order {some_names(classes)}; got "
                f"{type(given).__name__} of shape {table.shape}"
            )
        given = {
            (label, says): table[i, j]
            for i, label in enumerate(classes)
            for j, says in enumerate(classes)
        }
    costs: Mapping[Any, Any] = given

    def of(label: Any, says: Any) -> Any:
        if (label, says) not in costs and label != says:
            raise InvalidData(
                f"the cost matrix has no cost of label {label!r} and prediction {says!r}: give one "
                "for every pair that differs"
            )
        return costs.get((label, says), 0)

    return of


def _quantity(
    name: str, rows: MeasuredRows, classes: tuple[Label, ...], tables: list[Table]
) -> Quantity:
    """Give every group and label a part of its own."""
    n_truths = len(tables[0][0])
    part = np.zeros(len(rows.weights), dtype=np.int32)
    if rows.which is not None:
        part += rows.which.astype(np.int32)
    if rows.group is not None:
        part += (rows.group * n_truths).astype(np.int32)
    scaled = [
        [[x / rows.weight_scale for x in row] for group in table for row in group]
        for table in tables
    ]
    labels = np.arange(len(classes), dtype=np.int32)
    return quantity_of(name, rows.bits, part, rows.weights, labels, scaled)
