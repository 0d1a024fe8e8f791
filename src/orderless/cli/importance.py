"""``orderless importance``: which features matter, whatever the order of asking."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ..errors import NeverOffered
from ..inputs import busy
from .mistakes import Mistake
from .number_options import Loss, LossKind, loss_of
from .options import (
    LIMITS,
    OUTPUT,
    FileOptions,
    Format,
    ModelOptions,
    OutputOptions,
    RowsOptions,
    TableOptions,
    TaskKind,
    finite,
)
from .sink import records_as, write_figure, write_result

if TYPE_CHECKING:
    from .models import Source

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless importance model.json --data patients.csv --target diagnosis\n\n"
    "Example: orderless importance --data wisconsin --rid 10"
)
RID = "Over all near-optimal trees"


@dataclass(frozen=True, kw_only=True)
class OneModel(ModelOptions):
    """A model of a file; --rid needs none."""

    model: Annotated[
        Path | None,
        typer.Argument(metavar="[MODEL]", help="A model file of one tree; with --rid none."),
    ] = None  # type: ignore[assignment]


@dataclass(frozen=True)
class OrderOptions:
    """What is measured of one tree."""

    orders: Annotated[
        bool,
        typer.Option(
            help="Whether to look at all orders: the range and mean of the Gini importance."
        ),
    ] = True
    loss: Loss = None
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Draw the importances as .png, .svg or .pdf.",
            rich_help_panel=OUTPUT,
        ),
    ] = None
    limit: Annotated[
        int, typer.Option(min=1, help="The most boxes to look at.", rich_help_panel=LIMITS)
    ] = 2_000_000


@dataclass(frozen=True)
class SetOptions:
    """Which near-optimal trees are looked at instead."""

    PANEL: ClassVar = RID
    rid: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Instead of one tree, look at all near-optimal trees of N bootstrap samples of "
            "--data (the Rashomon importance distribution); 100 is usual.",
        ),
    ] = None
    rid_depth: Annotated[int, typer.Option(min=1, max=20, help="Depth of these trees.")] = 3
    regularization: Annotated[
        float, typer.Option(min=0, callback=finite, help="What a leaf costs.")
    ] = 0.02
    epsilon: Annotated[
        float,
        typer.Option(
            min=0, callback=finite, help="How far from the smallest objective trees may be."
        ),
    ] = 0.02
    seed: Annotated[int, typer.Option(min=0, help="Seed of the bootstrap samples.")] = 0
    jobs: Annotated[
        int, typer.Option(help="How many samples are run at once; -1: one per processor.")
    ] = 1

    @property
    def parameters(self) -> dict[str, Any]:
        """The same as parameters of ``RashomonImportance``, but for the number of jobs."""
        return {
            "n_bootstraps": self.rid, "max_depth": self.rid_depth,
            "regularization": self.regularization, "epsilon": self.epsilon,
            "random_state": self.seed,
        }  # fmt: skip


def command(
    model: OneModel,
    data: TableOptions,
    files: FileOptions,
    output: OutputOptions,
    one: OrderOptions,
    near_optimal: SetOptions,
) -> None:
    """Say how much each feature matters, whatever the order.

    gini: impurity importance of the tree as it came. smallest, largest, mean: over all trees that
    decide the same. permutation: accuracy that is lost when the feature's values are shuffled,
    exactly the mean over all ways to shuffle; the same in every order. Of a regression tree:
    variance instead of gini, and the mean squared error (with --loss absolute the distance) that
    shuffling adds.

    With --rid: the permutation importance over all near-optimal trees of many samples, each
    different function counted once: mean, quantiles, and the share of functions that need the
    feature. With --task regression over trees of numbers.
    """
    if near_optimal.rid is not None:
        _refuse_one_tree(model, one.orders)
        if near_optimal.jobs == 0:
            raise Mistake("--jobs must be 1 or more, or -1 for all processors, got 0")
        if one.loss is not None and data.task != TaskKind.regression:
            raise Mistake("--loss is for numbers: add --task regression, or leave it out")
        _all_trees(near_optimal, data, files, output, one)
        return
    if one.plot is not None and not one.orders:
        raise Mistake("--plot draws the range over all orders: leave out --no-orders")
    if model.model is None:
        raise Mistake(
            "there is no model: give a file, which orderless fit makes of a table, or --rid N for "
            "all near-optimal trees of --data"
        )
    _refuse_learning(model.model, data)
    from .models import source_of

    rows = RowsOptions(data.data, data.target, quiet=data.quiet)
    source = source_of(model, rows, files, complete=True)
    if source.X is None or source.y is None:
        raise Mistake(
            "importances are measured on labelled rows: add --data FILE and --target COLUMN"
        )
    if one.loss is not None and source.tree.task != "regression":
        raise Mistake(f"--loss is for numbers, and {source.name} decides on classes: leave it out")
    with busy("Looking at all orders" if one.orders else "Measuring"):
        records, found = _records(source, one.limit if one.orders else None, one.loss)
    _write_one(source, records, found, output)
    if one.plot is not None:
        assert found is not None
        write_figure(found.plot, one.plot)


def _write_one(
    source: Source, records: list[dict[str, Any]], found: Any, output: OutputOptions
) -> None:
    """Write the importances of one tree."""
    assert source.X is not None
    n_rows = len(source.X)
    content: dict[str, Any] = {"tree": source.name, "rows": n_rows, "data": source.rows_record}
    if found is not None:
        content["equivalent_trees"] = found.n_trees

    def text() -> str:
        table = records_as(records, output.format, digits=3)
        shown = table if records else "The tree has no splits, so no feature matters."
        return f"{_sentence(found, n_rows)}\n{source.about_rows}\n\n{shown}"

    write_result(output, {**content, "features": records}, records, text)


def _refuse_learning(model: Path, data: TableOptions) -> None:
    """Refuse options of a table to learn from, since nothing is learned."""
    for field in fields(data):
        if field.name in ("data", "target", "quiet"):
            continue
        if getattr(data, field.name) != field.default:
            raise Mistake(
                f"--{field.name.replace('_', '-')} is for --rid, and the tree comes from "
                f"{model.name}: leave out one of the two"
            )


def _refuse_one_tree(model: OneModel, orders: bool) -> None:
    """Refuse options that would do nothing, since no tree is read."""
    for option, is_set in (
        ("MODEL", model.model is not None),
        ("--at", model.at is not None),
        ("--cut", model.cut is not None),
        ("--no-orders", not orders),
    ):
        if is_set:
            raise Mistake(
                f"{option} is about one tree, and --rid looks at all near-optimal ones: leave out "
                "one of the two (--rid-depth is their depth)"
            )


def _all_trees(
    over: SetOptions,
    data: TableOptions,
    files: FileOptions,
    output: OutputOptions,
    one: OrderOptions,
) -> None:
    """Write importances over all near-optimal trees of bootstrap samples."""
    from ..importance import RashomonImportance
    from .table import labelled

    given = labelled(data, files)
    space = given.space if data.infer_kinds else None
    loss = loss_of(data, one.loss)
    numbers = {"task": "regression", "loss": loss} if given.numbers else {}
    model = RashomonImportance(**over.parameters, loss=loss, space=space, n_jobs=over.jobs)
    with warnings.catch_warnings():  # the text says so, too
        warnings.simplefilter("ignore", NeverOffered)
        found = model.fit(given.typed, given.y)
    columns = ["feature", "mean", "q05", "median", "q95", "positive", "note"]
    lines = found.summary()[columns].to_dict("records")
    records = [{str(name): value for name, value in line.items()} for line in lines]
    for record in records:
        if record["note"]:  # nothing is known
            record |= dict.fromkeys(columns[1:-1])
    functions, trees = sum(found.n_functions_.tolist()), sum(found.n_trees_.tolist())
    content = {
        "data": given.name, "rows": len(given.X), "notes": given.summary.head(),
        **over.parameters, **numbers, "functions": functions, "trees": trees,
        "left_out": list(found.left_out_), "features": records,
    }  # fmt: skip
    head = _over_all(functions, trees, f"{over.rid:,} samples of {given.name}", found.left_out_)
    if numbers:
        head += f" It is the mean {numbers['loss']} error that shuffling the feature adds."
    write_result(output, content, records, lambda: head + _with_importance(records, output.format))
    if one.plot is not None:
        write_figure(lambda ax: found.plot(ax=ax), one.plot)


def _over_all(functions: int, trees: int, of: str, left: Sequence[str]) -> str:
    from ..model import short_count
    from .rashomon import left_out

    return (
        f"Importance over {functions:,} functions ({short_count(trees)} trees) of {of}, each "
        f"function counted once.{left_out(list(left))}"
    )


def _with_importance(records: list[dict[str, Any]], form: Format) -> str:
    """Write the features that matter in some function; the others are counted."""
    offered = [record for record in records if not record["note"]]
    some = [
        {name: value for name, value in record.items() if name != "note"}
        for record in offered
        if record["positive"] > 0 or record["mean"] != 0
    ]
    text = f"\n\n{records_as(some, form, digits=3)}" if some else ""
    if rest := len(offered) - len(some):
        text += f"\n\nNo importance in any of them: {rest:,} of {len(records):,} features."
    if unknown := len(records) - len(offered):
        text += (
            f"\n\nNever offered to any tree, so that their importance is not known: {unknown:,} of "
            f"{len(records):,} features."
        )
    return text


def _records(
    source: Source, limit: int | None, loss: LossKind | None
) -> tuple[list[dict[str, Any]], Any]:
    from ..importance import importance_range, impurity_importance, permutation_importance

    tree, X, y = source.tree, source.X, source.y
    names = tree.space.names
    assert y is not None
    kind: Any = None if loss is None else loss.value
    shuffled = [float(v) for v in permutation_importance(tree, X, y, loss=kind)]
    found = None
    if limit is not None:
        found = importance_range(tree, X, y, limit=limit)
        own = found.importance.tolist()
    else:
        own = [float(v) for v in impurity_importance(tree, X, y)]
    measure = "variance" if tree.task == "regression" else "gini"
    records = []
    for i in (names.index(name) for name in tree.features):
        record: dict[str, Any] = {"feature": names[i], measure: own[i]}
        if found is not None:
            record |= {"smallest": float(found.low[i]), "largest": float(found.high[i]),
                       "mean": float(found.mean[i])}  # fmt: skip
        records.append({**record, "permutation": shuffled[i]})
    return sorted(records, key=lambda r: (-r.get("mean", r[measure]), r["feature"])), found


def _sentence(found: Any, n_rows: int) -> str:
    from ..model import short_count

    if found is None:
        return f"Importance of each feature, on {n_rows:,} rows."
    n = found.n_trees
    trees = "1 equivalent tree has" if n == 1 else f"{short_count(n)} equivalent trees have"
    return f"{trees} no redundant split; importance on {n_rows:,} rows."
