"""Domain: a space and its facts, and the one place that decides which rows are possible.

In:  features, facts.
Out: ``Domain``: whether a box has a possible row, and such a row. Contradicting facts are
     refused, with a smallest part of them that contradicts itself.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InvalidSpace
from ..feature import Feature, Side
from ..numbers import row_boundary
from .language import Fact, parse_fact
from .linear import Linear
from .solver import (
    Among,
    Formula,
    HowMany,
    Missing,
    ValueSet,
    both,
    compared_in,
    either,
    features_of,
    holds,
    linear_in,
    meet,
    moved,
    projected,
    smallest,
    solve,
    tight,
)

if TYPE_CHECKING:
    from ..space import Space

__all__ = ["Domain", "all_values", "refuse_facts", "second", "values_between", "values_in"]

ZERO, ONE = Fraction(0), Fraction(1)
REMEMBERED = 200_000
LARGEST = Fraction(float(np.finfo(np.float64).max))

Row = dict[int, Fraction | int | None]


class Domain:
    """The facts of a space.

    Parameters
    ----------
    features : sequence of Feature
    facts : sequence of Fact

    Attributes
    ----------
    formulas : tuple of Formula
        By fact.
    groups : tuple of tuple of int
        The features that facts connect, directly or through others; each group by itself.

    Notes
    -----
    Numbers are real numbers here, or whole numbers, and compare as they stand in rows, before any
    rounding to float32. Everything is computed with fractions.
    """

    def __init__(self, features: Sequence[Feature], facts: Sequence[Fact]) -> None:
        self.features, self.facts = tuple(features), tuple(facts)
        self._keep(tuple(self._formula(fact) for fact in self.facts))
        self._refuse_contradiction()

    def _keep(self, formulas: tuple[Formula, ...]) -> None:
        self.formulas = formulas
        about = [features_of(formula) for formula in self.formulas]
        self.groups = _connected(about)
        self.group_of = {i: g for g, group in enumerate(self.groups) for i in group}
        self._own: list[list[int]] = [[] for _ in self.groups]
        self._alone: list[int] = []  # facts about no feature: always true, or never
        for k, some in enumerate(about):
            (self._own[self.group_of[min(some)]] if some else self._alone).append(k)
        self._known: dict[tuple[object, ...], bool] = {}

    def twice(self, apart: Sequence[int], more: Sequence[Formula] = ()) -> Domain:
        """Give the facts of two rows that differ only in some features.

        The second values of these features come after all features, in their order, named by
        ``second``. ``more``: formulas about both.
        """
        out = Domain.__new__(Domain)
        other = [replace(self.features[i], name=second(self.features[i].name)) for i in apart]
        out.features, out.facts = (*self.features, *other), ()
        place = {i: len(self.features) + k for k, i in enumerate(apart)}
        again = [moved(f, place) for f in self.formulas if features_of(f) & place.keys()]
        out._keep((*self.formulas, *again, *more))
        return out

    def _formula(self, fact: Fact) -> Formula:
        said = parse_fact(fact.text, self.features)
        formula = tight(said, [value_set.whole for value_set in self.whole])
        gone = [Missing(i, True) for i in sorted(compared_in(said)) if self.features[i].nan]
        if not gone:
            return formula
        return HowMany((*gone, formula), 1, len(gone) + 1)

    @cached_property
    def whole(self) -> list[ValueSet]:
        """By feature all of its values."""
        return [all_values(feature) for feature in self.features]

    @property
    def restricts(self) -> bool:
        """Whether there are facts."""
        return bool(self.formulas)

    @property
    def linear(self) -> bool:
        """Whether some fact compares features with each other."""
        return any(linear_in(formula) for formula in self.formulas)

    def formulas_of(self, g: int) -> list[Formula]:
        """Give the formulas of a group."""
        return [self.formulas[k] for k in self._own[g]]

    def own_sides(self, formulas: Sequence[Formula] | None = None) -> dict[int, list[Side]]:
        """Give the values that facts themselves tell apart, by feature; of all that they name.

        ``formulas``: instead of the facts.
        """
        out: dict[int, list[Side]] = {i: [] for i in self.group_of}
        todo = list(self.formulas if formulas is None else formulas)
        while todo:
            formula = todo.pop()
            if isinstance(formula, HowMany):
                todo += formula.parts
            elif isinstance(formula, Among):
                feature = self.features[formula.feature]
                out[formula.feature].append(Side(feature, codes=tuple(sorted(formula.codes))))
            elif isinstance(formula, Linear) and len(formula.terms) == 1:
                ((i, factor),) = formula.terms
                out[i] += self._cut_at(i, float(formula.bound / factor))
        return out

    def _cut_at(self, i: int, end: float) -> list[Side]:
        """Give the values up to an end, and those below it."""
        feature = self.features[i]
        if feature.values == "float32":  # all that is rounded as the end is apart
            with np.errstate(over="ignore"):
                end = float(np.float32(end))
        cuts = (feature.at_most(end, strict) for strict in (False, True))
        return [Side(feature, upper=float(cut)) for cut in cuts]

    def in_bins(self, i: int, sides: Iterable[Side]) -> list[Formula]:
        """Say that a number is in a bin; ``sides``: bins of a feature, rising.

        Real numbers between the last float of a bin and the first of the next one are in neither,
        and no row has them.
        """
        out = []
        ends = [values_in(side).ends for side in sides]
        for before, after in pairwise(own for own in ends if own is not None):
            high, low = before[1], after[0]
            if high is not None and low is not None and high[0] < low[0]:
                below = Linear(((i, ONE),), "<=", high[0])
                above = Linear(((i, -ONE),), "<=", -low[0])
                gone = [Missing(i, True)] * self.features[i].nan
                out.append(either([below, above, *gone]))
        return out

    # -- what is possible ------------------------------------------------------------------------

    def possible(self, value_sets: Mapping[int, ValueSet]) -> bool:
        """Tell whether a possible row has its values inside these values.

        A feature that is not named may have every value.
        """
        if any(value_set.empty for value_set in value_sets.values()):
            return False
        groups = {self.group_of[i] for i in value_sets if i in self.group_of}
        return all(self._group_possible(g, value_sets) for g in groups)

    def _group_possible(self, g: int, value_sets: Mapping[int, ValueSet]) -> bool:
        own = {i: value_sets[i] for i in self.groups[g] if i in value_sets}
        key = (g, *own.items())
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            found = self._known[key] = self._decided(g, own)
        return found

    def _decided(self, g: int, own: Mapping[int, ValueSet]) -> bool:
        """Tell whether a group has a solution: where no choice is left, without looking for one."""
        full = {i: own.get(i, self.whole[i]) for i in self.groups[g]}
        formulas = self.formulas_of(g)
        some = False
        for formula in formulas:
            state = holds(formula, full)
            if state is False:
                return False
            some = some or state is None
        return not some or solve(formulas, full) is not None

    def _solved(self, g: int, own: Mapping[int, ValueSet]) -> Row | None:
        full = {i: own.get(i, self.whole[i]) for i in self.groups[g]}
        return solve(self.formulas_of(g), full)

    def row(self, value_sets: Mapping[int, ValueSet]) -> Row | None:
        """Give values for the features of facts, inside these values; None if there are none."""
        out: Row = {}
        for g in range(len(self.groups)):
            found = self._solved(g, value_sets)
            if found is None:
                return None
            out |= found
        return out

    def projected(self, value_sets: Mapping[int, ValueSet], keep: Collection[int]) -> Formula:
        """Give a formula over some features: it holds iff a possible row has values like these.

        The row's other values are inside the values, which have a possible row. ``keep``: at least
        one feature that facts are about.
        """
        parts = []
        for g, group in enumerate(self.groups):
            kept = [i for i in group if i in keep]
            if kept:
                full = {i: value_sets.get(i, self.whole[i]) for i in group}
                parts.append(projected(self.formulas_of(g), full, kept, self.whole))
        return both(parts)

    def satisfied(self, value_sets: Mapping[int, ValueSet], more: Sequence[Formula]) -> bool:
        """Tell whether a possible row inside these values satisfies more formulas."""
        about = {i for formula in more for i in features_of(formula)} | value_sets.keys()
        groups = {self.group_of[i] for i in about if i in self.group_of}
        full = {i: value_sets.get(i, self.whole[i]) for g in groups for i in self.groups[g]}
        every = [*more, *(formula for g in groups for formula in self.formulas_of(g))]
        return solve(every, full) is not None

    def smallest(
        self,
        value_sets: Mapping[int, ValueSet],
        more: Sequence[Formula],
        total: Mapping[int, Fraction],
    ) -> dict[int, Fraction] | None:
        """Find the possible row inside these values where a sum is smallest: its numbers.

        ``value_sets`` may have more features than the space, which ``more`` formulas are about.
        Where the sum only comes near its least value, the numbers are those that it comes near.
        """
        groups = {self.group_of[i] for i in value_sets if i in self.group_of}
        full = {i: self.whole[i] for g in groups for i in self.groups[g]} | dict(value_sets)
        every = [*more, *(formula for g in groups for formula in self.formulas_of(g))]
        found = smallest(every, full, total)
        return None if found is None else found[1]

    # -- contradictions --------------------------------------------------------------------------

    def _refuse_contradiction(self) -> None:
        bad = self.contradiction({})
        if bad:
            listed = "; ".join(repr(fact.text) for fact in bad)
            if len(bad) == 1:
                raise InvalidSpace(f"no row can satisfy this fact: {listed}")
            raise InvalidSpace(
                f"no row can satisfy these facts together: {listed}. Without any one of them the "
                "others can be satisfied"
            )

    def contradiction(self, value_sets: Mapping[int, ValueSet]) -> list[Fact]:
        """Give a smallest part of the facts that no row inside the values satisfies.

        Smallest: without any one of them, the others can be satisfied. Empty if all can be.
        """
        for k in self._alone:
            if solve([self.formulas[k]], {}) is None:
                return [self.facts[k]]
        for g, group in enumerate(self.groups):
            full = {i: meet(self.whole[i], value_sets.get(i, self.whole[i])) for i in group}
            kept = list(self._own[g])
            if solve([self.formulas[k] for k in kept], full) is not None:
                continue
            for k in list(kept):
                fewer = [other for other in kept if other != k]
                if solve([self.formulas[other] for other in fewer], full) is None:
                    kept = fewer
            return [self.facts[k] for k in kept]
        return []


def second(name: str) -> str:
    """Name the value that a feature has in the second of two rows."""
    return f"{name}\0second"


def _connected(about: Iterable[frozenset[int]]) -> tuple[tuple[int, ...], ...]:
    """Put together what overlaps."""
    groups: list[set[int]] = []
    for some in about:
        if not some:
            continue
        apart = [group for group in groups if not group & some]
        groups = [*apart, set(some).union(*(group for group in groups if group & some))]
    return tuple(sorted(tuple(sorted(group)) for group in groups))


# -- values -------------------------------------------------------------------------------------


def all_values(feature: Feature) -> ValueSet:
    """Give the values that says nothing: every value of a feature."""
    if not feature.ordered:
        return ValueSet(codes=frozenset(range(feature.n_values)))
    if feature.kind == "boolean":
        return ValueSet(((ZERO, ZERO), (ONE, ZERO)), whole=True)
    return ValueSet(whole=feature.whole, nan=feature.nan)


def values_in(side: Side) -> ValueSet:
    """Give the values of a side, as rows hold them."""
    feature = side.feature
    whole = all_values(feature)
    if not feature.ordered:
        return whole._replace(codes=frozenset(side.codes))
    if not side.lower < side.upper:
        return whole._replace(ends=None, nan=side.nan)
    ends = np.array([side.lower, side.upper])
    if feature.kind == "numeric":
        ends = row_boundary(ends, feature.values)
    low, high = ends.tolist()
    alone = math.nextafter(low, math.inf) == high and math.isfinite(high)  # no other float is there
    if alone:
        return values_between(feature, high, high, side.nan)
    return whole.between(
        _above(low) if math.isfinite(low) else None,
        (Fraction(high), ZERO) if math.isfinite(high) else None,
    )._replace(nan=side.nan)


def _above(low: float) -> tuple[Fraction, Fraction]:
    """Give where the numbers above a float begin.

    Above the last float before 0.1 they are those from 0.1 on: that is what "at least 0.1" is as a
    side, and no row has a number between the two, which facts such as "below 0.1" would otherwise
    allow. Only where the float itself is the one that people write is it "above 0.1".
    """
    after = math.nextafter(low, math.inf)
    if len(repr(low)) < len(repr(after)):
        return Fraction(low), ONE
    return Fraction(after), ZERO


def values_between(feature: Feature, low: float, high: float, nan: bool) -> ValueSet:
    """Give the numbers from one to another, both inside, as a row holds them.

    An infinite number is one beyond all floats.
    """
    whole = all_values(feature)
    least = most = None
    if low == math.inf:
        least = (LARGEST, ONE)
    elif low != -math.inf:
        least = (Fraction(low), ZERO)
    if high == -math.inf:
        most = (-LARGEST, -ONE)
    elif high != math.inf:
        most = (Fraction(high), ZERO)
    return whole.between(least, most)._replace(nan=nan)


def refuse_facts(space: Space, what: str, *, why: str, linear: bool = False) -> None:
    """Refuse a question that has no answer with facts.

    ``why``: what stands in the way, as the end of a sentence. ``linear``: only facts that compare
    features with each other are refused.
    """
    if not space.domain.restricts or (linear and not space.domain.linear):
        return
    which = "facts that compare features with each other" if linear else "facts between features"
    raise InvalidSpace(
        f"{what} does not work with {which} ({why}), and does not leave them out "
        "silently: ask it without them, of "
        "tree.with_space(tree.space.without_facts())"
    )
