"""Rows with unknown values, for a tree and for what an artifact says of them, over the same cells.

In:  a tree, and the extra results of an ONNX model.
Out: ``Leaves`` of both: per feature, as bits, the cells of its values that a leaf can be reached
     from. No value of a cell is told from another by either.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...model import Feature, Label, Space, TreeKernel, row_boundary, value_in
from ...readers import ColumnBins, Unknowns

__all__ = ["Cells", "Leaf", "artifact_leaves", "tree_leaves"]


@dataclass(frozen=True)
class Leaf:
    """A leaf, and the rows that can reach it.

    Attributes
    ----------
    sides : per feature the cells, as bits
    gaps : per feature whether an unknown value can reach it
    says : its classes
    """

    sides: tuple[int, ...]
    gaps: tuple[bool, ...]
    says: frozenset[Label]


class Cells:
    """The features that either asks about, cut where one of them cuts.

    Attributes
    ----------
    tree : the source
    names, features : what is asked about; ``single``: rows hold float32 only
    values : per feature one value of each cell; NaN where that is a value
    unknown : per feature whether rows may have it unknown
    """

    def __init__(
        self,
        tree: TreeKernel,
        others: Space,
        extra: dict[str, ColumnBins],
        *,
        gaps: bool,
        single: bool,
    ) -> None:
        self.tree = tree
        self.names = tuple(dict.fromkeys([*tree.features, *extra]))
        self.features = [
            tree.space[name] if name in tree.space else replace(others[name], nan=False)
            for name in self.names
        ]
        self.values = [_values(f, tree, extra.get(f.name), single) for f in self.features]
        self.unknown = tuple(gaps and _can_lack(f, extra.get(f.name)) for f in self.features)

    def every(self, k: int) -> int:
        """Give all cells of a feature."""
        return (1 << len(self.values[k])) - 1


def _can_lack(feature: Feature, bins: ColumnBins | None) -> bool:
    """Whether NaN, or the text for it, says that a value is unknown."""
    return not feature.nan and (bins is None or bins.labels is None or bool(bins.labels.unknown))


def _values(feature: Feature, tree: TreeKernel, bins: ColumnBins | None, single: bool) -> list[Any]:
    """Give one value of each cell: all categories, or the numbers between two boundaries."""
    if not feature.ordered:
        codes = range(feature.n_values)
        return [value_in(feature, [], 0.0, 0.0, False, [code]) for code in codes]
    if single and feature.kind == "numeric" and feature.values == "float64":
        feature = replace(feature, values="float32")
    own = [np.zeros(0)]
    if feature.name in tree.features:
        own.append(tree.row_threshold[tree.feature == tree.space.index(feature.name)])
    if bins is not None:
        cuts = bins.cuts if bins.cuts is not None else _around(bins.codes)
        kind = "float32" if bins.number is np.float32 else "float64"
        own.append(row_boundary(cuts[~np.isnan(cuts)].astype(np.float64), kind))
    low, high = feature.bounds
    ends = np.unique(feature.at_most(np.concatenate(own)))
    between = ends[np.isfinite(ends) & (low < ends) & (ends < high)].tolist()
    values = [
        value_in(feature, between, a, b, False, [], rounded=False)
        for a, b in itertools.pairwise([low, *between, high])
    ]
    return [*values, float("nan")] if feature.nan else values


def _around(codes: Any) -> np.ndarray:
    """Give the boundaries below and at each code."""
    with np.errstate(over="ignore"):
        return np.concatenate([codes, np.nextafter(codes, codes.dtype.type(-np.inf))])


def _bits(inside: Any) -> int:
    return sum(1 << place for place, yes in enumerate(inside) if yes)


def tree_leaves(cells: Cells) -> list[Leaf]:
    """Give the leaves of the tree; an unknown value reaches all that it asks it for.

    Where rows hold float32 only, some leaf may be reached by no value that a row can hold.
    """
    tree, names = cells.tree, list(cells.names)
    start = tuple(cells.every(k) for k in range(len(names)))
    todo: list[tuple[int, tuple[int, ...]]] = [(0, start)]
    out = []
    while todo:
        node, sides = todo.pop()
        i = int(tree.feature[node])
        if i < 0:
            label = tree.classes[int(tree.leaf_class[node])]
            out.append(Leaf(sides, (True,) * len(names), frozenset([label])))
            continue
        k = names.index(tree.space.names[i])
        holds = _holds(cells, node, k)
        for side, bits in ((tree.when_true[node], holds), (tree.when_false[node], ~holds)):
            todo.append((int(side), (*sides[:k], sides[k] & bits, *sides[k + 1 :])))
    return out


def _holds(cells: Cells, node: int, k: int) -> int:
    """Tell in which cells of its feature a node's condition holds."""
    tree = cells.tree
    if not cells.features[k].ordered:
        return sum(1 << code for code in tree.set_of(node).tolist())
    threshold, nan = float(tree.row_threshold[node]), bool(tree.nan_true[node])
    return _bits(nan if v != v else v <= threshold != -np.inf for v in cells.values[k])


def artifact_leaves(cells: Cells, read: Unknowns, extra: dict[str, ColumnBins]) -> list[Leaf]:
    """Give the leaves of the artifact's extra results."""
    n = len(read.of_class)
    sides, gaps = [], []
    for k, name in enumerate(cells.names):
        bins = extra.get(name)
        if bins is None:
            sides.append([cells.every(k)] * n)
            gaps.append([True] * n)
            continue
        reached = np.array([bins.reached(value) for value in cells.values[k]])
        sides.append([_bits(own) for own in reached.T])
        gaps.append(bins.reached(None).tolist())
    of = [frozenset(read.classes[c] for c in np.flatnonzero(own)) for own in read.of_class]
    by_leaf = zip(zip(*sides, strict=True), zip(*gaps, strict=True), of, strict=True)
    return [Leaf(*one) for one in by_leaf]
