"""The paper's RID as it was run, randomness included, many times over.

In:  a data set, or a case of the synthetic one.
Out: what each repeat gives, and the interval of all of them.
Paper: Section 5.2 and its appendix. Each published number is one draw of this protocol: random
bootstraps, and five random permutations for each importance of each tree.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

import orderless as ol
from orderless.errors import NeverOffered

from .protocol import loaded

__all__ = [
    "CASES", "VARIABLES", "binarized", "distances", "importances", "interval", "shift_draws",
    "synthetic", "synthetic_draws",
]  # fmt: skip

VARIABLES = ("X1", "X2", "X3")
# (noise of X3, noise of Y, cost of a leaf): as printed, and as the released program has it.
CASES = {"printed": (0.05, 0.05, 0.02), "release": (0.01, 0.005, 0.01)}
QUANTILES = (0.025, 0.975)
PER_TREE = "permutation-per-tree"


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Give where 95 % of the repeats lie.

    >>> interval([float(i) for i in range(101)])
    (2.5, 97.5)
    """
    low, high = np.quantile(values, QUANTILES).tolist()
    return low, high


@lru_cache(maxsize=4)
def binarized(dataset: str) -> tuple[pd.DataFrame, pd.Series, ol.Space | None]:
    """Give a data set as RID's own program binarizes it: X, y and their space.

    Thresholds are guessed once, on all rows and all columns, 0/1 columns too; a table of 0/1
    columns is left as it is.
    """
    X, y = loaded(dataset)
    boolean = X.isin((0, 1)).all()
    if boolean.all():
        return X, y, None
    kinds = {name: "boolean" if boolean[name] else "float32" for name in X.columns}
    binarizer = ol.Binarizer(space=ol.Space(kinds)).set_output(transform="pandas")
    return binarizer.fit_transform(X, y), y, binarizer.space_


def importances(dataset: str, **options: Any) -> ol.RashomonImportance:
    """Fit RID to a data set as ``binarized`` gives it, with the paper's parameters.

    Guessed thresholds leave variables out, as in RID's own program. The pages say which, so there
    is no warning.
    """
    X, y, space = binarized(dataset)
    rid = ol.RashomonImportance(
        max_depth=3, regularization=0.02, epsilon=0.02, space=space, **options
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NeverOffered)
        return rid.fit(X, y)


def shift_draws(
    dataset: str, n_bootstraps: int, n_repeats: int, n_samples: int
) -> dict[str, dict[str, list[float]]]:
    """One piece: for each variable of a data set, the shift (KS distance) that each repeat gives.

    ``n_samples`` samples are drawn in all, with the near-optimal trees of each and their
    importances. Each repeat takes ``n_bootstraps`` of them at random: by itself it is what the
    paper ran; two repeats share n_bootstraps^2 / n_samples samples on average. A variable has two
    lists: "same", where the trees and the functions are those of the same samples; and "own", where
    each have samples of their own.
    """
    found = importances(
        dataset, n_bootstraps=n_samples, semantics="independent", importance=PER_TREE, pooled=True,
        random_state=1,
    )  # fmt: skip
    matter = [name for name in found.features_ if np.nan_to_num(found.distribution(name)[0]).any()]
    random = np.random.default_rng(0)
    out: dict[str, dict[str, list[float]]] = {name: {"same": [], "own": []} for name in matter}
    for _ in range(n_repeats):
        order = random.permutation(n_samples)
        one, two = (found.take(order[k : k + n_bootstraps]) for k in (0, n_bootstraps))
        for name in matter:
            trees = one.distribution(name, correct_equivalence=False)
            for way, functions in (("same", one), ("own", two)):
                out[name][way].append(_largest_gap(trees, functions.distribution(name)))
    return out


def _largest_gap(one: tuple[Any, Any], two: tuple[Any, Any]) -> float:
    """Give the Kolmogorov-Smirnov distance of two lists of values with shares."""
    at = np.union1d(one[0], two[0])
    steps = [np.concatenate([[0.0], np.cumsum(shares)]) for _, shares in (one, two)]
    places = [np.searchsorted(values, at, side="right") for values, _ in (one, two)]
    return float(np.abs(steps[0][places[0]] - steps[1][places[1]]).max())


def synthetic(n: int, noise: float, label_noise: float, seed: int) -> tuple[Any, Any]:
    """Draw X1, X2 ~ Bernoulli(sqrt 1/2); X3 is mostly X1 and X2; Y is mostly X3."""
    random = np.random.RandomState(seed)
    first, second = (random.rand(n) < math.sqrt(0.5) for _ in range(2))
    third = random.rand(n) < (1 - 2 * noise) * (first & second) + noise
    y = random.rand(n) < (1 - 2 * label_noise) * third + label_noise
    return pd.DataFrame({"X1": first, "X2": second, "X3": third}).astype(int), y.astype(int)


def distances(
    case: str, n_bootstraps: int, seed: int, importance: str, pooled: Sequence[bool]
) -> list[dict[str, Any]]:
    """Measure how far RID lies from the importance of ``f = X3``, on data of one seed.

    The distance is 1-Wasserstein; one line per value of ``pooled``, variable and way.
    """
    noise, label_noise, leaf = CASES[case]
    X, y = synthetic(1000, noise, label_noise, seed)
    third = {"feature": "X3", "true": {"prediction": 1}, "false": {"prediction": 0}}
    tree = ol.read(third, space=ol.Space.independent(VARIABLES))
    truth = dict(zip(VARIABLES, np.asarray(ol.permutation_importance(tree, X, y)), strict=True))
    found = ol.RashomonImportance(
        n_bootstraps=n_bootstraps, max_depth=3, regularization=leaf, epsilon=0.02,
        semantics="independent", importance=importance, random_state=seed,
    ).fit(X, y)  # fmt: skip
    out = []
    for together in pooled:
        for name in VARIABLES:
            for way, correct in (("original", False), ("corrected", True)):
                values, weights = found.distribution(
                    name, correct_equivalence=correct, pooled=together
                )
                distance = float(np.sum(weights * np.abs(values - truth[name])) / np.sum(weights))
                out.append({"pooled": together, "variable": name, "way": way,
                            "distance": distance, "truth": float(truth[name])})  # fmt: skip
    return out


def synthetic_draws(case: str, n_bootstraps: int, first: int, last: int) -> list[dict[str, Any]]:
    """One piece: the distances of the repeats ``first`` to ``last - 1`` of one of the ``CASES``.

    In each, the data, the bootstraps and the permutations are drawn anew.
    """
    return [
        {"repeat": seed, **line}
        for seed in range(first, last)
        for line in distances(case, n_bootstraps, seed, PER_TREE, (True,))
    ]
