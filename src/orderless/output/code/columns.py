"""New columns: what a database adds to a table, as SQL.

In:  a model, the columns that there are, and names for those that are added.
Out: names with their expressions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...errors import InvalidData
from ...readers import read_tree
from .sql import as_sql

__all__ = ["new_columns"]


def new_columns(
    tree: Any,
    there: Iterable[str],
    *,
    dialect: str,
    columns: Mapping[str, str] | None,
    shape: str,
    prediction: str,
    needed: str | None,
) -> list[tuple[str, str]]:
    """Give the column of predictions, and of features to ask next if it has a name.

    Examples
    --------
    >>> tree = {"feature": 0, "true": {"prediction": "yes"}, "false": {"prediction": "no"}}
    >>> [name for name, _ in new_columns(tree, ["x0"], dialect="duckdb", columns=None,
    ...                                  shape="auto", prediction="class", needed="ask")]
    ['class', 'ask']
    """
    tree = read_tree(tree)
    taken = {name.casefold() for name in there}
    out = []
    for name, wants in [(prediction, False), *([(needed, True)] if needed is not None else [])]:
        if not isinstance(name, str) or name.casefold() in taken:
            raise InvalidData(
                f"the table has a column {name!r:.80} already, or that is no name: choose another "
                "with prediction= or needed="
            )
        taken.add(name.casefold())
        out.append(
            (name, as_sql(tree, dialect=dialect, columns=columns, shape=shape, needed=wants))
        )
    return out
