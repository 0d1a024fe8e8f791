"""Dask: a data frame in partitions in, the same with predictions out.

In:  a model, and a ``dask.dataframe.DataFrame``.
Out: a data frame in as many partitions; each is predicted where it is, by any worker.
"""

from __future__ import annotations

from typing import Any

from orderless.errors import InvalidData
from orderless.missing import ask_next
from orderless.model import Tree
from orderless.readers import read_tree

__all__ = ["predict"]


def predict(
    tree: Any, frame: Any, *, prediction: str = "prediction", needed: str | None = None
) -> Any:
    """Add the class of each row to a Dask data frame, NA where it is not determined.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read_tree`` knows
    frame : dask.dataframe.DataFrame
    prediction : str
        Name of the new column.
    needed : str, optional
        Name of a second new column: the feature to ask next (``ask_next``).

    Returns
    -------
    dask.dataframe.DataFrame

    Notes
    -----
    ``map_partitions`` with a function of the partition alone, so that Dask can repeat it elsewhere
    when a worker is lost. Columns that are not there are reported at once, not by a worker.
    """
    model = read_tree(tree)
    for name in (prediction, needed):
        if name in frame.columns:
            raise InvalidData(
                f"the data frame has a column {name!r} already: choose another with prediction= "
                "or needed="
            )
    meta = _added(frame._meta_nonempty.iloc[:0], model, prediction, needed)
    return frame.map_partitions(_added, model, prediction, needed, meta=meta)


def _added(part: Any, tree: Tree, prediction: str, needed: str | None) -> Any:
    new = {prediction: tree.predict(part)}
    if needed is not None:
        new[needed] = ask_next(tree, part)
    return part.assign(**new)
