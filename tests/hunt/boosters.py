"""XGBoost and LightGBM of one tree: ours predicts as the model does, edges and gaps included."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

from . import readers
from .readers import Case, compare, complete, edges, labels, show, with_gaps
from .running import Wrong

__all__ = ["CHECKS", "draw", "show", "smaller"]


def draw(rng: Random) -> Case:
    gaps = rng.random() < 0.5
    X, y = readers.table(rng, gaps)
    kinds = sorted(set(y), key=str)[:2]
    y = [kinds[at % 2] if one not in kinds else one for at, one in enumerate(y)]
    seed = rng.randint(0, 10**6)
    if rng.random() < 0.45:
        y = [kinds.index(one) for one in y]
        given: dict[str, Any] = {
            "n_estimators": 1,
            "max_depth": rng.randint(1, 3),
            "tree_method": rng.choice(["exact", "hist", "approx"]),
            "min_child_weight": 0,
            "learning_rate": rng.choice([1.0, 0.3]),
            "n_jobs": 1,
        }
        if rng.random() < 0.3:
            given["base_score"] = rng.choice([0.5, 0.3, 0.8])
        program = "from xgboost import XGBClassifier\nmodel = XGBClassifier"
    else:
        given = {
            "n_estimators": 1,
            "num_leaves": rng.randint(2, 6),
            "min_child_samples": 1,
            "min_data_in_bin": 1,
            "min_child_weight": 0.0,
            "min_data_per_group": 1,
            "cat_smooth": 0.0,
            "max_cat_to_onehot": rng.choice([1, 4]),
            "zero_as_missing": rng.random() < 0.25,
            "use_missing": rng.random() < 0.85,
            "verbose": -1,
            "n_jobs": 1,
        }
        program = "from lightgbm import LGBMClassifier\nmodel = LGBMClassifier"
    options = ", ".join(f"{key}={value!r}" for key, value in given.items())
    fit = ".fit(X, y)"
    if "LGBM" in program and rng.random() < 0.35:  # the first column holds codes
        X = [[float(rng.randint(0, 4)), *row[1:]] for row in X]
        fit = ".fit(X, y, categorical_feature=[0])"
    return Case(X, y, f"{program}({options}){fit}", gaps=True, seed=seed)


def smaller(case: Case) -> Iterator[Case]:
    return readers.smaller(case)


def rows_of(case: Case) -> list[list[Any]]:
    """XGBoost takes what fits into a float32, LightGBM any double; codes stay codes."""
    single = "XGB" in case.program
    rows = edges(case, single=single, wild=not single)
    if "categorical_feature" in case.program:
        rng = Random(case.seed + 5)
        known = sorted({row[0] for row in case.X})
        rows = [[rng.choice(known), *row[1:]] for row in rows]
    return rows


def predicts(case: Case) -> None:
    model = case.made["model"]
    compare("predict at the edges", complete(rows_of(case)), case.made["tree"], model.predict)


def takes_gaps(case: Case) -> None:
    model = case.made["model"]
    rows = with_gaps(case, rows_of(case))
    compare("NaN as a value", rows, case.made["value"], model.predict)


def completes(case: Case) -> None:
    model, tree = case.made["model"], case.made["tree"]
    rng = Random(case.seed + 2)
    everything = rows_of(case)
    for row in complete(everything)[:6]:
        at = rng.randrange(len(row))
        pool = sorted({one[at] for one in everything + case.X if one[at] == one[at]})
        filled = np.array([[*row[:at], one, *row[at + 1 :]] for one in pool])
        said = set(labels(model.predict(filled)))
        got = tree.predict([[*row[:at], math.nan, *row[at + 1 :]]]).tolist()[0]
        if len(said) > 1 and got is not None:
            raise Wrong("certain although completions differ", (row, at, got), said)
        if got is not None and got not in said:
            raise Wrong("another class than all completions", (row, at, got), said)


CHECKS = (predicts, takes_gaps, completes)
