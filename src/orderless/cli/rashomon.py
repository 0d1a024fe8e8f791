"""``orderless rashomon``: all near-optimal trees of a table, counted."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ..inputs import busy, some_names
from .constraint_options import ConstraintOptions, asked, constraints, met
from .costs import Costs, OtherCosts
from .explore import ExploreOptions, serve_explorer
from .function_counts import count_functions, shown_count, size_rows
from .mistakes import Mistake
from .number_options import Loss, Thresholds, loss_of, refuse_numbers
from .options import (
    OUTPUT,
    FileOptions,
    Format,
    GivenTable,
    OutputOptions,
    TableOptions,
    finite,
    given_table,
)
from .second_goals import GoalOptions, goal_records, goal_rows, goal_text
from .set_limits import SetLimits, about_part, part_text, search_settings
from .sink import records_as, tree_text, write_figure, write_result

if TYPE_CHECKING:
    from ..rashomon import RashomonSet, TreeSet

__all__ = ["EXAMPLE", "command", "left_out"]

EXAMPLE = (
    "Example: orderless rashomon --data patients.csv --target diagnosis --ignore id\n\n"
    "Example: orderless rashomon --data wisconsin --max-depth 2 --functions 5\n\n"
    "Example: orderless rashomon --data stays.csv --target days --task regression "
    "--tolerance 0.5\n\n"
    "Example: orderless rashomon patients.csv --target diagnosis --range fpr --front errors\n\n"
    "Example: orderless rashomon patients.csv --target diagnosis --must-use age --min-leaf 2 "
    "--must-not-use ward --monotone age=+1\n\n"
    "Example: orderless rashomon patients.csv --target diagnosis --explore"
)
SET = "Which trees"
MOST_DECIMALS = 300
LIMIT = 5_000_000
MOST_TREES = 100_000  # of numbers, whose objectives are put into a table


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
            "wrong rows + regularization x leaves; of numbers, the loss as a share of the best "
            "constant's + regularization x leaves.",
        ),
    ] = 0.02
    thresholds: Thresholds = "guess"
    loss: Loss = None
    decimals: Annotated[
        int | None,
        typer.Option(
            min=-MOST_DECIMALS,
            max=MOST_DECIMALS,
            help="For numbers: round the target, and what leaves predict, to so many decimals.",
        ),
    ] = None


@dataclass(frozen=True)
class ShownOptions:
    """Which members of the set are shown."""

    PANEL: ClassVar = OUTPUT
    trees: Annotated[int, typer.Option(min=0, help="Show this many trees, the best first.")] = 0
    functions: Annotated[
        int, typer.Option(min=0, help="Show this many different functions, the best first.")
    ] = 0
    tolerance: Annotated[
        float | None,
        typer.Option(
            min=0,
            callback=finite,
            help="For numbers: count, and show, only functions of which any two are more than this "
            "apart on some row; the best of those that are near is kept.",
        ),
    ] = None
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Draw the objectives, or with --front the first trade-off, as .png, .svg or .pdf.",
        ),
    ] = None


def command(
    data: TableOptions,
    files: FileOptions,
    output: OutputOptions,
    which: SetOptions,
    constrained: ConstraintOptions,
    show: ShownOptions,
    goals: GoalOptions,
    limits: SetLimits,
    explorer: ExploreOptions,
    table: GivenTable = None,
    costs: Costs = None,
    other_costs: OtherCosts = None,
) -> None:
    """Count all near-optimal trees, and the different functions that they are.

    Numbers are cut as --thresholds says, by default where a boosted ensemble of trees would;
    columns of 0 and 1 stay as they are; text becomes one column per value. Features that no tree
    can ask about, because they are constant or have no threshold, are named. CSV is one table: the
    trees, the functions, or how many trees have which objective. With --task regression trees
    predict numbers; nearly every one then has an objective of its own, and of more than 100,000
    trees only the number is said. Constraints (--must-use and so on) take trees away; the smallest
    objective and the bound stay those of all trees. With --range and --front, which list nothing,
    functions are not counted.
    """
    data = given_table(data, table)
    refuse_numbers(data, loss=which.loss, decimals=which.decimals, tolerance=show.tolerance)
    explorer.check(data)
    tables = {"--trees": show.trees, "--functions": show.functions, "--range": goals.range,
              "--front": goals.front}  # fmt: skip
    given_tables = [option for option, value in tables.items() if value]
    if len(given_tables) > 1 and output.format == Format.csv:
        raise Mistake(f"a CSV file is one table: give {' or '.join(given_tables)}, not both")
    from ..rashomon import RashomonSet
    from .table import labelled

    given = labelled(data, files)
    with busy("Finding all near-optimal trees"):
        rset = RashomonSet(
            which.max_depth, which.regularization, which.epsilon,
            loss=loss_of(data, which.loss), decimals=which.decimals,
            thresholds=int(t) if (t := which.thresholds).isdecimal() else t,
            space=given.space if data.infer_kinds else None,
            **asdict(limits, dict_factory=search_settings),
            constraints=constraints(constrained, given.space, costs, other_costs, files),
        ).fit(given.typed, given.y)  # fmt: skip
    found = rset.trees_
    if explorer.explore:
        serve_explorer(found, given, data.target or "label", explorer)
        return
    with busy("Counting them"):
        content = {
            **{"data": given.name, "rows": len(given.X)},
            **_content(rset, show, None if goals.asked else limits.limit),
            **about_part(found, limits),
            "notes": given.summary.head(),
        }
        measured, fronts = goal_records(found, given, goals)
    content |= measured
    listed = [content[key] for key in ("first_trees", "first_functions") if key in content]
    rows = listed[0] if listed else goal_rows(content) or content["histogram"]
    if rows is None and output.format == Format.csv:
        raise Mistake(f"{_too_many(content)}: add --trees N or --functions N, or -f json")
    if content["histogram"] is None and show.plot is not None and not fronts:
        raise Mistake(f"{_too_many(content)}: leave out --plot, or take a smaller --epsilon")
    write_result(output, content, rows or [], lambda: _text(content, output.format))
    if show.plot is not None:
        from ..plots import plot_objectives

        write_figure(fronts[0].plot if fronts else partial(plot_objectives, found), show.plot)


def _too_many(content: dict[str, Any]) -> str:
    return (
        f"there are {content['trees']:,} trees of numbers, too many for a table of their objectives"
    )


def _content(rset: RashomonSet, show: ShownOptions, limit: int | None) -> dict[str, Any]:
    """Say all that is written of a set; its first trees and functions are listed if asked for.

    Functions are counted up to a limit, or not at all.
    """
    found = rset.trees_
    content: dict[str, Any] = {
        "columns": list(found.columns),
        "left_out": list(found.left_out),
        "max_depth": int(rset.max_depth),
        "regularization": float(rset.regularization),
        "epsilon": float(rset.epsilon),
        **_about_numbers(rset),
        "trees": found.n_trees,
        "nontrivial": found.n_nontrivial,
        **({} if limit is None else count_functions(found, show.tolerance, limit)),
        "objective": float(found.objective),
        "bound": float(found.bound),
        "on_bound": found.on_bound,
        "histogram": _histogram(found),
        "best_tree": str(found.best_tree) if found else None,
        **asked(found),
    }
    if show.trees:
        content["first_trees"] = [
            {"position": k, "leaves": tree.n_leaves, "depth": tree.depth, "tree": str(tree)}
            for k, tree in enumerate(found[: show.trees])
        ]
        if found.task == "regression":
            for record, tree in zip(content["first_trees"], found, strict=False):
                record["objective"] = float(found.objective_of(tree))
                record["tree"] = record.pop("tree")  # last
        else:
            _objectives(content["first_trees"], content["histogram"])
    if show.functions:
        functions = found.functions(limit=limit or LIMIT, tolerance=show.tolerance)
        content["first_functions"] = [
            {"position": k, "objective": float(one.objective), "leaves": one.tree.n_leaves,
             "trees": int(one.n_trees), "tree": str(one.tree)}
            for k, one in enumerate(functions[: show.functions])
        ]  # fmt: skip
    return content


def _about_numbers(rset: RashomonSet) -> dict[str, Any]:
    """Say how trees of numbers are judged; nothing of classes."""
    if rset.loss == "errors":
        return {}
    return {"task": "regression", "loss": rset.loss, "decimals": rset.decimals_}


def _histogram(found: TreeSet) -> list[dict[str, Any]] | None:
    """Count trees by objective; None where nearly every one has one of its own."""
    if found.task == "regression" and found.n_trees > MOST_TREES:
        return None
    name, number = ("loss", float) if found.task == "regression" else ("errors", int)
    return [
        {"objective": float(row["objective"]), "leaves": int(row["leaves"]),
         name: number(row[name]), "trees": int(row["trees"]), "nontrivial": int(row["nontrivial"])}
        for row in found.counts().to_dict("records")
    ]  # fmt: skip


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


def _text(content: dict[str, Any], form: Format) -> str:
    """Write what is in ``content`` for people."""
    title, break_ = ("## {}", "\n\n") if form == Format.md else ("{}", "\n")
    best, bound = content["objective"], content["bound"]
    text = [
        f"{_some(content)} trees of depth {content['max_depth']} or less over "
        f"{len(content['columns'])} columns whose objective is at most {bound:g} (the best has "
        f"{best:g}), on {content['rows']:,} rows of {content['data']}.{_judged(content)}"
        f"{met(content)}"
        f"{left_out(content['left_out'])}{part_text(content)}",
        records_as(size_rows(content), form),
    ]
    on_bound = _several(content["on_bound"], "tree is", "trees are")
    if content["histogram"] is None:
        text.append(
            "Nearly every one of so many trees of numbers has an objective of its own: they are "
            f"not listed. {on_bound} exactly on the bound."
        )
    elif content["histogram"]:
        text.append(
            title.format(f"Objectives ({on_bound} exactly on the bound)")
            + break_ + records_as(_coarse(content["histogram"]), form, digits=4)
        )  # fmt: skip
    text += goal_text(content, form)
    if content["best_tree"] is None:
        text.append(f"{content['empty'][:1].upper()}{content['empty'][1:]}.")
    else:
        text.append(title.format("A best tree") + break_ + tree_text(content["best_tree"], form))
    for key, name in (("first_trees", "Tree"), ("first_functions", "Function")):
        for one in content.get(key, ()):
            more = f", {_several(one['trees'], 'tree', 'trees')}" if "trees" in one else ""
            head = f"{name} {one['position'] + 1}: objective {one['objective']:g}"
            leaves = _several(one["leaves"], "leaf", "leaves")
            head = title.format(f"{head}, {leaves}{more}")
            text.append(head + break_ + tree_text(one["tree"], form))
    return "\n\n".join(text)


def _some(content: dict[str, Any]) -> str:
    return "All" if content.get("complete", True) else "Some"


def _several(n: int, one: str, more: str) -> str:
    """Say how many there are."""
    from ..model import short_count

    return f"{short_count(n)} {one if n == 1 else more}"


def _judged(content: dict[str, Any]) -> str:
    """Say how trees of numbers are judged; nothing of classes."""
    if "loss" not in content:
        return ""
    n = content["decimals"]
    exact = f"{n} decimal{'' if n == 1 else 's'}" if n >= 0 else f"the nearest {10**-n:,}"
    return (
        f" The objective is the {content['loss']} error as a share of the best constant's + "
        f"{content['regularization']:g} for each leaf; leaves predict numbers to {exact}."
    )


def _coarse(histogram: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put what has the same number of leaves together, for people."""
    out: dict[int, dict[str, Any]] = {}
    for row in histogram:
        wrong, fewest = ("loss", "smallest loss") if "loss" in row else ("errors", "fewest errors")
        one = out.setdefault(
            row["leaves"],
            {"leaves": row["leaves"], "smallest objective": row["objective"],
             fewest: row[wrong], "trees": 0, "nontrivial": 0},
        )  # fmt: skip
        one[fewest] = min(one[fewest], row[wrong])
        one["trees"] += row["trees"]
        one["nontrivial"] += row["nontrivial"]
    counts = ("trees", "nontrivial")
    return [one | {key: shown_count(one[key]) for key in counts} for _, one in sorted(out.items())]
