"""A tree again, out of the terms of all classes.

In:  terms by class, as ``Term.to_dict`` writes them.
Out: a ``Tree`` that decides the same.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..errors import InvalidSpace, InvalidTree, OutOfTime, setting
from ..model import Budget, Feature, Side, Space, TreeBuilder, TreeKernel

__all__ = ["read_sides", "tree_of_terms"]

MOST_NODES = 1_000_000

Region = dict[str, Side]  # by feature; what is not named is whole
Terms = list[tuple[int, Region]]
End = tuple[str, float, bool, tuple[int, ...]]  # a condition: feature, threshold, NaN, values


def read_sides(space: Space, term: Any) -> list[Side]:
    """Read a term as ``Term.to_dict`` writes it."""
    try:
        return [_read_side(space, given) for given in term]
    except (InvalidSpace, TypeError) as fault:
        raise InvalidTree(f"these are not rules: {fault}") from fault


def _read_side(space: Space, given: Any) -> Side:
    if not isinstance(given, dict) or not isinstance(given.get("feature"), str):
        raise InvalidTree(f"a condition must be a dict with a feature's name, got {given!r:.80}")
    return Side.from_dict(space[given["feature"]], given)


def tree_of_terms(
    space: Space, classes: Sequence[Any], rules: Sequence[Any], *, time_limit: float | None = None
) -> TreeKernel:
    """Build a tree out of terms by class, written as ``Term.to_dict`` does.

    The terms must leave no row without a class, and give none two. The tree may be exponentially
    larger than the terms; after ``time_limit`` seconds ``OutOfTime`` is raised.
    """
    if len(rules) != len(classes):
        raise InvalidTree(f"there are {len(classes)} classes and rules for {len(rules)}")
    try:
        terms = [
            (c, {side.feature.name: side for side in read_sides(space, term)})
            for c, written in enumerate(rules)
            for term in written
        ]
    except TypeError as fault:
        raise InvalidTree(f"these are not rules: {fault}") from fault
    return _Builder(space, classes, time_limit).build(terms)


class _Builder:
    """Splits the space along the terms' own ends until every part has one class.

    Of the ends, the one with the greatest weight is taken first, where an end of a term that has n
    of them weighs 2^-n: it decides most, and short terms soonest.
    """

    def __init__(self, space: Space, classes: Sequence[Any], time_limit: float | None) -> None:
        self.budget = Budget(time_limit)
        self.space = space
        self.classes = classes
        self.nodes = TreeBuilder()

    def build(self, terms: Terms) -> TreeKernel:
        todo: list[tuple[Region, Terms, int, bool]] = [({}, terms, -1, True)]
        while todo:
            region, meeting, parent, side = todo.pop()
            meeting = [term for term in meeting if _meets(region, term[1])]
            node = self.nodes.reserve(parent, side)
            end = self._condition(node, region, meeting)
            if end is None:
                self.nodes.leaf(node, meeting[0][0])
                continue
            name, threshold, nan_true, codes = end
            feature = self.space[name]
            self.nodes.split(
                node,
                self.space.index(name),
                limit=threshold,
                nan=nan_true,
                members=None if feature.ordered else codes,
            )
            yes, no = _split(region, feature, end)
            todo += [(no, meeting, node, False), (yes, meeting, node, True)]
        return TreeKernel(self.space, self.classes, **self.nodes.arrays())

    def _condition(self, node: int, region: Region, meeting: Terms) -> End | None:
        """Choose the end to split a region at; None where all of it has one class."""
        if node >= MOST_NODES:
            raise InvalidTree(f"these rules need a tree of more than {MOST_NODES:,} nodes")
        if self.budget.over:
            raise OutOfTime(
                f"no tree was built out of these rules in {self.budget} ({node:,} nodes so far): "
                f"raise {setting('time_limit')}"
            )
        labels = {c for c, _ in meeting}
        ends: Counter[End] = Counter()
        inside = False  # whether some term has the whole region
        for _, sides in meeting:
            own = [end for side in sides.values() for end in _ends(region, side)]
            inside = inside or not own
            for end in own:
                ends[end] += 1 << max(0, 64 - len(own))
        if not meeting or (inside and len(labels) > 1):
            state = "none" if not meeting else "more than one"
            raise InvalidTree(f"the rules give some rows {state} of the classes")
        return None if inside else min(ends, key=lambda end: (-ends[end], str(end)))


def _split(region: Region, feature: Feature, end: End) -> tuple[Region, Region]:
    side = region.get(feature.name) or Side.whole(feature)
    _, cut, nan_true, codes = end
    if feature.ordered:
        yes = replace(side, upper=min(cut, side.upper), nan=side.nan and nan_true)
        no = replace(side, lower=max(cut, side.lower), nan=side.nan and not nan_true)
    else:
        yes = replace(side, codes=tuple(c for c in side.codes if c in codes))
        no = replace(side, codes=tuple(c for c in side.codes if c not in codes))
    return {**region, feature.name: yes}, {**region, feature.name: no}


def _meets(region: Region, sides: Region) -> bool:
    for name, side in sides.items():
        part = region.get(name)
        if part is None:
            continue
        if side.feature.ordered:
            interval = max(part.lower, side.lower) < min(part.upper, side.upper)
            if not interval and not (part.nan and side.nan):
                return False
        elif not set(part.codes) & set(side.codes):
            return False
    return True


def _ends(region: Region, side: Side) -> list[End]:
    """Give the conditions at which a side begins or ends inside a region."""
    feature = side.feature
    part = region.get(feature.name) or Side.whole(feature)
    if not feature.ordered:
        inside = set(part.codes) & set(side.codes)
        return [(feature.name, 0.0, False, side.codes)] if inside != set(part.codes) else []
    some = side.lower < side.upper
    cuts = [cut for cut in (side.lower, side.upper) if some and part.lower < cut < part.upper]
    if not cuts and part.nan and part.lower < part.upper:
        inside_interval = some and side.lower <= part.lower and part.upper <= side.upper
        if inside_interval != side.nan:
            cuts = [math.inf]  # NaN and the numbers part ways
    return [(feature.name, cut, False, ()) for cut in cuts]
