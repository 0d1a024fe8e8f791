"""XGBoost's ensembles: boosted trees, dart and forests.

In:  a fitted model with XGBoost's scikit-learn interface, a ``Booster``, or the JSON of a model
     file.
Out: ``ColumnEnsemble``. XGBoost begins at the base margin and adds one tree after the other, all in
     float32.

What a margin becomes, and where sums begin, is asked of XGBoost itself (``xgboost_leaf``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableModel
from ...model import Adding, Link, Rule
from ..build import TreeBuilder
from ..checks import damaged
from ..xgboost import knows, knows_text, leaves, saved_text, task_of
from ..xgboost_json import ModelJson
from ..xgboost_leaf import base_margins, last_of_first_class
from .build import ColumnEnsemble
from .rounding import check_room

__all__ = ["from_text", "from_xgboost", "knows", "knows_text"]

VERSIONS = (1, 2, 3)
LINKS: dict[str, Link] = {
    "binary:logistic": "logistic",
    "reg:logistic": "logistic",
    "multi:softprob": "softmax",
    "multi:softmax": "softmax",
    "count:poisson": "exp",
    "reg:gamma": "exp",
    "reg:tweedie": "exp",
    "survival:cox": "exp",
    "survival:aft": "exp",
}
# XGBoost's softmax takes float32 exponentials of what a margin is below the largest, and divides
# all by their sum. Of a margin that is further below, the exponential is at most 1 - 2^-22 and one
# unit in the last place (2^-24), so that the quotients are 1.5 units apart and stay two numbers.
SOFTMAX = 2.0**-22


def from_xgboost(model: Any) -> ColumnEnsemble:
    """Read all trees that its ``predict`` asks: after early stopping, those up to the best round.

    A ``Booster`` predicts with all. Of its probabilities the classes are 0, 1, ...: the largest,
    or of two the second if it is above one half.
    """
    task = task_of(model)
    if task is not None and callable(model.objective):
        raise UnreadableModel(
            "this model has an objective of your own, so that nobody knows what its margin means: "
            "use one of XGBoost's"
        )
    text = saved_text(model)
    with damaged("XGBoost", save="booster.save_model('model.json')"):
        saved = json.loads(text)
        parts = ModelJson(saved["learner"], task, one_tree=False)
        if task == "classification" and parts.n_outputs == 2:
            raise UnreadableModel(
                f"with the objective {parts.objective!r} and two classes, predict gives a table "
                "and not a class: use the objective 'binary:logistic', or read get_booster()"
            )
        return _ensemble(saved, parts, in_place=task is not None)


def from_text(text: str | bytes) -> ColumnEnsemble:
    """Read the JSON of a model file, as ``save_model("model.json")`` writes it.

    A file that the scikit-learn interface wrote is read as its estimator predicts, and that of a
    ``Booster`` as a ``Booster`` does.
    """
    with damaged("XGBoost", save="booster.save_model('model.json')"):
        saved = json.loads(text)
        attributes = saved["learner"].get("attributes") or {}
        estimator = "scikit_learn" in attributes
        best = attributes.get("best_iteration") if estimator else None
        n_rounds = None if best is None else int(best) + 1
        parts = ModelJson(saved["learner"], one_tree=False, n_rounds=n_rounds)
        return _ensemble(saved, parts, in_place=estimator)


def _ensemble(saved: Mapping[str, Any], model: ModelJson, in_place: bool) -> ColumnEnsemble:
    """Describe all trees, each with a leaf's number for its class."""
    if saved["version"][0] not in VERSIONS:
        raise UnreadableModel(
            f"the model file is of XGBoost {saved['version'][0]!r:.40}, and known are "
            f"{VERSIONS[0]} to {VERSIONS[-1]}: update orderless, or save it with one of these"
        )
    base = base_margins(saved, model.n_outputs)
    table = model.table
    trees, values = [], []
    for i, (tree, output) in enumerate(zip(model.trees, model.outputs, strict=True)):
        builder = TreeBuilder(table)
        nodes: list[int] = []
        for node in leaves(builder, tree, model.labels):
            builder.leaf_number(len(nodes))
            nodes.append(node)
        trees.append(builder.finish(range(len(nodes))))
        weight = None if model.weights is None else model.weights[i]
        own = np.zeros((len(nodes), model.n_outputs))
        own[:, output] = _added(tree.number[nodes], weight, base[output], in_place)
        values.append(own)
    classes = None
    if model.task == "classification":
        classes = range(max(model.n_outputs, 2))
    adding = Adding("float32", base=tuple(base.tolist()))
    check_room(values, adding)
    return ColumnEnsemble(
        trees,
        values,
        classes,
        adding,
        _rule(saved, model),
        LINKS.get(model.objective, "identity"),
        scores=model.outputs if model.n_outputs > 1 else None,
    )


def _added(
    leaf: NDArray[np.float32], weight: np.float32 | None, base: np.float32, in_place: bool
) -> NDArray[np.float32]:
    """Give what leaves add: of dart, times the weight of the tree.

    The scikit-learn interface predicts in place, for which XGBoost adds the base to every tree of
    dart and takes it off again before it weighs, so that the last bits of both differ.
    """
    if weight is None:
        return leaf
    out: NDArray[np.float32] = ((leaf + base) - base if in_place else leaf) * weight
    return out


def _rule(saved: Mapping[str, Any], model: ModelJson) -> Rule:
    if model.task == "regression":
        return Rule("number")
    if model.n_outputs > 1:
        return Rule("largest", window=SOFTMAX if model.objective == "multi:softprob" else 0.0)
    return Rule("cuts", (last_of_first_class(saved),))
