"""Rows with unknown values: what is certain of them, what is possible, between which numbers.

In:  a kernel, and rows in which values are missing, or known only to lie in a range.
Out: classes and numbers where they are certain, "certain" or "open", every possible class, bounds
     of numbers, scores and probabilities; in the kind in which the rows came.
Paper: Theorem 3.2, for one tree and for sums of trees.

One tree is read off its leaves, sums are searched: these are two ways for each of three things, the
verdict of a row (``verdicts_of``), its possible classes (``possible_table``) and its bounds
(``bounds_of``). What is made of them is written once.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidTree, UndecidedRows, setting
from ..inputs import (
    column_like,
    labels_like,
    masked_like,
    predict as predict_tree,
    rows_for,
    table_like,
)
from ..model import (
    Budget,
    Flags,
    Floats,
    Rows,
    SumKernel,
    TreeKernel,
    distinct_rows,
    midpoint,
    n_threads,
    narrow,
    read_tolerance,
    row_bins,
)
from .bounds import number_verdicts, probability_bounds, score_bounds
from .boxes import (
    CERTAIN,
    IMPOSSIBLE,
    OPEN,
    OUT_OF_TIME,
    RowBoxes,
    Verdicts,
    possible_boxes,
    undecided,
)

__all__ = [
    "answer_of",
    "groups_reached",
    "interval",
    "number_bounds",
    "possible",
    "predict",
    "predict_proba",
    "read_width",
    "refuse_numbers",
    "status",
    "sums",
    "verdicts_of",
    "warn_of_undecided",
]

STATUS = np.array(["certain", "open", "undecided", "undecided", "undecided", "impossible"])
MOST_CELLS = 16_000_000  # of a table of rows by leaves, one byte each; two are held at a time

Model = TreeKernel | SumKernel
Bounds = tuple[Floats, Floats, Flags]  # lower, upper, whether both are reached


# -- the answer ------------------------------------------------------------------------------------


def predict(
    model: Model,
    X: Any,
    *,
    tolerance: float | None = None,
    n_jobs: int | None = None,
    warn: bool = False,
) -> Any:
    """Return classes or numbers where they are certain; see ``Model.predict``.

    ``warn``: whether of rows for which time did not suffice.
    """
    if isinstance(model, TreeKernel):
        return predict_tree(model, X, tolerance=tolerance, n_jobs=n_jobs)
    rows = rows_for(model, X)
    width = read_width(model, tolerance)
    if width is None:
        found = verdicts_of(model, rows, n_jobs)
        answers, late = labels_like(X, model.labels, found.label), found.status == OUT_OF_TIME
    else:
        numbers = number_verdicts(model, RowBoxes(model, rows), n_threads(n_jobs))
        values, masked = numbers.number, numbers.status != CERTAIN
        if tolerance is not None:
            values = np.where(masked, midpoint(numbers.lower, numbers.upper), values)
            masked &= ~narrow(numbers.lower, numbers.upper, width)
        answers, late = masked_like(X, values, masked), masked & (numbers.status == OUT_OF_TIME)
    if warn:
        warn_of_undecided(late)
    return answers


def read_width(model: SumKernel, tolerance: float | None) -> float | None:
    """Read how far numbers may be from each other, 0 by default; None for classes."""
    if model.task == "regression":
        return 0.0 if tolerance is None else read_tolerance(tolerance)
    if tolerance is not None:
        raise InvalidTree(
            f"tolerance={tolerance!r:.80} is about numbers, and this model says classes: leave it "
            "out"
        )
    return None


def warn_of_undecided(late: Flags) -> None:
    """Warn of rows for which time did not suffice; ``late`` says which they are."""
    if late.any():
        warnings.warn(
            f"{np.count_nonzero(late):,} of {len(late):,} rows are undecided, and so masked: "
            f"whether their answer is certain was not proven within {Budget.current()}; raise "
            f"{setting('time_limit')} (status(X) says which rows they are)",
            UndecidedRows,
            stacklevel=4,  # whoever asks a model
        )


def answer_of(model: Model, row: Mapping[str, Any]) -> Any:
    """Return what a model answers to one row, of which it may not know all features."""
    names = {*model.space.names, *model.space.column_names}
    answers = predict(model, [{k: v for k, v in row.items() if k in names}])
    return answers.tolist()[0]


def verdicts_of(model: Model, rows: Rows, n_jobs: int | None = None) -> Verdicts:
    """Return by row its status, and its class by position; -1 where that is not certain.

    Sums of numbers have no classes: -1 for all rows.
    """
    if isinstance(model, TreeKernel):
        known = model.known_rows(rows)
        codes = model.plain_codes(rows, n_jobs)
        if known is not None:
            codes = known.codes(codes)
        status = np.where(codes >= 0, CERTAIN, OPEN).astype(np.uint8)
        if known is not None:
            status[known.contradicting] = IMPOSSIBLE
        return Verdicts(status, codes)
    boxes, threads = RowBoxes(model, rows), n_threads(n_jobs)
    if model.task == "regression":
        found = number_verdicts(model, boxes, threads)
        return Verdicts(found.status, np.full(rows.n_rows, -1, dtype=np.int32))
    return boxes.verdicts(threads)


def status(model: Model, X: Any, n_jobs: int | None = None) -> Any:
    """Return whether each row's answer is certain; see ``Model.status``."""
    return column_like(X, STATUS[verdicts_of(model, rows_for(model, X), n_jobs).status], "status")


# -- what is possible ------------------------------------------------------------------------------


def possible(model: Model, X: Any, n_jobs: int | None = None) -> Any:
    """Return every class that a completion gets; see ``Model.possible``."""
    refuse_numbers(model, "possible", "predict_interval(X)")
    table = possible_table(model, rows_for(model, X), n_jobs)
    unknown = np.flatnonzero((table == 2).any(axis=1))
    if len(unknown):
        row = int(unknown[0])
        can, cannot, open_ = (
            [model.classes[c] for c in np.flatnonzero(table[row] == code)] for code in (1, 0, 2)
        )
        raise undecided(
            OUT_OF_TIME, f"row {row}: it is not known whether it can get {open_}",
            Budget.current(), row=row, possible=can, impossible=cannot, not_known=open_,
        )  # fmt: skip
    kinds, which = distinct_rows(table.astype(bool))
    named = [tuple(model.classes[c] for c in np.flatnonzero(kind)) for kind in kinds]
    return column_like(X, [named[k] for k in which.tolist()], "possible")


def refuse_numbers(model: Model, what: str, instead: str) -> None:
    """Refuse a question about classes where a model has none, but gives numbers."""
    if not model.classes:
        raise InvalidTree(
            f"{what} is about classes, and this model says numbers: use {instead}, or "
            "discretize([level]) to decide at a level"
        )


def possible_table(model: Model, rows: Rows, n_jobs: int | None) -> NDArray[np.uint8]:
    """Return rows x classes: 0 no, 1 yes, 2 not known."""
    n_classes = len(model.classes)
    if isinstance(model, TreeKernel):
        return model.reach(rows, all_classes=True).possible.reshape(rows.n_rows, n_classes)
    boxes, threads = RowBoxes(model, rows), n_threads(n_jobs)
    out = np.zeros((rows.n_rows, n_classes), dtype=np.uint8)
    known = np.flatnonzero(boxes.complete)
    label = model.summed.evaluate(np.ascontiguousarray(boxes.cells[known]), threads).label
    out[known[label < 0]] = 2  # within rounding
    out[known[label >= 0], label[label >= 0]] = 1
    for which, distinct, of_row, kernel, seconds in boxes.blocks():
        out[which] = possible_boxes(kernel, distinct, seconds, threads).possible[of_row]
    out[boxes.impossible] = 0
    return out


# -- bounds ----------------------------------------------------------------------------------------


def interval(model: Model, X: Any, of: str, n_jobs: int | None) -> tuple[Any, Any, Any]:
    """Return lower and upper bounds, and whether both are reached; see ``predict_interval``."""
    rows = rows_for(model, X)
    if of == "probability":
        lower, upper, exact = _probabilities(model, rows, n_jobs)
        return (
            table_like(X, lower, model.classes),
            table_like(X, upper, model.classes),
            table_like(X, exact, model.classes),
        )
    if of == "score":
        if isinstance(model, TreeKernel):
            raise InvalidTree(
                "one tree adds nothing up, so it has no score: ask for of='answer' or "
                "of='probability'"
            )
        if model.task != "regression":
            lower, upper, exact = score_bounds(RowBoxes(model, rows), n_threads(n_jobs))
            return (
                _scores_like(model, X, lower, "lower"),
                _scores_like(model, X, upper, "upper"),
                _scores_like(model, X, exact, "exact"),
            )
    lower, upper, exact = number_bounds(model, rows, n_jobs)
    return (
        column_like(X, lower, "lower"),
        column_like(X, upper, "upper"),
        column_like(X, exact, "exact"),
    )


def number_bounds(model: Model, rows: Rows, n_jobs: int | None = None) -> Bounds:
    """Return the bounds of each row's number; NaN where it contradicts the facts."""
    if isinstance(model, TreeKernel):
        lower, upper = model.interval(rows, n_jobs)
        return lower, upper, np.ones(rows.n_rows, dtype=bool)
    if model.task == "regression":
        found = number_verdicts(model, RowBoxes(model, rows), n_threads(n_jobs))
        return found.lower, found.upper, found.exact
    if any(isinstance(label, str | bool) for label in model.classes):
        raise InvalidTree(
            f"the classes {str(list(model.classes[:6]))[:80]} are not numbers: ask for "
            "possible(X), or for of='score' or of='probability'"
        )
    numbers = np.array(model.classes, dtype=np.float64)
    table = possible_table(model, rows, n_jobs)
    lower = np.where(table > 0, numbers, np.inf).min(axis=1)
    upper = np.where(table > 0, numbers, -np.inf).max(axis=1)
    none = (table == 0).all(axis=1)  # rows that contradict the facts
    lower[none] = upper[none] = np.nan
    return lower, upper, ~(table == 2).any(axis=1)


def _probabilities(model: Model, rows: Rows, n_jobs: int | None) -> Bounds:
    """Return rows x classes: the bounds of each probability."""
    if isinstance(model, SumKernel):
        model.refuse_no_probabilities()
        return probability_bounds(RowBoxes(model, rows), n_threads(n_jobs))
    lower, upper = _share_bounds(model, rows)
    return lower, upper, np.ones(lower.shape, dtype=bool)


def _share_bounds(tree: TreeKernel, rows: Rows) -> tuple[Floats, Floats]:
    r"""Return each class's least and largest share over the leaves that each row can reach.

    .. math:: \left[\min_{l \in R(x)} p_l(c),\ \max_{l \in R(x)} p_l(c)\right]

    Each class has its own bounds: not all upper ends need hold at once. Leaves of equal shares are
    one group. Cost: rows x classes x groups; memory is bounded.
    """
    leaves = np.flatnonzero(tree.feature < 0)
    distinct, which = np.unique(tree.shares[leaves], axis=0, return_inverse=True)
    only, others = groups_reached(tree, rows, which.ravel())
    lower = distinct[only]
    upper = lower.copy()
    order = np.argsort(distinct, axis=0, kind="stable")
    for several, reached in others:
        for c in range(distinct.shape[1]):
            ranked = distinct[order[:, c], c]
            by_rank = reached[:, order[:, c]]
            lower[several, c] = ranked[by_rank.argmax(axis=1)]
            upper[several, c] = ranked[::-1][by_rank[:, ::-1].argmax(axis=1)]
        none = several[~reached.any(axis=1)]  # rows that contradict the facts
        lower[none] = upper[none] = np.nan
    return lower, upper


def groups_reached(
    tree: TreeKernel, rows: Rows, group: NDArray[Any]
) -> tuple[NDArray[np.int32], Iterator[tuple[NDArray[np.intp], Flags]]]:
    """Return which groups of leaves each row can reach.

    Parameters
    ----------
    tree : TreeKernel
    rows : Rows
    group : array of int
        For each leaf, in the order of ``tree.leaves()``, the number of its group, from 0 on.

    Returns
    -------
    only : array of int
        By row its group, -1 where it can reach several, or none.
    others : iterator of (positions of rows, rows x groups)
        The rows with -1, a block at a time, which bounds the memory.
    """
    n_groups, known = int(group.max()) + 1, tree.known_rows(rows)
    number = np.full(tree.n_nodes, -1, dtype=np.int32)
    number[tree.feature < 0] = group
    nodes = tree.relabelled(number)  # its group is the leaf's class
    only = tree.over_rows(_core.rows.decide, nodes, rows, None)
    if known is not None:
        only[known.contradicting] = -1

    def others() -> Iterator[tuple[NDArray[np.intp], Flags]]:
        several = np.flatnonzero(only < 0)
        width = n_groups if known is None else max(n_groups, tree.n_leaves)
        for start in range(0, len(several), max(1, MOST_CELLS // width)):
            here = several[start : start + max(1, MOST_CELLS // width)]
            subset = rows.take(here)
            if known is None:
                yield here, tree.groups_met(nodes, n_groups, subset)
            else:
                leaves = known.leaves(here, tree.plain_leaves(subset))
                yield here, leaves @ (group[:, None] == np.arange(n_groups))

    return only, others()


# -- complete rows of sums -------------------------------------------------------------------------


def sums(model: SumKernel, X: Any, n_jobs: int | None) -> Any:
    """Return the sums of complete rows; see ``Ensemble.sums``."""
    return _scores_like(model, X, _sums(model, X, n_jobs), "sum")


def predict_proba(model: SumKernel, X: Any, n_jobs: int | None = None) -> Any:
    """Return the probabilities of complete rows; see ``Ensemble.predict_proba``."""
    model.refuse_no_probabilities()
    return table_like(X, model.probabilities(_sums(model, X, n_jobs)), model.classes)


def _sums(model: SumKernel, X: Any, n_jobs: int | None) -> Floats:
    cells = row_bins(model.bins, rows_for(model, X))
    return model.summed.evaluate(np.ascontiguousarray(cells), n_threads(n_jobs)).sums


def _scores_like(model: SumKernel, X: Any, table: NDArray[Any], name: str) -> Any:
    """Return scores by row: one column, or a table with a column for each class."""
    if model.n_scores == 1:
        return column_like(X, np.ascontiguousarray(table[:, 0]), name)
    return table_like(X, table, model.classes)
