"""CatBoost's ensembles of symmetric and other trees.

In:  a fitted ``CatBoostClassifier``, ``CatBoostRegressor``, ``CatBoostRanker`` or ``CatBoost``, or
     the JSON of a model file.
Out: ``ColumnEnsemble``. CatBoost begins at 0, adds one tree after the other in float64, and at last
     multiplies by the scale, which is 1 as it comes from fitting, and adds the bias.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from ...errors import UnreadableModel
from ...model import Adding, Link, Rule, Task
from ..build import TreeBuilder
from ..catboost import (
    Asked,
    knows,
    knows_text,
    leaves,
    plain_table,
    saved_text,
    task_of,
    with_categories,
)
from ..catboost_json import ModelJson
from ..checks import damaged
from .build import ColumnEnsemble
from .rounding import check_room

__all__ = ["from_catboost", "from_text", "knows", "knows_text"]


def from_catboost(model: Any) -> ColumnEnsemble:
    """Read all trees, out of the JSON that CatBoost writes."""
    text = saved_text(model)
    task, exponent = task_of(model)
    return from_text(text, task, exponent=exponent)


def from_text(
    text: str | bytes, task: Task | None = None, *, exponent: bool = True
) -> ColumnEnsemble:
    """Read the JSON of a model file.

    With ``exponent`` a Poisson or Tweedie model says what a ``CatBoostRegressor`` predicts;
    without, the raw number, as a plain ``CatBoost`` does.
    """
    with damaged("CatBoost", save="model.save_model(file, format='json')"):
        model = ModelJson(json.loads(text), task, one_tree=False)
        scale = _scale(model)
        asked: Asked = {}
        table = plain_table(model)
        builders, values = [], []
        for tree in model.trees:
            builder = TreeBuilder(table)
            own: list[tuple[float, ...]] = []
            for leaf in leaves(builder, tree, asked):
                builder.leaf_number(len(own))
                own.append(leaf.values)
            builders.append(builder)
            values.append(np.array(own) * scale)
        table = with_categories(table, model, asked)
        for builder in builders:
            builder.table = table
        adding = Adding(base=tuple(model.bias), base_last=True)
        check_room(values, adding)
        output = model.output
        return ColumnEnsemble(
            [
                builder.finish(range(len(own)))
                for builder, own in zip(builders, values, strict=True)
            ],
            values,
            output.classes if output.task == "classification" else None,
            adding,
            _rule(model),
            _link(model, exponent),
        )


def _scale(model: ModelJson) -> float:
    """Refuse a scale that rounds: then the prediction is not the sum of what leaves add."""
    if abs(math.frexp(model.scale)[0]) != 0.5 or not 1e-9 < abs(model.scale) < 1e9:
        raise UnreadableModel(
            f"this model multiplies its sum by {model.scale}, which rounds once more: give a scale "
            "of 1 or another power of two with set_scale_and_bias"
        )
    return model.scale


def _rule(model: ModelJson) -> Rule:
    if model.output.task == "regression":
        return Rule("number")
    if len(model.bias) > 1:
        return Rule("largest")  # of the sums themselves
    return Rule("cuts", (model.output.border,))


def _link(model: ModelJson, exponent: bool) -> Link:
    if model.output.task == "regression":
        return "exp" if exponent and model.output.exponent else "identity"
    return "softmax" if model.loss == "MultiClass" else "logistic"
