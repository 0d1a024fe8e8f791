"""What is needed to settle a row: the smallest sets of unknown features to find out.

In:  a ``Tree`` and one row with unknown values.
Out: ``Needed``.
Paper: goes beyond Section 6, which says whether a row is determined, not what would make it so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..inputs import one_row
from ..model import (
    TIME_LIMIT,
    Clock,
    Label,
    Rows,
    Steps,
    Target,
    TreeKernel,
    in_budget,
    members,
    midpoint,
    refuse_contradiction,
    row_box,
    unrounded_rows,
)
from ..readers import read_tree
from .possible_needed import PossibleNeeded
from .smallest_sets import (
    in_order,
    lucky_sets,
    possible_lucky_sets,
    reachable,
    settling_sets,
)

__all__ = ["Needed", "missing_needed", "needed_of_read"]

LIMIT = 200_000
LISTED = 6  # sets that a text lists

Names = tuple[str, ...]


@dataclass(frozen=True)
class Needed:
    """Which unknown features would settle a row. Made by ``Model.needed``.

    Attributes
    ----------
    label
        The class of the row if it is determined already, else None. With ``tolerance``, the
        midpoint of its numbers if they are near enough.
    possible : tuple of labels
        The classes that the row can get.
    unknown : tuple of str
        Features of the tree that the row does not know, or not exactly enough.
    settle : tuple of tuples of str
        All smallest sets of unknown features that settle the row whatever their values are.
    could : tuple of tuples of str
        All smallest sets of unknown features that settle the row for some of their values.
    tolerance : float, optional
        How far the numbers that are possible may be apart in a row that is settled.

    Notes
    -----
    A determined row needs nothing: both are one empty set. Sets and their names are in the order
    of the space's features.
    """

    label: Label | None
    possible: tuple[Label, ...]
    unknown: Names
    settle: tuple[Names, ...]
    could: tuple[Names, ...]
    tolerance: float | None = None

    def __str__(self) -> str:
        classes = [str(label) for label in self.possible]
        words = f"{', '.join(classes[:-1])} or {classes[-1]}"
        if self.tolerance is not None:
            words = f"between {classes[0]} and {classes[-1]}"
        if self.label is not None:
            if len(self.possible) == 1:
                words = str(self.label)
            return f"Determined: {words}. Nothing more is needed."
        lines = [
            f"Not determined: {words}.",
            f"Settled, whatever the values, by {_listed(self.settle)}.",
        ]
        if self.could != self.settle:  # else it would say the same twice
            lines.append(f"Settled, for some values, by {_listed(self.could)}.")
        return "\n".join(lines)


def _listed(sets: Sequence[Names]) -> str:
    texts = [" and ".join([*[", ".join(s[:-1])] * (len(s) > 1), s[-1]]) for s in sets[:LISTED]]
    more = f"; or {len(sets) - LISTED:,} more sets of {len(sets[0])}" * (len(sets) > LISTED)
    return "; or by ".join(texts) + more


@in_budget
def missing_needed(
    tree: Any,
    row: Any,
    *,
    tolerance: float | None = None,
    limit: int = LIMIT,
    time_limit: float | None = TIME_LIMIT,
) -> Needed:
    """Find the unknown features that would settle a row; see ``Model.needed``.

    A set of features settles the row whatever their values are iff any two reachable leaves of
    different classes are separated by one of them: their sides on it have no value in common that
    the row allows. (If two leaves are not separated, values that lie in both keep both reachable.)
    So the smallest such sets are the minimum hitting sets of all pairs (with ``tolerance``, of all
    pairs of leaves whose numbers are farther apart). A set settles the row for
    some values iff one value for each of its features excludes all leaves but those of one class:
    a minimum set cover. Both are exact, and NP-hard in general. Cost: reachable leaves squared x
    features, and the searches, which are exponential in the size of the smallest sets only.
    Where the space has facts, leaves are those that possible rows reach, and features of the facts
    may settle a row too. Where facts compare features with each other, two rows at once are looked
    for that agree on a set and get different classes (``limit`` counts these checks): exact as
    well, and much slower.
    """
    if limit < 1:
        raise ValueError(f"limit={limit}: at least one step must be allowed")
    clock = Clock(time_limit)
    tree, target = read_tree(tree).with_tolerance(tolerance)
    given = one_row(row, tree.space, tree.used, if_there=tree.connected)
    refuse_contradiction(tree, given)
    return _of_read(tree, given, target, tolerance, limit, clock)


@in_budget
def needed_of_read(tree: TreeKernel, given: Rows, limit: int, time_limit: float | None) -> Needed:
    """Give what ``missing_needed`` does, of a row that was read, and is possible."""
    return _of_read(tree, given, Target(tree.classes), None, limit, Clock(time_limit))


def _of_read(
    tree: TreeKernel, given: Rows, target: Target, tolerance: float | None, limit: int, clock: Clock
) -> Needed:
    domain = tree.space.domain
    if domain.linear and tree.possible is not None:
        return _among_possible(tree, given, target, tolerance, Steps(limit, clock))
    cells = tree.possible_cells
    bins = tree.bins
    if cells is not None:
        bins = cells.tree.bins
        given = unrounded_rows(given, tree.space.features, cells.tree.space.features)
    sides = row_box(bins, given).bits
    leaves = [
        (c, own) for _, c, own in reachable(bins, sides, clock) if c < len(tree.classes)
    ]  # the class beyond them: impossible
    classes = sorted({c for c, _ in leaves})
    # In the order of the space, in which sets and names then come.
    order = in_order(bins)
    unknown = [k for k in order if sides[k].bit_count() > 1]
    names = [bins.features[k].name for k in unknown]
    known = _known(tree, classes, names, target, tolerance)
    if known is not None:
        return known
    parts = [(c, tuple(own[k] for k in unknown)) for c, own in leaves]
    lucky = lucky_sets if cells is None else possible_lucky_sets
    both = (settling_sets(parts, Steps(limit, clock), target),
            lucky(parts, Steps(limit, clock), target))  # fmt: skip
    return _open(tree, classes, names, both, tolerance)


def _among_possible(
    tree: TreeKernel, given: Rows, target: Target, tolerance: float | None, steps: Steps
) -> Needed:
    """Answer where facts compare features with each other."""
    found = PossibleNeeded(tree, given, target, steps)
    names = [tree.space.features[i].name for i in found.unknown]
    known = _known(tree, found.classes, names, target, tolerance)
    if known is not None:
        return known
    return _open(tree, found.classes, names, (found.settling(), found.lucky()), tolerance)


def _known(
    tree: TreeKernel, classes: list[int], names: list[str], target: Target, tolerance: float | None
) -> Needed | None:
    """Say that nothing is needed, if that is so."""
    if target.differ(np.array(classes[:1]), np.array(classes[-1:])).any():
        return None
    possible = tuple(tree.classes[c] for c in classes)
    label = possible[0]
    if len(classes) > 1:
        label = float(midpoint(tree.numbers[classes[0]], tree.numbers[classes[-1]]))
    return Needed(label, possible, tuple(names), ((),), ((),), tolerance)


def _open(
    tree: TreeKernel, classes: list[int], names: list[str], both: tuple[set[int], set[int]],
    tolerance: float | None,
) -> Needed:  # fmt: skip
    settle, could = (
        tuple(tuple(names[k] for k in one) for one in sorted(members(s) for s in sets))
        for sets in both
    )
    possible = tuple(tree.classes[c] for c in classes)
    return Needed(None, possible, tuple(names), settle, could, tolerance)
