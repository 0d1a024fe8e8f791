"""Pages: an ``Outcome`` written as CSV files, figures and Markdown.

In:  a ``Target``, its ``Outcome``, and a folder.
Out: files, each written whole or not at all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from ..inputs import whole_file, write_whole
from .target import DIFFERS, DRAWN, Outcome, Target

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Line", "because", "table_text", "write_added", "write_index", "write_page"]

Line = tuple[Target, Outcome, float]
VERDICTS = (
    "Equal: to the digits that are printed; of curves that were read off a figure, up to 0.02. "
    "Within error: up to one published standard error. Within the draws: where the paper's "
    "protocol draws at random, no more of its numbers lie outside of 95 % of our repeats of it "
    "than chance allows."
)
LEGEND = (
    "`error`: the published standard error. `ours`: the paper's semantics, every column unrelated "
    "to the others. `aware`: thresholds and one-hot groups understood."
)


def write_page(target: Target, outcome: Outcome, folder: Path, *, quick: bool) -> Path:
    """Write what a target gave.

    Parameters
    ----------
    target, outcome
    folder : pathlib.Path
    quick : bool
        Whether it was run small; the page says so.

    Returns
    -------
    pathlib.Path
        The Markdown page.
    """
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
    parts = [f"# {target.title}", f"*{target.place}; `orderless reproduce {target.name}`.*"]
    if quick:
        parts.append("Run with `--quick`: less data than the paper's, so that it takes seconds.")
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


def write_index(lines: Sequence[Line], folder: Path, *, quick: bool, about: str) -> Path:
    """Write the index page: one line per target.

    Parameters
    ----------
    lines : sequence of (target, outcome, seconds)
    folder : pathlib.Path
    quick : bool
    about : str
        Versions and machine.

    Returns
    -------
    pathlib.Path
    """
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
    page = folder / "index.md"
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(page, "\n\n".join(out) + "\n")
    return page


def write_added(text: str | None, folder: Path) -> None:
    """Write what our semantics adds, if there is something to say."""
    if text is not None:
        write_whole(folder / "added.md", text)


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
    """Give the reason of a difference to follow the verdict, perhaps shortened; else nothing."""
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
        f"Not at hand, so not run: {', '.join(names)}. `orderless datasets` says which file to "
        "put where."
    )
