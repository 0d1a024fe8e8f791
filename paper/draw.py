"""Figures of the reproduction.

In:  tidy tables of the targets.
Out: matplotlib figures, in colours of Okabe and Ito, each line with a marker of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from orderless.output.plots import BLUE, DARK_GREY as GREY, ERROR_BAR, GREEN, ORANGE, VERMILION

from .protocol import published_name

__all__ = [
    "BLUE", "GREEN", "GREY", "ORANGE", "VERMILION", "costs", "coverage", "hyperparameters",
    "importance_curves", "panels", "rashomon_coverage", "sizes", "streed",
]  # fmt: skip

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


def _in_fours(n: int, *, width: float = 3.2, height: float = 2.6) -> tuple[Figure, Any]:
    """Make a figure of n panels, at most four in a row; the rest of its grid is not shown."""
    wide = max(1, min(4, n))
    figure, grid = panels(max(1, -(-n // wide)), wide, width=width, height=height)
    for ax in grid.ravel()[n:]:
        ax.set_visible(False)
    return figure, grid


def _framed(figure: Figure, grid: Any, *, x: str = "", y: str = "", legend: int = 4) -> Figure:
    """Name the axes at the left and at the bottom, and put one legend below all panels.

    The legend has ``legend`` columns; 0 for none.
    """
    for ax in grid[:, 0]:
        ax.set_ylabel(y)
    for ax in grid[-1]:
        ax.set_xlabel(x)
    if legend:
        handles, labels = grid[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=legend, frameon=False)
    return figure


def coverage(table: pd.DataFrame, by: str) -> Figure:
    """Draw shares of rows answered: one column of panels per data set, one row per value of ``by``.

    ``table`` has dataset, rate, way, semantics, answered, and ``by``.
    """
    names, kinds = list(table["dataset"].unique()), list(table[by].unique())
    folded = len(kinds) == 1 and len(names) > 4
    figure, grid = _in_fours(len(names)) if folded else panels(len(kinds), len(names))
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
    return _framed(figure, grid, x="probability of missing", y="share of rows answered")


def _mean(table: pd.DataFrame, column: str) -> tuple[Any, Any]:
    grouped = table.groupby("rate")[column]
    mean, n = grouped.mean(), grouped.size().min()
    return mean, (np.asarray(grouped.std(ddof=1)) / np.sqrt(n) if n > 1 else None)


POLICY = {
    "naive": ("naive", GREY), "path": ("path", VERMILION), "greedy": ("greedy", ORANGE),
    "q-learning": ("q-learning", GREEN), "optimal": ("optimal", BLUE),
}  # fmt: skip


def costs(table: pd.DataFrame) -> Figure:
    """Draw the mean cost of each policy, a panel per data set; lines: standard deviation.

    ``table`` has dataset, policy, semantics, release and cost; the paper's way of preparing the
    data and the aware semantics are drawn.
    """
    shown = table[(table["semantics"] == "aware") & ~table["release"].astype(bool)]
    names = list(shown["dataset"].unique())
    policies = [policy for policy in POLICY if policy in set(shown["policy"])]
    figure, grid = _in_fours(len(names), width=2.9, height=2.7)
    for name, ax in zip(names, grid.flat, strict=False):
        part = shown[shown["dataset"] == name].groupby("policy")["cost"]
        mean, deviation = part.mean(), part.std(ddof=1)
        ax.bar(
            range(len(policies)), mean[policies], color=[POLICY[p][1] for p in policies],
            yerr=deviation[policies], capsize=3, width=0.7, ecolor=ERROR_BAR,
        )  # fmt: skip
        ax.set(title=published_name(name), xticks=range(len(policies)))
        ax.set_xticklabels([POLICY[p][0] for p in policies], rotation=40, ha="right")
    return _framed(figure, grid, y="mean cost of an answer", legend=0)


def hyperparameters(table: pd.DataFrame, exact: pd.DataFrame) -> Figure:
    """Draw Q-learning's cost over its parameters, with the optimum as a line.

    ``table`` has dataset, semantics, alpha, gamma, exploration and cost; ``exact`` has the same
    trees under the optimal policy.
    """
    shown = table[table["semantics"] == "aware"]
    names, gammas = list(shown["dataset"].unique()), sorted(shown["gamma"].unique())
    figure, grid = panels(len(names), len(gammas), width=2.9, height=2.3)
    for i, name in enumerate(names):
        best = exact[(exact["dataset"] == name) & (exact["semantics"] == "aware")]["cost"].mean()
        for k, gamma in enumerate(gammas):
            ax = grid[i, k]
            part = shown[(shown["dataset"] == name) & (shown["gamma"] == gamma)]
            alphas = sorted(part["alpha"].unique())
            for j, (rate, lines) in enumerate(part.groupby("exploration")):
                cost = lines.groupby("alpha")["cost"]
                ax.bar(
                    np.arange(len(alphas)) + (j - 1) * 0.27, cost.mean(), 0.25,
                    yerr=cost.std(ddof=1), capsize=2, ecolor=ERROR_BAR,
                    color=(BLUE, ORANGE, GREEN)[j], label=f"exploration {rate:g}",
                )  # fmt: skip
            ax.axhline(best, color="black", linestyle="--", linewidth=1, label="optimal")
            ax.set(title=f"{published_name(name)}, gamma {gamma:g}", xticks=range(len(alphas)))
            ax.set_xticklabels([f"alpha {alpha:g}" for alpha in alphas])
    return _framed(figure, grid, y="mean cost")


def rashomon_coverage(table: pd.DataFrame) -> Figure:
    """Draw rows answered by some near-optimal tree, and the accuracy on them.

    ``table`` has dataset, rate, semantics, answered and accuracy.
    """
    names = list(table["dataset"].unique())
    figure, grid = _in_fours(len(names))
    for name, ax in zip(names, grid.flat, strict=False):
        for semantics, line in (("aware", "-"), ("independent", "--")):
            part = table[(table["dataset"] == name) & (table["semantics"] == semantics)]
            note = "" if semantics == "aware" else ", independent columns"
            for column, colour, marker in (("answered", BLUE, "o"), ("accuracy", ORANGE, "s")):
                mean, error = _mean(part, column)
                ax.errorbar(mean.index, mean, error, label=column + note, color=colour,
                            marker=marker, linestyle=line, markersize=4, capsize=2)  # fmt: skip
        ax.set(title=published_name(name), ylim=(0, 1.03))
    return _framed(figure, grid, x="probability of missing", y="share of rows")


def sizes(mean: pd.DataFrame) -> Figure:
    """Draw how many trees and functions the sets have, mean counts by data set, on a log axis."""
    shown = {
        "trees": ("all trees", GREY), "nontrivial": ("without trivial", ORANGE),
        "distinct_independent": ("functions, independent columns", VERMILION),
        "distinct_aware": ("functions of the features", BLUE),
    }  # fmt: skip
    figure, grid = panels(1, 1, width=8.4, height=3.6)
    ax = grid[0, 0]
    for k, (column, (label, colour)) in enumerate(shown.items()):
        ax.bar(
            np.arange(len(mean)) + (k - 1.5) * 0.2, mean[column], 0.19, label=label, color=colour
        )
    ax.set(yscale="log", ylabel="how many, mean of five folds", xticks=range(len(mean)))
    ax.set_xticklabels([published_name(str(name)) for name in mean.index], rotation=30, ha="right")
    ax.legend(frameon=False, ncols=2)
    return figure


def importance_curves(table: pd.DataFrame) -> Figure:
    """Draw cumulative distributions of importance, with duplicates and without.

    ``table`` has dataset, feature, ks and curves: per way the 1 % to 100 % quantiles.
    """
    lines = table.drop_duplicates(["dataset", "feature"]).to_dict("records")
    figure, grid = _in_fours(len(lines))
    share = np.arange(1, 101) / 100
    for line, ax in zip(lines, grid.flat, strict=False):
        for way, colour, style in (("original", GREY, "--"), ("corrected", BLUE, "-")):
            label = "with duplicates" if way == "original" else "each function once"
            ax.step(line["curves"][way], share, color=colour, linestyle=style, label=label)
        ax.set(title=f"{published_name(line['dataset'])}: {line['feature']}"[:34], ylim=(0, 1.02))
        ax.title.set_fontsize(9)
        ax.text(0.97, 0.05, f"KS {line['ks']:.3f}", transform=ax.transAxes, ha="right", fontsize=9)
    return _framed(figure, grid, x="importance", y="share of functions", legend=2)


def streed(table: pd.DataFrame) -> Figure:
    """Draw the cost of STreeD's trees under each policy, over the weight of the cost.

    ``table`` has dataset, streed_weight, policy and cost.
    """
    names, weights = list(table["dataset"].unique()), sorted(table["streed_weight"].unique())
    figure, grid = _in_fours(len(names), width=2.9, height=2.5)
    for name, ax in zip(names, grid.flat, strict=False):
        part = table[table["dataset"] == name]
        for k, (policy, (label, colour)) in enumerate(POLICY.items()):
            cost = part[part["policy"] == policy].groupby("streed_weight")["cost"]
            ax.bar(
                np.arange(len(weights)) + (k - 2) * 0.17, cost.mean(), 0.16, label=label,
                color=colour, yerr=cost.std(ddof=1), capsize=1.5, ecolor=ERROR_BAR,
            )  # fmt: skip
        ax.set(title=published_name(name), xticks=range(len(weights)))
        ax.set_xticklabels([f"{weight:g}" for weight in weights])
    return _framed(figure, grid, x="weight of the cost", y="mean cost of an answer", legend=5)
