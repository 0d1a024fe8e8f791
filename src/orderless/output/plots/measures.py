"""Measures of a tree or of many, drawn: coverage, and importance over orders and over models.

In:  ``Coverage``, ``ImportanceRange``, or a fitted ``RashomonImportance``.
Out: matplotlib Axes. Colours are those of Okabe and Ito; what a colour says is also said by
     position, by a marker, a hatch or the kind of line.
Paper: Sections 5 and 6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InvalidData
from ...estimators import Coverage
from ...importance import NEVER_OFFERED, Distribution, ImportanceRange
from ...inputs import some_names
from ...model import drawn
from .look import (
    BLUE,
    DARK_GREY,
    INK,
    LINE,
    LINES,
    ORANGE,
    PALE_BLUE,
    VERMILION,
    WHITE,
    axes_of,
    pale,
)

if TYPE_CHECKING:
    from ...importance import RashomonImportance

__all__ = [
    "draw_coverage",
    "draw_distributions",
    "draw_importance",
    "draw_thresholds",
    "draw_widths",
]

# What a way is called, with a colour, a marker and a kind of line of its own.
WAYS = {
    "determined": ("determined", BLUE, "o", "-"),
    "path": ("path known", VERMILION, "s", "--"),
    "features": ("all features known", DARK_GREY, "^", ":"),
}
MOST_NAMED = 4  # features that were never offered
MOST = {"box": 12, "cdf": 3, "violin": 12}
# Whether corrected, colour, hatch, kind of line, what it is.
SIDES = (
    (True, BLUE, "", "-", "each function once"),
    (False, ORANGE, "////", (0, (4, 2)), "each tree once"),
)

Pairs = dict[int, list[Distribution]]  # by row: each function once, each tree once


def draw_coverage(found: Coverage, ax: Any = None) -> Any:
    """Draw the share of rows answered; see ``Coverage.plot``."""
    ax = axes_of(ax)
    for way, (name, colour, marker, line) in WAYS.items():
        own = found.table[found.table["way"] == way]
        if not len(own):
            continue  # a sum of many trees has no path
        share = own.groupby("rate")["answered"]
        mean, n = share.mean(), int(share.size().min())
        error = np.asarray(share.std(ddof=1)) / np.sqrt(n) if n > 1 else None
        ax.errorbar(mean.index, mean, error, label=name, color=colour, marker=marker,
                    linestyle=line, markersize=5, capsize=3)  # fmt: skip
    unit = "features" if found.level == "feature" else "columns"
    ax.set(xlabel=f"share of {unit} missing", ylabel="share of rows answered", ylim=(0, 1.02))
    ax.legend(frameon=False)
    return ax


def draw_widths(found: Coverage, ax: Any = None) -> Any:
    """Draw the share of rows with an interval at most w wide, for every w; see ``Coverage.plot``.

    The more is missing, the paler the line.
    """
    ax = axes_of(ax)
    assert found.widths is not None
    table = found.widths.table
    finite = table["width"][np.isfinite(table["width"])]
    end = float(finite.max()) or 1.0
    rates = sorted(found.widths.rates)
    for i, rate in enumerate(rates):
        own = table[table["rate"] == rate]
        colour = pale(0, 1.0 - 0.65 * i / max(len(rates) - 1, 1))
        width = np.append(np.minimum(own["width"], end), 1.05 * end)
        share = np.append(own["share"], own["share"].iloc[-1])
        ax.step(width, share, where="post", color=colour, linewidth=1.8, label=f"{rate:g}")
        ax.plot(0, own["share"].iloc[0], marker="o", markersize=5, color=colour, clip_on=False,
                linestyle="none", zorder=3)  # fmt: skip
    unit = "features" if found.level == "feature" else "columns"
    ax.set(xlabel="width of the interval, at most", ylabel="share of rows", ylim=(0, 1.02),
           xlim=(0, 1.05 * end))  # fmt: skip
    ax.legend(frameon=False, title=f"share of\n{unit}\nmissing", loc="center left", fontsize=9,
              bbox_to_anchor=(1, 0.5))  # fmt: skip
    return ax


def draw_thresholds(table: Any, label: str, missing_rate: float, axes: Any = None) -> Any:
    """Draw rules, certainty and cost against a risk threshold; see ``RiskThresholds.plot``.

    A measure has one value from just above one share of a leaf up to the next.
    """
    measures = [
        ("rules", "rules", BLUE),
        ("certain", f"certain with\n{missing_rate:.0%} missing", VERMILION),
        *([("cost", "average cost", DARK_GREY)] if "cost" in table else []),
    ]
    if axes is None:
        from matplotlib import pyplot

        size = (6.4, 0.9 + 1.55 * len(measures))
        axes = pyplot.subplots(len(measures), figsize=size, sharex=True, layout="constrained")[1]
    elif len(axes) != len(measures):
        raise ValueError(f"axes must be {len(measures)} Axes, one below the other, got {len(axes)}")
    edges = np.append(0.0, table["probability"])
    for ax, (name, words, colour) in zip(axes, measures, strict=True):
        ax.stairs(table[name], edges, color=colour, linewidth=1.8, baseline=None)
        ax.plot(table["probability"], table[name], linestyle="none", marker="o", markersize=4,
                color=colour, clip_on=False)  # fmt: skip
        ax.set(ylabel=words, ylim=(0, (1.02 if name == "certain" else
                                       1.08 * max(float(table[name].max()), 1e-9))))  # fmt: skip
    axes[-1].set(xlim=(0, 1), xlabel=f"risk of {drawn(label)} from which on the decision is yes")
    return axes


def draw_importance(found: ImportanceRange, ax: Any = None, *, most: int = 20) -> Any:
    """Draw each feature's range as a bar; see ``ImportanceRange.plot``."""
    ax = axes_of(ax)
    by_mean = np.argsort(-found.mean, kind="stable")
    order = [i for i in by_mean if found.importance[i] > 0 or found.high[i] > 0][:most]
    y = np.arange(len(order))
    low, high = found.low[order], found.high[order]
    ax.barh(y, high - low, left=low, height=0.5, color=PALE_BLUE, edgecolor=BLUE, linewidth=1.0,
            label="all equivalent trees")  # fmt: skip
    ax.plot(found.mean[order], y, linestyle="none", marker="|", markersize=15, color=BLUE,
            markeredgewidth=2.5, label="their mean")  # fmt: skip
    ax.plot(found.importance[order], y, linestyle="none", marker="D", markersize=6,
            color=VERMILION, clip_on=False, label="this tree")  # fmt: skip
    ax.set_yticks(y, [drawn(found.features[i]) for i in order])
    ax.invert_yaxis()
    ax.set_xlim(left=0)
    share = "share of the " if found.normalized else ""
    ax.set_xlabel(f"{share}{found.criterion} importance")
    *marks, bars = ax.get_legend_handles_labels()[0]
    ax.legend(handles=[bars, *marks], frameon=False)
    return ax


def draw_distributions(
    found: RashomonImportance, kind: str, features: Any, ax: Any, pooled: bool | None
) -> Any:
    """Draw the distributions of some features."""
    if kind not in MOST:
        raise ValueError(f"kind must be one of {tuple(MOST)}, got {kind!r}")
    names, left_out = _chosen(found, features, MOST[kind], pooled)
    ax = axes_of(ax, (7.0, 4.4 if kind == "cdf" else 1.6 + 0.55 * len(names)))
    ax.spines[["top", "right"]].set_visible(False)
    offered = dict(zip(found.features_, found.offered_.tolist(), strict=True))
    # By row; none for a feature that was never offered.
    pairs = {
        row: [found._distribution(name, corrected, pooled) for corrected, *_ in SIDES]
        for row, name in enumerate(names)
        if offered[name]
    }
    if kind == "cdf":
        if pairs:
            _steps(ax, names, pairs)
    else:
        ax.axvline(0, color=LINE, linewidth=1, zorder=0)
        if pairs:
            (_boxes if kind == "box" else _violins)(ax, pairs)
        ax.use_sticky_edges = False  # boxes that begin at 0 keep some room, too
        ax.margins(x=0.03)
        labels = [drawn(name) + ("" if offered[name] else f" ({NEVER_OFFERED})") for name in names]
        ax.set_yticks(range(len(names)), labels)
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.tick_params(axis="y", length=0)
        handles, labels = ax.get_legend_handles_labels()
        first = dict(zip(labels, handles, strict=True))
        ax.legend(first.values(), first.keys(), frameon=False, fontsize=9, ncols=2,
                  loc="lower left", bbox_to_anchor=(0, 1))  # fmt: skip
    unit = "column" if found.by == "column" else "feature"
    lost = "accuracy lost"
    if found.loss != "errors":
        lost = f"mean {found.loss} error added"
    words = f"{lost} without the {unit}"
    more = f"\n{left_out} less important {unit}{'s' * (left_out > 1)} not shown" if left_out else ""
    missing = [drawn(name) for name in found.features_ if not offered[name]]
    if missing:
        more += f"\n{NEVER_OFFERED} to any tree: {some_names(missing, MOST_NAMED)}"
    ax.set_xlabel(words + more)
    return ax


def _chosen(
    found: RashomonImportance, features: Any, most: int, pooled: bool | None
) -> tuple[list[str], int]:
    """Give the names to draw, and how many features of some importance are left out."""
    if features is not None:
        given = [features] if isinstance(features, str | int) else list(features)
        if not given:
            raise InvalidData("features is empty: name some, or leave it out to draw the first")
        return [found.features_[found._position(feature)] for feature in given], 0
    table = found.summary(pooled=pooled)
    table = table[table["note"] != NEVER_OFFERED]
    some = table["feature"][(table["min"] != 0) | (table["max"] != 0)].tolist()
    some = some or table["feature"].tolist()[:1]
    return some[:most], max(0, len(some) - most)


def _boxes(ax: Any, pairs: Pairs) -> None:
    for i, pair in pairs.items():
        for (_, colour, hatch, _, name), one, at in zip(SIDES, pair, (-0.17, 0.17), strict=True):
            y = i + at
            low, first, middle, third, high = one.quantile([0.05, 0.25, 0.5, 0.75, 0.95])
            ax.plot([low, high], [y, y], color=INK, linewidth=1, zorder=1)
            for end in (low, high):
                ax.plot([end, end], [y - 0.07, y + 0.07], color=INK, linewidth=1, zorder=1)
            ax.barh(y, third - first, 0.27, first, color=colour, hatch=hatch, edgecolor=INK,
                    linewidth=0.8, label=name, zorder=2)  # fmt: skip
            ax.plot([middle, middle], [y - 0.135, y + 0.135], color=INK, linewidth=2.4, zorder=3)
            ax.plot(one.mean, y, marker="o", markersize=4.5, markerfacecolor=WHITE,
                    markeredgecolor=INK, linestyle="none", zorder=4)  # fmt: skip


def _violins(ax: Any, pairs: Pairs) -> None:
    from scipy.ndimage import gaussian_filter1d

    low = min(one.values[0] for pair in pairs.values() for one in pair)
    high = max(one.values[-1] for pair in pairs.values() for one in pair)
    room = max(high - low, 1e-3) * 0.04
    edges = np.linspace(low - room, high + room, 241)
    middle = (edges[1:] + edges[:-1]) / 2
    for i, pair in pairs.items():
        dense = [
            gaussian_filter1d(np.histogram(one.values, edges, weights=one.weights)[0], 2.5)
            for one in pair
        ]
        tallest = max(part.max() for part in dense)
        for (_, colour, hatch, _, name), one, part, up in zip(
            SIDES, pair, dense, (-1, 1), strict=True
        ):
            # Heights are square roots: a large share at 0 would hide all others.
            tall = np.sqrt(part / tallest) * 0.42
            shown = tall > 0.004
            ax.fill_between(middle, i, i + up * tall, where=shown, facecolor=colour,
                            hatch=hatch, edgecolor=INK, linewidth=0.5, label=name)  # fmt: skip
            ax.plot(one.mean, i + up * 0.07, marker="o", markersize=4.5, markerfacecolor=WHITE,
                    markeredgecolor=INK, linestyle="none", zorder=4)  # fmt: skip


def _steps(ax: Any, names: list[str], pairs: Pairs) -> None:
    low = min(0.0, *(one.values[0] for pair in pairs.values() for one in pair))
    high = max(one.values[-1] for pair in pairs.values() for one in pair)
    room = max(high - low, 1e-3) * 0.04
    for i, pair in pairs.items():
        for (_, _, _, line, name), one in zip(SIDES, pair, strict=True):
            colour, words = LINES[i % len(LINES)], f"{drawn(names[i])}: {name}"
            values = np.concatenate([[low - room], one.values, [high + room]])
            shares = np.concatenate([[0.0], one.shares, [1.0]])
            ax.step(values, shares, where="post", color=colour, linestyle=line, linewidth=1.8,
                    label=words)  # fmt: skip
    ax.set_xlim(low - room, high + room)
    ax.set_ylim(0, 1.02)
    ax.set_ylabel("share of models")
    handles, labels = ax.get_legend_handles_labels()  # filled by column: functions, then trees
    ax.legend(handles[::2] + handles[1::2], labels[::2] + labels[1::2], frameon=False, fontsize=9,
              ncols=2, loc="lower left", bbox_to_anchor=(0, 1))  # fmt: skip
