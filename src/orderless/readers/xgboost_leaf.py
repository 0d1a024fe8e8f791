"""What a leaf of XGBoost says, asked of XGBoost itself.

In:  a saved model, and its tree.
Out: the numbers that its ``predict`` gives, to the last bit.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..inputs import import_optional
from .xgboost_json import StoredTree

__all__ = ["leaf_numbers"]

# What a saved objective must hold besides its name. None of it changes what a margin becomes, so
# that these are XGBoost's own defaults, and not what a file says.
LOGISTIC = {"reg_loss_param": {"scale_pos_weight": "1"}}
RANK = {
    "lambdarank_param": {
        "lambdarank_bias_norm": "1", "lambdarank_normalization": "1",
        "lambdarank_num_pair_per_sample": "4294967295", "lambdarank_pair_method": "topk",
        "lambdarank_unbiased": "0", "ndcg_exp_gain": "1",
    }
}  # fmt: skip
PARAMETERS: dict[str, dict[str, Any]] = {
    "binary:logistic": LOGISTIC,
    "binary:logitraw": LOGISTIC,
    "reg:logistic": LOGISTIC,
    "reg:squarederror": LOGISTIC,
    "reg:gamma": LOGISTIC,
    "reg:pseudohubererror": {"pseudo_huber_param": {"huber_slope": "1"}},
    "reg:quantileerror": {"quantile_loss_param": {"quantile_alpha": "[0.5]"}},
    "reg:tweedie": {"tweedie_regression_param": {"tweedie_variance_power": "1.5"}},
    "count:poisson": {"poisson_regression_param": {"max_delta_step": "0.7"}},
    "survival:aft": {
        "aft_loss_param": {
            "aft_loss_distribution": "normal", "aft_loss_distribution_scale": "1",
        }
    },
    "rank:pairwise": RANK,
    "rank:ndcg": RANK,
    "rank:map": RANK,
}  # fmt: skip
SHARES = ("binary:logistic", "binary:logitraw", "reg:logistic")  # their base score is one


def leaf_numbers(saved: Mapping[str, Any], tree: StoredTree) -> dict[int, float]:
    """Let XGBoost say what it predicts at each leaf, to the last bit.

    It gets a model of our own, of one leaf of value 0 and one column, whose margin is the base
    margin alone; then every leaf's margin is handed over as a base margin.
    """
    xgboost = import_optional("xgboost", needed_for="reading a model file of XGBoost")
    rest = xgboost.Booster(model_file=bytearray(json.dumps(_one_leaf(saved)).encode()))
    rows = np.zeros((len(tree.leaves), 1), dtype=np.float32)
    base = rest.predict(xgboost.DMatrix(rows), output_margin=True, validate_features=False)
    with np.errstate(over="ignore"):  # an infinite number is refused where the tree is built
        margin = base + tree.number[tree.leaves]
    table = xgboost.DMatrix(rows, base_margin=margin)
    numbers: NDArray[np.float32] = rest.predict(table, validate_features=False)
    return dict(zip(tree.leaves, numbers.tolist(), strict=True))


def _one_leaf(saved: Mapping[str, Any]) -> dict[str, Any]:
    """Write a model of one leaf with the objective and base score of another."""
    learner = saved["learner"]
    score = str(learner["learner_model_param"]["base_score"])
    version = saved["version"]
    number = float(re.fullmatch(r"\[?([-+.\deE]+)\]?", score)[1])  # type: ignore[index]
    objective = learner["objective"]["name"]
    low, high = (0.0, 1.0) if objective in SHARES else (-math.inf, math.inf)
    fits = math.isfinite(number) and low <= number <= high
    if not fits or [type(part) for part in version] != [int] * 3:
        raise ValueError(f"base_score is {score!r:.40} and version {version!r:.40}")
    none: dict[str, Any] = {
        name: [] for name in ("categories", "categories_nodes", "categories_segments")
    }
    leaf = {
        **none, "categories_sizes": [], "base_weights": [0.0], "default_left": [0], "id": 0,
        "left_children": [-1], "right_children": [-1], "parents": [2**31 - 1],
        "loss_changes": [0.0], "split_conditions": [0.0], "split_indices": [0], "split_type": [0],
        "sum_hessian": [1.0], "tree_param": {
            "num_deleted": "0", "num_feature": "1", "num_nodes": "1", "size_leaf_vector": "1",
        },
    }  # fmt: skip
    model = {
        "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": "1"},
        "iteration_indptr": [0, 1],
        "tree_info": [0],
        "trees": [leaf],
    }
    if "cats" in learner["gradient_booster"]["model"]:
        model["cats"] = {"enc": [], "feature_segments": [], "sorted_idx": []}
    own = {
        "attributes": {},
        "feature_names": [],
        "feature_types": [],
        "gradient_booster": {"model": model, "name": "gbtree"},
        "learner_model_param": {
            "base_score": score, "boost_from_average": "1", "num_class": "0", "num_feature": "1",
            "num_target": "1",
        },
        "objective": {"name": objective, **PARAMETERS.get(objective, {})},
    }  # fmt: skip
    return {"learner": own, "version": version}
