"""CatBoost's model files: what their JSON says, checked against itself.

In:  what a file holds that ``model.save_model(file, format="json")`` writes.
Out: ``ModelJson``: columns, what the numbers at leaves become, and each ``StoredTree``. Whatever
     does not fit is a ``ValueError``, ``KeyError`` or the like, which the reader turns into one
     message.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import UnreadableModel
from ..model import Label, Task
from .build import whole_number

__all__ = ["Leaf", "ModelJson", "Split", "StoredTree"]

MOST_DEPTH = 16  # of a symmetric tree, by CatBoost's own limit
MOST = float(np.finfo(np.float32).max)
EXPONENT = ("Poisson", "Tweedie")  # losses of which a regressor predicts the exponential
SEVERAL_LABELS = ("MultiLogloss", "MultiCrossEntropy")


class Split(NamedTuple):
    """Whether a column is above a border, or is the category of a hash."""

    column: int
    border: float
    category: int | None
    nan_true: bool

    def implied(self, known: Sequence[tuple[Split, bool]]) -> bool | None:
        """Whether answers above leave only one answer here; None: both are left."""
        for above, answer in known:
            if above.column != self.column:
                continue
            if self.category is not None:
                if above.category == self.category or answer:
                    return answer and above.category == self.category
            elif answer and above.border >= self.border:
                return True
            elif not answer and above.border <= self.border:
                return False
        return None


class Leaf(NamedTuple):
    """What a leaf adds to each output, before scale and bias."""

    values: tuple[float, ...]


class _Part(NamedTuple):
    """A part of a symmetric tree: the splits from a level on, after these answers."""

    level: int
    leaf: int
    known: tuple[tuple[Split, bool], ...]


class ModelJson:
    """A model that decides between classes, or says a number; others are refused.

    ``task`` is what its estimator predicts; None: what its loss is for. With ``one_tree`` it must
    hold one.
    """

    def __init__(
        self, saved: Mapping[str, Any], task: Task | None = None, *, one_tree: bool = True
    ) -> None:
        info = saved["features_info"]
        for kind in ("text", "embedding"):
            if info.get(f"{kind}_features"):
                raise UnreadableModel(
                    f"this model has {kind} features, which cannot be read: leave them out and fit "
                    "again"
                )
        numbers, labels = info.get("float_features") or [], info.get("categorical_features") or []
        self.numeric = [whole_number(one["flat_feature_index"], "a column") for one in numbers]
        self.nan_true = [one["nan_value_treatment"] == "AsTrue" for one in numbers]
        self.categorical = [whole_number(one["flat_feature_index"], "a column") for one in labels]
        self.names = _names([*numbers, *labels], [*self.numeric, *self.categorical])
        self.n_columns = len(numbers) + len(labels)
        scale, bias = saved["scale_and_bias"]
        self.scale = _finite(scale, "the scale")
        self.bias = [_finite(number, "the bias") for number in bias]
        self.loss = saved["model_info"]["params"]["loss_function"]["type"]
        self.output = Output(saved["model_info"], self.loss, len(self.bias), task)
        self.trees = self._trees(saved, one_tree)

    def _trees(self, saved: Mapping[str, Any], one_tree: bool) -> list[StoredTree]:
        symmetric = "oblivious_trees" in saved
        trees = saved["oblivious_trees" if symmetric else "trees"]
        if one_tree and len(trees) != 1:
            raise UnreadableModel(
                f"this model holds {len(trees)} trees and must hold one: fit with iterations=1"
            )
        return [self._symmetric(tree) if symmetric else StoredTree(self, tree) for tree in trees]

    def _symmetric(self, tree: Mapping[str, Any]) -> StoredTree:
        stated = tree.get("splits") or []
        values = [_finite(number, "a leaf") for number in tree["leaf_values"]]
        if len(stated) > MOST_DEPTH or len(values) != len(self.bias) << len(stated):
            raise ValueError(f"{len(values)} numbers at the leaves after {len(stated)} splits")
        return StoredTree(self, _Part(0, 0, ()), [self.split(one) for one in stated], values)

    def scaled(self, leaf: Leaf) -> list[float]:
        """Give what a model of one tree says at a leaf."""
        return [x * self.scale + b for x, b in zip(leaf.values, self.bias, strict=True)]

    def split(self, stated: Mapping[str, Any]) -> Split:
        """Read a split; what asks for anything but a number or a category is refused."""
        kind = stated["split_type"]
        if kind == "FloatFeature":
            at = _place(stated["float_feature_index"], self.numeric)
            border = _finite(stated["border"], "a border")
            if abs(border) > MOST:
                raise ValueError(f"a border is {border}, which is not a float32")
            return Split(self.numeric[at], float(np.float32(border)), None, self.nan_true[at])
        if kind == "OneHotFeature":
            at = _place(stated["cat_feature_index"], self.categorical)
            category = stated["value"]
            if type(category) is not int or not -(2**31) <= category < 2**31:
                raise ValueError(f"a category has the hash {category!r:.40}")
            return Split(self.categorical[at], 0.0, category, False)
        raise UnreadableModel(
            f"the tree asks for a statistic of the targets of a category ({kind!r:.40}), which is "
            "not a question about a feature: fit with one_hot_max_size at least as large as the "
            "number of categories, or encode them before"
        )


class StoredTree:
    """A tree whose root is, of a symmetric one, a part of it; of others the dict of a node."""

    def __init__(
        self,
        model: ModelJson,
        root: Any,
        splits: Sequence[Split] = (),
        values: Sequence[float] = (),
    ) -> None:
        self.model, self.root = model, root
        self._splits, self._values = splits, values

    def open(self, node: Any) -> tuple[Split, Any, Any] | Leaf:
        """Say what a node is: a split with the nodes where it holds and where not, or a leaf."""
        if isinstance(node, _Part):
            return self._open_part(node)
        if "value" in node:
            several = node["value"] if isinstance(node["value"], list) else [node["value"]]
            return self._leaf([_finite(number, "a leaf") for number in several])
        return self.model.split(node["split"]), node["right"], node["left"]

    def _open_part(self, part: _Part) -> tuple[Split, Any, Any] | Leaf:
        """Go on to the first split of a symmetric tree that the answers above leave open."""
        leaf = part.leaf
        for level in range(part.level, len(self._splits)):
            split = self._splits[level]
            answer = split.implied(part.known)
            if answer is None:
                true = _Part(level + 1, leaf | 1 << level, (*part.known, (split, True)))
                return split, true, _Part(level + 1, leaf, (*part.known, (split, False)))
            leaf |= answer << level
        n = len(self.model.bias)
        return self._leaf(self._values[leaf * n : (leaf + 1) * n])

    def _leaf(self, values: Sequence[float]) -> Leaf:
        n = len(self.model.bias)
        if len(values) != n:
            raise ValueError(f"a leaf has {len(values)} numbers, and {n} are expected")
        return Leaf(tuple(values))


class Output:
    """What a model makes of the numbers at a leaf: a class, or a number."""

    def __init__(
        self, info: Mapping[str, Any], loss: str, n_outputs: int, task: Task | None
    ) -> None:
        stated = info.get("class_params")
        if task is None:
            task = "classification" if stated else "regression"
        self.task = task
        self.exponent = loss in EXPONENT
        self.classes: list[Label] = []
        self.border = 0.0
        if task == "regression":
            if n_outputs != 1:
                raise UnreadableModel(
                    f"this model predicts {n_outputs} numbers at once (loss {loss!r:.40}): only "
                    "one can be read; fit one model per output"
                )
            return
        if loss in SEVERAL_LABELS or not stated:
            raise UnreadableModel(
                f"the loss {loss!r:.40} cannot be read as one class per row: use 'Logloss', "
                "'CrossEntropy', 'MultiClass' or 'MultiClassOneVsAll'"
            )
        self.classes = _classes(stated)
        if len(self.classes) != (2 if n_outputs == 1 else n_outputs):
            raise ValueError(f"{n_outputs} outputs for {len(self.classes)} classes")
        threshold = float(info.get("binclass_probability_threshold", 0.5))
        if not 0 < threshold < 1:
            raise ValueError(f"the probability threshold is {threshold}")
        if threshold != 0.5:
            self.border = -math.log(1.0 / threshold - 1.0)

    def place(self, values: Sequence[float]) -> int:
        """Give the position of the class: of the largest output, or above the border."""
        if len(values) == 1:
            return int(values[0] > self.border)
        return max(range(len(values)), key=values.__getitem__)


def _classes(stated: Mapping[str, Any]) -> list[Label]:
    """Give the labels, by output; CatBoost's type of label says how they are meant."""
    names, places = stated["class_names"], stated["class_to_label"]
    kind = {"Integer": int, "Float": float, "String": str, "Boolean": bool}[
        stated["class_label_type"]
    ]
    out: list[Label] = []
    for place in places:
        at = int(place)
        label = names[_place(at, names)] if names else at
        if not isinstance(label, int | float if kind is float else kind):
            raise ValueError(f"the class {label!r:.40} is not of type {kind.__name__}")
        out.append(kind(label))
    return out


def _names(features: Sequence[Mapping[str, Any]], columns: Sequence[int]) -> list[str] | None:
    """Give the names in the order of the columns; None: there are none."""
    if sorted(columns) != list(range(len(columns))):
        raise ValueError(f"the columns are {str(sorted(columns))[:60]}")
    names = [str(column) for column in range(len(columns))]
    stated = False
    for feature, column in zip(features, columns, strict=True):
        name = feature.get("feature_id", "")
        if not isinstance(name, str):
            raise ValueError(f"a column has the name {name!r:.40}")
        if name:
            names[column], stated = name, True
    return names if stated else None


def _place(index: Any, among: Sequence[Any]) -> int:
    if type(index) is not int or not 0 <= index < len(among):
        raise ValueError(f"there is no number {index!r:.40} of {len(among)}")
    return index


def _finite(number: Any, what: str) -> float:
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise ValueError(f"{what} is {number!r:.40}")
    if not math.isfinite(number):
        raise ValueError(f"{what} is {number}, which is not finite")
    return float(number)
