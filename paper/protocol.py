"""The paper's protocol: folds, binarization, learners. Shared by the targets.

In:  the name of a data set and a fold.
Out: training and test rows as the paper's experiments have them.
Paper: Sections 4 and 6, and the appendix on preprocessing.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

import orderless as ol
from orderless.errors import DataNotFound

__all__ = [
    "APPENDIX", "MAIN", "QUICK", "Fold", "at_hand", "binarized_fold", "chosen", "fit",
    "forget", "learners_at_hand", "loaded", "published_name",
]  # fmt: skip

MAIN = ("compas", "wine_quality", "wisconsin", "coupon")
APPENDIX = (
    "fico", "broward", "netherlands", "spiral", "tic_tac_toe", "iris_virginica",
    "iris_versicolor", "iris_setosa",
)  # fmt: skip
QUICK = ("wisconsin", "spiral", "iris_versicolor")
FOLDS = 5

_NAMES = {
    "compas": "COMPAS", "fico": "FICO", "tic_tac_toe": "Tic-Tac-Toe",
    "wine_quality": "Wine Quality",
}  # fmt: skip


def published_name(name: str) -> str:
    """Give the name that the paper's figures show.

    >>> published_name("iris_setosa"), published_name("compas")
    ('Iris Setosa', 'COMPAS')
    """
    return _NAMES.get(name, name.replace("_", " ").title())


def chosen(names: Sequence[str], *, quick: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give the data sets that a run takes, the quick ones if it is quick: at hand, and absent."""
    return at_hand(tuple(n for n in names if not quick or n in QUICK) or QUICK)


def at_hand(names: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Divide data sets into those that can be loaded and those that cannot."""
    there = tuple(name for name in names if _there(name))
    return there, tuple(name for name in names if name not in there)


@lru_cache(maxsize=32)
def _there(name: str) -> bool:
    try:
        loaded(name)
    except DataNotFound:
        return False
    return True


@lru_cache(maxsize=16)
def loaded(name: str) -> tuple[pd.DataFrame, pd.Series]:
    """Give a data set with labels 0 and 1, read once per process; do not modify it."""
    X, y = ol.datasets.load(name)
    return X, y.astype(int)


@dataclass(frozen=True, eq=False)
class Fold:
    """One fold: binary columns of training and test rows."""

    binarizer: Any  # a Binarizer, fitted on the training rows
    X: pd.DataFrame
    y: pd.Series
    X_test: pd.DataFrame
    y_test: pd.Series


@lru_cache(maxsize=8)
def binarized_fold(dataset: str, fold: int) -> Fold:
    """Give a fold as Sections 4 and 6 have it.

    ``KFold(5, shuffle=True, random_state=42)``, thresholds guessed on the training rows.
    """
    from sklearn.model_selection import KFold

    X, y = loaded(dataset)
    splits = KFold(FOLDS, shuffle=True, random_state=42).split(X)
    train, test = list(splits)[fold]
    binarizer = ol.Binarizer().set_output(transform="pandas")
    rows, labels = X.iloc[train].reset_index(drop=True), y.iloc[train].reset_index(drop=True)
    columns = binarizer.fit_transform(rows, labels)
    return Fold(
        binarizer,
        columns,
        labels,
        binarizer.transform(X.iloc[test].reset_index(drop=True)),
        y.iloc[test].reset_index(drop=True),
    )


def forget() -> None:
    """Forget the data sets that were read: ``ORDERLESS_DATA`` may name another folder by now."""
    for kept in (_there, loaded, binarized_fold):
        kept.cache_clear()


def fit(learner: str, X: pd.DataFrame, y: pd.Series, *, max_depth: int, seed: int) -> Any:
    """Fit a tree as the paper does, by "sklearn", "gosdt" or "dl85", on binary columns.

    The seed breaks ties between splits in scikit-learn; the others do not need one.
    """
    if learner == "sklearn":
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(max_depth=max_depth, random_state=seed).fit(X, y)
    if learner == "gosdt":
        gosdt = _import("gosdt")
        # GOSDT counts the leaf as a level.
        model = gosdt.GOSDTClassifier(depth_budget=max_depth + 1, regularization=0.01)
        return model.fit(X, y)
    pydl85 = _import("pydl85")
    return pydl85.DL85Classifier(max_depth=max_depth).fit(X.to_numpy(dtype=np.int64), y.to_numpy())


def learners_at_hand(names: tuple[str, ...]) -> tuple[str, ...]:
    """Keep the learners that are installed."""
    packages = {"sklearn": "sklearn", "gosdt": "gosdt", "dl85": "pydl85"}
    return tuple(name for name in names if find_spec(packages[name]) is not None)


def _import(name: str) -> Any:
    """Import a learner without its deprecation warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return import_module(name)
