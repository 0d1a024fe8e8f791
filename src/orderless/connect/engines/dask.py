"""Dask: a data frame in partitions in, the same with predictions out.

In:  a model, and a ``dask.dataframe.DataFrame``.
Out: a data frame in as many partitions; each is predicted where it is, by any worker.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from orderless import inputs
from orderless.model import TreeKernel
from orderless.output.code import NAMES, new_names
from orderless.questions import ask_next
from orderless.readers import read_tree

__all__ = ["predict"]


def predict(
    tree: Any, frame: Any, *, needed: str | None = None, names: Sequence[str] = NAMES
) -> Any:
    """Add the class of each row to a Dask data frame, NA where it is not determined.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    tree, needed, names
        As in ``orderless.duckdb.predict``.

    Returns
    -------
    dask.dataframe.DataFrame

    Notes
    -----
    ``map_partitions`` with a function of the partition alone, so that Dask can repeat it elsewhere
    when a worker is lost. Columns that are not there are reported at once, not by a worker.
    """
    model = read_tree(tree)
    added = new_names(frame.columns, names, needed, same=str)
    meta = _added(frame._meta_nonempty.iloc[:0], model, added)
    return frame.map_partitions(_added, model, added, meta=meta)


def _added(part: Any, tree: TreeKernel, names: Sequence[str]) -> Any:
    answers: list[Callable[[Any], Any]] = [partial(inputs.predict, tree), partial(ask_next, tree)]
    return part.assign(**{name: answer(part) for name, answer in zip(names, answers, strict=False)})
