"""One row among the leaves of a tree: its reasons, and how far it is from the other classes.

In:  one row, read over the bins of a tree.
Out: ``RowSearch``: the classes the row can get; its reasons, one by one or the best of them; the
     features that are in all, or in some; the fewest features whose change gives another class.
Paper: Proposition 3.3 and Algorithm 4, for one row.

The core searches (cpp/core/reasons/row_search.hpp). Here, a side of a box is a whole number: bit b
for bin b, and one more bit for NaN where NaN is a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidData, OutOfTime, TooManyReasons, setting
from ..inputs import read_rows, row_and_cells
from ..model import Bins, Box, Flags, Rows, TreeKernel
from .reasons import Term

__all__ = ["Effect", "RowSearch", "read_row"]

Sides = tuple[int, ...]
Effect = Callable[[tuple[int, ...], int, Sides], bool]
Slots = NDArray[np.uint16]
T = TypeVar("T")


class RowSearch:
    """The reasons of one row, and its changes.

    Parameters
    ----------
    bins : Bins
    row : ExplainedRow
        The row, as the core has read it over them.
    time_limit : float
        Seconds that one answer may take before ``OutOfTime`` is raised.
    impossible : array of bool, optional
        By leaf, whether no possible row reaches it, where facts hold.

    Attributes
    ----------
    possible : list of int
        The classes that the row can get, by number; one if it is determined.
    """

    def __init__(
        self,
        bins: Bins,
        row: _core.reasons.ExplainedRow,
        time_limit: float,
        impossible: Flags | None = None,
    ) -> None:
        self.bins = bins
        self.time_limit = time_limit
        self.impossible = impossible
        self.possible: list[int] = row.possible
        self._row = row

    @classmethod
    def of_rows(
        cls, bins: Bins, rows: Rows, time_limit: float, impossible: Flags | None = None
    ) -> RowSearch:
        """Take the first of some rows."""
        row = bins.explainer.take(rows.columns, bins.places)
        return cls(bins, row, time_limit, impossible)

    @classmethod
    def _of_box(
        cls, bins: Bins, box: Slots, time_limit: float, impossible: Flags | None
    ) -> RowSearch:
        return cls(bins, bins.explainer.box(box), time_limit, impossible)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._of_box, (self.bins, self._row.row, self.time_limit, self.impossible)

    def _in_time(self, ask: Callable[..., T], *given: Any) -> T:
        try:
            return ask(*given, self.time_limit)
        except _core.base.TimeUp:
            raise OutOfTime(
                f"no further answer about this row in {setting('time_limit', self.time_limit)} "
                f"seconds: raise {setting('time_limit')}, or use a smaller tree"
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

    def changes(
        self, limit: int, has_effect: Effect | None = None
    ) -> list[tuple[tuple[int, ...], int, Sides, bool]]:
        """Give the fewest features to change: (features, class, largest box on them, certain).

        A leaf is reached by changing exactly the features on which the row misses it. Its ranges
        are then widened: the leaves of one class, cut down to the changed features, are joined
        pairwise (consensus, with absorption) until no join is new, which gives every largest box.
        ``has_effect``: whether every possible row in a leaf's box gets the class; others are left
        out.
        """
        others = self.leaf_class != self.possible[0]
        if len(self.possible) != 1 or not others.any():
            return []
        size = self.missed.sum(axis=1)
        groups: dict[tuple[tuple[int, ...], int], set[Sides]] = {}
        for leaf in np.flatnonzero(others & (size == size[others].min())).tolist():
            features = tuple(np.flatnonzero(self.missed[leaf]).tolist())
            box = tuple(self.leaf_side(leaf, k) for k in features)
            label = int(self.leaf_class[leaf])
            if has_effect is None or has_effect(features, label, box):
                groups.setdefault((features, label), set()).add(box)
        out = []
        for (features, label), boxes in sorted(groups.items()):
            for box in self._widened(features, boxes, limit):
                out.append((features, label, box, self._certain(features, label, box)))
        return out

    def allowed_changes(
        self,
        allowed: Sequence[int],
        labels: frozenset[int],
        limit: int,
        has_effect: Effect | None = None,
    ) -> list[tuple[tuple[int, ...], int, Sides, bool]]:
        """Give all minimal sets of features to change: (features, class, box on them, certain).

        ``allowed`` has for each feature the bins that it may be changed to, and ``labels`` the
        classes that count. ``has_effect`` as for ``changes``.
        """
        if len(self.possible) != 1:
            return []
        reached: dict[tuple[int, ...], dict[int, set[Sides]]] = {}
        for leaf in np.flatnonzero(np.isin(self.leaf_class, sorted(labels))).tolist():
            features = tuple(np.flatnonzero(self.missed[leaf]).tolist())
            box = tuple(self.leaf_side(leaf, k) & allowed[k] for k in features)
            if all(box):
                own = reached.setdefault(features, {})
                own.setdefault(int(self.leaf_class[leaf]), set()).add(box)
        minimal: list[tuple[int, ...]] = []
        for features in sorted(reached, key=lambda own: (len(own), own)):
            if not any(set(less) <= set(features) for less in minimal):
                minimal.append(features)
        return [
            (features, label, box, self._certain(features, label, box))
            for features in minimal
            for label, boxes in sorted(reached[features].items())
            for box in self._widened(
                features,
                {b for b in boxes if has_effect is None or has_effect(features, label, b)},
                limit,
            )
        ]

    def _widened(self, features: tuple[int, ...], boxes: set[Sides], limit: int) -> list[Sides]:
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


def read_row(
    tree: TreeKernel, bins: Bins, row: Any, time_limit: float
) -> tuple[RowSearch, dict[str, Any], Rows | None]:
    """Read one row: what searches around it, the row as a dict, and as the core reads rows."""
    space = tree.space
    if bins.reader is not None and type(row) in (dict, list, tuple):
        found = bins.explainer.read(bins.reader, row)
        if found is not None:
            plain = dict(row if type(row) is dict else zip(space.column_names, row, strict=True))
            return RowSearch(bins, found, time_limit), plain, None
    rows, cells = row_and_cells(row, space)
    # A frame may lack columns that the tree does not ask about; elsewhere every value is checked.
    used = range(len(space.features)) if isinstance(rows, list) else tree.used
    given = read_rows(rows, space, used, if_there=tree.connected)
    return RowSearch.of_rows(bins, given, time_limit), cells, given
