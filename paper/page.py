"""Pages: an ``Outcome`` written as CSV files, figures and Markdown, and pages about all of them.

In:  targets, their ``Outcome``, and a folder.
Out: files, each written whole or not at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from textwrap import shorten
from typing import Any

import pandas as pd

from orderless.inputs import whole_file, write_whole

from .protocol import APPENDIX, MAIN, published_name
from .target import DIFFERS, DRAWN, Outcome, Target

__all__ = ["Line", "added_text", "because", "table_text", "write_index", "write_page"]

Line = tuple[Target, Outcome, float]
VERDICTS = (
    "Equal: to the printed digits; for curves that were read off a figure, to within 0.02. Within "
    "error: to within one published standard error. Within the draws: where the paper's protocol "
    "draws at random, no more of its numbers lie outside the range of 95 % of our repeats than "
    "chance allows."
)
LEGEND = (
    "`error`: the published standard error. `ours`: the paper's semantics, every column unrelated "
    "to the others. `aware`: thresholds and one-hot groups understood."
)
ADDED = (
    "From the paper's semantics (every column unrelated to the others) to ours (thresholds and "
    "one-hot groups understood); means over the folds, or bootstraps. Distinct functions: exact "
    "counts in the Rashomon set. Rows answered: by one scikit-learn tree of depth 3 with half of "
    "the binary columns missing; by some tree of the Rashomon set with nine in ten missing, from "
    "rows whose path is known in some tree, as in the paper's figure, to rows that some tree "
    "determines. Cost of an answer: from the paper's Q-learning to the exact optimum."
)


def write_page(target: Target, outcome: Outcome, folder: Path, *, quick: bool) -> Path:
    """Write what a target gave, and give the path of its Markdown page."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in outcome.tables.items():
        write_whole(folder / f"{name}.csv", table.to_csv(index=False))
    for name, figure in outcome.figures.items():
        for ending in ("svg", "png"):
            metadata: dict[str, Any] = {"Date": None} if ending == "svg" else {"Software": None}
            with whole_file(folder / f"{name}.{ending}") as handle:
                figure.savefig(
                    handle, format=ending, dpi=150, bbox_inches="tight", metadata=metadata
                )
    page = folder / f"{target.name}.md"
    write_whole(page, page_text(target, outcome, quick=quick))
    return page


def page_text(target: Target, outcome: Outcome, *, quick: bool) -> str:
    """Give the Markdown page of a target."""
    parts = [f"# {target.title}", f"*{target.place}; `python -m paper {target.name}`.*"]
    if quick:
        parts.append("Run with `--quick`, on less data than the paper's, so it takes seconds.")
    if outcome.text:
        parts.append(outcome.text)
    for name in outcome.figures:
        words = f"{target.title}: a picture of the numbers in {name}.csv"
        parts.append(f"![{words}]({name}.png)")
    if outcome.comparison is not None:
        shown = outcome.comparison.drop(columns="rounding", errors="ignore")
        parts += ["## Beside the paper", outcome.legend or LEGEND, table_text(shown)]
        parts.append(f"Verdict: **{outcome.verdict}**{because(outcome)}")
    elif outcome.reason:
        parts.append(f"{outcome.reason[0].upper()}{outcome.reason[1:]}.")
    if outcome.absent:
        parts.append(_absent(outcome.absent))
    if outcome.package:
        parts.append(f"Nothing was run: `pip install {outcome.package}` first.")
    files = ", ".join(f"[{name}.csv]({name}.csv)" for name in outcome.tables)
    if files:
        parts.append(f"All numbers: {files}.")
    return "\n\n".join(parts) + "\n"


def write_index(lines: Sequence[Line], folder: Path, *, quick: bool, about: str) -> None:
    """Write the index page: one line per target. ``about`` names versions and the machine."""
    size = "small, with `--quick`" if quick else "at the paper's size"
    out = [
        "# The paper, reproduced",
        f"Run {size} in {_duration(sum(seconds for *_, seconds in lines))}. {about}",
        "| target | what | largest difference | verdict | seconds |\n|---|---|---|---|---|\n"
        + "\n".join(
            f"| [{target.name}]({target.name}.md) | {target.title} | "
            f"{_number(outcome.largest_difference)} | {outcome.verdict}{because(outcome)} | "
            f"{seconds:.1f} |"
            for target, outcome, seconds in lines
        ),
        VERDICTS,
    ]
    absent = sorted({name for _, outcome, _ in lines for name in outcome.absent})
    if absent:
        out.append(_absent(absent))
    write_whole(folder / "index.md", "\n\n".join(out) + "\n")


def table_text(table: pd.DataFrame) -> str:
    """Give a DataFrame as a Markdown table, numbers with the digits that matter."""
    head = "| " + " | ".join(map(str, table.columns)) + " |\n" + "|---" * table.shape[1] + "|\n"
    lines = (
        "| " + " | ".join(_cell(value) for value in line) + " |"
        for line in table.itertuples(index=False)
    )
    return head + "\n".join(lines)


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value.replace("|", "\\|").replace("\n", " ")
    return _number(value) if isinstance(value, float) else str(value)


def _number(value: float) -> str:
    if math.isnan(value):
        return ""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 100 else f"{value:.4g}"


def because(outcome: Outcome, width: int | None = None) -> str:
    """Give the reason for a difference, to follow the verdict, perhaps shortened; else nothing."""
    word = {DIFFERS: " because ", DRAWN: ": "}.get(outcome.verdict)
    if word is None or not outcome.reason:
        return ""
    reason = outcome.reason if width is None else shorten(outcome.reason, width, placeholder=" ...")
    return word + reason


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"


def _absent(names: Sequence[str]) -> str:
    return (
        f"Not at hand, so not run: {', '.join(names)}. `orderless data` says which file to "
        "put where."
    )


# -- what our semantics adds, over all targets -----------------------------------------------------


def added_text(outcomes: Mapping[str, Outcome]) -> str | None:
    """Say what our semantics adds, a column for each study that was run; None if none was."""
    columns = {}
    for title, (pairs, names) in STUDIES.items():
        found = [outcomes[name].tables[name] for name in names if name in outcomes]
        if found:
            columns[title] = pairs(pd.concat(found, ignore_index=True).drop_duplicates())
    if not columns:
        return None
    table = pd.DataFrame(columns).fillna("")
    table = table.loc[[name for name in (*MAIN, *APPENDIX) if name in table.index]]
    table.insert(0, "data set", [published_name(str(name)) for name in table.index])
    return f"{ADDED}\n\n{table_text(table)}\n"


def _sizes(table: pd.DataFrame) -> Any:
    exact = table[table["source"] == "exact"].groupby("dataset")
    mean = exact[["distinct_independent", "distinct_aware"]].mean()
    return _pairs(mean["distinct_independent"], mean["distinct_aware"], ",.1f")


def _shares(table: pd.DataFrame, rate: float, before: str) -> Any:
    at = table[table["rate"] == rate].groupby(["way", "semantics", "dataset"])
    mean = at["answered"].mean()
    return _pairs(mean[before, "independent"], mean["determined", "aware"], ".3f")


def _costs(table: pd.DataFrame) -> Any:
    own = table[~table["release"]].groupby(["policy", "semantics", "dataset"])
    mean = own["cost"].mean()
    return _pairs(mean["q-learning", "independent"], mean["optimal", "aware"], ".2f")


def _pairs(before: Any, after: Any, digits: str) -> Any:
    return pd.Series(
        {name: f"{value:{digits}} → {after[name]:{digits}}" for name, value in before.items()}
    )


# Of each column: how it is made of the tables of these targets.
STUDIES: dict[str, tuple[Callable[[pd.DataFrame], Any], tuple[str, ...]]] = {
    "distinct functions": (_sizes, ("table-rashomon-size",)),
    "rows answered by a tree, p = 0.5": (
        partial(_shares, rate=0.5, before="determined"),
        ("figure-missingness", "figure-missingness-datasets"),
    ),
    "rows answered by the set, p = 0.9": (
        partial(_shares, rate=0.9, before="path"),
        ("figure-missingness-rashomon", "figure-missingness-rashomon-datasets"),
    ),
    "cost of an answer": (_costs, ("figure-cost", "figure-cost-greedy")),
}
