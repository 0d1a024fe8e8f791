"""Which functions have a tree that begins with a question.

In:  a set of trees, and its functions.
Out: for each column, the functions of which some tree of the set asks it first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...inputs import counted
from .numbers import as_base64

if TYPE_CHECKING:
    from ...rashomon import FunctionTable, TreeSet

__all__ = ["beginnings"]


def beginnings(trees: TreeSet, table: FunctionTable) -> list[str]:
    """Give a bit per function for each column: whether some tree of it begins with the column.

    Cost: the functions of each column's view are listed.
    """
    place = {tuple(point): i for i, point in enumerate(table.fingerprint.tolist())}
    out = []
    columns = trees._problem.columns
    with counted(f"first questions of {len(columns):,} columns", len(columns)) as done:
        for name in columns.names:
            has = np.zeros(len(table), dtype=np.uint8)
            view = trees.first(name)
            if view.n_trees:
                points: Any = view.functions(limit=len(table)).fingerprints
                has[[place[tuple(point)] for point in points.tolist()]] = 1
            out.append(as_base64(np.packbits(has, bitorder="little")))
            done()
    return out
