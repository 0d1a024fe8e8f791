"""Which functions have a tree that begins with a question.

In:  a set of trees, and its functions.
Out: for each column, the functions of which some tree of the set asks it first: of all functions
     by views, of a sample by counting the trees of each.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import OutOfMemory, OutOfTime, TooLarge
from ...inputs import counted
from ...rashomon import first_columns, member
from .numbers import as_base64

if TYPE_CHECKING:
    from ...rashomon import FunctionTable, LookedAt, TreeSet

__all__ = ["beginnings"]


def beginnings(trees: TreeSet, some: LookedAt) -> list[str] | None:
    """Give a bit per function for each column: whether some tree of it begins with the column.

    Empty where no function has one; None, with a warning, where a limit of the set does not let
    the trees of a sample be counted. Cost: the functions of each column's view are listed; of a
    sample, the orders in which the questions of each function can be asked.
    """
    if some.all:
        return _by_views(trees, some.table)
    try:
        has = first_columns(trees, some.table)
    except (TooLarge, OutOfMemory, OutOfTime) as fault:
        warnings.warn(
            f"the page does not know what the functions can ask first: {fault}", stacklevel=6
        )
        return None
    return [_bits(has[:, j]) for j in range(has.shape[1])]


def _bits(has: NDArray[Any]) -> str:
    return as_base64(np.packbits(has, bitorder="little")) if has.any() else ""


def _by_views(trees: TreeSet, table: FunctionTable) -> list[str]:
    place = {tuple(point): i for i, point in enumerate(table.fingerprint.tolist())}
    out = []
    columns = trees._problem.columns
    with counted(f"first questions of {len(columns):,} columns", len(columns)) as done:
        for name in columns.names:
            has = np.zeros(len(table), dtype=np.uint8)
            view = trees.where(member.root == name)
            if view.n_trees:
                points: Any = view.functions(limit=len(table)).fingerprints
                has[[place[tuple(point)] for point in points.tolist()]] = 1
            out.append(_bits(has))
            done()
    return out
