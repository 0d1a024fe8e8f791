"""Reasons and rules, class by class: all maximal boxes, and the fewest that cover the class.

In:  the ``Bins`` of a tree.
Out: tables of boxes; ``Rules``.
Paper: Algorithms 1 and 4; departures are in docs/decisions.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import OutOfTime, TooManyReasons, setting
from ..model import Bins, Box
from .term import Term

__all__ = [
    "Rules", "all_reasons", "irredundant_rules", "leaf_rules", "smallest_rules", "terms_of",
]  # fmt: skip

Table = NDArray[np.uint16]


class Rules(NamedTuple):
    """The rules of a class, and how many there must be at least."""

    terms: tuple[Term, ...]
    bound: int


def terms_of(bins: Bins, table: Table) -> tuple[Term, ...]:
    """Give boxes of the core as terms."""
    return tuple(map(Term, Box.of_slots(bins, table)))


def all_reasons(bins: Bins, limit: int, time_limit: float) -> list[Table]:
    """Give per class every maximal box on which it is certain."""
    n_classes = len(bins.tree.classes)
    try:
        return _core.reasons.all_reasons(bins.nodes, bins.layout, n_classes, limit, time_limit)
    except _core.base.LimitReached as fault:
        raise TooManyReasons(
            f"a class of this tree has more than {setting('limit', limit)} reasons (gave up after "
            f"meeting {fault.met:,}): raise {setting('limit')}, use {setting('exact', False)} for "
            "rules without all reasons, explain single rows, or use a smaller tree",
            fault.met,
        ) from None
    except _core.base.TimeUp as fault:
        raise OutOfTime(
            f"finding all reasons took longer than {setting('time_limit', time_limit)} seconds "
            f"(a class has {fault.met:,} or more): raise {setting('time_limit')}, use "
            f"{setting('exact', False)} for rules without all reasons, explain single rows, or use "
            "a smaller tree"
        ) from None


def smallest_rules(
    bins: Bins,
    reasons: Sequence[Table],
    time_limit: float,
    only: Collection[int] | None = None,
) -> list[Rules]:
    """Give per class the fewest of its reasons that cover it, proven minimal.

    ``only``: the classes that are asked for; the others get no rules.
    """
    out = []
    for c, (table, leaves) in enumerate(zip(reasons, _leaves(bins), strict=True)):
        if only is not None and c not in only:
            out.append(Rules((), 0))
            continue
        try:
            chosen = _core.reasons.smallest_cover(bins.layout, leaves, table, time_limit)
        except _core.base.TimeUp:
            raise OutOfTime(
                f"the smallest set of rules for class {bins.tree.classes[c]!r} was not found in "
                f"{setting('time_limit', time_limit)} seconds: raise {setting('time_limit')}, or "
                f"use {setting('exact', False)}"
            ) from None
        out.append(Rules(terms_of(bins, table[chosen]), len(chosen)))
    return out


def irredundant_rules(
    bins: Bins, time_limit: float, only: Collection[int] | None = None
) -> list[Rules]:
    """Give per class reasons that cover it, none of which can be left out; ``only`` of some."""
    classes = bins.tree.classes
    out = []
    for c, leaves in enumerate(_leaves(bins)):
        if only is not None and c not in only:
            out.append(Rules((), 0))
            continue
        try:
            found = _core.reasons.irredundant_cover(
                bins.nodes, bins.layout, len(classes), c, leaves, time_limit
            )
        except _core.base.TimeUp:
            raise OutOfTime(
                f"rules for class {classes[c]!r} were not found in "
                f"{setting('time_limit', time_limit)} seconds: raise {setting('time_limit')}"
            ) from None
        out.append(Rules(terms_of(bins, found.boxes), found.bound))
    return out


def leaf_rules(bins: Bins) -> list[Rules]:
    """Give per class the boxes of its leaves: disjoint, and at once."""
    return [Rules(terms_of(bins, table), 0) for table in _leaves(bins)]


def _leaves(bins: Bins) -> list[Table]:
    """Give per class the boxes of its leaves."""
    n_classes = len(bins.tree.classes)
    leaves, boxes = _core.bins.leaf_boxes(bins.nodes, bins.layout)
    labels = bins.tree.leaf_class[leaves]
    return [np.ascontiguousarray(boxes[labels == c]) for c in range(n_classes)]
