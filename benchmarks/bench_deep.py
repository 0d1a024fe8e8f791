"""Deeper and larger Rashomon sets: depth 6, 10^6 rows, and what a limit leaves."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

import orderless as ol
from orderless.errors import IncompleteSet

from .data import at_hand, binarized, missing_note
from .timing import Failed, Peer, Table, Unfinished, against, best_of, clock, now, ratio, seconds

TIME = 60.0
ROWS = 1_000_000
COLUMNS = 100


def run(quick: bool) -> Iterator[Table | str]:
    yield _deep(quick)
    yield _large(quick)
    yield _parts(quick)


def _deep(quick: bool) -> Table:
    table = Table(
        "Depth 6 on the paper's columns (0.01 per leaf, epsilon 0.02): every tree here, one "
        "optimal tree by STreeD",
        ["data set", "columns", "trees", "time", "target", "STreeD: one tree", "ratio"],
        ["Asserted: STreeD finds the same smallest objective. Best of up to 5 calls.",
         *missing_note()],
    )  # fmt: skip
    names = at_hand()[-5:] if quick else at_hand()
    with Peer("streed_classes", "pystreed") as streed:
        for name in names:
            now(f"depth 6, {name}")
            _, columns, y = binarized(name)
            found = ol.RashomonSet(6).fit(columns, y).trees_
            took = best_of(lambda columns=columns, y=y: ol.RashomonSet(6).fit(columns, y), 5)
            other = _one_tree(streed, columns, y, 6, found)
            table.add(name, columns.shape[1], found.n_trees, seconds(took), against(1.0, took),
                      *_beside(other, took))  # fmt: skip
    return table


def _one_tree(streed: Peer, columns: Any, y: Any, depth: int, found: ol.TreeSet) -> Any:
    """Time STreeD's tree, and assert that its objective is ours."""
    other = streed(columns, y, depth, limit=TIME)
    if isinstance(other, Unfinished | Failed):
        return other
    passed, objective = other
    assert abs(objective - float(found.objective)) < 1e-9, objective
    return passed


def _beside(other: Any, took: float) -> list[Any]:
    if isinstance(other, float):
        return [seconds(other), ratio(other, took)]
    return [str(other), ""]


def many_rows(n_rows: int, n_distinct: int | None, seed: int = 0) -> tuple[Any, Any]:
    """Thresholds of 20 numbers, five of each; a rule of three of them, 15 % of labels flipped."""
    random = np.random.default_rng(seed)
    n, features = n_distinct or n_rows, COLUMNS // 5
    mixed = np.eye(features) + 0.3 * random.normal(size=(features, features)) / features**0.5
    numbers = random.normal(size=(n, features)) @ mixed
    cuts = np.quantile(numbers, [0.15, 0.35, 0.5, 0.65, 0.85], axis=0)
    bits = (numbers[:, :, None] <= cuts.T[None]).reshape(n, -1).astype(np.uint8)
    label = (numbers[:, 0] > 0) & (numbers[:, 1] > 0.2) | (numbers[:, 2] > 0.9)
    if n_distinct is not None:
        chosen = random.integers(0, n, n_rows)
        bits, label = bits[chosen], label[chosen]
    y = label ^ (random.random(n_rows) < 0.15)
    names = [f"c{j}" for j in range(COLUMNS)]
    return pd.DataFrame(bits, columns=names), pd.Series(y.astype(int))


def _large(quick: bool) -> Table:
    rows = ROWS // 20 if quick else ROWS
    table = Table(
        f"{rows:,} rows x {COLUMNS} columns (0.01 per leaf, epsilon 0.02)",
        ["distinct rows", "depth", "trees", "time", "two threads, on the wall", "target",
         "STreeD: one tree", "ratio"],
        ["Time is of the processor, one call of `fit` with one thread; the wall's with "
         "`n_jobs=2`, which a busy machine makes long. Asserted: the same number of trees with "
         f"both. STreeD has {TIME:.0f} s."],
    )  # fmt: skip
    with Peer("streed_classes", "pystreed") as streed:
        for n_distinct in (4000,) if quick else (4000, None):
            X, y = many_rows(rows, n_distinct)
            for depth in (3,) if quick else (3, 4):
                now(f"{rows:,} rows, depth {depth}")
                start = clock()
                found = ol.RashomonSet(depth).fit(X, y).trees_
                took = clock() - start
                wall, both = _on_the_wall(X, y, depth)
                assert both == found.n_trees
                other = _one_tree(streed, X, y, depth, found)
                table.add(f"{n_distinct or rows:,}", depth, found.n_trees, seconds(took),
                          seconds(wall), against(10.0, took), *_beside(other, took))  # fmt: skip
    return table


def _on_the_wall(X: Any, y: Any, depth: int) -> tuple[float, int]:
    from time import perf_counter

    start = perf_counter()
    n_trees = ol.RashomonSet(depth, n_jobs=2).fit(X, y).trees_.n_trees
    return perf_counter() - start, n_trees


def _parts(quick: bool) -> Table:
    table = Table(
        "What a limit leaves: FICO, depth 5, 0.005 per leaf, epsilon 0.05, on_limit='part'",
        ["memory_limit", "complete", "epsilon of the part", "trees of the part",
         "of the whole set at most", "time"],
        ["Every tree of a part is proven to be in the whole set (docs/decisions/0022)."],
    )  # fmt: skip
    if "fico" not in at_hand():
        return table
    _, columns, y = binarized("fico")
    for megabytes in (1, 5) if quick else (1, 5, 20, 100, 4096):
        now(f"part within {megabytes} MB")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IncompleteSet)
            start = clock()
            found = (
                ol.RashomonSet(5, 0.005, 0.05, memory_limit=megabytes * 2**20, on_limit="part")
                .fit(columns, y)
                .trees_
            )
            took = clock() - start
        low, high = found.n_trees_bounds
        assert low == found.n_trees
        whole = "yes" if found.complete else "no"
        table.add(f"{megabytes} MB", whole, float(found._problem.rules.epsilon), low,
                  "" if high is None else f"{high:.1e}", seconds(took))  # fmt: skip
    return table
