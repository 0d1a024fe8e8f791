"""Idle trees: those that can be left out without changing any decision.

In:  an ``Ensemble``.
Out: the same without them; every removal is proven.
"""

from __future__ import annotations

import numpy as np

from ..model import Budget, SumKernel, refuse_facts
from ..questions.joint import Joint

__all__ = ["without_idle"]


def without_idle(ensemble: SumKernel, time_limit: float | None) -> SumKernel:
    """Leave out trees that change no decision; see ``Ensemble.without_idle_trees``."""
    refuse_facts(ensemble.space, "without_idle_trees")
    budget = Budget(time_limit)
    kept = list(range(ensemble.n_trees))
    # What a tree can change at most, those first that change least.
    spread = [float(np.ptp(own, axis=0).max(initial=0.0)) for own in ensemble.values]
    size = [float(np.abs(own).max(initial=0.0)) for own in ensemble.values]
    order = sorted(kept, key=lambda i: (spread[i], size[i], i))
    for tried, i in enumerate(order):
        fewer = [j for j in kept if j != i]
        # What is left of the time is for all trees that are left.
        share = budget.left / (len(order) - tried)
        if fewer and _idle(ensemble, fewer, size[i], share):
            kept = fewer
    return ensemble if len(kept) == ensemble.n_trees else _only(ensemble, kept)


def _only(ensemble: SumKernel, kept: list[int]) -> SumKernel:
    """Give the ensemble of some of the trees; a mean becomes the mean of these."""
    adding = ensemble.adding
    if adding.divisor == ensemble.n_trees and ensemble.task == "classification":
        adding = adding._replace(divisor=float(len(kept)))
    return ensemble.replace(
        trees=[ensemble.trees[j] for j in kept],
        values=[ensemble.values[j] for j in kept],
        scores=ensemble.scores[kept],
        adding=adding,
    )


def _idle(ensemble: SumKernel, kept: list[int], size: float, seconds: float) -> bool:
    """Whether the trees that are kept are proven to decide as all do."""
    if size == 0:
        return True  # it adds nothing, in any arithmetic
    if ensemble.task == "regression":
        return False
    joint = Joint(ensemble, _only(ensemble, kept))
    n = len(ensemble.classes)
    each = seconds / max(1, n * (n - 1))
    return all(
        joint.search(a, b, each, surely=False)[0] == 0 for a in range(n) for b in range(n) if a != b
    )
