"""CatBoost's ensembles of symmetric and other trees.

In:  a fitted ``CatBoostClassifier``, ``CatBoostRegressor``, ``CatBoostRanker`` or ``CatBoost``, or
     the JSON of a model file.
Out: ``ColumnModel``. Rows are rounded to float32, then asked whether they are above a float32.
     Symmetric trees are unfolded, without the branches that no row can take. CatBoost begins at 0,
     adds one tree after the other in float64, and at last multiplies by the scale, which is 1 as it
     comes from fitting, and adds the bias.

A model file is read without CatBoost's loader. What CatBoost alone knows is asked of CatBoost
itself: its exponentials, to the last bit, and which category has which hash.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import UnreadableModel
from ..inputs import import_optional
from ..model import Adding, Floats, Label, Link, Rule, Task
from .builder import NUMBER, ColumnModel, ModelBuilder, Table, whole_number
from .checks import damaged, refuse_own_predict, unfitted

__all__ = ["from_catboost", "from_text", "knows", "knows_text"]

Asked = dict[int, list[int]]

ANY = "any"  # stands for the categories of a column that the trees do not ask about
MAX_DEPTH = 16  # of a symmetric tree, by CatBoost's limit
MAX_FLOAT32 = float(np.finfo(np.float32).max)
EXPONENT = ("Poisson", "Tweedie")  # losses of which a regressor predicts the exponential
SEVERAL_LABELS = ("MultiLogloss", "MultiCrossEntropy")


def knows(model: Any) -> bool:
    """Whether it is a model of CatBoost."""
    import catboost

    known = (
        catboost.CatBoostClassifier, catboost.CatBoostRegressor, catboost.CatBoostRanker,
        catboost.CatBoost,
    )  # fmt: skip
    if isinstance(model, known):
        refuse_own_predict(model, *known)
    return isinstance(model, known)


def from_catboost(model: Any) -> ColumnModel:
    """Read all trees, out of the JSON that CatBoost writes."""
    import catboost

    if not model.is_fitted():
        raise unfitted(model)
    with tempfile.TemporaryDirectory() as folder:  # CatBoost writes JSON to files only
        path = Path(folder) / "model.json"
        try:
            model.save_model(str(path), format="json")
        except catboost.CatBoostError as fault:
            raise UnreadableModel(
                f"CatBoost cannot write this model as JSON, from which it is read: {fault!s:.200}"
            ) from fault
        text = path.read_text(encoding="utf-8")
    if isinstance(model, catboost.CatBoostClassifier):
        return from_text(text, "classification")
    return from_text(text, "regression", exponent=isinstance(model, catboost.CatBoostRegressor))


def knows_text(text: str) -> bool:
    """Whether a text is a model file of CatBoost."""
    return '"features_info"' in text and ('"oblivious_trees"' in text or '"trees"' in text)


def from_text(text: str | bytes, task: Task | None = None, *, exponent: bool = True) -> ColumnModel:
    """Read the JSON of a model file.

    With ``exponent`` a Poisson or Tweedie model predicts what a ``CatBoostRegressor`` does;
    without, the raw number, as a plain ``CatBoost`` does.
    """
    with damaged("CatBoost", save="model.save_model(file, format='json')"):
        model = _ModelJson(json.loads(text), task)
        scale = model.scale if len(model.trees) == 1 else _scale(model)
        asked: Asked = {}
        builder = ModelBuilder(
            Table(model.n_columns, model.names, values="float32", learns_nan=True)
        )
        for tree in model.trees:
            for node in builder.walk(tree.root):
                _describe(builder, tree.open(node), asked, scale)
        builder.table = replace(
            builder.table,
            categories={column: asked.get(column, [ANY]) for column in model.categorical},
            garbled={column: _Hashes(model, column, asked[column]).resolve for column in asked},
        )
        adding = Adding(base=tuple(model.bias), base_last=True)
        output = model.output
        if output.task == "regression":
            if not (exponent and output.exponent):
                return builder.finish(None, adding, NUMBER)
            return builder.finish(None, adding, NUMBER, "exp", outputs=_exponentials)
        rule = Rule("largest") if len(model.bias) > 1 else Rule("cuts", (output.border,))
        link: Link = "softmax" if model.loss == "MultiClass" else "logistic"
        return builder.finish(output.classes, adding, rule, link)


def _describe(builder: ModelBuilder, part: _Opened | _Leaf, asked: Asked, scale: float) -> None:
    """Describe a node; ``asked`` takes up the hashes of categories, by column."""
    if isinstance(part, _Leaf):
        builder.leaf_adds(*(value * scale for value in part.values))
        return
    split, true, false = part
    if split.category is None:
        builder.numerical_test(split.column, ">", split.border, true, false, split.nan_true)
        return
    hashes = asked.setdefault(split.column, [])
    if split.category not in hashes:
        hashes.append(split.category)
    builder.categorical_test(split.column, "in", [split.category], true, false)


def _scale(model: _ModelJson) -> float:
    """Refuse a scale that rounds: then the prediction is not the sum of what leaves add."""
    if abs(math.frexp(model.scale)[0]) != 0.5 or not 1e-9 < abs(model.scale) < 1e9:
        raise UnreadableModel(
            f"this model multiplies its sum by {model.scale}, which rounds once more: give a scale "
            "of 1 or another power of two with set_scale_and_bias"
        )
    return model.scale


# -- what the JSON holds, checked against itself: what does not fit is a ValueError or the like ----


class _Split(NamedTuple):
    """Whether a column is above a border, or is the category of a hash."""

    column: int
    border: float
    category: int | None
    nan_true: bool

    def implied(self, known: Sequence[tuple[_Split, bool]]) -> bool | None:
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


class _Leaf(NamedTuple):
    """What a leaf adds to each output, before scale and bias."""

    values: tuple[float, ...]


_Opened = tuple[_Split, Any, Any]  # a split, and the nodes where it holds and where not


class _Part(NamedTuple):
    """A part of a symmetric tree: the splits from a level on, after these answers."""

    level: int
    leaf: int
    known: tuple[tuple[_Split, bool], ...]


class _ModelJson:
    """A model that decides between classes, or says a number; others are refused.

    ``task`` is what its estimator predicts; None: what its loss is for.
    """

    def __init__(self, saved: Mapping[str, Any], task: Task | None = None) -> None:
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
        self.output = _Output(saved["model_info"], self.loss, len(self.bias), task)
        self.trees = self._trees(saved)

    def _trees(self, saved: Mapping[str, Any]) -> list[_StoredTree]:
        symmetric = "oblivious_trees" in saved
        trees = saved["oblivious_trees" if symmetric else "trees"]
        return [self._symmetric(tree) if symmetric else _StoredTree(self, tree) for tree in trees]

    def _symmetric(self, tree: Mapping[str, Any]) -> _StoredTree:
        stated = tree.get("splits") or []
        values = [_finite(number, "a leaf") for number in tree["leaf_values"]]
        if len(stated) > MAX_DEPTH or len(values) != len(self.bias) << len(stated):
            raise ValueError(f"{len(values)} numbers at the leaves after {len(stated)} splits")
        return _StoredTree(self, _Part(0, 0, ()), [self.split(one) for one in stated], values)

    def split(self, stated: Mapping[str, Any]) -> _Split:
        """Read a split; what asks for anything but a number or a category is refused."""
        kind = stated["split_type"]
        if kind == "FloatFeature":
            at = _place(stated["float_feature_index"], self.numeric)
            border = _finite(stated["border"], "a border")
            if abs(border) > MAX_FLOAT32:
                raise ValueError(f"a border is {border}, which is not a float32")
            return _Split(self.numeric[at], float(np.float32(border)), None, self.nan_true[at])
        if kind == "OneHotFeature":
            at = _place(stated["cat_feature_index"], self.categorical)
            category = stated["value"]
            if type(category) is not int or not -(2**31) <= category < 2**31:
                raise ValueError(f"a category has the hash {category!r:.40}")
            return _Split(self.categorical[at], 0.0, category, False)
        raise UnreadableModel(
            f"the tree asks for a statistic of the targets of a category ({kind!r:.40}), which is "
            "not a question about a feature: fit with one_hot_max_size at least as large as the "
            "number of categories, or encode them before"
        )


class _StoredTree:
    """A tree whose root is, of a symmetric one, a part of it; of others the dict of a node."""

    def __init__(
        self,
        model: _ModelJson,
        root: Any,
        splits: Sequence[_Split] = (),
        values: Sequence[float] = (),
    ) -> None:
        self.model, self.root = model, root
        self._splits, self._values = splits, values

    def open(self, node: Any) -> _Opened | _Leaf:
        """Say what a node is: a split with the nodes where it holds and where not, or a leaf."""
        if isinstance(node, _Part):
            return self._open_part(node)
        if "value" in node:
            several = node["value"] if isinstance(node["value"], list) else [node["value"]]
            return self._leaf([_finite(number, "a leaf") for number in several])
        return self.model.split(node["split"]), node["right"], node["left"]

    def _open_part(self, part: _Part) -> _Opened | _Leaf:
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

    def _leaf(self, values: Sequence[float]) -> _Leaf:
        n = len(self.model.bias)
        if len(values) != n:
            raise ValueError(f"a leaf has {len(values)} numbers, and {n} are expected")
        return _Leaf(tuple(values))


class _Output:
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


# -- what CatBoost alone knows ---------------------------------------------------------------------


def _exponentials(numbers: NDArray[Any]) -> Floats:
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
    model = _one_tree({"float_features": features}, splits, np.zeros_like(leaves).tolist())
    model.set_leaf_values(leaves)  # its reader of JSON is an ulp off now and then
    rows = np.arange(len(numbers))[:, None] >> np.arange(max(depth, 1)) & 1
    out: Floats = model.predict(rows.astype(np.float32), prediction_type="Exponent")
    return out


class _Hashes:
    """The hashes of a column's categories, which are all that CatBoost keeps of them."""

    def __init__(self, model: _ModelJson, column: int, hashes: Sequence[int]) -> None:
        self.name = model.names[column] if model.names else f"x{column}"
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
    model = _one_tree(
        {"categorical_features": [feature], "float_features": []}, [split], [0.0, 1.0]
    )
    catboost = import_optional("catboost", needed_for="reading categories of CatBoost")
    try:
        answers = model.predict(catboost.Pool(table, cat_features=[0]))
    except catboost.CatBoostError as fault:
        raise UnreadableModel(
            f"CatBoost does not take {[label for [label] in table]!s:.80} for categories: "
            f"{fault!s:.200}"
        ) from fault
    return [answer > 0.5 for answer in answers]


def _one_tree(features: dict[str, Any], splits: list[Any], leaves: list[float]) -> Any:
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
