"""Views: a part of a set of trees, by what its trees must be like.

In:  a bound, features that must or must not be asked about, a number of leaves.
Out: ``View``; no tree is built.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

__all__ = ["View"]

MOST_GROUPS = 16


@dataclass(frozen=True)
class View:
    """What trees must be like to be in.

    Attributes
    ----------
    epsilon : Fraction
        How far from the optimum.
    bound : int
        The largest objective, in the problem's whole numbers.
    max_leaves : int
        The most leaves; 0 for any number.
    forbidden : frozenset of int
        Columns that no tree asks about.
    required : tuple of tuples of int
        Of each group of columns, a tree asks about at least one.
    trivial : bool
        Whether a split may have two leaves of equal label.
    """

    epsilon: Fraction
    bound: int
    max_leaves: int = 0
    forbidden: frozenset[int] = frozenset()
    required: tuple[tuple[int, ...], ...] = ()
    trivial: bool = True

    def at_most(self, leaves: int) -> View:
        """Allow so many leaves at most."""
        return replace(self, max_leaves=min(leaves, self.max_leaves or leaves))

    def without(self, columns: list[int]) -> View:
        """Forbid columns."""
        return replace(self, forbidden=self.forbidden.union(columns))

    def using(self, columns: list[int]) -> View:
        """Require one of some columns."""
        groups = dict.fromkeys((*self.required, tuple(columns)))
        if len(groups) > MOST_GROUPS:
            raise ValueError(
                f"{len(groups)} features are required: at most {MOST_GROUPS} can be, and a tree of "
                "depth d asks about fewer than 2^d"
            )
        return replace(self, required=tuple(groups))
