"""What a margin of XGBoost becomes, asked of XGBoost itself.

In:  a saved model, and its tree.
Out: the numbers that its ``predict`` gives, to the last bit; where sums of trees begin; the margin
     at which two classes part.
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

__all__ = ["base_margins", "last_of_first_class", "leaf_numbers"]

Singles = NDArray[np.float32]

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
    "reg:squaredlogerror": LOGISTIC,
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
MANY = 257  # margins that are asked for at once
SHARES = ("binary:logistic", "reg:logistic")  # their base score is one


def leaf_numbers(saved: Mapping[str, Any], tree: StoredTree) -> dict[int, float]:
    """Let XGBoost say what it predicts at each leaf, to the last bit.

    Every leaf's margin is handed over as a base margin.
    """
    asked = _Asked(saved)
    with np.errstate(over="ignore"):  # an infinite number is refused where the tree is built
        margins = asked.base[0] + tree.number[tree.leaves]
    return dict(zip(tree.leaves, asked.numbers(margins).tolist(), strict=True))


def base_margins(saved: Mapping[str, Any], n_outputs: int) -> Singles:
    """Give the margins, one per output, that trees are added to."""
    return _Asked(saved, n_outputs).base


def last_of_first_class(saved: Mapping[str, Any]) -> float:
    """Give the largest margin of which XGBoost makes at most one half: the first of two classes.

    By bisection over all float32, of which XGBoost makes rising numbers.
    """
    asked = _Asked(saved)
    low, high = -(2**31 - 2**23) + 1, 2**31 - 2**23 - 1  # the places of -MAX and MAX among float32
    while high - low > 1:
        some = np.unique(np.linspace(low, high, MANY).astype(np.int64))
        above = np.flatnonzero(asked.numbers(_float32_at(some)) > 0.5)
        if not len(above) or above[0] == 0:
            raise ValueError("the objective does not part two classes at one half")
        low, high = some[above[0] - 1].item(), some[above[0]].item()
    return float(_float32_at(np.array([low]))[0])


def _float32_at(place: NDArray[np.int64]) -> Singles:
    """Give the float32 at places in their order; 0 is at 0."""
    bits = np.abs(place).astype(np.uint32)
    return np.copysign(bits.view(np.float32), np.where(place < 0, -1.0, 1.0)).astype(np.float32)


class _Asked:
    """A booster of our own, of leaves of value 0 and one column, with another's objective."""

    def __init__(self, saved: Mapping[str, Any], n_outputs: int = 1) -> None:
        xgboost = import_optional("xgboost", needed_for="reading a model file of XGBoost")
        text = json.dumps(_one_leaf(saved, n_outputs)).encode()
        self._booster = xgboost.Booster({"nthread": 1}, model_file=bytearray(text))
        self._table = xgboost.DMatrix
        margins = self._booster.predict(self._rows(1), output_margin=True, validate_features=False)
        self.base: Singles = margins.reshape(-1)
        if len(self.base) != n_outputs:
            raise ValueError(f"{len(self.base)} base margins for {n_outputs} outputs")

    def numbers(self, margins: Singles) -> Singles:
        """Give what it predicts where the sum of all trees is this margin."""
        rows = self._rows(len(margins), base_margin=margins)
        out: Singles = self._booster.predict(rows, validate_features=False)
        return out

    def _rows(self, n: int, **options: Any) -> Any:
        return self._table(np.zeros((n, 1), dtype=np.float32), nthread=1, **options)


def _one_leaf(saved: Mapping[str, Any], n_outputs: int) -> dict[str, Any]:
    """Write a model of one leaf per output, with the objective and base score of another."""
    learner = saved["learner"]
    score = str(learner["learner_model_param"]["base_score"])
    version = saved["version"]
    stated = re.fullmatch(r"\[?([-+.\deE]+(?:,[-+.\deE]+)*)\]?", score)[1]  # type: ignore[index]
    numbers = [float(number) for number in stated.split(",")]
    objective = learner["objective"]["name"]
    low, high = (0.0, 1.0) if objective in SHARES else (-math.inf, math.inf)
    fits = all(math.isfinite(number) and low <= number <= high for number in numbers)
    fits = fits and len(numbers) in (1, n_outputs)
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
        "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(n_outputs)},
        "iteration_indptr": [0, n_outputs],
        "tree_info": list(range(n_outputs)),
        "trees": [{**leaf, "id": i} for i in range(n_outputs)],
    }
    booster = learner["gradient_booster"]
    if "cats" in booster.get("gbtree", booster)["model"]:
        model["cats"] = {"enc": [], "feature_segments": [], "sorted_idx": []}
    several = {"softmax_multiclass_param": {"num_class": str(n_outputs)}} if n_outputs > 1 else {}
    own = {
        "attributes": {},
        "feature_names": [],
        "feature_types": [],
        "gradient_booster": {"model": model, "name": "gbtree"},
        "learner_model_param": {
            "base_score": score, "boost_from_average": "1", "num_feature": "1", "num_target": "1",
            "num_class": str(n_outputs if n_outputs > 1 else 0),
        },
        "objective": {"name": objective, **PARAMETERS.get(objective, {}), **several},
    }  # fmt: skip
    return {"learner": own, "version": version}
