"""Figures of the reproduction.

In:  tidy tables of the targets.
Out: matplotlib figures, in colours of Okabe and Ito, each line with a marker of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from .protocol import published_name

__all__ = ["BLUE", "GREY", "ORANGE", "VERMILION", "coverage", "panels"]

BLUE, ORANGE, VERMILION, GREY, GREEN = "#0072B2", "#E69F00", "#D55E00", "#595959", "#009E73"
LINES = {
    ("determined", "aware"): ("determined", BLUE, "o", "-"),
    ("determined", "independent"): ("determined, independent columns", BLUE, "o", "--"),
    ("path", "independent"): ("path known", VERMILION, "s", "--"),
    ("features", "independent"): ("all features known", GREY, "^", ":"),
}


def panels(
    rows: int, columns: int, *, width: float = 3.2, height: float = 2.6
) -> tuple[Figure, Any]:
    """Make a figure without a window, and its grid of axes."""
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def coverage(table: pd.DataFrame, by: str) -> Figure:
    """Draw shares of rows answered: one column of panels per data set, one row per value of ``by``.

    Parameters
    ----------
    table : DataFrame
        With dataset, rate, way, semantics, answered, and ``by``.
    by : str

    Returns
    -------
    Figure
    """
    names, kinds = list(table["dataset"].unique()), list(table[by].unique())
    folded = len(kinds) == 1 and len(names) > 4
    shape = (-(-len(names) // 4), 4) if folded else (len(kinds), len(names))
    figure, grid = panels(*shape)
    for i, name in enumerate(names):
        for k, kind in enumerate(kinds):
            ax = grid[i // 4, i % 4] if folded else grid[k, i]
            part = table[(table["dataset"] == name) & (table[by] == kind)]
            for (way, semantics), (label, colour, marker, line) in LINES.items():
                share = part[(part["way"] == way) & (part["semantics"] == semantics)]
                mean, error = _mean(share, "answered")
                ax.errorbar(mean.index, mean, error, label=label, color=colour, marker=marker,
                            linestyle=line, markersize=4, capsize=2, linewidth=1.2)  # fmt: skip
            extra = "" if len(kinds) == 1 else f", {by.replace('max_', '')} {kind}"
            ax.set(title=published_name(name) + extra, ylim=(0, 1.03), xlim=(0.05, 0.95))
    for ax in grid.ravel()[len(names) * len(kinds) :]:
        ax.set_visible(False)
    for ax in grid[:, 0]:
        ax.set_ylabel("share of rows answered")
    for ax in grid[-1]:
        ax.set_xlabel("probability of missing")
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return figure


def _mean(table: pd.DataFrame, column: str) -> tuple[Any, Any]:
    grouped = table.groupby("rate")[column]
    mean, n = grouped.mean(), grouped.size().min()
    return mean, (np.asarray(grouped.std(ddof=1)) / np.sqrt(n) if n > 1 else None)
