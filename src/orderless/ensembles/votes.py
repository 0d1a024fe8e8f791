"""Votes: a tree as an ensemble of one.

In:  a ``Tree``, or a model that is read as one.
Out: an ``Ensemble`` that says the same: each leaf votes for its class, or adds its number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model import Adding, Rule, SumKernel
from ..readers import read_model

__all__ = ["as_ensemble"]


def as_ensemble(model: Any) -> SumKernel:
    """Give an ensemble as it is, and a tree as an ensemble of one.

    Parameters
    ----------
    model : Ensemble, Tree, CanonicalForm, or any model that one of the readers knows

    Examples
    --------
    >>> as_ensemble({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}})
    Ensemble(1 tree, features ['x0'], classes [0, 1])
    """
    tree = read_model(model)
    if isinstance(tree, SumKernel):
        return tree
    leaves = tree.feature < 0
    which = tree.leaf_class[leaves]
    plain = tree.replace(
        classes=range(tree.n_leaves),
        leaf_class=tree.numbered_leaves.leaf_class,
        distribution=None,
        task="classification",
    )
    if tree.task == "regression":
        numbers = tree.numbers[which]
        return SumKernel([plain], [numbers], adding=Adding(), rule=Rule("number"))
    n = len(tree.classes)
    return SumKernel(
        [plain],
        [np.eye(n)[which]],
        classes=tree.classes,
        adding=Adding(base=(0.0,) * n),
        rule=Rule("largest"),
    )
