"""The report's sections where a tree says numbers: other measures, and other words for them.

In:  ``Subject`` of a regression tree.
Out: ``Section``: how far the numbers are off, and how wide intervals are where values are missing.
"""

from __future__ import annotations

from typing import Any

from ...estimators import Deviation, coverage
from ...model import amount
from ..plots.measures import draw_coverage, draw_widths
from .quality import HEAD
from .subject import Heading, Part, Section, Subject, Table, picture

__all__ = ["explained", "missing", "off_by", "quality"]

SHOWN = (0.1, 0.3, 0.5)  # shares of features missing, in tables
PARTS = (0.1, 0.25, 0.5)  # widths of intervals, of the range of the tree's numbers


def off_by(found: Deviation) -> str:
    """Write the mean absolute error."""
    return "" if found.absolute is None else amount(found.absolute)


def explained(found: Deviation) -> str:
    """Write R squared, the share of the variance of the true numbers that the tree explains."""
    share = _explained(found)
    return "" if share is None else f"{share:.3f}"


def _explained(found: Deviation) -> float | None:
    rest, whole = found.root_mean_square, found.root_mean_square_of_mean
    return None if rest is None or not whole else 1.0 - (rest / whole) ** 2


def quality(subject: Subject) -> Section:
    """Say how far the tree's numbers are from the true ones."""
    judged = {
        f"{subject.which_rows} (those of this report)": subject.deviation,
        **subject.held_out_numbers,
    }
    lead = (
        "R² is the share of the variance of the true numbers that the tree explains: 1 if it is "
        "never off, 0 if it is no better than always saying their mean, below 0 if it is worse. "
        "The errors are also shown for always saying the mean."
    )
    head = ("rows", "how many", "R²", "mean absolute error", "mean squared error",
            "always the mean: absolute", "always the mean: squared")  # fmt: skip
    lines = [
        (name, found.n_rows, explained(found), off_by(found), _squared(found.root_mean_square),
         "" if found.absolute_of_mean is None else amount(found.absolute_of_mean),
         _squared(found.root_mean_square_of_mean))
        for name, found in judged.items()
    ]  # fmt: skip
    return Section("quality", HEAD, lead, [Table(head, lines)])


def _squared(root: float | None) -> str:
    return "" if root is None else amount(root * root)


def missing(subject: Subject) -> Section:
    """Draw how wide the intervals of rows are when values are missing."""
    title = "With missing values"
    tree = subject.tree
    if not tree.features:
        return Section("missing", title, "The tree has no splits: every answer is certain.")
    found = coverage(tree, subject.X, y=subject.y, n_repeats=5, random_state=subject.random_state)
    assert found.widths is not None
    parts: list[Part] = []
    alt = (
        "Share of rows whose interval of possible numbers is at most so wide, for every width, a "
        "line for each share of features missing; the dots are the rows that are certain."
    )
    with picture(alt, parts) as ax:
        draw_widths(found, ax)
    wide = float(tree.numbers[-1]) - float(tree.numbers[0])
    tolerance = {part * wide: found.widths.within(part * wide) for part in PARTS}
    mean = found.table.groupby(["way", "rate"])["answered"].mean()
    lines: list[tuple[Any, ...]] = [_line("the number is certain", mean["determined"])]
    lines += [
        _line(f"the interval is at most {amount(width)} wide", shares)
        for width, shares in tolerance.items()
    ]
    lines += [
        _line("every value on the tree's path is known", mean["path"]),
        _line("every value that the tree uses is known", mean["features"]),
    ]
    shares = Table(("share of features missing", *(f"{rate:.0%}" for rate in SHOWN)), lines)
    ways: list[Part] = []
    alt = (
        "Share of rows whose number is certain against the share of features missing, beside "
        "those for which all values are known."
    )
    with picture(alt, ways) as ax:
        draw_coverage(found, ax)
    lead = (
        "Where values are missing, every way to fill them in gives some number: the smallest and "
        "the largest of them are the ends of the row's interval, and the number is certain where "
        f"they are equal. The tree's numbers are {amount(wide)} apart at most. Here, values were "
        "removed at random from the rows of this report."
    )
    return Section(
        "missing", title, lead, [*parts, shares, Heading("Rows whose number is certain"), *ways]
    )


def _line(name: str, shares: Any) -> tuple[str, ...]:
    return (name, *(f"{shares[rate]:.1%}" for rate in SHOWN))
