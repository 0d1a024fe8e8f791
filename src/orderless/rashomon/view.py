"""Which trees of a set are meant: a ``View``, by a bound and by what is asked of trees.

In:  conditions, as ``member.py`` reads them.
Out: ``View``, which a ``Source`` takes; equal views are equal, and can be keys.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from .problem import LARGEST

__all__ = ["LIMIT", "MOST", "Paid", "Question", "View"]

LIMIT = 5_000_000  # functions that are listed unless more are asked for
MOST_GROUPS = 16
MOST = 2**31 - 1  # leaves or features that the core counts: more than any tree has


@dataclass(frozen=True)
class Question:
    """What a tree must ask at one place: one of some columns; then what comes next.

    ``when_true`` and ``when_false`` are places among the questions that a ``View`` holds, for the
    rows whose column is 1 or 0; -1 where anything may come.
    """

    columns: tuple[int, ...]
    when_true: int = -1
    when_false: int = -1


@dataclass(frozen=True)
class Paid:
    """The most that the features on a path may cost; each is paid for once.

    Attributes
    ----------
    prices : tuple of int
        By feature of the space, in some unit.
    most : int
        In the same unit.
    """

    prices: tuple[int, ...]
    most: int


class View(NamedTuple):
    """What trees must be like to be in.

    Attributes
    ----------
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
    least_weight : int
        What the training rows of every leaf weigh at least, in the problem's whole numbers.
    most_features : int or None
        How many features a tree asks about at most; None for any number.
    first : tuple of tuples of Question
        Each is a beginning that all trees have, the root's question first.
    paid : tuple of Paid
        What holds on every path.
    monotone : tuple of (int, bool)
        Features, and whether labels rise along them or fall.
    limit : Fraction or None
        The largest objective itself, where it is less than the source's; ``bound`` is rounded down.
    """

    bound: int
    max_leaves: int = 0
    forbidden: frozenset[int] = frozenset()
    required: tuple[tuple[int, ...], ...] = ()
    trivial: bool = True
    least_weight: int = 0
    most_features: int | None = None
    first: tuple[tuple[Question, ...], ...] = ()
    paid: tuple[Paid, ...] = ()
    monotone: tuple[tuple[int, bool], ...] = ()
    limit: Fraction | None = None

    def __hash__(self) -> int:  # of all fields it takes longer than to count a few trees
        return hash((self.bound, self.max_leaves, self.forbidden, self.required))

    def at_most(self, leaves: int) -> View:
        """Allow so many leaves at most."""
        return self._replace(max_leaves=min(leaves, self.max_leaves or MOST))

    def without(self, columns: list[int]) -> View:
        """Forbid columns."""
        return self._replace(forbidden=self.forbidden.union(columns))

    def using(self, columns: list[int]) -> View:
        """Require one of some columns."""
        groups = dict.fromkeys((*self.required, tuple(columns)))
        if len(groups) > MOST_GROUPS:
            raise ValueError(
                f"{len(groups)} features are required: at most {MOST_GROUPS} can be, and a tree of "
                "depth d asks about fewer than 2^d"
            )
        return self._replace(required=tuple(groups))

    def heavier(self, weight: int) -> View:
        """Require so much weight in every leaf."""
        return self._replace(least_weight=max(self.least_weight, min(weight, LARGEST)))

    def with_features(self, most: int) -> View:
        """Allow so many features at most."""
        own = MOST if self.most_features is None else self.most_features
        return self._replace(most_features=min(own, most))

    def beginning(self, questions: tuple[Question, ...]) -> View:
        """Require a beginning."""
        return self._replace(first=tuple(dict.fromkeys((*self.first, questions))))

    def paying(self, paid: Paid) -> View:
        """Allow no path that costs more."""
        return self._replace(paid=tuple(dict.fromkeys((*self.paid, paid))))

    def rising(self, feature: int, rises: bool) -> View:
        """Require labels that rise along a feature, or fall."""
        return self._replace(monotone=tuple(sorted({*self.monotone, (feature, rises)})))

    @property
    def plain(self) -> View:
        """The view without what is a property of whole functions."""
        return self._replace(monotone=())
