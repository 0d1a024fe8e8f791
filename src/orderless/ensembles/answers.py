"""Answers about rows: the class where it is certain, and what is known where it is not.

In:  an ``Ensemble`` of classes or numbers, and rows with unknown values or ranges.
Out: classes, numbers, ``Answers``, possible classes; like the rows that came in.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidTree, UndecidedRows, setting
from ..inputs import column_like, labels_like, masked_like, predict, rows_for, table_like
from ..model import (
    Budget,
    Flags,
    Rows,
    SumKernel,
    TreeKernel,
    midpoint,
    n_threads,
    narrow,
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
    possible_boxes,
    undecided,
)
from .numbers import OUT_OF_TIME, number_verdicts

__all__ = [
    "Answers",
    "answer_of",
    "answer_rows",
    "decide_rows",
    "number_interval_rows",
    "possible_rows",
    "predict_model",
    "predict_rows",
    "verdicts_of",
    "warn_of_undecided",
]

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


def predict_rows(ensemble: SumKernel, X: Any, tolerance: float | None, n_jobs: int | None) -> Any:
    """Give classes or numbers where they are certain; see ``Model.predict``."""
    answers, late = _predicted(ensemble, X, tolerance, n_jobs)
    warn_of_undecided(late)
    return answers


def warn_of_undecided(late: Flags) -> None:
    """Warn of rows for which time did not suffice; ``late`` says which they are."""
    if late.any():
        warnings.warn(
            f"{np.count_nonzero(late):,} of {len(late):,} rows are undecided, and so masked: "
            f"whether their answer is certain was not proven within {Budget.current()}; raise "
            f"{setting('time_limit')} (status(X) says which rows they are)",
            UndecidedRows,
            stacklevel=5,  # whoever asks a model
        )


def _predicted(
    ensemble: SumKernel, X: Any, tolerance: float | None, n_jobs: int | None
) -> tuple[Any, Flags]:
    """Give classes or numbers where they are certain, and where time did not suffice to tell."""
    rows = rows_for(ensemble, X)
    if tolerance is None and ensemble.task != "regression":
        found = verdicts_of(ensemble, rows, n_jobs)
        return labels_like(X, ensemble.labels, found.label), found.status == OUT_OF_TIME
    most = None if tolerance is None else read_tolerance(tolerance)
    if ensemble.task != "regression":
        raise InvalidTree(
            f"tolerance={tolerance!r:.80} is about numbers, and this model says classes: leave it "
            "out"
        )
    numbers = number_verdicts(ensemble, RowBoxes(ensemble, rows), n_threads(n_jobs))
    answers, masked = numbers.number, numbers.status != CERTAIN
    if most is not None:
        middle = midpoint(numbers.lower, numbers.upper)
        answers = np.where(masked, middle, answers)
        masked &= ~narrow(numbers.lower, numbers.upper, most)
    return masked_like(X, answers, masked), masked & (numbers.status == OUT_OF_TIME)


def predict_model(
    model: TreeKernel | SumKernel,
    X: Any,
    *,
    tolerance: float | None = None,
    n_jobs: int | None = None,
) -> Any:
    """Give classes or numbers where they are certain, of a tree or a sum of trees."""
    if isinstance(model, TreeKernel):
        return predict(model, X, tolerance=tolerance, n_jobs=n_jobs)
    return _predicted(model, X, tolerance, n_jobs)[0]


def answer_of(model: TreeKernel | SumKernel, row: Mapping[str, Any]) -> Any:
    """Give what a model says of one row, of which it may not know all features."""
    answers = predict_model(model, [{k: v for k, v in row.items() if k in model.space}])
    return answers.tolist()[0]


def decide_rows(ensemble: SumKernel, X: Any, n_jobs: int | None = None) -> Any:
    """Say what is certain; see ``Model.status``."""
    found = verdicts_of(ensemble, rows_for(ensemble, X), n_jobs)
    return column_like(X, STATUS[found.status], "status")


def answer_rows(ensemble: SumKernel, X: Any, n_jobs: int | None = None) -> Answers:
    """Give all that is known of each row; see ``Answers``."""
    rows = rows_for(ensemble, X)
    if ensemble.task == "regression":
        boxes = RowBoxes(ensemble, rows)
        numbers = number_verdicts(ensemble, boxes, n_threads(n_jobs))
        status = numbers.status
        label = masked_like(X, numbers.number, status != CERTAIN)
    else:
        status, codes = verdicts_of(ensemble, rows, n_jobs)
        label = labels_like(X, ensemble.labels, codes)
    reasons = np.array(list(WHY.values()))
    open_ = (status > OPEN) & (status != IMPOSSIBLE)
    why = np.where(open_, status.astype(np.int32) - 2, -1)
    unsettled = np.flatnonzero(open_)
    ends = np.full((2, rows.n_rows, ensemble.n_scores), np.nan)
    if len(unsettled):
        here = RowBoxes(ensemble, rows.take(unsettled))
        ends[:, unsettled] = score_ends(here, n_threads(n_jobs))[:2]
    return Answers(
        column_like(X, STATUS[status], "status"),
        label,
        labels_like(X, reasons, why, name="why"),
        scores_like(ensemble, X, ends[0], "lower"),
        scores_like(ensemble, X, ends[1], "upper"),
    )


def possible_rows(ensemble: SumKernel, X: Any, n_jobs: int | None) -> Any:
    """Give every class that a completion gets; see ``Model.possible``."""
    refuse_numbers_of(ensemble, "possible", "predict_interval(X)")
    rows = rows_for(ensemble, X)
    table = possible_table(ensemble, rows, n_threads(n_jobs))
    unknown = np.flatnonzero((table == 2).any(axis=1))
    if len(unknown):
        row = int(unknown[0])
        can, cannot, open_ = (
            [ensemble.classes[c] for c in np.flatnonzero(table[row] == code)] for code in (1, 0, 2)
        )
        raise undecided(
            OUT_OF_TIME, f"row {row}: it is not known whether it can get {open_}",
            Budget.current(), row=row, possible=can, impossible=cannot, not_known=open_,
        )  # fmt: skip
    kinds, which = np.unique(table, axis=0, return_inverse=True)
    named = [tuple(ensemble.classes[c] for c in np.flatnonzero(kind)) for kind in kinds]
    return column_like(X, [named[k] for k in which.ravel().tolist()], "possible")


def number_interval_rows(ensemble: SumKernel, X: Any, n_jobs: int | None) -> tuple[Any, Any, Any]:
    """Give the smallest and the largest class that each row can get, where classes are numbers."""
    if any(isinstance(label, str | bool) for label in ensemble.classes):
        raise InvalidTree(
            f"the classes {str(list(ensemble.classes[:6]))[:80]} are not numbers: ask for "
            "possible(X), or for of='score' or of='probability'"
        )
    numbers = np.array(ensemble.classes, dtype=np.float64)
    table = possible_table(ensemble, rows_for(ensemble, X), n_threads(n_jobs))
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


def possible_table(ensemble: SumKernel, rows: Rows, threads: int) -> NDArray[np.uint8]:
    """Give rows x classes: 0 no, 1 yes, 2 not known."""
    boxes = RowBoxes(ensemble, rows)
    out = np.zeros((rows.n_rows, len(ensemble.classes)), dtype=np.uint8)
    known = np.flatnonzero(boxes.complete)
    label = ensemble.summed.evaluate(np.ascontiguousarray(boxes.cells[known]), threads).label
    out[known[label < 0]] = 2  # within rounding
    out[known[label >= 0], label[label >= 0]] = 1
    for which, distinct, of_row, own, seconds in boxes.blocks():
        found = possible_boxes(own, distinct, seconds, threads)
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


def verdicts_of(ensemble: SumKernel, rows: Rows, n_jobs: int | None = None) -> Verdicts:
    """Give a status and a class by row; see ``Model.status``."""
    boxes, threads = RowBoxes(ensemble, rows), n_threads(n_jobs)
    if ensemble.task == "regression":
        found = number_verdicts(ensemble, boxes, threads)
        return Verdicts(found.status, np.full(rows.n_rows, -1, dtype=np.int32))
    return boxes.verdicts(threads)
