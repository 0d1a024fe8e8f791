"""Terms: boxes that hold together, one reason or one rule.

In:  a ``Box`` over the bins of a tree.
Out: ``Term``: its conditions as text, as data, and applied to rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..inputs import read_rows
from ..model import Box, FunctionBins, Rows, Side, certainly_inside, side_text

__all__ = ["Term"]


class Term:
    """A box, as conditions that hold together: one reason, or one rule.

    Two terms are equal if they say the same, whatever tree they come from.

    Attributes
    ----------
    sides : tuple of Side
        What it says of each feature, sorted by name; features of which it says nothing are left
        out.
    """

    __slots__ = ("_box", "_found", "_reason")

    def __init__(
        self, box: Box | None, found: FunctionBins | None = None, reason: int = -1
    ) -> None:
        self._box = box
        self._found = found  # instead of a box: who found it, and its number there
        self._reason = reason

    @property
    def box(self) -> Box:
        """The box over the bins of a tree; made when it is first looked at."""
        if self._box is None:
            bins = self._found
            assert bins is not None
            self._box = Box(bins, bins.read_slots(bins.form.box(self._reason)))
            self._found = None
        return self._box

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
