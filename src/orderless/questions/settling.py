"""What would settle each of many rows.

In:  a ``Tree``, and rows that it does not determine.
Out: for each row the first of its smallest sets of features, as ``missing_needed`` gives them.
Paper: goes beyond Section 6; see ``missing_needed``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..model import (
    AMONG,
    BETWEEN,
    TIME_LIMIT,
    Budget,
    Clock,
    Rows,
    TreeKernel,
    allowed_bins,
    distinct_rows,
    out_of_time,
    refuse_facts,
    too_many_steps,
    unrounded_rows,
)
from .smallest_sets import in_order, reachable
from .tree_needed import LIMIT, Names

__all__ = ["Settling"]

MOST_CELLS = 20_000_000  # of a table of rows by leaves at one time
REMEMBERED = 100_000  # answers that are kept for the rows to come


class Settling:
    """What would settle each of many rows: the first of the smallest sets, as ``missing_needed``.

    Two leaves that a row can reach are separated by a feature only if the row does not know it,
    and then by the tree alone. So rows that can reach the same leaves need the same features, and
    one search is enough for all of them. Only where a row knows part of a feature (some of its
    conditions) that part counts, too. ``limit`` and ``time_limit`` are for each search.
    """

    def __init__(
        self,
        tree: TreeKernel,
        limit: int = LIMIT,
        time_limit: float = TIME_LIMIT,
        tolerance: float | None = None,
    ) -> None:
        self.limit, self.time_limit = limit, time_limit
        refuse_facts(tree.space, "what settles a row", linear=True)
        tree, self.target = tree.with_tolerance(tolerance)
        self.features = tree.space.features
        self.n_classes, cells = len(tree.classes), tree.possible_cells
        self.tree = tree = tree if cells is None else cells.tree
        self.bins = tree.bins
        self.order = in_order(self.bins)
        leaves = np.flatnonzero(tree.feature < 0)
        label = tree.leaf_class[leaves]
        self.label = np.where(label < self.n_classes, label, 0).astype(
            np.int32
        )  # no row reaches others
        widths = [-(-self.bins.widths[k] // 64) for k in self.order]
        self.start = np.cumsum([0, *widths], dtype=np.int32)
        number = {node: i for i, node in enumerate(leaves.tolist())}
        self.sides = np.zeros((len(leaves), self.start[-1]), dtype=np.uint64)
        whole = tuple(self.bins.every_bin(k) for k in range(len(self.order)))
        for node, _, box in reachable(self.bins, whole, Clock(time_limit)):
            self.sides[number[node]] = self._words([box[k] for k in self.order])
        self.seen: dict[bytes, Names] = {}

    def _words(self, sides: Sequence[int]) -> NDArray[np.uint64]:
        """Give the bins of each feature, as bits, one feature after the other."""
        sizes = np.diff(self.start).tolist()
        text = b"".join(
            side.to_bytes(8 * n, "little") for side, n in zip(sides, sizes, strict=True)
        )
        return np.frombuffer(text, dtype="<u8")

    def sets(self, rows: Rows, which: NDArray[np.intp]) -> tuple[list[Names], NDArray[np.intp]]:
        """Give sets of names, and for each of these undetermined rows which of them it needs."""
        rows = unrounded_rows(rows, self.features, self.tree.space.features)
        number: dict[Names, int] = {}
        out = np.zeros(len(which), dtype=np.intp)
        step = max(1, MOST_CELLS // len(self.label))
        for start in range(0, len(which), step):
            at = which[start : start + step]
            part = rows.take(at)
            tables = [self.tree.reached_leaves(part).astype(bool)]
            partly: list[int] = []
            for k, place in enumerate(self.bins.positions):
                if part.columns[place][0] in (BETWEEN, AMONG):
                    partly.append(k)
                    tables.append(allowed_bins(self.bins, k, part))
            kinds, of_row = distinct_rows(np.hstack(tables))
            here = np.array(
                [number.setdefault(one, len(number)) for one in self._names(kinds, partly)],
                dtype=np.intp,
            )
            out[start : start + step] = here[of_row]
        return list(number), out

    def _names(self, kinds: NDArray[np.bool_], partly: list[int]) -> list[Names]:
        """Give what each kind of row needs: which leaves it reaches, then what is known partly."""
        after = bytes(str(partly), "ascii")
        keys = [one.tobytes() + after for one in np.packbits(kinds, axis=1)]
        if len(self.seen) + len(keys) > REMEMBERED:
            self.seen.clear()
        new = [i for i, key in enumerate(keys) if key not in self.seen]
        some = kinds[new][:, : len(self.label)].any(axis=1)
        for i in np.array(new, dtype=int)[~some].tolist():
            self.seen[keys[i]] = ()  # a row that contradicts the facts needs nothing
        new = np.array(new, dtype=int)[some].tolist()
        if new:
            self.seen |= zip((keys[i] for i in new), self._search(kinds[new], partly), strict=True)
        return [self.seen[key] for key in keys]

    def _search(self, kinds: NDArray[np.bool_], partly: list[int]) -> list[Names]:
        """Let the core find what each kind of row needs."""
        n_leaves = len(self.label)
        try:
            found = _core.rows.settling_sets(
                self.start,
                self.sides,
                self.label,
                self.target.reach,
                np.ascontiguousarray(kinds[:, :n_leaves]).view(np.uint8),
                self._known(kinds[:, n_leaves:], partly),
                self.limit,
                self.time_limit,
            )
        except _core.base.LimitReached as fault:
            raise too_many_steps(self.limit, fault.met) from None
        except _core.base.TimeUp:
            raise out_of_time(Budget(self.time_limit)) from None
        names = [self.bins.features[k].name for k in self.order]
        flags = np.unpackbits(found.view(np.uint8), axis=1, bitorder="little")
        return [tuple(names[k] for k in np.flatnonzero(one)) for one in flags]

    def _known(self, tables: NDArray[np.bool_], partly: list[int]) -> NDArray[np.uint64]:
        """Give by kind what it allows of every feature's bins; nothing if all of them."""
        if not partly:
            return np.zeros((0, 0), dtype=np.uint64)
        known = np.full((len(tables), self.start[-1]), ~np.uint64(0))
        first = 0
        for k in partly:
            width = self.bins.widths[k]
            place = self.order.index(k)
            words = known[:, self.start[place] : self.start[place + 1]]
            bits = np.zeros((len(tables), 64 * words.shape[1]), dtype=bool)
            bits[:, :width] = tables[:, first : first + width]
            words[:] = np.packbits(bits, axis=1, bitorder="little").view("<u8")
            first += width
        return known
