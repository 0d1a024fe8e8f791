"""How many functions a Rashomon set holds, where they are too many to list.

No peer says how many functions a set holds; a list of them is the other way to find out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orderless as ol

from .data import at_hand, binarized, missing_note
from .timing import Table, against, clock, seconds


def run(quick: bool) -> Iterator[Table]:
    yield _estimates(quick)


def _estimates(quick: bool) -> Table:
    table = Table(
        "How many functions, from a sample of 4,000 trees (95 % confidence)",
        ["data set", "depth", "per leaf", "epsilon", "trees", "counted", "estimate", "low", "high",
         "time", "target"],
        ["One call of `functions().estimate`, seed 0, after `n_trees`. Counted: "
         "`len(functions())`, where that fits. Asserted: what is counted lies in the interval.",
         *missing_note()],
    )  # fmt: skip
    cases = [("wisconsin", 4, 0.01, 0.02, True), ("fico", 3, 0.005, 0.05, True)]
    if not quick:
        cases += [("compas", 4, 0.005, 0.05, False), ("fico", 4, 0.005, 0.05, False),
                  ("fico", 5, 0.005, 0.05, False)]  # fmt: skip
    for name, depth, regularization, epsilon, fits in cases:
        if name not in at_hand():
            continue
        columns, y = binarized(name)[1:]
        found = ol.RashomonSet(depth, regularization, epsilon).fit(columns, y).trees_
        n_trees = found.n_trees
        start = clock()
        got = found.functions().estimate(random_state=0)
        took = clock() - start
        counted: Any = ""
        if fits:
            counted = len(found.functions())
            assert got.low <= counted <= got.high, (name, got, counted)
        shown = (f"{n:.3g}" for n in (got.estimate, got.low, got.high))
        table.add(name, depth, regularization, epsilon, n_trees, counted, *shown, seconds(took),
                  against(10.0, took))  # fmt: skip
    return table
