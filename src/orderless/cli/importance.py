"""``orderless importance``: which features matter, whatever the order of asking."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .mistakes import Mistake
from .options import (
    LIMITS,
    OUTPUT,
    DataOptions,
    FileOptions,
    Format,
    ModelOptions,
    OutputOptions,
    finite,
)
from .progress import busy

if TYPE_CHECKING:
    from .models import Source

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless importance --data patients.csv --target diagnosis --max-depth 3\n\n"
    "Example: orderless importance model.json --data patients.csv --target diagnosis -f md\n\n"
    "Example: orderless importance --data wisconsin --rid 10"
)
RID = "Over all near-optimal trees"


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
    rid: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Instead of one tree, look at all near-optimal trees of N bootstrap samples of "
            "--data (the Rashomon importance distribution); 100 is usual.",
            rich_help_panel=RID,
            show_default=False,
        ),
    ] = None,
    rid_depth: Annotated[
        int, typer.Option(min=1, max=20, help="Depth of these trees.", rich_help_panel=RID)
    ] = 3,
    regularization: Annotated[
        float,
        typer.Option(min=0, callback=finite, help="What a leaf costs.", rich_help_panel=RID),
    ] = 0.02,
    epsilon: Annotated[
        float,
        typer.Option(
            min=0,
            callback=finite,
            help="How far from the smallest objective trees may be.",
            rich_help_panel=RID,
        ),
    ] = 0.02,
    seed: Annotated[
        int, typer.Option(min=0, help="Of the bootstrap samples.", rich_help_panel=RID)
    ] = 0,
    jobs: Annotated[
        int, typer.Option(help="How many samples at once; -1: all.", rich_help_panel=RID)
    ] = 1,
) -> None:
    """Say how much each feature matters, and how far that hangs on the order of asking.

    gini: impurity importance of the tree as it came. smallest, largest, mean: over all trees that
    decide the same. permutation: accuracy that is lost when the feature's values are shuffled,
    exactly the mean over all ways to shuffle; the same in every order.

    With --rid: the permutation importance over all near-optimal trees of many samples, each
    different function counted once: mean, quantiles, and the share of functions that need the
    feature.
    """
    if rid is not None:
        _refuse_one_tree(model, data, orders)
        if jobs == 0:
            raise Mistake("--jobs must be 1 or more, or -1 for all processors, got 0")
        over = _Set(rid, rid_depth, regularization, epsilon, seed, jobs)
        _all_trees(over, data, files, output, plot)
        return
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
        content: dict[str, Any] = {
            "tree": source.name,
            "rows": len(source.X),
            "data": source.rows_record,
        }
        if found is not None:
            content["equivalent_trees"] = found.n_trees
        write(json.dumps({**content, "features": records}, ensure_ascii=False, indent=1),
              output.output)  # fmt: skip
    elif output.format == Format.csv:
        write(records_as(records, Format.csv, safe_csv=output.safe_csv), output.output)
    else:
        table = records_as(records, output.format, digits=3)
        shown = table if records else "The tree asks about no feature."
        write(f"{_sentence(found, len(source.X))}\n{source.about_rows}\n\n{shown}", output.output)
    if plot is not None:
        assert found is not None
        write_figure(found.plot, plot)


@dataclass(frozen=True)
class _Set:
    """Which near-optimal trees are looked at."""

    n_bootstraps: int
    max_depth: int
    regularization: float
    epsilon: float
    random_state: int
    n_jobs: int


def _refuse_one_tree(model: ModelOptions, data: DataOptions, orders: bool) -> None:
    """Refuse options that would do nothing, since no tree is read or fitted."""
    plain = DataOptions()
    for option, given in (
        ("MODEL", model.model is not None),
        ("--max-depth", data.max_depth != plain.max_depth),
        ("--min-leaf", data.min_leaf != plain.min_leaf),
        ("--no-orders", not orders),
    ):
        if given:
            raise Mistake(
                f"{option} is about one tree, and --rid looks at all near-optimal ones: leave out "
                "one of the two (--rid-depth is their depth)"
            )
    if data.data is None:
        raise Mistake("near-optimal trees are those of a table: add --data FILE --target COLUMN")


def _all_trees(
    over: _Set, data: DataOptions, files: FileOptions, output: OutputOptions, plot: Path | None
) -> None:
    from ..importance import RashomonImportance
    from ..model import short_count
    from .rashomon import left_out
    from .sink import records_as, write, write_figure
    from .table import labelled

    given = labelled(data, files)
    space = given.space if data.infer_kinds else None
    found = RashomonImportance(**asdict(over), space=space).fit(given.typed, given.y)
    columns = ["feature", "mean", "q05", "median", "q95", "positive"]
    records: list[dict[str, Any]] = [
        {str(key): float(value) if key != "feature" else str(value) for key, value in row.items()}
        for row in found.summary()[columns].to_dict("records")
    ]
    functions, trees = sum(found.n_functions_.tolist()), sum(found.n_trees_.tolist())
    if output.format == Format.json:
        content = {
            "data": given.name, "rows": len(given.X), "notes": given.summary.head(),
            **asdict(over), "functions": functions, "trees": trees,
            "left_out": list(found.left_out_), "features": records,
        }  # fmt: skip
        del content["n_jobs"]
        write(json.dumps(content, ensure_ascii=False, indent=1), output.output)
    elif output.format == Format.csv:
        write(records_as(records, Format.csv, safe_csv=output.safe_csv), output.output)
    else:
        said = (
            f"Importance over {functions:,} functions ({short_count(trees)} trees) of "
            f"{over.n_bootstraps:,} samples of {given.name}, each function counted once."
            f"{left_out(list(found.left_out_))}"
        )
        some = [record for record in records if record["positive"] > 0 or record["mean"] != 0]
        said += f"\n\n{records_as(some, output.format, digits=3)}" if some else ""
        if rest := len(records) - len(some):
            said += f"\n\nNo importance in any of them: {rest:,} of {len(records):,} features."
        write(said, output.output)
    if plot is not None:
        write_figure(lambda ax: found.plot(ax=ax), plot)


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
    from ..model import short_count

    if found is None:
        return f"Importance of each feature, on {n_rows:,} rows."
    trees = "1 tree decides" if found.n_trees == 1 else f"{short_count(found.n_trees)} trees decide"
    return f"{trees} the same without asking in vain; importance on {n_rows:,} rows."
