"""Reasons and rules: what a tree decides, free of the order it asks in.

In:  a tree over a space.
Out: ``Form``: by class all maximal boxes on which it is certain (reasons), and the fewest that
     cover it (rules), as ``Term``.
Paper: Algorithms 1, 4 and 5; departures are in docs/decisions.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import OutOfTime, TooManyReasons, setting
from ..inputs import read_rows
from ..model import (
    TIME_LIMIT,
    BinNodes,
    Bins,
    Box,
    Budget,
    Label,
    PossibleTree,
    Rows,
    Side,
    Space,
    TreeKernel,
    certainly_inside,
    read_seconds,
    side_text,
)
from ..readers import read_tree
from .fingerprints import fingerprint
from .function_tree import canonical_tree, with_function_bins
from .two_trees import same_trees

__all__ = [
    "LIMIT", "Form", "Rules", "Subject", "Term", "all_reasons", "canonical_form",
    "irredundant_rules", "leaf_rules", "smallest_rules",
]  # fmt: skip

LIMIT = 1_000_000

Table = NDArray[np.uint16]


class Term:
    """A box, as conditions that hold together: one reason, or one rule.

    Two terms are equal if they say the same, whatever tree they come from.

    Attributes
    ----------
    box : Box
        The box over the bins of a tree.
    sides : tuple of Side
        What it says of each feature, sorted by name; features of which it says nothing are left
        out.
    """

    __slots__ = ("box",)

    def __init__(self, box: Box) -> None:
        self.box = box

    def __reduce__(self) -> tuple[Any, ...]:
        return Term, (self.box,)

    @property
    def sides(self) -> tuple[Side, ...]:
        """What it says of each feature."""
        return self.box.sides

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features it is about."""
        return tuple(side.feature.name for side in self.sides)

    @property
    def conditions(self) -> tuple[str, ...]:
        """Give its conditions in words, one text per feature."""
        return tuple(side_text(side) for side in self.sides)

    @property
    def n_conditions(self) -> int:
        """How many conditions it takes; an interval with two ends takes two."""
        return sum(side.n_conditions for side in self.sides)

    def covers(self, X: Any) -> NDArray[np.bool_]:
        """Tell which rows it certainly covers, whatever their unknown values are."""
        space = self.box.bins.tree.space
        return self.covers_rows(read_rows(X, space, [space.index(name) for name in self.features]))

    def covers_rows(self, rows: Rows) -> NDArray[np.bool_]:
        """``covers`` for rows that have been read over the term's space already."""
        return certainly_inside(self.box, rows)

    def to_dict(self) -> list[dict[str, Any]]:
        """Give what JSON needs to write it down (docs/formats)."""
        return [side.to_dict() for side in self.sides]

    def _key(self) -> tuple[Any, ...]:
        return tuple(
            (s.feature.name, s.lower, s.upper, s.nan, frozenset(s.labels)) for s in self.sides
        )

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Term) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __len__(self) -> int:
        return len(self.sides)

    def __bool__(self) -> bool:
        return True  # a term without conditions always holds; it is not "nothing"

    def __str__(self) -> str:
        return str(self.box)

    def __repr__(self) -> str:
        return f"Term({self})"


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
        """Return the function of a tree on all rows."""
        n_classes = len(bins.tree.classes)
        return cls(bins, (bins.nodes,) * n_classes, tuple(_leaves(bins)))

    @classmethod
    def of_possible(cls, possible: PossibleTree) -> Subject:
        """Return the function of a tree on the rows that facts leave possible."""
        trees = [possible.taken_for(c) for c in range(len(possible.source.classes))]
        bins = trees[0].bins
        nodes = tuple(bins.nodes._replace(leaf_class=tree.leaf_class) for tree in trees)
        # Over the same bins: only classes differ.
        leaves = tuple(_leaves(possible.tree.bins)[: len(trees)])
        return cls(bins, nodes, leaves, possible)


def _terms(bins: Bins, table: Table) -> tuple[Term, ...]:
    return tuple(map(Term, Box.of_slots(bins, table)))


def all_reasons(
    subject: Subject, limit: int = LIMIT, only: Collection[int] | None = None
) -> list[Table]:
    """Find per class every maximal box on which it is certain; ``only`` of some classes."""
    bins, n_classes, budget = subject.bins, len(subject.nodes), Budget.current()
    wanted = [only is None or c in only for c in range(n_classes)]

    def reasons(nodes: BinNodes, wanted: list[bool]) -> list[Table]:
        return _core.reasons.all_reasons(nodes, bins.layout, n_classes, limit, budget.left, wanted)

    try:
        if subject.possible is None:
            return reasons(bins.nodes, wanted)
        return [
            _with_rows(subject, reasons(nodes, [wanted[c] and k == c for k in range(n_classes)])[c])
            for c, nodes in enumerate(subject.nodes)
        ]
    except _core.base.LimitReached as stop:
        raise TooManyReasons(
            f"a class of this tree has more than {setting('limit', limit)} reasons (gave up after "
            f"meeting {stop.met:,}): raise {setting('limit')}, use {setting('exact', False)} for "
            "rules without all reasons, explain single rows, or use a smaller tree",
            stop.met,
        ) from None
    except _core.base.TimeUp as stop:
        raise OutOfTime(
            f"finding all reasons took longer than {budget} "
            f"(a class has {stop.met:,} or more): raise {setting('time_limit')}, use "
            f"{setting('exact', False)} for rules without all reasons, explain single rows, or use "
            "a smaller tree"
        ) from None


def _with_rows(subject: Subject, table: Table) -> Table:
    """Return those of some boxes that have a possible row."""
    possible = subject.possible
    assert possible is not None
    boxes = Box.of_slots(subject.bins, table)
    kept = [possible.grid.any_possible({s.feature.name: s for s in box.sides}) for box in boxes]
    return np.ascontiguousarray(table[np.array(kept, dtype=bool)])


def smallest_rules(subject: Subject, c: int, reasons: Table) -> Rules:
    """Find the fewest reasons of a class that cover it, proven minimal."""
    bins, budget = subject.bins, Budget.current()
    try:
        chosen = _core.reasons.smallest_cover(bins.layout, subject.leaves[c], reasons, budget.left)
    except _core.base.TimeUp:
        raise OutOfTime(
            f"the smallest set of rules for class {bins.tree.classes[c]!r} was not found in "
            f"{budget}: raise {setting('time_limit')}, or use {setting('exact', False)}"
        ) from None
    return Rules(_terms(bins, reasons[chosen]), len(chosen))


def irredundant_rules(subject: Subject, c: int) -> Rules:
    """Find reasons that cover a class, none of which can be left out."""
    bins, leaves, budget = subject.bins, subject.leaves[c], Budget.current()
    classes = bins.tree.classes
    try:
        cover = _core.reasons.irredundant_cover(
            subject.nodes[c], bins.layout, len(classes), c, leaves, budget.left
        )
    except _core.base.TimeUp:
        raise OutOfTime(
            f"rules for class {classes[c]!r} were not found in {budget}: raise "
            f"{setting('time_limit')}"
        ) from None
    if subject.possible is None:
        return Rules(_terms(bins, cover.boxes), cover.bound)
    # The core keeps a box also for rows that are not possible, and counts these in its bound.
    boxes = cover.boxes
    with contextlib.suppress(_core.base.TimeUp):  # then all of them are kept
        boxes = boxes[_core.reasons.smallest_cover(bins.layout, leaves, boxes, budget.left)]
    return Rules(_terms(bins, boxes), min(1, len(leaves)))


def leaf_rules(subject: Subject) -> list[Rules]:
    """Return per class the boxes of its leaves: disjoint, and at once."""
    return [Rules(_terms(subject.bins, table), 0) for table in subject.leaves]


def _leaves(bins: Bins) -> list[Table]:
    """Return per class the boxes of its leaves."""
    n_classes = len(bins.tree.classes)
    leaves, boxes = _core.bins.leaf_boxes(bins.nodes, bins.layout)
    labels = bins.tree.leaf_class[leaves]
    return [np.ascontiguousarray(boxes[labels == c]) for c in range(n_classes)]


def canonical_form(
    tree: Any, *, limit: int = LIMIT, time_limit: float | None = TIME_LIMIT, exact: bool = True
) -> Form:
    """Give the order-free form of a tree; see ``orderless.canonicalize``."""
    if isinstance(tree, Form):
        tree = tree.tree
    kernel = tree if type(tree) is TreeKernel else read_tree(tree)
    return Form(kernel, limit=limit, time_limit=time_limit, exact=exact)


class Form:
    """What a tree decides, free of the order in which it asks.

    Made by ``canonicalize``. Rules and reasons are computed when they are first asked for.

    Attributes
    ----------
    tree : TreeKernel
        The tree it came from.
    limit : int
        How many reasons a class may have.
    time_limit : float
        Seconds that computing the reasons, or the rules of one class, may take.
    exact : bool
        Whether rules are proven minimal.
    """

    def __init__(
        self,
        tree: TreeKernel,
        *,
        limit: int = LIMIT,
        time_limit: float | None = TIME_LIMIT,
        exact: bool = True,
    ) -> None:
        if limit < 1:
            raise ValueError(f"limit={limit}: at least one reason must be allowed")
        self.tree = tree
        self.limit = limit
        self.time_limit = read_seconds(time_limit)
        self.exact = exact

    # -- what it is ----------------------------------------------------------------------------

    @property
    def space(self) -> Space:
        """The features, and how the columns of rows describe them."""
        return self.tree.space

    @property
    def classes(self) -> tuple[Label, ...]:
        """The class labels."""
        return self.tree.classes

    @cached_property
    def fingerprint(self) -> str:
        """32 hex digits that name the function, the same on every machine."""
        return fingerprint(self.tree)

    @cached_property
    def bins(self) -> Bins:
        """The features, cut into the bins that the function distinguishes.

        With facts, into the bins that the tree does.
        """
        return self._subject.bins

    @cached_property
    def _subject(self) -> Subject:
        """What rules and reasons are about: the function, on possible rows."""
        with Budget(self.time_limit):
            if self.tree.possible is not None:
                return Subject.of_possible(self.tree.possible)
            return Subject.of(with_function_bins(self.tree).bins)

    @cached_property
    def canonical(self) -> TreeKernel:
        """The tree that depends on the function alone."""
        with Budget(self.time_limit):
            return canonical_tree(self.tree)

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features that the decision depends on, sorted."""
        names = {name for terms in self.rules.values() for term in terms for name in term.features}
        return tuple(sorted(names))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Form):
            return NotImplemented
        if self.space.facts or other.space.facts:  # the same on possible rows
            same = frozenset(self.space.facts) == frozenset(other.space.facts)
            return same and same_trees(self.tree, other.tree)
        return self.fingerprint == other.fingerprint and same_trees(self.tree, other.tree)

    def __hash__(self) -> int:
        return hash(frozenset(self.space.facts) or self.fingerprint)

    # -- reasons and rules ---------------------------------------------------------------------

    @cached_property
    def _reason_tables(self) -> list[Table]:
        with Budget(self.time_limit):
            return all_reasons(self._subject, self.limit)

    @cached_property
    def reasons(self) -> dict[Label, tuple[Term, ...]]:
        """All sufficient reasons: per class every maximal box on which it is certain.

        The paper's Blake canonical form (its Algorithm 4), for any number of classes and any kinds
        of features. Fewest conditions first.
        """
        tables = self._reason_tables
        return {c: _terms(self.bins, own) for c, own in zip(self.classes, tables, strict=True)}

    @cached_property
    def _rules(self) -> list[Rules]:
        subject = self._subject
        if self.exact:
            tables = self._reason_tables
        elif subject.possible is None:
            # Which reasons are grown from the leaves depends on the tree, so it has to be
            # canonical; a smallest cover does not, whatever the leaves.
            subject = Subject.of(self.canonical.bins)
        found = []
        for c in range(len(self.classes)):
            with Budget(self.time_limit):
                found.append(
                    smallest_rules(subject, c, tables[c])
                    if self.exact
                    else irredundant_rules(subject, c)
                )
        return found

    @property
    def rules(self) -> dict[Label, tuple[Term, ...]]:
        """The fewest reasons that cover each class (the paper's minimal DNF).

        With ``exact`` proven minimal: fewest rules, then fewest conditions, then first in a fixed
        order. Otherwise none can be left out, and ``bounds`` says how many are needed at least.
        Either way equivalent trees over one space have identical rules, in the same order. With
        facts that does not hold: where ``a = b`` is a fact, rules may be about either. Rules then
        cover the possible rows of a class, and may cover impossible ones too.
        """
        return {c: terms for c, (terms, _) in zip(self.classes, self._rules, strict=True)}

    @property
    def bounds(self) -> dict[Label, int]:
        """Per class a proven lower bound on the number of rules."""
        return {c: own.bound for c, own in zip(self.classes, self._rules, strict=True)}

    # -- words ---------------------------------------------------------------------------------

    def __repr__(self) -> str:
        classes = ", ".join(f"{label!r:.40}" for label in self.classes[:8])
        more = f", {len(self.classes) - 8:,} more" if len(self.classes) > 8 else ""
        leaves = "1 leaf" if self.tree.n_leaves == 1 else f"{self.tree.n_leaves:,} leaves"
        return f"Form(of a tree with {leaves}, classes [{classes}{more}])"
