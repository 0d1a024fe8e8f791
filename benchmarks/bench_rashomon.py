"""Rashomon sets: against TreeFARMS, ArborEnum and PRAXIS, and how the cost grows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

import orderless as ol
from orderless.errors import OutOfMemory, OutOfTime

from .data import at_hand, binarized, fold_0, missing_note
from .figures import OURS, Figure
from .timing import (
    Failed,
    Peer,
    Table,
    Unfinished,
    against,
    at_least,
    best_of,
    now,
    ratio,
    seconds,
    span,
)

SMALL = ("iris_setosa", "iris_versicolor", "iris_virginica", "spiral", "tic_tac_toe")
TIME = 60.0
GROWTH_TIME = 20.0  # for each point of the figure


def run(quick: bool) -> Iterator[Table | Figure | str]:
    names = [name for name in at_hand() if not quick or name in SMALL]
    said: list[str] = []
    yield _against_peers(names, said)
    yield _whole_rows(names, said)
    yield _functions(names)
    yield _wide(quick)
    yield _numbers(quick, said)
    figure = Figure("rashomon", "time to find the set")
    yield _growth(quick, figure)
    yield figure
    yield "In short, of this run: " + " ".join(said)


def _megabytes(n: int) -> str:
    return f"{n / 2**20:.1f} MB" if n >= 2**20 / 2 else f"{n / 2**10:.0f} kB"


def _against_peers(names: list[str], said: list[str]) -> Table:
    table = Table(
        "The paper's setting: depth 3, 0.01 per leaf, epsilon 0.02, fold 0 of each data set",
        ["data set", "columns", "trees", "on the bound", "time", "memory", "TreeFARMS", "its trees",
         "its memory", "ratio of times", "of memory"],
        [],
    )  # fmt: skip
    times, memories = [], []
    for name in names:
        _, columns, y = binarized(name)
        found = ol.RashomonSet().fit(columns, y).trees_
        with (
            Peer("orderless_set", "orderless") as own,
            Peer("treefarms_set", "treefarms") as farms,
        ):
            ours = own(columns, y, limit=TIME)
            theirs = farms(columns, y, limit=TIME)
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
        table.add(name, columns.shape[1], n_trees, found.on_bound, seconds(took), _megabytes(peak),
                  *farm)  # fmt: skip
    notes = []
    if times:
        time, memory = _mean(times), _mean(memories)
        notes.append(
            f"Geometric mean of the ratios to TreeFARMS over {len(times)} data sets: "
            f"**{time:.0f}x** in time (target: 100x: {'met' if time >= 100 else '**missed**'}), "
            f"{memory:.0f}x in memory (target: 10x: {'met' if memory >= 10 else '**missed**'})."
        )
        said.append(f"TreeFARMS takes {span(times)} as long and {span(memories)} the memory.")
    table.notes = [
        *notes,
        "Each in a process of its own, from a data frame of 0/1 columns to the number of trees; "
        "best of up to 25 calls within half a second, both alike. Ours is "
        "`RashomonSet().fit(columns, y).trees_.n_trees`, with all checks of the table. Memory: "
        "what the process held at most above what it held before, in its first call after one on "
        "40 rows; for ours at least what the core says that it holds. TreeFARMS: its own `fit`, "
        "which finds the set and gives no tree yet. Asserted: its number of trees lies between "
        "ours without and with those that are exactly on the bound.",
        *missing_note(),
    ]
    return table


def _rows_of(columns: Any, y: Any, depth: int, epsilon: float) -> tuple[Any, int, int]:
    """The set whose leaves cost whole rows, as near to 0.01 as can be; leaf and bound in rows."""
    n = len(y)
    leaf = max(1, round(0.01 * n))
    model = ol.RashomonSet(depth, Fraction(leaf, n), epsilon, time_limit=TIME)
    found = model.fit(columns, y).trees_
    return found, leaf, math.floor(found.bound * n)


def _whole_rows(names: list[str], said: list[str]) -> Table:
    table = Table(
        "The same, a leaf costs a whole number of rows (about 0.01)",
        ["data set", "rows", "per leaf", "trees", "time", "ArborEnum", "its trees", "ratio",
         "PRAXIS", "its trees ", "ratio ", "ahead of PRAXIS"],
        [
            "ArborEnum and PRAXIS count in whole rows, so we do, too. Each in a process of its "
            "own, from arrays, best of up to 25 calls within half a second. ArborEnum: "
            "`fit_binarized`, exact (`lookahead_k=2`), leaves of the majority only. Asserted: it "
            "has as many trees as we. PRAXIS is an approximation; asserted: it has no more.",
            *missing_note(),
        ],
    )  # fmt: skip
    ratios: dict[str, list[float]] = {"ArborEnum": [], "PRAXIS": []}
    with (
        Peer("orderless_set", "orderless") as own,
        Peer("arborenum_set", "arborenum") as arborenum,
        Peer("praxis_set", "praxis") as praxis,
    ):
        for name in names:
            _, columns, y = binarized(name)
            found, leaf, bound = _rows_of(columns, y, 3, 0.02)
            given = columns.to_numpy(), y.to_numpy()
            ours = own(*given, 3, 0.02, Fraction(leaf, len(y)), limit=TIME)
            assert isinstance(ours, tuple), ours
            took, (n_trees, _) = ours
            assert n_trees == found.n_trees
            cells: list[Any] = []
            for title, peer in (("ArborEnum", arborenum), ("PRAXIS", praxis)):
                passed: Any = peer(columns, y, leaf, bound, limit=TIME)
                count: Any = ""
                if isinstance(passed, tuple):
                    passed, (count, _) = passed
                    exact = title == "ArborEnum"
                    assert count == n_trees if exact else count <= n_trees, (title, name, count)
                    ratios[title].append(passed / took)
                cells += [seconds(passed), count, ratio(passed, took)]
            cells.append(at_least(1, passed, took))
            table.add(name, len(y), leaf, n_trees, seconds(took), *cells)
    for peer, some in ratios.items():
        if some:
            said.append(f"{peer} takes {span(some)} as long (geometric mean {_mean(some):.2g}).")
    return table


def _mean(ratios: list[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def _functions(names: list[str]) -> Table:
    table = Table(
        "What comes on top, same setting",
        ["data set", "functions, independent", "time", "aware", "time ", "on the rows", "time  ",
         "first 1,000 trees", "1,000 samples", "1,000 rows, 30 % unknown"],
        ["Best of 5, set already found: `len(functions(by))` in each reading, `found[:1000]`, "
         "`sample(1000)`, `predict` of rows with unknowns (the best determined tree of the set)."],
    )  # fmt: skip
    random = np.random.default_rng(0)
    for name in names:
        binarizer, columns, y = binarized(name)
        found = ol.RashomonSet(space=binarizer.space_).fit(columns, y).trees_
        cells: list[Any] = []
        for by, semantics in (("columns", "independent"), ("features", "aware"), ("rows", "rows")):
            cells.append(len(found.functions(by)))
            # A set counts once, and keeps the number.
            count = partial(found._source.count_functions, found._view, semantics, 10**9)
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
        passed = best_of(lambda: model.fit(columns, y), 25, budget=1.5)
    except (OutOfTime, OutOfMemory) as fault:
        return type(fault).__name__, None
    return passed, model.trees_


def _wide(quick: bool) -> Table:
    table = Table(
        "Targets of the design: sizes that others do not reach",
        ["data set", "columns", "depth", "per leaf", "epsilon", "trees", "time", "the graph",
         "target"],
        ["Best of up to 25 calls within 1.5 s. One call of `fit`, from a data frame."],
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


def _numbers(quick: bool, said: list[str]) -> Table:
    table = Table(
        "Trees of numbers, 0.01 per leaf, epsilon 0.02: all near-optimal trees here, one optimal "
        "tree by STreeD",
        ["data set", "rows", "columns", "depth", "loss", "trees", "time", "STreeD: one tree",
         "ratio of times"],
        ["STreeD finds the same smallest objective (squared loss; asserted to 1e-9) and no other "
         "tree. SORTD lists trees of numbers, too; there is no package of it to install (`sortd` "
         "on PyPI sorts lines of text)."],
    )  # fmt: skip
    ratios = []
    cases = [("diabetes", 2, 3), ("diabetes", 5, 3), ("diabetes", 2, 4), ("stay", 2, 3)]
    cases += [] if quick else [("diabetes", 9, 3), ("diabetes", 5, 4), ("stay", 5, 3)]
    with Peer("streed_numbers", "pystreed") as streed:
        for name, n_cuts, depth in cases:
            columns, y = _with_numbers(name, n_cuts)
            for loss in ("squared", "absolute"):
                make = partial(ol.RashomonSet, depth, loss=loss, time_limit=TIME)
                try:
                    found = make().fit(columns, y).trees_
                except OutOfTime:
                    cells = [len(y), columns.shape[1], depth, loss, "", f"> {TIME:.0f} s", "", ""]
                    table.add(name, *cells)
                    continue
                took = best_of(lambda make=make, X=columns, y=y: make().fit(X, y), 5)
                cells = ["", ""]
                if loss == "squared":
                    other = streed(columns, y, depth, limit=TIME)
                    cells = [str(other), ""]
                    if not isinstance(other, Unfinished | Failed):
                        passed, objective = other
                        assert abs(objective - float(found.objective)) < 1e-9, (name, objective)
                        cells = [seconds(passed), ratio(passed, took)]
                        ratios.append(passed / took)
                table.add(name, len(y), columns.shape[1], depth, loss, found.n_trees, seconds(took),
                          *cells)  # fmt: skip
    if ratios:
        said.append(
            f"Trees of numbers: the whole set against one optimal tree by STreeD, {span(ratios)} "
            "in time."
        )
    return table


def _with_numbers(name: str, n_cuts: int) -> tuple[Any, Any]:
    """Rows with numbers as targets, cut at quantiles: patients, or days in hospital from a seed."""
    import pandas as pd
    from sklearn.datasets import load_diabetes

    if name == "diabetes":
        X, y = load_diabetes(return_X_y=True, as_frame=True)
    else:
        random = np.random.default_rng(17)
        n = 5000
        X = pd.DataFrame({"age": random.integers(18, 95, n), "score": random.integers(0, 30, n),
                          "pulse": random.normal(80, 15, n).round(), "urgent":
                          random.integers(0, 2, n), "lives alone": random.integers(0, 2, n),
                          "albumin": random.normal(38, 6, n).round(1)})  # fmt: skip
        days = 2 + X["score"] / 6 + X["urgent"] * 3 + (X["age"] > 75) * X["lives alone"] * 4
        y = (days * random.lognormal(0, 0.4, n)).round().astype(int).rename("days")
    cuts = tuple(np.linspace(0, 1, n_cuts + 2)[1:-1])
    binarizer = ol.Binarizer(cuts).set_output(transform="pandas")
    return binarizer.fit(X).transform(X), y


def _columns(name: str, n_columns: int) -> tuple[Any, Any]:
    """Fold 0 by threshold guessing; or about so many columns by quantiles."""
    if not n_columns:
        _, columns, y = binarized(name)
        return columns, y
    X, y = fold_0(name)
    n_cuts = max(1, round(n_columns / X.shape[1]))
    cuts = tuple(np.linspace(0, 1, n_cuts + 2)[1:-1])
    binarizer = ol.Binarizer(cuts).set_output(transform="pandas")
    return binarizer.fit(X).transform(X).iloc[:, :n_columns], y


def _growth(quick: bool, figure: Figure) -> Table:
    name = "fico" if "fico" in at_hand() else "wisconsin"
    table = Table(
        "Growth: one thing is changed, the others are depth 3, 0.01 per leaf, epsilon 0.02",
        ["what", "value", "trees", "time", "graph", "TreeFARMS", "ratio", "ArborEnum", "ratio "],
        [f"{name}, fold 0; for columns: quantile cuts; for rows: drawn with replacement, each bit "
         "flipped with probability 0.02. Best of up to 25 within 1.5 s, peers in half a second, a "
         f"peer is ended after {GROWTH_TIME:g} s and not tried at larger sizes. Asserted: "
         "ArborEnum's trees are as many as ours when a leaf costs whole rows; TreeFARMS' lie "
         "between ours without and with those on the bound. The figure shows the same."],
    )  # fmt: skip
    columns, y = _columns(name, 0)
    sweeps: list[tuple[str, list[float]]] = [
        ("depth", [1, 2, 3, 4, 5]),
        ("columns", [10, 20, 40, 80, 160]),
        ("rows", [1000, 10_000, 100_000, 1_000_000]),
        ("epsilon", [0.005, 0.01, 0.02, 0.04, 0.08]),
    ]
    random = np.random.default_rng(0)
    for what, values in sweeps:
        panel = figure.panel(what, name if what == "depth" else f"{name}, depth 3")
        farms = Peer("treefarms_set", "treefarms")
        arborenum = Peer("arborenum_set", "arborenum")
        for value in values[: 3 if quick else None]:
            table_, labels = columns, y
            if what == "columns":
                table_, labels = _columns(name, int(value))
            if what == "rows":
                drawn = random.integers(0, len(columns), int(value))
                bits = columns.to_numpy()[drawn]
                flipped = bits ^ (random.random(bits.shape) < 0.02)
                table_ = type(columns)(flipped, columns=columns.columns)
                labels = y.iloc[drawn].reset_index(drop=True)
            now(f"growth with {what}: {value:g}")
            depth = int(value) if what == "depth" else 3
            epsilon = value if what == "epsilon" else 0.02
            passed, found = _fit(table_, labels, depth, 0.01, epsilon)
            if found is None:
                table.add(what, f"{value:g}", "", passed, "", "", "", "", "")
                continue
            panel.add(OURS, value, passed)
            cells: list[str] = []
            for title, peer in (("TreeFARMS", farms), ("ArborEnum", arborenum)):
                got: Any = ""
                if title not in panel.stopped:
                    got = _peer(peer, title, found, table_, labels, depth, epsilon)
                    panel.add(title, value, got)
                took = got[0] if isinstance(got, tuple) else got
                cells += [seconds(took), ratio(took, passed)]
            shown = f"{value:,.0f}" if value >= 1 else f"{value:g}"
            table.add(what, shown, found.n_trees, seconds(passed),
                      _megabytes(found._source.graph.bytes), *cells)  # fmt: skip
        farms.stop()
        arborenum.stop()
    return table


def _peer(
    peer: Peer, title: str, found: Any, columns: Any, y: Any, depth: int, epsilon: float
) -> Any:
    """One point of a peer, its number of trees asserted."""
    if title == "TreeFARMS":
        got = peer(columns, y, depth, epsilon, limit=GROWTH_TIME)
        least, most = found.n_trees - found.on_bound, found.n_trees
    else:
        same, leaf, bound = _rows_of(columns, y, depth, epsilon)
        got = peer(columns, y, leaf, bound, depth, limit=GROWTH_TIME)
        least = most = same.n_trees
    if isinstance(got, tuple):
        assert least <= got[1][0] <= most, (title, got[1][0], least, most)
    return got
