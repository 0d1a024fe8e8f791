"""PRAXIS' trees (the package tree-praxis): one, or a whole Rashomon set.

In:  a fitted ``PRAXIS``.
Out: ``SourceTree``. A column is asked whether it is 1. PRAXIS keeps neither names nor the number of
     columns: without ``space=``, ``through=`` or ``feature_names=`` the last column that any of the
     trees asks about counts as the last of the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import UnreadableModel
from .binary import flatten, over_bits
from .source import SourceTree

__all__ = ["from_praxis", "knows", "knows_set", "members"]

Leaves = Sequence[tuple[Sequence[int], int]]


def knows(model: Any) -> bool:
    """Whether it is a ``PRAXIS``."""
    import praxis

    # Another package may have this name.
    return hasattr(praxis, "PRAXIS") and isinstance(model, praxis.PRAXIS)


def knows_set(model: Any) -> bool:
    """Whether it is a whole model set of PRAXIS; every ``PRAXIS`` is one."""
    return knows(model)


def from_praxis(model: Any) -> SourceTree:
    """Read a set that holds exactly one tree."""
    if (count := model.count_trees()) > 1:
        raise UnreadableModel(
            f"this PRAXIS holds {count} trees: read all with read_trees(model), and choose"
        )
    return next(members(model))


def members(model: Any) -> Iterator[SourceTree]:
    """Go through the trees of a set, in PRAXIS' own order: the best first."""
    if not model.count_trees():
        raise UnreadableModel(
            "this PRAXIS holds no tree: call fit(X, y) first, without proxy_only, with a "
            "root_budget or rashomon_mult that lets at least one in"
        )
    graph = model.export_andor_graph()
    predictions = [entry["prediction"] for entry in graph["leaf_nodes"]]
    if min(predictions) < 0:
        raise UnreadableModel(
            "trees of this PRAXIS defer to another model, and an answer of that model is no class: "
            "fit without use_deferral"
        )
    classes = range(max(predictions) + 1)
    n_columns = max((entry["feature"] for entry in graph["split_nodes"]), default=-1) + 1
    for i in range(model.count_trees()):
        paths, values = model.get_tree_paths(i)
        flat = flatten((list(zip(paths, values.tolist(), strict=True)), 0), _opened)
        yield over_bits(flat, classes, n_columns, more_columns=True)


def _opened(node: tuple[Leaves, int]) -> tuple[int, Any, Any]:
    """Split leaves by the next step of their paths: +3 is "column 2 is 1", -3 "column 2 is 0"."""
    leaves, depth = node
    path, value = leaves[0]
    if len(path) == depth:
        return -1, value, None
    one = [entry for entry in leaves if entry[0][depth] > 0]
    zero = [entry for entry in leaves if entry[0][depth] < 0]
    return abs(path[depth]) - 1, (zero, depth + 1), (one, depth + 1)
