"""What is needed to settle a row: the smallest sets of unknown features to find out.

In:  a ``Tree`` and one row with unknown values.
Out: ``Needed``.
Paper: goes beyond Section 6, which says whether a row is determined, not what would make it so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..inputs import one_row, row_box
from ..model import Bins, Label, as_bits, midpoint
from ..readers import read_tree
from .smallest_sets import Clock, Ends, Steps, lucky_sets, members, settling_sets

__all__ = ["Needed", "in_order", "missing_needed", "reachable"]

LIMIT = 200_000
TIME_LIMIT = 60.0
LISTED = 6  # sets that a text lists

Names = tuple[str, ...]


@dataclass(frozen=True)
class Needed:
    """Which unknown features would settle a row. Made by ``missing_needed``.

    Attributes
    ----------
    label
        The class of the row if it is determined already, else None. With ``within``, the midpoint
        of its numbers if they are near enough.
    possible : tuple of labels
        The classes that the row can get.
    unknown : tuple of str
        Features of the tree that the row does not know, or not exactly enough.
    settle : tuple of tuples of str
        All smallest sets of unknown features that settle the row whatever their values are.
    could : tuple of tuples of str
        All smallest sets of unknown features that settle the row for some of their values.
    within : float, optional
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
    within: float | None = None

    def __str__(self) -> str:
        classes = [str(label) for label in self.possible]
        words = f"{', '.join(classes[:-1])} or {classes[-1]}"
        if self.within is not None:
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


def missing_needed(
    tree: Any,
    row: Any,
    *,
    within: float | None = None,
    limit: int = LIMIT,
    time_limit: float = TIME_LIMIT,
) -> Needed:
    """Give the unknown features that would settle a row.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read_tree`` knows
    row : dict, one-row data frame, Series, or values in the order of the space's columns
        What is missing, None or NaN is unknown.
    within : float, optional
        For trees of numbers: a row is settled as soon as the numbers that are possible are at most
        so far apart, not only when one is left.
    limit : int
        Steps that each of the two searches may take before ``TooManyReasons`` is raised.
    time_limit : float
        Seconds before ``OutOfTime`` is raised.

    Returns
    -------
    Needed

    Notes
    -----
    A set of features settles the row whatever their values are iff any two reachable leaves of
    different classes are separated by one of them: their sides on it have no value in common that
    the row allows. (If two leaves are not separated, values that lie in both keep both reachable.)
    So the smallest such sets are the minimum hitting sets of all pairs (with ``within``, of all
    pairs of leaves whose numbers are farther apart). A set settles the row for
    some values iff one value for each of its features excludes all leaves but those of one class:
    a minimum set cover. Both are exact, and NP-hard in general. Cost: reachable leaves squared x
    features, and the searches, which are exponential in the size of the smallest sets only.

    Examples
    --------
    >>> tree = {"feature": 0, "true": {"feature": 1, "true": {"prediction": 1},
    ...         "false": {"prediction": 0}}, "false": {"prediction": 0}}
    >>> print(missing_needed(tree, {}))
    Not determined: 0 or 1.
    Settled, whatever the values, by x0 and x1.
    Settled, for some values, by x0; or by x1.
    >>> missing_needed(tree, {"x0": 1}).settle
    (('x1',),)
    """
    if limit < 1:
        raise ValueError(f"limit={limit}: at least one step must be allowed")
    if not time_limit > 0:
        raise ValueError(f"time_limit={time_limit}: give seconds, more than 0")
    clock = Clock(time_limit)
    tree, ends = Ends.of(read_tree(tree), within)
    bins = tree.bins
    sides = row_box(bins, one_row(row, tree.space, tree.used)).bits
    leaves = [(c, own) for _, c, own in reachable(bins, sides, clock)]
    classes = sorted({c for c, _ in leaves})
    possible = tuple(tree.classes[c] for c in classes)
    # In the order of the space, in which sets and names then come.
    order = in_order(bins)
    unknown = [k for k in order if sides[k].bit_count() > 1]
    names = [bins.features[k].name for k in unknown]
    if not ends.apart(np.array(classes[:1]), np.array(classes[-1:])).any():
        label = possible[0]
        if len(classes) > 1:
            label = float(midpoint(tree.numbers[classes[0]], tree.numbers[classes[-1]]))
        return Needed(label, possible, tuple(names), ((),), ((),), within)
    parts = [(c, tuple(own[k] for k in unknown)) for c, own in leaves]
    both = (settling_sets(parts, Steps(limit, clock), ends),
            lucky_sets(parts, Steps(limit, clock), ends))  # fmt: skip
    settle, could = (
        tuple(tuple(names[k] for k in one) for one in sorted(members(s) for s in sets))
        for sets in both
    )
    return Needed(None, possible, tuple(names), settle, could, within)


def in_order(bins: Bins) -> list[int]:
    """Give the features in the order of the space."""
    return sorted(range(len(bins.features)), key=bins.positions.__getitem__)


def reachable(
    bins: Bins, sides: tuple[int, ...], clock: Clock
) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Go through the leaves whose box meets the row's: node, class, and what is left of the box."""
    tree = bins.tree
    feature, label = bins.nodes.feature.tolist(), tree.leaf_class.tolist()
    when_true, when_false = tree.when_true.tolist(), tree.when_false.tolist()
    todo = [(0, sides)]
    while todo:
        clock.look()
        node, box = todo.pop()
        k = feature[node]
        if k < 0:
            yield node, label[node], box
            continue
        holds = as_bits(bins.holds(node))
        for child, side in (
            (when_false[node], box[k] & ~holds),
            (when_true[node], box[k] & holds),
        ):
            if side:
                todo.append((child, (*box[:k], side, *box[k + 1 :])))
