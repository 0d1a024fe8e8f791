"""Features, trees and boxes as certificates have them: by bins, with names for people.

In:  ``Bins`` of one tree, or of two that are compared; trees over the same features.
Out: ``Cells``: plain data for ``written`` (docs/certificates).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...model import Bins, Feature, Label, TreeKernel

__all__ = ["Cells", "names_of"]

Leaf = tuple[Any]  # a part of a tree that is written as it stands
Split = tuple[int, int, Any, Any]  # the feature, its bins as bits, and the two parts


def names_of(labels: Sequence[Label], *more: str) -> list[str]:
    """Give labels as texts that differ: with quotes where 1 and "1" would not.

    Examples
    --------
    >>> names_of([1, "b"]), names_of([1, "1"]), names_of(["missing"], "missing")
    (['1', 'b'], ['1', "'1'"], ["'missing'", 'missing'])
    """
    plain = [*map(str, labels), *more]
    return plain if len(set(plain)) == len(plain) else [*map(repr, labels), *more]


class Cells:
    """Features, cut into bins.

    Parameters
    ----------
    bins : sequence of Bins
        Of trees over one space; their bins are cut where any of them cuts.
    """

    def __init__(self, *bins: Bins) -> None:
        found: dict[str, tuple[Feature, list[float], list[Sequence[int]]]] = {}
        for own in bins:
            for feature, cuts, groups in zip(own.features, own.cuts, own.groups, strict=True):
                _, old, parts = found.get(feature.name, (feature, [], groups))
                both = [tuple(v for v in a if v in b) for a in parts for b in groups]
                rising = sorted({*old, *cuts.tolist()})
                found[feature.name] = feature, rising, [part for part in both if part]
        self._cut = [found[name] for name in sorted(found)]
        self.place = {feature.name: k for k, (feature, _, _) in enumerate(self._cut)}

    def width(self, k: int) -> int:
        """Give how many bins a feature has."""
        feature, cuts, groups = self._cut[k]
        return len(cuts) + 1 + feature.nan if feature.ordered else len(groups)

    def features(self) -> list[dict[str, Any]]:
        """Give which values each bin has."""
        out = []
        for feature, cuts, groups in self._cut:
            kinds = {"other": feature.other, "missing": feature.nan}
            more = [name for name, is_there in kinds.items() if is_there]
            values = names_of(feature.categories, *more)
            sets = [[v] for v in values] if feature.ordered else [
                [values[v] for v in group] for group in groups
            ]  # fmt: skip
            out.append({"name": feature.name, "cuts": cuts if feature.ordered else None,
                        "sets": sets})  # fmt: skip
        return out

    def text(self, k: int, bits: int) -> str:
        """Write bins of a feature: 1 or 0 for each."""
        return format(bits, f"0{self.width(k)}b")[::-1]

    def boxes(self, boxes: Iterable[Sequence[int]]) -> list[dict[str, str]]:
        """Write boxes, each without the features of which it has all bins."""
        return [
            {
                name: self.text(k, box[k])
                for name, k in self.place.items()
                if box[k] != (1 << self.width(k)) - 1
            }
            for box in boxes
        ]

    def tree(self, tree: TreeKernel, labels: Sequence[str]) -> list[Any]:
        """Write a tree; ``labels`` are the names of its classes."""

        def part(node: int) -> Leaf | Split:
            i = int(nodes.feature[node])
            if i < 0:
                return (labels[nodes.leaf_class[node]],)
            k = self.place[tree.space.features[i].name]
            children = int(nodes.when_true[node]), int(nodes.when_false[node])
            return k, self._holds(tree, node, k), *children

        nodes = tree.nodes
        return self.written(part, 0)

    def _holds(self, tree: TreeKernel, node: int, k: int) -> int:
        """Give the bins in which the condition of a node holds, as bits."""
        feature, cuts, groups = self._cut[k]
        if not feature.ordered:
            start = tree.nodes.set_start
            inside = set(tree.nodes.set_values[start[node] : start[node + 1]].tolist())
            return sum(1 << b for b, group in enumerate(groups) if group[0] in inside)
        threshold = float(tree.nodes.threshold[node])
        below = len(cuts) + 1 if threshold == math.inf else bisect_right(cuts, threshold)
        nan = bool(feature.nan and tree.nodes.nan_true[node])
        return (1 << below) - 1 | nan << len(cuts) + 1

    def written(self, part: Callable[[Any], Leaf | Split], start: Any) -> list[Any]:
        """Write a tree whose parts a function gives, each node before those below it."""
        out: list[Any] = []
        todo: list[tuple[Any, list[Any], int]] = [(start, [0], 0)]
        while todo:
            what, above, side = todo.pop()
            above[side] = len(out)
            found = part(what)
            if len(found) == 1:
                out.append(found[0])
                continue
            k, bits, yes, no = found
            node = [self._cut[k][0].name, self.text(k, bits), 0, 0]
            out.append(node)
            todo += [(no, node, 3), (yes, node, 2)]
        return out
