"""Fitting on the spot: a table becomes a tree of scikit-learn.

In:  ``Labelled`` (``cli/table.py``), or a tree that is there already and rows for it.
Out: ``Fitted``: the tree over the table's own columns, with the rows it was fitted on.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bins import Bins
from ..errors import InvalidData
from ..missing import known_rows
from ..readers import read_tree
from ..rows import read_rows
from ..space import Space
from ..tree import Tree
from .cells import frame_for, labels_for
from .files import missing_column
from .mistakes import Mistake
from .options import DataOptions, FileOptions
from .summary import Summary, Table, read_table
from .table import labelled, say

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Fitted", "complete_rows_for", "fit", "rows_for"]


@dataclass(frozen=True)
class Fitted:
    """A tree, the name of its data, and the rows and labels that it was fitted on."""

    tree: Tree
    name: str
    X: pd.DataFrame
    y: list[Any]
    summary: Summary


def fit(data: DataOptions, files: FileOptions) -> Fitted:
    """Fit scikit-learn's ``DecisionTreeClassifier(random_state=0)`` on a table.

    Text columns are encoded one-hot, and read back as categories.
    """
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier

    given = labelled(data, files)
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="error"), given.text), remainder="passthrough"
    )
    classifier = DecisionTreeClassifier(
        max_depth=data.max_depth, min_samples_leaf=data.min_leaf, random_state=0
    )
    model = make_pipeline(encode, classifier) if given.text else classifier
    try:
        model.fit(given.X, given.y)
    except ValueError as fault:
        raise Mistake(f"scikit-learn cannot fit a tree on {given.name}: {fault}") from fault
    return Fitted(read_tree(model, space=given.space), given.name, given.X, given.y, given.summary)


def rows_for(
    tree: Tree, data: DataOptions, files: FileOptions
) -> tuple[pd.DataFrame, list[Any] | None]:
    """Read data for a tree that is there already; with labels if the target is known."""
    table = read_table(data, files)
    X = frame_for(tree, table.part, table.name, style=table.style)
    return X, _labels(tree, table)


def complete_rows_for(
    tree: Tree, data: DataOptions, files: FileOptions
) -> tuple[Tree, pd.DataFrame, list[Any] | None]:
    """Read rows that tell all that a tree asks; those with gaps are refused, or left out.

    Features that the tree does not ask about come too where the table has them without gaps; the
    tree is given back over these features.
    """
    table = read_table(data, files)
    part, name = table.part, table.name
    y = _labels(tree, table)
    X = frame_for(tree, part, name, style=table.style)
    keep = known_rows(Bins(tree), read_rows(X, tree.space, tree.used))
    if y is not None:
        keep = keep & np.array([label is not None for label in y], dtype=bool)
    n_gaps = int((~keep).sum())
    if n_gaps and not data.drop_incomplete:
        raise Mistake(
            f"{n_gaps:,} of the {len(X):,} rows of {name} have gaps (the first is row "
            f"{int(np.argmin(keep)) + 1:,}), and this needs complete rows: leave those out with "
            "--drop-incomplete"
        )
    if n_gaps == len(X):
        raise Mistake(f"every row of {name} has gaps: this needs complete rows")
    if n_gaps:
        say([f"{name}: {len(X) - n_gaps:,} of {len(X):,} rows; left out {n_gaps:,} with gaps in "
             "what the tree asks about, or without a class"], quiet=data.quiet)  # fmt: skip
    chosen = np.flatnonzero(keep).tolist()
    for feature in tree.space.names:
        if feature in tree.features:
            continue
        with suppress(InvalidData):  # the table does not have it, or has something else there
            more = frame_for(tree, part, name, (feature,), style=table.style)
            if not bool(more.iloc[chosen].isna().any(axis=None)):
                X = X.assign(**{str(column): more[column] for column in more})
    space = tree.space
    told = [column for column in space.columns if column.name in X]
    there = {column.feature for column in told} | {str(column) for column in X}
    own = Space([f for f in space.features if f.name in there], told)
    X = X.iloc[chosen].reset_index(drop=True)
    return tree.over(own), X, None if y is None else [y[i] for i in chosen]


def _labels(tree: Tree, table: Table) -> list[Any] | None:
    if table.target is None:
        return None
    if table.target not in table.part.columns:
        there = tuple(table.part.columns)
        raise missing_column(table.target, table.name, there, "Correct --target")
    return labels_for(tree, table.part.columns[table.target], table.target, table.style)
