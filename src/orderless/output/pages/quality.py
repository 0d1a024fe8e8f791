"""Quality as people read it: the confusion matrix and what follows from it, as text and Markdown.

In:  ``Judged``: a ``Quality`` and which rows it is about; ``JudgedNumbers``: likewise a
     ``Deviation``, of how far numbers are from the truth.
Out: text of a few lines, Markdown, or what JSON can hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...estimators import Deviation, Quality
from ...model import label_text, printable
from ..rules.text import escaped, markdown_table, text_table, wrapped

__all__ = [
    "HEAD",
    "Judged",
    "JudgedNumbers",
    "deviation_as_markdown",
    "deviation_as_text",
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


@dataclass(frozen=True)
class JudgedNumbers:
    """A deviation, of which rows ("test rows"), and more in a sentence; by fold the errors."""

    rows: str
    quality: Deviation
    note: str = ""
    errors: tuple[float, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Give everything as what JSON can hold."""
        out = {"of": self.rows, **self.quality.to_dict()}
        return {**out, "mean_absolute_errors": list(self.errors)} if self.errors else out


def _summary(judged: JudgedNumbers, show: Callable[[str], str] = str) -> str:
    """Say how far off the tree is, and how far always saying the mean would be."""
    found = judged.quality
    what = show(printable(judged.rows[:1].upper() + judged.rows[1:]))
    if found.absolute is None or found.mean is None:
        text = f"{what}: none has a number that can be compared."
    else:
        rows = "1 row" if found.n_rows == 1 else f"{found.n_rows:,} rows"
        text = (
            f"{what}: off by {found.absolute:.4g} on average over {rows} (root mean square "
            f"{found.root_mean_square:.4g}); always saying their mean, {found.mean:.4g}, would be "
            f"off by {found.absolute_of_mean:.4g} ({found.root_mean_square_of_mean:.4g})."
        )
    if n := found.n_undetermined:
        text += f" {n:,} more {'is' if n == 1 else 'are'} not determined, and left out."
    if n := found.n_unlabelled:
        text += f" {n:,} more without a number {'is' if n == 1 else 'are'} left out."
    if judged.errors:
        text += f" By fold {min(judged.errors):.4g} to {max(judged.errors):.4g}."
    return text + (f" {judged.note}" if judged.note else "")


def deviation_as_text(judged: Sequence[JudgedNumbers]) -> str:
    """Write a sentence per set of rows.

    Examples
    --------
    >>> found = Deviation((1.0, 2.0, 6.0), (1.5, 1.5, 6.0), 1)
    >>> print(deviation_as_text([JudgedNumbers("test rows", found)]).replace(" on average", ""))
    How well it predicts
    Test rows: off by 0.3333 over 3 rows (root mean square 0.4082); always saying their mean,
      3, would be off by 2 (2.16). 1 more is not determined, and left out.
    """
    return f"{HEAD}\n" + "\n\n".join("\n".join(wrapped(_summary(one))) for one in judged)


def deviation_as_markdown(judged: Sequence[JudgedNumbers]) -> str:
    """Write a paragraph per set of rows."""
    return "\n\n".join([f"**{HEAD}**", *(_summary(one, escaped) for one in judged)])
