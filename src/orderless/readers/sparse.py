"""Tables that scikit-learn hands over without their zeros.

In:  transformers; a ``ColumnTree`` of a library that takes what such a table leaves out for
     missing.
Out: whether the table is sparse; the ``ColumnTree`` in which 0 goes where missing values go.

An encoder gives a sparse table unless it is told not to. XGBoost alone takes what is not stored for
missing: behind an encoder, "not this category" is a missing value, and not a zero. What float32
rounds to 0 (below 1e-45) is stored, and then a zero to XGBoost; here it goes with 0.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from ..errors import UnreadableModel
from .build import ColumnTree, TreeBuilder

__all__ = ["gives_sparse", "with_zero_as_missing"]

LIMIT = 100_000


def gives_sparse(transformer: Any, table_is_sparse: bool = False) -> bool:
    """Whether a fitted transformer of scikit-learn makes a sparse table."""
    if transformer is None or transformer == "passthrough":
        return table_is_sparse
    if hasattr(transformer, "steps"):  # a pipeline
        for _, step in transformer.steps:
            table_is_sparse = gives_sparse(step, table_is_sparse)
        return table_is_sparse
    if hasattr(transformer, "transformer_list"):  # a union of features
        return any(gives_sparse(one, table_is_sparse) for _, one in transformer.transformer_list)
    # Of a ColumnTransformer, of encoders, of those of old versions.
    for name in ("sparse_output_", "sparse_output", "sparse"):
        if hasattr(transformer, name):
            return bool(getattr(transformer, name))
    if hasattr(transformer, "encode"):  # bins
        return bool(transformer.encode == "onehot")
    return table_is_sparse and not hasattr(transformer, "categories_")


class _Split(NamedTuple):
    """What ``TreeBuilder.numerical_test`` takes."""

    column: int
    relation: Any
    threshold: float
    true: Any
    false: Any
    nan_true: bool


def with_zero_as_missing(tree: ColumnTree, sure: bool) -> ColumnTree:
    """Send 0 where missing values go, at every split on a number.

    If it is not sure that the model saw a sparse table, a tree that this changes is refused.
    """
    builder = TreeBuilder(tree.table)
    for node in builder.walk(0):
        if len(builder) > LIMIT:
            raise UnreadableModel(
                f"behind a sparse table this tree has more than {LIMIT} nodes, because zero, as a "
                "missing value, does not lie between its neighbours: make the table dense "
                "(sparse_output=False, sparse_threshold=0) and fit again"
            )
        if isinstance(node, _Split):
            builder.numerical_test(*node)
        elif tree.column[node] < 0:
            builder.leaf_number(int(tree.leaf_class[node]))
        elif node in tree.members:
            true, false = int(tree.when_true[node]), int(tree.when_false[node])
            builder.categorical_test(
                int(tree.column[node]), "in", tree.members[node], true, false,
                bool(tree.nan_true[node]),
            )  # fmt: skip
        else:
            split = _split(tree, node)
            if not sure and isinstance(split.false, _Split):
                raise UnreadableModel(
                    "it is not known whether the model saw the sparse table that the transformer "
                    "makes, in which XGBoost takes every 0 for missing, or a dense one: read a "
                    "Pipeline of both, or make the table dense (sparse_output=False, "
                    "sparse_threshold=0) and fit again"
                )
            builder.numerical_test(*split)
    return replace(builder.finish(tree.classes), task=tree.task, precision=tree.precision)


def _split(tree: ColumnTree, node: int) -> _Split:
    """State a split on a number, with 0 on the side of the missing values."""
    column, cut = int(tree.column[node]), float(tree.at_most[node])
    true, false = int(tree.when_true[node]), int(tree.when_false[node])
    missing_true = bool(tree.nan_true[node])
    split = _Split(column, "<=", cut, true, false, missing_true)
    if missing_true == (cut >= 0):
        return split
    if missing_true:
        zero = _Split(column, "<=", 0.0, true, false, True)
        return split._replace(false=_Split(column, "<", 0.0, false, zero, False))
    zero = _Split(column, "<=", 0.0, false, split, True)
    return _Split(column, "<", 0.0, true, zero, False)
