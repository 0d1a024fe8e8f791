"""Second goals: ranges and fronts over all near-optimal trees, beside listing the functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orderless as ol
from orderless.errors import OutOfMemory, OutOfTime, TooLarge

from .data import at_hand, binarized, missing_note
from .timing import Table, best_of, now, ratio, seconds

SETTINGS = ((3, "0.01", "0.02"), (5, "0.005", "0.05"))
SMALL = ("compas", "broward", "spiral", "tic_tac_toe", "iris_versicolor")
MOST = 200_000  # functions that are listed and measured one by one


def run(quick: bool) -> Iterator[Table | str]:
    yield _ranges([name for name in at_hand() if not quick or name in SMALL], quick)
    yield from missing_note()


def _ranges(names: list[str], quick: bool) -> Table:
    table = Table(
        "Smallest and largest value over all trees, fold 0 of each data set",
        ["data set", "depth", "trees", "the set", "false positives", "range", "f1", "front of fpr",
         "points", "listing functions", "ratio of times"],
        [f"Depth 3: 0.01 per leaf, epsilon 0.02; depth 5: 0.005 and 0.05. Listed and measured one "
         f"by one are up to {MOST:,} functions, with the same ends (asserted)."],
    )  # fmt: skip
    for name in names:
        _, columns, y = binarized(name)
        for depth, regularization, epsilon in SETTINGS[: 1 if quick else 2]:
            now(f"{name}, depth {depth}")
            rset = ol.RashomonSet(depth, regularization, epsilon)
            fitted = best_of(lambda: rset.fit(columns, y), 3)  # noqa: B023
            set_ = rset.trees_
            got = set_.range(ol.Measure("false positives"))
            passed = best_of(lambda: set_.range(ol.Measure("false positives")), 3)  # noqa: B023
            f1 = best_of(lambda: set_.range(ol.Measure("f1")), 3)  # noqa: B023
            front = best_of(lambda: set_.pareto_front(ol.Measure("fpr")), 3)  # noqa: B023
            listing = _listing(set_, columns, y, got)
            table.add(name, depth, set_.n_trees, seconds(fitted),
                      f"{got.smallest:,} to {got.largest:,}", seconds(passed), seconds(f1),
                      seconds(front), len(set_.pareto_front(ol.Measure("fpr"))),
                      "" if listing is None else seconds(listing),
                      "" if listing is None else ratio(listing, passed))  # fmt: skip
    return table


def _listing(set_: ol.TreeSet, columns: Any, y: Any, got: Any) -> float | None:
    """Measure all functions one by one; None where they are too many."""
    bits = columns.to_numpy().astype("uint8")
    negative = y.to_numpy() == 0

    def ends() -> tuple[int, int]:
        trees = set_.functions(limit=MOST).table().trees
        low, high = len(y), 0
        for _, labels in trees.says_in_parts(bits[negative]):
            wrong = (labels == 1).sum(axis=1)
            low, high = min(low, int(wrong.min())), max(high, int(wrong.max()))
        return low, high

    try:
        assert ends() == (got.smallest, got.largest)
    except (TooLarge, OutOfMemory, OutOfTime):
        return None
    return best_of(ends, 3)
