"""Equivalence: whether two trees are the same function, and where they are not.

In:  trees, over the same or different spaces.
Out: yes or no, counterexamples, groups.
Paper: its Algorithm 5 compares minimal formulas; a random polynomial needs none (docs/algorithms).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .. import _core
from ..errors import InvalidData
from ..inputs import predict, row_at, rows_for
from ..model import (
    Feature,
    Nodes,
    Side,
    TreeKernel,
    any_value,
    over_common_space,
    value_in,
)
from ..readers import read_tree
from .fingerprints import equal_prints, fingerprint_points
from .possible_pairs import adjusted_row, grouped, possible_difference, possible_share
from .product import shared_classes

__all__ = ["counterexample", "disagreement", "equivalent", "group_equivalent"]


def equivalent(a: Any, b: Any) -> bool:
    """Tell whether two trees give every row the same class; see ``orderless.equivalent``.

    The paper's Theorem 3.4. Different fingerprints are a no; equal ones are certified exactly: any
    two leaves whose boxes meet must agree. Cost: pairs of leaves that meet.
    """
    trees = over_common_space([read_tree(a), read_tree(b)])
    if trees[0].space.domain.restricts:
        return possible_difference(trees[0], trees[1]) is None
    points = fingerprint_points(trees)
    return bool((points[0] == points[1]).all()) and _difference(*trees) is None


def counterexample(a: Any, b: Any, X: Any = None) -> dict[str, Any] | None:
    """Give a row that two trees put into different classes; see ``orderless.counterexample``.

    It has been put through both trees' own ``predict``.
    """
    tree_a, tree_b = read_tree(a), read_tree(b)
    if X is not None and (real := _row_that_differs(tree_a, tree_b, X)) is not None:
        return real
    shared = over_common_space([tree_a, tree_b])
    sides = _differing_sides(*shared)
    if sides is None:
        return None
    cuts = cuts_by_feature(shared)
    row: dict[str, Any] = {}
    for feature in (*tree_a.space.features, *tree_b.space.features):
        if feature.name in row:
            continue
        if feature.name in sides:
            feature = shared[0].space[feature.name]
            side = sides[feature.name]
            row[feature.name] = value_in(
                feature,
                cuts.get(feature.name, []),
                side.lower,
                side.upper,
                side.nan,
                list(side.codes),
                rounded=round_alike(feature, (tree_a, tree_b)),
            )
        else:
            row[feature.name] = any_value(feature)
    row = adjusted_row(shared[0].space.domain, row, sides)
    for tree in (tree_a, tree_b):
        known = {name: value for name, value in row.items() if name in tree.space}
        if tree.decide(rows_for(tree, [known]))[0] < 0:
            raise AssertionError(f"the row {row} is not complete for {tree!r}")
    if _says(tree_a, row) == _says(tree_b, row):
        raise AssertionError(f"the row {row} does not separate {tree_a!r} from {tree_b!r}")
    return row


def disagreement(a: Any, b: Any, X: Any = None) -> float:
    """Give the share of rows that two trees decide differently; see ``orderless.disagreement``."""
    tree_a, tree_b = read_tree(a), read_tree(b)
    if X is not None:
        codes_of = []
        for tree in (tree_a, tree_b):
            rows = rows_for(tree, X)
            codes = tree.reach(rows).label
            if (codes < 0).any():
                raise InvalidData(
                    f"row {int(np.argmax(codes < 0))} has unknown values and its class is not "
                    "determined: give complete rows"
                )
            codes_of.append(codes)
        table = shared_classes([tree_a, tree_b])
        if len(codes_of[0]) == 0:
            raise InvalidData("there are no rows to compare the trees on")
        return float(np.mean(table[0][codes_of[0]] != table[1][codes_of[1]]))
    one, other = over_common_space([tree_a, tree_b])
    if one.space.domain.restricts:
        return possible_share(one, other)
    found = cuts_by_feature([one, other])
    cuts = [found.get(feature.name, []) for feature in one.space.features]
    nodes_a, nodes_b = _with_shared_classes([one, other])
    return _core.same.share_of_difference(nodes_a, nodes_b, one.space.arrays, cuts)


def group_equivalent(trees: Iterable[Any]) -> list[list[int]]:
    """Group trees that are the same function; give the positions in each group.

    Parameters
    ----------
    trees : iterable of Tree, CanonicalForm, or any models that ``orderless.read`` reads as trees
        Also over different spaces, read through different binarizers; compared on the values that
        each feature has in all of them, as by ``equivalent``.

    Returns
    -------
    list of list of int
        Groups in the order of their first members.

    Notes
    -----
    By fingerprint: linear in all leaves together. A wrong answer has a chance of about
    (number of trees)^2 x degree / 2^123.

    Examples
    --------
    >>> import orderless as ol
    >>> a = {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}}
    >>> b = {"feature": 0, "true": {"prediction": 0}, "false": {"prediction": 1}}
    >>> ol.group_equivalent([a, b, a])
    [[0, 2], [1]]
    """
    members = [t if type(t) is TreeKernel else read_tree(t) for t in trees]
    alike = equal_prints(members)
    if alike is not None:
        return alike
    members = over_common_space(members)
    if members and members[0].space.domain.restricts:
        return grouped(members)
    groups: dict[bytes, list[int]] = {}
    for i, point in enumerate(fingerprint_points(members).view("V16").ravel().tolist()):
        groups.setdefault(point, []).append(i)
    return list(groups.values())


# -- two trees over one space -------------------------------------------------------------------


def _with_shared_classes(trees: Sequence[TreeKernel]) -> list[Nodes]:
    tables = shared_classes(trees)
    return [
        tree.relabelled(table[tree.leaf_class]) for tree, table in zip(trees, tables, strict=True)
    ]


def _differing_sides(a: TreeKernel, b: TreeKernel) -> dict[str, Side] | None:
    """Give a box with a possible row on which two trees over one space differ."""
    if a.space.domain.restricts:
        return possible_difference(a, b)
    found = _difference(a, b)
    if found is None:
        return None
    return {
        feature.name: Side(feature, low, high, nan, tuple(codes))
        for feature, (low, high, nan, codes) in zip(a.space.features, found, strict=True)
    }


def _difference(a: TreeKernel, b: TreeKernel) -> list[Any] | None:
    """Give the sides of a box on which two trees over one space differ."""
    nodes_a, nodes_b = _with_shared_classes([a, b])
    found = _core.same.first_difference(nodes_a, nodes_b, a.space.arrays)
    return None if found is None else found.box


def round_alike(feature: Feature, trees: Sequence[TreeKernel]) -> bool:
    """Whether all trees that ask about a feature round its numbers as it does."""
    own = [tree.space[feature.name] for tree in trees if feature.name in tree.features]
    return all(one.values == feature.values for one in own)


def _says(tree: TreeKernel, row: dict[str, Any]) -> Any:
    return predict(tree, [{k: v for k, v in row.items() if k in tree.space}])[0]


def cuts_by_feature(trees: Sequence[TreeKernel]) -> dict[str, list[float]]:
    """Give the thresholds of trees over one space, by feature."""
    out: dict[str, list[float]] = {}
    for i in {i for tree in trees for i in tree.used}:
        feature = trees[0].space.features[i]
        if feature.ordered:
            both = np.concatenate([tree.threshold[tree.feature == i] for tree in trees])
            out[feature.name] = np.unique(both[np.isfinite(both)]).tolist()
    return out


def _row_that_differs(a: TreeKernel, b: TreeKernel, X: Any) -> dict[str, Any] | None:
    """Give the first of some rows that two trees put into different classes for certain."""
    codes = [tree.decide(rows_for(tree, X)) for tree in (a, b)]
    table = shared_classes([a, b])
    differ = (codes[0] >= 0) & (codes[1] >= 0) & (table[0][codes[0]] != table[1][codes[1]])
    if not differ.any():
        return None
    at = int(np.argmax(differ))
    return {**row_at(X, a.space, at), **row_at(X, b.space, at)}
