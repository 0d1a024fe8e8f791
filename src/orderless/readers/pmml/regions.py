"""Tests on one column, in three-valued logic, and what is left of a column on the way down.

In:  intervals of numbers, or codes of labels.
Out: ``Side``: what is left of a column. ``Atom``: a test that is true, false or unknown on it.
"""

from __future__ import annotations

from bisect import bisect_right
from math import inf
from typing import NamedTuple

from ..intervals import Intervals, union

__all__ = ["FALSE", "TRUE", "UNKNOWN", "Atom", "Codes", "Region", "Side"]

TRUE, FALSE, UNKNOWN = 1, 2, 4  # bits: a set of these is what is possible

Codes = frozenset[int]
Region = Intervals | Codes


class Side(NamedTuple):
    """What is left of a column: an interval of its numbers or some of its labels; or missing."""

    low: float = -inf
    high: float = inf
    codes: Codes | None = None  # of labels; None: the column has numbers
    missing: bool = True

    @property
    def has_values(self) -> bool:
        """Whether there are values left that are not missing."""
        return bool(self.codes) if self.codes is not None else self.low < self.high

    def only_values(self) -> Side:
        """Leave out missing."""
        return self._replace(missing=False)

    def only_missing(self) -> Side:
        """Leave out everything else."""
        none = frozenset[int]() if self.codes is not None else None
        return Side(0.0, 0.0, none, True)


class Atom:
    """A test on one column.

    Parameters
    ----------
    column : position
    true, unknown : where it holds, and where it is unknown (a value that was mapped to nothing)
    missing : TRUE, FALSE or UNKNOWN: what it is where the column is missing
    negated : of labels: ``true`` has those for which it does not hold
    """

    __slots__ = ("_bounds", "_not_false", "column", "missing", "negated", "true", "unknown")

    def __init__(
        self, column: int, true: Region, unknown: Region, missing: int, *, negated: bool = False
    ) -> None:
        self.column, self.true, self.unknown, self.missing = column, true, unknown, missing
        self.negated = negated
        self._bounds: list[float] = []
        self._not_false: Intervals = ()
        if not isinstance(true, frozenset):
            assert not isinstance(unknown, frozenset)
            self._not_false = union((*true, *unknown)) if unknown else true
            bounds = {bound for pair in (*true, *unknown) for bound in pair}
            self._bounds = sorted(bounds - {-inf, inf})

    def possible(self, side: Side) -> int:
        """Return what it can be, as a set of bits."""
        out = self.missing if side.missing else 0
        if not side.has_values:
            return out
        if side.codes is not None:
            assert isinstance(self.true, frozenset)
            assert isinstance(self.unknown, frozenset)
            n_true = len(side.codes & self.true)
            n_true = len(side.codes) - n_true if self.negated else n_true
            n_unknown = len(side.codes & self.unknown) if self.unknown else 0
            n_false = len(side.codes) - n_true - n_unknown
            return out | TRUE * (n_true > 0) | UNKNOWN * (n_unknown > 0) | FALSE * (n_false > 0)
        some_true, _ = _covered(self.true, side)
        some_unknown, _ = _covered(self.unknown, side) if self.unknown else (False, False)
        _, never_false = _covered(self._not_false, side)
        return out | TRUE * some_true | UNKNOWN * some_unknown | FALSE * (not never_false)

    def split(self, side: Side) -> tuple[Side, Side] | None:
        """Cut the values in two, where the test changes; None if it does not.

        Missing is in neither. The first is at most a number, or has some labels.
        """
        values = side.only_values()
        if side.codes is not None:
            for region in (self.true, self.unknown):
                assert isinstance(region, frozenset)
                inside = side.codes & region
                if inside and len(inside) < len(side.codes):
                    return values._replace(codes=inside), values._replace(codes=side.codes - inside)
            return None
        i = bisect_right(self._bounds, side.low)
        if i == len(self._bounds) or not self._bounds[i] < side.high:
            return None
        cut = self._bounds[i]
        return values._replace(high=cut), values._replace(low=cut)


def _covered(region: Region, side: Side) -> tuple[bool, bool]:
    """Return whether intervals have some, and all, of a side's numbers."""
    assert not isinstance(region, frozenset)
    i = bisect_right(region, side.low, key=lambda pair: pair[1])
    if i == len(region) or region[i][0] >= side.high:
        return False, False
    return True, region[i][0] <= side.low and region[i][1] >= side.high
