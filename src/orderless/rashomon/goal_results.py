"""Answers about a second goal: the range of a measure, its trade-off with the objective, the gap.

In:  measures and trees.
Out: ``Range``, ``Front`` of ``FrontPoint``s, ``Fairest``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..api import Tree
from ..model import Label

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Fairest", "Front", "FrontPoint", "Range"]

Number = int | Fraction


def _part(complete: bool) -> str:
    """Say that an answer is about a part of a set."""
    return "" if complete else ", of an incomplete set"


def _short(number: Number) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{float(number):.4g}"


@dataclass(frozen=True, eq=False)
class Range:
    """The smallest and the largest measure over all trees of a set.

    Attributes
    ----------
    measure : str
    smallest, largest : int or Fraction
        Exact.
    smallest_tree, largest_tree : Tree
        A tree of the set for each; of several one with the smallest objective.
    tolerance : Fraction
        0, but for what is measured by the shares of leaves: no tree is below ``smallest``, or above
        ``largest``, by more than this.
    groups : tuple of two labels, or empty
        Of a difference: the value in the second group less that in the first.
    complete : bool
        Whether the set is the whole one that was asked for; else these are the ends of a part of
        it, and the whole reaches at least as far.
    """

    measure: str
    smallest: Number
    largest: Number
    smallest_tree: Tree
    largest_tree: Tree
    tolerance: Fraction = Fraction(0)
    groups: tuple[Label, ...] = ()
    complete: bool = True

    def __repr__(self) -> str:
        ends = f"{_short(self.smallest)} to {_short(self.largest)}"
        return f"Range({self.measure}: {ends}{_part(self.complete)})"


@dataclass(frozen=True, eq=False)
class FrontPoint:
    """A tree that no other beats in both the objective and the second goal.

    Attributes
    ----------
    objective : Fraction
    value : int or Fraction
        Its measure.
    tree : Tree
    """

    objective: Fraction
    value: Number
    tree: Tree


class Front:
    """The exact trade-off between the objective and a second goal: a sequence of points.

    From the smallest objective on; every further point costs more and measures better. No tree of
    the set has an objective as small as a point's and a better measure.

    Attributes
    ----------
    measure : str
    goal : "smallest" or "largest"
        Which is better.
    groups : tuple of two labels, or empty
    tolerance : Fraction
        0, but for what is measured by the shares of leaves: see ``Range``.
    complete : bool
        Whether the set is the whole one that was asked for.
    """

    def __init__(
        self,
        measure: str,
        goal: str,
        points: list[FrontPoint],
        groups: tuple[Label, ...] = (),
        tolerance: Fraction = Fraction(0),
        complete: bool = True,
    ) -> None:
        self.measure, self.goal, self.groups, self.tolerance = measure, goal, groups, tolerance
        self.complete = complete
        self._points = tuple(points)

    def __len__(self) -> int:
        return len(self._points)

    def __iter__(self) -> Iterator[FrontPoint]:
        return iter(self._points)

    def __getitem__(self, position: Any) -> Any:
        return self._points[position]

    def __repr__(self) -> str:
        first, last = self._points[0], self._points[-1]
        return (
            f"Front({self.measure}, {len(self)} point{'' if len(self) == 1 else 's'}: "
            f"{_short(first.value)} at {float(first.objective):.4g} to {_short(last.value)} at "
            f"{float(last.objective):.4g}{_part(self.complete)})"
        )

    def to_frame(self) -> pd.DataFrame:
        """Give one row per point: objective, the measure, leaves."""
        import pandas as pd

        rows = [
            [float(p.objective), p.value if isinstance(p.value, int) else float(p.value),
             p.tree.n_leaves]
            for p in self
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=["objective", self.measure, "leaves"])

    def plot(self, ax: Any = None) -> Any:
        """Draw the trade-off; see ``orderless.output.plots``."""
        from ..output.plots import plot_front

        return plot_front(self, ax)


@dataclass(frozen=True, eq=False)
class Fairest:
    """The tree whose two groups differ least.

    Attributes
    ----------
    measure : str
    gap : int or Fraction
        How far its groups are apart: the value in the second less that in the first.
    tree : Tree
    at_least : int or Fraction
        No tree of the set has groups that are less far apart: proven.
    objective : Fraction
        Of the tree.
    groups : tuple of two labels
    complete : bool
        Whether the set is the whole one that was asked for; else ``at_least`` is about a part.
    """

    measure: str
    gap: Number
    tree: Tree
    at_least: Number
    objective: Fraction
    groups: tuple[Label, ...]
    complete: bool = True

    @property
    def proven(self) -> bool:
        """Whether no tree of the set has a smaller gap; else one may, down to ``at_least``."""
        return abs(self.gap) == self.at_least

    def __repr__(self) -> str:
        least = "" if self.proven else f", at least {_short(self.at_least)}"
        return f"Fairest({self.measure}: gap {_short(self.gap)}{least}{_part(self.complete)})"
