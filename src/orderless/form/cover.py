"""Reasons and rules, class by class: all maximal boxes, and the fewest that cover the class.

In:  the ``Bins`` of a tree, and with facts where possible rows are.
Out: tables of boxes; ``Rules``.
Paper: Algorithms 1 and 4; departures are in docs/decisions.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import OutOfTime, TooManyReasons, setting
from ..model import BinNodes, Bins, Box, FunctionBins, Label, PossibleTree
from .term import Term

__all__ = [
    "Rules", "Subject", "all_reasons", "find_reasons", "found_reasons", "found_rules",
    "irredundant_rules", "leaf_rules", "smallest_rules", "terms_of",
]  # fmt: skip

Table = NDArray[np.uint16]


class Rules(NamedTuple):
    """The rules of a class, and how many there must be at least."""

    terms: tuple[Term, ...]
    bound: int


class Subject(NamedTuple):
    """What rules are about: a function over bins, class by class.

    Attributes
    ----------
    bins : Bins
    nodes : tuple of BinNodes
        By class, the tree in which rows that cannot be are of that class: without facts the same.
    leaves : tuple of tables
        By class, the boxes of its leaves; together its possible rows.
    possible : PossibleTree, or None
        With facts, where possible rows are.
    """

    bins: Bins
    nodes: tuple[BinNodes, ...]
    leaves: tuple[Table, ...]
    possible: PossibleTree | None = None

    @classmethod
    def of(cls, bins: Bins) -> Subject:
        """Give the function of a tree on all rows."""
        n_classes = len(bins.tree.classes)
        return cls(bins, (bins.nodes,) * n_classes, tuple(_leaves(bins)))

    @classmethod
    def of_possible(cls, possible: PossibleTree) -> Subject:
        """Give the function of a tree on the rows that facts leave possible."""
        trees = [possible.taken_for(c) for c in range(len(possible.source.classes))]
        bins = trees[0].bins
        nodes = tuple(bins.nodes._replace(leaf_class=tree.leaf_class) for tree in trees)
        # Over the same bins: only classes differ.
        leaves = tuple(_leaves(possible.tree.bins)[: len(trees)])
        return cls(bins, nodes, leaves, possible)


def terms_of(bins: Bins, table: Table) -> tuple[Term, ...]:
    """Give boxes of the core as terms."""
    return tuple(map(Term, Box.of_slots(bins, table)))


def all_reasons(
    subject: Subject, limit: int, time_limit: float, only: Collection[int] | None = None
) -> list[Table]:
    """Give per class every maximal box on which it is certain; ``only`` of some classes."""
    bins, n_classes = subject.bins, len(subject.nodes)
    wanted = [only is None or c in only for c in range(n_classes)]

    def reasons(nodes: BinNodes, wanted: list[bool]) -> list[Table]:
        return _core.reasons.all_reasons(nodes, bins.layout, n_classes, limit, time_limit, wanted)

    try:
        if subject.possible is None:
            return reasons(bins.nodes, wanted)
        return [
            _with_rows(subject, reasons(nodes, [wanted[c] and k == c for k in range(n_classes)])[c])
            for c, nodes in enumerate(subject.nodes)
        ]
    except (_core.base.LimitReached, _core.base.TimeUp) as fault:
        raise _given_up(fault, limit, time_limit) from None


def find_reasons(found: FunctionBins, limit: int, time_limit: float) -> list[int]:
    """Let the core find every reason; give where those of each class start, and their number."""
    try:
        return found.form.find(limit, time_limit)
    except (_core.base.LimitReached, _core.base.TimeUp) as fault:
        raise _given_up(fault, limit, time_limit) from None


def _given_up(
    fault: _core.base.LimitReached | _core.base.TimeUp, limit: int, time_limit: float
) -> TooManyReasons | OutOfTime:
    """Say that not all reasons were found."""
    if isinstance(fault, _core.base.LimitReached):
        return TooManyReasons(
            f"a class of this tree has more than {setting('limit', limit)} reasons (gave up after "
            f"meeting {fault.met:,}): raise {setting('limit')}, use {setting('exact', False)} for "
            "rules without all reasons, explain single rows, or use a smaller tree",
            fault.met,
        )
    return OutOfTime(
        f"finding all reasons took longer than {setting('time_limit', time_limit)} seconds "
        f"(a class has {fault.met:,} or more): raise {setting('time_limit')}, use "
        f"{setting('exact', False)} for rules without all reasons, explain single rows, or use "
        "a smaller tree"
    )


def found_reasons(
    found: FunctionBins, classes: Sequence[Label], limit: int, time_limit: float
) -> dict[Label, tuple[Term, ...]]:
    """Give every reason by class; what one says is read when it is looked at."""
    start = find_reasons(found, limit, time_limit)
    terms = [Term(None, found, i) for i in range(start[-1])]
    out, first = {}, 0
    for c, label in enumerate(classes, 1):
        end = start[c]
        out[label] = tuple(terms[first:end])
        first = end
    return out


def found_rules(found: FunctionBins, classes: Sequence[Label], time_limit: float) -> list[Rules]:
    """Give per class the fewest of its reasons that cover it, proven minimal."""
    chosen = found.form.rules(time_limit)
    if len(chosen) < len(classes):
        raise _no_cover(classes[len(chosen)], time_limit)
    return [Rules(tuple([Term(None, found, i) for i in own]), len(own)) for own in chosen]


def _no_cover(label: Label, time_limit: float) -> OutOfTime:
    """Say that no smallest cover was proven."""
    return OutOfTime(
        f"the smallest set of rules for class {label!r} was not found in "
        f"{setting('time_limit', time_limit)} seconds: raise {setting('time_limit')}, or "
        f"use {setting('exact', False)}"
    )


def _with_rows(subject: Subject, table: Table) -> Table:
    """Give those of some boxes that have a possible row."""
    possible = subject.possible
    assert possible is not None
    boxes = Box.of_slots(subject.bins, table)
    kept = [possible.grid.any_possible({s.feature.name: s for s in box.sides}) for box in boxes]
    return np.ascontiguousarray(table[np.array(kept, dtype=bool)])


def smallest_rules(
    subject: Subject,
    reasons: Sequence[Table],
    time_limit: float,
    only: Collection[int] | None = None,
) -> list[Rules]:
    """Give per class the fewest of its reasons that cover it, proven minimal.

    ``only``: the classes that are asked for; the others get no rules.
    """
    out, bins = [], subject.bins
    for c, (table, leaves) in enumerate(zip(reasons, subject.leaves, strict=True)):
        if only is not None and c not in only:
            out.append(Rules((), 0))
            continue
        try:
            chosen = _core.reasons.smallest_cover(bins.layout, leaves, table, time_limit)
        except _core.base.TimeUp:
            raise _no_cover(bins.tree.classes[c], time_limit) from None
        out.append(Rules(terms_of(bins, table[chosen]), len(chosen)))
    return out


def irredundant_rules(
    subject: Subject, time_limit: float, only: Collection[int] | None = None
) -> list[Rules]:
    """Give per class reasons that cover it, none of which can be left out; ``only`` of some."""
    bins, classes = subject.bins, subject.bins.tree.classes
    out = []
    for c, leaves in enumerate(subject.leaves):
        if only is not None and c not in only:
            out.append(Rules((), 0))
            continue
        try:
            found = _core.reasons.irredundant_cover(
                subject.nodes[c], bins.layout, len(classes), c, leaves, time_limit
            )
        except _core.base.TimeUp:
            raise OutOfTime(
                f"rules for class {classes[c]!r} were not found in "
                f"{setting('time_limit', time_limit)} seconds: raise {setting('time_limit')}"
            ) from None
        if subject.possible is None:
            out.append(Rules(terms_of(bins, found.boxes), found.bound))
        else:
            out.append(_needed_rules(subject, c, found.boxes, time_limit))
    return out


def _needed_rules(subject: Subject, c: int, boxes: Table, time_limit: float) -> Rules:
    """Give the fewest of some boxes that cover the possible rows of a class.

    The core keeps a box also for rows that are not possible, and counts these in its bound.
    """
    leaves = subject.leaves[c]
    with contextlib.suppress(_core.base.TimeUp):  # then all of them are kept
        boxes = boxes[_core.reasons.smallest_cover(subject.bins.layout, leaves, boxes, time_limit)]
    return Rules(terms_of(subject.bins, boxes), min(1, len(leaves)))


def leaf_rules(subject: Subject) -> list[Rules]:
    """Give per class the boxes of its leaves: disjoint, and at once."""
    return [Rules(terms_of(subject.bins, table), 0) for table in subject.leaves]


def _leaves(bins: Bins) -> list[Table]:
    """Give per class the boxes of its leaves."""
    n_classes = len(bins.tree.classes)
    leaves, boxes = _core.bins.leaf_boxes(bins.nodes, bins.layout)
    labels = bins.tree.leaf_class[leaves]
    return [np.ascontiguousarray(boxes[labels == c]) for c in range(n_classes)]
