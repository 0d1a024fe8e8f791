"""XGBoost's trees.

In:  a fitted ``XGBClassifier`` or ``XGBRFClassifier``, a ``Booster``, or the JSON of a model file,
     of one tree and two classes.
Out: ``ColumnTree``. Rows are rounded to float32, then asked whether they are below a float32.

A model file is read without XGBoost's loader, which believes the counts that it finds there.
"""

from __future__ import annotations

import json
import math
from typing import Any

from ..errors import UnreadableModel
from .build import ColumnTree, Table, TreeBuilder
from .checks import damaged, is_classifier, unfitted
from .xgboost_json import ModelJson
from .xgboost_leaf import leaf_classes

__all__ = ["from_text", "from_xgboost", "knows", "knows_text"]


def knows(model: Any) -> bool:
    """Whether it is a model of XGBoost; those that do not classify are refused."""
    import xgboost

    return isinstance(model, xgboost.Booster) or is_classifier(
        model, xgboost.XGBClassifier, xgboost.XGBModel
    )


def from_xgboost(model: Any) -> ColumnTree:
    """Read a single tree; the class of a leaf is asked of XGBoost itself."""
    from xgboost.core import XGBoostError

    try:
        text = bytes(_booster(model).save_raw("json"))
    except XGBoostError as fault:
        raise UnreadableModel("XGBoost cannot save this booster: is it trained?") from fault
    return from_text(text)


def knows_text(text: str) -> bool:
    """Whether a text is a model file of XGBoost."""
    return '"learner"' in text and '"gradient_booster"' in text


def from_text(text: str | bytes) -> ColumnTree:
    """Read the JSON of a model file, as ``Booster.save_model("model.json")`` writes it."""
    with damaged("XGBoost", save="booster.save_model('model.json')"):
        saved = json.loads(text)
        model = ModelJson(saved["learner"])
        labels = model.labels
        table = Table(
            model.n_columns,
            model.names,
            values="float32",
            learns_nan=True,
            categories={column: list(known.values()) for column, known in labels.items()},
            garbled=model.garbled,
        )
        tree = model.tree
        builder = TreeBuilder(table)
        leaf_class = leaf_classes(saved, tree)
        for node in builder.walk(0):
            left, right = tree.left[node], tree.right[node]
            if left < 0:
                builder.leaf_number(leaf_class[node])
            elif node in tree.codes:  # what the set holds goes right
                column = tree.column[node]
                members = [labels[column][code] for code in tree.codes[node]]
                builder.categorical_test(
                    column, "not in", members, left, right, tree.nan_left[node]
                )
            else:
                builder.numerical_test(
                    tree.column[node], "<", tree.number[node], left, right, tree.nan_left[node]
                )
        return builder.finish((0, 1))


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
