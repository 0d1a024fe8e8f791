"""Fitting on the spot: a table becomes a tree of scikit-learn.

In:  ``DataOptions``: a CSV or Parquet file, or the name of one of the paper's data sets.
Out: ``Fitted``: the tree over the table's own columns, with the rows it was fitted on;
     ``Labelled``: the rows alone.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import datasets
from ..bins import Bins
from ..errors import InvalidData
from ..missing import known_rows
from ..readers import read_tree
from ..rows import read_rows
from ..space import Feature, Space
from ..tree import Tree
from .cells import frame_for, labels_for, number, unknown
from .files import Part, missing_column, open_table
from .mistakes import Mistake
from .options import DataOptions, FileOptions, TableOptions

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Fitted", "Labelled", "complete_rows_for", "fit", "labelled", "rows_for"]

MOST_CLASSES = 100
MOST_CATEGORIES = 100


@dataclass(frozen=True)
class Labelled:
    """Complete rows of a table with their classes, and what the columns are."""

    name: str
    X: pd.DataFrame
    y: list[Any]
    space: Space

    @property
    def text(self) -> list[str]:
        """The columns that hold text."""
        from pandas.api.types import is_numeric_dtype

        return [str(c) for c in self.X if not is_numeric_dtype(self.X[c])]


@dataclass(frozen=True)
class Fitted:
    """A tree, the name of its data, and the rows and labels that it was fitted on."""

    tree: Tree
    name: str
    X: pd.DataFrame
    y: list[Any]


def labelled(data: TableOptions, files: FileOptions) -> Labelled:
    """Read a table to learn from. Rows with gaps are refused, or left out on request."""
    import pandas as pd

    part, name, target = _table(data, files)
    if target is None:
        raise Mistake(
            f"which column of {name} holds the classes? Add --target COLUMN, one of its columns"
        )
    for column in (target, *(data.ignore or ())):
        if column not in part.columns:
            remedy = "Correct --target" if column == target else "Correct --ignore"
            raise missing_column(column, name, tuple(part.columns), remedy)
    names = [c for c in part.columns if c != target and c not in (data.ignore or ())]
    if not names:
        raise Mistake(f"{name} has no column to learn from: {target!r} is the only one left")
    if not all(names):
        raise Mistake(f"{name} has a column without a name: name it, or use --ignore ''")
    part = _complete(part, name, [*names, target], data.drop_incomplete)
    y = _classes(part.columns[target], target, name)
    columns = {column: _typed(part.columns[column], column, name) for column in names}
    X = pd.DataFrame(columns)
    return Labelled(name, X, y, _space(X, columns, infer=data.infer_kinds))


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
    return Fitted(read_tree(model, space=given.space), given.name, given.X, given.y)


def rows_for(
    tree: Tree, data: DataOptions, files: FileOptions
) -> tuple[pd.DataFrame, list[Any] | None]:
    """Read data for a tree that is there already; with labels if the target is known."""
    part, name, target = _table(data, files)
    return frame_for(tree, part, name), _labels(tree, part, name, target)


def complete_rows_for(
    tree: Tree, data: DataOptions, files: FileOptions
) -> tuple[Tree, pd.DataFrame, list[Any] | None]:
    """Read rows that tell all that a tree asks; those with gaps are refused, or left out.

    Features that the tree does not ask about come too where the table has them without gaps; the
    tree is given back over these features.
    """
    part, name, target = _table(data, files)
    y = _labels(tree, part, name, target)
    X = frame_for(tree, part, name)
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
    chosen = np.flatnonzero(keep).tolist()
    for feature in tree.space.names:
        if feature in tree.features:
            continue
        with suppress(InvalidData):  # the table does not have it, or has something else there
            more = frame_for(tree, part, name, (feature,))
            if not bool(more.iloc[chosen].isna().any(axis=None)):
                X = X.assign(**{str(column): more[column] for column in more})
    space = tree.space
    told = [column for column in space.columns if column.name in X]
    there = {column.feature for column in told} | {str(column) for column in X}
    own = Space([f for f in space.features if f.name in there], told)
    X = X.iloc[chosen].reset_index(drop=True)
    return tree.over(own), X, None if y is None else [y[i] for i in chosen]


def _labels(tree: Tree, part: Part, name: str, target: str | None) -> list[Any] | None:
    if target is None:
        return None
    if target not in part.columns:
        raise missing_column(target, name, tuple(part.columns), "Correct --target")
    return labels_for(tree, part.columns[target])


def _table(data: TableOptions, files: FileOptions) -> tuple[Part, str, str | None]:
    """Read all of a file, or a data set by name, of which the target is known."""
    assert data.data is not None
    if not Path(data.data).exists() and data.data in datasets.names():
        found = datasets.load(data.data)
        columns = {str(c): found.frame[c].tolist() for c in found.frame}
        return Part(columns, 1), found.name, data.target or str(found.y.name)
    if not Path(data.data).exists() and "." not in data.data and "/" not in data.data:
        raise Mistake(
            f"{data.data!r:.80} is neither a file nor a data set: "
            f"data sets are {', '.join(datasets.names())}"
        )
    with open_table(data.data, files) as table:
        part = table.whole()
        if not part.n_rows:
            raise Mistake(f"{table.name} has a header and no rows")
        return part, table.name, data.target


def _complete(part: Part, name: str, columns: list[str], drop: bool) -> Part:
    """Leave out rows with gaps if that was asked for, else refuse them."""
    gaps = np.zeros(part.n_rows, dtype=bool)
    first: tuple[int, str] | None = None
    for column in columns:
        known = {cell: unknown(cell) for cell in set(part.columns[column])}
        here = np.array([known[cell] for cell in part.columns[column]], dtype=bool)
        if here.any() and (first is None or int(np.argmax(here)) < first[0]):
            first = int(np.argmax(here)), column
        gaps |= here
    if first is None:
        return part
    row, column = first
    if not drop:
        raise Mistake(
            f"{int(gaps.sum()):,} of the {part.n_rows:,} rows of {name} have gaps (row {row + 1:,} "
            f"has none or {part.columns[column][row]!r} in {column!r:.80}): fit on the complete "
            "rows with --drop-incomplete, leave columns out with --ignore, or fill the gaps"
        )
    keep = np.flatnonzero(~gaps).tolist()
    if not keep:
        raise Mistake(f"every row of {name} has gaps: leave columns out with --ignore")
    return Part({c: [part.columns[c][i] for i in keep] for c in columns}, 1)


def _typed(cells: list[Any], column: str, name: str) -> NDArray[Any]:
    """Read a column as numbers, as true and false, or as text."""
    distinct = dict.fromkeys(cells)
    if {str(cell).strip().lower() for cell in distinct} <= {"true", "false"}:
        return np.array([str(cell).strip().lower() == "true" for cell in cells])
    try:
        table = {cell: float(number(cell)) for cell in distinct}
        return np.array([table[cell] for cell in cells])
    except (TypeError, ValueError):
        pass
    if len(distinct) > MOST_CATEGORIES:
        raise Mistake(
            f"the column {column!r:.80} of {name} has {len(distinct):,} different texts, more than "
            f"{MOST_CATEGORIES} (one is {_odd_one(distinct)!r:.40}): correct it if it should hold "
            "numbers, or leave it out with --ignore"
        )
    return np.array([str(cell) for cell in cells], dtype=object)


def _odd_one(distinct: dict[Any, Any]) -> str:
    """Give a cell that is no number."""
    for cell in distinct:
        try:
            number(cell)
        except ValueError:
            return str(cell)
    return str(next(iter(distinct)))


def _classes(cells: list[Any], target: str, name: str) -> list[Any]:
    """Read the classes: whole numbers, other numbers, true and false, or text."""
    distinct = dict.fromkeys(cells)
    if len(distinct) < 2:
        raise Mistake(
            f"the target {target!r:.80} of {name} has only one value, "
            f"{next(iter(distinct))!r:.80}: there is nothing to decide"
        )
    if len(distinct) > MOST_CLASSES:
        raise Mistake(
            f"the target {target!r:.80} of {name} has {len(distinct):,} different values: that is "
            f"no class but a measurement; cut it into at most {MOST_CLASSES} classes first"
        )
    if {str(cell).strip().lower() for cell in distinct} <= {"true", "false"}:
        return [str(cell).strip().lower() == "true" for cell in cells]
    try:
        numbers = {cell: float(number(cell)) for cell in distinct}
    except (TypeError, ValueError):
        return [str(cell) for cell in cells]
    whole = all(value.is_integer() for value in numbers.values())
    return [int(numbers[cell]) if whole else numbers[cell] for cell in cells]


def _space(X: pd.DataFrame, columns: dict[str, NDArray[Any]], *, infer: bool) -> Space:
    """Say what the columns are. Numbers are float32: scikit-learn's trees round rows to that."""
    if infer:
        proposed = Space.infer(X)
        narrow = [
            replace(f, values="float32") if f.kind == "numeric" and f.values == "float64" else f
            for f in proposed.features
        ]
        return Space(narrow, proposed.columns)
    features = []
    for column, cells in columns.items():
        if cells.dtype == object:
            labels = tuple(sorted(set(cells.tolist())))
            features.append(Feature(column, "categorical", categories=labels))
        elif cells.dtype == bool:
            features.append(Feature(column, "boolean"))
        else:
            features.append(Feature(column, values="float32"))
    return Space(features)
