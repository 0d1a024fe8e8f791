"""What the trees of a function ask first, where not all functions are listed.

In:  a set of trees, and a tree of each function that is looked at.
Out: how many trees of the set are the function and ask a column first; which functions have some.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidParameter, named
from .engine import Engine
from .flat import FlatTrees
from .halves import wide
from .listed import Listed
from .narrowed import core_view
from .view import View

if TYPE_CHECKING:
    from .shown_functions import LookedAt
    from .tree_set import TreeSet

__all__ = ["beginning_with", "first_columns", "trees_by_first"]

AT_ONCE = 1000  # trees that are looked at in one call of the core
LEAF = -1  # the "column" that a tree of one leaf asks first


def trees_by_first(
    source: Engine | Listed, view: View, semantics: str, flat: FlatTrees
) -> list[dict[int, int]]:
    """Count, for each of some trees, those of the view that are the same function, by first column.

    Columns that no such tree asks first are left out; a single leaf is at -1. Cost: of each tree
    the orders in which its questions can be asked, and not the number of trees.
    """
    if isinstance(source, Listed):
        return _of_list(source, view, semantics, flat)
    view = view.plain  # a function is monotone with all of its trees, or with none
    graph = source.graph_for(view)
    measure = source.problem.fingerprint_weights(semantics, graph)
    assert measure is not None
    wanted = core_view(source.problem.columns, graph, view, source.base)
    out: list[dict[int, int]] = [{} for _ in range(len(flat))]
    with source.caps("the first questions of functions"):
        for start in range(0, len(flat), AT_ONCE):
            some = flat[start : start + AT_ONCE]
            tree, column, halves = _core.rashomon.trees_by_root(
                graph, wanted, measure, some.offsets, some.column, some.label,
                source.memory_limit, source.seconds,
            )  # fmt: skip
            counts = wide(halves[::2], halves[1::2])
            for t, j, n in zip(tree.tolist(), column.tolist(), counts, strict=True):
                out[start + t][j] = n
    return out


def _of_list(
    source: Listed, view: View, semantics: str, flat: FlatTrees
) -> list[dict[int, int]]:
    functions = source.functions(view, semantics, len(source.flat))
    own = {tuple(p): k for k, p in enumerate(functions.fingerprint.tolist())}
    roots = source.flat.column[source.flat.offsets[:-1]]
    out = []
    for point in source.problem.points(flat, semantics).tolist():
        columns, n = np.unique(roots[functions.members[own[tuple(point)]]], return_counts=True)
        out.append(dict(zip(columns.tolist(), n.tolist(), strict=True)))
    return out


def first_columns(trees: TreeSet, flat: FlatTrees) -> NDArray[np.bool_]:
    """Tell, for the function of each of some trees, which columns some tree of it asks first."""
    counts = trees_by_first(trees._source, trees._view, trees._problem.semantics(), flat)
    out = np.zeros((len(flat), len(trees._problem.columns)), dtype=bool)
    for own, by_column in zip(out, counts, strict=True):
        own[[j for j in by_column if j != LEAF]] = True
    return out


def beginning_with(trees: TreeSet, some: LookedAt, question: str) -> NDArray[np.bool_]:
    """Tell which functions have a tree in the set that asks a column, or a feature, first."""
    if not isinstance(question, str):
        raise InvalidParameter(
            f"{named('first')} must be the name of a feature or column, got {question!r:.80}",
            "first",
        )
    table, columns = some.table, trees._columns_named(question)
    if not some.all:
        return first_columns(trees, table.trees)[:, columns].any(axis=1)
    view = trees.first(question)
    points = view.functions(limit=len(table)).fingerprints.tolist() if view.n_trees else []
    there = {tuple(point) for point in points}
    return np.array([tuple(point) in there for point in table.fingerprint.tolist()], dtype=bool)
