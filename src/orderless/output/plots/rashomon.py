"""Pictures of a set: its sizes, its objectives, and a map of its functions.

In:  a ``TreeSet``, or a table of sizes.
Out: matplotlib Axes. Colours are those of Okabe and Ito or of viridis; what a colour says is also
     said by position, marker or words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidData
from ...inputs import generator
from ...model import drawn, short_count
from ...rashomon import disagreements
from .look import BLUE, GREEN, LIGHT_GREY, ORANGE, SKY, VERMILION, WHITE, axes_of

if TYPE_CHECKING:
    import pandas as pd

    from ...rashomon import TreeSet

__all__ = ["draw_sizes", "plot_map", "plot_objectives", "plot_sizes"]

# Column, name, colour, hatch.
SIZES = (
    ("trees", "trees", LIGHT_GREY, ""),
    ("nontrivial", "without trivial splits", ORANGE, "////"),
    ("distinct_independent", "functions, columns unrelated (the paper's)", SKY, ".."),
    ("distinct_aware", "functions of the features", BLUE, ""),
    ("distinct_rows", "ways to label the training rows", GREEN, "\\\\\\\\"),
)


def _axes(ax: Any, size: tuple[float, float] | None = None) -> Any:
    ax = axes_of(ax, size)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def draw_sizes(sizes: pd.DataFrame, ax: Any = None) -> Any:
    """Draw sizes as bars on a log axis, one group per data set.

    Parameters
    ----------
    sizes : pandas.DataFrame
        By data set, with the columns ``trees``, ``nontrivial``, ``distinct_independent``,
        ``distinct_aware`` and ``distinct_rows``.
    ax : matplotlib Axes, optional
        By default those of a new figure.
    """
    ax = _axes(ax, (8, 2.2 + 0.75 * len(sizes)))
    height = 0.8 / len(SIZES)
    place = np.arange(len(sizes))
    for k, (column, name, colour, hatch) in enumerate(SIZES):
        values = sizes[column].to_numpy(dtype=float)
        bars = ax.barh(place + (k - 2) * height, values, height, color=colour, hatch=hatch,
                       edgecolor=WHITE, linewidth=0.4, label=name)  # fmt: skip
        ax.bar_label(bars, labels=[f" {value:,.0f}" for value in values], fontsize=8)
    ax.set_yticks(place, [drawn(str(name)) for name in sizes.index])
    ax.set_ylim(len(sizes) - 0.5, -0.5)
    # Below the label, by so many lines: however high the Axes are, the two do not touch.
    ax.legend(frameon=False, fontsize=9, loc="upper center", bbox_to_anchor=(0.45, 0),
              borderaxespad=4.5, ncols=2)  # fmt: skip
    return _log_sizes(ax, float(sizes["trees"].max()))


def _log_sizes(ax: Any, largest: float) -> Any:
    ax.set_xscale("log")
    ax.set_xlim(left=0.7, right=max(10.0, largest * 10))
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("how many (log scale)")
    return ax


def plot_sizes(trees: TreeSet, ax: Any = None) -> Any:
    """Draw how many trees there are, and how many functions in each reading."""
    ax = _axes(ax)
    values = [
        trees.n_trees, trees.n_nontrivial, len(trees.functions("columns")), len(trees.functions()),
        len(trees.functions("rows")),
    ]  # fmt: skip
    for k, (value, (_, _, colour, hatch)) in enumerate(zip(values, SIZES, strict=True)):
        bars = ax.barh(k, float(value), 0.75, color=colour, hatch=hatch, edgecolor=WHITE,
                       linewidth=0.4)  # fmt: skip
        ax.bar_label(bars, labels=[f" {short_count(value)}"], fontsize=9)
    ax.set_yticks(range(len(SIZES)), [name.replace(", ", ",\n") for _, name, _, _ in SIZES])
    ax.set_ylim(len(SIZES) - 0.5, -0.5)
    _say_part(trees, ax)
    return _log_sizes(ax, float(max(values)))


def _say_part(trees: TreeSet, ax: Any) -> None:
    """Say above the axes that a set is incomplete."""
    if not trees.complete:
        ax.set_title("incomplete: a part of the set", fontsize=9, color=VERMILION)


def plot_objectives(trees: TreeSet, ax: Any = None) -> Any:
    """Draw how many trees have which objective, by their number of leaves.

    Parameters
    ----------
    ax : matplotlib Axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib Axes
    """
    from matplotlib import colormaps

    ax = _axes(ax)
    table = trees.counts()
    if table.empty:
        raise InvalidData("there is no tree in this view, so there is nothing to draw")
    low, high = float(trees.objective), float(trees.bound)
    width = max(high - low, 1e-9)
    edges = np.linspace(low, high, 31)
    # A tree on the bound, or on an edge, belongs to the bin on its left, whatever rounding does.
    at = np.clip(np.ceil((table["objective"] - low) / width * 30 - 1e-6).astype(int) - 1, 0, 29)
    bottom = np.zeros(30)
    leaves = sorted(table["leaves"].unique())
    colours = colormaps["viridis"](np.linspace(0.1, 0.9, len(leaves)))
    for colour, n in zip(colours, leaves, strict=True):
        chosen = (table["leaves"] == n).to_numpy()
        counts = np.zeros(30)
        np.add.at(counts, at[chosen], table["trees"][chosen].astype(float))
        name = "1 leaf" if n == 1 else f"{n} leaves"
        ax.bar(edges[:-1], counts, np.diff(edges), bottom=bottom, align="edge", color=colour,
               edgecolor=WHITE, linewidth=0.4, label=name)  # fmt: skip
        bottom += counts
    bound = f"bound:\n{short_count(trees.on_bound)} exactly on it"
    ax.axvline(high, color=VERMILION, linestyle="--", linewidth=1.2, label=bound)
    ax.set_ylim(0, bottom.max() * 1.05)
    ax.set(xlabel="objective", ylabel="trees")
    _say_part(trees, ax)
    # All words are in the legend, so that none can stand on another; beside the bars, where the
    # figure makes room for that.
    beside = {"loc": "center left", "bbox_to_anchor": (1, 0.5)}
    room = ax.figure.get_layout_engine() is not None
    ax.legend(frameon=False, fontsize=9, **(beside if room else {"loc": "best"}))
    return ax


def plot_map(trees: TreeSet, ax: Any = None, *, most: int = 1000, random_state: Any = 0) -> Any:
    """Place the functions so that those that disagree on more training rows lie farther apart.

    For regression, those whose numbers are farther apart on average.

    Parameters
    ----------
    ax : matplotlib Axes, optional
        By default those of a new figure.
    most : int
        Of more functions, the best and a uniform sample of the others are drawn; the title says so.
    random_state : int, RandomState, Generator or None
        Of the sample.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    Classical multidimensional scaling of the shares of training weight on which two functions
    differ, or of the mean absolute differences of their numbers: the picture that keeps these
    distances best, in the sense of their squares. The label of the axes says how much of them it
    keeps. The best function is a star.
    """
    ax = _axes(ax)
    trees._warn_of_part("plot_map")
    functions = trees.functions()
    n = len(functions)
    if n == 0:
        raise InvalidData("there is no tree in this view, so there is nothing to draw")
    chosen = np.arange(n)
    if n > most:
        rest = generator(random_state).choice(np.arange(1, n), size=most - 1, replace=False)
        chosen = np.concatenate([[0], np.sort(rest)])
    table = functions.take(chosen).table()
    places, kept = _scaled(disagreements(trees._problem, table.trees))
    objective = table.cost / table.unit
    # Functions that agree on every training row lie on one point.
    points, which = np.unique(places.round(9), axis=0, return_inverse=True)
    count = np.bincount(which.ravel())
    best = np.full(len(points), np.inf)
    np.minimum.at(best, which.ravel(), objective)
    order = np.argsort(-best)
    shown = ax.scatter(points[order, 0], points[order, 1], c=best[order], cmap="viridis_r",
                       s=14 + 10 * np.sqrt(count[order] - 1), linewidth=0.3,
                       edgecolor=WHITE)  # fmt: skip
    ax.scatter(*places[0], marker="*", s=170, color=VERMILION, edgecolor=WHITE, linewidth=0.7,
               label="the best function", zorder=3)  # fmt: skip
    ax.figure.colorbar(shown, ax=ax, label="objective (smaller is better)")
    some = "" if n <= most else f", {most:,} drawn"
    part = "" if trees.complete else ", of an incomplete set"
    ax.set_title(f"{n:,} functions{some}{part}", fontsize=11)
    what = "mean difference" if trees._problem.task == "regression" else "disagreement"
    ax.set(xlabel=f"distance: {what} on rows\n({kept:.0%} of it is in this plane)")
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.legend(frameon=False, fontsize=9, loc="best")
    return ax


def _scaled(distance: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Give places in the plane, and how much of the squared distances they keep."""
    n = len(distance)
    # Shares of differing rows are squared distances: each row where two differ adds its weight. So
    # are mean differences of numbers: each level between two numbers adds its row's weight.
    centre = np.eye(n) - 1 / n
    products = -0.5 * centre @ distance @ centre
    values, vectors = np.linalg.eigh(products)
    values, vectors = values[::-1], vectors[:, ::-1]
    positive = np.clip(values, 0, None)
    places = np.zeros((n, 2))
    for k in range(min(2, n)):
        column = vectors[:, k] * np.sqrt(positive[k])
        # An eigenvector's sign is arbitrary: the largest entry is made positive.
        places[:, k] = column * (1 if column[np.argmax(np.abs(column))] >= 0 else -1)
    total = positive.sum()
    return places, float(positive[:2].sum() / total) if total > 0 else 1.0
