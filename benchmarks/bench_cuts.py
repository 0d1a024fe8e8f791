"""Rashomon sets of the features themselves: every cut point, against explicit columns."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

import orderless as ol
from orderless.errors import OutOfMemory, OutOfTime

from .data import at_hand, load, missing_note
from .timing import Peer, Table, best_of, now, ratio, seconds, span

TIME = 120.0
OTHERS = 60.0
SMALL = ("iris_versicolor", "spiral", "compas")
CASES = (
    ("iris_versicolor", 3), ("spiral", 3), ("compas", 3), ("coupon", 3), ("broward", 3),
    ("fico", 2), ("fico", 3), ("wine_quality", 2), ("wine_quality", 3), ("wisconsin", 2),
    ("wisconsin", 3),
)  # fmt: skip


def run(quick: bool) -> Iterator[Table | str]:
    said: list[str] = []
    cases = [case for case in CASES if case[0] in at_hand() and (not quick or case[0] in SMALL)]
    yield _against_columns(cases, said)
    yield _beside_others([name for name in SMALL if name in at_hand()])
    yield "In short, of this run: " + " ".join(said)


def _whole_rows(n: int) -> tuple[Fraction, int]:
    """What a leaf costs, as a share and in whole rows, about 0.01: peers count in rows."""
    leaf = max(1, round(0.01 * n))
    return Fraction(leaf, n), leaf


def _fit(X: Any, y: Any, depth: int, **options: Any) -> tuple[Any, Any]:
    """Give seconds of the processor and the set, or what stopped it."""
    model = ol.RashomonSet(depth, _whole_rows(len(y))[0], 0.02, **options)
    start = time.process_time()
    try:
        model.fit(X, y)
    except (OutOfTime, OutOfMemory) as fault:
        return type(fault).__name__, None
    return time.process_time() - start, model


def _beside_others(names: list[str]) -> Table:
    table = Table(
        "Every cut point, depth 3, beside the other enumerators",
        ["data set", "cut points", "trees", "time", "TreeFARMS", "ArborEnum", "PRAXIS",
         "its trees", "SORTD"],
        ["About 0.01 per leaf in whole rows, epsilon half a row beyond 0.02, so that no tree lies "
         "on the bound, where TreeFARMS' floats decide. Times of one process each, the same cut "
         f"points as 0/1 columns for the others, which have {OTHERS:.0f} s and a limit on memory. "
         "Asserted: TreeFARMS and ArborEnum have as many trees as we, PRAXIS, an approximation, "
         "no more. SORTD is not run: it has no package (`sortd` on PyPI sorts lines of text, "
         "`pysortd` is source code to be compiled).",
         *missing_note()],
    )  # fmt: skip
    with (
        Peer("treefarms_set", "treefarms") as farms,
        Peer("arborenum_set", "arborenum") as arborenum,
        Peer("praxis_set", "praxis") as praxis,
    ):
        for name in names:
            now(f"the others on {name}")
            X, y = load(name)
            share, leaf = _whole_rows(len(y))
            epsilon = Fraction(2 * round(0.02 * len(y)) + 1, 2 * len(y))
            model = ol.RashomonSet(3, share, epsilon, thresholds="all")
            took = best_of(lambda model=model, X=X, y=y: model.fit(X, y), 5)
            assert model.on_bound == 0
            columns, _ = _explicit(X)
            codes = pd.Series(np.unique(y, return_inverse=True)[1])
            bound = math.floor(model.bound * len(y))
            answers: list[Any] = [
                farms(columns, codes, 3, float(epsilon), float(share), limit=OTHERS),
                arborenum(columns, codes, leaf, bound, 3, limit=OTHERS),
                praxis(columns, codes, leaf, bound, limit=OTHERS),
            ]
            for title, answer in zip(("TreeFARMS", "ArborEnum", "PRAXIS"), answers, strict=True):
                if not isinstance(answer, tuple):
                    continue
                count = answer[1][0]
                right = count <= model.n_trees if title == "PRAXIS" else count == model.n_trees
                assert right, (title, name, count, model.n_trees)
            times = [each[0] if isinstance(each, tuple) else each for each in answers]
            table.add(name, columns.shape[1], model.n_trees, seconds(took), *map(seconds, times),
                      answers[2][1][0] if isinstance(answers[2], tuple) else "", "not run",
                      )  # fmt: skip
    return table


def _explicit(X: Any) -> tuple[Any, Any]:
    """The same columns in an order in which none follows from the one before, and their space."""
    binarizer = ol.MidpointBinarizer().fit(X)
    order = np.random.default_rng(0).permutation(len(binarizer.thresholds_))
    columns = pd.DataFrame(binarizer.transform(X), columns=binarizer.get_feature_names_out())
    space = ol.Space(binarizer.space_.features, [binarizer.space_.columns[j] for j in order])
    return columns.iloc[:, order], space


def _against_columns(cases: list[tuple[str, int]], said: list[str]) -> Table:
    table = Table(
        "Every cut point (`thresholds='all'`), about 0.01 per leaf, epsilon 0.02, all rows",
        ["data set", "rows", "cut points", "depth", "trees", "time", "explicit columns", "ratio",
         "ArborEnum", "ratio "],
        ["Seconds of the processor, one call of `fit` each, the graph and the number of trees. "
         "Explicit columns: the same cut points as 0/1 columns in disorder, which are searched as "
         "unrelated columns. ArborEnum: the same columns, exact (`lookahead_k`), wall clock. "
         "Asserted: all have the same number of trees. A leaf costs whole rows, as ArborEnum has "
         "it.",
         *missing_note()],
    )  # fmt: skip
    ratios: list[float] = []
    with Peer("arborenum_set", "arborenum") as arborenum:
        for name, depth in cases:
            X, y = load(name)
            took, found = _fit(X, y, depth, thresholds="all")
            if found is None:
                table.add(name, len(y), "", depth, "", took, "", "", "", "")
                continue
            now(f"explicit columns of {name}, depth {depth}")
            columns, space = _explicit(X)
            # As for the others, on a busy machine more pass on the wall.
            plain, same = _fit(columns, y, depth, space=space, binarizer=None,
                               time_limit=3 * TIME)  # fmt: skip
            if same is not None:
                assert same.n_trees == found.n_trees, (name, same.n_trees, found.n_trees)
                ratios.append(plain / took)
            leaf = _whole_rows(len(y))[1]
            codes = pd.Series(np.unique(y, return_inverse=True)[1])
            theirs: Any = arborenum(columns, codes, leaf, math.floor(found.bound * len(y)), depth,
                                    limit=TIME)  # fmt: skip
            if isinstance(theirs, tuple):
                theirs, (count, _) = theirs
                assert count == found.n_trees, (name, count, found.n_trees)
            table.add(name, len(y), columns.shape[1], depth, found.n_trees, seconds(took),
                      seconds(plain), ratio(plain, took), seconds(theirs),
                      ratio(theirs, took))  # fmt: skip
    if ratios:
        said.append(f"Explicit columns take {span(ratios)} as long as `thresholds='all'`.")
    return table
