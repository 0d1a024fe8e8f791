"""Answers about rows: the class where it is certain, and what is known where it is not.

In:  an ``Ensemble`` of classes or numbers, and rows with unknown values or ranges.
Out: classes, numbers, ``Answers``, possible classes; like the rows that came in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidTree
from ..inputs import column_like, labels_like, masked_like, narrow, predict, rows_for, table_like
from ..model import (
    Rows,
    SumKernel,
    TreeKernel,
    each_check_in_time,
    midpoint,
    n_threads,
    read_tolerance,
)
from .bounds_of_sums import score_ends
from .boxes import (
    CERTAIN,
    IMPOSSIBLE,
    OPEN,
    WHY,
    RowBoxes,
    Verdicts,
    check_time_limit,
    possible_boxes,
    undecided,
)
from .numbers import number_verdicts

__all__ = [
    "TIME_LIMIT",
    "Answers",
    "answer_of",
    "answer_rows",
    "decide_rows",
    "number_interval_rows",
    "possible_rows",
    "predict_model",
    "predict_rows",
    "verdicts_of",
]

TIME_LIMIT = 1.0  # seconds for each row
STATUS = np.array(["certain", "open", "undecided", "undecided", "undecided", "impossible"])


class Answers(NamedTuple):
    """What is known of each row. Made by ``answer_rows``.

    Attributes
    ----------
    status : array of str, or Series
        "certain", "open" or "undecided", as from ``Model.status``; where the space has facts,
        "impossible" for rows that contradict them.
    label : masked array, or nullable Series
        The class, or number, where it is certain.
    why : masked array of str, or nullable Series
        Where it is undecided: "time", "rounding" (some completions are nearer to a tie than the
        library's own arithmetic can tell) or "room" (memory).
    lower, upper : arrays, Series or data frames
        Where it is undecided: between which numbers the scores of all completions are proven to
        lie, as from ``Ensemble.predict_interval``; NaN elsewhere.
    """

    status: Any
    label: Any
    why: Any
    lower: Any
    upper: Any


@each_check_in_time
def predict_rows(
    ensemble: SumKernel, X: Any, tolerance: float | None, time_limit: float, n_jobs: int | None
) -> Any:
    """Give classes or numbers where they are certain; see ``Model.predict``."""
    limit = check_time_limit(time_limit)
    rows = rows_for(ensemble, X)
    if tolerance is not None:
        return _with_tolerance(ensemble, X, rows, tolerance, limit, n_threads(n_jobs))
    if ensemble.task == "regression":
        found = number_verdicts(ensemble, RowBoxes(ensemble, rows), limit, n_threads(n_jobs))
        return masked_like(X, found.number, found.status != CERTAIN)
    return labels_like(X, ensemble.labels, verdicts_of(ensemble, rows, limit, n_jobs).label)


def predict_model(
    model: TreeKernel | SumKernel,
    X: Any,
    *,
    tolerance: float | None = None,
    time_limit: float = TIME_LIMIT,
    n_jobs: int | None = None,
) -> Any:
    """Give classes or numbers where they are certain, of a tree or a sum of trees."""
    if isinstance(model, TreeKernel):
        return predict(model, X, tolerance=tolerance, n_jobs=n_jobs)
    return predict_rows(model, X, tolerance, time_limit, n_jobs)


def answer_of(model: TreeKernel | SumKernel, row: Mapping[str, Any]) -> Any:
    """Give what a model says of one row, of which it may not know all features."""
    answers = predict_model(model, [{k: v for k, v in row.items() if k in model.space}])
    return answers.tolist()[0]


@each_check_in_time
def decide_rows(ensemble: SumKernel, X: Any, time_limit: float, n_jobs: int | None) -> Any:
    """Say what is certain; see ``Model.status``."""
    found = verdicts_of(ensemble, rows_for(ensemble, X), check_time_limit(time_limit), n_jobs)
    return column_like(X, STATUS[found.status], "status")


@each_check_in_time
def answer_rows(ensemble: SumKernel, X: Any, time_limit: float, n_jobs: int | None) -> Answers:
    """Give all that is known of each row; see ``Answers``."""
    limit = check_time_limit(time_limit)
    rows = rows_for(ensemble, X)
    if ensemble.task == "regression":
        boxes = RowBoxes(ensemble, rows)
        numbers = number_verdicts(ensemble, boxes, limit, n_threads(n_jobs))
        status = numbers.status
        label = masked_like(X, numbers.number, status != CERTAIN)
    else:
        status, codes = verdicts_of(ensemble, rows, limit, n_jobs)
        label = labels_like(X, ensemble.labels, codes)
    reasons = np.array(list(WHY.values()))
    open_ = (status > OPEN) & (status != IMPOSSIBLE)
    why = np.where(open_, status.astype(np.int32) - 2, -1)
    unsettled = np.flatnonzero(open_)
    ends = np.full((2, rows.n_rows, ensemble.n_scores), np.nan)
    if len(unsettled):
        here = RowBoxes(ensemble, rows.take(unsettled))
        ends[:, unsettled] = score_ends(here, limit, n_threads(n_jobs))[:2]
    return Answers(
        column_like(X, STATUS[status], "status"),
        label,
        labels_like(X, reasons, why, name="why"),
        scores_like(ensemble, X, ends[0], "lower"),
        scores_like(ensemble, X, ends[1], "upper"),
    )


@each_check_in_time
def possible_rows(ensemble: SumKernel, X: Any, time_limit: float, n_jobs: int | None) -> Any:
    """Give every class that a completion gets; see ``Model.possible``."""
    limit = check_time_limit(time_limit)
    refuse_numbers_of(ensemble, "possible", "predict_interval(X)")
    rows = rows_for(ensemble, X)
    table = possible_table(ensemble, rows, limit, n_threads(n_jobs))
    unknown = np.flatnonzero((table == 2).any(axis=1))
    if len(unknown):
        row = int(unknown[0])
        can, cannot, open_ = (
            [ensemble.classes[c] for c in np.flatnonzero(table[row] == code)] for code in (1, 0, 2)
        )
        raise undecided(
            2, f"row {row}: it is not known whether it can get {open_}", limit,
            row=row, possible=can, impossible=cannot, not_known=open_,
        )  # fmt: skip
    kinds, which = np.unique(table, axis=0, return_inverse=True)
    named = [tuple(ensemble.classes[c] for c in np.flatnonzero(kind)) for kind in kinds]
    return column_like(X, [named[k] for k in which.ravel().tolist()], "possible")


def number_interval_rows(
    ensemble: SumKernel, X: Any, time_limit: float, n_jobs: int | None
) -> tuple[Any, Any, Any]:
    """Give the smallest and the largest class that each row can get, where classes are numbers."""
    if any(isinstance(label, str | bool) for label in ensemble.classes):
        raise InvalidTree(
            f"the classes {str(list(ensemble.classes[:6]))[:80]} are not numbers: ask for "
            "possible(X), or for of='score' or of='probability'"
        )
    numbers = np.array(ensemble.classes, dtype=np.float64)
    table = possible_table(
        ensemble, rows_for(ensemble, X), check_time_limit(time_limit), n_threads(n_jobs)
    )
    lower = np.where(table > 0, numbers, np.inf).min(axis=1)
    upper = np.where(table > 0, numbers, -np.inf).max(axis=1)
    exact = ~(table == 2).any(axis=1)
    none = (table == 0).all(axis=1)  # rows that contradict the facts
    lower[none] = upper[none] = np.nan
    return (
        column_like(X, lower, "lower"),
        column_like(X, upper, "upper"),
        column_like(X, exact, "exact"),
    )


@each_check_in_time
def possible_table(
    ensemble: SumKernel, rows: Rows, time_limit: float, threads: int
) -> NDArray[np.uint8]:
    """Give rows x classes: 0 no, 1 yes, 2 not known."""
    boxes = RowBoxes(ensemble, rows)
    out = np.zeros((rows.n_rows, len(ensemble.classes)), dtype=np.uint8)
    known = np.flatnonzero(boxes.complete)
    label = ensemble.summed.evaluate(np.ascontiguousarray(boxes.cells[known]), threads).label
    out[known[label < 0]] = 2  # within rounding
    out[known[label >= 0], label[label >= 0]] = 1
    for which, distinct, of_row, own in boxes.blocks():
        found = possible_boxes(own, distinct, time_limit, threads)
        out[which] = found.possible[of_row]
    out[boxes.impossible] = 0
    return out


def scores_like(ensemble: SumKernel, X: Any, table: NDArray[Any], name: str) -> Any:
    """Give scores by row: one column, or a table with a column for each class."""
    if ensemble.n_scores == 1:
        return column_like(X, np.ascontiguousarray(table[:, 0]), name)
    return table_like(X, table, ensemble.classes)


def refuse_numbers_of(ensemble: SumKernel, what: str, instead: str) -> None:
    """Refuse a question about classes where a model says numbers."""
    if ensemble.task == "regression":
        raise InvalidTree(
            f"{what} is about classes, and this model says numbers: use {instead}, or "
            "discretize([level]) to decide at a level"
        )


def verdicts_of(ensemble: SumKernel, rows: Rows, time_limit: float, n_jobs: int | None) -> Verdicts:
    """Give a status and a class by row; see ``Model.status``."""
    time_limit = check_time_limit(time_limit)
    boxes, threads = RowBoxes(ensemble, rows), n_threads(n_jobs)
    if ensemble.task == "regression":
        found = number_verdicts(ensemble, boxes, time_limit, threads)
        return Verdicts(found.status, np.full(rows.n_rows, -1, dtype=np.int32))
    return boxes.verdicts(time_limit, threads)


def _with_tolerance(
    ensemble: SumKernel, X: Any, rows: Rows, tolerance: float, time_limit: float, threads: int
) -> Any:
    most = read_tolerance(tolerance)
    if ensemble.task != "regression":
        raise InvalidTree(
            f"tolerance={tolerance!r:.80} is about numbers, and this model says classes: leave it "
            "out"
        )
    found = number_verdicts(ensemble, RowBoxes(ensemble, rows), time_limit, threads)
    wide = ~narrow(found.lower, found.upper, most)
    middle = np.where(found.status == CERTAIN, found.number, midpoint(found.lower, found.upper))
    return masked_like(X, middle, wide & (found.status != CERTAIN))
