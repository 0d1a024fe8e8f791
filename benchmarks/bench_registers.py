"""Processors without the widest registers: the same work with AVX-512, AVX2, popcnt and none.

Each width in a process of its own, which ``ORDERLESS_REGISTERS`` keeps to it. Peer: scikit-learn's
``predict`` of the same tree, which has one code for all.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np

import orderless as ol
from orderless._core import base

from .bench_missing import LEAST, LEAST_DEEP, _model, _rows
from .data import at_hand, binarized
from .timing import Table, best_of, now, ratio, seconds

WIDTHS = ("avx512", "avx2", "popcnt", "portable")  # from the widest
DEPTHS = (5, 8, 12)


def run(quick: bool) -> Iterator[Table | str]:
    widths = WIDTHS[WIDTHS.index(base.registers) :]
    n = 100_000 if quick else 1_000_000
    found = {width: _in_process(width, n) for width in widths}
    yield _predict(found, n)
    yield _sets(found)
    yield (
        f"In short, of this run: the other sections were measured with {base.registers}, the "
        "widest registers that were chosen here; this one holds the narrower ones beside them."
    )


def _in_process(width: str, n: int) -> dict[Any, Any]:
    """Measure everything in a fresh process that may use registers of this width at most."""
    now(f"registers: {width}")
    before = os.environ.get("ORDERLESS_REGISTERS")
    os.environ["ORDERLESS_REGISTERS"] = width
    try:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            return process.submit(_measure, n).result()
    finally:
        if before is None:
            del os.environ["ORDERLESS_REGISTERS"]
        else:
            os.environ["ORDERLESS_REGISTERS"] = before


def _measure(n: int) -> dict[Any, Any]:
    """What one width gives: seconds by what was done, and answers to hold beside the others'."""
    found: dict[Any, Any] = {"registers": base.registers}
    for share in (0.0, 0.1):
        X = _rows(n, share)
        for depth in DEPTHS:
            model, tree = _model(depth), ol.read(_model(depth))
            found["predict", share, depth] = (
                best_of(lambda tree=tree, X=X: tree.predict(X), 5),
                best_of(lambda model=model, X=X: model.predict(X), 5),
                _digest(tree.predict(X)),
            )
    for name in at_hand():
        _, columns, y = binarized(name)
        fit = ol.RashomonSet(max_depth=4, regularization=0.01, epsilon=0.02).fit
        passed = best_of(lambda fit=fit, columns=columns, y=y: fit(columns, y), 9)
        found["set", name] = passed, fit(columns, y).trees_.n_trees
    return found


def _digest(answer: Any) -> str:
    """A short name of predictions, with what is unknown."""
    text = np.ma.getmaskarray(answer).tobytes() + np.ma.filled(answer, 0).tobytes()
    return hashlib.sha256(text).hexdigest()


def _predict(found: dict[str, dict[Any, Any]], n: int) -> Table:
    table = Table(
        f"`predict` of {n:,} rows x 28 features by registers (float32, C order, one core)",
        ["registers", "unknown", *(f"depth {depth}" for depth in DEPTHS), "target"],
        [
            "Our time, and in brackets the ratio of scikit-learn's for its own tree, in the same "
            f"process. Best of 5. Target: at least {LEAST:g}x to depth 8, {LEAST_DEEP:g}x deeper, "
            "with AVX2 too; popcnt is what every x86-64 processor of the last fifteen years has. "
            "Asserted: the answers are the same with all of them."
        ],
    )
    for width, measured in found.items():
        assert measured["registers"] == width
        for share in (0.0, 0.1):
            cells, met = [], True
            for depth in DEPTHS:
                ours, theirs, answers = measured["predict", share, depth]
                assert all(other["predict", share, depth][2] == answers for other in found.values())
                met = met and theirs / ours >= (LEAST if depth <= 8 else LEAST_DEEP)
                cells.append(f"{seconds(ours)} ({ratio(theirs, ours)})")
            judged = "" if width in ("popcnt", "portable") else "met" if met else "**missed**"
            table.add(width, f"{share:.0%}", *cells, judged)
    return table


def _sets(found: dict[str, dict[Any, Any]]) -> Table:
    table = Table(
        "Rashomon sets by registers (depth 4, 0.01 per leaf, epsilon 0.02, fold 0)",
        ["data set", "trees", *found],
        ["One call of `fit`, best of 9. Asserted: as many trees with all of them."],
    )
    for name in at_hand():
        trees = {measured["set", name][1] for measured in found.values()}
        assert len(trees) == 1
        times = [seconds(measured["set", name][0]) for measured in found.values()]
        table.add(name, trees.pop(), *times)
    return table
