"""The exact ends of measures over all trees of a set, however many there are.

In:  a set of trees, and what its functions are judged by.
Out: ``End``s: the smallest and the largest value of a measure, with a tree for each; nothing is
     listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..api import Tree
from ..inputs import label_array
from ..model import plain_label
from .conditions import member
from .measures import Measure

if TYPE_CHECKING:
    from .tree_set import TreeSet

__all__ = ["End", "exact_ends"]

# What ``choose`` calls a measure, and what ``range`` does.
RATES = {"sensitivity": "tpr", "specificity": "tnr"}
LOSSES = {"squared": "mean squared error", "absolute": "mean absolute error"}


@dataclass(frozen=True, eq=False)
class End:
    """One end of a measure: no tree of the set has a smaller, or larger, value.

    Attributes
    ----------
    measure : str
        As ``choose`` calls it.
    largest : bool
        Whether it is the largest value; else the smallest.
    value : int or Fraction
        Exact.
    tree : Tree
        A tree that has it; of several one with the smallest objective.
    """

    measure: str
    largest: bool
    value: int | Fraction
    tree: Tree

    @property
    def text(self) -> str:
        """Which end it is, in words."""
        return f"{'largest' if self.largest else 'smallest'} {self.measure}"


def exact_ends(
    trees: TreeSet, X: Any, y: Any, positive: Any, measures: Mapping[str, Measure]
) -> list[End]:
    """Give the ends of all measures that a function of the rows has, over all trees.

    Of the objective and the leaves only the smallest: the largest is that of a tree, not of the
    cheapest tree of any function. What is no sum over leaves (coverage, questions, cost, agreement)
    has no ends that are found without listing.
    """
    held = (None, None) if y is None else (X, y)
    out = [End("objective", False, trees.objective_of(best), best) for best in [trees.best_tree]]
    out += _fewest_leaves(trees)
    if trees._has_numbers:
        if y is not None:
            loss = LOSSES[trees._problem.table.target.loss]  # type: ignore[union-attr]
            out += _both(trees, "held_out_loss", Measure(loss, X, y))
    else:
        out += _both(trees, "error", Measure("error rate"))
        if y is not None:
            out += _both(trees, "held_out_error", Measure("error rate", X, y))
        for name in _rates_there(trees, y, positive):
            out += _both(trees, name, Measure(RATES[name], *held, positive=positive))
    for name, measure in measures.items():
        out += _both(trees, name, measure)
    return out


def _fewest_leaves(trees: TreeSet) -> Iterator[End]:
    """Look for the fewest leaves by halving: a view for each step."""
    low, high = 1, int(trees.best_tree.n_leaves)
    while low < high:
        middle = (low + high) // 2
        if trees.where(member.leaves <= middle).n_trees:
            high = middle
        else:
            low = middle + 1
    yield End("leaves", False, low, trees.where(member.leaves <= low).best_tree)


def _rates_there(trees: TreeSet, y: Any, positive: Any) -> Iterator[str]:
    """Name the rates of two classes of which there are rows."""
    classes = trees.classes
    if len(classes) != 2:
        return
    positive = classes[-1] if positive is None else plain_label(positive)
    there = set(classes) if y is None else {plain_label(one) for one in label_array(y, len(y))}
    if positive in there:
        yield "sensitivity"
    if there & (set(classes) - {positive}):
        yield "specificity"


def _both(trees: TreeSet, name: str, measure: Measure) -> Iterator[End]:
    bounds = trees.range(measure)
    yield End(name, False, bounds.smallest, bounds.smallest_tree)
    yield End(name, True, bounds.largest, bounds.largest_tree)
