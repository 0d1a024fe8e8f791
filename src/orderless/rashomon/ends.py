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
    trees: TreeSet, X: Any, y: Any, positive: Any, goals: Mapping[str, Mapping[str, Any]]
) -> list[End]:
    """Give the ends of all measures that a function of the rows has, over all trees.

    Of the objective and the leaves only the smallest: the largest is that of a tree, not of the
    cheapest tree of any function. What is no sum over leaves (coverage, questions, cost, agreement)
    has no ends that are found without listing. Goals are dicts of the arguments of ``range``.
    """
    held = {} if y is None else {"X": X, "y": y}
    out = [End("objective", False, trees.objective_of(best), best) for best in [trees.best_tree]]
    out += _fewest_leaves(trees)
    if trees._has_numbers:
        if held:
            loss = LOSSES[trees._problem.table.target.loss]  # type: ignore[union-attr]
            out += _both(trees, "held_out_loss", loss, held)
    else:
        out += _both(trees, "error", "error rate", {})
        if held:
            out += _both(trees, "held_out_error", "error rate", held)
        for name in _rates_there(trees, y, positive):
            out += _both(trees, name, RATES[name], {**held, "positive": positive})
    for name, goal in goals.items():
        options = {"positive": positive, **held} if not trees._has_numbers else dict(held)
        options |= goal
        out += _both(trees, name, options.pop("measure"), options)
    return out


def _fewest_leaves(trees: TreeSet) -> Iterator[End]:
    """Look for the fewest leaves by halving: a view for each step."""
    low, high = 1, int(trees.best_tree.n_leaves)
    while low < high:
        middle = (low + high) // 2
        if trees.at_most(middle).n_trees:
            high = middle
        else:
            low = middle + 1
    yield End("leaves", False, low, trees.at_most(low).best_tree)


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


def _both(trees: TreeSet, name: str, measure: Any, options: Mapping[str, Any]) -> Iterator[End]:
    found = trees.range(measure, **options)
    yield End(name, False, found.smallest, found.smallest_tree)
    yield End(name, True, found.largest, found.largest_tree)
