"""The smallest tree, and splits that can be left out, beside every tree there is."""

from __future__ import annotations

from typing import Any

import orderless as ol

from .canonicity import KEPT, Case, draw, equal, show, smaller
from .grid import Box, Grid, Smallest
from .model import Leaf, Node, Split, depth, from_json, n_leaves
from .running import Wrong, same

__all__ = ["CHECKS", "KEPT", "draw", "show", "smaller"]


def smallest(case: Case) -> None:
    grid = Grid.of(case.feats, case.one, most=80)
    table = grid.table(case.one)
    brute = Smallest(grid, table)
    one, two = case.read(case.one), case.read(case.two)
    for what in ("leaves", "depth"):
        least = brute.value(what)
        small = one.minimize(what=what)
        feats, root, _ = from_json(small.to_json())
        fine = Grid.of(feats, case.one, root)
        same("smallest_tree decides the same", fine.table(root), fine.table(case.one))
        same(f"smallest {what}", n_leaves(root) if what == "leaves" else depth(root), least)
        same("no redundant split is left", small.redundant_splits(), ())
        if equal(case):
            same("one smallest tree", two.minimize(what=what).to_json(),
                 small.to_json())  # fmt: skip


def expected_depth(case: Case) -> None:
    """Fewest questions on average, each combination of bins that matter being equally likely."""
    if any(feat.nan for feat in case.feats):
        return
    grid = Grid.of(case.feats, case.one, most=80)
    table = grid.table(case.one)
    box = told_apart(grid, table)
    least = Smallest(grid, table).value("questions", box) / grid.box_mask(box).bit_count()
    one = case.read(case.one)
    small, bound = one.minimize(what="expected_depth", return_bound=True)
    if abs(bound - least) > 1e-9:
        raise Wrong("expected depth", bound, least)
    same("it decides the same", ol.equivalent(small, one), True)


def told_apart(grid: Grid, table: list[Any]) -> Box:
    """One place per bin that the function tells apart."""
    label = dict(zip(grid.places, table, strict=True))
    kept = []
    for at, n in enumerate(grid.shape):
        columns = []
        for place in range(n):
            columns.append([label[one] for one in grid.places if one[at] == place])
        if grid.feats[at].ordered:
            new = [place for place in range(n) if not place or columns[place] != columns[place - 1]]
        else:
            new = [place for place in range(n) if columns[place] not in columns[:place]]
        kept.append(frozenset(new))
    return tuple(kept)


def cut_short(case: Case) -> None:
    """A search that meets its limit still gives the same function, and a bound that holds."""
    grid = Grid.of(case.feats, case.one, most=80)
    least = Smallest(grid, grid.table(case.one)).value("leaves")
    one = case.read(case.one)
    for limit in (1, 2, 5, 20):
        for what in ("leaves", "depth", "expected_depth"):
            small, bound = one.minimize(what=what, limit=limit, return_bound=True)
            same("it decides the same", ol.equivalent(small, one), True)
            if what == "leaves" and not bound <= least <= small.n_leaves:
                raise Wrong("the bound holds", (bound, small.n_leaves), least)


def redundant(case: Case) -> None:
    for tree in (case.one, case.two):
        read = case.read(tree)
        feats, root, order = from_json(read.to_json())
        grid = Grid.of(feats, root)
        table = grid.table(root)
        expected = tuple(
            at
            for at, node in enumerate(order)
            if isinstance(node, Split)
            and any(grid.table(put(root, node, side)) == table for side in (node.yes, node.no))
        )
        same("redundant_splits", read.redundant_splits(), expected)


def put(root: Node, old: Node, new: Node) -> Node:
    """The tree with another node in the place of one."""
    if root is old:
        return new
    if isinstance(root, Leaf):
        return root
    return Split(root.ask, put(root.yes, old, new), put(root.no, old, new))


CHECKS = (smallest, expected_depth, cut_short, redundant)
