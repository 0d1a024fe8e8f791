"""What CatBoost alone knows, asked of CatBoost itself.

In:  numbers, or labels of categories.
Out: their exponentials, to the last bit of CatBoost's own; and which label has which hash.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UnreadableModel
from ..inputs import import_optional
from ..model import Label

__all__ = ["Hashes", "exponentials"]


def exponentials(numbers: Sequence[float]) -> NDArray[np.float64]:
    """Let CatBoost take the exponential of each number; its last bit is not the C library's.

    It gets a tree of our own that has these numbers at its leaves, and a row for each.
    """
    depth = max(len(numbers) - 1, 0).bit_length()
    features = [
        {
            "borders": [0.5], "feature_id": "", "feature_index": i, "flat_feature_index": i,
            "has_nans": False, "nan_value_treatment": "AsIs",
        }
        for i in range(max(depth, 1))
    ]  # fmt: skip
    splits = [
        {"border": 0.5, "float_feature_index": i, "split_index": i, "split_type": "FloatFeature"}
        for i in range(depth)
    ]
    leaves = np.zeros(2**depth)
    leaves[: len(numbers)] = numbers
    model = _model({"float_features": features}, splits, np.zeros_like(leaves).tolist())
    model.set_leaf_values(leaves)  # its reader of JSON is an ulp off now and then
    rows = np.arange(len(numbers))[:, None] >> np.arange(max(depth, 1)) & 1
    out: NDArray[np.float64] = model.predict(rows.astype(np.float32), prediction_type="Exponent")
    return out


class Hashes:
    """The hashes of a column's categories, which are all that CatBoost keeps of them."""

    def __init__(self, column: int, name: str, hashes: Sequence[int]) -> None:
        self.column = column
        self.name = name
        self.hashes = hashes

    def resolve(self, labels: Sequence[Label]) -> Sequence[Label]:
        """Put the labels that somebody lists in the order of the hashes; each must be there."""
        table = [[label] for label in labels]
        out = []
        for number in self.hashes:
            same = [
                label
                for label, holds in zip(labels, _have_hash(table, number), strict=True)
                if holds
            ]
            if len(same) != 1:
                raise UnreadableModel(
                    f"the tree asks whether {self.name!r} is the category of hash {number}, and "
                    f"{len(same)} of {len(labels)} listed categories have it: CatBoost keeps only "
                    "hashes, so list all categories with space=Space({name: [labels], ...}) for "
                    "all columns"
                )
            out.append(same[0])
        return out


def _have_hash(table: list[list[Label]], number: int) -> Sequence[bool]:
    """Let CatBoost say which labels have a hash, with a tree of one split on a category."""
    if not table:
        return []
    feature = {"feature_id": "", "feature_index": 0, "flat_feature_index": 0, "values": [number]}
    split = {
        "cat_feature_index": 0, "split_index": 0, "split_type": "OneHotFeature", "value": number,
    }  # fmt: skip
    model = _model({"categorical_features": [feature], "float_features": []}, [split], [0.0, 1.0])
    catboost = import_optional("catboost", needed_for="reading categories of CatBoost")
    try:
        answers = model.predict(catboost.Pool(table, cat_features=[0]))
    except catboost.CatBoostError as fault:
        raise UnreadableModel(
            f"CatBoost does not take {[label for [label] in table]!s:.80} for categories: "
            f"{fault!s:.200}"
        ) from fault
    return [answer > 0.5 for answer in answers]


def _model(features: dict[str, Any], splits: list[Any], leaves: list[float]) -> Any:
    """Make a model of one symmetric tree."""
    catboost = import_optional("catboost", needed_for="reading a model file of CatBoost")
    content = {
        "features_info": features,
        "model_info": {},
        "oblivious_trees": [
            {"leaf_values": leaves, "leaf_weights": [1] * len(leaves), "splits": splits}
        ],
        "scale_and_bias": [1, [0]],
    }
    with tempfile.TemporaryDirectory() as folder:  # CatBoost reads JSON from files only
        path = Path(folder) / "model.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        return catboost.CatBoost().load_model(str(path), format="json")
