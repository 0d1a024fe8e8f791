"""What a policy is asked for: a tree, rows and costs in, a ``Problem`` out.

In:  a tree, complete rows, costs, limits.
Out: ``Problem``; the sum of all costs.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidData
from ..inputs import exact_number, exact_weights, rows_for
from ..model import (
    Bins,
    read_tolerance,
    refuse_contradictions,
    refuse_facts,
    row_bins,
)
from ..questions import as_one_tree
from ..readers import read_tree
from .costs import read_purchases, whole_numbers
from .leaves import Leaves, possible_cells_tree, priced_features
from .problem import MOST, Problem
from .solve import METHODS, Method

__all__ = ["read_problem"]

MOST_WEIGHT = 2**31
OBJECTIVES = ("expected", "worst")


def read_problem(
    tree: Any,
    X: Any,
    costs: Any,
    *,
    tolerance: float | None,
    method: Method,
    groups: Any,
    known: Iterable[str],
    budget: float | None,
    max_questions: int | None,
    objective: str,
    sample_weight: ArrayLike | None,
) -> tuple[Problem, Fraction]:
    """Read what a policy is asked for; see ``cheapest_policy``.

    Returns
    -------
    Problem
    Fraction
        The sum of all costs, also of what the tree does not ask about.
    """
    _check_options(method, objective, max_questions)
    leaves = _leaves_of(tree, tolerance, priced_features(costs, groups, known), method)
    bins = leaves.bins
    purchases, total = read_purchases(bins, X, costs, groups, known)
    rows, weight = _training_rows(bins, X, sample_weight)
    problem = Problem(
        leaves,
        purchases,
        rows,
        weight,
        start=leaves.all,
        known=(-1,) * len(bins.features),
        budget=None if budget is None else exact_number(budget, "budget"),
        max_questions=None if max_questions is None else min(int(max_questions), MOST),
        worst=objective == "worst",
    )
    return problem, total


def _leaves_of(model: Any, tolerance: float | None, priced: set[str], method: str) -> Leaves:
    """Return a model's leaves, for ``tolerance`` as one of numbers.

    Of an ensemble those of the one tree that decides the same, for what is bought as soon as it
    can matter; ``naive`` and ``path`` ask as the nodes of a tree that somebody trained do.
    """
    tree = read_tree(model) if method in ("naive", "path") else as_one_tree(model)
    if method in ("naive", "path"):  # they ask all, whatever is determined
        refuse_facts(
            tree.space,
            f"the policy {method!r}",
            why="it asks as the tree's nodes do, and facts cut these into others",
        )
    width = None if tolerance is None else read_tolerance(tolerance)
    own = tree if width is None else tree.as_regression()
    return Leaves(possible_cells_tree(own, priced).bins, width)


def _check_options(method: object, objective: object, max_questions: int | None) -> None:
    for name, value, allowed in (("method", method, METHODS), ("objective", objective, OBJECTIVES)):
        if value not in allowed:
            words = ", ".join(map(repr, allowed))
            raise ValueError(f"{name} must be one of {words}, got {value!r:.80}")
    whole = isinstance(max_questions, int | np.integer) and not isinstance(max_questions, bool)
    if max_questions is not None and not (whole and max_questions >= 0):
        raise ValueError(
            f"max_questions must be a whole number, 0 or more, got {max_questions!r:.80}"
        )


def _training_rows(
    bins: Bins, X: Any, sample_weight: ArrayLike | None
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Give the distinct rows over bins, and how much each counts; they must satisfy the facts."""
    rows = rows_for(bins.tree, X)
    refuse_contradictions(bins.tree, rows)
    table = row_bins(bins, rows)
    if len(table) == 0:
        raise InvalidData(
            "X has no rows: a policy is the cheapest over training rows, so give at least one"
        )
    each = None
    if sample_weight is not None:
        exact = exact_weights(sample_weight, len(table))
        each = np.array(whole_numbers(exact, MOST_WEIGHT).numbers, dtype=np.int64)
        table, each = table[each > 0], each[each > 0]
    return _distinct(table, each, [int(n) + 1 for n in bins.layout.n_bins])


def _distinct(
    table: NDArray[np.int32], each: NDArray[np.int64] | None, sizes: list[int]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Give the distinct rows, in order, and their weights."""
    key = np.zeros(len(table), dtype=np.int64)
    span = 1
    for k, size in enumerate(sizes):
        if span * size >= 2**62:  # more combinations than fit: number those that are there
            key = np.unique(key, return_inverse=True)[1].reshape(-1).astype(np.int64)
            span = len(table)
        key = key * size + table[:, k]
        span *= size
    if span > max(len(table), 2**16):
        _, first, key = np.unique(key, return_index=True, return_inverse=True)
        weight = np.bincount(key.reshape(-1), weights=each)
        return np.ascontiguousarray(table[first]), weight.astype(np.int64)
    first = np.zeros(span, dtype=np.intp)
    first[key] = np.arange(len(table))
    weight = np.bincount(key, weights=each, minlength=span)
    there = np.flatnonzero(weight)
    return np.ascontiguousarray(table[first[there]]), weight[there].astype(np.int64)
