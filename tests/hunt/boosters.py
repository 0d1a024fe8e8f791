"""XGBoost and LightGBM of one tree: ours predicts as the model does, edges and gaps included."""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib.util import find_spec
from random import Random
from typing import Any

import numpy as np
import pandas as pd

import orderless as ol

from . import drawing, readers
from .grid import TooBig
from .model import Feat
from .readers import Case, compare, complete, cuts_of, edges, labels, show, with_gaps
from .running import Wrong

__all__ = ["CHECKS", "KEPT", "draw", "show", "smaller"]


HERE = [name for name in ("xgboost", "lightgbm") if find_spec(name)]


def draw(rng: Random) -> Case:
    if not HERE:
        raise TooBig
    gaps = rng.random() < 0.5
    X, y = readers.table(rng, gaps)
    kinds = sorted(set(y), key=str)[:2]
    y = [kinds[at % 2] if one not in kinds else one for at, one in enumerate(y)]
    seed = rng.randint(0, 10**6)
    if (rng.random() < 0.45 and "xgboost" in HERE) or "lightgbm" not in HERE:
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
    if rng.random() < 0.3:
        program, y = as_regressor(rng, program, given, len(y))
    options = ", ".join(f"{key}={value!r}" for key, value in given.items())
    fit = ".fit(X, y)"
    if rng.random() < 0.3:
        return with_categories(rng, X, y, f"{program}({options}, ", seed)
    if "LGBM" in program and rng.random() < 0.35:  # the first column holds codes
        X = [[float(rng.randint(0, 4)), *row[1:]] for row in X]
        fit = ".fit(X, y, categorical_feature=[0])"
    return Case(X, y, f"{program}({options}){fit}", gaps=True, seed=seed)


def as_regressor(
    rng: Random, program: str, given: dict[str, Any], n: int
) -> tuple[str, list[float]]:
    """Fit numbers instead, with one of the objectives that make something else of a leaf."""
    xgb = ["reg:squarederror", "reg:absoluteerror", "reg:gamma", "count:poisson", "reg:tweedie"]
    lgbm = ["regression", "l1", "huber", "poisson", "gamma", "tweedie"]
    given["objective"] = rng.choice(xgb if "XGB" in program else lgbm)
    if "LGBM" in program:
        given["reg_sqrt"] = rng.random() < 0.3
    y = [round(rng.uniform(0.01, 9.0), rng.randint(0, 3)) + 0.25 for _ in range(n)]
    return program.replace("Classifier", "Regressor"), y


LABELS = [
    ["red", "blue", "green"],
    ["é", "ö", "东"],
    ["a b", "c,d", '"q"', "x=y"],
    ["1", "2", "10"],
]


def with_categories(rng: Random, X: Any, y: Any, begin: str, seed: int) -> Case:
    """A data frame whose first column is categorical, with labels that are text."""
    pool = rng.choice(LABELS)
    X = [[rng.choice(pool), *row[1:]] for row in X]
    for at, label in enumerate(pool):
        X[at][0] = label
    names = ("c", *(f"n{at}" for at in range(1, len(X[0]))))
    more = "enable_categorical=True, max_cat_to_onehot=1" if "XGB" in begin else "cat_l2=0.0"
    if "XGB" in begin:
        begin = begin.replace("'exact'", "'hist'")
    kind = f"pd.CategoricalDtype({sorted(pool)!r})"
    program = f"X['c'] = X['c'].astype({kind})\n{begin}{more}).fit(X, y)"
    return Case(X, y, program, names=names, gaps=True, seed=seed)


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


def by_name(case: Case) -> None:
    """Rows of a data frame with a categorical column, known categories and none."""
    if not case.names:
        return
    try:
        made, rng = case.made, Random(case.seed + 3)
    except ol.errors.UnreadableModel as fault:
        if "ASCII" in str(fault):  # XGBoost's own predict takes such categories for others
            return
        raise
    cuts = cuts_of(made["tree"])
    most = float(np.finfo(np.float32).max) if "XGB" in case.program else 1e290
    n = 40
    labels_there = made["X"]["c"].cat.categories
    columns: dict[str, Any] = {"c": [rng.choice(list(labels_there)) for _ in range(n)]}
    for name in case.names[1:]:
        near = [one for one in drawing.near(Feat("x", "float64"), cuts[name]) if abs(one) <= most]
        columns[name] = [rng.choice(near) for _ in range(n)]
    frame = pd.DataFrame(columns)
    frame["c"] = pd.Categorical(frame["c"], categories=labels_there)
    same_frame("predict of a data frame", frame, made["tree"], made["model"])
    for name in case.names:
        frame[name] = frame[name].mask(np.array([rng.random() < 0.3 for _ in range(n)]))
    same_frame("NaN as a value, data frame", frame, made["value"], made["model"])


def same_frame(what: str, frame: pd.DataFrame, ours: Any, model: Any) -> None:
    got = [None if pd.isna(one) else one for one in ours.predict(frame).tolist()]
    for at, (one, other) in enumerate(zip(got, labels(model.predict(frame)), strict=True)):
        if one != other:
            raise Wrong(what, (frame.iloc[at].to_dict(), one), other)


def predicts(case: Case) -> None:
    if case.names:
        return
    model = case.made["model"]
    compare("predict at the edges", complete(rows_of(case)), case.made["tree"], model.predict)


def takes_gaps(case: Case) -> None:
    if case.names:
        return
    model = case.made["model"]
    rows = with_gaps(case, rows_of(case))
    compare("NaN as a value", rows, case.made["value"], model.predict)


def completes(case: Case) -> None:
    if case.names:
        return
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


GAPS = [[0.0, 0.7], [1.0, math.nan], [1.0, 0.2], [1.0, 0.1], [math.nan, 0.7], [0.0, math.nan],
        [0.0, 0.30000000000000004], [0.0, 0.2]]  # fmt: skip
KEPT = (
    Case(
        GAPS,
        ["no", "no", "yes", "no", "yes", "yes", "no", "yes"],
        "from lightgbm import LGBMClassifier\n"
        "model = LGBMClassifier(n_estimators=1, num_leaves=6, min_child_samples=1, "
        "min_data_in_bin=1, min_child_weight=0.0, verbose=-1, n_jobs=1).fit(X, y)",
        gaps=True,
    ),
    Case(
        [["é", 1.0], ["ö", 2.0], ["a", 3.0], ["é", 4.0], ["ö", 1.0], ["a", 2.0]],
        [0, 1, 0, 0, 1, 0],
        "from xgboost import XGBClassifier\nX['c'] = X['c'].astype('category')\n"
        "model = XGBClassifier(n_estimators=1, max_depth=2, tree_method='hist', n_jobs=1, "
        "min_child_weight=0, enable_categorical=True, max_cat_to_onehot=1).fit(X, y)",
        names=("c", "n"),
        gaps=True,
    ),
)
CHECKS = (predicts, takes_gaps, completes, by_name)
