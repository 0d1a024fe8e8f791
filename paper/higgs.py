"""A million rows: missing values and costs of single trees.

Paper: appendix, Higgs (OpenML 42769, 1,000,000 rows x 28 features). If the file is not at hand,
generated data of that shape takes its place, and the page says so.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd

import orderless as ol

from . import draw
from .page import table_text
from .target import Outcome, Setting, Target

__all__ = ["TARGETS", "higgs_rows"]

RATES = [0.1, 0.3, 0.5, 0.7, 0.9]


def _rows(real: bool, n: int) -> tuple[Any, Any]:
    if real:
        X, y = ol.datasets.load("higgs")
        return X.iloc[:n], y.iloc[:n].astype(int)
    random = np.random.RandomState(0)
    values = random.standard_normal((n, 28)).astype(np.float32)
    score = values[:, 0] * values[:, 1] + values[:, 2] - 0.5 * np.abs(values[:, 3])
    y = pd.Series((score + random.standard_normal(n) > 0).astype(int))
    return pd.DataFrame(values, columns=[f"f{i}" for i in range(28)]), y


def higgs_rows(real: bool, n: int, max_depth: int) -> dict[str, Any]:
    """One piece: coverage, costs and times of one tree."""
    from sklearn.tree import DecisionTreeClassifier

    X, y = _rows(real, n)
    cut = int(0.8 * len(X))
    tree = ol.read(
        DecisionTreeClassifier(max_depth=max_depth, random_state=0).fit(X[:cut], y[:cut])
    )
    start = time.perf_counter()
    found = ol.coverage(tree, X[cut:], RATES, y=y[cut:]).table
    seconds = time.perf_counter() - start
    costs = dict(
        zip(map(str, X.columns), np.random.RandomState(0).randint(1, 11, 28).tolist(), strict=True)
    )
    paid = {}
    for method in ("naive", "path", "greedy", "optimal"):
        policy = ol.cheapest_policy(tree, X[:cut], costs, method=method, time_limit=20)
        paid[method] = float(np.mean(policy.costs(X[cut:])))
    shares: Any = found.groupby(["way", "rate"])["answered"].mean()
    return {
        "coverage": [
            {"way": way, "rate": rate, "answered": float(share)}
            for (way, rate), share in shares.items()
        ],
        "costs": paid,
        "seconds": seconds,
    }


def higgs(setting: Setting) -> Outcome:
    """Run both studies on a million rows."""
    known = ol.datasets.describe().set_index("name")["source"]
    real = str(known["higgs"]).startswith("folder") and not setting.quick  # never downloaded
    n = 20_000 if setting.quick else 1_000_000
    pieces = [{"real": real, "n": n, "max_depth": depth} for depth in (3, 4, 5)]
    found = setting.work.map(higgs_rows, pieces, "higgs")
    table = pd.DataFrame(
        [
            {**piece, "dataset": "higgs", "semantics": semantics, **row}
            for piece, each in zip(pieces, found, strict=True)
            for row in each["coverage"]
            for semantics in ("aware", "independent")
        ]
    )
    costs = pd.DataFrame(
        [
            {"max_depth": piece["max_depth"], **each["costs"]}
            for piece, each in zip(pieces, found, strict=True)
        ]
    )
    what = "The Higgs data" if real else f"**Generated** data in the shape of Higgs ({n:,} x 28)"
    text = (
        f"{what}; trees by scikit-learn on the features as they are, so both semantics agree. "
        f"Coverage at five rates took {found[-1]['seconds']:.1f} s at depth 5, on "
        f"{n // 5:,} test rows.\n\nMean cost of an answer on the test rows:\n\n" + table_text(costs)
    )
    return Outcome(
        {"higgs": table, "higgs-costs": costs}, None,
        {"higgs": draw.coverage(table, "max_depth")}, text,
    )  # fmt: skip


TARGETS = (Target("higgs", "A million rows", "Appendix", higgs),)
