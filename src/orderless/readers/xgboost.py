"""XGBoost's trees.

In:  a fitted model with XGBoost's scikit-learn interface, a ``Booster``, or the JSON of a model
     file, of one tree and two classes or one number.
Out: ``ColumnTree``. Rows are rounded to float32, then asked whether they are below a float32.

A model file is read without XGBoost's loader, which believes the counts that it finds there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..errors import UnreadableModel
from ..model import Task
from .build import ColumnTree, TreeBuilder
from .checks import damaged, refuse_own_predict, unfitted
from .xgboost_json import ModelJson, StoredTree
from .xgboost_leaf import leaf_numbers

__all__ = [
    "from_text", "from_xgboost", "knows", "knows_text", "leaves", "saved_text", "task_of",
]  # fmt: skip


def knows(model: Any) -> bool:
    """Whether it is a model of XGBoost: a classifier, regressor, ranker or ``Booster``."""
    import xgboost

    if isinstance(model, xgboost.XGBModel):
        known = (xgboost.XGBClassifier, xgboost.XGBRanker, xgboost.XGBModel)
        refuse_own_predict(model, *known)
    return isinstance(model, xgboost.Booster | xgboost.XGBModel)


def from_xgboost(model: Any) -> ColumnTree:
    """Read a single tree; what a leaf says is asked of XGBoost itself.

    Of a ``Booster`` with a logistic objective the classes are 0 and 1, divided at one half.
    """
    return from_text(saved_text(model), task_of(model))


def saved_text(model: Any) -> bytes:
    """Give the JSON of the rounds that its ``predict`` asks."""
    from xgboost.core import XGBoostError

    try:
        return bytes(_booster(model).save_raw("json"))
    except XGBoostError as fault:
        raise UnreadableModel("XGBoost cannot save this booster: is it trained?") from fault


def task_of(model: Any) -> Task | None:
    """Say what an estimator predicts; None: it is a ``Booster``, which does not say."""
    import xgboost

    if isinstance(model, xgboost.Booster):
        return None
    return "classification" if isinstance(model, xgboost.XGBClassifier) else "regression"


def knows_text(text: str) -> bool:
    """Whether a text is a model file of XGBoost."""
    return '"learner"' in text and '"gradient_booster"' in text


def from_text(text: str | bytes, task: Task | None = None) -> ColumnTree:
    """Read the JSON of a model file, as ``Booster.save_model("model.json")`` writes it."""
    with damaged("XGBoost", save="booster.save_model('model.json')"):
        saved = json.loads(text)
        model = ModelJson(saved["learner"], task)
        tree = model.trees[0]
        builder = TreeBuilder(model.table)
        numbers = leaf_numbers(saved, tree)
        for node in leaves(builder, tree, model.labels):
            if model.task == "regression":
                builder.leaf_of_number(numbers[node])
            else:
                builder.leaf_number(numbers[node] > 0.5)
        classes = (0, 1) if model.task == "classification" else None
        return replace(builder.finish(classes), precision="float32")


def leaves(
    builder: TreeBuilder, tree: StoredTree, labels: Mapping[int, Mapping[int, Any]]
) -> Iterator[int]:
    """Describe the splits of a tree, and leave it to the caller to describe each leaf."""
    for node in builder.walk(0):
        left, right = tree.left[node], tree.right[node]
        column, nan_left = tree.column[node], tree.nan_left[node]
        if left < 0:
            yield node
        elif node in tree.codes:  # what the set holds goes right
            members = [labels[column][code] for code in tree.codes[node]]
            builder.categorical_test(column, "not in", members, left, right, nan_left)
        else:
            builder.numerical_test(column, "<", tree.number[node], left, right, nan_left)


def _booster(model: Any) -> Any:
    import xgboost

    if isinstance(model, xgboost.Booster):
        return model
    if not model.__sklearn_is_fitted__():
        raise unfitted(model)
    if not (isinstance(model.missing, float) and math.isnan(model.missing)):
        raise UnreadableModel(
            f"this model treats {model.missing!r} as missing: write NaN instead in X, leave "
            "missing= out and fit again"
        )
    booster = model.get_booster()
    best = getattr(model, "best_iteration", None)  # after early stopping its predict asks no more
    return booster if best is None else booster[: best + 1]
