"""Whether a set is whole, and what is proven of it if it is not.

In:  a ``Source``, which knows whether it is a part of what was asked for.
Out: ``Completeness``: bounds on counts and objectives, and the words that say so.
"""

from __future__ import annotations

import warnings
from fractions import Fraction

from ..errors import IncompleteSet
from ..model import short_count
from .conditions import Condition, view_of
from .listed import Counts, Source
from .problem import Problem

__all__ = ["Completeness"]


class Completeness:
    """The part of ``TreeSet`` that says whether it is complete."""

    def __init__(self, source: Source, conditions: tuple[Condition, ...] = ()) -> None:
        self._source, self._conditions = source, conditions
        self._view = view_of(source, conditions)

    @property
    def _problem(self) -> Problem:
        """What the set was made by."""
        return self._source.problem

    @property
    def _counts(self) -> Counts:
        """The trees of the view."""
        return self._source.counts(self._view)

    @property
    def complete(self) -> bool:
        """Whether the set holds every tree that was asked for.

        False after a fit with ``on_limit="part"`` that a limit cut short, and for every view of
        such a set: each tree in it is proven to be in the whole set, which has more, or may have.
        Every answer is then about the part alone; ``print`` says what the part is.
        """
        return self._source.incomplete is None

    @property
    def n_trees_bounds(self) -> tuple[int, int | None]:
        """Proven bounds on the number of trees of the whole set: equal where it is complete.

        The lower one is ``n_trees``, those of the part. The upper one counts every tree with so few
        leaves that one of them may be within the bound, so it is far off; None where even its
        digits are too many. For a view they are bounds on the same view of the whole set. The
        number of its functions lies between that of the part and the same upper bound.
        """
        about = self._source.incomplete
        return self._counts.n, self._counts.n if about is None else about.most_trees

    @property
    def objective_bounds(self) -> tuple[Fraction, Fraction]:
        """Proven bounds on the smallest objective of the whole set: equal where it is known."""
        about = self._source.incomplete
        best = self._problem.objective(self._source.optimum)
        return best if about is None else self._problem.objective(about.least), best

    @property
    def incomplete(self) -> str:
        """In what way the set is incomplete, in words; empty if it is complete."""
        about = self._source.incomplete
        if about is None:
            return ""
        most = about.most_trees
        upper = "" if most is None else f", and the whole set has at most {short_count(most)} trees"
        low, high = self.objective_bounds
        known = ""
        if low != high:
            known = (
                f". The smallest objective of the whole set is from {float(low):.4g} to "
                f"{float(high):.4g}"
            )
        bound = self._problem.objective(self._source.bound)
        return f"incomplete: {about.text(bound)}{upper}{known}"

    def _warn_of_part(self, what: str) -> None:
        """Warn, where the set is incomplete, that an answer is not about the whole set."""
        if not self.complete:
            warnings.warn(
                f"{what} is about the trees of this part alone, not about the whole set: "
                f"{self.incomplete}",
                IncompleteSet,
                stacklevel=3,
            )
