"""Rows as the core reads them: the bins in which they lie, the leaves that facts leave to them.

In:  columns that ``inputs`` has read, over the features of a ``Space``.
Out: ``Rows``; tables of rows x bins, which bin where it is known, which rows are known;
     ``PossibleRows``: the rows that contradict the facts, and the leaves that others can reach.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import ContradictingRows, InvalidData
from .arrays import Flags
from .bins import Bins, Box, as_bits
from .facts.domain import all_values, values_between, values_in
from .facts.language import Fact
from .facts.solver import ValueSet, meet
from .feature import Feature
from .numbers import row_boundary

if TYPE_CHECKING:
    from .ensemble import SumKernel
    from .space import Space
    from .tree import TreeKernel

__all__ = ["CoreColumn", "PossibleRows", "Rows"]

# Kinds of columns, as in cpp/core/rows/reach.hpp.
ABSENT, F64, F32, BETWEEN, CODE, AMONG = range(6)


class CoreColumn(NamedTuple):
    """A feature of rows, as the core reads it.

    Attributes
    ----------
    kind : int
        ABSENT: unknown in every row. F64, F32: numbers; NaN is unknown, or a value where the
        feature says so. BETWEEN: two columns, the ends of an interval. CODE: the number of a
        category, -1 unknown. AMONG: rows x categories, nonzero where it is possible.
    first, second : arrays, or None
    """

    kind: int
    first: NDArray[Any] | None = None
    second: NDArray[Any] | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows as the core reads them: for each feature of the space one entry."""

    n_rows: int
    columns: list[CoreColumn]

    def take(self, at: slice | NDArray[np.intp]) -> Rows:
        """Give some of the rows: a slice, or their positions."""
        columns = [
            CoreColumn(kind, *(None if values is None else values[at] for values in both))
            for kind, *both in self.columns
        ]
        n_rows = len(range(self.n_rows)[at]) if isinstance(at, slice) else len(at)
        return Rows(n_rows, columns)


# -- bins ------------------------------------------------------------------------------------------


def allowed_bins(bins: Bins, k: int, rows: Rows) -> NDArray[np.bool_]:
    """Give rows x bins of a feature: where a row can be. NaN, where it is a value, is last."""
    feature, groups = bins.features[k], bins.groups[k]
    kind, first, second = rows.columns[bins.positions[k]]
    n, width = int(bins.layout.n_bins[k]), bins.widths[k]
    if first is None:
        return np.ones((rows.n_rows, width), dtype=bool)
    if kind == AMONG:
        return np.stack([first[:, list(group)].any(axis=1) for group in groups], axis=1)
    if kind == CODE:
        table = np.ones((feature.n_values + 1, n), dtype=bool)  # the last row: unknown
        for b, group in enumerate(groups):
            table[list(group)] = np.arange(n) == b
        return np.asarray(table[first])
    cuts = bins.row_cuts[k]
    low = first.astype(np.float64)
    high = low if second is None else second
    out = np.zeros((rows.n_rows, width), dtype=bool)
    number = ~np.isnan(low)
    end = np.where(np.isnan(high), n - 1, np.searchsorted(cuts, high))
    at = np.arange(n)
    begin = np.searchsorted(cuts, low)[:, None]
    out[:, :n] = number[:, None] & (at >= begin) & (at <= end[:, None])
    if feature.nan:
        out[:, n] = np.isnan(high)
    else:
        out[~number] = True
    return out


def known_bins(bins: Bins, k: int, rows: Rows) -> NDArray[np.int32]:
    """Give each row's bin of a feature (NaN, where it is a value, comes last); -1: not known."""
    feature = bins.features[k]
    kind, first, _ = rows.columns[bins.positions[k]]
    if first is None or kind in (BETWEEN, AMONG):
        table = allowed_bins(bins, k, rows)
        return np.where(table.sum(axis=1) == 1, table.argmax(axis=1), -1).astype(np.int32)
    if kind == CODE:
        number = np.full(feature.n_values + 1, -1, dtype=np.int32)
        for b, group in enumerate(bins.groups[k]):
            number[list(group)] = b
        return np.asarray(number[first])  # an unknown code is -1, and so is the last entry
    ends = bins.row_cuts[k]
    missing = len(ends) + 1 if feature.nan else -1
    numbers = first.astype(np.float64, copy=False)
    at = np.where(np.isnan(numbers), missing, np.searchsorted(ends, numbers))
    return at.astype(np.int32)


def known_rows(bins: Bins, rows: Rows) -> NDArray[np.bool_]:
    """Tell which rows lie in one bin of every feature of a tree."""
    known = np.ones(rows.n_rows, dtype=bool)
    for k in range(len(bins.features)):
        known &= known_bins(bins, k, rows) >= 0
    return known


def row_bins(bins: Bins, rows: Rows) -> NDArray[np.int32]:
    """Give each row's bin of each feature; NaN, where it is a value, comes last.

    Raises
    ------
    InvalidData
        If a row has no value for a feature, nor lies in one of its bins.
    """
    table = np.zeros((rows.n_rows, len(bins.features)), dtype=np.int32)
    for k, own in enumerate(bins.features):
        table[:, k] = known_bins(bins, k, rows)
        if (table[:, k] < 0).any():
            what = "interval between thresholds" if own.ordered else "group of categories"
            raise InvalidData(
                f"row {int(np.argmax(table[:, k] < 0))} has no value for {own.name!r}, and its "
                f"{what} is not known either: give complete rows, without those that have gaps"
            )
    return table


def row_box(bins: Bins, rows: Rows) -> Box:
    """Give the box that one row is: per feature its possible bins."""
    tables = (allowed_bins(bins, k, rows) for k in range(len(bins.features)))
    return Box(bins, [as_bits(table[0]) for table in tables])


def certainly_inside(box: Box, rows: Rows) -> NDArray[np.bool_]:
    """Tell which rows lie in a box whatever their unknown values are.

    A row does if none of its possible bins is outside. Only features of which the box says
    something are looked at.
    """
    bins, inside = box.bins, np.ones(rows.n_rows, dtype=bool)
    for k, bits in enumerate(box.bits):
        if bits == bins.every_bin(k):
            continue
        flags = box.flags(k)
        known = known_bins(bins, k, rows)
        own = flags[known]
        several = np.flatnonzero(known < 0)
        if len(several):
            own[several] = ~(allowed_bins(bins, k, rows.take(several)) & ~flags).any(axis=1)
        inside &= own
    return inside


def distinct_rows(table: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Give the distinct rows of a table of bits, and which of them each row is."""
    if table.size == 0:
        return table[:1], np.zeros(len(table), dtype=np.intp)
    packed = np.packbits(table, axis=1)
    if packed.shape[1] <= 2:
        return _few_bits(packed, table.shape[1])
    size = max(packed.shape[1], 8)
    wide = np.zeros((len(packed), size), dtype=np.uint8)
    wide[:, : packed.shape[1]] = packed
    # Numbers are sorted more quickly than bytes.
    keys = wide.view(np.uint64 if size == 8 else np.dtype((np.void, size))).ravel()
    kinds, which = np.unique(keys, return_inverse=True)
    bits = np.unpackbits(kinds.view(np.uint8).reshape(-1, size), axis=1, count=table.shape[1])
    return bits.astype(bool), which


def _few_bits(packed: NDArray[np.uint8], n_bits: int) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Do as ``distinct_rows`` does, of at most 16 bits: nothing is sorted, there are few keys."""
    keys = packed.ravel() if packed.shape[1] == 1 else packed.view(np.uint16).ravel()
    there = np.zeros(1 << 8 * packed.shape[1], dtype=bool)
    there[keys] = True
    kinds = np.flatnonzero(there).astype(keys.dtype)
    number = np.zeros(len(there), dtype=np.intp)
    number[kinds] = np.arange(len(kinds))
    bits = np.unpackbits(kinds.view(np.uint8).reshape(-1, packed.shape[1]), axis=1, count=n_bits)
    return bits.astype(bool), number[keys]


# -- facts -----------------------------------------------------------------------------------------


class PossibleRows:
    """Rows, seen with the facts of a tree's space.

    A row that contradicts the facts is no possible row: it reaches no leaf. This is said once, by a
    warning.

    Attributes
    ----------
    contradicting : array of bool
        By row, whether no completion of it satisfies the facts.
    which : array of int
        By row its number among those that differ in features that facts connect.

    Notes
    -----
    Exact: a leaf is reachable iff the facts have a solution inside its box and the row's values.
    Cost: for each group of features that facts connect, one exact check for each different part of
    a row, and for each pair of such a part, if a value of it is unknown, and of what a leaf says of
    the group.
    """

    def __init__(self, tree: TreeKernel | SumKernel, rows: Rows) -> None:
        self.tree, self.rows, self.space = cast("TreeKernel", tree), rows, tree.space
        domain = tree.space.domain
        self.domain = domain
        self.features = tree.connected
        self.which, self._first = self.different(self.features)
        self._groups = [_Part(self, group) for group in domain.groups]
        self.contradicting: Flags = np.zeros(rows.n_rows, dtype=bool)
        for part in self._groups:
            self.contradicting |= ~part.possible[part.which]
        if self.contradicting.any():
            at = int(np.argmax(self.contradicting))
            facts = [fact.text for fact in self.contradicted(at)]
            _warn(int(self.contradicting.sum()), at, facts)

    def contradicted(self, at: int) -> list[Fact]:
        """Give a smallest part of the facts that a row contradicts."""
        return self.domain.contradiction(self.value_sets(int(self.which[at])))

    def value_sets(self, which: int) -> dict[int, ValueSet]:
        """Give what rows of a number (``which``) say of the features that facts connect."""
        return row_values(self.space, self.features, self.rows, int(self._first[which]))

    def different(self, features: tuple[int, ...]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Tell which rows say the same of some features, and where each kind is first."""
        parts = [np.zeros((self.rows.n_rows, 1), dtype=np.uint8)]
        for i in features:
            for values in self.rows.columns[i][1:]:
                if values is not None:
                    own = np.ascontiguousarray(values.reshape(self.rows.n_rows, -1))
                    if own.dtype.kind == "f":
                        own = own + 0.0  # -0.0 is 0.0
                    parts.append(own.view(np.uint8).reshape(self.rows.n_rows, -1))
        table = np.ascontiguousarray(np.hstack(parts))
        keys = table.view(np.dtype((np.void, table.shape[1]))).ravel()
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        return which.ravel(), first

    def leaves(self, at: NDArray[np.intp], reached: NDArray[Any]) -> Flags:
        """Give, for rows at some positions, which of the leaves that they reach are possible.

        ``reached``: these rows x leaves, in the order of leaves.
        """
        boxes = self._leaf_values()
        out = reached.astype(bool)
        out[self.contradicting[at]] = False
        for part in self._groups:
            part.leave_out(at, out, boxes)
        return out

    def _leaf_values(self) -> list[dict[int, ValueSet]]:
        """Give what each leaf says of the features that facts connect."""
        tree, bins = self.tree, self.tree.bins
        nodes, slots = _core.bins.leaf_boxes(bins.nodes, bins.layout)
        number = {node: k for k, node in enumerate(tree.leaves())}
        out: list[dict[int, ValueSet]] = [{} for _ in number]
        connected = {tree.space.features[i].name: i for i in self.features}
        for node, box in zip(nodes.tolist(), Box.of_slots(bins, slots), strict=True):
            out[number[node]] = {
                connected[side.feature.name]: values_in(side)
                for side in box.sides
                if side.feature.name in connected
            }
        return out

    # -- answers ---------------------------------------------------------------------------------

    def codes(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Give the classes that are certain, from those that are certain without facts."""
        out = codes.copy()
        at = np.flatnonzero((codes < 0) & ~self.contradicting)
        if len(at):
            leaves = self.leaves(at, self.tree.plain_leaves(self.rows.take(at)))
            label = self.tree.leaf_class[self.tree.feature < 0]
            low = np.where(leaves, label, len(self.tree.classes)).min(axis=1)
            high = np.where(leaves, label, -1).max(axis=1)
            out[at] = np.where(low == high, low, -1)
        out[self.contradicting] = -1
        return out

    def all_leaves(self) -> Flags:
        """Give rows x leaves: which leaves each row can reach."""
        return self.leaves(np.arange(self.rows.n_rows), self.tree.plain_leaves(self.rows))


class _Part:
    """What rows say of one group of features that facts connect."""

    def __init__(self, rows: PossibleRows, group: tuple[int, ...]) -> None:
        self.domain, self.group = rows.domain, group
        self.which, first = rows.different(group)
        self.value_sets = [row_values(rows.space, group, rows.rows, r) for r in first.tolist()]
        self.possible = np.array([self.domain.possible(own) for own in self.value_sets], dtype=bool)
        # Where all is known, a leaf that the row reaches is possible if the row is.
        self.open = np.array(
            [not all(i in own and one_value(own[i]) for i in group) for own in self.value_sets]
        )

    def leave_out(
        self, at: NDArray[np.intp], reached: Flags, boxes: list[dict[int, ValueSet]]
    ) -> None:
        """Take the leaves from rows that they cannot reach because of this group, in place."""
        number: dict[tuple[tuple[int, ValueSet], ...], int] = {(): 0}
        kinds = np.array([
            number.setdefault(tuple((i, box[i]) for i in self.group if i in box), len(number))
            for box in boxes
        ])  # fmt: skip
        said = list(number)
        rows = self.which[at]
        asked = reached & self.open[rows][:, None] & (kinds > 0)
        row, leaf = np.nonzero(asked)
        pairs, back = np.unique(rows[row] * len(said) + kinds[leaf], return_inverse=True)
        fits = np.array(
            [
                self._meets(self.value_sets[p // len(said)], said[p % len(said)])
                for p in pairs.tolist()
            ],
            dtype=bool,
        )
        reached[row, leaf] = fits[back.ravel()] if len(pairs) else False

    def _meets(self, own: Mapping[int, ValueSet], leaf: tuple[tuple[int, ValueSet], ...]) -> bool:
        both = dict(own)
        for i, value_set in leaf:
            both[i] = meet(own[i], value_set) if i in own else value_set
        return self.domain.possible(both)


def one_value(value_set: ValueSet) -> bool:
    """Whether one value of a feature is left."""
    if value_set.codes is not None:
        return len(value_set.codes) == 1
    if value_set.ends is None:
        return True
    return (
        not value_set.nan
        and value_set.ends[0] is not None
        and value_set.ends[0] == value_set.ends[1]
    )


def _warn(n: int, at: int, facts: list[str]) -> None:
    which = f"{n:,} rows contradict" if n > 1 else f"row {at} contradicts"
    first = f" (the first is row {at})" if n > 1 else ""
    warnings.warn(
        f"{which} the facts{first}: {'; '.join(map(repr, facts))}. No class is possible for "
        f"{'them' if n > 1 else 'it'}: look at the values, or take the facts out of the space",
        ContradictingRows,
        stacklevel=4,
    )


def refuse_contradiction(tree: TreeKernel | SumKernel, rows: Rows) -> None:
    """Refuse one row that contradicts the facts."""
    own = row_values(tree.space, tree.connected, rows, 0)
    facts = tree.space.domain.contradiction(own)
    if facts:
        listed = "; ".join(repr(fact.text) for fact in facts)
        raise InvalidData(
            f"the row contradicts the facts: {listed}. No such row is possible: look at its "
            "values, or take the facts out of the space"
        )


def refuse_contradictions(tree: TreeKernel, rows: Rows) -> None:
    """Refuse rows of which one contradicts the facts: rows that say how likely answers are."""
    if not tree.space.domain.restricts:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ContradictingRows)
        known = PossibleRows(tree, rows)
    if known.contradicting.any():
        at = int(np.argmax(known.contradicting))
        listed = "; ".join(repr(fact.text) for fact in known.contradicted(at))
        raise InvalidData(
            f"row {at} contradicts the facts: {listed}. No such row is possible: leave such rows "
            f"out ({int(known.contradicting.sum()):,} of {rows.n_rows:,}), or take the facts "
            "out of the space"
        )


def row_values(
    space: Space, features: tuple[int, ...], rows: Rows, row: int
) -> dict[int, ValueSet]:
    """Give what a row says of some features; of which it says nothing is left out."""
    out = {}
    for i in features:
        feature = space.features[i]
        kind, first, second = rows.columns[i]
        if first is None:
            continue
        if kind == CODE:
            if first[row] >= 0:
                out[i] = ValueSet(codes=frozenset([int(first[row])]))
            continue
        if kind == AMONG:
            out[i] = ValueSet(codes=frozenset(np.flatnonzero(first[row]).tolist()))
            continue
        low = float(first[row])
        if kind == BETWEEN:
            assert second is not None
            out[i] = _between(feature, low, float(second[row]))
        elif not math.isnan(low):
            out[i] = values_between(feature, low, low, False)
        elif feature.nan:
            out[i] = all_values(feature)._replace(ends=None, nan=True)
    return out


def _between(feature: Feature, low: float, high: float) -> ValueSet:
    """Give an interval of a row: NaN as the lower end is no number, as the upper one NaN."""
    nan = feature.nan and math.isnan(high)
    if math.isnan(low):
        whole = all_values(feature)
        return whole._replace(ends=None, nan=nan) if feature.nan else whole
    high = math.inf if math.isnan(high) else high
    if feature.kind == "numeric" and feature.values == "float32":
        low, high = _rounded_to(low, high)
    return values_between(feature, low, high, nan)


def _rounded_to(low: float, high: float) -> tuple[float, float]:
    """Give the least and the largest number that is rounded to a float32 between two."""
    before = np.nextafter(np.float32(low), np.float32(-np.inf))
    below, last = row_boundary(np.array([before, high], dtype=float), "float32").tolist()
    return (low if math.isinf(below) else math.nextafter(below, math.inf)), last


def unrounded_rows(rows: Rows, features: Sequence[Feature], exact: Sequence[Feature]) -> Rows:
    """Give rows for features that round to float32 as rows for the same features in float64.

    Single numbers are as they stand in the row; between two numbers is all that is rounded to them.
    """
    columns = list(rows.columns)
    for i, (feature, other) in enumerate(zip(features, exact, strict=True)):
        kind, first, second = columns[i]
        if feature == other or kind != BETWEEN or first is None or second is None:
            continue
        ends = [
            (low, high)
            if math.isnan(low)
            else _rounded_to(low, math.inf if math.isnan(high) else high)
            for low, high in zip(first.tolist(), second.tolist(), strict=True)
        ]
        low, high = np.array(ends, dtype=float).reshape(-1, 2).T.copy()
        columns[i] = CoreColumn(BETWEEN, low, np.where(np.isnan(second), second, high))
    return replace(rows, columns=columns)
