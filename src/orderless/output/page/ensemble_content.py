"""What the page of an ensemble holds besides the form: its tables, and the gauge of one score.

In:  an ``Ensemble``.
Out: ``Written``, as for a tree.
"""

from __future__ import annotations

import hashlib
import math
from typing import Any, NamedTuple

import numpy as np

from ...errors import InvalidTree
from ...model import SumKernel, label_text, short_number
from ..code.javascript import literal
from .ensemble_tables import ensemble_tables

__all__ = ["Written", "label_names", "written_ensemble"]

LIMIT = 250_000
FILES = (
    "rows.js", "sum.js", "restricted.js", "search.js", "forest.js", "outcomes.js",
    "asking.js", "ensemble_advice.js", "scale.js", "ensemble_page.js",
)  # fmt: skip


class Written(NamedTuple):
    """What the page has of a model: its features, its script, and the words about it."""

    features: list[dict[str, Any]]
    model: str  # the constant that the script reads
    files: list[str]  # of the script, before the page itself
    own: dict[str, Any]  # content of the page that only this kind of model has
    title: str  # where none is given
    about: list[str]  # at the foot of the page
    fingerprint: tuple[str, str]  # of what, and the digits


def written_ensemble(
    ensemble: SumKernel, names: list[str], limit: int | None, time_limit: float
) -> Written:
    """Give what the page has of an ensemble, whose classes people call by these names."""
    most = LIMIT if limit is None else limit
    n_leaves = sum(len(own) for own in ensemble.values)
    if n_leaves > most:
        raise InvalidTree(
            f"this model has {n_leaves:,} leaves in {len(ensemble.trees):,} trees and a page is "
            f"written for at most limit={most:,}, which makes a file of some megabytes: fit fewer "
            "or shallower trees (n_estimators, max_depth, min_samples_leaf), or raise limit="
        )
    features, tables = ensemble_tables(ensemble)
    text = literal(
        {
            "features": features,
            "names": list(ensemble.space.names),
            "classes": list(ensemble.classes),
            **tables,
        }
    )
    files = list(FILES)
    gauge = _gauge(ensemble, names)
    if gauge["gauge"] is not None:
        files.insert(-1, "gauge.js")
    n = len(ensemble.trees)
    trees = f"the {n:,} trees of the model decide together" if n > 1 else "the tree decides"
    return Written(
        features,
        f"const MODEL = {text};\n",
        files,
        {**gauge, "limit": 1000 * time_limit},
        "What does the model decide?",
        [
            f"This page shows what {trees}, and which answers are certain whatever the unknown "
            "values are. It does not say whether the model is right. What is not worked out in "
            f"{short_number(time_limit)} s is called undecided.",
            "What to ask next is, of the features that can change the answer on their own, the one "
            "that leaves the narrowest range of scores on average, all intervals between two of "
            "its thresholds counting alike.",
        ],
        ("the trees", hashlib.sha256(text.encode()).hexdigest()[:32]),
    )


def _gauge(ensemble: SumKernel, names: list[str]) -> dict[str, Any]:
    """Say which score is shown as a range, on which scale, and what it is called."""
    none = {"gauge": None, "percent": False, "scale": [0, 0], "measure": ""}
    kind, link = ensemble.rule.kind, ensemble.link
    if link == "softmax" or (kind == "largest" and len(ensemble.classes) != 2):
        return none
    score = 1 if kind == "largest" else 0
    percent = link == "logistic" or (kind == "largest" and _are_shares(ensemble))
    if percent:
        label = names[1] if len(names) == 2 else ""
        measure = f"Probability of {label}" if label else "Probability"
        return {"gauge": score, "percent": True, "scale": [0, 1], "measure": measure}
    ends = [
        _linked(
            ensemble,
            ensemble.adding.base[score] + sum(end(own[:, score]) for own in ensemble.values),
        )
        for end in (np.min, np.max)
    ]
    if not all(math.isfinite(end) for end in ends):
        return none
    return {"gauge": score, "percent": False, "scale": sorted(ends), "measure": "Score"}


def _linked(ensemble: SumKernel, total: float) -> float:
    number = float(total) / ensemble.adding.divisor * ensemble.factor
    if ensemble.link != "exp":
        return number
    return math.exp(number) if number < 700 else math.inf


def _are_shares(ensemble: SumKernel) -> bool:
    """Whether the divided scores are shares that add up to 1."""
    sums = [own.sum(axis=1) for own in ensemble.values]
    least, most = (sum(float(end(own)) for own in sums) for end in (np.min, np.max))
    divisor, base = ensemble.adding.divisor, ensemble.adding.base
    near = 1e-6 * divisor
    positive = all((own >= 0).all() for own in ensemble.values)
    return positive and not any(base) and abs(least - divisor) < near and abs(most - divisor) < near


def label_names(ensemble: SumKernel) -> list[str]:
    """Write the classes, in their order."""
    return [label_text(label) for label in ensemble.classes]
