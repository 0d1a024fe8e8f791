"""What a whole set says of rows: its best determined tree, the votes, how far its functions differ.

In:  a set's source, view and functions; rows.
Out: classes, shares of votes; multiplicity, ambiguity and discrepancy. An answer from a sample is a
     ``Sampled``.
Paper: Section 6, Rashomon sets (some tree answers). Ambiguity and discrepancy are those of Marx,
Calmon and Ustun, "Predictive multiplicity in classification", ICML 2020.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..inputs import labels_like
from .engine import Source
from .flat import FlatTrees, distinct
from .meaning import Bits, Meaning
from .problem import Problem
from .view import View

__all__ = ["Sampled", "best_determined", "complete_rows", "differing", "disagreements", "predict"]

AT_ONCE = 256


@dataclass(frozen=True, eq=False)
class Sampled:
    """An answer from a random sample of the functions, not from all of them.

    Attributes
    ----------
    value : what all functions would give, estimated
    n_functions : int
        How many were drawn, uniformly, with replacement.
    standard_error : of the value where it is a mean, else None
    """

    value: Any
    n_functions: int
    standard_error: Any = None


# -- the best determined tree --------------------------------------------------------------------


def best_determined(source: Source, view: View, X: Any, limit: int) -> NDArray[np.int32]:
    """Give by row the class of the best tree that is determined, -1 where none is.

    The smallest objective decides, then the first class.
    """
    meaning = source.problem.meaning
    one, zero, partly = meaning.read(X)
    first, which = distinct(np.hstack([one, zero, partly[:, None].astype(np.uint8)]))
    answer = np.full(len(first), -1, dtype=np.int32)
    plain = first[~partly[first]]
    found = source.decide(view, one[plain], zero[plain]) if len(plain) else None
    rest = first if found is None else first[partly[first]]
    if found is not None:
        answer[~partly[first]] = found[0]
    if len(rest):
        by_trying = _try_trees(source, view, X, rest, limit)
        answer[np.isin(first, rest)] = by_trying
    return answer[which]


def _try_trees(
    source: Source, view: View, X: Any, chosen: NDArray[np.intp], limit: int
) -> NDArray[np.int32]:
    """Try one tree of each function after the other, the best first."""
    from ..inputs import read_rows
    from .listing import Listing

    problem = source.problem
    measure = "aware" if problem.aware else "independent"
    listing = Listing(source, view, measure, limit)
    functions, cost = listing.functions, listing.cost
    rows = read_rows(X, problem.meaning.space, np.unique(problem.meaning.feature).tolist())
    answer = np.full(rows.n_rows, -1, dtype=np.int32)
    reached = np.full(rows.n_rows, np.iinfo(np.int64).max)
    for start in range(0, len(cost), AT_ONCE):
        open_ = np.zeros(rows.n_rows, dtype=bool)
        open_[chosen] = (answer[chosen] < 0) | (reached[chosen] >= cost[start])
        if not open_.any():
            break
        some = np.arange(start, min(start + AT_ONCE, len(cost)))
        for k, tree in zip(some.tolist(), listing.trees(functions.trees(some)), strict=True):
            said = tree.decide(rows)
            better = (
                (said >= 0)
                & open_
                & ((cost[k] < reached) | ((cost[k] == reached) & (said < answer)))
            )
            answer[better] = said[better]
            reached[better] = cost[k]
    return answer[chosen]


def predict(source: Source, view: View, X: Any, limit: int) -> Any:
    """Give classes as ``Tree.predict`` does."""
    classes = np.array(source.problem.classes)
    if classes.tolist() != list(source.problem.classes):
        classes = np.array(source.problem.classes, dtype=object)
    return labels_like(X, classes, best_determined(source, view, X, limit))


# -- votes ---------------------------------------------------------------------------------------


def complete_rows(meaning: Meaning, X: Any) -> Bits:
    """Read rows of which every column is known."""
    one, zero, _ = meaning.read(X)
    open_ = ((one == 1) & (zero == 1)).any(axis=1)
    if open_.any():
        row = int(np.argmax(open_))
        j = int(np.argmax((one[row] == 1) & (zero[row] == 1)))
        raise InvalidData(
            f"row {row} does not say whether {meaning.names[j]!r} holds: votes need complete rows; "
            "predict takes unknowns"
        )
    return one


def differing(trees: FlatTrees, best: FlatTrees, bits: Bits) -> NDArray[np.float64]:
    """Give, per tree, the share of rows on which it differs from the best."""
    first, which = distinct(bits)
    weight = np.bincount(which, minlength=len(first)) / len(bits)
    base = best.says(bits[first])[0]
    out = np.zeros(len(trees))
    for part, said in trees.says_in_parts(bits[first]):
        out[part] = (said != base) @ weight
    return out


def disagreements(problem: Problem, trees: FlatTrees) -> NDArray[np.float64]:
    """Give, for every two trees, the share of the training weight on which they differ."""
    said = trees.says(problem.bits)
    weight = problem.weights / problem.total_weight
    same = np.zeros((len(trees), len(trees)))
    for c in range(len(problem.classes)):
        one = (said == c).astype(np.float64)
        same += (one * weight) @ one.T
    distance = np.clip(1 - same, 0, 1)
    np.fill_diagonal(distance, 0)
    return distance
