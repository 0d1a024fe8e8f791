"""New columns: what a database or a data frame in parts gets beside the columns that it has.

In:  a model, the columns that there are, and names for those that are added.
Out: names, with their SQL expressions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...errors import InvalidData
from ...readers import read_tree
from .certain import asks_next
from .sql import as_sql

__all__ = ["NAMES", "new_columns", "new_names"]

NAMES = ("prediction", "needed")


def new_names(
    there: Iterable[str],
    names: Sequence[str],
    needed: str | None,
    same: Callable[[str], str] = str.casefold,
) -> list[str]:
    """Check the names of the new columns: of predictions, and of features to ask if wanted.

    ``same`` gives what is equal for names that a table takes for the same.
    """
    wanted = 2 if asks_next(needed) else 1
    if isinstance(names, str) or not wanted <= len(names) <= 2:
        raise ValueError(
            "names must be the names of two columns, for predictions and for the features to ask, "
            f"got {names!r:.80}"
        )
    taken = {same(name) for name in there}
    for name in names[:wanted]:
        if not isinstance(name, str) or same(name) in taken:
            raise InvalidData(
                f"the table has a column {name!r:.80} already, or that is no name: choose another "
                "with names="
            )
        taken.add(same(name))
    return list(names[:wanted])


def new_columns(
    tree: Any,
    there: Iterable[str],
    *,
    dialect: str,
    columns: Mapping[str, str] | None,
    shape: str,
    needed: str | None,
    names: Sequence[str],
) -> list[tuple[str, str]]:
    """Give the column of predictions, and of features to ask next if they are wanted.

    Examples
    --------
    >>> tree = {"feature": 0, "true": {"prediction": "yes"}, "false": {"prediction": "no"}}
    >>> [name for name, _ in new_columns(tree, ["x0"], dialect="duckdb", columns=None,
    ...                                  shape="auto", needed="next", names=("class", "ask"))]
    ['class', 'ask']
    """
    tree = read_tree(tree)
    modes = (None, "next")
    return [
        (name, as_sql(tree, dialect=dialect, columns=columns, shape=shape, needed=mode))
        for name, mode in zip(new_names(there, names, needed), modes, strict=False)
    ]
