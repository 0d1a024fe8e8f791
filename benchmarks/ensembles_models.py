"""The ensembles that are measured, and the rows that are asked about."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import orderless as ol
from orderless.inputs import rows_for
from orderless.questions.boxes import RowBoxes

from .data import load
from .timing import now


def grown(kind: str, n: int, depth: int | None, X: Any, y: Any) -> Any:
    if kind == "forest":
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(n, max_depth=depth, random_state=0).fit(X, y)
    if kind == "XGBoost":
        from xgboost import XGBClassifier

        return XGBClassifier(n_estimators=n, max_depth=depth, n_jobs=1, random_state=0).fit(X, y)
    from lightgbm import LGBMClassifier

    assert depth is not None
    return LGBMClassifier(
        n_estimators=n, max_depth=depth, num_leaves=2**depth, n_jobs=1, random_state=0, verbose=-1
    ).fit(X, y)


@cache
def split(name: str) -> tuple[Any, Any, Any]:
    """Rows and labels to fit on, four of five, and rows to ask about."""
    X, y = load(name)
    table = X.to_numpy(dtype=np.float32)
    order = np.random.default_rng(0).permutation(len(table))
    cut = len(table) * 4 // 5
    return table[order[:cut]], np.asarray(y)[order[:cut]], table[order[cut:]]


@cache
def fitted(name: str, kind: str, n: int, depth: int | None) -> tuple[Any, Any]:
    train, labels, _ = split(name)
    now(f"{name}: {kind} of {n} trees, depth {depth}")
    model = grown(kind, n, depth, train, labels)
    return model, ol.read(model)


def with_gaps(X: Any, share: float) -> Any:
    X = X.copy()
    X[np.random.default_rng(1).random(X.shape) < share] = np.nan
    return X


def boxes_of(ensemble: Any, X: Any) -> Any:
    boxes = RowBoxes(ensemble, rows_for(ensemble.kernel, X))
    return np.ascontiguousarray(boxes.boxes(np.arange(len(X))))
