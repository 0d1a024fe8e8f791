"""How many trees of a set meet wishes, without listing any; what was counted is kept.

In:  a set of trees; wishes about features, leaves, the objective, the first question.
Out: counts, by views of the compressed set that lack some features.

Trees that ask about features of a set T alone are one view. From the views of all T follows by
inclusion and exclusion how many trees ask about exactly the features of T, and then every wish
about features, how many of them included, is a sum. There are 2^n such T, so this is for few
features, and is worked out while nobody asks (``ahead``).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import accumulate, combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import TooLarge
from ...rashomon import columns_of, member

if TYPE_CHECKING:
    from ...rashomon import TreeSet

__all__ = ["MOST_MUST", "TreeCounts", "Wishes"]

MOST_KNOWN = 1_000  # views whose counts are kept
MOST_WHOLE = 4  # first questions all of whose sets of features are kept
MOST_EXACT = 64  # tables of sets of features that are kept
MOST_SETS = 256  # of features, in one table
MOST_MUST = 6  # features that must be used: 2 to the power of so many views

Ends = tuple[int | None, int | None]


class Wishes(NamedTuple):
    """What trees must be like: features, how many, the first question; objective and leaves."""

    must: tuple[str, ...]
    unwanted: tuple[str, ...]
    most_features: int | None
    first: str | None
    ends: Ends


class _Cells:
    """Trees by leaves and objective, in whole numbers."""

    def __init__(self, cost: Sequence[int], leaves: Sequence[int], counts: Sequence[int]) -> None:
        rows: dict[int, list[tuple[int, int]]] = {}
        for own, size, n in zip(cost, leaves, counts, strict=True):
            rows.setdefault(size, []).append((own, n))
        self._rows = []  # leaves, costs that rise, how many trees cost less than each
        for size, pairs in sorted(rows.items()):
            pairs.sort()
            sums = list(accumulate((n for _, n in pairs), initial=0))
            self._rows.append((size, [own for own, _ in pairs], sums))

    def count(self, ends: Ends) -> int:
        """Count those with at most this objective, and at most so many leaves."""
        bound, leaves = ends
        total = 0
        for size, costs, sums in self._rows:
            if leaves is not None and size > leaves:
                break
            total += sums[-1 if bound is None else bisect_right(costs, bound)]
        return total


class TreeCounts:
    """Counts of the trees of a set.

    Parameters
    ----------
    trees : TreeSet
    """

    def __init__(self, trees: TreeSet) -> None:
        self._trees = trees
        self._known: OrderedDict[Any, _Cells] = OrderedDict()
        self._exact: OrderedDict[Any, list[int]] = OrderedDict()
        self._bit: dict[str, int] | None = None  # of each feature that matters, if they are few
        self._whole: OrderedDict[Any, list[_Cells]] = OrderedDict()  # by view, of each set
        columns = trees._problem.columns
        self.names = [columns.space.names[i] for i in sorted(set(columns.feature.tolist()))]

    def n(self, wishes: Wishes) -> int:
        """Count the trees that meet wishes."""
        base = self._base(wishes.first)
        if base in self._whole:
            self._whole.move_to_end(base)
            return self._from_sets(base, wishes)
        if len(wishes.must) > MOST_MUST:
            raise TooLarge(f"at most {MOST_MUST} features that must be used are counted", MOST_MUST)
        if wishes.most_features is not None:
            base = base.with_features(wishes.most_features)
        total = 0
        for k in range(len(wishes.must) + 1):
            for some in combinations(wishes.must, k):
                cells = self._without(base, frozenset([*wishes.unwanted, *some]))
                total += (-1) ** k * cells.count(wishes.ends)
        return total

    def check(self, names: Sequence[str], most: Any) -> None:
        """Refuse names of no feature, and what is no number of features."""
        for name in names:
            columns_of(self._trees._problem, name)
        if most is not None:
            _ = member.n_features <= most

    # -- ahead of what is asked ----------------------------------------------------------------

    def ahead(self, first: str | None, whole: bool) -> Iterator[None]:
        """Count step by step what may be asked next, for a first question, or for any.

        With ``whole`` also how many features trees ask about.
        """
        base = self._base(first)
        self._without(base, frozenset())
        yield
        for name in self.names:
            self._without(base, frozenset([name]))
            yield
        if not whole or base in self._whole:
            return
        if self._bit is None:
            yield from self._find_bits()
        assert self._bit is not None
        if len(self._bit) <= MOST_SETS.bit_length() - 1:
            sets = []
            for mask in range(2 ** len(self._bit)):
                sets.append(self._of_set(base, mask))
                yield
            self._whole[base] = sets
            if len(self._whole) > MOST_WHOLE:
                self._whole.popitem(last=False)
        else:
            for most in range(len(self.names)):
                self._without(base.with_features(most), frozenset())
                yield

    def _find_bits(self) -> Iterator[None]:
        """Find the features that some tree asks about."""
        base = self._base(None)
        every = self._without(base, frozenset()).count((None, None))
        asked = []
        for name in self.names:
            if self._without(base, frozenset([name])).count((None, None)) < every:
                asked.append(name)
            yield
        self._bit = {name: 1 << k for k, name in enumerate(asked)}

    # -- sets of features ----------------------------------------------------------------------

    def _from_sets(self, base: Any, wishes: Wishes) -> int:
        """Add up the trees of all sets of features that are allowed."""
        assert self._bit is not None
        if any(name not in self._bit for name in wishes.must):
            return 0  # no tree asks about it
        must = sum(self._bit[name] for name in wishes.must)
        unwanted = sum(self._bit.get(name, 0) for name in wishes.unwanted)
        most = len(self._bit) if wishes.most_features is None else wishes.most_features
        exact = self._by_set(base, wishes.ends)
        return sum(
            n
            for mask, n in enumerate(exact)
            if mask & must == must and not mask & unwanted and mask.bit_count() <= most
        )

    def _by_set(self, base: Any, ends: Ends) -> list[int]:
        """Count the trees that ask about exactly the features of each set."""
        assert self._bit is not None
        key = base, ends
        if key not in self._exact:
            counts = [cells.count(ends) for cells in self._whole[base]]
            for bit in self._bit.values():
                for mask in range(len(counts)):
                    if mask & bit:
                        counts[mask] -= counts[mask ^ bit]
            self._exact[key] = counts
            if len(self._exact) > MOST_EXACT:
                self._exact.popitem(last=False)
        return self._exact[key]

    def _of_set(self, base: Any, mask: int) -> _Cells:
        """Give the trees that ask about features of a set alone."""
        assert self._bit is not None
        return self._without(base, frozenset(n for n, bit in self._bit.items() if not mask & bit))

    # -- views ---------------------------------------------------------------------------------

    def _base(self, first: str | None) -> Any:
        return (self._trees if first is None else self._trees.where(member.root == first))._view

    def _without(self, base: Any, names: frozenset[str]) -> _Cells:
        """Give the trees that ask about none of some features, by objective and leaves."""
        key = base, names
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        view = base
        for name in sorted(names):
            view = view.without(columns_of(self._trees._problem, name))
        found = self._trees._source.histogram(view)
        counts = found.trees if view.trivial else found.nontrivial
        cost = self._trees._problem.cost(found.errors, found.leaves)
        cells = self._known[key] = _Cells(cost.tolist(), found.leaves.tolist(), counts)
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
        return cells
