"""LightGBM's ensembles: boosted trees, dart, goss and forests.

In:  a fitted ``LGBMClassifier``, ``LGBMRegressor`` or ``LGBMRanker``, a ``Booster``, or the text of
     a model file.
Out: ``ColumnEnsemble``. LightGBM begins at 0 and adds one tree after the other in float64; learning
     rates, dart's weights and the average of the targets are in the leaves already. A forest
     divides the sum by its rounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableModel
from ...model import Adding, Link, Rule, Task
from ..build import TreeBuilder
from ..checks import damaged, unfitted
from ..lightgbm import TIE, knows, knows_text, leaves
from ..lightgbm_text import ModelText, Objective
from .build import ColumnEnsemble
from .rounding import check_room, largest_sums, last_below

__all__ = ["from_lightgbm", "from_text", "knows", "knows_text"]

VERSIONS = ("v3", "v4")
LINKS: dict[str, Link] = {
    "binary": "logistic",
    "multiclass": "softmax",
    "multiclassova": "logistic",
    "cross_entropy": "logistic",
    "poisson": "exp",
    "gamma": "exp",
    "tweedie": "exp",
}
# As XGBoost's in float32: scores that are further apart have probabilities 1.5 units in the last
# place apart.
SOFTMAX = 2.0**-51
MOST_EXPONENT = 700.0  # of which float64 has the exponential


def from_lightgbm(model: Any) -> ColumnEnsemble:
    """Read all trees up to the best round; of a ``Booster`` the classes are 0, 1, ..."""
    import lightgbm

    if isinstance(model, lightgbm.Booster):
        return from_text(model.model_to_string())
    booster = getattr(model, "booster_", None)
    if booster is None:
        raise unfitted(model)
    if callable(model.objective):
        raise _own_objective()
    if model.get_params().get("pred_early_stop"):
        raise UnreadableModel(
            "with pred_early_stop=True LightGBM does not ask all trees, and which ones depends on "
            "the row: leave it out"
        )
    text = booster.model_to_string()
    if isinstance(model, lightgbm.LGBMClassifier):
        return from_text(text, model.classes_, task="classification")
    return from_text(text, task="regression")


def from_text(
    text: str,
    classes: Sequence[Any] | NDArray[Any] | None = None,
    *,
    task: Task | None = None,
) -> ColumnEnsemble:
    """Read the text of a model file, as ``Booster.save_model`` writes it."""
    with damaged("LightGBM", save="booster.save_model(file)"):
        model = ModelText(text, task, one_tree=False)
        _check(model)
        table = model.table
        n_outputs = model.objective.n_outputs
        trees, values = [], []
        for i, tree in enumerate(model.trees):
            builder = TreeBuilder(table)
            for leaf in leaves(builder, tree, model.labels):
                builder.leaf_number(leaf)
            trees.append(builder.finish(range(len(tree.value))))
            own = np.zeros((len(tree.value), n_outputs))
            own[:, i % n_outputs] = tree.value
            values.append(own)
        n_rounds = len(trees) // n_outputs
        divisor = float(n_rounds) if model.averages else 1.0
        adding = Adding(base=(0.0,) * n_outputs, divisor=divisor)
        check_room(values, adding)
        return ColumnEnsemble(
            trees,
            values,
            _classes(model.objective, classes),
            adding,
            _rule(model.objective, values, adding),
            LINKS.get(model.objective.name, "identity"),
            model.objective.sigmoid,
            [i % n_outputs for i in range(len(trees))] if n_outputs > 1 else None,
        )


def _own_objective() -> UnreadableModel:
    return UnreadableModel(
        "this model has an objective of your own, so that nobody knows what its score means: use "
        "one of LightGBM's"
    )


def _check(model: ModelText) -> None:
    """Refuse what is not a sum, or is not known to be one."""
    objective, n_trees = model.objective, len(model.trees)
    if model.version not in VERSIONS:
        raise UnreadableModel(
            f"the model file has version {model.version!r:.40}, and known are "
            f"{', '.join(map(repr, VERSIONS))}: save it with LightGBM 3 or 4"
        )
    if objective.name in ("custom", ""):
        raise _own_objective()
    if objective.squared or objective.name == "cross_entropy_lambda":
        what = "the signed square" if objective.squared else "log(1 + exp)"
        instead = "reg_sqrt=False" if objective.squared else "the objective 'cross_entropy'"
        raise UnreadableModel(
            f"this model predicts {what} of a sum, which is not known here: fit with {instead}, or "
            "transform the targets yourself"
        )
    several = objective.name in ("multiclass", "multiclassova")
    n_outputs = objective.n_outputs
    if n_outputs < 1 or (n_outputs > 1) != several or n_trees < 1 or n_trees % n_outputs:
        raise ValueError(f"{n_trees} trees for {n_outputs} outputs of {objective.name!r:.40}")


def _classes(
    objective: Objective, classes: Sequence[Any] | NDArray[Any] | None
) -> Sequence[Any] | NDArray[Any] | None:
    if objective.task == "regression":
        return None
    n_classes = 2 if objective.name == "binary" else objective.n_outputs
    if classes is None:
        return range(n_classes)
    if len(classes) != n_classes or (n_classes == 2 and objective.name != "binary"):
        raise UnreadableModel(
            f"this model knows {len(classes)} classes and has the objective {objective.name!r} "
            f"with {objective.n_outputs} scores, of which predict does not make one class per row: "
            "fit again with the objective 'binary' for two classes, 'multiclass' for more"
        )
    return classes


def _rule(objective: Objective, values: Sequence[NDArray[np.float64]], adding: Adding) -> Rule:
    if objective.task == "regression":
        return Rule("number")
    if objective.name == "binary":
        return Rule("cuts", (last_below(lambda x: objective.sigmoid * (x / adding.divisor) > TIE),))
    most = float(largest_sums(values, adding).max())
    window = SOFTMAX
    if objective.name == "multiclassova":
        window = _window_of_sigmoids(objective.sigmoid, values, adding)
    if adding.divisor != 1.0:  # a division makes numbers equal that are 2^-52 apart
        window = window * adding.divisor + 2.0**-51 * most
    return Rule("largest", window=window * (1 + 2.0**-10))


def _window_of_sigmoids(
    sigmoid: float, values: Sequence[NDArray[np.float64]], adding: Adding
) -> float:
    """Say how close scores can be of which LightGBM makes one probability, each by itself.

    With z = sigmoid * score, 1 / (1 + exp(-z)) rises by exp(-z) / 4 or more per unit of a positive
    z, and by half of itself for a negative one; its own error is (abs(z) + 5) * 2^-53 of it at
    most. So two scores below ``highest`` are told apart that are further apart than twice that
    error over the slope. Probabilities close to 1 are all alike, and the window is wide then.
    """
    factor = sigmoid / adding.divisor
    largest = factor * float(largest_sums(values, adding).max())
    if largest > MOST_EXPONENT:
        return 2 * largest / sigmoid
    tops = np.sum([np.maximum(own.max(axis=0), 0.0) for own in values], axis=0)
    highest = factor * float(tops.max()) * (1 + 2.0**-10)
    return 8 * (largest + 5) * 2.0**-53 * math.exp(highest) / sigmoid
