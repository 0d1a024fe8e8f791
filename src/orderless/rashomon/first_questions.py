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
from .conditions import columns_named, member
from .engine import Engine
from .flat import FlatTrees
from .halves import wide
from .listed import Listed
from .narrowed import core_view
from .view import View

if TYPE_CHECKING:
    from .functions import FunctionTable
    from .shown_functions import LookedAt
    from .tree_set import TreeSet

__all__ = ["beginning_with", "first_columns", "trees_by_first"]

AT_ONCE = 1000  # trees that are looked at in one call of the core
LEAF = -1  # the "column" that a tree of one leaf asks first


def trees_by_first(
    source: Engine | Listed,
    view: View,
    semantics: str,
    flat: FlatTrees,
    errors: NDArray[np.int64],
) -> list[dict[int, int]]:
    """Count, for each of some trees, those of the view that are the same function, by first column.

    The trees need not be in the view; ``errors`` are those on the training rows. Columns that none
    asks first are left out; a single leaf is at -1. Cost: of each tree the orders in which its
    questions can be asked, however many trees the view has.
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
                errors[start : start + AT_ONCE] + source.problem.offset,
                source.memory_limit, source.seconds,
            )  # fmt: skip
            counts = wide(halves[::2], halves[1::2])
            for t, j, n in zip(tree.tolist(), column.tolist(), counts, strict=True):
                out[start + t][j] = n
    return out


def _of_list(source: Listed, view: View, semantics: str, flat: FlatTrees) -> list[dict[int, int]]:
    functions = source.functions(view, semantics, len(source.flat))
    own = {tuple(p): k for k, p in enumerate(functions.fingerprint.tolist())}
    roots = source.flat.column[source.flat.offsets[:-1]]
    out = []
    for point in source.problem.points(flat, semantics).tolist():
        columns, n = np.unique(roots[functions.members[own[tuple(point)]]], return_counts=True)
        out.append(dict(zip(columns.tolist(), n.tolist(), strict=True)))
    return out


def first_columns(trees: TreeSet, table: FunctionTable) -> NDArray[np.bool_]:
    """Tell, for each of some functions, which columns some tree of it in the set asks first."""
    out = np.zeros((len(table), len(trees._problem.columns)), dtype=bool)
    every = [(trees._view, np.arange(len(table)))]
    listed = isinstance(trees._source, Listed)  # from which any tree may be missing
    for view, at in every if listed else _views(trees._view, table.trees):
        counts = trees_by_first(
            trees._source, view, trees._problem.semantics(), table.trees[at], table.errors[at]
        )
        for i, by_column in zip(at.tolist(), counts, strict=True):
            out[i, [j for j in by_column if j != LEAF]] = True
    return out


def _views(view: View, flat: FlatTrees) -> list[tuple[View, NDArray[np.intp]]]:
    """Give views of fewer trees that begin alike, and the trees whose functions each is for.

    A trivial split that becomes a leaf leaves a tree of the same function with fewer leaves. It
    begins as before unless it was one split of a constant, and it is in the view unless the split
    was asked for. Trees without such splits are counted in a quarter of the time.
    """
    if view.required or view.first:
        return [(view, np.arange(len(flat)))]
    labels = np.split(flat.label, flat.offsets[1:-1]) if len(flat) else []
    constant = np.array([len(set(own[own >= 0].tolist())) == 1 for own in labels], dtype=bool)
    fewer = view._replace(trivial=False)
    return [(view, np.flatnonzero(constant)), (fewer, np.flatnonzero(~constant))]


def beginning_with(trees: TreeSet, some: LookedAt, question: str) -> NDArray[np.bool_]:
    """Tell which functions have a tree in the set that asks a column, or a feature, first."""
    if not isinstance(question, str):
        raise InvalidParameter(
            f"{named('first')} must be the name of a feature or column, got {question!r:.80}",
            "first",
        )
    table, columns = some.table, columns_named(trees._problem, question)
    if not some.all:
        return np.asarray(first_columns(trees, table)[:, columns].any(axis=1), dtype=bool)
    view = trees.where(member.root == question)
    points = view.functions(limit=len(table)).fingerprints.tolist() if view.n_trees else []
    there = {tuple(point) for point in points}
    return np.array([tuple(point) in there for point in table.fingerprint.tolist()], dtype=bool)
