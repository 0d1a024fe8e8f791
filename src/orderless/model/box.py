"""Boxes: some of the bins of each feature of a tree.

In:  ``Bins``, and what the core, a row or a file says of each feature.
Out: ``Box``: bits to compute with, slots for the core, sides and words for people.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidTree
from .bins import Bins
from .side import Side
from .words import sides_text

__all__ = ["Box"]


class Box:
    """Some of the bins of each feature of a tree; a row lies in it or not.

    Parameters
    ----------
    bins : Bins
    bits : sequence of int
        Per feature of ``bins``, bit b for bin b; NaN, where it is a value of numbers, comes last.
    """

    __slots__ = ("bins", "bits")

    def __init__(self, bins: Bins, bits: Sequence[int]) -> None:
        self.bins = bins
        self.bits = tuple(bits)

    @classmethod
    def of_slots(cls, bins: Bins, table: NDArray[np.uint16]) -> list[Box]:
        """Give the boxes that the core wrote, one for each row of a table."""
        columns = []
        for k in range(len(bins.features)):
            own = np.ascontiguousarray(table[:, bins.slots_of(k)])
            # Few sides are different, and some are long: each is read once.
            keys = own.view(np.dtype((np.void, own.itemsize * own.shape[1]))).ravel()
            _, first, which = np.unique(keys, return_index=True, return_inverse=True)
            sides = [bins.bits(k, slots) for slots in own[first].tolist()]
            columns.append([sides[i] for i in which.ravel().tolist()])
        every = zip(*columns, strict=True) if columns else [()] * len(table)
        return [cls(bins, bits) for bits in every]

    @classmethod
    def of_sides(cls, bins: Bins, sides: Iterable[Side]) -> Box:
        """Give the box that says this; refuse sides that begin or end inside a bin."""
        bits = [bins.every_bin(k) for k in range(len(bins.features))]
        place = {feature.name: k for k, feature in enumerate(bins.features)}
        for side in sides:
            if side.is_whole:
                continue
            k = place.get(side.feature.name)
            own = None if k is None else bins.bits_of(k, side)
            if k is None or own is None:
                raise InvalidTree(
                    f"a condition on {side.feature.name!r} does not begin and end where the "
                    "tree's conditions do"
                )
            bits[k] = own
        return cls(bins, bits)

    @property
    def slots(self) -> NDArray[np.uint16]:
        """The box as the core writes it."""
        parts = (self.bins.slots(k, own) for k, own in enumerate(self.bits))
        return np.array([slot for part in parts for slot in part], dtype=np.uint16)

    @property
    def sides(self) -> tuple[Side, ...]:
        """What it says of each feature, leaving out features of which it says nothing."""
        return tuple(
            self.bins.side(k, own)
            for k, own in enumerate(self.bits)
            if own != self.bins.every_bin(k)
        )

    def flags(self, k: int) -> NDArray[np.bool_]:
        """Tell which bins of a feature are in."""
        width = self.bins.widths[k]
        octets = np.frombuffer(self.bits[k].to_bytes((width + 7) // 8, "little"), dtype=np.uint8)
        return np.unpackbits(octets, count=width, bitorder="little").astype(bool)

    def __str__(self) -> str:
        return sides_text(self.sides)

    def __repr__(self) -> str:
        return f"Box({self})"
