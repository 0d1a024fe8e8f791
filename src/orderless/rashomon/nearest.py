"""The tree whose measure is nearest to a number, and a proven bound on how near any tree is.

In:  a set of trees, a ``Measure``, a number.
Out: ``Nearest``. ``least_gap``: no tree is nearer, proven; ``closer``: trees that are nearer than
     one that is known, or the proof that there is none.

The smallest distance from a number is not a sum over leaves, so subsets of rows keep all values
that their trees can have, up to a limit, and intervals of them beyond it.

How small a difference between two groups can be at all: whole numbers seldom meet. A difference of
two rates is p a + q b + c for whole numbers a and b, what is counted in each group. Each of the two
lies between its smallest and its largest value over all trees, which are known exactly; of all
pairs between these bounds, those nearest to 0 are few. Whether a tree has such a pair is one more
question about a nearest measure: a and b are put together as one number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..api import Tree
from ..errors import InvalidData
from ..inputs import exact, shown
from ..model import Label
from .leaf_sums import Form, LeafSums, Near, as_number, leaf_sums
from .measures import measured_rows, quantity_on, read_measure, reads_leaf_shares
from .problem import LARGEST
from .ranges import Number, incomplete_note, short_number

if TYPE_CHECKING:
    from .tree_set import TreeSet

__all__ = ["Nearest", "Pairs", "closer", "least_gap", "nearest", "pairs_of"]

FIRST_VALUES, MORE_VALUES = 16, 4
MAX_VALUES = 5_000_000  # of one count, that are gone through
MAX_PAIRS = 8  # that are looked for one by one


@dataclass(frozen=True, eq=False)
class Nearest:
    """The tree whose measure is nearest to a number.

    Attributes
    ----------
    measure : str
    gap : int or Fraction
        How far the tree is from the number: its measure less that. Between groups, and for 0: the
        value in the second group less that in the first.
    tree : Tree
    at_least : int or Fraction
        No tree of the set is nearer: proven.
    objective : Fraction
        Of the tree.
    groups : tuple of two labels, or empty
    complete : bool
        Whether the set is the full one that was requested; else ``at_least`` is about a subset.
    """

    measure: str
    gap: Number
    tree: Tree
    at_least: Number
    objective: Fraction
    groups: tuple[Label, ...] = ()
    complete: bool = True

    @property
    def proven(self) -> bool:
        """Whether no tree of the set is nearer; else one may be, down to ``at_least``."""
        return abs(self.gap) == self.at_least

    def __repr__(self) -> str:
        least = "" if self.proven else f", at least {short_number(self.at_least)}"
        gap = short_number(self.gap)
        return f"Nearest({self.measure}: gap {gap}{least}{incomplete_note(self.complete)})"


def nearest(trees: TreeSet, measure: Any, to: Any, limit: int) -> Nearest:
    """Find the tree; see ``TreeSet.nearest``."""
    if isinstance(limit, bool) or not isinstance(limit, int | np.integer) or limit < 1:
        raise ValueError(f"limit must be a whole number from 1, got {limit!r:.80}")
    measure, aim = read_measure(measure), _number(to)
    problem, source, view = trees._problem, trees._source, trees._view
    if reads_leaf_shares(measure, problem):
        raise InvalidData(f"{measure.title!r} has no nearest tree: its range is found")
    rows = measured_rows(problem, measure)
    sums = leaf_sums(source, view, quantity_on(measure, rows, source, view))
    form = _less(sums, aim)
    near, at_least = _search(sums, form, int(limit))
    (tree,) = problem.trees(near.tree)
    return Nearest(
        measure.title,
        as_number(form.value(near.measure)),
        tree,
        as_number(Fraction(at_least, form.unit)),
        problem.objective(near.cost),
        rows.group_names,
        trees.complete,
    )


def _number(to: Any) -> Fraction:
    try:
        return exact(to, text=False)
    except (TypeError, ValueError):
        raise InvalidData(f"to must be a finite number, got {shown(to)}") from None


def _less(sums: LeafSums, number: Fraction) -> Form:
    """Return what is measured, less a number."""
    quantity = sums.quantity
    if len(quantity.forms) == 2:
        raise InvalidData(
            f"{quantity.name!r} is a ratio of two counts, both of which depend on the tree, so the "
            "tree that is nearest to a number is not found: its range and front are"
        )
    (form,) = quantity.forms
    n, times = number.numerator, number.denominator
    factors = form.factors if times == 1 else quantity.combined([times])
    constant = form.constant * times - n * form.unit
    if abs(constant) >= LARGEST:
        raise InvalidData(f"to={float(number):g} would pass 2^62 in whole numbers: round it")
    return Form(factors, constant, form.unit * times)


def _search(sums: LeafSums, form: Form, limit: int) -> tuple[Near, int]:
    """Find a tree near 0, and a number of the form's units that no tree is nearer than."""
    step = math.gcd(form.constant, *np.unique(form.factors).tolist()) or 1
    values, best, at_least = min(FIRST_VALUES, limit), None, 0
    while True:
        near = sums.nearest(form.factors, -form.constant, values)
        if near is None:
            raise InvalidData("there is no tree in this view: require less of its trees")
        at_least = max(at_least, -(-near.at_least // step) * step)
        if best is None or near.distance < best.distance:
            best = near
        if best.distance > at_least and values == min(FIRST_VALUES, limit):
            pairs = pairs_of(sums, form)
            if pairs is not None:
                best, proven = closer(sums, pairs, best, values)
                at_least = max(at_least, proven)
        if best.distance <= at_least or values >= limit:
            return best, at_least
        values = min(values * MORE_VALUES, limit)


# -- the differences that whole numbers allow ------------------------------------------------------


class Counted(NamedTuple):
    """What is counted in a group: times what it goes into the gap, and its ends over all trees."""

    factor: int
    low: int
    high: int


class Pairs:
    """The pairs of counts that whole numbers allow, ``a`` with the fewer values."""

    def __init__(self, a: Counted, b: Counted, form: Form) -> None:
        self.a, self.b, self.form = a, b, form

    @cached_property
    def _gaps(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """For each a the two b that are nearest to 0: a, b and how far they are from it."""
        one, other = self.a, self.b
        a = np.arange(one.low, one.high + 1, dtype=np.int64)
        rest = self.form.constant + one.factor * a
        below = -rest // other.factor
        b = np.concatenate([np.clip(below + more, other.low, other.high) for more in (0, 1)])
        a, rest = np.concatenate([a, a]), np.concatenate([rest, rest])
        return a, b, np.abs(rest + other.factor * b)

    @property
    def least(self) -> int:
        """The smallest gap of any pair."""
        return int(self._gaps[2].min())

    def below(self, distance: int) -> list[tuple[int, int, int]]:
        """Give all pairs with a smaller gap, as (gap, a, b), rising; see ``whole``."""
        a, b, gap = self._gaps
        near = np.flatnonzero(gap < distance)
        return sorted({(int(gap[i]), int(a[i]), int(b[i])) for i in near})

    @property
    def whole(self) -> int:
        """Below this gap no pair is missing: a third b is a whole factor farther from 0."""
        return abs(self.b.factor)

    def look(self, sums: LeafSums, a: int, b: int, most: int) -> tuple[Near | None, bool]:
        """Look for a tree that has a pair: it, as the form measures it, and whether none has."""
        factors = self.form.factors
        # Two numbers are told apart as digits of one. Which of them is the first decides what the
        # search puts together, so both ways are tried, the count with more values first.
        for (one, n), (other, m) in (((self.b, b), (self.a, a)), ((self.a, a), (self.b, b))):
            width = other.high - other.low + 1
            together = (factors == one.factor) * width + (factors == other.factor)
            near = sums.nearest(together.astype(np.int64), n * width + m, most)
            if near is None or near.at_least > 0:
                return None, True
            if near.distance == 0:
                break
        else:
            return None, False
        measure = self.a.factor * a + self.b.factor * b
        gap = abs(measure + self.form.constant)
        return replace(near, measure=measure, distance=gap, at_least=0), False


def pairs_of(sums: LeafSums, form: Form) -> Pairs | None:
    """Give the pairs of counts of a difference; None where it is not one, or they are too many.

    Cost: four smallest or largest measures, and the values that one of the counts can have.
    """
    factors = [v for v in np.unique(form.factors).tolist() if v]
    if len(factors) != 2:
        return None
    counts = []
    for value in factors:
        counted = (form.factors == value).astype(np.int64)
        low, high = (sums.stairs(counted, largest).measure[-1] for largest in (False, True))
        counts.append(Counted(value, int(low), int(high)))
    a, b = sorted(counts, key=lambda each: each.high - each.low)
    reach = abs(form.constant) + abs(a.factor) * max(abs(a.low), abs(a.high))
    if a.high - a.low >= MAX_VALUES:
        return None
    if reach + abs(b.factor) * (max(abs(b.low), abs(b.high)) + 1) >= LARGEST:
        return None
    return Pairs(a, b, form)


def least_gap(sums: LeafSums, form: Form) -> int:
    """Give a number of the form's units that no tree's distance from 0 is below; 0 proves nothing.

    Cost: that of ``pairs_of``.
    """
    pairs = pairs_of(sums, form)
    return 0 if pairs is None else pairs.least


def closer(sums: LeafSums, pairs: Pairs, best: Near, most: int) -> tuple[Near, int]:
    """Look for trees with the few pairs that are nearer to 0 than a tree that was found.

    Returns the nearest tree, and a number of the form's units that no tree is nearer than. Cost:
    up to ``MAX_PAIRS`` nearest measures.
    """
    proven: int | None = None
    for i, (gap, a, b) in enumerate(pairs.below(best.distance)):
        if gap >= best.distance:
            break
        found, impossible = (None, False) if i >= MAX_PAIRS else pairs.look(sums, a, b, most)
        if found is not None:
            best = found
        elif not impossible and proven is None:
            proven = gap
        if i >= MAX_PAIRS:
            break
    at_least = best.distance if proven is None else min(proven, best.distance)
    return best, min(at_least, max(pairs.whole, pairs.least))
