"""Quality as people read it: the confusion matrix and what follows from it, as text and Markdown.

In:  ``Judged``: a ``Quality`` and which rows it is about.
Out: text of a few lines, Markdown, or what JSON can hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...estimators import Quality
from ...model import label_text, printable
from ..rules.text import escaped, markdown_table, text_table, wrapped

__all__ = [
    "HEAD",
    "Judged",
    "matrix",
    "percent",
    "quality_as_markdown",
    "quality_as_text",
    "summary",
]

MOST_CLASSES = 12  # with more the confusion matrix is wider than a page
HEAD = "How well it predicts"


@dataclass(frozen=True)
class Judged:
    """A quality, of which rows ("test rows"), and more in a sentence; by fold the accuracies."""

    rows: str
    quality: Quality
    note: str = ""
    accuracies: tuple[float, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Give everything as what JSON can hold."""
        out = {"of": self.rows, **self.quality.to_dict()}
        return {**out, "accuracies": list(self.accuracies)} if self.accuracies else out


def percent(part: float, whole: int) -> str:
    """Write a share; "100%" and "0%" only if exact.

    Examples
    --------
    >>> percent(9999, 10000), percent(1, 3), percent(1, 9999), percent(0, 0)
    ('>99.9%', '33.3%', '<0.1%', '')
    """
    if not whole:
        return ""
    text = f"{part / whole:.1%}"
    if text == "100.0%" and part < whole:
        return ">99.9%"
    return "<0.1%" if text == "0.0%" and part else text


def summary(judged: Judged, show: Callable[[str], str] = str) -> str:
    """Say how many rows are right, and how many would be by always saying the same class.

    ``show`` escapes names and labels.
    """
    found = judged.quality
    what = show(printable(judged.rows[:1].upper() + judged.rows[1:]))
    if found.majority is None:
        return f"{what}: none has a class."
    most = max(found.rows_of.values())
    text = (
        f"{what}: {found.n_right:,} of {found.n_rows:,} are right "
        f"({percent(found.n_right, found.n_rows)}); always saying "
        f"{show(label_text(found.majority))} would be right for {percent(most, found.n_rows)}."
    )
    if found.n_undetermined:
        n = found.n_undetermined
        text += f" {n:,} {'is' if n == 1 else 'are'} not determined, and not counted as right."
    if found.n_unlabelled:
        text += f" {found.n_unlabelled:,} more without a class are left out."
    if judged.accuracies:
        low, high = min(judged.accuracies), max(judged.accuracies)
        text += f" By fold {low:.1%} to {high:.1%}."
    return text + (f" {judged.note}" if judged.note else "")


def matrix(found: Quality) -> tuple[list[str], list[list[str]]]:
    """Give the heading and the lines of the table: one line per true class."""
    wide = len(found.classes) > MOST_CLASSES
    gone = found.n_undetermined > 0
    predicted = [] if wide else [f"predicted {label_text(label)}" for label in found.classes]
    heading = ["true class", "rows", *predicted, *["not determined"] * gone,
               "sensitivity", "specificity"]  # fmt: skip
    lines = []
    for i, label in enumerate(found.classes):
        rows = found.rows_of[label]
        lines.append([
            label_text(label), f"{rows:,}",
            *([] if wide else [f"{n:,}" for n in found.counts[i]]),
            *[f"{found.undetermined[i]:,}"] * gone,
            _share(found.sensitivity[label], rows),
            _share(found.specificity[label], found.n_rows - rows),
        ])  # fmt: skip
    return heading, lines


def _share(value: float | None, whole: int) -> str:
    return "" if value is None else percent(round(value * whole), whole)


def quality_as_text(judged: Sequence[Judged]) -> str:
    """Write a block per set of rows.

    Examples
    --------
    >>> found = Quality(("ill", "well"), ((3, 1), (0, 4)), (0, 0))
    >>> print(quality_as_text([Judged("test rows", found)]))
    How well it predicts
    Test rows: 7 of 8 are right (87.5%); always saying ill would be right for 50.0%.
    <BLANKLINE>
    true class  rows  predicted ill  predicted well  sensitivity  specificity
    ill            4              3               1        75.0%       100.0%
    well           4              0               4       100.0%        75.0%
    """
    blocks = []
    for one in judged:
        heading, lines = matrix(one.quality)
        table = text_table(heading, lines, right=[False, *[True] * (len(heading) - 1)])
        blocks.append("\n".join([*wrapped(summary(one)), "", table]))
    return f"{HEAD}\n" + "\n\n".join(blocks)


def quality_as_markdown(judged: Sequence[Judged]) -> str:
    """Write a table per set of rows."""
    blocks = [f"**{HEAD}**"]
    for one in judged:
        heading, lines = matrix(one.quality)
        cells = [[*map(escaped, line)] for line in [heading, *lines]]
        right = [False, *[True] * (len(heading) - 1)]
        table = markdown_table(cells[0], cells[1:], right=right)
        blocks.append(f"{summary(one, escaped)}\n\n{table}")
    return "\n\n".join(blocks)
