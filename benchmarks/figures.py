"""How a cost grows: one figure per capability, a panel per thing that grows, all axes logarithmic.

In:  what the benchmarks measured, or what stopped a peer.
Out: an SVG beside this file, and the same in words, as its alternative text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orderless.output.plots import BLUE, LETTERS, LINE

from .timing import NOT_INSTALLED, Failed, Unfinished, now, seconds

HERE = Path(__file__).parent
OURS = "orderless"
# Ours is always the same blue; colours that the colour-blind tell apart, dark enough for letters.
# Markers differ too.
PEERS = tuple(zip(LETTERS, "s^DvP", strict=True))


@dataclass
class Panel:
    """One thing that grows, and the time of each way to do the work."""

    x: str
    what: str
    lines: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    stopped: dict[str, tuple[float, Unfinished | Failed]] = field(default_factory=dict)

    def add(self, line: str, x: float, value: Any) -> None:
        """Add seconds, or what a peer gave instead; what is neither is left out."""
        if isinstance(value, tuple):
            value = value[0]
        if isinstance(value, float):
            self.lines.setdefault(line, []).append((x, value))
        elif isinstance(value, Unfinished | Failed):
            self.stopped.setdefault(line, (x, value))

    @property
    def pace(self) -> str:
        """How ours grows at the end: the power over the last factor of ten, or per level."""
        points = self.lines.get(OURS, [])
        if len(points) < 2:
            return ""
        (far, long) = points[-1]
        if self.x == "depth":
            near, short = points[-2]
            return f"{(long / short) ** (1 / (far - near)):.2g}x per level at the end"
        near, short = next(
            (p for p in reversed(points[:-1]) if p[0] <= far / 9.9), points[0]
        )  # fmt: skip
        power = math.log(long / short) / math.log(far / near)
        return f"power {power:.2g} from {number(near)} to {number(far)}"

    def __str__(self) -> str:
        said = []
        for line, points in self.lines.items():
            (a, first), (b, last) = points[0], points[-1]
            said.append(f"{line} {seconds(first)} at {number(a)}, {seconds(last)} at {number(b)}")
        said += [f"{line} at {number(x)}: {why}" for line, (x, why) in self.stopped.items()]
        pace = f"; {OURS}: {self.pace}" if self.pace else ""
        return f"By {self.x} ({self.what}): {'; '.join(said)}{pace}."


@dataclass
class Figure:
    """Panels side by side, on one scale of time."""

    name: str
    time: str
    notes: Sequence[str] = ()
    panels: list[Panel] = field(default_factory=list)

    def panel(self, x: str, what: str) -> Panel:
        self.panels.append(Panel(x, what))
        return self.panels[-1]

    @property
    def path(self) -> Path:
        return HERE / f"{self.name}-growth.svg"

    def __str__(self) -> str:
        words = " ".join(map(str, self.panels))
        return "\n".join([
            "### Growth", "", f"![{self.time}, on log axes. {words}]({self.path.name})",
            *(f"\n{note}" for note in self.notes),
        ])  # fmt: skip

    def draw(self, path: Path | None = None) -> None:
        import matplotlib as mpl

        now(f"drawing {self.path.name}")
        look = {
            "svg.hashsalt": "orderless", "svg.fonttype": "none", "font.size": 9,
            "font.sans-serif": ["DejaVu Sans"], "axes.titlesize": 9, "path.simplify": True,
        }  # fmt: skip
        with mpl.rc_context(look):
            self._draw(path or self.path)

    def _draw(self, path: Path) -> None:
        from matplotlib.figure import Figure as Sheet

        panels = [panel for panel in self.panels if panel.lines]
        rows = math.ceil(len(panels) / 2)
        high = 2.75 * rows
        sheet = Sheet(figsize=(9.4, high), facecolor="white")
        sheet.subplots_adjust(
            left=0.088, right=0.872, wspace=0.54, hspace=0.62,
            bottom=0.55 / high, top=1 - 0.42 / high,
        )  # fmt: skip
        every = [t for panel in panels for points in panel.lines.values() for _, t in points]
        ends = [why for panel in panels for _, why in panel.stopped.values()]
        every += [why.limit for why in ends if isinstance(why, Unfinished)]
        names = [line for panel in panels for line in (*panel.lines, *panel.stopped)]
        peers = list(dict.fromkeys(name for name in names if name != OURS))
        for i, panel in enumerate(panels):
            axes = sheet.add_subplot(rows, 2, i + 1)
            _panel(axes, panel, peers, (min(every) / 1.6, max(every) * 1.6))
            axes.set_title(panel.what, loc="left", x=-0.09, pad=8)
            if i % 2 == 0:
                axes.set_ylabel(self.time)
        sheet.savefig(path, format=path.suffix[1:], metadata=_NO_DATE.get(path.suffix), dpi=110)


_NO_DATE = {".svg": {"Date": None, "Creator": None}}


def number(x: float) -> str:
    """Write a size for people: 1,000 and 0.02."""
    return f"{x:,.0f}" if x >= 1 else f"{x:g}"


def _panel(axes: Any, panel: Panel, peers: list[str], span: tuple[float, float]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(*span)
    places = sorted({x for points in panel.lines.values() for x, _ in points}
                    | {x for x, _ in panel.stopped.values()})  # fmt: skip
    axes.set_xlim(places[0] / 1.08, places[-1] * 1.08)
    axes.set_xticks(*_ticks(places))
    axes.set_xticks([], minor=True)
    axes.yaxis.set_major_locator(LogLocator(numticks=8))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda t, _: seconds(float(t) * (1 + 1e-9))))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.tick_params(length=3, width=0.6, labelsize=8)
    axes.grid(axis="y", color=LINE, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel(panel.x, labelpad=2)
    if panel.pace:
        axes.annotate(
            f"{OURS}: {panel.pace}", (1, 0), (0, -31), xycoords="axes fraction",
            textcoords="offset points", ha="right", va="top", color=BLUE, fontsize=7.5,
        )  # fmt: skip
    labels = []
    for line in dict.fromkeys((*panel.lines, *panel.stopped)):
        ours = line == OURS
        colour, marker = (BLUE, "o") if ours else PEERS[peers.index(line) % len(PEERS)]
        points = panel.lines.get(line, [])
        axes.plot(
            [x for x, _ in points], [t for _, t in points], marker=marker, color=colour,
            linewidth=2.2 if ours else 1.3, markersize=4.5 if ours else 4, zorder=4 if ours else 3,
            clip_on=False,
        )  # fmt: skip
        text, end = line, points[-1] if points else None
        if line in panel.stopped:
            x, why = panel.stopped[line]
            if isinstance(why, Failed) and why.message == NOT_INSTALLED:
                text += f":\n{NOT_INSTALLED}"
            else:
                text += f":\n{_stop(why)}"
                at = (x, why.limit if isinstance(why, Unfinished) else span[1] / 1.3)
                from_ = points[-1] if points else at
                axes.plot(
                    [from_[0], at[0]], [from_[1], at[1]], color=colour, linewidth=1.1,
                    linestyle=(0, (2, 2)), zorder=2, clip_on=False,
                )  # fmt: skip
                axes.plot(*at, marker="x", markersize=6, markeredgewidth=1.6, color=colour,
                          clip_on=False)  # fmt: skip
                end = at
        labels.append((end or (places[-1], span[0] * 1.5), text, colour, ours))
    _label(axes, labels, places[-1])


def _stop(why: Unfinished | Failed) -> str:
    return f"not in {why.limit:g} s" if isinstance(why, Unfinished) else why.message[:24]


def _label(axes: Any, labels: list[Any], last: float) -> None:
    """Names at the right edge, level with their line's end and pushed apart, with a thin leader."""
    low, high = (math.log(t) for t in axes.get_ylim())
    bounds = axes.get_position()
    points = bounds.height * axes.figure.get_size_inches()[1] * 72

    def level(t: float) -> float:
        return (math.log(t) - low) / (high - low) * points

    order = sorted(labels, key=lambda label: level(label[0][1]))
    sizes = [9.5 * (label[1].count("\n") + 1) for label in order]
    at = [level(label[0][1]) for label in order]
    for _ in range(200):  # push neighbours apart until none overlap
        moved = False
        for i in range(len(at) - 1):
            need = (sizes[i] + sizes[i + 1]) / 2 + 1
            lack = need - (at[i + 1] - at[i])
            if lack > 0.01:
                at[i], at[i + 1], moved = at[i] - lack / 2, at[i + 1] + lack / 2, True
        over = max(0.0, at[-1] + sizes[-1] / 2 - points - 6)
        under = max(0.0, sizes[0] / 2 - 6 - at[0])
        at[-1], at[0] = at[-1] - over, at[0] + under
        if not moved and over + under < 0.01:
            break
    for y, (end, text, colour, ours) in zip(at, order, strict=True):
        axes.annotate(
            text, xy=end, xytext=(1.055, y / points), textcoords="axes fraction", color=colour,
            fontsize=8, va="center", ha="left", linespacing=0.95, annotation_clip=False,
            fontweight="bold" if ours else "normal",
            arrowprops={
                "arrowstyle": "-", "color": colour, "linewidth": 0.5, "alpha": 0.55,
                "shrinkA": 1, "shrinkB": 3, "relpos": (0, 0.5),
            },
        )  # fmt: skip


def _ticks(places: list[float]) -> tuple[list[float], list[str]]:
    """The sizes that were measured, as many as there is room for; of many the powers of ten."""
    kept: list[tuple[float, str]] = []
    whole = math.log(places[-1] / places[0]) or 1.0
    if len(places) > 9:
        low, high = math.ceil(math.log10(places[0])), math.floor(math.log10(places[-1]))
        places = [10.0**power for power in range(low, high + 1)]
    for x in reversed(places):
        power = round(math.log10(x))
        text = f"$10^{power}$" if x >= 1e6 and x == 10.0**power else number(x)
        room = 0.011 * (len(text) + len(kept[-1][1])) + 0.03 if kept else 0
        if not kept or math.log(kept[-1][0] / x) / whole >= room:
            kept.append((x, text))
    return [x for x, _ in reversed(kept)], [text for _, text in reversed(kept)]
