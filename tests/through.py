"""A table of all kinds of columns, and pipelines on it that are checked against what we read."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

NUMBERS = ["age", "blood pressure (mm)", 'it\'s "quoted"', "größe"]
COLORS = ("red", "green", "blue", 'it\'s "x"', "größer ☃")

# scikit-learn warns from 1.7 on where it is not said how bins are cut; before, it cannot be said.
QUANTILES = (
    {"quantile_method": "averaged_inverted_cdf"}
    if "quantile_method" in signature(KBinsDiscretizer).parameters
    else {}
)


def table(seed: int = 0, n: int = 150) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, text, whole numbers and truth values, and three classes that depend on them."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal([40, 120, 0.1, 1e-3], [15, 20, 3, 1e-3], (n, 4)), columns=NUMBERS)
    X["color"] = rng.choice(COLORS, n, p=[0.4, 0.3, 0.2, 0.07, 0.03])
    X["grade"] = rng.integers(1, 6, n)
    X["smoker"] = rng.random(n) < 0.4
    score = (
        (X["age"] > 40) * 1.0 + (X["color"].isin(["red", "blue"])) + (X["größe"] > 1e-3)
        + X["smoker"] + (X["grade"] == 3) + (X["blood pressure (mm)"].between(110, 130))
    )  # fmt: skip
    y = np.array(["low", "mid", "high"])[np.clip(score.to_numpy().astype(int) - 1, 0, 2)]
    flip = rng.random(n) < 0.1
    y[flip] = rng.choice(["low", "mid", "high"], flip.sum())
    return X, y


def tree_model(depth: int | None = None) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=depth, random_state=0)


def numbers_near(tree: ol.Tree, i: int) -> list[float]:
    """Every boundary of a feature, and its neighbours among float64 and float32."""
    out: list[float] = []
    for t in tree.nodes.threshold[tree.nodes.feature == i].tolist():
        if not np.isfinite(t):
            continue
        near = np.float32(t)
        out += [t, np.nextafter(t, -np.inf), np.nextafter(t, np.inf), float(near)]
        out += [float(np.nextafter(near, np.float32(s * np.inf))) for s in (-1, 1)]
    return out


def rows_at_edges(tree: ol.Tree, X: pd.DataFrame, seed: int = 0, n: int = 3) -> pd.DataFrame:
    """Rows of X in which one feature is put at, or beside, a boundary; and other labels."""
    rng = np.random.default_rng(seed)
    parts = [X]
    for i in map(tree.space.index, tree.features):
        feature = tree.space.features[i]
        if feature.name not in X.columns:
            continue
        values: list[Any] = numbers_near(tree, i)
        if feature.kind == "categorical":
            values = list(feature.categories)
            if feature.other:
                text = isinstance(values[0], str)
                values += ["never seen", ""] if text else [97, -5]
        elif feature.kind == "boolean":
            values = [False, True]
        elif feature.values == "integer":
            values = sorted({float(np.floor(v)) + k for v in values for k in (0, 1)})
        part = X.iloc[rng.integers(0, len(X), n * len(values))].copy()
        part[feature.name] = values * n
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def as_list(predictions: Any) -> list[Any]:
    return [None if p is pd.NA or p is np.ma.masked else p for p in list(predictions)]


def check(
    pipeline: Pipeline, X: pd.DataFrame, y: Any, edges: bool = True, **options: Any
) -> ol.Tree:
    """Fit, read, and compare on all rows that matter."""
    pipeline = Pipeline([(name, step if step in (None, "passthrough") else clone(step))
                         for name, step in pipeline.steps]).fit(X, y)  # fmt: skip
    tree = ol.read(pipeline, **options)
    rows = rows_at_edges(tree, X) if edges else X
    ours = as_list(tree.predict(rows))
    theirs = pipeline.predict(rows).tolist()
    bad = [k for k, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b]
    assert not bad, (len(bad), rows.iloc[bad[0]].to_dict(), ours[bad[0]], theirs[bad[0]], str(tree))
    assert tree.n_leaves > 1 or pipeline[-1].get_n_leaves() == 1
    assert ol.Tree.from_json(tree.to_json()) == tree
    return tree
