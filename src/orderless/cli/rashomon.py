"""``orderless rashomon``: all near-optimal trees of a table, counted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ..inputs import busy, some_names
from ..model import printable
from .mistakes import Mistake
from .options import LIMITS, OUTPUT, FileOptions, Format, OutputOptions, TableOptions, finite
from .sink import records_as, write_figure, write_result

if TYPE_CHECKING:
    from ..rashomon import RashomonSet

__all__ = ["EXAMPLE", "command", "left_out"]

EXAMPLE = (
    "Example: orderless rashomon --data patients.csv --target diagnosis --ignore id\n\n"
    "Example: orderless rashomon --data wisconsin --max-depth 2 --functions 5"
)
SET = "Which trees"


@dataclass(frozen=True)
class SetOptions:
    """Which trees are near-optimal."""

    PANEL: ClassVar = SET
    max_depth: Annotated[
        int, typer.Option(min=0, max=20, help="The most conditions on a path.")
    ] = 3
    regularization: Annotated[
        float, typer.Option(min=0, callback=finite, help="What a leaf costs.")
    ] = 0.01
    epsilon: Annotated[
        float,
        typer.Option(
            min=0,
            callback=finite,
            help="How far from the smallest objective trees may be. The objective is the share of "
            "wrong rows + regularization x leaves.",
        ),
    ] = 0.02


@dataclass(frozen=True)
class ShownOptions:
    """Which members of the set are shown."""

    PANEL: ClassVar = OUTPUT
    trees: Annotated[int, typer.Option(min=0, help="Show this many trees, the best first.")] = 0
    functions: Annotated[
        int, typer.Option(min=0, help="Show this many different functions, the best first.")
    ] = 0
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the objectives as .png, .svg or .pdf.")
    ] = None


@dataclass(frozen=True)
class SetLimits:
    """How much the set may take."""

    PANEL: ClassVar = LIMITS
    limit: Annotated[int, typer.Option(min=1, help="The most functions.")] = 5_000_000
    time_limit: Annotated[
        float, typer.Option(min=0.001, help="Seconds allowed for any one question.")
    ] = 60.0
    memory_limit: Annotated[
        int, typer.Option(min=1, help="The most bytes that the set may take.")
    ] = 4 * 1024**3


def command(
    data: TableOptions,
    files: FileOptions,
    output: OutputOptions,
    which: SetOptions,
    show: ShownOptions,
    limits: SetLimits,
) -> None:
    """Count all near-optimal trees, and the different functions that they are.

    Numbers are cut where a boosted ensemble of small trees would (threshold guessing); columns of 0
    and 1 stay as they are; text becomes one column per value. Features that no tree can ask about,
    because they are constant or have no threshold, are named. CSV is one table: the trees, the
    functions, or how many trees have which objective.
    """
    if show.trees and show.functions and output.format == Format.csv:
        raise Mistake("a CSV file is one table: give --trees or --functions, not both")
    from ..rashomon import RashomonSet
    from .table import labelled

    given = labelled(data, files)
    with busy("Finding all near-optimal trees"):
        found = RashomonSet(
            which.max_depth, which.regularization, which.epsilon,
            given.space if data.infer_kinds else None,
            memory_limit=limits.memory_limit, time_limit=limits.time_limit,
        ).fit(given.typed, given.y)  # fmt: skip
        content = {
            "data": given.name,
            "rows": len(given.X),
            **_content(found, show, limits.limit),
            "notes": given.summary.head(),
        }
    listed = [content[key] for key in ("first_trees", "first_functions") if key in content]
    rows = listed[0] if listed else content["histogram"]
    write_result(output, content, rows, lambda: _text(content, output.format))
    if show.plot is not None:
        write_figure(found.plot_objectives, show.plot)


def _content(found: RashomonSet, show: ShownOptions, limit: int) -> dict[str, Any]:
    """Say all that is written of a set; its first trees and functions are listed if asked for."""
    histogram = [
        {"objective": float(row["objective"]), "leaves": int(row["leaves"]),
         "errors": int(row["errors"]), "trees": int(row["trees"]),
         "nontrivial": int(row["nontrivial"])}
        for row in found.histogram().to_dict("records")
    ]  # fmt: skip
    content: dict[str, Any] = {
        "columns": list(found.columns),
        "left_out": list(found.left_out),
        "max_depth": int(found.max_depth),
        "regularization": float(found.regularization),
        "epsilon": float(found.epsilon),
        "trees": found.n_trees,
        "nontrivial": found.n_nontrivial,
        "functions": found.count_distinct(limit=limit),
        "functions_of_columns": found.count_distinct("independent", limit=limit),
        "functions_of_rows": found.count_distinct("rows", limit=limit),
        "objective": float(found.objective),
        "bound": float(found.bound),
        "on_bound": found.on_bound,
        "histogram": histogram,
        "best_tree": str(found.best_tree),
    }
    if show.trees:
        content["first_trees"] = [
            {"position": k, "leaves": tree.n_leaves, "depth": tree.depth, "tree": str(tree)}
            for k, tree in enumerate(found[: show.trees])
        ]
        _objectives(content["first_trees"], histogram)
    if show.functions:
        content["first_functions"] = [
            {"position": k, "objective": float(one.objective), "leaves": one.tree.n_leaves,
             "trees": int(one.n_trees), "tree": str(one.tree)}
            for k, one in enumerate(found.functions(limit=limit)[: show.functions])
        ]  # fmt: skip
    return content


def left_out(names: list[str]) -> str:
    """Say which features no tree can ask about; nothing if there are none."""
    if not names:
        return ""
    return f" Left out, because constant or without a threshold: {some_names(names)}."


def _objectives(trees: list[dict[str, Any]], histogram: list[dict[str, Any]]) -> None:
    """Say the objective and errors of the first trees: they come in the histogram's order."""
    steps = iter(histogram)
    left, step = 0, histogram[0]
    for tree in trees:
        while left == 0:
            step = next(steps)
            left = step["trees"]
        left -= 1
        tree |= {"objective": step["objective"], "errors": step["errors"]}
        tree["tree"] = tree.pop("tree")  # last


SIZES = {
    "trees": "trees",
    "nontrivial": "without trivial splits",
    "functions": "functions of the features",
    "functions_of_columns": "functions, columns taken as unrelated",
    "functions_of_rows": "ways to label the rows",
}


def _text(content: dict[str, Any], form: Format) -> str:
    """Write what is in ``content`` for people."""
    from ..model import short_count

    title, break_ = ("## {}", "\n\n") if form == Format.md else ("{}", "\n")
    facts = [{"what": words, "how many": _shown(content[key])} for key, words in SIZES.items()]
    best, bound = content["objective"], content["bound"]
    on_bound = short_count(content["on_bound"])
    text = [
        f"All trees of depth {content['max_depth']} or less over {len(content['columns'])} "
        f"columns whose objective is at most {bound:g} (the best has {best:g}), on "
        f"{content['rows']:,} rows of {content['data']}.{left_out(content['left_out'])}",
        records_as(facts, form),
        title.format(f"Objectives ({on_bound} trees are exactly on the bound)")
        + break_ + records_as(_coarse(content["histogram"]), form, digits=4),
        title.format("A best tree") + break_ + _block(content["best_tree"], form),
    ]  # fmt: skip
    for key, name in (("first_trees", "Tree"), ("first_functions", "Function")):
        for one in content.get(key, ()):
            more = f", {short_count(one['trees'])} trees" if "trees" in one else ""
            head = f"{name} {one['position'] + 1}: objective {one['objective']:g}"
            head = title.format(f"{head}, {one['leaves']} leaves{more}")
            text.append(head + break_ + _block(one["tree"], form))
    return "\n\n".join(text)


def _coarse(histogram: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put what has the same number of leaves together, for people."""
    out: dict[int, dict[str, Any]] = {}
    for row in histogram:
        one = out.setdefault(
            row["leaves"],
            {"leaves": row["leaves"], "smallest objective": row["objective"],
             "fewest errors": row["errors"], "trees": 0, "nontrivial": 0},
        )  # fmt: skip
        one["fewest errors"] = min(one["fewest errors"], row["errors"])
        one["trees"] += row["trees"]
        one["nontrivial"] += row["nontrivial"]
    counts = ("trees", "nontrivial")
    return [one | {key: _shown(one[key]) for key in counts} for _, one in sorted(out.items())]


def _shown(n: int) -> int | str:
    """Give a count as it is, a huge one for people; in JSON and CSV all are as they are."""
    from ..model import short_count

    return n if n < 10**12 else short_count(n)


def _block(text: str, form: Format) -> str:
    lines = [printable(line) for line in text.splitlines()]
    if form != Format.md:
        return "\n".join(lines)
    fence = "`" * max(3, 1 + max((len(run) for run in "".join(lines).split() if set(run) == {"`"}),
                                 default=0))  # fmt: skip
    return "\n".join([fence, *lines, fence])
