"""PRAXIS' trees (the package tree-praxis): one, or a whole Rashomon set.

In:  a fitted ``PRAXIS``.
Out: ``ColumnModel``, or ``BitTrees``. A column is asked whether it is 1. PRAXIS keeps neither names
     nor the number of columns: without ``space=``, ``preprocessing=`` or ``feature_names=`` the
     last column that any of the trees asks about counts as the last of the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import UnreadableModel
from .bits import BitTrees, Flat, join, leaf
from .builder import ColumnModel, Table

__all__ = ["from_praxis", "knows", "knows_set", "trees_of"]

Leaves = Sequence[tuple[Sequence[int], int]]


def knows(model: Any) -> bool:
    """Whether it is a ``PRAXIS``."""
    import praxis

    # Another package may have this name.
    return hasattr(praxis, "PRAXIS") and isinstance(model, praxis.PRAXIS)


def knows_set(model: Any) -> bool:
    """Whether it is a whole model set of PRAXIS; every ``PRAXIS`` is one."""
    return knows(model)


def from_praxis(model: Any) -> ColumnModel:
    """Read a set that holds exactly one tree."""
    if (count := model.count_trees()) > 1:
        raise UnreadableModel(
            f"this PRAXIS holds {count} trees: read all with orderless.read_many(model), and choose"
        )
    bits = trees_of(model)
    return ColumnModel([bits.column_tree(next(iter(bits.trees)))])


def trees_of(model: Any) -> BitTrees:
    """Give the trees of a set, in PRAXIS' own order: the best first."""
    if not model.count_trees():
        raise UnreadableModel(
            "this PRAXIS holds no tree: call fit(X, y) first, without proxy_only, with a "
            "root_budget or rashomon_mult that lets at least one in"
        )
    graph = model.export_andor_graph()
    predictions = [entry["prediction"] for entry in graph["leaf_nodes"]]
    if min(predictions) < 0:
        raise UnreadableModel(
            "trees of this PRAXIS defer to another model, whose answer is not in the tree: fit "
            "without use_deferral"
        )
    n_columns = max((entry["feature"] for entry in graph["split_nodes"]), default=-1) + 1
    table = Table(n_columns, at_least=True, binary=True)
    return BitTrees(table, range(max(predictions) + 1), _trees(model))


def _trees(model: Any) -> Iterator[Flat]:
    for i in range(model.count_trees()):
        paths, values = model.get_tree_paths(i)
        yield _tree(list(zip(paths, values.tolist(), strict=True)), 0)


def _tree(leaves: Leaves, depth: int) -> Flat:
    """Split leaves by the next step of their paths: +3 is "column 2 is 1", -3 "column 2 is 0"."""
    path, value = leaves[0]
    if len(path) == depth:
        return leaf(value)
    one = [entry for entry in leaves if entry[0][depth] > 0]
    zero = [entry for entry in leaves if entry[0][depth] < 0]
    return join(abs(path[depth]) - 1, _tree(zero, depth + 1), _tree(one, depth + 1))
