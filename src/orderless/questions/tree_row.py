"""One row of a tree: its answer, its reasons, and how far it is from the other classes.

In:  a tree, and one row.
Out: ``TreeRow``: what an ``Explanation`` is made of; ``LeafRow``: the row among the leaves over
     some bins: its reasons, one by one or the best of them; the features that are in all, or in
     some; the fewest features whose change gives another class.
Paper: Proposition 3.3 and Algorithm 4, for one row.

The core searches (cpp/core/reasons/row_search.hpp). Here, a side of a box is an integer: bit b
for bin b, and one more bit for NaN where NaN is a value.

Where facts hold, the tree's impossible cells are taken for the row's own class: then no reason has
to keep them away, and no change leads to them. Cells are those of the tree and of the values that
facts name. Where facts compare features with each other, the row's own values are cells too, as
they stand in the row: with ``low <= high``, a low of 12 says that high is above 10.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidData, OutOfTime, TooManyReasons, setting
from ..form import (
    Form,
    Term,
    completed,
    read_one,
    with_function_bins,
)
from ..inputs import one_row, read_rows, row_and_cells
from ..model import (
    Bins,
    Box,
    Budget,
    Feature,
    Flags,
    Label,
    LeafTable,
    PossibleRows,
    PossibleTree,
    Rows,
    Side,
    TreeKernel,
    meet,
    refuse_contradiction,
    row_boundary,
    row_box,
    row_values,
    unrounded_rows,
    value_at_most,
    values_in,
)
from .changes import (
    Change,
    Changes,
    Effect,
    Effects,
    FactChanges,
    Limits,
    Sides,
    Way,
    allowed_bins,
    bins_meeting,
    changes_of,
    wanted_classes,
)
from .row_facts import fact_sides, widened_interval

__all__ = ["LeafRow", "TreeRow"]

Slots = NDArray[np.uint16]
T = TypeVar("T")


class LeafRow:
    """One row among the leaves of a tree: its reasons, and its changes.

    Parameters
    ----------
    bins : Bins
    row : ExplainedRow
        The row, as the core has read it over them.
    impossible : array of bool, optional
        By leaf, whether no possible row reaches it, where facts hold.

    Attributes
    ----------
    possible : list of int
        The classes that the row can get, by number; one if it is certain.

    Notes
    -----
    Each answer takes the time of the budget at hand, or raises ``OutOfTime``.
    """

    is_widest = True  # of a tree every reason is

    def __init__(
        self, bins: Bins, row: _core.reasons.ExplainedRow, impossible: Flags | None = None
    ) -> None:
        self.bins = bins
        self.impossible = impossible
        self.possible: list[int] = row.possible
        self._row = row

    @classmethod
    def of_rows(cls, bins: Bins, rows: Rows, impossible: Flags | None = None) -> LeafRow:
        """Take the first of some rows."""
        return cls(bins, bins.explainer.take(rows.columns, bins.places), impossible)

    @classmethod
    def _of_box(cls, bins: Bins, box: Slots, impossible: Flags | None) -> LeafRow:
        return cls(bins, bins.explainer.box(box), impossible)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._of_box, (self.bins, self._row.row, self.impossible)

    def _in_time(self, ask: Callable[..., T], *given: Any) -> T:
        budget = Budget.current()
        try:
            return ask(*given, budget.left)
        except _core.base.TimeUp:
            raise OutOfTime(
                f"no further answer about this row in {budget}: raise {setting('time_limit')}, or "
                "use a smaller tree"
            ) from None

    # -- reasons -------------------------------------------------------------------------------

    def terms(self) -> Iterator[Term]:
        """Go through the reasons, each once, as they are found."""
        if len(self.possible) != 1:
            return
        reasons = _core.reasons.RowReasons(self._row)
        while (box := self._in_time(reasons.next)) is not None:
            yield self.term(box)

    def all_terms(self, limit: int) -> tuple[Term, ...]:
        """Give all reasons, sorted; of more than the limit, one more."""
        table = self._in_time(self._row.all, limit)
        return tuple(Term(box) for box in Box.of_slots(self.bins, table))

    def best(self, costs: Sequence[int]) -> Term:
        """Give the reason that costs least, then has fewest conditions, then is first."""
        if sum(costs) >> 127:
            raise InvalidData(
                "the costs are too far apart to be added exactly: as whole numbers of the smallest "
                "digit that one of them has, together they pass 38 digits; round them"
            )
        high = np.array([cost >> 64 for cost in costs], dtype=np.uint64)
        low = np.array([cost & 2**64 - 1 for cost in costs], dtype=np.uint64)
        return self.term(self._in_time(self._row.best, high, low))

    def term(self, box: Slots) -> Term:
        """Give a box, as the core writes it, as a term."""
        return Term(Box.of_slots(self.bins, [box])[0])

    def one(self) -> Term:
        """Find the reason with the fewest conditions."""
        return self.best([0] * len(self.bins.features))

    @property
    def unsettled(self) -> list[int]:
        """Features whose unknown values decide: two leaves of different classes differ on it only.

        Exact: rows that differ on one feature only lie in leaves that meet on all others.
        """
        return self._in_time(self._row.unsettled) if len(self.possible) > 1 else []

    @property
    def necessary(self) -> list[int]:
        """Features that alone keep some leaf of another class away."""
        return self._row.necessary()

    def relevant(self) -> list[int]:
        """Give the features that are in some reason."""
        return self._in_time(self._row.relevant)

    @property
    def n_looks(self) -> int:
        """How many boxes the search for reasons has looked at."""
        return self._row.n_looks

    # -- sides, as whole numbers ---------------------------------------------------------------

    @cached_property
    def row(self) -> Sides:
        """The row's side of each feature of ``bins``."""
        return self.bins.read_slots(self._row.row.tolist())

    @cached_property
    def ordered(self) -> list[bool]:
        """By feature whether its conditions are thresholds."""
        return [feature.ordered for feature in self.bins.features]

    @cached_property
    def n_bins(self) -> list[int]:
        """By feature its bins, NaN not counted."""
        out: list[int] = self.bins.layout.n_bins.tolist()
        return out

    @cached_property
    def nan(self) -> list[int]:
        """By feature the bit of NaN."""
        return [self.bins.nan_bit(k) for k in range(len(self.bins.features))]

    @cached_property
    def full(self) -> list[int]:
        """By feature all bins."""
        return [self.bins.every_bin(k) for k in range(len(self.bins.features))]

    @cached_property
    def _complete(self) -> bool:
        """Whether the row is known in every feature."""
        return all(side.bit_count() == 1 for side in self.row)

    @cached_property
    def _table(self) -> Slots:
        return self._row.leaf_boxes()

    @cached_property
    def missed(self) -> NDArray[np.bool_]:
        """By leaf and feature whether the row misses the leaf there."""
        return self._row.missed().view(bool)

    @cached_property
    def leaf_class(self) -> NDArray[np.int32]:
        """By leaf its class."""
        return self.bins.tree.leaf_class[self.bins.tree.feature < 0]

    def leaf_side(self, leaf: int, k: int) -> int:
        """Give the side of a leaf, as it is."""
        return self.bins.bits(k, self._table[leaf, self.bins.slots_of(k)].tolist())

    # -- changes -------------------------------------------------------------------------------

    def ways(
        self,
        limit: int,
        allowed: Sequence[int] | None = None,
        labels: frozenset[int] | None = None,
        has_effect: Effect | None = None,
    ) -> list[Way]:
        """Find the minimal sets of features to change, each with the largest boxes on them.

        A leaf is reached by changing exactly the features on which the row misses it. Its ranges
        are then widened: the leaves of one class, cut down to the changed features, are joined
        pairwise (consensus, with absorption) until no join is new, which gives every largest box.

        Parameters
        ----------
        limit : int
            Boxes to look at.
        allowed : by feature the bins that it may be changed to
            Without it, every bin, and only the fewest features.
        labels : the classes that count
            Without them, all others.
        has_effect : Effect, optional
            Whether every possible row in a leaf's box gets the class; others are left out.
        """
        if len(self.possible) != 1:
            return []
        wanted = self.leaf_class != self.possible[0]
        if labels is not None:
            wanted = np.isin(self.leaf_class, sorted(labels))
        if allowed is None and wanted.any():
            size = self.missed.sum(axis=1)
            wanted &= size == size[wanted].min()
        within = self.full if allowed is None else allowed
        reached: dict[tuple[int, ...], dict[int, dict[Sides, None]]] = {}
        for leaf in np.flatnonzero(wanted).tolist():
            features = tuple(np.flatnonzero(self.missed[leaf]).tolist())
            box = tuple(self.leaf_side(leaf, k) & within[k] for k in features)
            if all(box):
                boxes = reached.setdefault(features, {})
                boxes.setdefault(int(self.leaf_class[leaf]), {})[box] = None
        minimal: list[tuple[int, ...]] = []
        for features in sorted(reached, key=lambda own: (len(own), own)):
            if not any(set(less) <= set(features) for less in minimal):
                minimal.append(features)
        return [
            (features, label, box, self._certain(features, label, box))
            for features in minimal
            for label, found in sorted(reached[features].items())
            for box in self._widened(
                features,
                [b for b in found if has_effect is None or has_effect(features, label, b)],
                limit,
            )
        ]

    def _widened(
        self, features: tuple[int, ...], boxes: Sequence[Sides], limit: int
    ) -> list[Sides]:
        kept: list[Sides] = []
        todo = sorted(boxes, reverse=True)
        while todo:
            new = todo.pop()
            if any(_inside(new, box) for box in kept):
                continue
            kept = [box for box in kept if not _inside(box, new)]
            todo += [join for box in kept for join in self._joins(features, new, box)]
            kept.append(new)
            if len(todo) > limit:
                raise TooManyReasons(
                    f"there are more than {setting('limit', limit)} ranges to look at for the "
                    "features whose "
                    "change gives another class: raise explain(..., limit=), or use a smaller tree",
                    len(todo),
                )
        return sorted(kept, key=lambda box: [f"{side:b}"[::-1] for side in box], reverse=True)

    def _joins(self, features: tuple[int, ...], a: Sides, b: Sides) -> Iterator[Sides]:
        """Give the boxes that join two along one feature and intersect them elsewhere."""
        shared = [p & q for p, q in zip(a, b, strict=True)]
        empty = [i for i, side in enumerate(shared) if not side]
        if len(empty) > 1:
            return
        for i in empty or range(len(features)):
            both, nan = a[i] | b[i], self.nan[features[i]]
            sides = [both]
            if self.ordered[features[i]] and not _run(both & ~nan):  # NaN may still join
                sides = [side | both & nan for side in (a[i], b[i])]
            for side in sides:
                yield (*shared[:i], side, *shared[i + 1 :])

    def _certain(self, features: tuple[int, ...], label: int, box: Sides) -> bool:
        """Whether a change gives the class whatever the row's unknown values are."""
        if self._complete:
            return True
        elsewhere = np.delete(self.missed, features, axis=1).any(axis=1)
        others = ~elsewhere & (self.leaf_class != label)
        if self.impossible is not None:
            others &= ~self.impossible
        return not any(
            all(self.leaf_side(leaf, k) & side for k, side in zip(features, box, strict=True))
            for leaf in np.flatnonzero(others).tolist()
        )


def _run(side: int) -> bool:
    """Whether bins are next to each other."""
    return not side & (side + (side & -side))


def _inside(a: Sides, b: Sides) -> bool:
    return not any(p & ~q for p, q in zip(a, b, strict=True))


class TreeRow:
    """One row of a tree: its answer, and what it is made of.

    Parameters
    ----------
    form : Form
        Of the tree.
    row
        One row of any kind.
    tolerance : float
        For numbers: reasons keep the number within so much of what the row can get.

    Attributes
    ----------
    label, possible, interval, unknown, status
        As of ``Explanation``.
    partly_known : bool
        Whether the row gives some of the unknown features as a range.
    asked : tuple of str
        The features on which the answers depend.
    given : dict
        The row, as it came.
    search : LeafRow
        Of a certain row, and around the interval of a number: reasons and changes.
    tree, rows
        The tree and the row that are searched; of a certain row without rounding to float32 where
        facts compare features.
    """

    def __init__(self, form: Form, row: Any, tolerance: float = 0.0) -> None:
        self.kernel = tree = form.tree
        self._raw, self._facts = row, tree.possible is not None
        search, self.given, rows = _read_row(form, row)
        if self._facts:
            assert rows is not None
            leaves = PossibleRows(tree, rows).all_leaves()[0]
            reached = tree.leaf_class[tree.feature < 0][leaves]
            codes = np.unique(reached).tolist()
            unsettled = _unsettled(search, leaves) if len(codes) > 1 else []
            self.asked: tuple[str, ...] = tree.features
        else:
            codes, unsettled = search.possible, search.unsettled
            self.asked = tuple([feature.name for feature in search.bins.features])
        names = search.bins.features
        self.unknown = tuple([names[k].name for k in unsettled])
        self.partly_known = any(search.row[k] != search.full[k] for k in unsettled)
        self.possible: tuple[Label, ...] = tuple([tree.classes[c] for c in codes])
        self.label = self.possible[0] if len(codes) == 1 else None
        self.status = "certain" if len(codes) == 1 else "open"
        self.interval: tuple[float, float] | None = None
        if tree.task == "regression":
            rows = one_row(self.given, tree.space, tree.used) if rows is None else rows
            self.interval = widened_interval(min(self.possible), max(self.possible), tolerance)
            tree = tree.around(*self.interval)
            if self._facts:
                codes = np.unique(tree.leaf_class[tree.feature < 0][leaves]).tolist()
            else:
                search = LeafRow.of_rows(with_function_bins(tree).bins, rows)
        self.tree, self.search = tree, search
        self._cells: PossibleTree | None = None
        if self._facts and len(codes) == 1:
            assert rows is not None
            self._code: int = codes[0]
            self._features = tree.space.features
            self.tree = tree.unrounded
            rows = unrounded_rows(rows, self._features, self.tree.space.features)
            self.rows: Rows = rows
            self._cells, self.search = self.among({})
            assert self.search.possible == [self._code], "a certain row has one class in its cells"

    def among(self, more: Mapping[int, Sequence[Side]]) -> tuple[PossibleTree, LeafRow]:
        """Return the cells of possible rows and the row among them, where more values are cells."""
        if self._cells is not None and not more:
            return self._cells, self.search
        tree, domain = self.tree, self.tree.space.domain
        if domain.linear or more:
            cells = PossibleTree(tree, fact_sides(tree, self.rows, more))
        else:
            known = tree.possible_cells
            assert known is not None
            cells = known
        taken = cells.taken_for(self._code)
        same = self._features == taken.space.features
        bins = taken.bins if same else _Shown(taken, self._features)
        return cells, LeafRow.of_rows(bins, self.rows, cells.impossible[taken.feature < 0])

    def witness(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Find two completions with different answers, the least and the greatest one."""
        tree, one = self.kernel, read_one(self.kernel, self._raw)
        leaves = np.array(list(tree.leaves()))[tree.reached_leaves(one.rows)[0].astype(bool)]
        label = tree.leaf_class[leaves]
        if label.min() == label.max():
            return None
        first, second = (
            completed(tree, one, _leaf_box(tree, int(leaves[at])))
            for at in (label.argmin(), label.argmax())
        )
        return first, second

    def changes(self, limits: Limits | None, limit: int) -> Changes:
        """Find all minimal sets of features that can be changed as the limits allow, and how.

        Without limits those with the fewest features. A leaf is reached by changing exactly the
        features on which the row misses it. So the sets are those of the leaves that lie within
        the limits, without those that contain another one. Cost: leaves x features, the square of
        the number of sets, and widening their ranges.
        """
        facts = self._cells is not None
        effects = (
            FactChanges(self, limits, self.given)
            if facts
            else Effects(self.search, limits, self.given)
        )
        search = effects.search
        assert isinstance(search, LeafRow)
        allowed = labels = None
        if effects.limits is not None:
            allowed = allowed_bins(search, effects.limits)
            labels = wanted_classes(search, effects.limits)
        return changes_of(search.ways(limit, allowed, labels, effects.has_effect), effects)

    def row_after(self, change: Change) -> dict[str, Any]:
        """Complete the row after a change, so that it gets the class of the change."""
        tree, bins = self.tree, self.tree.bins
        space, domain = tree.space, tree.space.domain
        one = read_one(tree, self._raw)
        changed = {space.index(name): side for name, side in change.ranges.items()}
        here = row_box(bins, one.rows).bits
        known = row_values(space, tree.connected, one.rows, 0)
        table = LeafTable(tree, change.ranges)
        for leaf in np.flatnonzero(table.label == tree.classes.index(change.label)).tolist():
            sides = {space.index(name): side for name, side in table.sides(leaf).items()}
            if not all(
                i in changed or bins_meeting(bins, k, sides[i]) & here[k]
                for k, i in enumerate(bins.positions)
            ):
                continue
            values = {i: own for i, own in known.items() if i not in changed}
            for i, side in sides.items():
                if i in domain.group_of:
                    inside = values_in(side)
                    values[i] = meet(values[i], inside) if i in values else inside
            if domain.possible(values):
                return completed(tree, one, sides, changed)
        raise AssertionError("a change leads to a possible row")


class _Shown(Bins):
    """Bins of numbers that are not rounded; people see the ends between which float32 lie."""

    def __init__(self, tree: TreeKernel, features: Sequence[Feature]) -> None:
        super().__init__(tree)
        self._own = {feature.name: feature for feature in features}

    def shown(self, side: Side) -> Side:
        """Give a side in numbers of its own feature, if it begins and ends between two of them."""
        own = self._own[side.feature.name]
        if own == side.feature or not side.lower < side.upper:
            return Side(own, side.lower, side.upper, side.nan, side.codes)
        ends = np.array([side.lower, side.upper])
        rounded = value_at_most(ends, own.values)
        if (row_boundary(rounded, own.values) != ends).any():
            return side
        low, high = rounded.tolist()
        return Side(own, low, high, side.nan)


def _unsettled(search: LeafRow, leaves: NDArray[np.bool_]) -> list[int]:
    """Find the features whose unknown values decide, where facts leave some leaves.

    Two leaves of different classes differ on such a feature only; where there are no such two, on
    others too. Quadratic in the leaves that the row reaches.
    """
    met = np.flatnonzero(~search.missed.any(axis=1) & leaves)
    apart = []
    for k, row in enumerate(search.row):
        sides = [row & search.leaf_side(leaf, k) for leaf in met.tolist()]
        distinct = list(dict.fromkeys(sides))
        number = {side: i for i, side in enumerate(distinct)}
        which = np.array([number[side] for side in sides])
        differ = np.array([[not a & b for b in distinct] for a in distinct], dtype=bool)
        apart.append(differ[np.ix_(which, which)])
    label = search.leaf_class[met]
    other = label[:, None] != label
    alone = other & (np.sum(apart, axis=0) == 1)
    for decides in (alone, other):
        found = [k for k, differ in enumerate(apart) if (decides & differ).any()]
        if found:
            return found
    return []


def _read_row(form: Form, row: Any) -> tuple[LeafRow, dict[str, Any], Rows | None]:
    """Read one row: the row among leaves, as a dict, and as the core reads rows."""
    tree = form.tree
    space = tree.space
    bins = form.bins if tree.possible is None else tree.bins
    if bins.reader is not None and type(row) in (dict, list, tuple):
        read = bins.explainer.read(bins.reader, row)
        if read is not None:
            plain = dict(row if type(row) is dict else zip(space.column_names, row, strict=True))
            return LeafRow(bins, read), plain, None
    table, cells = row_and_cells(row, space)
    # A frame may lack columns that the tree does not ask about; elsewhere every value is checked.
    used = range(len(space.features)) if isinstance(table, list) else tree.used
    rows = read_rows(table, space, used, if_there=tree.connected)
    refuse_contradiction(tree, rows)
    return LeafRow.of_rows(bins, rows), cells, rows


def _leaf_box(tree: TreeKernel, leaf: int) -> dict[int, Side]:
    """Return the sides of a leaf, by position of the feature."""
    nodes, slots = _core.bins.leaf_boxes(tree.bins.nodes, tree.bins.layout)
    (box,) = Box.of_slots(tree.bins, slots[np.asarray(nodes) == leaf])
    return {tree.space.index(side.feature.name): side for side in box.sides}
