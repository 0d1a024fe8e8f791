"""The tree of an item of a score.

In:  an item, and the space of its features.
Out: ``TreeKernel`` with the classes 0 and 1: whether a row fulfils all conditions of the item.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

from ...errors import InvalidSpace, InvalidTree
from ...inputs import near, some_names
from ...model import Condition, Feature, Space, TreeBuilder, TreeKernel
from .score_items import Item, Test

__all__ = ["Interval", "codes_of", "intervals_of", "tree_of_item", "values_of"]

MOST_NODES = 100_000  # of one item

Interval = tuple[float, float]  # above the first, at most the second


def values_of(test: Test) -> Sequence[Any]:
    """Give the values that a test compares with."""
    return test.value if isinstance(test.value, list) else [test.value]


class _Nodes:
    """The tree of an item: leaf 1 where all conditions hold, else leaf 0."""

    def __init__(self, item: Item, space: Space) -> None:
        self.item, self.space = item, space
        self.nodes = TreeBuilder()

    def reserve(self, parent: int, side: bool) -> int:
        if len(self.nodes) >= MOST_NODES:
            raise InvalidTree(
                f"{self.item.name} has too many numbers to choose from: write ranges (between), or "
                "several items"
            )
        return self.nodes.reserve(parent, side)

    def leaf(self, label: int, parent: int, side: bool) -> None:
        self.nodes.leaf(self.reserve(parent, side), label)

    def grow(self, at: int, parent: int, side: bool) -> None:
        """Add, below a side of a node, what asks the tests from this one on."""
        if at == len(self.item.tests):
            self.leaf(1, parent, side)
            return
        test = self.item.tests[at]
        i = self.space.index(test.feature)
        feature = self.space.features[i]
        if not feature.ordered:
            node = self.reserve(parent, side)
            self.nodes.split(node, i, members=codes_of(test, feature, self.item.name))
            self.grow(at + 1, node, True)
            self.leaf(0, node, False)
            return
        tests: list[tuple[float, bool]] = []
        for low, high in intervals_of(test, feature, self.item.name):
            tests += [(low, False)] * (low > -math.inf) + [(high, True)] * (high < math.inf)
        tests = tests or [(math.inf, True)]  # whatever is known
        holds_last = not tests[-1][1]  # above the last low end
        for cut, holds in tests:
            # What is missing fulfils no condition.
            node = self.reserve(parent, side)
            self.nodes.split(node, i, limit=cut, nan=not holds)
            if holds:
                self.grow(at + 1, node, True)
            else:
                self.leaf(0, node, True)
            parent, side = node, False
        if holds_last:
            self.grow(at + 1, parent, side)
        else:
            self.leaf(0, parent, side)

    def tree(self) -> TreeKernel:
        self.grow(0, -1, True)
        return TreeKernel(self.space, (0, 1), **self.nodes.arrays())


def tree_of_item(item: Item, space: Space) -> TreeKernel:
    """Make the tree of an item."""
    for test in item.tests:
        if test.feature not in space:
            raise InvalidTree(
                f"{item.name}: there is no feature {test.feature!r:.80}"
                f"{near(test.feature, space.names)}: the features are {some_names(space.names)}"
            )
    tree = _Nodes(item, space).tree()
    reached = set(tree.leaf_class[tree.feature < 0].tolist())
    if reached != {0, 1}:
        what = (
            "no row can fulfil its conditions"
            if reached == {0}
            else ("every row fulfils its conditions: give the points as base")
        )
        raise InvalidTree(f"{item.name} asks nothing: {what}")
    return tree


def intervals_of(test: Test, feature: Feature, item: str) -> list[Interval]:
    """Give the numbers for which a condition holds, as rising intervals apart from each other."""
    relation = test.relation
    if feature.kind == "boolean":
        return _of_boolean(test, item)
    for number in values_of(test):
        if isinstance(number, bool | str):
            raise InvalidTree(
                f"{item}: {feature.name!r} is numeric and is compared with {number!r:.80}: use a "
                "number, or declare the feature otherwise"
            )
    try:
        conditions = [Condition(feature.name, at_most=number) for number in values_of(test)]
    except InvalidSpace as fault:
        raise InvalidTree(f"{item}: {fault}") from fault
    cuts = [cast(float, condition.at_most) for condition in conditions]
    at = [float(feature.at_most(cut)) for cut in cuts]
    below = [float(feature.at_most(cut, strict=True)) for cut in cuts]
    if relation in ("<=", "<"):
        return [(-math.inf, (at if relation == "<=" else below)[0])]
    if relation in (">", ">="):
        return [((at if relation == ">" else below)[0], math.inf)]
    if relation == "between":
        return [(below[0], at[1])]
    never = [number for number, low, high in zip(values_of(test), below, at, strict=True)
             if low == high]  # fmt: skip
    if never:
        raise InvalidTree(f"{item}: {never[0]!r:.80} is not a value of {feature!r}")
    points = sorted(set(zip(below, at, strict=True)))
    if relation in ("is", "among"):
        return _joined(points)
    ends = [-math.inf, *(end for pair in _joined(points) for end in pair), math.inf]
    return list(zip(ends[::2], ends[1::2], strict=True))


def _joined(intervals: Sequence[Interval]) -> list[Interval]:
    """Join neighbours: whole numbers 3 and 4 are one interval."""
    out: list[Interval] = []
    for low, high in intervals:
        if out and out[-1][1] == low:
            out[-1] = out[-1][0], high
        else:
            out.append((low, high))
    return out


def _of_boolean(test: Test, item: str) -> list[Interval]:
    if test.relation not in ("is", "is not", "among", "not among") or not all(
        isinstance(value, bool) for value in values_of(test)
    ):
        raise InvalidTree(
            f"{item}: {test.feature!r} is boolean: write 'is': true or 'is': false, got "
            f"{test.relation!r} and {test.value!r:.80}"
        )
    inside = {value for value in (False, True) if value in values_of(test)}
    if test.relation.startswith(("is not", "not")):
        inside = {False, True} - inside
    low = -math.inf if False in inside else 0.0
    high = math.inf if True in inside else 0.0
    return [(low, high)] if inside else [(-math.inf, -1.0)]


def codes_of(test: Test, feature: Feature, item: str) -> list[int]:
    """Give the numbers of the categories for which a condition holds."""
    if test.relation not in ("is", "is not", "among", "not among"):
        raise InvalidTree(
            f"{item}: {feature.name!r} is categorical and has no order: use 'is' or 'among', got "
            f"{test.relation!r}"
        )
    codes = set()
    for value in values_of(test):
        if value not in feature.categories:
            raise InvalidTree(
                f"{item}: {value!r:.80} is not a value of {feature!r}"
                f"{near(value, feature.categories)}"
            )
        codes.add(feature.categories.index(value))
    if test.relation in ("is", "among"):
        return sorted(codes)
    return [code for code in range(len(feature.categories) + feature.other) if code not in codes]
