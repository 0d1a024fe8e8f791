"""What some columns can be together, and how sure a function is when values go missing.

In:  the columns that functions ask about; what the functions say of each cell.
Out: ``KnownCells``: cells, the weight of rows in them, and how likely their label stays certain.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import TooLarge, setting
from .columns import Columns
from .flat import distinct

__all__ = ["KnownCells", "sums_by_kind"]

MOST_CELLS = 1 << 22  # patterns of known values x cells of one function

Floats = NDArray[np.float64]
Bits = NDArray[np.uint8]


def sums_by_kind(kind: NDArray[np.intp], weight: Floats, n_kinds: int) -> Floats:
    """Add up weights by kind."""
    return np.bincount(kind, weight, n_kinds).astype(np.float64)


class KnownCells:
    """All that some columns can be together: features times what their columns can be."""

    def __init__(
        self, columns: Columns, used: list[int], known: dict[tuple[int, ...], Bits] | None = None
    ) -> None:
        # ``known``: patterns of columns of one feature that were found before, and are here.
        self.used = used
        by_feature: dict[int, list[int]] = {}
        for j in used:
            by_feature.setdefault(int(columns.feature[j]), []).append(j)
        self.features = list(by_feature)
        known = {} if known is None else known
        for own in by_feature.values():
            if tuple(own) not in known:
                known[tuple(own)] = columns.patterns(own)
        self.patterns = [known[tuple(own)] for own in by_feature.values()]
        self.shape = tuple(len(one) for one in self.patterns)
        size = int(np.prod([*self.shape, 1], dtype=np.float64)) * 2 ** len(self.features)
        if size > MOST_CELLS:
            raise TooLarge(
                f"coverage: a function asks about {len(self.features)} features, and with every "
                f"way of missing these are {size:,} cells: {setting('missing')} can be a table "
                "with gaps, of which each row is looked at",
                MOST_CELLS,
            )
        self.bits = np.zeros((int(np.prod([*self.shape, 1])), len(columns)), dtype=np.uint8)
        cells = np.indices(self.shape).reshape(len(self.shape), len(self.bits))
        for own, patterns, chosen in zip(by_feature.values(), self.patterns, cells, strict=True):
            self.bits[:, own] = patterns[chosen]

    def weights(self, bits: Bits, weight: Floats) -> Floats:
        """Give the weight of the rows in each cell."""
        both = np.vstack([self.bits[:, self.used], bits[:, self.used]])
        if not self.used:
            return np.array([weight.sum()])
        _, kind = distinct(both)
        cell_of = np.full(int(kind.max()) + 1, -1)
        cell_of[kind[: len(self.bits)]] = np.arange(len(self.bits))
        return sums_by_kind(cell_of[kind[len(self.bits) :]], weight, len(self.bits))

    def certain(self, labels: NDArray[np.int32], chances: Floats) -> Floats:
        """Give, by function and cell, the probability that what stays known settles the label."""
        shaped = labels.reshape(len(labels), *self.shape)
        out = np.zeros(shaped.shape)
        todo = [(0, shaped, shaped, 1.0)]
        while todo:
            k, low, high, chance = todo.pop()
            if not chance:
                continue
            if k == len(self.features):
                out += chance * (low == high)
                continue
            gone = float(chances[self.features[k]])
            todo.append((k + 1, low, high, chance * (1 - gone)))
            axis = k + 1
            ends = low.min(axis=axis, keepdims=True), high.max(axis=axis, keepdims=True)
            todo.append((k + 1, *ends, chance * gone))
        return out.reshape(len(labels), -1)
