"""Other trees for the same function: rewritten piece by piece, or built anew in a random order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Any

from .drawing import question
from .grid import Box, Grid, TooBig
from .model import Ask, Feat, Leaf, Node, Split, asks, n_leaves


def rewritten(rng: Random, feats: Sequence[Feat], tree: Node, most: int = 24) -> Node:
    """The tree after a few changes that keep what it decides."""
    for _ in range(rng.randint(1, 5)):
        changed = somewhere(rng, feats, tree)
        if n_leaves(changed) <= most:
            tree = changed
    return tree


def somewhere(rng: Random, feats: Sequence[Feat], tree: Node) -> Node:
    """The tree with one change, at a random node."""
    if isinstance(tree, Split) and rng.random() < 0.6:
        if rng.random() < 0.5:
            return Split(tree.ask, somewhere(rng, feats, tree.yes), tree.no)
        return Split(tree.ask, tree.yes, somewhere(rng, feats, tree.no))
    change = rng.choice([in_vain, mirrored, parted, moved, swapped, in_vain])
    return change(rng, feats, tree)


def in_vain(rng: Random, feats: Sequence[Feat], tree: Node) -> Node:
    """A question whose two sides are the same tree."""
    return Split(question(rng, feats, asks(tree)), tree, tree)


def mirrored(rng: Random, feats: Sequence[Feat], tree: Node) -> Node:
    """A question about the other values of a categorical feature, sides exchanged."""
    if not isinstance(tree, Split) or tree.ask.codes is None:
        return tree
    rest = frozenset(feats[tree.ask.feature].codes) - tree.ask.codes
    return Split(tree.ask._replace(codes=rest), tree.no, tree.yes)


def parted(rng: Random, feats: Sequence[Feat], tree: Node) -> Node:
    """A question about a set, asked as two; a threshold asked after another one."""
    if not isinstance(tree, Split):
        return tree
    ask = tree.ask
    if ask.codes is not None:
        first = frozenset(code for code in sorted(ask.codes) if rng.random() < 0.5)
        one, rest = ask._replace(codes=first), ask._replace(codes=ask.codes - first)
        return Split(one, tree.yes, Split(rest, tree.yes, tree.no))
    other = question(rng, [feats[ask.feature]])._replace(feature=ask.feature)
    if other.at_most > ask.at_most:  # first the larger one
        return Split(other, tree, tree)
    if ask.nan == other.nan or ask.nan:
        return Split(other, tree.yes, tree)
    return tree


def moved(rng: Random, feats: Sequence[Feat], tree: Node) -> Node:
    """A threshold somewhere else between the same two values of the feature."""
    if not isinstance(tree, Split) or tree.ask.codes is not None:
        return tree
    feat, cut = feats[tree.ask.feature], tree.ask.at_most
    if math.isinf(cut) or abs(cut) > 1e30:
        return tree
    low = feat.floor(cut)
    if math.isinf(low):
        return tree
    high = feat.after(low)
    to = rng.choice([low, math.nextafter(high, low), low + (high - low) / 2])
    return Split(tree.ask._replace(at_most=to if low <= to < high else low), tree.yes, tree.no)


def swapped(rng: Random, feats: Sequence[Feat], tree: Node) -> Node:
    """The question of a child asked first, the child's sides below the parent's question."""
    if not isinstance(tree, Split):
        return tree
    child = rng.choice([tree.yes, tree.no])
    if not isinstance(child, Split):
        return tree
    left = child.yes if child is tree.yes else tree.yes
    right = child.yes if child is tree.no else tree.no
    first = Split(tree.ask, left, right)
    left = child.no if child is tree.yes else tree.yes
    right = child.no if child is tree.no else tree.no
    return Split(child.ask, first, Split(tree.ask, left, right))


def rebuilt(rng: Random, grid: Grid, table: Sequence[Any], pool: Sequence[Ask], most: int) -> Node:
    """A tree for the function, with the questions of the pool in random order."""
    cells = grid.by_label(table)
    left = most

    def label_of(mask: int) -> Any:
        return next((label for label, some in cells.items() if not mask & ~some), None)

    def build(box: Box) -> Node:
        nonlocal left
        label = label_of(grid.box_mask(box))
        if label is not None and rng.random() < 0.9:
            return Leaf(label)
        fitting = []
        for ask in pool:
            points = grid.points[ask.feature]
            yes = frozenset(at for at in box[ask.feature] if ask.holds(points[at]))
            if yes and yes != box[ask.feature]:
                fitting.append((ask, yes))
        if not fitting:
            return Leaf(label)
        left -= 1
        if left <= 0:
            raise TooBig
        ask, yes = rng.choice(fitting)
        sides = []
        for side in (yes, box[ask.feature] - yes):
            sides.append(build((*box[: ask.feature], side, *box[ask.feature + 1 :])))
        return Split(ask, *sides)

    return build(grid.whole)
