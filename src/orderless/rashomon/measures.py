"""What is measured of trees: counts, rates, ratios, costs, losses; on which rows, between whom.

In:  a name, a cost matrix or a callable; rows, labels, groups, weights, as people write them.
Out: ``Measure``; for a set of trees, the rows as a ``MeasuredRows`` and what is summed up over them
     as a ``Quantity``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, TooLarge, a_kind
from ..inputs import exact, frame_of, near, numbered_classes, shown, some_names
from ..model import Label, plain_label
from .leaf_sums import Quantity, quantity_of
from .listed import Source
from .number_rows import target_of
from .problem import Problem, whole_weights
from .target import distinct_numbers
from .view import View

__all__ = ["Measure", "MeasuredRows", "measured_rows", "quantity_on", "read_measure"]

# What counts: whether the label is the positive class, whether the prediction is, and whether the
# two are equal.
Counting = Callable[[bool, bool, bool], bool]
COUNTS: dict[str, Counting] = {
    "errors": lambda label, predicted, equal: not equal,
    "correct": lambda label, predicted, equal: equal,
    "false positives": lambda label, predicted, equal: predicted and not label,
    "false negatives": lambda label, predicted, equal: label and not predicted,
    "true positives": lambda label, predicted, equal: label and predicted,
    "true negatives": lambda label, predicted, equal: not label and not predicted,
    "positives": lambda label, predicted, equal: predicted,
    "negatives": lambda label, predicted, equal: not predicted,
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
LEAF_SHARES = ("squared error", "brier score")  # of classes
BETWEEN_GROUPS = {
    "demographic parity": "positive rate",
    "equal opportunity": "tpr",
    "predictive equality": "fpr",
    "equal error rates": "error rate",
}
OF_CLASSES = (*COUNTS, *RATES, BALANCED, *RATIOS, *LEAF_SHARES, *BETWEEN_GROUPS)
OF_NUMBERS = (
    "squared error", "absolute error", "mean squared error", "mean absolute error",
    "mean prediction",
)  # fmt: skip
NAMES = tuple(dict.fromkeys((*OF_CLASSES, *OF_NUMBERS)))
ELSEWHERE = {  # what other libraries call them
    "recall": "tpr", "sensitivity": "tpr", "true positive rate": "tpr", "specificity": "tnr",
    "true negative rate": "tnr", "false positive rate": "fpr", "false negative rate": "fnr",
    "mse": "mean squared error", "mae": "mean absolute error",
}  # fmt: skip
LARGER_IS_BETTER = {
    "correct", "true positives", "true negatives", "accuracy", "tpr", "tnr", BALANCED, *RATIOS,
}  # fmt: skip
WITHOUT_LABELS = {
    "positives", "negatives", "positive rate", "demographic parity", "mean prediction",
}  # fmt: skip
MAX_CELLS = 20_000_000  # numbers of rows times numbers of leaves


@dataclass(frozen=True, eq=False, repr=False)
class Measure:
    """What is measured of trees, on which rows.

    Parameters
    ----------
    name : str, cost matrix, or callable of (label, prediction)
        Counts: "errors", "correct", "false positives", "false negatives", "true positives",
        "true negatives", "positives", "negatives". Rates: "error rate", "accuracy", "fpr", "fnr",
        "tpr" (sensitivity, recall), "tnr" (specificity), "positive rate", "balanced accuracy".
        Ratios: "precision", "f1", "jaccard", "negative predictive value". Of the shares of leaves:
        "squared error", "brier score". Between groups: "demographic parity", "equal opportunity",
        "predictive equality" and "equal error rates", the differences of "positive rate", "tpr",
        "fpr" and "error rate". A cost matrix is a dict of (label, prediction), a frame, or a table
        in the order of ``classes``; numbers are read as the decimals that are written. A callable
        is called once for each label and prediction. For regression: "squared error", "absolute
        error", "mean squared error", "mean absolute error", "mean prediction", or a callable of
        (number, prediction).
    X, y : rows and labels, optional
        Complete rows, such as a validation set. By default the training rows; in ``choose`` its
        X and y, if it has them.
    groups : array of labels, or the name of a column, optional
        One of two groups for each row: then the measure is its value in the second group (in
        sorted order) less that in the first.
    positive : label, optional
        Which class is positive; by default the last one.
    rows : array of bool, optional
        Which of the rows count.
    sample_weight : array of numbers from 0, optional
        By default the weights of the training rows; 1 for other rows.

    Examples
    --------
    >>> from orderless import Measure
    >>> Measure("equal opportunity", groups="sex", positive="yes")
    Measure('equal opportunity', groups='sex', positive='yes')
    >>> Measure("f1").larger_is_better, Measure("errors").larger_is_better
    (True, False)
    """

    name: Any
    X: Any = None
    y: Any = None
    _: KW_ONLY
    groups: Any = None
    positive: Any = None
    rows: Any = None
    sample_weight: Any = None

    def __post_init__(self) -> None:
        name = self.name
        if isinstance(name, str):
            self._check_name(name)
        elif isinstance(name, Measure):
            raise InvalidData("a Measure is made of a name, a cost matrix or a callable, got one")
        if self.X is None and self.y is not None:
            raise InvalidData("y came without X: give the rows that the labels are of, too")
        if self.X is not None and self.y is None and name not in _unlabelled(name):
            raise InvalidData(f"{self.title!r} compares predictions with labels: give y, too")

    def _check_name(self, name: str) -> None:
        if name not in NAMES:
            hint = near(name, NAMES)
            if name.casefold() in ELSEWHERE:
                hint = f": it is called {ELSEWHERE[name.casefold()]!r} here"
            raise InvalidData(
                f"a measure must be one of {some_names(NAMES, 40)}, a cost matrix or a callable of "
                f"(label, prediction), got {name!r:.80}{hint}"
            )
        if self.groups is None and name in BETWEEN_GROUPS:
            raise InvalidData(f"{name!r} compares two groups: give groups=, one label per row")
        if self.groups is not None and name in RATIOS:
            raise InvalidData(
                f"{name!r} is a ratio of two counts, both of which depend on the tree, so its "
                "difference between groups is no sum: choose a rate such as 'tpr', or measure "
                "each group with rows="
            )

    @property
    def larger_is_better(self) -> bool:
        """Whether more of it is better; of a cost less is, and of a difference what is near 0."""
        return isinstance(self.name, str) and self.name in LARGER_IS_BETTER

    @property
    def title(self) -> str:
        """Return its name; that of a callable is the function's, and a matrix is a cost."""
        if isinstance(self.name, str):
            return self.name
        if not callable(self.name):
            return "cost"
        title: str = getattr(self.name, "__name__", type(self.name).__name__)
        return title

    def __repr__(self) -> str:
        texts = [repr(self.title)]
        texts += [name for name in ("X", "y") if getattr(self, name) is not None]
        for name in ("groups", "positive", "rows", "sample_weight"):
            if (value := getattr(self, name)) is not None:
                short = isinstance(value, str | int | float)
                texts.append(f"{name}={value!r}" if short else f"{name}=...")
        return f"Measure({', '.join(texts)})"


def _unlabelled(name: Any) -> tuple[Any, ...]:
    return (name,) if isinstance(name, str) and name in WITHOUT_LABELS else ()


def read_measure(measure: Any) -> Measure:
    """Check that a measure is one; a name alone is measured on the training rows."""
    if isinstance(measure, Measure):
        return measure
    if isinstance(measure, str):
        return Measure(measure)
    raise TypeError(f"a measure must be an orderless.Measure or a name, got {a_kind(measure)}")


# -- the rows that it is measured on ---------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class MeasuredRows:
    """Rows that trees are measured on.

    Attributes
    ----------
    bits : array of 0/1, rows by columns
    labels : tuple of labels, or of Fractions
        The different ones; None alone where there are none.
    label : array of int
        The position of each row's label among them.
    weights : array of int
        In ``1 / weight_scale``-ths.
    weight_scale : int
    group : array of 0/1, or None
        The group of each row.
    group_names : tuple of two labels, or empty
    """

    bits: NDArray[np.uint8]
    labels: tuple[Any, ...]
    label: NDArray[np.intp]
    weights: NDArray[np.int64]
    weight_scale: int
    group: NDArray[np.intp] | None = None
    group_names: tuple[Label, ...] = ()

    @property
    def groups(self) -> tuple[int | None, ...]:
        """The groups that rows are in; None alone where there are none."""
        return (None,) if self.group is None else (0, 1)

    @property
    def part(self) -> NDArray[np.int32]:
        """Number the groups and labels: that of each row."""
        group = 0 if self.group is None else self.group
        return np.asarray(group * len(self.labels) + self.label, dtype=np.int32)

    def total(self, inside: Any = slice(None), group: int | None = None) -> Fraction:
        """Return the weight of some rows, of one group or of all."""
        chosen = np.zeros(len(self.weights), dtype=bool)
        chosen[inside] = True
        if group is not None:
            chosen &= self.group == group
        return Fraction(int(self.weights[chosen].sum()), self.weight_scale)

    def have(self, label: Any) -> NDArray[np.bool_]:
        """Tell which rows have a label."""
        positions = [i for i, other in enumerate(self.labels) if other == label]
        return np.isin(self.label, positions)


def measured_rows(problem: Problem, measure: Measure) -> MeasuredRows:
    """Read the rows; without X the training rows, with their labels and weights."""
    labels: tuple[Any, ...]
    label: Any
    X, y = measure.X, measure.y
    if X is None:
        _check_order(problem, measure)
        bits = problem.table.bits
        labels, label = _training_labels(problem)
    else:
        bits = problem.columns.read_complete(X)
        labels, label = _read_labels(problem, y, len(bits))
    if measure.sample_weight is not None:
        weights, scale = whole_weights(measure.sample_weight, len(bits))
    elif X is None:
        weights, scale = problem.amounts, problem.weight_scale
    else:
        weights, scale = whole_weights(None, len(bits))
    chosen = _mask(measure.rows, len(bits))
    names, group = _read_groups(problem, measure, bits, chosen)
    return MeasuredRows(
        np.ascontiguousarray(bits[chosen]),
        labels,
        np.asarray(label, dtype=np.intp)[chosen],
        weights[chosen],
        scale,
        group,
        names,
    )


def _check_order(problem: Problem, measure: Measure) -> None:
    for name in ("rows", "groups", "sample_weight"):
        value = getattr(measure, name)
        if value is not None and not isinstance(value, str) and not problem.in_order:
            raise InvalidData(
                f"{name} goes by the order of the training rows, and a set that was read from "
                "a file has put equal ones together: give X and y, too"
            )


def _training_labels(problem: Problem) -> tuple[tuple[Any, ...], Any]:
    table = problem.table
    if problem.task == "classification":
        return table.classes, table.labels
    target = target_of(problem)
    labels, which = np.unique(table.labels, return_inverse=True)
    step = Fraction(10) ** -target.decimals
    steps = target.of_row(labels).tolist()
    return tuple((target.numbers.low + each) * step for each in steps), which.ravel()


def _read_labels(problem: Problem, y: Any, n_rows: int) -> tuple[tuple[Any, ...], Any]:
    if y is None:
        return (None,), np.zeros(n_rows, dtype=np.intp)
    if problem.task == "regression":
        numbers, which = distinct_numbers(y)
        labels: tuple[Any, ...] = tuple(numbers)
    else:
        labels, which = numbered_classes(y)  # type: ignore[assignment]
    if len(which) != n_rows:
        what = "numbers" if problem.task == "regression" else "labels"
        raise InvalidData(f"X has {n_rows} rows and y has {len(which)} {what}")
    return labels, which


def _mask(rows: Any, n_rows: int) -> NDArray[np.intp]:
    """Read which rows are meant."""
    if rows is None:
        if not n_rows:
            raise InvalidData("X has no rows: give at least one")
        return np.arange(n_rows)
    mask = np.asarray(rows)
    if mask.dtype != bool or mask.shape != (n_rows,):
        raise InvalidData(
            f"rows must be a mask: {n_rows:,} times True or False, one per row, got "
            f"{mask.dtype} of shape {mask.shape}"
        )
    if not mask.any():
        raise InvalidData("rows is False for every row: choose at least one")
    return np.flatnonzero(mask)


def _read_groups(
    problem: Problem, measure: Measure, bits: NDArray[np.uint8], chosen: NDArray[np.intp]
) -> tuple[tuple[Label, ...], NDArray[np.intp] | None]:
    """Read which of two groups each of the chosen rows is in."""
    groups = measure.groups
    if groups is None:
        return (), None
    if isinstance(groups, str):
        groups = _column(problem, groups, measure.X, bits)
    values, codes = numbered_classes(groups)
    if len(codes) != len(bits):
        raise InvalidData(f"there are {len(bits):,} rows and {len(codes):,} groups: one per row")
    used, which = np.unique(codes[chosen], return_inverse=True)
    names: tuple[Label, ...] = tuple(values[i] for i in used.tolist())
    if len(names) != 2:
        raise InvalidData(
            f"groups must be two, got {len(names)}: {some_names(names, 4)}; a difference is "
            "between two: choose their rows with rows=, or compare one with all others by a mask"
        )
    return names, which.ravel().astype(np.intp)


def _column(problem: Problem, name: str, X: Any, bits: NDArray[np.uint8]) -> Any:
    """Return a column of X, or one of the set's 0/1 columns."""
    frame = None if X is None else frame_of(X)
    if frame is not None and name in frame.columns:
        return frame[name].to_list()
    names = problem.columns.names
    if name in names:
        return bits[:, names.index(name)]
    allowed = [*([] if frame is None else frame.columns), *names]
    raise InvalidData(
        f"groups names no column: there is no {name!r}{near(name, allowed)}; there are "
        f"{some_names(allowed)}"
    )


# -- what is summed up -----------------------------------------------------------------------------

Pair = Callable[[Any, Any], Any]  # what a row counts, by its label and the prediction
Share = Callable[[int | None, Any], Fraction]  # what that is taken times, by group and label


def reads_leaf_shares(measure: Measure, problem: Problem) -> bool:
    """Tell whether it is measured by the shares of classes in leaves, not by their predictions."""
    classes = problem.task == "classification"
    if classes and isinstance(measure.name, str) and measure.name in LEAF_SHARES:
        if measure.groups is not None:
            raise InvalidData(
                f"{measure.name!r} has no difference between groups: choose a rate, or measure "
                "each group with rows="
            )
        return True
    return False


def quantity_on(measure: Measure, rows: MeasuredRows, source: Source, view: View) -> Quantity:
    """Return what is summed up over the leaves of trees."""
    name, problem = measure.name, source.problem
    numbers = problem.task == "regression"
    allowed = OF_NUMBERS if numbers else OF_CLASSES
    if isinstance(name, str) and name not in allowed:
        raise InvalidData(
            f"a measure of a set of task={problem.task!r} must be one of {some_names(allowed, 40)}"
            f", got {name!r:.80}"
        )
    if not numbers:
        labels = np.arange(len(problem.classes), dtype=np.int32)
        tables = _class_tables(measure, rows, problem.classes)
        return _quantity(measure.title, rows, labels, tables)
    if measure.positive is not None:
        raise InvalidData("positive is a class, and this set is of task='regression'")
    if not isinstance(name, str) and not callable(name):
        raise InvalidData(
            f"a measure of a set of task='regression' must be one of {some_names(OF_NUMBERS)}, or "
            f"a callable of (number, prediction), got {a_kind(name)}"
        )
    labels = source.said(view)
    target = target_of(problem)
    leaves = [target.numbers.exact(label) for label in labels.tolist()]
    return _number_quantity(measure, rows, labels, leaves)


def _class_tables(
    measure: Measure, rows: MeasuredRows, classes: tuple[Label, ...]
) -> list[list[list[Fraction]]]:
    name = measure.name
    if not isinstance(name, str):
        of = name if callable(name) else _costs(name, classes)
        return [_table(rows, classes, lambda y, p: _exact(of(y, p), "label", y, p))]
    name = BETWEEN_GROUPS.get(name, name)
    positive = classes[-1] if measure.positive is None else _positive(measure.positive, classes)

    def counting(counts: Mapping[str, int]) -> Pair:
        return lambda y, p: sum(
            times * COUNTS[each](y == positive, p == positive, y == p)
            for each, times in counts.items()
        )

    if name in RATIOS:
        return [_table(rows, classes, counting(counts)) for counts in RATIOS[name]]
    if name == BALANCED:
        return [_table(rows, classes, counting({"correct": 1}), _share_of_class(rows))]
    if name in RATES:
        count, among = RATES[name]
        share = _share_of_rows(measure.title, rows, positive, among)
        return [_table(rows, classes, counting({count: 1}), share)]
    return [_table(rows, classes, counting({name: 1}))]


def _positive(value: Any, classes: tuple[Label, ...]) -> Label:
    label = plain_label(value)
    if label not in classes:
        raise InvalidData(
            f"positive must be one of the classes {some_names(classes)}, got {value!r:.80}"
        )
    return label


def _table(
    rows: MeasuredRows, predictions: Sequence[Any], pair: Pair, share: Share | None = None
) -> list[list[Fraction]]:
    """Return what a unit of weight counts, by group and label, and by prediction.

    Of two groups the second counts, less the first.
    """
    counts = [[Fraction(pair(label, p)) for p in predictions] for label in rows.labels]
    out = []
    for group in rows.groups:
        for label, row in zip(rows.labels, counts, strict=True):
            times = Fraction(-1 if group == 0 else 1, rows.weight_scale)
            if share is not None:
                times *= share(group, label)
            out.append([times * count for count in row])
    return out


def _share_of_rows(title: str, rows: MeasuredRows, positive: Label, among: bool | None) -> Share:
    """Make a share of a count: of all rows, or of those whose label is positive or is not."""
    inside = slice(None) if among is None else rows.have(positive) == among
    totals = {group: rows.total(inside, group) for group in rows.groups}
    for group, total in totals.items():
        if not total:
            of = "" if group is None else f" of group {rows.group_names[group]!r}"
            kind = "" if among is None else f" whose label is {'' if among else 'not '}{positive!r}"
            raise InvalidData(
                f"{title!r} is a share of the rows{of}{kind}, and there are none with weight"
            )
    return lambda group, label: 1 / totals[group]


def _share_of_class(rows: MeasuredRows) -> Share:
    """Make a mean over classes of the share of each."""
    totals = {
        group: {label: rows.total(rows.have(label), group) for label in rows.labels}
        for group in rows.groups
    }
    for of_group in totals.values():
        if not any(of_group.values()):
            raise InvalidData(f"{BALANCED!r} is a mean over classes, and no row has any weight")

    def share(group: int | None, label: Any) -> Fraction:
        total = totals[group][label]
        return 1 / (total * sum(map(bool, totals[group].values()))) if total else Fraction(0)

    return share


def _exact(cost: Any, what: str, label: Any, prediction: Any) -> Fraction:
    try:
        return exact(cost, text=False)
    except (TypeError, ValueError):
        raise InvalidData(
            f"the measure of {what} {label!r} and prediction {prediction!r} must be a finite "
            f"number, got {shown(cost)}"
        ) from None


def _costs(matrix: Any, classes: tuple[Label, ...]) -> Pair:
    """Read a cost matrix: pairs, a frame, or a table in the order of the classes."""
    if hasattr(matrix, "columns") and hasattr(matrix, "loc"):
        matrix = {
            (plain_label(label), plain_label(prediction)): matrix.loc[label, prediction]
            for label in matrix.index
            for prediction in matrix.columns
        }
    if not isinstance(matrix, Mapping):
        table = np.asarray(matrix, dtype=object)
        if table.shape != (len(classes), len(classes)):
            raise InvalidData(
                "a measure must be a name, a callable of (label, prediction), or a cost matrix: a "
                f"dict of (label, prediction), or a table of {len(classes)} labels by "
                f"{len(classes)} predictions in the order {some_names(classes)}; got "
                f"{a_kind(matrix)} of shape {table.shape}"
            )
        matrix = {
            (label, prediction): table[i, j]
            for i, label in enumerate(classes)
            for j, prediction in enumerate(classes)
        }
    costs: Mapping[Any, Any] = matrix

    def of(label: Any, prediction: Any) -> Any:
        if (label, prediction) not in costs and label != prediction:
            raise InvalidData(
                f"the cost matrix has no cost of label {label!r} and prediction {prediction!r}: "
                "give one for every pair that differs"
            )
        return costs.get((label, prediction), 0)

    return of


def _quantity(
    title: str,
    rows: MeasuredRows,
    labels: NDArray[np.int32],
    tables: list[list[list[Fraction]]],
) -> Quantity:
    return quantity_of(title, rows.bits, rows.part, rows.weights, labels, tables)


def _number_quantity(
    measure: Measure, rows: MeasuredRows, labels: NDArray[np.int32], leaves: list[Fraction]
) -> Quantity:
    """Sum up what leaves that predict numbers (``labels``, which mean ``leaves``) count."""
    name = measure.name
    share = _share_of_group(name, rows) if str(name).startswith("mean") else None
    if name == "mean prediction":
        rows = _without_labels(rows)
        return _quantity(name, rows, labels, [_table(rows, leaves, lambda y, p: p, share)])
    if name in ("squared error", "mean squared error"):
        return _squares(name, rows, labels, leaves, share)
    if len(rows.labels) * len(labels) > MAX_CELLS:
        raise TooLarge(
            f"{len(rows.labels):,} different numbers of rows, and {len(labels):,} of leaves, are "
            "too many to compare each with each: round y, or take decimals= of the set",
            MAX_CELLS,
        )

    def distance(y: Fraction, p: Fraction) -> Fraction:
        return abs(y - p)

    def cost(y: Fraction, p: Fraction) -> Fraction:
        return _exact(name(float(y), float(p)), "number", float(y), float(p))

    pair = distance if isinstance(name, str) else cost
    return _quantity(measure.title, rows, labels, [_table(rows, leaves, pair, share)])


def _share_of_group(name: str, rows: MeasuredRows) -> Share:
    """Make a mean: a share of the weight."""
    totals = {group: rows.total(group=group) for group in rows.groups}
    if not all(totals.values()):
        raise InvalidData(f"{name!r} is a mean of rows that have no weight")
    return lambda group, label: 1 / totals[group]


def _squares(
    name: str,
    rows: MeasuredRows,
    labels: NDArray[np.int32],
    leaves: list[Fraction],
    share: Share | None,
) -> Quantity:
    """Split (p - y)^2 into p^2 x 1, -2 p x y and 1 x y^2: each a factor, and a sum over rows."""
    unit = math.lcm(1, *(x.denominator for x in (*rows.labels, *leaves)))
    low = min((*rows.labels, *leaves))
    whole = [int((y - low) * unit) for y in rows.labels]
    y = [whole[label] for label in rows.label.tolist()]
    weights = rows.weights.tolist()
    amounts = [w * v**k for k in range(3) for w, v in zip(weights, y, strict=True)]
    if max(amounts, default=0) >= 2**62:
        raise InvalidData(
            f"{name!r} would pass 2^62 in whole numbers: y has too many digits; round it"
        )
    predicted = [int((p - low) * unit) for p in leaves]
    powers = [[p * p for p in predicted], [-2 * p for p in predicted], [1 for _ in predicted]]
    rows = _without_labels(rows)
    times = [row[0] / unit**2 for row in _table(rows, [1], lambda y, p: p, share)]  # by group
    table = [[each * power for power in row] for each in times for row in powers]
    part = np.concatenate([3 * rows.part + k for k in range(3)]).astype(np.int32)
    bits = np.tile(rows.bits, (3, 1))
    return quantity_of(name, bits, part, np.array(amounts, dtype=np.int64), labels, [table])


def _without_labels(rows: MeasuredRows) -> MeasuredRows:
    return replace(rows, labels=(None,), label=np.zeros_like(rows.label))
