"""``orderless importance``: which features matter, whatever the order of asking."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .mistakes import Mistake
from .options import LIMITS, OUTPUT, DataOptions, FileOptions, Format, ModelOptions, OutputOptions
from .progress import busy

if TYPE_CHECKING:
    from .models import Source

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless importance --data patients.csv --target diagnosis --max-depth 3\n\n"
    "Example: orderless importance model.json --data patients.csv --target diagnosis -f md"
)


def command(
    model: ModelOptions,
    data: DataOptions,
    files: FileOptions,
    output: OutputOptions,
    orders: Annotated[
        bool,
        typer.Option(
            help="Whether to look at all orders: the range and mean of the Gini importance.",
        ),
    ] = True,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Draw the importances as .png, .svg or .pdf.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, help="Most boxes to look at.", rich_help_panel=LIMITS)
    ] = 2_000_000,
) -> None:
    """Say how much each feature matters, and how far that hangs on the order of asking.

    gini: impurity importance of the tree as it came. smallest, largest, mean: over all trees that
    decide the same. permutation: accuracy that is lost when the feature's values are shuffled,
    exactly the mean over all ways to shuffle; the same in every order.
    """
    if plot is not None and not orders:
        raise Mistake("--plot draws the range over all orders: leave out --no-orders")
    from .models import source_of
    from .sink import records_as, write, write_figure

    source = source_of(model, data, files, complete=True)
    if source.X is None or source.y is None:
        raise Mistake(
            "importances are measured on labelled rows: add --data FILE and --target COLUMN"
        )
    with busy("Looking at all orders" if orders else "Measuring"):
        records, found = _records(source, limit if orders else None)
    if output.format == Format.json:
        content: dict[str, Any] = {"tree": source.name, "rows": len(source.X)}
        if found is not None:
            content["equivalent_trees"] = found.n_trees
        write(json.dumps({**content, "features": records}, ensure_ascii=False, indent=1),
              output.output)  # fmt: skip
    elif output.format == Format.csv:
        write(records_as(records, Format.csv), output.output)
    else:
        table = records_as(records, output.format, digits=3)
        shown = table if records else "The tree asks about no feature."
        write(f"{_sentence(found, len(source.X))}\n\n{shown}", output.output)
    if plot is not None:
        assert found is not None
        write_figure(found.plot, plot)


def _records(source: Source, limit: int | None) -> tuple[list[dict[str, Any]], Any]:
    from ..importance import importance_range, impurity_importance, permutation_importance

    tree, X, y = source.tree, source.X, source.y
    names = tree.space.names
    assert y is not None
    shuffled = [float(v) for v in permutation_importance(tree, X, y)]
    found = None
    if limit is not None:
        found = importance_range(tree, X, y, limit=limit)
        gini = found.importance.tolist()
    else:
        gini = [float(v) for v in impurity_importance(tree, X, y)]
    records = []
    for i in (names.index(name) for name in tree.features):
        record: dict[str, Any] = {"feature": names[i], "gini": gini[i]}
        if found is not None:
            record |= {"smallest": float(found.low[i]), "largest": float(found.high[i]),
                       "mean": float(found.mean[i])}  # fmt: skip
        records.append({**record, "permutation": shuffled[i]})
    return sorted(records, key=lambda r: (-r.get("mean", r["gini"]), r["feature"])), found


def _sentence(found: Any, n_rows: int) -> str:
    if found is None:
        return f"Importance of each feature, on {n_rows:,} rows."
    trees = "1 tree decides" if found.n_trees == 1 else f"{found.n_trees:,} trees decide"
    return f"{trees} the same without asking in vain; importance on {n_rows:,} rows."
