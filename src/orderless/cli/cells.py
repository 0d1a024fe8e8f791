"""Cells: text of a file, or of ``--row name=value``, as values of features.

In:  cells, and the ``Tree`` that they are for.
Out: a data frame that ``predict`` takes, or a dict that ``explain`` takes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..connect import TRUTHS, Part, Unseen, parser_of, read_cells, wanted_columns
from ..inputs import PLAIN, CellStyle, unknown
from ..model import Tree
from .files import missing_column
from .mistakes import Mistake

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["frame_for", "labels_for", "row_from"]


def frame_for(
    trees: Tree | Iterable[Tree],
    part: Part,
    table: str,
    features: tuple[str, ...] | None = None,
    style: CellStyle = PLAIN,
    unseen: dict[str, Unseen] | None = None,
) -> pd.DataFrame:
    """Read the columns that a tree asks about (or some features); its ``predict`` takes them.

    Categories that a tree does not know are refused, or counted in ``unseen`` and unknown.
    """
    import pandas as pd

    columns: dict[str, Any] = {}
    for tree in [trees] if isinstance(trees, Tree) else trees:
        for name in wanted_columns(tree, tuple(part.columns), table, features):
            parser = parser_of(tree.space, name, style)
            known = read_cells(part.columns[name], parser, name, table, part.first, unseen)
            values = np.empty(len(known.values), dtype=np.float64 if parser.numeric else object)
            values[:] = known.values
            columns[name] = values[known.index]
    return pd.DataFrame(columns, index=range(part.n_rows))


def labels_for(
    tree: Tree, cells: list[Any], column: str = "", style: CellStyle = PLAIN
) -> list[Any]:
    """Read a target column as the classes of a tree; what is none of them stays as it is."""
    by_text = {
        str(label).lower() if isinstance(label, bool) else str(label): label
        for label in tree.classes
    }
    numbers = {float(c): c for c in tree.classes if not isinstance(c, str)}

    def parse(cell: Any) -> Any:
        if style.missing_in(column, cell):
            return None
        if not isinstance(cell, str):
            return cell
        text = cell.strip()
        if text in by_text:
            return by_text[text]
        truth = TRUTHS.get(text.lower()) if numbers else None
        if truth is not None and float(truth) in numbers:
            return numbers[float(truth)]
        try:
            return numbers.get(float(style.number(text)), text)
        except ValueError:
            return None if unknown(text) else text

    known = {cell: parse(cell) for cell in dict.fromkeys(cells)}
    return [known[cell] for cell in cells]


def row_from(given: list[str], tree: Tree, style: CellStyle = PLAIN) -> dict[str, Any]:
    """Read ``name=value`` texts as a row."""
    names = dict.fromkeys([*tree.space.names, *tree.space.column_names])
    row: dict[str, Any] = {}
    for text in given:
        ends = [i for i, sign in enumerate(text) if sign == "="]
        if not ends:
            raise Mistake(f"--row takes name=value, got {text!r:.80}")
        end = next((i for i in ends if text[:i] in names), None)
        if end is None:
            raise missing_column(
                text[: ends[0]], "the tree", tuple(names), "Give --row one of these", "feature"
            )
        name, cell = text[:end], text[end + 1 :]
        if name in row:
            raise Mistake(f"--row gives {name!r:.80} twice")
        row[name] = read_cells([cell], parser_of(tree.space, name, style), name, "--row").values[0]
    return row
