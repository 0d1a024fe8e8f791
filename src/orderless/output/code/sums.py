"""When the class of a sum of trees is certain by bounds, as formulas.

In:  a ``SumKernel``, and the columns that say something about its features.
Out: per class a formula (``formula.py``) that holds only if every completion of the row gets the
     class; and the bounds of the score.

Each tree is bounded by the leaves that the row can reach, and the bounds are added up. Of a
complete row this is the score itself; of others the bounds can be wider than they have to be,
because the trees may not reach their smallest leaves together. So a formula that holds proves
the class, and one that does not hold leaves it open: ``Ensemble.predict`` searches.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidTree, TooLarge
from ...model import Label, SumKernel
from .certain import excluded_leaves
from .formula import Bound, Every, Formula, Some, Source, Threshold, every

__all__ = ["LIMIT", "Scaled", "certain_by_bounds", "check_of", "score_bound"]

LIMIT = 100_000  # conditions of an expression
OF = ("answer", "lower", "upper")
WIDER = 2.0**-50  # of a score: what a database or data frame rounds when it scales the sum

LeafValues = Callable[[int], NDArray[np.int64]]  # of a tree, by the number of its leaf


def certain_by_bounds(
    model: SumKernel, known: Mapping[int, Source], limit: int = LIMIT
) -> list[tuple[Label, Formula]]:
    """Return, per class, a formula that holds only where the class is certain."""
    excluded = _excluded(model, known, limit)
    if model.rule.kind == "cuts":
        return _by_cuts(model, excluded)
    return _by_largest(model, excluded)


def check_of(model: SumKernel, of: str) -> None:
    """Raise for what an expression cannot be of."""
    if of not in OF:
        raise ValueError(f"of must be one of {', '.join(map(repr, OF))}, got {of!r:.80}")
    if of == "answer" and not model.classes:
        raise InvalidTree(
            "the model predicts numbers: ask for bounds of its score, of='lower' and of='upper'; "
            "discretize(levels) makes classes of the numbers"
        )


class Scaled(NamedTuple):
    """A bound of the score: of a sum, times ``unit``, over ``divisor``, moved by ``widened``.

    ``widened`` is a share of the number, by which it is moved outwards: what engines may round.
    """

    bound: Bound
    unit: float
    divisor: float
    widened: float


def score_bound(
    model: SumKernel, known: Mapping[int, Source], *, upper: bool, limit: int = LIMIT
) -> Scaled:
    """Return a bound of the score: no completion of a row is beyond it."""
    if model.n_scores > 1:
        raise InvalidTree(
            f"the model has {model.n_scores} scores, and an expression has one number: ask for "
            "of='answer'"
        )
    values, base = _scores(model, 0)
    excluded = _excluded(model, known, limit)
    slack = int(model.whole.slack[0])
    bound = _bound(excluded, values, base + (slack if upper else -slack), upper=upper)
    divisor = model.adding.divisor
    largest = abs(bound.base) + sum(max(abs(v) for _, v in leaves) for leaves in bound.trees)
    exact = largest < 2**53 and math.frexp(divisor)[0] == 0.5
    widened = 0.0 if exact else WIDER if upper else -WIDER
    return Scaled(bound, 2.0**model.whole.exponent, divisor, widened)


Excluded = list[list[tuple[int, Formula]]]  # of each tree: leaves, and what excludes them


def _excluded(model: SumKernel, known: Mapping[int, Source], limit: int) -> Excluded:
    trees = []
    n_conditions = 0
    for tree in model.trees:
        leaves = list(excluded_leaves(tree, known))
        n_conditions += sum(_size(formula) for _, formula in leaves)
        if n_conditions > limit:
            raise TooLarge(
                f"the expression has more than {limit:,} conditions: raise limit=, or predict "
                "with the ensemble itself (predict_file for files of any length)",
                n_conditions,
            )
        trees.append(leaves)
    return trees


def _size(formula: Formula) -> int:
    if isinstance(formula, Every | Some):
        return sum(_size(part) for part in formula.parts)
    return 1


def _scores(model: SumKernel, score: int, minus: int | None = None) -> tuple[LeafValues, int]:
    """Return what the leaves of each tree add to a score, or a difference of two; and the base."""
    whole = model.whole
    starts = np.cumsum([0, *(len(values) for values in model.values)])
    column = whole.values[:, score]
    base = int(whole.base[score])
    if minus is not None:
        column = column - whole.values[:, minus]
        base -= int(whole.base[minus])
    return lambda t: column[starts[t] : starts[t + 1]], base


def _bound(excluded: Excluded, values: LeafValues, base: int, *, upper: bool) -> Bound:
    """Return the sum over trees of the smallest, or largest, leaf that is not excluded."""
    trees = []
    for t, leaves in enumerate(excluded):
        of_leaf = values(t)
        by_value: dict[int, list[Formula]] = {}
        for leaf, formula in leaves:
            by_value.setdefault(int(of_leaf[leaf]), []).append(formula)
        ordered = [(every(by_value[v]), v) for v in sorted(by_value, reverse=upper)]
        first = next((i for i, (f, _) in enumerate(ordered) if f is False), len(ordered) - 1)
        cases = [(f, v) for f, v in ordered[:first] if f is not True]
        if cases:
            trees.append((*cases, (False, ordered[first][1])))
        else:
            base += ordered[first][1]
    return Bound(base, tuple(trees))


def _by_cuts(model: SumKernel, excluded: Excluded) -> list[tuple[Label, Formula]]:
    rule, whole = model.rule, model.whole
    values, base = _scores(model, 0)
    low = _bound(excluded, values, base, upper=False)
    high = _bound(excluded, values, base, upper=True)
    away = int(whole.slack[0]) + rule.window_in_units(whole.exponent)
    cuts = model.cuts_in_units(whole.exponent)
    out: list[tuple[Label, Formula]] = []
    for c, label in enumerate(model.classes):
        formulas = [_compared(low, cuts[c - 1] + away, above=True)] if c else []
        if c < len(cuts):
            formulas.append(_compared(high, cuts[c] - away, above=False))
        out.append((label, every(formulas)))
    return [(label, formula) for label, formula in out if formula is not False]


def _by_largest(model: SumKernel, excluded: Excluded) -> list[tuple[Label, Formula]]:
    whole = model.whole
    window = model.rule.window_in_units(whole.exponent)
    ahead: dict[int, list[Formula]] = {c: [] for c in range(len(model.classes))}
    for a, b in itertools.combinations(range(len(model.classes)), 2):
        values, base = _scores(model, a, minus=b)
        slack = int(whole.slack[a] + whole.slack[b])
        away = slack + window
        low = _bound(excluded, values, base, upper=False)
        high = _bound(excluded, values, base, upper=True)
        # Of equal scores the first class is chosen, where nothing is rounded.
        tied = -1 if away == 0 and not model.rule.either else away
        ahead[a].append(_compared(low, tied, above=True))
        ahead[b].append(_compared(high, -away - 1, above=False))
    out = [(label, every(ahead[c])) for c, label in enumerate(model.classes)]
    return [(label, formula) for label, formula in out if formula is not False]


def _compared(bound: Bound, at: int, *, above: bool) -> Formula:
    if not bound.trees:
        return (bound.base > at) == above
    return Threshold(bound, at, above)
