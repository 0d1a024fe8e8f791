"""Two trees on the rows that facts leave possible: whether they differ, where, and how much.

In:  two trees over one space with facts.
Out: a box on which they differ that has a possible row, such a row, the share of possible cells.

Two trees are the same on possible rows iff no two leaves of different classes meet in a possible
row: the facts, with the box in which the leaves meet, have no solution. This is exact, and needs
no canonical form.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ..model import (
    Domain,
    Feature,
    Label,
    Linear,
    PossibleTree,
    Side,
    Space,
    TreeKernel,
    ValueSet,
    all_values,
    meet,
    second,
    value_in,
    values_between,
    values_in,
)
from .leaf_table import LeafTable, common_sides, example_row
from .outcomes import Falling, Near, Unequal
from .product import product_tree

__all__ = [
    "PossiblePairs",
    "adjusted_in",
    "adjusted_row",
    "grouped",
    "is_possible",
    "meeting_boxes",
    "possible_difference",
    "possible_share",
    "value_sets_of",
]  # fmt: skip

Sides = Mapping[str, Side]
DIGITS = range(1, 17)


def value_sets_of(knowledge: Domain, sides: Sides) -> dict[int, ValueSet]:
    """Give a box as domains of the features that facts are about."""
    return {
        i: values_in(sides[knowledge.features[i].name])
        for i in knowledge.group_of
        if knowledge.features[i].name in sides
    }


def is_possible(knowledge: Domain, sides: Sides) -> bool:
    """Tell whether a box has a possible row."""
    return knowledge.possible(value_sets_of(knowledge, sides))


def meeting_boxes(
    a: TreeKernel, b: TreeKernel, only: tuple[Label, Label] | None = None
) -> Iterator[dict[str, Side]]:
    """Go through the boxes in which leaves of two trees meet that have different classes.

    ``only``: that have these two.
    """
    labels: dict[Any, int] = {}
    codes = [np.array([labels.setdefault(c, len(labels)) for c in tree.classes]) for tree in (a, b)]
    mine, theirs = (LeafTable(tree, {}) for tree in (a, b))
    differ = codes[0][:, None] != codes[1][None, :]
    if only is not None:
        one, other = (np.array([c == label for c in tree.classes])
                      for tree, label in zip((a, b), only, strict=True))  # fmt: skip
        differ &= one[:, None] & other[None, :]
    for leaf, others in mine.pairs((), differ, theirs):
        own = mine.sides(leaf)
        for other in others.tolist():
            yield common_sides(own, theirs.sides(other))


def possible_difference(a: TreeKernel, b: TreeKernel) -> dict[str, Side] | None:
    """Give a box with a possible row on which two trees over one space differ; None if none is.

    Cost: pairs of leaves that meet, each with an exact check of the facts in their box.
    """
    boxes = meeting_boxes(a, b)
    return next((box for box in boxes if is_possible(a.space.domain, box)), None)


def possible_share(a: TreeKernel, b: TreeKernel) -> float:
    """Give the share of possible cells on which two trees over one space differ.

    Each bin of a feature weighs the same, as in ``disagreement``; impossible cells are left out.
    """
    product, _ = product_tree([a, b])
    possible = PossibleTree(product)
    table = LeafTable(possible.tree, {})
    total = differ = Fraction(0)
    for leaf in np.flatnonzero(table.label < len(product.classes)).tolist():
        weight = Fraction(1)
        for side in table.sides(leaf).values():
            weight *= _share(possible, side)
        total += weight
        differ += weight * bool(table.label[leaf])
    return float(differ / total)


def _share(possible: PossibleTree, side: Side) -> Fraction:
    """Give the share of a feature's bins, or values, that a side has."""
    feature, tree = side.feature, possible.source
    if not feature.ordered:
        return Fraction(len(side.codes), feature.n_values)
    cuts = np.unique(tree.threshold[tree.feature == tree.space.index(feature.name)])
    cuts = cuts[np.isfinite(cuts)]
    n = len(cuts) + 1
    inside = int(((cuts > side.lower) & (cuts < side.upper)).sum()) + (side.lower < side.upper)
    return Fraction(inside + (side.nan and feature.nan), n + feature.nan)


# -- rows ----------------------------------------------------------------------------------------


def adjusted_row(knowledge: Domain, row: Mapping[str, Any], sides: Sides) -> Any:
    """Give a row inside a box that satisfies the facts, as near as may be to one that may not.

    Values are kept one by one, as long as the facts can still be satisfied; others are chosen anew,
    with few digits where that is possible. Where no floats do (``3 * x = 1``), the nearest floats
    are given, and this is said.
    """
    if not knowledge.restricts:
        return dict(row)
    return adjusted_in(knowledge, row, value_sets_of(knowledge, sides))


def adjusted_in(
    knowledge: Domain, row: Mapping[str, Any], domains: Mapping[int, ValueSet]
) -> dict[str, Any]:
    """Give what ``adjusted_row`` does, inside domains that have a possible row."""
    own = dict(domains)
    out = dict(row)
    names = {feature.name: i for i, feature in enumerate(knowledge.features)}
    for name in row:
        i = names.get(name)
        if i is None or i not in knowledge.group_of:
            continue
        feature = knowledge.features[i]
        for value in _values(knowledge, own, i, row[name]):
            pinned = _pinned(feature, value)
            narrow = meet(own.get(i, knowledge.whole[i]), pinned)
            if not narrow.empty and knowledge.possible({**own, i: narrow}):
                own[i], out[name] = narrow, value
                break
        else:
            out[name] = _solved(knowledge, own, i)
            warnings.warn(
                f"the facts leave no float for {name!r} in this row that satisfies them exactly: "
                f"{out[name]!r} is the nearest",
                UserWarning,
                stacklevel=3,
            )
    return out


def _pinned(feature: Feature, value: Any) -> ValueSet:
    if not feature.ordered:
        missing = isinstance(value, float) and math.isnan(value)
        code = feature.n_values - 1 if missing and feature.nan else feature.code(value)
        return ValueSet(codes=frozenset() if code is None else frozenset([code]))
    number = float(value)
    if math.isnan(number):
        return all_values(feature)._replace(ends=None, nan=feature.nan)
    return values_between(feature, number, number, False)


def _values(knowledge: Domain, own: Mapping[int, ValueSet], i: int, plain: Any) -> Iterator[Any]:
    """Go through values of a feature to try, plain ones first.

    Where facts add numbers up, whole numbers, halves, quarters, ... come first: sums of them are
    floats, so that the values that are chosen later can be exact.
    """
    feature = knowledge.features[i]
    if not feature.ordered or feature.whole or math.isnan(plain):
        yield plain
        yield _solved(knowledge, own, i)
        return
    if not knowledge.linear:
        yield plain
    yield from _near(plain)
    found = _solved(knowledge, own, i)
    if math.isnan(found):
        yield found
        return
    yield from _near(found)
    yield from (float(f"{found:.{digits}g}") for digits in DIGITS)
    yield found
    for towards in (-math.inf, math.inf):
        yield float(np.nextafter(found, towards))


def _near(number: float) -> Iterator[float]:
    """Go through multiples of 1, 1/2, 1/4, ... near a number."""
    if math.isfinite(number) and abs(number) < 2.0**52:
        for bits in range(0, 30, 2):
            yield math.floor(number * 2.0**bits) / 2.0**bits
            yield math.ceil(number * 2.0**bits) / 2.0**bits


def _solved(knowledge: Domain, own: Mapping[int, ValueSet], i: int) -> Any:
    """Give the value of a feature in some row that satisfies the facts."""
    found = knowledge.row(own)
    assert found is not None, "the box has a possible row"
    feature, value = knowledge.features[i], found[i]
    if value is None:
        return math.nan
    if not feature.ordered:
        return value_in(feature, [], 0.0, 0.0, False, [int(value)])
    if feature.kind == "boolean":
        return bool(value)
    return int(value) if feature.whole else float(value)


class PossiblePairs:
    """Two possible rows that differ only in some features.

    ``wanted``: what else holds between them; numbers that are near are at most so far apart, and
    a missing value is neither near a number nor above it.
    """

    def __init__(
        self, space: Space, apart: Sequence[str], wanted: Unequal | Falling | Near
    ) -> None:
        knowledge = space.domain
        self.space, self.apart = space, tuple(apart)
        self.numbers = not isinstance(wanted, Unequal)
        positions = [space.index(name) for name in apart]
        more = []
        if isinstance(wanted, Near):
            here, there = positions[0], len(space.features)
            more.append(Linear(((here, Fraction(-1)), (there, Fraction(1))), "<=", wanted.by))
        self.knowledge = knowledge.twice(positions, more)

    def _sides(self, one: Sides, two: Sides) -> dict[str, Side]:
        both = dict(common_sides(one, two))
        for name in self.apart:
            if name in one:
                both[name] = self._compared(one[name])
            if name in two:
                both[second(name)] = self._compared(two[name])
        return both

    def _compared(self, side: Side) -> Side:
        """Leave a missing value out where one is more than, or near, the other: it is neither."""
        return replace(side, nan=False) if self.numbers else side

    def possible(self, one: Sides, two: Sides) -> bool:
        """Tell whether two boxes have such a pair of rows, one each."""
        return is_possible(self.knowledge, self._sides(one, two))

    def rows(
        self, one: Sides, two: Sides, cuts: Mapping[str, Sequence[float]], alike: Collection[str]
    ) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Give such a pair of rows out of two boxes; None if there is none."""
        sides = self._sides(one, two)
        if not is_possible(self.knowledge, sides):
            return None
        plain = example_row(self.space.features, sides, cuts, alike)
        own = {name: two[name] for name in self.apart if name in two}
        others = example_row([self.space[name] for name in self.apart], own, cuts, alike)
        found = adjusted_row(
            self.knowledge, {**plain, **{second(n): v for n, v in others.items()}}, sides
        )
        first = {name: found[name] for name in plain}
        return first, {**first, **{name: found[second(name)] for name in self.apart}}


def grouped(trees: Sequence[TreeKernel]) -> list[list[int]]:
    """Group trees over one space with facts that are the same on possible rows."""
    groups: list[list[int]] = []
    for i, tree in enumerate(trees):
        for group in groups:
            if possible_difference(trees[group[0]], tree) is None:
                group.append(i)
                break
        else:
            groups.append([i])
    return groups
