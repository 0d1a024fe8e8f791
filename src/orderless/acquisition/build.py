"""The cheapest policy for a tree: arguments in, a ``Policy`` out.

In:  a tree, complete rows, costs.
Out: ``Policy``.
Paper: Section 7; ``method="optimal"`` goes beyond it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidData, setting
from ..inputs import exact_number, exact_weights, rows_for, whole_seed
from ..model import (
    Bins,
    in_budget,
    read_seconds,
    read_tolerance,
    refuse_contradictions,
    refuse_facts,
    row_bins,
)
from ..readers import read_tree
from .costs import read_purchases, whole_numbers
from .leaves import Leaves, possible_cells_tree, priced_features
from .policy import Policy
from .problem import MOST, Problem
from .solve import METHODS, Method, Solving, solve

__all__ = ["cheapest_policy"]

LIMIT = 5_000_000
TIME_LIMIT = 10.0
MOST_WEIGHT = 2**31
OBJECTIVES = ("expected", "worst")


@in_budget
def cheapest_policy(
    tree: Any,
    X: Any,
    costs: Any,
    *,
    tolerance: float | None = None,
    method: Method = "optimal",
    groups: Any = None,
    known: Iterable[str] = (),
    budget: float | None = None,
    max_questions: int | None = None,
    objective: Literal["expected", "worst"] = "expected",
    sample_weight: ArrayLike | None = None,
    limit: int = LIMIT,
    time_limit: float | None = TIME_LIMIT,
    random_state: Any = 0,
    n_episodes: int = 10_000,
    alpha: float = 0.1,
    gamma: float = 0.9,
    exploration: float = 0.5,
    reward: float | None = None,
) -> Policy:
    r"""Find out which features to measure, in which order, to get the tree's decision cheaply.

    A feature is bought once, and then all its conditions are known. A policy stops as soon as the
    row is determined (naive and path, the paper's baselines, do not).

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read`` knows
    X : array, data frame, or list of dicts
        Complete training rows, which say how likely each answer is.
    costs : dict of feature -> cost, or one cost per feature in the order of X's features
        0 or more, for every feature that the tree asks about: one without a cost is an error,
        unless it is ``known``.
    tolerance : float, optional
        For a tree of numbers: a row is determined where the numbers that are still possible are at
        most this far apart, as for ``Tree.predict(tolerance=)``. By default one class must be left,
        as with 0. Classes that are whole numbers count as numbers, too; ``Policy.tree`` is then a
        regression tree. For a risk, ask with ``tree.decide_at(label, probability)`` until it is on
        one side.
    method : "optimal", "q-learning", "greedy", "path" or "naive"
        The exact optimum; the paper's Q-learner; the cheapest unknown feature first; as the tree
        asks; all features of the tree.
    groups : dict of name -> features, or list of lists of features, optional
        Features that are bought together, for the cost of ``costs[name]`` (or the cost that all of
        them have).
    known : iterable of str
        Features that are known at the start, and cost nothing.
    budget : float, optional
        What may be spent on a row. The policy then determines as large a share of the rows as
        possible, and of such policies is the cheapest; it stops where no training row can be
        determined with what is left.
    max_questions : int, optional
        How many purchases may be made for a row; otherwise as ``budget``.
    objective : "expected" or "worst"
        What to minimize: the average cost over the training rows, or the cost of the dearest row
        (and, of policies with the same dearest row, the average).
    sample_weight : array, optional
        How much each row counts; 0 or more.
    limit : int
        How many states the exact search may keep (about 50 bytes each).
    time_limit : float
        About how many seconds the exact search may take.
    random_state : int, RandomState, Generator or None
        For Q-learning.
    n_episodes, alpha, gamma, exploration : int and floats
        For Q-learning; the defaults are the paper's. ``gamma=1`` is not discounted.
    reward : float, optional
        For Q-learning: given when a row is determined; by default the sum of all costs.

    Returns
    -------
    Policy

    Warns
    -----
    UserWarning
        If ``limit`` or ``time_limit`` ended the exact search. The policy is then the best found,
        never worse than greedy and path, and ``bound`` says what may be left to gain.

    Notes
    -----
    The paper's Case Study 3. With V = 0 for a determined state, the optimum is

    .. math:: V(s) = \min_f \; c_f + \sum_b P(b \mid s) \, V(s, f = b)

    over the distinct rows. Any feature of the tree may be bought in any state, also one that can
    no longer change the decision but says which other to buy. The search is memoised on the rows
    that are left and the leaves that they can reach, with branch and bound: what a row must spend
    to exclude all leaves of other classes, by dual ascent. With ``tolerance`` the classes are
    the largest sets of numbers that are near enough, which overlap: a row may end in any of those
    that hold its number, and the least over them is its bound. The number of states can grow
    exponentially with the features. Costs and weights are read as decimals and added as whole
    numbers, so sums are exact (``Policy.exact`` says if that was not possible).

    With gamma 0.9 a further question costs a tenth of the reward that is still to come, so the
    paper's Q-learner asks few questions rather than cheap ones.

    Examples
    --------
    A cheap question first, although the tree asks it last:

    >>> import orderless as ol
    >>> tree = ol.read({"feature": "scan", "true": {"feature": "fever",
    ...     "true": {"prediction": "ill"}, "false": {"prediction": "well"}},
    ...     "false": {"prediction": "well"}}, feature_names=["fever", "scan"])
    >>> rows = [[0, 0], [0, 1], [0, 0], [1, 1]]
    >>> policy = cheapest_policy(tree, rows, {"fever": 1, "scan": 100})
    >>> print(policy)
    optimal policy: 26 on average, 101 at most, over 4 rows; proven cheapest.
    fever? (cost 1)
      not fever (75%): well
      fever (25%): scan? (cost 100)
        not scan (0%): well
        scan (100%): ill
    >>> cheapest_policy(tree, rows, {"fever": 1, "scan": 100}, method="path").expected_cost
    100.5

    Numbers that are known well enough:

    >>> stay = {"task": "regression", "feature": "fever", "true": {"prediction": 9},
    ...     "false": {"feature": "scan", "true": {"prediction": 3}, "false": {"prediction": 2.5}}}
    >>> tree = ol.read(stay, feature_names=["fever", "scan"])
    >>> print(cheapest_policy(tree, rows, {"fever": 1, "scan": 100}, tolerance=0.5))
    optimal policy within 0.5: 1 on average, 1 at most, over 4 rows; proven cheapest.
    fever? (cost 1)
      not fever (75%): between 2.5 and 3
      fever (25%): 9
    """
    _check_options(method, objective, limit, max_questions)
    leaves = _leaves_of(tree, X, tolerance, priced_features(costs, groups, known), method)
    seed = whole_seed(random_state) % 2**64
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
    how = Solving(
        method,
        limit,
        read_seconds(time_limit),
        int(n_episodes),
        alpha,
        gamma,
        exploration,
        reward=total if reward is None else exact_number(reward, "reward"),
        seed=seed,
    )
    policy = Policy(**vars(solve(problem, how)))
    if method == "optimal" and not policy.optimal:
        warnings.warn(
            f"no policy was proven cheapest within {setting('time_limit', time_limit)} seconds and "
            f"{setting('limit', limit)} states; {policy!r} is the best found: raise them, or "
            "accept it",
            stacklevel=2,
        )
    return policy


def _leaves_of(
    model: Any, X: Any, tolerance: float | None, priced: set[str], method: str
) -> Leaves:
    """Give a tree's leaves, for ``tolerance`` as one of numbers; rows must satisfy its facts."""
    tree = read_tree(model)
    refuse_contradictions(tree, rows_for(tree, X))
    if method in ("naive", "path"):  # they ask all, whatever is determined
        refuse_facts(tree.space, f"the policy {method!r}")
    width = None if tolerance is None else read_tolerance(tolerance)
    own = tree if width is None else tree.as_regression()
    return Leaves(possible_cells_tree(own, priced).bins, width)


def _check_options(
    method: object, objective: object, limit: int, max_questions: int | None
) -> None:
    for name, value, allowed in (("method", method, METHODS), ("objective", objective, OBJECTIVES)):
        if value not in allowed:
            words = ", ".join(map(repr, allowed))
            raise ValueError(f"{name} must be one of {words}, got {value!r:.80}")
    if limit < 1:
        raise ValueError(f"limit must be at least 1 (state to keep), got {limit}")
    whole = isinstance(max_questions, int | np.integer) and not isinstance(max_questions, bool)
    if max_questions is not None and not (whole and max_questions >= 0):
        raise ValueError(
            f"max_questions must be a whole number, 0 or more, got {max_questions!r:.80}"
        )


def _training_rows(
    bins: Bins, X: Any, sample_weight: ArrayLike | None
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Give the distinct rows over bins, and how much each counts."""
    table = row_bins(bins, rows_for(bins.tree, X))
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
