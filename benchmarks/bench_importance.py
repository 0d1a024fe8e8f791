"""RID over all near-optimal trees: the paper's data sets, and one bootstrap beside TreeFARMS."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import orderless as ol
from orderless.importance.rid.bootstrap import Bootstraps
from orderless.rashomon import Resampled
from orderless.rashomon.problem import Problem, Rules
from orderless.rashomon.table import read_table
from orderless.rashomon.target import read_labels

from .data import at_hand, binarized, load, missing_note
from .figures import OURS, Figure, Panel
from .timing import (
    Failed,
    Peer,
    Table,
    Unfinished,
    against,
    best_of,
    clock,
    now,
    ratio,
    seconds,
    span,
)

# One step below the paper's 0.02: TreeFARMS decides trees exactly on the bound by rounding. And no
# data sets where 0.02 x rows is a whole number: its filter of trivial extensions loses trees there.
OFF_THE_BOUND = 0.0199
BESIDE = ("compas", "wine_quality", "wisconsin", "fico", "broward")
# Trees that TreeFARMS does not list: 4 leaves, 19 of 569 rows wrong, 0.001 below the bound, no leaf
# with a tie; each was evaluated by itself.
MISSED = {"wisconsin": 3}


def data_sets(quick: bool) -> Table:
    names = [n for n in at_hand() if not quick or n in ("compas", "spiral", "iris_virginica")]
    n = 20 if quick else 100
    table = Table(
        f"RID with {n} bootstraps, the paper's parameters (depth 3, 0.02 per leaf, within 0.02)",
        ["data set", "columns", "functions", "trees", "fit, wall", "fit, processor",
         "binarizing, alone", "target (wall)"],
    )  # fmt: skip
    total = 0.0
    for name in names:
        X, y = load(name)
        start = clock()
        ol.Binarizer().fit(X, y)
        cutting = clock() - start
        model = ol.RashomonImportance(n, thresholds=ol.Binarizer(), random_state=0, n_jobs=2)
        wall, start = time.perf_counter(), clock()
        model.fit(X, y)
        passed, wall = clock() - start, time.perf_counter() - wall
        total += wall
        # The same samples alone, in one thread: equal bytes.
        again = ol.RashomonImportance(
            n, thresholds=ol.Binarizer(), random_state=0
        ).fit(X, y)  # fmt: skip
        for feature in model.features_:
            for a, b in zip(
                model.distribution(feature), again.distribution(feature), strict=True
            ):  # fmt: skip
                assert a.tobytes() == b.tobytes()
        table.add(
            name, len(model.binarizer_.space_.columns), f"{model.n_functions_.mean():,.1f}",
            f"{model.n_trees_.mean():,.1f}", seconds(wall), seconds(passed), seconds(cutting),
            against(20.0, wall) if name == "compas" and not quick else "",
        )  # fmt: skip
    table.add("together", "", "", "", seconds(total), "", "",
              "" if quick else against(600.0, total))  # fmt: skip
    table.notes = [
        "Raw features in, threshold guessing included (alone: processor time of a call "
        "before); two threads, once. Functions of the "
        "features and trees without trivial splits: mean of the bootstraps. Exact permutation "
        "importance of every function to every feature; corrected and uncorrected from one fit. "
        "Asserted: one thread gives the same bytes.",
        *missing_note(),
    ]
    return table


def bootstraps(name: str, epsilon: float = OFF_THE_BOUND, n_rows: int = 0) -> Bootstraps:
    """One data set's bootstraps; or of so many rows drawn from it, a fiftieth of each feature's
    values from other rows.
    """
    X, y = load(name)
    table = read_table(X, *read_labels(y, X), None, ol.Binarizer())
    columns = table.columns
    if n_rows:
        rng = np.random.default_rng(0)
        drawn = rng.integers(0, len(table.labels), n_rows)
        bits, given = table.bits[drawn], table.bits
        for feature in np.unique(columns.feature):
            own = np.flatnonzero(columns.feature == feature)
            other = np.flatnonzero(rng.random(n_rows) < 0.02)
            bits[np.ix_(other, own)] = given[np.ix_(rng.integers(0, len(given), len(other)), own)]
        table = table._replace(bits=bits, labels=table.labels[drawn])
    once = np.ones(len(table.labels), dtype=np.int64)
    problem = Problem(table, once, 1, Rules.read(3, "0.02", epsilon))
    return Bootstraps(
        Resampled(problem, 2**32), columns.feature,
        len(columns.space), semantics="aware", importance="permutation", n_repeats=5,
        limit=10**6, seed=0,
    )  # fmt: skip


def beside_treefarms(quick: bool, ratios: list[float]) -> Table:
    names = [n for n in at_hand() if n in (("wisconsin",) if quick else BESIDE)]
    table = Table(
        f"One bootstrap of RID (within {OFF_THE_BOUND})",
        ["data set", "trees", "theirs", "ours", "TreeFARMS' set", "importance per tree in Python",
         "both", "ratio", "target"],
    )  # fmt: skip
    with Peer("treefarms_rid", "treefarms") as peer:
        for name in names:
            work = bootstraps(name)
            counts = work.data.draw(work.random(0))
            rows = np.repeat(np.arange(len(counts)), counts)
            ours = best_of(lambda work=work: work(0), 5)
            found = work(0)
            theirs: Any = peer(
                work.data.problem.bits[rows],
                work.data.problem.y[rows],
                work.group,
                0.02,
                OFF_THE_BOUND,
                limit=300.0,
            )
            if isinstance(theirs, Failed | Unfinished):
                table.add(name, found.n_trees, "", seconds(ours), str(theirs), "", "",
                          ratio(theirs, ours), "")  # fmt: skip
                continue
            searching, (n_trees, permuting, means) = theirs
            missed = found.n_trees - n_trees
            assert missed == MISSED.get(name, 0), (name, n_trees, found.n_trees)
            for feature, mean in enumerate(means):
                own = (found.values[feature] * found.trees[feature]).sum() / found.n_trees
                assert abs(own - mean) < 0.01, (feature, own, mean)
            both = searching + permuting
            ratios.append(both / ours)
            met = "met" if both >= 50 * ours else "**missed**"
            table.add(
                name, found.n_trees, n_trees, seconds(ours), seconds(searching), seconds(permuting),
                seconds(both), ratio(both, ours), f">= 50x: {met}",
            )  # fmt: skip
    table.notes = [
        "Ours: best of 5; sample, near-optimal functions, their numbers of trees, exact importance "
        "of each. Theirs: TreeFARMS finds the set, then each of its trees is put together by its "
        "own `model[i]` and evaluated on five permutations of every feature that it asks about, "
        "with numpy, all rows at once. Asserted: as many trees, and mean importances over the "
        "trees within 0.01 (theirs are of random permutations). On Wisconsin it does not list "
        "three trees that are clearly within the bound, which was checked one by one."
    ]
    return table


def figure(quick: bool) -> Figure:
    limit = 5.0 if quick else 30.0
    out = Figure(
        "importance", "time of RID",
        [
            "By bootstraps: `RashomonImportance.fit` on compas' columns by threshold guessing, one "
            "thread. By rows and trees: one bootstrap as in the table above; rows are drawn from "
            "compas, a fiftieth of each feature's values from other rows; trees grow with the "
            "distance allowed on wisconsin. TreeFARMS with a loop in Python is ended after "
            f"{limit:g} s. Asserted: it has no more trees than we, and misses at most a tenth and "
            "one."
        ],
    )  # fmt: skip
    name = "compas" if "compas" in at_hand() else "wisconsin"
    samples = out.panel("bootstraps", f"{name}, depth 3")
    _, columns, y = binarized(name)
    for n in (1, 10) if quick else (1, 10, 100, 1000):
        now(f"growth with bootstraps: {n:,}")
        model = ol.RashomonImportance(n, thresholds=None, random_state=0)
        samples.add(OURS, n, best_of(lambda model=model: model.fit(columns, y), 3))
    rows = out.panel("rows", f"{name}, one bootstrap")
    with Peer("treefarms_rid", "treefarms") as peer:
        for n in (510, 1010) if quick else (1010, 10_010, 100_010, 1_000_010):
            _beside(rows, n, bootstraps(name, n_rows=n), peer, limit)
        trees = out.panel("trees", "wisconsin, one bootstrap")
        for epsilon in (0.0049, 0.0099) if quick else (0.0049, 0.0099, 0.0199, 0.0299, 0.0399):
            work = bootstraps("wisconsin", epsilon)
            _beside(trees, work(0).n_trees, work, peer, limit)
    return out


def _beside(panel: Panel, x: int, work: Bootstraps, peer: Peer, limit: float) -> None:
    now(f"growth with {panel.x}: {x:,}")
    panel.add(OURS, x, best_of(lambda: work(0), 5))
    title = "TreeFARMS"
    if title in panel.stopped:
        return
    counts = work.data.draw(work.random(0))
    at = np.repeat(np.arange(len(counts)), counts)
    problem, epsilon = work.data.problem, float(work.data.rules.epsilon)
    got: Any = peer(problem.bits[at], problem.y[at], work.group, 0.02, epsilon, limit=limit)
    if isinstance(got, tuple):
        searching, (n_trees, permuting, _) = got
        most = work(0).n_trees
        assert 0.9 * most - 1 <= n_trees <= most, (n_trees, most)
        got = searching + permuting
    panel.add(title, x, got)


def run(quick: bool) -> Iterator[Table | Figure | str]:
    ratios: list[float] = []
    yield data_sets(quick)
    yield beside_treefarms(quick, ratios)
    yield figure(quick)
    if ratios:
        yield (
            "In short, of this run: one bootstrap takes TreeFARMS with a loop over its trees "
            f"{span(ratios)} as long."
        )
