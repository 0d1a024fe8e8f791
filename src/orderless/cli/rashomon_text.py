"""What ``orderless rashomon`` writes: sizes, objectives and trees of a set.

In:  a ``RashomonSet``.
Out: a record for JSON, and the same as text, Markdown or CSV.
"""

from __future__ import annotations

import json
from typing import Any

from ..inputs import some_names
from ..model import printable, short_count
from ..rashomon import RashomonSet
from .options import Format, OutputOptions
from .sink import records_as

__all__ = ["content_of", "left_out", "written"]


def content_of(
    found: RashomonSet, name: str, n_rows: int, trees: int, functions: int, limit: int
) -> dict[str, Any]:
    """Say all that is written of a set; the first ``trees`` and ``functions`` are listed."""
    histogram = [
        {"objective": float(row["objective"]), "leaves": int(row["leaves"]),
         "errors": int(row["errors"]), "trees": int(row["trees"]),
         "nontrivial": int(row["nontrivial"])}
        for row in found.histogram().to_dict("records")
    ]  # fmt: skip
    content: dict[str, Any] = {
        "data": name,
        "rows": n_rows,
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
    if trees:
        content["first_trees"] = [
            {"position": k, "leaves": tree.n_leaves, "depth": tree.depth, "tree": str(tree)}
            for k, tree in enumerate(found[:trees])
        ]
        _objectives(content["first_trees"], histogram)
    if functions:
        content["first_functions"] = [
            {"position": k, "objective": float(one.objective), "leaves": one.tree.n_leaves,
             "trees": int(one.n_trees), "tree": str(one.tree)}
            for k, one in enumerate(found.functions(limit=limit)[:functions])
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


def written(content: dict[str, Any], output: OutputOptions) -> str:
    """Write what ``content_of`` gives."""
    form = output.format
    if form == Format.json:
        return json.dumps(content, ensure_ascii=False, indent=1)
    listed = [content[key] for key in ("first_trees", "first_functions") if key in content]
    if form == Format.csv:
        rows = listed[0] if listed else content["histogram"]
        return records_as(rows, form, safe_csv=output.safe_csv)
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
    return n if n < 10**12 else short_count(n)


def _block(text: str, form: Format) -> str:
    lines = [printable(line) for line in text.splitlines()]
    if form != Format.md:
        return "\n".join(lines)
    fence = "`" * max(3, 1 + max((len(run) for run in "".join(lines).split() if set(run) == {"`"}),
                                 default=0))  # fmt: skip
    return "\n".join([fence, *lines, fence])
