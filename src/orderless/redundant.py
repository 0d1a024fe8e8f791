"""Redundant splits: questions that a tree could leave out, one at a time.

In:  a ``Tree``.
Out: positions of its nodes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .equivalence import group_equivalent
from .missing import tree_of
from .tree import Tree

__all__ = ["redundant_splits"]


def redundant_splits(tree: Any) -> tuple[int, ...]:
    """Find the splits that can be left out without changing what the tree decides.

    A split is redundant if the tree with one of the split's two sides in its place is the same
    function. The paper's "trivial" splits, two leaves of one class, are the plainest case. Each is
    tried by itself: when one is taken out, another may be needed.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read_tree`` knows

    Returns
    -------
    tuple of int
        Positions of nodes, in order. For the smallest tree that decides the same see
        ``smallest_tree``.

    Notes
    -----
    Two trees per split are compared by fingerprint: quadratic in the nodes.

    Examples
    --------
    >>> from orderless import read_tree
    >>> tree = read_tree({"feature": 0, "true": {"prediction": 1}, "false": {"feature": 1,
    ...                   "true": {"prediction": 0}, "false": {"prediction": 0}}})
    >>> print(tree)
    not x0?
      yes: not x1?
        yes: 0
        no:  0
      no:  1
    >>> [tree.condition(node) for node in redundant_splits(tree)]
    ['not x1']
    """
    tree = tree_of(tree)
    inner = np.flatnonzero(tree.feature >= 0)
    tries = [(int(node), child) for node in inner for child in _children(tree, int(node))]
    same = group_equivalent([tree, *(_without(tree, node, child) for node, child in tries)])[0]
    return tuple(sorted({tries[i - 1][0] for i in same if i}))


def _children(tree: Tree, node: int) -> tuple[int, int]:
    return int(tree.when_true[node]), int(tree.when_false[node])


def _without(tree: Tree, gone: int, heir: int) -> Tree:
    """Put one side of a split in its place."""
    kept: list[int] = []
    todo = [heir if gone == 0 else 0]
    while todo:
        node = todo.pop()
        kept.append(node)
        if tree.feature[node] >= 0:
            todo += [heir if child == gone else child for child in reversed(_children(tree, node))]
    place = {node: i for i, node in enumerate(kept)}
    place[gone] = place[heir]
    at = np.array(kept)
    inner = tree.feature[at] >= 0
    links = {
        name: [
            place[int(c)] if i else -1 for c, i in zip(getattr(tree, name)[at], inner, strict=True)
        ]
        for name in ("when_true", "when_false")
    }
    return Tree(
        tree.space,
        tree.classes,
        feature=tree.feature[at],
        threshold=tree.threshold[at],
        nan_true=tree.nan_true[at],
        leaf_class=tree.leaf_class[at],
        sets={
            i: tree.set_of(node).tolist() for i, node in enumerate(kept) if len(tree.set_of(node))
        },
        **links,
    )
