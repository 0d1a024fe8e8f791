"""Two trees over one space: whether they are the same function, where they differ, and how much.

In:  two trees over one space, or several.
Out: equivalence, a box on which they differ, the share of the space, groups, their product.
Paper: its Algorithm 5 compares minimal formulas; a random polynomial needs none (docs/algorithms).

Where facts hold, two trees are the same iff no two leaves of different classes meet in a possible
row: the facts, with the box in which the leaves meet, have no solution. This is exact, and needs
no canonical form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import TooLarge, Undecided, setting
from ..model import (
    Budget,
    Feature,
    Flags,
    LeafTable,
    Nodes,
    PossibleTree,
    Side,
    SumKernel,
    TreeKernel,
    common_sides,
    is_possible,
    over_common_space,
)
from .fingerprints import equal_prints, fingerprint_points

__all__ = [
    "cuts_by_feature",
    "first_difference",
    "meeting_boxes",
    "product_tree",
    "rounded_alike",
    "same_trees",
    "share_of_trees",
    "shared_classes",
    "tree_groups",
]

MAX_NODES = 5_000_000

Box = dict[str, Side]


def same_trees(a: TreeKernel, b: TreeKernel) -> bool:
    """Return whether two trees, over whatever spaces, give every row the same class.

    The paper's Theorem 3.4. Different fingerprints are a no; equal ones are certified exactly: any
    two leaves whose boxes meet must agree. Cost: pairs of leaves that meet.
    """
    a, b = over_common_space([a, b])
    if not a.space.domain.restricts:
        points = fingerprint_points([a, b])
        if (points[0] != points[1]).any():
            return False
    return first_difference(a, b) is None


def tree_groups(trees: Sequence[TreeKernel]) -> list[list[int]]:
    """Group trees, over whatever spaces, that are the same function; see ``group_equivalent``."""
    alike = equal_prints(list(trees))
    if alike is not None:
        return alike
    trees = over_common_space(list(trees))
    if trees and trees[0].space.domain.restricts:
        return _grouped_by_leaves(trees)
    groups: dict[bytes, list[int]] = {}
    for i, point in enumerate(fingerprint_points(trees).view("V16").ravel().tolist()):
        groups.setdefault(point, []).append(i)
    return list(groups.values())


def _grouped_by_leaves(trees: Sequence[TreeKernel]) -> list[list[int]]:
    groups: list[list[int]] = []
    for i, tree in enumerate(trees):
        for group in groups:
            if first_difference(trees[group[0]], tree) is None:
                group.append(i)
                break
        else:
            groups.append([i])
    return groups


# -- where they differ ---------------------------------------------------------------------------


def first_difference(
    a: TreeKernel, b: TreeKernel, region: Mapping[str, Side] | None = None
) -> Box | None:
    """Return a box with a possible row on which two trees differ; None if there is none.

    Everywhere the core overlays the trees. In a region, and with facts, pairs of leaves that meet
    are gone through, each with an exact check of the facts in their box.

    Raises
    ------
    Undecided
        If the time of the call is over.
    """
    if region is None and not a.space.domain.restricts:
        one, other = _with_shared_classes([a, b])
        budget = Budget.current()
        try:
            result = _core.same.first_difference(one, other, a.space.arrays, budget.left)
        except _core.base.TimeUp:
            raise _out_of_time(budget) from None
        if result is None:
            return None
        return {
            feature.name: Side(feature, low, high, nan, tuple(codes))
            for feature, (low, high, nan, codes) in zip(a.space.features, result.box, strict=True)
        }
    codes = shared_classes([a, b])
    return next(meeting_boxes(a, b, codes[0][:-1, None] != codes[1][None, :-1], region), None)


def meeting_boxes(
    a: TreeKernel,
    b: TreeKernel,
    differ: Flags,
    region: Mapping[str, Side] | None = None,
    starts: tuple[int, int] = (0, 0),
) -> Iterator[Box]:
    """Yield the boxes with possible rows in which leaves of certain classes meet.

    ``differ``: classes of the one x classes of the other, which pairs are meant. ``starts``: the
    nodes below which leaves are looked at.
    """
    inside = region or {}
    one, other = (
        LeafTable(tree, {n: side for n, side in inside.items() if n in tree.space}, start)
        for tree, start in zip((a, b), starts, strict=True)
    )
    for leaf, others in one.pairs((), differ, other):
        sides = one.sides(leaf)
        for there in others.tolist():
            box = {**inside, **common_sides(sides, other.sides(there))}
            if is_possible(a.space.domain, box):
                yield box


def share_of_trees(a: TreeKernel, b: TreeKernel) -> float:
    """Return the share of the space on which two trees differ; see ``disagreement``.

    Each bin of a feature weighs the same; impossible cells are left out.

    Raises
    ------
    Undecided
        If the time of the call is over.
    """
    if not a.space.domain.restricts:
        cuts = cuts_by_feature([a, b])
        by_position = [cuts.get(feature.name, []) for feature in a.space.features]
        one, other = _with_shared_classes([a, b])
        budget = Budget.current()
        try:
            return _core.same.share_of_difference(
                one, other, a.space.arrays, by_position, budget.left
            )
        except _core.base.TimeUp:
            raise _out_of_time(budget) from None
    product, _ = product_tree([a, b])
    possible = PossibleTree(product)
    table = LeafTable(possible.tree, {})
    total = differ = Fraction(0)
    for leaf in np.flatnonzero(table.label < len(product.classes)).tolist():
        weight = Fraction(1)
        for side in table.sides(leaf).values():
            weight *= _share_of_side(product, side)
        total += weight
        differ += weight * bool(table.label[leaf])
    return float(differ / total)


def _out_of_time(budget: Budget) -> Undecided:
    return Undecided(
        f"the pairs of leaves that meet were not all looked at in {budget}: raise "
        f"{setting('time_limit')}, or use smaller trees",
        "time",
    )


def _share_of_side(tree: TreeKernel, side: Side) -> Fraction:
    """Return the share of a feature's bins, or values, that a side has."""
    feature = side.feature
    if not feature.ordered:
        return Fraction(len(side.codes), feature.n_values)
    cuts = np.array(cuts_by_feature([tree]).get(feature.name, []))
    inside = int(((cuts > side.lower) & (cuts < side.upper)).sum()) + (side.lower < side.upper)
    return Fraction(inside + (side.nan and feature.nan), len(cuts) + 1 + feature.nan)


# -- what they have in common --------------------------------------------------------------------


def shared_classes(trees: Sequence[TreeKernel]) -> list[NDArray[np.int32]]:
    """Return, for each tree, the numbers of its classes among the labels of all; -1 comes last."""
    labels: dict[object, int] = {}
    return [
        np.array([*(labels.setdefault(c, len(labels)) for c in t.classes), -1], dtype=np.int32)
        for t in trees
    ]


def _with_shared_classes(trees: Sequence[TreeKernel]) -> list[Nodes]:
    tables = shared_classes(trees)
    return [
        tree.relabelled(table[tree.leaf_class]) for tree, table in zip(trees, tables, strict=True)
    ]


def rounded_alike(feature: Feature, models: Sequence[TreeKernel | SumKernel]) -> bool:
    """Return whether all models that ask about a feature round its numbers as it does."""
    features = [model.space[feature.name] for model in models if feature.name in model.features]
    return all(other.values == feature.values for other in features)


def cuts_by_feature(trees: Sequence[TreeKernel]) -> dict[str, list[float]]:
    """Return the thresholds of trees over one space, by feature."""
    feature = np.concatenate([tree.feature for tree in trees])
    threshold = np.concatenate([tree.threshold for tree in trees])
    features = trees[0].space.features
    out: dict[str, list[float]] = {}
    for i in {i for tree in trees for i in tree.used}:
        if features[i].ordered:
            cuts = threshold[feature == i]
            out[features[i].name] = np.unique(cuts[np.isfinite(cuts)]).tolist()
    return out


# -- one tree of both ----------------------------------------------------------------------------


def product_tree(shared: Sequence[TreeKernel]) -> tuple[TreeKernel, list[tuple[int, int]]]:
    """Ask both trees one after the other; class 0 where they agree, else the pair of answers.

    The second tree is put at every leaf of the first, and what no row reaches is dropped.
    """
    old, new = shared
    inner = np.flatnonzero(old.feature >= 0)
    leaves = np.flatnonzero(old.feature < 0)
    n_new = new.n_nodes
    size = len(inner) + len(leaves) * n_new
    if size > MAX_NODES:
        raise TooLarge(
            f"the two trees together have {size:,} regions to look at, and at most {MAX_NODES:,} "
            "are: compare smaller trees, or ask counterexample and disagreement",
            size,
        )
    place = np.zeros(old.n_nodes + 1, dtype=np.int64)
    place[inner] = np.arange(len(inner))
    starts = len(inner) + np.arange(len(leaves)) * n_new
    place[leaves] = starts

    def moved(own: NDArray[np.int32]) -> NDArray[np.int64]:
        copies = np.where(own >= 0, own + starts[:, None], -1).ravel()
        return copies.astype(np.int64)

    codes = shared_classes(shared)
    pairs, table = _pairs(old, new, codes)
    label = table[old.leaf_class[leaves][:, None], new.leaf_class[None, :]]
    label = np.where(new.feature[None, :] < 0, label, -1).ravel()
    sets = {int(place[node]): old.set_of(node).tolist() for node in inner.tolist()
            if len(old.set_of(node))}  # fmt: skip
    own_sets = {n: new.set_of(n).tolist() for n in range(n_new) if len(new.set_of(n))}
    for start in starts.tolist() if own_sets else []:
        sets |= {start + node: values for node, values in own_sets.items()}
    times = len(leaves)
    product = TreeKernel(
        old.space,
        range(len(pairs) + 1),
        feature=np.concatenate([old.feature[inner], np.tile(new.feature, times)]),
        threshold=np.concatenate([old.threshold[inner], np.tile(new.threshold, times)]),
        when_true=np.concatenate([place[old.when_true[inner]], moved(new.when_true)]),
        when_false=np.concatenate([place[old.when_false[inner]], moved(new.when_false)]),
        leaf_class=np.concatenate([np.full(len(inner), -1), label]),
        nan_true=np.concatenate([old.nan_true[inner], np.tile(new.nan_true, times)]),
        sets=sets,
    )
    return product, pairs


def _pairs(
    old: TreeKernel, new: TreeKernel, codes: Sequence[NDArray[np.int32]]
) -> tuple[list[tuple[int, int]], NDArray[np.int64]]:
    """Give the pairs of answers that differ, and their numbers, from 1; 0 where they agree."""
    mine, theirs = (np.unique(tree.leaf_class[tree.feature < 0]).tolist() for tree in (old, new))
    pairs = [(a, b) for a in mine for b in theirs if codes[0][a] != codes[1][b]]
    table = np.zeros((len(old.classes), len(new.classes)), dtype=np.int64)
    for k, (a, b) in enumerate(pairs, 1):
        table[a, b] = k
    return pairs, table
