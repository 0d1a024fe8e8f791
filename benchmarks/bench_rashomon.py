"""Rashomon sets: against TreeFARMS and PRAXIS, and how the cost grows."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import orderless as ol
from orderless.errors import OutOfMemory, OutOfTime

from .data import at_hand, binarized, fold_0, missing_note
from .timing import Failed, Peer, Table, Unfinished, against, best_of, ratio, seconds

FIGURE = Path(__file__).with_name("rashomon-growth.svg")
SMALL = ("iris_setosa", "iris_versicolor", "iris_virginica", "spiral", "tic_tac_toe")
TIME = 60.0
Points = dict[str, list[tuple[float, float]]]


def run(quick: bool) -> list[Table]:
    names = [name for name in at_hand() if not quick or name in SMALL]
    growth: Points = {}
    tables = [_against_peers(names), _functions(names)]
    tables += [_wide(quick), _growth(quick, growth)]
    if not quick:
        _draw(growth)
    return tables


def _megabytes(n: int) -> str:
    return f"{n / 2**20:.1f} MB" if n >= 2**20 / 2 else f"{n / 2**10:.0f} kB"


def _against_peers(names: list[str]) -> Table:
    table = Table(
        "The paper's setting: depth 3, 0.01 per leaf, epsilon 0.02, fold 0 of each data set",
        ["data set", "columns", "trees", "on the bound", "time", "memory", "TreeFARMS", "its trees",
         "its memory", "ratio of times", "of memory", "PRAXIS", "its trees ", "ratio "],
        [],
    )  # fmt: skip
    times, memories = [], []
    for name in names:
        _, columns, y = binarized(name)
        found = ol.RashomonSet().fit(columns, y)
        with (
            Peer("orderless_set", "orderless") as own,
            Peer("treefarms_set", "treefarms") as farms,
            Peer("praxis_set", "praxis") as praxis,
        ):
            ours = own(columns, y, limit=TIME)
            theirs = farms(columns, y, limit=TIME)
            third = praxis(columns, y, float(found.bound), limit=TIME)
        assert not isinstance(ours, Unfinished | Failed), ours
        took, (n_trees, peak) = ours
        assert n_trees == found.n_trees
        farm: list[Any] = [str(theirs), "", "", "", ""]
        if not isinstance(theirs, Unfinished | Failed):
            passed, (count, held) = theirs
            # Trees exactly on the bound are in or out by the rounding of float32.
            assert found.n_trees - found.on_bound <= count <= found.n_trees, (name, count)
            farm = [seconds(passed), count, _megabytes(held), ratio(passed, took),
                    ratio(float(held), float(peak))]  # fmt: skip
            times.append(passed / took)
            memories.append(held / peak)
        other: list[Any] = [str(third), "", ""]
        if not isinstance(third, Unfinished | Failed):
            other = [seconds(third[0]), third[1][0], ratio(third[0], took)]
        table.add(name, columns.shape[1], n_trees, found.on_bound, seconds(took), _megabytes(peak),
                  *farm, *other)  # fmt: skip
    notes = []
    if times:
        notes.append(
            f"Geometric mean of the ratios to TreeFARMS over {len(times)} data sets: "
            f"**{_mean(times):.0f}x** in time (target: 100x), {_mean(memories):.0f}x in memory "
            "(target: 10x)."
        )
    table.notes = [
        *notes,
        "Each in a process of its own, from a data frame of 0/1 columns to the number of trees; "
        "best of up to 25 calls within half a second, all three alike. Ours is "
        "`RashomonSet().fit(columns, y).n_trees`, with all checks of the table. Memory: what the "
        "process held at most above what it held before, in its first call after one on 40 rows; "
        "for ours at least what the core says that it holds. TreeFARMS: its own `fit`, which finds "
        "the set and gives no tree yet. Asserted: its number of trees lies between ours without "
        "and with those that are exactly on the bound. PRAXIS is an approximation, and rounds what "
        "a leaf costs to whole rows: its number is not compared.",
        *missing_note(),
    ]
    return table


def _mean(ratios: list[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def _functions(names: list[str]) -> Table:
    table = Table(
        "What comes on top, same setting",
        ["data set", "functions, independent", "time", "aware", "time ", "on the rows", "time  ",
         "first 1,000 trees", "1,000 samples", "1,000 rows, 30 % unknown"],
        ["Best of 5, set already found: `count_distinct` in each reading, `found[:1000]`, "
         "`sample(1000)`, `predict` of rows with unknowns (the best determined tree of the set)."],
    )  # fmt: skip
    random = np.random.default_rng(0)
    for name in names:
        binarizer, columns, y = binarized(name)
        found = ol.RashomonSet(space=binarizer.space_).fit(columns, y)
        cells: list[Any] = []
        for semantics in ("independent", "aware", "rows"):
            cells.append(found.count_distinct(semantics))
            measure = found._semantics(semantics)  # a set counts once, and keeps the number
            count = partial(found._source.count_functions, found._view, measure, 10**9)
            cells.append(seconds(best_of(count, 5)))
        X, _ = fold_0(name)
        rows = X.iloc[random.integers(0, len(X), 1000)].astype(float)
        rows = rows.mask(random.random(rows.shape) < 0.3)
        first = best_of(partial(found.__getitem__, slice(1000)), 5)
        sample = best_of(partial(found.sample, 1000, random_state=0), 5)
        said = best_of(partial(found.predict, rows), 5)
        table.add(name, *cells, seconds(first), seconds(sample), seconds(said))
    return table


def _fit(columns: Any, y: Any, depth: int, regularization: float, epsilon: float) -> Any:
    """Give seconds and the set, or what stopped it."""
    model = ol.RashomonSet(depth, regularization, epsilon, time_limit=TIME)
    try:
        passed = best_of(lambda: model.fit(columns, y), 3)
    except (OutOfTime, OutOfMemory) as fault:
        return type(fault).__name__, None
    return passed, model


def _wide(quick: bool) -> Table:
    table = Table(
        "Targets of the design: sizes that others do not reach",
        ["data set", "columns", "depth", "per leaf", "epsilon", "trees", "time", "the graph",
         "target"],
        ["Best of 3. One call of `fit`, from a data frame."],
    )  # fmt: skip
    cases: list[tuple[str, int, int, float, float, float]] = [
        ("compas", 0, 4, 0.005, 0.05, 0.05), ("fico", 0, 4, 0.01, 0.02, 0.05),
        ("fico", 0, 5, 0.01, 0.02, 0.05), ("wisconsin", 0, 4, 0.01, 0.02, 0.05),
        ("wine_quality", 100, 3, 0.01, 0.02, 0.05), ("wine_quality", 100, 4, 0.01, 0.02, 1.5),
        ("wisconsin", 300, 3, 0.01, 0.02, 0.5), ("fico", 0, 5, 0.005, 0.05, 0.0),
    ]  # fmt: skip
    for name, n_columns, depth, regularization, epsilon, target in cases:
        if name not in at_hand() or (quick and (depth > 3 or n_columns > 100)):
            continue
        columns, y = _columns(name, n_columns)
        passed, found = _fit(columns, y, depth, regularization, epsilon)
        if found is None:
            table.add(name, columns.shape[1], depth, regularization, epsilon, "", passed, "", "")
            continue
        graph = found._source.graph
        table.add(name, columns.shape[1], depth, regularization, epsilon, found.n_trees,
                  seconds(passed), _megabytes(graph.bytes),
                  against(target, passed) if target else "")  # fmt: skip
    return table


def _columns(name: str, n_columns: int) -> tuple[Any, Any]:
    """Fold 0 by threshold guessing; or about so many columns by quantiles."""
    if not n_columns:
        _, columns, y = binarized(name)
        return columns, y
    X, y = fold_0(name)
    n_cuts = max(1, round(n_columns / X.shape[1]))
    cuts = tuple(np.linspace(0, 1, n_cuts + 2)[1:-1])
    binarizer = ol.QuantileBinarizer(quantiles=cuts).set_output(transform="pandas")
    return binarizer.fit(X).transform(X).iloc[:, :n_columns], y


def _growth(quick: bool, growth: Points) -> Table:
    table = Table(
        "Growth: one thing is changed, the others are depth 3, 0.01 per leaf, epsilon 0.02",
        ["what", "value", "trees", "time", "graph"],
        ["FICO, fold 0 (22 columns, 2,001 rows; for columns: quantile cuts; for rows: drawn with "
         "replacement, each bit flipped with probability 0.02), or Wisconsin where FICO is not at "
         "hand. Best of 3. The figure `rashomon-growth.svg` shows the same."],
    )  # fmt: skip
    name = "fico" if "fico" in at_hand() else "wisconsin"
    columns, y = _columns(name, 0)
    sweeps: list[tuple[str, list[float]]] = [
        ("depth", [1, 2, 3, 4, 5]),
        ("columns", [10, 20, 40, 80, 160]),
        ("rows", [1000, 10_000, 100_000, 1_000_000]),
        ("epsilon", [0.005, 0.01, 0.02, 0.04, 0.08]),
    ]
    random = np.random.default_rng(0)
    for what, values in sweeps:
        for value in values[: 3 if quick else None]:
            table_, labels = columns, y
            if what == "columns":
                table_, labels = _columns(name, int(value))
            if what == "rows":
                drawn = random.integers(0, len(columns), int(value))
                bits = columns.to_numpy()[drawn]
                table_ = bits ^ (random.random(bits.shape) < 0.02)
                labels = y.to_numpy()[drawn]
            passed, found = _fit(table_, labels, int(value) if what == "depth" else 3, 0.01,
                                 value if what == "epsilon" else 0.02)  # fmt: skip
            if found is None:
                table.add(what, f"{value:g}", "", passed, "")
                continue
            shown = f"{value:,.0f}" if value >= 1 else f"{value:g}"
            table.add(what, shown, found.n_trees, seconds(passed),
                      _megabytes(found._source.graph.bytes))  # fmt: skip
            growth.setdefault(what, []).append((value, passed))
    return table


def _draw(growth: Points) -> None:
    import matplotlib as mpl

    mpl.use("agg")
    mpl.rcParams.update({"svg.hashsalt": "orderless", "svg.fonttype": "none"})
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 4, figsize=(12, 2.9), sharey=True, layout="constrained")
    for ax, (what, points) in zip(axes, growth.items(), strict=True):
        x, t = zip(*points, strict=True)
        ax.plot(x, np.array(t) * 1000, marker="o", color="#0072B2", linewidth=1.6)
        if what != "depth":
            ax.set_xscale("log")
        ax.set_xticks(x, [f"{value:,.0f}" if value >= 1 else f"{value:g}" for value in x])
        ax.set_xticks([], minor=True)
        ax.set_yscale("log")
        ax.set_xlabel(what)
        ax.grid(axis="y", color="#d0d7de", linewidth=0.6)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("time to find the set (ms)")
    figure.savefig(FIGURE, metadata={"Date": None}, facecolor="white")
    plt.close(figure)
