"""From sums to numbers and probabilities: what the library divides, stretches and links.

In:  sums of an ``Ensemble``, as the library adds them up.
Out: the numbers, or the probabilities, that it gives.
"""

from __future__ import annotations

import numpy as np

from ..errors import InvalidTree
from ..model import Floats, SumKernel

__all__ = [
    "divided",
    "linked",
    "numbers_of",
    "opposite",
    "probabilities",
    "refuse_no_probabilities",
]


def divided(ensemble: SumKernel, sums: Floats) -> Floats:
    """Divide sums as the library does, in its own precision."""
    adding = ensemble.adding
    if adding.divisor == 1:
        return sums
    if adding.precision == "float32":
        return (sums.astype(np.float32) / np.float32(adding.divisor)).astype(np.float64)
    return sums / adding.divisor


def linked(ensemble: SumKernel, scores: Floats) -> Floats:
    """Give what the link makes of divided scores of which there is one for each row."""
    if ensemble.link in ("identity", "softmax"):
        return scores * ensemble.factor if ensemble.factor != 1 else scores
    stretched = scores * ensemble.factor
    with np.errstate(over="ignore", under="ignore"):
        if ensemble.link == "exp":
            return np.exp(stretched)
        powers = np.exp(-stretched)
        if ensemble.adding.precision == "float64":
            return 1 / (1 + powers)
        single = np.float32(1)  # as XGBoost computes it
        return (single / (single + powers.astype(np.float32))).astype(np.float64)


def opposite(ensemble: SumKernel, second: Floats) -> Floats:
    """Give the probability of the first of two classes, of that of the second."""
    if ensemble.adding.precision == "float64":
        return 1 - second
    return (np.float32(1) - second.astype(np.float32)).astype(np.float64)


def numbers_of(ensemble: SumKernel, sums: Floats) -> Floats:
    """Give the numbers that a model of numbers makes of its sums (rows x 1)."""
    return linked(ensemble, divided(ensemble, sums[:, 0]))


def refuse_no_probabilities(ensemble: SumKernel) -> None:
    """Refuse a model whose scores are no probabilities, nor become such."""
    if ensemble.task == "regression":
        raise InvalidTree(
            "this model says numbers, not classes, so it has no probabilities: use "
            "predict_interval(X)"
        )
    if ensemble.rule.kind == "cuts":
        if ensemble.link == "logistic" and len(ensemble.classes) == 2:
            return
    elif ensemble.link == "softmax" or _sums_to_one(ensemble):
        return
    raise InvalidTree(
        "the scores of this model are no probabilities, nor does it make such of them: "
        "predict_interval(X) gives the scores"
    )


def _sums_to_one(ensemble: SumKernel) -> bool:
    """Whether all scores are at least 0, and add up to 1, whatever the leaves."""
    if ensemble.link != "identity" or min(ensemble.adding.base) < 0:
        return False
    total = sum(ensemble.adding.base)
    for own in ensemble.values:
        each = own.sum(axis=1)
        if (own < 0).any() or np.ptp(each) > 1e-6 * max(1.0, abs(each[0])):
            return False
        total += each[0]
    return bool(abs(total / ensemble.adding.divisor * ensemble.factor - 1) < 1e-6)


def probabilities(ensemble: SumKernel, sums: Floats) -> Floats:
    """Give rows x classes: the probabilities that a classifier makes of its sums."""
    scores = divided(ensemble, sums)
    if ensemble.rule.kind == "cuts":
        second = linked(ensemble, scores[:, 0])
        return np.stack([opposite(ensemble, second), second], axis=1)
    if ensemble.link == "identity":
        return linked(ensemble, scores)
    stretched = scores * ensemble.factor
    powers = np.exp(stretched - stretched.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
