"""Summands: what an ensemble adds up, score by score, to be compared with what another adds up.

In:  two ensembles over one space.
Out: whether they add the same functions; whether even in the same order and precision.

Two models that were written by different programs number their nodes and leaves differently, cut a
tree that adds to several scores into one for each, and have the base as a number or as a tree. The
functions that they add are the same all the same, and comparing those, tree by tree, takes no
search over sums.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..form import fingerprint, same_trees
from ..model import Floats, Space, SumKernel, TreeKernel

__all__ = ["add_the_same", "add_the_same_way"]


class Summand(NamedTuple):
    """What one tree adds to one score: a tree whose classes are numbers, or just a number."""

    tree: TreeKernel | None
    number: float = 0.0

    @property
    def key(self) -> object:
        """Give what is equal for equal functions."""
        return self.number if self.tree is None else fingerprint(self.tree)

    def is_same(self, other: Summand) -> bool:
        """Tell, with proof, whether another one is the same function."""
        if self.tree is None or other.tree is None:
            return self.tree is other.tree and self.number == other.number
        return same_trees(self.tree, other.tree)


def add_the_same(one: SumKernel, other: SumKernel) -> bool:
    """Tell whether all scores are sums of the same functions, in whatever order.

    True is proven of sums without rounding. Cost: that of a fingerprint for each tree, and of a
    comparison of trees for each pair.
    """
    if one.n_scores != other.n_scores:
        return False
    space = one.space.without_facts()  # what is the same for all rows is so for possible ones
    for score in range(one.n_scores):
        mine, theirs = _summands(one, score, space), _summands(other, score, space)
        if _constant(mine) != _constant(theirs):
            return False
        there: dict[object, list[Summand]] = {}
        left = [own for own in mine if own.tree is not None]
        for own in theirs:
            if own.tree is not None:
                there.setdefault(own.key, []).append(own)
        if len(left) != sum(map(len, there.values())):
            return False
        for own in left:
            equal = there.get(own.key)
            if not equal or not own.is_same(equal.pop()):
                return False
    return True


def add_the_same_way(one: SumKernel, other: SumKernel) -> bool:
    """Tell whether they even add in the same order and precision: no sum differs by a bit."""
    if one.n_scores != other.n_scores or one.adding.precision != other.adding.precision:
        return False
    space = one.space.without_facts()  # what is the same for all rows is so for possible ones
    for score in range(one.n_scores):
        mine, theirs = _summands(one, score, space), _summands(other, score, space)
        if len(mine) != len(theirs):
            return False
        if not all(own.is_same(their) for own, their in zip(mine, theirs, strict=True)):
            return False
    return True


def _constant(summands: list[Summand]) -> Fraction:
    return sum((Fraction(own.number) for own in summands if own.tree is None), Fraction(0))


def _summands(ensemble: SumKernel, score: int, space: Space) -> list[Summand]:
    """Give what is added to a score, in order; what adds nothing is left out."""
    base = [Summand(None, ensemble.adding.base[score])]
    out = [
        _summand(tree, values[:, score], space)
        for tree, values, only in zip(ensemble.trees, ensemble.values, ensemble.scores, strict=True)
        if only in (-1, score)
    ]
    every = [*out, *base] if ensemble.adding.base_last else [*base, *out]
    return [own for own in every if own.tree is not None or own.number]


def _summand(tree: TreeKernel, values: Floats, space: Space) -> Summand:
    leaves = tree.feature < 0
    numbers = values[tree.leaf_class[leaves]]
    unique, codes = np.unique(numbers, return_inverse=True)
    if len(unique) == 1:
        return Summand(None, float(unique[0]))
    leaf_class = tree.leaf_class.copy()
    leaf_class[leaves] = codes
    return Summand(tree.replace(space=space, classes=unique.tolist(), leaf_class=leaf_class))
