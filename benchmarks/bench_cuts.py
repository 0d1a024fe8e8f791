"""Rashomon sets of the features themselves: every cut point, against explicit columns and peers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

import orderless as ol
from orderless.errors import OutOfMemory, OutOfTime

from .data import at_hand, load, missing_note
from .timing import Peer, Table, Unfinished, against, best_of, clock, now, ratio, seconds, span

TIME = 40.0  # of ArborEnum on a large table
OTHERS = 20.0  # of each peer on a small one
NOT_TRIED = "not tried"
SMALL = ("iris_versicolor", "spiral", "compas")
# What is wanted: seconds at depth 3.
WANTED = {"fico": 2.0, "wine_quality": 10.0, "wisconsin": 60.0}
CASES = (
    ("iris_versicolor", 3), ("spiral", 3), ("compas", 3), ("coupon", 3), ("broward", 3),
    ("fico", 2), ("fico", 3), ("wine_quality", 2), ("wine_quality", 3), ("wisconsin", 2),
    ("wisconsin", 3),
)  # fmt: skip
# Explicit columns in disorder are searched as sets of three columns: too many of them.
TOO_MANY = {("wine_quality", 3), ("wisconsin", 3)}
BESIDE = (
    ("iris_versicolor", 2, "all"), ("spiral", 2, "all"), ("compas", 2, "all"),
    ("broward", 2, "all"), ("iris_versicolor", 3, "all"), ("spiral", 3, "all"),
    ("compas", 3, "all"), ("iris_versicolor", 3, 3), ("compas", 3, 3), ("wisconsin", 2, 3),
)  # fmt: skip


def run(quick: bool) -> Iterator[Table | str]:
    said: list[str] = []
    there = [name for name in at_hand() if not quick or name in SMALL]
    yield _against_columns([case for case in CASES if case[0] in there], said)
    yield _beside_others([case for case in BESIDE if case[0] in there], said)
    yield "In short, of this run: " + " ".join(said)


def _whole_rows(n: int) -> tuple[Fraction, int]:
    """What a leaf costs, as a share and in whole rows, about 0.01: peers count in rows."""
    leaf = max(1, round(0.01 * n))
    return Fraction(leaf, n), leaf


def _codes(y: Any) -> Any:
    return pd.Series(np.unique(y, return_inverse=True)[1])


# -- explicit columns ------------------------------------------------------------------------------


def _fit(X: Any, y: Any, depth: int, **options: Any) -> tuple[Any, Any]:
    """Give seconds of the processor and the set, or what stopped it."""
    model = ol.RashomonSet(depth, _whole_rows(len(y))[0], 0.02, **options)
    start = clock()
    try:
        model.fit(X, y)
    except (OutOfTime, OutOfMemory) as fault:
        return type(fault).__name__, None
    return clock() - start, model.trees_


def _explicit(X: Any) -> tuple[Any, Any]:
    """The same columns in an order in which none follows from the one before, and their space."""
    binarizer = ol.Binarizer("all").fit(X)
    order = np.random.default_rng(0).permutation(len(binarizer.thresholds_))
    columns = pd.DataFrame(binarizer.transform(X), columns=binarizer.get_feature_names_out())
    space = ol.Space(binarizer.space_.features, [binarizer.space_.columns[j] for j in order])
    return columns.iloc[:, order], space


def _against_columns(cases: list[tuple[str, int]], said: list[str]) -> Table:
    table = Table(
        "Every cut point (`thresholds='all'`), about 0.01 per leaf, epsilon 0.02, all rows",
        ["data set", "rows", "cut points", "depth", "trees", "time", "target", "explicit columns",
         "ratio", "ArborEnum", "ratio "],
        ["Seconds of the processor, one call of `fit` each, the graph and the number of trees. "
         "Explicit columns: the same cut points as 0/1 columns in disorder, which are searched as "
         "unrelated columns; not tried for Wine and Wisconsin at depth 3 (docs/decisions/0044). "
         "ArborEnum: its continuous mode, which takes the features as they are and cuts at the "
         f"same midpoints, exact (`lookahead_k`), {TIME:.0f} s; not tried at depth 3 where it did "
         "not finish at depth 2. Asserted: all that finish have the same number of trees. A leaf "
         "costs whole rows, as ArborEnum has it.",
         *missing_note()],
    )  # fmt: skip
    ratios: list[float] = []
    ended: set[str] = set()
    with Peer("arborenum_features", "arborenum") as arborenum:
        for name, depth in cases:
            X, y = load(name)
            now(f"every cut point of {name}, depth {depth}")
            took, found = _fit(X, y, depth, thresholds="all")
            assert found is not None, (name, depth, took)
            plain: Any = NOT_TRIED
            if (name, depth) not in TOO_MANY:
                now(f"explicit columns of {name}, depth {depth}")
                columns, space = _explicit(X)
                plain, same = _fit(columns, y, depth, thresholds=None, space=space)
                assert same.n_trees == found.n_trees, (name, same.n_trees, found.n_trees)
                ratios.append(plain / took)
            theirs: Any = NOT_TRIED
            if name not in ended:
                now(f"ArborEnum on {name}, depth {depth}")
                bound = math.floor(found.bound * len(y))
                theirs = arborenum(X, _codes(y), _whole_rows(len(y))[1], bound, depth, limit=TIME)
            if isinstance(theirs, tuple):
                theirs, (count, _) = theirs
                assert count == found.n_trees, (name, count, found.n_trees)
            elif isinstance(theirs, Unfinished):
                ended.add(name)
            wanted = WANTED.get(name) if depth == 3 else None
            table.add(name, len(y), len(found.columns), depth, found.n_trees, seconds(took),
                      "" if wanted is None else against(wanted, took), seconds(plain),
                      ratio(plain, took), seconds(theirs), ratio(theirs, took))  # fmt: skip
    if ratios:
        said.append(f"Explicit columns take {span(ratios)} as long as `thresholds='all'`.")
    return table


# -- the other enumerators -------------------------------------------------------------------------


def _beside_others(cases: list[tuple[str, int, Any]], said: list[str]) -> Table:
    table = Table(
        "Beside the other enumerators: the same cut points, the same depth",
        ["data set", "thresholds", "cut points", "depth", "trees", "time", "TreeFARMS", "its trees",
         "ArborEnum", "PRAXIS", "its trees", "SORTD"],
        ["About 0.01 per leaf in whole rows, epsilon half a row beyond 0.02, so that no tree lies "
         "on the bound, where TreeFARMS' floats decide. Seconds of the processor, one process "
         f"each, {OTHERS:.0f} s and 6 GB. TreeFARMS and PRAXIS get the cut points as 0/1 columns, "
         "ArborEnum the features where every midpoint is a cut point (its continuous mode), else "
         "columns as well. Depth counts questions; TreeFARMS counts levels, one more. Trees are "
         "counted with trivial splits, and each leaf has the class of most of its rows "
         "(`majority_leaf_only`). Asserted: ArborEnum, where it finishes, has as many trees as we; "
         "PRAXIS, an approximation, and TreeFARMS no more. TreeFARMS lacks 108 of the 25,414 trees "
         "of iris_versicolor at depth 3, none of them on the bound: tests/oracle_cuts.py, which "
         "shares nothing with us, counts 25,414, too. SORTD is not run: it has no package (`sortd` "
         "on PyPI is another thing).",
         *missing_note()],
    )  # fmt: skip
    agreed = {"TreeFARMS": 0, "ArborEnum": 0, "PRAXIS": 0}
    with (
        Peer("treefarms_set", "treefarms") as farms,
        Peer("arborenum_features", "arborenum") as features,
        Peer("arborenum_set", "arborenum") as columns,
        Peer("praxis_set", "praxis") as praxis,
    ):
        for name, depth, thresholds in cases:
            X, y = load(name)
            share, leaf = _whole_rows(len(y))
            epsilon = Fraction(2 * round(0.02 * len(y)) + 1, 2 * len(y))
            model = ol.RashomonSet(depth, share, epsilon, thresholds=thresholds)
            took = best_of(lambda model=model, X=X, y=y: model.fit(X, y), 5)
            found = model.trees_
            assert found.on_bound == 0
            bits = pd.DataFrame(found._problem.columns.read_complete(X).astype(int))
            assert bits.shape[1] == len(found.columns)
            every = thresholds == "all"
            whole = (_codes(y), leaf, math.floor(found.bound * len(y)), depth)
            peers = {
                "TreeFARMS": (farms, bits, whole[0], depth, float(epsilon), float(share)),
                "ArborEnum": (features, X, *whole) if every else (columns, bits, *whole),
                "PRAXIS": (praxis, bits, *whole),
            }
            times: dict[str, Any] = {}
            counts: dict[str, int] = {}
            for title, (peer, *given) in peers.items():
                now(f"{title} on {name}, depth {depth}, thresholds {thresholds}")
                times[title] = peer(*given, limit=OTHERS)
                if isinstance(times[title], tuple):
                    times[title], (counts[title], _) = times[title]
            for title, count in counts.items():
                assert count <= model.n_trees, (title, name, count, model.n_trees)
                agreed[title] += count == model.n_trees
            assert counts.get("ArborEnum", model.n_trees) == model.n_trees, (name, counts)
            farmed, enumerated, praxis_time = map(seconds, times.values())
            table.add(name, thresholds, bits.shape[1], depth, model.n_trees, seconds(took), farmed,
                      counts.get("TreeFARMS", ""), enumerated, praxis_time,
                      counts.get("PRAXIS", ""), "not run")  # fmt: skip
    words = ", ".join(f"{title} in {n} of {len(cases)} cases" for title, n in agreed.items())
    said.append(f"As many trees as we have: {words}.")
    return table
